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
from harness import typeset
from hypothesis import given
from hypothesis import strategies as st

from bamboo.display.table import OutputFormat, Table, format_cell, render, to_html

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
def test_the_content_of_a_cell(value, digits, text):
    assert format_cell(value, digits) == text


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


def test_csv_keeps_all_digits():
    text = render([Table("T", ("a", "b"), (("x,y", 0.1 + 0.2), ('"q"', None)))], "csv")
    assert text == 'a,b\n"x,y",0.30000000000000004\n"""q""",'


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
    assert lines[3] == "a\\textbar{}b & x\\_1 \\\\"
    assert lines[5] == (
        "{}[bold]x[/] :cat: \\textbackslash{} \\textasciitilde{} \\textasciicircum{} "
        "\\$ \\# \\textbar{} \\& \\% \\{\\} \\_ & 1 \\\\"
    )


# Names that are markup or a command in some form, and what a reader must see of them.
NAMES = (
    "[ours]",
    "*star",
    "*both* and `code`",
    "_under_ x_1 __init__",
    "[a](b.c)",
    "![a](b.c)",
    "a <b>c</b> &lt; p < .05",
    "a|b \\| \\* \\x",
    "~~a~~ ~ b--c---d",
    "50 % of $x_1$ & #2 {^}",
    "a\nb\\input{secret}",
)
SEEN = (*NAMES[:-1], r"a\u000ab\input{secret}")


def names_table(note="A note."):
    """A table whose title, heading, rows and note have names."""
    rows = tuple((name, k / 8) for k, name in enumerate(NAMES))
    marks = {(k, 1): "*" * (k % 4) for k in range(len(NAMES))}
    best = frozenset({(1, 1), (4, 1)})
    return Table(NAMES[2], (NAMES[4], "r"), rows, notes=(note,), best=best, marks=marks)


def test_names_are_text_in_markdown():
    markdown_it = pytest.importorskip("markdown_it", reason="needs markdown-it-py")
    reader = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = reader.parse(render([names_table(f"{NAMES[6]} and {NAMES[4]}")], "markdown"))
    inlines = [token.children for token in tokens if token.type == "inline"]
    seen = ["".join(child.content for child in line) for line in inlines]
    assert seen[:2] == [SEEN[2], SEEN[4]]
    assert tuple(seen[3:-1:2]) == SEEN
    assert seen[-1] == f"{SEEN[6]} and {SEEN[4]}"
    # Only the title and the two best numbers are markup.
    types = {child.type for line in inlines for child in line if child.content == ""}
    assert types <= {"strong_open", "strong_close", "text"}
    assert sum(child.type == "strong_open" for line in inlines for child in line) == 3


def test_names_end_no_line_in_latex():
    lines = render([names_table("a\nb\\input{secret}")], "latex").split("\n")
    assert lines[0] == "% *both* and `code`"
    assert lines[5:7] == [r"{}[ours] & 0.00 \\", r"{}*star & \textbf{0.12}\rlap{$^{*}$} \\"]
    assert lines[-2:] == ["% a", r"% b\input{secret}"]
    rows = [line for line in lines if not line.startswith("%")]
    assert len(rows) == len(NAMES) + 6
    text = re.sub(r"\\rlap\{.*?\$\}", "", "\n".join(rows))
    assert not set("<>|").intersection(text)
    assert "--" not in text.replace(" -- ", "")


def test_stars_have_room_in_latex():
    """They stand beside the number without a width, and the column after them begins later."""
    marks = {(0, 1): "***", (0, 2): "best"}
    table = Table("T", ("m", "a", "b", "c"), (("x", 1.0, 2.0, 3.0),), marks=marks)
    lines = render([table], "latex").split("\n")
    assert lines[1] == r"\begin{tabular}{lr@{\hspace{2.5em}}rr}"
    assert lines[5] == r"x & 1.00\rlap{$^{***}$} & 2.00 & 3.00 \\"


def test_latex_is_typeset(tmp_path):
    (tmp_path / "secret.tex").write_text(r"\typeout{SECRET}")
    log = typeset(tmp_path, render([names_table(NAMES[-1]), AWKWARD], "latex"))
    assert "SECRET" not in log
    assert "Overfull" not in log


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


