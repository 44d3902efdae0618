"""`bamboo.score`, also with several parsers, and `bamboo.explain`."""

from __future__ import annotations

import dataclasses
import gzip
import json
import sys
from base64 import b64decode
from pathlib import Path

import numpy as np
import penman
import pytest
from harness import SAMPLE, UserFolder, noisy

import amr_metrics
import bamboo
from amr_metrics import Graph, parse_amr, parse_graph
from amr_metrics.camr import parse_camr
from amr_metrics.errors import GraphError, NoAlignmentError, PairError
from amr_metrics.graphs.graph import Attribute
from bamboo.errors import BambooWarning, ConfigError, DataError
from bamboo.scoring.inputs import find_path

CAT = "(s / sleep-01 :ARG0 (c / cat))"
DOG = "(s / sleep-01 :ARG0 (d / dog))"
BARK = "# ::id x\n# ::snt It barks.\n(b / bark-01 :polarity -)"
IMAGE = Attribute("x", ":op1", '"<img src=x onerror=alert(1)>"')
SRC, TGT = (SAMPLE / "main" / f"{side}.test.amr" for side in ("src", "tgt"))
METADATA = {"snt": "A <b>sentence</b>."}
HOSTILE = Graph(("x",), ("<script>alert(1)</script>",), (IMAGE,), (), "x", METADATA)


def sides(folder):
    """The same two graphs in every form that a side can have."""
    text = f"{CAT}\n\n{BARK}\n"
    path = folder / "two.amr"
    path.write_text(text, "utf-8")
    graphs = parse_amr(text)
    return {
        "path": path,
        "name of a file": str(path),
        "text": text,
        "texts": [CAT, BARK],
        "penman": penman.loads(text),
        "graphs": graphs,
        "tuple": tuple(graphs),
        "corpus": amr_metrics.Corpus.of(graphs),
        "mixed": [CAT, graphs[1]],
    }


def test_every_form_of_a_side_has_the_same_scores(home):
    forms = sides(home)
    for name, form in forms.items():
        scores = bamboo.score(form, [DOG, BARK])
        assert scores.scores.tolist() == [0.75, 1.0], name
        assert scores.corpus["f1"] == pytest.approx((2 * (3 + 3)) / (4 + 4 + 3 + 3)), name
        assert scores.ids == [None, "x"], name
        assert bamboo.score([DOG, BARK], form).scores.tolist() == [0.75, 1.0], name
    for cat in (parse_graph(CAT), penman.decode(CAT), [CAT], (penman.decode(CAT),)):
        assert bamboo.score(cat, DOG).score == 0.75


@pytest.mark.parametrize(
    ("side", "is_path"),
    [
        ("gold.amr", True),
        (Path("(c / cat)"), True),
        ("~/a b.amr", True),
        ("(c / cat)", False),
        (" \t(c / cat)", False),
        ("# ::id 1", False),
        ("a dog :instance\n", False),
        (["gold.amr"], False),
    ],
)
def test_text_and_paths_are_told_apart(side, is_path):
    assert (find_path(side) is not None) == is_path


def test_files_have_the_scores_of_the_command(cli):
    files = SRC, TGT
    words = (f"src={files[0]}", f"tgt={files[1]}", "metric=smatchpp", "metric.root=none")
    expected = cli("score", *words, "report=json").json
    scores = bamboo.score(*files, "smatchpp", options={"root": "none"})
    assert scores.to_json() == {**expected, "date": scores.date}
    in_memory = bamboo.score(
        amr_metrics.read_graphs(files[0]),
        files[1].read_text("utf-8"),
        "smatchpp",
        options={"root": "none"},
    )
    of_files = ("parser", "src", "tgt", "inputs")
    without_names, expected = (
        {key: value for key, value in result.to_json().items() if key not in of_files}
        for result in (in_memory, scores)
    )
    assert without_names == expected
    frame = scores.pair_scores()
    assert frame["score"].tolist() == expected["scores"]
    columns = ["metric", "parser", "pair", "id", "score", "precision", "recall"]
    assert frame.columns[:7].tolist() == columns
    assert {*frame["metric"]} == {"smatchpp root=none"}
    assert {*frame["parser"]} == {"src.test"}
    frame = scores.to_frame()
    assert dict(zip(frame["score"], frame["value"], strict=True)).items() >= scores.corpus.items()
    assert {*frame["pairs"]} == {64}
    assert len(scores) == 64


def test_every_graph_is_scored_with_every_other():
    scores = bamboo.score([CAT, DOG], [CAT, DOG, BARK], "smatch", pairs="all")
    assert scores.scores.tolist() == [1.0, 0.75, 0.0, 0.75, 1.0, 0.0]
    frame = scores.pair_scores()
    columns = ["metric", "parser", "pair", "src", "tgt", "src_id", "tgt_id", "score"]
    assert frame.columns[:8].tolist() == columns
    assert frame["src"].tolist() == [1, 1, 1, 2, 2, 2]
    assert frame["tgt_id"].fillna("").tolist() == ["", "", "x"] * 2


