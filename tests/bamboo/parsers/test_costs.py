"""What mistakes cost: by hand, by repairing the graphs, and from published parses."""

import json
import re
from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest
from released import shared_file

import amr_metrics
import bamboo
from amr_metrics import read_graphs
from amr_metrics.graphs.graph import Relation
from bamboo.app.main import main
from bamboo.board import MISTAKE
from bamboo.errors import BambooWarning, ConfigError, FileNote
from bamboo.explanation.mistakes import mistakes
from bamboo.parsers import mistakes as parser_mistakes
from bamboo.parsers.analyses.errors import Cost, find_best, find_compared, group_costs
from bamboo.parsers.layout import count_tests
from bamboo.parsers.mistakes import explains_triples
from bamboo.parsers.ranking import measure_sentence_costs
from bamboo.scoring import pipeline

GOLD = [
    "(s / sleep-01 :ARG0 (c / cat) :polarity -)",  # 5 triples: two concepts, two edges, the root
    "(b / bark-01 :ARG0 (d / dog) :time (n / now))",  # 6
    "(r / run-02 :ARG0 (h / horse))",  # 4
]
GOOD = [GOLD[0].replace(" :polarity -", ""), GOLD[1], GOLD[2]]  # a missing negation
POOR = [
    GOLD[0].replace("sleep-01", "sleep-02"),  # a wrong sense
    GOLD[1].replace(" :time (n / now)", ""),  # a missing concept with its edge
    GOLD[2].replace("ARG0", "ARG1").replace("horse", "horse :quant 2"),  # a role, a constant
]


@pytest.fixture(scope="module")
def report():
    sides = {"good": GOOD, "poor": POOR}
    return bamboo.score(sides, GOLD, errors=True, permutations=500, resamples=200)


def row(report, construction, parser):
    (cost,) = (cost for cost in costs_of(report) if cost[:2] == (construction, parser))
    return cost


def costs_of(report):
    costs = group_costs(report.board.select(kind=MISTAKE))
    return [cost for by_parser in costs.values() for cost in by_parser.values()]


def test_counts_and_gains_by_hand(report):
    matched, src, gold = 14, 14, 15
    assert report["good"].score == 2 * matched / (src + gold)
    negation = row(report, "negation", "good")
    assert (negation.missing, negation.wrong, negation.extra) == (1, 0, 0)
    assert negation.mistakes == 1
    assert negation.gain == pytest.approx(1 - 28 / 29)
    assert negation.rate == pytest.approx(100 / 15)
    assert (negation.items, negation.share) == (1, 1.0)
    matched, src = 11, 14  # of poor: of 5 triples 4 match, of 4 of 6 all, of 5 three
    f1 = 2 * matched / (src + gold)
    assert report["poor"].score == pytest.approx(f1)
    gains = {
        "sense": 2 * (matched + 1) / (src + gold) - f1,
        "concept": 2 * (matched + 2) / (src + 2 + gold) - f1,
        "core role": 2 * (matched + 1) / (src + gold) - f1,
        "constant": 2 * matched / (src - 1 + gold) - f1,
    }
    for construction, gain in gains.items():
        assert row(report, construction, "poor").gain == pytest.approx(gain), construction
        assert row(report, construction, "good").gain == 0
    extra = row(report, "constant", "poor")
    assert (extra.items, extra.share) == (0, pytest.approx(np.nan, nan_ok=True))
    assert (extra.gain_extra, extra.gain_missing) == (extra.gain, 0)
    assert costs_of(report)[0].construction == "concept"


