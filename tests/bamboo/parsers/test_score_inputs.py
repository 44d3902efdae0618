"""score: what files can be, which graphs are paired, several metrics, and memory."""

import bz2
import csv
import gzip
import io
import re
import threading
import tracemalloc
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from harness import amr, build_sources

import bamboo
from amr_metrics import Smatch, SmatchPP, get, read_graphs
from amr_metrics.external import FunctionMetric
from amr_metrics.features.sema import Sema
from amr_metrics.reading import scanner
from bamboo.engines import Processes
from bamboo.errors import ConfigError, DataError
from bamboo.installation import resource
from bamboo.parsers import score as scoring
from bamboo.parsers.analyses.worst import Worst
from bamboo.parsers.score import score_sides
from bamboo.scoring.chunks import Reading
from bamboo.scoring.per_pair import per_pair_file
from bamboo.scoring.pipeline import Scorers

SAMPLE = resource("data") / "sample" / "main"


@pytest.fixture
def files(home):
    """The files a.amr and b.amr: the sample without the ids of its first side."""
    a = b"\n\n".join((SAMPLE / "src.test.amr").read_bytes().split(b"\n\n")[:30])
    b = b"\n\n".join((SAMPLE / "tgt.test.amr").read_bytes().split(b"\n\n")[:30])
    (home / "a.amr").write_bytes(a)
    (home / "b.amr").write_bytes(b)
    return a, b


def small_chunks(monkeypatch, size):
    monkeypatch.setattr(scoring, "chunk_size", lambda engine: size)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("ci=true", "resamples=20", "worst=5", "per_pair=all.csv"),
        ("metric=smatchpp", "aspects=[ner,srl,negation]", "worst=3"),
        ("metric=[smatch,wlk]", "per_pair=all.csv"),
        ("pairs=all", "limit=70", "per_pair=all.csv"),
        ("on_error=zero", "per_pair=all.csv"),
        ("on_error=nan", "metric=smatchpp", "aspects=[ner]"),
    ],
    ids=lambda options: " ".join(options[:1]),
)
def test_the_size_of_chunks_changes_nothing(cli, files, home, monkeypatch, options):
    if any(option.startswith("on_error") for option in options):
        (home / "a.amr").write_bytes(files[0].replace(b"(", b"((", 1).replace(b":ARG0", b"(", 1))
    outcomes = []
    for size in (10_000, 7):
        small_chunks(monkeypatch, size)
        outcome = cli("score", "a.amr", "b.amr", *options)
        assert outcome.status == 0, outcome.err
        written = home / "all.csv"
        outcomes.append((outcome, written.read_text() if written.exists() else ""))
        written.unlink(missing_ok=True)
        monkeypatch.undo()
        monkeypatch.chdir(home)
    assert outcomes[0] == outcomes[1]


def forms(home, data, stem):
    """Ways to name the same graphs."""
    parts = data.split(b"\n\n")
    folder = home / stem
    folder.mkdir()
    for k in range(3):
        part = b"\n\n".join(parts[10 * k : 10 * k + 10])
        (folder / f"part{k}.amr").write_bytes(part)
        (home / f"{stem}{k}.amr.gz").write_bytes(gzip.compress(part, mtime=0))
    (home / f"{stem}.zipped").write_bytes(gzip.compress(data, mtime=0))
    return {"gzip": f"{stem}.zipped", "folder": stem, "pattern": f"{stem}?.amr.gz", "stdin": "-"}


@pytest.mark.parametrize("form", ["gzip", "folder", "pattern", "stdin"])
def test_the_same_graphs_in_other_forms(cli, files, home, monkeypatch, form):
    expected = cli("score", "src=a.amr", "tgt=b.amr", "report=json").json["pairs"]
    sources = [forms(home, data, f"side{k}")[form] for k, data in enumerate(files)]
    for a, b in ((sources[0], "b.amr"), ("a.amr", sources[1])):
        data = files[0] if a == "-" else files[1]
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        assert cli("score", a, b, "report=json").json["pairs"] == expected