def test_an_id_can_be_any_text():
    graphs = [dataclasses.replace(parse_graph(CAT), metadata={"id": id}) for id in ("a\nb", " ")]
    assert bamboo.score(graphs, graphs).ids == ["a\nb", " "]


def test_metrics_by_name_and_as_objects():
    pair = amr_metrics.Pair(parse_graph(CAT), parse_graph(DOG))
    (expected,) = amr_metrics.Wlk(K=0).score([pair]).tolist()
    assert bamboo.score(CAT, DOG, "wlk", options={"K": 0}).score == expected
    assert bamboo.score(CAT, DOG, amr_metrics.get("wlk", K=0)).score == expected
    assert bamboo.score(CAT, DOG, "wlk").score != expected
    hill = bamboo.score(CAT, DOG, options={"solver": "hillclimb"})
    assert hill.signature.startswith("smatch_1.0 solver=hillclimb|bamboo v")
    assert "HillClimb" in hill.facts.signature
    with pytest.raises(ConfigError, match="set the options of a metric when it is created"):
        bamboo.score(CAT, DOG, amr_metrics.Smatch(), options={"root": "none"})


def test_chinese_graphs():
    camr = "# ::id a.1 ::cid x ::wid x1_他 x2_走\n(x2 / 走-01 :arg0() (x1 / 他))\n"
    for side in (camr, [camr], parse_camr(camr)):
        assert bamboo.score(side, camr, "camr_smatch", format="camr").score == 1.0


def test_pairs_that_cannot_be_read(home):
    texts = [CAT, "(c / cat", CAT]
    gold = [CAT, DOG, CAT]
    for src in (texts, "\n\n".join(texts)):
        with pytest.raises(GraphError, match=r"src, graph 1, line \d: "):
            bamboo.score(src, gold)
        with pytest.warns(BambooWarning, match="1 of 3 pairs is missing"):
            scores = bamboo.score(src, gold, on_error="nan")
        assert np.isnan(scores.scores).tolist() == [False, True, False]
        assert scores.problems[1].graph == 1
        with pytest.warns(BambooWarning, match="counts as an empty parse"):
            scores = bamboo.score(src, gold, on_error="zero")
        assert scores.scores.tolist() == [1.0, 0.0, 1.0]
        assert scores.corpus["recall"] == pytest.approx(8 / 12)
    # A gold graph that cannot be read is no error of the parser.
    with pytest.warns(BambooWarning, match="1 of 3 pairs is missing"):
        assert np.isnan(bamboo.score(gold, texts, on_error="zero").scores[1])


def test_parsers_are_shown_with_a_single_pair_but_not_tested():
    report = bamboo.score({"a": CAT, "b": DOG}, CAT)
    (row,) = report.board.select(score="f1").differences
    assert (row.pairs, row.value) == (1, 0.25)
    assert np.isnan([row.low, row.high, row.p, row.detectable]).all()


def test_the_nearest_graphs_of_texts_that_cannot_be_read():
    texts = ["(c / cat", f"# ::id two\n{CAT}", DOG]
    with pytest.warns(BambooWarning, match="3 of 9 pairs are missing"):
        scores = bamboo.score(texts, [CAT, DOG, CAT], pairs="all", on_error="nan")
    table = scores.nearest()
    assert scores.tables()[1].rows == table.rows
    assert [row[:3] for row in table.rows[1:]] == [("two", "1", 1.0), ("3", "2", 1.0)]
    assert table.rows[0] == ("1", "", None, "", None, "", None)