def test_a_parser_without_a_construction_is_not_the_best_on_it(report, tmp_path):
    """A parser of single nodes has no wrong role, since edges are lost with their nodes."""
    constant = row(report, "constant", "poor")
    assert (constant.items, constant.produced) == (0, 1)
    wrong = [text.replace("ARG0", "ARG1") for text in GOLD]
    single = ["(s / sleep-01)", "(b / bark-01)", "(r / run-02)"]
    parsers = {"one": [*GOLD[:2], wrong[2]], "two": [*wrong[:2], GOLD[2]], "single": single}
    costs = costs_of(bamboo.score(parsers, GOLD, errors=True, pages=tmp_path / "pages"))
    rows = [cost for cost in costs if cost.construction == "core role"]
    gains = {cost.parser: cost.gain for cost in rows}
    assert gains["single"] == 0 < gains["one"] < gains["two"]
    assert find_best(rows, attrgetter("gain")) == ["one"]
    without = [cost for cost in rows if cost.parser != "two"]
    assert (
        find_best(without, attrgetter("gain")) == []
    )  # one is left, which is compared with nothing
    page = (tmp_path / "pages/index.html").read_text("utf-8")
    (line,) = re.findall(r">Core roles</a>.*</tr>", page)
    assert re.findall(r"<td>(<b>)?([\d.]+)", line) == [
        ("<b>" * (name == "one"), f"{100 * gains[name]:.1f}") for name in ("one", "two", "single")
    ]


def test_differences_are_from_the_best_parser(report):
    costs = report.board.select(kind=MISTAKE)
    assert find_compared(costs) == "good"
    for cost in costs_of(report):
        assert cost.parser == "poor" or np.isnan(cost.difference)
    concept = row(report, "concept", "poor")
    assert concept.difference == pytest.approx(100 / 15)
    assert concept.low <= concept.difference <= concept.high
    # One of three pairs differs, so that every exchange gives the same absolute difference.
    assert concept.p == concept.p_adjusted == 1.0
    assert np.isnan(row(report, "constant", "poor").difference)  # the gold graphs have none
    assert count_tests(costs) == 4


def test_p_values_are_those_of_all_exchanges():
    """Six pairs on which only one parser errs: 2 of 64 exchanges are as extreme."""
    gold = [f"(s / sleep-01 :ARG0 (c / cat{k}))" for k in range(6)]
    poor = [text.replace("sleep-01", "sleep-02") for text in gold]
    good = [*gold[:5], gold[5].replace("ARG0", "ARG1")]
    report = bamboo.score({"poor": poor, "good": good}, gold, errors=True, permutations=20_000)
    sense, role = row(report, "sense", "poor"), row(report, "core role", "poor")
    assert sense.p == pytest.approx(2 / 64, abs=0.005)
    assert role.p == 1.0
    assert sense.p <= sense.p_adjusted < 0.1
    assert role.difference == -100 / 24


def test_the_frame_has_the_rows(report):
    frame = report.errors()
    assert [*frame.columns] == [*Cost._fields]
    assert len(frame) == len(costs_of(report)) == 2 * 5
    rows = report.board.select(kind=MISTAKE).scores
    assert {(row.pairs, row.left_out) for row in rows} == {(3, 0)}
    assert frame[frame.parser == "poor"].missing.sum() == 1
    assert report.tables()[-1].rules == (2, 4, 6, 8)  # between constructions


def test_without_errors_there_is_no_frame():
    with pytest.raises(ConfigError, match="score with errors=True"):
        bamboo.score({"good": GOOD}, GOLD).errors()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "sembleu"}, "errors needs a metric that aligns triples"),
        ({"metric": ["smatch", "smatchpp"]}, "errors needs exactly one metric"),
        ({"pairs": "all"}, "omit pairs=all"),
    ],
)
def test_what_errors_cannot_be_computed_for(options, message):
    with pytest.raises(ConfigError, match=message):
        bamboo.score({"good": GOOD}, GOLD, errors=True, **options)


def test_metrics_that_explain_triples():
    names = ["smatch", "smatch_1.0", "smatchpp", "wsmatch", "camr_smatch", "sembleu", "wlk"]
    explained = [name for name in names if explains_triples(amr_metrics.get(name))]
    assert explained == names[:5]


