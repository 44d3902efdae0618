"""What commands share: options from their YAML, and what a session builds from a request."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

from bamboo.cli.main import COMMANDS
from bamboo.cli.session import NOT_OF_COMMANDS, Paths, Session, write_file
from bamboo.config.request import read_request
from bamboo.errors import ConfigError

NEEDED = {
    "score": ["src=a", "tgt=b"],
    "submit": ["name=mine", "predictions=a"],
}


@pytest.mark.parametrize("command", [command for command in COMMANDS if command != "fetch"])
def test_every_option_of_a_commands_yaml_is_a_typed_option(command: str) -> None:
    session = Session(read_request(command, NEEDED.get(command, [])))
    cls = import_module(f"bamboo.cli.{command}").Options
    session.options(cls)
    in_yaml = session.request.options.keys() - set(NOT_OF_COMMANDS)
    typed = {field.name for field in fields(cls)}
    optional = {"on_error"}  # of all commands that score; some always stop
    assert in_yaml <= typed <= in_yaml | optional


def test_a_session_builds_what_the_request_describes(home: Path) -> None:
    session = Session(read_request("run", ["data=[sts,para]", "metric=[smatch,sema]"]))
    assert session.paths == Paths(data=home / "downloads", runs=home / "runs")
    assert session.cache.folder == home / "runs" / "cache"
    assert [dataset.name for dataset in session.datasets] == ["sts", "para"]
    assert list(session.metrics) == ["smatch", "sema"]
    cells = session.cells(["arg", "main"], "test")
    assert [cell.column for cell in cells] == ["arg_sts", "arg_para", "main_sts", "main_para"]
    assert [cell.unit for cell in cells] == [2, 2, 1, 1]
    assert all(cell.in_benchmark for cell in cells)
    assert not any(cell.in_benchmark for cell in session.cells("main", "dev"))


def test_a_session_builds_each_thing_once() -> None:
    session = Session(read_request("run", []))
    assert session.datasets is session.datasets
    assert session.cache is session.cache


def test_settings_follow_the_options() -> None:
    session = Session(read_request("compare", ["on_error=nan", "cache=off", "engine.jobs=3"]))
    settings = session.settings(session.options(import_module("bamboo.cli.compare").Options))
    assert (settings.on_error, settings.cache, settings.engine.jobs) == ("nan", "off", 3)
    assert settings.built == session.paths.data / "built"
    assert settings.intervals is None


def test_an_interrupted_write_leaves_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("earlier")
    with pytest.raises(UnicodeEncodeError):
        write_file(path, "new \ud800")  # cannot be encoded
    assert path.read_text() == "earlier"
    assert [file.name for file in tmp_path.iterdir()] == ["scores.csv"]


def test_the_folder_of_a_file_must_exist(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "scores.csv"
    with pytest.raises(ConfigError) as error:
        write_file(path, "text")
    assert str(error.value) == f"cannot write {path}: there is no folder {path.parent}"
    assert not path.parent.exists()


def test_several_metrics_or_data_sets_where_one_is_required() -> None:
    session = Session(read_request("run", ["data=[sts,para]", "metric=[smatch,sema]"]))
    for one in (session.single_job, session.single_dataset):
        with pytest.raises(ConfigError, match="takes one"):
            one("takes one")
    session = Session(read_request("run", []))
    assert session.single_job("takes one").name == "smatch"
    assert session.single_dataset("takes one").name == "sts"
