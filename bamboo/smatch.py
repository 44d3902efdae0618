"""The functions and the command of the smatch package, with optimal alignments.

``import bamboo.smatch as smatch`` takes the place of ``import smatch``, and ``python -m
bamboo.smatch`` that of its command. The triples are those of smatch 1.0.4 (`SmatchPackage`), but
alignments are optimal: scores are equal or higher, and the same in every run.

Unlike in the package, it is an error if one file has more graphs than the other, or if a graph
cannot be read; the message names file and graph.

Source: Cai and Knight (2013), Smatch: an evaluation metric for semantic feature structures.

>>> get_amr_match("(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG0 (d / dog))")
(3, 4, 4)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from typing import Any, TextIO

import numpy as np

from amr_metrics.alignment.facts import FactTable
from amr_metrics.alignment.smatch import SmatchPackage, triples
from amr_metrics.errors import GraphError, MetricError
from amr_metrics.graphs.corpus import Corpus, Labels
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pair
from amr_metrics.reading import parse_graph
from amr_metrics.utils.text import format_count

# Variables of the package that scripts set. The number of restarts has no effect here, and
# `match_triple_dict` stays empty.
iteration_num = 5
verbose = False
veryVerbose = False  # the package's name
single_score = True  # False: `score_amr_pairs` yields the scores of each pair
pr_flag = False
match_triple_dict: dict[Any, Any] = {}
ERROR_LOG: TextIO = sys.stderr
DEBUG_LOG: TextIO = sys.stderr

CHUNK = 1000  # pairs that are scored at a time
ALIGNMENT = (
    "bamboo.explain(first, second) shows the alignment, and get_amr_match counts its triples"
)
SEARCH = "alignments are optimal, without a search; bamboo.score has the option solver=hillclimb"
INSTEAD = {
    **dict.fromkeys(("get_best_match", "print_alignment", "compute_match"), ALIGNMENT),
    **dict.fromkeys(
        ("compute_pool", "smart_init_mapping", "random_init_mapping", "get_best_gain"), SEARCH
    ),
    **dict.fromkeys(("move_gain", "swap_gain"), SEARCH),
    "normalize": "the metric smatch_1.0 compares labels in lower case",
}
Scores = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class _KindsOfTriples(SmatchPackage):
    """Smatch of some kinds of triples only; the others have no weight.

    Attributes:
        weights: of instances, attributes, the roots (attributes in the package), and relations.
    """

    weights: tuple[float, float, float, float] = (1, 1, 1, 1)

    def facts(self, corpus: Corpus, labels: Labels) -> FactTable:
        """Return the facts of each graph of a corpus."""
        rows = (corpus.concepts, corpus.constants, corpus.tops, corpus.sources)
        weights = [np.full(len(r), float(w)) for r, w in zip(rows, self.weights, strict=True)]
        return triples(corpus, labels, self.root, str.lower, weights=weights, counted=True)


def _choose_metric(justinstance: bool, justattribute: bool, justrelation: bool) -> SmatchPackage:
    if justinstance + justattribute + justrelation > 1:
        raise MetricError("justinstance, justattribute and justrelation exclude one another")
    if justinstance:
        return _KindsOfTriples(weights=(1, 0, 0, 0))
    if justattribute:
        return _KindsOfTriples(weights=(0, 1, 1, 0))
    return _KindsOfTriples(weights=(0, 0, 0, 1)) if justrelation else SmatchPackage()


class AMR:
    """The reader of the package's module ``amr``."""

    @staticmethod
    def get_amr_line(input_f: Iterable[str]) -> str:
        r"""Return the next graph of an open file, or of lines, in one line; "" at the end.

        Graphs are separated by blank lines; comments are left out.

        >>> AMR.get_amr_line(iter(["# ::id 1\n", "(c / cat\n", "  :mod (b / big))\n", "\n"]))
        '(c / cat :mod (b / big))'
        """
        lines: list[str] = []
        for line in input_f:
            text = line.strip()
            if text and not text.startswith("#"):
                lines.append(text)
            elif not text and lines:
                break
        return " ".join(lines)

    @staticmethod
    def parse_AMR_line(line: str) -> Graph:  # the package's name
        """Return a graph, which is one of `amr_metrics` and not of the package."""
        return parse_graph(line)


class amr:  # the package's module
    """The package's module ``amr``, as far as scripts use it."""

    AMR = AMR


