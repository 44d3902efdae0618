"""The command ``explain`` with files."""

import pytest

import bamboo
from amr_metrics import Pair, limits, parse_graph
from amr_metrics.errors import PairError
from amr_metrics.explanation import Explanation, Link
from bamboo.explanation.explained import ExplainedPair

SMALL = "(s / sleep-01 :ARG0 (c / cat))"
LARGE = "(s / sleep-01 :ARG0 (c / cat) :ARG1 (d / dog) :mod (b / big))"


@pytest.fixture
def files(home):
    """Two files of two pairs each."""
    (home / "a.amr").write_text(f"{SMALL}\n\n{LARGE}\n")
    (home / "b.amr").write_text(f"{SMALL.replace('cat', 'dog')}\n\n{LARGE}\n")
    return "a.amr", "b.amr"


def test_an_error_names_the_metric_the_files_and_the_pair(refused, files, monkeypatch):
    monkeypatch.setattr(limits, "MEMORY", 500)
    error = refused("explain", "src=a.amr", "tgt=b.amr", "pair=1")
    where = "smatch_1.0, a.amr against b.amr, pair 1: graphs of 4 and 4 nodes would need "
    assert str(error).startswith(where)
    with pytest.raises(PairError, match=where):
        bamboo.explain(*files, pair=1)


def test_files_can_be_given_without_names(cli, files):
    named = cli("explain", "src=a.amr", "tgt=b.amr", "pair=1")
    assert named.status == 0
    assert cli("explain", *files, "pair=1") == named
    assert cli("explain", "b.amr", "src=a.amr", "pair=1").status == 1
    assert cli("explain", "pair=1", "a.amr", "tgt=b.amr") == named


def test_the_sentences_and_the_score_come_first(cli, home):
    (home / "a.amr").write_text(f"# ::id x.1\n# ::snt A cat sleeps.\n{SMALL}\n")
    (home / "b.amr").write_text(f"# ::id x.1\n{SMALL.replace('cat', 'dog')}\n")
    (home / "c.amr").write_text(f"# ::id x.1 ::tok A dog .\n{SMALL}\n")
    assert "  tgt   A dog .\n" in cli("explain", "a.amr", "c.amr", "pair=x.1").out
    out = cli("explain", "a.amr", "b.amr", "pair=x.1").out
    heading, _, rest = out.partition("\n\nDifferences\n\n")
    lines = heading.splitlines()
    assert lines[0] == "smatch_1.0, a.amr against b.amr, pair x.1"
    assert lines[4:6] == ["  src   A cat sleeps.", "  tgt   (no sentence)"]
    assert lines[-1] == "score: 0.7500 (no alignment scores above 0.7500)"
    different, _, alignment = rest.partition("\n\nAlignment\n\n")
    assert different.splitlines()[2:] == ["  cat   dog"]
    assert alignment.splitlines()[0].split() == ["src", "concept", "tgt", "concept"]
    assert "weight" not in out  # every node is aligned with one node


def test_weights_and_costs_are_explained():
    links = (Link("s", "s", 0.5, 0.0), Link("s", "c", 0.5, 0.25))
    pair = Pair(parse_graph(SMALL), parse_graph(SMALL))
    _, alignment = ExplainedPair("", "", pair, Explanation(0.5, links)).tables()
    assert alignment.columns[-2:] == ("weight", "cost")
    assert "weight: " in alignment.notes[0]
    assert "cost: " in alignment.notes[0]


@pytest.mark.parametrize("id", ["ewt.3", "20030121.10", "a b"])
def test_a_pair_can_be_named_by_its_id(id, cli, home):
    (home / "a.amr").write_text(f"# ::id first\n{SMALL}\n\n# ::id {id}\n{LARGE}\n")
    (home / "b.amr").write_text(f"{SMALL}\n\n# ::id {id}\n{LARGE}\n")
    expected = cli("explain", "a.amr", "b.amr", "pair=1", "report=json").json
    assert cli("explain", "a.amr", "b.amr", f"pair={id}", "report=json").json == expected
    assert bamboo.explain("a.amr", "b.amr", pair=id).to_json() == expected
    explanation = bamboo.explain("a.amr", "b.amr", pair="first").explanation
    assert (explanation.score, len(explanation.links)) == (1, 2)


def test_graphs_with_the_id_are_explained_wherever_they_are(home):
    (home / "a.amr").write_text(f"# ::id x\n{SMALL}\n\n# ::id y\n{LARGE}\n")
    (home / "b.amr").write_text(f"# ::id y\n{LARGE}\n\n# ::id x\n{SMALL}\n")
    assert bamboo.explain("a.amr", "b.amr", pair="y").score == 1
    (home / "b.amr").write_text(f"# ::id y\n{LARGE}\n\n# ::id y\n{SMALL}\n")
    with pytest.raises(bamboo.BambooError, match=r"pair=y: graphs \[0, 1\] of b.amr have this"):
        bamboo.explain("a.amr", "b.amr", pair="y")
    with pytest.raises(bamboo.BambooError, match=r"pair=z: no graph of a.amr or b.amr has this"):
        bamboo.explain("a.amr", "b.amr", pair="z")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ["a.amr", "b.amr", "c.amr"],
            "'c.amr': explain takes 2 files without a name, src and tgt; options: key=value",
        ),
        (["a.amr", "src=b.amr"], "src is given twice: a.amr and src=b.amr; did you mean tgt=a.amr"),
        (["a.amr"], "explain requires both src=FILE and tgt=FILE, or a data set"),
        (
            ["a.amr", "b.amr", "data=sick"],
            "data=... chooses a pair of a data set: leave it out, or leave out the files",
        ),
    ],
)
def test_errors_in_files_without_names(refused, files, arguments, problem):
    assert str(refused("explain", *arguments)).startswith(problem)
