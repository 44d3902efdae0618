"""Syno: the table, the draws, and lemmas of several words."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import as_layout, graphs

from bamboo.transforms.four_solvers import Question
from bamboo.transforms.layout import convert_to_graph, parse_layouts, to_text
from bamboo.transforms.synonym import (
    FRAME,
    questions,
    replace_concepts,
    substitute,
    synonyms,
)

SENTENCE = "A man is playing soccer with a kitten."


def parse(text):
    return parse_layouts(text)[0]


def concepts_of(graph):
    return Counter(convert_to_graph(graph).concepts)


class TestDraws:
    def test_a_frame_is_drawn_from_its_cluster_including_itself(self):
        generator = np.random.default_rng(0)
        drawn = Counter()
        for _ in range(3000):
            (concept,) = concepts_of(substitute(parse("(h / hit-01)"), "", {}, generator).graph)
            drawn[concept] += 1
        # The standard deviation of a count is sqrt(3000*2/9) = 26.
        assert set(drawn) == {"hit-01", "punch-01", "strike-01"}
        assert all(abs(count - 1000) < 4 * 26 for count in drawn.values())

    def test_a_frame_replaced_by_itself_is_not_an_operation(self):
        generator = np.random.default_rng(0)
        for _ in range(50):
            graph, operations = substitute(parse("(h / hit-01)"), "", {}, generator)
            assert operations == ("hit-01" not in concepts_of(graph))

    def test_a_lemma_is_drawn_from_the_decided_synonyms(self):
        decisions = {Question(SENTENCE, "kitten"): ("kitty", "puss")}
        generator = np.random.default_rng(0)
        drawn = Counter()
        for _ in range(1000):
            graph = substitute(parse("(k / kitten)"), SENTENCE, decisions, generator).graph
            drawn.update(concepts_of(graph))
        assert set(drawn) == {"kitty", "puss"}
        assert abs(drawn["kitty"] - 500) < 4 * 16

    def test_named_entities_are_kept_and_man_is_replaced(self):
        graph = parse("(p / person :mod (m / man))")
        changed, operations = substitute(graph, "", {}, np.random.default_rng(0))
        assert concepts_of(changed) == Counter(["person", "male", "adult"])
        assert operations == 1

    @given(graphs(), st.integers(0, 2**32))
    def test_a_seed_is_a_graph_that_differs_in_concepts_only(self, graph, seed):
        layout = as_layout(graph)
        decisions = dict.fromkeys(questions(layout, "s"), ("small_cat", "pussy"))
        first, second = (
            substitute(layout, "s", decisions, np.random.default_rng(seed)) for _ in range(2)
        )
        assert to_text([first.graph]) == to_text([second.graph])
        after = convert_to_graph(first.graph)
        added = [node for node in after.variables if node not in graph.positions]
        kept = [r for r in after.relations if r.target not in added]
        assert sorted(kept) == sorted(graph.relations)
        assert sorted(after.attributes) == sorted(graph.attributes)
        assert all(r.role == ":mod" for r in after.relations if r.target in added)


class TestSeveralWords:
    def test_the_last_word_is_the_head_of_a_chain_of_modifiers(self):
        graph = replace_concepts(parse("(s / snow)"), {"s": "c._p._snow"}).graph
        assert to_text([graph]) == (
            "(s / snow\n      :mod (yvi1-2 / p.\n            :mod (yvi1-3 / c.)))"
        )

    def test_variables_count_the_triples_and_leave_out_those_taken(self):
        graph = parse("(a / and :op1 (m / man :mod (yvi3-2 / old)))")
        changed = replace_concepts(graph, {"m": "adult_male"}).graph
        assert ("m", ":mod", "yvi3-3") in changed.triples


class TestQuestions:
    def test_frames_and_concepts_in_the_table_are_not_disambiguated(self):
        graph = parse("(s / say-01 :ARG0 (m / man) :ARG1 (k / kitten) :ARG2 (c / country))")
        assert questions(graph, SENTENCE) == [Question(SENTENCE, "kitten")]


def test_the_table_is_consistent():
    table = synonyms()
    clusters = list({id(cluster): cluster for cluster in table.clusters.values()}.values())
    frames = [frame for cluster in clusters for frame in cluster]
    assert len(set(frames)) == len(frames) == len(table.clusters) == 55
    assert all(FRAME.fullmatch(frame) for frame in frames)
    assert len(table.never) == 119
    assert not set(table.always) & table.never
