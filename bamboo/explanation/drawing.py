"""Two graphs side by side with their alignment between them, as SVG.

Each graph is written as an indented outline, one line per node, preceded by its role, as AMR is
usually written. Re-entrant edges are dashed arcs on the outer side. Alignment links connect the
two outlines; wider links have more weight. Concepts, edges and attributes that a metric counts but
does not match are orange, with dotted edges and concepts in italics; a triangle marks the root. A
legend below says so. Sentences are wrapped to the width of the outlines.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from amr_metrics.base import Pair
from amr_metrics.explanation import Explanation, Link
from bamboo.explanation.matches import Marks, marks
from bamboo.explanation.outline import Outline, OutlineRow, ReentrantEdge, outline
from bamboo.log import visible

LINE, INDENT, MARGIN, GAP = 26, 22, 28, 170
CHARACTER, WIDE = 7.85, 13.0  # the widths of a letter, and of one that is wide, as Chinese ones
HEAD, LETTER, LEAST = 20, 8.0, 480.0  # height and letters of lines of text, and their least width
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")  # Okabe and Ito's

STYLE = """
text { fill: #1b1b1b; font: 13px ui-monospace, Menlo, Consolas,
  "Noto Sans Mono CJK SC", "PingFang SC", "Microsoft YaHei", monospace; }
