"""Progress of a command: a bar on a terminal, lines with ``verbose=true``, otherwise nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bamboo import messages
from metrics.compiled import compilation_observed

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress


ESTIMATE_AFTER = 10.0  # seconds of a phase, and at least so many left, before time is estimated
PERIOD = 3600.0  # seconds over which the bar averages the speed: some steps take minutes
COMPILING = "compiling kernels, once"


class Progress:
    """Receives the phases of a command and the steps of each; this class shows nothing.

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

    def seconds_left(self) -> float | None:
        """An estimate of the rest of the phase; None if it is not known."""
        if not self.done or self.total is None:
            return None
        return (time.monotonic() - self.started) / self.done * (self.total - self.done)

    def show(self, what: str) -> None:
        """Show what is being done within a step; an empty string when it is finished."""


class Lines(Progress):
    """A line on standard error for each phase and each step."""

    def begin(self, phase: str, total: int | None = None) -> None:
        """Begin a phase."""
        super().begin(phase, total)
        messages.detail(phase if total is None else f"{phase}: {total}")

    def __call__(self, what: str, total: int) -> None:
        """Finish one step of the phase."""
        super().__call__(what, total)
        messages.detail(f"{self.phase} {self.done} of {self.total}: {what}{self._estimate()}")

    def _estimate(self) -> str:
        """The rest of a long phase, in words."""
        left = self.seconds_left()
        if left is None or min(left, time.monotonic() - self.started) < ESTIMATE_AFTER:
            return ""
        return f", about {left:.0f} s left" if left < 100 else f", about {left / 60:.0f} min left"

    def show(self, what: str) -> None:
        """Show what is being done within a step."""
        if what:
            messages.detail(what)


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
        """Show what is being done within a step."""
        self.display.update(self.task, description=what or self.phase)


@contextmanager
def compilation_shown(progress: Progress) -> Iterator[None]:
    """Show when kernels are compiled, which happens once after an installation or a change.

    Only compilations in this process are known.
    """

    def show(compiling: bool) -> None:
        progress.show(COMPILING if compiling else "")

    with compilation_observed(show):
        yield


@contextmanager
def compilation_announced() -> Iterator[None]:
    """Print a line on a terminal when kernels are compiled and no progress bar shows it."""
    announced = False

    def announce(compiling: bool) -> None:
        nonlocal announced
        if not announced and sys.stderr.isatty():
            messages.note(COMPILING)
            announced = True

    with compilation_observed(announce):
        yield


def begin(progress: Callable[[str, int], None], phase: str, total: int | None = None) -> None:
    """Begin a phase, if the function that receives the steps is a `Progress`."""
    if isinstance(progress, Progress):
        progress.begin(phase, total)


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """Show progress on standard error, beginning with the phase `title`."""
    settings = messages.current()
    if settings.verbose:
        lines = Lines()
        lines.begin(title)
        yield lines
        return
    if settings.quiet or not sys.stderr.isatty():
        yield Progress()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as RichProgress

    columns = (
        *(TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()),
        *(
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(elapsed_when_finished=False),
        ),
    )
    console = Console(stderr=True, force_jupyter=False)
    with RichProgress(
        *columns, console=console, transient=True, speed_estimate_period=PERIOD
    ) as display:
        bar = Bar(display, title)
        bar.begin(title)
        yield bar
