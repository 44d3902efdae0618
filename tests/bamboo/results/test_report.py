"""The tables of results, as Markdown and on a terminal."""

import re
import sys

from harness import results_of

from bamboo.benchmark.columns import TWELVE
from bamboo.board import NAN
from bamboo.display.table import render

METRICS = ("smatch", "smatch root=none", "wwlk_theta")


def results(metrics, cells, ci=False, source="released"):
    """Metrics on the first cells of the benchmark; the last of three has no published values."""
    records = []
    for m, metric in enumerate(METRICS[:metrics]):
        for k, (dataset, partition) in enumerate(TWELVE[:cells], m):
            value = 40.0 + 1.37 * k
            records.append(
                {
                    **{"metric": metric, "dataset": dataset, "partition": partition},
                    **{"split": "test", "source": source, "seconds": 1.0, "value": value},
                    **{"pairs": 1379 + k - m, "cached": k > 0},
                    "statistic": "pair_accuracy" if partition == "arg" else "pearson",
                    "published": value - 0.1 * k if m < 2 else NAN,
                    "low": value - 2.5 if ci else NAN,
                    "high": value + 3.0 if ci else NAN,
                }
            )
    return results_of(records, "v0.2")


def on_terminal(monkeypatch, width, whole):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(width))
    text = render(whole.tables(), "table")
    return re.sub(r"\x1b\[[\d;]*m", "", text).splitlines()


def test_markdown_has_one_row_per_cell_and_mean():
    text = render(results(3, 12, ci=True).tables(), "markdown")
    assert "| smatch | sts | main | test | pearson | 1379 | 40.00 | 37.50 .. 43.00 |" in text
    assert "| wwlk_theta | all | all | test | amean | – | 50.27 | – | – | – |" in text
    assert text.count("\n| ") == 1 + 1 + 3 * 14
    assert "33 of 36 cells from cache." not in text
    assert "35 of 36 cells from cache." in text


def test_one_metric_has_one_line_per_cell(monkeypatch):
    lines = on_terminal(monkeypatch, 80, results(1, 3))
    assert lines[0] == "BAMBOO, protocol v0.2 (x 100), smatch, test split, pearson"
    assert lines[2].split() == ["cell", "pairs", "measured", "published", "difference"]
    assert lines[4].split() == ["main", "sts", "1379", "40.00", "40.00", "0.00"]


def test_own_data_are_named_with_their_statistic(user):
    user.data("tiny", [1, 2, 3, 1], [0, 1, 0, 1], partitions=["main", "arg"])
    run = str(user.run("size", partition="all", protocol="v0.2"))
    title = "Tiny, pearson on main; pair_accuracy on arg (x 100), size"
    assert run.splitlines()[0] == title
    assert "published" not in run
    assert str(user.run("size", partition="arg")).startswith("Tiny, pearson (x 100), arg\n")
    both = str(user.run("size", ["tiny", "sample"]))
    assert both.startswith("Tiny, Sample, pearson (x 100)")
    compared = str(user.compare(data="sample", partition="main"))
    assert compared.startswith("Differences, Sample, pearson (x 100)\n")


def test_several_metrics_have_one_line_per_metric_and_cell(monkeypatch):
    lines = on_terminal(monkeypatch, 80, results(3, 12))
    assert lines[0] == "BAMBOO, protocol v0.2 (x 100), test split, pearson on main, reify, syno;"
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines]
    assert ["smatch", "main", "sts", "1379", "40.00", "40.00", "0.00"] in rows
    assert len([row for row in rows if row[:1] == ["wwlk_theta"]]) == 14


def test_statistics_that_differ_between_partitions_are_named(monkeypatch):
    (title, *_) = on_terminal(monkeypatch, 300, results(2, 12))
    assert title.endswith("pearson on main, reify, syno; pair_accuracy on arg")


def test_partitions_built_here_are_marked():
    whole = results(1, 1, source="built")
    assert "| main (built) |" in render(whole.tables(), "markdown")
