"""The three recipes that make a partition from Main: Reify, Syno and Arg."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import penman

from amr_metrics.graphs.reification import Reifications
from amr_metrics.utils.text import counted
from bamboo.config.options import build
from bamboo.engines import SERIAL, Engine
from bamboo.errors import ConfigError
from bamboo.progress import OnStep
from bamboo.transforms import four_solvers
from bamboo.transforms.decisions import Decisions, decide
from bamboo.transforms.errors import BuildError
from bamboo.transforms.four_solvers import Question
from bamboo.transforms.layout import with_metadata, without_layout
from bamboo.transforms.record import Transformed
from bamboo.transforms.reify import reify
from bamboo.transforms.role_confusion import SIDES, confuse_pair
from bamboo.transforms.synonym import Synonyms, questions, substitute

EQUIVALENT = 1.0  # Arg uses the pairs with this rating, in 0..1


@dataclass(frozen=True, eq=False)
class MainSplit:
    """One split of Main.

    Attributes:
        src, tgt: the files.
        numbers: positions in the files of the graphs that are pairs; the graph of a header row,
            for instance, is not one.
        ratings: one per pair, in 0..1.

    Raises:
        BuildError: the number of ratings differs from the number of pairs, or a rating is outside
            its range.
    """

    src: Path
    tgt: Path
    numbers: Sequence[int]
    ratings: Sequence[float]

    def __post_init__(self) -> None:
        if len(self.numbers) != len(self.ratings):
            raise BuildError(
                f"{self.src}: {counted(len(self.numbers), 'pair')} but "
                f"{counted(len(self.ratings), 'rating')}"
            )
        for number, rating in zip(self.numbers, self.ratings, strict=True):
            if not 0 <= rating <= 1:
                raise BuildError(f"{self.src}, pair {number}: the rating {rating} is not in 0..1")


class Sides(NamedTuple):
    """All graphs in the two files of a split."""

    src: list[penman.Graph]
    tgt: list[penman.Graph]


class Built(NamedTuple):
    """A transformed split.

    Attributes:
        sides: the new graphs.
        operations: number of operations, for each graph to be changed.
        counts: further counts, by name.
    """

    sides: Sides
    operations: list[int]
    counts: Mapping[str, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class Recipe(ABC):
    """How a partition is made from Main. Options are fields.

    Class attributes:
        name: the partition's name.
        folder: its folder, as in the release.
    """

    name: ClassVar[str]
    folder: ClassVar[str]

    def prepared(self, splits: Sequence[Sides], progress: OnStep) -> Recipe:
        """Return the recipe after slow preparations, done for all splits at once."""
        return self

    @abstractmethod
    def build(self, split: MainSplit, sides: Sides, generator: np.random.Generator) -> Built:
        """Transform one split."""

    def describe(self) -> dict[str, Any]:
        """Return the options, for the manifest."""
        return {}


@dataclass(frozen=True, kw_only=True, eq=False)
class Reify(Recipe):
    """Every edge with a rule becomes a node; pairs and ratings stay. Deterministic."""

    rules: Reifications = field(default_factory=Reifications.default)
    name: ClassVar[str] = "reify"
    folder: ClassVar[str] = "reify"

    def build(self, split: MainSplit, sides: Sides, generator: np.random.Generator) -> Built:
        """See `bamboo.transforms.reify.reify`."""
        return each_graph(split, sides, lambda graph: reify(graph, self.rules))

    def describe(self) -> dict[str, Any]:
        """Return the roles that are reified, and a hash of their rules."""
        text = repr([tuple(rule) for rule in self.rules.rules])
        return {"roles": list(self.rules.by_role), "rules_sha256": _sha256(text)}


@dataclass(frozen=True, kw_only=True, eq=False)
class Syno(Recipe):
    """Concepts are replaced by synonyms; pairs and ratings stay.

    Attributes:
        synonyms: synonyms that do not depend on the sentence.
        cache: the file in which decisions are cached, or None.
        engine: where concepts are disambiguated.
        decisions: the disambiguator's decisions; `prepared` computes them unless they are given.
        packages: the packages that made the decisions, with their versions.

    Raises:
        BuildError: a package or lexicon is missing; the message has the command to install it.
    """

    synonyms: Synonyms = field(default_factory=Synonyms.default)
    cache: Path | None = None
    engine: Engine = SERIAL
    decisions: Decisions | None = None
    packages: str = ""
    name: ClassVar[str] = "syno"
    folder: ClassVar[str] = "syno"

    def __post_init__(self) -> None:
        if self.decisions is None:
            four_solvers.signature()  # fails before any work is done if something is missing

    def prepared(self, splits: Sequence[Sides], progress: OnStep) -> Recipe:
        """Return the recipe with the senses of all concepts in their sentences.

        Raises:
            BuildError: a graph without a sentence.
        """
        if self.decisions is not None:
            return self
        to_decide: list[Question] = []
        for graph in (graph for sides in splits for side in sides for graph in side):
            to_decide += questions(graph, _sentence(graph), self.synonyms)
        decisions = decide(to_decide, self.cache, self.engine, progress)
        return replace(self, decisions=decisions, packages=four_solvers.signature())

    def build(self, split: MainSplit, sides: Sides, generator: np.random.Generator) -> Built:
        """See `bamboo.transforms.synonym.substitute`."""
        decisions = {} if self.decisions is None else self.decisions
        return each_graph(
            split,
            sides,
            lambda graph: substitute(graph, _sentence(graph), decisions, generator, self.synonyms),
        )

    def describe(self) -> dict[str, Any]:
        """Return the packages that disambiguate, with their versions, and a hash of the table."""
        table = (
            self.synonyms.clusters,
            sorted(self.synonyms.always.items()),
            sorted(self.synonyms.never),
        )
        return {
            "packages": self.packages,
            "synonyms_sha256": _sha256(repr(table)),
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Arg(Recipe):
    """Equivalent pairs, each once with swapped roles on one side and once unchanged.

    Pair 2k is the altered pair (label 0), pair 2k+1 the original (label 1). Graphs are
    renumbered, and their sentence is NA.
    """

    name: ClassVar[str] = "arg"
    folder: ClassVar[str] = "role_confusion"

    def build(self, split: MainSplit, sides: Sides, generator: np.random.Generator) -> Built:
        """See `bamboo.transforms.role_confusion.confuse_pair`; only pairs rated 1 are used."""
        new = Sides([], [])
        operations: list[int] = []
        counts = dict.fromkeys(("candidates", "skipped", *SIDES), 0)
        for number, rating in zip(split.numbers, split.ratings, strict=True):
            if rating != EQUIVALENT:
                continue
            counts["candidates"] += 1
            src, tgt = sides.src[number], sides.tgt[number]
            confused = confuse_pair(src, tgt, generator)
            if confused is None:
                counts["skipped"] += 1
                continue
            counts[confused.side] += 1
            operations.append(len(confused.operations))
            original = without_layout(src), without_layout(tgt)
            for pair in ((confused.src, confused.tgt), original):
                for side, graph in zip(new, pair, strict=True):
                    side.append(with_metadata(graph, {"id": str(len(side)), "snt": "NA"}))
        return Built(new, operations, {"pairs": len(new.src), **counts})


RECIPES: Mapping[str, type[Recipe]] = {recipe.name: recipe for recipe in (Reify, Syno, Arg)}


def recipe_from(name: str, config: Mapping[str, Any]) -> Recipe:
    """Build the recipe that a YAML describes: ``_target_`` names its class.

    Args:
        name: the name of the YAML file, which must be the name of the recipe.

    Raises:
        BuildError: a class that cannot be imported or is not a recipe, options that it does not
            take, or another name.
    """
    where = f"transform {name}"
    if not isinstance(config.get("_target_"), str):
        raise BuildError(f"{where}: its YAML has no _target_, the class to use")
    try:
        recipe = build(config)
    except ConfigError as error:
        raise BuildError(f"{where}: {error}") from None
    if not isinstance(recipe, Recipe):
        raise BuildError(f"{where}: {config['_target_']} is not a subclass of {Recipe.__name__}")
    if recipe.name != name:
        raise BuildError(
            f"{where}: {config['_target_']} has the name {recipe.name!r}: give the class and the "
            "YAML file the same name"
        )
    return recipe


def each_graph(
    split: MainSplit, sides: Sides, transform: Callable[[penman.Graph], Transformed]
) -> Built:
    """Transform every graph; operations are listed for the pairs' graphs, src before tgt.

    Args:
        transform: from a graph to the new graph and a record of the changes.
    """
    results = [[transform(graph) for graph in side] for side in sides]
    operations = [len(side[number].operations) for side in results for number in split.numbers]
    counts = {"pairs": len(split.numbers), "changed": sum(map(bool, operations))}
    return Built(Sides(*[[new.graph for new in side] for side in results]), operations, counts)


def _sentence(graph: penman.Graph) -> str:
    sentence = graph.metadata.get("snt")
    if not sentence:
        raise BuildError(
            f"the graph with ::id {graph.metadata.get('id', '?')} has no ::snt line: syno needs "
            "the sentence to disambiguate concepts"
        )
    return str(sentence)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
