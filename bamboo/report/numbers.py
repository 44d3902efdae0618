"""Numbers as the pages of the report write them: points of 100, with a true minus sign."""

from __future__ import annotations

import math

MINUS = "−"
NONE = "–"


def points(value: float | None, digits: int = 1) -> str:
    """Return a score in points of 100.

    >>> points(0.7481), points(float("nan")), points(-0.02)
    ('74.8', '–', '−2.0')
    """
    if value is None or math.isnan(value):
        return NONE
    return f"{100 * value:.{digits}f}".replace("-", MINUS)


def signed(value: float | None) -> str:
    """Return a difference in points of 100: with two decimals if it is below 0.05 points.

    >>> signed(0.041), signed(-0.0001), signed(0.0)
    ('+4.1', '−0.01', '0.0')
    """
    if value is None or math.isnan(value) or value == 0:
        return points(value)
    text = points(value, 1 if abs(value) >= 0.0005 else 2)
    return text if value < 0 else f"+{text}"


def p_text(p: float | None) -> str:
    """Return a p-value: three decimals below .1, otherwise two.

    >>> [p_text(p) for p in (0.0001, 0.0214, 0.994, 1.0, float("nan"))]
    ['< .001', '.021', '.99', '1', '–']
    """
    if p is None or math.isnan(p):
        return NONE
    if p < 0.001:
        return "< .001"
    return "1" if p > 0.995 else f"{p:.{3 if p < 0.1 else 2}f}".removeprefix("0")


def percent(share: float | None) -> str:
    """Return a share in per cent.

    >>> percent(0.861)
    '86 %'
    """
    return NONE if share is None or math.isnan(share) else f"{100 * share:.0f} %"


def listed(texts: list[str]) -> str:
    """Return a list as in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
