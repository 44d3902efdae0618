"""Two files scored outside the benchmark."""

import csv
import io

import pytest
from harness import SAMPLE, are_in_order

import amr_metrics

SRC = """\
# ::id one
# ::snt A cat sleeps.
(s / sleep-01 :ARG0 (c / cat))

# ::id two
(b / bark-01 :ARG0 (d / dog) :polarity -)
"""
TGT = """\
# ::id one
(s / sleep-01)

# ::id two
(b / bark-01 :ARG0 (d / dog))
"""
# Triples with TOP: 4 against 2, 2 in common; 5 against 4, 4 in common.
F1 = [2 * 2 / (4 + 2), 2 * 4 / (5 + 4)]


@pytest.fixture
def two(home):
    """Arguments for two files of two graphs."""
    (home / "a.amr").write_text(SRC)
    (home / "b.amr").write_text(TGT)
    (home / "empty").mkdir()
    return "src=a.amr", "tgt=b.amr"


def test_hand_arithmetic(cli, two):
    document = cli("score", *two, "report=json").json
    assert {"schema", "signature", "scores", "pairs", "corpus"} <= set(document)
    assert document["schema"] == 1
    assert document["signature"] == amr_metrics.get("smatch_1.0").signature
    assert document["scores"] == pytest.approx(F1)
    # Micro: sums of matches and triples.
    corpus = document["corpus"]
    assert corpus["precision"] == pytest.approx((2 + 4) / (4 + 5))
    assert corpus["recall"] == pytest.approx((2 + 4) / (2 + 4))
    assert corpus["f1"] == pytest.approx(2 * (2 + 4) / (4 + 5 + 2 + 4))
    first, second = document["pairs"]
    assert (first["pair"], first["id"], second["pair"], second["id"]) == (0, "one", 1, "two")
    assert [pair["score"] for pair in document["pairs"]] == document["scores"]
    assert (first["matches"], first["src_total"], first["tgt_total"]) == (2, 4, 2)
    assert first["precision"] == pytest.approx(2 / 4)
    assert first["recall"] == pytest.approx(2 / 2)
    assert first["optimal"] is True


def test_the_table(cli, two):
    pairs, _, corpus = cli("score", *two).out.partition("\nsmatch_1.0 against b.amr (x 100)\n")
    row = ["a", "2", "66.7", "100.0", "80.0"]
    assert are_in_order(row, corpus.splitlines()[3].split())
    every = cli("score", *two, "columns=all").out
    row += ["65.0", "100.0", "77.8"]
    assert any(are_in_order(row, line.split()) for line in every.splitlines())
    assert pairs == (
        "smatch_1.0: a.amr against b.amr (x 100)\n"
        "\n"
        "  pair   id    score   precision   recall   optimal\n"
        " ───────────────────────────────────────────────────\n"
        "  0      one    66.7        50.0    100.0      True\n"
        "  1      two    88.9        80.0    100.0      True\n"
        "\n"
        "corpus precision: 66.7\n"
        "corpus recall: 100.0\n"
        "corpus F1: 80.0\n"
        "all 2 alignments are proven optimal\n"
    )
    assert "66.667" in cli("score", *two, "digits=3").out
    assert "   67   " in cli("score", *two, "digits=0").out


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), "smatch_1.0|"),
        (("metric=smatch", "metric.root=concept"), "smatch|"),
        (("metric=smatch", "metric.root=none"), "smatch root=none|"),
        (("solver=hillclimb", "on_error=nan"), "smatch_1.0 solver=hillclimb|on_error=nan|"),
        (
            ("drop=wiki,:mod", "ids=match", "limit=2"),
            "smatch_1.0|drop=wiki,:mod|ids=match|limit=2|",
        ),
    ],
)
def test_every_output_has_the_signature(two, cli, options, expected):
    compared = "resamples=1000|permutations=10|unit=pair|seed=0|"
    reports = ("table",) if options else ("table", "markdown", "latex", "csv", "json")
    for report in reports:
        for files, sampling in ((two, ""), (("src=a.amr,b.amr", "tgt=b.amr"), compared)):
            command = ("score", *files, "permutations=10", *options, f"report={report}")
            out = cli(*command).out
            signature = f"{expected}{sampling}bamboo v"
            assert any(signature in line for line in out.splitlines())
            assert ("signature: " in out) == (report not in ("csv", "json"))
    document = cli("score", *two, *options, "report=json").json
    assert document["short_signature"].startswith(f"{expected}bamboo v")
    assert document["signature"].startswith(("Smatch(solver=", "SmatchPackage(solver="))


