"""Progress of a command: a bar on a terminal, elsewhere a line every 30 seconds."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from bamboo.log import LOG

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

REPORT_EVERY = 30.0  # seconds between lines where there is no bar
PERIOD = 3600.0  # seconds over which the bar averages the speed: some steps take minutes

OnStep = Callable[[str, int], None]  # receives what was done, and the number of steps


class Progress:
    """Counts the steps of the phases of a command, shows them, and logs them at the level DEBUG.

    A phase has a name, such as ``scoring``, and a number of steps. It ends when another phase
    begins or all of its steps are done: the next step then belongs to a new phase.
    """

    def __init__(self, bar: RichProgress | None = None) -> None:
        self.phase = ""
        self.total: int | None = None
        self.done = 0
        self.bar = bar
        self.task = None if bar is None else bar.add_task("")

    def begin(self, phase: str, total: int | None = None) -> None:
        """Begin a phase: the bar and its clock start again.

        Args:
            total: the number of its steps; None if it is not known.
        """
        self.phase, self.total, self.done = phase, total, 0
        LOG.debug("%s", phase if total is None else f"{phase}: {total}")
        if self.bar is not None and self.task is not None:
            self.bar.reset(self.task, total=total, description=phase)

    def __call__(self, what: str, total: int) -> None:
        """Finish one step of the phase.

        Args:
            what: the step.
            total: the number of steps of the phase.
        """
        if self.total is None:
            self.total = total
        elif total != self.total or self.done >= self.total:
            self.begin(self.phase, total)
        self.done += 1
        LOG.debug("%s: %s", self, what)
        if self.bar is not None and self.task is not None:
            description = f"{self.phase}: {what}"
            self.bar.update(self.task, completed=self.done, total=total, description=description)

    def __str__(self) -> str:
        return self.phase if self.total is None else f"{self.phase} {self.done} of {self.total}"


_shown: list[Progress] = []  # the innermost one is the last


@contextmanager
def progress_reported() -> Iterator[None]:
    """Report what a command does every `REPORT_EVERY` seconds, unless there is a terminal."""
    started, finished = time.monotonic(), threading.Event()

    def report() -> None:
        while not finished.wait(REPORT_EVERY):
            phase = _shown[-1] if _shown else "working"
            LOG.info("%s (%.0f s so far)", phase, time.monotonic() - started)

    if not sys.stderr.isatty():
        threading.Thread(target=report, daemon=True).start()
    try:
        yield
    finally:
        finished.set()


def begin(progress: Callable[[str, int], None], phase: str, total: int | None = None) -> None:
    """Begin a phase, if the function that receives the steps is a `Progress`."""
    if isinstance(progress, Progress):
        progress.begin(phase, total)


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """Show progress, beginning with the phase `title`: a bar if notes are printed on a terminal."""
    with ExitStack() as stack:
        bar = None
        if LOG.handlers and LOG.level == logging.INFO and sys.stderr.isatty():
            bar = stack.enter_context(_bar())
        progress = Progress(bar)
        progress.begin(title)
        _shown.append(progress)
        stack.callback(_shown.remove, progress)
        yield progress


def _bar() -> RichProgress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as RichProgress

    return RichProgress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=False),
        console=Console(stderr=True, force_jupyter=False),
        transient=True,
        speed_estimate_period=PERIOD,
    )
