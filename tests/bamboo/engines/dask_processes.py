"""Schedulers and workers in processes of their own, on the loopback address."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).parents[3]
PATHS = os.pathsep.join([str(ROOT), *[str(ROOT / "tests" / name) for name in ("", "bamboo")]])


class Processes:
    """A scheduler, and workers that are started and killed one by one."""

    def __init__(self, stack, folder):
        self._stack = stack
        self._folder = folder
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            port = listener.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"
        )

    def worker(self, *options, nanny=False, env=None, without=None):
        """Start a worker.

        Args:
            without: a folder that is empty for the worker.
        """
        command = ["worker", self.address, "--nthreads", "1", "--no-dashboard"]
        command += ["--host", "127.0.0.1", "--local-directory", str(self._folder)]
        command += [*([] if nanny else ["--no-nanny"]), *options]
        return self._start(*command, env=env, without=without)

    def _start(self, *command, env=None, without=None):
        script = 'mount -t tmpfs none "$0" && exec "$@"'
        hidden = [] if without is None else ["unshare", "-m", "sh", "-c", script, str(without)]
        process = subprocess.Popen(
            [*hidden, sys.executable, "-m", "dask", *command],
            cwd=self._folder,
            env={**os.environ, "PYTHONPATH": PATHS, **(env or {})},
            stdout=subprocess.DEVNULL,
            stderr=(self._folder / "dask.log").open("ab"),
            start_new_session=True,
        )
        self._stack.callback(end, process)
        return process


def end(process):
    """Kill a process with the processes that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def processes(folder):
    with ExitStack() as stack:
        yield Processes(stack, folder)


def can_hide_folders():
    """Whether a process can be started for which a folder is empty (`Processes.worker`)."""
    try:
        command = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
        return subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def until(condition, seconds=60):
    """Wait until a condition holds."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "the condition does not hold in time"
        time.sleep(0.05)
