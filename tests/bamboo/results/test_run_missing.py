"""Missing pairs and missing statistics of a run: counted, listed and reported."""

import json

import pytest
from harness import amr, written_scores
from scipy import stats

from amr_metrics.errors import MetricError
from bamboo.errors import BambooWarning

RATINGS = [0, 0.5, 0.25, 1]


@pytest.fixture
def damaged(user, tiny):
    """A file of the data `tiny` with a graph that cannot be read; `refusing` rejects another."""
    user.metric("refusing", "Refusing")
    path = tiny / "main/src.test.amr"
    path.write_text(path.read_text().replace(amr(3), amr(3).replace(")))", "))")))
    return path


@pytest.mark.parametrize("on_error", ["nan", "zero"])
class TestAMetricThatCanScoreNoPair:
    """Code or a program that is missing is an error: no pair is at fault."""

    def test_a_program_that_cannot_be_started(self, user, tiny, on_error):
        target = "amr_metrics.external.CommandMetric"
        user.yaml("metric/mine.yaml", {"_target_": target, "command": "./no-such {src} {tgt}"})
        with pytest.raises(
            MetricError, match=r"^mine on tiny main test: \./no-such cannot be star"
        ):
            user.run("mine", on_error=on_error)

    def test_a_function_that_cannot_import_a_package(self, user, tiny, on_error):
        (user.path / "imports.py").write_text("def f(a, b):\n    import no_such_package\n")
        target = "amr_metrics.external.FunctionMetric"
        user.yaml("metric/mine.yaml", {"_target_": target, "function": "imports.f"})
        error = (
            r"mine on tiny main test: ModuleNotFoundError: No module named 'no_such.*, line 2\)$"
        )
        with pytest.raises(MetricError, match=error):
            user.run("mine", on_error=on_error)


class TestMissing:
    def test_a_pair_that_cannot_be_scored_is_named_by_its_benchmark_number(self, user):
        user.metric("refusing", "Refusing")
        user.data("headed", [3, 2, 1, 4], [0, 0, 1, 0], header=True)
        options = {"partitions": {"main": {"pairs": {"test": 3}}}}
        error = "^refusing on headed main test: pair 2: one node is too few$"
        with pytest.raises(MetricError, match=error):
            user.run("refusing", "headed", data_options=options)

    def test_missing_pairs_are_counted_listed_and_reported(self, user, damaged):
        note = "refusing tiny main: 2 pairs are missing, and pearson is computed from the other 2; "
        with pytest.warns(BambooWarning, match=note):
            results = user.run("refusing", on_error="nan")
        assert f"\n{note}result.json lists them." in str(results)
        document = results.to_json()
        (cell,) = document["rows"][0]["cells"]
        assert (cell["n"], cell["missing"]) == (2, 2)
        assert cell["value"] == pytest.approx(100)  # two pairs always correlate
        first, second = document["problems"]
        assert (first["pair"], first["reason"]) == (0, "one node is too few")
        assert (second["pair"], second["metric"], second["split"]) == (2, "refusing", "test")
        assert (second["file"], second["line"]) == (str(damaged), 5)
        assert second["reason"].startswith("unbalanced")
        assert {first["counted_as"], second["counted_as"]} == {"missing"}

    def test_with_zero_they_score_zero_and_are_counted(self, user, damaged):
        note = "refusing tiny main: 2 pairs are counted as 0 because of graphs that could not"
        for _ in range(2):  # computed, and from the cache
            with pytest.warns(BambooWarning, match=note):
                results = user.run("refusing", on_error="zero")
            assert f"\n{note}" in str(results)
            scores = [row["score"] for row in written_scores(results.folder)]
            assert scores == ["0.0", "2.0", "0.0", "5.0"]
            document = results.to_json()
            (cell,) = document["rows"][0]["cells"]
            assert (cell["n"], cell["missing"], cell["empty"]) == (4, 0, 2)
            expected = stats.pearsonr([0, 2, 0, 5], RATINGS).statistic
            assert cell["value"] == pytest.approx(100 * expected)
            assert [problem["counted_as"] for problem in document["problems"]] == ["empty", "empty"]
            assert document["problems"][1]["line"] == 5

    @pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
    def test_with_zero_a_pair_without_gold_graph_is_missing(self, tiny, user):
        path = tiny / "main/tgt.test.amr"
        path.write_text(path.read_text().replace(")", "", 1))
        document = user.run(on_error="zero").to_json()
        (cell,) = document["rows"][0]["cells"]
        assert (cell["n"], cell["missing"]) == (3, 1)
        assert "empty" not in cell
        assert [problem["counted_as"] for problem in document["problems"]] == ["missing"]

    @pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
    def test_pair_accuracy_needs_the_scores_of_both_pairs(self, user):
        user.metric("refusing", "Refusing")
        # Couples: refused and fine; right; tie.
        user.data("pairs", [1, 5, 2, 3, 4, 4], [0], ("arg",))
        options = {"partition": "arg", "protocol": "v0.2", "on_error": "nan"}
        (row,) = user.run("refusing", "pairs", **options).to_json()["rows"]
        (cell,) = row["cells"]
        assert (cell["statistic"], cell["value"]) == ("pair_accuracy", 100 * 1 / 2)
        assert (cell["n"], cell["missing"]) == (4, 1)

    @pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
    def test_no_scores_left(self, user):
        user.metric("refusing", "Refusing")
        user.data("ones", [1, 1, 1], [0, 0.5, 1])
        results = user.run("refusing", "ones", on_error="nan", ci=True)
        (cell,) = results.to_json()["rows"][0]["cells"]
        assert (cell["value"], cell["n"], cell["missing"]) == (None, 0, 3)
        assert "interval" not in cell
        assert "no pearson: fewer than two pairs" in str(results)


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_constant_scores_have_no_correlation(user, tiny):
    user.metric("constant", "Constant")
    results = user.run("constant", ci=True)
    (cell,) = json.loads(json.dumps(results.to_json(), allow_nan=False))["rows"][0]["cells"]
    assert cell["value"] is None
    assert "interval" not in cell
    assert "no pearson: scores or ratings are all the same" in str(results)
