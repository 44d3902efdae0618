"""Notes on labels that look like mistakes in the input."""

import warnings

import pytest

import bamboo
from amr_metrics import Pair, Pairs, parse_amr
from bamboo.errors import FileNote
from bamboo.scoring.file_pairs import FilePairs
from bamboo.scoring.labels import LabelCount


def list_notes(*pairs, form, option=""):
    """Return the notes on pairs of texts, which are added one by one."""
    count = LabelCount("a.amr", "b.amr")
    for texts in pairs:
        pair = [Pair(*parse_amr("\n\n".join(texts)))]
        count.add(FilePairs.of(Pairs.of(pair) if form == "arrays" else pair))
    return [*count.notes(option)]


@pytest.mark.parametrize("form", ["arrays", "list"])
class TestNotes:
    def test_escaped_twice(self, form):
        parse = r"(g / go-02\n   :ARG0 (b / boy))"
        (note,) = list_notes((parse, "(g / go-02 :ARG0 (b / boy))"), form=form)
        assert note.startswith(r"a.amr: 1 label (go-02\n) ends in a backslash and n.")
        (note,) = list_notes(*[("(b / boy)", parse)] * 2, form=form)
        assert note.startswith(r"b.amr: 2 labels (go-02\n) end in")

    @pytest.mark.parametrize(
        ("unusual", "plain"),
        [
            ('"R&amp;D"', '"R&D"'),
            ('"O&#39;Hara"', '"O\'Hara"'),
            ('"O\u2019Hara"', '"O\'Hara"'),
            ("caf&eacute;", "caf\u00e9"),
        ],
    )
    def test_entities_and_quotes(self, form, unusual, plain):
        texts = [f"(n / name :op1 {label})" for label in (unusual, plain)]
        (note,) = list_notes(texts, form=form)
        assert note.startswith(
            f"a.amr: 1 label ({unusual}) has HTML entities or typographic quotes"
        )
        assert f"b.amr has plain ones ({plain})" in note
        assert list_notes([texts[0]] * 2, form=form) == []
        assert list_notes([texts[0], "(n / name)"], form=form) == []

    def test_senses_behind_a_dot(self, form):
        pair = "(g / gel.05 :quant 2.50)", "(g / gel.04 :value -12)"
        (note,) = list_notes(pair, form=form, option="drop=senses")
        expected = "drop=senses changes nothing, although 2 labels (gel.05, gel.04) end in a number"
        assert note.startswith(expected)
        assert list_notes(pair, form=form) == []
        three = "(a / a.01 :mod (b / b.01))", "(c / c.01)"
        (note,) = list_notes(three, form=form, option="drop=senses")
        assert "3 labels (a.01, b.01, c.01) end in a number" in note
        frame = "(g / go-02)", "(g / go-01)"
        assert list_notes(pair, frame, form=form, option="drop=senses") == []
        assert list_notes(("(b / boy :quant 2.50)",) * 2, form=form, option="drop=senses") == []


def score(src, tgt, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report = bamboo.score([src], [tgt], **options)
    notes = [str(warning.message) for warning in caught if warning.category is FileNote]
    return report.score, notes


def test_dropped_senses_are_looked_at_before_they_are_dropped():
    assert score("(g / go-02)", "(g / go-01)", drop="senses") == (1.0, [])
    _, (note,) = score("(g / gel.05)", "(g / gel.04)", drop="senses")
    assert note.startswith("drop=senses changes nothing")


def test_no_wsd():
    options = {"aspects": ["no-wsd"], "aspects_definition": "amrlib"}
    _, (note,) = score("(g / gel.05)", "(g / gel.04)", **options)
    assert note.startswith("no-wsd changes nothing, although 2 labels")
    assert score("(g / go-02)", "(g / go-01)", **options)[1] == []
