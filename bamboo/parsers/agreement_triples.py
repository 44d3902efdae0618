"""The triples of several annotators, with the nodes of all graphs aligned, and a vote on them."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from amr_metrics.base import Metric, Pair
from amr_metrics.errors import GraphError, NoAlignmentError
from amr_metrics.explanation import Link
from amr_metrics.graphs.graph import Attribute, Graph, Relation
from bamboo.parsers.agreement_data import (
    ATTRIBUTE,
    CONCEPT,
    RELATION,
    ROOT,
    AgreementData,
    SentenceTriples,
    SharedTriple,
)
from bamboo.parsers.agreement_graphs import Annotated
from bamboo.scoring.chunks import Reading

Renaming = Mapping[str, str]  # the names of nodes, by variable
Triple = tuple[str, str, str, str]  # kind, label, source, target
MARK = "adjudicate"  # the key of metadata that says what a person should look at
FEWEST = 3  # annotators of whom a majority can differ from one


def align_triples(
    agreement: AgreementData, annotated: Annotated, metric: Metric, reading: Reading
) -> tuple[SentenceTriples, ...]:
    """Return who has which triple of each sentence with two graphs or more.

    The metric aligns each graph to the central one. Nodes that this lacks are the same if the
    metric aligns them when it compares the graphs that have them.

    Args:
        reading: with what is dropped from all graphs.

    Returns:
        nothing for documents, and for a metric without an alignment.
    """
    if metric.reads_documents:
        return ()
    graphs = {
        k: {name: reading.standardizer(graph) for name, graph in of_sentence.items()}
        for k, of_sentence in _list_graphs(agreement, annotated)
    }
    try:
        renamings = _rename_nodes(graphs, metric)
    except NoAlignmentError:
        return ()
    return tuple(
        SentenceTriples(
            k,
            annotated.ids[k],
            next((graph.sentence for graph in of_sentence.values() if graph.sentence), ""),
            tuple(name for name in annotated.sources if name in of_sentence),
            next(iter(of_sentence)),
            _merge(of_sentence, renamings[k]),
        )
        for k, of_sentence in graphs.items()
    )


def _list_graphs(
    agreement: AgreementData, annotated: Annotated
) -> Iterator[tuple[int, dict[str, Graph]]]:
    """Yield the graphs of each sentence that could be compared with the central one, this first."""
    names = [*annotated.sources]
    for k, at in enumerate(agreement.central.tolist()):
        if at < 0:
            continue
        central = names[at]
        scores = {
            name: values[k]
            for couple, values in agreement.couples.items()
            if central in couple
            for name in {*couple} - {central}
        }
        others = [name for name in names if not math.isnan(scores.get(name, math.nan))]
        yield k, {name: annotated.graphs_of(name).graphs[k] for name in (central, *others)}


def _rename_nodes(
    graphs: Mapping[int, Mapping[str, Graph]], metric: Metric
) -> dict[int, dict[str, Renaming]]:
    """Return for each sentence and annotator the names that nodes have in all graphs."""
    to_central = _align(
        metric, graphs, [(k, name, next(iter(g))) for k, g in graphs.items() for name in [*g][1:]]
    )
    added = {
        (k, name): [v for v in graphs[k][name].variables if v not in links]
        for (k, name, _), links in to_central.items()
    }
    between = _align(
        metric,
        graphs,
        [
            (k, second, first)
            for k, g in graphs.items()
            for first, second in itertools.combinations([*g][1:], 2)
            if added[k, first] and added[k, second]
        ],
    )
    renamings: dict[int, dict[str, Renaming]] = {}
    for k, of_sentence in graphs.items():
        central, *others = of_sentence
        taken = {*of_sentence[central].variables}
        renamings[k] = {central: {v: v for v in taken}}
        for position, name in enumerate(others):
            renaming = dict(to_central[k, name, central])
            for variable in added[k, name]:
                same = [
                    renamings[k][other][node]
                    for other in others[:position]
                    for node in [between.get((k, name, other), {}).get(variable)]
                    if node in added[k, other]
                ]
                free = [node for node in same if node not in renaming.values()]
                renaming[variable] = free[0] if free else _find_free(variable, taken)
                taken.add(renaming[variable])
            renamings[k][name] = renaming
    return renamings


def _align(
    metric: Metric,
    graphs: Mapping[int, Mapping[str, Graph]],
    couples: Sequence[tuple[int, str, str]],
) -> dict[tuple[int, str, str], Renaming]:
    """Return for each sentence and couple the nodes of the second, by those of the first."""
    pairs = [Pair(graphs[k][src], graphs[k][tgt]) for k, src, tgt in couples]
    aligned = metric.links(pairs) if pairs else []
    return {
        couple: _match_nodes(links, *pair)
        for couple, links, pair in zip(couples, aligned, pairs, strict=True)
    }


def _match_nodes(links: Sequence[Link], src: Graph, tgt: Graph) -> Renaming:
    """Return an alignment of one node with one, by the greatest weights.

    A metric may compare graphs with nodes that were not in them, as by reification; these are left
    out.
    """
    matched: dict[str, str] = {}
    for link in sorted(links, key=lambda link: -link.weight):
        is_free = link.src not in matched and link.tgt not in matched.values()
        if is_free and link.weight > 0 and link.src in src.positions and link.tgt in tgt.positions:
            matched[link.src] = link.tgt
    return matched


def _find_free(variable: str, taken: set[str]) -> str:
    """Return the variable, or its letters with a number, as a name that is not taken."""
    letters = variable.rstrip("0123456789") or variable
    names = itertools.chain([variable], (f"{letters}{k}" for k in itertools.count(2)))
    return next(name for name in names if name not in taken)


def _merge(
    graphs: Mapping[str, Graph], renamings: Mapping[str, Renaming]
) -> tuple[SharedTriple, ...]:
    """Return the triples of all graphs, those of the first graph first, with who has them.

    A triple that a graph has twice is two triples.
    """
    holders: dict[tuple[Triple, int], list[str]] = {}
    concepts: dict[str, str] = {}
    for name, graph in graphs.items():
        counts: Counter[Triple] = Counter()
        for triple in _list_triples(graph, renamings[name]):
            holders.setdefault((triple, counts[triple]), []).append(name)
            counts[triple] += 1
        for variable, concept in zip(graph.variables, graph.concepts, strict=True):
            concepts.setdefault(renamings[name][variable], concept)
    return tuple(
        SharedTriple(*triple, tuple(names), _describe(triple, concepts))
        for (triple, _), names in holders.items()
    )


def _list_triples(graph: Graph, names: Renaming) -> Iterator[Triple]:
    if graph.variables:
        yield ROOT, "", names[graph.top], ""
    for variable, concept in zip(graph.variables, graph.concepts, strict=True):
        yield CONCEPT, "", names[variable], concept
    for source, role, target in graph.relations:
        yield RELATION, role, names[source], names[target]
    for node, role, constant in graph.attributes:
        yield ATTRIBUTE, role, names[node], constant


def _describe(triple: Triple, concepts: Mapping[str, str]) -> str:
    """Write a triple with the concepts of its nodes, those of the first graph that has the node."""
    kind, role, source, target = triple
    if kind == CONCEPT:
        return f"{source} / {target}"
    node = f"{source} / {concepts[source]}"
    if kind == ROOT:
        return f"root {node}"
    return f"{node} {role} {f'{target} / {concepts[target]}' if kind == RELATION else target}"


def find_majority(sentence: SentenceTriples) -> Graph | None:
    """Return the graph of the triples that more than half of the annotators have, at least two.

    Returns:
        the graph, marked ``tie`` if exactly half have some other triple; None if the triples are
        not one connected graph with one root.
    """
    half = len(sentence.annotators) / 2
    kept: dict[str, list[SharedTriple]] = {}
    for triple in sentence.triples:
        if len(triple.annotators) > max(1, half):
            kept.setdefault(triple.kind, []).append(triple)
    concepts = kept.get(CONCEPT, [])
    tops = kept.get(ROOT, [])
    if len(tops) != 1:
        return None
    try:
        graph = Graph(
            tuple(triple.source for triple in concepts),
            tuple(triple.target for triple in concepts),
            tuple(Attribute(t.source, t.label, t.target) for t in kept.get(ATTRIBUTE, [])),
            tuple(Relation(t.source, t.label, t.target) for t in kept.get(RELATION, [])),
            tops[0].source,
            {MARK: "tie"} if any(len(t.annotators) == half for t in sentence.triples) else {},
        )
    except GraphError:  # a triple of a node without a concept, or the root has none
        return None
    return graph if len(graph.components()) == 1 else None
