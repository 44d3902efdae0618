"""The report on parsers: its data are the scores of `score`, and what it does with bad input."""

import csv
import io
import json
import os
import re
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import amr_metrics
import bamboo
from amr_metrics import format_graphs, read_graphs
from amr_metrics.base import Metric, Scores
from bamboo.app.main import main
from bamboo.display.points import points
from bamboo.errors import ConfigError
from bamboo.explanation.mistakes import mistakes
from bamboo.parsers.report.sentences import KINDS
from tests.bamboo.page_data import data_of

CAT = "(s / sleep-01 :ARG0 (c / cat))"
DOG = "(s / sleep-01 :ARG0 (d / dog))"


def files(folder, *names):
    return [str(folder / f"{name}.amr") for name in names]


def in_units(values):
    return [round(1e4 * value) for value in values]


@pytest.fixture(scope="module")
def scores(parser_files, capfd_json):
    words = [*files(parser_files, "good", "poor", "gold"), "resamples=200", "ci=true"]
    words.append("errors=true")
    return capfd_json("score", *words, "aspects=all", "aspects_definition=amrlib")


@pytest.fixture(scope="module")
def capfd_json():
    """Run a command and return what it prints as JSON."""
    import contextlib
    import io

    def run(*words):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            assert main([*words, "report=json"]) == 0
        return json.loads(output.getvalue())

    return run


def test_the_data_are_the_scores_of_the_command(sample_report, scores):
    document = json.loads((sample_report / "data" / "report.json").read_text("utf-8"))
    assert document["signature"] == scores["signature"]
    assert document["comparisons"] == scores["comparisons"]
    for parser, expected in zip(document["parsers"], scores["parsers"], strict=True):
        assert parser == {name: value for name, value in expected.items() if name != "pairs"}
        data = data_of(sample_report, f"scores/{parser['parser']}")
        assert data["scores"] == in_units(expected["scores"])
        sides = [[pair[side] for pair in expected["pairs"]] for side in ("precision", "recall")]
        assert data["sides"] == [in_units(side) for side in sides]
    sentences = data_of(sample_report, "sentences")
    assert sentences["names"] == [f"doc.{k}" for k in range(40)]


def test_sentences_have_the_mistakes_of_each_parser(sample_report, parser_files):
    """As counts, and as lines: a mark or a line of the parse's own for each mistake."""
    gold = read_graphs(parser_files / "gold.amr")
    chunk = data_of(sample_report, "graphs/0")
    for parser in ("good", "poor"):
        parses = read_graphs(parser_files / f"{parser}.amr")
        explained = amr_metrics.get("smatch_1.0").explanations(amr_metrics.pair_up(parses, gold))
        counts = data_of(sample_report, f"mistakes/{parser}")
        for k, explanation in enumerate(explained):
            kinds = Counter(
                (mistake.construction, mistake.direction) for mistake in mistakes(explanation)
            )
            flat = counts[k]
            assert {KINDS[n]: c for n, c in zip(flat[::2], flat[1::2], strict=True)} == kinds
            differences = chunk["differences"][parser][k]
            marks = zip(*[iter(differences["marks"])] * 4, strict=True)
            lines = Counter(KINDS[kind] for _, sign, kind, _ in marks if sign != 2)
            lines += Counter(KINDS[kind] for kind in differences["own"][2::4])
            assert lines == kinds


def test_costs_add_up_to_what_is_missing(sample_report, scores):
    for parser in scores["parsers"]:
        costs = data_of(sample_report, f"scores/{parser['parser']}")["cost"]
        assert 1e-8 * sum(costs) == pytest.approx(1 - parser["corpus"]["f1"], abs=1e-6)


def test_the_same_command_writes_the_same_bytes(sample_report, parser_files):
    def contents():
        paths = sorted(path for path in sample_report.rglob("*") if path.is_file())
        return {path.name: path.read_bytes() for path in paths}

    written = contents()
    words = [*files(parser_files, "good", "poor", "gold"), "report=html", f"out={sample_report}"]
    assert main(["score", *words, "resamples=200"]) == 0
    assert contents() == written


