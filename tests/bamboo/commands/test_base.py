"""What the commands share: declared options, and what is built from a configuration."""

from dataclasses import fields
from pathlib import Path

import pytest

from bamboo.commands import COMMANDS, command_class
from bamboo.commands.base import write_file
from bamboo.commands.compare import Compare
from bamboo.commands.run import Run
from bamboo.errors import ConfigError
from bamboo.installation import Paths

NEEDED = {"score": ["src=a", "tgt=b"]}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_declared_with_its_default_and_help(name):
    command = command_class(name)
    built = command.from_words(NEEDED.get(name, []))
    for field in fields(command):
        if field.name != "configuration":
            assert field.metadata["help"], field.name
            assert hasattr(built, field.name)


def test_a_command_builds_what_the_configuration_describes(home):
    command = Run.from_words(["data=[sts,para]", "metric=[smatch,sema]"])
    assert command.paths == Paths(data=home / "downloads", runs=home / "runs")
    assert command.scores_cache.folder == home / "runs" / "cache"
    assert [dataset.name for dataset in command.datasets] == ["sts", "para"]
    assert list(command.metrics) == ["smatch", "sema"]
    cells = command.cells(["arg", "main"], "test")
    assert [cell.column for cell in cells] == ["arg_sts", "arg_para", "main_sts", "main_para"]
    assert [cell.unit for cell in cells] == [2, 2, 1, 1]
    assert all(cell.in_benchmark for cell in cells)
    assert not any(cell.in_benchmark for cell in command.cells("main", "dev"))


def test_values_and_words_give_the_same_command():
    words = ["metric=wlk", "data=sts,sick", "metric.K=3", "limit=10", "out=a b", "ci=true"]
    values = {"metric": "wlk", "metric__K": 3, "data": ["sts", "sick"], "limit": 10}
    by_values = Run.from_values({**values, "out": Path("a b"), "ci": True})
    assert by_values.configuration.document == Run.from_words(words).configuration.document


def test_values_of_options():
    options = {"seed": 3, "ci": True, "out": Path("a ${b}, c"), "partition": ["main", "arg"]}
    command = Run.from_values({"metric": "smatch", **options, "limit": None})
    assert (command.seed, command.ci, command.limit) == (3, True, None)
    assert command.out == Path("a ${b}, c")
    assert command.partition == ("main", "arg")
    listed = {"metric": "sembleu", "metric__weights": [0.5, 1], "metric__k": 2}
    assert Run.from_values(listed).metric[0].metric.weights == [0.5, 1]
    weights = {":polarity": 3, "instance": 0.5}
    mapped = Run.from_values({"metric": "smatchpp", "metric__weights": weights})
    assert mapped.metric[0].metric.weights == weights


def test_settings_follow_the_options():
    command = Compare.from_words(["on_error=nan", "cache=off", "engine.jobs=3"])
    settings = command.settings(command.on_error)
    assert (settings.on_error, settings.cache, settings.engine.jobs) == ("nan", "off", 3)
    assert settings.built == command.paths.data / "built"
    assert settings.intervals is None


def test_an_interrupted_write_leaves_the_earlier_file(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("earlier")
    with pytest.raises(UnicodeEncodeError):
        write_file(path, "new \ud800")  # cannot be encoded
    assert path.read_text() == "earlier"
    assert [file.name for file in tmp_path.iterdir()] == ["scores.csv"]


def test_the_folder_of_a_file_must_exist(tmp_path):
    path = tmp_path / "missing" / "scores.csv"
    with pytest.raises(ConfigError) as error:
        write_file(path, "text")
    assert str(error.value) == f"cannot write {path}: there is no folder {path.parent}"
    assert not path.parent.exists()


def test_several_metrics_or_data_sets_where_one_is_required():
    command = Run.from_words(["data=[sts,para]", "metric=[smatch,sema]"])
    for one in (command.single_metric, command.single_dataset):
        with pytest.raises(ConfigError, match="takes one"):
            one("takes one")
    command = Run.from_words([])
    assert command.single_metric("takes one").name == "smatch"
    assert command.single_dataset("takes one").name == "sts"
