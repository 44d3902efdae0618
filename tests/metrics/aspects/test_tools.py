"""The sub-scores of amr-evaluation and amrlib: counts by hand, and what holds for any graph."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amr_metrics import Pair, Scores, parse_graph
from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.aspects import TOOLS, chosen_subscores, score_subscores
from amr_metrics.errors import OptionError
from tests.strategies import graphs, rename_variables

# Both say that the boy wants something about two cats; he is named in one, where it is negated.
SRC = parse_graph(
    """(w / want-01
          :ARG0 (b / boy :name (n / name :op1 "Bo") :wiki "Bo")
          :ARG1 (s / sleep-01 :ARG0 b :polarity -)
          :time (c / cat :mod (g / gray))
          :location (c2 / cat :wiki -))"""
)
TGT = parse_graph(
    """(w / want-02
          :ARG0 (b / Boy :wiki Bo)
          :ARG1 (s / sleep-01 :ARG0 b)
          :time (c / cat :ARG1-of (k / know))
          :location (d / dog :domain (g / gray) :wiki -))"""
)


def counts(tool, name, src=SRC, tgt=TGT):
    (scored,) = score_subscores(tool, [Pair(src, tgt)], [name])
    columns = [scored.scores.details[k] for k in ("matches", "src_total", "tgt_total")]
    return tuple(int(column[0]) for column in columns)


@pytest.mark.parametrize(
    ("name", "amrlib", "amr_evaluation"),
    [
        # sleep-01, cat, gray. Case counts; one tool counts the second cat of src, the other not.
        ("concept", (3, 6, 7), (3, 7, 7)),
        ("named-entities", (0, 1, 0), (0, 1, 0)),
        ("negation", (0, 1, 0), (0, 1, 0)),
        ("wikification", (1, 2, 2), (1, 2, 2)),  # "Bo" is not Bo
    ],
)
def test_labels_that_both_tools_compare(name, amrlib, amr_evaluation):
    assert counts("amrlib", name) == amrlib
    assert counts("amr-evaluation", name) == amr_evaluation


def test_labels_that_amrlib_alone_compares():
    assert counts("amrlib", "frames") == (1, 2, 2)
    assert counts("amrlib", "non-sense-frames") == (2, 2, 2)
    # src: 4 edges of w, 2 of s, 2 of b, 1 each of n, c and c2, and the root; tgt: 4 of w, 1 each of
    # s, b and k, 2 of d, and the root. None is common: want-01 is not want-02, boy not Boy, and
    # cat not dog.
    assert counts("amrlib", "ignore-vars") == (0, 12, 10)
    # :mod turned round is :domain
    mod, domain = (
        parse_graph("(c / cat :mod (g / gray))"),
        parse_graph("(g / gray :domain (c / cat))"),
    )
    assert counts("amrlib", "ignore-vars", mod, domain) == (1, 2, 2)  # but for the root


def test_a_frame_has_a_sense_of_two_digits():
    graph = parse_graph(
        "(a / run-01 :ARG0 (b / run-1) :ARG1 (c / have-org-role-91) :ARG2 (d / b-52s))"
    )
    assert counts("amrlib", "frames", graph, graph) == (2, 2, 2)


def test_no_wsd_distinguishes_frames_from_other_concepts():
    src = parse_graph("(r / run-01)")
    for tool in TOOLS:
        assert counts(tool, "no-wsd", src, parse_graph("(r / run-02)")) == (2, 2, 2)
        matches, *_ = counts(tool, "no-wsd", src, parse_graph("(r / run)"))
        # the root's concept is another one as well in amr-evaluation
        assert matches == {"amrlib": 1, "amr-evaluation": 0}[tool]


def test_unlabelled_edges_of_an_inverse_role():
    src = parse_graph("(c / cat :ARG0-of (s / sleep-01))")
    tgt = parse_graph("(c / cat :part (s / sleep-01))")
    assert counts("amrlib", "unlabelled", src, tgt) == (3, 4, 4)  # another direction
    assert counts("amr-evaluation", "unlabelled", src, tgt) == (4, 4, 4)  # as written


@pytest.mark.parametrize("tool", TOOLS)
def test_apostrophes_count_and_quotation_marks_do_not(tool):
    sears, quoted, unquoted = (
        parse_graph(f"(n / name :op1 {constant})") for constant in ("Sear's", '"Sear\'s"', "Sears")
    )
    (scored,) = score_subscores(tool, [Pair(sears, quoted), Pair(sears, unquoted)], ["no-wsd"])
    assert scored.scores.values.tolist() == [1, pytest.approx(2 * 2 / (3 + 3))]


def test_the_root_of_whole_graphs():
    src, tgt = parse_graph("(a / ant :x (b / bee))"), parse_graph("(b / bee :x-of (a / ant))")
    # the root is another node, with another concept
    for tool in TOOLS:
        assert counts(tool, "no-wsd", src, tgt) == (3, 4, 4)
    cat = parse_graph("(c / cat :x (b / bee))")
    # the root of amrlib is a constant, that of amr-evaluation has its concept
    assert counts("amrlib", "no-wsd", src, cat) == (3, 4, 4)
    assert counts("amr-evaluation", "no-wsd", src, cat) == (2, 4, 4)


# h is shaved by himself; the dog is his, and old-01 has a constant for an argument
HIM = parse_graph(
    """(s / shave-01
          :ARG0 (h / he :poss-of (d / dog :ARG1-of (o / old-01 :ARG2 3)))
          :ARG1 h)"""
)


def test_srl_of_amrlib():
    # Nodes s h o d. Of s:ARG0 and s:ARG1 to h the last one, with its target's concept beside it,
    # likewise o:ARG1 and dog; the constant does not count.
    assert counts("amrlib", "srl", HIM, HIM) == (8, 8, 8)
    he = parse_graph("(s / shave-01 :ARG1 (h / he))")
    assert counts("amrlib", "srl", HIM, he) == (4, 8, 4)
    # what has another target still has a node less to agree on
    she = parse_graph("(s / shave-01 :ARG1 (h / she))")
    assert counts("amrlib", "srl", he, she) == (2, 4, 4)  # shave-01 and :ARG1


def test_srl_of_amr_evaluation():
    # Nodes s h o d, four edges with the constant, and a root: o, the first with an attribute.
    assert counts("amr-evaluation", "srl", HIM, HIM) == (9, 9, 9)
    # without one, the first node with an argument: s
    he = parse_graph("(s / shave-01 :ARG1 (h / he))")
    assert counts("amr-evaluation", "srl", he, he) == (4, 4, 4)
    assert counts("amr-evaluation", "srl", HIM, he) == (3, 9, 4)
    old = parse_graph("(o / old-01 :ARG2 3)")
    assert counts("amr-evaluation", "srl", old, old) == (3, 3, 3)  # with a root


def test_reentrancies():
    # amrlib: h has one parent beside d once s counts for one edge: nodes s h d, two edges doubled
    assert counts("amrlib", "reentrancies", HIM, HIM) == (7, 7, 7)
    # amr-evaluation: three edges, and a root
    assert counts("amr-evaluation", "reentrancies", HIM, HIM) == (7, 7, 7)
    # h is reached twice from s alone
    plain = parse_graph("(s / shave-01 :ARG0 (h / he) :ARG1 h)")
    assert counts("amrlib", "reentrancies", plain, plain) == (0, 0, 0)
    assert counts("amr-evaluation", "reentrancies", plain, plain) == (5, 5, 5)


def test_a_pair_without_labels_is_marked_as_empty():
    dog = parse_graph("(d / dog)")
    for tool in TOOLS:
        for scored in score_subscores(tool, [Pair(dog, dog), Pair(SRC, SRC)]):
            nothing = scored.aspect not in ("concept", "unlabelled", "no-wsd", "ignore-vars")
            assert scored.empty.tolist() == [nothing, False]
            assert scored.scores.values.tolist() == [1, 1]


def test_the_solver_is_the_one_given():
    pair = Pair(SRC, TGT)
    (climbed,) = score_subscores("amrlib", [pair], ["no-wsd"], HillClimb(restarts=0))
    (best,) = score_subscores("amrlib", [pair], ["no-wsd"])
    assert best.scores.details["optimal"].all()
    assert not climbed.scores.details["optimal"].any()


def test_names():
    assert chosen_subscores("amrlib", "all") == TOOLS["amrlib"].names
    assert chosen_subscores("amr-evaluation", ["SRL", "srl"]) == ("srl",)
    with pytest.raises(OptionError, match="amr-evaluation 'concepts': did you mean 'concept'"):
        chosen_subscores("amr-evaluation", ["concepts"])
    with pytest.raises(OptionError, match="unknown tool 'amrlab': use one of amrlib"):
        chosen_subscores("amrlab", "all")


@settings(max_examples=settings().max_examples // 4)
@given(st.lists(st.tuples(graphs(), graphs()), min_size=4, max_size=4))
def test_bounds_and_symmetry(several):
    """Four pairs at a time take as long as one."""
    for tool in TOOLS:
        there = score_subscores(tool, [Pair(a, b) for a, b in several])
        back = score_subscores(tool, [Pair(b, rename_variables(a)) for a, b in several])
        same = score_subscores(tool, [Pair(graph, graph) for pair in several for graph in pair])
        for a, b, equal in zip(there, back, same, strict=True):
            assert (equal.scores.values == 1).all()
            assert ((a.scores.values >= 0) & (a.scores.values <= 1)).all()
            np.testing.assert_allclose(a.scores.values, b.scores.values)


@settings(max_examples=settings().max_examples // 4)
@given(st.lists(st.tuples(graphs(), graphs(duplicates=True)), min_size=3, max_size=4))
def test_the_scores_of_a_pair_do_not_depend_on_the_others(several):
    pairs = [Pair(*graphs) for graphs in several]
    for tool in TOOLS:
        alone = [score_subscores(tool, [pair]) for pair in pairs]
        for k, scored in enumerate(score_subscores(tool, pairs)):
            expected = Scores.concatenate([scores[k].scores for scores in alone])
            assert scored.scores.values.tolist() == expected.values.tolist()
            for name in ("matches", "src_total", "tgt_total"):
                assert scored.scores.details[name].tolist() == expected.details[name].tolist()
