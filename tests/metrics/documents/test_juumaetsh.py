"""juːmæʧ: hand arithmetic, and the reference values."""

import pytest
from released import shared_file

from amr_metrics import Pair
from amr_metrics.documents import Juumaetsh, UmrDocument
from amr_metrics.errors import OptionError, PairError
from tests.metrics.documents.builders import document, lenient, reference

DOGS = "(s1b / bark-01 :ARG0 (s1d / dog))", "", "s1b: 2-2\ns1d: 1-1", "Dogs bark"


def counts(parse, gold, part="", **options):
    details = Juumaetsh(**options).evaluate([Pair(document(*parse), document(*gold))]).details
    return [int(details[part + name][0]) for name in ("matches", "src_total", "tgt_total")]


def changed(sentence, *replacements):
    graph, annotation, alignment, words = sentence
    for old, new in replacements:
        graph, alignment = graph.replace(old, new), alignment.replace(old, new)
        annotation = annotation.replace(old, new)
    return graph, annotation, alignment, words


def test_the_variables_of_aligned_nodes_do_not_matter():
    assert counts([changed(DOGS, ("s1d", "s1x"))], [DOGS]) == [3, 3, 3]


def test_inverse_relations_do_not_match():
    inverse = ("(s1d / dog :ARG0-of (s1b / bark-01))", *DOGS[1:])
    assert counts([inverse], [DOGS]) == [2, 3, 3]  # .667


def test_concepts_and_roles():
    assert counts([changed(DOGS, ("dog", "cat"))], [DOGS]) == [2, 3, 3]
    assert counts([changed(DOGS, ("ARG0", "ARG1"))], [DOGS], ignored=("concept",)) == [0, 1, 1]


def test_a_node_without_partner_counts_with_its_triples():
    # dog is aligned to another word: its concept and :ARG0, whose value has no partner, are wrong.
    assert counts([changed(DOGS, ("s1d: 1-1", "s1d: 2-2"))], [DOGS]) == [1, 3, 3]


def test_equal_unaligned_nodes_are_distinguished_by_their_names_alone():
    graph = "(s1a / and :op1 (s1p / person :mod (s1x / big)) :op2 (s1q / person))"
    swapped = graph.replace("s1p", "s1z").replace("s1q", "s1p").replace("s1z", "s1q")
    assert counts([(graph,)], [(graph,)]) == [7, 7, 7]
    matched, total, _ = counts([(swapped,)], [(graph,)])
    assert matched == total == 7  # the role :mod tells them apart


def test_two_equal_nodes_under_other_names():
    # Two nodes without a difference: that with the same name is taken, wherever it is.
    graph = "(s1a / and :op1 (s1p / person) :op2 (s1q / person))"
    swapped = "(s1a / and :op1 (s1q / person) :op2 (s1p / person))"
    assert counts([(swapped,)], [(graph,)]) == [3, 5, 5]  # .60


def test_names_are_told_apart_by_their_strings():
    graph = '(s1a / and :op1 (s1m / name :op1 "Ann") :op2 (s1n / name :op1 "Bob"))'
    swapped = graph.replace("s1m", "s1z").replace("s1n", "s1m").replace("s1z", "s1n")
    assert counts([(swapped,)], [(graph,)]) == [7, 7, 7]


def test_the_root():
    assert counts([DOGS], [DOGS], top=True) == [4, 4, 4]


def test_relations_of_the_document():
    second = "(s2r / run-02 :ARG0 (s2i / it))", ":coref ((s1d :same-entity s2i))", "", ""
    wrong = (second[0], ":coref ((s1b :same-entity s2i))", "", "")
    assert counts([DOGS, second], [DOGS, second]) == [7, 7, 7]
    assert counts([DOGS, wrong], [DOGS, second]) == [6, 7, 7]
    assert counts([DOGS, wrong], [DOGS, second], document_level=False) == [6, 6, 6]
    assert counts([DOGS, wrong], [DOGS, second], ignored=(":same-entity",)) == [6, 6, 6]


