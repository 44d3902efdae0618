"""One table model, many renderings."""

import csv
import io
import json
import math
import re
import sys
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo.results.table import Format, Table, render, shown, to_html

TABLE = Table(
    "A title",
    ("metric", "pairs", "r", "published"),
    (("smatch", 1379, 58.519, 58.45), ("my_metric", 7, None, None)),
    notes=("A note.",),
    rules=(1, 2),
)
AWKWARD = Table(
    "50 % of a_b & [red]c[/red] :cat: {d}",
    ("a|b", "x_1"),
    (("[bold]x[/] :cat: \\ ~ ^ $ # | & % {} _", 1),),
    notes=("[b] :cat: 100 %",),
)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (58.519, 2, "58.52"),
        (58.519, 4, "58.5190"),
        (None, 2, "–"),
        (True, 2, "True"),
        (-0.001, 2, "0.00"),
        (0.125, 2, "0.12"),  # to even, as Python's own
    ],
)
def test_the_content_of_a_cell(value, digits, text):
    assert shown(value, digits) == text


def test_terminal():
    assert render([TABLE], "table") == (
        "A title\n"
        "\n"
        "  metric      pairs       r   published\n"
        " ───────────────────────────────────────\n"
        "  smatch       1379   58.52       58.45\n"
        "\n"
        "  my_metric       7       –           –\n"
        "\n"
        "A note."
    )


def test_markdown():
    assert render([TABLE], "markdown") == (
        "**A title**\n"
        "\n"
        "| metric | pairs | r | published |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| smatch | 1379 | 58.52 | 58.45 |\n"
        "| my_metric | 7 | – | – |\n"
        "\n"
        "A note."
    )


def test_latex():
    assert render([TABLE], "latex") == (
        "% A title\n"
        "\\begin{tabular}{lrrr}\n"
        "\\toprule\n"
        "metric & pairs & r & published \\\\\n"
        "\\midrule\n"
        "smatch & 1379 & 58.52 & 58.45 \\\\\n"
        "\\midrule\n"
        "my\\_metric & 7 & -- & -- \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "% A note."
    )


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_csv_and_json_preserve_floats_exactly(value):
    table = Table("T", ("a",), ((value,),))
    rows = list(csv.reader(io.StringIO(render([table], "csv"))))
    assert float(rows[1][0]) == value
    assert json.loads(render([table], "json"))[0]["rows"][0][0] == value


def test_nan_is_shown_as_a_value_that_does_not_exist():
    table = Table("T", ("a", "b"), (("x", math.nan), ("y", 1.5)))
    assert json.loads(render([table], "json"), parse_constant=pytest.fail)[0]["rows"] == [
        ["x", None],
        ["y", 1.5],
    ]
    assert render([table], "csv") == "a,b\nx,\ny,1.5"
    assert "| x | – |" in render([table], "markdown")


def test_json_prints_the_document_or_the_tables():
    assert json.loads(render([TABLE], "json", {"a": "ü"})) == {"a": "ü"}
    (plain,) = json.loads(render([TABLE], "json"))
    assert plain == {
        "title": "A title",
        "columns": ["metric", "pairs", "r", "published"],
        "rows": [["smatch", 1379, 58.519, 58.45], ["my_metric", 7, None, None]],
        "notes": ["A note."],
    }


def test_nothing_is_markup_on_a_terminal():
    text = render([AWKWARD], "table")
    for part in (AWKWARD.title, *AWKWARD.columns, AWKWARD.rows[0][0], *AWKWARD.notes):
        assert part in text


def test_markdown_escapes_bars():
    lines = render([AWKWARD], "markdown").split("\n")
    assert lines[2] == "| a\\|b | x_1 |"
    assert lines[4] == "| [bold]x[/] :cat: \\ ~ ^ $ # \\| & % {} _ | 1 |"


def test_latex_escapes_what_is_special():
    lines = render([AWKWARD], "latex").split("\n")
    assert lines[3] == "a|b & x\\_1 \\\\"
    assert lines[5] == (
        "[bold]x[/] :cat: \\textbackslash{} \\textasciitilde{} \\textasciicircum{} "
        "\\$ \\# | \\& \\% \\{\\} \\_ & 1 \\\\"
    )


