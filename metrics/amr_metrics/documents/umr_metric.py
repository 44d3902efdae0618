"""The base class of metrics of UMR documents."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar, cast

from amr_metrics.base import Metric, Pair, apply_to_each
from amr_metrics.documents.sentences import Missing, check_same_sentences
from amr_metrics.documents.umr_document import UmrDocument, UmrNode
from amr_metrics.errors import PairError
from amr_metrics.explanation import Explanation, Link

Documents = tuple[UmrDocument, UmrDocument]
Counts = TypeVar("Counts")


@dataclass(frozen=True, kw_only=True)
class UmrMetric(Metric):
    """A metric that compares documents of UMR files sentence by sentence.

    Attributes:
        missing: a sentence of one side alone is an ``error``, or may ``count`` as unmatched.

    Raises:
        OptionError: if `missing` is unknown.
    """

    reads_documents: ClassVar[bool] = True

    missing: Missing = "error"

    def view(self, pair: Pair) -> Pair:
        """Return the pair as documents; an empty graph is a document without sentences.

        Raises:
            PairError: for a graph that is not a document of a UMR file, and for different
                sentences unless they `count`.
        """
        src, tgt = (graph if graph.variables else UmrDocument.of(()) for graph in pair)
        if not isinstance(src, UmrDocument) or not isinstance(tgt, UmrDocument):
            raise PairError(
                "not a document of a UMR file: use format=umr, in Python read_umr_documents"
            )
        if self.missing == "error" and src.sentences and tgt.sentences:
            check_same_sentences([[s.number for s in side.sentences] for side in (src, tgt)])
        return Pair(src, tgt)

    def count_each(
        self, count: Callable[[UmrDocument, UmrDocument], Counts], pairs: Sequence[Pair]
    ) -> list[Counts]:
        """Apply a function to the documents of each pair; errors get the pair's position."""
        return apply_to_each(lambda view: count(*cast(Documents, view)), self.views(pairs))

    @abstractmethod
    def aligned_nodes(
        self, src: UmrDocument, tgt: UmrDocument
    ) -> Iterator[tuple[UmrNode, UmrNode]]:
        """Yield the aligned nodes of two documents."""

    def explain(self, pair: Pair) -> Explanation:
        """Return the alignment of the nodes, sentence by sentence."""
        src, tgt = cast(Documents, self.view(pair))
        links = [Link(src.name(a), tgt.name(b), 1.0, 0.0) for a, b in self.aligned_nodes(src, tgt)]
        return Explanation(float(self.score([pair])[0]), tuple(links))


def sentence_pairs(src: UmrDocument, tgt: UmrDocument) -> list[tuple[int, int]]:
    """Return the positions of the sentences with each number, -1 where there is none."""
    src_at, tgt_at = ({s.number: k for k, s in enumerate(d.sentences)} for d in (src, tgt))
    return [(src_at.get(n, -1), tgt_at.get(n, -1)) for n in sorted({*src_at, *tgt_at})]