def test_the_report_names_its_signature_and_command(sample_report, scores):
    page = (sample_report / "index.html").read_text("utf-8")
    assert scores["signature"] in page
    assert "python -m bamboo score " in page
    assert "out=report</code>" in page


def test_functions_write_the_same_pages(sample_report, parser_files, tmp_path):
    paths = files(parser_files, "good", "poor", "gold")
    bamboo.score(paths[:2], paths[2], resamples=200, pages=tmp_path / "both")
    for name in ("sentences.js", "scores/good.js", "mistakes/poor.js", "graphs/0.js"):
        of_both, of_sample = (
            folder / "data" / name for folder in (tmp_path / "both", sample_report)
        )
        assert of_both.read_bytes() == of_sample.read_bytes()


def test_one_sentence_of_one_parser_in_memory(tmp_path):
    for _ in range(2):  # a report replaces an earlier one
        bamboo.score(CAT, DOG, pages=tmp_path / "out")
    assert data_of(tmp_path / "out", "scores/src")["scores"] == [7500]
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert "1 sentence ·" in page
    assert "The graphs have no sentences" in page
    assert "Differences" not in page
    assert "python -m bamboo" not in page


def test_equal_parsers_are_best_together(tmp_path):
    """On the page of scores: no difference from the best, and both values in bold."""
    gold = ["(s / sleep-01 :ARG0 (c / cat) :polarity -)"] * 10
    wrong = [text.replace("cat", "dog") for text in gold]
    first, last = [*wrong[:1], *gold[1:]], [*gold[:-1], *wrong[:1]]
    for name, parsers in (("ab", {"a": first, "b": last}), ("ba", {"b": last, "a": first})):
        pages = tmp_path / name
        bamboo.score(parsers, gold, permutations=20, resamples=20, pages=pages)
        text = (pages / "index.html").read_text("utf-8")
        ranking, costs, aspects = (
            text.partition(f'aria-label="{label}"')[2].partition("</table>")[0]
            for label in ("Ranking", "What costs points", "F1, easiest first")
        )
        assert ranking.count('<td class="big"><b>98.0</b></td>') == 2
        assert ranking.count('<td>–</td><td class="wide-only soft text"></td>') == 2
        assert costs.count("<td><b>2.0</b></td>") == 2
        assert aspects.count("<td><b>") == 2 * aspects.count('<td class="soft wide-only">')


@pytest.mark.parametrize("count", [5, 6])
def test_of_many_parsers_the_best_two_have_colours_and_columns(tmp_path, count):
    """Parsers that are not ranked do not count: the last one is a copy of gold."""
    gold = ["(s / sleep-01 :ARG0 (c / cat) :polarity -)"] * count
    parsers = {
        name: [text.replace("cat", "dog") for text in gold[:k]] + gold[k:]
        for k, name in zip(range(count, -1, -1), "abcdefg", strict=False)
    }
    bamboo.score(parsers, gold, permutations=20, resamples=20, pages=tmp_path)
    text = (tmp_path / "index.html").read_text("utf-8")
    tables = (
        text.partition(f'aria-label="{label}"')[2].partition("</table>")[0]
        for label in ("Ranking", "F1, easiest first")
    )
    ranking, columns = (re.findall(r'class="who (k.)">(.)<', table) for table in tables)
    best_first = "edcba" if count == 5 else "fedcba"
    colours = ["k4", "k3", "k2", "k1", "k0"] if count == 5 else ["k0", "k1", *["kx"] * 4]
    assert ranking == [*zip(colours, best_first, strict=True)]
    assert columns == (ranking if count == 5 else ranking[:2])


