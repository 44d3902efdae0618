"""The report: its views, and several metrics as one metric after the other, in any order."""

import csv
import io
import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from harness import SAMPLE
from hypothesis import given, settings
from hypothesis import strategies as st

import bamboo
from amr_metrics import SmatchPackage
from amr_metrics.base import Scores
from bamboo.board import CORPUS, WHOLE
from bamboo.errors import ConfigError
from bamboo.parsers.systems import EMPTY, compare_systems, corpus_statistics, find_present
from bamboo.statistics.resampling import SystemTests

# Parsers `a` and `b` have another sentence wrong, with equal scores by every metric.
GOLD = [f"(s / sleep-01 :ARG0 (c / cat{k}) :time (n / now))" for k in range(12)]
WRONG = [text.replace("sleep-01", "sleep-02").replace("now", "then") for text in GOLD]
PARSERS = {
    "b": [WRONG[0], *GOLD[1:]],
    "poor": WRONG,
    "a": [*GOLD[:11], WRONG[11]],
}
METRICS = ["smatch_1.0", "sema", "wlk"]
DRAWS = {"ci": True, "permutations": 200, "resamples": 100}
ORDERS = [*itertools.permutations(PARSERS)]


@pytest.fixture(scope="module")
def report():
    return bamboo.score(PARSERS, GOLD, METRICS, by="size", **DRAWS)


@pytest.fixture
def files(home):
    for name, graphs in (*PARSERS.items(), ("gold", GOLD)):
        (home / f"{name}.amr").write_text("\n\n".join(graphs), "utf-8")
    return *(f"{name}.amr" for name in PARSERS), "gold.amr"


WORDS = f"metric={','.join(METRICS)}", "ci=true", "permutations=200", "resamples=100"


def test_views(report):
    assert ([*report], [*report["sema"]], [*report["poor"]]) == (METRICS, [*PARSERS], METRICS)
    assert [*report["sema"]["poor"]] == ["poor"]
    assert len(report) == len(report["sema"]) == len(report["poor"]) == 12
    single, same = report["sema"]["poor"], report["poor"]["sema"]
    alone = bamboo.score(WRONG, GOLD, "sema")
    assert single.score == same.score == alone.score == single.corpus["f1"]
    assert single.scores.tolist() == same.scores.tolist() == alone.scores.tolist()
    assert (single.ids, dict(single.problems)) == ([None] * 12, {})
    assert single["sema"]["poor"].score == single.score  # the names of what there is one of
    assert report["sema"].board == report.board.select(metric="sema")
    assert report["poor"].board == report.board.select(system="poor")
    assert [*report["poor"].parsers] == ["poor"]
    assert report["wlk"].facts is report.metrics["wlk"]


@pytest.mark.parametrize("metrics", ["smatch_1.0", METRICS], ids=["one", "several"])
def test_the_view_of_a_parser_is_the_report_of_it_alone(files, metrics):
    options = {"ci": True, "resamples": 20, "permutations": 20, "by": "size"}
    more = {"errors": True, "worst": 2, "aspects": "all"} if metrics == "smatch_1.0" else {}
    together = bamboo.score([*files[:-1]], files[-1], metrics, **options, **more)
    for name, file in zip(PARSERS, files[:-1], strict=True):
        alone = bamboo.score(file, files[-1], metrics, **options, **more)
        alone = replace(alone, date=together.date)
        assert [*alone.inputs] == [name, "tgt"]
        assert together[name].to_json() == alone.to_json()
        assert repr(together[name]) == repr(alone)


