"""Paths in the user's YAML, and several folders of it."""

import stat
from pathlib import Path

import pytest
import yaml
from harness import UserFolder

from bamboo import run
from bamboo.config.groups import compose_group, list_files, list_shadowed
from bamboo.config.paths import resolve_paths

PROGRAM = """#!/bin/sh
grep '::id' "$1" >/dev/null
count=$(grep -c '^(' "$1")
seq 1 "$count"
"""
COMMAND = "amr_metrics.external.CommandMetric"


@pytest.fixture
def program(user):
    """A program beside the user's YAML files."""
    path = user.path / "metric" / "prog.sh"
    path.parent.mkdir(exist_ok=True)
    path.write_text(PROGRAM, "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def command_of(user, command):
    user.yaml("metric/mine.yaml", {"_target_": COMMAND, "command": command})
    return compose_group("metric", "mine", user.path)["command"]


@pytest.mark.usefixtures("program")
def test_a_program_is_found_from_the_folder_of_its_yaml(user, home):
    (user.path / "tool.py").write_text("", "utf-8")
    assert command_of(user, "./prog.sh {src} {tgt}") == "'my conf/metric/prog.sh' {src} {tgt}"
    assert command_of(user, "sh prog.sh --a=1 {src} {tgt}").startswith(
        "sh 'my conf/metric/prog.sh'"
    )
    assert (
        command_of(user, "python3 tool.py {src} {tgt}") == "python3 'my conf/tool.py' {src} {tgt}"
    )
    assert command_of(user, "python3 ../tool.py {src} {tgt}") == (
        "python3 'my conf/tool.py' {src} {tgt}"
    )
    # Words that are no files there are left alone, and so is a program found by PATH.
    for same in ("python3 other.py {src} {tgt}", "prog.sh {src} {tgt}", "a '{src} x' {tgt}"):
        assert command_of(user, same) == same


@pytest.mark.usefixtures("program")
def test_the_program_runs_from_any_folder(user, cli, home, monkeypatch):
    command_of(user, "./prog.sh {src} {tgt}")
    (home / "elsewhere").mkdir()
    monkeypatch.chdir(home / "elsewhere")
    outcome = cli("run", "metric=mine", "data=sample", user.option, "report=json")
    assert outcome.status == 0, outcome.err


def test_the_first_folder_that_has_a_file_is_used(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "w.json").write_text("{}")
    (tmp_path / "b" / "only.json").write_text("{}")
    folders = [tmp_path / "a", tmp_path / "b"]
    options = {"learned": "w.json", "of": {"file": "only.json"}, "K": 2, "name": "w.json"}
    assert resolve_paths(options, folders) == {
        **options,
        "learned": "a/w.json",
        "of": {"file": "b/only.json"},
    }
    monkeypatch.chdir(tmp_path / "b")
    assert resolve_paths({"file": "only.json"}, folders) == {"file": "./only.json"}
    assert resolve_paths({"file": "w.json"}, folders) == {"file": str(tmp_path / "a" / "w.json")}
    assert resolve_paths({"learned": None, "file": "/x"}, folders) == {
        "learned": None,
        "file": "/x",
    }


@pytest.fixture
def two(user, home):
    """Two folders; both have the metric ``mine``, of different sizes."""
    second = UserFolder(home / "other")
    second.path.mkdir()
    user.yaml("metric/mine.yaml", {"_target_": "amr_metrics.Sema"})
    second.yaml("metric/mine.yaml", {"_target_": "amr_metrics.Wlk"})
    second.yaml("metric/second.yaml", {"_target_": "amr_metrics.external.FunctionMetric",
                                      "function": "beside.overlap"})  # fmt: skip
    (second.path / "beside.py").write_text(
        "def overlap(a, b):\n    return float(len(a.concepts))\n"
    )
    return user, second


def test_folders_are_searched_in_order_and_what_is_shadowed_is_said(two, cli, home):
    first, second = two
    words = ("run", "metric=[mine,second]", "data=sample", "report=json")
    outcome = cli(*words, first.option, second.option)
    assert outcome.status == 0, outcome.err
    assert outcome.json["rows"][0]["signature"].startswith("Sema(")
    shadowed = f"{second.path / 'metric' / 'mine.yaml'} is not used: {first.path / 'metric'}"
    assert outcome.err.count(shadowed) == 1
    other_way = cli(*words, second.option, first.option)
    assert other_way.json["rows"][0]["signature"].startswith("Wlk(")
    folder = Path(other_way.err.split("written: ")[1].splitlines()[0])
    recorded = yaml.safe_load((folder / "config.yaml").read_text())["command"]
    others = f"hydra.searchpath=['file://{first.path}']"
    assert recorded[-3:] == ["--config-dir", str(second.path), others]


def test_folders_in_python(two, home):
    first, second = two
    with pytest.warns(UserWarning, match="comes first"):
        results = run(["mine", "second"], data="sample", config_dir=[first.path, second.path])
    assert [*results.signatures] == ["mine", "second"]
    assert list_shadowed((first.path, second.path)) != []
    assert list_shadowed(first.path) == list_shadowed(None) == []
    (second.path / "own.py").write_text("")
    assert not any("own.py" in text for text in list_shadowed((first.path, second.path)))
    (first.path / "own.py").write_text("")
    assert any(
        f"{second.path / 'own.py'} is not used" in text
        for text in list_shadowed((first.path, second.path))
    )
    assert list_files("metric", (second.path, first.path))["mine"].parent.parent == second.path


def test_sweeps_search_all_folders(two, cli):
    first, second = two
    outcome = cli(
        *("run", "--multirun", "metric=[mine,second]", "data=sample", first.option, second.option)
    )
    assert outcome.status == 0, outcome.err
    assert "Sema(" in outcome.out


def test_a_name_of_the_project_is_refused_in_every_folder(two, refused):
    first, second = two
    second.yaml("metric/smatch.yaml", {"defaults": ["wlk"]})
    message = refused("run", "metric=mine", "data=sample", first.option, second.option)
    assert message == (
        f"{second.path / 'metric' / 'smatch.yaml'}: metric 'smatch' already exists: choose another "
        "name"
    )
    assert "no such folder" in refused("run", first.option, "--config-dir=nowhere")