def test_constants_and_repeated_relations():
    modal = ":modal ((root :modal author) (root :modal author))"
    assert counts([(DOGS[0], modal, *DOGS[2:])], [(DOGS[0], modal, *DOGS[2:])]) == [4, 4, 4]


def test_both_sides_need_the_same_words():
    dogs_bark = (*DOGS[:3], "Dogs bark .")
    with pytest.raises(PairError, match=r"sentence 1 has other words .*: 'Dogs bark \.'"):
        counts([dogs_bark], [DOGS])
    right, wrong = (Pair(document(side), document(DOGS)) for side in (DOGS, dogs_bark))
    with pytest.raises(PairError, match=r"^pair 1: sentence 1 has other words"):
        Juumaetsh().score([right, wrong])


def test_explanations_are_alignments():
    pair = Pair(document(changed(DOGS, ("s1d", "s1x"))), document(DOGS))
    assert sorted(link[:2] for link in Juumaetsh().explain(pair).links) == [
        ("s1.s1b", "s1.s1b"),
        ("s1.s1x", "s1.s1d"),
    ]


# The roles that count, and the parts of the score.

GOLD = (
    "(s1b / bark-01 :ARG0 (s1d / dog :refer-number plural) :aspect habitual"
    " :modal-strength partial-affirmative)",
    ":temporal ((document-creation-time :overlap s1b))"
    " :modal ((root :modal author) (author :partial-affirmative s1b))",
    "s1b: 3-3\ns1d: 1-1",
    "Dogs may bark",
)
PARSE = (
    "(s1b / bark-01 :ARG1 (s1d / dog) :aspect process)",
    ":modal ((root :modal author) (author :full-affirmative s1b))",
    "s1b: 2-3\ns1d: 1-1",
    "Dogs may bark",
)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [3, 6, 9]),
        ({"only": ["concept"]}, [2, 2, 2]),
        ({"only": ["aspect"]}, [0, 1, 1]),
        ({"only": [":modal"]}, [1, 1, 1]),  # (root :modal author)
        ({"only": ["modal"]}, [1, 2, 2]),
        ({"only": ["ARG0", ":ARG1"]}, [0, 1, 1]),
        ({"only": ["argn"]}, [0, 1, 1]),
        ({"only": "modal-strength"}, [0, 0, 1]),
        ({"document_level": False, "top": True}, [3, 5, 7]),
        ({"only": ["concept", "aspect"], "ignored": ["concept"]}, [0, 1, 1]),
        ({"ignored": ["modal", "argn"]}, [2, 3, 6]),
        ({"only": [":wiki"]}, [0, 0, 0]),
    ],
)
def test_roles_that_count(options, expected):
    assert counts([PARSE], [GOLD], **options) == expected


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("sentence_", [2, 4, 6]),
        ("document_", [1, 2, 3]),
        ("token_sets_", [1, 2, 2]),
        ("mapped_nodes_", [2, 2, 2]),
        ("mapped_triples_", [2, 4, 6]),
    ],
)
def test_parts(part, expected):
    assert counts([PARSE], [GOLD], part) == expected
    scores = Juumaetsh().evaluate([Pair(document(PARSE), document(GOLD))])
    matched, src, tgt = expected
    assert scores.details[f"{part}f1"].tolist() == [2 * matched / (src + tgt)]


def test_a_set_of_words_counts_once_in_a_sentence():
    # Two nodes with the word 1, one with the words 1 and 2, one without a word.
    graph = "(s1a / and :op1 (s1b / x) :op2 (s1c / y) :op3 (s1d / z))"
    nodes = (graph, "", "s1a: 1-1\ns1b: 1-1\ns1c: 1-1,2-2\ns1d: 0-0", "x y")
    assert counts([nodes], [nodes], "token_sets_") == [2, 2, 2]
    # A sentence that only gold has.
    assert counts([("",)], [nodes], "token_sets_", missing="count") == [0, 0, 2]


