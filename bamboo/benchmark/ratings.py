"""Read files of human similarity ratings, one per line."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from amr_metrics.types import Floats
from amr_metrics.utils.text import counted, decimal, split_lines
from bamboo.errors import DataError


def read_ratings(
    path: Path,
    count: int,
    scale: tuple[float, float] | None = None,
    pairs: range | None = None,
    option: str = "scale",
) -> Floats:
    """Return the ratings of pairs: line k + 1 contains the rating of pair k.

    Blank lines at the end of the file, after the last pair's line, are ignored.

    Args:
        count: how many lines there must be, one per pair.
        scale: the lowest and the highest rating possible, which become 0 and 1; None for no
            rescaling.
        pairs: the pairs to read; all by default. Lines of other pairs are ignored.
        option: the option that sets the scale, for messages.

    Returns:
        (len(pairs),): finite numbers, in 0..1 if there is a scale.

    Raises:
        DataError: a file that cannot be read or has a different number of lines, or a line that
            is not a finite number or not on the scale; the message names pair and line.
    """
    try:
        lines = split_lines(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}") from None
    while len(lines) > count and not lines[-1].strip():
        lines.pop()
    if len(lines) != count:
        raise DataError(
            f"{path} has {counted(len(lines), 'rating')} for {counted(count, 'pair')}: expected "
            "one per line"
        )
    pairs = range(count) if pairs is None else pairs
    ratings = [
        rating_of(f"{path}, pair {number}, line {number + 1}", lines[number], scale, option)
        for number in pairs
    ]
    return np.array(ratings, dtype=np.float64)


def rating_of(
    where: str, line: str, scale: tuple[float, float] | None, option: str = "scale"
) -> float:
    """Return one rating; `scale` and `option` as for `read_ratings`.

    Args:
        where: the file and the position in it, for messages.

    Raises:
        DataError: a text that is not a finite number or not on the scale.

    >>> rating_of("ratings.txt, line 1", "4", (0, 5))
    0.8
    """
    try:
        rating = decimal(line)
    except ValueError:
        raise DataError(f"{where}: {line!r} is not a number") from None
    if scale is None:
        if not math.isfinite(rating):
            raise DataError(f"{where}: {rating} is not a finite number")
        return rating
    low, high = scale
    if not low <= rating <= high:
        raise DataError(
            f"{where}: {rating:g} is not on the scale from {low:g} to {high:g} (set {option})"
        )
    return (rating - low) / (high - low)
