"""What users of Hydra type: overrides, flags, experiment files, packages, notebooks."""

import json
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml
from harness import PLUGINS
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from omegaconf import OmegaConf

from amr_metrics.building import build_metric, metric_options
from amr_metrics.configurations import unwrap_standardized
from bamboo.app.commands import COMMANDS
from bamboo.config.groups import CONF, compose_metric, group_names
from tests.extras import skip_without_extra

APPLICATIONS = [name for name, command in COMMANDS.items() if command.is_application]
NAMES = group_names("metric")
QUICK = ("data=sample", "limit=8", "report=csv")


@pytest.fixture(scope="module")
def composed():
    """What Hydra composes of all metrics, by protocol."""
    words = [f"metric=[{','.join(NAMES)}]"]
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return {p: compose("run", [*words, f"protocol={p}"]) for p in group_names("protocol")}


def rows(outcome):
    assert outcome.status == 0, outcome.err
    return [line.split(",")[0] for line in outcome.out.splitlines()[1:]]


# The configurations


@pytest.mark.parametrize("name", APPLICATIONS)
def test_primary_configurations_have_the_options_of_the_functions_and_their_defaults(name):
    values, lines = {}, []
    for file in ("common", name):
        text = (CONF / f"{file}.yaml").read_text("utf-8")
        content = yaml.safe_load(text)
        choices = [entry for entry in content.pop("defaults") if isinstance(entry, dict)]
        values |= {group: name for entry in choices for group, name in entry.items()} | content
        lines += re.findall(r"^(?:  - )?(\w+: .*)$", text, re.MULTILINE)
    options = COMMANDS[name].options
    of_all = {"about", "metric", "data", "paths", "hydra", "solver", "vectors"}
    assert {key for key in values if " " not in key} - of_all - {"rows"} == options.keys() - of_all
    for option in options.values():
        own = {"out": values["out"], "protocol": {"tables": "published"}.get(name, option.default)}
        usual = own.get(option.name, option.default)
        assert values[option.name] == json.loads(json.dumps(usual)), option.name
    explained = [line for line in lines if line.partition(":")[0] in options.keys() - of_all]
    assert [line for line in explained if "#" not in line] == []


@pytest.mark.parametrize("protocol", group_names("protocol"))
def test_hydra_composes_what_the_reader_without_hydra_reads(composed, protocol):
    config = OmegaConf.masked_copy(composed[protocol], ["metric", "about", "solver", "vectors"])
    config.paths = {"resources": str(CONF.parent / "data")}
    values = OmegaConf.to_container(config, resolve=True)
    for name in NAMES:
        known = compose_metric(name, protocol=protocol)
        node = unwrap_standardized(values["metric"][name])
        assert node == known.node
        about = values["about"].get(name, {})
        assert (about.get("name", name), known.base) == (
            known.title,
            about.get("metric", known.title),
        )
        facts = {key: value for key, value in about.items() if key not in ("name", "metric")}
        assert {**node, **facts} == known.options


@pytest.mark.parametrize("name", NAMES)
def test_instantiate_gives_the_metric_of_the_builder(composed, name, tmp_path, monkeypatch):
    (tmp_path / "words.txt").write_text("cat " + " ".join(["0.5"] * 100) + "\n")
    monkeypatch.setenv("BAMBOO_VECTORS", str(tmp_path / "words.txt"))
    monkeypatch.setenv("BAMBOO_CACHE_DIR", str(tmp_path))
    for protocol, config in composed.items():
        metric = instantiate(config.metric[name])
        built = build_metric(name, compose_metric(name, protocol=protocol).node)
        assert metric_options(metric) == metric_options(built)
    skip_without_extra(metric_options(built))
    assert metric.signature == built.signature


def test_instantiate_takes_the_other_nodes():
    for group, name, key in (
        *((part, name, "") for part in ("solver", "vectors") for name in group_names(part)),
        *(("trainer", name, "optimiser") for name in ("spsa", "spsa_2021", "converge")),
        ("data", "sembleu", "sembleu.partitions.main.loader"),
    ):
        node = OmegaConf.select(OmegaConf.load(CONF / group / f"{name}.yaml"), key)
        built = instantiate(node)
        target = getattr(built, "func", type(built))
        assert target.__name__ == node._target_.rpartition(".")[2]


