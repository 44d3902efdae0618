"""Metrics with a one-to-one alignment of nodes, and the solvers that compute it.

In the order in which a pair passes them, and in which they are best read:

- `smatch`, `wsmatch`, `smatchpp`, `s2match`: a metric is defined by the facts of a graph;
- `triple_match`: from facts to an alignment, and from its value to precision, recall and F1;
- `facts`: tables of facts, and the alignment problems of two tables; `problem`: what a solver gets
  and returns; `solver`: its interface;
- `exact`: branch and bound; in ``kernels``, ``relaxation.c`` computes its bound, by Lagrangian
  relaxation, ``assignment.c`` solves the linear assignment problem in it, and ``climb.c`` is local
  search; `workspace`: what solvers work on, with the tables of ``workspace.c``;
- `hillclimb`: the other solver; `large`: graphs for which a table of node pairs is too large;
- `matches`: the matching facts of an alignment, for explanations; `compression`: an option of
  Smatch++.
"""