@pytest.mark.parametrize(
    ("src", "tgt", "options", "error", "message"),
    [
        (CAT, 3, {}, ConfigError, "tgt: int is not a side: expected the path of a file"),
        (None, CAT, {}, ConfigError, "src: NoneType is not a side"),
        (b"(c / cat)", CAT, {}, ConfigError, "src: bytes is not a side"),
        ("", CAT, {}, ConfigError, "expected the path of a file, text"),
        ([], CAT, {}, GraphError, "src: there is no graph: the list is empty"),
        ([CAT, 3], [CAT, CAT], {}, ConfigError, "src[1]: int is not a graph"),
        (
            ["a.amr"],
            CAT,
            {},
            ConfigError,
            "src[0]: 'a.amr' is neither a file that exists nor a graph in Penman notation",
        ),
        ([f"{CAT}\n{DOG}"], CAT, {}, GraphError, "src, graph 0: expected one graph, found 2"),
        ([CAT, CAT], CAT, {}, DataError, "src has 2 graphs but tgt has 1"),
        (CAT, "(c / \ud800\n)", {}, GraphError, r"tgt, line 1: '\ud800' is half of a surrogate"),
        (CAT, DOG, {"report": "json"}, ConfigError, "unknown option of score 'report'"),
        (CAT, DOG, {"worst": -1}, ConfigError, "worst=-1: use 0 or more"),
        (CAT, DOG, {"limit": 0}, ConfigError, "limit=0: use 1 or more"),
        (CAT, DOG, {"aspects_definition": "amrlib"}, ConfigError, "also set aspects=all"),
        ({}, CAT, {}, ConfigError, "src: there is no parser"),
        ([Path("a.amr"), Path("a.amr")], CAT, {}, ConfigError, "name each file once"),
        ({"a": "-", "b": CAT}, DOG, {}, ConfigError, "standard input can be read for a single"),
        (CAT, DOG, {"metric": ["sema", "wlk"], "aspects": "all"}, ConfigError, "metric=smatchpp"),
    ],
)
def test_bad_input(src, tgt, options, error, message):
    with pytest.raises(error) as raised:
        bamboo.score(src, tgt, **options)
    assert message in str(raised.value)


def test_a_pair_that_no_metric_scores():
    with pytest.raises(PairError, match="src and tgt: pair 0: "):
        bamboo.score(CAT, DOG, "align_smatch")
    with pytest.raises(ConfigError, match="src: no pair could be scored; first problem: "):
        bamboo.score(CAT, DOG, "align_smatch", on_error="nan")


def test_scores_show_themselves():
    scores = bamboo.score([HOSTILE, CAT], [HOSTILE, DOG])
    assert "75.0" in repr(scores)
    assert "corpus F1: " in scores.to_markdown()
    many = bamboo.score([CAT] * 30, [DOG] * 30)
    assert "all 30 alignments are proven optimal" in repr(many)
    assert [len(table.rows) for table in many.tables()] == [1]
    assert [len(table.rows) for table in many.tables(listed=30)] == [30, 1]
    named = bamboo.score(f"# ::id <b>\n{CAT}", DOG)
    assert "&lt;b&gt;" in named._repr_html_()
    assert "<b>\n" not in named._repr_html_()
    titles = [f"<b>{table.title}</b>" for table in named.tables()]
    assert titles == [
        "<b>smatch_1.0: src against tgt (x 100)</b>",
        "<b>smatch_1.0 against tgt (x 100)</b>",
    ]
    assert named._repr_html_().count("<b>") == len(titles)
    assert all(title in named._repr_html_() for title in titles)


def test_parsers_are_compared_as_by_the_command(cli, home):
    noisy(home / "good.amr", 0.05, 0)
    (home / "poor.amr.gz").write_bytes(gzip.compress(noisy(home / "x", 0.5, 1).read_bytes()))
    paths = [home / "good.amr", home / "poor.amr.gz"]
    parsers = dict(zip(("good", "poor"), map(amr_metrics.read_graphs, paths), strict=True))
    draws = {"resamples": 30, "ci": True, "ids": "ignore", "aspects": ["concept", "srl"]}
    words = ("resamples=30", "ci=true", "ids=ignore", "aspects=[concept,srl]")
    files = f"src=[{paths[0]},{paths[1]}]"
    expected = cli("score", files, f"tgt={SRC}", "metric=smatchpp", *words, "report=json").json
    report = bamboo.score(parsers, SRC, metric="smatchpp", **draws)
    assert isinstance(report, bamboo.Report)
    result = report.to_json()
    assert result["comparisons"] == expected["comparisons"]
    for of_parser, document in zip(result["parsers"], expected["parsers"], strict=True):
        assert of_parser["aspects"] == document["aspects"]
        assert report[document["parser"]].scores.tolist() == document["scores"]
    by_path = bamboo.score(paths, SRC, metric=amr_metrics.SmatchPP(), **draws)
    assert by_path.to_frame().equals(report.to_frame())
    assert by_path.differences().equals(report.differences())
    assert report.to_frame().query("parser == 'poor' and score == 'f1'")["low"].notna().all()
    aspects = report.aspects_frame().set_index(["aspect", "parser"])
    assert aspects.loc[("concept", "poor"), "best"] == "good"
    assert aspects.loc[("concept", "poor"), "p_adjusted"] >= aspects.loc[("concept", "poor"), "p"]
    assert np.isnan(aspects.loc[("concept", "good"), "p"])
    assert "Aspects" in repr(report)
    assert report._repr_html_().count("<table>") == 2


def test_one_parser_with_intervals():
    report = bamboo.score({"only": [CAT, BARK]}, [DOG, BARK], ci=True, resamples=20)
    assert report.to_frame()["low"].notna().all()
    assert len(report.differences()) == 0
    assert report["only"].score == report.score


