"""Unreadable and flagged graphs of parsers: columns, kinds, pairs, pages and bad input."""

import csv
import json
import os
from collections import Counter

import pytest
from page_data import data_of
from released import shared_file

import amr_metrics
import bamboo
from amr_metrics import Pair, read_graphs
from amr_metrics.errors import MetricError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.validity import Frames, find_flags
from bamboo.board import FLAG, GOLD
from bamboo.errors import ConfigError
from bamboo.explanation.flags import PairFlags

FIVE = "(b / bark-01 :ARG0 (d / dog) :ARG0 (c / cat) :polarity no :ARG1 x)"
GOOD = "(b / bark-01 :ARG0 (d / dog))"
UNREADABLE = "(b / bark-01"


@pytest.fixture
def frames(tmp_path):
    file = tmp_path / "frames.txt"
    file.write_text("bark-01  ARG0: barker\n", "utf-8")
    return file


def columns(table, *names):
    return [tuple(row[table.columns.index(name)] for name in names) for row in table.rows]


def test_the_worked_example_is_one_graph_with_five_flags(frames):
    report = bamboo.score([FIVE], [GOOD], validity=True, frames=frames)
    _, scores, kinds = report.tables()
    assert columns(scores, "unreadable", "flagged") == [(0, 1)]
    assert columns(kinds, "kind", "parser", "flags") == [
        ("all", GOLD, 0),
        ("all", "src", 5),
        ("argument not in frame", "src", 1),
        ("core role twice", "src", 1),
        ("dangling variable", "src", 2),
        ("polarity value", "src", 1),
    ]
    # Seven triples: three concepts, two relations, two attributes.
    assert columns(kinds, "per 1,000")[1] == pytest.approx((5000 / 7,))
    assert columns(kinds, "first")[:2] == [(None,), ("0",)]
    assert any(note.startswith("frames=frames.txt:") for note in kinds.notes)
    assert any("find few of the errors" in note for note in kinds.notes)
    without = bamboo.score([FIVE], [GOOD], validity=True)
    assert len(without.validity.parsers["src"].flags) == 4
    assert any(note.startswith("frames not checked") for note in without.tables()[-1].notes)


@pytest.mark.parametrize("on_error", ["zero", "nan"])
def test_graphs_that_cannot_be_read_are_not_flagged_ones(on_error):
    parses, gold = [FIVE, UNREADABLE, GOOD, FIVE], [GOOD, GOOD, UNREADABLE, UNREADABLE]
    with pytest.warns(bamboo.BambooWarning):
        report = bamboo.score(parses, gold, validity=True, on_error=on_error)
    of_parser, of_gold = report.validity.parsers["src"], report.validity.gold
    # A parse counts whether or not its gold graph can be read.
    assert (of_parser.graphs, of_parser.unreadable, of_parser.flagged) == (3, 1, 2)
    assert (of_gold.graphs, of_gold.unreadable, of_gold.flagged) == (2, 2, 0)
    assert of_parser.triples == 7 + 3 + 7
    (row,) = report.board.select(kind=FLAG, part="", system="src", score="flagged").scores
    assert (row.value, row.pairs, row.left_out) == (2, 3, 1)


def test_flags_are_found_before_anything_is_dropped():
    parses = ['(b / bark-01 :ARG0 (d / dog) :wiki Dog :foo "x")']
    report = bamboo.score(parses, [GOOD], validity=True, drop="wiki,:foo,roles,senses")
    assert report.validity.parsers["src"].counts == {"bare constant": 1, "unknown role": 1}


def test_pairs_have_their_flags(tmp_path):
    file = tmp_path / "pairs.csv"
    parsers = {"a": [GOOD, "(b / bark-01 :mod b)"], "b": [GOOD, GOOD]}
    gold = ["(b / bark-01 :ARG0 x)", GOOD]
    report = bamboo.score(parsers, gold, ["smatch", "sembleu"], validity=True, per_pair=file)
    with file.open() as text:
        rows = [(row["parser"], row["src_flags"], row["tgt_flags"]) for row in csv.DictReader(text)]
    dangling = "dangling variable: b :ARG0 x"
    assert rows == [
        ("a", "", dangling),
        ("a", "self loop: b :mod b; cycle: b :mod b", ""),
        ("b", "", dangling),
        ("b", "", ""),
    ]
    assert [*report.pair_scores()["tgt_flags"].notna()] == [True, False] * 4
    document = report.to_json()["metrics"][0]
    assert document["validity"]["gold"]["flags"]["dangling variable"] == {
        "count": 1,
        "per_1000": 500.0 if report.validity.gold.triples == 2 else pytest.approx(200.0),
        "first": "0",
    }


