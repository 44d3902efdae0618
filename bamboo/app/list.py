"""List metrics, data sets and other names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from bamboo.app.pages import GROUPS, NAMES, name_page, purpose, read_yaml
from bamboo.config.groups import LISTS, all_names, group_file, group_names
from bamboo.errors import ConfigError, unknown
from bamboo.installation import program_name
from bamboo.results.table import Format, Table, render

KINDS = {  # contents, and an example of how a name is given
    "metrics": ("metrics", "run metric=NAME"),
    "data": ("data sets", "run data=NAME"),
    "partitions": ("partitions of the data sets", "run partition=NAME"),
    "protocols": ("which statistic is computed for each partition", "run protocol=NAME"),
    "tables": ("published tables", "tables table=NAME"),
    "trainers": ("how the parameters of metrics are learned", "train trainer=NAME"),
    "transforms": ("how partitions are built from Main", "build partition=NAME"),
    "solvers": ("how alignments are computed", "run solver=NAME"),
    "vectors": ("word vectors, for metrics that use them", "run vectors=NAME"),
    "engines": ("where scores are computed", "run engine=NAME"),
    "commands": ("commands", "COMMAND --help"),
    "runs": ("earlier runs, with their scores", "run out=FOLDER"),
}


OPTIONS = {
    "what": f"{' | '.join(KINDS)}; null: what can be listed.",
    "report": "table | json | csv | markdown | latex.",
}
EXAMPLE = "list metrics"

# The benchmark's partitions, in the order of the papers; all but the first are built from it.
PARTITIONS = {
    "main": "the original graphs",
    "reify": "every edge with a reification rule turned into a node",
    "syno": "concepts replaced by synonyms",
    "arg": "pairs rated 1, unchanged and with the roles of one graph altered",
}
# An author, or "et al.", before the year.
PUBLICATION = re.compile(r"^.*?(?:[A-Z][^\W\d]+|al\.) \(\d{4}\)")


def main(arguments: Sequence[str], config_dir: str | None) -> str:
    """Show one line for each name.

    `list metrics` says which metrics are part of metric=all, need word vectors, are trained, are
    symmetric and align nodes. Names in a folder of your own (--config-dir) are listed as well.
    """
    options = read_arguments("list", arguments, ["what"], ["report"])
    report: Any = options.get("report", "table")
    if report not in get_args(Format):
        raise ConfigError(unknown("report", report, get_args(Format)))
    if (what := options.get("what")) is not None:
        return render([listing(what, config_dir)], report)
    rows = tuple((name, *about) for name, about in KINDS.items())
    title = f"{program_name()} list WHAT"
    return render([Table(title, ("what", "contents", "use"), rows)], report)


def read_arguments(
    command: str, arguments: Sequence[str], positional: Sequence[str], others: Sequence[str] = ()
) -> dict[str, str]:
    """Return the options of a command that shows names or help.

    Args:
        positional: the options that can be given without a name, in this order.
        others: the other options.

    Raises:
        ConfigError: an unknown option, an option given twice, or too many values.
    """
    without = [argument for argument in arguments if "=" not in argument]
    if len(without) > len(positional):
        places = " ".join(name.upper() for name in positional)
        raise ConfigError(f"unexpected {without[len(positional)]!r}: {command} takes {places}")
    given = dict(zip(positional, without, strict=False))
    for key, _, value in (argument.partition("=") for argument in arguments if "=" in argument):
        if key not in (*positional, *others):
            raise ConfigError(unknown(f"option of {command}", key, (*positional, *others)))
        if key in given:
            raise ConfigError(f"{key} is given twice: {given[key]!r} and {value!r}")
        given[key] = value
    return given


def listing(kind: str, config_dir: str | None = None) -> Table:
    """Return the table of one kind of names; ``metric`` stands for ``metrics``.

    Raises:
        ConfigError: an unknown kind, or a YAML file that cannot be read.

    >>> listing("solvers").rows[0]
    ('exact', 'Provably optimal: branch and bound with Lagrangian relaxation.')
    """
    group = kind if kind == "data" else kind.removesuffix("s")
    if kind not in KINDS and f"{kind}s" not in KINDS:
        raise ConfigError(unknown("list", kind, KINDS))
    if group == "metric":
        return _metrics(config_dir)
    if group == "data":
        return _data(config_dir)
    if group == "partition":
        return _partitions(config_dir)
    if group == "transform":
        rows = [(name, text) for name, text in PARTITIONS.items() if name != "main"]
        rows += [(n, contents(group, n, config_dir)) for n in group_names(group, config_dir)]
        return Table("Transforms", ("transform", "contents"), tuple(rows))
    if group == "run":
        from bamboo.results.history import runs_table  # slow to import

        return runs_table(Path(os.environ.get("BAMBOO_RUNS_DIR", "runs")))
    if group == "command":
        rows = [(name, purpose(name)) for name in NAMES]
        return Table("Commands", ("command", "purpose"), tuple(rows))
    if group == "vector":
        file = os.environ.get("BAMBOO_VECTORS")
        note = f"BAMBOO_VECTORS is {file}" if file else "BAMBOO_VECTORS is not set"
        return replace(_group("vectors", config_dir), notes=(f"{note} (docs/vectors.md).",))
    return _group(group, config_dir)


def contents(group: str, name: str, config_dir: str | None = None) -> str:
    """Return a name's description: its first sentence, or up to the publication of a metric."""
    text = name_page(group, name, config_dir).purpose
    publication = PUBLICATION.match(text) if group in ("metric", "data") else None
    return publication[0] if publication is not None else _sentence(text)


