"""Exact match: the share of pairs whose counts are equal, and what `drop=roles` ignores."""

import csv
import re
import warnings

import numpy as np
import pytest
from released import shared_file

import bamboo
from amr_metrics.base import Scores
from bamboo.errors import FileNote
from bamboo.installation import resource
from bamboo.parsers.analyses.exact import Exact
from bamboo.scoring.scored import Scored

CAT = "(s / sleep-01 :ARG0 (c / cat))"
DOG = "(s / sleep-01 :ARG0 (d / dog))"
TWICE, ONCE = '(n / name :op1 "A" :op1 "A")', '(n / name :op1 "A")'


def share(src, tgt, metric="smatch_1.0", **options):
    return bamboo.score([src], [tgt], metric, exact=True, **options).corpus["exact"]


@pytest.mark.parametrize("metric", ["smatch_1.0", "smatchpp"])
@pytest.mark.parametrize(("parser", "count"), [("bart", 10), ("t5", 14)])
def test_exact_matches_on_the_little_prince(shared, metric, parser, count):
    folder = shared_file(shared, "parsers/little-prince")
    report = bamboo.score(folder / f"{parser}.amr", folder / "gold.amr", metric, exact=True)
    assert report.corpus["exact"] * 200 == pytest.approx(count)
    assert report.values.scores.details["exact"].sum() == count


def test_counts_are_compared_and_not_f1():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileNote)
        # 4 of 4 and 3 triples match, 6 of 4 and 4: the package counts repeated triples again.
        assert share(TWICE, ONCE) == share(TWICE, TWICE) == 0
    corrected = {"options": {"variant": "corrected"}}
    assert share(TWICE, ONCE, **corrected) == share(TWICE, TWICE, **corrected) == 1


def test_the_share_is_a_column_only_if_requested(tmp_path):
    parses, gold, file = [CAT, DOG, CAT, "(s / sleep-01"], [CAT] * 4, tmp_path / "pairs.csv"
    options = {"on_error": "zero", "per_pair": file, "ci": True}
    with pytest.warns(bamboo.BambooWarning, match="1 of 4 pairs counts as an empty parse"):
        report = bamboo.score(parses, gold, "smatch_1.0", exact=True, **options)
    assert report.corpus["exact"] == 0.5
    assert "exact" in report.tables()[-1].columns
    with file.open() as rows:
        assert [row["exact"] for row in csv.DictReader(rows)] == ["1.0", "0.0", "1.0", "0.0"]
    assert report.to_json()["corpus"]["exact"] == 0.5
    assert "exact" not in bamboo.score(parses[:3], gold[:3]).corpus
    # A pair that is left out is in no share.
    with pytest.warns(bamboo.BambooWarning, match="1 of 4 pairs is missing"):
        report = bamboo.score(parses, gold, exact=True, on_error="nan")
    assert report.corpus["exact"] == 2 / 3


def test_a_metric_without_counts_has_no_share():
    report = bamboo.score([CAT, DOG], [CAT, CAT], ["smatch_1.0", "sembleu"], exact=True)
    values = {row.metric: row.value for row in report.board.select(score="exact").scores}
    assert values["smatch_1.0"] == 0.5
    assert np.isnan(values["sembleu"])
    table = report.tables()[0]
    assert [row[table.columns.index("exact")] for row in table.rows] == [0.5, None]


def test_several_parsers_and_metrics_have_a_table_of_shares():
    parsers = {"a": [CAT, DOG], "b": [CAT, CAT]}
    report = bamboo.score(parsers, [CAT, CAT], ["smatch_1.0", "sembleu"], exact=True)
    _, table, *_ = report.tables()
    assert table.columns == ("parser", "smatch_1.0", "sembleu")
    assert table.rows == (("a", 0.5, None), ("b", 1.0, None))
    (difference,) = report.board.select(metric="smatch_1.0", score="exact").differences
    assert difference.value == -0.5
    assert difference.p == 1.0  # the one pair that differs can be swapped: 2 of 2 orders


def test_pairs_that_are_not_proven_optimal_are_undecided():
    columns = {
        "matches": np.array([3.0, 3.0, 2.0, 2.0]),
        "src_total": np.array([3.0, 3.0, 3.0, 3.0]),
        "tgt_total": np.array([3.0, 4.0, 3.0, 3.0]),
        "optimal": np.array([False, True, False, True]),
    }
    scored = Exact().mark(Scored(Scores(np.array([1.0, 0.9, 0.7, 0.7]), columns)))
    assert scored.scores.details["exact"].tolist() == [1, 0, 0, 0]
    (note,) = Exact().remark(scored)
    assert note.startswith("exact: 1 of 4 pairs is undecided")
    assert note.endswith(" and counts as not exact")
    folder = resource("data") / "sample" / "main"
    sides = folder / "src.test.amr", folder / "tgt.test.amr"
    options = {"solver": "hillclimb"}
    report = bamboo.score(*sides, "smatch_1.0", options=options, exact=True)
    notes = " ".join(report.tables()[-1].notes)
    assert re.search("of 64 pairs are undecided, .* and count as not exact", notes)


GRAPES = {"drop": "senses,roles", "options": {"root": "none"}}


def test_dropped_roles_are_as_grapes_but_for_direction_and_quotes():
    see = "(s / see-01 :ARG0 (b / boy) :quant 3)"
    assert share(see, "(b / boy :ARG2-of (s / see-02 :value 3))", **GRAPES) == 1
    # Direction counts, which GrAPES ignores: 4 of 6 triples match.
    turned = "(s / see-01 :ARG0 (b / boy))", "(b / boy :ARG0 (s / see-02))"
    assert share(*turned, **GRAPES) == 0
    assert bamboo.score(*turned, **GRAPES).score == pytest.approx(2 / 3)
    # So do quotes, in metrics that compare them; the packages smatch and smatchpp do not.
    quoted = "(d / dog :quant 3)", '(d / dog :quant "3")'
    assert [share(*quoted, m, **GRAPES) for m in ("smatch", "smatch_1.0")] == [0, 1]
    # Case does not count.
    assert share("(s / See-01)", "(s / see-01)", **GRAPES) == 1


def test_edges_that_differ_in_their_roles_become_one():
    both = "(s / see-01 :ARG0 (b / boy) :ARG1 b)"
    assert share(both, "(s / see-01 :ARG2 (b / boy))", drop="roles") == 1


def test_single_roles_are_dropped_before_all_get_one():
    wiki = '(p / person :wiki "Q1" :mod (d / dog))', "(p / person :part (d / dog))"
    assert share(*wiki, drop="roles,wiki") == share(*wiki, drop="roles,:wiki") == 1
    assert share(*wiki, drop="roles") == 0
    assert "drop=roles" in bamboo.score(*wiki, drop="roles").signature