def test_an_edge_to_a_node_without_partner_counts_as_wrong_in_mapped_triples():
    # bark-01 has a partner, dog has none: 1 of the 2 triples of bark-01.
    parse = changed(DOGS, ("s1d: 1-1", "s1d: 2-2"))
    assert counts([parse], [DOGS], "mapped_nodes_") == [1, 2, 2]
    assert counts([parse], [DOGS], "mapped_triples_") == [1, 2, 2]


def test_nodes_are_aligned_by_the_roles_that_count():
    words = "", "s1c: 2-2\ns1a: 1-1\ns1b: 1-1", "two both"
    x = ":quant {} :mode {} :aspect {}".format
    graph = "(s1c / and :op1 ({} / x {}) :op2 ({} / x {}))".format
    gold = (graph("s1a", x(1, "p", "X"), "s1b", x(2, "q", "Y")), *words)
    parse = (graph("s1b", x(1, "p", "Y"), "s1a", x(2, "q", "X")), *words)
    assert counts([parse], [gold]) == [9, 11, 11]  # both aspects are wrong
    assert counts([parse], [gold], only=["aspect"]) == [2, 2, 2]


def test_roles_that_do_not_count_decide_between_equal_partners():
    # Without :quant, both nodes of the parse suit equally well but for their roles.
    words = "", "s1c: 2-2\ns1a: 1-1\ns1b: 1-1", "two both"
    gold = ("(s1c / and :op1 (s1a / x :quant 1) :op2 (s1b / x :mode p))", *words)
    parse = ("(s1c / and :op1 (s1b / x :quant 2) :op2 (s1a / x :mode q))", *words)
    assert counts([parse], [gold], only=["op1", "op2"]) == [2, 2, 2]
    assert counts([parse], [gold], ignored=["quant", "mode"]) == [5, 5, 5]


def test_the_signature_lists_the_roles():
    metric = Juumaetsh(only=["modal"], ignored=["weak-affirmative", "weak-negative"])
    assert "only=[:AFF,:NEG,:UNSP,:full-affirmative,:full-negative,:modal," in metric.signature
    assert "ignored=[:weak-affirmative,:weak-negative]" in metric.signature
    assert len(Juumaetsh(only=["argn"]).only) == 20
    assert Juumaetsh(only=["argn", "ARG0", ":ARG0"]) == Juumaetsh(only=["argn"])
    assert [metric.ignores(role) for role in (":modal", ":weak-negative", ":ARG0", "concept")] == [
        False,
        True,
        True,
        True,
    ]


@pytest.mark.parametrize("options", [{"only": ["ARG*"]}, {"ignored": [""]}, {"only": ["a b"]}])
def test_a_name_that_is_no_role(options):
    with pytest.raises(OptionError, match="expected the exact name of a role, such as :ARG0"):
        Juumaetsh(**options)


@pytest.mark.parametrize("name", ["ARGN", ":ARGN", ":argn", "Modal"])
def test_a_name_that_is_nearly_that_of_a_list(name):
    with pytest.raises(OptionError, match=r"Do you mean (argn|modal)\?"):
        Juumaetsh(only=[name])


def test_no_role_counts():
    with pytest.raises(OptionError, match="no role counts"):
        Juumaetsh(only=["ARG0"], ignored=["argn"])


# Reference values.

# The script stops reading a sentence where it finds something that it does not know, or says so.
READ_IN_PART = {
    "ancast-sample",
    "ancast-sample-swapped",
    "ufalcs-iaa-pdtsc_093_3.02",
    "ufalen-conv-1",
    "ufalen-conv-127",
    "ufalen-conv-43",
    "umrara-pert-0001",
    "umrcs-pert-0001",
    "umrcs-pert-3301",
    "umren-2to3-0003",
    "umren-pert-0004-21",
    "umren-pert-0007-1",
    "umren-ren-0007",
    "umrkuk-pert-0001",
}
COLUMNS = {"matches": "correct", "tgt_total": "gold", "src_total": "pred"}