def test_a_pair_of_the_same_graphs_is_explained(cli, files, home):
    expected = cli("explain", "src=a.amr", "tgt=b.amr", "pair=7", "report=json").json
    name = forms(home, files[0], "side")["pattern"]
    assert cli("explain", f"src={name}", "tgt=b.amr", "pair=7", "report=json").json == expected


def test_names_of_parsers(cli, files, home):
    forms(home, files[0], "c")
    outcome = cli("score", "src=a.amr,c0.amr.gz,c", "tgt=b.amr", "report=json")
    assert outcome.status == 1  # c0 has 10 graphs
    document = cli(
        "score", "src=a.amr,c,c?.amr.gz", "tgt=b.amr", "resamples=10", "report=json"
    ).json
    assert [parser["parser"] for parser in document["parsers"]] == ["a", "c", "c?.amr.gz"]


def test_several_metrics(cli, files, home):
    arguments = ("score", "a.amr", "b.amr", "metric=[smatch,sema,wlk]", "ci=true", "resamples=50")
    outcome = cli(*arguments, "per_pair=all.csv")
    lines = outcome.out.splitlines()
    assert lines[0] == "a.amr against b.amr (x 100)"
    assert lines[2].split()[:2] == ["metric", "pairs"]
    rows = {line.split()[0]: line.split() for line in lines[4:7]}
    documents = {
        document["metric"]: document for document in cli(*arguments, "report=json").json["metrics"]
    }
    rows_of_file = list(csv.DictReader((home / "all.csv").read_text().splitlines()))
    for name in ("smatch", "sema", "wlk"):
        options = (f"metric={name}", "ci=true", "resamples=50", "report=json")
        alone = cli("score", "a.amr", "b.amr", *options).json
        assert documents[name]["scores"] == alone["scores"]
        assert documents[name]["corpus"] == alone["corpus"]
        assert documents[name]["intervals"] == alone["intervals"]
        assert f"{100 * next(iter(alone['corpus'].values())):.1f}" in rows[name]
        assert [float(row[name]) for row in rows_of_file] == alone["scores"]
    assert "smatch: all 30 alignments are proven optimal" in lines
    low, high = documents["wlk"]["intervals"]["mean"]
    assert rows["wlk"][-3:] == [f"{100 * low:.1f}", "..", f"{100 * high:.1f}"]


def test_a_warning_of_all_metrics_is_printed_once(cli, home):
    (home / "gold.amr").write_text("# ::snt x\n(c / cat)\n\n(d / dog)\n\n# ::snt y\n(e / elk)\n")
    (home / "bad.amr").write_text("# ::snt x\n(c / cat\n\n(d / dog)\n\n# ::snt y\n(e / elk)\n")
    words = "score", "bad.amr", "gold.amr", "on_error=nan"
    printed = cli(*words, "metric=[smatch,sema]").err
    assert printed.count("bad: 1 of 3 pairs is missing") == printed.count("1 of 3 pairs") == 1
    # The second sentence has no text.
    printed = cli(*words, "metric=[smatch,text_jaccard]").err
    assert "bad (smatch): 1 of 3 pairs is missing" in printed
    assert "bad (text_jaccard): 2 of 3 pairs are missing" in printed


@pytest.mark.parametrize(("name", "given"), [("a.amr", "a.amr"), ("b.amr", "b.amr"), ("x", "[ax]")])
def test_inputs_are_not_overwritten(refused, files, home, name, given):
    before = (home / "a.amr").read_bytes()
    (home / "x").write_bytes(before)
    src = "a.amr" if given == "b.amr" else given
    assert f"per_pair={name} is also an input" in refused("score", src, "b.amr", f"per_pair={name}")
    assert (home / "a.amr").read_bytes() == before