def test_a_long_form_for_csv():
    table = replace(WIDE, long=LONG, notes=("A note.",))
    assert render([table], "table").splitlines()[2].split() == " ".join(WIDE.columns).split()
    assert render([table], "csv") == "metric,column,r\nsmatch,main sts,58.5"
    assert "| smatch | 1.25 |" in render([table], "markdown")


def test_a_form_for_terminals_and_notebooks():
    table = replace(WIDE, terminal=replace(LONG, title="First"))
    assert render([table], "table").splitlines()[0] == "First"
    assert "First" in to_html(table)
    assert render([table], "csv").startswith("metric,column 0")


def test_sentences_are_folded_between_words(monkeypatch):
    sentence = "Smatch. Cai and Knight (2013), an evaluation metric for feature structures"
    lines = on_terminal(monkeypatch, 50, Table("T", ("metric", "source"), (("smatch", sentence),)))
    assert max(map(len, lines)) <= 50
    assert " ".join(" ".join(lines[4:]).split()) == f"smatch {sentence}"


@pytest.mark.parametrize("signature", ["signature: Smatch", "wlk (K=2): signature Wlk"])
def test_a_signature_is_on_one_line(monkeypatch, signature):
    signature = f"{signature}(x)|resamples=1000|bamboo v0.2.0 " * 3
    note = "A signature: this is a sentence about it, which is folded."
    lines = on_terminal(monkeypatch, 50, replace(LONG, notes=(signature.strip(), note)))
    assert lines[-3] == signature.strip()
    assert " ".join(lines[-2:]) == note


def test_wide_characters_count_twice():
    *_, first, second = render(
        [Table("", ("a", "b"), (("中文字", "x"), ("abc", "y")))], "table"
    ).splitlines()
    assert first.index("x") + 3 == second.index("y")


def test_tabs_in_cells_are_spaces():
    *_, first, second = render(
        [Table("", ("a", "b"), (("x\tlonger", "y"), ("abc", "z")))], "table"
    ).splitlines()
    assert first == "  x       longer   y"
    assert first.index("y") == second.index("z")


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


@pytest.mark.parametrize("report", get_args(OutputFormat))
def test_two_tables_and_none(report):
    both = render([TABLE, AWKWARD], report)
    if report == "json":
        assert [t["title"] for t in json.loads(both)] == [TABLE.title, AWKWARD.title]
    else:
        assert both == render([TABLE], report) + "\n\n" + render([AWKWARD], report)
    assert render([], report) in ("", "[]")


@pytest.mark.parametrize("report", get_args(OutputFormat))
def test_a_table_without_rows(report):
    assert "metric" in render([Table("T", ("metric",), ())], report)


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


def test_scores_in_points_with_marks():
    table = Table(
        "T",
        ("parser", "f1", "f1 95 %", "minus best"),
        (("a", 0.748, (0.7284, 0.7671), None), ("b_", 0.7349, (0.7, 0.76), -0.0131)),
        digits=1,
        times_100=frozenset({1, 2, 3}),
        best=frozenset({(0, 1)}),
        marks={(0, 3): "best", (1, 3): "**"},
    )
    assert table.to_latex().splitlines()[3:] == [
        r"parser & F1 & F1 95 \% & minus best \\",
        r"\midrule",
        r"a & \textbf{74.8} & [72.8, 76.7] & -- \\",
        r"b\_ & 73.5 & [70.0, 76.0] & $-1.3$\rlap{$^{**}$} \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert table.to_markdown().splitlines()[-2:] == [
        "| a | **74.8** | 72.8 .. 76.7 | – |",
        r"| b\_ | 73.5 | 70.0 .. 76.0 | -1.3\*\* |".replace(r"b\_", "b_"),
    ]
    assert [line.split() for line in render([table], "table").splitlines()[-2:]] == [
        ["a", "74.8", "72.8", "..", "76.7", "–", "best"],
        ["b_", "73.5", "70.0", "..", "76.0", "-1.3", "**"],
    ]
    assert table.to_csv().splitlines() == [
        "parser,f1,f1 low,f1 high,minus best,mark",
        "a,0.748,0.7284,0.7671,,best",
        "b_,0.7349,0.7,0.76,-0.0131,**",
    ]


