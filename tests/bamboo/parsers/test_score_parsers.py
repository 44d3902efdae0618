"""score: ids, several parsers, intervals, aspects, worst pairs, the file of all pairs."""

import csv
import hashlib
import json
from typing import get_args

import numpy as np
import pytest
from harness import SAMPLE, counts, noisy, score_files

import bamboo
from amr_metrics import SmatchPP, pair_up, read_graphs
from amr_metrics.aspects import TOOLS, score_subscores
from bamboo.app.main import main
from bamboo.board import CORPUS, WHOLE, Score
from bamboo.parsers.analyses.aspects import SMATCHPP, Definition
from bamboo.parsers.analyses.worst import Worst
from bamboo.parsers.systems import compare_systems, corpus_statistics
from bamboo.statistics.resampling import SystemTests

GOLD = SAMPLE / "main" / "src.test.amr"


@pytest.fixture(scope="module")
def parsers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parsers")
    return [
        noisy(folder / f"{name}.amr", share, k)
        for k, (name, share) in enumerate([("good", 0.05), ("alike", 0.06), ("poor", 0.4)])
    ]


def run(capsys, *arguments):
    status = main(["score", f"tgt={GOLD}", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def document(capsys, *arguments):
    status, out, err = run(capsys, *arguments, "report=json")
    assert status == 0, err
    return json.loads(out)


def test_one_parser_keeps_its_keys(capsys, parsers):
    result = document(capsys, f"src={parsers[0]}", "metric=smatchpp", "ci=true", "resamples=200")
    assert {"schema", "signature", "scores", "pairs", "corpus"} <= result.keys()
    assert {"precision", "recall", "f1"} <= result["corpus"].keys()
    assert not result["corpus"].keys() & {f"macro_{name}" for name in result["macro"]}
    assert result["macro"]["f1"] == pytest.approx(np.mean(result["scores"]))
    low, high = result["intervals"]["f1"]
    assert low < result["corpus"]["f1"] < high
    assert result["aspects"] == result["worst"] == []
    assert result["pairs"][0]["upper"] == result["pairs"][0]["score"]


def test_several_parsers_have_separate_rows(capsys, parsers):
    names = ",".join(map(str, parsers))
    arguments = (f"src=[{names}]", "metric=smatchpp", "resamples=200")
    result = document(capsys, *arguments)
    assert [parser["parser"] for parser in result["parsers"]] == ["good", "alike", "poor"]
    p = {(c["first"], c["second"]): c["p_adjusted"] for c in result["comparisons"]}
    assert p["good", "poor"] < 0.05
    assert p["alike", "poor"] < 0.05
    assert p["good", "alike"] > 0.05
    for pair in result["comparisons"]:
        f1 = pair["differences"]["f1"]
        assert f1["low"] <= f1["value"] <= f1["high"]
        # 2.8 standard errors, of which an interval is 3.92 wide.
        assert f1["detectable"] == pytest.approx((f1["high"] - f1["low"]) * 2.8 / 3.92, rel=0.2)
    _, table, _ = run(capsys, *arguments)
    ends = sorted(pair["differences"]["f1"]["detectable"] for pair in result["comparisons"])
    assert f"below {100 * ends[0]:.1f} to {100 * ends[2]:.1f} are detected in fewer" in table
    rows = {line.split()[0]: line.split() for line in table.splitlines() if line.strip()}
    assert any(set(cell) == {"*"} for cell in rows["poor"])
    assert "best" in rows["good"] or "best" in rows["alike"]
    assert document(capsys, *arguments) == result  # the same draws each time


def test_every_pair_is_written(capsys, parsers, tmp_path):
    target = tmp_path / "pairs.csv"
    run(capsys, f"src=[{parsers[0]},{parsers[2]}]", "metric=smatchpp", f"per_pair={target}")
    rows = list(csv.DictReader(target.read_text("utf-8").splitlines()))
    assert len(rows) == 2 * len(read_graphs(GOLD))
    assert {"parser", "pair", "id", "score", "precision", "upper"} <= rows[0].keys()
    status, _, err = run(capsys, f"src={parsers[0]}", f"per_pair={tmp_path / 'no' / 'where.csv'}")
    assert status == 1
    assert "cannot write" in err


def test_five_worst_pairs_fit_a_screen(capsys, parsers):
    status, out, _ = run(capsys, f"src={parsers[2]}", "worst=5")
    assert status == 0
    lines = out.partition("\nWorst pairs (x 100)\n\n")[2].splitlines()
    assert len(lines) <= 45
    assert "instead of" in out
    result = document(capsys, f"src={parsers[2]}", "worst=5")
    assert [pair["score"] for pair in result["worst"]] == sorted(result["scores"])[:5]
    for pair in result["worst"]:
        (k,) = (
            k for k, line in enumerate(lines) if line.startswith(f"  poor     {pair['pair']} (")
        )
        assert f"{100 * pair['score']:.1f}    {pair['sentence']}" in lines[k]
        first = pair["differences"][0]
        assert f"{first['src']} instead of {first['tgt']}" in lines[k + 1]
    first = result["worst"][0]
    assert any("thing" in triple for triple in first["unmatched_src"])
    assert not any("thing" in triple for triple in first["unmatched_tgt"])
    status, out, _ = run(capsys, f"src={parsers[2]}", "worst=1", "report=csv")
    assert "parser,pair,id,score,only in,triple,signature" in out


def test_aspects_are_scored_for_each_parser(capsys, parsers):
    names = f"src=[{parsers[0]},{parsers[2]}]"
    options = ("metric=smatchpp", "aspects=[NER,frames,maths]", "ci=true", "resamples=100")
    result = document(capsys, names, *options)
    for parser in result["parsers"]:
        assert [row["aspect"] for row in parser["aspects"]] == ["ner", "frames", "maths"]
        frames, maths = parser["aspects"][1:]
        assert frames["pairs"] + frames["left_out"] == len(parser["scores"])
        assert frames["interval"][0] <= frames["corpus"]["f1"] <= frames["interval"][1]
        assert (maths["pairs"], maths["corpus"], maths["interval"]) == (0, {}, None)


def test_aspects_of_the_paper_are_compressed_and_named(cli, tmp_path):
    for name in ("Bob", "Lisa"):
        (tmp_path / name).write_text(f'(c / cat :name (n / name :op1 "{name}"))', "utf-8")
    files = f"src={tmp_path / 'Bob'}", f"tgt={tmp_path / 'Lisa'}", "metric=smatchpp", "aspects=ner"
    for definition, score in ((), 0.75), (("aspects_definition=smatchpp-paper",), 0.5):
        result = cli("score", *files, *definition, "report=json").json
        assert result["corpus"]["f1"] == 0.8  # of the graphs, with their roots
        assert [row["corpus"]["f1"] for row in result["aspects"]] == [score]
        name = "smatchpp-paper" if definition else "smatchpp"
        assert result["aspects_definition"] == name
        assert f"|aspects={name}|" in result["short_signature"]
        assert result["aspects"][0]["compared"].startswith(":name edges")


@pytest.mark.parametrize("definition", ["amrlib", "amr-evaluation"])
def test_sub_scores_of_other_tools_are_scored_for_each_parser(capsys, parsers, definition):
    options = (
        f"src=[{parsers[0]},{parsers[2]}]",
        "metric=smatch_1.0",
        "aspects=all",
        f"aspects_definition={definition}",
        "ci=true",
        "resamples=20",
    )
    result = document(capsys, *options)
    for parser, path in zip(result["parsers"], (parsers[0], parsers[2]), strict=True):
        assert parser["aspects_definition"] == definition
        pairs = pair_up(read_graphs(path), read_graphs(GOLD))
        for row, expected in zip(
            parser["aspects"], score_subscores(definition, pairs), strict=True
        ):
            assert row["aspect"] == expected.aspect
            assert row["left_out"] == int(expected.empty.sum())
            if row["pairs"]:
                assert row["corpus"]["f1"] == SmatchPP().corpus(expected.scores)["f1"]
                assert row["interval"][0] <= row["corpus"]["f1"] <= row["interval"][1]
            else:
                assert (row["corpus"], row["interval"]) == ({}, None)
    _, table, _ = run(capsys, f"src={parsers[0]}", *options[2:4])
    assert f"sub-scores as defined by {definition}" in table


def test_the_definition_of_aspects_suits_the_metric(capsys, parsers):
    """As in the pages: amrlib's with the default metric."""
    default, named = (
        document(capsys, f"src={parsers[2]}", "aspects=all", *more)
        for more in ((), ("aspects_definition=amrlib",))
    )
    assert default == named
    assert "|aspects=amrlib|" in default["short_signature"]
    words = (f"src={parsers[2]}", "aspects=[concept]", "metric=[smatch,smatchpp]")
    definitions = {
        of_metric["metric"]: of_metric["aspects_definition"]
        for of_metric in document(capsys, *words)["metrics"]
    }
    assert definitions == {"smatch": None, "smatchpp": "smatchpp"}


def test_the_signature_of_aspects_says_whether_frames_were_described(capsys, parsers, tmp_path):
    words = (f"src={parsers[2]}", "metric=smatchpp", "aspects=[instrument]")
    without = document(capsys, *words)["short_signature"]
    assert without.startswith("smatchpp|aspects=smatchpp|frames=none|")
    frames = tmp_path / "frames.txt"
    frames.write_text("control-01  ARG2: instrument\n", "utf-8")
    digest = hashlib.sha256(frames.read_bytes()).hexdigest()[:8]
    described = document(capsys, *words, f"frames={frames}")["short_signature"]
    assert described == without.replace("frames=none", f"frames=frames.txt:{digest}")


def test_every_tool_is_a_definition():
    assert get_args(Definition) == (*SMATCHPP, *TOOLS)


def test_sub_scores_of_other_tools_do_not_depend_on_the_metric(capsys, parsers):
    options = (f"src={parsers[2]}", "aspects=all", "aspects_definition=amrlib")
    default, named = (
        document(capsys, *options, *more)
        for more in ((), ("metric=smatch_1.0", "metric.root=none"))
    )
    assert default["aspects"] == named["aspects"]
    assert default["corpus"] != named["corpus"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["metric=smatchpp", "aspects=[nerr]"], "unknown aspect 'nerr': did you mean 'ner'"),
        (["metric=sema", "aspects=all"], "need metric=smatchpp"),
        (["metric=sema", "aspects=all"], "aspects_definition=amrlib|amr-evaluation"),
        (["metric=smatch", "aspects=all", "aspects_definition=smatchpp"], "need metric=smatchpp"),
        (["aspects=[nerr]", "aspects_definition=amrlib"], "unknown sub-score of amrlib 'nerr'"),
        (["aspects=all", "aspects_definition=amrlob"], "aspects_definition"),
        (
            ["metric=sema", "aspects=all", "aspects_definition=amrlib"],
            "use a metric of the Smatch family, such as metric=smatch_1.0",
        ),
        (
            ["aspects=all", "aspects_definition=amrlib", "alignment=one"],
            "alignment and frames apply to aspects_definition=smatchpp",
        ),
        (["aspects_definition=amrlib"], "also set aspects=all"),
        (["metric=smatchpp", "alignment=one"], "also set aspects=all"),
        (["worst=-1"], "worst=-1: use 0 or more"),
        (["metric=smatchpp", "aspects=[ner]", "frames=none.txt"], "cannot be read"),
    ],
)
def test_bad_options(capsys, parsers, arguments, message):
    status, _, err = run(capsys, f"src={parsers[0]}", *arguments)
    assert status == 1
    assert message in err


