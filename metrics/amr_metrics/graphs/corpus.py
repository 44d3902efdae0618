"""`Corpus`: many graphs in flat arrays, on which metrics work.

A corpus is also a sequence of `Graph`, so that code written for single graphs can iterate over it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, count, filterfalse
from typing import Any, TypeVar, overload

import numpy as np

from amr_metrics.graphs.comments import (
    SENTENCE_KEYS,
    choose_sentences,
    join_metadata,
    list_values,
    take_metadata,
)
from amr_metrics.graphs.graph import Attribute, Graph, Relation
from amr_metrics.graphs.rows import count_rows, select_rows, starts
from amr_metrics.types import Bools, Ints
from amr_metrics.utils.text import format_count

Label = TypeVar("Label", bound=Hashable)


@dataclass(frozen=True)
class Symbols:
    """A table of distinct strings: the variables, concepts, roles and constants of graphs.

    Attributes:
        texts: the strings, each once; a symbol is a position in this tuple.

    >>> symbols = Symbols(("dog", "cat"))
    >>> len(symbols), symbols.numbers["cat"]
    (2, 1)
    """

    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)

    def __reduce__(self) -> tuple[Any, ...]:
        return Symbols, (self.texts,)  # without the numbers, which are computed again if needed

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The symbol of each string."""
        return {text: k for k, text in enumerate(self.texts)}

    def used(self, *columns: Ints) -> Ints:
        """Return the distinct symbols in some columns, in order.

        >>> Symbols(("dog", "cat", ":mod")).used(np.array([2, 0, 2])).tolist()
        [0, 2]
        """
        flags = np.zeros(len(self.texts), np.bool_)
        for column in columns:
            flags[column] = True
        return np.flatnonzero(flags)

    @classmethod
    def join(cls, tables: Sequence[Symbols]) -> tuple[Symbols, list[Ints]]:
        """Return the symbols of several tables, in order of first use.

        Returns:
            the table, and for each of the given ones the symbol in it of each of its symbols.

        >>> symbols, new = Symbols.join([Symbols(("dog", "cat")), Symbols(("cat", ":mod"))])
        >>> symbols.texts, [numbers.tolist() for numbers in new]
        (('dog', 'cat', ':mod'), [[0, 1], [1, 2]])
        """
        first = tables[0]
        numbers = dict(first.numbers)
        new_numbers: list[Ints] = [np.arange(len(first))]
        if all(table.texts == first.texts for table in tables):
            return first, new_numbers * len(tables)
        for table in tables[1:]:
            _number_new(table.texts, numbers)
            entries = map(numbers.__getitem__, table.texts)
            new_numbers.append(np.fromiter(entries, np.int64, len(table)))
        return cls(tuple(numbers)), new_numbers


class Labels:
    """Numbers distinct labels in order of first use.

    >>> symbols, labels = Symbols(("Dog", "dog", ":mod")), Labels()
    >>> labels.of(symbols, np.array([1, 0]), str.lower), labels.values
    (array([ 0,  0, -1]), ['dog'])
    """

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Hashable, int] = {}

    def number(self, label: Hashable) -> int:
        """Return the number of a label; a new label gets the next number."""
        number = self._numbers.setdefault(label, len(self.values))
        if number == len(self.values):
            self.values.append(label)
        return number

    def number_all(self, labels: Sequence[Hashable]) -> list[int]:
        """Return the numbers of labels, of which any may occur several times."""
        self.values += _number_new(dict.fromkeys(labels), self._numbers)
        return [*map(self._numbers.__getitem__, labels)]

    def of(self, symbols: Symbols, used: Ints, fold: Callable[[str], Hashable]) -> Ints:
        """Return the numbers of the labels into which `fold` converts symbols.

        Args:
            used: the symbols to number; any of them may occur several times.
            fold: converts a symbol's string to its label; called once per distinct symbol.

        Returns:
            int64, one per symbol of the table; -1 for symbols that are not in `used`.
        """
        distinct, texts = symbols.used(used), symbols.texts
        numbers = np.full(len(symbols), -1, np.int64)
        used_texts = map(texts.__getitem__, distinct.tolist())
        labels = [*map(fold, used_texts)]
        self.values += _number_new(dict.fromkeys(labels), self._numbers)
        numbers[distinct] = [*map(self._numbers.__getitem__, labels)]
        return numbers