# Overrides


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (
            [
                "metric=[smatch,wlk]",
                "~metric.wlk",
                "+metric.wlk4={_target_: amr_metrics.Wlk, K: 4}",
            ],
            ["smatch", "wlk4"],
        ),
        (
            ["metric=[wlk,sema]", "metric.wlk.K=[1,2,3]", "+metric.sema.standardize=amr"],
            ["wlk K=1", "wlk", "wlk K=3", "sema standardize=amr"],
        ),
        (
            ["metric=[smatch,sembleu_k1]", "solver=hillclimb", "~metric.sembleu_k1.k"],
            ["smatch solver=hillclimb", "sembleu_k1 k=3"],
        ),
        (
            ["metric=[smatch_1.0,smatch_1_0_2,sembleu_k1]", "metric.smatch_1_0.root=none"],
            ["smatch_1.0 root=none", "smatch_1.0.2", "sembleu_k1"],
        ),
    ],
)
def test_metrics(cli, words, names):
    assert rows(cli("run", *QUICK, *words)) == names


def test_all_data_and_partitions(cli, user):
    for name in ("one", "two"):
        user.data(name, [1, 2, 3, 5], [0, 0.5, 0.25, 1], partitions=("main", "reify"))
    user.yaml("data/both.yaml", {"defaults": ["one", "two"]})
    words = ("run", "metric=size", "partition=all", user.option, "report=json")
    cells = cli(*words, "data=both").json["rows"][0]["cells"]
    assert [(cell["dataset"], cell["partition"]) for cell in cells] == [
        *(("one", "main"), ("two", "main"), ("one", "reify"), ("two", "reify")),
    ]
    assert cli(*words, "data=[one,two]").json["rows"][0]["cells"] != []


def test_options_of_data_and_facts_of_metrics(cli, tiny, user, home):
    words = ("run", "metric=size", "data=tiny", "out=o", user.option)
    assert cli(*words, "data.tiny.title=Mine", "+about.size.reference='Me (2020)'").status == 0
    config = yaml.safe_load((home / "o/config.yaml").read_text())
    assert config["data"]["tiny"]["title"] == "Mine"
    assert config["metric"]["size"]["reference"] == "Me (2020)"


# Flags


def test_cfg_shows_what_is_computed(cli, home):
    words = ("run", "--cfg", "job", *QUICK, "metric=wlk", "metric.wlk.K=3", "protocol=v0.2")
    config = yaml.safe_load(cli(*words).out)
    assert config["metric"]["wlk"] == {
        "_target_": "amr_metrics.Wlk",
        **{"K": 3, "direction": "undirected", "level_weights": None, "variant": "2023"},
    }
    assert config["limit"] == 8
    assert not list(home.iterdir())
    package = ("--cfg", "job", "--resolve", "-p", "metric.smatch.solver")
    assert "_target_: amr_metrics.Exact" in cli("run", *package).out


@pytest.mark.parametrize(
    ("what", "expected"),
    [("defaults-tree", "protocol: paper"), ("searchpath", "command-line"), ("plugins", "Sweeper")],
)
def test_info(cli, user, what, expected):
    outcome = cli("run", "--info", what, user.option)
    assert outcome.status == 0, outcome.err
    assert expected in outcome.out


def test_help_is_that_of_hydra_and_names_that_of_the_command(cli):
    out = cli("run", "--help").out
    assert "`bamboo help run` explains the options" in out
    assert "engine: dask, loky, serial" in out


EXPERIMENT = """\
# @package _global_
defaults:
  - override /metric: [smatch, wlk]
  - override /data: sample
  - override /protocol: v0.2
metric:
  wlk: {K: 3}
  wlk4: {_target_: amr_metrics.Wlk, K: 4}
limit: 8
"""


