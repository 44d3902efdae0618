"""Chains of standardisation steps, by name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from amr_metrics.errors import OptionError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pair
from amr_metrics.graphs.reification import Reifications
from amr_metrics.options import nearest
from amr_metrics.standardize import steps
from amr_metrics.standardize.steps import Step, apply, apply_to_pairs, on_each
from amr_metrics.utils.files import TABLES
from amr_metrics.utils.functions import extract_target, import_function
from amr_metrics.utils.user_code import describe_error, guard_user_code

STEPS: Mapping[str, Step] = {
    "lower": steps.lower,
    "unquote": steps.unquote,
    "strip_quotes": steps.strip_quotes,
    "deinvert": steps.deinvert,
    "fold_domain": steps.fold_domain,
    "distinct": steps.distinct,
    "root_concept": steps.root_concept,
    "drop_senses": steps.drop_senses,
    "drop_wiki": steps.drop_wiki,
    "drop_alignments": steps.drop_alignments,
    "unlabel": steps.unlabel,
    "edges_to_nodes": steps.edges_to_nodes,
    "smatch_package": steps.smatch_package,
}
RULED: Mapping[str, Callable[[Reifications], Step]] = {
    "dereify": steps.dereify,
    "reify": steps.reify,
}
ROLE = re.compile(r":\S+")
DROP_ROLE = "drop_role"  # drop_role::time removes the role :time
# Tables of rules in the package; any other name is a file.
RULES = ("guidelines", "bamboo")

# The order matters: roles and rules are recognised in lower case and without quotation marks, and
# equal triples are found only after all other steps.
GENERIC = ("lower", "unquote", "deinvert", "distinct")
AMR = ("lower", "unquote", "fold_domain", "deinvert")
PRESETS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "generic": GENERIC,
    "amr": (*AMR, "dereify:guidelines", "distinct"),
    "amr-reify": (*AMR, "reify:guidelines", "distinct"),
    "bamboo": (*AMR, "dereify:bamboo", "distinct"),
}


@dataclass(frozen=True)
class Standardizer:
    """A chain of standardisation steps.

    Attributes:
        steps: names of `STEPS`, or ``dereify:RULES`` and ``reify:RULES``, where RULES is
            ``guidelines`` (the table of AMR's guidelines, with which Smatch++'s published scores
            were computed), ``bamboo`` (the 35 rules of BAMBOO's Reify partition) or a file of
            rules (see `Reifications.read`); ``drop_role::time``, with any role; or your own
            function from graph to graph, ``module.function`` or, with options,
            ``module.function(k=10)`` (`amr_metrics.options`).

    Raises:
        OptionError: if a step is unknown, or rules cannot be read.

    >>> from amr_metrics import parse_graph
    >>> graph = parse_graph('(b / Big :domain (d / dog))')
    >>> Standardizer.of("amr")(graph).relations
    (Relation(source='d', role=':mod', target='b'),)
    """

    steps: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.steps:
            _find_step(name)

    @classmethod
    def of(cls, steps: str | Sequence[str] | None) -> Standardizer:
        """Return the standardiser of a preset (``amr``, ``generic``, ...), or of a list of steps.

        Presets: ``generic`` for any semantic graph; ``amr`` also removes differences that AMR's
        guidelines treat as equivalent, and undoes reification; ``amr-reify`` reifies instead;
        ``bamboo`` undoes the reifications of BAMBOO's Reify partition; ``none`` does nothing.

        Raises:
            OptionError: if a preset or step is unknown; the message suggests the nearest name.
        """
        if not isinstance(steps, str | list | tuple | None):
            raise OptionError(
                f"standardize={steps!r}: expected the name of a preset or a list of steps"
            )
        if steps is None:
            return cls()
        if isinstance(steps, str):
            if steps not in PRESETS:
                raise OptionError(
                    f"standardize={steps!r}: use one of {', '.join(PRESETS)}, or a list of steps"
                )
            return cls(PRESETS[steps])
        return cls(tuple(map(str, steps)))

    def __call__(self, graph: Graph) -> Graph:
        """Return the standardised graph."""
        return apply(map(_find_step, self.steps), graph)

    def pair(self, pair: Pair) -> Pair:
        """Standardise both graphs of a pair."""
        return Pair(self(pair.src), self(pair.tgt))

    def pairs(self, pairs: Sequence[Pair]) -> Sequence[Pair]:
        """Standardise the graphs of many pairs, each distinct graph once."""
        return apply_to_pairs([*map(_find_step, self.steps)], pairs)

    def corpus(self, corpus: Corpus) -> Corpus:
        """Standardise all graphs of a corpus.

        >>> from amr_metrics import parse_graph
        >>> corpus = Corpus.of([parse_graph('(b / Big :domain (d / dog))')])
        >>> Standardizer.of("amr").corpus(corpus)[0].concepts
        ('big', 'dog')
        """
        return apply(map(_find_step, self.steps), corpus)

    def drops(self, role: str) -> bool:
        """Return whether a step removes all relations and attributes with a role.

        >>> Standardizer(("drop_wiki", "drop_role::time")).drops(":time")
        True
        """
        dropped = [step.partition(":")[2] for step in self.steps if step.startswith(DROP_ROLE)]
        dropped += [":wiki"] if "drop_wiki" in self.steps else []
        return any(role.lower() in steps.both_directions(name) for name in dropped)

    @property
    def name(self) -> str:
        """The names of the steps, with a digest of each file of rules."""
        return "[" + ",".join(map(_sign_step, self.steps)) + "]"


def rules_table(name: str) -> Reifications:
    """Return the table of rules with a name in `RULES`, or from a file.

    Raises:
        OptionError: see `Reifications.read`.

    >>> rules_table("guidelines").by_role[":poss"].source_role
    ':ARG1'
    """
    if name == "bamboo":
        return Reifications.default()
    return _read_guidelines() if name == "guidelines" else Reifications.read(name)


@cache
def _read_guidelines() -> Reifications:
    return Reifications.read(TABLES / "reify_guidelines.tsv")


def _find_step(name: str) -> Step:
    step_name, colon, rules = name.partition(":")
    if colon and step_name in RULED:
        return RULED[step_name](rules_table(rules))
    if step_name == DROP_ROLE and ROLE.fullmatch(rules):
        return steps.drop_role(rules)
    if name in STEPS:
        return STEPS[name]
    if "." in extract_target(name):
        return _build_user_step(name)
    if name in RULED:
        raise OptionError(f"step {name!r} needs rules: use {name}:guidelines or {name}:FILE")
    names = [*STEPS, *(f"{step}:RULES" for step in RULED), f"{DROP_ROLE}:ROLE"]
    raise OptionError(f"unknown standardisation step {name!r}: {nearest(step_name, names)}")


def _build_user_step(name: str) -> Step:
    """Make a step of a user's function, and check that it returns a graph."""
    try:
        function = import_function(name)
    except OptionError as error:
        raise OptionError(f"standardisation step {error}") from None

    @on_each
    def step(graph: Graph) -> Graph:
        try:
            with guard_user_code():
                result = function(graph)
        except Exception as error:
            problem = describe_error(error)
            raise OptionError(f"standardisation step {name} failed: {problem}") from error
        if not isinstance(result, Graph):
            kind = type(result).__name__
            raise OptionError(f"standardisation step {name} returned a {kind}, not a Graph")
        # It may have other relations, and treats all graphs alike (see `steps`).
        return replace(result, inverted=(), forward=())

    return step


def _sign_step(name: str) -> str:
    step_name, _, rules = name.partition(":")
    if step_name not in RULED or rules in RULES:
        return name
    return f"{step_name}:{hashlib.sha256(Path(rules).read_bytes()).hexdigest()[:12]}"
