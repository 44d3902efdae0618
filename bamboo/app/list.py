"""List metrics, data sets and other names."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from bamboo.app.pages import GROUPS, name_page
from bamboo.config.groups import LISTS, ConfigDir, all_names, group_names
from bamboo.display.table import OutputFormat, Table, render
from bamboo.errors import ConfigError, describe_unknown

KINDS = {group if group.endswith(("a", "s")) else f"{group}s": group for group in GROUPS}
RUNS = "runs"
# An author, or "et al.", before the year.
PUBLICATION = re.compile(r"^.*?(?:[A-Z][^\W\d]+|al\.) \(\d{4}\)")


def main(words: Sequence[str], config_dir: ConfigDir = None) -> str:
    """Show one line for each name of a kind; without a kind, the kinds.

    `list metrics` says which metrics are part of metric=all, need word vectors, are trained, are
    symmetric and align nodes. `list runs` shows earlier runs with their scores. Names in a folder
    of your own (--config-dir) are listed as well. The option report can be table, json, csv,
    markdown or latex.
    """
    kinds = [word for word in words if not word.startswith("report=")]
    reports = [word.partition("=")[2] for word in words if word not in kinds]
    report: Any = reports[-1] if reports else "table"
    if report not in get_args(OutputFormat):
        raise ConfigError(describe_unknown("report", report, get_args(OutputFormat)))
    if len(kinds) > 1:
        raise ConfigError(f"unexpected {kinds[1]!r}: list takes one kind of names, and report=...")
    if kinds:
        return render([list_members(kinds[0], config_dir)], report)
    rows = [*((kind, GROUPS[group]) for kind, group in KINDS.items()), (RUNS, "Earlier runs")]
    return render([Table("Kinds of names", ("kind", "contents"), tuple(rows))], report)


def list_members(kind: str, config_dir: ConfigDir = None) -> Table:
    """Return the table of one kind of names; ``metric`` stands for ``metrics``.

    Raises:
        ConfigError: an unknown kind, or a YAML file that cannot be read.

    >>> list_members("solvers").rows[0]
    ('exact', 'Provably optimal: branch and bound with Lagrangian relaxation.')
    """
    if kind == RUNS:
        from bamboo.results.history import runs_table  # slow to import

        return runs_table(Path(os.environ.get("BAMBOO_RUNS_DIR", "runs")))
    group = KINDS.get(kind, kind)
    if group not in GROUPS:
        raise ConfigError(describe_unknown("list", kind, (*KINDS, RUNS)))
    in_all = all_names(group) if group in LISTS else []
    rows: list[dict[str, Any]] = []
    for name in group_names(group, config_dir):
        about = name_page(group, name, config_dir)
        row = {group: name}
        if group in LISTS:
            row["in all"] = "yes" if name in in_all else "no"
        rows.append({**row, **about.facts, "contents": contents(group, about.purpose)})
    # Only some metrics have a reference in their YAML.
    columns = dict.fromkeys(key for row in rows for key in row if key != "contents")
    names = (*columns, "contents")
    return Table(GROUPS[group], names, tuple(tuple(map(row.get, names)) for row in rows))


def contents(group: str, text: str) -> str:
    """Return the first sentence of a description, or what precedes the end of a publication.

    >>> contents("table", "Table 1, as in Cai et al. (2013), p. 3. docs/tables.md describes it.")
    'Table 1, as in Cai et al. (2013), p. 3.'
    """
    text = " ".join(text.split()).replace("`", "")
    publication = PUBLICATION.match(text) if group in ("metric", "data") else None
    if publication is not None:
        return publication[0]
    return re.split(r"(?<=[\w)]\.) (?=[A-Z]|docs/|\w+ \w+=)", text, maxsplit=1)[0]