def test_one_pair_has_no_interval(cli, refused, home):
    (home / "a.amr").write_text("(c / cat)\n")
    assert "at least two pairs" in refused("score", "a.amr", "a.amr", "ci=true")
    assert cli("score", "a.amr", "a.amr").status == 0


def test_only_different_systems_differ_significantly():
    rng = np.random.default_rng(1)
    statistics = corpus_statistics(SmatchPP())
    size = np.full(60, 20)
    a, b = (counts(rng.binomial(20, 0.6, 60), size, size) for _ in range(2))
    worse = counts(np.maximum(a.details["matches"] - rng.integers(0, 4, 60), 0), size, size)
    for first, second, alike in ((a, a, True), (a, b, True), (a, worse, False)):
        systems = {"one": first, "other": second}
        tests = SystemTests(500, permutations=500)
        board = compare_systems("smatchpp", CORPUS, statistics, {WHOLE: systems}, tests)
        (f1,) = board.select(score="f1").differences
        assert (f1.p > 0.05) == alike
        assert (f1.p_bootstrap > 0.05) == alike
    assert f1.p == 1 / 501


def test_the_best_mark_can_be_reached(parsers):
    report = bamboo.score(parsers, GOLD, "smatchpp", aspects="all")
    result = report.to_json()
    assert result["parsers"][0]["sampling"]["permutations"] == 10_000
    entries = [aspect for parser in result["parsers"] for aspect in parser["aspects"]]
    versus = [entry["versus_best"] for entry in entries if entry.get("versus_best")]
    assert min(row["p_adjusted"] or 1 for row in versus) < 0.001
    out = str(report)
    aspects = out.partition("\nAspects, F1 (x 100)\n")[2].partition("Marks")[0]
    assert "***" in aspects
    scored = [entry["aspect"] for entry in result["parsers"][0]["aspects"]]
    headings = [l.split()[1:] for l in aspects.splitlines() if l.split()[:1] == ["parser"]]
    assert [name for block in headings for name in block] == scored
    assert max(map(len, headings)) <= 8
    assert "too few" not in out
    (aspects,) = (t for t in report.tables("all") if t.title == "Aspects (x 100)")
    assert "p adj." in aspects.columns


