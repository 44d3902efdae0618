"""One table model, many renderings."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo.tables.model import Format, Table, render, shown

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
        (3, 2, "3"),
        ("a", 2, "a"),
        (True, 2, "True"),
        (-0.001, 2, "0.00"),
        (-0.006, 2, "-0.01"),
        (0.125, 2, "0.12"),  # to even, as Python's own
    ],
)
def test_the_content_of_a_cell(value: object, digits: int, text: str) -> None:
    assert shown(value, digits) == text


def test_terminal() -> None:
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


def test_markdown() -> None:
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


def test_latex() -> None:
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


def test_csv_keeps_all_digits() -> None:
    text = render([Table("T", ("a", "b"), (("x,y", 0.1 + 0.2), ('"q"', None)))], "csv")
    assert text == 'a,b\n"x,y",0.30000000000000004\n"""q""",'


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_csv_and_json_preserve_floats_exactly(value: float) -> None:
    table = Table("T", ("a",), ((value,),))
    rows = list(csv.reader(io.StringIO(render([table], "csv"))))
    assert float(rows[1][0]) == value
    assert json.loads(render([table], "json"))[0]["rows"][0][0] == value


def test_nan_is_shown_as_a_value_that_does_not_exist() -> None:
    table = Table("T", ("a", "b"), (("x", math.nan), ("y", 1.5)))
    assert json.loads(render([table], "json"), parse_constant=pytest.fail)[0]["rows"] == [
        ["x", None],
        ["y", 1.5],
    ]
    assert render([table], "csv") == "a,b\nx,\ny,1.5"
    assert "| x | – |" in render([table], "markdown")


def test_json_prints_the_document_or_the_tables() -> None:
    assert json.loads(render([TABLE], "json", {"a": "ü"})) == {"a": "ü"}
    (plain,) = json.loads(render([TABLE], "json"))
    assert plain == {
        "title": "A title",
        "columns": ["metric", "pairs", "r", "published"],
        "rows": [["smatch", 1379, 58.519, 58.45], ["my_metric", 7, None, None]],
        "notes": ["A note."],
    }


def test_nothing_is_markup_on_a_terminal() -> None:
    text = render([AWKWARD], "table")
    for part in (AWKWARD.title, *AWKWARD.columns, AWKWARD.rows[0][0], *AWKWARD.notes):
        assert part in text


def test_markdown_escapes_bars() -> None:
    lines = render([AWKWARD], "markdown").split("\n")
    assert lines[2] == "| a\\|b | x_1 |"
    assert lines[4] == "| [bold]x[/] :cat: \\ ~ ^ $ # \\| & % {} _ | 1 |"


def test_latex_escapes_what_is_special() -> None:
    lines = render([AWKWARD], "latex").split("\n")
    assert lines[3] == "a|b & x\\_1 \\\\"
    assert lines[5] == (
        "[bold]x[/] :cat: \\textbackslash{} \\textasciitilde{} \\textasciicircum{} "
        "\\$ \\# | \\& \\% \\{\\} \\_ & 1 \\\\"
    )


def test_long_cells_are_not_truncated_in_a_pipe() -> None:
    long = "word " * 100 + "x" * 500
    assert long in render([Table("T", ("a", "b"), ((long, long),))], "table")


def test_tables_fit_the_width_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm-256color")
    text = render([Table("T", ("a",), (("x" * 100,),))], "table")
    assert text.count("x") == 100  # folded, not cut


@pytest.mark.parametrize("report", get_args(Format))
def test_two_tables_and_none(report: Format) -> None:
    both = render([TABLE, AWKWARD], report)
    if report == "json":
        assert [t["title"] for t in json.loads(both)] == [TABLE.title, AWKWARD.title]
    else:
        assert both == render([TABLE], report) + "\n\n" + render([AWKWARD], report)
    assert render([], report) in ("", "[]")


@pytest.mark.parametrize("report", get_args(Format))
def test_a_table_without_rows(report: Format) -> None:
    assert "metric" in render([Table("T", ("metric",), ())], report)


def test_best_cells_are_marked() -> None:
    table = Table("T", ("m", "r"), (("a", 1.0), ("b_c", 0.5)), best=frozenset({(0, 1)}))
    assert "| a | **1.00** |" in render([table], "markdown")
    assert "| b_c | 0.50 |" in render([table], "markdown")
    assert r"a & \textbf{1.00} \\" in render([table], "latex")
    lines = render([table], "table").splitlines()
    assert [line.split() for line in lines[-2:]] == [["a", "*1.00"], ["b_c", "0.50"]]
    assert lines[-2].index("1.00") == lines[-1].index("0.50")
    assert json.loads(json.dumps(table.to_json()))["rows"] == [["a", 1.0], ["b_c", 0.5]]
    assert "a,1.0\n" in render([table], "csv") + "\n"


def test_a_table_without_its_word_vectors_is_left_out(cli, monkeypatch):
    monkeypatch.setenv("BAMBOO_VECTORS", "missing.txt")
    outcome = cli("tables", "table=1,definitions", "data=sample", "quiet=true")
    assert outcome.status == 1
    assert "Table 1, data" in outcome.out
    assert "Definitions" not in outcome.out
    assert outcome.err.startswith("error: not computed: Definitions (Pearson x 100): missing.txt: ")
    alone = cli("tables", "table=definitions", "data=sample", "quiet=true")
    assert (alone.status, alone.out, alone.err) == (1, "", outcome.err)
    assert cli("tables", "table=1", "data=sample", "quiet=true").status == 0
