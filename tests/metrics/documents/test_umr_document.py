"""Reading UMR files as documents, and everything that may be wrong with them."""

import re

import pytest
from released import shared_file

from amr_metrics import Graph, Pair, parse_graph
from amr_metrics.documents import (
    Ancast,
    DocSmatch,
    Juumaetsh,
    parse_umr_documents,
    read_umr_documents,
)
from amr_metrics.documents.representations import collect_chains
from amr_metrics.documents.sentences import check_same_sentences
from amr_metrics.documents.umr_document import load_umr_documents, make_document
from amr_metrics.errors import GraphError, PairError
from amr_metrics.reading.umr import parse_umr
from tests.metrics.documents.builders import document, umr

DOG = "(s1d / dog)"
BARK = "(s2b / bark-01 :ARG0 (s2i / it))"
ANNOTATION = (
    ":temporal ((document-creation-time :before s2b)) :modal ((author :full-affirmative s2b))"
    " :coref ((s1d :same-entity s2i))"
)


def parsed(text, **options):
    return parse_umr_documents(text.encode(), "file.umr", **options)


def test_all_parts_of_a_sentence_are_read():
    (doc,), errors = parsed(umr((DOG,), (BARK, ANNOTATION, "s2b: 2-2, 4-5\ns2i: 0-0", "It barks")))
    first, second = doc.sentences
    assert not errors
    assert (first.number, first.triples, first.words) == (1, (), [])
    assert second.words == ["It", "barks"]
    assert second.alignment == {"s2b": [(2, 2), (4, 5)], "s2i": []}
    assert [(t.key, str(t)) for t in second.triples] == [
        ("temporal", "(document-creation-time :before s2b)"),
        ("modal", "(author :full-affirmative s2b)"),
        ("coref", "(s1d :same-entity s2i)"),
    ]


def test_a_document_is_one_graph():
    doc = document((DOG,), (BARK, ANNOTATION))
    assert doc.variables == ("d", "s1.s1d", "s2.s2b", "s2.s2i")
    assert [tuple(r) for r in doc.relations] == [
        ("d", ":snt1", "s1.s1d"),
        ("d", ":snt2", "s2.s2b"),
        ("s2.s2b", ":ARG0", "s2.s2i"),
        ("s1.s1d", ":same-as", "s2.s2i"),
    ]
    assert collect_chains(doc) == {"cc": ["s1.s1d", "s2.s2i"]}


def test_a_document_without_graphs_is_the_empty_graph():
    # Its root and its top would match those of gold: .5 for a parse that cannot be read.
    unread, gold = document((DOG[:-1],)), document((DOG,))
    assert unread.variables == ()
    for metric in (DocSmatch(), Ancast(), Juumaetsh()):
        assert metric.score([Pair(unread, gold), Pair(gold, unread)]).tolist() == [0.0, 0.0]


def test_headings_separate_the_parts_not_blank_lines():
    # Two blank lines in a sentence, an empty alignment, no blank line, keys in another order.
    spaced = umr((DOG,), (BARK, ":coref ((s1d :same-entity s2i)) :temporal ()"))
    dense = "\n".join(line for line in spaced.splitlines() if line.strip())
    loose = spaced.replace("\n\n", "\n\n\n")
    documents = [parsed(text).documents[0] for text in (spaced, dense, loose)]
    assert [d.relations for d in documents] == [documents[0].relations] * 3
    assert [[s.triples[0][:4] for s in d.sentences[1:]] for d in documents] == [
        [("coref", "s1d", "same-entity", "s2i")]
    ] * 3


def test_a_comment_or_a_missing_blank_does_not_matter():
    text = umr((DOG,), (BARK, ":coref ((s1d:same-entity s2i ) # the dog\n)"))
    assert [str(t) for t in parsed(text).documents[0].sentences[1].triples] == [
        "(s1d :same-entity s2i)"
    ]


def test_each_first_sentence_begins_a_document():
    documents, _ = parsed(umr((DOG,), (BARK,)) + umr((DOG,)))
    assert [[s.number for s in d.sentences] for d in documents] == [[1, 2], [1]]


