"""A text that the compiled scanner reads, and penman where the scanner is not certain."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics.compiled import plain_if_quick
from metrics.errors import GraphError
from metrics.graphs.graph import Graph
from metrics.reading.decoding import Readable, after_mark, decode
from metrics.reading.penman_reading import TextPart, interpret, parse_part, parse_trees
from metrics.reading.scanner_kernels import UNSURE, Scan, scan
from metrics.types import Ints
from metrics.utils.text import split_lines

LEAD = 1 << 12  # bytes to keep, for error messages, of the line on which a part of a stream starts


@dataclass(frozen=True, kw_only=True)
class Text:
    """Part of a file.

    Attributes:
        data: bytes of the file.
        source: the name of the file.
        line: the number of the line on which `data` starts.
        begin: where to start reading in `data`.
        graph: the number of graphs before it.
        ended: whether the file ends with `data`.
    """

    data: bytes
    source: str
    line: int = 1
    begin: int = 0
    graph: int = 0
    ended: bool = True

    @classmethod
    def of(cls, data: bytes, source: str) -> Text:
        """All of a file.

        Raises:
            GraphError: it is not valid UTF-8.
        """
        text = cls(data=data[after_mark(data, source) :], source=source)
        text.check_encoding(len(text.data))
        return text

    def filled(self, stream: Readable, size: int) -> Text:
        """The text with so much more of the stream that `size` bytes are to be read."""
        if self.ended or len(self.data) - self.begin >= size:
            return self
        first = max(self._line_start(self.begin), self.begin - LEAD)
        while first < self.begin and self.data[first] & 0xC0 == 0x80:  # within a character
            first += 1
        pieces, missing, ended = [self.data[first:]], size - len(self.data) + self.begin, False
        while missing > 0 and not ended:
            pieces.append(stream.read(missing))
            missing -= len(pieces[-1])
            ended = not pieces[-1]
        data = b"".join(pieces)
        if not self.data:
            data = data[after_mark(data, self.source) :]
        line = self.line_of(first)
        return replace(self, data=data, line=line, begin=self.begin - first, ended=ended)

    def check_encoding(self, end: int) -> None:
        """Check that the text is valid UTF-8 up to a position.

        Raises:
            GraphError: it is not.
        """
        if not (part := self.data[self.begin : end]).isascii():
            decode(part, self.source, self.line_of(self.begin))

    def scan(self, *, regions: Ints | None = None, limit: int | None = None) -> Scan:
        """Scan the text, or some regions of it, each as a whole."""
        size = len(self.data)
        with plain_if_quick(size):  # about a microsecond per byte
            return scan(
                self.data,
                np.array([[self.begin, size]]) if regions is None else regions,
                regions is not None,
                sys.maxsize if limit is None else limit,
                self.complete,
            )

    def slow_graphs(self, result: Scan) -> dict[int, Sequence[Graph]]:
        """The graphs that a scan left out, read by penman, by position in the scan.

        Raises:
            GraphError: one of them cannot be read.
        """
        slow: dict[int, Sequence[Graph]] = {}
        for k in left_out(result):
            begin, end = result.spans[k].tolist()
            try:
                slow[k] = parse_trees(self.data[begin:end].decode(), interpret, self.source)
            except GraphError:
                # Once more, with its place in the file for the error message.
                slow[k] = parse_part(self.part(begin, end, k), interpret, self.source)
        return slow

    def rest(self, result: Scan) -> Sequence[Graph]:
        """What follows the last graph of a scan, read by penman.

        Raises:
            GraphError: it cannot be read.
        """
        part = self.part(result.position, len(self.data), len(result.spans))
        return parse_part(part, interpret, self.source)

    def check_rest(self, result: Scan) -> None:
        """Check that an error in what follows the last graph may be due to the missing text.

        Raises:
            GraphError: it is an error whatever the text that is still to come.
        """
        if result.status == UNSURE and (end := self.complete) > result.position:
            self.check_encoding(end)
            self.slow_graphs(result)
            part = self.part(result.position, end, len(result.spans))
            parse_part(replace(part, ended=False), interpret, self.source)

    @property
    def complete(self) -> int:
        """The end of the last line that is complete."""
        return len(self.data) if self.ended else self._line_start(len(self.data))

    def line_of(self, position: int) -> int:
        """The number of the line at a position."""
        ends = [self.data.count(end, 0, position) for end in (b"\n", b"\r", b"\r\n")]
        return self.line + ends[0] + ends[1] - ends[2]

    def _line_start(self, position: int) -> int:
        return 1 + max(self.data.rfind(end, 0, position) for end in (b"\n", b"\r"))

    def part(self, begin: int, end: int, graphs: int) -> TextPart:
        """A part of the text, for penman.

        Args:
            graphs: the number of graphs of this text before it.
        """
        first = self._line_start(begin)
        ends = [self.data.find(character, end) for character in (b"\n", b"\r")]
        last = min([position for position in ends if position >= 0], default=len(self.data))
        shown = split_lines(self.data[first:last].decode(errors="replace")) or [""]
        lines = [*shown]
        before, behind = self.data[first:begin].decode(), self.data[end:last]
        lines[-1] = lines[-1][: len(lines[-1]) - len(behind.decode(errors="replace"))]
        lines[0] = " " * len(before) + lines[0][len(before) :]
        return TextPart(lines, shown, self.graph + graphs, self.line_of(first))


def left_out(result: Scan) -> list[int]:
    """The positions of graphs that a scan left out."""
    empty: list[int] = np.flatnonzero(np.diff(result.node_start) == 0).tolist()
    return empty