def test_a_metric_without_triples(tmp_path):
    report, metric = tmp_path / "out", "sema"
    bamboo.score([CAT, DOG], [CAT, CAT], metric, pages=report)
    assert data_of(report, "graphs/0")["links"] == {}
    assert not (report / "errors.html").exists()
    assert "are shown without an alignment" in (report / "sentences.html").read_text("utf-8")
    assert f"{metric} has no scores of aspects" in (report / "index.html").read_text("utf-8")


@pytest.mark.parametrize("metric", ["sembleu", "wlk", "smatch"])
def test_the_report_of_one_parser_speaks_of_no_difference(tmp_path, metric):
    """Numbers are scores of sentences, and with counts of triples also what a sentence costs."""
    first, second = tmp_path / "one", tmp_path / "two"
    bamboo.score([CAT, DOG], [CAT, CAT], metric, pages=first)
    bamboo.score({"a": [CAT, DOG], "b": [DOG, DOG]}, [CAT, CAT], metric, pages=second)
    pages = [(folder / "index.html").read_text("utf-8") for folder in (first, second)]
    assert ["that the sentence adds to the difference" in page for page in pages] == [
        False,
        metric != "sembleu",
    ]
    assert ["the difference of the mean scores" in page for page in pages] == [
        False,
        metric == "sembleu",
    ]
    assert ("Number: the score of the sentence." in pages[0]) == (metric != "smatch")
    assert ("Costs: what the sentence takes" in pages[0]) == (metric == "smatch")
    assert ("Costs most points" in pages[0]) == (metric == "smatch")


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
@pytest.mark.parametrize(
    ("on_error", "broken"),
    [("nan", "(c / cat"), ("zero", "(c / cat"), ("zero", "(c / cat\ud83d)")],
)
def test_parses_that_cannot_be_read(tmp_path, on_error, broken):
    report = tmp_path / "out"
    bamboo.score([CAT, broken, CAT], [CAT, DOG, DOG], on_error=on_error, pages=report)
    data = data_of(report, "scores/src")
    assert data["scores"] == [10000, None if on_error == "nan" else 0, 7500]
    assert "graph 1" in data["problems"]["1"]
    pairs = data_of(report, "graphs/0")["pairs"]["src"]
    assert [pair is None for pair in pairs] == [False, on_error == "nan", False]


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_sentences_that_a_parser_lacks(tmp_path):
    """Gold has 4, 4 and 6 triples; on the first and the last one, both lose 2 of 20."""
    gold = [CAT, CAT, f"{CAT[:-1]} :time (n / now))"]
    wrong = gold[2].replace("cat", "dog")
    parsers = {"bad": [CAT, CAT[:-1], wrong], "good": [CAT, CAT, wrong]}
    for names in (["bad", "good"], ["good", "bad"]):
        pages = tmp_path / names[0]
        in_order = {name: parsers[name] for name in names}
        options = {"on_error": "nan", "resamples": 20, "permutations": 20, "errors": True}
        bamboo.score(in_order, gold, pages=pages, **options)
        assert data_of(pages, "sentences")["gold"] == [4, 4, 6]
        for name in names:
            assert data_of(pages, f"scores/{name}")["cost"] == [0, 0, 10_000_000]
        scores, errors = ((pages / f"{p}.html").read_text("utf-8") for p in ("index", "errors"))
        assert "<dd>14 in gold</dd>" in scores
        assert "Mistakes on 14 gold triples: " in errors
        assert "good better than bad" not in scores
        for page in (scores, errors):
            assert "bad: 1 of 3 pairs is missing and left out of every score (" in page
            assert " are compared on the 2 pairs for which both have a score" in page