def test_several_metrics_have_a_signature_each(two, cli):
    metrics = "metric=[smatch,sema]"
    assert "signature: smatch, sema|bamboo v" in cli("score", *two, metrics).out
    rows = csv.DictReader(io.StringIO(cli("score", *two, metrics, "report=csv").out))
    assert {row["metric"]: row["signature"].partition("|")[0] for row in rows} == {
        "smatch": "smatch",
        "sema": "sema",
    }


def test_smatch_says_how_to_get_the_scores_of_the_package(two, cli):
    assert "Comparable with the smatch package" in cli("score", *two).out
    out = cli("score", *two, "metric=smatch").out
    assert "Not comparable with the smatch package" in out
    assert "metric=smatch_1.0" in out
    assert "omparable" not in cli("score", *two, "metric.root=none").out


def test_csv_has_every_digit(cli, two):
    rows = list(csv.DictReader(io.StringIO(cli("score", *two, "report=csv").out)))
    assert [float(row["score"]) for row in rows] == cli("score", *two, "report=json").json["scores"]


def test_options_of_the_metric(cli, two):
    document = cli("score", *two, "metric.root=none", "report=json").json
    assert document["scores"] == pytest.approx([2 * 1 / (3 + 1), 2 * 3 / (4 + 3)])
    assert "root=none" in document["signature"]


@pytest.mark.parametrize(
    "name",
    ["sp ace", "com,ma", "a=b", 'quo"te', "a[b]", "[b]", ":cat:", "ünï"],
)
def test_files_with_unusual_names(cli, two, home, name):
    (home / name).mkdir()
    for side in ("a.amr", "b.amr"):
        (home / side).rename(home / name / f"{name} {side}")
    quote = "'" if set(name) & set(',=["') else ""  # they have a meaning in Hydra's grammar
    sides = [f"{quote}{name}/{name} {side}{quote}" for side in ("a.amr", "b.amr")]
    outcome = cli("score", f"src={sides[0]}", f"tgt={sides[1]}")
    assert outcome.status == 0, outcome.err
    assert outcome.out.startswith(f"smatch_1.0: {name}/{name} a.amr against {name}/{name} b.amr (")


def test_a_path_from_home(cli, two, home, monkeypatch):
    monkeypatch.setenv("HOME", str(home))
    assert cli("score", "src=~/a.amr", "tgt=~/b.amr", "report=json").json["scores"] == (
        pytest.approx(F1)
    )


BAD_FILES = [  # content of a.amr, message
    (b"", "contains no graph"),
    (b"\xff\xfe(\0a\0 \0/\0 \0b\0)\0", "line 1: is UTF-16, not UTF-8"),
    (b"(a / caf\xe9)\n", "line 1: byte 0xe9 is not UTF-8"),
    (b"(a / b\n", "graph 0, line 1: unbalanced parentheses"),
    (b"(a / b))\n", "graph 0, line 1: text outside of any graph"),
    (b"(a / b)\n\n(c :ARG0 (d / e))\n", "graph 1, line 3: variable 'c' has no concept"),
    (b"(a / b :ARG0 (a / c))\n", "graph 0, line 1: variable 'a' is defined twice"),
    (b"(a / b)\n", "has 1 graph but b.amr has 2: pair 1 has only one side"),
    (b'[{"graph": "(a / b)"}]\n', "is JSON: write the graphs"),
    (b"<html>\n(a / b)\n\n(a / b)\n", "is an HTML page"),
    (b"<amr>\n(a / b)\n\n</amr>\n(a / b)\n", "if it has answers of a language model, set extract"),
    (b"(a / b :time 9:45)\n", "graph 0, line 1: a colon begins a role: 9:45 needs quotes"),
]


@pytest.mark.parametrize(("content", "message"), BAD_FILES)
def test_bad_files(refused, two, home, content, message):
    (home / "a.amr").write_bytes(content)
    error = refused("score", *two)
    assert error.startswith("a.amr")
    assert message in error
    assert ("on_error=zero" in error) == ("a.amr, graph " in error)


