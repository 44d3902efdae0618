"""Rematch (Kachwala et al. 2024): the Jaccard similarity of two graphs' sets of motifs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.errors import GraphError, OptionError
from amr_metrics.explanation import Feature
from amr_metrics.features.bag_metric import BagMetric, largest_sizes
from amr_metrics.features.listing import ListedGraph, list_motifs
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.encoding import GraphTable, LabelledGraphs, label_graphs, mod_as_domain
from amr_metrics.graphs.folding import lower, lower_without_outer_quotes
from amr_metrics.graphs.numbering import allocate_numbers
from amr_metrics.graphs.rows import count_largest_group
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.types import Floats, Ints
from amr_metrics.utils.decoding import load_text
from amr_metrics.utils.f1 import share
from amr_metrics.utils.text import split_lines


@dataclass(frozen=True, kw_only=True)
class Rematch(BagMetric):
    """Jaccard similarity of the sets of motifs of two graphs, in 0..1.

    Labels are lower-cased and without quotes; the root is not a motif. The motifs are:

    - attribute motif: (role, constant);
    - instance motif: a node's concept with one of its attribute motifs, or the concept alone if
      the node has none;
    - relation motif: (instance motif of the source, role, instance motif of the target).

    ``x :mod y`` counts as ``y :domain x``.

    Attributes:
        verbatlas: a file with a PropBank sense, a tab and a VerbAtlas frame on each line; senses
            in the file are replaced by their frames. None: senses are not replaced.

    Raises:
        OptionError: if the `verbatlas` file cannot be read.

    >>> from amr_metrics import Pair, parse_graph
    >>> cat = parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)")
    >>> dog = parse_graph("(s / sleep-01 :ARG0 (d / dog) :polarity -)")
    >>> Rematch().score([Pair(cat, dog)]).tolist()  # 2 of 4 and 4: the attribute, and "not sleep"
    [0.3333333333333333]
    """

    reference: ClassVar[str] = (
        "Kachwala, An, Kwak and Menczer (2024), Rematch: robust and efficient matching of local "
        "knowledge graphs to improve structural and semantic similarity, "
        "https://aclanthology.org/2024.findings-naacl.64"
        " (code: https://github.com/osome-iu/Rematch-RARE)"
    )

    verbatlas: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        _ = self.frames  # check that the file can be read

    @property
    def frames(self) -> Mapping[str, str]:
        """The frame of each sense in the `verbatlas` file, lower-cased."""
        return {} if self.verbatlas is None else read_frames(self.verbatlas)

    @property
    def signature(self) -> str:
        """The signature, with the content of the `verbatlas` file in place of its name."""
        if self.verbatlas is None:
            return super().signature
        content = "\n".join(f"{sense}\t{frame}" for sense, frame in sorted(self.frames.items()))
        return f"{super().signature}|verbatlas={hashlib.sha256(content.encode()).hexdigest()[:12]}"

    def label(self, corpus: Corpus) -> LabelledGraphs:
        """Encode normalised labels, with senses mapped to frames and ``:mod`` to ``:domain``."""
        frames = self.frames

        def fold_concept(concept: str) -> str:
            folded = lower_without_outer_quotes(concept)
            return frames.get(folded, folded)

        return label_graphs(
            mod_as_domain(corpus),
            concept=fold_concept,
            constant=lower_without_outer_quotes,
            role=lower,
        )

    def list_features(
        self, src: ListedGraph, tgt: ListedGraph, score: float
    ) -> tuple[Iterable[Feature], Sequence[str]]:
        """Return the motifs of two graphs. One that both have adds 1 / size of the union."""
        # Motifs are sets: how often a graph has one does not count.
        sides = [dict.fromkeys(list_motifs(graph)) for graph in (src, tgt)]
        union = {**sides[0], **sides[1]}
        features = []
        for kind, text in union:
            in_src, in_tgt = (int((kind, text) in side) for side in sides)
            shared = in_src * in_tgt
            features.append(Feature(kind, text, in_src, in_tgt, shared, shared / len(union)))
        intersection = sum(feature.matched for feature in features)
        return features, [f"intersection / union: {intersection} / {len(union)} = {score:.4f}"]

    def features(self, graphs: GraphTable) -> Floats:
        """Return the number of motifs, with those that occur several times."""
        return count_motifs(graphs)

    def compare(self, graphs: GraphTable, src: Ints, tgt: Ints, features: int) -> Scores:
        """Return intersection over union, with the sizes of both as columns."""
        shared, union = share_motifs(graphs, src, tgt, features)
        both_empty = (union == 0).astype(np.float64)
        return Scores(
            np.divide(shared, union, out=both_empty, where=union > 0),
            {"intersection": shared, "union": union},
        )

    def corpus_of_sums(self, sums: Mapping[str, Floats], pairs: Floats) -> Mapping[str, Floats]:
        """Return the sum of intersections over the sum of unions; 1 if that is empty."""
        return {"jaccard": share(sums["intersection"], sums["union"], sums["union"])}


def read_frames(path: str) -> Mapping[str, str]:
    """Read the frame of each sense from a TSV file of two columns; ``#`` starts a comment line.

    Files of the same content are parsed once.

    Raises:
        OptionError: if the file cannot be read, a line does not have two columns, or a sense has
            two frames.
    """
    try:
        text = load_text(path)
    except (OSError, GraphError) as error:
        raise OptionError(f"verbatlas={path}: cannot be read ({error}). Check the path") from None
    return _parse_frames(text, path)


@cache
def _parse_frames(text: str, path: str) -> Mapping[str, str]:
    frames: dict[str, str] = {}
    for at, line in enumerate(split_lines(text), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip().lower() for cell in line.split("\t")]
        if len(cells) != 2 or not all(cells):
            raise OptionError(f"{path}, line {at}: expected sense, tab, frame; found {line!r}")
        if frames.setdefault(cells[0], cells[1]) != cells[1]:
            raise OptionError(f"{path}, line {at}: {cells[0]} already has a frame: keep one")
    return frames


def share_motifs(graphs: GraphTable, src: Ints, tgt: Ints, features: int) -> tuple[Ints, Ints]:
    """Count the motifs in the intersection and in the union of each pair.

    Args:
        features: the largest number of motifs of both graphs of a pair.
    """
    nodes, _ = largest_sizes(graphs, src, tgt)
    slots, memory = allocate_numbers(features)
    shared, joined = np.empty(len(src), np.int64), np.empty(len(src), np.int64)
    _share_motifs(
        *(len(src), nodes, slots, graphs, src, tgt),
        *(np.empty(size, np.int64) for size in (nodes + 1, nodes, slots // 2)),
        memory,
        np.zeros((slots // 2, 2), np.bool_),
        *(shared, joined),
    )
    return shared, joined


_share_motifs = declare_kernel("share_motifs")


def count_motifs(graphs: GraphTable) -> Floats:
    """Return an upper bound of the number of motifs of each graph."""
    counts = np.empty(len(graphs.tops))
    nodes = count_largest_group(graphs.node_start)
    _count_motifs(len(counts), nodes, graphs, np.empty(nodes + 1, np.int64), counts)
    return counts


_count_motifs = declare_kernel("count_motifs")