def test_a_parser_with_fewer_graphs(parser_files, tmp_path, capsys):
    few = tmp_path / "few.amr"
    few.write_text(format_graphs(read_graphs(parser_files / "good.amr")[:30]), "utf-8")
    changed = tmp_path / "other.amr"
    graphs = read_graphs(parser_files / "good.amr")
    renamed = [replace(g, metadata={"id": f"x{k}"}) for k, g in enumerate(graphs)]
    changed.write_text(format_graphs(renamed), "utf-8")
    empty = tmp_path / "empty.amr"
    empty.write_text("")
    for path, message in (
        (few, "few.amr has 30 graphs but"),
        (changed, "has ::id x0 but"),
        (empty, "empty.amr: "),
    ):
        words = [str(path), *files(parser_files, "gold"), "report=html"]
        assert main(["score", *words, f"out={tmp_path / 'out'}"]) == 1
        assert message in capsys.readouterr().err
        assert not (tmp_path / "out").exists()
    words = [str(few), *files(parser_files, "poor", "gold"), "ids=match", "on_error=zero"]
    words += ["resamples=20", "permutations=20"]
    assert main(["score", *words, "report=html", f"out={tmp_path / 'out'}"]) == 0
    assert data_of(tmp_path / "out", "scores/few")["scores"][30:] == [0] * 10


def test_names_of_files(tmp_path):
    """Characters that turn the direction of a text, line breaks and bytes that are not UTF-8."""
    names = {"rev\u202eersed": r"rev\u202eersed", "two\nlines": r"two\u000alines"}
    names |= {os.fsdecode(b"bytes\xff"): r"bytes\udcff"}
    files = {name: tmp_path / f"{name}.amr" for name in (*names, "gold\u202e")}
    for path in files.values():
        path.write_text(f"{CAT}\n\n{DOG}\n")
    report = tmp_path / "out"
    bamboo.score([files[name] for name in names], files["gold\u202e"], pages=report)
    assert data_of(report, "sentences")["names"] == ["0", "1"]
    document = json.loads((report / "data" / "report.json").read_text("utf-8"))
    assert [parser["parser"] for parser in document["parsers"]] == [*names.values()]
    for page in report.glob("*.html"):
        text = page.read_text("utf-8")
        assert "\u202e" not in text
        assert all(name in text for name in names.values())
        assert r"gold\u202e.amr" in text


def test_per_pair_of_a_file_whose_name_is_not_utf_8(tmp_path):
    parser, gold = tmp_path / os.fsdecode(b"bytes\xff.amr"), tmp_path / "gold.amr"
    parser.write_text(f"{CAT}\n\n{DOG[:-1]}\n")
    gold.write_text(f"{CAT}\n\n{DOG}\n")
    table = tmp_path / "pairs.csv"
    assert main(["score", str(parser), str(gold), "on_error=zero", f"per_pair={table}"]) == 0
    rows = [*csv.DictReader(table.read_text("utf-8").splitlines())]
    assert [row["parser"] for row in rows] == [r"bytes\udcff"] * 2
    assert r"bytes\udcff.amr, graph 1, line 3: " in rows[1]["problem"]


def test_names_in_python_have_no_control_characters():
    with pytest.raises(ConfigError, match=r"src: the name 'a\\u202eb' contains control characters"):
        bamboo.score({"a\u202eb": [CAT], "c": [CAT]}, [CAT])


def test_a_note_says_what_pages_do_not_show(parser_files, cli, tmp_path):
    words = [*files(parser_files, "good", "poor", "gold"), "report=html", "limit=3", "by=size"]
    words += ["resamples=20", "permutations=20"]
    shown = cli("score", *words, f"out={tmp_path / 'a'}", "aspects=all")
    assert "the pages do not show" not in shown.err
    left_out = cli("score", *words, f"out={tmp_path / 'b'}", "worst=2", "exact=true")
    assert "the pages do not show exact, worst: report=table does\n" in left_out.err
    assert left_out.out == f"{tmp_path / 'b'}/index.html\n"


def test_a_folder_with_other_files(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="not written by `report=html`; nothing was changed"):
        bamboo.score(CAT, DOG, pages=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / ".bamboo-site").touch()
    with pytest.raises(ConfigError, match="not written by `report=html`"):
        bamboo.score(CAT, DOG, pages=tmp_path / "site")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["report=html"], "report=html requires out=FOLDER"),
        (["out=x"], "out=x is the folder of a report: also set report=html"),
        (["report=html", "out=x", "metric=[smatch,sema]"], "choose one with metric=NAME"),
    ],
)
def test_options(parser_files, capsys, words, message):
    assert main(["score", *files(parser_files, "good", "gold"), *words]) == 1
    assert message in capsys.readouterr().err


