"""What is said of pairs without a score."""

import pytest

import bamboo
from bamboo.parsers.left_out import describe_left_out, describe_sentences

CAT, DOG, BROKEN = "(c / cat)", "(d / dog)", "(c / cat"


@pytest.fixture
def report():
    """Three parsers: the first lacks pair 0, the second pair 1, the third none."""
    parsers = {"a": [BROKEN, CAT, DOG], "b": [CAT, BROKEN, DOG], "c": [DOG, CAT, CAT]}
    with pytest.warns(bamboo.BambooWarning):
        return bamboo.score(parsers, [CAT] * 3, ["smatch", "sema"], on_error="nan", permutations=9)


def test_each_sentence_is_said_once_with_its_metrics(report):
    metrics_of = describe_left_out(report)
    assert [*metrics_of.values()] == [["smatch", "sema"]] * 5
    missing, compared = [*metrics_of][:2], [*metrics_of][2:]
    assert [text.partition(" (")[0] for text in missing] == [
        f"{name}: 1 of 3 pairs is missing and left out of every score" for name in "ab"
    ]
    assert [text.partition(" for which")[0] for text in compared] == [
        "a and b are compared on the 1 pair",
        "a and c are compared on the 2 pairs",
        "b and c are compared on the 2 pairs",
    ]
    assert [*describe_left_out(report["sema"])] == [*metrics_of]


def test_nothing_is_said_of_whole_parsers():
    report = bamboo.score({"a": [CAT], "b": [DOG]}, [CAT], permutations=9)
    assert describe_left_out(report) == {}
    assert describe_sentences(report.by_parser) == "1 sentence"


def test_numbers_of_sentences(report):
    parsers = report.by_parser
    assert describe_sentences(parsers) == "2 sentences for a, 2 for b and 3 for c"
    assert describe_sentences({"a": parsers["a"], "x": parsers["a"]}) == "2 sentences"