@pytest.mark.parametrize("name", ["score", "scores", "corpus", "ids", "problems", "values"])
def test_what_there_are_several_of_has_to_be_chosen(report, name):
    with pytest.raises(ConfigError) as raised:
        getattr(report, name)
    assert str(raised.value) == "there are 3 metrics: choose one: report['smatch_1.0']"
    with pytest.raises(ConfigError) as raised:
        getattr(report["sema"], name)
    assert str(raised.value) == "there are 3 parsers: choose one: report['b']"
    with pytest.raises(ConfigError, match="there are 2 parsers: choose one"):
        getattr(bamboo.score({"a": "(c / cat)", "b": "(c / cat)"}, "(c / cat)"), name)
    with pytest.raises(ConfigError, match="there are 3 metrics"):
        getattr(report["a"], name)


def test_unknown_names(report):
    for view, names in (
        (report, "smatch_1.0, sema, wlk, b, poor, a"),
        (report["sema"], "sema, b, poor, a"),
        (report["a"], "smatch_1.0, sema, wlk, a"),
    ):
        with pytest.raises(KeyError, match=f"good: use one of {names}'"):
            view["good"]
    with pytest.raises(KeyError):
        report["sema"]["wlk"]


def test_a_parser_with_the_name_of_a_metric():
    parsers = {"sema": WRONG, "wlk": GOLD}
    report = bamboo.score(parsers, GOLD, "sema", permutations=20, resamples=20)
    assert (report["sema"].score, report["wlk"].score) == (report["sema"]["sema"].score, 1.0)
    assert report["sema"].score < 1
    both = bamboo.score(parsers, GOLD, ["sema", "wlk"], permutations=20, resamples=20)
    assert [both["sema"][name].score for name in parsers] == [report[n].score for n in parsers]


def test_several_metrics_are_as_one_after_the_other(report):
    for metric in METRICS:
        alone = bamboo.score(PARSERS, GOLD, metric, by="size", **DRAWS)
        assert alone.board == report[metric].board  # values, intervals and p-values
        for mine, expected in (
            (report[metric].to_frame(), alone.to_frame()),
            (report[metric].differences(), alone.differences()),
            (report[metric].pair_scores(), alone.pair_scores()),
            (report[metric].buckets_frame(), alone.buckets_frame()),
        ):
            assert mine.equals(expected)
        assert report[metric].to_json() == {**alone.to_json(), "date": report.date}
        assert repr(report[metric]) == repr(alone)
    assert [*report.pair_scores()["metric"].unique()] == METRICS
    assert len(report.pair_scores()) == 3 * 3 * 12


def test_all_columns_with_intervals(report, cli, files):
    """Every number of the one table is that of the table of its metric."""
    table = report.tables("all")[0]
    columns = {name: k for k, name in enumerate(table.columns)}
    assert {"f1 95 %", "macro f1 95 %", "mean 95 %", "p boot.", "p adj."} <= {*columns}
    rows = iter(table.rows)
    for metric in METRICS:
        expected = report[metric].tables("all")[0]
        assert [row[:2] for row in expected.rows] == [(name, 12) for name in PARSERS]
        for k, row in enumerate(expected.rows):
            cells = dict(zip(columns, next(rows), strict=True))
            assert (cells["metric"], cells["parser"], cells["pairs"]) == (metric, *row[:2])
            values = dict(zip(expected.columns, row, strict=True))
            shared = {name: value for name, value in values.items() if name in cells}
            assert {"pairs", "p adj."} <= {*shared}
            assert shared.items() <= cells.items()
            with_value = {name for name, value in cells.items() if value is not None}
            assert with_value <= {*values, "metric"}
            mark = expected.marks[k, expected.columns.index("p adj.")]
            at = METRICS.index(metric) * 3 + k
            assert table.marks[at, columns["p adj."]] == mark
    out = cli("score", *files, *WORDS, "columns=all").out
    lines = [line.split() for line in out.splitlines()]
    assert sum(line[:1] in (["sema"], ["wlk"], ["smatch_1.0"]) for line in lines) == 9
    poor = next(line for line in lines if line[:2] == ["sema", "poor"])
    assert poor[-1] == "**"  # the corrected p-value can be 2 / 201 at most