def test_a_missing_pair_is_left_out():
    broken = [GOOD[0], "(b / bark-01", GOOD[2]]
    sides = {"broken": broken, "poor": POOR}
    with pytest.warns(BambooWarning, match="1 of 3 pairs is missing"):
        report = bamboo.score(sides, GOLD, errors=True, on_error="nan", permutations=50)
    assert row(report, "negation", "broken").rate == pytest.approx(100 / 9)
    assert row(report, "concept", "poor").rate == pytest.approx(100 / 15)
    assert row(report, "concept", "poor").difference == 0  # on the other two pairs
    assert row(report, "sense", "poor").p == 1.0  # only one of which differs
    with pytest.warns(BambooWarning, match="counts as an empty parse"):
        zero = bamboo.score(sides, GOLD, errors=True, on_error="zero", permutations=50)
    assert row(zero, "concept", "broken").missing == 3
    assert row(zero, "root", "broken").missing == 1


def test_the_mistakes_do_not_depend_on_chunks(report, monkeypatch):
    monkeypatch.setattr(parser_mistakes, "CHUNK", 1)
    monkeypatch.setattr(pipeline, "CHUNK", 2)
    sides = {"good": GOOD, "poor": POOR}
    again = bamboo.score(sides, GOLD, errors=True, permutations=500, resamples=200)
    assert again.errors().equals(report.errors())


def test_a_chunk_without_a_scored_pair(monkeypatch):
    monkeypatch.setattr(pipeline, "FIRST", 1)
    monkeypatch.setattr(pipeline, "CHUNK", 1)
    sides = {"broken": ["(b / bark-01", *POOR[1:]]}
    with pytest.warns(BambooWarning, match="1 of 3 pairs is missing"):
        collected = bamboo.score(sides, GOLD, errors=True, on_error="nan")["broken"].values.mistakes
    assert collected.present.tolist() == [False, True, True]
    assert np.isnan(collected.counts[0]).all()
    assert collected.counts[1:].sum(axis=(1, 2)).tolist() == [1, 2]
    assert collected.rows["pair"].tolist() == [1, 2, 2]


def test_the_totals_are_those_of_the_scores():
    folder = bamboo.installation.resource("data") / "sample" / "main"
    files = [folder / f"{side}.test.amr" for side in ("src", "tgt")]
    for metric in ("smatch_1.0", "smatch", "smatchpp", "wsmatch"):
        scored = bamboo.score([files[0]], files[1], metric, errors=True).values
        collected = scored.mistakes
        for k, name in enumerate(("matches", "src_total", "tgt_total")):
            assert collected.totals[:, k] == pytest.approx(scored.scores.details[name])
        assert (
            np.bincount(collected.rows["pair"]).tolist()
            == collected.counts.sum(axis=(1, 2)).tolist()
        )