def _number_new(labels: Iterable[Label], numbers: dict[Label, int]) -> list[Label]:
    """Number the labels, each given once, that have no number yet, and return them."""
    new = [*filterfalse(numbers.__contains__, labels)]
    numbers.update(zip(new, count(len(numbers)), strict=False))
    return new


@dataclass(frozen=True, eq=False, kw_only=True)
class Corpus(Sequence[Graph]):
    """Graphs in flat arrays. ``corpus[k]`` is graph k as a `Graph`; a slice is a `Corpus`.

    Graph ``g`` has the nodes ``node_start[g]:node_start[g + 1]``, and its attributes and relations
    likewise. Nodes are in order of appearance, attributes and relations in the order of `Graph`.
    Positions of nodes count from the first node of the graph.

    Attributes:
        symbols: the strings that variables, concepts, roles and constants refer to.
        tops: int64 g, the position of the root; -1 for a graph without nodes.
        node_start: int64 g + 1.
        variables, concepts: int32 n, symbols.
        attribute_start: int64 g + 1.
        holders: int32 a, the position of each attribute's node.
        attribute_roles, constants: int32 a, symbols; constants keep their quotes.
        relation_start: int64 g + 1.
        sources, targets: int32 r, positions of nodes.
        relation_roles: int32 r, symbols, inverse roles normalised.
        inverted: bool r, whether the relation was written with an inverse role.
        forward: bool r, whether the target is a variable that is defined only later in the text.
        metadata: the ``# ::key value`` lines of each graph.
        aligned: the text of each graph that contains surface alignments, by the graph's position.
    """

    symbols: Symbols
    tops: Ints
    node_start: Ints
    variables: Ints
    concepts: Ints
    attribute_start: Ints
    holders: Ints
    attribute_roles: Ints
    constants: Ints
    relation_start: Ints
    sources: Ints
    relation_roles: Ints
    targets: Ints
    inverted: Bools
    forward: Bools
    metadata: Sequence[Mapping[str, str]] = field(repr=False)
    aligned: Mapping[int, str] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.tops)

    def __eq__(self, other: object) -> bool:
        """Check that the graphs are equal, also to those of a list."""
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"<Corpus of {format_count(len(self), 'graph')}: "
            f"{format_count(len(self.concepts), 'node')}, "
            f"{format_count(len(self.constants), 'attribute')}, "
            f"{format_count(len(self.sources), 'relation')}>"
        )

    @overload
    def __getitem__(self, k: int) -> Graph: ...
    @overload
    def __getitem__(self, k: slice) -> Corpus: ...
    def __getitem__(self, k: int | slice) -> Graph | Corpus:
        if isinstance(k, slice):
            return self.take(np.arange(len(self))[k])
        at = range(len(self))[k]
        texts = self.symbols.texts
        nodes = slice(self.node_start[at], self.node_start[at + 1])
        attributes = slice(self.attribute_start[at], self.attribute_start[at + 1])
        relations = slice(self.relation_start[at], self.relation_start[at + 1])
        variables = tuple([texts[v] for v in self.variables[nodes].tolist()])
        holders = tuple(self.holders[attributes].tolist())
        sources = tuple(self.sources[relations].tolist())
        targets = tuple(self.targets[relations].tolist())
        roles = self.attribute_roles[attributes].tolist()
        constants = self.constants[attributes].tolist()
        # The arrays are valid: skip the checks of `Graph`, and set the positions they compute.
        graph = object.__new__(Graph)
        graph.__dict__.update(
            variables=variables,
            concepts=tuple([texts[c] for c in self.concepts[nodes].tolist()]),
            attributes=tuple(
                [
                    Attribute(variables[h], texts[r], texts[c])
                    for h, r, c in zip(holders, roles, constants, strict=True)
                ]
            ),
            relations=tuple(
                [
                    Relation(variables[s], texts[r], variables[t])
                    for s, r, t in zip(
                        sources, self.relation_roles[relations].tolist(), targets, strict=True
                    )
                ]
            ),
            top=variables[self.tops[at]] if variables else "",
            metadata=self.metadata[at],
            inverted=tuple(np.flatnonzero(self.inverted[relations]).tolist()),
            forward=tuple(np.flatnonzero(self.forward[relations]).tolist()),
            aligned=self.aligned.get(at, ""),
            sources=sources,
            targets=targets,
            holders=holders,
        )
        return graph

    def __iter__(self) -> Iterator[Graph]:
        return (self[k] for k in range(len(self)))

    def metadata_values(self, key: str) -> list[str | None]:
        r"""Return the value of one key of `metadata` for each graph; None for a graph without it.

        >>> from amr_metrics.reading.scanner import scan_amr
        >>> scan_amr(b"# ::id 1\n(d / dog)\n\n(c / cat)").metadata_values("id")
        ['1', None]
        """
        return list_values(key, self.metadata)

    def sentences(self) -> list[str | None]:
        """Return the sentence of each graph, see `Graph.sentence`; None for one without."""
        return choose_sentences(*map(self.metadata_values, SENTENCE_KEYS))

    @property
    def sizes(self) -> Ints:
        """int64 g, the number of nodes of each graph."""
        return count_rows(self.node_start)

    def take(self, indices: Ints | Bools) -> Corpus:
        """Return the graphs at some positions, in the given order, with the same symbols.

        Args:
            indices: positions, or for each graph whether to take it.

        >>> from amr_metrics import parse_graph
        >>> corpus = Corpus.of([parse_graph("(d / dog)"), parse_graph("(c / cat)")])
        >>> [graph.concepts for graph in corpus.take(np.array([1, 1]))]
        [('cat',), ('cat',)]
        """
        if np.asarray(indices).dtype == bool:
            indices = np.flatnonzero(indices)
        indices = np.asarray(indices, np.int64)
        changed: dict[str, Any] = {}
        for group, names in GROUPS.items():
            start, rows = select_rows(getattr(self, f"{group}_start"), indices)
            changed |= {name: getattr(self, name)[rows] for name in names}
            changed[f"{group}_start"] = start
        changed["metadata"] = take_metadata(self.metadata, indices)
        if self.aligned:
            texts = {k: self.aligned.get(graph) for k, graph in enumerate(indices.tolist())}
            changed["aligned"] = {k: text for k, text in texts.items() if text}
        return replace(self, tops=self.tops[indices], **changed)

    def with_symbols(self, symbols: Symbols, new_numbers: Ints) -> Corpus:
        """Return the same graphs with another table of symbols.

        Args:
            new_numbers: the symbol in the new table of each symbol of the present one.
        """
        new_numbers = new_numbers.astype(np.int32)
        columns = {name: new_numbers[getattr(self, name)] for name in SYMBOLS}
        return replace(self, symbols=symbols, **columns)

    def without_metadata(self) -> Corpus:
        """Return the same graphs without metadata, which take long to parse and to copy."""
        return replace(self, metadata=({},) * len(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled without the symbols that do not occur: a few graphs of a large file stay small.
        (corpus,) = drop_unused_symbols([self])
        return _unpickle_corpus, (corpus.symbols, corpus.arrays())

    def arrays(self) -> dict[str, Any]:
        """Return the attributes except the symbols, by name."""
        return {name: getattr(self, name) for name in (*STARTS, *COLUMNS, "metadata", "aligned")}

    @classmethod
    def concatenate(cls, parts: Sequence[Corpus]) -> Corpus:
        """Return the graphs of several corpora, in order.

        >>> from amr_metrics import parse_graph
        >>> dog, cat = (Corpus.of([parse_graph(text)]) for text in ("(d / dog)", "(c / cat)"))
        >>> [graph.concepts for graph in Corpus.concatenate([dog, cat])]
        [('dog',), ('cat',)]
        """
        if not parts:
            return cls.of(())
        symbols, new_numbers = Symbols.join([part.symbols for part in parts])
        shared = [
            part.with_symbols(symbols, numbers)
            for part, numbers in zip(parts, new_numbers, strict=True)
        ]

        def join(name: str) -> Any:
            return np.concatenate([getattr(part, name) for part in shared])

        def join_starts(name: str) -> Any:
            return starts(np.concatenate([np.diff(getattr(part, name)) for part in shared]))

        first = starts(map(len, parts)).tolist()
        return cls(
            symbols=symbols,
            metadata=join_metadata([part.metadata for part in shared]),
            aligned={
                at + k: text
                for at, part in zip(first[:-1], parts, strict=True)
                for k, text in part.aligned.items()
            },
            **{name: join_starts(name) for name in STARTS},
            **{name: join(name) for name in COLUMNS},
        )

    @classmethod
    def of(cls, graphs: Iterable[Graph]) -> Corpus:
        """Return the corpus of some graphs; a corpus is returned unchanged.

        Fields that a subclass of `Graph` adds are left out.

        >>> from amr_metrics import parse_graph
        >>> corpus = Corpus.of([parse_graph("(s / sleep-01 :ARG0 (c / cat))")])
        >>> corpus.sizes.tolist(), corpus[0].concepts
        ([2], ('sleep-01', 'cat'))
        """
        if isinstance(graphs, Corpus):
            return graphs
        graphs = [*graphs]
        numbers: dict[str, int] = {}

        def symbols_of(strings: list[str]) -> Ints:
            for string in dict.fromkeys(strings):
                numbers.setdefault(string, len(numbers))
            return np.fromiter(map(numbers.__getitem__, strings), np.int32, len(strings))

        relations = [relation for graph in graphs for relation in graph.relations]
        attributes = [attribute for graph in graphs for attribute in graph.attributes]
        relation_start = starts(len(graph.relations) for graph in graphs)
        columns: dict[str, Any] = {
            "variables": symbols_of([v for graph in graphs for v in graph.variables]),
            "concepts": symbols_of([c for graph in graphs for c in graph.concepts]),
            "attribute_roles": symbols_of([role for _, role, _ in attributes]),
            "constants": symbols_of([constant for _, _, constant in attributes]),
            "relation_roles": symbols_of([role for _, role, _ in relations]),
        }
        tops = [g.variables.index(g.top) if g.variables else -1 for g in graphs]
        return cls(
            symbols=Symbols(tuple(numbers)),
            tops=np.array(tops, np.int64),
            node_start=starts(len(graph.variables) for graph in graphs),
            attribute_start=starts(len(graph.attributes) for graph in graphs),
            holders=_join_parts([graph.holders for graph in graphs]),
            relation_start=relation_start,
            sources=_join_parts([graph.sources for graph in graphs]),
            targets=_join_parts([graph.targets for graph in graphs]),
            inverted=_mark_positions([graph.inverted for graph in graphs], relation_start),
            forward=_mark_positions([graph.forward for graph in graphs], relation_start),
            metadata=tuple([graph.metadata for graph in graphs]),
            aligned={k: graph.aligned for k, graph in enumerate(graphs) if graph.aligned},
            **columns,
        )


# The columns of each kind of rows.
GROUPS = {
    "node": ("variables", "concepts"),
    "attribute": ("holders", "attribute_roles", "constants"),
    "relation": ("sources", "relation_roles", "targets", "inverted", "forward"),
}
STARTS = tuple(f"{group}_start" for group in GROUPS)
COLUMNS = ("tops", *chain.from_iterable(GROUPS.values()))
SYMBOLS = ("variables", "concepts", "attribute_roles", "constants", "relation_roles")


def drop_unused_symbols(corpora: Sequence[Corpus]) -> list[Corpus]:
    """Drop the symbols that occur in none of some corpora, which share a table of symbols.

    >>> from amr_metrics import parse_graph
    >>> corpus = Corpus.of([parse_graph("(d / dog)"), parse_graph("(c / cat)")])
    >>> drop_unused_symbols([corpus[1:]])[0].symbols.texts
    ('c', 'cat')
    """
    symbols = corpora[0].symbols
    used = symbols.used(*[getattr(corpus, name) for corpus in corpora for name in SYMBOLS])
    if len(used) == len(symbols):
        return [*corpora]
    # The order stays the same.
    used_symbols = Symbols(tuple([symbols.texts[k] for k in used.tolist()]))
    new_numbers = np.searchsorted(used, np.arange(len(symbols)))
    return [corpus.with_symbols(used_symbols, new_numbers) for corpus in corpora]


def _unpickle_corpus(symbols: Symbols, arrays: Mapping[str, Any]) -> Corpus:
    return Corpus(symbols=symbols, **arrays)


def _join_parts(parts: Sequence[Sequence[int]]) -> Ints:
    return np.fromiter(chain.from_iterable(parts), np.int32)


def _mark_positions(positions: Sequence[Sequence[int]], start: Ints) -> Bools:
    """Return a mask of all rows that marks the given positions within each group."""
    flags = np.zeros(start[-1], np.bool_)
    flags[np.repeat(start[:-1], [*map(len, positions)]) + _join_parts(positions)] = True
    return flags
