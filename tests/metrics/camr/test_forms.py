"""What the two forms of a file may hold."""

import pytest

from amr_metrics.camr import (
    Arc,
    CamrGraph,
    Coreference,
    parse_camr,
    read_camr,
)
from amr_metrics.graphs.graph import Attribute, Graph, Relation


def text(graph, words="甲 乙 丙 丁 戊 己 庚 辛"):
    wid = " ".join(f"x{k}_{word}" for k, word in enumerate(words.split(), 1))
    return f"# ::id export_amr.7 ::cid export_amr.7 ::2024-01-01 00:00:00\n# ::wid {wid}\n{graph}\n"


def one(graph, **options):
    (result,) = parse_camr(text(graph, **options))
    return result


def test_the_parts_of_a_graph():
    graph = one("(x2 / 说-01 :arg0() (x1 / 他) :arg2(x3_x5/在里) (x4 / 家))")
    assert graph == CamrGraph(
        ("x2", "x1", "x4"),
        ("说-01", "他", "家"),
        (),
        (Relation("x2", ":arg0", "x1"), Relation("x2", ":arg2", "x4")),
        "x2",
        sentence_id="7",
        anchors=("2", "1", "4"),
        arcs=(Arc(), Arc("x3_x5", "在里")),
    )
    assert graph.metadata["id"] == "export_amr.7"
    assert graph.metadata["2024-01-01"] == "00:00:00"


def test_ids_of_words_characters_and_implicit_concepts():
    graph = one(
        "(x20 / and :op1() (x2_x4 / 甲) :op2() (x5_2 / 乙) :op3() (x1_2_3 / 丙) "
        ":op4() (x6_x7_3 / 丁))"
    )
    assert graph.anchors == ("", "2_4", "5.2", "1.2_1.3", "6_7.3")


def test_a_space_distinguishes_a_node_from_function_words():
    aligned = one("(x1 / 车 :mod(x3/的) (x2 / 红))")
    assert aligned.arcs == (Arc("x3", "的"),)
    assert one("(x1 / 车 :mod (x3/的))").concepts == ("车", "的")


@pytest.mark.parametrize("again", ["x1", "(x1 / 法院)"])
def test_later_mentions_of_a_node(again):
    graph = one(f"(x3 / 说-01 :arg0() (x1 / 法院) :arg1() (x4 / 判-01 :arg0() {again}))")
    assert graph.variables == ("x3", "x1", "x4")
    assert graph.relations[-1] == ("x4", ":arg0", "x1")


def test_a_node_may_be_mentioned_before_it_is_declared():
    graph = one("(x3 / 说-01 :arg0() x1 :arg1() (x4 / 判-01 :arg0() (x1 / 法院)))")
    assert graph.relations[0] == ("x3", ":arg0", "x1")


@pytest.mark.parametrize(
    "strings", [":op1 x1/北京 :op2 x2/天安门", ":op1 北京 :op2 天安门", ":op1() 北京 :op2() 天安门"]
)
def test_names_with_and_without_ids(strings):
    graph = one(
        f"(x8 / 城 :name() (x1_x2 / name {strings} ))", words="北京 天安门 丙 丁 戊 己 庚 辛"
    )
    assert graph.attributes == (
        Attribute("x1_x2", ":op1", "北京"),
        Attribute("x1_x2", ":op2", "天安门"),
    )
    assert graph.concept("x1_x2") == "name"


def test_the_concept_of_an_anaphor_is_the_words_of_its_id():
    graph = one("(x2 / 说-01 :arg0() (x1 / 他) :arg1() (x4_x5 / x1))")
    assert graph.concept("x4_x5") == "丁戊"
    assert graph.coreferences == (Coreference("x4_x5", "x1"),)


def test_an_implicit_anaphor_has_the_concept_of_its_antecedent():
    graph = one("(x2 / 说-01 :arg0() (x31 / x30) :arg1() (x30 / x1) :arg2() (x1 / 他))")
    assert (graph.concept("x31"), graph.concept("x30")) == ("他", "他")


