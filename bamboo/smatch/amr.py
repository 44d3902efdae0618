"""The class ``AMR`` of the smatch package, in the module ``amr`` that it also installs.

The labels and their order are those of smatch 1.0.4. What can be read is decided by
`amr_metrics.parse_graph`: text that is no Penman notation is never completed or cut.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from amr_metrics.errors import GraphError
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading import parse_graph
from amr_metrics.standardize.steps import is_constant_dropped, read_concept, read_constant

# Scripts replace them.
ERROR_LOG: TextIO = sys.stderr
DEBUG_LOG: TextIO = sys.stderr

Triple = tuple[str, str, str]  # role, node, and a label or another node
Edges = list[list[str]]  # a role and a label or another node, of each edge of one node


class AMR:
    """A graph as lists.

    Attributes:
        nodes: the variables, in the order of the text.
        node_values: the concept of each node.
        root: the variable of the root.
        relations: of each node, a list of ``[role, node]``. Inverse roles are normalised, and
            ``x :mod y`` is ``y :domain x``.
        attributes: of each node, a list of ``[role, constant]``; that of the root ends in
            ``["TOP", "top"]``.
    """

    def __init__(
        self,
        node_list: Sequence[str] | None = None,
        node_value_list: Sequence[str] | None = None,
        relation_list: Sequence[Edges] | None = None,
        attribute_list: Sequence[Edges] | None = None,
    ) -> None:
        self.nodes = [*(node_list or ())]
        self.node_values = [*(node_value_list or ())]
        self.root = self.nodes[0] if self.nodes else None
        self.relations = [*(relation_list or ())]
        self.attributes = [*(attribute_list or ())]

    def rename_node(self, prefix: str) -> None:
        """Rename the nodes to the prefix and their position, from 0; `root` keeps its name.

        >>> graph = read_amr("(s / sleep-01 :ARG0 (c / cat))")
        >>> graph.rename_node("a")
        >>> graph.nodes, graph.relations
        (['a0', 'a1'], [[['ARG0', 'a1']], []])
        """
        names = {node: f"{prefix}{k}" for k, node in enumerate(self.nodes)}
        self.nodes = [names[node] for node in self.nodes]
        for edges in self.relations:
            for edge in edges:
                edge[1] = names[edge[1]]

    def get_triples(self) -> tuple[list[Triple], list[Triple], list[Triple]]:
        """Return the triples of instances, attributes and relations.

        >>> read_amr("(s / sleep-01 :ARG0 (c / cat))").get_triples()[2]
        [('ARG0', 's', 'c')]
        """
        values = zip(self.nodes, self.node_values, strict=True)
        instances = [("instance", node, value) for node, value in values]
        return instances, self._list_triples(self.attributes), self._list_triples(self.relations)

    def get_triples2(self) -> tuple[list[Triple], list[Triple]]:
        """Return the triples of instances, and of each node its relations and attributes."""
        both = [[*r, *a] for r, a in zip(self.relations, self.attributes, strict=True)]
        return self.get_triples()[0], self._list_triples(both)

    def _list_triples(self, edges: Iterable[Edges]) -> list[Triple]:
        of_nodes = zip(self.nodes, edges, strict=True)
        return [(role, node, value) for node, pairs in of_nodes for role, value in pairs]

    def __str__(self) -> str:
        lines = []
        columns = zip(self.nodes, self.node_values, self.relations, self.attributes, strict=True)
        for k, (node, value, relations, attributes) in enumerate(columns):
            lines += [f"Node {k} {node}", f"Value: {value}", "Relations:"]
            lines += [f"Node {target} via {role}" for role, target in relations]
            lines += [f"Attribute: {role} value {constant}" for role, constant in attributes]
        return "\n".join(lines)

    __repr__ = __str__

    def output_amr(self) -> None:
        """Print the graph on ``DEBUG_LOG``."""
        print(self, file=DEBUG_LOG)

    @staticmethod
    def get_amr_line(input_f: Iterable[str]) -> str:
        r"""Return the next graph of an open file, or of lines, in one line; "" at the end.

        Graphs are separated by blank lines; comments are left out. As in the package, nothing
        separates a line from one that begins with a role or a bracket; others are separated by a
        blank, without which labels would become one.

        Raises:
            TypeError: a path or a text.

        >>> AMR.get_amr_line(iter(["# ::id 1\n", "(c / cat\n", "  :mod (b / big))\n", "\n"]))
        '(c / cat:mod (b / big))'
        """
        text = ""
        for line in map(str.strip, iterate_lines(input_f)):
            if line and not line.startswith("#"):
                text += line if not text or line[0] in ":()" else f" {line}"
            elif not line and text:
                break
        return text

    @staticmethod
    def parse_AMR_line(line: str) -> AMR | None:  # the package's name
        """Read a graph, in any number of lines.

        If it cannot be read, print the reason on ``ERROR_LOG`` and return None.
        """
        try:
            return read_amr(line)
        except GraphError as error:
            print(f"Error in parsing AMR: {error}", file=ERROR_LOG)
            return None


def read_amr(text: str) -> AMR:
    """Read a graph.

    Raises:
        GraphError: the text is malformed or does not contain exactly one graph.

    >>> read_amr('(c / city :mod (b / big) :name (n / name :op1 "Ulm"))').relations
    [[['name', 'n']], [['domain', 'c']], []]
    """
    graph = parse_graph(text)
    if graph.aligned:
        graph = _restore_alignments(graph)
    relations: dict[str, Edges] = {node: [] for node in graph.variables}
    attributes: dict[str, Edges] = {node: [] for node in graph.variables}
    # The package learns only at the end of the text that a label is a variable defined later.
    for k in sorted(range(len(graph.relations)), key={*graph.forward}.__contains__):
        source, role, target = graph.relations[k]
        if role == ":mod" and k not in graph.inverted:
            relations[target].append(["domain", source])
        else:
            relations[source].append([role[1:], target])
    for node, role, constant in graph.attributes:
        if not is_constant_dropped(role):
            attributes[node].append([role[1:], read_constant(constant)])
    attributes[graph.top].append(["TOP", "top"])
    concepts = [*map(read_concept, graph.concepts)]
    amr = AMR(graph.variables, concepts, [*relations.values()], [*attributes.values()])
    amr.root = graph.top
    return amr


def _restore_alignments(graph: Graph) -> Graph:
    """Return the graph with surface alignments, which the package takes for parts of labels."""
    from amr_metrics.reading.penman_reading import interpret, parse_trees  # imports penman

    (restored,) = parse_trees(graph.aligned, lambda tree: interpret(tree, str))
    return restored


def iterate_lines(lines: Iterable[str]) -> Iterator[str]:
    """Return an iterator over the lines of an open file, or over lines.

    Raises:
        TypeError: a path or a text, whose characters would be taken for lines.
    """
    if isinstance(lines, (str, bytes, os.PathLike)):
        raise TypeError(
            f"{lines!r:.80} is a path or a text, neither an open file nor a list of lines: open "
            "the files, or use bamboo.score, which takes paths"
        )
    return iter(lines)
