"""Sweeps: jobs of ``--multirun``, their table, failures, interruption, launchers and sweepers."""

import json
import subprocess
import sys

import pytest
import yaml
from joblib.externals.loky import get_reusable_executor

from bamboo.app.jobs import average_cells

QUICK = ("data=sample", "limit=8", "hydra.sweep.dir=sweep")


def list_values(folder):
    result = json.loads((folder / "result.json").read_text("utf-8"))
    return [cell["value"] for row in result["rows"] for cell in row["cells"]]


def read_table(out):
    """The lines of the table of jobs, split."""
    return [
        line.split() for line in out.partition("Jobs\n")[2].strip().splitlines() if "─" not in line
    ]


def test_a_job_for_every_combination_and_a_table_of_all(cli, home, user, tiny):
    words = ("run", "-m", "metric=smatch,size", "data=tiny,sample", "limit=4", user.option)
    outcome = cli(*words, "hydra.sweep.dir=my sweep")
    assert outcome.status == 0, outcome.err
    header, *lines = read_table(outcome.out)
    assert header == ["job", "metric", "data", "metric", "value"]
    combinations = [("smatch", "tiny"), ("smatch", "sample"), ("size", "tiny"), ("size", "sample")]
    assert [tuple(line[1:3]) for line in lines] == combinations
    for k, line in enumerate(lines):
        folder = home / "my sweep" / str(k)
        assert yaml.safe_load((folder / "config.yaml").read_text())["data"].keys() == {line[2]}
        assert line[-1] == f"{list_values(folder)[0]:.2f}"


def test_a_list_in_brackets_is_one_job(cli, home):
    outcome = cli("run", "metric=[smatch,sema]", *QUICK, "-m", "report=csv")
    assert outcome.status == 0, outcome.err
    assert "Jobs" not in outcome.out
    assert [p.name for p in (home / "sweep").iterdir() if p.is_dir()] == ["0"]
    assert len(list_values(home / "sweep/0")) == 2


def test_a_failing_job_leaves_the_others(cli, home):
    words = ("run", "-m", "data=sample", "limit=1,8", "hydra.sweep.dir=sweep")
    outcome = cli(*words)
    assert outcome.status == 1
    assert [line[:3] for line in read_table(outcome.out)[1:]] == [
        ["0", "1", "failed"],
        ["1", "8", "smatch"],
    ]
    job, *_, last = [line for line in outcome.err.splitlines() if "error: " in line]
    assert (
        job == "job 0 (data=sample limit=1): error: limit=1: use 2 or more pairs, or null for all"
    )
    assert last == "error: 1 of 2 jobs failed: 0"
    assert {path.name for path in (home / "sweep/0").iterdir()} == {".hydra", "error.txt"}
    # In the same folder once more, without the mistake.
    assert cli(*words, "limit=5").status == 0
    assert not list((home / "sweep").glob("*/error.txt"))


def test_jobs_in_folders_named_after_their_options(cli, home):
    subdir = "hydra.sweep.subdir='${limit}/${hydra.job.num}'"
    outcome = cli("run", "-m", "data=sample", "limit=8,1", "hydra.sweep.dir=sweep", subdir)
    assert outcome.status == 1
    assert [line[:3] for line in read_table(outcome.out)[1:]] == [
        ["0", "8", "smatch"],
        ["1", "1", "failed"],
    ]
    assert (home / "sweep/8/0/result.json").is_file()


def test_the_value_that_a_sweeper_optimises(cli, home):
    assert average_cells(home) is None
    assert cli("run", "data=sample", "partition=[main,reify]", "out=one").status == 0
    assert average_cells(home / "one") == pytest.approx(sum(list_values(home / "one")) / 2)
    (home / "weights.json").write_text('{"dev": 0.5}')
    assert average_cells(home) == 50


def test_ctrl_c_ends_a_sweep(cli, home, user, tiny):
    """The job that is running is not scored, and no other one is started."""
    (home / "fuse").write_text("1")
    user.metric("logged", "Logged", factor=1.0, log=str(home / "log"), fuse=str(home / "fuse"))
    words = ("run", "-m", "metric=logged", "metric.logged.factor=1.5,2.5,3.5", "data=tiny")
    outcome = cli(*words, "hydra.sweep.dir=sweep", "report=csv", user.option)
    assert outcome.status == 130
    assert outcome.err.splitlines()[-1].startswith("interrupted: 0 of 1 cells are scored")
    assert [path.parent.name for path in (home / "sweep").glob("*/result.json")] == ["0"]
    assert not (home / "sweep/2").exists()


def test_other_numbers_do_not_replace_a_folder_and_a_failure_keeps_it(cli, home, user, tiny):
    words = ("run", "metric=size", "data=tiny", user.option)
    assert cli(*words).status == 0
    (first,) = (home / "runs/run").iterdir()
    before = {path.name: path.read_bytes() for path in first.glob("*.[cj]s*")}
    (tiny / "test.y").write_text("1\n0.5\n0.25\n0\n")
    for _ in range(2):
        assert f"written: {first}-2\n" in cli(*words).err
    (tiny / "test.y").write_text("x\n")
    assert cli(*words).status == cli(*words, "limit=3").status == 1
    assert {path.name: path.read_bytes() for path in first.glob("*.[cj]s*")} == before
    assert {path.name for path in first.parent.iterdir()} == {first.name, f"{first.name}-2"}


# Plug-ins


@pytest.mark.slow
@pytest.mark.parametrize("launcher", ["joblib", "submitit_local"])
def test_launchers(cli, home, user, tiny, launcher):
    get_reusable_executor().shutdown()  # joblib cannot use the processes of engine=loky
    words = ("run", "-m", "metric=size", "metric.size.factor=1.5,2.5", "data=tiny", user.option)
    outcome = cli(*words, f"hydra/launcher={launcher}", "limit=1,4", "hydra.sweep.dir=sweep")
    assert outcome.status == 1
    assert [line[:4] for line in read_table(outcome.out)[1:]] == [
        ["0", "1.5", "1", "failed"],
        ["1", "1.5", "4", "size"],
        ["2", "2.5", "1", "failed"],
        ["3", "2.5", "4", "size"],
    ]
    assert "error: 2 of 4 jobs failed: 0, 2" in outcome.err


@pytest.mark.slow
def test_the_optuna_sweeper(home):
    """In a process of its own: its packages use what Python will remove."""
    words = (
        "run",
        "-m",
        "metric=wlk",
        "metric.wlk.K=choice(1,2,3)",
        *QUICK,
        "hydra/sweeper=optuna",
    )
    of_sweeper = ("n_trials=3", "n_jobs=1", "direction=maximize", "sampler.seed=1")
    command = [sys.executable, "-m", "bamboo", *words, *(f"hydra.sweeper.{w}" for w in of_sweeper)]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    best = yaml.safe_load((home / "sweep/optimization_results.yaml").read_text())
    values = [average_cells(home / f"sweep/{k}") for k in range(3)]
    assert best["best_value"] == max(values)
