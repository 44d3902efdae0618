"""What all campaigns share: budgets, damaged bytes, and the outcome of a command.

A campaign is a module in ``tests/fuzz/campaigns`` with a function

    def campaign(rng: np.random.Generator, budget: Budget) -> tuple[int, list[str]]

which returns how many cases it tried and one line for each case that failed. It draws everything
from `rng`, runs one case for each number of `budget.cases()`, and raises `Skipped` where the
machine lacks something that it needs. ``ORDER`` (an integer, 50 by default) sets its position.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from bamboo.app.main import main
from bamboo.log import HIDDEN

# Pieces that replace parts of a file: numbers at the limits of their types, other digits,
# characters that are not text, nesting, and aliases.
PIECES = (
    *(b"", b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\x1b[31m", b"\r", b"\n\n", b"\t"),
    *(b"NaN", b"inf", b"-1", b"1e999", b"1_0", b"0_1", b"99999999999 100", b"true", b"null"),
    *("٣".encode(), b'"\\ud800"', b"{}", b"[]", b"[[1]]", b'"', b"'", b"&a [*a]", b"{x: *a}"),
    *(b"9" * 400, b"1" + b"0" * 5000, b"[" * 3000, b"(" * 3000, b"4611686018427387904"),
)


class Skipped(Exception):
    """The campaign cannot run here; the message says why."""


@dataclass
class Budget:
    """How long a campaign may run.

    Attributes:
        seconds: no case starts after this time.
        most: the number of cases; None for no limit.
    """

    seconds: float
    most: int | None = None
    start: float = field(default_factory=time.monotonic)

    def split(self, count):
        """The budgets of `count` processes that run at the same time."""
        if self.most is None:
            return [self] * count
        return [replace(self, most=(self.most + k) // count) for k in range(count)]

    def cases(self):
        """The numbers of the cases, until the time is up; always at least one case."""
        for batch in self.batches(1):
            yield batch.start

    def batches(self, size):
        """The numbers of the cases, `size` at a time; the last batch may have fewer."""
        begin = 0
        while begin == 0 or time.monotonic() - self.start < self.seconds:
            end = begin + size if self.most is None else min(begin + size, self.most)
            if end <= begin:
                return
            yield range(begin, end)
            begin = end


@dataclass(frozen=True)
class Outcome:
    """What a command did: its status and output, or the exception that it let through."""

    status: int | None
    out: str
    err: str
    escaped: str = ""

    def problem(self, *named):
        """Why this is not how a command ends: with a result, or with one error.

        Args:
            named: what the message of an error must contain one of, such as the file's name.
        """
        if self.escaped:
            return self.escaped
        if "Traceback" in self.err or "Traceback" in self.out:
            return f"a traceback: {self.err[-300:]!r}"
        if HIDDEN.search(self.err) or (self.status == 0 and HIDDEN.search(self.out)):
            return f"control characters in its messages: {self.err[-300:]!r}"
        if self.status == 0:
            return None
        if self.status != 1 or self.out:
            return f"status {self.status}, output {self.out[:80]!r}, messages {self.err[-200:]!r}"
        error = self.err.rpartition("error: ")[2]
        if not self.err.rpartition("error: ")[1] or (
            named and not any(name in error for name in named)
        ):
            return f"the message does not name {' or '.join(named)}: {self.err[-300:]!r}"
        return None


def command(*arguments):
    """Run one command in this process."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(list(arguments))
    except Exception as error:
        return Outcome(None, out.getvalue(), err.getvalue(), described(error))
    return Outcome(status, out.getvalue(), err.getvalue())


def described(error):
    """An exception and where it was raised, in one line."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    return f"{type(error).__name__} at {where}: {str(error)[:200]!r}"


@contextlib.contextmanager
def home():
    """A new working folder with the project's folders of data and runs in it."""
    before = Path.cwd()
    names = ("BAMBOO_DATA_DIR", "BAMBOO_RUNS_DIR", "BAMBOO_CACHE_DIR", "BAMBOO_SOURCE")
    kept = {name: os.environ.pop(name, None) for name in (*names, "BAMBOO_VECTORS")}
    with tempfile.TemporaryDirectory(prefix="bamboo-fuzz-") as folder:
        try:
            os.chdir(folder)
            for name, part in zip(names[:3], ("data", "runs", "cache"), strict=True):
                os.environ[name] = str(Path(folder) / part)
            yield Path(folder)
        finally:
            os.chdir(before)
            for name, value in kept.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


def damaged(rng, content):
    """A damaged copy of a file, and what was done to it."""
    size = len(content)
    at = int(rng.integers(0, size + 1))
    end = min(size, at + int(rng.integers(0, 40)))
    kind = int(rng.integers(0, 8))
    if kind < 3 and size:
        at = min(at, size - 1) if kind else int(rng.integers(0, min(size, 200)))
        bit = 1 << int(rng.integers(0, 8))
        return content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :], f"bit {bit} at {at}"
    if kind == 3:
        return content[:at], f"cut at {at}"
    if kind == 4:
        return content[:at] + content[end:], f"without {at}..{end}"
    if kind == 5:
        return content[:end] + content[at:], f"{at}..{end} twice"
    if kind == 6:
        noise = rng.integers(0, 256, end - at, dtype=np.uint8).tobytes()
        return content[:at] + noise + content[end:], f"noise at {at}..{end}"
    piece = PIECES[int(rng.integers(0, len(PIECES)))]
    return content[:at] + piece + content[end:], f"{piece[:12]!r} for {at}..{end}"


def flipped(rng, content):
    """A copy of a file with one to three bits changed, half of them in its head or its end."""
    changed = bytearray(content)
    places = []
    for _ in range(int(rng.integers(1, 4))):
        kind, edge = int(rng.integers(0, 4)), min(len(content), 160)
        at = int(rng.integers(0, edge if kind in (0, 1) else len(content)))
        at = len(content) - 1 - at if kind == 1 else at
        changed[at] ^= 1 << int(rng.integers(0, 8))
        places.append(str(at))
    return bytes(changed), f"bits at {', '.join(places)}"


Damage = Callable[[np.random.Generator, bytes], tuple[bytes, str]]
