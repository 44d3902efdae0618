"""Errors of Hydra in the words of a command."""

import pytest

from bamboo.app.main import main


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("run metric=smatch,wlk data=sample", "write 'metric=[smatch,wlk]' for a list, or -m"),
        ("tables table=[table1,4]", "unknown table '4'"),
        ("run metric=sema metric.sema.standardize=amr", "added with +: +metric.sema.standardize="),
        ("run metric=sema metric.sema.varaint=published", "did you mean 'variant'?"),
        ("run metric=[smatch,wlk] metric.K=3", "did you mean metric.wlk.K=...?"),
        ("run metric.smatch.solver.seed=3", "write solver.seed=..., an option of all metrics"),
        ("run metric=smatch -m data=sample,sts", "flags stand before all options"),
    ],
)
def test_a_message_shows_what_to_type(words, expected, capsys):
    assert main(words.split()) == 1
    output = capsys.readouterr().err
    assert expected in output
    assert "Traceback" not in output


def test_a_solver_of_one_metric_can_be_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["run", "data=sample", "limit=3", "metric.smatch.solver=hillclimb"]) == 0
    assert "smatch solver=hillclimb: " in capsys.readouterr().out
