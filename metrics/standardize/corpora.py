"""Standardisation steps on all graphs of a corpus at once.

Each gives what the step of the same name in `metrics.standardize.steps` gives for each graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from metrics.graphs.corpus import Corpus
from metrics.graphs.encoding import spread
from metrics.graphs.symbols import Symbols
from metrics.reading.read import deinverted
from metrics.standardize.steps import CONSTANT_DOMAINS, Step, bare, lower_role
from metrics.types import Bools, Ints

CorpusStep = Callable[[Corpus], Corpus]


def of_each(step: Step) -> CorpusStep:
    """The step applied to each graph by itself."""
    return lambda corpus: Corpus.of(map(step, corpus))


def dereify(step: Step, concepts: frozenset[str]) -> CorpusStep:
    """The step `metrics.graphs.reification.dereify` with rules for some concepts.

    It is applied to each graph with a node that may represent an edge: one of such a concept that
    is not the top, that no edge points to, and that has two edges.
    """

    def changed(corpus: Corpus) -> Corpus:
        numbers = corpus.symbols.numbers
        symbols = [numbers[concept] for concept in sorted(concepts) if concept in numbers]
        reified = np.isin(corpus.concepts, symbols)
        graphs = _graphs(corpus.node_start, reified & _may_be_edges(corpus))
        # As with single graphs, all graphs with such a concept lose how relations were written.
        concerned = _graphs(corpus.node_start, reified)
        written = ~np.repeat(concerned, np.diff(corpus.relation_start))
        corpus = replace(
            corpus, inverted=corpus.inverted & written, forward=corpus.forward & written
        )
        if not graphs.any():
            return corpus
        others, chosen = np.flatnonzero(~graphs), np.flatnonzero(graphs)
        # Metadata stay as they are, and parsing them would take longer than the step.
        plain = replace(corpus, metadata=({},) * len(corpus))
        parts = [plain.take(others), Corpus.of(map(step, plain.take(chosen)))]
        position = np.argsort(np.concatenate([others, chosen]))
        return replace(Corpus.concatenate(parts).take(position), metadata=corpus.metadata)

    return changed


def _may_be_edges(corpus: Corpus) -> Bools:
    """Whether each node has two edges, is not the top, and no edge points to it."""
    first = corpus.node_start[:-1]
    of_relations = spread(first, corpus.relation_start)
    sources = np.concatenate(
        [corpus.sources + of_relations, corpus.holders + spread(first, corpus.attribute_start)]
    )
    free = np.bincount(sources, minlength=len(corpus.concepts)) == 2
    free[corpus.targets + of_relations] = False
    has_top = corpus.tops >= 0
    free[(first + corpus.tops)[has_top]] = False
    return np.asarray(free)


def lower(corpus: Corpus) -> Corpus:
    """Lower-case concepts, constants and roles, except ``:ARG``."""
    return _relabelled(corpus, str.lower, lower_role)


def unquote(corpus: Corpus) -> Corpus:
    """Remove quotation marks from concepts and constants."""
    return _relabelled(corpus, bare, str)


def deinvert(corpus: Corpus) -> Corpus:
    """Normalise inverse roles."""
    odd = np.zeros(len(corpus.symbols), np.bool_)

    def plain(role: str) -> str:
        symbol = corpus.symbols.numbers[role]
        while (shorter := deinverted(role)) is not None:
            role = shorter
            odd[symbol] = ~odd[symbol]
        return role

    symbols, (roles,) = _folded(corpus.symbols, (corpus.relation_roles, plain))
    turned = odd[corpus.relation_roles]
    return _changed(
        replace(corpus, symbols=symbols),
        relation_roles=roles,
        sources=np.where(turned, corpus.targets, corpus.sources),
        targets=np.where(turned, corpus.sources, corpus.targets),
    )


def fold_domain(corpus: Corpus) -> Corpus:
    """Replace ``x :domain y`` by ``y :mod x``."""
    symbols, (relation_roles, attribute_roles) = _folded(
        corpus.symbols,
        (corpus.relation_roles, lambda role: ":mod" if role == ":domain" else role),
        (corpus.attribute_roles, lambda role: CONSTANT_DOMAINS.get(role, role)),
    )
    turned = relation_roles != corpus.relation_roles
    return _changed(
        replace(corpus, symbols=symbols),
        relation_roles=relation_roles,
        attribute_roles=attribute_roles,
        sources=np.where(turned, corpus.targets, corpus.sources),
        targets=np.where(turned, corpus.sources, corpus.targets),
    )


def distinct(corpus: Corpus) -> Corpus:
    """Remove repeated triples."""
    own = _first(corpus, corpus.attribute_start, "holders", "attribute_roles", "constants")
    kept = _first(corpus, corpus.relation_start, "sources", "relation_roles", "targets")
    if own.all() and kept.all():
        return corpus
    attribute_start = np.concatenate([[0], np.cumsum(own)])[corpus.attribute_start]
    relation_start = np.concatenate([[0], np.cumsum(kept)])[corpus.relation_start]
    removed = _graphs(corpus.attribute_start, ~own) | _graphs(corpus.relation_start, ~kept)
    marked = ~np.repeat(removed, np.diff(corpus.relation_start))
    return replace(
        corpus,
        attribute_start=attribute_start,
        holders=corpus.holders[own],
        attribute_roles=corpus.attribute_roles[own],
        constants=corpus.constants[own],
        relation_start=relation_start,
        sources=corpus.sources[kept],
        relation_roles=corpus.relation_roles[kept],
        targets=corpus.targets[kept],
        inverted=(corpus.inverted & marked)[kept],
        forward=(corpus.forward & marked)[kept],
    )


def _first(corpus: Corpus, start: Ints, *names: str) -> Bools:
    """Whether each triple is the first of its graph's equal triples."""
    graph = np.repeat(np.arange(len(corpus)), np.diff(start))
    columns = [graph, *[getattr(corpus, name) for name in names]]
    order = np.lexsort(columns[::-1])
    first = np.ones(len(order), np.bool_)
    equal = [column[order][1:] == column[order][:-1] for column in columns]
    first[order[1:][np.logical_and.reduce(equal)]] = False
    return first


