"""Ratings of several raters: their mean is the rating, and the human ceiling is a row."""

import itertools
import json
import re
from functools import partial

import numpy as np
import pytest
from scipy import stats

from bamboo import load_result
from bamboo.errors import BambooError
from bamboo.results.ceiling import average_raters
from bamboo.statistics.bootstrap import mean_interval
from bamboo.statistics.ceiling import compare_raters

WORKED = np.array([[1.0, 2, 3, 4, 5], [1, 3, 2, 4, 5], [2, 2, 3, 5, 4]])
TGT = ("(a / ant)", "(b / bee)", "(c / cat)", "(f / fox)", "(g / gnu)")
GRAPHS = ("(a / ant)", "(b / bee)", "(c / cat)", "(d / dog)", "(e / eel)")


@pytest.fixture
def rated(user):
    """A data set of five pairs with the ratings of the worked example."""

    def write(columns, raters=WORKED):
        names = [f"r{k + 1}" for k in range(len(raters))]
        lines = ["\t".join(["src", "tgt", *names])]
        for k, graph in enumerate(GRAPHS):
            texts = ["" if np.isnan(row[k]) else f"{row[k]:g}" for row in raters]
            lines.append("\t".join([graph, TGT[k], *texts]))
        (user.path / "data").mkdir(exist_ok=True)
        (user.path / "data" / "pairs.tsv").write_text("\n".join(lines) + "\n", "utf-8")
        part = {"table": "pairs.tsv", "columns": {"rating": columns}}
        user.yaml("data/rated.yaml", {"root": ".", "scale": [0, 5], "partitions": {"main": part}})
        return partial(user.run, data="rated")

    return write


def test_the_mean_is_the_rating_and_the_ceiling_a_row(rated, user, home):
    run = rated(["r1", "r2", "r3"])
    results = run(ci=True, out=home / "first")
    assert "human ceiling       5      86.87" in str(results)
    document = json.loads((home / "first" / "result.json").read_text("utf-8"))
    (row,) = document["ceiling"]
    assert row["value"] == pytest.approx(86.8712, abs=5e-3)
    assert row["interval"][0] < row["value"] < row["interval"][1] <= 100
    smatch = [1, 1, 1, 0, 0]
    value = document["rows"][0]["cells"][0]["value"]
    assert value == pytest.approx(100 * stats.pearsonr(smatch, WORKED.mean(axis=0)).statistic)
    loaded = load_result("first")
    assert [row.value for row, _ in loaded.ceiling] == [row["value"]]
    (of_ranks,) = run(protocol="spearman").to_json()["ceiling"]
    assert of_ranks["statistic"] == "spearman"
    of_cache = run().to_json()
    assert (of_cache["cache"]["from_cache"], of_cache["ceiling"][0]["value"]) == (1, row["value"])
    compared = str(user.compare(data="rated", partition="main"))
    assert "human ceiling of main rated: 86.87." in compared


def test_one_rater_and_constant_raters_have_no_ceiling(rated):
    assert "rated main test: no human ceiling: one rater." in str(rated(["r1"])())
    constant = np.array([[1.0, 2, 3, 4, 5], [2, 2, 2, 2, 2]])
    text = str(rated(["r1", "r2"], constant)())
    assert "no human ceiling: the ratings of rater 1, or the others'" in text
    assert "human ceiling  " not in text


@pytest.mark.parametrize(
    ("columns", "raters", "problem"),
    [
        (["r1", "r1"], WORKED, "columns.rating: ['r1', 'r1']: give one or more different columns"),
        ([], WORKED, "give one or more different columns"),
        (["r1", "r9"], WORKED, "pairs.tsv, line 1: unknown column 'r9'"),
        (
            ["r1", "r2"],
            np.where([[0, 1, 0, 0, 0]] * 2, np.nan, WORKED[:2]),
            "pairs.tsv, pair 1, line 3: there is no rating: remove the pair, or set on_error=nan",
        ),
        (
            ["r1", "r2"],
            np.array([WORKED[0], [np.nan] * 5]),
            "column r2: this rater has no ratings: leave out the rater",
        ),
        (["r1", "r2"], WORKED + 3, "pair 1, line 3, column r2: 6 is not on the scale from 0 to 5"),
        ("r1", np.array([[1.0, np.nan, 3, 4, 5]]), "pair 1, line 3: there is no rating"),
    ],
)
def test_bad_ratings_are_refused(rated, columns, raters, problem):
    with pytest.raises(BambooError, match=re.escape(problem)):
        rated(columns, raters)()


def test_a_missing_rating_is_not_part_of_the_mean(rated):
    raters = np.array([[1.0, 2, 3, 4, 5], [1, np.nan, 5, 2, 3]])
    expected = stats.pearsonr([1, 1, 1, 0, 0], [1, 2, 4, 3, 4]).statistic
    (row,) = rated(["r1", "r2"], raters)().board.scores
    assert row.value == pytest.approx(100 * expected)


def write_rater(row):
    """The file of a rater: a rating in each line, which is empty where there is none."""
    return "".join("\n" if np.isnan(rating) else f"{rating:g}\n" for rating in row)


