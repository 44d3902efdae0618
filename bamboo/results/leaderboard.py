"""Rows of results for the public leaderboard: the two Markdown tables of its README.

The repository flipz357/bamboo-amr-benchmark asks for the results of version 0.2, a link to the
metric, its commit, and optionally its paper.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bamboo.benchmark.columns import COLUMNS
from bamboo.benchmark.protocols import read_protocol
from bamboo.config.reference import Reference
from bamboo.display.table import ABSENT, escape_markdown, format_cell
from bamboo.errors import ConfigError
from bamboo.log import warn
from bamboo.results.cell_facts import CELL
from bamboo.results.results import Results

PROTOCOL = "v0.2"
SETS = ("STS", "SICK", "PARA")
SUFFIXES = ("", "(reify)", "(Syno)", "(role)")
HEADS = ("Metric", *(f"{name}{suffix}" for suffix in SUFFIXES for name in SETS), "**AMEAN**")
COMMAND = f"run data=all partition=all protocol={PROTOCOL} report=leaderboard"
ID = 7  # characters of a commit in tables


def write_leaderboard(results: Results) -> str:
    """Return the two tables in Markdown, with the metrics in ascending order of their means.

    Raises:
        ConfigError: results that are not those of the public leaderboard: of other cells, another
            statistic, or not of all pairs.
    """
    for metric in results.signatures:
        if problem := _find_problem(results, metric):
            raise ConfigError(f"report=leaderboard: {metric}: {problem}. Use {COMMAND}")
    means = {name: results.find_score(name, "amean")[0].value for name in results.signatures}
    ordered = sorted(means, key=lambda name: means[name])
    sources = {name: results.references.get(name, Reference()) for name in ordered}
    lines, links = [], []
    for name in ordered:
        values = [results.find_score(name, column)[0].value for column in COLUMNS]
        source = sources[name]
        identified = ", ".join([name, *([source.commit[:ID]] if source.commit else [])])
        lines.append(
            [_escape_cell(identified), *(format_cell(v, 2) for v in [*values, means[name]])]
        )
        title = _escape_cell(name)
        linked = f"[{title}]({source.code})" if source.code else title
        links.append([linked, _escape_cell(source.commit) or ABSENT])
    papers = [f"{name}: {sources[name].paper}" for name in ordered if sources[name].paper]
    _warn_of_gaps(sources)
    tables = [_join_table(HEADS, "---:", lines), _join_table(("Metric", "commit"), "---", links)]
    return "\n\n".join([*tables, *map(escape_markdown, papers)])


def _find_problem(results: Results, metric: str) -> str | None:
    """Return why the results of a metric cannot stand on the public leaderboard, or None."""
    cells = {row.part: (row, facts) for row, facts in results.list_scores(metric, CELL)}
    if {*cells} != {*COLUMNS} or not all(facts.in_benchmark for _, facts in cells.values()):
        return "it has the test splits of all twelve cells, with all pairs"
    expected = read_protocol(PROTOCOL)
    for row, facts in cells.values():
        cell = f"{facts.partition} {facts.dataset}"
        if facts.source != "released":
            return f"it has released partitions, and {cell} is {facts.source}"
        if row.score != (statistic := expected.of(facts.partition)):
            return f"it has {statistic} on {facts.partition}, not {row.score}"
        if facts.missing or facts.empty or math.isnan(row.value):
            return f"it has a score of every pair, and pairs of {cell} have none"
    return None


def _warn_of_gaps(sources: Mapping[str, Reference]) -> None:
    """Warn of metrics without an address of their code, or without its commit."""
    for name, source in sources.items():
        wanted = {"a link to the code": source.code, "its commit": source.commit}
        missing = [what for what, value in wanted.items() if not value]
        warn(
            f"{name}: the leaderboard asks for {what}: give reference: {{paper: ..., "
            "code: https://..., commit: ...} in its YAML file"
            for what in missing
        )


def _join_table(heads: Sequence[str], align: str, rows: Sequence[Sequence[str]]) -> str:
    rule = ["---", *[align] * (len(heads) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows))


def _escape_cell(text: str) -> str:
    return escape_markdown(text).replace("|", r"\|")
