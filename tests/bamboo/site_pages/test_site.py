"""The site's files: their safety, their content, and that they follow from what was scored."""

import json
import re

import numpy as np
import pytest
from extras import needs_wordllama, needs_wordnet
from harness import build_site, sample_pairs

from amr_metrics import Pair, Smatch, parse_graph
from amr_metrics.base import Metric, Scores
from amr_metrics.errors import PairError
from amr_metrics.explanation import Explanation, Link
from amr_metrics.external import FunctionMetric
from bamboo.config.rows import Row, list_properties
from bamboo.errors import ConfigError
from bamboo.explanation.outline import outline
from bamboo.pages import explorer as site_pairs
from bamboo.pages.charts import Point, ScoreBar, accuracy_cost, bars, strip
from bamboo.pages.explorer import (
    ShownPair,
    Words,
    build_outlines,
    explain_pairs,
    pack_pairs,
    round_to_units,
)
from bamboo.pages.folder import site_folder, unique_slug
from bamboo.site_pages.content import describe, list_titles
from tests.bamboo.page_data import data_of
from tests.configured import configured

# --- the folder ------------------------------------------------------------------------------


def test_files_of_other_programs_are_not_touched(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ConfigError, match="nothing was changed"), site_folder(tmp_path):
        pass
    with pytest.raises(ConfigError, match="cannot write"), site_folder(tmp_path / "thesis.tex"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def files_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_an_earlier_site_is_replaced_unless_there_is_an_error(tmp_path):
    out = tmp_path / "new" / "site"
    with site_folder(out) as folder:
        folder.write("a.html", "1")
        folder.write("data/old.js", "1")
    with pytest.raises(ConfigError, match="wrong"), site_folder(out):
        raise ConfigError("wrong")
    assert files_in(tmp_path) == {
        f"new/site/{n}" for n in (".bamboo-site", "a.html", "data/old.js")
    }
    with site_folder(out) as folder:
        folder.write("a.html", "2")
    assert files_in(out) == {".bamboo-site", "a.html"}
    assert (out / "a.html").read_text() == "2"


def test_files_stay_in_the_folder(tmp_path):
    with site_folder(tmp_path / "site") as folder:
        for name in ("../a.js", "data/cells/../../../a.js", "/a.js"):
            with pytest.raises(ConfigError, match="rename the data set or partition"):
                folder.write(name, "")
    assert not list(tmp_path.rglob("a.js"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "out=... is required: see site --help"),
        (["out=full"], "nothing was changed"),
        (["out=a", "tables=maybe"], "Use one of: auto, off"),
    ],
)
def test_the_command_refuses_what_it_cannot_do(refused, home, arguments, message):
    (home / "full").mkdir()
    (home / "full" / "mine").write_text("")
    assert message in refused("site", "data=sample", "partition=main", *arguments)


# --- what is in the files --------------------------------------------------------------------


def test_cells_hold_what_was_scored(sample_site):
    cell = data_of(sample_site, "cells/sample-main")
    scores = Smatch().score(sample_pairs())
    assert cell["scores"]["smatch"] == [round(v) for v in np.round(scores * 1e4, 6)]
    assert cell["numbers"] == list(range(64))
    assert sorted(cell["aligned"]) == ["no_root", "smatch"]
    ranks = cell["ranks"]["smatch"]
    assert ranks[int(scores.argmax())] == 1
    for k in range(64):
        assert ranks[k] == 1 + int((scores > scores[k]).sum())


def test_metrics_have_the_names_that_readers_of_papers_know(tmp_path):
    options = ("metric=[smatch,smatch_1_0,wlk]", "metric.wlk.K=1", "partition=main", "resamples=20")
    site = build_site(tmp_path / "runs", tmp_path / "site", *options, "permutations=20")
    page = (site / "index.html").read_text("utf-8")
    shown = dict(re.findall('html" title="([^"]*)">([^<]*)</a>', page))
    named = {"smatch": "Smatch (BAMBOO)", "smatch_1.0": "Smatch", "wlk K=1": "WLK K=1"}
    assert {name: shown[name] for name in named} == named
    matrices = data_of(site, "significance")["protocols"]
    assert set(named.values()) <= {*matrices["paper"]["metrics"], *matrices["v0.2"]["metrics"]}
    page = (site / "metric/smatch_1.0.html").read_text("utf-8")
    assert "<h1>Smatch</h1>" in page
    assert "<dt>In commands</dt><dd><code>smatch_1.0</code></dd>" in page


