"""Work in jobs of a Slurm cluster, which the tests start on this machine if it is installed."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from bamboo.engines import SERIAL, Slurm
from bamboo.engines.dask import close_connections
from bamboo.errors import EngineError
from tests.bamboo.engines import functions
from tests.bamboo.engines.dask_processes import until
from tests.bamboo.engines.slurm_cluster import CannotStart, slurm_cluster

pytest.importorskip("dask_jobqueue", reason="needs the extra dask: pip install -e '.[dask]'")

pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
SMALL = {"time": "5", "memory": "500MB", "interface": "lo", "workers": 2}


@pytest.fixture(scope="module")
def slurm():
    with tempfile.TemporaryDirectory(prefix="slurm") as folder:
        try:
            with slurm_cluster(Path(folder)):
                yield
                close_connections()
        except CannotStart as reason:
            pytest.skip(f"needs Slurm, which cannot be started here: {reason}")


@pytest.fixture
def own_jobs(slurm):
    """A cluster whose jobs end with the test."""
    yield
    close_connections()
    until(lambda: not queued())


def queued():
    listed = subprocess.run(["squeue", "-h", "-o", "%j %T"], capture_output=True, text=True)
    return listed.stdout.splitlines()


@pytest.mark.slow
def test_calls_are_made_in_jobs(own_jobs, tmp_path):
    engine = Slurm(
        queue="short", **SMALL, setup=("export SET_UP=yes",), logs=tmp_path / "logs", wait=120
    )
    results = list(engine.map(functions.process_of, [(k,) for k in range(20)]))
    assert [number for number, _ in results] == [*range(20)]
    assert len(queued()) == 2
    assert list(engine.map(functions.variable, [("SET_UP",)])) == ["yes"]
    close_connections()
    until(lambda: not queued())
    assert len(list((tmp_path / "logs").iterdir())) == 4  # standard output and error of two jobs


@pytest.mark.slow
def test_nothing_is_written_to_the_working_folder(own_jobs, home):
    assert list(Slurm(**SMALL, wait=120).map(functions.twice, [(1,)])) == [2]
    close_connections()
    until(lambda: not queued())
    assert not list(home.iterdir())


@pytest.mark.slow
def test_several_workers_in_a_job(own_jobs):
    engine = Slurm(**SMALL, per_job=2, wait=120)
    tasks = [(k,) for k in range(10)]
    assert list(engine.map(functions.twice, tasks)) == list(SERIAL.map(functions.twice, tasks))
    assert len(queued()) == 1


@pytest.mark.slow
def test_a_command(own_jobs, cli, user, tiny, home):
    user.yaml("engine/cluster.yaml", {"name": "slurm", "queue": "short", **SMALL, "wait": 120})
    scores = []
    for engine in ("serial", "cluster"):
        out = home / engine
        command = ["run", "data=tiny", user.option, f"engine={engine}", "cache=off", f"out={out}"]
        outcome = cli(*command)
        assert outcome.status == 0, outcome.err
        scores.append((out / "scores.csv").read_bytes())
    assert scores[0] == scores[1]


@pytest.mark.slow
def test_jobs_that_never_start(own_jobs):
    engine = Slurm(queue="closed", **SMALL, wait=5)
    with pytest.raises(EngineError, match=r"has had no workers for 5 s .* squeue shows"):
        list(engine.map(functions.twice, [(1,)]))


@pytest.mark.slow
def test_a_queue_that_does_not_exist(slurm, refused):
    error = refused("run", "data=sample", "engine=slurm", "engine.queue=nowhere")
    assert "Slurm does not accept the jobs of the workers" in error
    assert "invalid partition specified: nowhere" in error
    assert "\n" not in error
    assert not queued()


@pytest.mark.slow
def test_more_memory_than_any_machine_has(slurm, refused):
    options = ["engine=slurm", "engine.memory=900TB", "engine.interface=lo"]
    assert "does not accept the jobs" in refused("run", "data=sample", *options)


@pytest.mark.slow
def test_a_network_interface_that_does_not_exist(slurm, refused):
    error = refused("run", "data=sample", "engine=slurm", "engine.interface=ib9")
    assert "the scheduler cannot be started: " in error
    assert "ib9" in error


@pytest.mark.parametrize(
    ("option", "error"),
    [
        ("engine.time=tomorrow", "engine.time=tomorrow: expected minutes"),
        ("engine.workers=0", "engine.workers=0: use 1 or more"),
        ("engine.per_job=0", "engine.per_job=0: use 1 or more"),
        ("engine.memory=-1GB", "engine.memory=-1GB: expected an amount such as 4GB"),
    ],
)
def test_options(refused, option, error):
    assert error in refused("run", "data=sample", "engine=slurm", option)


def test_a_machine_without_slurm(refused, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    error = refused("run", "data=sample", "engine=slurm")
    assert "the command sbatch is not on this machine's PATH" in error


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["--output=/dev/null"]),
        ({"directives": ("--output=mine",)}, ["--output=/dev/null", "--output=mine"]),  # last wins
        ({"logs": Path("logs")}, ["-e logs/bamboo-%J.err", "-o logs/bamboo-%J.out"]),
    ],
)
def test_the_output_of_jobs_without_a_folder_is_discarded(options, expected, home, monkeypatch):
    sbatch = home / "bin" / "sbatch"
    sbatch.parent.mkdir()
    sbatch.write_text('#!/bin/sh\ncp "$2" script\necho no >&2\nexit 1\n')
    sbatch.chmod(0o755)
    monkeypatch.setenv("PATH", f"{sbatch.parent}:{os.environ['PATH']}")
    with pytest.raises(EngineError, match="Slurm does not accept the jobs of the workers: no"):
        list(Slurm(**SMALL, **options).map(functions.twice, [(1,)]))
    lines = [line.removeprefix("#SBATCH ") for line in (home / "script").read_text().splitlines()]
    assert [line for line in lines if line.startswith(("-e", "-o", "--output"))] == expected
