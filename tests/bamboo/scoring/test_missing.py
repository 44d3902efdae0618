"""Pairs that cannot be read or scored: what they cost under on_error=nan and on_error=zero."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from extras import skip_without_extra
from harness import amr, score_files, score_pairs
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

import bamboo
from amr_metrics import Smatch
from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.building import get
from amr_metrics.errors import MetricError, PairError
from amr_metrics.external import CommandMetric, FunctionMetric
from amr_metrics.features.sema import Sema
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading import parse_graph
from bamboo.config.groups import group_names
from bamboo.config.requests import build_named_row
from bamboo.errors import BambooWarning
from bamboo.scoring.problems import Problem, merge_problems, summary

EMPTY = Graph.empty()
BROKEN = "(x / thing :ARG0 (y / thing)\n"
ALIGNING = [
    name
    for name in group_names("metric")
    if "amr_metrics.camr" not in type(get(name)).__module__ and not get(name).reads_documents
]


def write(path, *blocks):
    path.write_text("\n".join(blocks), "utf-8")
    return path


@pytest.fixture
def gold(home):
    """Chains of 1, 2 and 3 nodes: 2, 4 and 6 triples with the root."""
    return write(home / "gold.amr", amr(1), amr(2), amr(3))


# Triples of the perfect parses left over, by the position of the broken one.
TRIPLES = [2, 4, 6]


class TestScore:
    @pytest.mark.parametrize("at", [0, 2])
    def test_an_unreadable_parse_at_any_position_by_hand(self, cli, gold, home, at):
        blocks = [amr(1), amr(2), amr(3)]
        blocks[at] = BROKEN
        write(home / "parser.amr", *blocks)
        files = ("score", "src=parser.amr", "tgt=gold.amr", "report=json")
        left = sum(TRIPLES) - TRIPLES[at]

        nan = cli(*files, "on_error=nan").json
        assert nan["corpus"] == pytest.approx({"precision": 1, "recall": 1, "f1": 1})
        assert nan["scores"][at] is None

        outcome = cli(*files, "on_error=zero")
        zero = outcome.json
        recall = left / sum(TRIPLES)
        assert zero["corpus"] == pytest.approx(
            {"precision": 1, "recall": recall, "f1": 2 * left / (left + sum(TRIPLES))}
        )
        assert zero["scores"] == [0.0 if k == at else 1.0 for k in range(3)]
        pair = zero["pairs"][at]
        assert (pair["matches"], pair["src_total"], pair["tgt_total"]) == (0, 0, TRIPLES[at])
        assert zero["macro"] == pytest.approx({"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3})
        (problem,) = zero["problems"]
        assert (problem["pair"], problem["file"]) == (at, "parser.amr")
        assert problem["line"] == 1 + 2 * at
        assert problem["counted_as"] == "empty"
        assert "unbalanced parentheses" in problem["reason"]
        assert "parser: 1 of 3 pairs counts as an empty parse and scores 0" in outcome.err

    def test_the_warning_and_the_notes(self, cli, gold, home):
        write(home / "parser.amr", amr(1), BROKEN, amr(3))
        outcome = cli("score", "src=parser.amr", "tgt=gold.amr", "on_error=nan")
        text = "parser: 1 of 3 pairs is missing and left out of every score (parser.amr, graph 1"
        assert f"\n{text}" in outcome.out
        assert f"warning: {text}" in outcome.err
        assert "pair 1 is missing: parser.amr, graph 1, line 3: unbalanced" in outcome.out
        outcome = cli("score", "src=parser.amr", "tgt=gold.amr", "on_error=zero")
        text = "parser: 1 of 3 pairs counts as an empty parse"
        assert f"\n{text}" in outcome.out
        assert f"warning: {text}" in outcome.err
        assert "pair 1 counts as an empty parse: parser.amr, graph 1, line 3" in outcome.out

    def test_without_problems_there_are_no_warnings(self, cli, gold, home):
        for on_error in ("stop", "nan", "zero"):
            outcome = cli("score", "src=gold.amr", "tgt=gold.amr", f"on_error={on_error}")
            assert outcome.err == ""
            assert "missing" not in outcome.out
            assert "empty" not in outcome.out

    def test_an_unreadable_gold_graph_excludes_its_pair_for_every_parser(self, cli, home):
        write(home / "gold.amr", amr(1), BROKEN, amr(3))
        write(home / "a.amr", amr(1), amr(2), amr(3))
        write(home / "b.amr", BROKEN, BROKEN, amr(3))
        outcome = cli("score", "src=[a.amr,b.amr]", "tgt=gold.amr", "on_error=zero", "report=json")
        a, b = outcome.json["parsers"]
        assert a["scores"] == [1, None, 1]
        assert b["scores"] == [0, None, 1]
        assert a["corpus"]["recall"] == 1
        assert b["corpus"]["recall"] == pytest.approx(6 / 8)
        assert [p["counted_as"] for p in a["problems"]] == ["missing"]
        assert [p["counted_as"] for p in b["problems"]] == ["empty", "missing"]
        assert {p["file"] for p in (a["problems"] + b["problems"]) if p["pair"] == 1} == {
            "gold.amr"
        }
        assert "a: 1 of 3 pairs is missing and left out of every score (gold.amr, graph 1" in (
            outcome.err
        )
        assert outcome.json["comparisons"][0]["pairs"] == 2

    def test_parsers_are_compared_on_the_pairs_that_both_have(self, cli, home):
        write(home / "gold.amr", *[amr(k) for k in (1, 2, 3, 4)])
        write(home / "a.amr", BROKEN, amr(2), amr(3), amr(4))
        write(home / "b.amr", amr(1), BROKEN, amr(3), amr(1))
        files = ("score", "src=[a.amr,b.amr]", "tgt=gold.amr")
        comparison = cli(*files, "on_error=nan", "report=json").json["comparisons"][0]
        assert comparison["pairs"] == 2
        # Of pairs 2 and 3: 14 triples of 14 against 8 of 8 and 14.
        assert comparison["differences"]["f1"]["value"] == pytest.approx(1 - 16 / 22)
        text = cli(*files, "on_error=nan").out
        assert "a and b are compared on the 2 pairs for which both have a score" in text
        comparison = cli(*files, "on_error=zero", "report=json").json["comparisons"][0]
        assert comparison["pairs"] == 4
        # 18 of 18 and 20 against 10 of 10 and 20.
        assert comparison["differences"]["f1"]["value"] == pytest.approx(36 / 38 - 20 / 30)
        assert "are compared on" not in cli(*files, "on_error=zero").out

    def test_the_file_of_all_pairs_says_why(self, cli, gold, home):
        write(home / "parser.amr", amr(1), BROKEN, amr(3))
        cli("score", "src=parser.amr", "tgt=gold.amr", "on_error=zero", "per_pair=pairs.csv")
        with (home / "pairs.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert [row["score"] for row in rows] == ["1.0", "0.0", "1.0"]
        assert [row["problem"][:19] for row in rows] == ["", "parser.amr, graph 1", ""]

    def test_the_worst_pairs_show_the_gold_graph(self, cli, gold, home):
        write(home / "parser.amr", amr(1), BROKEN, amr(3))
        arguments = ("score", "src=parser.amr", "tgt=gold.amr", "on_error=zero", "worst=1")
        (worst,) = cli(*arguments, "report=json").json["worst"]
        assert (worst["pair"], worst["score"], worst["unmatched_src"]) == (1, 0, [])
        assert len(worst["unmatched_tgt"]) == TRIPLES[1]

    @pytest.mark.parametrize("alignment", ["multi", "one"])
    def test_recall_of_aspects_is_lowered_too(self, cli, gold, home, alignment):
        write(home / "parser.amr", amr(1), BROKEN, amr(3))
        arguments = ("score", "src=parser.amr", "tgt=gold.amr", "metric=smatchpp")
        options = ("aspects=[agent]", f"alignment={alignment}", "report=json")
        (nan,) = cli(*arguments, *options, "on_error=nan").json["aspects"]
        assert (nan["pairs"], nan["corpus"]["recall"]) == (1, 1.0)
        (zero,) = cli(*arguments, *options, "on_error=zero").json["aspects"]
        assert zero["pairs"] == 2
        assert zero["corpus"]["precision"] == 1
        assert 0 < zero["corpus"]["recall"] < 1

    def test_a_pair_that_cannot_be_scored_counts_as_empty(self, cli, user, gold, home):
        user.metric("refusing", "Refusing")
        write(home / "parser.amr", amr(1), amr(2), amr(3))
        result = cli(
            *("score", "src=parser.amr", "tgt=gold.amr", "metric=refusing", "on_error=zero"),
            *("report=json", "worst=3", user.option),
        ).json
        assert result["scores"] == [0, 2, 3]
        assert result["corpus"]["mean"] == pytest.approx(5 / 3)
        (problem,) = result["problems"]
        assert problem == {
            "pair": 0,
            "file": None,
            "line": None,
            "reason": "one node is too few",
            "counted_as": "empty",
        }


CAMR = Path(__file__).parents[2] / "metrics" / "camr" / "data"


class TestChineseAmr:
    FILES = ("score", f"tgt={CAMR}/gold.txt", f"lengths={CAMR}/max_len.txt", "format=camr")

    def test_an_unreadable_graph_in_text_form(self, cli, home):
        first, *blocks = (CAMR / "parsed.txt").read_text("utf-8").split("\n\n")
        blocks = [first.rstrip()[:-1], *blocks]
        write(home / "parser.txt", *[f"{block}\n" for block in blocks])
        self.check(cli, 0)

    def test_an_unreadable_graph_in_tuple_form(self, cli, home):
        *lines, last = (CAMR / "gold_tuples.txt").read_text("utf-8").rstrip("\n").split("\n")
        write(home / "parser.txt", *lines, last.replace("\t", " ", 1))
        self.check(cli, 2, len(lines) + 1)

    @pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
    def test_a_text_beside_one_that_cannot_be_read(self):
        gold = "# ::id export_amr.1\n# ::wid x1_他 x2_看\n(x2 / 看-01 :arg0() (x1 / 他))"
        options = {"format": "camr", "on_error": "zero"}
        report = bamboo.score([gold, "?"], [gold] * 2, "align_smatch", **options)
        assert report.scores.tolist() == [1, 0]

    def check(self, cli, at, line=None):
        files = (*self.FILES, "src=parser.txt", "metric=align_smatch", "report=json")
        assert cli(*files).status == 1
        nan = cli(*files, "on_error=nan", "subscores=true").json
        assert [k for k, score in enumerate(nan["scores"]) if score is None] == [at]
        zero = cli(*files, "on_error=zero", "subscores=true").json
        assert zero["scores"][at] == 0
        assert [s for k, s in enumerate(zero["scores"]) if k != at] == pytest.approx(
            [s for k, s in enumerate(nan["scores"]) if k != at]
        )
        assert zero["pairs"][at]["src_total"] == 0
        assert zero["pairs"][at]["id"] == f"export_amr.{at + 1}"
        assert zero["corpus"]["precision"] == pytest.approx(nan["corpus"]["precision"])
        assert zero["corpus"]["recall"] < nan["corpus"]["recall"]
        assert zero["subscores"]["CA"]["recall"] < nan["subscores"]["CA"]["recall"]
        (problem,) = zero["problems"]
        assert (problem["pair"], problem["counted_as"]) == (at, "empty")
        assert line is None or problem["line"] == line


class TestEveryMetric:
    @pytest.fixture(scope="class", autouse=True)
    def vectors(self, tmp_path_factory):
        folder = tmp_path_factory.mktemp("vectors")
        numbers = " ".join(["0.5"] * 100)
        write(folder / "vectors.txt", f"thing {numbers}", f"cat {numbers}\n")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BAMBOO_VECTORS", str(folder / "vectors.txt"))
            patch.setenv("BAMBOO_CACHE_DIR", str(folder))
            yield

    @pytest.mark.parametrize("name", ALIGNING)
    def test_an_empty_parse_scores_zero_and_does_not_affect_others(self, name):
        row = build_named_row(name, name, {"weights": {":arg0": 0.5}} if "theta" in name else {})
        skip_without_extra(row.document)
        metric = row.on()
        chain = [parse_graph(amr(k, f"{k} things")) for k in (1, 2, 3)]
        whole = [Pair(chain[2], chain[1]), Pair(chain[1], chain[2])]
        pairs = [whole[0], Pair(EMPTY, chain[1]), whole[1]]
        scores, problems = score_pairs(metric, pairs, "zero")
        assert problems == {}  # the metric takes the empty graph
        assert scores.values[1] == 0
        expected = metric.evaluate(whole)
        assert scores.values[[0, 2]].tolist() == expected.values.tolist()
        for column, values in expected.details.items():
            np.testing.assert_array_equal(scores.details[column][[0, 2]], values)
        assert all(np.isfinite(value) for value in metric.corpus(scores).values())


def test_programs_do_not_receive_empty_graphs(tmp_path):
    program = write(
        tmp_path / "ones.py",
        "import sys",
        "count = open(sys.argv[1]).read().count('(v0')",
        f"open({str(tmp_path / 'calls')!r}, 'a').write(f'{{count}} ')",
        "print('1\\n' * count, end='')",
    )
    metric = CommandMetric(command=f"python3 {program} {{src}} {{tgt}}")
    chain = parse_graph(amr(2))
    pairs = [Pair(chain, chain), Pair(EMPTY, chain), None, Pair(chain, chain)]
    scores, problems = score_pairs(metric, pairs, "zero")
    np.testing.assert_array_equal(scores.values, [1, 0, np.nan, 1])
    assert problems == {}
    assert (tmp_path / "calls").read_text() == "2 "


def test_scores_of_functions_for_empty_graphs_are_not_used():
    chain = parse_graph(amr(2))
    pairs = [Pair(chain, chain), Pair(EMPTY, chain)]
    for function in (lambda a, b: 7.0, lambda a, b: 7.0 * len(a.concepts[0]) / 5):
        scores, _ = score_pairs(FunctionMetric(function=function), pairs, "zero")
        np.testing.assert_array_equal(scores.values, [7, 0])


@dataclass(frozen=True, kw_only=True)
class NeedsNodes(Smatch):
    """Smatch that refuses graphs without nodes, so that it has no totals for them."""

    def evaluate(self, pairs):
        for k, pair in enumerate(pairs):
            if not pair.src.variables:
                raise PairError("no nodes", pair=k)
        return super().evaluate(pairs)


def test_a_pair_without_totals_is_missing_not_dropped_from_recall(gold, home):
    write(home / "parser.amr", amr(1), BROKEN, amr(3))
    scored = score_files(NeedsNodes(), Path("parser.amr"), Path("gold.amr"), on_error="zero")
    assert np.isnan(scored.scores.values).tolist() == [False, True, False]
    assert scored.problems[1].counted_as == "missing"
    assert (scored.problems[1].file, scored.problems[1].line) == ("parser.amr", 3)
    assert scored.corpus(NeedsNodes())["recall"] == 1  # of the other two


@dataclass(frozen=True, kw_only=True)
class RefusesTwoNodes(Smatch):
    """Smatch that refuses a parse of two nodes."""

    def evaluate(self, pairs):
        for k, pair in enumerate(pairs):
            if len(pair.src.variables) == 2:
                raise PairError("two nodes", pair=k)
        return super().evaluate(pairs)


def test_a_pair_that_cannot_be_scored_has_the_totals_of_an_empty_parse():
    chain = [parse_graph(amr(k)) for k in (1, 2, 3)]
    pairs = [Pair(graph, graph) for graph in chain]
    scores, problems = score_pairs(RefusesTwoNodes(), pairs, "zero")
    assert problems == {1: Problem("two nodes", counted_as="empty")}
    assert scores.values.tolist() == [1, 0, 1]
    assert scores.details["src_total"].tolist() == [2, 0, 6]
    assert scores.details["tgt_total"].tolist() == [2, 4, 6]
    with pytest.raises(MetricError):
        score_pairs(RefusesTwoNodes(), pairs, "stop")


@dataclass(frozen=True, kw_only=True)
class Early(Metric):
    """Has no columns for no pairs, and refuses an empty graph."""

    def evaluate(self, pairs):
        if not pairs:
            return Scores(np.empty(0))
        if not all(pair.src.variables for pair in pairs):
            raise PairError("empty")
        return Scores(np.ones(len(pairs)), {"count": np.ones(len(pairs))})


def test_a_metrics_columns_are_those_of_its_scores():
    chain = parse_graph(amr(2))
    scores, problems = score_pairs(Early(), [Pair(chain, chain), Pair(EMPTY, chain)], "zero")
    np.testing.assert_array_equal(scores.values, [1, np.nan])
    assert problems[1].counted_as == "missing"


def test_a_pair_that_cannot_be_scored_keeps_its_id_and_is_shown_without_parse(home):
    write(home / "a.amr", f"# ::id first\n{amr(2)}", f"# ::id second\n{amr(3)}")
    for on_error in ("nan", "zero"):
        files = Path("a.amr"), Path("a.amr")
        scored = score_files(RefusesTwoNodes(), *files, lowest=1, on_error=on_error)
        assert scored.pairs.ids == ["first", "second"]
    assert scored.lowest[0].src == EMPTY


pair_lists = st.lists(st.tuples(graphs(), graphs(), st.booleans()), min_size=1, max_size=3)


@given(pair_lists)
def test_recall_includes_the_gold_graph_and_zero_never_exceeds_nan(pairs):
    read = [Pair(a, b) for a, b, broken in pairs if not broken]
    parses = [Pair(EMPTY if broken else a, b) for a, b, broken in pairs]
    for metric in (Smatch(), Sema(variant="corrected")):
        zero, _ = score_pairs(metric, parses, "zero")
        corpus, plain = metric.corpus(zero), metric.evaluate(read)
        gold = metric.evaluate([Pair(b, b) for _, b, _ in pairs]).details["matches"].sum()
        assert corpus["recall"] == pytest.approx(plain.details["matches"].sum() / gold)
        if read:
            kept = metric.corpus(plain)
            assert corpus["precision"] == pytest.approx(kept["precision"])
            assert corpus["f1"] <= kept["f1"] + 1e-12
            assert zero.values.mean() <= plain.values.mean() + 1e-12


def test_a_problem_of_reading_keeps_its_position():
    unread = {3: Problem("no end", "a.amr", 3, 9, "empty"), 1: Problem("no concept", "a.amr", 1, 2)}
    unscored = {3: Problem("refused"), 2: Problem("too large")}
    assert merge_problems(unread, unscored) == {
        1: Problem("no concept", "a.amr", 1, 2),
        2: Problem("too large"),
        3: Problem("no end", "a.amr", 3, 9, "missing"),
    }


def test_summaries_count():
    problems = {k: Problem("x", counted_as="empty" if k < 3 else "missing") for k in range(5)}
    first, second = summary(problems, 9, "zero")
    assert first.startswith("2 of 9 pairs are missing and left out of every score (the first: x)")
    assert second.startswith("3 of 9 pairs count as empty parses and score 0")
    assert summary({}, 9, "nan") == []


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_compare_lists_and_warns(user, tiny):
    path = tiny / "main/src.test.amr"
    path.write_text(path.read_text().replace(amr(3), BROKEN))
    note = "smatch tiny main: 1 pair is missing, and pearson is computed from the other 3"
    with pytest.warns(BambooWarning, match=f"^{note}"):
        assert f"\n{note}" in str(user.compare(resamples=20, on_error="nan"))
    with pytest.warns(BambooWarning, match="smatch tiny main: 1 pair is counted as 0"):
        problems = user.compare(resamples=20, on_error="zero").problems
    assert [(p["metric"], p["pair"], p["counted_as"]) for p in problems] == [
        ("smatch", 2, "empty"),
        ("sema", 2, "empty"),
    ]
