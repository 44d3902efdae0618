"""Tables on terminals of different widths: snapshots, and what holds for every table and width.

`BAMBOO_UPDATE_SNAPSHOTS=1 pytest tests/bamboo/tables/test_terminal.py` writes the snapshots anew.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bamboo.config.columns import TWELVE
from bamboo.running.report import result_table
from bamboo.running.results import CellResult, Result, Row
from bamboo.tables.model import Table, grid, render
from bamboo.tables.terminal import Grid, terminal_text

SNAPSHOTS = Path(__file__).parent / "snapshots"
WIDTHS = (60, 80, 100, 120, 200)


def cell(k: int, dataset: str, partition: str, *, ci: bool, published: bool) -> CellResult:
    value = 40.0 + 1.37 * k
    return CellResult(
        dataset=dataset,
        partition=partition,
        split="test",
        statistic="pair_accuracy" if partition == "arg" else "pearson",
        value=value,
        n=1379 + k,
        missing=0,
        seconds=1.0,
        published=value - 0.1 * k if published else None,
        interval=(value - 2.5, value + 3.0) if ci else None,
    )


def result(metrics: int, cells: int, ci: bool = False, published: bool = True) -> Result:
    names = ("smatch", "smatch root=none", "wwlk_theta")[:metrics]
    rows = tuple(
        Row(
            name,
            f"Signature{m}(option=value)|v0",
            tuple(
                cell(k + m, *where, ci=ci, published=published and m < 2)
                for k, where in enumerate(TWELVE[:cells])
            ),
            published_amean=50.0 if published and m < 2 else None,
        )
        for m, name in enumerate(names)
    )
    return Result("v0.2", rows)


def score_table() -> Table:
    columns = ("parser", "pairs", "precision", "recall", "f1", "f1 95 %", "macro precision")
    columns += ("macro recall", "macro f1", "macro f1 95 %", "minus best", "p boot.", "p perm.")
    intervals = "0.8000 .. 0.8889"
    rows = [
        (name, 1898, 0.8123 + k, 0.7934, 0.8027, intervals, 0.8211, 0.8034, 0.81, intervals)
        + ((None, None, None) if k == 0 else (-0.0132, 0.012, 0.0134))
        for k, name in enumerate(("parser-1.0", "a_parser_with_a_rather_long_name"))
    ]
    return Table("smatch against gold.amr", columns, tuple(rows), 4, notes=("word " * 30,))


def sentence_table() -> Table:
    sentences = (
        "Smatch. Cai and Knight (2013)",
        "WWLK as in the paper's tables: one draw of all random numbers. Opitz et al. (2021)",
    )
    rows = tuple(
        (name, "yes", "optional", "no", "yes", sentence)
        for name, sentence in zip(("smatch", "wwlk_2021"), sentences, strict=True)
    )
    columns = ("metric", "in all", "trained", "symmetric", "alignment", "source")
    return Table("Metrics", columns, rows)


TABLES = {
    "one-metric": lambda: result_table(result(1, 12)),
    "one-metric-intervals": lambda: result_table(result(1, 4, ci=True)),
    "one-cell": lambda: result_table(result(3, 1)),
    "three-metrics": lambda: result_table(result(3, 12)),
    "three-metrics-intervals": lambda: result_table(result(3, 4, ci=True)),
    "no-published-values": lambda: result_table(result(3, 4, published=False)),
    "scores": score_table,
    "sentences": sentence_table,
}


def at_width(table: Table, width: int) -> str:
    return terminal_text(grid(replace(table.on_terminal or table, notes=table.notes)), width)


def plain(text: str) -> Counter[str]:
    """How often each word occurs."""
    return Counter(re.findall(r"[^\s─]+", text))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", TABLES)
def test_snapshots(name: str, width: int) -> None:
    text = at_width(TABLES[name](), width) + "\n"
    path = SNAPSHOTS / f"{name}-{width}.txt"
    if os.environ.get("BAMBOO_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("name", TABLES)
def test_every_value_is_shown_whole_at_every_width(name: str) -> None:
    table = TABLES[name]()
    shown = grid(table.on_terminal or table)
    values = Counter(w for row in shown.rows for text in row for w in text.split())
    for width in range(40, 210, 10):
        words = plain(at_width(table, width))
        assert all(words[value] >= count for value, count in values.items() if value != "–")


WORDS = st.text("abcd_=.", min_size=1, max_size=8)
CELLS = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)


@given(st.data(), st.integers(20, 120))
@settings(max_examples=60, deadline=None)
def test_no_word_is_split_and_none_is_lost(data: st.DataObject, width: int) -> None:
    columns = data.draw(st.integers(1, 6))
    rows = data.draw(st.lists(st.lists(CELLS, min_size=columns, max_size=columns), max_size=4))
    headings = data.draw(st.lists(CELLS, min_size=columns, max_size=columns))
    table = Grid("", headings, rows, [False] * columns)
    words = plain(terminal_text(table, width))
    expected = plain(" ".join([*headings, *(text for row in rows for text in row)]))
    assert set(words) == set(expected)
    assert all(words[word] >= count for word, count in expected.items())


def test_blocks_repeat_the_columns_that_identify_a_row() -> None:
    rows = tuple(("main sts", a, b, *[1.25] * 8) for a, b in (("x", "y"), ("x", "z"), ("y", "z")))
    columns = ("column", "a", "b", *(f"value{k}" for k in range(8)))
    text = terminal_text(grid(Table("T", columns, rows)), 50)
    blocks = text.split("\n\n")[1:]
    assert len(blocks) > 1
    for block in blocks:
        assert [line.split()[:4] for line in block.splitlines()[-3:]] == [
            ["main", "sts", "x", "y"],
            ["main", "sts", "x", "z"],
            ["main", "sts", "y", "z"],
        ]


def test_wide_characters_count_twice() -> None:
    text = terminal_text(Grid("", ["a", "b"], [["中文字", "x"], ["abc", "y"]], [False] * 2), 80)
    last = text.splitlines()[-2:]
    assert last[0].index("x") + 3 == last[1].index("y")


def test_tabs_in_cells_are_spaces() -> None:
    text = terminal_text(Grid("", ["a", "b"], [["x\tlonger", "y"], ["abc", "z"]], [False] * 2), 80)
    last = text.splitlines()[-2:]
    assert last[0] == "  x       longer   y"
    assert last[0].index("y") == last[1].index("z")


def test_many_rows_take_little_time() -> None:
    rows = tuple((f"instance(x{k}, c{k})", f"instance(y{k}, c{k})", 1.0) for k in range(10_000))
    table = Table("Triples", ("src", "tgt", "match"), rows, 4, rules=(5_000,))
    start = process_time()
    text = render([table], "table")
    assert process_time() - start < 0.8  # a line of rich's for each row takes 2 seconds
    assert len(text.splitlines()) == 10_000 + len(["title", "", "headings", "line", "rule"])


def test_the_width_of_the_terminal_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    table = result_table(result(2, 12))
    for columns in (60, 100):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = render([table], "table").splitlines()
        assert max(len(re.sub(r"\x1b\[[\d;]*m", "", line)) for line in lines) <= columns
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
    assert max(map(len, render([table], "table").splitlines())) > 100


def test_other_formats_have_every_row_and_column() -> None:
    table = result_table(result(3, 12))
    assert len(render([table], "csv").splitlines()) == 1 + 3 * 14
    assert "| smatch | sts | main | test | pearson |" in render([table], "markdown")
    assert "on_terminal" not in render([table], "json")