def test_intervals_stand_beside_each_metric(report, cli, files):
    table = report.tables()[0]
    expected = [name for metric in METRICS for name in (metric, f"{metric} 95 %")]
    assert table.columns == ("parser", *expected)
    for k, parser in enumerate(PARSERS):
        for metric in METRICS:
            (row,) = (
                report[metric].board.select(kind=CORPUS, system=parser, score=main(metric)).scores
            )
            at = table.columns.index(metric)
            assert table.rows[k][at : at + 2] == (row.value, row.interval)
    assert "sema 95 %" in cli("score", *files, *WORDS).out


def main(metric):
    return "mean" if metric == "wlk" else "f1"


def test_csv_and_json_have_every_difference(report, cli, files):
    corpus = report.board.select(kind=CORPUS)
    expected = corpus.differences  # of three pairs of parsers
    assert len(expected) == 3 * len({(row.metric, row.score) for row in corpus.scores})
    text = cli("score", *files, *WORDS, "report=csv").out.strip()
    _, differences = (csv.DictReader(io.StringIO(part)) for part in text.split("\n\n"))
    fields = ("pairs", "value", "low", "high", "p_bootstrap", "p_adjusted", "detectable")
    for row, values in zip(expected, differences, strict=True):
        named = (
            values["metric"],
            values["part"],
            values["first"],
            values["second"],
            values["score"],
        )
        assert named == (row.metric, WHOLE, row.first, row.second, row.score)
        for name in fields:
            value = float(values[name] or math.nan)
            assert value == pytest.approx(getattr(row, name), abs=0, nan_ok=True)
        assert float(values["p_permutation"]) == row.p
    document = cli("score", *files, *WORDS, "report=json").json
    rows = iter(expected)
    for of_metric in document["metrics"]:
        for pair in of_metric["comparisons"]:
            for name, values in pair["differences"].items():
                row = next(rows)
                assert (of_metric["metric"], name) == (row.metric, row.score)
                assert (pair["first"], pair["second"]) == (row.first, row.second)
                assert (values["value"], values["low"], values["high"]) == (
                    row.value,
                    row.low,
                    row.high,
                )
                assert (values["p_bootstrap"], values["p_permutation"]) == (row.p_bootstrap, row.p)
                assert values["detectable"] == row.detectable
                if name == main(row.metric):
                    assert pair["p_adjusted"] == row.p_adjusted
    assert next(rows, None) is None


@pytest.mark.parametrize(
    ("metrics", "names"),
    [*(("smatch_1.0", order) for order in ORDERS[::2]), (METRICS, ORDERS[1])],
    ids=str,
)
def test_equal_parsers_are_best_together_whatever_the_order(names, metrics):
    parsers = {name: PARSERS[name] for name in names}
    report = bamboo.score(parsers, GOLD, metrics, permutations=20, resamples=20)
    for columns in ("main", "all"):
        table = report.tables(columns)[0]
        named = table.columns.index("parser")
        best = {(k, c) for k, c in table.best if table.rows[k][named] != "poor"}
        assert best == table.best
        count = len(report.metrics)
        assert len(best) == 2 * count
        assert sum(mark == "best" for mark in table.marks.values()) == 2 * count
        assert table.to_latex().count(r"\textbf{") == 2 * count
    for metric in report.metrics:
        of_metric = report.board.select(metric=metric)
        assert sorted(*of_metric.best_systems.values()) == ["a", "b"]
        best, row = of_metric.compare_with_best(metric, CORPUS, WHOLE, "poor")
        assert (best, row.first, row.second) == ("a", "poor", "a")


