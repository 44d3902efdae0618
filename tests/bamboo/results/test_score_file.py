"""A metric whose scores are in a file: every value is computed here, bad files are refused."""

import pytest
from harness import SAMPLE, written_scores

from amr_metrics import read_graphs
from amr_metrics.errors import MetricError
from bamboo.results.score_file import ScoreFile

SIZES = [3, 1, 4]
HEADER = "dataset,partition,split,pair,score"
ROWS = ["tiny,main,test,0,0.5", "tiny,main,test,1,0.25", "tiny,main,test,2,1.0"]


@pytest.fixture
def theirs(user, home):
    """``metric=theirs`` with scores of a small data set; write other lines with the function."""
    user.data("tiny", SIZES, [1, 0, 0.5])
    user.yaml("metric/theirs.yaml", {"_target_": "bamboo.ScoreFile", "file": "theirs.csv"})

    def write(*rows, header=HEADER):
        (home / "theirs.csv").write_text("\n".join([header, *rows]) + "\n", "utf-8")

    write(*ROWS)
    return write


@pytest.fixture
def run(user, theirs):
    """The words of a run of the metric."""
    return ("run", "metric=theirs", "data=tiny", "report=json", "out=out", user.option)


def test_the_scores_are_those_of_the_file_in_the_order_of_the_pairs(cli, home, theirs, run):
    theirs(*ROWS[::-1], "other,main,test,0,nan")
    cell = cli(*run).json["rows"][0]["cells"][0]
    assert [row["score"] for row in written_scores(home / "out")] == ["0.5", "0.25", "1.0"]
    # ratings 1, 0, 0.5: deviations 1/2, -1/2, 0; of the scores -1/12, -1/3, 5/12
    assert cell["value"] == pytest.approx(100 * (1 / 8) / (1 / 2 * 7 / 24) ** 0.5)


def test_a_run_writes_such_a_file(cli, user, theirs, home):
    shared = ("data=sample", "partition=[main,arg]", "ci=true", "resamples=20", user.option)
    first = cli("run", "metric=smatch", *shared, "report=json", "out=first")
    (home / "theirs.csv").write_bytes((home / "first/scores.csv").read_bytes())
    second = cli("run", "metric=theirs", *shared, "report=json")
    cells = [outcome.json["rows"][0]["cells"] for outcome in (first, second)]
    for ours, copied in zip(*cells, strict=True):
        for key in ("value", "interval", "n"):
            assert ours[key] == copied[key]
        assert copied["seconds"] == 0


def test_a_changed_file_is_a_changed_metric(cli, theirs, run):
    first = cli(*run).json
    theirs(*ROWS[:2], "tiny,main,test,2,0.0")
    second = cli(*run).json
    assert first["rows"][0]["signature"] != second["rows"][0]["signature"]
    assert first["rows"][0]["cells"][0]["value"] != second["rows"][0]["cells"][0]["value"]


def test_the_first_pairs_of_a_cell(cli, theirs, run):
    assert cli(*run, "limit=2").json["rows"][0]["cells"][0]["n"] == 2


def test_a_pair_that_cannot_be_read_is_missing(cli, user, run):
    src = user.path / "files/tiny/main/src.test.amr"
    src.write_text(src.read_text("utf-8").replace("(v0 / thing)", "(v0 / ", 1), "utf-8")
    cell = cli(*run, "on_error=nan").json["rows"][0]["cells"][0]
    assert (cell["n"], cell["missing"]) == (2, 1)


def test_with_other_metrics_in_compare_and_on_the_site(cli, user, theirs):
    user.metric("size", "Size")
    shared = ("metric=[size,theirs]", "data=tiny", "permutations=20", "resamples=20", user.option)
    assert "theirs" in cli("compare", *shared).out
    site = cli("site", *shared, "engine=serial", "resample=pairs", "out=site")
    assert site.status == 0, site.err


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS[:2], "2 scores for the 3 pairs of tiny main test: pair 2 is missing"),
        ([row.replace("test", "dev") for row in ROWS], "has 0 scores for the 3 pairs"),
        ([*ROWS, "tiny,main,test,3,0.5"], "theirs.csv, line 5: tiny main test has no pair '3'"),
        ([*ROWS, "tiny,main,test,x,0.5"], "line 5: tiny main test has no pair 'x'"),
        ([*ROWS, ROWS[1]], "line 5: a second score of tiny main test, pair 1"),
        (["tiny,main,test,0,nan"], "line 2: the score nan is not a finite number"),
        (["tiny,main,test,0,inf"], "line 2: the score inf is not a finite number"),
        (["tiny,main,test,0,good"], "line 2: 'good' is not a number"),
        (["tiny,main,test"], "line 2: expected at least 5 columns, got 3"),
    ],
)
def test_bad_files_are_refused(refused, theirs, run, rows, message):
    theirs(*rows)
    assert message in refused(*run)


def test_a_file_without_a_column_or_no_file(refused, theirs, run, home):
    theirs(header="data,partition,split,pair,score")
    assert "theirs.csv, line 1: unknown column 'dataset'" in refused(*run)
    (home / "theirs.csv").unlink()
    assert "metric theirs: file theirs.csv does not exist" in refused(*run)


def test_other_graphs_have_no_score(theirs):
    graphs = read_graphs(SAMPLE / "main/src.test.amr")[:2]
    with pytest.raises(MetricError, match="not available for other graphs"):
        ScoreFile(file="theirs.csv").score([(graphs[0], graphs[1])])
