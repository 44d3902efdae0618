"""Several runs of one parser, the names of parsers, and how many sentences a difference needs."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from released import shared_file
from scipy import stats

import bamboo
from bamboo.board import CORPUS, RUN
from bamboo.errors import BambooError, ConfigError
from bamboo.parsers.names import rename_parsers, split_runs
from bamboo.parsers.systems import variance_of_mean

GRAPHS = ["(s / sleep-01 :ARG0 (c / cat))", "(b / bark-01 :ARG0 (d / dog))", "(r / rain-01)"]
WRONG = ["(s / sleep-02 :ARG0 (c / cat))", "(b / bark-01 :ARG1 (e / elk))", "(r / rain-02)"]


def write(path, *graphs):
    """Write graphs to a file, and return its path."""
    path.write_text("\n\n".join(graphs) + "\n")
    return path


@pytest.fixture
def files(home):
    """Three runs of a, two of b, one of c, and gold."""
    for k in range(3):
        write(home / f"a{k}.amr", *GRAPHS[:k], *WRONG[k:])
    write(home / "b0.amr", WRONG[0], *GRAPHS[1:])
    write(home / "b1.amr", *GRAPHS[:2], WRONG[2])
    write(home / "c.amr", *WRONG)
    write(home / "gold.amr", *GRAPHS)
    return home


def test_the_error_of_a_mean_over_runs():
    """Runs 74.0, 75.0, 74.5 and an error of sentences of .98: sd .5, error 1.022."""
    runs = np.array([74.0, 75.0, 74.5])
    drawn = np.array([-0.98, 0.98]) / math.sqrt(2)  # their variance is .98²
    error = math.sqrt(variance_of_mean(drawn, runs))
    assert error == pytest.approx(1.0216, abs=1e-4)
    assert runs.mean() - 1.96 * error == pytest.approx(72.5, abs=0.01)
    assert runs.mean() + 1.96 * error == pytest.approx(76.5, abs=0.01)
    # Two systems: .98² + .25/3 + 0; one run of the second has no variance.
    assert variance_of_mean(drawn, runs, np.array([70.0])) == pytest.approx(1.0437, abs=1e-4)


def test_runs_have_a_mean_and_a_deviation(files):
    runs = [files / f"a{k}.amr" for k in range(3)]
    each = [bamboo.score(path, "gold.amr").score for path in runs]
    report = bamboo.score({"A": runs, "c": Path("c.amr")}, "gold.amr", permutations=20)
    board = report.board
    assert board.value("A", "f1") == pytest.approx(np.mean(each))
    assert board.value("A", "f1_sd") == pytest.approx(np.std(each, ddof=1))
    assert (board.value("A", "runs"), board.value("c", "runs")) == (3, 1)
    assert math.isnan(board.value("c", "f1_sd"))
    assert [row.value for row in board.select(kind=RUN, system="A", score="f1").scores] == each
    assert report["A"].score == board.value("A", "f1")
    assert list(report) == ["A", "c"]
    assert report.signature.startswith("smatch_1.0|repeats=true|")
    assert [*report.parsers] == ["A/a0", "A/a1", "A/a2", "c"]
    with pytest.raises(ConfigError, match="there are 3 runs"):
        _ = report["A"].scores
    row = report.to_json()["parsers"][0]
    assert [run["corpus"]["f1"] for run in row["runs"]] == each
    assert "scores" not in row


def test_the_difference_of_runs_is_tested_with_both_errors(files):
    """The test is repeated with other means: resamples of sentences, and the variance of runs."""
    src = {"A": [Path(f"a{k}.amr") for k in range(3)], "B": [Path("b0.amr"), Path("b1.amr")]}
    options = {"resamples": 500, "permutations": 20}
    report = bamboo.score(src, "gold.amr", **options)
    (row,) = report.board.select(kind=CORPUS, score="f1").differences
    columns = {
        name: [
            [report.pairs["smatch_1.0"][run].scores.columns()[c] for run in report.systems[name]]
            for c in ("matches", "src_total", "tgt_total")
        ]
        for name in src
    }

    def score_of(name, sentences):
        matches, *totals = (np.asarray(c)[:, sentences].sum(axis=1) for c in columns[name])
        return 2 * matches / sum(totals)

    everything = np.arange(3)
    each = [score_of(name, everything) for name in src]
    assert row.value == pytest.approx(each[0].mean() - each[1].mean())
    draws = np.random.default_rng([0, 3]).integers(0, 3, (500, 3))
    drawn = [score_of("A", d).mean() - score_of("B", d).mean() for d in draws]
    error = math.sqrt(np.var(drawn, ddof=1) + sum(np.var(x, ddof=1) / len(x) for x in each))
    assert (row.low, row.high) == pytest.approx(
        (row.value - 1.96 * error, row.value + 1.96 * error)
    )
    assert row.check == pytest.approx(2 * stats.norm.sf(abs(row.value) / error))
    assert row.p_adjusted == row.check  # there is one comparison
    assert row.p > 0.2  # of the permutation test
    assert row.detectable == pytest.approx(2.8 * error)
    assert {"p_permutation", "p_z"} <= {*report.differences().columns}
    tested = report.to_json()["comparisons"][0]["differences"]["f1"]
    assert (tested["p_z"], tested["p_permutation"]) == (row.check, row.p)


def test_equal_runs_add_no_error(files):
    same = {"A": [write(files / f"same{k}.amr", *GRAPHS[:2], WRONG[2]) for k in range(2)]}
    twice = bamboo.score(same, "gold.amr", ci=True).board
    once = bamboo.score(
        {"A": Path("b1.amr")}, "gold.amr", ci=True, repeats=True, permutations=20
    ).board
    assert twice.value("A", "f1_sd") == 0
    assert twice.select(score="f1").scores[0][7:] == once.select(score="f1").scores[0][7:]


def test_a_pattern_has_runs_or_parts(cli, refused, files):
    files = ("a?.amr", "c.amr", "gold.amr", "permutations=20")
    assert "has 9 graphs" in refused("score", *files)
    printed = cli("score", *files, "repeats=true", "names=A,C", "ci=true").out
    assert "F1 sd   minus best" in printed
    assert "z test with the errors of sentences and of runs, corrected by Holm's method" in printed
    assert "C: one run only, so that tests and intervals are about this run" in printed
    every = cli("score", *files, "repeats=true", "names=A,C", "columns=all").out
    assert all(run in every for run in ("A/a0", "A/a1", "A/a2"))
    assert "p z" in every
    assert "p boot." not in every
    several = cli("score", *files, "repeats=true", "names=A,C", "metric=[smatch,wlk]").out
    assert "smatch sd" in several
    assert "wlk sd" in several


def test_a_table_of_aspects_is_about_the_runs_and_behind_theirs(files):
    src = {name: [Path(f"{name}{k}.amr") for k in range(2)] for name in "ab"}
    options = {"aspects": "srl", "by": "size", "permutations": 20}
    report = bamboo.score(src, "gold.amr", "smatchpp", **options)
    assert str(report).count("Scores are means over runs; tests are about these runs only") == 2
    titles = [table.title.split()[0] for table in report.tables("all")]
    assert titles == ["smatchpp", "Runs", "Aspects", "By"]


def test_a_run_needs_the_sentences_of_gold(refused, files):
    write(files / "a2.amr", *GRAPHS[:2])
    error = refused("score", "a?.amr", "gold.amr", "repeats=true")
    assert "a2.amr has 2 graphs but gold.amr has 3" in error


def test_a_pair_that_one_run_lacks_is_left_out(files):
    write(files / "a2.amr", *GRAPHS[:2], "(x / x")
    runs = [files / f"a{k}.amr" for k in range(3)]
    with pytest.warns(bamboo.BambooWarning, match="A/a2: 1 of 3 pairs"):
        report = bamboo.score({"A": runs, "c": Path("c.amr")}, "gold.amr", on_error="nan")
    assert [row.pairs for row in report.board.select(kind=CORPUS, score="f1").scores] == [2, 3]
    both = [bamboo.score(path, "gold.amr", limit=2, on_error="nan").score for path in runs]
    assert report.board.value("A", "f1") == pytest.approx(np.mean(both))


@pytest.mark.parametrize("option", ["errors=true", "worst=1", "pairs=all", "detect=1"])
def test_what_needs_one_run(refused, files, option):
    error = refused("score", "a?.amr", "c.amr", "gold.amr", "repeats=true", option)
    assert f"{option.partition('=')[0]} needs one run per parser" in error


def test_splitting_runs(home):
    for name in ("x1", "x2"):
        write(home / f"{name}.amr", *GRAPHS)
    assert split_runs({"x": "x*.amr"}, repeats=False) == ({"x": "x*.amr"}, {})
    paths = [Path("x1.amr"), Path("x2.amr")]
    expected = (dict(zip(("x/x1", "x/x2"), paths, strict=True)), {"x": ("x/x1", "x/x2")})
    assert split_runs({"x": "x*.amr"}, repeats=True) == expected
    assert split_runs({"x": paths}, repeats=False) == expected
    assert split_runs({"x": paths[:1], "y": "(c / cat)"}, repeats=False)[1] == {
        "x": ("x",),
        "y": ("y",),
    }
    with pytest.raises(ConfigError, match="name each run once"):
        split_runs({"x": [paths[0], paths[0]]}, repeats=False)
    with pytest.raises(BambooError, match="x: name each run once"):
        split_runs({"x/x1": "x1.amr", "x": paths}, repeats=False)


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["A"], "the number of names is 1, that of parsers 2"),
        (["A", "B", "C"], "the number of names is 3"),
        (["A", "A"], "two parsers have the same name"),
        (["A", " "], "a name is empty"),
        (["A", "B\nC"], "line breaks"),
    ],
)
def test_names_that_do_not_fit(names, problem):
    with pytest.raises(ConfigError, match=problem):
        rename_parsers({"a": "a.amr", "b": "b.amr"}, names)


def test_names_are_shown_as_they_are(cli, files):
    files = ("a0.amr", "b0.amr", "gold.amr", "permutations=20")
    names = r"""names=['A_$x^2$, \b','=<i>|&*%#']"""
    latex = cli("score", *files, names, "report=latex").out
    assert r"A\_\$x\textasciicircum{}2\$, \textbackslash{}b & " in latex
    assert r"=\textless{}i\textgreater{}\textbar{}\&*\%\#" in latex
    markdown = cli("score", *files, names, "report=markdown").out
    assert r"| =\<i>\|&\*%# |" in markdown
    document = json.loads(cli("score", *files, names, "report=json").out)
    assert [row["parser"] for row in document["parsers"]] == [r"A_$x^2$, \b", "=<i>|&*%#"]
    report = bamboo.score(["a0.amr", "b0.amr"], "gold.amr", names=["A", "B"], permutations=20)
    assert "A" in report._repr_html_()
    assert list(report) == ["A", "B"]
    with pytest.raises(ConfigError, match="whose keys are the names"):
        bamboo.score({"a": "a0.amr"}, "gold.amr", names=["A"])


@pytest.mark.parametrize("value", ["0", "-1", "101", "nan"])
def test_a_difference_that_cannot_be_planned(refused, files, value):
    error = refused("score", "a0.amr", "b0.amr", "gold.amr", f"detect={value}")
    assert "detect=" in error


def test_no_number_of_sentences(cli, refused, files):
    write(files / "a0b.amr", *WRONG)
    for options in (("a0.amr", "a0b.amr"), ("a0.amr", "b0.amr", "limit=1")):
        out = cli("score", *options, "gold.amr", "detect=1", "permutations=20").out
        assert "detect=1: there is no number of sentences" in out
    document = cli("score", "a0.amr", "a0b.amr", "gold.amr", "detect=1", "report=json").json
    assert document["detect"] == {"difference": 0.01, "sentences": None}
    assert "two parsers" in refused("score", "a0.amr", "gold.amr", "detect=1")


def test_runs_and_sentences_on_little_prince(shared):
    folder = shared_file(shared, "parsers/little-prince")
    bart, t5, gold = (folder / f"{name}.amr" for name in ("bart", "t5", "gold"))
    report = bamboo.score({"BART": bart, "T5": t5}, gold, permutations=20, detect=1.0)
    (row,) = report.board.select(kind=CORPUS, score="f1").differences
    assert round(100 * row.detectable, 3) == 2.366
    assert report.to_json()["detect"] == {"difference": 0.01, "sentences": 1120}
    assert any("1,120 sentences like these" in note for note in report.tables()[0].notes)
    runs = bamboo.score({"both": [bart, t5]}, gold, ci=True)
    (mean,) = runs.board.select(kind=CORPUS, score="f1").scores
    assert [round(r.value, 5) for r in runs.board.select(kind=RUN, score="f1").scores] == [
        0.74813,
        0.7481,
    ]
    assert (round(mean.value, 5), round(runs.board.value("both", "f1_sd"), 5)) == (0.74812, 0.00002)
    assert (mean.high - mean.low) / 2 / 1.96 == pytest.approx(0.0090, abs=2e-4)


def test_names_of_parsers_are_those_that_are_given(files):
    parsers = bamboo.score(["a0.amr", "b0.amr"], "gold.amr", names="A, B", permutations=20).parsers
    assert parsers == {"A": "a0.amr", "B": "b0.amr"}
    with pytest.raises(ConfigError, match="two parsers have the same name"):
        bamboo.score(["a0.amr", "b0.amr"], "gold.amr", names="A,A ")
    with pytest.raises(ConfigError, match="src: two parsers have the same name"):
        bamboo.score({1: "a0.amr", "1": "b0.amr"}, "gold.amr")


def test_gold_has_its_name_alone(cli, files):
    (files / "tgt.amr").write_bytes((files / "a0.amr").read_bytes())
    inputs = cli("score", "tgt.amr", "gold.amr", "report=json").json["inputs"]
    assert [(name, file["path"]) for name, of_side in inputs.items() for file in of_side] == [
        ("tgt.amr", "tgt.amr"),
        ("tgt", "gold.amr"),
    ]
    for name in ("tgt", "(gold)"):
        with pytest.raises(ConfigError, match="is the name of the gold graphs"):
            bamboo.score({name: "a0.amr"}, "gold.amr")


def test_lists_of_runs_and_of_graphs(files):
    runs = [files / "a0.amr", files / "a1.amr"]
    report = bamboo.score({"A": runs, "texts": GRAPHS}, "gold.amr", permutations=20)
    assert (report.board.value("A", "runs"), report.board.value("texts", "f1")) == (2, 1)
    assert bamboo.score(GRAPHS, GRAPHS, repeats=True).score == 1
    with pytest.raises(ConfigError, match=r"write Path\('a0.amr'\) for the output of a run"):
        bamboo.score({"A": ["a0.amr", "a1.amr"]}, "gold.amr")
