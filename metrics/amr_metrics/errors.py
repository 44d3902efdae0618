"""Exceptions of the metric library, with one common base class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np

# What to do about graphs that cannot be read and pairs that cannot be scored: raise an error, leave
# them out, or score 0.
OnError = Literal["stop", "nan", "zero"]

LONGEST = 1_000  # characters of a line that a message shows


class MetricError(Exception):
    """Root of every error that this library raises on purpose.

    `argument` is the name of the argument that the message advises to set, of a reading function
    or of word vectors, or None: a program can add what it calls its own option for it.
    """

    argument: str | None = None


def is_interrupt(error: BaseException) -> bool:
    """Return whether Ctrl-C led to an error.

    Compiled code reports a KeyboardInterrupt as a SystemError that it causes.

    >>> error = SystemError("a result with an exception set")
    >>> error.__cause__ = KeyboardInterrupt()
    >>> is_interrupt(error), is_interrupt(SystemError())
    (True, False)
    """
    chain: BaseException | None = error
    while chain is not None and not isinstance(chain, KeyboardInterrupt):
        chain = chain.__cause__ or chain.__context__
    return chain is not None


class GraphError(MetricError):
    """A graph that cannot be read or is not a graph.

    The message names the source (a file, or ``<text>``), the graph's position in it
    (counted from 0, as pairs are) and the line (counted from 1), as far as they are known.
    """

    def __init__(
        self,
        problem: str,
        *,
        source: str | None = None,
        graph: int | None = None,
        line: int | None = None,
        text: str | None = None,
        offset: int | None = None,
        argument: str | None = None,
    ) -> None:
        self.problem, self.source, self.graph, self.line = problem, source, graph, line
        self.text, self.offset, self.argument = text, offset, argument
        place = [source] if source else []
        place += [f"graph {graph}"] if graph is not None else []
        place += [f"line {line}"] if line is not None else []
        message = f"{', '.join(place)}: {problem}" if place else problem
        if text:
            text, offset = _cut_excerpt(text, offset)
            caret = "" if offset is None else "\n    " + " " * offset + "^"
            message += f"\n    {text}{caret}"
        super().__init__(message)


def _cut_excerpt(line: str, offset: int | None) -> tuple[str, int | None]:
    """Return the part of a long line around an offset, and the offset in it."""
    if len(line) <= LONGEST:
        return line, offset
    begin = min(max(0, (offset or 0) - LONGEST // 2), len(line) - LONGEST)
    end = begin + LONGEST
    before, behind = "... " * (begin > 0), " ..." * (end < len(line))
    excerpt = f"{before}{line[begin:end]}{behind}"
    return excerpt, None if offset is None else offset - begin + len(before)


class PairError(MetricError):
    """Two lists of graphs that cannot be paired, or a pair that cannot be scored.

    `pair` is the position of the pair among those scored, if the error concerns a single pair.
    """

    def __init__(
        self, problem: str, *, pair: int | None = None, argument: str | None = None
    ) -> None:
        self.problem, self.pair, self.argument = problem, pair, argument
        super().__init__(problem if pair is None else f"pair {pair}: {problem}")

    def numbered(self, numbers: Sequence[int] | np.ndarray[Any, Any]) -> PairError:
        """Return the error with the number that pair k has in a larger list, ``numbers[k]``.

        >>> str(PairError("too large", pair=1).numbered([4, 7]))
        'pair 7: too large'
        """
        if self.pair is None:
            return self
        return PairError(self.problem, pair=int(numbers[self.pair]), argument=self.argument)


@contextmanager
def shift_pairs(first: int) -> Iterator[None]:
    """Count pairs from `first` in errors about a pair, for code that scores some of the pairs.

    >>> with shift_pairs(10):
    ...     raise PairError("too large", pair=2)
    Traceback (most recent call last):
    amr_metrics.errors.PairError: pair 12: too large
    """
    try:
        yield
    except PairError as error:
        pair = first + (error.pair or 0)
        raise PairError(error.problem, pair=pair, argument=error.argument) from None


class ExitError(MetricError):
    """The user's code ends the process, as `sys.exit` does."""


class SetupError(MetricError):
    """A metric that can score no pair: code, data or a program that it needs cannot be used."""


class OptionError(SetupError):
    """An invalid value of a metric or solver option."""


class KernelError(MetricError):
    """Kernels that cannot be compiled or loaded, or an array of another kind than they take."""


class NoAlignmentError(MetricError):
    """The metric compares bags of features: there is no alignment to explain."""


class NoFeaturesError(MetricError):
    """The metric does not list the features that it compares."""


class VectorError(SetupError):
    """Word vectors that cannot be found or read, or are invalid."""

    def __init__(self, problem: str, *, argument: str | None = None) -> None:
        self.argument = argument
        super().__init__(problem)
