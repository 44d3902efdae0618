"""Hydra's flags, prefixes and ``hydra.*`` options."""

import importlib.metadata
import json
import re
import subprocess
import sys

import pytest
import yaml

from bamboo.app.application import objective
from tests.configured import configured

QUICK = ("data=sample", "limit=8", "report=csv")


def values(folder):
    result = json.loads((folder / "result.json").read_text("utf-8"))
    return [cell["value"] for row in result["rows"] for cell in row["cells"]]


def test_a_multirun_is_a_job_for_every_combination(cli, home):
    outcome = cli("run", "-m", "metric=[smatch,sema]", "seed=0,1", *QUICK, "hydra.sweep.dir=sweep")
    assert outcome.status == 0, outcome.err
    folders = sorted(path for path in (home / "sweep").iterdir() if path.is_dir())
    assert [folder.name for folder in folders] == ["0", "1", "2", "3"]
    configs = [yaml.safe_load((f / "config.yaml").read_text()) for f in folders]
    assert [(list(c["metric"]), c["seed"]) for c in configs] == [
        (["smatch"], 0),
        (["smatch"], 1),
        (["sema"], 0),
        (["sema"], 1),
    ]
    single = cli("run", "metric=sema", *QUICK, "report=json").json
    assert values(folders[2]) == [single["rows"][0]["cells"][0]["value"]]
    assert outcome.out.count("metric,data,partition") == 4


def test_a_multirun_of_names_options_of_metrics_and_paths(cli, home, user, tiny):
    arguments = ("metric=size", "metric.factor=1.5,2.5", "data=[tiny,sample]", "limit=4")
    outcome = cli(
        *("run", "--multirun", *arguments, "protocol=spearman", "metric.standardize=none"),
        *(user.option, "report=csv", "hydra.sweep.dir=my sweep"),
    )
    assert outcome.status == 0, outcome.err
    folders = [path for path in (home / "my sweep").iterdir() if path.is_dir()]
    configs = [yaml.safe_load((folder / "config.yaml").read_text()) for folder in folders]
    combinations = {
        (*config["data"], *(m["factor"] for m in config["metric"].values())) for config in configs
    }
    assert combinations == {(data, factor) for data in ("tiny", "sample") for factor in (1.5, 2.5)}
    assert {config["protocol"]["name"] for config in configs} == {"spearman"}
    assert len(configs) == 4


def test_a_list_in_brackets_and_all_are_one_job(cli, home):
    outcome = cli("run", "-m", "metric=[smatch,sema]", *QUICK, "hydra.sweep.dir=sweep")
    assert outcome.status == 0, outcome.err
    assert [p.name for p in (home / "sweep").iterdir() if p.is_dir()] == ["0"]
    assert len(values(home / "sweep/0")) == 2


def test_a_failing_job_ends_the_command(cli):
    outcome = cli("run", "-m", "data=sample", "limit=1,5", "hydra.sweep.dir=sweep", "report=csv")
    assert outcome.status == 1
    assert "error: limit=1: use 2 or more pairs" in outcome.err
    assert "Traceback" not in outcome.err
    assert cli("run", "data=sample").status == 0  # no trace of Hydra's application is left


def test_the_value_that_a_sweeper_optimises(cli, home):
    assert objective(home) is None
    assert cli("run", "data=sample", "partition=[main,reify]", "out=one").status == 0
    first, second = values(home / "one")
    assert objective(home / "one") == pytest.approx((first + second) / 2)
    (home / "weights.json").write_text('{"dev": 0.5}')
    assert objective(home) == 0.5


def plugin(name):
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


@pytest.mark.skipif(
    not plugin("hydra-joblib-launcher"), reason="needs the package hydra-joblib-launcher"
)
def test_the_joblib_launcher(cli, home, user, tiny):
    outcome = cli(
        *("run", "-m", "metric=size", "metric.factor=1.5,2.5", "data=tiny", user.option),
        *("hydra/launcher=joblib", "hydra.sweep.dir=sweep"),
    )
    assert outcome.status == 0, outcome.err
    assert len(list((home / "sweep").glob("*/result.json"))) == 2