def test_a_name_is_a_node_of_its_own_sentence_first():
    doc = document(
        ("(s1a / cat)",), ("(s2a / and :op1 (s1a / dog))", ":coref ((s1a :same-entity s2a))")
    )
    assert ("s2.s1a", ":same-as", "s2.s2a") in doc.relations


def test_a_name_of_other_sentences_is_that_of_the_last_one_before():
    doc = document(("(a / ape)",), ("(x / cat)",), ("(x / dog)",), ("(a / ant)",), ("(x / cow)",))
    assert [doc.node(k, "x").sentence for k in range(5)] == [1, 1, 2, 2, 4]
    assert doc.node(0, "y") is None


def test_a_plain_graph_becomes_a_document_of_one_sentence():
    graph = parse_graph("(b / bark-01 :ARG0 (d / dog))")
    doc = make_document(graph)
    assert [(s.number, s.graph) for s in doc.sentences] == [(1, graph)]
    assert make_document(doc) is doc
    empty = Graph.empty()
    assert make_document(empty) is empty


def test_the_graphs_of_sentences_are_read_as_before():
    file = parse_umr(umr((DOG,), (BARK, ANNOTATION)).encode())
    assert (len(file.graphs), file.documents, file.sentences) == (2, 2, [])


# Bad input.


@pytest.mark.parametrize(
    ("annotation", "problem"),
    [
        (":coref ((s1d :same-entity s2x))", "no sentence has a node s2x: correct the name"),
        (
            ":coref ((s1d :same-thing s2i))",
            "unknown relation in :coref: use one of contains, same-e",
        ),
        (":temporal ((s1d :full-affirmative s2i))", "unknown relation in :temporal"),
        (":modal ((somebody :modal s2i))", "no sentence has a node somebody"),
        (":coref ((s1d :same-entity s2i)", "a bracket is not closed"),
        (":coref ((s1d :same-entity s2i))) (", "'\\(' follows the end: are the brackets right?"),
        (":coref (s1d :same-entity s2i)", "expected '\\(' in the list of :coref, not 's1d'"),
        (":coref ((s1d same-entity s2i))", "expected a relation such as :same-entity, not 'same-e"),
        (":coreference ((s1d :same-entity s2i))", ":coreference is not one of :temporal, :modal,"),
        (":coref ((s1d :same-entity))", "expected a node, not '\\)'"),
        ("s1d", "expected a list such as :coref \\(...\\), not 's1d'"),
    ],
)
def test_a_wrong_annotation_names_file_sentence_and_line(annotation, problem):
    text = umr((DOG,), (BARK, annotation))
    line = text.splitlines().index(f"(s2s0 / sentence {annotation})") + 1
    with pytest.raises(GraphError, match=f"^file.umr, graph 1, line {line}: .*{problem}"):
        parsed(text)
    documents, errors = parsed(text, list_errors=True)
    assert [error.line for error in errors[0]] == [line]
    assert documents[0].sentences[1].graph.concepts == ("bark-01", "it")


@pytest.mark.parametrize("alignment", ["s2b 2-2", "s2b: two", "s2b: 2"])
def test_a_wrong_alignment(alignment):
    with pytest.raises(GraphError, match=r"file.umr, graph 1, line \d+: .* is not an alignment"):
        parsed(umr((DOG,), (BARK, "", alignment)))


@pytest.mark.parametrize("alignment", ["s2b: 2-2, 4-5", "s2b: 2-2,4-5", "s2b: -1--1", "s2b: 0-0"])
def test_discontinuous_and_missing_alignments(alignment):
    (doc,), _ = parsed(umr((DOG,), (BARK, "", alignment)))
    assert doc.sentences[1].alignment["s2b"] in ([(2, 2), (4, 5)], [])


def test_an_alignment_may_have_comments():
    alignment = "# by words\ns2b: 2-2,4-4  # barks ... s2i: 1-1\ns2i: 1-1 #it"
    (doc,), errors = parsed(umr((DOG,), (BARK, "", alignment, "It barks at night")))
    assert doc.sentences[1].alignment == {"s2b": [(2, 2), (4, 4)], "s2i": [(1, 1)]}
    assert not errors