def test_long_cells_are_not_truncated_in_a_pipe():
    long = "word " * 100 + "x" * 500
    assert long in render([Table("T", ("a", "b"), ((long, long),))], "table")


def on_terminal(monkeypatch, width, table):
    """The lines on a terminal, without styles."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(width))
    return re.sub(r"\x1b\[[\d;]*m", "", render([table], "table")).splitlines()


LONG = Table("T", ("metric", "column", "r"), (("smatch", "main sts", 58.5),))
WIDE = Table("T", ("metric", *[f"column {k}" for k in range(9)]), (("smatch", *[1.25] * 9),))


def test_a_table_of_own_forms_for_terminals(monkeypatch):
    table = replace(WIDE, terminal=(replace(WIDE, title="First"), LONG))
    assert on_terminal(monkeypatch, 120, table)[0] == "First"
    assert on_terminal(monkeypatch, 60, table)[4].split()[-1] == "58.50"
    assert "First" in to_html(table)
    assert render([table], "csv").startswith("metric,column 0")


@given(
    st.lists(
        st.tuples(st.text("ab_", min_size=1, max_size=20), st.integers(0, 99), st.floats(0, 1)),
        min_size=1,
        max_size=4,
    ),
    st.integers(30, 80),
)
def test_no_number_or_name_is_cut(rows, width):
    columns = ("name", "number of pairs", "a share with a long heading")
    with pytest.MonkeyPatch.context() as patch:
        lines = on_terminal(patch, width, Table("T", columns, tuple(rows)))
    words = " ".join(lines).split()
    for row in rows:
        for value in row:
            assert shown(value, 2) in words


def test_sentences_are_folded_between_words(monkeypatch):
    sentence = "Smatch. Cai and Knight (2013), an evaluation metric for feature structures"
    lines = on_terminal(monkeypatch, 50, Table("T", ("metric", "source"), (("smatch", sentence),)))
    assert max(map(len, lines)) <= 50
    assert " ".join(" ".join(lines[4:]).split()) == f"smatch {sentence}"


def test_wide_characters_count_twice():
    *_, first, second = render(
        [Table("", ("a", "b"), (("中文字", "x"), ("abc", "y")))], "table"
    ).splitlines()
    assert first.index("x") + 3 == second.index("y")


def test_intervals_are_numbers_in_csv():
    columns = ("metric", "f1 95 %", "95 %")
    rows = (("a", (0.25, 1 / 3), None), ("b", (math.nan, 1.0), (-1.0, 0.0)))
    table = Table("T", columns, rows, digits=(0, 2, 1))
    assert "| a | 0.25 .. 0.33 | – |" in render([table], "markdown")
    assert "| b | – | -1.0 .. 0.0 |" in render([table], "markdown")
    assert render([table], "csv").splitlines() == [
        "metric,f1 low,f1 high,low,high",
        f"a,0.25,{1 / 3},,",
        "b,,,-1.0,0.0",
    ]


@pytest.mark.parametrize("report", get_args(Format))
def test_two_tables_and_none(report):
    both = render([TABLE, AWKWARD], report)
    if report == "json":
        assert [t["title"] for t in json.loads(both)] == [TABLE.title, AWKWARD.title]
    else:
        assert both == render([TABLE], report) + "\n\n" + render([AWKWARD], report)
    assert render([], report) in ("", "[]")


def test_best_cells_are_marked():
    table = Table("T", ("m", "r"), (("a", 1.0), ("b_c", 0.5)), best=frozenset({(0, 1)}))
    assert "| a | **1.00** |" in render([table], "markdown")
    assert "| b_c | 0.50 |" in render([table], "markdown")
    assert r"a & \textbf{1.00} \\" in render([table], "latex")
    lines = render([table], "table").splitlines()
    assert [line.split() for line in lines[-2:]] == [["a", "*1.00"], ["b_c", "0.50"]]
    assert lines[-2].index("1.00") == lines[-1].index("0.50")
    assert json.loads(json.dumps(table.to_json()))["rows"] == [["a", 1.0], ["b_c", 0.5]]
    assert "a,1.0\n" in render([table], "csv") + "\n"
