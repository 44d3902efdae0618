"""Ids and sentences of pairs: compared chunk by chunk."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import Graph, Pair
from bamboo.errors import DataError
from bamboo.scoring.checks import IdCheck, SentenceCheck
from bamboo.scoring.file_pairs import FilePairs

names = st.none() | st.sampled_from(["", "a", "b", "ünï", "x y", "two\nlines", "\n", "\ud800"])


def checked(left, right, size, strict=False):
    check = IdCheck("src.amr", "tgt.amr", strict)
    for k in range(0, len(left), size):
        check.add(left[k : k + size], right[k : k + size])
    return check.warnings()


@pytest.mark.parametrize("size", [1, 2, 10])
class TestCheck:
    def test_equal_ids(self, size):
        for strict in (False, True):
            assert checked(["a", None, "b"], ["a", None, "b"], size, strict) == []

    def test_ids_that_differ_are_always_an_error(self, size):
        for strict in (False, True):
            with pytest.raises(DataError, match=r"^pair 2: src\.amr has ::id c but tgt\.amr has"):
                checked(["a", "b", "c"], ["a", "b", "d"], size, strict)

    def test_ids_that_occur_twice(self, size):
        ids = ["a", "b", "a", None, "b", "b"]
        first, second = checked(ids, ids, size)
        assert first.startswith(
            "src.amr: 3 graphs have the ::id of an earlier graph (the first: graphs 0 and 2 have "
            "::id a)"
        )
        assert second.startswith("tgt.amr: 3 graphs")
        with pytest.raises(DataError, match=r"^src\.amr: graphs 0 and 2 have the same ::id a\."):
            checked(ids, ids, size, strict=True)

    def test_ids_on_one_side_only(self, size):
        left = ["a", None, None, "d"]
        right = ["a", "b", None, None]
        first, second = checked(left, right, size)
        assert first.startswith("1 of 4 pairs has an ::id in src.amr but none in tgt.amr")
        assert "(the first: pair 3)" in first
        assert "in tgt.amr but none in src.amr (the first: pair 1)" in second
        with pytest.raises(DataError, match=r"^pair 1: tgt\.amr has ::id b but src\.amr has no"):
            checked(left, right, size, strict=True)


@given(st.lists(names, max_size=12), st.integers(1, 5))
def test_repeated_ids_are_counted(ids, size):
    present = [id for id in ids if id is not None]
    count = len(present) - len(set(present))
    texts = checked(ids, ids, size)
    assert len(texts) == 2 * (count > 0)
    if count:
        assert f": {count} graph" in texts[0]


def test_a_graph_that_was_not_read_may_lack_its_id():
    check = IdCheck("src.amr", "tgt.amr", strict=True)
    check.add(["a", None], ["a", "b"], {1: "broken"})
    assert check.warnings() == []


EMPTY = Graph.empty()
SENTENCES = ["A cat sleeps.", "A dog barks.", "It rains.", "He's here!", "No.", "Why?", "Go!", "Ü"]


def compare(src, tgt, size=3, ids=(None, None), key="snt"):
    """Check the order of sentences, some pairs at a time."""
    check = SentenceCheck("a.amr", "b.amr")
    pairs = [
        Pair(*(replace(EMPTY, metadata={} if text is None else {key: text}) for text in both))
        for both in zip(src, tgt, strict=True)
    ]
    for k in range(0, len(src), size):
        part = FilePairs.of(pairs[k : k + size])
        check.add(k, part, *([graph_id] * len(part) for graph_id in ids))


@pytest.mark.parametrize("size", [1, 3, 10])
class TestSentences:
    @pytest.mark.parametrize(
        "order", [(1, 0, 2, 3, 4, 5, 6, 7), (1, 2, 3, 4, 5, 6, 7, 0), (7, 6, 5, 4, 3, 2, 1, 0)]
    )
    def test_another_order_is_an_error(self, size, order):
        tokenised = ["a CAT sleeps .", "A dog barks .", "it rains .", "He 's here !", "No ."]
        moved = [[*tokenised, *SENTENCES[5:]][k] for k in order]
        with pytest.raises(DataError, match=r"^pair \d: a\.amr has ::snt .* but b\.amr has"):
            compare(moved, SENTENCES, size)
        compare(moved, SENTENCES, size, ids=("x", "x"))
        with pytest.raises(DataError, match=r"^pair \d: a\.amr has ::tok .* but b\.amr has ::tok"):
            compare(moved, SENTENCES, size, key="tok")

    def test_sentences_cut_off_or_missing_are_no_error(self, size):
        compare(["A cat", "A dog barks", "It", "No", "No .", None, "", "Ü"], SENTENCES, size)

    def test_pairs_of_different_sentences_are_no_error(self, size):
        others = [f"Sentence {k}" for k in range(8)]
        compare(SENTENCES, [*SENTENCES[1:4], *others[3:]], size)

    def test_a_repeated_sentence_is_no_error(self, size):
        compare(["Yes"] * 4 + SENTENCES, ["Yes"] * 4 + [*SENTENCES[:-1], "yes ."], size)