@pytest.mark.parametrize("option", ["on_error=zero", "on_error=nan", "extract=last"])
@pytest.mark.parametrize("content", [b"<!doctype html>\n(a / b)\n", b"\x80\x04(a / b)\n"])
def test_other_files_are_never_scored(refused, two, home, option, content):
    (home / "a.amr").write_bytes(content)
    error = refused("score", *two, option)
    assert error.startswith("a.amr: is a")
    assert "on_error" not in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["src=a.amr"], "tgt=... is required: see score --help"),
        (["src=a.amr", "tgt=nowhere.amr"], "nowhere.amr: cannot be read: No such file"),
        (["src=empty", "tgt=b.amr"], "empty: contains no file whose name ends in .amr, .penman"),
        (["src=x*.amr", "tgt=b.amr"], "x*.amr: no file matches this pattern"),
        (["src=-", "tgt=-"], "only one side can be standard input"),
        (["src=-,a.amr", "tgt=b.amr"], "standard input can be read for a single parser only"),
        (["src=a.amr", "tgt=a.amr,b.amr"], "there is one gold standard"),
        (["src=[a.amr,a.amr]", "tgt=b.amr"], "src: name each file once"),
        (["src=null", "tgt=b.amr"], "null: cannot be read: No such file"),
        (["src=a.amr", "tgt=b.amr", "format=penmann"], "unknown format 'penmann': did you mean"),
        (["src=a.amr", "tgt=b.amr", "report=jsno"], "unknown report 'jsno': did you mean 'json'"),
        (["src=a.amr", "tgt=b.amr", "on_error=sto"], "unknown on_error 'sto': did you mean 'stop'"),
        (["src=a.amr", "tgt=b.amr", "data=sts"], "unknown option 'data'"),
        (["a.amr"], "tgt=... is required: see score --help"),
        (["a.amr", "b.amr", "c.amr"], "c.amr: cannot be read"),  # the gold standard is the last
        (["a.amr", "src=b.amr"], "src is given twice: a.amr and src=b.amr; did you mean tgt=a.amr"),
        (["a.amr", "b.amr", "tgt=b.amr"], "tgt is given twice: b.amr and tgt=b.amr; leave out one"),
        (["a.amr", "b.amr", "metric=[smatch,sema]", "worst=1"], "worst needs exactly one metric"),
        (["a.amr", "b.amr", "metric=[sembleu,sema]", "aspects=all"], "need metric=smatchpp"),
        (["a.amr", "b.amr", "drop=wikis"], "unknown part of graphs 'wikis': did you mean 'wiki'?"),
        (["a.amr", "b.amr", "digits=-1"], "digits=-1: use a number from 0 to 15"),
        (["a.amr", "b.amr", "by=genre"], "by=genre: no graph has such a line of metadata"),
        (["a.amr", "b.amr", "by=none.tsv"], "by=none.tsv cannot be read"),
        (["a.amr", "b.amr", "by=a.amr"], "a.amr, line 1: expected an id, a tab and the name"),
        (["a.amr", "b.amr", "by=size", "pairs=all"], "by=size groups graph k of src with"),
        (["a.amr", "b.amr", "metric=[wlk,sema]", "subscores=true"], "subscores needs exactly one"),
        (["a.amr", "b.amr", "pairs=all", "ids=match"], "pairs=all chooses the pairs: leave out"),
        (["src=a.amr,b.amr", "tgt=b.amr", "pairs=all"], "pairs=all: give a single src"),
    ],
)
def test_bad_requests(refused, two, arguments, message):
    assert message in refused("score", *arguments)


def test_pairs_that_fail_can_be_listed(cli, refused, user, home):
    user.metric("refusing", "Refusing")
    (home / "a.amr").write_text("(a / b :c (d / e))\n\n(a / b\n\n(a / b)\n")
    (home / "b.amr").write_text("(a / b)\n\n(a / b)\n\n(a / b)\n")
    arguments = ("score", "src=a.amr", "tgt=b.amr", "metric=refusing", user.option)
    assert "a.amr, graph 1" in refused(*arguments)
    document = cli(*arguments, "on_error=nan", "report=json").json
    assert document["scores"] == [2.0, None, None]
    assert document["corpus"] == {"mean": 2.0}
    assert document["pairs"][1]["problem"].startswith("a.amr, graph 1, line 3: unbalanced")
    assert document["pairs"][2]["problem"] == "one node is too few"
    text = cli(*arguments, "on_error=nan").out
    assert "pair 1 is missing: a.amr, graph 1, line 3: unbalanced" in text
    assert "pair 2 is missing: one node is too few" in text