def test_metrics_with_one_title_are_told_apart_by_their_names():
    smatch = Smatch()
    rows = [Row("a", smatch, title="Smatch"), Row("b root=x", smatch), Row("c", smatch)]
    assert list_titles(rows) == {"a": "Smatch", "b root=x": "b root=x", "c": "c"}
    rows[1:] = [Row("b", smatch, title="Smatch"), Row("c root=x", smatch, title="Smatch")]
    titles = {"a": "Smatch (a)", "b": "Smatch (b)", "c root=x": "Smatch root=x"}
    assert list_titles(rows) == titles


def test_metrics_are_ranked_by_the_mean_of_the_cells_shown(tmp_path):
    """With k = 1, SemBleu is better on Main (65.07, 46.06) and worse on Arg (15.38, 53.85)."""
    options = ("metric=sembleu", "metric.k=[1,3]", "partition=[main,arg]", "resamples=20")
    site = build_site(tmp_path / "runs", tmp_path / "site", *options)
    text = (site / "index.html").read_text("utf-8")
    board = re.search('<section class="board" id="board-v0-2".*?</section>', text, re.DOTALL)[0]
    heads = re.findall('<button type="button">(.*?)</button>', board)
    assert heads == ["Rank", "Metric", "mean of 2 cells", "Sample", "Sample", "pairs/s"]
    values = re.findall(r'</th>\s*<td data-v="[^"]*"[^>]*>([^<]*)</td>', board)
    assert values == ["49.95", "40.23"]
    assert "<dt>mean of 2 cells</dt>" in board
    assert "bootstrap interval of mean of 2 cells" in board
    # The page of significance opens on its last column.
    columns = data_of(site, "significance")["protocols"]["v0.2"]["columns"]
    assert [column["label"] for column in columns] == [
        *("Main Sample", "Arg Sample", "mean of 2 cells")
    ]


def test_graphs_and_alignments_are_those_of_explain(sample_site):
    chunk = data_of(sample_site, "graphs/sample-main-0")
    words = chunk["words"]
    for k, pair in enumerate(sample_pairs()):
        drawn = [chunk["outlines"][n] for n in chunk["pairs"][""][k]]
        assert chunk["pairs"]["smatch"][k] == chunk["pairs"][""][k]
        for graph, (flat, again) in zip(pair, drawn, strict=True):
            rows, edges = outline(graph)
            lines = np.reshape(flat, (-1, 3)).tolist()
            assert [(p, words[r], words[max(t, ~t)]) for p, r, t in lines] == [
                (row.parent, row.role, row.text) for row in rows
            ]
            assert len(again) == 3 * len(edges)
        rows = [outline(graph)[0] for graph in pair]
        links = np.reshape(chunk["links"]["smatch"][k], (-1, 4))
        named = {(rows[0][int(a)].node, rows[1][int(b)].node): weight for a, b, weight, _ in links}
        assert named == {(x.src, x.tgt): x.weight for x in Smatch().explain(pair).links}


def test_results_equal_those_of_run(sample_site, cli):
    row = cli("run", "metric=smatch", "data=sample", "ci=true", "report=json").json["rows"][0]
    shown_row = json.loads((sample_site / "data" / "result-paper.json").read_text())["rows"][0]
    for key in ("value", "interval", "n", "missing", "published", "statistic"):
        assert shown_row["cells"][0][key] == row["cells"][0][key]


LINKED = r"doi\.org|aclanthology\.org|arxiv\.org|openreview\.net|github\.com"


def test_pages_link_only_to_publications_and_their_code(sample_site):
    pages = list(sample_site.rglob("*.html"))
    assert len(pages) > 5
    for path in pages:
        text = path.read_text("utf-8")
        assert not re.findall(rf'(?:src|href)="(?:https?:)?//(?!{LINKED})', text)
    index = (sample_site / "index.html").read_text("utf-8")
    link = '<a class="badge" href="https://github.com/snowblink14/smatch" title="code"'
    assert link in index


def test_numbers_are_rounded_as_python_rounds():
    values = np.array([0.5, 0.00005, 2 / 3, -0.25, 12.34567, np.nan])
    assert round_to_units(values) == [5000, 1, 6667, -2500, 123457, None]


