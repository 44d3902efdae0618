"""The graphs that metrics compare, made from one graph at a time and with labels as strings."""

import re
from collections import Counter
from typing import NamedTuple


class LabelledGraph(NamedTuple):
    """Names and labels of nodes, and edges as (source, target, role)."""

    names: list
    labels: list
    edges: list


def labelled(graph, variant="2023"):
    """The graph in the form of a variant of WWLK."""
    return FORMS[variant](graph)


def _distinct(graph):
    relations = zip(graph.sources, graph.targets, graph.relations, strict=True)
    edges = list(dict.fromkeys((s, t, role.lower()) for s, t, (_, role, _) in relations))
    constants = {
        (holder, role.lower(), _unquoted(constant)): f"{node} {role} {constant}"
        for holder, (node, role, constant) in zip(graph.holders, graph.attributes, strict=True)
    }
    count = len(graph.variables)
    edges += [(holder, count + k, role) for k, (holder, role, _) in enumerate(constants)]
    return LabelledGraph(
        [*graph.variables, *constants.values()],
        [*map(_unquoted, graph.concepts), *(label for _, _, label in constants)],
        edges,
    )


def _plain_named(graph):
    names = [*graph.variables, *(f"{n} {role} {c}" for n, role, c in graph.attributes)]
    return LabelledGraph(names, *plain(graph))


def _unquoted(text):
    return text.lower().replace('"', "")


def _shared_constants(graph):
    count = len(graph.variables)
    constants = list(dict.fromkeys(constant for _, _, constant in graph.attributes))
    edges = [
        (s, t, role)
        for s, t, (_, role, _) in zip(graph.sources, graph.targets, graph.relations, strict=True)
    ]
    edges += [
        (holder, count + constants.index(constant), role)
        for holder, (_, role, constant) in zip(graph.holders, graph.attributes, strict=True)
    ]
    if count == 1 and not edges:
        edges = [(0, 0, ":instance")]
    return LabelledGraph([*graph.variables, *constants], [*graph.concepts, *constants], edges)


FORMS = {"2021": _shared_constants, "2023": _distinct, "definition": _plain_named}


def plain(graph, concept=str, constant=str, role=str):
    """Labels and edges with one node per attribute."""
    count = len(graph.variables)
    labels = [concept(c) for c in graph.concepts] + [constant(a[2]) for a in graph.attributes]
    edges = [
        (s, t, role(r[1]))
        for s, t, r in zip(graph.sources, graph.targets, graph.relations, strict=True)
    ]
    holders = enumerate(zip(graph.holders, graph.attributes, strict=True))
    edges += [(holder, count + k, role(a[1])) for k, (holder, a) in holders]
    return labels, edges


def lowered(label):
    return label.strip('"').lower()


def with_domain(graph, edges, turned=lambda k: True):
    """Relations ``x :mod y`` as ``y :domain x``."""
    return [
        (t, s, ":domain") if r == ":mod" and k < len(graph.relations) and turned(k) else (s, t, r)
        for k, (s, t, r) in enumerate(edges)
    ]


def of_rematch(graph):
    labels, edges = plain(graph, lowered, lowered)
    return labels, [(s, t, role.lower()) for s, t, role in with_domain(graph, edges)]


def of_sema(graph):
    labels, edges = plain(graph)
    return labels, with_domain(graph, edges)


def of_published_sema(graph):
    """A constant under ``:mod`` is left out; ``:mod-of`` stays a ``:mod``."""
    count = len(graph.variables)
    kept = [(h, a) for h, a in zip(graph.holders, graph.attributes, strict=True) if a[1] != ":mod"]
    edges = plain(graph)[1][: len(graph.relations)]
    edges = with_domain(graph, edges, lambda k: k not in graph.inverted)
    edges += [(holder, count + k, a.role) for k, (holder, a) in enumerate(kept)]
    return [*graph.concepts, *[a.constant for _, a in kept]], edges


def of_sembleu(graph):
    return plain(graph, lowered, lowered, str.lower)


def of_sembleu_tool(graph, turned=False):
    """Relations as written; a variable used before its definition is one more node."""
    labels = [concept.replace(" ", "").lower() for concept in graph.concepts]
    edges = []
    for k, (s, t, relation) in enumerate(
        zip(graph.sources, graph.targets, graph.relations, strict=True)
    ):
        role = relation.role
        if k in graph.inverted:
            s, t, role = t, s, f"{role}-of"
        if k in graph.forward and not re.fullmatch("[a-z][0-9]*", graph.variables[t]):
            labels.append(labels[t])
            t = len(labels) - 1
        edges.append((s, t, role))
    for holder, (_, role, constant) in zip(graph.holders, graph.attributes, strict=True):
        if constant[0] == constant[-1] == '"' and len(constant) > 1:
            constant = re.sub("[()/:]", "", constant[1:-1])
        constant = " ".join(constant.split())
        edges.append((holder, len(labels), role))
        at = graph.positions.get(constant)
        labels.append(constant.lower() if at is None else labels[at])
    if turned:
        edges = [(t, s, r) if r.endswith("-of") else (s, t, r) for s, t, r in edges]
    return labels, edges


def of_wlk_2021(graph):
    """Each concept's variables are numbered from the last; a constant has 1, or 0 if a concept."""
    _, labels, edges = labelled(graph, "2021")
    count, left = len(graph.variables), Counter(graph.concepts)
    numbers = []
    for concept in labels[:count]:
        numbers.append((concept, left[concept]))
        left[concept] -= 1
    return numbers + [(label, int(label not in left)) for label in labels[count:]], edges


def of_wlk_2023(graph):
    """Each triple once, labels without the quotes at their ends."""
    count = len(graph.variables)
    labels, edges = of_sembleu(graph)
    relations = dict.fromkeys(edges[: len(graph.relations)])
    attributes = dict.fromkeys((s, role, labels[t]) for s, t, role in edges[len(graph.relations) :])
    labels = labels[:count] + [label for _, _, label in attributes]
    return labels, [*relations, *[(s, count + k, r) for k, (s, r, _) in enumerate(attributes)]]