@pytest.mark.parametrize(("report", "has_all"), [("csv", True), ("latex", False)])
def test_csv_has_all_columns_other_tables_on_request(report, has_all, parsers, capsys):
    files = f"src={parsers[0]},{parsers[2]}"
    _, out, _ = run(capsys, files, f"report={report}", "ci=true", "resamples=20")
    assert ("p adj." in out) == ("macro f1" in out) == ("precision" in out) == has_all
    assert ("mark" in out.splitlines()[0]) == has_all
    assert "minus best" in out
    _, out, _ = run(capsys, files, f"report={report}", "columns=all", "resamples=20")
    assert "p adj." in out
    assert "macro f1" in out.lower()


def test_a_metric_without_alignment_lists_its_worst_pairs_too():
    from amr_metrics.external import FunctionMetric

    metric = FunctionMetric(function=lambda a, b: float(len(a.concepts) == len(b.concepts)))
    scored = {"it": score_files(metric, GOLD, GOLD, lowest=2)}
    _, found = Worst(2).collect({"equal": metric}, {"equal": scored})
    assert [pair.unmatched_src for pair in found["it"]] == [(), ()]
    parts = {WHOLE: {"it": scored["it"].scores}}
    tests = SystemTests(10, 0)
    board = compare_systems("equal", CORPUS, corpus_statistics(metric), parts, tests, ci=True)
    assert board.main == "mean"
    assert board.scores == (Score("equal", CORPUS, WHOLE, "it", 64, 0, "mean", 1.0, 1.0, 1.0),)


def test_swept_options_are_rows_of_their_own(capsys, parsers):
    swept = ("metric=smatchpp", "metric.root=none,concept")
    result = document(capsys, f"src={parsers[0]}", *swept)
    assert [of_metric["metric"] for of_metric in result["metrics"]] == [
        "smatchpp root=none",
        "smatchpp root=concept",
    ]
    for of_metric in result["metrics"]:
        root = of_metric["metric"].partition("=")[2]
        alone = document(capsys, f"src={parsers[0]}", "metric=smatchpp", f"metric.root={root}")
        assert {**alone, "metric": of_metric["metric"]}.items() >= of_metric.items()
