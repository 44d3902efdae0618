"""Progress of a command: a bar on a terminal, elsewhere a line every 30 seconds."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from amr_metrics import compiled
from bamboo.log import LOG

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress


ESTIMATE_AFTER = 10.0  # seconds of a phase, and at least so many left, before time is estimated
PERIOD = 3600.0  # seconds over which the bar averages the speed: some steps take minutes
REPORT_EVERY = 30.0  # seconds between lines where there is no bar
COMPILING = "compiling kernels, once"  # after an installation or a change of the code


OnStep = Callable[[str, int], None]  # receives what was done, and the number of steps


class Progress:
    """Receives the phases of a command and the steps of each, and logs them at the level DEBUG.

    A phase has a name, such as ``scoring``, and a number of steps. It ends when another phase
    begins or all of its steps are done: the next step then belongs to a new phase.
    """

    def __init__(self) -> None:
        self.phase = ""
        self.total: int | None = None
        self.done = 0
        self.started = time.monotonic()

    def begin(self, phase: str, total: int | None = None) -> None:
        """Begin a phase.

        Args:
            total: the number of its steps; None if it is not known.
        """
        self.phase, self.total, self.done = phase, total, 0
        self.started = time.monotonic()
        LOG.debug("%s", phase if total is None else f"{phase}: {total}")

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
        LOG.debug("%s %d of %d: %s%s", self.phase, self.done, self.total, what, self._estimate())

    def seconds_left(self) -> float | None:
        """Estimate the rest of the phase; None if it is not known."""
        if not self.done or self.total is None:
            return None
        return (time.monotonic() - self.started) / self.done * (self.total - self.done)

    def summary(self) -> str:
        """Describe how far the phase is."""
        done = "" if self.total is None else f" {self.done} of {self.total}"
        return f"{self.phase}{done}{self._estimate()}"

    def _estimate(self) -> str:
        left = self.seconds_left()
        if left is None or min(left, time.monotonic() - self.started) < ESTIMATE_AFTER:
            return ""
        return f", about {left:.0f} s left" if left < 100 else f", about {left / 60:.0f} min left"


class Bar(Progress):
    """A bar on the terminal, with the time that the phase has taken and an estimate of the rest."""

    def __init__(self, display: RichProgress, title: str) -> None:
        super().__init__()
        self.display = display
        self.task = display.add_task(title, total=None)

    def begin(self, phase: str, total: int | None = None) -> None:
        """Begin a phase: the bar and its clock start again."""
        super().begin(phase, total)
        self.display.reset(self.task, total=total, description=phase)

    def __call__(self, what: str, total: int) -> None:
        """Finish one step of the phase."""
        super().__call__(what, total)
        description = f"{self.phase}: {what}"
        self.display.update(
            self.task, completed=self.done, total=self.total, description=description
        )

    def show(self, what: str) -> None:
        """Show what is being done within a step; an empty string when it is finished."""
        self.display.update(self.task, description=what or self.phase)


_shown: list[Progress] = []  # the innermost one is the last


@contextmanager
def progress_reported() -> Iterator[None]:
    """Show while a command runs what it does, where no bar does.

    That is a line every `REPORT_EVERY` seconds unless standard error is a terminal, and one line
    when kernels are compiled, which happens once after an installation or a change. Only
    compilations in this process are known.
    """
    is_terminal = sys.stderr.isatty()
    started, finished, announced = time.monotonic(), threading.Event(), False

    def report() -> None:
        while not finished.wait(REPORT_EVERY):
            phase = _shown[-1].summary() if _shown else "working"
            LOG.info("%s (%.0f s so far)", phase, time.monotonic() - started)

    def show_compilation(compiling: bool) -> None:
        nonlocal announced
        if _shown and isinstance(bar := _shown[-1], Bar):
            bar.show(COMPILING if compiling else "")
        elif compiling and not announced:
            LOG.info(COMPILING)
            announced = True

    if not is_terminal:
        threading.Thread(target=report, daemon=True).start()
    previous, compiled.on_compilation = compiled.on_compilation, show_compilation
    try:
        yield
    finally:
        compiled.on_compilation = previous
        finished.set()


def begin(progress: Callable[[str, int], None], phase: str, total: int | None = None) -> None:
    """Begin a phase, if the function that receives the steps is a `Progress`."""
    if isinstance(progress, Progress):
        progress.begin(phase, total)


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """Show progress, beginning with the phase `title`: a bar if notes are printed on a terminal."""
    with contextlib.ExitStack() as stack:
        progress = Progress()
        if LOG.handlers and LOG.level == logging.INFO and sys.stderr.isatty():
            progress = Bar(stack.enter_context(_display()), title)
        progress.begin(title)
        _shown.append(progress)
        stack.callback(_shown.remove, progress)
        yield progress


def _display() -> RichProgress:
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
