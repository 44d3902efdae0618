"""What holds of any Chinese AMR: bounds, symmetry, optimality."""

import itertools

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from amr_metrics import Pair
from amr_metrics.camr import AlignSmatch, CamrSmatch, ConceptSmatch, subscores
from amr_metrics.camr.draft import Draft, Sentence
from amr_metrics.graphs.graph import Attribute

WORDS = dict(enumerate(("他", "妈妈", "看", "了", "北京", "大学", "说", "X光"), 1))
SENTENCE = Sentence(len(WORDS), WORDS)
IDS = ("x1", "x2", "x3", "x4", "x7", "x8", "x2_1", "x2_2", "x3_x8", "x20", "x21")
NAMES = {"x5": ["北京"], "x6": ["大学"], "x5_x6": ["北京", "大学"]}
CONCEPTS = ("看-01", "看-02", "看", "他", "and", "AND", "x5")
ROLES = (":arg0", ":ARG0", ":arg1", ":arg0-of", ":consist-of", ":mod")
ALIGNMENTS = (("", ""), ("", ""), ("x4", "了"), ("x3_x4", "看了"))
METRICS = [
    metric(fix=fix, mode=mode)
    for metric in (CamrSmatch, ConceptSmatch, AlignSmatch)
    for fix in ("none", "relations", "all")
    for mode in ("paper", "camrp2022")
]
SETTINGS = settings(derandomize=True, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def graphs(draw, largest=5):
    """Graphs with names, anaphors, aligned and repeated relations."""
    draft = Draft(SENTENCE)
    nodes = draw(st.lists(st.sampled_from(IDS), min_size=1, max_size=largest, unique=True))
    for k, node in enumerate(nodes):
        if k and node in ("x1", "x7") and draw(st.booleans()):
            draft.node(node, WORDS[int(node[1:])], 0, nodes[k - 1])
        else:
            draft.node(node, draw(st.sampled_from(CONCEPTS)), 0)
        if k:
            source = draw(st.sampled_from(nodes[:k]))
            draft.relate(
                source, draw(st.sampled_from(ROLES)), node, *draw(st.sampled_from(ALIGNMENTS))
            )
    for source, target in draw(st.lists(st.tuples(*[st.sampled_from(nodes)] * 2), max_size=3)):
        draft.relate(
            source, draw(st.sampled_from(ROLES)), target, *draw(st.sampled_from(ALIGNMENTS))
        )
    if draw(st.booleans()) and len(nodes) < largest:
        name = draw(st.sampled_from(sorted(NAMES)))
        draft.node(name, "name", 0)
        draft.relate(draw(st.sampled_from(nodes)), ":name", name)
        draft.attributes += [
            Attribute(name, f":op{k}", string) for k, string in enumerate(NAMES[name], 1)
        ]
    metadata = {"id": "export_amr.9", "wid": " ".join(f"x{k}_{w}" for k, w in WORDS.items())}
    return draft.graph(nodes[0], "9", metadata)


# --- the tuple sets once more, word for word ------------------------------------------------


def tuple_sets(graph, metric):
    """The tuples of a graph as (label, node) and (label, source, target)."""
    tool = metric.mode == "camrp2022"
    fold = str.lower if tool else str
    concept = dict(zip(graph.variables, graph.concepts, strict=True))
    attributes = list(graph.attributes)
    if tool:
        for name in [v for v in graph.variables if concept[v] == "name"]:
            strings = [a.constant for a in attributes if a.node == name]
            concept[name] = "".join(strings) or "name"
        attributes = []
    concept = {node: fold(text) for node, text in concept.items()}
    bare = {node: text[:-3] if text[-3:-2] == "-" else text for node, text in concept.items()}
    unary = {(("instance", text), node) for node, text in concept.items()}
    unary |= {((a.role, a.constant), a.node) for a in attributes}
    unary.add((("top", concept[graph.top] if metric.fix == "all" else ""), graph.top))
    if isinstance(metric, ConceptSmatch):
        unary |= {
            (("anchor", a), v) for v, a in zip(graph.variables, graph.anchors, strict=True) if a
        }
    arcs = []
    for relation, arc in zip(graph.relations, graph.arcs, strict=True):
        source, role, target = relation
        if arc.inverse and not tool:
            source, role, target = target, role + "-of", source
        arcs.append((("role", fold(role)), source, target))
        if arc.rid and isinstance(metric, AlignSmatch):
            arcs.append((("word", fold(arc.word), arc.rid), source, target))
    if tool:
        arcs += [(("role", "coref"), a, b) for a, b in graph.coreferences]
    ends = bare if tool else concept
    if metric.fix != "none":
        arcs = [((*label, ends[s], ends[t]), s, t) for label, s, t in arcs]
    return unary, set(arcs)


def best_count(pair, metric):
    """The most tuples that any one-to-one map matches."""
    (src_unary, src_binary), (tgt_unary, tgt_binary) = (tuple_sets(graph, metric) for graph in pair)
    src, tgt = pair.src.variables, pair.tgt.variables
    padded = [*tgt, *[None] * len(src)]
    best = 0
    for images in set(itertools.permutations(padded, len(src))):
        to = dict(zip(src, images, strict=True))
        count = sum((label, to[n]) in tgt_unary for label, n in src_unary)
        count += sum((label, to[s], to[t]) in tgt_binary for label, s, t in src_binary)
        best = max(best, count)
    return best, len(src_unary) + len(src_binary), len(tgt_unary) + len(tgt_binary)


@settings(SETTINGS, max_examples=20)
@given(a=graphs(largest=4), b=graphs(largest=4))
def test_counts_equal_those_of_exhaustive_search(a, b):
    for metric in METRICS:
        scores = metric.evaluate([Pair(a, b)])
        found = tuple(scores.details[name][0] for name in ("matches", "src_total", "tgt_total"))
        assert found == best_count(Pair(a, b), metric), metric.signature
        assert scores.details["optimal"][0]


@SETTINGS
@given(a=graphs(), b=graphs())
def test_sub_scores_are_bounded_and_symmetric(a, b):
    for mode in ("paper", "camrp2022"):
        forth, back = subscores([Pair(a, b)], mode), subscores([Pair(b, a)], mode)
        for name in ("CA", "RA", "IC"):
            assert 0 <= forth.corpus[name]["f1"] <= 1
            assert forth.corpus[name]["precision"] == back.corpus[name]["recall"]
            assert forth.sentences[name].values == back.sentences[name].values
        same = subscores([Pair(a, a)], mode)
        assert [same.corpus[name]["f1"] for name in ("CA", "RA", "IC")] == [1, 1, 1]
