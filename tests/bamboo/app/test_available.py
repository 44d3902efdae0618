"""What is missing is reported before any work is done; ``metric=all`` runs the rest."""

import importlib.util

import pytest

from bamboo.app.main import main


@pytest.fixture
def offline(monkeypatch, tmp_path):
    """No word vectors, and no way to download them."""
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("BAMBOO_VECTORS", str(tmp_path / "missing.txt"))


def without(monkeypatch, module):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == module else find(name)
    )


def test_every_metric_that_can_be_computed(offline, capsys):
    assert main(["run", "metric=all", "data=sample", "limit=3", "report=csv"]) == 0
    out, err = capsys.readouterr()
    names = [line.split(",")[0] for line in out.splitlines()[1:]]
    expected = ["smatch", "wsmatch", "sema", "sembleu_k1", "sembleu_k2", "sembleu_k3", "sembleu_k4"]
    expected += ["wlk", "smatchpp", "rematch"]
    assert names == expected
    (warning,) = (line for line in err.splitlines() if line.startswith("warning: "))
    assert "metric=all without s2match_default, s2match, wwlk, wwlk_theta" in warning
    assert "missing.txt: no such file of word vectors" in warning


def test_a_metric_that_was_named_is_an_error_before_any_work(offline, capsys, tmp_path):
    assert main(["run", "metric=[smatch,wwlk]", "data=sample"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: wwlk: ")
    assert [path for path in (tmp_path / "runs").rglob("*") if path.is_file()] == []
