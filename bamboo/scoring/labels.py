r"""Labels of graphs that look like mistakes in the input, although the graphs can be read.

A label is a concept or a constant. What is looked for: a literal ``\n`` at the end, where a text
was escaped twice; HTML entities and typographic quotes where the other side has the plain label;
and concepts that end in ``.17``, where senses are to be removed that end in ``-17``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from amr_metrics.graphs.folding import SENSE
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.graphs.rows import select_group_rows
from amr_metrics.types import Ints
from amr_metrics.utils.text import format_count
from bamboo.scoring.file_pairs import FilePairs

ESCAPED_END = r"\n"
DOTTED_SENSE = re.compile(r"[^\W\d]\.\d\d+$")
QUOTES = str.maketrans("‘’‚‛“”„‟", "''''\"\"\"\"")
UNUSUAL = re.compile(r"\\n$|&#?\w+;|[‘’‚‛“”„‟]", re.MULTILINE)  # what is to be looked at


class LabelCount:
    """Counts labels that look like mistakes, chunk by chunk.

    Args:
        src, tgt: the names of both sides, for messages.
    """

    def __init__(self, src: str, tgt: str) -> None:
        self._names = src, tgt
        self._escaped: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        self._dressed: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        self._dotted: Counter[str] = Counter()
        self._has_senses = False

    def add(self, pairs: FilePairs) -> None:
        """Count the labels of the next pairs, as they were read."""
        present = pairs.select(pairs.present)
        arrays = present if isinstance(present, Pairs) else Pairs.of(present)
        texts = arrays.src.symbols.texts
        if not self._has_senses:
            self._add_senses(texts, [concepts for concepts, _ in count_labels(arrays)])
        if labels := find_unusual(texts):
            counts = [concepts + constants for concepts, constants in count_labels(arrays)]
            numbers = dict(zip(texts, range(len(texts)), strict=True))
            for label in labels:
                self._add_unusual(label, numbers[label], counts, numbers.get(_undress(label)))

    def _add_senses(self, texts: Sequence[str], counts: Sequence[Ints]) -> None:
        used = [np.flatnonzero(of_side).tolist() for of_side in counts]
        self._has_senses = any(SENSE.search(texts[k]) for side in used for k in side)
        if not self._has_senses:  # seldom: nearly all graphs have a sense
            for side, of_side in zip(used, counts, strict=True):
                dotted = {texts[k]: int(of_side[k]) for k in side if DOTTED_SENSE.search(texts[k])}
                self._dotted.update(dotted)

    def _add_unusual(
        self, label: str, number: int, counts: Sequence[Ints], plain: int | None
    ) -> None:
        """Count an unusual label.

        Args:
            number: of its symbol.
            counts: how often each symbol is a label, of both sides.
            plain: the symbol of the plain label, if it is there.
        """
        for side in (0, 1):
            other, count = counts[1 - side], int(counts[side][number])
            if count and label.endswith(ESCAPED_END):
                self._escaped[side][label] += count
            elif count and plain is not None and other[plain] and not other[number]:
                self._dressed[side][label] += count

    def notes(self, option: str = "") -> Iterator[str]:
        """Yield a note for each kind of mistake on each side.

        Args:
            option: what removes senses or makes them equal; "" if nothing does.
        """
        for name, other, escaped, dressed in zip(
            self._names, self._names[::-1], self._escaped, self._dressed, strict=True
        ):
            if escaped:
                yield (
                    rf"{name}: {_describe(escaped)} in a backslash and n. Was the text escaped "
                    r"twice? Such labels match no others: write line ends in their place"
                )
            if dressed:
                plain = _undress(dressed.most_common(1)[0][0])
                yield (
                    f"{name}: {_describe(dressed, 'has', 'have')} HTML entities or typographic "
                    f"quotes, where {other} has plain ones ({plain}). They do not match"
                )
        if option and self._dotted and not self._has_senses:
            yield (
                f"{option} changes nothing, although {_describe(self._dotted)} in a number: "
                "a sense is behind a hyphen, as in sleep-01"
            )


def _undress(label: str) -> str:
    """Return a label without entities and typographic quotes."""
    import html  # seldom needed

    return html.unescape(label).translate(QUOTES)


def _describe(labels: Counter[str], one: str = "ends", several: str = "end") -> str:
    """Count labels, with examples and a verb.

    >>> _describe(Counter({"ol.17": 2, "git.3": 1}))
    '3 labels (ol.17, git.3) end'
    >>> _describe(Counter("abcd"), "has", "have")
    '4 labels (a, b, c, ...) have'
    """
    examples = ", ".join(label for label, _ in labels.most_common(3))
    dots = ", ..." if len(labels) > 3 else ""
    verb = one if labels.total() == 1 else several
    return f"{format_count(labels.total(), 'label')} ({examples}{dots}) {verb}"


def find_unusual(texts: Sequence[str]) -> list[str]:
    r"""Return the texts with something unusual; one search in all of them is fast.

    >>> find_unusual(["cat", '"R&amp;D"', "dog\\n", "A&E"])
    ['"R&amp;D"', 'dog\\n']
    """
    lines = "\n".join((*texts, ""))
    begins = (lines.rfind("\n", 0, match.start()) + 1 for match in UNUSUAL.finditer(lines))
    return [lines[begin : lines.index("\n", begin)] for begin in dict.fromkeys(begins)]


def count_labels(pairs: Pairs) -> Iterator[tuple[Ints, Ints]]:
    """Yield for both sides how often each symbol is a concept, and how often it is a constant."""
    size = len(pairs.src.symbols)
    for corpus, index in ((pairs.src, pairs.src_index), (pairs.tgt, pairs.tgt_index)):
        concepts = corpus.concepts[select_group_rows(corpus.node_start, index).rows]
        constants = corpus.constants[select_group_rows(corpus.attribute_start, index).rows]
        yield np.bincount(concepts, minlength=size), np.bincount(constants, minlength=size)