def test_a_metric_without_a_value_has_dashes(user, home):
    user.metric("flat", "Constant")
    out = build_site(home / "runs", home / "out", "metric=[flat,smatch]", user.option)
    text = (out / "metric" / "flat.html").read_text("utf-8")
    assert "no value" in text
    assert not re.search(r"\bnan\b", text)
    result = json.loads(
        (out / "data" / "result-paper.json").read_text(), parse_constant=pytest.fail
    )
    assert result["rows"][0]["cells"][0]["value"] is None
    assert data_of(out, "significance")["protocols"]["paper"]["columns"][0]["order"] == [1]


# --- alignments ------------------------------------------------------------------------------

PAIR = Pair(
    parse_graph("(s / see-01 :ARG0 (b / boy) :quant 2)"),
    parse_graph("(s / see-01 :ARG0 (g / girl) :quant 2)"),
)


class Halves(Metric):
    """The same score for all."""

    def evaluate(self, pairs):
        return Scores(np.full(len(pairs), 0.5))


class Flows(Halves):
    """n:m links, to constants too, and one to an edge, which has no line."""

    def explain(self, pair):
        links = (("s", "s", 0.5, 0), ("s", "g", 0.25, 1.25), ("2", "2", 1, 0), ("e", "s", 1, 0))
        return Explanation(0.5, tuple(Link(*link) for link in links))


class Failing(Halves):
    def explain(self, pair):
        raise PairError("too hard")


def explain(metric, pairs, on_error="stop", numbers=None):
    """The pairs as a metric explains them, and whether it aligns nodes."""
    outlines = [build_outlines(pair) for pair in pairs]
    return explain_pairs(metric, pairs, outlines, on_error, numbers or range(len(pairs)))


def test_flows_go_between_lines():
    explained, is_aligned = explain(Flows(), [PAIR, None, PAIR])
    links = [(0, 0, 0.5, 0), (0, 2, 0.25, 1.25), (1, 1, 1, 0)]
    assert is_aligned
    assert [[*pair.links] for pair in explained] == [links, [], links]
    assert explained[1].outlines is None


def test_weights_of_links_are_rounded_but_not_their_lines():
    pair = ShownPair(None, [(1234, 5678, 0.12345, 0.0)])
    content = pack_pairs({"a": [pair]}, Words())
    assert content["links"] == {"a": [[1234, 5678, 0.123, 0]]}


def test_systems_share_outlines():
    second = Pair(PAIR.src, parse_graph("(s / see-01)"))
    pairs = {"a": [PAIR, None], "b": [second, PAIR]}
    shown_pairs = {
        name: [ShownPair(build_outlines(pair)) for pair in of_system]
        for name, of_system in pairs.items()
    }
    content = pack_pairs(shown_pairs, Words())
    assert content["pairs"] == {"a": [[0, 1], None], "b": [[0, 2], [0, 1]]}
    assert len(content["outlines"]) == 3


def test_constants_are_told_from_nodes():
    words = Words()
    graph = parse_graph('(s / see-01 :quant 2 :op1 "s / see-01")')
    content = pack_pairs({"a": [ShownPair(build_outlines(Pair(graph, graph)))]}, words)
    lines = content["outlines"][0][0]
    texts = words.texts()
    labels = [(text >= 0, texts[max(text, ~text)]) for text in lines[2::3]]
    assert labels == [(True, "s / see-01"), (False, "2"), (False, '"s / see-01"')]


def test_a_metric_without_alignments_has_none():
    explained, is_aligned = explain(FunctionMetric(function=lambda a, b: 1.0), [PAIR])
    assert explained == [ShownPair(build_outlines(PAIR))]
    assert not is_aligned


def test_pairs_that_cannot_be_explained():
    with pytest.raises(PairError):
        explain(Failing(), [PAIR])
    assert explain(Failing(), [PAIR], "nan") == ([ShownPair(build_outlines(PAIR))], True)


class Picky(Halves):
    """Explains no pair of graphs with one node, and counts from 0 in each call."""

    def explain(self, pair):
        if len(pair.src.variables) == 1:
            raise PairError("too small", pair=0)
        return Explanation(0.5, ())


def test_an_error_has_the_number_of_the_pair(monkeypatch):
    monkeypatch.setattr(site_pairs, "EXPLAINED", 2)
    small = Pair(parse_graph("(c / cat)"), parse_graph("(d / dog)"))
    pairs = [PAIR, None, PAIR, PAIR, small]
    for numbers, number in ((None, 4), ([*range(100, 105)], 104)):
        with pytest.raises(PairError, match=f"^pair {number}: too small"):
            explain(Picky(), pairs, numbers=numbers)