def test_the_command_prints_the_verdict_and_the_table(tmp_path, capsys):
    for name, texts in (("good", GOOD), ("poor", POOR), ("gold", GOLD)):
        (tmp_path / f"{name}.amr").write_text("\n\n".join(texts), "utf-8")
    words = ["score", *(str(tmp_path / f"{n}.amr") for n in ("good", "poor", "gold"))]
    assert main([*words, "errors=true", "permutations=50"]) == 0
    out = capsys.readouterr().out
    assert "good and poor are not distinguishable" in out
    assert [line.split() for line in out.splitlines() if line.startswith("  concept ")] == [
        ["concept", "good", "0", "0", "0", "0.0", "0.00", "–"],
        ["concept", "poor", "1", "0", "0", "8.0", "6.67", "6.67"],
    ]
    assert main([*words, "errors=true", "permutations=50", "report=json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"]["title"] == "good and poor are not distinguishable"
    of_poor = {cost["construction"]: cost for cost in document["parsers"][1]["errors"]}
    assert of_poor["concept"]["missing"] == 1
    assert of_poor["constant"]["difference"] is None
    assert main([*words, "permutations=50", "report=json"]) == 0
    assert "verdict" not in json.loads(capsys.readouterr().out)


def with_senses_right(graph, in_parse):
    """A parse with the senses, and the wrong concepts, of the gold graph."""
    right = {m.src[0].source: m.tgt[0].target for m in in_parse if m.construction == "sense"}
    pairs = zip(graph.variables, graph.concepts, strict=True)
    return replace(graph, concepts=tuple(right.get(node, concept) for node, concept in pairs))


def with_roles_right(graph, in_parse):
    """A parse with the core roles of the gold graph between the same nodes."""
    right = {}
    for mistake in in_parse:
        if mistake[:2] == ("core role", "wrong"):
            (edge,), (gold,) = mistake.src, mistake.tgt
            ends = (edge.target, edge.source) if mistake.is_inverse else (edge.source, edge.target)
            right[edge.source, edge.role, edge.target] = Relation(ends[0], gold.role, ends[1])
    edges = [
        right.get((s, role.lower(), t), Relation(s, role, t)) for s, role, t in graph.relations
    ]
    return replace(graph, relations=tuple(edges))


def test_gains_are_what_repaired_parses_score(shared):
    """Repaired parses, aligned again, gain as much, or more by a better alignment."""
    folder = shared_file(shared, "parsers/little-prince")
    gold = list(read_graphs(folder / "gold.amr"))
    metric = amr_metrics.get("smatch")
    for parser in ("bart", "t5"):
        parses = list(read_graphs(folder / f"{parser}.amr"))
        explained = metric.explanations(amr_metrics.pair_up(parses, gold))
        in_parses = [mistakes(explanation) for explanation in explained]
        repaired = {
            "sense": map(with_senses_right, parses, in_parses),
            "core role": map(with_roles_right, parses, in_parses),
        }
        report = bamboo.score({parser: parses}, gold, "smatch", errors=True)
        assert len(report[parser].values.mistakes.rows) == sum(map(len, in_parses))
        for construction, graphs in repaired.items():
            f1 = bamboo.score({"repaired": list(graphs)}, gold, "smatch")["repaired"].score
            gain = row(report, construction, parser).gain_wrong
            assert 0.001 < gain <= f1 - report[parser].score + 1e-12
            assert f1 - report[parser].score == pytest.approx(gain, abs=5e-4)


def test_published_parses(shared):
    """Numbers of an independent implementation; its gold triples are counted without repetition."""
    folder = shared_file(shared, "parsers/ewt")
    names = ("amrbart", "spring", "t5")
    files = {name: folder / f"{name}.amr" for name in names}
    with pytest.warns(FileNote, match=":wiki 955 times"):
        report = bamboo.score(files, folder / "bart.amr", errors=True, permutations=1000)
    assert find_compared(report.board.select(kind=MISTAKE)) == "amrbart"
    first = ["concept", "core role", "other role", "re-entrancy"]
    assert [*dict.fromkeys(cost.construction for cost in costs_of(report))][:4] == first
    expected = {
        "concept": [(7.6, 6.22), (13.1, 9.86), (8.0, 6.36)],
        "core role": [(1.8, 2.44), (1.8, 2.37), (2.3, 3.00)],
        "sense": [(0.9, 0.86), (0.8, 0.79), (1.0, 1.01)],
        "wiki": [(1.3, 3.13), (0.0, 0.0), (0.0, 0.0)],
    }
    for construction, values in expected.items():
        for name, (gain, rate) in zip(names, values, strict=True):
            cost = row(report, construction, name)
            assert 100 * cost.gain == pytest.approx(gain, abs=0.06)
            assert cost.rate == pytest.approx(rate, abs=0.015)
    spring = row(report, "concept", "spring")
    assert spring.difference == pytest.approx(3.65, abs=0.01)
    assert spring.p_adjusted < 0.01 < row(report, "concept", "t5").p_adjusted
    costs = [measure_sentence_costs(report.by_parser[name]) for name in names]
    for name, cost in zip(names, costs, strict=True):
        assert cost.sum() == pytest.approx(1 - report[name].score)
    assert (costs[1] - costs[0]).sum() == pytest.approx(
        report["amrbart"].score - report["spring"].score
    )
