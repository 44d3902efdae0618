"""What differs between a parse and the gold graph, by line of their outlines.

The page of sentences shows the gold graph once, as an outline, and beside it only what differs in
each parse: marks at lines of the gold graph, and the parse's own lines below them. Both follow from
the mistakes of the parse (`bamboo.explanation.mistakes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from amr_metrics.explanation import ExplainedTriple, Explanation
from amr_metrics.graphs.graph import Graph
from bamboo.explanation.matches import fold_constant
from bamboo.explanation.mistakes import NAME, Mistake
from bamboo.explanation.outline import Outline, outline

MISSING, WRONG, TOGETHER = range(3)  # signs of marks; TOGETHER: belongs to a mistake elsewhere


class Mark(NamedTuple):
    """What is wrong with a line of the gold graph.

    Attributes:
        line: its number in the outline; re-entrant edges come after the lines.
        sign: `MISSING`, `WRONG` or `TOGETHER`.
        mistake: the position of the mistake.
        text: what the parse has instead, or what is missing.
    """

    line: int
    sign: int
    mistake: int
    text: str = ""


class ParseLine(NamedTuple):
    """What only the parse has, below a line of the gold graph.

    Attributes:
        line: the line of the gold graph: that of the nearest node above with a counterpart.
        depth: how many nodes below this.
        parse_line: its line in the outline of the parse.
        mistake: the position of the mistake.
        text: the line as text.
    """

    line: int
    depth: int
    parse_line: int
    mistake: int
    text: str


class Differences(NamedTuple):
    """What differs between a parse and the gold graph.

    Attributes:
        marks: of lines of the gold graph.
        lines: what only the parse has.
        extra: the lines of the parse with a triple that is extra.
    """

    marks: Sequence[Mark]
    lines: Sequence[ParseLine]
    extra: Sequence[int]


def differences(
    parse: Lines, gold: Lines, explanation: Explanation, mistakes: Sequence[Mistake]
) -> Differences:
    """Return what differs between a parse and the gold graph, by line.

    Args:
        parse, gold: the graphs in the form in which they were explained.
        mistakes: of the parse, from the same explanation.
    """
    placement = _Placement(parse, gold, _find_counterparts(explanation, mistakes, parse, gold))
    marks: list[Mark] = []
    lines: list[ParseLine] = []
    extra: list[int] = []
    for k, mistake in enumerate(mistakes):
        marks += placement.marks(k, mistake)
        if mistake.direction == "extra":
            lines.append(placement.parse_line(k, mistake))
            extra += sorted({parse.line(triple) for triple in mistake.src})
    return Differences(marks, sorted(lines, key=lambda row: (row.line, row.parse_line)), extra)


def _find_counterparts(
    explanation: Explanation, mistakes: Sequence[Mistake], parse: Lines, gold: Lines
) -> dict[str, str]:
    """Return the node of the gold graph for each node of the parse that has one."""
    links = {parse.node(link.src): gold.node(link.tgt) for link in explanation.links}
    replaced = {
        parse.node(m.src[0].source): gold.node(m.tgt[0].source)
        for m in mistakes
        if m.construction in ("concept", "sense") and m.src and m.tgt
    }
    return {a: b for a, b in (links | replaced).items() if a in parse.nodes and b in gold.nodes}


@dataclass(frozen=True)
class Lines:
    """The lines of a graph's outline, and the triples that they show."""

    graph: Graph

    @cached_property
    def outline(self) -> Outline:
        """The lines."""
        return outline(self.graph)

    @cached_property
    def nodes(self) -> dict[str, int]:
        """The line of each node."""
        return {row.node: k for k, row in reversed([*enumerate(self.outline[0])])}

    @cached_property
    def edges(self) -> dict[tuple[str, str, str], int]:
        """The line of each relation and attribute, with roles in lower case."""
        rows, reentrant = self.outline
        edges: dict[tuple[str, str, str], int] = {}
        for k, row in enumerate(rows):
            role = row.role.lower()
            if k != self.nodes[row.node]:
                edges[row.node, role, fold_constant(row.text)] = k
            elif row.parent >= 0:
                # An inverse edge is on the line of its source, which `line` takes without an entry.
                edges[rows[row.parent].node, role, row.node] = k
        for k, edge in enumerate(reentrant, len(rows)):
            ends = rows[edge.source].node, rows[edge.target].node
            edges[ends[0], edge.role.lower(), ends[1]] = k
        return edges

    def node(self, name: str) -> str:
        """Return the variable of a node, which metrics for Chinese AMR name ``x4/student``."""
        return name if name in self.nodes else name.partition("/")[0]

    def concept(self, name: str) -> str:
        """Return the concept of a node."""
        node = self.node(name)
        return self.graph.concept(node) if node in self.graph.positions else name

    def line(self, triple: ExplainedTriple) -> int:
        """Return the line that shows a triple; that of its node if there is none."""
        if not isinstance(triple, ExplainedTriple):
            return 0
        source = self.node(triple.source)
        target = (
            self.node(triple.target) if triple.kind == "relation" else fold_constant(triple.target)
        )
        return self.edges.get((source, triple.role.lower(), target), self.nodes.get(source, 0))

    def role(self, triple: ExplainedTriple) -> str:
        """Return the role of a triple as the outline writes it, without ``-of``."""
        line = self.line(triple)
        rows, reentrant = self.outline
        written = rows[line].role if line < len(rows) else reentrant[line - len(rows)].role
        role = triple.role.lower()
        if written.lower() == role:
            return written
        return written.removesuffix("-of") if written.lower() == f"{role}-of" else triple.role

    def is_inverse(self, triple: ExplainedTriple) -> bool:
        """Return whether the outline shows a relation below its target."""
        line = self.line(triple)
        return line < len(self.outline[0]) and self.outline[0][line].node == self.node(
            triple.source
        )

    def above(self, node: str) -> str | None:
        """Return the node under which the outline shows a node."""
        parent = self.outline[0][self.nodes[node]].parent
        return None if parent < 0 else self.outline[0][parent].node

    def name(self, node: str) -> str:
        """Return the name of a name node."""
        return " ".join(fold_constant(a.constant) for a in self.graph.attributes if a.node == node)