def test_an_error_of_the_command_names_metric_cell_and_pair(refused, user):
    (user.path / "sitepicky.py").write_text(
        "from amr_metrics import Smatch\nfrom amr_metrics.errors import PairError\n"
        "class Picky(Smatch):\n"
        "    def explanations(self, views):\n"
        "        raise PairError('no alignment', pair=len(views) - 1)\n"
    )
    user.yaml("metric/picky.yaml", {"_target_": "sitepicky.Picky"})
    options = ("data=sample", "engine=serial", "permutations=99", "out=out", user.option)
    error = refused("site", "metric=picky", *options)
    assert error == "picky on sample main test: pair 63: no alignment"


# --- words and charts ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("wwlk_theta", "wwlk_theta"),
        ("smatch_1.0", "smatch_1.0"),
        ("smatch root=none", "smatch-root-none"),
        ("../a", "a"),
        ("__proto__", "proto"),
    ],
)
def test_a_metric_has_its_name_in_addresses(name, address):
    taken = set()
    assert [unique_slug(name, taken), unique_slug(name, taken)] == [address, f"{address}-2"]


def test_definitions_come_from_docstrings():
    def mine(a, b):
        """Mine. It counts `x`.

        More.

        Args:
            a: no.
        """
        return 1.0

    row = Row("mine", FunctionMetric(function=mine))
    assert (describe(row.metric), row.source.text) == (("Mine. It counts x.", "More."), "")
    mine.reference = "Someone (2020), A title, section 3"
    assert row.source.text == "Someone (2020), A title, section 3"
    assert describe(FunctionMetric(function=lambda a, b: 1.0)) == ()


def test_charts_accept_unusual_values():
    odd = [
        ScoreBar("Arg", "STS", None, None, None, 3.0),
        ScoreBar("Arg", "<b>", -4.0, -9.0, 2.0, None),
    ]
    text = bars(odd, "title")
    assert "no value" in text
    assert "&lt;b&gt;" in text
    assert "NaN" not in text
    assert strip(float("nan"), 0.0, 1.0, 0.0, 1.0) == ""
    assert accuracy_cost([], "amean") == ""
    chart = accuracy_cost([Point("<i>", "a.html", 100.0, 5.0, 5.0, 5.0)], "amean")
    assert "&lt;i&gt;" in chart
    assert "nan" not in chart


def test_a_metric_page_names_sources_and_other_published_values(cli, home, mirror):
    options = ("metric=wlk", "data=sts", "partition=arg", "resamples=20", "permutations=20")
    assert cli("site", *options, "out=site", "engine=serial").status == 0
    out = home / "site"
    page = (out / "metric" / "wlk.html").read_text("utf-8")
    assert "<td>released</td>" in page
    assert "<td>45.89</td>" in page
    # The leaderboard's WLK is another metric, and only on its board.
    boards = {"paper": ["wlk"], "v0.2": ["wlk variant=2023"]}
    for protocol, metrics in boards.items():
        document = json.loads((out / "data" / f"result-{protocol}.json").read_text("utf-8"))
        assert [row["metric"] for row in document["rows"]] == metrics
        assert document["rows"][0]["cells"][0]["published"] is not None


def test_the_same_command_writes_the_same_bytes(tmp_path):
    draws = ("permutations=20", "resamples=20")
    sites = [
        build_site(tmp_path / "runs", tmp_path / name, "metric=smatch", *draws) for name in "ab"
    ]
    files = [sorted(path.relative_to(out) for path in out.rglob("*.*")) for out in sites]
    assert files[0] == files[1]
    for name in files[0]:
        assert (sites[0] / name).read_bytes() == (sites[1] / name).read_bytes()


def test_sources_have_a_link(sites):
    page = (sites[0] / "metric" / "smatch.html").read_text("utf-8")
    assert 'section 3, <a href="https://aclanthology.org/P13-2131"' in page


@needs_wordllama
@needs_wordnet
def test_properties_depend_on_weights_and_options():
    (blend,) = configured("run", ["metric=blend", "data=sample"]).rows
    assert "trained" in list_properties(blend, blend.metric)
    (sembleu,) = configured(
        "run", ["metric=sembleu", "metric.sembleu.symmetric=true", "data=sample"]
    ).rows
    assert list_properties(sembleu, sembleu.on("sample")) == ("symmetric",)