def _relabelled(
    corpus: Corpus, label: Callable[[str], str], role_label: Callable[[str], str]
) -> Corpus:
    """Other concepts and constants, and other roles."""
    symbols, (concepts, constants, relation_roles, attribute_roles) = _folded(
        corpus.symbols,
        (corpus.concepts, label),
        (corpus.constants, label),
        (corpus.relation_roles, role_label),
        (corpus.attribute_roles, role_label),
    )
    return _changed(
        replace(corpus, symbols=symbols),
        concepts=concepts,
        constants=constants,
        relation_roles=relation_roles,
        attribute_roles=attribute_roles,
    )


def _folded(
    symbols: Symbols, *columns: tuple[Ints, Callable[[str], str]]
) -> tuple[Symbols, list[Ints]]:
    """Apply functions to columns of symbols, once per distinct symbol.

    Returns:
        a table that continues `symbols`, and the new columns.
    """
    numbers = dict(symbols.numbers)
    folded: list[Ints] = []
    for column, function in columns:
        used = np.zeros(len(symbols), np.bool_)
        used[column] = True
        moved = np.arange(len(symbols), dtype=np.int32)
        for symbol in np.flatnonzero(used).tolist():
            text = symbols.texts[symbol]
            if (result := function(text)) != text:
                moved[symbol] = numbers.setdefault(result, len(numbers))
        folded.append(moved[column])
    return (Symbols(tuple(numbers)) if len(numbers) > len(symbols) else symbols), folded


def _changed(corpus: Corpus, **columns: Any) -> Corpus:
    """The corpus with other columns. A graph that changes loses how its relations were written."""
    start = {
        "concepts": corpus.node_start,
        "constants": corpus.attribute_start,
        "attribute_roles": corpus.attribute_start,
    }
    graphs = np.zeros(len(corpus), np.bool_)
    for name, column in columns.items():
        graphs |= _graphs(start.get(name, corpus.relation_start), column != getattr(corpus, name))
    written = ~np.repeat(graphs, np.diff(corpus.relation_start))
    return replace(
        corpus, **columns, inverted=corpus.inverted & written, forward=corpus.forward & written
    )


def _graphs(start: Ints, flags: Bools) -> Bools:
    """Whether each graph has a row that is marked."""
    count = np.concatenate([[0], np.cumsum(flags)])
    return np.asarray(count[start[1:]] > count[start[:-1]])
