"""What the words of Hydra's commands mean, and errors in these words."""

from pathlib import Path

import pytest

from bamboo.app.main import main


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "run metric=smatch,wlk data=sample",
            "write 'metric=[smatch,wlk]' for a list, or add --multirun",
        ),
        ("tables table=[table1,4]", "unknown table '4'"),
        ("run metric=sema metric.sema.standardize=amr", "added with +: +metric.sema.standardize="),
        ("run metric=sema metric.sema.varaint=published", "did you mean 'variant'?"),
        ("run metric=[smatch,wlk] metric.K=3", "did you mean metric.wlk.K=...?"),
        ("run metric.smatch.solver.seed=3", "write solver.seed=..., an option of all metrics"),
        ("train trainer.seed=3", "also choose a name, trainer=NAME"),
        (
            "run metric=smatch -m data=sample,sts",
            "flags such as --multirun stand before the options",
        ),
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


def test_paths_below_about_start_from_the_folder_of_the_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder = Path("mine/metric")
    folder.mkdir(parents=True)
    node = "{_target_: amr_metrics.Blend, of: {smatch: {_target_: amr_metrics.Smatch}}}"
    text = f"metric: {{mine: {node}}}\nabout: {{mine: {{learned: weights.json}}}}\n"
    (folder / "mine.yaml").write_text(f"# @package _global_\n{text}")
    (folder / "weights.json").write_text("[]")
    assert main(["run", "data=sample", "metric=mine", "--config-dir", "mine"]) == 1
    assert "mine/metric/weights.json is not a weights file" in capsys.readouterr().err
