"""Metrics that compare sentences in the harness: their cache, notes and errors, no leaderboard."""

import pytest
from harness import amr

from bamboo.config.groups import compose_group
from bamboo.published_tables.requests import leave_out
from tests.metrics.utils.test_extras import hide

SIZES = [1, 2, 3, 5]
NOTE = "Metrics that compare the sentences (::snt), not the graphs: text_jaccard."


def write(root, side, sentences):
    """Write the graphs of `tiny` with these sentences."""
    blocks = [amr(k if side == "src" else 1, s) for k, s in zip(SIZES, sentences, strict=True)]
    (root / "main" / f"{side}.test.amr").write_text("\n".join(blocks), "utf-8")


@pytest.fixture
def said(tiny):
    """``data=tiny`` with sentences; gives its root."""
    write(tiny, "src", ["a", "a b", "a b c", "a b c d"])
    write(tiny, "tgt", ["d c b a"] * 4)
    return tiny


@pytest.fixture
def run(cli, user):
    def command(*options):
        result = cli(
            "run", "metric=text_jaccard", "data=tiny", "report=json", user.option, *options
        )
        assert result.status == 0, result.err
        return result.json

    return command


def test_equal_graphs_with_other_sentences_are_scored_again(run, said):
    assert run()["cache"]["from_cache"] == 0
    before = run()
    assert before["cache"]["from_cache"] == 1
    write(said, "tgt", ["a"] * 4)
    after = run()
    assert after["cache"]["from_cache"] == 0
    assert after["rows"][0]["cells"][0]["value"] != before["rows"][0]["cells"][0]["value"]


def test_run_and_compare_say_that_they_compare_sentences(run, cli, user, said):
    assert run()["notes"] == [NOTE]
    draws = ("permutations=20", "resamples=20")
    compared = cli("compare", "metric=[text_jaccard,size]", "data=tiny", *draws, user.option)
    assert f"\n{NOTE}\n" in compared.out
    assert NOTE.partition(":")[0] not in cli("run", "data=tiny", user.option).out


def test_a_graph_without_a_sentence_is_named(cli, refused, user, said, home):
    write(said, "tgt", ["a", "a", "", "a"])
    message = refused("run", "metric=text_jaccard", "data=tiny", user.option)
    assert message.startswith(
        "text_jaccard on tiny main test: pair 2: the graph of tgt has no sentence: add the line "
        "'# ::snt SENTENCE' above it"
    )
    missing = cli("run", "metric=text_jaccard", "data=tiny", "on_error=nan", user.option)
    assert "1 pair is missing" in missing.err
    for name, sentence in (("src", "a"), ("tgt", "")):
        (home / f"{name}.amr").write_text(amr(2, sentence))
    message = refused("score", "src.amr", "tgt.amr", "metric=text_jaccard")
    assert message.startswith("src.amr and tgt.amr: pair 0: the graph of tgt has no sentence")


def test_they_have_no_place_on_the_leaderboard(refused):
    message = refused("site", "metric=text_jaccard", "data=sample", "out=out")
    assert message.startswith("text_jaccard: the leaderboard ranks metrics that compare graphs")


def test_tables_leave_out_rows_without_sacrebleu(monkeypatch):
    hide(monkeypatch, "sacrebleu")
    config = compose_group("table", "beyond") | {
        "rows": [{"name": "smatch"}, {"name": "text_bleu"}]
    }
    (table,), (problem,) = leave_out([config])
    assert table["rows"] == [{"name": "smatch"}]
    assert "without text_bleu: " in problem
    assert "pip install 'bamboo-amr[text]'" in problem
