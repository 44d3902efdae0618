"""Workers in jobs of a Slurm cluster."""

from __future__ import annotations

import logging
import math
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Literal

from bamboo.engines.dask import Cluster, check_memory, first_line
from bamboo.errors import ConfigError, EngineError

TIME = re.compile(r"\d+|\d+:\d+(:\d+)?|\d+-\d+(:\d+){0,2}")  # as sbatch takes it


@dataclass(frozen=True, kw_only=True)
class Slurm(Cluster):
    """The options in ``conf/engine/slurm.yaml``.

    The scheduler runs in this process, and the jobs connect to it. They end when this process ends.

    Attributes:
        name: its name.
        queue: the partition of the cluster; None for its default.
        account: the account to charge; None for the user's default.
        time: the time limit of each job.
        workers: number of worker processes.
        per_job: worker processes in each job, with one core each.
        memory: of each worker.
        setup: lines of the job script before the worker is started.
        directives: further options of ``sbatch``.
        interface: the network interface that workers and this machine use.
        logs: the folder for the output of the jobs; None for that in the configuration of
            dask-jobqueue, or to discard it.

    Raises:
        ConfigError: an invalid option.
    """

    name: Literal["slurm"] = "slurm"
    queue: str | None = None
    account: str | None = None
    time: str = "01:00:00"
    workers: int = 4
    per_job: int = 1
    memory: str = "4GB"
    setup: tuple[str, ...] = ()
    directives: tuple[str, ...] = ()
    interface: str | None = None
    logs: Path | None = None
    wait: float = 600.0

    advice: ClassVar[str] = (
        "squeue shows whether the jobs wait or ended; set a larger engine.wait, or another "
        "engine.queue or engine.time, or engine.logs=FOLDER for their output"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("workers", "per_job"):
            if getattr(self, name) < 1:
                raise ConfigError(f"engine.{name}={getattr(self, name)}: use 1 or more")
        if not TIME.fullmatch(self.time):
            raise ConfigError(
                f"engine.time={self.time}: expected minutes, hours:minutes:seconds or days-hours"
            )
        check_memory(self.memory)

    def scheduler(self) -> Any:
        """See `Cluster.scheduler`."""
        jobqueue, utils = import_module("dask_jobqueue"), import_module("dask.utils")
        if shutil.which("sbatch") is None:
            raise EngineError("engine=slurm: the command sbatch is not on this machine's PATH")
        memory = utils.parse_bytes(self.memory) * self.per_job
        jobs = math.ceil(self.workers / self.per_job)
        try:
            cluster = jobqueue.SLURMCluster(
                queue=self.queue,
                account=self.account,
                walltime=self.time,
                cores=self.per_job,
                processes=self.per_job,
                memory=f"{memory}B",
                job_script_prologue=list(self.setup),
                job_extra_directives=[*_discarding(self.logs), *self.directives],
                interface=self.interface,
                log_directory=None if self.logs is None else str(self.logs),
                death_timeout=self.wait,
                scheduler_options={"dashboard_address": ":0"},
                job_name="bamboo",
                silence_logs=logging.CRITICAL,
            )
        except (OSError, RuntimeError, ValueError) as error:
            raise EngineError(f"the scheduler cannot be started: {first_line(error)}") from None
        try:
            check_job(cluster.job_script())
            cluster.scale(jobs=jobs)
        except BaseException:
            cluster.close(timeout=10)
            raise
        return cluster


def _discarding(logs: Path | None) -> list[str]:
    """Return the ``sbatch`` option that discards a job's output if there is no folder for it.

    Slurm would write it to the current folder. A temporary folder of this machine would not exist
    on the machine that runs the job.
    """
    if logs is not None or import_module("dask.config").get("jobqueue.slurm.log-directory", None):
        return []
    return ["--output=/dev/null"]


def check_job(script: str) -> None:
    """Let ``sbatch`` check a job script without starting a job.

    Raises:
        EngineError: with its message, such as that there is no such queue.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".sh", encoding="utf-8") as file:
        file.write(script)
        file.flush()
        command = ["sbatch", "--test-only", file.name]
        try:
            test = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EngineError(f"sbatch cannot be run: {first_line(error)}") from None
    if test.returncode:
        problem = " ".join((test.stderr or test.stdout).split())
        raise EngineError(f"Slurm does not accept the jobs of the workers: {problem}")
