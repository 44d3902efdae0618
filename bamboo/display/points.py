"""How pages and sentences write numbers: points of 100, differences, p-values, shares, ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence

NAMED = 3  # parsers that are named in a sentence
LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
SMALL = 0.05  # points below which a difference has two decimals


def points(value: float) -> str:
    """Return a score in points of 100.

    >>> points(0.8287), points(float("nan")), points(-0.012)
    ('82.9', '–', '−1.2')
    """
    return "–" if math.isnan(value) else f"{100 * value:.1f}".replace("-", "−")


def include_equal(
    best: Collection[str], values: Mapping[str, float], show: Callable[[float], str] = points
) -> list[str]:
    """Return the names in bold: the best ones, and those with the same number as it is shown.

    >>> include_equal(["a"], {"a": 0.7482, "b": 0.7479, "c": 0.7471})
    ['a', 'b']
    """
    shown = {show(values[name]) for name in best}
    return [name for name, value in values.items() if show(value) in shown]


def difference(value: float, signed: bool = True) -> str:
    """Return a difference in points of 100, with two decimals if it is small.

    >>> difference(0.0101), difference(-0.0003), difference(0.0101, signed=False)
    ('+1.0', '−0.03', '1.0')
    >>> difference(-0.00001)
    '0.00'
    """
    if math.isnan(value):
        return "–"
    number = 100 * value
    digits = 2 if abs(number) < SMALL else 1
    text = f"{number:{'+' if signed else ''}.{digits}f}".replace("-", "−")
    return text if text.strip("+−0.") else text.strip("+−")


def p_value(p: float) -> str:
    """Return a p-value without a leading zero, never as 0.

    >>> p_value(0.0213), p_value(0.99751), p_value(0.00008), p_value(1.0)
    ('.021', '.998', '< .001', '1')
    """
    if math.isnan(p):
        return "–"
    if p < 0.001:
        return "< .001"
    text = f"{p:.3f}" if p < 0.9995 else "1"
    return text.removeprefix("0")


def mark(p: float) -> str:
    """Return the mark of a p-value: ``*``, ``**`` and ``***`` below .05, .01 and .001.

    >>> mark(0.03), mark(0.05)
    ('*', '')
    """
    return next((stars for level, stars in LEVELS if p < level), "")


def equals_p(p: float, sign: str = "=") -> str:
    """Return a p-value in a sentence; with ``≤`` it is rounded up, so that this is true.

    >>> equals_p(0.0213), equals_p(0.00008), equals_p(0.0213, "≤")
    ('p = .021', 'p < .001', 'p ≤ .022')
    """
    if p < 0.001:
        return f"p {p_value(p)}"
    is_too_low = sign == "≤" and round(p, 3) < p
    return f"p {sign} {p_value(round(p, 3) + 0.001 * is_too_low)}"


def join_names(names: Sequence[str], most: int | None = NAMED) -> str:
    """Return names as a list in a sentence; of many, the first.

    >>> join_names(["a", "b", "c"]), join_names(["a", "b", "c", "d", "e"])
    ('a, b and c', 'a, b and 3 others')
    """
    if most is not None and len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} others"]
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def thousands(value: float | None) -> str:
    """Return a number without decimals, with separators; a dash for None.

    >>> thousands(12345), thousands(1234.5), thousands(None)
    ('12,345', '1,234', '–')
    """
    return "–" if value is None else f"{value:,.0f}"


def share(value: float) -> str:
    """Return a share of 1 in per cent.

    >>> share(0.984), share(float("nan"))
    ('98 %', '–')
    """
    return "–" if math.isnan(value) else f"{100 * value:.0f} %"


def signed(value: float) -> str:
    """Return a number with its sign and two decimals.

    >>> signed(-0.5), signed(12), signed(float("nan"))
    ('−0.50', '+12.00', '–')
    """
    return "–" if math.isnan(value) else f"{value:+.2f}".replace("-", "−")


def rank_range(ranks: Sequence[int]) -> str:
    """Return the first and the last rank as a range; a dash for 0, which is no rank.

    >>> rank_range((2, 4)), rank_range((1, 1)), rank_range((0, 0))
    ('2–4', '1', '–')
    """
    return "–".join(map(str, dict.fromkeys(ranks))) if any(ranks) else "–"