def test_counts_are_those_of_the_script(shared):
    folder, rows = reference(shared, "ancast.tsv")
    compared = 0
    for row in rows:
        if row["document"] in READ_IN_PART:
            continue
        pair = Pair(*[lenient(folder / row[side]) for side in ("pred", "gold")])
        details = Juumaetsh(missing="count").evaluate([pair]).details
        for ours, theirs in COLUMNS.items():
            assert details[ours][0] == float(row[f"juumaetsh_{theirs}"]), (row["document"], ours)
        compared += 1
    assert compared >= 8


# Of two annotators of ln94210_111, sentences 1 to 5, by the script of umrtools 4377bc4.
ANNOTATORS = {
    "": (236, 250, 262),
    "token_sets_": (48, 51, 52),
    "mapped_nodes_": (70, 72, 73),
    "mapped_triples_": (225, 232, 240),
}


def test_counts_of_parts_are_those_of_the_script(shared):
    folder = shared_file(shared, "reference/documents/src/ufal+UMR/data/czech/PDT-C-dtest/manual")
    gold = lenient(folder / "ln94210_111-ML-all.umr")
    parse = lenient(folder / "parallel" / "ln94210_111-HH-s1-s5.umr")
    pair = Pair(parse, UmrDocument.of(gold.sentences[:5]))
    details = Juumaetsh().evaluate([pair]).details
    for part, expected in ANNOTATORS.items():
        names = (f"{part}matches", f"{part}src_total", f"{part}tgt_total")
        assert tuple(int(details[name][0]) for name in names) == expected, part


# Of files of the shared task: equal triples, those of the parse and of gold, equal sets of words.
SHARED_TASK = {
    ("wsj2350.cz-HH", "wsj2350.cz"): (1497, 1497, 1526, 340),
    ("pdtsc_038_1.00-1-25-ML", "pdtsc_038_1.00-1-25"): (1270, 1270, 1296, 224),
    ("ln94205_73-HH", "ln94205_73"): (1384, 1384, 1419, None),
}


@pytest.mark.parametrize(("parse", "gold"), SHARED_TASK)
def test_counts_of_the_shared_task(shared, parse, gold):
    folder = shared_file(shared, "reference/documents/src/ufal+UMR/data/czech/PDT-C-etest")
    pair = Pair(
        lenient(folder / "archive-2.2-Shared-Task" / f"{parse}.umr"),
        lenient(folder / "manual" / f"{gold}.umr"),
    )
    details = Juumaetsh().evaluate([pair]).details
    *expected, words = SHARED_TASK[parse, gold]
    assert [int(details[name][0]) for name in ("matches", "src_total", "tgt_total")] == expected
    if words is not None:
        names = ("token_sets_matches", "token_sets_tgt_total")
        assert [int(details[name][0]) for name in names] == [words, words]


# Without :wiki, :modal-strength, :mode, :quote and :polite, as published.
IGNORED = (":wiki", ":modal-strength", ":mode", ":quote", ":polite")


@pytest.mark.parametrize(
    ("name", "document_level", "score"),
    [
        ("pdt", True, 47.15),
        ("pdtsc", True, 30.34),
        ("pcedt", True, 39.70),  # two documents in one, as the script takes the file
        ("dtest", True, 38.77),
        ("dtest", False, 41.60),
    ],
)
def test_published_scores(shared, name, document_level, score):
    folder = shared_file(
        shared, "reference/documents/src/ufal+UMR/data/czech/PDT-C-dtest/evaluation"
    )
    pair = Pair(*[lenient(folder / f"{name}-{side}.umr") for side in ("conv", "gold")])
    metric = Juumaetsh(document_level=document_level, ignored=IGNORED)
    assert round(100 * float(metric.score([pair])[0]), 2) == score