def test_an_unproven_alignment_has_an_upper_bound():
    sides = [SAMPLE / "main" / f"{side}.test.amr" for side in ("src", "tgt")]
    limits = {"solver": {"name": "exact", "node_limit": 0, "root_rounds": 1}}
    options = {"metric": "smatchpp", "ids": "ignore", "on_error": "nan"}
    hasty = bamboo.score(*sides, options={**limits, "standardize": "none"}, **options)
    details = hasty.values.scores.details
    assert not details["optimal"].all()
    (row,) = hasty.board.select(score="f1_upper").scores
    bound = 2 * details["upper_bound"].sum() / (details["src_total"] + details["tgt_total"]).sum()
    assert row.value == hasty.corpus["f1_upper"] == pytest.approx(bound)
    assert row.value >= hasty.score
    assert row.interval is None
    assert (row.kind, row.part, row.pairs, hasty.board.main) == (CORPUS, WHOLE, 64, "f1")
    document = hasty.to_json()
    assert document["corpus"]["f1_upper"] == row.value
    assert all(pair["score"] <= pair["upper"] for pair in document["pairs"])
    assert hasty.to_frame().query("score == 'f1_upper'")["value"].tolist() == [row.value]
    proven = bamboo.score(*sides, **options)
    assert proven.values.scores.details["optimal"].all()
    assert proven.board.select(score="f1_upper").scores == ()
    assert "f1_upper" not in proven.corpus


def build_scores(draw, count):
    """Draw the counts of triples of a parser, which occur in some pairs and are scored in some."""
    integers = st.lists(st.integers(0, 3), min_size=count, max_size=count)
    matches, more, missed = (np.array(draw(integers), float) for _ in range(3))
    src, tgt = matches + more, matches + missed
    f1 = np.divide(2 * matches, src + tgt, out=np.ones(count), where=src + tgt > 0)
    details = {"matches": matches, "src_total": src, "tgt_total": tgt, "upper_bound": matches}
    details |= {"precision": f1, "recall": f1, "optimal": np.ones(count, bool)}
    missing = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    # A pair that is missing is no pair of the part; one with other graphs may lack the part.
    return Scores(np.where(missing, np.nan, f1), {**details, EMPTY: src + tgt == 0})


@st.composite
def corpora(draw):
    """The scores of up to four parsers of the same pairs, and another order of these."""
    count = draw(st.integers(1, 6))
    names = "abcd"[: draw(st.integers(2, 4))]
    parsers = {name: build_scores(draw, count) for name in names}
    if draw(st.booleans()):
        parsers["a"] = parsers["b"]  # equal parsers
    return parsers, draw(st.permutations(names))


@settings(max_examples=settings().max_examples // 2)
@given(corpora(), st.sampled_from([WHOLE, "ner"]))
def test_the_order_of_parsers_changes_no_value_and_no_best(drawn, part):
    parsers, order = drawn
    tests = SystemTests(20, permutations=30)
    statistics = corpus_statistics(SmatchPackage())
    ci = part != WHOLE or min(int(find_present(systems).sum()) for systems in parsers.values()) > 1
    first, second = (
        compare_systems("m", "aspect", statistics, {part: systems}, tests, ci)
        for systems in (parsers, {name: parsers[name] for name in order})
    )
    by_place = lambda row: row[:4] + row[6:7]  # noqa: E731
    for mine, theirs in zip(
        sorted(first.scores, key=by_place), sorted(second.scores, key=by_place), strict=True
    ):
        np.testing.assert_equal(mine, theirs)
    assert first.by_systems.keys() == second.by_systems.keys()
    for place, mine in first.by_systems.items():
        theirs = second.by_systems[place]
        # Between two resamples, the end of an interval is rounded from one side or the other.
        assert mine[8:10] == pytest.approx(theirs[8:10], abs=1e-12, nan_ok=True)
        np.testing.assert_equal(mine[:8] + mine[10:], theirs[:8] + theirs[10:])
    best = {place: {*names} for place, names in first.best_systems.items()}
    assert best == {place: {*names} for place, names in second.best_systems.items()}
    for name in parsers:
        place = "m", "aspect", part, name
        (system, mine), (expected, theirs) = (b.compare_with_best(*place) for b in (first, second))
        assert system == expected
        assert (mine and mine[3:7]) == (theirs and theirs[3:7])
