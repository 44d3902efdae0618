"""juːmæʧ: hand arithmetic, and the reference values."""

import pytest
from released import shared_file

from amr_metrics import Pair
from amr_metrics.documents import Juumaetsh
from amr_metrics.errors import PairError
from tests.metrics.documents.builders import document, lenient, reference

DOGS = "(s1b / bark-01 :ARG0 (s1d / dog))", "", "s1b: 2-2\ns1d: 1-1", "Dogs bark"


def counts(parse, gold, **options):
    details = Juumaetsh(**options).evaluate([Pair(document(*parse), document(*gold))]).details
    return [int(details[name][0]) for name in ("matches", "src_total", "tgt_total")]


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
    other = graph.replace("s1p", "s1z").replace("s1q", "s1p").replace("s1z", "s1q")
    assert counts([(graph,)], [(graph,)]) == [7, 7, 7]
    matched, total, _ = counts([(other,)], [(graph,)])
    assert matched == total == 7  # the role :mod tells them apart


def test_two_equal_nodes_under_other_names():
    # Two nodes without a difference: that with the same name is taken, wherever it is.
    graph = "(s1a / and :op1 (s1p / person) :op2 (s1q / person))"
    other = "(s1a / and :op1 (s1q / person) :op2 (s1p / person))"
    assert counts([(other,)], [(graph,)]) == [3, 5, 5]  # .60


def test_names_are_told_apart_by_their_strings():
    graph = '(s1a / and :op1 (s1m / name :op1 "Ann") :op2 (s1n / name :op1 "Bob"))'
    other = graph.replace("s1m", "s1z").replace("s1n", "s1m").replace("s1z", "s1n")
    assert counts([(other,)], [(graph,)]) == [7, 7, 7]


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
    other = (*DOGS[:3], "Dogs bark .")
    with pytest.raises(PairError, match=r"sentence 1 has other words .*: 'Dogs bark \.'"):
        counts([other], [DOGS])
    right, wrong = (Pair(document(side), document(DOGS)) for side in (DOGS, other))
    with pytest.raises(PairError, match=r"^pair 1: sentence 1 has other words"):
        Juumaetsh().score([right, wrong])


def test_explanations_are_alignments():
    pair = Pair(document(changed(DOGS, ("s1d", "s1x"))), document(DOGS))
    assert sorted(link[:2] for link in Juumaetsh().explain(pair).links) == [
        ("s1.s1b", "s1.s1b"),
        ("s1.s1x", "s1.s1d"),
    ]


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
