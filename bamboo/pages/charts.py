"""Charts as SVG: no scripts, printable, with the colours of the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from markupsafe import Markup


class Point(NamedTuple):
    """A metric in the accuracy-against-cost chart."""

    name: str
    address: str
    speed: float
    value: float
    low: float
    high: float


class ScoreBar(NamedTuple):
    """A bar with its interval and the published value; `group` is the heading above its group."""

    group: str
    label: str
    value: float | None
    low: float | None
    high: float | None
    published: float | None


def _wrap_svg(width: float, height: float, title: str, parts: Sequence[str], kind: str) -> Markup:
    role = "group" if "<a " in "".join(parts) else "img"  # an image cannot contain links
    head = (
        f'<svg class="chart {kind}" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="{role}" aria-label="{escape(title)}">'
    )
    return Markup("".join([head, *parts, "</svg>"]))


def _draw_text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">'
        f"{escape(words)}</text>"
    )


def _draw_line(x: float, y: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """About `count` round numbers between two others.

    >>> ticks(41.3, 68.9)
    [45.0, 50.0, 55.0, 60.0, 65.0]
    """
    rough = (high - low) / count or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough * 0.85)
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 10) for k in range(first, math.floor(high / step + 1e-9) + 1)]


def strip(value: float, low: float, high: float, start: float, end: float) -> Markup:
    """Return a small chart of a value with its interval, on a scale shared by all rows."""
    width, height = 84.0, 14.0
    if not (math.isfinite(value) and math.isfinite(low) and math.isfinite(high)):
        return Markup("")

    def x(v: float) -> float:
        return 4 + (width - 8) * (v - start) / ((end - start) or 1)

    parts = [
        _draw_line(4, height / 2, width - 4, height / 2, "grid"),
        _draw_line(x(low), height / 2, x(high), height / 2, "whisker"),
        _draw_line(x(value), 2, x(value), height - 2, "value"),
    ]
    return _wrap_svg(
        width, height, f"{value:.2f}, interval {low:.2f} to {high:.2f}", parts, "strip"
    )


def accuracy_cost(points: Sequence[Point], label: str) -> Markup:
    """Return each metric's mean with its interval, against its speed on a logarithmic axis."""
    if not points:
        return Markup("")
    width, height, left, right, top, bottom = 760.0, 380.0, 52.0, 118.0, 16.0, 46.0
    logs = [math.log10(point.speed) for point in points]
    x_low, x_high = math.floor(min(logs)), max(math.ceil(max(logs)), math.floor(min(logs)) + 1)
    y_low, y_high = min(point.low for point in points), max(point.high for point in points)
    margin = 0.06 * ((y_high - y_low) or 1)
    y_low, y_high = y_low - margin, y_high + margin

    def x(speed: float) -> float:
        share = (math.log10(speed) - x_low) / (x_high - x_low)
        return left + (width - left - right) * share

    def y(value: float) -> float:
        return top + (height - top - bottom) * (y_high - value) / (y_high - y_low)

    parts = []
    for tick in ticks(y_low, y_high):
        parts += [
            _draw_line(left, y(tick), width - right, y(tick), "grid"),
            _draw_text(left - 8, y(tick) + 4, f"{tick:g}", "tick", "end"),
        ]
    for power in range(x_low, x_high + 1):
        parts += [
            _draw_line(x(10**power), top, x(10**power), height - bottom, "grid"),
            _draw_text(x(10**power), height - bottom + 18, f"{10**power:,}", "tick", "middle"),
        ]
    middle = (left + width - right) / 2
    parts.append(_draw_text(middle, height - 8, "pairs per second (one core)", "axis", "middle"))
    parts.append(_draw_text(left - 40, top - 4, label, "axis"))
    taken: list[tuple[float, float, float]] = []
    for point in sorted(points, key=lambda p: -p.value):
        at, centre = x(point.speed), y(point.value)
        line = centre + 4
        end = at + 10 + 7.2 * len(point.name)
        while any(abs(line - b) < 14 and at < e and a < end for a, e, b in taken):
            line += 14
        taken.append((at, end, line))
        parts += [
            f'<a href="{escape(point.address)}">',
            f"<title>{escape(point.name)}: {point.value:.2f}, {point.speed:,.0f} pairs/s</title>",
            _draw_line(at, y(point.low), at, y(point.high), "whisker"),
            f'<circle cx="{at:.1f}" cy="{centre:.1f}" r="5" class="dot"/>',
            _draw_text(at + 10, line, point.name, "name"),
            "</a>",
        ]
    return _wrap_svg(width, height, f"{label} against pairs per second", parts, "cost")