def test_no_blank_is_needed_before_the_slash_of_an_annotation():
    text = umr((DOG,), (BARK, ANNOTATION))
    documents = [parsed(text.replace("s2s0 /", head)).documents[0] for head in ("s2s0 /", "s2s0/")]
    assert [len(doc.sentences[1].triples) for doc in documents] == [3, 3]


@pytest.mark.parametrize(
    ("alignment", "ranges", "lines"),
    [
        ("s2b: 2-1", [], ["s2b: 2-1"]),
        ("s2b: 2-1, 4-5", [(4, 5)], ["s2b: 2-1, 4-5"]),
        ("s2b: 0-2", [], ["s2b: 0-2"]),
        ("s2b: 0-0,-1--1", [], []),
    ],
)
def test_a_range_without_words_is_dropped(alignment, ranges, lines):
    (doc,), errors = parsed(umr((DOG,), (BARK, "", alignment, "It barks")))
    sentence = doc.sentences[1]
    assert sentence.alignment == {"s2b": ranges}
    assert [line for _, line in sentence.dropped.ranges] == lines
    assert not errors
    assert Juumaetsh().score([Pair(doc, doc)]).tolist() == [1.0]


MANY = (
    ":temporal ((document-creation-time :before s2b)) {} "
    ":modal ((author :modal s2b) (s2i :modal s2b))"
)


@pytest.mark.parametrize(
    ("annotation", "kept", "dropped"),
    [
        (MANY.format(")"), 1, 2),
        (MANY.format(""), 3, 0),
        (MANY.format("").replace(":modal s2b)", ":modal", 1), 1, 2),
        (MANY.format("").removesuffix(")"), 3, 0),
        ("/ " + MANY.format(""), 0, 3),
    ],
)
def test_relations_before_a_fault_are_kept(annotation, kept, dropped):
    (doc,), errors = parsed(umr((DOG,), (BARK, annotation, "s2b: 2-2")), list_errors=True)
    sentence = doc.sentences[1]
    assert (len(sentence.triples), sentence.dropped.relations) == (kept, dropped)
    assert sentence.alignment == {"s2b": [(2, 2)]}
    assert len(errors.get(0, ())) == (annotation != MANY.format(""))


@pytest.mark.parametrize(
    ("graph", "kept", "dropped"),
    [
        (f"{BARK}\ng", 2, 0),
        (BARK.replace("))", ")))"), 2, 0),
        (BARK.replace("))", "))) :ARG1 (s2x / cat))"), 2, 1),
        (f"{BARK} (s2x / cat)", 2, 1),
        ('(s2b / bark-01 :mode "a)" :ARG0 (s2i / it)) # )\n(', 2, 0),
        (f"g {BARK}", 0, 2),
        ("(s2b / bark-01 :ARG0) (s2i / it)", 0, 2),
        (BARK[:-1], 0, 2),
    ],
)
def test_a_complete_graph_is_kept(graph, kept, dropped):
    text = umr((DOG,), (graph, ANNOTATION, "s2b: 2-2"))
    with pytest.raises(GraphError, match=r"file.umr, graph 1, line \d+"):
        parsed(text)
    (doc,), errors = parsed(text, list_errors=True)
    sentence = doc.sentences[1]
    assert (len(sentence.graph.variables), sentence.dropped.nodes) == (kept, dropped)
    assert len(sentence.triples) == 3
    assert errors[0][0].graph == 1
    # Metrics of sentences read what they did before.
    assert parse_umr(text.encode(), list_errors=True).graphs[1].variables == ()


def test_all_faults_of_a_sentence_are_listed():
    text = umr((DOG,), (BARK[:-1], ":coref (", "s2b"))
    (doc,), errors = parsed(text, list_errors=True)
    problems = [error.problem for error in errors[0]]
    assert [problem.split(":")[0] for problem in problems] == [
        "unbalanced parentheses",
        "'s2b' is not an alignment",
        "a bracket is not closed; an annotation is written (s1s0 / sentence ",
    ]
    assert doc.sentences[1].dropped[:2] == (2, 0)


def test_a_wrong_number():
    text = umr((DOG,), (BARK,), (DOG.replace("1", "3"),)).replace(":: snt3", ":: snt2")
    with pytest.raises(GraphError, match=r"graph 2, line \d+: sentence snt2 follows snt2: number"):
        parsed(text)
    (doc,), errors = parsed(text, list_errors=True)
    assert len(errors[0]) == 1
    assert [sentence.number for sentence in doc.sentences] == [1, 2]


