"""External metrics: any program that compares two files of graphs, and any Python function."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import math
import os
import shlex
import shutil
import subprocess
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from amr_metrics.base import HOW, Metric, Pair, Scores
from amr_metrics.errors import (
    ExitError,
    MetricError,
    OptionError,
    PairError,
    SetupError,
    is_interrupt,
)
from amr_metrics.reading.writing import format_graph, format_graphs
from amr_metrics.types import Floats
from amr_metrics.utils.text import decimal, format_count, split_lines
from amr_metrics.utils.user_code import guard_user_code

OUTPUT, OUTPUT_PER_PAIR = 1_000_000, 1_000  # bytes that a program can print
CHECK_EVERY = 0.2  # seconds between two looks at how much a program has printed
STDERR_LINES = 12  # the last lines of a failed program's standard error that a message shows


class ExternalError(MetricError):
    """An external program that fails or does not print one score per pair."""


class StartError(ExternalError, SetupError):
    """An external program that cannot be started."""


@dataclass(frozen=True, kw_only=True)
class ExternalMetric(Metric):
    """A metric whose scores come from code outside this library."""

    @property
    def range(self) -> tuple[float, float]:
        """Unbounded, since the code is not known."""
        return -math.inf, math.inf

    @property
    def symmetric(self) -> bool:
        """False, since the code is not known."""
        return False


@dataclass(frozen=True, kw_only=True)
class CommandMetric(ExternalMetric):
    """Scores printed by an external program: one number per line, line k for pair k.

    This is the interface that BAMBOO's evaluation scripts expect. The program receives two files
    of graphs in Penman notation.

    Attributes:
        command: the program with its arguments; ``{src}`` and ``{tgt}`` are replaced by the paths
            of the files. Arguments are split as in a shell, but no shell is run.
        time_limit: seconds until the program is stopped; None means no limit.

    Raises:
        OptionError: if the command lacks ``{src}`` or ``{tgt}``, has an unclosed quotation mark or
            a NUL character, or the limit is not positive.
    """

    takes: ClassVar[str] = "penman"  # see `FunctionMetric`
    scores_at_once = True

    command: str
    time_limit: float | None = field(default=3600.0, metadata=HOW)

    def __post_init__(self) -> None:
        if "{src}" not in self.command or "{tgt}" not in self.command:
            raise OptionError(f"command {self.command!r} must contain {{src}} and {{tgt}}")
        try:
            shlex.split(self.command)
        except ValueError as error:
            raise OptionError(f"command {self.command!r} cannot be split: {error}") from None
        if "\0" in self.command:
            raise OptionError(f"command {self.command!r} contains a NUL character: remove it")
        if self.time_limit is not None and not self.time_limit > 0:
            raise OptionError("time_limit must be positive, or None")

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Run the program once on all pairs.

        Raises:
            StartError: if the program cannot be started.
            ExternalError: if it fails, exceeds the time limit, prints
                far too much, or does not print one number per line; the message ends with its
                error output.
        """
        if not pairs:
            return Scores(np.empty(0))
        with tempfile.TemporaryDirectory(prefix="bamboo-") as folder:
            files = {side: Path(folder) / f"{side}.amr" for side in ("src", "tgt")}
            texts = {
                "src": format_graphs(pair.src for pair in pairs),
                "tgt": format_graphs(pair.tgt for pair in pairs),
            }
            try:
                for side, path in files.items():
                    path.write_text(texts[side], "utf-8")
            except OSError as error:
                raise ExternalError(
                    f"the graphs cannot be written to {folder}: {error.strerror}. Free some space, "
                    "or set TMPDIR to another folder"
                ) from None
            output, messages = self._run(files, OUTPUT + OUTPUT_PER_PAIR * len(pairs))
        return Scores(_read_scores(output, len(pairs), messages))

    def used_files(self) -> list[Path]:
        """Return the program, located through PATH, and each file named in the command.

        Words inside a quoted argument, the value of ``--option=value`` and the module after ``-m``
        are included.
        """
        words = shlex.split(self.command)
        words += [part for word in words if " " in word for part in word.split()]
        words += [word.partition("=")[2] for word in words if word.startswith("-") and "=" in word]
        files = []
        for position, word in enumerate(words):
            if position and words[position - 1] == "-m":
                files += _find_module_files(word)
            if os.path.isfile(word):
                files.append(Path(word))
            elif word and os.path.isfile(os.path.join(word, "__main__.py")):
                files.append(Path(word, "__main__.py"))
            elif word and (program := shutil.which(word)) is not None:
                files.append(Path(program))
        return files

    def _run(self, files: dict[str, Path], most: int) -> tuple[str, str]:
        """Run the program; it is stopped if it writes more than `most` bytes."""
        words = shlex.split(self.command)
        for side, path in files.items():
            words = [word.replace(f"{{{side}}}", str(path)) for word in words]
        folder = files["src"].parent
        out, err = folder / "out", folder / "err"
        with out.open("wb") as output, err.open("wb") as errors:
            try:
                process = subprocess.Popen(words, stdout=output, stderr=errors)
            except OSError as error:
                raise StartError(
                    f"{words[0]} cannot be started: {error.strerror}. Check its path and that it "
                    "is executable"
                ) from None
            try:
                stopped = self._wait(process, (out, err), most)
            finally:
                process.kill()  # does nothing if it has ended
                process.wait()
        with err.open("rb") as errors:
            messages = errors.read(most).decode("utf-8", "backslashreplace")
        for side, path in files.items():  # names of files that no longer exist, and change
            messages = messages.replace(str(path), f"{{{side}}}")
        if stopped:
            raise ExternalError(f"{words[0]} {stopped}{_format_tail(messages)}")
        if process.returncode:
            raise ExternalError(
                f"{words[0]} failed with exit status {process.returncode}{_format_tail(messages)}"
            )
        try:
            return out.read_bytes().decode("utf-8"), messages
        except UnicodeDecodeError as error:
            raise ExternalError(
                f"{words[0]} printed output that is not UTF-8 ({error}): it must print one number "
                f"per line{_format_tail(messages)}"
            ) from None

    def _wait(self, process: subprocess.Popen[bytes], files: Sequence[Path], most: int) -> str:
        """Wait for the end of the program; why it must be stopped, or an empty string."""
        end = math.inf if self.time_limit is None else time.monotonic() + self.time_limit
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, min(CHECK_EVERY, end - time.monotonic())))
            if any(path.stat().st_size > most for path in files):
                return f"printed more than {most:,} bytes: it must print one number per pair"
            if process.returncode is not None:
                return ""
            if time.monotonic() >= end:
                return f"did not finish within {self.time_limit:g} s: increase time_limit"


