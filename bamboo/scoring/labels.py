r"""Labels of graphs that look like mistakes in the input, although the graphs can be read.

A label is a concept or a constant. What is looked for: a literal ``\n`` at the end, where a text
was escaped twice; HTML entities and typographic quotes where the other side has the plain label;
and concepts that end in ``.17``, where senses are to be removed that end in ``-17``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.folding import SENSE
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.graphs.rows import select_group_rows
from amr_metrics.types import Ints
from amr_metrics.utils.text import format_count
from bamboo.scoring.file_pairs import FilePairs

ESCAPED_END = r"\n"
SENSES = re.compile(SENSE.pattern, re.MULTILINE)
DOTTED_SENSE = re.compile(r"[^\W\d]\.\d\d+$")
QUOTES = str.maketrans("‘’‚‛“”„‟", "''''\"\"\"\"")
UNUSUAL = re.compile("[\\\\&‘’‚‛“”„‟]")  # in each label that is to be looked at


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
        by_kind = [count_labels(pairs, side) for side in (0, 1)]
        labels = [concepts + constants for concepts, constants in by_kind]
        for concepts, _ in by_kind:
            if not self._has_senses:
                self._has_senses = SENSES.search("\n".join(concepts)) is not None
                dotted = filter(DOTTED_SENSE.search, concepts)
                self._dotted.update({concept: concepts[concept] for concept in dotted})
        for side, counts in enumerate(labels):
            if UNUSUAL.search("\n".join(counts)) is None:  # fast: a single search
                continue
            for label in filter(UNUSUAL.search, counts):
                if label.endswith(ESCAPED_END):
                    self._escaped[side][label] += counts[label]
                elif label not in labels[1 - side] and _undress(label) in labels[1 - side]:
                    self._dressed[side][label] += counts[label]

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
    """
    examples = ", ".join(label for label, _ in labels.most_common(3))
    dots = ", ..." if len(labels) > 3 else ""
    verb = one if labels.total() == 1 else several
    return f"{format_count(labels.total(), 'label')} ({examples}{dots}) {verb}"


def count_labels(pairs: FilePairs, side: int) -> tuple[Counter[str], Counter[str]]:
    """Count concepts and constants of the first (0) or second (1) graphs of pairs."""
    if not isinstance(pairs.pairs, Pairs):
        graphs = [pair[side] for pair in pairs if pair is not None]
        return (
            Counter(concept for graph in graphs for concept in graph.concepts),
            Counter(triple.constant for graph in graphs for triple in graph.attributes),
        )
    corpus = (pairs.pairs.src, pairs.pairs.tgt)[side]
    index = (pairs.pairs.src_index, pairs.pairs.tgt_index)[side][pairs.present]
    return (
        _count_symbols(corpus, corpus.concepts[select_group_rows(corpus.node_start, index).rows]),
        _count_symbols(
            corpus, corpus.constants[select_group_rows(corpus.attribute_start, index).rows]
        ),
    )


def _count_symbols(corpus: Corpus, symbols: Ints) -> Counter[str]:
    counts = np.bincount(symbols)
    return Counter({corpus.symbols.texts[k]: int(counts[k]) for k in np.flatnonzero(counts)})
