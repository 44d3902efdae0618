"""The one layout of tables: rows of a board, by keys and by what stands across."""

from bamboo.board import CORPUS, WHOLE, Board, Difference, Score
from bamboo.display.shown import Shown
from bamboo.parsers.layout import (
    VERSUS,
    choose_scores,
    describe_needed,
    lay_out,
    tabulate_parts,
)
from bamboo.parsers.tables import tabulate_metrics

NAN = float("nan")


def score(metric, system, name, value, *interval, kind=CORPUS, part=WHOLE):
    return Score(metric, kind, part, system, 9, 0, name, value, *interval)


def difference(metric, first, second, name, value, p, adjusted, kind=CORPUS, part=WHOLE):
    tested = {"p": p, "p_adjusted": adjusted, "p_bootstrap": p / 2, "detectable": 0.25}
    place = metric, kind, part, first, second
    return Difference(*place, 9, name, value, value - 0.125, value + 0.125, **tested)


BOARD = Board(
    (
        score("smatch", "a", "precision", 0.75),
        score("smatch", "a", "f1", 0.5, 0.25, 0.75),
        score("smatch", "b", "precision", 0.5),
        score("smatch", "b", "f1", 0.75, 0.5, 1.0),
        score("wlk", "a", "mean", 0.25, 0.125, 0.5),
        score("wlk", "b", "mean", 0.125, 0.0625, 0.25),
    ),
    (
        difference("smatch", "a", "b", "precision", 0.25, 0.2, NAN),
        difference("smatch", "a", "b", "f1", -0.25, 0.001, 0.004),
        difference("wlk", "a", "b", "mean", 0.125, 0.3, 0.4),
    ),
)
SMATCH = BOARD.select(metric="smatch")


def test_scores_across():
    scores = {"precision": "precision", "f1": "f1", "f1 95 %": "f1"}
    table = lay_out("Title", SMATCH, {"parser": "system", "pairs": "pairs"}, scores, Shown())
    assert table.title == "Title (x 100)"
    assert table.columns == ("parser", "pairs", "precision", "f1", "f1 95 %")
    assert table.rows == (("a", 9, 0.75, 0.5, (0.25, 0.75)), ("b", 9, 0.5, 0.75, (0.5, 1.0)))
    assert table.best == {(1, 3)}  # by F1, and not in the column of its interval
    assert table.marks == {}  # nothing is compared in the columns
    assert table.texts(0) == ["a", "9", "75.0", "50.0", "25.0 .. 75.0"]


def test_a_comparison_with_the_best():
    table = lay_out("", SMATCH, {"parser": "system"}, {"f1": "f1"}, Shown(), versus=VERSUS)
    assert table.columns == ("parser", "f1", "minus best", "p boot.", "p perm.", "p adj.")
    assert table.rows[0] == ("a", 0.5, -0.25, 0.0005, 0.001, 0.004)
    assert table.rows[1] == ("b", 0.75, None, None, None, None)
    assert table.marks == {(0, 5): "**", (1, 5): "best"}  # by the corrected p-value
    assert table.texts(0)[2:] == ["-25.0", "0.00050", "0.00100", "0.00400"]
    assert [row[-1] for row in table.with_marks().rows] == ["**", "best"]


def test_metrics_across_have_marks_and_intervals_each():
    columns = {"smatch": "smatch", "smatch 95 %": "smatch", "wlk": "wlk", "wlk 95 %": "wlk"}
    mains = Board(tuple(row for row in BOARD.scores if row.score != "precision"), BOARD.differences)
    table = lay_out("", mains, {"parser": "system"}, columns, Shown(), across="metric")
    assert table.rows == (
        ("a", 0.5, (0.25, 0.75), 0.25, (0.125, 0.5)),
        ("b", 0.75, (0.5, 1.0), 0.125, (0.0625, 0.25)),
    )
    assert table.best == {(1, 1), (0, 3)}
    assert table.marks == {(0, 1): "**", (1, 1): "best", (0, 3): "best", (1, 3): ""}
    marked = table.with_marks()
    assert marked.columns == (
        *("parser", "smatch", "smatch mark", "smatch 95 %"),
        *("wlk", "wlk mark", "wlk 95 %"),
    )
    assert r"a & 50.0" in table.to_latex()
    assert r"\textbf{75.0}" in table.to_latex()
    assert tabulate_metrics(BOARD, "", (), Shown()).rows == table.rows


def test_a_system_that_a_metric_could_not_score_has_an_empty_cell():
    rows = tuple(row for row in BOARD.scores if (row.metric, row.system) != ("wlk", "b"))
    board = Board((*rows, score("wlk", "b", "mean", NAN)), BOARD.differences[:2])
    table = tabulate_metrics(board, "", (), Shown())
    assert [row[3] for row in table.rows] == [0.25, None]
    missing = Board(rows, BOARD.differences)  # no row at all
    assert [row[3] for row in tabulate_metrics(missing, "", (), Shown()).rows] == [0.25, None]


