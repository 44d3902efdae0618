"""``python -m bamboo.smatch``: the command of the smatch package, with optimal alignments."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import TextIO

from amr_metrics.errors import MetricError
from bamboo import smatch


def main() -> None:
    """Print the scores of two files.

    The exit status is 1 if a graph cannot be read, and 2 if a file cannot be opened or an option is
    wrong.
    """
    parser = _create_parser()
    arguments = parser.parse_args()
    if arguments.significant < 0:
        parser.error("argument --significant: a number of decimals is not negative")
    smatch.iteration_num, smatch.single_score = arguments.r + 1, not arguments.ms
    smatch.verbose, smatch.veryVerbose = arguments.v, arguments.vv
    smatch.pr_flag = arguments.pr
    kind = arguments.justinstance, arguments.justattribute, arguments.justrelation
    form = f"%.{arguments.significant}f"
    try:
        with ExitStack() as stack:
            try:
                src, tgt = (stack.enter_context(_open(name)) for name in arguments.f)
            except OSError as error:
                parser.error(f"argument -f: can't open {error.filename!r}: {error}")
            for scores in smatch.score_amr_pairs(src, tgt, *kind):
                names = ("Precision", "Recall", "F-score")
                for name, score in zip(names, scores, strict=True):
                    if smatch.pr_flag or name == "F-score":
                        print(f"{name}: {form % score}")
            sys.stdout.flush()
    except BrokenPipeError:  # its reader has exited, as in `... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (MetricError, UnicodeDecodeError) as error:
        raise SystemExit(f"error: {error}") from None


def _create_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bamboo.smatch", description="Smatch with optimal alignments."
    )
    parser.add_argument(
        "-f",
        nargs=2,
        required=True,
        help="two files of graphs, of a parser and of gold, with a blank line after each graph; "
        "- is standard input",
    )
    parser.add_argument(
        "-r", type=int, default=4, help="restarts (default: 4); no effect, alignments are optimal"
    )
    parser.add_argument("--significant", type=int, default=2, help="decimals (default: 2)")
    parser.add_argument("-v", action="store_true", help="print triples and alignments to stderr")
    parser.add_argument("--vv", action="store_true", help="no effect: there is no search to print")
    parser.add_argument("--ms", action="store_true", help="print the scores of each pair")
    parser.add_argument("--pr", action="store_true", help="also print precision and recall")
    kinds = parser.add_mutually_exclusive_group()
    for name in ("instance", "attribute", "relation"):
        kinds.add_argument(f"--just{name}", action="store_true", help=f"only {name} triples")
    return parser


def _open(name: str) -> AbstractContextManager[TextIO]:
    return nullcontext(sys.stdin) if name == "-" else open(name, encoding="utf-8-sig")


if __name__ == "__main__":
    main()
