"""Flags of graphs as penman decodes them, one triple after another: the definition as a program."""

from __future__ import annotations

import logging
import re
from collections import Counter

import penman
from penman.models.amr import model

OTHER_ROLES = re.compile(r":(wiki|compared-to|range|prep-.+|conj-.+)(-of)?")
NUMBER = re.compile(r"[+-]?[0-9.,:/]+|\d{4}-\d{1,2}(-\d{1,2})?")
WORDS = ("-", "+", "imperative", "expressive", "interrogative")
HAS_SENSE = re.compile(r".*[^-].*-[0-9][0-9]|.-[0-9][0-9]")


def decode_flags(text, frames=None):
    """The kinds and triples of the flags of a graph in Penman notation, and its triples' number.

    `frames` maps frames to the numbers of their core roles.
    """
    logging.getLogger("penman").setLevel(logging.ERROR)
    graph = penman.decode(text, model=model)
    concepts = {source: target for source, role, target in graph.triples if role == ":instance"}
    edges = [triple for triple in graph.triples if triple[1] != ":instance"]
    flags = Counter()
    for source, concept in concepts.items():
        if concept == "name" and not any(
            s == source and re.fullmatch(r":op\d+", role) for s, role, _ in edges
        ):
            flags["name without :op", source] += 1
        if frames is not None and HAS_SENSE.fullmatch(concept) and concept.lower() not in frames:
            lemma = concept.lower()[:-3]
            has_lemma = any(re.fullmatch(re.escape(lemma) + r"-\d+", frame) for frame in frames)
            flags["unknown sense" if has_lemma else "unknown frame", source] += 1
    for triple, count in Counter(edges).items():
        flags["repeated triple", triple] += count - 1
    for triple in edges:
        source, role, target = triple
        kinds = []
        if not model.has_role(role) and not OTHER_ROLES.fullmatch(role):
            kinds.append("unknown role")
        core = re.fullmatch(r":ARG(\d+)", role)
        if core and not HAS_SENSE.fullmatch(concepts[source]):
            kinds.append("argument of a non-frame")
        of_frame = None if frames is None else frames.get(concepts[source].lower())
        if core and of_frame is not None and core[1] not in of_frame:
            kinds.append("argument not in frame")
        is_node = target in concepts
        if not is_node and not target.startswith('"'):
            if re.fullmatch(r"[a-z][a-z]?\d*", target):
                kinds.append("dangling variable")
            elif not NUMBER.fullmatch(target) and target not in WORDS:
                kinds.append("bare constant")
        if role == ":polarity":
            allowed = ("amr-unknown", "truth-value")
            if not (concepts[target] in allowed if is_node else target == "-"):
                kinds.append("polarity value")
        if source == target:
            kinds.append("self loop")
        for kind in kinds:
            flags[kind, triple] += 1
    by_role = Counter((s, role) for s, role, _ in {*edges} if re.fullmatch(r":ARG\d+", role))
    for place, count in by_role.items():
        flags["core role twice", place] += count > 1
    closing = _closing(graph.top, concepts, [edge for edge in edges if edge[2] in concepts])
    if closing is not None:
        flags["cycle", closing] += 1
    return +flags, len(concepts) + len(edges)


def _closing(top, concepts, relations):
    """The edge that closes the first cycle in depth-first order; None without a cycle."""
    finished, path = set(), []

    def visit(node):
        path.append(node)
        for edge in relations:
            if edge[0] != node or edge[2] in finished:
                continue
            if edge[2] in path:
                return edge
            if (closing := visit(edge[2])) is not None:
                return closing
        finished.add(path.pop())
        return None

    for start in (top, *concepts):
        if start not in finished and (closing := visit(start)) is not None:
            return closing
    return None
