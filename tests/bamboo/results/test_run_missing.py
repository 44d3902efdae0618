"""Missing pairs and missing statistics of a run: counted, listed and reported."""

import pytest
from harness import amr, the_run, written_scores
from scipy import stats

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

    def test_a_program_that_cannot_be_started(self, refused, user, tiny, on_error):
        target = "amr_metrics.external.CommandMetric"
        user.yaml("metric/mine.yaml", {"_target_": target, "command": "./no-such {src} {tgt}"})
        command = ("run", "metric=mine", "data=tiny", f"on_error={on_error}", user.option)
        assert "mine on tiny main test: ./no-such cannot be started" in refused(*command)

    def test_a_function_that_cannot_import_a_package(self, refused, user, tiny, on_error):
        (user.path / "imports.py").write_text("def f(a, b):\n    import no_such_package\n")
        target = "amr_metrics.external.FunctionMetric"
        user.yaml("metric/mine.yaml", {"_target_": target, "function": "imports.f"})
        command = ("run", "metric=mine", "data=tiny", f"on_error={on_error}", user.option)
        error = refused(*command)
        assert "mine on tiny main test: ModuleNotFoundError: No module named 'no_such" in error
        assert error.endswith("imports.py, line 2)")


class TestMissing:
    def test_a_pair_that_cannot_be_scored_is_named_by_its_benchmark_number(self, refused, user):
        user.metric("refusing", "Refusing")
        user.data("headed", [3, 2, 1, 4], [0, 0, 1, 0], header=True)
        error = refused(
            *("run", "metric=refusing", "data=headed", user.option),
            "data.headed.partitions.main.pairs.test=3",
        )
        assert error == "refusing on headed main test: pair 2: one node is too few"

    def test_missing_pairs_are_counted_listed_and_reported(self, cli, user, damaged, home):
        arguments = ("run", "metric=refusing", "data=tiny", "on_error=nan", user.option)
        outcome = cli(*arguments)
        note = "refusing tiny main: 2 pairs are missing, and pearson is computed from the other 2; "
        assert f"\n{note}result.json lists them." in outcome.out
        assert f"warning: {note}" in outcome.err
        document = cli(*arguments, "report=json").json
        (cell,) = document["rows"][0]["cells"]
        assert (cell["n"], cell["missing"]) == (2, 2)
        assert cell["value"] == pytest.approx(100)  # two pairs always correlate
        first, second = document["problems"]
        assert (first["pair"], first["reason"]) == (0, "one node is too few")
        assert (second["pair"], second["metric"], second["split"]) == (2, "refusing", "test")
        assert (second["file"], second["line"]) == (str(damaged), 5)
        assert second["reason"].startswith("unbalanced")
        assert {first["counted_as"], second["counted_as"]} == {"missing"}

    def test_with_zero_they_score_zero_and_are_counted(self, cli, user, damaged, home):
        arguments = ("run", "metric=refusing", "data=tiny", "on_error=zero", user.option)
        outcome = cli(*arguments)
        note = "refusing tiny main: 2 pairs are counted as 0 because of graphs that could not"
        assert f"\n{note}" in outcome.out
        assert f"warning: {note}" in outcome.err
        assert [row["score"] for row in written_scores(the_run(home))] == [
            "0.0",
            "2.0",
            "0.0",
            "5.0",
        ]
        for _ in range(2):  # computed, and from the cache
            document = cli(*arguments, "report=json").json
            (cell,) = document["rows"][0]["cells"]
            assert (cell["n"], cell["missing"], cell["empty"]) == (4, 0, 2)
            expected = stats.pearsonr([0, 2, 0, 5], RATINGS).statistic
            assert cell["value"] == pytest.approx(100 * expected)
            assert [problem["counted_as"] for problem in document["problems"]] == ["empty", "empty"]
            assert document["problems"][1]["line"] == 5

    def test_with_zero_a_pair_without_gold_graph_is_missing(self, cli, tiny, user):
        path = tiny / "main/tgt.test.amr"
        path.write_text(path.read_text().replace(")", "", 1))
        document = cli(
            *("run", "metric=smatch", "data=tiny", "on_error=zero", "report=json", user.option)
        ).json
        (cell,) = document["rows"][0]["cells"]
        assert (cell["n"], cell["missing"]) == (3, 1)
        assert "empty" not in cell
        assert [problem["counted_as"] for problem in document["problems"]] == ["missing"]

    def test_pair_accuracy_needs_the_scores_of_both_pairs(self, cli, user):
        user.metric("refusing", "Refusing")
        # Couples: refused and fine; right; tie.
        user.data("pairs", [1, 5, 2, 3, 4, 4], [0], ("arg",))
        document = cli(
            *("run", "metric=refusing", "data=pairs", "partition=arg", "protocol=v0.2"),
            *("on_error=nan", "report=json", user.option),
        ).json
        (cell,) = document["rows"][0]["cells"]
        assert (cell["statistic"], cell["value"]) == ("pair_accuracy", 100 * 1 / 2)
        assert (cell["n"], cell["missing"]) == (4, 1)

    def test_no_scores_left(self, cli, user):
        user.metric("refusing", "Refusing")
        user.data("ones", [1, 1, 1], [0, 0.5, 1])
        arguments = ("run", "metric=refusing", "data=ones", "on_error=nan", "ci=true", user.option)
        (cell,) = cli(*arguments, "report=json").json["rows"][0]["cells"]
        assert (cell["value"], cell["n"], cell["missing"]) == (None, 0, 3)
        assert "interval" not in cell
        assert "no pearson: fewer than two pairs" in cli(*arguments).out


def test_constant_scores_have_no_correlation(cli, user, tiny):
    user.metric("constant", "Constant")
    arguments = ("run", "metric=constant", "data=tiny", "ci=true", user.option)
    outcome = cli(*arguments, "report=json")
    assert "NaN" not in outcome.out
    (cell,) = outcome.json["rows"][0]["cells"]
    assert cell["value"] is None
    assert "interval" not in cell
    assert "no pearson: scores or ratings are all the same" in cli(*arguments).out
