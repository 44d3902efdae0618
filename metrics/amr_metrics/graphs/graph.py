"""`Graph`: an immutable AMR graph, as it was written except that inverse roles are normalised."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from numbers import Complex, Number, Real
from typing import Any, NamedTuple, cast

from amr_metrics.errors import GraphError
from amr_metrics.graphs.comments import SENTENCE_KEYS
from amr_metrics.graphs.notation import format_triples
from amr_metrics.utils.decoding import describe_half
from amr_metrics.utils.html_text import wrap_preformatted
from amr_metrics.utils.text import format_count


class Attribute(NamedTuple):
    """A triple whose target is a constant: ``node :role constant``.

    Attributes:
        node: the variable of its source.
        role: with its colon.
        constant: as it is written, with its quotes.
    """

    node: str
    role: str
    constant: str


class Relation(NamedTuple):
    """A triple whose target is a variable: ``source :role target``.

    Attributes:
        source: a variable.
        role: with its colon, not inverted.
        target: a variable.
    """

    source: str
    role: str
    target: str


@dataclass(frozen=True, repr=False)
class Graph:
    """An AMR graph. It is shown in Penman notation, on one line by `repr`.

    Reading de-inverts roles and keeps everything else: case, quotes, senses, duplicate triples
    and their order. Further normalisation, such as lower-casing, is left to the metrics.

    Attributes:
        variables: the node names, in order of appearance.
        concepts: one concept per variable, in the same order.
        attributes: triples whose target is a constant.
        relations: triples whose target is a variable.
        top: the root variable (``""`` for the empty graph).
        metadata: the ``# ::key value`` lines. Ignored in comparisons for equality.
        inverted: positions in `relations` of those written with an inverse role (``:ARG0-of``).
            Ignored in comparisons for equality.
        forward: positions in `relations` of those whose target is a variable that is defined
            only later in the text. Ignored in comparisons for equality.
        aligned: the text that was read, if it contains surface alignments (``dog~e.3``), which
            reading removes; else empty. Ignored in comparisons for equality.

    Raises:
        GraphError: if two nodes have the same name, the numbers of concepts and variables differ, a
            triple or the top refers to a node that does not exist, a label is not text, a label or
            the metadata contain half of a surrogate pair, or a position is not that of a relation.

    >>> graph = Graph(("d", "b"), ("dog", "bark-01"), (), (Relation("b", ":ARG0", "d"),), "b")
    >>> graph.concept("d")
    'dog'
    >>> graph
    <Graph (b / bark-01 :ARG0 (d / dog))>
    """

    variables: tuple[str, ...]
    concepts: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    relations: tuple[Relation, ...]
    top: str
    metadata: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    inverted: tuple[int, ...] = field(default=(), compare=False, repr=False)
    forward: tuple[int, ...] = field(default=(), compare=False, repr=False)
    aligned: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        positions = self.positions
        if len(positions) != len(self.variables):
            twice = next(v for v, count in Counter(self.variables).items() if count > 1)
            raise GraphError(f"variable {twice!r} is defined twice")
        if len(self.concepts) != len(self.variables):
            raise GraphError(
                f"{format_count(len(self.variables), 'variable')} but "
                f"{format_count(len(self.concepts), 'concept')}: give one per variable"
            )
        if self.top not in positions and (self.variables or self.top):
            raise GraphError(f"the top {self.top!r} is not a node of the graph")
        try:
            # Computing the positions checks that the nodes exist; the result is cached.
            _ = self.sources, self.targets, self.holders
        except KeyError as error:
            raise GraphError(f"a triple names {error.args[0]!r}, which is not a node") from None
        _check_text(self.triples, self.metadata)
        marked = *self.inverted, *self.forward
        if marked and not 0 <= min(marked) <= max(marked) < len(self.relations):
            raise GraphError(
                f"inverted or forward has a position that none of {len(self.relations)} "
                "relations has: with other relations, also set inverted=() and forward=()"
            )

    def __repr__(self) -> str:
        try:
            text = format_triples(self.triples, self.top, indent=None)
        except GraphError:  # it has no Penman notation
            text = self._sizes()
        return f"<{type(self).__name__} {text}>"

    def __str__(self) -> str:
        try:
            return format_triples(self.triples, self.top, self.metadata)
        except GraphError:
            return repr(self)

    def _repr_html_(self) -> str:
        return wrap_preformatted(str(self))

    def _sizes(self) -> str:
        return (
            f"of {format_count(len(self.variables), 'node')} in "
            f"{format_count(len(self.components()), 'component')}, "
            f"{format_count(len(self.attributes), 'attribute')}, "
            f"{format_count(len(self.relations), 'relation')}"
        )

    @property
    def triples(self) -> list[tuple[str, str, str]]:
        """All triples as ``(source, role, target)``: ``:instance``, attributes, relations."""
        concepts = zip(self.variables, self.concepts, strict=True)
        instances = [(variable, ":instance", concept) for variable, concept in concepts]
        return [*instances, *self.attributes, *self.relations]

    @cached_property
    def positions(self) -> dict[str, int]:
        """Each variable's position in `variables`."""
        return {variable: k for k, variable in enumerate(self.variables)}

    @cached_property
    def sources(self) -> tuple[int, ...]:
        """The position of each relation's source."""
        at = self.positions
        return tuple([at[source] for source, _, _ in self.relations])

    @cached_property
    def targets(self) -> tuple[int, ...]:
        """The position of each relation's target."""
        at = self.positions
        return tuple([at[target] for _, _, target in self.relations])

    @cached_property
    def holders(self) -> tuple[int, ...]:
        """The position of each attribute's node."""
        at = self.positions
        return tuple([at[node] for node, _, _ in self.attributes])

    def concept(self, variable: str) -> str:
        """Return the concept of a variable."""
        return self.concepts[self.positions[variable]]

    @property
    def sentence(self) -> str:
        """The ``::snt`` line, or else the ``::tok`` line, or an empty string."""
        return next((self.metadata[key] for key in SENTENCE_KEYS if key in self.metadata), "")

    @classmethod
    def empty(cls) -> Graph:
        """Return the graph without nodes: the sub-graph when nothing is selected."""
        return cls((), (), (), (), "")

    def make_empty_parse(self) -> Graph:
        """Return the empty graph that stands for a parse, where this graph is the gold graph."""
        return Graph.empty()

    def components(self) -> list[set[str]]:
        """Return the connected components as sets of variables, ordered by their first variable."""
        # The set of each node's component; an edge merges the smaller set into the larger one.
        group = {variable: {variable} for variable in self.variables}
        for source, _, target in self.relations:
            smaller, larger = sorted((group[source], group[target]), key=len)
            if smaller is not larger:
                larger |= smaller
                for variable in smaller:
                    group[variable] = larger
        return list({id(members): members for members in group.values()}.values())

    @classmethod
    def from_triples(
        cls,
        triples: Iterable[tuple[str, str, str | float]],
        top: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> Graph:
        """Create a graph from ``(source, role, target)`` triples, ``:instance`` for the concepts.

        A target that has an ``:instance`` triple of its own is a node; any other is a constant.
        Numbers become text, as penman writes them. Without `top`, the first triple's source is the
        root. Roles stay as they are: inverse ones (``:ARG0-of``), which reading normalises, are
        other roles for most metrics; the step ``deinvert`` normalises them.

        Raises:
            GraphError: if there are no triples, a node has no concept or two, a target is neither
                text nor a finite number, or the graph is not connected.

        >>> Graph.from_triples([("b", ":instance", "bark-01"), ("d", ":instance", "dog"),
        ...                     ("b", ":ARG0", "d"), ("b", ":polarity", "-")]).attributes
        (Attribute(node='b', role=':polarity', constant='-'),)
        """
        rows = [
            (source, role, _format_target(source, role, target)) for source, role, target in triples
        ]
        if not rows:
            raise GraphError("no triples: a graph has at least one node")
        concepts: dict[str, str] = {}
        for source, role, target in rows:
            if role == ":instance":
                if source in concepts:
                    raise GraphError(f"variable {source!r} is defined twice")
                concepts[source] = target
        attributes, relations = [], []
        for source, role, target in rows:
            if source not in concepts:
                raise GraphError(f"variable {source!r} has no concept: add its :instance triple")
            if role == ":instance":
                continue
            if target in concepts:
                relations.append(Relation(source, role, target))
            else:
                attributes.append(Attribute(source, role, target))
        graph = cls(
            tuple(concepts),
            tuple(concepts.values()),
            tuple(attributes),
            tuple(relations),
            rows[0][0] if top is None else top,
            metadata or {},
        )
        if len(parts := graph.components()) > 1:
            apart = ", ".join(sorted(parts[1]))
            raise GraphError(
                f"the graph is not connected: no path joins {apart} to {min(parts[0])}"
            )
        return graph


def _check_text(triples: Sequence[tuple[Any, Any, Any]], metadata: Mapping[str, str]) -> None:
    """Check that labels are text, and that they and the metadata can be written in UTF-8."""
    try:
        joined = "".join(chain.from_iterable(triples))
    except TypeError:
        value, triple = next((v, t) for t in triples for v in t if not isinstance(v, str))
        raise GraphError(f"{value!r} in the triple {tuple(triple)} is not text") from None
    joined += "".join(map(str, chain.from_iterable(metadata.items())))
    try:
        joined.encode()
    except UnicodeEncodeError as error:
        raise GraphError(describe_half(joined[error.start])) from None


def _format_target(source: str, role: str, target: object) -> str:
    """Return the target of a triple, a number as text."""
    if isinstance(target, str):
        return target
    if target is None and role == ":instance":
        raise GraphError(f"variable {source!r} has no concept: write ({source} / concept ...)")
    if target is None:
        raise GraphError(f"role {role} of {source!r} has no target")
    # Decimal is a number, but neither real nor complex.
    is_complex = isinstance(target, Complex) and not isinstance(target, Real)
    if not isinstance(target, Number) or is_complex or not math.isfinite(cast(float, target)):
        raise GraphError(
            f"role {role} of {source!r} has the target {target!r}: use text or a finite number"
        )
    return str(target)