def test_what_a_sentence_with_a_wrong_number_has_counts_as_dropped():
    text = umr((DOG,), (BARK,), (BARK, ANNOTATION)).replace(":: snt3", ":: snt2")
    notes = load_umr_documents(text.encode(), "file.umr", "zero").notes
    assert notes[-1].startswith("file.umr: 3 relations and 2 nodes are dropped")


def test_a_number_that_occurs_twice_with_the_same_nodes():
    text = umr((DOG,), (BARK,), (BARK,), ("(s4r / rain-01)",)).replace(":: snt3", ":: snt2")
    (doc,), errors = parsed(text, list_errors=True)
    assert [sentence.number for sentence in doc.sentences] == [1, 2, 4]
    assert [error.graph for error in errors[0]] == [2]


def test_a_wrong_graph_is_empty():
    text = umr((DOG,), ("(s2b / bark-01 :ARG0)",))
    with pytest.raises(GraphError, match=r"file.umr, graph 1, line \d+"):
        parsed(text)
    documents, errors = parsed(text, list_errors=True)
    assert documents[0].sentences[1].graph.variables == ()
    assert len(errors[0]) == 1


@pytest.mark.parametrize("metric", [Ancast(), Juumaetsh()])
def test_other_graphs_are_no_umr_documents(metric):
    graph = parse_graph("(d / document :snt1 (r / rain-01))")
    with pytest.raises(PairError, match="not a document of a UMR file: use format=umr"):
        metric.score([Pair(graph, graph)])
    with pytest.raises(PairError, match="not a document of a UMR file"):
        metric.explain(Pair(graph, graph))
    for pair in (Pair(graph, document((DOG,))), Pair(document((DOG,)), graph)):
        with pytest.raises(PairError, match="not a document of a UMR file"):
            metric.score([pair])


@pytest.mark.parametrize("metric", [Ancast, Juumaetsh, DocSmatch])
def test_different_sentences(metric):
    both, short = document((DOG,), (BARK,)), document((DOG,))
    with pytest.raises(PairError, match="only src has sentence 2"):
        metric().score([Pair(both, short)])
    scores = metric(missing="count").evaluate([Pair(both, short)])
    assert scores.values[0] < 1 or (metric is Ancast and scores.details["sentence_src_total"] == 0)


@pytest.mark.parametrize(
    ("alone", "listed"),
    [
        ([4], "sentence 4"),
        ([4, 7], "sentences 4, 7"),
        ([4, 5, 6, 7, 8], "sentences 4, 5, 6, 7, 8"),
        ([4, 5, 6, 7, 8, 9], "sentences 4, 5, 6, 7, 8, ..."),
    ],
)
def test_the_message_lists_the_first_five_sentences(alone, listed):
    for name, sides in (("src", ([1, *alone], [1])), ("tgt", ([1], [1, *alone]))):
        message = re.escape(f"different sentences: only {name} has {listed}. Sentences are")
        with pytest.raises(PairError, match=message):
            check_same_sentences(sides)
    both = re.escape("only src has sentence 2 and only tgt has sentence 3.")
    with pytest.raises(PairError, match=both):
        check_same_sentences(([1, 2], [1, 3]))


@pytest.mark.parametrize("language", ["english", "chinese", "arapaho", "navajo", "sanapana"])
def test_files_of_the_reference_values_are_read(shared, language):
    folder = shared_file(shared, "reference/documents/data/ancast")
    for path in sorted(folder.glob(f"*{language[:2]}*.umr"))[:8]:
        documents, errors = parse_umr_documents(path.read_bytes(), path.name, list_errors=True)
        assert documents
        for error in (error for each in errors.values() for error in each):
            assert path.name in str(error)
            assert error.line is not None


def test_a_file_of_the_sample(shared):
    folder = shared_file(shared, "reference/documents/data/ancast")
    (doc,) = read_umr_documents(folder / "ancast-sample__gold.umr")
    assert len(doc.sentences) == 2
    assert sum(len(s.triples) for s in doc.sentences) > 5