def generate_amr_lines(f1: Iterable[str], f2: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the graphs of two open files, or of lines, in pairs, each in one line.

    Raises:
        GraphError: one file has more graphs than the other.
    """
    lines = iter(f1), iter(f2)
    count = 0
    while True:
        first, second = map(AMR.get_amr_line, lines)
        if not first and not second:
            return
        if not first or not second:
            shorter, longer = (f1, f2) if not first else (f2, f1)
            raise GraphError(
                f"has only {format_count(count, 'graph')}, and {_name(longer, f1)} has more: check "
                "that "
                "both files are whole",
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
) -> tuple[int, int, int]:
    """Return the number of matching triples, and of the triples of both graphs.

    Args:
        cur_amr1, cur_amr2: the graphs in Penman notation.
        sent_num: the number of the pair, from 1, for messages.
        justinstance, justattribute, justrelation: align and count only these triples.

    Raises:
        GraphError: a graph that cannot be read.
        MetricError: two of the three options.
    """
    texts = [(cur_amr1, cur_amr2)]
    metric = _choose_metric(justinstance, justattribute, justrelation)
    (counts,) = _count_matches(metric, texts, ("the first graph", "the second graph"), sent_num - 1)
    return counts


def _count_matches(
    metric: SmatchPackage, texts: list[tuple[str, str]], names: tuple[str, str], first: int
) -> list[tuple[int, int, int]]:
    """Return the counts of pairs of graphs in Penman notation.

    Args:
        names: of both sides, for messages.
        first: the position of the first pair.
    """
    pairs = [
        Pair(*(_parse(text, name, k) for text, name in zip(both, names, strict=True)))
        for k, both in enumerate(texts, first)
    ]
    details = metric.evaluate(pairs).details
    columns = (details[name].astype(int).tolist() for name in ("matches", "src_total", "tgt_total"))
    return [*zip(*columns, strict=True)]


def _parse(text: str, name: str, position: int) -> Graph:
    try:
        return parse_graph(text)
    except GraphError as error:
        raise GraphError(error.problem, source=name, graph=position) from None


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

    >>> lines = ["(s / sleep-01 :ARG0 (c / cat))", "", "(d / dog)"]
    >>> [*score_amr_pairs(lines, lines)]
    [(1.0, 1.0, 1.0)]
    """
    metric = _choose_metric(justinstance, justattribute, justrelation)
    names = _name(f1, f1), _name(f2, f1)
    pairs = generate_amr_lines(f1, f2)
    totals, first = np.zeros(3, int), 0
    # Scripts may stop early: then the scores of a pair come as soon as it is read.
    while texts := [*islice(pairs, CHUNK if single_score else 1)]:
        counts = _count_matches(metric, texts, names, first)
        totals += np.sum(counts, axis=0)
        first += len(texts)
        if not single_score:
            yield compute_f(*counts[0])
    if verbose:
        print(
            "Total match number, total triple number in AMR 1, and total triple number in AMR 2:",
            file=DEBUG_LOG,
        )
        print(*totals, file=DEBUG_LOG)
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
    instead = INSTEAD.get(name, "bamboo.score, whose metric smatch_1.0 has the same triples")
    raise AttributeError(f"bamboo.smatch has no {name}: {instead}")


def main() -> None:
    """Print the scores of two files, as the command of the package."""
    import argparse

    global verbose, veryVerbose, iteration_num, single_score, pr_flag
    parser = argparse.ArgumentParser(
        prog="python -m bamboo.smatch", description="Smatch with optimal alignments."
    )
    parser.add_argument("-f", nargs=2, required=True, metavar="FILE", help="parses, and gold")
    parser.add_argument("-r", type=int, default=4, help="no effect: alignments are optimal")
    parser.add_argument("--significant", type=int, default=2, help="decimals (default: 2)")
    parser.add_argument("-v", action="store_true", help="also print the numbers of triples")
    parser.add_argument("--vv", action="store_true", help="as -v")
    parser.add_argument("--ms", action="store_true", help="print the scores of each pair")
    parser.add_argument("--pr", action="store_true", help="also print precision and recall")
    kinds = parser.add_mutually_exclusive_group()
    for name in ("instance", "attribute", "relation"):
        kinds.add_argument(f"--just{name}", action="store_true", help=f"only {name} triples")
    arguments = parser.parse_args()
    iteration_num, single_score = arguments.r + 1, not arguments.ms
    verbose, veryVerbose, pr_flag = arguments.v or arguments.vv, arguments.vv, arguments.pr
    kind = arguments.justinstance, arguments.justattribute, arguments.justrelation
    form = f"%.{max(arguments.significant, 0)}f"
    try:
        with ExitStack() as stack:
            src, tgt = (stack.enter_context(open(f, encoding="utf-8-sig")) for f in arguments.f)
            for scores in score_amr_pairs(src, tgt, *kind):
                names = ("Precision", "Recall", "F-score")
                for name, score in zip(names, scores, strict=True):
                    if pr_flag or name == "F-score":
                        print(f"{name}: {form % score}")
            sys.stdout.flush()
    except BrokenPipeError:  # its reader has exited, as in `... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise SystemExit(f"error: {error.filename}: {error.strerror}") from None
    except (MetricError, UnicodeDecodeError) as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
