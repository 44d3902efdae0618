"""The ``# ::key value`` lines of many graphs, parsed on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np

from metrics.lines import split_lines
from metrics.types import Ints


@dataclass(frozen=True, eq=False)
class Comments(Sequence[Mapping[str, str]]):
    r"""The metadata of graphs: one mapping of keys to values per graph.

    Attributes:
        text: the comment lines of all graphs, in UTF-8.
        start: int64 g + 1, where those of each graph start in `text`.

    >>> import numpy as np
    >>> text = b"# ::id 1 ::date today\n# ::snt A dog.\n# ::id 2\n"
    >>> comments = Comments(text, np.array([0, 37, 46]))
    >>> comments[0]
    {'date': 'today', 'id': '1', 'snt': 'A dog.'}
    """

    text: bytes = field(repr=False)
    start: Ints = field(repr=False)

    def __len__(self) -> int:
        return len(self.start) - 1

    @overload
    def __getitem__(self, k: int) -> Mapping[str, str]: ...
    @overload
    def __getitem__(self, k: slice) -> Sequence[Mapping[str, str]]: ...
    def __getitem__(self, k: int | slice) -> Mapping[str, str] | Sequence[Mapping[str, str]]:
        if isinstance(k, slice):
            return tuple(self[at] for at in range(len(self))[k])
        at = range(len(self))[k]
        return metadata(self.text[self.start[at] : self.start[at + 1]].decode())

    def take(self, chosen: Ints) -> Comments:
        """The metadata of some graphs, with a text of their comment lines only."""
        spans = zip(self.start[chosen].tolist(), self.start[chosen + 1].tolist(), strict=True)
        parts = [self.text[begin:end] for begin, end in spans]
        lengths = np.array([len(part) for part in parts], np.int64)
        return Comments(b"".join(parts), np.concatenate([[0], np.cumsum(lengths)]))


def metadata(comments: str) -> dict[str, str]:
    r"""The keys and values in comment lines, as penman's parser takes them.

    >>> metadata("# no key\n# ::id a ::b  c ")
    {'b': ' c', 'id': 'a'}
    """
    found = {}
    for line in split_lines(comments):
        while line:
            line, separator, entry = line.rpartition("::")
            if separator:
                key, _, value = entry.partition(" ")
                found[key] = value.rstrip()
    return found