def test_an_experiment_file(cli, user):
    user.yaml("experiment/mine.yaml", {}).write_text(EXPERIMENT)
    words = ("run", user.option, "+experiment=mine", "report=json")
    outcome = cli(*words, "metric.wlk.K=4")
    assert outcome.status == 0, outcome.err
    assert [row["metric"] for row in outcome.json["rows"]] == ["smatch", "wlk K=4", "wlk4"]
    assert "variant=2023" in outcome.json["rows"][1]["signature"]
    assert outcome.json["protocol"] == "v0.2"


def test_a_package_with_metrics_of_ones_own(cli, home, user, monkeypatch):
    monkeypatch.syspath_prepend(home)
    (home / "harness_plugins.py").write_text(PLUGINS)
    conf = home / "theirs" / "conf"
    shutil.copytree(user.path / "metric", conf / "metric")
    for folder in (conf, conf.parent):
        (folder / "__init__.py").touch()
    words = ("run", "hydra.searchpath=[pkg://theirs.conf]", "metric=size", "metric.size.factor=3.5")
    assert rows(cli(*words, *QUICK)) == ["size factor=3.5"]


def test_folders_of_hydra(cli, home, user, tiny):
    """The folder of a job is that of the results, also if it is the working directory."""
    words = ("run", "data=tiny", "metric=size", "--config-dir", os.path.relpath(user.path))
    for folder, typed in {
        "there": ["hydra.run.dir=there"],
        "in/there": ["hydra.run.dir=in/there", "hydra.job.chdir=true"],
        "out": ["out=out", "hydra.job.chdir=true", "hydra/job_logging=default"],
        "runs/run/data=tiny,metric=size": ["hydra.job.chdir=true"],
    }.items():
        for _ in range(2 if "/" in folder else 1):  # the second one replaces the files
            outcome = cli(*words, *typed)
            assert outcome.status == 0, outcome.err
            assert f"written: {home / folder}\n" in outcome.err
        expected = {".hydra", "config.yaml", "result.json", "scores.csv"}
        expected |= {"bamboo.log"} if folder == "out" else set()
        assert {path.name for path in (home / folder).iterdir()} == expected
    assert Path.cwd() == home


def test_a_run_is_repeated_from_its_configuration(cli, home, user, tiny):
    user.yaml("protocol/ranks.yaml", {"statistic": {"main": "spearman"}})
    words = ("run", user.option, "report=json")
    typed = ("metric=size", "metric.size.factor=2.5", "data=tiny", "protocol=ranks", "out=first")
    first = cli(*words, *typed)
    assert first.status == 0, first.err
    again = cli(*words, "--config-path", "first/.hydra", "--config-name", "config")
    assert again.status == 0, again.err
    assert again.result == first.result
    (folder,) = (home / "outputs").glob("*/*")
    assert f"written: {folder}\n" in again.err
    changed = cli(*words, "--config-path", "first/.hydra", "--config-name=config", "limit=3")
    assert changed.status == 0, changed.err
    assert changed.json["rows"][0]["cells"][0]["n"] == 3


def test_the_record_of_a_run(cli, home, user, tiny):
    words = ("run", "data=tiny", "metric=size", "metric.size.factor=2.5", "out=o", user.option)
    assert cli(*words).status == 0
    record = json.loads((home / "o/result.json").read_text())["provenance"]
    assert "metric.size.factor=2.5" in record["command"]
    again = shlex.split(record["command"])[3:]
    assert cli(*again, "out=p").status == 0
    assert (home / "p/scores.csv").read_text() == (home / "o/scores.csv").read_text()
    overrides = yaml.safe_load((home / "o/.hydra/overrides.yaml").read_text())
    assert overrides == [*words[1:4], "out=o"]


NOTEBOOK = """
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from bamboo import run
from bamboo.installation import resource

with initialize_config_dir(str(resource("conf")), version_base="1.3"):
    config = compose("run", ["metric=[wlk,smatch]", "metric.wlk.K=3", "data=sample"])
metrics = [instantiate(node) for node in config.metric.values()]
print(*run(metrics, data=list(config.data), limit=8).signatures)
"""


def test_a_notebook(home, capsys):
    exec(NOTEBOOK, {})
    assert capsys.readouterr().out == "wlk K=3 smatch\n"