def test_a_pair_that_cannot_be_scored_is_named_with_its_files(refused, two, user, home):
    user.metric("refusing", "Refusing")
    (home / "a.amr").write_text("(a / b :c (d / e))\n\n(a / b)\n")
    error = refused("score", *two, "metric=refusing", user.option)
    assert error == "a.amr and b.amr: pair 1: one node is too few"


def test_no_pairs_left_to_score(refused, user, home):
    user.metric("refusing", "Refusing")
    (home / "a.amr").write_text("(a / b)\n")
    error = refused("score", "a.amr", "a.amr", "metric=refusing", user.option, "on_error=nan")
    assert error.startswith("a: no pair could be scored; first problem: ")


def test_alignments_that_are_not_proven_optimal_are_reported(cli):
    sides = f"src={SAMPLE}/main/src.test.amr", f"tgt={SAMPLE}/main/tgt.test.amr"
    limits = "solver.node_limit=0", "solver.root_rounds=1"
    pairs = cli("score", *sides, *limits, "report=json").json["pairs"]
    unproven = [pair for pair in pairs if not pair["optimal"]]
    assert unproven
    assert all(pair["upper_bound"] > pair["matches"] for pair in unproven)
    text = cli("score", *sides, *limits).out
    assert f"{len(unproven)} of 64 alignments are NOT proven optimal" in text


def test_many_pairs_are_not_listed_on_the_terminal(cli, home):
    pair = "(s / sleep-01 :ARG0 (c / cat))\n\n"
    (home / "many.amr").write_text(pair * 101)
    out = cli("score", "src=many.amr", "tgt=many.amr").out
    assert "all 101 alignments are proven optimal" in out
    assert "per_pair=FILE writes the scores of all 101 pairs to a CSV file" in out
    assert len(out.splitlines()) < 15
    rows = cli("score", "src=many.amr", "tgt=many.amr", "report=csv").out
    assert len(rows.splitlines()) == 102


def test_only_the_score(cli, two):
    documents = [cli("score", *two, *m, "report=json").json for m in ((), ("metric=sema",))]
    f1 = [f"{document['corpus']['f1']:.4f}" for document in documents]
    assert cli("score", *two, "report=value").out == f"{f1[0]}\n"
    both = cli("score", *two, "metric=[smatch_1.0,sema]", "report=value").out
    assert both.splitlines() == f1


def test_only_the_first_pairs(cli, two, refused):
    every = cli("score", *two, "report=json").json["scores"]
    for options in (("limit=1",), ("limit=1", "pairs=all"), ("limit=1", "engine=loky")):
        assert cli("score", *two, *options, "report=json").json["scores"] == every[:1]
    assert cli("score", *two, "limit=9", "report=json").json["scores"] == every
    assert refused("score", *two, "limit=0") == "limit=0: use 1 or more"


def test_vectors_that_cannot_be_read_or_cached_say_what_to_set(refused, two, home, monkeypatch):
    monkeypatch.setenv("BAMBOO_VECTORS", "gone.txt")
    error = refused("score", "a.amr", "b.amr", "metric=s2match")
    for part in ("gone.txt: no such file", "vectors.file=FILE", "BAMBOO_VECTORS"):
        assert part in error
    (home / "vectors.txt").write_text("cat" + 100 * " 0.5" + "\n")
    monkeypatch.setenv("BAMBOO_VECTORS", "vectors.txt")
    (home / "in_the_way").write_text("")
    monkeypatch.setenv("BAMBOO_CACHE_DIR", str(home / "in_the_way"))
    error = refused("score", "a.amr", "b.amr", "metric=s2match")
    for part in ("in_the_way: ", "vectors.cache=FOLDER", "BAMBOO_CACHE_DIR"):
        assert part in error