def test_all_pairs(cli, files, home):
    (home / "two.amr").write_bytes(b"\n\n".join(files[0].split(b"\n\n")[:2]))
    document = cli("score", "two.amr", "b.amr", "pairs=all", "worst=1", "report=json").json
    matrix = get("smatch_1.0").matrix(read_graphs("two.amr"), read_graphs("b.amr"))
    assert document["scores"] == matrix.ravel().tolist()
    assert [(p["src"], p["tgt"]) for p in document["pairs"]] == [
        (i + 1, j + 1) for i in range(2) for j in range(30)
    ]
    assert document["pairs"][31]["src_id"] == document["pairs"][1]["tgt_id"]
    assert document["worst"][0]["score"] == matrix.min()
    cli("score", "two.amr", "b.amr", "pairs=all", "per_pair=all.csv")
    rows = list(csv.DictReader((home / "all.csv").read_text().splitlines()))
    assert [float(row["score"]) for row in rows] == document["scores"]
    assert list(rows[0])[:7] == ["parser", "pair", "src", "tgt", "src_id", "tgt_id", "score"]


def test_all_pairs_list_the_nearest_graphs(cli, files, home):
    matrix = get("smatch_1.0").matrix(read_graphs("a.amr"), read_graphs("b.amr"))
    ids = [graph.metadata["id"] for graph in read_graphs("b.amr")]
    out = cli("score", "a.amr", "b.amr", "pairs=all").out
    assert "corpus" not in out
    assert "macro" not in out
    lines = [line.split() for line in out.partition("\n\n")[2].splitlines()[2:]]
    for row, line in zip(matrix, lines[:30], strict=True):
        order = sorted(range(30), key=lambda k: (-row[k], k))[:3]
        assert line[1:] == [cell for k in order for cell in (ids[k], f"{100 * row[k]:.1f}")]
    text = str(bamboo.score("a.amr", "b.amr", pairs="all"))
    assert text.splitlines()[:5] == out.splitlines()[:5]
    nearest = cli("score", "a.amr", "b.amr", "pairs=all", "digits=3").out.splitlines()[4].split()
    assert nearest[2] == f"{100 * matrix[0].max():.3f}"
    # A graph is not a neighbour of itself.
    out = cli("score", "b.amr", "b.amr", "pairs=all").out
    assert "Each graph itself is left out." in out
    lines = [line.split() for line in out.partition("\n\n")[2].splitlines()[2:32]]
    assert all(line[0] not in line[1:] for line in lines)
    (home / "one.amr").write_text("(c / cat)\n")
    out = cli("score", "one.amr", "one.amr", "pairs=all").out
    assert "Graphs without an id are named by their numbers, from 1." in out


def test_ids_are_matched(cli, files, home):
    (home / "c.amr").write_bytes(b"\n\n".join(files[0].split(b"\n\n")[::-1]))
    expected = cli("score", "a.amr", "b.amr", "report=json").json["pairs"]
    assert cli("score", "c.amr", "b.amr", "ids=match", "report=json").json["pairs"] == expected


def test_parses_that_are_not_there(cli, refused, files, home):
    blocks = files[1].split(b"\n\n")
    (home / "c.amr").write_bytes(b"\n\n".join([*blocks[:9], *blocks[12:], b"# ::id new\n(a / b)"]))
    (home / "d.amr").write_bytes(b"\n\n".join([*blocks[:9], *[b"(a"] * 3, *blocks[12:]]))
    error = refused("score", "c.amr", "b.amr", "ids=match")
    assert error.startswith("1 of 28 ::ids of c.amr is not in b.amr (new); 3 of 30 ::ids of b.amr")
    for on_error in ("nan", "zero"):
        options = (f"on_error={on_error}", "report=json")
        outcome = cli("score", "c.amr", "b.amr", "ids=match", *options)
        document, unread = outcome.json, cli("score", "d.amr", "b.amr", *options).json
        assert (document["scores"], document["corpus"]) == (unread["scores"], unread["corpus"])
        assert [why["pair"] for why in document["problems"]] == [9, 10, 11]
        assert document["problems"][0]["reason"] == "no graph has the ::id 9"
        assert "3 of 30 pairs" in outcome.err
        assert "1 of 28 ::ids of c.amr is not in b.amr (new): left out" in outcome.err


