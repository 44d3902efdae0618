"""Plots as columns of tables, as HTML without scripts.

Values are shares of 1, the ends and ticks of an axis are points of 100, and positions are per cent
of the width of the column, so that plots fit any page. Colours, shapes and the positions of lines
(``--y``) are set by `static/report.css`: its classes are ``pt`` for dots, ``hollow`` for rings,
``ci`` for intervals, ``band``, ``zero`` for the tick at zero, ``ridge`` for distributions, and
those of `Overview.hues`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from bamboo.pages.charts import ticks

MARGIN = 0.04  # of the range, at both ends
BINS = 20  # classes of a distribution


class Dot(NamedTuple):
    """A value with its interval, as shares of 1.

    Attributes:
        value: where it is drawn; NaN if nothing is drawn.
        hue: the CSS class of its colour.
        text: shown when the mouse points at it.
        low, high: the ends of the interval; NaN if there is none.
        is_hollow: whether it is drawn as a ring.
    """

    value: float
    hue: str
    text: str
    low: float = math.nan
    high: float = math.nan
    is_hollow: bool = False


@dataclass(frozen=True)
class Axis:
    """The axis of a column.

    Attributes:
        low, high: its ends, in points of 100.
        is_signed: whether its values are differences, so that ticks have signs.
    """

    low: float
    high: float
    is_signed: bool = False

    @classmethod
    def over(cls, values: Iterable[float], is_signed: bool = False) -> Axis:
        """Return an axis for values (shares of 1); it includes zero if they are differences."""
        ends = [100 * value for value in values if math.isfinite(value)]
        ends += [0.0] if is_signed or not ends else []
        low, high = min(ends), max(ends)
        margin = MARGIN * (high - low) or 1.0
        return cls(low - margin, high + margin, is_signed)

    def at(self, value: float) -> float:
        """Return the position of a value (a share of 1), in per cent of the width."""
        return 100 * (100 * value - self.low) / (self.high - self.low)

    def _ticks(self) -> list[float]:
        return ticks(self.low, self.high, 4)

    def head(self) -> Markup:
        """Return the labels of the ticks, for the heading of the column."""
        form = "{:+g}" if self.is_signed else "{:g}"
        labels = [
            (tick, form.format(tick).replace("-", "−") if tick else "0") for tick in self._ticks()
        ]
        return Markup().join(
            Markup('<b style="left:{:.2f}%">{}</b>').format(self.at(tick / 100), text)
            for tick, text in labels
        )

    def cell(
        self, dots: Sequence[Dot | None], band: float = math.nan, is_one_line: bool = False
    ) -> Markup:
        """Draw dots with their intervals, below one another.

        Args:
            dots: one per line; None leaves the line empty.
            band: half the width of a grey band around zero, as a share of 1; NaN for no band.
            is_one_line: draw all dots on the same line.
        """
        parts = []
        if math.isfinite(band):
            low, high = (min(max(self.at(end), 0.0), 100.0) for end in (-band, band))
            mark = '<span class="band" style="left:{:.2f}%;width:{:.2f}%"></span>'
            parts.append(Markup(mark).format(low, high - low))
        for tick in self._ticks():
            kind = ' class="zero"' if self.is_signed and tick == 0 else ""
            parts.append(Markup(f'<i style="left:{self.at(tick / 100):.2f}%"{kind}></i>'))
        for k, dot in enumerate(dots):
            if dot is None or not math.isfinite(dot.value):
                continue
            y = 50.0 if is_one_line else 100 * (k + 1) / (len(dots) + 1)
            if math.isfinite(dot.low + dot.high):
                mark = '<span class="ci {}" style="left:{:.2f}%;width:{:.2f}%;--y:{:.0f}%"></span>'
                low, high = self.at(dot.low), self.at(dot.high)
                parts.append(Markup(mark).format(dot.hue, low, high - low, y))
            hollow = " hollow" if dot.is_hollow else ""
            mark = '<span class="pt {}{}" style="left:{:.2f}%;--y:{:.0f}%" title="{}"></span>'
            parts.append(Markup(mark).format(dot.hue, hollow, self.at(dot.value), y, dot.text))
        return Markup().join(parts)


class Row(NamedTuple):
    """A row of a table of a page.

    Attributes:
        name: what it is about, such as a parser or a part of the corpus.
        values: the values that the template shows, by the names of parsers or of columns.
        dots: what `Axis.cell` draws; None for a parser without a value.
        best: the parsers with the best value; of a row about a parser itself, if it is best.
        address: of the sentences that it is about.
        pairs: their number.
    """

    name: str
    values: Mapping[str, Any]
    dots: Sequence[Dot | None] = ()
    best: Sequence[str] = ()
    address: str = ""
    pairs: int = 0


class PlottedRows(NamedTuple):
    """The rows of a table that has a column of plots, and the axis of this column."""

    axis: Axis
    rows: Sequence[Row]

    @classmethod
    def over(cls, rows: Sequence[Row], is_signed: bool = False) -> PlottedRows:
        """Return rows with an axis for their dots and intervals."""
        dots = [dot for row in rows for dot in row.dots if dot is not None]
        ends = [value for dot in dots for value in (dot.value, dot.low, dot.high)]
        return cls(Axis.over(ends, is_signed), rows)


def format_with_interval(
    form: Callable[[float], str], value: float, low: float, high: float
) -> str:
    """Return a value with its interval; `low` is NaN if it has none.

    >>> format_with_interval("{:.2f}".format, 82.89, 81.84, 83.95)
    '82.89 (81.84 to 83.95)'
    """
    return form(value) if math.isnan(low) else f"{form(value)} ({form(low)} to {form(high)})"


def format_points(value: float) -> str:
    """Return a score, a share of 1, in points of 100 with two decimals.

    >>> format_points(-0.8289)
    '−82.89'
    """
    return f"{100 * value:.2f}".replace("-", "−")


def ridge(counts: Sequence[int], highest: int, hue: str, title: str) -> Markup:
    """Draw how many scores lie in each of several equal classes between 0 and 100.

    Args:
        counts: the number of scores in each class.
        highest: the largest count of all the distributions that share a height.
        hue: the CSS class of the colour.
        title: the label for screen readers.
    """
    width = 100 / len(counts)
    bars = [
        Markup(
            f'<rect x="{k * width + 0.25:.2f}" y="{40 - height:.1f}" width="{width - 0.5:.2f}" '
            f'height="{height:.1f}"><title>{k * width:g}–{(k + 1) * width:g}: {count:,} '
            f"sentence{'' if count == 1 else 's'}</title></rect>"
        )
        for k, count in enumerate(counts)
        for height in [38 * count / max(highest, 1)]
        if count
    ]
    head = '<svg class="ridge {}" viewBox="0 0 100 40" preserveAspectRatio="none" role="img" '
    head += 'aria-label="{}">'
    return Markup(head).format(hue, title) + Markup().join(bars) + Markup("</svg>")


def stack(parts: Sequence[tuple[str, float, str, str]], longest: float) -> Markup:
    """Draw the positive parts of a sum beside one another, each a link.

    Args:
        parts: CSS class, value, address and text of each.
        longest: the largest sum of all stacks that share a scale, in the unit of the values.
    """
    mark = '<a class="{}" style="width:{:.2f}%" href="{}" title="{}" tabindex="-1"></a>'
    return Markup().join(
        Markup(mark).format(kind, 100 * value / longest, escape(address), text)
        for kind, value, address, text in parts
        if value > 0
    )
