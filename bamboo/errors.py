"""Exceptions of the harness, all derived from `BambooError`."""

from __future__ import annotations

import errno

from amr_metrics.options import describe_unknown as describe_unknown  # also imported from here


class BambooError(Exception):
    """Base class of all errors that ``bamboo`` raises deliberately."""


class BambooWarning(UserWarning):
    """A warning of the Python API, which the command line prints on standard error."""


class FileNote(BambooWarning):
    """A note on a file that was read, such as parts of it that were left out."""


class ConfigError(BambooError):
    """An unknown option, or an invalid value of an option."""


class BuildError(BambooError):
    """A partition that cannot be built or must not be overwritten."""


class DownloadError(BambooError):
    """Data that cannot be downloaded, or differs from the release."""


class DataError(BambooError):
    """A data set with missing, malformed or inconsistent files."""


class CacheError(BambooError):
    """A cached result that cannot be read or written."""


class StatisticsError(BambooError):
    """Scores for which a statistic or test cannot be computed."""


class EngineError(BambooError):
    """A worker process that ended before its work was done."""


class ChecksFailed(BambooError):
    """A metric that does not meet the requirements of every metric.

    Attributes:
        output: the report, which is printed before the error.
        status: the exit status.
    """

    status = 1

    def __init__(self, problem: str, output: str) -> None:
        self.output = output
        super().__init__(problem)


class GateFailed(ChecksFailed):
    """A parser whose scores are too low (`at_least` and `no_worse_than` of `score`)."""

    status = 3


class Interrupted(BambooError):
    """The user interrupted a run; completed cells are cached."""


# The command-line options for the arguments that errors of `metrics` suggest to set.
OPTIONS = {
    "format": "format=camr",
    "lengths": "lengths=FILE",
    "split": "split_ids=true",
    "file": "vectors.file=FILE, or the environment variable BAMBOO_VECTORS",
    "cache": "vectors.cache=FOLDER, or the environment variable BAMBOO_CACHE_DIR",
}


def message(error: Exception) -> str:
    """Return the message of an error with its notes, and the option that helps, if any.

    >>> from amr_metrics.errors import PairError
    >>> message(PairError("no anchors: give the lengths", pair=3, argument="lengths"))
    'pair 3: no anchors: give the lengths (option lengths=FILE)'
    """
    option = OPTIONS.get(getattr(error, "argument", None) or "")
    text = str(error) if option is None else f"{error} (option {option})"
    notes = [f"({note})" for note in getattr(error, "__notes__", ())]
    return ("\n" if "\n" in text else " ").join([text, *notes])  # below an excerpt of a file


def describe_system_problem(error: Exception) -> str | None:
    """Return the message of an error of the system, the input or the output; None for others."""
    if isinstance(error, OSError):
        where = "" if error.filename is None else f": {error.filename!r}"
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        remedy = ". Free some space, or choose another folder" if is_full else ""
        return f"{error.strerror or error}{where}{remedy}"
    if isinstance(error, UnicodeDecodeError):
        return str(error)
    if isinstance(error, RecursionError):
        return "an input is nested too deeply: use one with fewer levels"
    if isinstance(error, MemoryError):
        reason = f" ({error})" if str(error) else ""
        return f"not enough memory{reason}: use a smaller input, or fewer processes"
    return None
