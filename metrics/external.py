"""Metrics from outside: any program that compares two files of graphs, any Python function."""

from __future__ import annotations

import importlib
import inspect
import math
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from metrics.base import HOW, Metric, Pair, Scores
from metrics.errors import MetricError, OptionError, PairError
from metrics.lines import split_lines
from metrics.options import one_of
from metrics.types import Floats
from metrics.writing import format_graph, format_graphs

STDERR_LINES = 12  # of a failed program's messages, the last ones


class ExternalError(MetricError):
    """A program or function from outside that did not give one score a pair."""


@dataclass(frozen=True, kw_only=True)
class CommandMetric(Metric):
    """The scores that a program prints: one number a line, line k for pair k.

    This is the contract of BAMBOO's own evaluation scripts. The program gets two files of graphs
    in Penman notation.

    Attributes:
        command: the program with its arguments; ``{src}`` and ``{tgt}`` stand for the files.
            Arguments are split as a shell does, without running one.
        time_limit: seconds until the program is stopped; None waits for ever.

    Raises:
        OptionError: a command without ``{src}`` and ``{tgt}``, or with a quotation mark that is
            not closed, or a limit that is not positive.
    """

    command: str
    time_limit: float | None = field(default=3600.0, metadata=HOW)

    def __post_init__(self) -> None:
        if "{src}" not in self.command or "{tgt}" not in self.command:
            raise OptionError(f"command {self.command!r} must say where {{src}} and {{tgt}} go")
        try:
            shlex.split(self.command)
        except ValueError as error:
            raise OptionError(f"command {self.command!r} cannot be split: {error}") from None
        if self.time_limit is not None and not self.time_limit > 0:
            raise OptionError("time_limit must be positive, or None")

    @property
    def range(self) -> tuple[float, float]:
        """Any number: nothing is known of the program."""
        return -math.inf, math.inf

    @property
    def symmetric(self) -> bool:
        """False: nothing is known of the program."""
        return False

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Run the program once on all pairs.

        Raises:
            ExternalError: a program that cannot be started, fails, takes too long, or prints
                anything else than one number a line; the message shows its last messages.
        """
        if not pairs:
            return Scores(np.empty(0))
        with tempfile.TemporaryDirectory(prefix="bamboo-") as folder:
            files = {side: Path(folder) / f"{side}.amr" for side in ("src", "tgt")}
            files["src"].write_text(format_graphs(pair.src for pair in pairs), "utf-8")
            files["tgt"].write_text(format_graphs(pair.tgt for pair in pairs), "utf-8")
            output, messages = self._run(files)
        return Scores(_read_scores(output, len(pairs), messages))

    def used_files(self) -> list[Path]:
        """The program, found through PATH, and each file that a word of the command names.

        Words inside a quoted word, the value of ``--option=value`` and the module behind ``-m``
        count too.
        """
        words = shlex.split(self.command)
        words += [part for word in words if " " in word for part in word.split()]
        words += [word.partition("=")[2] for word in words if word.startswith("-") and "=" in word]
        found = []
        for position, word in enumerate(words):
            if position and words[position - 1] == "-m":
                found += _module_files(word)
            if os.path.isfile(word):
                found.append(Path(word))
            elif word and os.path.isfile(os.path.join(word, "__main__.py")):
                found.append(Path(word, "__main__.py"))
            elif word and (program := shutil.which(word)) is not None:
                found.append(Path(program))
        return found

    def _run(self, files: dict[str, Path]) -> tuple[str, str]:
        words = shlex.split(self.command)
        for side, path in files.items():
            words = [word.replace(f"{{{side}}}", str(path)) for word in words]
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=self.time_limit, check=False
            )
        except subprocess.TimeoutExpired:
            raise ExternalError(
                f"{words[0]} did not finish within {self.time_limit:g} s: raise time_limit"
            ) from None
        except OSError as error:
            raise ExternalError(
                f"{words[0]} cannot be started: {error.strerror}. Check its path and that it "
                "may be executed"
            ) from None
        if done.returncode:
            raise ExternalError(
                f"{words[0]} failed with exit status {done.returncode}{_tail(done.stderr)}"
            )
        return done.stdout, done.stderr


@dataclass(frozen=True, kw_only=True)
class FunctionMetric(Metric):
    """The score that a Python function gives a pair.

    Attributes:
        function: the function, or its dotted name (``package.module.function``). It takes the two
            graphs and returns a float.
        takes: what it is handed: ``graphs`` (`metrics.Graph`) or ``penman`` (their notation).

    Raises:
        OptionError: a name that cannot be imported, or is no function.

    >>> same_size = FunctionMetric(function=lambda a, b: float(len(a.concepts) == len(b.concepts)))
    >>> from metrics.reading import parse_graph
    >>> graph = parse_graph("(c / cat)")
    >>> same_size.score([Pair(graph, graph)]).tolist()
    [1.0]
    """

    function: str | Callable[..., float]
    takes: Literal["graphs", "penman"] = "graphs"

    def __post_init__(self) -> None:
        one_of("takes", self.takes, ("graphs", "penman"))
        if not callable(self._function()):
            raise OptionError(f"{self.function!r} is not a function")

    @property
    def range(self) -> tuple[float, float]:
        """Any number: nothing is known of the function."""
        return -math.inf, math.inf

    @property
    def symmetric(self) -> bool:
        """False: nothing is known of the function."""
        return False

    @property
    def description(self) -> str:
        """The function's docstring."""
        return inspect.getdoc(self._function()) or ""

    @property
    def reference(self) -> str:  # type: ignore[override]  # of each function its own
        """The function's attribute ``reference``, if it has one."""
        return str(getattr(self._function(), "reference", ""))

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Call the function on each pair.

        Raises:
            PairError: if it raises, or returns anything else than a finite number; it names the
                pair.
        """
        function = self._function()
        values = np.empty(len(pairs))
        for k, pair in enumerate(pairs):
            graphs = pair if self.takes == "graphs" else tuple(map(format_graph, pair))
            try:
                value = function(*graphs)
            except Exception as error:
                raise PairError(f"{type(error).__name__}: {error}", pair=k) from error
            if isinstance(value, bool) or not isinstance(value, int | float | np.number):
                raise PairError(f"the function returned {value!r}, not a number", pair=k)
            values[k] = value
        return Scores(values)

    def _function(self) -> Callable[..., float]:
        if callable(self.function):
            return self.function
        module, _, name = self.function.rpartition(".")
        try:
            found: Callable[..., float] = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError, ValueError) as error:
            raise OptionError(f"function {self.function!r} cannot be imported: {error}") from None
        return found


def _module_files(name: str) -> list[Path]:
    """The files that ``python -m name`` runs, if they are below the working folder."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return []
    stem = Path(*parts)
    candidates = (stem.with_suffix(".py"), stem / "__main__.py", stem / "__init__.py")
    return [path for path in candidates if path.is_file()]


def _read_scores(output: str, count: int, messages: str) -> Floats:
    """One number a line.

    Raises:
        ExternalError: naming the line that is something else.
    """
    lines = split_lines(output)
    values = np.empty(len(lines))
    for k, line in enumerate(lines):
        try:
            values[k] = float(line)
        except ValueError:
            raise ExternalError(
                f"line {k + 1} of the program's output is {line!r}, not a score{_tail(messages)}"
            ) from None
    if len(lines) != count:
        raise ExternalError(
            f"the program printed {len(lines)} scores for {count} pairs{_tail(messages)}"
        )
    return values


def _tail(messages: str) -> str:
    """The end of what a program wrote to standard error."""
    lines = messages.strip().splitlines()[-STDERR_LINES:]
    return "".join(f"\n    {line}" for line in lines)