def _sentence(text: str) -> str:
    """Return the first sentence of a text.

    >>> _sentence("Table 1, as in Cai et al. (2013), p. 3. docs/tables.md describes it. More.")
    'Table 1, as in Cai et al. (2013), p. 3.'
    """
    text = " ".join(text.split()).replace("`", "")
    return re.split(r"(?<=[\w)]\.) (?=[A-Z]|docs/|\w+ \w+=)", text, maxsplit=1)[0]


def _metrics(config_dir: str | None) -> Table:
    standard = all_names("metric", config_dir)
    rows, facts = [], dict[str, str]()
    for name in group_names("metric", config_dir):
        facts = name_page("metric", name, config_dir).facts
        text = contents("metric", name, config_dir)
        rows.append((name, _in_all(name, standard), *facts.values(), text))
    note = f"{program_name()} help metric NAME shows the options of a metric."
    return Table("Metrics", ("metric", "in all", *facts, "source"), tuple(rows), notes=(note,))


def _group(group: str, config_dir: str | None) -> Table:
    named = all_names(group, config_dir) if group in LISTS else []
    rows = [
        (
            name,
            *([_in_all(name, named)] if group in LISTS else []),
            contents(group, name, config_dir),
        )
        for name in group_names(group, config_dir)
    ]
    columns = (group, *(["in all"] if group in LISTS else []), "contents")
    return Table(GROUPS[group], columns, tuple(rows))


def _in_all(name: str, names: Sequence[str]) -> str:
    return "yes" if name in names else "no"


def _data(config_dir: str | None) -> Table:
    rows: list[tuple[Any, ...]] = []
    for name in group_names("data", config_dir):
        partitions = counted_pairs(name, config_dir)
        known = [count for count in partitions.values() if count is not None]
        total = sum(known) if known else None
        rows.append((name, " ".join(partitions), total, contents("data", name, config_dir)))
    return Table("Data sets", ("data", "partitions", "test pairs", "contents"), tuple(rows))


def counted_pairs(data: str, config_dir: str | None = None) -> dict[str, int | None]:
    """Return the partitions of a data set with their test pairs, if its YAML says how many."""
    partitions = read_yaml(group_file("data", data, config_dir))[2].get("partitions")
    counts: dict[str, int | None] = {}
    for name, options in partitions.items() if isinstance(partitions, Mapping) else ():
        pairs = options.get("pairs") if isinstance(options, Mapping) else None
        count = pairs.get("test") if isinstance(pairs, Mapping) else None
        counts[str(name)] = count if isinstance(count, int) else None
    return counts


def _partitions(config_dir: str | None) -> Table:
    data: dict[str, list[str]] = {name: [] for name in PARTITIONS}
    for name in group_names("data", config_dir):
        for partition in counted_pairs(name, config_dir):
            data.setdefault(partition, []).append(name)
    rows = [(n, " ".join(sets), PARTITIONS.get(n, "of your own")) for n, sets in data.items()]
    return Table("Partitions", ("partition", "data sets", "contents"), tuple(rows))
