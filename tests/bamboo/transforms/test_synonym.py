"""Syno: the table, the draws, and lemmas of several words."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import as_layout, graphs

from bamboo.transforms.errors import BuildError
from bamboo.transforms.four_solvers import Question
from bamboo.transforms.layout import as_graph, parse_layouts, to_text
from bamboo.transforms.synonym import Synonyms, questions, replace_concepts, substitute

SENTENCE = "A man is playing soccer with a kitten."
TABLE = Synonyms.default()


def parse(text):
    return parse_layouts(text)[0]


def concepts_of(graph):
    return Counter(as_graph(graph).concepts)


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
            assert len(operations) == ("hit-01" not in concepts_of(graph))

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
        assert [operation.after for operation in operations] == ["adult_male"]

    @given(graphs(), st.integers(0, 2**32))
    def test_a_seed_is_a_graph_that_differs_in_concepts_only(self, graph, seed):
        layout = as_layout(graph)
        decisions = dict.fromkeys(questions(layout, "s", TABLE), ("small_cat", "pussy"))
        one, other = (
            substitute(layout, "s", decisions, np.random.default_rng(seed)) for _ in range(2)
        )
        assert to_text([one.graph]) == to_text([other.graph])
        after = as_graph(one.graph)
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


class TestTable:
    def read(self, tmp_path, text):
        path = tmp_path / "synonyms.yaml"
        path.write_text(text)
        return Synonyms.read(path)

    def test_an_own_table_of_synonyms(self, tmp_path):
        table = self.read(
            tmp_path,
            "clusters:\n- [run-02, jog-01]\nalways: {cat: [kitty]}\nnever:\n- [dog]\n- [cow]\n",
        )
        assert table.cluster_of["run-02"] == ("run-02", "jog-01")
        assert table.always == {"cat": ("kitty",)}
        assert table.never == {"dog", "cow"}

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("clusters:\n- [a-01, b-01]\n- [b-01, c-01]\n", "b-01 is in two clusters"),
            ("clusters:\n- [a-01, cat]\n", "'cat' in the cluster .* is not a frame"),
            ("always: {cat: [kitty]}\nnever: [[cat]]\n", "both in 'always' and in 'never'"),
            ("verbs: []\n", "expected the sections clusters, always, never"),
            ("clusters: [\n", "is not valid YAML"),
        ],
    )
    def test_an_invalid_table(self, tmp_path, text, problem):
        with pytest.raises(BuildError, match=problem) as error:
            self.read(tmp_path, text)
        assert "synonyms.yaml" in str(error.value)
