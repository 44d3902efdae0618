"""Edges as nodes and back: by hand, and as properties of any graph."""

import pytest
from hypothesis import given

from amr_metrics import parse_graph
from amr_metrics.errors import OptionError
from amr_metrics.graphs.graph import Relation
from amr_metrics.graphs.reification import Reifications, dereify, reify
from tests.builders import same
from tests.strategies import graphs


class TestReify:
    def test_the_two_ends_are_the_rules(self):
        graph = reify(parse_graph("(d / dog :poss (b / boy))"))
        assert graph.concept("_") == "own-01"
        assert graph.relations == (Relation("_", ":ARG0", "d"), Relation("_", ":ARG1", "b"))

    def test_new_variables_skip_those_in_use(self):
        graph = reify(parse_graph("(_ / choir :mod (_2 / large) :mod (_3 / loud))"))
        assert graph.variables == ("_", "_2", "_3", "_4", "_5")

    @given(graphs(loops=True, duplicates=True))
    def test_each_edge_with_a_rule_adds_one_node(self, graph):
        roles = [triple[1] for triple in (*graph.relations, *graph.attributes)]
        wanted = sum(role in Reifications.default().by_role for role in roles)
        reified = reify(graph)
        assert len(reified.variables) == len(graph.variables) + wanted
        # Each such edge gives way to one node and two edges.
        assert len(reified.relations) + len(reified.attributes) == len(roles) + wanted
        assert reify(reified) == reified


class TestDereify:
    def test_a_node_that_represents_an_edge(self):
        graph = dereify(parse_graph("(c / choir :ARG1-of (h / have-mod-91 :ARG2 (l / large)))"))
        assert graph == parse_graph("(c / choir :mod (l / large))")

    @pytest.mark.parametrize(
        "text",
        [
            # the top
            "(h / have-mod-91 :ARG1 (c / choir) :ARG2 (l / large))",
            # something points at it
            "(b / believe-01 :ARG1 (h / have-mod-91 :ARG1 (c / choir) :ARG2 (l / large)))",
            # a third edge
            "(c / choir :ARG1-of (h / have-mod-91 :ARG2 (l / large) :polarity -))",
            # other edges
            "(c / choir :ARG1-of (h / have-mod-91 :ARG3 (l / large)))",
            # the source would be a constant
            "(c / choir :ARG2-of (h / have-mod-91 :ARG1 7))",
            # one edge twice
            "(a / a :ARG1-of (h / have-mod-91 :ARG1 (b / b)))",
            # two nodes that each stand for an edge of the other
            "(a / a :ARG1-of (h / have-mod-91 :ARG2 (i / have-mod-91 :ARG1 h :ARG2 a)))",
        ],
    )
    def test_other_nodes_are_unchanged(self, text):
        assert dereify(parse_graph(text)) == parse_graph(text)

    def test_of_two_rules_the_first_in_the_table_decides(self):
        graph = parse_graph("(a / all :superset (s / some))")
        assert dereify(reify(graph)).relations == (Relation("s", ":subset", "a"),)

    @given(graphs(loops=True, duplicates=True))
    def test_it_undoes_reification(self, graph):
        assert same(dereify(reify(graph)), graph)


class TestRules:
    def write(self, tmp_path, *rows):
        path = tmp_path / "rules.tsv"
        header = "role\tconcept\tsource_role\ttarget_role"
        path.write_text("\n".join([header, *("\t".join(row) for row in rows)]) + "\n")
        return path

    def test_the_first_rule_of_a_role_reifies(self, tmp_path):
        path = self.write(
            tmp_path, (":mod", "a-01", ":ARG1", ":ARG2"), (":mod", "b-01", ":ARG1", ":ARG2")
        )
        rules = Reifications.read(path)
        assert rules.by_role[":mod"].concept == "a-01"
        graph = parse_graph("(c / choir :ARG1-of (b / b-01 :ARG2 (l / large)))")
        assert dereify(graph, rules) == parse_graph("(c / choir :mod (l / large))")

    @pytest.mark.parametrize(
        ("row", "problem"),
        [
            ((":colour", "have-mod-91", ":ARG1", ":ARG2"), "is not a role of AMR"),
            ((":mod-of", "have-mod-91", ":ARG1", ":ARG2"), "inverse role"),
            ((":mod", "have-mod-91", ":mod", ":ARG2"), "cycle"),
            ((":mod", "have-mod-91", ":ARG1", ":ARG1"), "could not be distinguished"),
            ((":mod", "", ":ARG1", ":ARG2"), "no concept"),
        ],
    )
    def test_an_invalid_rule(self, tmp_path, row, problem):
        path = self.write(tmp_path, row)
        with pytest.raises(OptionError, match=problem) as error:
            Reifications.read(path)
        assert str(path) in str(error.value)

    def test_circular_rules(self, tmp_path):
        path = self.write(
            tmp_path,
            (":mod", "have-mod-91", ":ARG1", ":manner"),
            (":manner", "have-manner-91", ":ARG1", ":mod"),
        )
        with pytest.raises(OptionError, match="in a cycle"):
            Reifications.read(path)

    def test_byte_order_marks_are_skipped(self, tmp_path):
        path = tmp_path / "rules.tsv"
        text = "role\tconcept\tsource_role\ttarget_role\n:mod\thave-mod-91\t:ARG1\t:ARG2\n"
        path.write_text(text, "utf-8-sig")
        assert [*Reifications.read(path).by_role] == [":mod"]
        path.write_text(text, "utf-16")
        with pytest.raises(OptionError, match="cannot be read: line 1: is UTF-16"):
            Reifications.read(path)

    def test_a_file_that_is_not_a_table(self, tmp_path):
        path = tmp_path / "rules.tsv"
        path.write_text("role,concept\n")
        with pytest.raises(OptionError, match="line 1: expected the columns"):
            Reifications.read(path)
        path.write_text("role\tconcept\tsource_role\ttarget_role\n:mod\thave-mod-91\n")
        with pytest.raises(OptionError, match="line 2: a rule has four columns"):
            Reifications.read(path)
        with pytest.raises(OptionError, match="cannot be read"):
            Reifications.read(tmp_path / "none.tsv")
