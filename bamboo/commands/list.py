"""List metrics, data sets and other names.

python -m bamboo list metrics

One line for each name. `list metrics` says which metrics are part of metric=all, need word
vectors, are trained, are symmetric and align nodes. Names in a folder of your own (--config-dir)
are listed as well.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from bamboo.commands.information import information_options
from bamboo.commands.options import REPORTS, option
from bamboo.commands.pages import NAMES, header
from bamboo.config.groups import LISTS, all_names, group_names
from bamboo.errors import ConfigError, unknown
from bamboo.paths import resource
from bamboo.program import program_name
from bamboo.reference.classes import (
    ClassSource,
    class_source,
    constant_property,
    fields,
    summary,
)
from bamboo.reference.yaml_files import GROUP_TITLES, Described, described
from bamboo.results.table import Format, Table, render


@dataclass(frozen=True, kw_only=True)
class List:
    """The options of ``list``."""

    what: str | None = option(
        None,
        "metrics | data | partitions | protocols | tables | trainers | transforms | "
        "solvers | vectors | engines | commands; null: what can be listed",
    )
    report: Format = option("table", REPORTS)


def main(arguments: Sequence[str], config_dir: str | None) -> str:
    """The table of what is asked for."""
    options = information_options(List, "list", arguments, ["what"])
    table = overview() if options.what is None else listing(options.what, config_dir)
    return render([table], options.report)


# An author, or "et al.", before the year.
PUBLICATION = re.compile(r"^.*?(?:[A-Z][^\W\d]+|al\.) \(\d{4}\)")
# The benchmark's partitions, in the order of the papers.
PARTITIONS = {
    "main": "the original graphs",
    "reify": "every edge with a reification rule turned into a node",
    "syno": "concepts replaced by synonyms",
    "arg": "pairs rated 1, unchanged and with the roles of one graph altered",
}
TRANSFORMS = {"reify": "Reify", "syno": "Syno", "arg": "Arg"}


def group_file(group: str, name: str, config_dir: str | None = None) -> Path:
    """The YAML file of a name in a group: the project's or the user's.

    Raises:
        ConfigError: an unknown name.
    """
    known = group_names(group, config_dir)
    if name not in known:
        raise ConfigError(unknown(group, name, known))
    own = resource("conf") / group / f"{name}.yaml"
    return own if own.is_file() else Path(config_dir or os.devnull) / group / f"{name}.yaml"


def listing(kind: str, config_dir: str | None = None) -> Table:
    """The table of one kind of names.

    Raises:
        ConfigError: an unknown kind, or a YAML file that cannot be read.

    >>> listing("solvers").rows[0]
    ('exact', 'Provably optimal: branch and bound with Lagrangian relaxation.')
    """
    return KINDS[kind_named(kind)].table(config_dir)


def kind_named(kind: str) -> str:
    """A kind of names, in the plural: ``metric`` stands for ``metrics``.

    Raises:
        ConfigError: an unknown kind.
    """
    name = kind if kind in KINDS else f"{kind}s"
    if name not in KINDS:
        raise ConfigError(unknown("list", kind, KINDS))
    return name


def overview() -> Table:
    """What can be listed."""
    rows = [(name, kind.contents, kind.use) for name, kind in KINDS.items()]
    return Table(f"{program_name()} list WHAT", ("what", "contents", "use"), tuple(rows))


def header_of(page: Described, source: ClassSource | None = None) -> str:
    """One line on a YAML file: up to the first publication or the first sentence.

    Without a comment at the beginning of the file, the docstring of its class is used.
    """
    text = " ".join((page.header or (summary(source.docstring) if source else "")).split())
    publication = PUBLICATION.match(text)
    return publication[0] if publication is not None else _sentence(text)


def _sentence(text: str) -> str:
    """The first sentence of a text.

    >>> _sentence("Table 1, as in Cai et al. (2013), p. 3. docs/tables.md describes it. More.")
    'Table 1, as in Cai et al. (2013), p. 3.'
    """
    text = " ".join(text.split()).replace("``", "").replace("`", "")
    return re.split(r"(?<=\w\.) (?=[A-Z]|docs/|\w+ \w+=)", text, maxsplit=1)[0]


def option_values(page: Described, source: ClassSource | None) -> dict[str, object]:
    """The values of a metric's options: those of its YAML and the defaults of its class."""
    written = fields(source) if source else {}
    written |= {option.name: option.default for option in page.options}
    return {name: _plain_value(text) for name, text in written.items()}


def _plain_value(text: str) -> object:
    if text in ("True", "False"):
        return text == "True"
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def metric_facts(page: Described) -> dict[str, str]:
    """Whether a metric needs vectors, is trained, is symmetric, and aligns nodes.

    The values are ``yes``, ``no`` and, where the source does not say it, None as a dash.
    """
    source = class_source(page.target) if page.target else None
    options = option_values(page, source)
    trainer = options.get("trainer", False)
    trained = "no" if trainer is False else "optional" if trainer is None else "yes"
    ancestors = source.ancestors if source is not None else []
    own = [ancestor for ancestor in ancestors if ancestor.module != "metrics.base"]
    aligns = any(a.defines(name) for a in own for name in ("explain", "_explain"))
    symmetric = constant_property(source, "symmetric", options) if source else None
    return {
        "vectors": _yes(options.get("vectors") is not None),
        "trained": trained,
        "symmetric": "–" if symmetric is None else _yes(bool(symmetric)),
        "alignment": "–" if source is None else _yes(aligns),
    }


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _metrics(config_dir: str | None) -> Table:
    """One row per metric, with what it needs and offers."""
    rows = []
    standard = all_names("metric", config_dir)
    for name in group_names("metric", config_dir):
        page = described(group_file("metric", name, config_dir))
        source = class_source(page.target) if page.target else None
        facts = metric_facts(page)
        rows.append((name, _yes(name in standard), *facts.values(), header_of(page, source)))
    columns = ("metric", "in all", "vectors", "trained", "symmetric", "alignment", "source")
    note = f"{program_name()} help metric NAME shows the options of a metric."
    return Table("Metrics", columns, tuple(rows), notes=(note,))


