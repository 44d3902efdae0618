"""Agreement of annotators: hand arithmetic, properties, bad input."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from released import shared_file
from strategies import graphs

import bamboo
from amr_metrics import parse_graph, read_graphs
from amr_metrics.graphs.random_graphs import rename_variables
from bamboo.errors import ConfigError, DataError

CAT, DOG, BIRD = "(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG0 (d / dog))", "(b / bird)"
FEW = {"resamples": 20, "worst": 0}


def sentence(id, text):
    return replace(parse_graph(text), metadata={"id": id})


def test_two_of_three_agree():
    """Sentence 1: 4, 3 and 3 of 4 triples; sentence 2: 1, 1 and 2 of 2, since roots match."""
    files = {"a": [CAT, BIRD], "b": [CAT, "(d / dog)"], "c": [DOG, "(d / dog)"]}
    agreement = bamboo.agree(files, **FEW)
    assert agreement.value("a", "b") == pytest.approx(5 / 6)
    assert agreement.value("a", "c") == pytest.approx(4 / 6)
    assert agreement.value("c", "b") == pytest.approx(5 / 6)
    assert agreement.micro == pytest.approx(7 / 9)
    assert agreement.means.tolist() == pytest.approx([5 / 6, 2 / 3])
    assert agreement.macro == pytest.approx(3 / 4)
    assert agreement.central.tolist() == [0, 1]  # of a and b the first; b and c are equal
    shares = agreement.board.select(score="central").scores
    assert [row.value for row in shares] == [0.25, 0.5, 0.25]  # those who are equal share it


def test_of_two_it_is_not_said_who_is_central():
    two = bamboo.agree([[CAT, DOG, BIRD]] * 2, resamples=20, worst=1)
    assert not two.board.select(score="central").scores
    assert "central" not in repr(two)
    assert "central" not in two.tabulate_annotators().columns


def test_an_annotator_between_the_others_is_central():
    # Of 4 and 6 triples, 3 match; of 4 and 6 also 4; of 6 and 6, 5.
    dog, tiger = (CAT.replace("cat", f"{name} :mod (b / big)") for name in ("dog", "cat"))
    agreement = bamboo.agree({"a": [CAT], "b": [dog], "c": [tiger]}, **FEW)
    shares = agreement.board.select(score="central").scores
    assert [row.value for row in shares] == [0, 0, 1]


@pytest.mark.parametrize("name", ["smatch_1.0", "smatch"])
def test_repeated_triples_that_raise_scores_above_1_have_a_note(name, recwarn):
    text = "(s / sleep-01 :ARG0 (c / cat) :ARG0 c)"
    agreement = bamboo.agree({"a": [text], "b": [text]}, name, **FEW)
    notes = [str(warning.message) for warning in recwarn]
    if name == "smatch":  # counts each triple once
        assert (agreement.micro, notes, agreement.remarks) == (1.0, [], ())
        return
    assert agreement.micro > 1
    (note,) = notes
    assert note.startswith("a has 1 repeated triple, b has 1 repeated triple. smatch_1.0 counts")
    assert agreement.remarks == (note,)


def test_the_table_of_pages_says_how_many_sentences_an_annotator_lacks(tmp_path):
    files = {
        "a": [sentence("1", CAT), sentence("2", BIRD), sentence("3", CAT)],
        "b": [sentence("2", BIRD), sentence("1", CAT)],
        "c": [sentence("2", CAT)],
    }
    with pytest.warns(bamboo.BambooWarning, match="no graph of"):
        agreement = bamboo.agree(files, **FEW, pages=tmp_path / "pages")
    table = agreement.tabulate_annotators()
    assert table.columns[:3] == ("annotator", "sentences", "missing")
    assert [row[:3] for row in table.rows] == [("a", 2, 0), ("b", 2, 0), ("c", 1, 1)]
    described = agreement.to_json()["annotators"]
    assert [row[1:3] for row in table.rows] == [(d["sentences"], d["left_out"]) for d in described]
    assert ">missing</th>" in (tmp_path / "pages/index.html").read_text("utf-8")


def test_precision_and_recall_change_places():
    files = {"a": ["(s / sleep-01)"], "b": [CAT]}
    agreement = bamboo.agree(files, **FEW)
    (note,) = agreement.tables("all")[2].notes
    assert note == "precision: the share of the first one's triples that the second one has"
    rows = agreement.board.rows
    a, b = rows["smatch_1.0", "couple", "b", "a"], rows["smatch_1.0", "couple", "a", "b"]
    assert (a["precision"].value, a["recall"].value) == (1.0, 0.5)
    assert (b["precision"].value, b["recall"].value) == (0.5, 1.0)
    assert a["f1"] == b["f1"]._replace(part="b", system="a")


def test_an_asymmetric_metric_is_scored_in_both_directions():
    files = {
        "a": ["(s / sleep-01 :ARG0 (c / cat))"],
        "b": ["(s / sleep-01 :ARG0 (c / cat :mod (b / big)))"],
    }
    both = [bamboo.score(files[x], files[y], "sembleu").score for x, y in ("ab", "ba")]
    assert both[0] != both[1]
    agreement = bamboo.agree(files, "sembleu", **FEW)
    assert agreement.value("a", "b") == pytest.approx(np.mean(both))
    rows = agreement.board.select(score="as_src").scores
    assert [row.value for row in rows] == both
    assert "both directions" in repr(agreement)
    assert not bamboo.agree(files, **FEW).board.select(score="as_src").scores


@pytest.mark.filterwarnings("ignore::bamboo.BambooWarning")
def test_a_sentence_without_a_graph_is_left_out_of_its_couples():
    files = {
        "a": [sentence("1", CAT), sentence("2", BIRD)],
        "b": [sentence("2", BIRD), sentence("1", CAT), sentence("3", CAT)],
        "c": [sentence("2", CAT)],
    }
    with pytest.warns(bamboo.BambooWarning, match="c: no graph of 2 of 3 sentences: left out"):
        agreement = bamboo.agree(files, **FEW)
    assert agreement.ids == ["1", "2", "3"]
    pairs = {
        row.system + row.part: row.pairs for row in agreement.board.select(kind="couple").scores
    }
    assert pairs == {"ab": 2, "ba": 2, "ac": 1, "ca": 1, "bc": 1, "cb": 1}
    assert np.isnan(agreement.means[2])
    assert agreement.central[2] == -1
    assert agreement.value("a", "b") == 1.0
    assert "1 of 3 sentences is left out" in repr(agreement)


@pytest.mark.filterwarnings("ignore::bamboo.BambooWarning")
def test_a_couple_without_a_common_sentence_has_no_score():
    files = {
        "a": [sentence("1", CAT)],
        "b": [sentence("2", CAT)],
        "c": [sentence("1", CAT), sentence("2", DOG)],
    }
    with pytest.warns(bamboo.BambooWarning):
        agreement = bamboo.agree(files, **FEW)
    assert np.isnan(agreement.value("a", "b"))
    assert agreement.micro == pytest.approx((1 + 0.75) / 2)
    matrix = agreement.tables()[1]
    assert matrix.rows[0][1:4] == (None, None, 1.0)


def test_one_sentence_has_no_interval():
    agreement = bamboo.agree([[CAT], [DOG]], **FEW)
    assert "there is no interval" in repr(agreement)
    assert all(row.interval is None for row in agreement.board.scores)


@pytest.mark.parametrize("metric", ["smatch_1.0", "wlk", "sembleu"])
def test_equal_files_agree(metric):
    agreement = bamboo.agree([[CAT, DOG, BIRD]] * 3, metric, **FEW)
    assert agreement.micro == pytest.approx(1)
    assert agreement.macro == pytest.approx(1)
    row = next(iter(agreement.board.scores))
    assert row.interval == pytest.approx((1, 1))
    assert agreement.central.tolist() == [0, 0, 0]
    shares = agreement.board.select(score="central").scores
    assert [row.value for row in shares] == pytest.approx([1 / 3] * 3)
    assert "central" in agreement.tables()[1].columns


def check_equal(rows, others):
    """The rows are equal but for their order, and the order in which numbers were added."""
    rows, others = ({row[:7]: row[7:] for row in of_one} for of_one in (rows, others))
    assert rows.keys() == others.keys()
    for key, row in rows.items():
        assert others[key] == pytest.approx(row, abs=1e-12, nan_ok=True), key


FILES = st.integers(1, 3).flatmap(
    lambda count: st.lists(
        st.lists(graphs(), min_size=count, max_size=count), min_size=3, max_size=3
    )
)


@pytest.mark.filterwarnings("ignore::bamboo.errors.FileNote")
@settings(max_examples=settings().max_examples // 2)
@given(FILES, st.permutations([0, 1, 2]))
def test_the_order_of_files_changes_nothing(files, order):
    named = dict(zip("abc", files, strict=True))
    first = bamboo.agree(named, **FEW)
    second = bamboo.agree({name: named[name] for name in ["abc"[k] for k in order]}, **FEW)
    check_equal(first.board.scores, second.board.scores)


@pytest.mark.filterwarnings("ignore::bamboo.errors.FileNote")
@settings(max_examples=settings().max_examples // 2)
@given(FILES)
def test_names_of_variables_change_nothing(files):
    named = dict(zip("abc", files, strict=True))
    renamed = {
        name: [rename_variables(graph) for graph in of_annotator]
        for name, of_annotator in named.items()
    }
    first, second = bamboo.agree(named, **FEW), bamboo.agree(renamed, **FEW)
    assert repr(first.board) == repr(second.board)


def test_the_order_of_graphs_with_ids_changes_nothing():
    files = {
        name: [sentence(str(k), text) for k, text in enumerate(texts)]
        for name, texts in {
            "a": [CAT, DOG, BIRD],
            "b": [CAT, CAT, DOG],
            "c": [BIRD, DOG, BIRD],
        }.items()
    }
    first = bamboo.agree(files, **FEW)
    second = bamboo.agree({name: graphs[::-1] for name, graphs in files.items()}, **FEW)
    check_equal(first.board.scores, second.board.scores)


def test_parts():
    texts = ["(s / sleep-01 :polarity -)", "(c / cat :mod (b / big :degree (v / very)))"]
    files = [texts, ["(s / sleep-01)", texts[1]]]
    agreement = bamboo.agree(files, "smatch_1.0", aspects="negation", by="size", **FEW)
    aspects = agreement.board.select(kind="aspect", system="", score="f1").scores
    assert [(row.part, row.pairs, row.left_out, row.value) for row in aspects] == [
        ("negation", 1, 1, 0.0)
    ]
    buckets = agreement.board.select(kind="bucket", system="", score="f1").scores
    assert [(row.part, row.pairs) for row in buckets] == [("1 node", 1), ("3 nodes", 1)]
    assert [table.title for table in agreement.tables("all")][-3:-1] == [
        "By aspect (x 100)",
        "By size (x 100)",
    ]


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "options", "text"),
    [
        ({"a": [CAT]}, {}, "two annotators or more: a given"),
        ({}, {}, "two annotators or more: none given"),
        ({"": [CAT], "b": [CAT]}, {}, "name is empty"),
        ([[CAT], [CAT]], {"metric": ["smatch", "wlk"]}, "exactly one metric"),
        ([[CAT], [CAT]], {"on_error": "zero"}, "on_error"),
        ([[CAT], [CAT]], {"worst": -1}, "use 0 or more"),
        ([[CAT], [CAT]], {"central": "no/such/file.amr"}, "there is no folder"),
    ],
)
def test_bad_options(files, options, text):
    with pytest.raises(ConfigError, match=text):
        bamboo.agree(files, **options)


@pytest.mark.filterwarnings("ignore::bamboo.BambooWarning")
def test_no_graph_can_be_read():
    with (
        pytest.raises(ConfigError, match="no sentence has two graphs"),
        pytest.warns(bamboo.BambooWarning),
    ):
        bamboo.agree([["(c / cat"], ["(c / cat"]], on_error="nan")


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ([[CAT, CAT], [CAT]], "has 2 graphs but"),
        ([[sentence("1", CAT)], [sentence("2", CAT)]], "no ::id is in two of"),
        ([[sentence("1", CAT)] * 2, [sentence("1", CAT)]], "more than once"),
    ],
)
def test_sentences_that_do_not_fit(files, text):
    with pytest.raises(DataError, match=text):
        bamboo.agree(files)


@pytest.fixture
def annotators(home):
    """Two files in the working directory."""
    (home / "a.amr").write_text(f"# ::id 1\n# ::snt The cat sleeps .\n{CAT}\n\n# ::id 2\n{BIRD}\n")
    (home / "b.amr").write_text(f"# ::id 2\n{BIRD}\n\n# ::id 1\n{DOG}\n")
    return home


def test_files_of_the_command(annotators, cli, refused):
    assert "name each file once" in refused("agree", "a.amr", "a.amr")
    assert "central=b.amr is also an input" in refused("agree", "a.amr", "b.amr", "central=b.amr")
    assert "is required" in refused("agree")
    (annotators / "empty.amr").write_text("")
    assert "contains no graph" in refused("agree", "a.amr", "empty.amr")
    (annotators / "bad.amr").write_text("# ::id 1\n(c / cat\n\n# ::id 2\n(b / bird)\n")
    message = refused("agree", "a.amr", "bad.amr")
    assert "on_error=nan leaves out" in message
    assert "zero" not in message
    assert "no graph of 1 of 2" in cli("agree", "a.amr", "bad.amr", "on_error=nan").err


def test_central_graphs(annotators, cli):
    cli("agree", "a.amr", "b.amr", "central=central.amr")
    cat, bird = read_graphs(annotators / "central.amr")
    assert (cat.metadata["id"], cat.metadata["annotator"]) == ("1", "a")
    assert cat == parse_graph(CAT)
    assert bird == parse_graph(BIRD)


def test_reports_of_the_command(annotators, cli):
    table = cli("agree", "a.amr", "b.amr", "worst=1").out
    assert "1 (1)" in table or "0 (1)" in table
    assert "dog instead of cat" in table
    document = json.loads(cli("agree", "a.amr", "b.amr", "report=json").out)
    assert document["agreement"]["scores"]["f1"] == pytest.approx(5 / 6)
    assert document["scores"][0]["couples"] == [0.75]
    assert "only in,triple" in cli("agree", "a.amr", "b.amr", "report=csv").out
    assert cli("agree", "a.amr", "b.amr", "report=latex", "worst=0").out.count("tabular") == 6


def test_frames():
    agreement = bamboo.agree([[CAT, BIRD], [DOG, BIRD]], **FEW)
    assert set(agreement.to_frame()["kind"]) == {"corpus", "couple"}
    frame = agreement.sentence_scores()
    assert frame["score"].tolist() == [0.75, 1.0]
    assert frame["central"].tolist() == ["annotator 1"] * 2


# --- real data ----------------------------------------------------------------------------------


def test_four_parsers_without_gold(shared):
    folder = shared_file(shared, "parsers/ewt")
    files = [folder / f"{name}.amr" for name in ("amrbart", "spring", "bart", "t5")]
    agreement = bamboo.agree(files, drop="wiki", worst=0)
    couples = [100 * agreement.value(*couple) for couple in agreement.couples]
    assert [round(value, 1) for value in couples] == [78.4, 84.2, 81.7, 78.8, 76.3, 81.9]
    assert round(agreement.macro, 4) == 0.8141


def test_example_of_metamorphosed(shared):
    """Its command iaa.py prints 58.86 and the scores of sentences (metamorphosed 5d404f3)."""
    folder = shared_file(shared, "metamorphosed")
    files = [folder / f"comptest_annot{k}.txt" for k in (1, 3, 4)]
    agreement = bamboo.agree(files)
    sentences = 100 * np.stack([*agreement.couples.values()], axis=1)
    assert sentences.round(2).tolist() == [
        [69.23, 71.43, 61.54],
        [66.67, 75.00, 72.73],
        [40.00, 22.22, 40.00],
        [62.50, 50.00, 75.00],
    ]
    couples = [round(agreement.value(*couple), 4) for couple in agreement.couples]
    assert couples == [0.6173, 0.6234, 0.6486]
    assert (round(agreement.micro, 4), round(agreement.macro, 4)) == (0.6298, 0.5886)
    assert agreement.central.tolist() == [0, 2, 1, 1]


def test_two_annotators_of_umr(shared, tmp_path):
    """The first five sentences of a document of ufal/UMR: 236 of 250 and 262 triples."""
    folder = shared_file(shared, "umr")
    line = "#" * 80
    sentences = (folder / "ln94210_111-ML-all.umr").read_text("utf-8").split(line)
    (tmp_path / "ML.umr").write_text(line.join(sentences[:6]), "utf-8")
    files = [tmp_path / "ML.umr", folder / "ln94210_111-HH-s1-s5.umr"]
    with pytest.warns(bamboo.BambooWarning, match="1 document"):
        agreement = bamboo.agree(files, "juumaetsh")
    assert agreement.micro == agreement.macro == pytest.approx(2 * 236 / (250 + 262), abs=1e-9)
