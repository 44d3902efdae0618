"""Errors of the harness: one root, and messages that say where and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class BambooError(Exception):
    """Root of every error that ``bamboo`` raises on purpose."""


class ConfigError(BambooError):
    """An option, or a value of one, that does not exist."""


class DownloadError(BambooError):
    """Data that cannot be had, or is not what was released."""


class DataError(BambooError):
    """A data set whose files do not fit together."""


class CacheError(BambooError):
    """A stored result that cannot be read."""


class SubmissionError(BambooError):
    """A submission, or a folder of predictions, that cannot be trusted or read."""


class StatisticsError(BambooError):
    """Scores that a statistic or a test cannot be computed from."""


class Interrupted(BambooError):
    """The user stopped a run; what was scored by then is kept."""


# What the command line calls the arguments that errors of `metrics` advise to set.
OPTIONS = {
    "format": "format=camr",
    "lengths": "lengths=FILE",
    "split": "split_ids=true",
    "file": "vectors.file=FILE, or the environment variable BAMBOO_VECTORS",
    "cache": "vectors.cache=FOLDER, or the environment variable BAMBOO_CACHE_DIR",
}


def message(error: Exception) -> str:
    """What to tell the user of the command line about an error.

    >>> from metrics.errors import PairError
    >>> message(PairError("no anchors: give the lengths", pair=3, argument="lengths"))
    'pair 3: no anchors: give the lengths (option lengths=FILE)'
    """
    option = OPTIONS.get(getattr(error, "argument", None) or "")
    return str(error) if option is None else f"{error} (option {option})"


def unknown(what: str, given: object, known: Iterable[str]) -> str:
    """A message for a name that does not exist, with the nearest one that does.

    >>> unknown("metric", "smacth", ["sema", "smatch"])
    "unknown metric 'smacth': did you mean 'smatch'? There are: sema, smatch"
    """
    names = sorted(known)
    near = get_close_matches(str(given), names, n=1, cutoff=0.5)
    hint = f": did you mean {near[0]!r}?" if near else "."
    return f"unknown {what} {given!r}{hint} There are: {', '.join(names)}"
