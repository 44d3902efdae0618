"""Graphs with a known amount of damage: examples of how much a score should fall.

Human ratings compare different sentences. They say little about graphs of the same sentence that
differ in a few triples, such as the output of a parser and its reference. Random changes of graphs
do: each change replaces, adds or removes a known share of the triples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal, TypeVar

import numpy as np

from amr_metrics.graphs.folding import SENSE
from amr_metrics.graphs.graph import Attribute, Graph, Relation
from amr_metrics.graphs.pairs import Pair
from bamboo.errors import ConfigError
from bamboo.training.loop import TrainingError

T = TypeVar("T")


@dataclass(frozen=True)
class Vocabulary:
    """Concepts, roles and constants that changes draw from, as often as they occur in graphs.

    Attributes:
        predicates, others: concepts with and without a sense.
        roles: roles of relations.
        attributes: roles and constants of attributes.
    """

    predicates: Sequence[str]
    others: Sequence[str]
    roles: Sequence[str]
    attributes: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, graphs: Sequence[Graph]) -> Vocabulary:
        """Return the vocabulary of some graphs."""
        concepts = [concept for graph in graphs for concept in graph.concepts]
        return cls(
            [concept for concept in concepts if SENSE.search(concept)],
            [concept for concept in concepts if not SENSE.search(concept)],
            [relation.role for graph in graphs for relation in graph.relations],
            [(a.role, a.constant) for graph in graphs for a in graph.attributes],
        )


@dataclass(frozen=True, kw_only=True)
class Damage:
    """How graphs are damaged.

    Attributes:
        graphs: number of connected graphs, drawn at random.
        smallest: the fewest nodes of such a graph, 3 or more: so that relations can be moved.
        chains: number of chains of damaged graphs that start with each graph.
        moved_chains: number of further chains, where only the ends of relations change.
        steps: number of damaged graphs in a chain, each with one to three more changes.

    Raises:
        ConfigError: if an option is below its minimum, or there are no chains.
    """

    graphs: int = 2400
    smallest: int = 8
    chains: int = 2
    moved_chains: int = 1
    steps: int = 5

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            least = {"smallest": 3, "chains": 0, "moved_chains": 0}.get(name, 1)
            if value < least:
                raise ConfigError(f"trainer.damage.{name}={value}: use {least} or more")
        if self.chains + self.moved_chains == 0:
            raise ConfigError(
                "trainer.damage.chains=0 and trainer.damage.moved_chains=0: use 1 or more of either"
            )

    def pairs(self, graphs: Sequence[Graph], rng: np.random.Generator) -> list[Pair]:
        """Return each damaged graph, with the whole graph as tgt: chain after chain.

        Args:
            graphs: those to draw from; equal graphs count once.

        Raises:
            TrainingError: if no connected graph has the smallest size.
        """
        distinct = list(dict.fromkeys(graphs))
        large = [g for g in distinct if len(g.variables) >= self.smallest and _keep_connected(g)]
        if not large:
            raise TrainingError(
                f"none of the {len(distinct):,} train graphs has {self.smallest} nodes or more and "
                "is connected: lower trainer.damage.smallest, or train without damage: "
                "trainer.damage=null"
            )
        vocabulary = Vocabulary.of(distinct)
        drawn = rng.permutation(len(large))[: self.graphs]
        kinds = [CHANGES] * self.chains + [MOVES] * self.moved_chains
        return [
            Pair(damaged, large[k])
            for k in drawn
            for changes in kinds
            for damaged in chain(large[k], vocabulary, self.steps, rng, changes)
        ]


Change = Callable[[Graph, Vocabulary, np.random.Generator], Graph | None]


def amount(pair: Pair) -> float:
    """Return 1 - the F1 score of the triples of two graphs that have the same variables, in 0..1.

    >>> from amr_metrics import parse_graph
    >>> a, b = (parse_graph(f"(s / sleep-01 :ARG0 (c / {x}))") for x in ("cat", "dog"))
    >>> amount(Pair(a, b))  # one of four triples: two concepts, the relation and the root
    0.25
    """
    triples = [{("", ":top", graph.top), *graph.triples} for graph in pair]
    return 1 - 2 * len(triples[0] & triples[1]) / (len(triples[0]) + len(triples[1]))


def chain(
    graph: Graph,
    vocabulary: Vocabulary,
    steps: int,
    rng: np.random.Generator,
    changes: Sequence[Change],
) -> Iterator[Graph]:
    """Yield graphs with growing damage: each is the one before with one to three more changes.

    Args:
        changes: the kinds of changes; at least one has to apply to each of the graphs.
    """
    for _ in range(steps):
        for _ in range(int(rng.integers(1, 4))):
            graph = _apply_change(graph, vocabulary, rng, changes)
        yield graph


def _apply_change(
    graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator, changes: Sequence[Change]
) -> Graph:
    changed = None
    while changed is None:  # many changes do not apply to every graph
        changed = _draw_one(changes, rng)(graph, vocabulary, rng)
    return changed


def change_concept(graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator) -> Graph | None:
    """Replace a concept with another one of its kind, predicate or not."""
    node = int(rng.integers(len(graph.concepts)))
    old = graph.concepts[node]
    kind = vocabulary.predicates if SENSE.search(old) else vocabulary.others
    return _set_concept(graph, node, _draw_other(kind, old, rng))


def change_sense(graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator) -> Graph | None:
    """Replace the sense of a predicate with another one of 01 to 03."""
    predicates = [k for k, label in enumerate(graph.concepts) if SENSE.search(label)]
    if not predicates:
        return None
    node = _draw_one(predicates, rng)
    old = graph.concepts[node]
    senses = [f"{SENSE.sub('', old)}-{number:02}" for number in (1, 2, 3)]
    return _set_concept(graph, node, _draw_other(senses, old, rng))


def change_role(graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator) -> Graph | None:
    """Replace the role of a relation."""
    if not graph.relations:
        return None
    k = int(rng.integers(len(graph.relations)))
    old = graph.relations[k]
    role = _draw_other(vocabulary.roles, old.role, rng)
    return None if role is None else _set_relation(graph, k, old._replace(role=role))


def swap_roles(graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator) -> Graph | None:
    """Exchange the targets of two relations of a node, such as those of ``:ARG0`` and ``:ARG1``."""
    couples = [
        (j, k)
        for k, second in enumerate(graph.relations)
        for j, first in enumerate(graph.relations[:k])
        if first.source == second.source
        and first.role != second.role
        and first.target != second.target
    ]
    if not couples:
        return None
    j, k = _draw_one(couples, rng)
    first, second = graph.relations[j], graph.relations[k]
    swapped = _set_relation(graph, j, first._replace(target=second.target))
    return _set_relation(swapped, k, second._replace(target=first.target))


def rewire(graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator) -> Graph | None:
    """Give a relation another target."""
    return _replace_end(graph, "target", rng)


def move(graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator) -> Graph | None:
    """Give a relation another source, and so move what is below it."""
    return _replace_end(graph, "source", rng)


def delete_leaf(graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator) -> Graph | None:
    """Remove a node that has one relation, with its attributes."""
    ends = [end for relation in graph.relations for end in (relation.source, relation.target)]
    leaves = [v for v in graph.variables if ends.count(v) == 1 and v != graph.top]
    if not leaves:
        return None
    leaf = _draw_one(leaves, rng)
    node = graph.positions[leaf]
    return _replace_fields(
        graph,
        variables=_splice(graph.variables, node),
        concepts=_splice(graph.concepts, node),
        relations=tuple(r for r in graph.relations if leaf not in (r.source, r.target)),
        attributes=tuple(a for a in graph.attributes if a.node != leaf),
    )


def insert_node(graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator) -> Graph | None:
    """Add a node below another one."""
    kinds = [kind for kind in (vocabulary.predicates, vocabulary.others) if kind]
    new = _find_new_variable(graph)
    parent = _draw_one(graph.variables, rng)
    return _replace_fields(
        graph,
        variables=(*graph.variables, new),
        concepts=(*graph.concepts, _draw_one(_draw_one(kinds, rng), rng)),
        relations=(*graph.relations, Relation(parent, _draw_one(vocabulary.roles, rng), new)),
    )


def split_node(graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator) -> Graph | None:
    """Give one of the relations to a re-entrant node a copy of that node as its target."""
    k = _draw_reentrant(graph, rng)
    if k is None:
        return None
    new = _find_new_variable(graph)
    old = graph.relations[k]
    with_copy = _replace_fields(
        graph,
        variables=(*graph.variables, new),
        concepts=(*graph.concepts, graph.concept(old.target)),
    )
    return _keep_connected(_set_relation(with_copy, k, old._replace(target=new)))


def drop_relation(graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator) -> Graph | None:
    """Remove one of the relations to a re-entrant node."""
    k = _draw_reentrant(graph, rng)
    return None if k is None else _keep_connected(_set_relation(graph, k))


def change_constant(graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator) -> Graph | None:
    """Replace the constant of an attribute."""
    if not graph.attributes:
        return None
    k = int(rng.integers(len(graph.attributes)))
    old = graph.attributes[k]
    new = _draw_other([constant for _, constant in vocabulary.attributes], old.constant, rng)
    return None if new is None else _set_attribute(graph, k, old._replace(constant=new))


def drop_attribute(graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator) -> Graph | None:
    """Remove an attribute."""
    if not graph.attributes:
        return None
    return _set_attribute(graph, int(rng.integers(len(graph.attributes))))


def negate(graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator) -> Graph | None:
    """Negate a predicate, or remove its negation."""
    predicates = [
        v for v, label in zip(graph.variables, graph.concepts, strict=True) if SENSE.search(label)
    ]
    if not predicates:
        return None
    negation = Attribute(_draw_one(predicates, rng), ":polarity", "-")
    if negation in graph.attributes:
        return _set_attribute(graph, graph.attributes.index(negation))
    return _set_attribute(graph, len(graph.attributes), negation)


def change_top(graph: Graph, vocabulary: Vocabulary, rng: np.random.Generator) -> Graph | None:
    """Make another node the root."""
    new = _draw_other(graph.variables, graph.top, rng)
    return None if new is None else _replace_fields(graph, top=new)


CHANGES: tuple[Change, ...] = (
    change_concept,
    change_sense,
    change_role,
    swap_roles,
    rewire,
    move,
    delete_leaf,
    insert_node,
    split_node,
    drop_relation,
    change_constant,
    drop_attribute,
    negate,
    change_top,
)
MOVES: tuple[Change, ...] = (swap_roles, rewire, move)  # of the ends of relations


def _replace_fields(graph: Graph, **changes: Any) -> Graph:
    """Return a graph with other fields; it no longer knows how it was written."""
    return replace(graph, **changes, inverted=(), forward=())


def _splice(values: tuple[T, ...], k: int, *new: T) -> tuple[T, ...]:
    """Return values with new ones in place of value `k`; without any, it is removed."""
    return (*values[:k], *new, *values[k + 1 :])


def _set_concept(graph: Graph, node: int, new: str | None) -> Graph | None:
    if new is None:
        return None
    return _replace_fields(graph, concepts=_splice(graph.concepts, node, new))


def _set_relation(graph: Graph, k: int, *new: Relation) -> Graph:
    return _replace_fields(graph, relations=_splice(graph.relations, k, *new))


def _set_attribute(graph: Graph, k: int, *new: Attribute) -> Graph:
    return _replace_fields(graph, attributes=_splice(graph.attributes, k, *new))


def _replace_end(
    graph: Graph, end: Literal["source", "target"], rng: np.random.Generator
) -> Graph | None:
    """Replace one end of a relation with another node."""
    if not graph.relations:
        return None
    k = int(rng.integers(len(graph.relations)))
    old = graph.relations[k]
    new = _draw_one(graph.variables, rng)
    if new in (old.source, old.target):
        return None
    return _keep_connected(_set_relation(graph, k, old._replace(**{end: new})))


def _draw_reentrant(graph: Graph, rng: np.random.Generator) -> int | None:
    """Return the position of a relation whose target has another relation above it."""
    targets = [relation.target for relation in graph.relations]
    reentrant = [k for k, target in enumerate(targets) if targets.count(target) > 1]
    return _draw_one(reentrant, rng) if reentrant else None


def _keep_connected(graph: Graph) -> Graph | None:
    return graph if len(graph.components()) == 1 else None


def _find_new_variable(graph: Graph) -> str:
    return next(name for k in count() if (name := f"new{k}") not in graph.positions)


def _draw_one(values: Sequence[T], rng: np.random.Generator) -> T:
    return values[int(rng.integers(len(values)))]


def _draw_other(values: Sequence[T], value: T, rng: np.random.Generator) -> T | None:
    """Return one of the values that differs from `value`; None if ten draws do not."""
    if not values:
        return None
    return next((v for v in (_draw_one(values, rng) for _ in range(10)) if v != value), None)
