"""A run is repeated from the folder that it wrote."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

Refused = Callable[..., str]


@pytest.fixture
def folder(cli, user, tiny, home):
    """The folder of a run of a user's metric with an option, on a user's data."""
    outcome = cli("run", "metric=size", "metric.factor=2.5", "data=tiny", user.option)
    assert outcome.status == 0
    return Path(outcome.err.removeprefix("written: ").strip())


def test_the_same_numbers(cli, folder):
    before = json.loads((folder / "result.json").read_text())
    outcome = cli("run", f"from={folder}", "report=json", "cache=off")
    assert outcome.json["rows"][0]["metric"] == "size factor=2.5"
    assert outcome.json["rows"][0]["cells"][0]["value"] == before["rows"][0]["cells"][0]["value"]
    assert outcome.json["notes"] == [f"1 of 1 values equal those of {folder}."]
    assert f"written: {folder}\n" in outcome.err  # not another folder


def test_a_run_from_before_there_was_a_choice_of_what_to_draw(cli, folder):
    path = folder / "config.yaml"
    options = yaml.safe_load(path.read_text())
    assert options.pop("resample") == "pairs"
    path.write_text(yaml.safe_dump(options))
    assert cli("run", f"from={folder}").status == 0


def test_the_command_of_a_repeated_run_is_the_first_one(cli, folder):
    assert cli("run", f"from={folder}").status == 0
    command = json.loads((folder / "result.json").read_text())["provenance"]["command"]
    assert "metric.factor=2.5" in command
    assert "from=" not in command


@pytest.mark.parametrize("report", ["table", "json"])
def test_other_numbers_are_an_error(cli, folder, report):
    path = folder / "result.json"
    same = cli("run", f"from={folder}", f"report={report}")
    assert (same.status, same.err) == (0, f"written: {folder}\n")
    document = json.loads(path.read_text())
    document["rows"][0]["cells"][0]["value"] = 12.5
    path.write_text(json.dumps(document))
    outcome = cli("run", f"from={folder}", f"report={report}")
    assert outcome.status == 1
    assert len(outcome.out.splitlines()) >= len(same.out.splitlines())  # the report is printed
    warning, error = outcome.err.splitlines()[1:]
    assert warning.startswith(f"warning: size factor=2.5 tiny main test: 12.500000 in {folder}, ")
    assert error == f"error: 1 value differs from those of {folder}"


def test_other_numbers_are_named(cli, folder):
    path = folder / "result.json"
    document = json.loads(path.read_text())
    document["rows"][0]["cells"][0]["value"] = 12.5
    document["version"] = "0.0.9"
    path.write_text(json.dumps(document))
    outcome = cli("run", f"from={folder}", "report=json")
    first, second, third = outcome.json["notes"]
    assert first == f"0 of 1 values equal those of {folder}."
    assert second.startswith(f"size factor=2.5 tiny main test: 12.500000 in {folder}, ")
    assert "version 0.0.9" in third
    assert f"written: {folder}-2\n" in outcome.err  # the earlier result stays


def test_data_that_changed(refused, folder, tiny):
    (tiny / "test.y").write_text("1\n0.5\n0.25\n0\n")
    error = refused("run", f"from={folder}")
    assert f"from={folder}: the data of tiny main test differ from those of the run" in error


def test_data_that_were_deleted(refused, folder, tiny):
    shutil.rmtree(tiny)
    assert "No such file" in refused("run", f"from={folder}")


def test_code_that_was_deleted(refused, folder, user):
    shutil.rmtree(user.path)
    error = refused("run", f"from={folder}")
    assert f"the run used --config-dir {user.path}: no such folder" in error


def test_a_metric_whose_yaml_was_deleted(cli, folder, user):
    (user.path / "metric/size.yaml").unlink()
    assert cli("run", f"from={folder}").status == 0  # its configuration is in the folder


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (
            "metric.factor=4",
            "from= repeats a run unchanged; it can only be combined with report,",
        ),
        ("data=sample", "from= repeats a run unchanged"),
        ("engine=lokky", "unknown engine 'lokky': did you mean 'loky'?"),
        ("from=other", "from=FOLDER repeats exactly one run"),
    ],
)
def test_bad_options(refused, folder, argument, message):
    assert message in refused("run", f"from={folder}", argument)


def whole(**changes):
    """The text of a result without rows, changed."""
    document = {"schema": 1, "version": "1", "protocol": "paper", "rows": [], "notes": []}
    return json.dumps({**document, "problems": [], "provenance": {"data": {}}, **changes})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("config.yaml", "a: [", "is damaged"),
        ("config.yaml", "a: 1", "is not the configuration of a run of this version"),
        ("config.yaml", "[]", "is not the configuration of a run of this version"),
        ("result.json", "{", "is damaged"),
        ("result.json", "{}", "is not the result of a run"),
        ("result.json", "[" * 100_000, "is damaged: it is nested too deeply"),
        ("result.json", whole(provenance={"data": 3}), "is damaged"),
        ("result.json", whole(rows=[{"metric": "size", "cells": [{}]}]), "is damaged"),
        (
            "result.json",
            '{"provenance": {"data": {}}, "rows": [], "version": NaN}',
            "is damaged: NaN is not JSON",
        ),
    ],
)
def test_damaged_folders(refused, folder, name, text, message):
    (folder / name).write_text(text)
    error = refused("run", f"from={folder}")
    assert str(folder / name) in error
    assert message in error


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("metric", None),
        ("metric", {"size": "harness_plugins.Size"}),
        ("data", ["tiny"]),
        ("base", "size"),
        ("command", "run"),
        ("config_dir", 3),
    ],
)
def test_a_configuration_with_values_of_other_types(refused, folder, key, value):
    document = yaml.safe_load((folder / "config.yaml").read_text())
    (folder / "config.yaml").write_text(yaml.safe_dump({**document, key: value}))
    assert f"config.yaml is damaged: {key}" in refused("run", f"from={folder}")


def test_folders_of_other_commands(refused, folder):
    document = yaml.safe_load((folder / "config.yaml").read_text())
    document["command"] = ["compare", "metric=size"]
    (folder / "config.yaml").write_text(yaml.safe_dump(document))
    assert "only run can be repeated" in refused("run", f"from={folder}")


def test_a_folder_that_does_not_exist(refused, home):
    assert "Give the folder of a run" in refused("run", "from=nowhere")
