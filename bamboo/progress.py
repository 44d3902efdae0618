"""A progress bar, shown only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[str, int], None]]:
    """Show a bar on standard error; yields a function of a description and the total."""
    if not sys.stderr.isatty():
        yield lambda what, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task(title, total=None)

        def advance(what: str, total: int) -> None:
            bar.update(task, description=what, total=total, advance=1)

        yield advance