def test_all_columns_of_several_metrics():
    table = tabulate_metrics(BOARD, "", (), Shown(columns="all"))
    assert table.columns == (
        *("metric", "parser", "pairs", "precision", "f1", "f1 95 %", "mean", "mean 95 %"),
        *VERSUS,
    )
    assert [row[:2] for row in table.rows] == [
        *(("smatch", "a"), ("smatch", "b")),
        *(("wlk", "a"), ("wlk", "b")),
    ]
    assert table.rules == (2,)
    assert table.rows[0][8:] == (-0.25, 0.0005, 0.001, 0.004)
    assert table.rows[3][3:6] == (None, None, None)  # wlk has no precision and no F1
    assert table.rows[3][8:] == (-0.125, 0.15, 0.3, 0.4)
    assert table.best == {(1, 4), (2, 6)}


def test_rules_between_parts():
    rows = [score("m", s, "f1", 0.5, kind="aspect", part=p) for p in ("ner", "srl") for s in "ab"]
    keys = {"aspect": "part", "parser": "system"}
    table = lay_out("", Board(tuple(rows)), keys, {"f1": "f1"}, Shown(), rule="part")
    assert [row[:2] for row in table.rows] == [
        ("ner", "a"),
        ("ner", "b"),
        ("srl", "a"),
        ("srl", "b"),
    ]
    assert table.rules == (2,)
    assert (table.best, table.marks) == (frozenset(), {})  # nothing is compared


def test_keys_can_be_computed():
    keys = {"": lambda row: row.system.upper()}
    table = lay_out("", SMATCH, keys, {"f1": "f1"}, Shown(times_100=False, digits=2))
    assert table.rows == (("A", 0.5), ("B", 0.75))
    assert table.texts(0) == ["A", "0.50"]
    assert table.title == ""


def test_the_columns_of_scores():
    names = ["precision", "recall", "f1", "macro_f1"]
    assert [*choose_scores(names, ["f1"], {}, Shown())] == ["precision", "recall", "f1", "f1 95 %"]
    assert [*choose_scores(names, (), VERSUS, Shown())] == ["f1"]
    every = ["precision", "recall", "f1", "macro f1", "macro f1 95 %"]
    assert [*choose_scores(names, ["macro_f1"], VERSUS, Shown(columns="all"))] == every


def test_how_many_sentences_are_needed():
    """A difference 25 times smaller than the detectable one of .25 needs 625 times the 9 pairs."""
    assert describe_needed(SMATCH, None) == []
    (text,) = describe_needed(SMATCH, 0.01)
    assert "difference of 1 in F1" in text
    assert "5,625 sentences like these are needed (80 % power" in text
    (text,) = describe_needed(Board(SMATCH.scores, SMATCH.differences * 2), 0.01)
    assert "5,625 sentences like these are needed, the most of 2 comparisons (80 %" in text


PARTS = Board(
    (
        score("m", "a", "precision", 0.75, kind="aspect", part="ner"),
        score("m", "a", "f1", 0.5, kind="aspect", part="ner"),
        score("m", "b", "f1", 0.75, kind="aspect", part="ner")._replace(pairs=8),
        score("m", "a", "f1", 0.25, kind="aspect", part="srl"),
        score("m", "b", "f1", 0.125, 0.0, 0.5, kind="aspect", part="srl"),
        score("m", "a", "macro_f1", 0.25, kind="aspect", part="srl"),
    ),
    (
        difference("m", "a", "b", "f1", -0.25, 0.001, 0.004, "aspect", "ner"),
        difference("m", "a", "b", "f1", 0.125, 0.3, 0.4, "aspect", "srl"),
    ),
)


def test_several_parsers_have_a_row_each_with_a_column_per_part():
    table = tabulate_parts(PARTS, "aspect", "Aspects", ("Note",), 20, Shown(), {"ner": "names"})
    assert table.title == "Aspects, F1 (x 100)"
    assert table.columns == ("parser", "ner", "srl")
    assert table.rows == (("a", 0.5, 0.25), ("b", 0.75, 0.125))
    assert table.best == {(1, 1), (0, 2)}
    assert table.marks == {(0, 1): "**", (1, 1): "best", (0, 2): "best", (1, 2): ""}
    assert table.notes[:2] == ("ner: names", "Note")
    assert "over all aspects and pairs of parsers: 2 tests" in table.notes[2]
    assert table.notes[3] == "Pairs: ner 8 to 9, srl 9"
    caption, *notes = table.paper.notes
    assert caption.startswith("Aspects, F1 (x 100). Bold: the highest. *, **, ***: significantly")
    assert "ner: names" not in notes
    assert r"| a | 50.0\*\* | **25.0** |" in table.to_markdown()


def test_with_all_columns_differences_stand_beside_the_scores_that_they_are_of():
    table = tabulate_parts(PARTS, "aspect", "Aspects", (), 20, Shown(columns="all"))
    assert table.columns == (
        *("aspect", "parser", "pairs", "left out", "precision", "f1", "f1 95 %"),
        *("minus best", "minus best 95 %", "p perm.", "p adj.", "macro f1"),
    )
    assert table.rows[0] == (
        *("ner", "a", 9, 0, 0.75, 0.5, None),
        *(-0.25, (-0.375, -0.125), 0.001, 0.004, None),
    )
    assert table.marks[0, 10] == "**"  # beside the corrected p-value
    assert table.rules == (2,)
