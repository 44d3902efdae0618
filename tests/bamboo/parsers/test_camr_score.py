"""Chinese AMR on the command line."""

from pathlib import Path

import pytest

import bamboo

DATA = Path(__file__).parents[2] / "metrics" / "camr" / "data"
FILES = [f"src={DATA}/parsed.txt", f"tgt={DATA}/gold.txt", f"lengths={DATA}/max_len.txt"]
ALIGN = ["metric=align_smatch", "format=camr"]


def test_scores_and_subscores(cli):
    document = cli("score", *FILES, *ALIGN, "subscores=true", "report=json").json
    assert [pair["id"] for pair in document["pairs"]] == [f"export_amr.{k}" for k in (1, 2, 3)]
    for pair in document["pairs"]:
        assert pair["score"] == pytest.approx(
            2 * pair["matches"] / (pair["src_total"] + pair["tgt_total"])
        )
        assert pair["optimal"]
    assert list(document["subscores"]) == ["CA", "RA", "IC"]


def test_explain_shows_anchors(cli):
    text = cli("explain", *FILES, *ALIGN, "pair=1").out
    assert "anchor(x8/它, 8)" in text


def test_the_worst_pairs_show_what_differs(cli):
    (worst, *_) = cli("score", *FILES, *ALIGN, "worst=2", "report=json").json["worst"][1:]
    assert worst["id"] == "export_amr.2"
    assert {"src": "北京大学", "tgt": "university"} in worst["differences"]
    name = "name, name :op1 北京, name :op2 大学, university :name name"
    assert {"src": None, "tgt": name} in worst["differences"]


def test_a_pair_without_relations_is_left_out_of_their_subscores():
    graph = "# ::id 1 ::wid x1_走\n(x1 / 走-01)\n"
    report = bamboo.score(graph, graph, "align_smatch", format="camr", subscores=True)
    rows = report.board.select(kind="subscore", score="f1").scores
    assert [(row.part, row.pairs, row.left_out) for row in rows] == [
        *(("CA", 1, 0), ("RA", 0, 1), ("IC", 0, 1)),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["metric=align_smatch", "format=penman", FILES[2]], "go with format=camr"),
        (["metric=smatch", "format=camr", "subscores=true"], "needs a metric for Chinese AMR"),
    ],
)
def test_invalid_requests(cli, arguments, message):
    outcome = cli("score", *FILES[:2], *arguments)
    assert outcome.status == 1
    assert message in outcome.err


def test_errors_name_the_options_of_the_command_line(refused, tmp_path):
    twice = tmp_path / "twice.txt"
    twice.write_text("(x1 / 走-01 :arg0() (x2 / 他) :arg1() (x2 / 她))\n", "utf-8")
    camr = f"src={twice}", f"tgt={twice}", *ALIGN
    assert refused("score", *camr).endswith("(option split_ids=true)")
    twice.write_text("(x1 / 走-01)\n", "utf-8")
    assert refused("score", *camr).endswith("(option lengths=FILE)")
    twice.write_text("(s / sleep-01)\n", "utf-8")
    assert refused("score", *camr[:2], ALIGN[0]).endswith("(option format=camr)")


def test_a_pair_without_a_score_is_listed_by_its_number(cli, tmp_path):
    files = [tmp_path / "src.txt", tmp_path / "tgt.txt"]
    for path, ids in zip(files, ("123", "124"), strict=True):
        graphs = [f"# ::id {k} ::wid x1_走\n(x1 / 走-01)\n" for k in ids]
        path.write_text("\n".join(graphs), "utf-8")
    named = f"src={files[0]}", f"tgt={files[1]}"
    document = cli("score", *named, *ALIGN, "ids=ignore", "on_error=nan", "report=json").json
    assert document["scores"] == [1.0, 1.0, None]
    problem = document["pairs"][2]["problem"]
    assert problem.startswith("src is sentence 3 but tgt is sentence 4")


def test_upper_bounds_have_no_intervals(cli):
    hurried = "solver.root_rounds=1", "solver.node_limit=0"
    document = cli("score", *FILES, *ALIGN, *hurried, "ci=true", "resamples=20", "report=json").json
    macro = {f"macro_{name}" for name in document["macro"]}
    assert "f1_upper" in document["corpus"]
    assert document["intervals"].keys() == document["corpus"].keys() - {"f1_upper"} | macro


def test_parsers_are_compared_on_the_sub_scores(cli, tmp_path):
    worse = tmp_path / "worse.txt"
    worse.write_text(
        (DATA / "parsed.txt").read_text("utf-8").replace("x8 / 它", "x8 / 他"), "utf-8"
    )
    files = [f"src=[{DATA}/parsed.txt,{worse}]", f"tgt={DATA}/gold.txt", FILES[2]]
    arguments = (*files, *ALIGN, "subscores=true", "ci=true", "resamples=50")
    document = cli("score", *arguments, "report=json").json
    first, second = (parser["subscores"] for parser in document["parsers"])
    # They have no intervals.
    assert [*first["CA"]] == ["precision", "recall", "f1", "best", "versus_best"]
    assert first["CA"]["best"] == second["CA"]["best"] == "parsed"
    assert first["CA"]["versus_best"] is None
    versus = second["CA"]["versus_best"]
    assert versus["f1"] == pytest.approx(second["CA"]["f1"] - first["CA"]["f1"])
    assert 0.5 < versus["p"] <= versus["p_adjusted"] <= 1  # only one of three pairs differs
    assert "over all sub-scores and pairs of parsers: 3 tests" in cli("score", *arguments).out
