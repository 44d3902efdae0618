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

    A phase has a name, such as ``scoring``, and a number of steps, such as cells. It ends when
    another phase begins or all of its steps are done: the next step then belongs to a new phase.
    Where steps are long, a phase also counts what advances during a step, such as pairs.
    """

    def __init__(self, bar: RichProgress | None = None) -> None:
        self.bar = bar
        self.task = None if bar is None else bar.add_task("")
        self._reset("")

    def _reset(self, phase: str, total: int | None = None, unit: str = "") -> None:
        self.phase, self.total, self.done = phase, total, 0
        self.unit, self.amount, self.reached = unit, None if unit else total, 0
        self.begun = time.monotonic()

    def begin(self, phase: str, total: int | None = None, unit: str = "") -> None:
        """Begin a phase: the bar and its clock start again.

        Args:
            total: the number of its steps; None if it is not known.
            unit: what is counted by `reach`, such as ``pairs``; "": the steps are counted.
        """
        self._reset(phase, total, unit)
        LOG.debug("%s", phase if total is None else f"{phase}: {total}")
        if self.bar is not None and self.task is not None:
            self.bar.remove_task(self.task)
            self.task = self.bar.add_task(phase, total=self.amount)

    def __call__(self, what: str, total: int) -> None:
        """Finish one step of the phase.

        Args:
            what: the step.
            total: the number of steps of the phase.
        """
        if self.total is None:
            self.total = total
        elif total != self.total or self.done >= self.total:
            self.begin(self.phase, total, self.unit)
        self.done += 1
        LOG.debug("%s %d of %d: %s", self.phase, self.done, total, what)
        if not self.unit:
            self.reached, self.amount = self.done, total
        self._draw(f"{self.phase}: {what}")

    def reach(self, count: int, amount: int | None) -> None:
        """Say how much of the phase is done, in its unit.

        Args:
            amount: all of it; None if it is not known.
        """
        self.reached, self.amount = count, amount
        self._draw()

    def _draw(self, description: str | None = None) -> None:
        if self.bar is not None and self.task is not None:
            self.bar.update(
                self.task, completed=self.reached, total=self.amount, description=description
            )

    def __str__(self) -> str:
        """Return what is done of the phase, and about how long the rest will take."""
        if self.amount is None:
            return f"{self.phase}: {self.reached:,} {self.unit}" if self.reached else self.phase
        if self.unit:
            text = f"{self.phase}: {self.reached:,} of {self.amount:,} {self.unit}"
        else:
            text = f"{self.phase} {self.reached} of {self.amount}"
        if not 0 < self.reached < self.amount:
            return text
        seconds = (time.monotonic() - self.begun) / self.reached * (self.amount - self.reached)
        return f"{text}, about {duration(seconds)} left"


def duration(seconds: float) -> str:
    """Return a length of time in whole seconds, minutes or hours.

    >>> duration(0.3), duration(80), duration(500), duration(10_000)
    ('1 s', '80 s', '8 min', '3 h')
    """
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 7200 else f"{round(seconds / 3600)} h"


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


def begin(progress: OnStep, phase: str, total: int | None = None, unit: str = "") -> None:
    """Begin a phase, if the function that receives the steps is a `Progress`."""
    if isinstance(progress, Progress):
        progress.begin(phase, total, unit)


def reach(progress: OnStep, count: int, amount: int | None) -> None:
    """Say how much of the phase is done, if what receives the steps is a `Progress`."""
    if isinstance(progress, Progress):
        progress.reach(count, amount)


@contextmanager
def progress_bar(title: str, drawn: bool = True) -> Iterator[Progress]:
    """Show progress, beginning with the phase `title`: a bar if notes are printed on a terminal.

    Args:
        drawn: False: no bar, for commands that often take less time than importing what draws it.
    """
    with ExitStack() as stack:
        bar = None
        if drawn and LOG.handlers and LOG.level == logging.INFO and sys.stderr.isatty():
            bar = stack.enter_context(_build_bar())
        progress = Progress(bar)
        progress.begin(title)
        _shown.append(progress)
        stack.callback(_shown.remove, progress)
        yield progress


def _build_bar() -> RichProgress:
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