def test_parsers_with_other_orders_are_compared_on_the_same_sentences(cli, files, home):
    blocks = files[1].split(b"\n\n")
    changed = [
        block.replace(b"-01", b"-02") if k % 3 else block.replace(b":ARG1", b":ARG2")
        for k, block in enumerate(blocks)
    ]
    (home / "c.amr").write_bytes(b"\n\n".join(changed))
    (home / "d.amr").write_bytes(b"\n\n".join(changed[::-1]))
    options = ("ids=match", "resamples=100", "report=json")
    expected = cli("score", "src=a.amr,c.amr", "tgt=b.amr", *options).json["comparisons"][0]
    compared = cli("score", "src=a.amr,d.amr", "tgt=b.amr", *options).json["comparisons"][0]
    assert compared == {**expected, "second": "d"}


def test_ids_that_are_missing_or_repeated_are_warnings(cli, refused, home):
    (home / "a.amr").write_text("# ::id x\n(a / b)\n\n# ::id x\n(a / b)\n\n(a / b)\n")
    (home / "b.amr").write_text("# ::id x\n(a / b)\n\n# ::id x\n(a / b)\n\n# ::id y\n(a / b)\n")
    outcome = cli("score", "a.amr", "b.amr")
    assert outcome.status == 0
    warnings = outcome.err.splitlines()
    assert [text.partition(":")[0] for text in warnings] == ["warning"] * 3
    assert "a.amr: 1 graph has the ::id of an earlier graph" in warnings[0]
    assert "1 of 3 pairs has an ::id in b.amr but none in a.amr (the first: pair 2)" in warnings[2]
    assert "a.amr: graphs 0 and 1 have the same ::id x" in refused(
        "score", "a.amr", "b.amr", "ids=check"
    )
    assert cli("score", "a.amr", "b.amr", "ids=ignore").err == ""
    (home / "b.amr").write_text("# ::id x\n(a / b)\n\n# ::id z\n(a / b)\n\n(a / b)\n")
    error = refused("score", "a.amr", "b.amr")
    assert error.startswith("pair 1: a.amr has ::id x but b.amr has ::id z")
    assert cli("score", "a.amr", "b.amr", "ids=ignore", "report=json").json["scores"] == [1] * 3


def test_other_orders_without_ids(cli, refused, files, home):
    blocks = [re.sub(rb"::id \S+ ?", b"", block) for block in files[0].split(b"\n\n")]
    (home / "c.amr").write_bytes(b"\n\n".join(blocks))
    (home / "d.amr").write_bytes(b"\n\n".join(blocks[::-1]))
    for ids in ("warn", "check"):
        error = refused("score", "d.amr", "c.amr", f"ids={ids}")
        assert re.match(r"pair \d+: d\.amr has ::snt .* but c\.amr has ::snt .*, and ", error)
        assert "ids=ignore" in error
    assert cli("score", "d.amr", "c.amr", "ids=ignore").status == 0
    assert cli("score", "c.amr", "c.amr").err == ""
    with pytest.raises(DataError, match=r"^pair \d+: src has ::snt"):
        bamboo.score([block.decode() for block in blocks[::-1]], home / "c.amr")


def test_a_role_that_one_side_never_has(cli, home):
    (home / "a.amr").write_text('(c / city :wiki "Ulm" :mod (b / big))\n\n' * 100)
    (home / "b.amr").write_text("(c / city :mod (b / big))\n\n" * 100)
    for options in ((), ("ids=ignore",)):
        err = cli("score", "a.amr", "b.amr", "report=value", *options).err
        assert err.startswith("a.amr has :wiki 100 times, b.amr never.")