.role { fill: #5f6b76; } .head { font: 14px system-ui, sans-serif; }
.key { font: 12px system-ui, sans-serif; fill: #5f6b76; }
.tree { stroke: #b8c0c8; fill: none; }
.again { stroke: #98a2ad; fill: none; stroke-dasharray: 3 3; }
.link { fill: none; stroke-opacity: .75; } .ground { fill: #ffffff; }
.matched { stroke: #77818b; } .root.matched { fill: #77818b; }
text .matched, text.matched { stroke: none; }
.unmatched { stroke: #c04f00; stroke-dasharray: 2 3; } .root { fill: none; }
text .unmatched, text.unmatched { fill: #c04f00; stroke: none; }
.concept.unmatched { font-style: italic; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e9ec; } .role, .key { fill: #98a2ad; } .ground { fill: #15181b; }
  .tree { stroke: #4a525a; } .again { stroke: #6b7580; } .matched { stroke: #98a2ad; }
  .unmatched { stroke: #ef8848; } text .unmatched, text.unmatched { fill: #ef8848; } }
"""


def draw(pair: Pair, explanation: Explanation, title: str) -> str:
    """Draw the pair as an SVG document, with hidden characters as escapes (`visible`)."""
    outlines = [outline(graph) for graph in pair]
    widths = [
        max((row.depth * INDENT + _measure(row) for row in rows), default=80.0)
        for rows, _ in outlines
    ]
    left, right = 90.0, 90.0 + widths[0] + GAP
    sides = zip(("src", "tgt"), pair, strict=True)
    width = max(right + widths[1] + 90, LEAST)
    texts = [f"{side}: {graph.sentence}" for side, graph in sides if graph.sentence]
    head = [line for text in texts for line in _wrap(text, width - 60)]
    head.append(f"score: {explanation.score:.4f}")
    both = [*marks(explanation, outlines)]
    legend = _list_keys(explanation, outlines, both)
    top = 24.0 + HEAD * len(head)
    bottom = top + max(len(rows) for rows, _ in outlines) * LINE + MARGIN
    height = bottom + HEAD * len(legend)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        '<rect class="ground" width="100%" height="100%"/>',
    ]
    for k, line in enumerate(head):
        parts.append(f'<text class="head" x="24" y="{22 + HEAD * k}">{escape(line)}</text>')
    places = zip(outlines, both, (left, right), (-1, 1), strict=True)
    for (rows, reentrant), of_side, x, outer in places:
        edge = x - 12 if outer < 0 else x + widths[1] + 8
        parts += _draw_outline(rows, reentrant, of_side, x, top, edge, outer)
    parts += _draw_links(explanation, outlines, left, right, top)
    for k, (sample, text) in enumerate(legend):
        y = bottom + HEAD * k
        parts.append(
            f'<g transform="translate(24 {y:.1f})">{sample}<text class="key" x="34" y="4">{text}'
            "</text></g>"
        )
    return visible("\n".join([*parts, "</svg>"])) + "\n"


def _wrap(text: str, width: float) -> list[str]:
    """Divide a text into lines of at most so many pixels, with hidden characters as escapes."""
    text = visible(text)
    has_wide = any(map(_is_wide, text))
    return textwrap.wrap(text, int(width / LETTER / (2 if has_wide else 1)))


def _list_keys(
    explanation: Explanation, outlines: Sequence[Outline], both: Sequence[Marks]
) -> list[tuple[str, str]]:
    """Return a sample and the meaning of each kind of line that a drawing can have.

    Args:
        both: the marks of both outlines.
    """
    keys = []
    if explanation.links:
        sample = f'<path class="link" stroke="{COLOURS[0]}" stroke-width="3" d="M0 0H26"/>'
        keys.append((sample, "aligned; wider: more weight"))
    if any(reentrant for _, reentrant in outlines):
        keys.append(('<path class="again" d="M0 0H26"/>', "further edge to a node named before"))
    values = [mark for side in both for mark in (*side.texts, *side.roles, *side.reentrant)]
    if any(mark is not None for mark in values):
        keys.append(('<path class="tree root" d="M9 -5l8 5l-8 5z"/>', "root"))
    if False in values:
        keys.append(
            (
                '<path class="unmatched" d="M0 0H26"/>',
                "orange, dotted or in italics: counted by the metric, not matched",
            )
        )
    return keys


def _format_line(row: OutlineRow) -> str:
    return f"{row.role} {row.text}" if row.role else row.text


def _measure(row: OutlineRow) -> float:
    """Return the width of a line in pixels."""
    return sum(WIDE if _is_wide(letter) else CHARACTER for letter in _format_line(row))


def _is_wide(letter: str) -> bool:
    return unicodedata.east_asian_width(letter) in "WF"


def _find_middle(top: float, line: int) -> float:
    return top + line * LINE + LINE / 2


def _draw_outline(
    rows: Sequence[OutlineRow],
    reentrant: Sequence[ReentrantEdge],
    of_side: Marks,
    x: float,
    top: float,
    edge: float,
    outer: int,
) -> list[str]:
    """Return the lines of one graph, its tree edges and its re-entrant ones."""
    parts = []
    for k, row in enumerate(rows):
        at, y = x + row.depth * INDENT, _find_middle(top, k)
        lead, concept = _mark(of_side.roles[k]), _mark(of_side.texts[k])
        if row.parent >= 0:
            elbow, above = at - INDENT + 6, _find_middle(top, row.parent) + 7
            parts.append(
                f'<path class="tree{lead}" d="M{elbow:.1f} {above:.1f}V{y:.1f}H{at - 4:.1f}"/>'
            )
            concept = concept or lead  # a constant is as its attribute
        elif lead:
            parts.append(f'<path class="root{lead}" d="M{at - 14:.1f} {y - 5:.1f}l8 5l-8 5z"/>')
        role = f'<tspan class="role{lead}">{escape(row.role)}</tspan> ' if row.role else ""
        text = f'<tspan class="concept{concept}">{escape(row.text)}</tspan>' if concept else ""
        parts.append(f'<text x="{at:.1f}" y="{y + 4:.1f}">{role}{text or escape(row.text)}</text>')
    for k, (source, target, role) in enumerate(reentrant):
        y, z = _find_middle(top, source), _find_middle(top, target)
        bend = edge + outer * (22 + 14 * (k % 4))
        if outer < 0:
            starts = [x + rows[line].depth * INDENT - 6 for line in (source, target)]
        else:
            starts = [
                x + rows[line].depth * INDENT + _measure(rows[line]) + 6
                for line in (source, target)
            ]
        lead = _mark(of_side.reentrant[k])
        parts.append(
            f'<path class="again{lead}" d="M{starts[0]:.1f} {y:.1f}C{bend:.1f} {y:.1f} {bend:.1f} '
            f'{z:.1f} {starts[1]:.1f} {z:.1f}"/><text class="role{lead}" text-anchor='
            f'"{"end" if outer < 0 else "start"}" x="{(bend + edge) / 2:.1f}" '
            f'y="{(y + z) / 2 + 4:.1f}">{escape(role)}</text>'
        )
    return parts


def _mark(mark: bool | None) -> str:
    """Return the class of what a metric counts, after a space; "" for what it does not count."""
    return "" if mark is None else " matched" if mark else " unmatched"


def _draw_links(
    explanation: Explanation,
    outlines: Sequence[tuple[list[OutlineRow], list[ReentrantEdge]]],
    left: float,
    right: float,
    top: float,
) -> list[str]:
    """Curves from each aligned node of src to its node or nodes of tgt."""
    heaviest = max((link.weight for link in explanation.links), default=1.0) or 1.0
    parts = []
    lines = [lines_by_name(rows) for rows, _ in outlines]
    for k, (a, b, weight, cost) in enumerate(link_lines(explanation.links, lines)):
        row = outlines[0][0][a]
        x = left + row.depth * INDENT + _measure(row) + 8
        z = right + outlines[1][0][b].depth * INDENT - 6
        y, w = _find_middle(top, a), _find_middle(top, b)
        half = (x + z) / 2
        stroke = 0.8 + 3.2 * weight / heaviest
        ends = [_name(rows[line]) for (rows, _), line in zip(outlines, (a, b), strict=True)]
        label = f"{ends[0]} – {ends[1]}: weight {weight:.3g}, cost {cost:.3g}"
        parts.append(
            f'<path class="link" stroke="{COLOURS[k % len(COLOURS)]}" stroke-width="{stroke:.2f}" '
            f'd="M{x:.1f} {y:.1f}C{half:.1f} {y:.1f} {half:.1f} {w:.1f} {z:.1f} {w:.1f}">'
            f"<title>{escape(label)}</title></path>"
        )
    return parts


def lines_by_name(rows: Sequence[OutlineRow]) -> dict[str, int]:
    """Return the line of each node and constant; for equal constants, the first."""
    return {_name(row): k for k, row in reversed(list(enumerate(rows)))}


def link_lines(
    links: Sequence[Link], lines: Sequence[Mapping[str, int]]
) -> list[tuple[int, int, float, float]]:
    """Return the links between two outlines: line of src, line of tgt, weight, cost.

    Links of items without a line, such as edges, are omitted.

    Args:
        lines: of both outlines, see `lines_by_name`.
    """
    return [
        (lines[0][link.src], lines[1][link.tgt], float(link.weight), float(link.cost))
        for link in links
        if link.src in lines[0] and link.tgt in lines[1]
    ]


def _name(row: OutlineRow) -> str:
    """Return the name of a line in links: a node's variable, or the constant."""
    return row.node if row.is_node else row.text