def contents_of(report):
    """Return the content of each data file of a report."""
    paths = sorted((report / "data").rglob("*.js"))
    return {path.relative_to(report): path.read_bytes() for path in paths}


def test_standard_input_is_read_once(tmp_path, monkeypatch):
    """A parser that is read from standard input or a pipe has the data of its file."""
    (tmp_path / "files").mkdir()
    good, gold = files(tmp_path / "files", "good", "gold")
    content = f"# ::snt A dog sleeps.\n{DOG}\n\n{CAT}\n".encode()
    Path(good).write_bytes(content)
    Path(gold).write_text(f"# ::snt A dog sleeps.\n{CAT}\n\n{CAT}\n")
    few = ["report=html", "resamples=20"]
    assert main(["score", good, gold, *few, f"out={tmp_path / 'file'}"]) == 0
    os.mkfifo(tmp_path / "good.amr")
    copy = threading.Thread(target=(tmp_path / "good.amr").write_bytes, args=(content,))
    copy.start()
    words = [str(tmp_path / "good.amr"), gold, *few, f"out={tmp_path / 'pipe'}"]
    assert main(["score", *words]) == 0
    copy.join()
    assert contents_of(tmp_path / "pipe") == contents_of(tmp_path / "file")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert main(["score", "-", gold, *few, f"out={tmp_path / 'input'}"]) == 0
    graphs = [data_of(tmp_path / name, "graphs/0") for name in ("input", "file")]
    assert graphs[0]["words"] == graphs[1]["words"]
    assert graphs[0]["links"]["stdin"] == graphs[1]["links"]["good"]


@pytest.mark.filterwarnings("ignore:.*pairs are missing")
def test_pages_do_not_depend_on_how_many_pairs_are_scored_at_a_time(tmp_path, monkeypatch):
    """Files of graphs have as many pairs each, with every parser; the first parser lacks some."""
    gold = [f"(s{k} / sleep-01 :ARG0 (c / cat-{k % 7}))" for k in range(20)]
    first = [g.replace("cat-3", "dog") if k % 6 else "(broken" for k, g in enumerate(gold)]
    second = [f"{g[:-1]} :ARG0 (n / noon))" for g in gold]
    for module in ("sentences", "sentence_list"):
        monkeypatch.setattr(f"bamboo.parsers.report.{module}.CHUNK", 8)
    options = {"on_error": "nan", "permutations": 10, "resamples": 10}

    def write(name):
        bamboo.score({"a": first, "b": second}, gold, pages=tmp_path / name, **options)
        return tmp_path / name

    pages = write("pages")
    chunks = [data_of(pages, f"graphs/{k}") for k in range(3)]
    sizes = [[len(chunk["pairs"][parser]) for parser in "ab"] for chunk in chunks]
    assert sizes == [[8, 8], [8, 8], [4, 4]]
    assert [k for k in range(8) if chunks[0]["pairs"]["a"][k] is None] == [0, 6]
    assert None not in chunks[0]["pairs"]["b"]
    concepts = data_of(pages, "text/0")["concepts"]
    assert concepts[0] == "sleep-01 cat-0 noon"
    assert data_of(pages, "sentences")["sizes"] == [2] * 20
    for size in (3, 8):
        monkeypatch.setattr("bamboo.parsers.score.Pace.size", lambda self, size=size: size)
        assert contents_of(write(f"pages of {size}")) == contents_of(pages)


