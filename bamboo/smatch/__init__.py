"""The functions and the command of the smatch package, with optimal alignments.

``import bamboo.smatch as smatch`` takes the place of ``import smatch``, ``import bamboo.smatch.amr
as amr`` that of ``import amr``, and ``python -m bamboo.smatch`` that of the command; for scripts
that cannot be edited there is `install`. The triples are those of smatch 1.0.4, as in
`SmatchPackage`, but alignments are optimal: scores are equal or higher, and the same in every run.

Unlike in the package, it is an error if one file has more graphs than the other, or if a graph is
not in Penman notation; the message names file and graph.

Source: Cai and Knight (2013), Smatch: an evaluation metric for semantic feature structures.

>>> get_amr_match("(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG0 (d / dog))")
(3, 4, 4)
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, islice
from typing import Any, TextIO

import numpy as np

from amr_metrics.errors import GraphError, MetricError, shift_pairs
from amr_metrics.utils.text import format_count
from bamboo.errors import BambooError
from bamboo.smatch import amr
from bamboo.smatch.amr import AMR, iterate_lines, read_amr
from bamboo.smatch.matching import Triples, align_all, print_alignment
from bamboo.smatch.matching import get_best_match as get_best_match  # also imported from here
from bamboo.smatch.matching import normalize as normalize

# Variables of the package that scripts set. The number of restarts and `veryVerbose` have no effect
# here, and `match_triple_dict` stays empty.
iteration_num = 5
verbose = False
veryVerbose = False  # the package's name
single_score = True  # False: `score_amr_pairs` yields the scores of each pair
pr_flag = False
match_triple_dict: dict[Any, Any] = {}
ERROR_LOG: TextIO = sys.stderr
DEBUG_LOG: TextIO = sys.stderr

CHUNK = 1000  # pairs that are scored at a time
SEARCH = "alignments are optimal, without a search; bamboo.score has the option solver=hillclimb"
STEPS_OF_SEARCH = (
    *("compute_match", "compute_pool", "smart_init_mapping", "random_init_mapping"),
    *("get_best_gain", "move_gain", "swap_gain"),
)
INSTEAD = {
    **dict.fromkeys(STEPS_OF_SEARCH, SEARCH),
    "process_amr_pair": "get_amr_match has the counts of a pair",
}
Counts = tuple[int, int, int]
Scores = tuple[float, float, float]

get_amr_line = AMR.get_amr_line  # where earlier versions of the package have it


def install() -> None:
    """Let ``import smatch`` and ``import amr`` import these modules in place of the package.

    For scripts and packages that cannot be edited. Call it before they are imported, at the top
    level of the script, so that worker processes call it as well.

    Raises:
        BambooError: another module of one of these names is already imported.
    """
    smatch = sys.modules[__name__]
    modules = {"smatch": smatch, "amr": amr, "smatch.smatch": smatch, "smatch.amr": amr}
    for name, module in modules.items():
        if sys.modules.get(name, module) is not module:
            raise BambooError(
                f"the module {name} is already imported: call bamboo.smatch.install() first"
            )
    sys.modules.update(modules)


def generate_amr_lines(f1: Iterable[str], f2: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the graphs of two open files, or of lines, in pairs, each in one line.

    Raises:
        GraphError: one file has more graphs than the other.
        TypeError: a path or a text.
    """
    lines = iterate_lines(f1), iterate_lines(f2)
    count = 0
    while True:
        first, second = map(AMR.get_amr_line, lines)
        if not first and not second:
            return
        if not first or not second:
            shorter, longer = (f1, f2) if not first else (f2, f1)
            raise GraphError(
                f"has only {format_count(count, 'graph')}, and {_name(longer, f1)} has more: check "
                "that both files are whole",
                source=_name(shorter, f1),
            )
        count += 1
        yield first, second


def _name(file: Iterable[str], first: Iterable[str]) -> str:
    """Return the name of an open file, or which of both it is."""
    return str(getattr(file, "name", "the first file" if file is first else "the second file"))


def get_amr_match(
    cur_amr1: str,
    cur_amr2: str,
    sent_num: int = 1,
    justinstance: bool = False,
    justattribute: bool = False,
    justrelation: bool = False,
) -> Counts:
    """Return the number of matching triples, and of the triples of both graphs.

    Args:
        cur_amr1, cur_amr2: the graphs in Penman notation.
        sent_num: the number of the pair, from 1, for messages.
        justinstance, justattribute, justrelation: align and count only these triples.

    Raises:
        GraphError: a graph that cannot be read.
        MetricError: two of the three options.
    """
    kinds = _choose_kinds(justinstance, justattribute, justrelation)
    names = "the first graph", "the second graph"
    (counts,) = _match_texts([(cur_amr1, cur_amr2)], names, sent_num - 1, kinds)
    return counts


