"""PropBank's role descriptions: which core roles denote a place, a time, an instrument, ..."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from amr_metrics.aspects.table import Aspect
from amr_metrics.errors import GraphError, OptionError
from amr_metrics.graphs.graph import Attribute, Graph, Relation
from amr_metrics.standardize.steps import deinvert
from amr_metrics.utils.decoding import load_text
from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.text import split_lines

ARGUMENT = re.compile(r"\s{2,}ARG(?=[\w-]+:)", re.IGNORECASE)


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
        """Read the AMR release's file of frames. Each line is a frame and its roles, separated by
        two or more spaces: ``control-01  ARG0: controller  ARG1: thing controlled``.

        Raises:
            OptionError: if the file cannot be read or a line is malformed; it names the line.
        """
        try:
            lines = split_lines(load_text(path).lower())
            digest = file_digest(Path(path))[:12]
        except (OSError, GraphError) as error:
            raise OptionError(f"frames {path} cannot be read: {error}") from None
        words = [pair for aspect in aspects for pair in aspect.described]
        roles: dict[str, dict[str, str]] = {}
        for number, line in enumerate(lines, 1):
            frame, *arguments = ARGUMENT.split(line.rstrip())
            if not frame.strip() and not arguments:
                continue
            if not re.fullmatch(r"\S+", frame):
                raise OptionError(
                    f"frames {path}, line {number}: expected a frame and its roles, separated by "
                    f"two spaces: {line!r}"
                )
            for argument in arguments:
                role, _, text = argument.partition(":")
                spaced = f" {' '.join(re.sub('[,.] ', ' ', text).split())} "
                for word, meaning in words:
                    if word in spaced:
                        roles.setdefault(frame, {})[f":ARG{role}"] = meaning
        return cls(roles, digest)

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