def test_different_numbers_of_graphs(refused, files, home, monkeypatch):
    (home / "c.amr").write_bytes(files[0].partition(b"\n\n")[2])
    error = refused("score", "c.amr", "b.amr")
    counts = "c.amr has 29 graphs but b.amr has 30"
    (first,) = re.findall(rb"^# ::id (\S+)", files[0])
    missing = f"c.amr has no graph with the ::id {first.decode()}, which is graph 0 of b.amr"
    assert error.startswith(f"{counts}: {missing}. Check that both files are whole, or pair the")
    assert "ids=match" in error
    assert missing in refused("score", "b.amr", "c.amr")
    small_chunks(monkeypatch, 10)
    blocks = files[0].split(b"\n\n")
    (home / "c.amr").write_bytes(b"\n\n".join(blocks[:25] + blocks[26:]))
    assert re.search(
        r"c.amr has no graph .* graph 25 of b\.amr", refused("score", "c.amr", "b.amr")
    )
    (home / "d.amr").write_text("(a / b)\n")
    error = refused("score", "d.amr", "b.amr")
    assert error.startswith("d.amr has 1 graph but b.amr has 30: pair 1 has only one side.")
    assert "ids=match" not in error


UMR = """\
################################################################################
# meta-info :: sent_id = u1
# :: snt1
Words: Dogs bark .

# sentence level graph:
(s1b / bark-01 :ARG0 (s1d / dog))

# alignment:
s1b: 2-2

# document level annotation:
(s1s0 / sentence)

################################################################################
# meta-info :: sent_id = u2
# :: snt2
Words: Cats sleep .

# sentence level graph:
(s2s / sleep-01 :ARG0 (s2c / cat))

# alignment:
s2s: 2-2
"""


@pytest.mark.parametrize("on_error", ["stop", "nan", "zero"])
def test_another_format_is_named(refused, home, on_error):
    """It is no error of a parser, which `on_error` could count."""
    texts = {
        "umr": (UMR, "penman", "is a UMR file: use format=umr"),
        "camr": ("(x2 / 看-01 :arg0() (x1 / 他))", "penman", "is Chinese AMR: use format=camr"),
        "no-camr": (UMR, "camr", "is a UMR file: use format=umr"),
        "amr": ("(d / dog :mod (b / big))", "camr", "is AMR in Penman notation: leave out"),
    }
    for name, (text, format, problem) in texts.items():
        (home / name).write_text(text, "utf-8")
        message = refused("score", name, name, f"format={format}", f"on_error={on_error}")
        assert f"{name}: {problem}" in message
        assert "on_error" not in message


def test_umr(cli, refused, home):
    (home / "a.umr").write_text(UMR)
    (home / "b.umr").write_text(UMR.replace("cat", "dog"))
    outcome = cli("score", "a.umr", "b.umr", "format=umr", "report=json")
    assert [pair["id"] for pair in outcome.json["pairs"]] == ["u1", "u2"]
    assert outcome.json["scores"] == [1, 0.75]
    assert outcome.err.splitlines() == [
        f"{name}: only sentence graphs are read: the alignment of 2 sentences and the document "
        "level annotation of 1 sentence skipped"
        for name in ("a.umr", "b.umr")
    ]
    (home / "a.umr").write_text(UMR.replace("(s1d / dog))", "(s1d / dog)"))
    assert "a.umr, graph 0, line 7" in refused("score", "a.umr", "b.umr", "format=umr")
    document = cli("score", "a.umr", "b.umr", "format=umr", "on_error=zero", "report=json").json
    assert document["scores"] == [0, 0.75]
    assert [(p["pair"], p["file"], p["line"]) for p in document["problems"]] == [(0, "a.umr", 7)]


@pytest.mark.parametrize("on_error", ["stop", "zero"])
def test_empty_sentence_graphs_of_umr(cli, home, on_error):
    empty = UMR.replace("(s2s / sleep-01 :ARG0 (s2c / cat))", "")
    (home / "a.umr").write_text(empty)
    (home / "b.umr").write_text(UMR.replace("dog", "#Forn"))
    arguments = ("format=umr", f"on_error={on_error}", "report=json")
    assert cli("score", "a.umr", "a.umr", *arguments).json["scores"] == [1, 1]
    document = cli("score", "a.umr", "b.umr", *arguments).json
    assert (document["scores"], document["problems"]) == ([0.75, 0], [])