@pytest.mark.slow  # starts a process that starts others
@pytest.mark.skipif(
    not plugin("hydra-joblib-launcher"), reason="needs the package hydra-joblib-launcher"
)
def test_jobs_in_other_processes_print_their_reports(home):
    words = "run", "-m", "metric=smatch,sema", "data=sample", "hydra/launcher=joblib"
    command = [sys.executable, "-m", "bamboo", *words, "hydra.sweep.dir=sweep"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.count("BAMBOO, protocol paper") == 2


@pytest.mark.skipif(
    not plugin("hydra-optuna-sweeper"), reason="needs the package hydra-optuna-sweeper"
)
def test_the_optuna_sweeper(cli, home):
    outcome = cli(
        *("run", "-m", "metric=wlk", "metric.K=1,2,3", "data=sample", "hydra/sweeper=optuna"),
        *("hydra.sweeper.n_trials=3", "hydra.sweeper.n_jobs=1", "hydra.sweeper.direction=maximize"),
        "hydra.sweep.dir=sweep",
    )
    assert outcome.status == 0, outcome.err
    best = yaml.safe_load((home / "sweep/optimization_results.yaml").read_text())
    assert best["best_value"] == max(objective(home / f"sweep/{k}") or 0 for k in range(3))


def test_cfg_shows_the_configuration(cli, home):
    arguments = ("metric=wlk", "metric.K=3", "data=sample", "limit=5")
    config = yaml.safe_load(cli("run", "--cfg", "job", *arguments).out)
    assert (config["options"], config["limit"]) == ({"K": 3}, 5)
    assert config["lists"] == {"metric": ["wlk"], "data": ["sample"]}
    assert not list(home.iterdir())


def test_cfg_of_a_package_and_of_hydra(cli):
    assert yaml.safe_load(cli("run", "-c", "job", "-p", "protocol").out)["name"] == "paper"
    assert "hydra:" in cli("run", "--cfg", "all", "--resolve").out


@pytest.mark.parametrize("what", ["defaults", "defaults-tree", "searchpath", "plugins", "config"])
def test_info(cli, user, what):
    outcome = cli("run", "--info", what, user.option)
    assert outcome.status == 0, outcome.err
    expected = {"searchpath": str(user.path.resolve()).replace(" ", " "), "plugins": "Sweeper"}
    assert expected.get(what, "protocol") in outcome.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--config-name=x"], "unknown option '--config-name'"),
        (["--ci"], "'--ci' is not of the form key=value: did you mean ci=...?"),
        (["hydra.rnu.dir=x"], "Could not override 'hydra.rnu.dir'"),
        (["-m", "metric=[smacth,wlk]"], "smacth"),
        (["-m", "smatch"], "did you mean metric=smatch?"),
        (["-c", "smatch"], "argument --cfg/-c: invalid choice: 'smatch'"),
        (["-p", "data"], "--resolve and --package require --cfg"),
        (["-m", "--info"], "argument --info/-i: not allowed with argument --multirun/-m"),
        (["~metric"], "'~metric' is not of the form key=value"),
        (["metric=wlk", "metric=sema"], "metric is given twice: write metric=wlk,sema"),
    ],
)
def test_mistakes(refused, arguments, message):
    assert message in refused("run", "data=sample", *arguments)


def test_prefixes():
    assert configured("run", ["++seed=3"]).options["seed"] == 3
    assert configured("run", ["++out=a b"]).options["out"] == "a b"
    job = configured("run", ["metric=smatch", "+metric.by_data.sts.root=none"]).rows[0]
    assert (job.on("sts").root, job.on().root) == ("none", "concept")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bamboo co", "compare"),
        ("bamboo run metric=smatch_", "metric=smatch_1.0 metric=smatch_1.0.2"),
        ("bamboo compare permut", "permutations="),
        ("bamboo run protocol=p", "protocol=paper"),
    ],
)
def test_completion(cli, monkeypatch, line, expected):
    monkeypatch.setenv("COMP_LINE", line)
    assert cli("-sc", "query=bash").out.strip() == expected


def test_completion_is_installed_by_hydras_script(cli):
    assert "hydra_bash_completion" in cli("-sc", "install=bash").out
    assert "Expecting one subcommand" in cli("--shell-completion", "nothing").err


def test_a_sweep_ends_with_a_table_of_its_jobs(cli, user):
    """One line for each job and metric, with the options that differ."""
    out = cli("run", "-m", "metric=wlk", "metric.K=1,2", "data=sample").out
    table = out[out.index("\nJobs\n") :].split("\n\n")[1].splitlines()
    assert table[0].split() == ["job", "metric.K", "metric", "value"]
    values = [float(line.split()[-1]) for line in re.findall(r"^  wlk.*$", out, re.M)]
    lines = [line.split() for line in table[2:]]
    assert [line[:2] for line in lines] == [["0", "1"], ["1", "2"]]
    assert [float(line[-1]) for line in lines] == values
    assert "\nJobs\n" not in cli("run", "metric=wlk", "data=sample").out
    assert "\nJobs\n" not in cli("compare", "-m", "metric=[wlk,sema]", "seed=0,1", "data=sample",
                                 "permutations=20", "resamples=20").out[:9]  # fmt: skip


def test_jobs_do_not_replace_the_results_of_one_another(cli, refused, home):
    words = "run", "-m", "metric=smatch", "data=sample", "seed=0,1"
    assert "each job would replace out=tried" in refused(*words, "out=tried")
    assert not (home / "tried").exists()
    assert cli(*words, "out=tried-${seed}").status == 0
    assert all((home / f"tried-{seed}" / "result.json").exists() for seed in (0, 1))