def test_several_metrics_and_parsers_have_the_columns_and_one_table():
    parsers = {"a": [FIVE], "b": [GOOD]}
    report = bamboo.score(parsers, [GOOD], ["smatch", "sembleu"], validity=True)
    scores, kinds, *_ = report.tables()
    assert columns(scores, "parser", "unreadable", "flagged") == [("a", 0, 1), ("b", 0, 0)]
    assert columns(report.tables("all")[0], "flagged") == [(1,), (0,), (1,), (0,)]
    assert columns(kinds, "parser")[:3] == [(GOLD,), ("a",), ("b",)]
    single = bamboo.score([FIVE], [GOOD], ["smatch", "sembleu"], validity=True)
    assert columns(single.tables()[0], "metric", "flagged") == [("smatch", 1), ("sembleu", 1)]
    of_b = report["smatch"]["b"]
    assert columns(of_b.tables()[-1], "parser", "flags") == [(GOLD, 0), ("b", 0)]
    assert of_b.corpus["f1"] == 1
    assert ",flag,dangling variable,a,1,0,flags,2," in report.to_csv()
    assert report.to_frame().query("kind == 'flag' and parser == 'a'").iloc[0]["value"] == 4


def test_scores_and_tables_are_the_same_without_flags():
    plain = bamboo.score([FIVE], [GOOD])
    report = bamboo.score([FIVE], [GOOD], validity=True)
    assert report.corpus == plain.corpus
    assert report.signature == plain.signature
    assert plain.validity is None
    assert "flags" not in plain.to_json()


def test_ids_name_the_first_pair(frames):
    parses = [f"# ::id s{k}\n{graph}" for k, graph in enumerate([GOOD, FIVE, FIVE])]
    gold = [f"# ::id s{k}\n{GOOD}" for k in range(3)]
    report = bamboo.score(parses, gold, validity=True, frames=frames, limit=2)
    assert columns(report.tables()[-1], "first")[1] == ("s1",)
    assert len(report.validity.parsers["src"].flags) == 5


@pytest.mark.parametrize("ids", ["match", "ignore"])
def test_gold_flags_are_those_of_each_pair(ids):
    gold = [f"# ::id {name}\n{graph}" for name, graph in (("a", GOOD), ("b", FIVE))]
    parses = [f"# ::id {name}\n{GOOD}" for name in ("b", "a")]
    parsers = {"one": parses, "two": parses}
    report = bamboo.score(parsers, gold, validity=True, ids=ids)
    for scored in report.by_parser.values():
        assert [text is not None for text in scored.pairs.tgt_flags] == [False, True]
    assert report.validity.gold.flagged == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pairs": "all", "validity": True}, "validity counts each graph once"),
        ({"format": "camr", "validity": True}, "not those of format=camr"),
        ({"format": "umr", "validity": True}, "not those of format=umr"),
        ({"metric": "doc_smatch", "validity": True}, "not those of documents"),
        ({"frames": "frames.txt"}, "frames serves validity and aspect scores"),
        ({"alignment": "one", "validity": True}, "apply to aspect scores only"),
    ],
)
def test_options_that_exclude_one_another(options, message):
    with pytest.raises(ConfigError, match=message):
        bamboo.score([GOOD], [GOOD], **options)


def test_a_frames_file_of_another_format_is_an_error(tmp_path):
    file = tmp_path / "frames.xml"
    file.write_text("<frameset>\n", "utf-8")
    with pytest.raises(MetricError, match=r"frames\.xml, line 1: expected a frame"):
        bamboo.score([GOOD], [GOOD], validity=True, frames=file)


def test_frames_serve_flags_with_every_metric_and_definition_of_aspects(frames):
    for options in (
        {"metric": "sembleu"},
        {"metric": "smatch_1.0", "aspects": "all"},
        {"metric": "smatchpp", "aspects": "all"},
    ):
        report = bamboo.score([FIVE], [GOOD], validity=True, frames=frames, **options)
        assert report.validity.parsers["src"].counts["argument not in frame"] == 1