def _choose_kinds(*just: bool) -> Sequence[bool]:
    """Return whether to count instances, attributes and relations."""
    if sum(just) > 1:
        raise MetricError("justinstance, justattribute and justrelation exclude one another")
    return just if any(just) else (True, True, True)


def _match_texts(
    texts: Sequence[tuple[str, str]], names: tuple[str, str], first: int, kinds: Sequence[bool]
) -> list[Counts]:
    """Return the counts of pairs of graphs in Penman notation.

    Args:
        names: of both sides, for messages.
        first: the position of the first pair, from 0.
        kinds: whether to count instances, attributes and relations.
    """
    pairs = [
        (_read_triples(src, 1, names, position), _read_triples(tgt, 2, names, position))
        for position, (src, tgt) in enumerate(texts, first)
    ]
    with shift_pairs(first):
        alignments = [*align_all(pairs, ("a", "b"), kinds)]
    counts = []
    for k, (sides, (mapping, count)) in enumerate(zip(pairs, alignments, strict=True)):
        if verbose:
            _print_pair(first + k + 1, texts[k], sides, mapping, count)
        src_total, tgt_total = (sum(map(len, compress(side, kinds))) for side in sides)
        counts.append((count, src_total, tgt_total))
    return counts


def _read_triples(text: str, side: int, names: tuple[str, str], position: int) -> Triples:
    """Return the triples of a graph in Penman notation; its nodes are a0, a1, ... or b0, b1, ..."""
    try:
        graph = read_amr(text)
    except GraphError as error:
        # Scripts that go on after an error, such as amrlib, have only the log.
        print(f"Error in parsing amr {side}: {text}", file=ERROR_LOG)
        raise GraphError(error.problem, source=names[side - 1], graph=position) from None
    graph.rename_node("ab"[side - 1])
    return graph.get_triples()


def _print_pair(
    number: int, texts: tuple[str, str], sides: Sequence[Triples], mapping: list[int], count: int
) -> None:
    lines = [f"AMR pair {number}", "=" * 44]
    lines += [f"AMR {k} (one-line): {text}" for k, text in enumerate(texts, 1)]
    for k, side in enumerate(sides, 1):
        for kind, triples in zip(("Instance", "Attribute", "Relation"), side, strict=True):
            lines += [f"{kind} triples of AMR {k}: {len(triples)}", f"{triples}"]
    alignment = print_alignment(mapping, sides[0][0], sides[1][0])
    lines += [f"best match number {count}", f"best node mapping {mapping}"]
    print(*lines, f"Best node mapping alignment: {alignment}", sep="\n", file=DEBUG_LOG)


def score_amr_pairs(
    f1: Iterable[str],
    f2: Iterable[str],
    justinstance: bool = False,
    justattribute: bool = False,
    justrelation: bool = False,
) -> Iterator[Scores]:
    """Yield precision, recall and F1 of all pairs; with ``single_score = False`` of each pair.

    Args:
        f1, f2: two open files, or lines; the first has the parses.
        justinstance, justattribute, justrelation: see `get_amr_match`.

    Raises:
        GraphError: a graph that cannot be read, or different numbers of graphs.
        TypeError: a path or a text.

    >>> lines = ["(s / sleep-01 :ARG0 (c / cat))", "", "(d / dog)"]
    >>> [*score_amr_pairs(lines, lines)]
    [(1.0, 1.0, 1.0)]
    """
    kinds = _choose_kinds(justinstance, justattribute, justrelation)
    names = _name(f1, f1), _name(f2, f1)
    pairs = generate_amr_lines(f1, f2)
    totals, first = np.zeros(3, int), 0
    # Scripts may stop early: then the scores of a pair come as soon as it is read.
    while texts := [*islice(pairs, CHUNK if single_score else 1)]:
        counts = _match_texts(texts, names, first, kinds)
        totals += np.sum(counts, axis=0)
        first += len(texts)
        if not single_score:
            yield compute_f(*counts[0])
    if verbose:
        print(
            "Total match number, total triple number in AMR 1, and total triple number in AMR 2:",
            " ".join(map(str, totals)),
            "-" * 81,
            sep="\n",
            file=DEBUG_LOG,
        )
    if single_score:
        yield compute_f(*totals.tolist())


def compute_f(match_num: float, test_num: float, gold_num: float) -> Scores:
    """Return precision, recall and F1 from counts; 0 if there are no triples on a side.

    >>> compute_f(3, 4, 6)
    (0.75, 0.5, 0.6)
    """
    if not match_num or not test_num or not gold_num:
        return 0.0, 0.0, 0.0
    precision, recall = match_num / test_num, match_num / gold_num
    return precision, recall, 2 * precision * recall / (precision + recall)


def __getattr__(name: str) -> Any:
    if name == "smatch":  # some versions of the package have a module in the package
        return sys.modules[__name__]
    instead = INSTEAD.get(name, "bamboo.score, whose metric smatch_1.0 has the same triples")
    raise AttributeError(f"bamboo.smatch has no {name}: {instead}")