def _data(config_dir: str | None) -> Table:
    """One row per data set, with its size."""
    rows: list[tuple[Any, ...]] = []
    for name in group_names("data", config_dir):
        path = group_file("data", name, config_dir)
        partitions = _partitions_of(path)
        pairs = [_pairs(options, "test") for options in partitions.values()]
        known = [count for count in pairs if count is not None]
        listed = " ".join(partitions) or "– (preferences, for prefer)"
        rows.append((name, listed, sum(known) if known else None, header_of(described(path))))
    columns = ("data", "partitions", "test pairs", "contents")
    return Table("Data sets", columns, tuple(rows))


def _partitions_of(path: Path) -> dict[str, dict[str, Any]]:
    """The partitions of a data set's YAML."""
    content = yaml.safe_load(path.read_text("utf-8"))
    partitions = content.get("partitions") if isinstance(content, dict) else None
    if not isinstance(partitions, dict):
        return {}
    return {str(k): v if isinstance(v, dict) else {} for k, v in partitions.items()}


def _pairs(options: Mapping[str, Any], split: str) -> int | None:
    """The number of pairs of a split, if the YAML says it."""
    pairs = options.get("pairs")
    count = pairs.get(split) if isinstance(pairs, dict) else None
    return count if isinstance(count, int) else None


def _partitions(config_dir: str | None) -> Table:
    """One row per partition, with the data sets that have it."""
    counts: dict[str, dict[str, int | None]] = {name: {} for name in PARTITIONS}
    for name in group_names("data", config_dir):
        for partition, options in _partitions_of(group_file("data", name, config_dir)).items():
            counts.setdefault(partition, {})[name] = _pairs(options, "test")
    rows = [
        (name, " ".join(data), PARTITIONS.get(name, "of your own")) for name, data in counts.items()
    ]
    return Table("Partitions", ("partition", "data sets", "contents"), tuple(rows))


def _vectors(config_dir: str | None) -> Table:
    """One row per configuration of word vectors, and the file that the environment names."""
    table = _group("vectors", "Word vectors", config_dir)
    file = os.environ.get("BAMBOO_VECTORS")
    note = f"BAMBOO_VECTORS is {file}" if file else "BAMBOO_VECTORS is not set"
    return Table(table.title, table.columns, table.rows, notes=(f"{note} (docs/vectors.md).",))


def _transforms(config_dir: str | None) -> Table:
    """One row per transform: the project's and the user's."""
    rows = []
    for name, recipe in TRANSFORMS.items():
        source = class_source(f"bamboo.transforms.recipes.{recipe}")
        rows.append((name, _sentence(source.docstring if source is not None else "")))
    for name in group_names("transform", config_dir):
        page = described(group_file("transform", name, config_dir))
        rows.append((name, header_of(page, class_source(page.target))))
    return Table("Transforms", ("transform", "contents"), tuple(rows))


def _commands(config_dir: str | None) -> Table:
    """One row per command."""
    rows = [(name, header(name)[0]) for name in NAMES]
    return Table("Commands", ("command", "purpose"), tuple(rows))


def _group(group: str, title: str, config_dir: str | None) -> Table:
    """The names of a group with the first sentence of each file's comment."""
    named = all_names(group, config_dir) if group in LISTS else []
    rows: list[tuple[Any, ...]] = []
    for name in group_names(group, config_dir):
        page = described(group_file(group, name, config_dir))
        source = class_source(page.target) if page.target else None
        text = _sentence(" ".join((page.header or (source.docstring if source else "")).split()))
        rows.append((name, *([_yes(name in named)] if group in LISTS else []), text))
    columns = (group, *(["in all"] if group in LISTS else []), "contents")
    return Table(title, columns, tuple(rows))


@dataclass(frozen=True)
class Kind:
    """One kind of names.

    Attributes:
        contents: what it consists of.
        use: an example of how a name is given.
        table: the function that lists the names, of the user's folder of configuration as well.
    """

    contents: str
    use: str
    table: Callable[[str | None], Table]


def _kind_of_group(group: str, contents: str, use: str) -> Kind:
    return Kind(contents, use, partial(_group, group, GROUP_TITLES[group]))


KINDS: Mapping[str, Kind] = {
    "metrics": Kind("metrics", "run metric=NAME", _metrics),
    "data": Kind("data sets", "run data=NAME", _data),
    "partitions": Kind("partitions of the data sets", "run partition=NAME", _partitions),
    "protocols": _kind_of_group(
        "protocol", "which statistic is computed for each partition", "run protocol=NAME"
    ),
    "tables": _kind_of_group("table", "published tables", "tables table=NAME"),
    "trainers": _kind_of_group(
        "trainer", "how the parameters of metrics are learned", "train trainer=NAME"
    ),
    "transforms": Kind("how partitions are built from Main", "build partition=NAME", _transforms),
    "solvers": _kind_of_group("solver", "how alignments are computed", "run solver=NAME"),
    "vectors": Kind("word vectors, for metrics that use them", "run vectors=NAME", _vectors),
    "engines": _kind_of_group("engine", "where scores are computed", "run engine=NAME"),
    "commands": Kind("commands", "COMMAND --help", _commands),
}
