"""Analyses of users, and what analyses need."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import bamboo
from bamboo.board import Board, Score
from bamboo.display.table import Table
from bamboo.engines import Processes
from bamboo.errors import ConfigError
from bamboo.parsers.analyses.aspects import Aspects
from bamboo.parsers.analyses.buckets import Buckets
from bamboo.parsers.analyses.errors import Errors
from bamboo.parsers.analyses.exact import Exact
from bamboo.parsers.analyses.validity import ValidityFlags
from bamboo.parsers.analyses.worst import Worst
from bamboo.parsers.analysis import Needs, check_needs

CAT, DOG = "(s / sleep-01 :ARG0 (c / cat))", "(b / bark-01 :ARG0 (d / dog))"
GOLD = [CAT, DOG, CAT, CAT]
PARSES = [CAT, DOG, CAT, DOG]


@dataclass(frozen=True)
class Low(bamboo.Analysis):
    """The share of pairs with a score below a limit, and the number of gold's concepts."""

    option = "low"
    shares = ("low",)

    limit: float = 0.6

    def look(self, parser, read, chunk):
        names = [f"{parser} {len(pair.tgt.concepts)}" for pair in chunk.pairs]
        return replace(chunk, bucket_name="concepts", buckets=names)

    def build_scorer(self, name, metric):
        return lambda pairs: {"twice": metric.evaluate(pairs)}

    def mark(self, scored):
        low = np.where(scored.present, scored.scores.values < self.limit, np.nan)
        scores = replace(scored.scores, details={**scored.scores.details, "low": low})
        return replace(scored, scores=scores)

    def compare(self, comparison, parsers):
        parts = {"half": {name: scored.parts["twice"] for name, scored in parsers.items()}}
        return comparison.compare("again", parts)

    def collect(self, metrics, scored):
        (parsers,) = scored.values()
        findings = {parser: len(of_parser) for parser, of_parser in parsers.items()}
        rows = (Score("", "size", "", p, n, 0, "length", n) for p, n in findings.items())
        return Board(tuple(rows)), findings

    def remark(self, scored):
        return [f"{int(np.nansum(scored.scores.details['low']))} low"]

    def list_settings(self, metric):
        return [f"low={self.limit}"]

    def tabulate(self, report, style, suffix=""):
        lengths = report.findings["low"]
        return [Table(f"Lengths{suffix}", ("parser", "length"), tuple(lengths.items()))]

    def to_json(self, report):
        return {"lengths": np.array([*report.findings["low"].values()])}


@pytest.mark.parametrize("engine", ["serial", Processes(jobs=2)], ids=["serial", "processes"])
def test_an_analysis_of_a_user_uses_all_it_can(engine):
    report = bamboo.score(
        {"good": GOLD, "poor": PARSES}, GOLD, analyses=[Low()], engine=engine, permutations=99
    )
    rows = report.to_frame().set_index(["kind", "parser", "score"])["value"]
    assert rows["corpus", "poor", "low"] == 1 / 4  # the role and the top of the last pair match
    assert rows["corpus", "good", "low"] == 0
    assert rows["again", "poor", "f1"] == rows["corpus", "poor", "f1"] == (4 + 4 + 4 + 2) / 16
    assert rows["size", "good", "length"] == 4
    pairs = report.pair_scores().set_index("parser")
    assert pairs.loc["poor", "low"].tolist() == [0, 0, 0, 1]
    assert pairs.loc["poor", "concepts"].tolist() == ["poor 2"] * 4
    first, last = report.tables()
    assert [row[first.columns.index("low")] for row in first.rows] == [0.0, 0.25]
    assert {"good: 0 low", "poor: 1 low"} <= {*first.notes}
    assert "|low=0.6|" in report.signature
    assert last.rows == (("good", 4), ("poor", 4))
    assert report["poor"].tables()[-1].rows == (("poor", 4),)
    document = report.to_json()
    assert document["parsers"][1]["corpus"]["low"] == 1 / 4
    assert document["lengths"] == [4, 4]


def test_the_same_analyses_can_be_used_again():
    analyses = ValidityFlags(), Worst(1), Exact()
    first, second = (bamboo.score(["(c / cat :ARG0 x)"], [CAT], analyses=analyses) for _ in "ab")
    assert first.validity.parsers["src"].graphs == second.validity.parsers["src"].graphs == 1
    assert first.tables() == second.tables()
    assert len(first.worst) == 1


ONE_METRIC = "{} needs exactly one metric: choose one with metric=NAME"
ONE_RUN = "{} needs one run per parser: give files, and omit repeats"


@pytest.mark.parametrize(
    ("analysis", "metrics", "runs", "in_order"),
    [
        (Exact(), "", "", ""),
        (Aspects("all"), "", "", ""),
        (Buckets("size"), "", "", "by=size groups graph k of src with graph k of tgt"),
        (Buckets("::genre"), "", "", "by=::genre groups graph k of src with graph k of tgt"),
        (Errors(), ONE_METRIC, ONE_RUN, "errors compares graph k of src with graph k of tgt"),
        (Worst(1), ONE_METRIC, ONE_RUN, ""),
        (ValidityFlags(), "", ONE_RUN, "validity counts each graph once"),
    ],
)
def test_one_loop_checks_what_analyses_need(analysis, metrics, runs, in_order):
    needs = analysis.needs
    for arguments, expected in (
        ((2, False, None), metrics.format(needs.option)),
        ((1, True, None), runs.format(needs.option)),
        ((1, False, "all"), f"{in_order}: omit pairs=all" if in_order else ""),
        ((1, False, None), ""),
    ):
        if expected:
            with pytest.raises(ConfigError) as raised:
                check_needs([Needs("other"), needs], *arguments)
            assert str(raised.value) == expected
        else:
            check_needs([needs], *arguments)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Worst(-1), "worst=-1: use 0 or more"),
        (lambda: Buckets(""), "by=: expected size"),
        (lambda: Buckets(Path("no/such.tsv")), "no/such.tsv cannot be read"),
    ],
)
def test_options_are_checked_when_an_analysis_is_made(make, message):
    with pytest.raises(bamboo.BambooError, match=message):
        make()