@dataclass(frozen=True, kw_only=True)
class FunctionMetric(ExternalMetric):
    """Scores computed by a Python function.

    Attributes:
        function: the function, or its dotted name (``package.module.function``). It takes the two
            graphs and returns a float.
        takes: type of its arguments: ``graphs`` (`amr_metrics.Graph`) or ``penman`` (strings in
            Penman notation).

    Raises:
        OptionError: if the name cannot be imported, or is not that of a function.
        ExitError: if its module ends the process.

    >>> same_size = FunctionMetric(function=lambda a, b: float(len(a.concepts) == len(b.concepts)))
    >>> from amr_metrics.reading.read import parse_graph
    >>> graph = parse_graph("(c / cat)")
    >>> same_size.score([Pair(graph, graph)]).tolist()
    [1.0]
    """

    function: str | Callable[..., float]
    takes: Literal["graphs", "penman"] = "graphs"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self._function()):
            raise OptionError(f"{self.function!r} is not a function")

    @property
    def description(self) -> str:
        """The function's docstring."""
        return inspect.getdoc(self._function()) or ""

    @property
    def reference(self) -> str:  # type: ignore[override]  # depends on the function
        """The function's attribute ``reference``, if it has one."""
        return str(getattr(self._function(), "reference", ""))

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Call the function on each pair.

        Raises:
            SetupError: if the function cannot import something.
            PairError: if it raises another exception or does not return a finite number; it
                names the pair, and the line of the function's file that failed.
        """
        function = self._function()
        values, k = np.empty(len(pairs)), 0
        try:
            with guard_user_code():
                for k, pair in enumerate(pairs):
                    values[k] = self._score_pair(function, pair, k)
        except ExitError as error:
            raise PairError(str(error), pair=k) from error
        return Scores(values)

    def _score_pair(self, function: Callable[..., float], pair: Pair, k: int) -> float:
        graphs = pair if self.takes == "graphs" else tuple(map(format_graph, pair))
        try:
            value = function(*graphs)
        except Exception as error:
            if is_interrupt(error):
                raise KeyboardInterrupt from error
            problem = f"{type(error).__name__}: {error}{_find_line(function, error)}"
            if isinstance(error, ImportError):
                raise SetupError(problem) from error
            raise PairError(problem, pair=k) from error
        return _number(value, k)

    def _function(self) -> Callable[..., float]:
        if callable(self.function):
            return self.function
        module, _, name = self.function.rpartition(".")
        try:
            with guard_user_code():
                function: Callable[..., float] = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError, ValueError) as error:
            raise OptionError(f"function {self.function!r} cannot be imported: {error}") from None
        return function


def _number(value: Any, pair: int) -> float:
    """Return what a function returned, which must be a number in the range of float."""
    is_real = isinstance(value, int | float | np.integer | np.floating)
    # bool and timedelta64 are kinds of integers to Python and to NumPy.
    if not is_real or isinstance(value, bool | np.timedelta64):
        raise PairError(f"the function returned {value!r}, not a number", pair=pair)
    try:
        return float(value)
    except OverflowError:
        raise PairError(
            "the function returned an integer too large for a float", pair=pair
        ) from None


def _find_line(function: Callable[..., float], error: Exception) -> str:
    """Return the innermost line of the function's file in the traceback, in parentheses."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame for frame in frames if code is not None and frame.filename == code.co_filename]
    return f" ({lines[-1].filename}, line {lines[-1].lineno})" if lines else ""


def _find_module_files(name: str) -> list[Path]:
    """Return the files that ``python -m name`` runs, if they are in the working directory."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return []
    stem = Path(*parts)
    candidates = (stem.with_suffix(".py"), stem / "__main__.py", stem / "__init__.py")
    return [path for path in candidates if path.is_file()]


def _read_scores(output: str, count: int, messages: str) -> Floats:
    """Parse the output of a program: one number per line.

    Raises:
        ExternalError: if a line is not a number; the message names the line.
    """
    lines = split_lines(output)
    values = np.empty(len(lines))
    for k, line in enumerate(lines):
        try:
            values[k] = decimal(line)
        except ValueError:
            raise ExternalError(
                f"line {k + 1} of the program's output is {line!r}, not a "
                f"score{_format_tail(messages)}"
            ) from None
    if len(lines) != count:
        raise ExternalError(
            f"the program printed {format_count(len(lines), 'score')} for "
            f"{format_count(count, 'pair')}{_format_tail(messages)}"
        )
    return values


def _format_tail(messages: str) -> str:
    lines = messages.strip().splitlines()[-STDERR_LINES:]
    return "".join(f"\n    {line}" for line in lines)