BAD = [
    (gzip.compress(amr(9).encode(), mtime=0)[:-9], "ends in the middle of its compressed content"),
    (bz2.compress(amr(1).encode()), "decompress it if it is an archive"),
    (amr(1).encode("utf-16"), "is UTF-16, not UTF-8: convert the file first"),
    (amr(1).encode() + b"\n(a / b :ARG0 (c", "graph 1, line 3: unbalanced parentheses"),
]


@pytest.mark.parametrize(("content", "message"), BAD)
def test_bad_streams(refused, home, monkeypatch, content, message):
    (home / "a.amr").write_text(amr(1))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    error = refused("score", "-", "a.amr")
    assert error.startswith("standard input")
    assert message in error


def test_the_file_of_all_pairs_is_not_replaced_after_an_error(refused, files, home):
    (home / "all.csv").write_text("old")
    (home / "a.amr").write_bytes(files[0][:-20])
    refused("score", "a.amr", "b.amr", "per_pair=all.csv")
    assert (home / "all.csv").read_text() == "old"
    assert not list(home.glob(".*partial"))


def test_memory_does_not_grow_with_the_number_of_pairs(files, home, monkeypatch):
    small_chunks(monkeypatch, 60)
    monkeypatch.setattr(scanner, "READ", 10_000)
    for count in (5, 15):
        for name, data in zip("ab", files, strict=True):
            (home / f"{name}{count}.amr").write_bytes(b"\n\n".join([data] * count))

    def peak(count):
        reading = Reading()
        sides = build_sources(reading, home / f"a{count}.amr", home / f"b{count}.amr")
        scorers = Scorers({"sema": Sema()})
        tracemalloc.start()
        with per_pair_file(home / "all.csv") as write:
            scores = score_sides(
                *sides, scorers, reading, analyses=[Worst(1)], write=partial(write, "a")
            ).scores
        largest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(scores["sema"]) == 30 * count
        return largest

    peak(5)  # what is loaded once
    # The smaller of two: threads that earlier tests left may allocate at the same time.
    few, many = (min(peak(count), peak(count)) for count in (5, 15))
    pairs = 30 * (15 - 5)
    assert many - few < 250 * pairs  # the graphs of a pair take several kilobytes


def test_scored_pairs_are_counted(files, home, monkeypatch):
    monkeypatch.setattr("bamboo.scoring.pipeline.FIRST", 12)
    reading, counts = Reading(limit=29), list[int]()
    sides = build_sources(reading, home / "a.amr", home / "b.amr")
    scores = score_sides(*sides, Scorers({"sema": Sema()}), reading, progress=counts.append).scores[
        "sema"
    ]
    assert counts == [12, 29]  # the first ones, until the speed is known, and the rest
    assert len(scores) == 29
    graphs = read_graphs(home / "a.amr")
    assert scores.pairs.ids == [graph.metadata["id"] for graph in graphs][:29]


def test_lowest_pairs_are_kept(files, home):
    reading = Reading()
    sides = build_sources(reading, home / "a.amr", home / "b.amr")
    metrics = {"smatch": Smatch(), "smatchpp": SmatchPP()}
    scores, warnings, notes, *_ = score_sides(
        *sides, Scorers(metrics), reading, analyses=[Worst(4)]
    )
    assert warnings == notes == []
    for name, metric in metrics.items():
        kept = scores[name].lowest
        assert [*kept] == np.argsort(scores[name].scores.values, kind="stable")[:4].tolist()
        for k, pair in kept.items():
            assert metric.score([pair])[0] == scores[name].scores.values[k]


def test_a_metric_that_cannot_be_sent_to_other_processes(home, files):
    metric = FunctionMetric(function=partial(isinstance, threading.Lock()))
    reading = Reading()
    sides = build_sources(reading, home / "a.amr", home / "b.amr")
    with pytest.raises(
        ConfigError, match=r"cannot be sent to other processes .* use engine=serial"
    ):
        score_sides(*sides, Scorers({"smatch": metric}), reading, engine=Processes(jobs=2))