@pytest.fixture
def rated_files(user):
    """The data set `files`: partitions of the five pairs, each with files of ratings."""

    def write(*raters, **partitions):
        folder = user.path / "data"
        folder.mkdir(exist_ok=True)
        for name, graphs in (("a.amr", GRAPHS), ("b.amr", TGT)):
            (folder / name).write_text("\n\n".join(graphs) + "\n", "utf-8")
        for k, row in enumerate(raters):
            text = row if isinstance(row, str) else write_rater(row)
            (folder / f"r{k + 1}.txt").write_text(text, "utf-8")
        parts = {
            name: {"src": "a.amr", "tgt": "b.amr", "ratings": ratings}
            for name, ratings in partitions.items()
        }
        user.yaml("data/files.yaml", {"root": ".", "scale": [0, 5], "partitions": parts})
        return partial(user.run, data="files", partition="all")

    return write


def test_files_of_raters_are_as_columns_of_raters(rated, rated_files):
    raters = WORKED.copy()
    raters[1, 2] = raters[2, 4] = np.nan  # the last line of the third file is empty
    columns, files = (
        run(ci=True).to_json()
        for run in (
            rated(["r1", "r2", "r3"], raters),
            rated_files(*raters, main=["r1.txt", "r2.txt", "r3.txt"]),
        )
    )
    for document in (columns, files):
        for cell in (*document["ceiling"], *document["rows"][0]["cells"]):
            assert cell.pop("dataset") == cell.pop("title") in ("rated", "files")
            cell.pop("seconds")
    assert files["ceiling"] == columns["ceiling"]
    assert files["rows"][0]["cells"] == columns["rows"][0]["cells"]


def test_the_mean_over_cells_that_all_have_a_ceiling(rated_files, user, home):
    run = rated_files(*WORKED, main=["r1.txt", "r2.txt", "r3.txt"], more=["r2.txt", "r1.txt"])
    results = run(ci=True, out=home / "first")
    loaded = load_result("first")
    of_cells = (86.8712, 100 * stats.pearsonr(*WORKED[:2]).statistic)
    assert [row.part for row, _ in loaded.ceiling] == [
        "main_files",
        "more_files",
        "mean of 2 cells",
    ]
    values = [row.value for row, _ in loaded.ceiling]
    assert values == pytest.approx([*of_cells, sum(of_cells) / 2], abs=5e-3)
    assert re.search(rf"human ceiling +mean of 2 +– +{values[2]:.2f}", str(results))
    assert str(loaded).split("0 of 2 cells")[0] == str(results).split("0 of 2 cells")[0]
    compared = str(user.compare(data="files", partition="all"))
    assert f"human ceiling of the mean of 2 cells: {values[2]:.2f}." in compared
    # A mean over some of the cells would be compared with means over all of them.
    run = rated_files(*WORKED, main=["r1.txt", "r2.txt"], more="r1.txt")
    assert len(run().ceiling) == 1


def test_an_interval_of_a_mean_by_resampling():
    """Cells with the same pairs share their draws: the mean of equal cells has their interval."""
    rng = np.random.default_rng(0)
    raters = rng.normal(size=600) + rng.normal(size=(3, 600))
    samples = compare_raters("pearson", raters, group="same")
    both = {"a": samples, "b": samples}
    average = average_raters({name: [*samples] for name in both}, "mean of 2 cells")
    joined = {f"{name} {rater}": samples[rater] for name, rater in itertools.product("ab", samples)}
    alone = average_raters({"a": [*samples]}, "mean of 1 cells")
    of_one = {f"a {rater}": sample for rater, sample in samples.items()}
    assert mean_interval(joined, 300, 0, average) == mean_interval(of_one, 300, 0, alone)


@pytest.mark.parametrize(
    ("raters", "files", "problem"),
    [
        (WORKED[:2], ["r1.txt", "r1.txt"], "ratings: ['r1.txt', 'r1.txt']: give one or more diff"),
        (WORKED[:2], [], "ratings: []: give one or more different files"),
        (WORKED[:2], ["r1.txt", "alternating"], "unknown ratings 'alternating': "),
        (WORKED[:2], ["r1.txt", "r9.txt"], "r9.txt does not exist"),
        ((WORKED[0], "1\n2\n"), ["r1.txt", "r2.txt"], "r2.txt has 2 ratings for 5 pairs"),
        (WORKED[:2] + 3, ["r1.txt", "r2.txt"], "r2.txt, pair 1, line 2: 6 is not on the scale"),
        (
            np.where([[0, 1, 0, 0, 0]] * 2, np.nan, WORKED[:2]),
            ["r1.txt", "r2.txt"],
            "r1.txt, pair 1, line 2: there is no rating",
        ),
        (
            (WORKED[0], [np.nan] * 5),
            ["r1.txt", "r2.txt"],
            "r2.txt, pair 0, line 1: this rater has no ratings: leave out the rater",
        ),
        ((WORKED[0], "\n1\n2\n3\n4\n"), "r2.txt", "r2.txt, pair 0, line 1: there is no rating"),
    ],
)
def test_bad_files_of_ratings_are_refused(rated_files, raters, files, problem):
    with pytest.raises(BambooError, match=re.escape(problem)):
        rated_files(*raters, main=files)()


@pytest.mark.parametrize(
    ("raters", "problem"),
    [
        (WORKED[:1], "files main test: no human ceiling: one rater."),
        ([WORKED[0], np.full(5, 2.0)], "no human ceiling: the ratings of rater 1, or the others'"),
        (
            np.array([[1.0, 2, np.nan, np.nan, np.nan], [np.nan, 2, 3, 4, 5]]),
            "no human ceiling: a rater shares fewer than two pairs with the others",
        ),
    ],
)
def test_files_without_a_ceiling(rated_files, raters, problem):
    files = [f"r{k + 1}.txt" for k in range(len(raters))]
    assert problem in str(rated_files(*raters, main=files)())
