"""Smatch (Cai and Knight 2013): the F1 of matching triples under the best variable alignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from operator import attrgetter, getitem, itemgetter
from typing import ClassVar, Literal

from metrics.alignment.facts import ColumnEncoder, Columns, Encoder, Kind, Vocabulary, flat
from metrics.alignment.triple_match import TripleMatch
from metrics.graph import Graph
from metrics.options import one_of

Root = Literal["concept", "constant", "none"]
ROOTS = ("concept", "constant", "none")

TRIPLES = attrgetter("concepts", "relations", "sources", "targets", "attributes", "holders")
ROLE = itemgetter(1)
ROLE_AND_CONSTANT = itemgetter(1, 2)


@dataclass(frozen=True, kw_only=True)
class Smatch(TripleMatch):
    """Smatch F1, with labels lower-cased and repeated triples counted once, in 0..1.

    Triples: instance(v, concept), role(v, constant), role(v, w) and TOP(root, value).
    The alignment is computed by a solver instead of the paper's hill-climbing; the default solver
    proves that it is optimal.

    Attributes:
        root: the value of TOP. ``concept``: the root's concept, as in the published BAMBOO
            numbers; ``constant``: always the same value, as in the smatch package since version
            1.0.3; ``none``: no TOP.

    Raises:
        OptionError: if `root` is unknown.

    >>> from metrics import Pair, parse_graph
    >>> cat = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
    >>> dog = parse_graph("(s / sleep-01 :ARG0 (d / dog))")
    >>> Smatch().score([Pair(cat, dog)]).tolist()  # 3 of 4 triples on each side
    [0.75]
    """

    reference: ClassVar[str] = (
        "Cai and Knight (2013), Smatch: an evaluation metric for semantic feature structures, "
        "section 3"
    )

    root: Root = "concept"

    def __post_init__(self) -> None:
        one_of("root", self.root, ROOTS)

    def encoder(self, vocabulary: Vocabulary) -> Encoder:
        """Encode one fact per instance, attribute and relation, and one for the root."""
        return TripleEncoder(vocabulary, self.root)


class TripleEncoder(ColumnEncoder):
    """The triples of a graph as facts: concepts, then attributes, then the root; and relations."""

    def __init__(self, vocabulary: Vocabulary, root: Root) -> None:
        self.root = root
        self.concepts = vocabulary.space("instance", str.lower)
        self.roles = vocabulary.space("relation", str.lower)
        self.attributes = vocabulary.space("attribute", fold_attribute)
        self.tops = vocabulary.space("TOP", str.lower if root == "concept" else constant_top)

    def columns(self, graphs: Sequence[Graph]) -> Columns:
        """The triples of all graphs."""
        concepts, relations, sources, targets, attributes, holders = (
            zip(*map(TRIPLES, graphs), strict=True) if graphs else [()] * 6
        )
        sizes = [*map(len, concepts)]
        rooted = [size > 0 and self.root != "none" for size in sizes]
        tops = [graph.variables.index(graph.top) for graph in compress(graphs, rooted)]
        top_concepts = map(getitem, compress(concepts, rooted), tops)
        return Columns(
            sizes,
            [
                Kind(sizes, flat(map(range, sizes)), self.concepts.numbers(flat(concepts))),
                Kind(
                    [*map(len, attributes)],
                    flat(holders),
                    self.attributes.numbers(map(ROLE_AND_CONSTANT, flat(attributes))),
                ),
                Kind(rooted, tops, self.tops.numbers(top_concepts)),
            ],
            [*map(len, relations)],
            flat(sources),
            flat(targets),
            self.roles.numbers(map(ROLE, flat(relations))),
        )


def fold_attribute(attribute: tuple[str, str]) -> tuple[str, str]:
    """An attribute's role and constant in lower case."""
    return attribute[0].lower(), attribute[1].lower()


def constant_top(_: str) -> str:
    """The same value for every root."""
    return "top"
