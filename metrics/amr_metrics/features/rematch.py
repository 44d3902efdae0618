"""Rematch (Kachwala et al. 2024): the Jaccard similarity of two graphs' sets of motifs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.compiled import compiled
from amr_metrics.errors import GraphError, OptionError
from amr_metrics.features.bag_metric import BagMetric
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.encoding import EncodedGraph, GraphTable, graph_of, labelled, mod_as_domain
from amr_metrics.graphs.folding import lower, lower_without_outer_quotes
from amr_metrics.graphs.numbering import Numbering, emptied, number, numbering
from amr_metrics.types import Bools, Floats, Ints
from amr_metrics.utils.decoding import load_text
from amr_metrics.utils.f1 import share
from amr_metrics.utils.text import split_lines

ATTRIBUTE, INSTANCE, BARE = -1, -2, -1


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

    def encode(self, corpus: Corpus) -> GraphTable:
        """Encode normalised labels, with senses mapped to frames and ``:mod`` to ``:domain``."""
        frames = self.frames

        def fold_concept(concept: str) -> str:
            folded = lower_without_outer_quotes(concept)
            return frames.get(folded, folded)

        return labelled(
            mod_as_domain(corpus),
            concept=fold_concept,
            constant=lower_without_outer_quotes,
            role=lower,
        ).table

    def features(self, graphs: GraphTable) -> Floats:
        """Return the number of motifs, with those that occur several times."""
        return np.asarray(motif_counts(graphs))

    def compare(self, graphs: GraphTable, src: Ints, tgt: Ints) -> Scores:
        """Return intersection over union, with the sizes of both as columns."""
        shared, union = shared_motifs(graphs, src, tgt)
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


@compiled
def shared_motifs(graphs: GraphTable, src: Ints, tgt: Ints) -> tuple[Ints, Ints]:
    """Count the motifs in the intersection and in the union of each pair."""
    shared, union = np.zeros(src.size, np.int64), np.zeros(src.size, np.int64)
    motifs = numbering(256)
    for p in range(src.size):
        src_graph, tgt_graph = graph_of(graphs, src[p]), graph_of(graphs, tgt[p])
        capacity = int(count_motifs(src_graph) + count_motifs(tgt_graph))
        motifs = emptied(motifs, capacity)
        seen = np.zeros((2, capacity), np.bool_)
        collect_motifs(src_graph, motifs, seen[0])
        collect_motifs(tgt_graph, motifs, seen[1])
        for k in range(motifs.size[0]):
            shared[p] += seen[0, k] and seen[1, k]
        union[p] = motifs.size[0]
    return shared, union


@compiled
def instance_starts(graph: EncodedGraph) -> Ints:
    """Return the start of each node's instance motifs: one per attribute, at least one."""
    start = np.zeros(graph.variables + 1, np.int64)  # first counts, shifted by one, then sums
    for e in range(len(graph.targets)):
        if graph.targets[e] >= graph.variables:
            start[graph.sources[e] + 1] += 1
    for i in range(graph.variables):
        start[i + 1] = start[i] + max(start[i + 1], 1)
    return start


@compiled
def motif_counts(graphs: GraphTable) -> Floats:
    """Return an upper bound of the number of motifs of each graph."""
    counts = np.zeros(graphs.tops.size)
    for g in range(counts.size):
        counts[g] = count_motifs(graph_of(graphs, g))
    return counts


@compiled
def count_motifs(graph: EncodedGraph) -> float:
    """Bound the number of motifs of a graph from above: a float, since an int could overflow."""
    start = instance_starts(graph)
    total = float(start[-1])
    for e in range(len(graph.targets)):
        s, t = graph.sources[e], graph.targets[e]
        if t >= graph.variables:
            total += 1.0
        else:
            total += float(start[s + 1] - start[s]) * float(start[t + 1] - start[t])
    return total


@compiled
def collect_motifs(graph: EncodedGraph, motifs: Numbering, seen: Bools) -> None:
    """Find the numbers of a graph's motifs and mark them as seen."""
    labels, sources, targets = graph.labels, graph.sources, graph.targets
    start = instance_starts(graph)
    instance, end = np.empty(start[-1], np.int64), start[:-1].copy()
    for e in range(len(targets)):
        if targets[e] >= graph.variables:
            s = sources[e]
            attribute = number(motifs, ATTRIBUTE, graph.roles[e], labels[targets[e]])
            seen[attribute] = True
            instance[end[s]] = number(motifs, INSTANCE, labels[s], attribute)
            end[s] += 1
    for i in range(graph.variables):
        if end[i] == start[i]:
            instance[end[i]] = number(motifs, INSTANCE, labels[i], BARE)
    for k in range(instance.size):
        seen[instance[k]] = True
    for e in range(len(targets)):
        s, t = sources[e], targets[e]
        if t < graph.variables:
            for a in instance[start[s] : start[s + 1]]:
                for b in instance[start[t] : start[t + 1]]:
                    seen[number(motifs, a, graph.roles[e], b)] = True
