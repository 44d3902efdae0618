"""Who has which triple, agreement by label, and the graphs of a majority: hand arithmetic."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

import bamboo
from amr_metrics import parse_graph, read_graphs
from amr_metrics.graphs.random_graphs import rename_variables
from bamboo.errors import ConfigError
from bamboo.parsers.agreement_data import CONCEPT, RELATION, ROOT, SentenceTriples, SharedTriple
from bamboo.parsers.agreement_triples import find_majority

CAT = "(s / sleep-01 :ARG0 (c / cat))"
DOG = "(x / sleep-01 :ARG0 (y / dog))"
BLACK = "(a / doze-01 :ARG0 (b / cat :mod (d / black)))"
FEW = {"resamples": 20, "worst": 1}


def agree(*texts, **options):
    """The agreement of annotators a, b, c ... on one sentence."""
    names = "abcd"[: len(texts)]
    return bamboo.agree({n: [t] for n, t in zip(names, texts, strict=True)}, **FEW | options)


def list_disputed(agreement):
    return {t.text: "".join(t.annotators) for s in agreement.triples for t in s.disputed}


def test_who_has_which_triple():
    """Variables are those of a, the central graph, whatever the others call their nodes."""
    agreement = agree(CAT, DOG, BLACK)
    (sentence,) = agreement.triples
    assert (sentence.central, sentence.annotators) == ("a", ("a", "b", "c"))
    assert list_disputed(agreement) == {
        "s / sleep-01": "ab",
        "c / cat": "ac",
        "c / dog": "b",
        "s / doze-01": "c",
        "d / black": "c",
        "c / cat :mod d / black": "c",
    }
    # Triples of a node are together.
    assert [*list_disputed(agreement)][:2] == ["s / sleep-01", "s / doze-01"]
    # All have the root and :ARG0.
    shared = [t.text for t in sentence.triples if len(t.annotators) == 3]
    assert shared == ["root s / sleep-01", "s / sleep-01 :ARG0 c / cat"]


def test_nodes_that_the_central_graph_lacks_are_aligned_with_each_other():
    """b and c both add black to the cat of a, which agrees with both best."""
    texts = (
        "(s / sleep-01 :ARG0 (c / cat) :time (n / now))",
        "(s / sleep-01 :ARG0 (c / cat :mod (b / black)) :time (n / now) :place (h / here))",
        "(s / sleep-01 :ARG0 (c / cat :mod (z / black)) :manner (q / quiet))",
    )
    agreement = agree(*texts)
    central = agreement.triples[0].central
    held = list_disputed(agreement)
    black = [who for text, who in held.items() if text.endswith(" / black")]
    assert black == ["bc"] * 2, (central, held)
    majority = find_majority(agreement.triples[0])
    assert (
        bamboo.score(
            [majority],
            [parse_graph("(s / sleep-01 :ARG0 (c / cat :mod (b / black)) :time (n / now))")],
        ).corpus["f1"]
        == 1
    )


def test_agreement_by_label():
    """A triple that k of 3 have adds k(k - 1) matches to 2k triples.

    Concepts: sleep and cat, two each, and dog, doze and black, one each: 4 of 14.
    Relations: :ARG0 6 of 6, :mod 0 of 2.
    """
    labels = {
        row.name: (row.count, row.agreement) for row in agree(CAT, DOG, BLACK).measure_labels()
    }
    assert labels == {
        "concept": (7, 4 / 14),
        "relation": (4, 6 / 8),
        "root": (3, 1.0),
        ":ARG0": (3, 1.0),
        ":mod": (1, 0.0),
    }
    assert [*labels][:3] == ["root", "concept", "relation"]  # kinds first, then frequent labels


def test_of_two_annotators_a_label_has_their_f1():
    """Concepts: one of two matches. Both are aligned to the first."""
    agreement = agree(CAT, DOG)
    labels = {row.name: (row.count, row.agreement) for row in agreement.measure_labels()}
    assert labels["concept"] == (4, 0.5)
    titles = [table.title for table in agreement.tables()]
    assert "Agreement by label (x 100)" in titles
    assert "Disagreements" not in titles


def test_tables_and_json():
    agreement = agree(CAT, DOG, BLACK)
    *_, table = agreement.tables()
    assert table.title == "Disagreements"
    assert table.columns == ("sentence", "a", "b", "c", "sentence, triples")
    assert table.rows[0] == ("0", "central", "", "", "(no sentence)")
    assert ("", "x", "x", "", "s / sleep-01") in table.rows
    assert ("0", None, "a", "", "x", "", "c / dog") in table.long.rows
    assert len(table.notes) == 1
    document = agreement.to_json()
    assert document["labels"][1] == {"name": "concept", "count": 7, "agreement": 4 / 14}
    (sentence,) = document["disagreements"]
    assert sentence["central"] == "a"
    assert [t for t in sentence["triples"] if t["label"] == ":mod"] == [
        {
            "kind": "relation",
            "label": ":mod",
            "source": "c",
            "target": "d",
            "annotators": ["c"],
            "text": "c / cat :mod d / black",
        }
    ]


def test_the_number_of_sentences_that_are_not_listed():
    files = {"a": [CAT, CAT, CAT], "b": [DOG, DOG, CAT], "c": [BLACK, CAT, CAT]}
    *_, table = bamboo.agree(files, **FEW).tables()
    assert table.notes[1] == "1 more sentence with disagreements: worst=N, report=html"
    assert {row[0] for row in table.long.rows} == {"0", "1"}


def test_identical_graphs_have_no_disagreement():
    agreement = agree(CAT, CAT, CAT)
    assert list_disputed(agreement) == {}
    assert {row.agreement for row in agreement.measure_labels()} == {1.0}


def test_what_is_dropped_is_not_listed():
    with_sense, without = "(s / sleep-01)", "(s / sleep-02)"
    assert list_disputed(agree(with_sense, with_sense, without)) != {}
    assert list_disputed(agree(with_sense, with_sense, without, drop="senses")) == {}


def test_a_metric_without_an_alignment_has_no_triples():
    assert agree(CAT, DOG, BLACK, metric="sembleu").triples == ()


# --- the majority -------------------------------------------------------------------------------


def vote(*triples, annotators="abc"):
    """The graph of the majority; a triple is (kind, label, source, target, who)."""
    shared = tuple(SharedTriple(*t[:4], tuple(t[4]), "") for t in triples)
    return find_majority(SentenceTriples(0, None, "", tuple(annotators), "a", shared))


SLEEP, CONCEPT_CAT = (CONCEPT, "", "s", "sleep-01"), (CONCEPT, "", "c", "cat")
TOP, ARG0 = (ROOT, "", "s", ""), (RELATION, ":ARG0", "s", "c")


def test_triples_of_more_than_half_are_a_graph():
    graph = vote((*TOP, "ab"), (*SLEEP, "abc"), (*CONCEPT_CAT, "ac"), (*ARG0, "bc"))
    assert graph == parse_graph(CAT)
    graph = vote((*TOP, "abc"), (*SLEEP, "abc"), (*CONCEPT_CAT, "a"), (*ARG0, "b"))
    assert graph == parse_graph("(s / sleep-01)")


@pytest.mark.parametrize(
    "triples",
    [
        ((*TOP, "a"), (*SLEEP, "abc")),  # no root
        ((*TOP, "ab"), (*SLEEP, "ab"), (*CONCEPT_CAT, "ab")),  # not connected
        ((*TOP, "ab"), (*SLEEP, "ab"), (*ARG0, "ab")),  # a node without a concept
        ((*TOP, "ab"), (*CONCEPT_CAT, "ab")),  # a root without a concept
    ],
)
def test_triples_that_are_no_graph(triples):
    assert vote(*triples) is None


def test_half_is_no_majority_and_neither_is_one():
    four = (*TOP, "abcd"), (*SLEEP, "ab")
    assert vote(*four, annotators="abcd") is None
    assert vote((*TOP, "abcd"), (*SLEEP, "abc"), annotators="abcd") == parse_graph("(s / sleep-01)")
    # Of two graphs, both must have it: one would be half.
    assert vote((*TOP, "ab"), (*SLEEP, "ab"), annotators="ab") == parse_graph("(s / sleep-01)")
    assert vote((*TOP, "a"), (*SLEEP, "a"), annotators="ab") is None
    assert vote((*TOP, "a"), (*SLEEP, "a"), annotators="a") is None


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
@settings(max_examples=settings().max_examples // 2)
@given(st.lists(graphs(), min_size=1, max_size=3))
def test_the_majority_of_a_graph_and_two_copies_is_the_graph(gold):
    other = [rename_variables(graph) for graph in gold]
    agreement = bamboo.agree({"a": gold, "b": other, "c": gold}, ids="ignore", **FEW)
    for sentence, graph in zip(agreement.triples, gold, strict=True):
        assert sentence.disputed == []
        assert sorted(find_majority(sentence).triples) == sorted(graph.triples)


# --- the file -----------------------------------------------------------------------------------


def write(folder, **texts):
    paths = []
    for name, blocks in texts.items():
        blocks = [f"# ::id {k}\n# ::snt Sentence {k}.\n{text}" for k, text in enumerate(blocks, 1)]
        paths.append(folder / f"{name}.amr")
        paths[-1].write_text("\n\n".join(blocks) + "\n")
    return paths


def test_adjudicated_graphs(tmp_path, cli):
    """By majority: 1. the second sentence has three concepts at the root, and is left to a person.

    The third is not in c, and a and b agree on all but the modifier, which is a tie.
    """
    birds = ["(b / bird)", "(d / dog)", "(f / fish)"]
    black = "(s / sleep-01 :ARG0 (c / cat :mod (b / black)))"
    paths = write(tmp_path, a=[CAT, birds[0], black], b=[DOG, birds[1], CAT], c=[BLACK, birds[2]])
    out = tmp_path / "out.amr"
    outcome = cli("agree", *map(str, paths), f"adjudicate={out}")
    assert (
        f"{out}: 2 of 3 sentences by majority, of which 1 marked # ::adjudicate tie; "
        in outcome.err
    )
    assert "; 1 marked # ::adjudicate review" in outcome.err
    first, second, third = read_graphs(out)
    assert first.triples == parse_graph(CAT).triples
    assert first.metadata == {"id": "1", "snt": "Sentence 1."}
    assert second.concepts == ("bird",)
    assert (second.metadata["adjudicate"], second.metadata["annotator"]) == ("review", "a")
    assert third.triples == parse_graph(CAT).triples
    assert third.metadata["adjudicate"] == "tie"


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_two_against_two_is_a_tie(tmp_path):
    black = "(s / sleep-01 :ARG0 (c / cat :mod (b / black)))"
    paths = write(tmp_path, a=[CAT], b=[CAT], c=[black], d=[black])
    bamboo.agree(paths, adjudicate=tmp_path / "out.amr", **FEW)
    (graph,) = read_graphs(tmp_path / "out.amr")
    assert graph.triples == parse_graph(CAT).triples
    assert graph.metadata["adjudicate"] == "tie"


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_a_single_graph_is_left_to_a_person(tmp_path):
    paths = write(tmp_path, a=[CAT, CAT], b=[CAT], c=[CAT])
    bamboo.agree(paths, adjudicate=tmp_path / "out.amr", **FEW)
    first, second = read_graphs(tmp_path / "out.amr")
    assert "adjudicate" not in first.metadata
    assert second.metadata["adjudicate"] == "review"


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_what_is_dropped_is_voted_on(tmp_path):
    """A vote on senses, although the scores leave them out."""
    senses = ["(s / sleep-01)", "(s / sleep-02)", "(s / sleep-02)"]
    paths = write(tmp_path, **{name: [text] for name, text in zip("abc", senses, strict=True)})
    bamboo.agree(paths, adjudicate=tmp_path / "out.amr", drop="senses", **FEW)
    (graph,) = read_graphs(tmp_path / "out.amr")
    assert graph.concepts == ("sleep-02",)


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_an_adjudicated_file_scores_100_against_a_majority_by_hand(tmp_path):
    variants = [
        "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))",
        "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-01 :ARG0 b))",
        "(w / want-01 :ARG0 (b / boy :quant 2) :ARG1 (g / go-02 :ARG4 (c / city)))",
    ]
    paths = write(tmp_path, **{name: [text] for name, text in zip("abc", variants, strict=True)})
    bamboo.agree(paths, adjudicate=tmp_path / "out.amr", **FEW)
    (hand,) = write(tmp_path, hand=variants[:1])
    assert bamboo.score(tmp_path / "out.amr", hand).corpus["f1"] == 1


@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        ([[CAT], [CAT]], {}, "three annotators or more: of two there is no majority. worst=N"),
        ([[CAT]] * 3, {"metric": "sembleu"}, "needs a metric that aligns nodes"),
        ([[CAT]] * 3, {"format": "umr"}, "Penman notation: not with format=umr"),
        ([[CAT]] * 3, {"format": "camr", "metric": "align_smatch"}, "not with format=camr"),
    ],
)
def test_where_there_is_no_majority(files, options, message, tmp_path):
    with pytest.raises(ConfigError, match=message):
        bamboo.agree(files, adjudicate=tmp_path / "out.amr", **FEW, **options)
    assert not (tmp_path / "out.amr").exists()
