"""Rematch by hand."""

import pytest

from amr_metrics.errors import OptionError
from amr_metrics.features.rematch import Rematch
from tests.builders import pair_of


def parts(pair, metric=None):
    details = (metric or Rematch()).evaluate([pair]).details
    return int(details["intersection"][0]), int(details["union"][0])


def test_three_kinds_of_motifs():
    # Attribute: :polarity -. Instances: not go, boy. Relation: not go :ARG0 boy.
    pair = pair_of("(g / go-01 :ARG0 (b / boy) :polarity -)", "(g / go-01 :ARG0 (b / boy))")
    # The other side has go and boy alone, and go :ARG0 boy.
    assert parts(pair) == (1, 4 + 3 - 1)
    assert Rematch().score([pair])[0] == 1 / (4 + 3 - 1)


def test_a_motif_for_each_attribute():
    both = "(n / name :op1 (o / old) :op2 1 :op3 2)"
    # 2 attributes, 2 + 1 instances, 2 x 1 relations.
    assert parts(pair_of(both, both)) == (7, 7)
    name = "(n / name :op1 (o / old) :op2 1)"
    # 1 attribute, 1 + 1 instances, 1 x 1 relations.
    assert parts(pair_of(both, name)) == (4, 7)


def test_the_corpus_adds_up_motifs():
    pairs = [pair_of("(c / cat)", "(c / cat)"), pair_of("(c / cat :mod (b / big))", "(d / dog)")]
    metric = Rematch()
    assert metric.corpus(metric.evaluate(pairs)) == {"jaccard": (1 + 0) / (1 + 4)}
    assert metric.corpus(metric.evaluate([])) == {"jaccard": 1.0}


@pytest.fixture
def frames(tmp_path):
    def write(text):
        path = tmp_path / "frames.tsv"
        path.write_text(text, "utf-8")
        return str(path)

    return write


def test_senses_are_compared_by_their_frame(frames):
    pair = pair_of("(s / sleep-01 :ARG0 (c / cat))", "(d / doze-01 :ARG0 (c / cat))")
    metric = Rematch(verbatlas=frames("# from a user\nsleep-01\tSLEEP\n\ndoze-01\tsleep\n"))
    assert parts(pair) == (1, 5)
    assert parts(pair, metric) == (3, 3)


def test_a_byte_order_mark_is_no_part_of_the_first_sense(frames):
    pair = pair_of("(s / sleep-01 :ARG0 (c / cat))", "(d / doze-01 :ARG0 (c / cat))")
    metric = Rematch(verbatlas=frames("\ufeffsleep-01\tSLEEP\n\ufeffdoze-01\tsleep\n"))
    assert parts(pair, metric) == (3, 3)


def test_the_signature_follows_the_content_of_the_map(frames):
    signatures = set()
    for text in ("sleep-01\tsleep\n", "# the same\nsleep-01\tSleep\n", "sleep-01\trest\n"):
        signatures.add(Rematch(verbatlas=frames(text)).signature)
    assert len(signatures | {Rematch().signature}) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sleep-01 sleep\n", "line 1: expected sense, tab, frame; found 'sleep-01 sleep'"),
        ("sleep-01\tsleep\ndoze-01\t\n", "line 2: expected"),
        ("sleep-01\tsleep\nsleep-01\trest\n", "line 2: sleep-01 already has a frame"),
    ],
)
def test_a_malformed_map(frames, text, message):
    with pytest.raises(OptionError, match=message):
        Rematch(verbatlas=frames(text))


def test_a_map_that_is_not_there(tmp_path):
    with pytest.raises(OptionError, match=r"none\.tsv: cannot be read"):
        Rematch(verbatlas=str(tmp_path / "none.tsv"))
