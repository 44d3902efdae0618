"""Metrics that compare sentences in the harness: their cache, notes and errors, no leaderboard."""

import pytest
from harness import amr

import bamboo
from amr_metrics.errors import PairError
from bamboo.config.groups import compose_group
from bamboo.errors import BambooWarning, ConfigError
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


def test_equal_graphs_with_other_sentences_are_scored_again(user, said):
    assert user.run("text_jaccard").cache["from_cache"] == 0
    before = user.run("text_jaccard")
    assert before.cache["from_cache"] == 1
    write(said, "tgt", ["a"] * 4)
    after = user.run("text_jaccard")
    assert after.cache["from_cache"] == 0
    assert after.list_scores()[0][0].value != before.list_scores()[0][0].value


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_run_and_compare_say_that_they_compare_sentences(user, said):
    assert user.run("text_jaccard").to_json()["notes"] == [NOTE]
    assert f"\n{NOTE}\n" in f"{user.compare(('text_jaccard', 'size'), resamples=20)}\n"
    assert NOTE.partition(":")[0] not in str(user.run())


def test_a_graph_without_a_sentence_is_named(user, said, home):
    write(said, "tgt", ["a", "a", "", "a"])
    message = (
        r"^text_jaccard on tiny main test: pair 2: the graph of tgt has no sentence: add the line "
        "'# ::snt SENTENCE' above it"
    )
    with pytest.raises(PairError, match=message):
        user.run("text_jaccard")
    with pytest.warns(BambooWarning, match="1 pair is missing"):
        user.run("text_jaccard", on_error="nan")
    for name, sentence in (("src", "a"), ("tgt", "")):
        (home / f"{name}.amr").write_text(amr(2, sentence))
    message = r"^src\.amr and tgt\.amr: pair 0: the graph of tgt has no sentence"
    with pytest.raises(PairError, match=message):
        bamboo.score("src.amr", "tgt.amr", "text_jaccard")


def test_they_have_no_place_on_the_leaderboard(home):
    message = "^text_jaccard: the leaderboard ranks metrics that compare graphs"
    with pytest.raises(ConfigError, match=message):
        bamboo.site(home / "out", "text_jaccard", "sample")


def test_tables_leave_out_rows_without_sacrebleu(monkeypatch):
    hide(monkeypatch, "sacrebleu")
    config = compose_group("table", "beyond") | {
        "rows": [{"name": "smatch"}, {"name": "text_bleu"}]
    }
    (table,), (problem,) = leave_out([config])
    assert table["rows"] == [{"name": "smatch"}]
    assert "without text_bleu: " in problem
    assert "pip install 'bamboo-amr[text]'" in problem
