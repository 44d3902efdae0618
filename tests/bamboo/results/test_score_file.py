"""A metric whose scores are in a file: every value is computed here, bad files are refused."""

from functools import partial

import pytest
from harness import SAMPLE, written_scores

from amr_metrics import read_graphs
from amr_metrics.errors import MetricError
from bamboo.errors import BambooError
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
    """Run the metric."""
    return partial(user.run, "theirs")


def test_the_scores_are_those_of_the_file_in_the_order_of_the_pairs(theirs, run):
    theirs(*ROWS[::-1], "other,main,test,0,nan")
    results = run()
    assert [row["score"] for row in written_scores(results.folder)] == ["0.5", "0.25", "1.0"]
    # ratings 1, 0, 0.5: deviations 1/2, -1/2, 0; of the scores -1/12, -1/3, 5/12
    (row,) = results.board.scores
    assert row.value == pytest.approx(100 * (1 / 8) / (1 / 2 * 7 / 24) ** 0.5)


def test_a_run_writes_such_a_file(user, theirs, home):
    shared = {"data": "sample", "partition": "main,arg", "ci": True}
    first = user.run("smatch", **shared)
    (home / "theirs.csv").write_bytes((first.folder / "scores.csv").read_bytes())
    second = user.run("theirs", **shared)
    assert [row._replace(system="smatch") for row in second.board.scores] == [*first.board.scores]
    seconds = [facts.seconds for _, facts in second.list_scores("theirs")]
    assert seconds == [0] * len(seconds)


def test_a_changed_file_is_a_changed_metric(theirs, run):
    first = run()
    theirs(*ROWS[:2], "tiny,main,test,2,0.0")
    second = run()
    assert first.signatures != second.signatures
    assert first.board.scores[0].value != second.board.scores[0].value


def test_the_first_pairs_of_a_cell(theirs, run):
    assert run(limit=2).board.scores[0].pairs == 2


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_a_pair_that_cannot_be_read_is_missing(user, run):
    src = user.path / "files/tiny/main/src.test.amr"
    src.write_text(src.read_text("utf-8").replace("(v0 / thing)", "(v0 / ", 1), "utf-8")
    ((row, facts),) = run(on_error="nan").list_scores("theirs")
    assert (row.pairs, facts.missing) == (2, 1)


def test_with_other_metrics_in_compare_and_on_the_site(cli, user, theirs):
    user.metric("size", "Size")
    shared = ("metric=[size,theirs]", "data=tiny", "permutations=20", "resamples=20", user.option)
    assert "theirs" in str(user.compare(["size", "theirs"]))
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
def test_bad_files_are_refused(theirs, run, rows, message):
    theirs(*rows)
    with pytest.raises((BambooError, MetricError), match=message):
        run()


def test_a_file_without_a_column_or_no_file(theirs, run, home):
    theirs(header="data,partition,split,pair,score")
    with pytest.raises(BambooError, match=r"theirs\.csv, line 1: unknown column 'dataset'"):
        run()
    (home / "theirs.csv").unlink()
    with pytest.raises(BambooError, match=r"metric theirs: file theirs\.csv does not exist"):
        run()


def test_other_graphs_have_no_score(theirs):
    graphs = read_graphs(SAMPLE / "main/src.test.amr")[:2]
    with pytest.raises(MetricError, match="not available for other graphs"):
        ScoreFile(file="theirs.csv").score([(graphs[0], graphs[1])])
