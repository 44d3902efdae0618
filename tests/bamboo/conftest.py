"""Fixtures of the harness's tests: the command line in a folder of its own, small data sets."""

import sys

import pytest
from harness import PLUGINS, Outcome, UserFolder
from page_fixtures import axe, browser, open_page  # noqa: F401 (one browser for all pages)

from bamboo.app.main import main
from bamboo.benchmark import download

NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing answers


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the tests that use the browser."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty working folder, no sources of data, and no traces in the interpreter."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BAMBOO_DATA_DIR", str(tmp_path / "downloads"))
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.delenv(download.SOURCE_VARIABLE, raising=False)
    monkeypatch.setattr(download, "HOST", NOWHERE)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("harness_plugins", None)


@pytest.fixture
def word_vectors(tmp_path, monkeypatch):
    """Word vectors of one word, for rows that are built but score nothing."""
    monkeypatch.setenv("BAMBOO_VECTORS", str(tmp_path / "words.txt"))
    (tmp_path / "words.txt").write_text("cat " + " ".join(["0.5"] * 100) + "\n")


@pytest.fixture
def cli(home, capsys):
    """The command line: ``cli("run", "data=sample")``; its Outcome has status, out and err."""

    def command(*arguments):
        capsys.readouterr()
        status = main(list(arguments))
        return Outcome(status, *capsys.readouterr())

    return command


@pytest.fixture
def refused(cli):
    """A command that must fail with one clear error, which is returned."""

    def command(*arguments):
        outcome = cli(*arguments)
        assert outcome.status == 1, outcome
        assert outcome.out == ""
        assert outcome.err.startswith("error: ")
        assert "Traceback" not in outcome.err
        return outcome.err.removeprefix("error: ").rstrip("\n")

    return command


@pytest.fixture
def user(home):
    """A user's folder outside the project: metrics ``size`` and others can be added."""
    folder = UserFolder(home / "my conf")
    folder.path.mkdir()
    (folder.path / "harness_plugins.py").write_text(PLUGINS, "utf-8")
    folder.metric("size", "Size", factor=1.0)
    return folder


@pytest.fixture
def tiny(user):
    """``data=tiny``: four pairs, sizes 1 2 3 5 with ratings 0 0.5 0.25 1."""
    return user.data("tiny", [1, 2, 3, 5], [0, 0.5, 0.25, 1])


@pytest.fixture
def mirror(home, shared, monkeypatch):
    """The released data as BAMBOO_SOURCE."""
    folder = shared / "bamboo-amr-benchmark"
    monkeypatch.setenv(download.SOURCE_VARIABLE, str(folder))
    return folder