@dataclass
class _Placement:
    """Places mistakes at the lines of the gold graph.

    Attributes:
        counterparts: the node of the gold graph for each node of the parse that has one.
    """

    parse: Lines
    gold: Lines
    counterparts: Mapping[str, str]

    def marks(self, k: int, mistake: Mistake) -> Iterator[Mark]:
        """Yield the marks of a mistake: its own, and those of the lines that belong to it."""
        lines = list(dict.fromkeys(self.gold.line(triple) for triple in mistake.tgt))
        if mistake.construction == "name":
            lines.sort()
        if mistake.direction == "wrong":
            first = lines[0] if lines else self.below(mistake.src[0])[0]
            yield Mark(first, WRONG, k, self.instead(mistake))
        elif mistake.direction == "missing":
            yield Mark(lines[0], MISSING, k, self.missing(mistake, lines[0]))
        for line in lines[1:]:
            yield Mark(line, TOGETHER, k)

    def missing(self, mistake: Mistake, line: int) -> str:
        """Return what is missing if it is not the whole line."""
        if mistake.construction in ("concept", NAME) or line >= len(self.gold.outline[0]):
            return ""
        node = self.gold.outline[0][line].node
        if mistake.construction == "root":
            return "root"
        return "edge" if self.gold.nodes[node] == line else ""

    def instead(self, mistake: Mistake) -> str:
        """Return what the parse has in place of something else."""
        if mistake.construction == NAME:
            nodes = {self.parse.node(end) for t in mistake.src for end in (t.source, t.target)}
            named = [node for node in nodes if node in self.parse.nodes]
            name = next((n for n in named if self.parse.concept(n) == NAME), "")
            return f"name “{self.parse.name(name)}”" if name else "another name"
        triple = mistake.src[0]
        if mistake.construction == "root":
            return f"root {self.parse.concept(triple.source)}"
        if triple.kind == "instance":
            return self.parse.concept(triple.source)
        role = self.parse.role(triple)
        if triple.kind == "attribute":
            return f"{role} {triple.target}"
        is_same_source = bool(mistake.tgt) and self.counterparts.get(
            self.parse.node(triple.source)
        ) == self.gold.node(mistake.tgt[0].source)
        if mistake.construction == "attachment":
            if is_same_source:
                return f"{role} {self.parse.concept(triple.target)}"
            return f"{role} of {self.parse.concept(triple.source)}"
        is_inverse = bool(mistake.tgt) and self.gold.is_inverse(mistake.tgt[0])
        return role if is_same_source != is_inverse else f"{role}-of"

    def parse_line(self, k: int, mistake: Mistake) -> ParseLine:
        """Return the line of something that only the parse has."""
        triple = mistake.src[0]
        if not isinstance(triple, ExplainedTriple):
            return ParseLine(0, 1, 0, k, str(triple))
        line, depth = self.below(triple)
        rows, parse_line = self.parse.outline[0], self.parse.line(triple)
        if mistake.construction == NAME:
            ends = [triple.source, triple.target]
            node = next((n for n in ends if self.parse.concept(n) == NAME), triple.source)
            node = self.parse.node(node)
            parse_line = self.parse.nodes.get(node, 0)
            text = f"{rows[parse_line].role} “{self.parse.name(node)}”"
        elif triple.kind == "TOP":
            line, depth = 0, 1
            text = f"root {self.parse.concept(triple.source)}"
        elif triple.kind == "instance":
            text = f"{rows[parse_line].role} {self.parse.concept(triple.source)}"
        elif triple.kind == "attribute":
            text = f"{self.parse.role(triple)} {triple.target}"
        else:
            text = f"{self.parse.role(triple)} {self.parse.concept(triple.target)} ↩"
        return ParseLine(line, depth, parse_line, k, text.lstrip())  # the root has no role

    def below(self, triple: ExplainedTriple) -> tuple[int, int]:
        """Return the gold line of the nearest node with a counterpart, and how far above it is."""
        node: str | None = self.parse.node(triple.source)
        if triple.kind == "instance" and node in self.parse.nodes:
            node = self.parse.above(node) if node not in self.counterparts else node
        depth = 1
        while node in self.parse.nodes and node not in self.counterparts:
            node = self.parse.above(node)
            depth += 1
        gold = None if node is None else self.counterparts.get(node)
        return (0 if gold is None else self.gold.nodes[gold]), depth