def test_metrics_of_ones_own(tmp_path):
    class Half(Metric):
        def evaluate(self, pairs):
            return Scores(np.full(len(pairs), 0.5))

    paths = [tmp_path / name for name in ("a.amr", "gold.amr")]
    for path in paths:
        path.write_text(f"{CAT}\n\n{DOG}\n")
    report = tmp_path / "out"
    bamboo.score(*paths, Half(), pages=report)
    assert data_of(report, "scores/a")["scores"] == [5000, 5000]
    assert "python -m bamboo" not in (report / "index.html").read_text("utf-8")


def test_buckets_have_a_section(tmp_path):
    for name, graphs in (("a", (CAT, CAT)), ("gold", (CAT, DOG))):
        text = "\n\n".join(
            f"# ::id {k} ::genre {'<x> & y' if k else 'news'}\n{graph}"
            for k, graph in enumerate(graphs)
        )
        (tmp_path / f"{name}.amr").write_text(text + "\n")
    files = tmp_path / "a.amr", tmp_path / "gold.amr"
    bamboo.score(*files, pages=tmp_path / "out", by="genre", resamples=10)
    page = (tmp_path / "out/index.html").read_text("utf-8")
    assert "<h2>By genre</h2>" in page
    assert '<a href="sentences.html#bucket=%3Cx%3E+%26+y">&lt;x&gt; &amp; y</a>' in page
    assert data_of(tmp_path / "out", "sentences")["buckets"] == ["news", "<x> & y"]
    bamboo.score(*files, pages=tmp_path / "sizes", by="size", resamples=10)
    assert "<h2>By size</h2>" not in (tmp_path / "sizes/index.html").read_text("utf-8")
    assert data_of(tmp_path / "sizes", "sentences")["buckets"] == []


def list_bold(page, caption):
    """Return the texts in bold in the rows of a table, without the labels of axes."""
    table = page.split(f'aria-label="{caption}"')[1].split("</table>")[0].split("<tbody")[1]
    return re.findall(r"<b>(.*?)</b>", table)


def test_bold_is_best(sample_report, scores):
    """The parser good is best everywhere: what mistakes cost is lowest for it."""
    page = (sample_report / "index.html").read_text("utf-8")
    best, second = scores["parsers"]
    assert (best["parser"], second["parser"]) == ("good", "poor")
    assert list_bold(page, "Ranking") == [points(best["corpus"]["f1"])]
    assert len(list_bold(page, "Distribution over sentences")) == 1
    gains = [
        points(min(cost["gain"] for cost in costs))
        for costs in zip(best["errors"], second["errors"], strict=True)
    ]
    assert list_bold(page, "What costs points") == gains[:8]
    page = (sample_report / "errors.html").read_text("utf-8")
    rate = min(sum(cost["rate"] for cost in parser["errors"]) for parser in scores["parsers"])
    assert list_bold(page, "All mistakes") == [f"{rate:.1f}"]


def test_dots_are_hollow_on_aspects_on_which_a_parser_is_significantly_worse(sample_report, scores):
    page = (sample_report / "index.html").read_text("utf-8")
    table = page.split('aria-label="F1, easiest first"')[1].split("</table>")[0]
    lines = {name: line for line in table.split("<tr") for name in re.findall(r">(\S+)</a>", line)}
    drawn = [a for a in scores["parsers"][1]["aspects"] if 'class="pt' in lines[a["aspect"]]]
    assert len(drawn) == 8
    for aspect in drawn:
        is_worse = aspect["versus_best"]["p_adjusted"] < 0.05
        assert ("k1 hollow" in lines[aspect["aspect"]]) == is_worse
        assert "k0 hollow" not in lines[aspect["aspect"]]


def test_of_a_single_parser_nothing_is_best(tmp_path):
    bamboo.score([CAT, DOG, DOG], [CAT] * 3, pages=tmp_path / "out")
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    for caption in ("Ranking", "Distribution over sentences", "What costs points"):
        assert list_bold(page, caption) == []
    # Of three of four triples, and without the sentence of 100.
    (bar,) = re.findall(r'height="38.0"><title>(.*?)</title>', page)
    assert bar == "75–80: 2 sentences"
    assert page.count("</title></rect>") == 1
