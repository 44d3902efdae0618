"""The command ``explain`` with files."""

import pytest

import bamboo
from metrics import limits
from metrics.errors import PairError

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


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ["a.amr", "b.amr", "c.amr"],
            "'c.amr': explain takes 2 files without a name, src and tgt; options: key=value",
        ),
        (["a.amr", "src=b.amr"], "src is given twice: a.amr and src=b.amr; did you mean tgt=a.amr"),
        (["a.amr", "b.amr", "tgt=b.amr"], "tgt is given twice: b.amr and tgt=b.amr; leave out one"),
        (["a.amr"], "explain requires both src=FILE and tgt=FILE, or a data set"),
        (["a.amr", "c.amr"], "c.amr: "),
        (
            ["a.amr", "b.amr", "data=sick"],
            "data=... chooses a pair of a data set: leave it out, or leave out the files",
        ),
    ],
)
def test_errors_in_files_without_names(refused, files, arguments, problem):
    assert str(refused("explain", *arguments)).startswith(problem)


def test_notes_on_files_are_printed(cli, files, home):
    folder = home / "parses"
    folder.mkdir()
    (folder / "a.amr").write_text((home / "a.amr").read_text())
    (folder / "README.md").write_text("not graphs\n")
    note = "parses: 1 other file is not read, because its name does not end in"
    assert note in cli("explain", "parses", "b.amr").err
    assert note not in cli("explain", "parses", "b.amr", "quiet=true").err
    with pytest.warns(bamboo.BambooWarning, match=note):
        bamboo.explain("parses", "b.amr")
