"""The note on pairs that differ only in the order of edges."""

import warnings

import pytest

import bamboo
from bamboo.errors import FileNote

# Both dogs are nodes of one concept, which WLK of 2021 numbers in the order of the text.
SEE = "(s / see-01 :ARG0 (d / dog :mod (b / big)) :ARG1 (e / dog))"
MOVED = "(s / see-01 :ARG1 (e / dog) :ARG0 (d / dog :mod (b / big)))"
RENAMED = "(x / see-01 :ARG1 (y / dog) :ARG0 (z / dog :mod (w / big)))"
OTHER = "(s / see-01 :ARG1 (d / dog :mod (b / big)) :ARG0 (e / dog))"  # the same labels


def list_notes(src, tgt, metric="wlk", **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bamboo.score(src, tgt, metric, **options)
    return [str(warning.message) for warning in caught if warning.category is FileNote]


@pytest.mark.parametrize("moved", [MOVED, RENAMED])
def test_the_order_of_edges(moved):
    (note,) = list_notes([SEE, SEE, SEE], [SEE, OTHER, moved])
    assert note.startswith("1 pair differs only in the order of edges (the first: pair 2)")
    assert "metric.variant=definition gives 1" in note
    report = bamboo.score([SEE], [moved], "wlk", options={"variant": "definition"})
    assert report.score == pytest.approx(1)


def test_the_option_for_one_of_several_metrics():
    (note,) = list_notes([SEE], [MOVED], "wlk,smatch")
    assert "metric.wlk.variant=definition gives 1" in note


@pytest.mark.parametrize(("src", "tgt"), [(SEE, SEE), (SEE, OTHER), (SEE, "(d / dog)")])
def test_other_pairs(src, tgt):
    assert list_notes([src], [tgt]) == []


def test_metrics_without_order():
    assert list_notes([SEE], [MOVED], "smatch") == []
    assert list_notes([SEE], [MOVED], options={"variant": "definition"}) == []