def test_explain_lists_and_marks_flags(frames):
    explained = bamboo.explain(FIVE, GOOD, validity=True, frames=frames)
    tables = {table.title: table for table in explained.tables()}
    assert columns(tables["Flags"], "graph", "triple", "flag") == [
        ("src", "b :polarity no", "dangling variable"),
        ("src", "b :polarity no", "polarity value"),
        ("src", "b :ARG1 x", "argument not in frame"),
        ("src", "b :ARG1 x", "dangling variable"),
        ("src", "b :ARG0 c", "core role twice"),
    ]
    marked = {row[0]: row[3] for row in tables["Triples"].rows if row[3]}
    assert marked == {
        ":polarity(b, no)": "dangling variable, polarity value",
        ":arg1(b, x)": "argument not in frame, dangling variable",
        ":arg0(b, c)": "core role twice",
    }
    assert len(explained.to_json()["validity"]["flags"]) == 5
    features = bamboo.explain(FIVE, GOOD, metric="sembleu", validity=True)
    assert len(features.to_json()["validity"]["flags"]) == 4
    assert "validity" not in bamboo.explain(FIVE, GOOD).to_json()
    assert "no flags" in bamboo.explain(GOOD, GOOD, validity=True).tables()[1].notes
    with pytest.raises(ConfigError, match="also set validity=true"):
        bamboo.explain(FIVE, GOOD, frames=frames)
    with pytest.raises(ConfigError, match="format=umr"):
        bamboo.explain(FIVE, GOOD, validity=True, format="umr")


def test_the_report_has_flags(tmp_path, frames):
    parsers = {"a": [GOOD, FIVE], "b": [GOOD, GOOD]}
    bamboo.score(parsers, [GOOD, GOOD], frames=frames, pages=tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "Flags of graphs" in page
    assert "argument not in frame" in page
    document = json.loads((tmp_path / "report" / "data" / "report.json").read_text("utf-8"))
    assert document["validity"]["parsers"]["a"]["flagged"] == 1
    flags = data_of(tmp_path / "report", "graphs/0")["flags"]
    assert [*flags["a"]] == ["1"]
    assert [*flags["b"]] == []
    of_parse, of_gold = flags["a"]["1"]
    assert of_gold == []
    # The lines of the outline: bark-01, :polarity, :ARG1, :ARG0 dog, :ARG0 cat.
    assert [line for line, _ in of_parse] == [1, 1, 2, 2, 4]
    assert of_parse[-1][1] == "core role twice: bark-01 :ARG0 cat"


def test_little_prince(shared):
    folder = shared_file(shared, "parsers/little-prince")
    report = bamboo.score(
        {name: folder / f"{name}.amr" for name in ("bart", "t5")},
        folder / "gold.amr",
        validity=True,
    )
    counts = {name: len(of.flags) for name, of in report.validity.systems.items()}
    assert counts == {GOLD: 0, "bart": 3, "t5": 9}
    kinds = Counter(row.part for row in report.board.select(kind=FLAG).scores if row.part)
    assert kinds.keys() == {
        "argument of a non-frame",
        "core role twice",
        "dangling variable",
        "bare constant",
        "cycle",
    }


def test_most_flagged_triples_do_not_match_gold(shared):
    """As docs/validity.md says."""
    file = os.environ.get("BAMBOO_FRAMES")
    if not file:
        pytest.skip("needs BAMBOO_FRAMES (CONTRIBUTING, Tests on the released data)")
    folder, frames = shared_file(shared, "parsers/little-prince"), Frames.read(file)
    gold, metric = read_graphs(folder / "gold.amr"), amr_metrics.get("smatch_1.0")
    unmatched, flagged = 0, 0
    for name in ("bart", "t5"):
        parses = read_graphs(folder / f"{name}.amr")
        for pair in map(Pair, parses, gold):
            flags = find_flags(Corpus.of([pair.src]), frames)
            explanation = metric.explain(pair) if flags else None
            for flag in flags:
                of_flag = PairFlags((flag,))
                flagged += 1
                unmatched += any(of_flag.describe(t, None) for t in explanation.unmatched_src)
    assert (unmatched, flagged) == (53, 59)
