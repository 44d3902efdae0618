"""A disk that is full at a random moment: the message names the file, and nothing half is used."""

import contextlib
import os
import shutil
import subprocess

from tests.fuzz.campaign import Skipped, home
from tests.fuzz.processes import RUN, finish, leftovers, numbers, start

ORDER = 90
COMMANDS = {
    "run": (*RUN, "out={disk}/out"),
    "run to the folder of runs": RUN,
    "site": ("site", "data=sample", "partition=main", "out={disk}/site", "permutations=50"),
    "explain": ("explain", "data=sample", "pair=1", "out={disk}/pair.svg"),
}


def campaign(rng, budget):
    """Fill a small disk but for a random number of bytes, and run a command that writes to it."""
    tried, failures = 0, []
    with home() as folder, small_disk(folder / "disk") as disk:
        status, _, err = finish(start(*RUN, "out=whole", folder=folder))
        if status != 0:
            return 1, [f"the whole run failed: {err[-300:]}"]
        expected = numbers(folder / "whole")
        for case in budget.cases():
            tried += 1
            name = list(COMMANDS)[case % len(COMMANDS)]
            room = int(rng.choice([0, 4096, 8192, 20_000, 60_000, 200_000]))
            problem = _problem(name, room, folder, disk, expected)
            if problem:
                failures.append(f"case {case}: {name} with {room} bytes: {problem}")
    return tried, failures


def _problem(name, room, folder, disk, expected):
    for path in disk.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    _fill(disk / "filling", room)
    arguments = [argument.format(disk=disk) for argument in COMMANDS[name]]
    status, _, err = finish(start(*arguments, folder=folder, runs=disk / "runs"))
    if "Traceback" in err or "Exception ignored" in err:
        return f"a traceback: {err[-300:]!r}"
    if status != 0:
        last = err.strip().splitlines()[-1:] or [""]
        if status != 1 or not last[0].startswith("error: ") or str(disk) not in last[0]:
            return f"status {status}: {err[-300:]!r}"
    if left := leftovers(disk):
        return f"unfinished files {left}"
    (disk / "filling").unlink()
    status, _, err = finish(start(*arguments, folder=folder, runs=disk / "runs"))
    if status != 0 or "warning" in err:
        return f"with space again: status {status}, {err[-300:]!r}"
    if name == "run" and numbers(disk / "out") != expected:
        return "with space again: other numbers"
    return None


def _fill(path, room):
    """Write a file so large that `room` bytes are left."""
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(1 << 16))
    size = path.stat().st_size
    os.truncate(path, max(0, size - room))


@contextlib.contextmanager
def small_disk(folder):
    """A file system of 3 MB in memory, mounted at a new folder.

    Raises:
        Skipped: it cannot be mounted.
    """
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Skipped(f"no disk can be mounted: {error.strerror}") from None
    if done.returncode:
        raise Skipped(f"no disk can be mounted: {' '.join(done.stderr.split())}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=False)
