"""Roles that only one of two files has."""

import pytest

from amr_metrics import Pair, Pairs, parse_amr
from bamboo.scoring.checks import RoleCount
from bamboo.scoring.file_pairs import FilePairs

WIKI = '(c / city :wiki "Ulm" :mod (b / big))'
PLAIN = "(c / city :mod (b / big))"


def notes(src, tgt, count, form):
    """Return the notes on pairs that are added in two parts."""
    pairs = [Pair(*parse_amr(f"{src}\n\n{tgt}"))] * count
    check = RoleCount("a.amr", "b.amr")
    for part in (pairs[:40], pairs[40:]):
        check.add(FilePairs.of(Pairs.of(part) if form == "arrays" else part))
    return check.notes()


@pytest.mark.parametrize("form", ["arrays", "list"])
class TestNotes:
    def test_a_role_on_one_side(self, form):
        (text,) = notes(WIKI, PLAIN, 100, form)
        assert text.startswith("a.amr has :wiki 100 times, b.amr never.")
        (text,) = notes(PLAIN, WIKI, 100, form)
        assert text.startswith("b.amr has :wiki 100 times, a.amr never.")

    def test_the_option_that_removes_it(self, form):
        (text,) = notes('(c / city :wiki "Ulm" :quant 1)', "(c / city)", 100, form)
        assert text.endswith("from one side only? drop=wiki,:quant leaves them out")

    def test_rare_or_on_both_sides(self, form):
        assert notes(WIKI, PLAIN, 99, form) == []
        assert notes(WIKI, WIKI, 100, form) == []
        mods = " ".join(f":mod (x{k} / y)" for k in range(100))
        assert notes(f'(c / city :wiki "Ulm" {mods})', f"(c / city {mods})", 100, form) == []
