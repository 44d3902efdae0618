"""PropBank's role descriptions: which core roles denote a place, a time, an instrument, ..."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from amr_metrics.aspects.table import Aspect
from amr_metrics.graphs.graph import Attribute, Graph, Relation
from amr_metrics.standardize.steps import deinvert
from amr_metrics.validity.frames import Frames


@dataclass(frozen=True)
class FrameRoles:
    """Core roles of frames and the aspects that their descriptions mention.

    Attributes:
        roles: for each frame, the role of the aspect that each described core role expresses.
        digest: of the file.
    """

    roles: Mapping[str, Mapping[str, str]]
    digest: str = ""

    @classmethod
    def read(cls, path: str | Path, aspects: Iterable[Aspect]) -> FrameRoles:
        """Read a file of frames; see `Frames.read`, which raises errors, and `of`."""
        return cls.of(Frames.read(path), aspects)

    @classmethod
    def of(cls, frames: Frames, aspects: Iterable[Aspect]) -> FrameRoles:
        """Choose the core roles whose descriptions have a word of an aspect."""
        words = [pair for aspect in aspects for pair in aspect.described]
        roles: dict[str, dict[str, str]] = {}
        for frame, described in frames.roles.items():
            for role, text in described.items():
                # Words of the table that must be whole words have spaces around them.
                spaced = f" {' '.join(re.sub('[,.] ', ' ', text).split())} "
                for word, meaning in words:
                    if word in spaced:
                        roles.setdefault(frame, {})[f":ARG{role}"] = meaning
        return cls(roles, frames.digest)

    def __call__(self, graph: Graph) -> Graph:
        """Replace core roles with a description by the role of their aspect.

        >>> roles = FrameRoles({"control-01": {":ARG2": ":instrument"}})
        >>> from amr_metrics import parse_graph
        >>> roles(parse_graph("(c / control-01 :ARG2 (l / lever))")).relations
        (Relation(source='c', role=':instrument', target='l'),)
        """
        if self.roles.keys().isdisjoint(graph.concepts):
            return graph
        at = {
            v: self.roles.get(c, {}) for v, c in zip(graph.variables, graph.concepts, strict=True)
        }
        attributes = [Attribute(n, at[n].get(role, role), c) for n, role, c in graph.attributes]
        relations = [Relation(s, at[s].get(role, role), t) for s, role, t in graph.relations]
        renamed = Graph(
            graph.variables,
            graph.concepts,
            tuple(attributes),
            tuple(relations),
            graph.top,
            graph.metadata,
        )
        return deinvert(renamed)