def test_notebooks_show_the_best_in_bold_beside_the_marks():
    rows = (("a", 0.5, 0.25), ("<b>", 0.75, 0.125))
    marks = {(0, 1): "**", (1, 1): "best"}
    best = frozenset({(1, 1), (0, 2)})
    table = Table(
        "T", ("parser", "smatch", "wlk"), rows, best=best, marks=marks, notes=("p < .05",)
    )
    html = to_html(table)
    cells = re.findall("<td[^>]*>(.*?)</td>", html)
    assert cells == [
        *("a", "0.50", "**", "<b>0.25</b>"),
        *("&lt;b&gt;", "<b>0.75</b>", "best", "0.12"),
    ]
    assert "p &lt; .05" in html
    assert "*0" not in render([table], "table")


DIVIDED = Table(
    "Wide",
    ("parser", *(f"aspect-{k}" for k in range(11))),
    (
        ("a", *(0.5 for _ in range(11))),
        ("b", *(0.25 for _ in range(11))),
    ),
    notes=("A note.",),
    best=frozenset((0, k) for k in range(1, 12)),
    marks={(0, k): "best" for k in range(1, 12)} | {(1, 1): "*", (1, 7): "***"},
    repeated=1,
)


def test_a_wide_table_has_two_blocks():
    """Eleven columns are divided into six and five; only CSV has them in one piece."""
    first, second = DIVIDED.divide()
    assert first.columns == ("parser", *(f"aspect-{k}" for k in range(6)))
    assert second.columns == ("parser", *(f"aspect-{k}" for k in range(6, 11)))
    assert (first.marks[1, 1], second.marks[1, 1]) == ("*", "***")
    assert [len(replace(DIVIDED, repeated=None).divide())] == [1]
    header, row, _ = csv.reader(io.StringIO(DIVIDED.to_csv()))
    assert header[:4] == ["parser", "aspect-0", "aspect-0 mark", "aspect-1"]
    assert row[:4] == ["a", "0.5", "best", "0.5"]
    assert len(header) == len(row) == 1 + 2 * 11


def test_blocks_are_as_few_as_fit():
    """A block of 4 columns is the widest of those that fit."""
    blocks = DIVIDED.divide(lambda blocks: all(len(block.columns) <= 5 for block in blocks))
    assert [len(block.columns) for block in blocks] == [5, 5, 4]
    # Nothing fits: one column a block, rather than nothing.
    assert [len(block.columns) for block in DIVIDED.divide(lambda _: False)] == [2] * 11


def test_marks_stand_beside_the_numbers_of_several_columns():
    lines = render([DIVIDED], "table").split("\n")
    assert lines[2].split() == ["parser", *(f"aspect-{k}" for k in range(6))]
    assert lines[4].split() == ["a", *["0.50", "best"] * 6]
    assert lines[5].split() == ["b", "0.25", "*", *["0.25"] * 5]
    assert lines[7].split() == ["parser", *(f"aspect-{k}" for k in range(6, 11))]
    assert lines[10].split() == ["b", "0.25", "***", *["0.25"] * 4]
    assert lines[-1] == "A note."
    markdown = render([DIVIDED], "markdown").split("\n")
    assert markdown.count("| --- |" + " ---: |" * 6) == 1
    assert r"| b | 0.25\* |" in "\n".join(markdown)
    page = to_html(DIVIDED)
    assert page.count("Wide") == page.count("A note.") == 1
    assert page.count("<table") == 2
    assert "0.25***" in page


def test_two_blocks_fit_into_an_article(tmp_path):
    """Three parsers, eleven aspects and stars in the text of an article with two columns."""
    names = (
        *("frames", "concept", "ner", "negation", "reentrancies", "srl-core"),
        *("unlabelled", "named-entities", "quantifier", "possession", "time"),
    )
    rows = tuple((parser, *[100.0] * 11) for parser in ("SPRING", "AMRBART", "T5"))
    marks = {(k, c): "***" for k in range(3) for c in range(1, 12)}
    table = Table("", ("parser", *names), rows, 1, ("A caption",), marks=marks, repeated=1)
    table = replace(table, paper=table)
    text = render([table], "latex")
    assert text.count("parser &") == 2
    text = "\\begin{table*}\n" + text + "\n\\end{table*}"
    head = r"\documentclass[twocolumn]{article}"
    assert "Overfull" not in typeset(tmp_path, text, head)
    # The log does say what is too wide.
    assert "Overfull" in typeset(tmp_path, text, rf"{head}\setlength{{\textwidth}}{{400pt}}")
