"""Chinese AMR on the command line."""

from pathlib import Path

import pytest

DATA = Path(__file__).parents[1] / "metrics" / "camr" / "data"
FILES = [f"src={DATA}/parsed.txt", f"tgt={DATA}/gold.txt", f"lengths={DATA}/max_len.txt"]
ALIGN = ["metric=align_smatch", "format=camr"]


def test_scores_and_subscores(cli):
    found = cli("score", *FILES, *ALIGN, "subscores=true", "report=json").json
    assert [pair["id"] for pair in found["pairs"]] == [f"export_amr.{k}" for k in (1, 2, 3)]
    for pair in found["pairs"]:
        assert pair["score"] == pytest.approx(
            2 * pair["matches"] / (pair["src_total"] + pair["tgt_total"])
        )
        assert pair["optimal"]
    assert list(found["subscores"]) == ["CA", "RA", "IC"]


def test_a_file_against_itself(cli):
    gold = FILES[1].removeprefix("tgt=")
    found = cli("score", f"src={gold}", f"tgt={gold}", *ALIGN, "report=json").json
    assert found["scores"] == [1.0, 1.0, 1.0]


def test_explain_shows_anchors(cli):
    text = cli("explain", *FILES, *ALIGN, "pair=1").out
    assert "anchor(x8/它, 8)" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["metric=align_smatch", "format=penman", FILES[2]], "go with format=camr"),
        (["metric=smatch", "format=camr", "subscores=true"], "is for Chinese AMR"),
    ],
)
def test_requests_that_make_no_sense(cli, arguments, message):
    outcome = cli("score", *FILES[:2], *arguments)
    assert outcome.status == 1
    assert message in outcome.err