@pytest.mark.parametrize("concept", ["12:30", "a/b", "(笑)", "x5", "两 半"])
def test_quoted_concepts(concept):
    graph = one(f'(x1 / "{concept}" :mod() (x2 / "红"))')
    assert graph.concepts == (concept, "红")


def test_constants():
    graph = one('(x1 / 去-01 :polarity() - :mode imperative :li "x1")')
    assert graph.attributes == (
        Attribute("x1", ":polarity", "-"),
        Attribute("x1", ":mode", "imperative"),
        Attribute("x1", ":li", "x1"),
    )


def test_inverse_roles_are_normalised_and_their_form_is_stored():
    graph = one("(x1 / 人 :arg0-of(x3/的) (x2 / 走-01 :consist-of() (x4 / 步)))")
    assert graph.relations == (("x2", ":arg0", "x1"), ("x2", ":consist-of", "x4"))
    assert graph.arcs == (Arc("x3", "的", inverse=True), Arc())
    assert graph.written[0] == ("x1", ":arg0-of", "x2")


def test_the_empty_last_word_of_older_files():
    (graph,) = parse_camr("# ::wid x1_他 x2_走 x3_\n(x2 / 走-01 :arg0() (x3 / now))")
    assert graph.anchors == ("2", "")


def test_a_very_deep_graph():
    depth = 5000
    graph = one("".join(f"(x{k} / a :mod() " for k in range(9, 9 + depth)) + "x9" + ")" * depth)
    assert len(graph.variables) == depth


def test_the_example_sentences_in_both_forms(data, gold):
    assert read_camr(data / "gold_tuples.txt", lengths=data / "sentences.txt") == gold


def test_a_file_of_numbers_gives_anchors_but_not_the_words_of_names(data, gold):
    counted = read_camr(data / "gold_tuples.txt", lengths=data / "max_len.txt")
    assert [g.anchors for g in counted] == [g.anchors for g in gold]
    assert counted[1].attributes == (Attribute("x1_x2", ":op1", "北京大学"),)
    assert counted[0] == gold[0]


def test_lengths_take_precedence_over_wid(data, tmp_path):
    lengths = tmp_path / "len.txt"
    lengths.write_text("1\t9\n2\t9\n3\t11\n", "utf-8")
    graph = read_camr(data / "gold.txt", lengths=lengths)[0]
    assert graph.anchors[graph.positions["x10"]] == ""


def test_a_graph_in_tuple_form_may_be_disconnected():
    rows = [
        "x0 root - :top - - x1 他 -",
        "x2 走-01 - :arg0 - - x1 他 -",
        "x3 看-01 - :arg0 - - x4 书 -",
    ]
    text = "\n".join("\t".join(["1", *row.split(" ")]) for row in rows)
    (graph,) = parse_camr(text)
    assert graph.variables == ("x1", "x2", "x3", "x4")


def test_an_id_with_two_concepts_may_be_two_nodes():
    graph = parse_camr(text("(x1 / 走-01 :time() (x6 / 全) :quant() (x6 / 1))"), split=True)
    assert graph[0].variables == ("x1", "x6", "x6#2")
    assert graph[0].anchors == ("1", "6", "6")


def test_a_plain_graph_as_chinese_amr():
    plain = Graph(("x2", "x1"), ("说-01", "他"), (), (Relation("x2", ":arg0", "x1"),), "x2")
    graph = CamrGraph.of(plain, anchors=("2", "1"), sentence_id="7")
    read = one("(x2 / 说-01 :arg0() (x1 / 他))")
    assert graph == read
    assert CamrGraph.of(plain).anchors is None


def test_sentences_take_the_rest_of_their_line():
    comments = "# ::id export_amr.7 ::snt 他 ::id 8 走\n# ::tok a::b ::snt c\n# ::cid 1 ::date 2"
    (graph,) = parse_camr(f"{comments}\n(x4 / 走-01)")
    assert graph.metadata == {
        **{"id": "export_amr.7", "snt": "他 ::id 8 走", "tok": "a::b ::snt c"},
        **{"cid": "1", "date": "2"},
    }