def bars(items: Sequence[ScoreBar], title: str) -> Markup:
    """Horizontal bars with intervals, a tick at the published value, and the value as text."""
    left, right, row, width = 118.0, 58.0, 22.0, 560.0
    highest = max(
        [v for b in items for v in (b.value, b.high, b.published) if v is not None] or [1]
    )
    lowest = min([0.0, *[v for b in items for v in (b.value, b.low, b.published) if v is not None]])

    def x(value: float) -> float:
        return left + (width - left - right) * (value - lowest) / ((highest - lowest) or 1)

    parts, y = [], 6.0
    for k, bar in enumerate(items):
        if k and bar.group != items[k - 1].group:
            y += 10
        if not k or bar.group != items[k - 1].group:
            parts.append(_draw_text(0, y + 15, bar.group, "group"))
        parts.append(_draw_text(left - 10, y + 15, bar.label, "label", "end"))
        if bar.value is None:
            parts.append(_draw_text(x(0) + 4, y + 15, "no value", "tick"))
        else:
            start, end = sorted((x(0), x(bar.value)))
            parts.append(
                f'<rect x="{start:.1f}" y="{y + 3:.1f}" width="{end - start:.1f}" height="16" '
                f'rx="2" class="bar bar-{escape(bar.group.lower())}"/>'
            )
            if bar.low is not None and bar.high is not None:
                parts.append(_draw_line(x(bar.low), y + 11, x(bar.high), y + 11, "whisker"))
            parts.append(_draw_text(width, y + 15, f"{bar.value:.2f}", "number", "end"))
        if bar.published is not None:
            at = x(bar.published)
            parts.append(_draw_line(at, y + 1, at, y + 21, "published"))
        y += row
    return _wrap_svg(width, y + 6, title, parts, "bars")


class Dot(NamedTuple):
    """A point of a plot, with its range if it has one."""

    x: float
    y: float
    low: float = math.nan
    high: float = math.nan


class Panel(NamedTuple):
    """A plot: its title, the names of its axes, and its points."""

    title: str
    x: str
    y: str
    dots: Sequence[Dot]


# A picture is a file of its own, without the style sheet of a page.
PICTURE_STYLE = (
    "<style>.plots{font:12px sans-serif;background:#fff}.plots text{fill:#222}"
    ".plots .tick,.plots .axis{fill:#666}.plots .title{font-weight:bold}.plots .grid{stroke:#ddd}"
    ".plots .dot{fill:#2463a8;fill-opacity:.5}.plots .whisker{stroke:#2463a8}</style>"
)


def draw_panels(panels: Sequence[Panel], label: str) -> str:
    """Return an SVG file with plots, one below the other; their horizontal axes are the same.

    >>> draw_panels([Panel("a", "x", "y", [Dot(1, 2, 1, 3)])], "plot").count("<circle")
    1
    """
    width, height, left, right, top, bottom = 560.0, 250.0, 52.0, 16.0, 30.0, 40.0
    across = [dot.x for panel in panels for dot in panel.dots] or [0.0]
    x_low, x_high = min(0.0, *across), max(across)
    parts = [PICTURE_STYLE]
    for k, panel in enumerate(panels):
        ends = [v for dot in panel.dots for v in (dot.y, dot.low, dot.high) if math.isfinite(v)]
        y_low, y_high = min(ends, default=0.0), max(ends, default=1.0)
        margin = 0.06 * ((y_high - y_low) or 1)
        y_low, y_high = y_low - margin, y_high + margin
        upper, lower = k * height + top, (k + 1) * height - bottom

        def x(value: float) -> float:
            share = (value - x_low) / ((x_high - x_low) or 1)
            return left + 6 + (width - left - right - 12) * share

        def y(value: float, high: float = y_high, low: float = y_low, at: float = upper) -> float:
            return at + (height - top - bottom) * (high - value) / (high - low)

        parts.append(_draw_text(left, upper - 10, panel.title, "title"))
        for tick in ticks(y_low, y_high):
            parts += [
                _draw_line(left, y(tick), width - right, y(tick), "grid"),
                _draw_text(left - 8, y(tick) + 4, f"{tick:g}", "tick", "end"),
            ]
        for tick in ticks(x_low, x_high):
            parts += [
                _draw_line(x(tick), upper, x(tick), lower, "grid"),
                _draw_text(x(tick), lower + 16, f"{tick:g}", "tick", "middle"),
            ]
        parts.append(_draw_text((left + width - right) / 2, lower + 32, panel.x, "axis", "middle"))
        parts.append(_draw_text(width - right, upper - 10, panel.y, "axis", "end"))
        for dot in panel.dots:
            if math.isfinite(dot.low + dot.high):
                parts.append(_draw_line(x(dot.x), y(dot.low), x(dot.x), y(dot.high), "whisker"))
            parts.append(f'<circle cx="{x(dot.x):.1f}" cy="{y(dot.y):.1f}" r="3.5" class="dot"/>')
    svg = _wrap_svg(width, len(panels) * height, label, parts, "plots")
    return str(svg).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) + "\n"