def test_the_views_of_several_metrics():
    scores = bamboo.score(CAT, DOG, ["smatch", amr_metrics.Wlk()])
    assert {name: scores[name].score for name in scores} == {
        "smatch": bamboo.score(CAT, DOG, "smatch").score,
        "wlk": bamboo.score(CAT, DOG, "wlk").score,
    }
    assert list(bamboo.score(CAT, DOG, "smatch,wlk")) == ["smatch", "wlk"]
    assert list(bamboo.score(CAT, DOG, "wlk", options={"K": [0, 1]})) == ["wlk K=0", "wlk K=1"]


def test_a_pair_is_explained_as_by_the_command(cli):
    expected = cli("explain", "data=sample", "pair=3", "report=json").json
    explained = bamboo.explain(data="sample", pair=3)
    assert json.loads(json.dumps(explained.to_json())) == expected
    assert explained.score == expected["score"]
    by_metric = bamboo.explain(data="sample", pair=3, metric=amr_metrics.Smatch())
    assert by_metric.to_json() == explained.to_json()
    files = SRC, TGT
    assert bamboo.explain(*files, metric="smatch", pair=3).to_json() == explained.to_json()
    words = [f"src={files[0]}", f"tgt={files[1]}", "pair=3", "report=json"]
    by_default = bamboo.explain(*files, pair=3).to_json()
    assert json.loads(json.dumps(by_default)) == cli("explain", *words).json
    assert by_default["signature"] == amr_metrics.get("smatch_1.0").signature
    graphs = [amr_metrics.read_graphs(file) for file in files]
    assert bamboo.explain(*graphs, pair=3).to_json() == by_default


def test_an_explanation_shows_itself_in_a_notebook():
    explained = bamboo.explain(HOSTILE, HOSTILE)
    html = explained._repr_html_()
    svg = b64decode(html.partition("base64,")[2].partition('"')[0]).decode()
    assert svg == explained.to_svg()
    assert "&lt;script&gt;" in svg
    for text in (html, svg, explained.explanation._repr_html_()):
        assert "<script" not in text
        assert "<img src=x" not in text
    assert "score: 1.0000" in repr(explained)
    assert "instance(x, <script>alert(1)</script>)" in str(explained.explanation)
    assert repr(explained.explanation).startswith("<Explanation: score 1.0000; 1 links, proven")


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((CAT,), {}, ConfigError, "explain requires both src=FILE"),
        ((CAT, DOG), {"data": "sample"}, ConfigError, "or leave out the files"),
        ((CAT, DOG), {"pair": 1}, ConfigError, "pair=1: src against tgt has 0 to 0"),
        ((CAT, DOG), {"metric": "label_overlap"}, NoAlignmentError, "does not align nodes"),
        ((), {"data": "sample", "pair": 99}, ConfigError, "pair=99: sample main test has 0 to 63"),
    ],
)
def test_bad_explanations(arguments, options, error, message):
    with pytest.raises(error) as raised:
        bamboo.explain(*arguments, **options)
    assert message in str(raised.value)


def test_a_metric_of_the_users(user):
    assert (
        bamboo.score(CAT, DOG, "size", options={"factor": 2.0}, config_dir=user.path).score == 4.0
    )


def test_modules_of_the_same_name_in_two_folders(home):
    path, modules = [*sys.path], {*sys.modules}
    for folder, value in (("first", 0.25), ("second", 0.5), ("first", 0.25)):
        config = {
            "_target_": "amr_metrics.external.FunctionMetric",
            "function": "in_two_folders.overlap",
        }
        UserFolder(home / folder).yaml("metric/own.yaml", config)
        (home / folder / "in_two_folders.py").write_text(f"def overlap(a, b): return {value}\n")
        assert bamboo.score(CAT, DOG, "own", config_dir=home / folder).score == value
    assert sys.path == path
    assert "in_two_folders" not in {*sys.modules} - modules


def test_metrics_of_the_same_name_in_worker_processes(home, monkeypatch):
    metric = (
        "from dataclasses import dataclass\nimport numpy as np\n"
        "from amr_metrics.base import Metric, Scores\n\n\n"
        "@dataclass(frozen=True, kw_only=True)\nclass Own(Metric):\n"
        "    reference = ''\n\n    def evaluate(self, pairs):\n"
        "        return Scores(np.full(len(pairs), {value}))\n"
    )
    monkeypatch.setattr("bamboo.scoring.pipeline.SMALLER_CHUNK", 1)  # at least two calls
    for folder, value in (("first", 0.25), ("second", 0.5)):
        UserFolder(home / folder).yaml("metric/own.yaml", {"_target_": "of_workers.Own"})
        (home / folder / "of_workers.py").write_text(metric.format(value=value))
        options = {"config_dir": home / folder, "engine": "loky"}
        assert bamboo.score([CAT] * 3, [DOG] * 3, "own", **options).score == value
