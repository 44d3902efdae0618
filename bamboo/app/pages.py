"""What help, lists and the documentation show of commands and of names in groups.

It follows from the signatures of functions, and from the fields and docstring of the class that a
YAML file names. The comment at the beginning of a YAML file describes its name.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import Any, Literal, get_args, get_origin

from amr_metrics.configurations import PARTS, TITLE
from amr_metrics.errors import ExitError, MetricError
from amr_metrics.utils.decoding import load_text
from bamboo.app.commands import COMMANDS, INFORMATION, Option, meanings, read_docstring
from bamboo.config.groups import ConfigDir, compose_group, group_file
from bamboo.errors import BambooError
from bamboo.installation import MODULE, PACKAGE
from bamboo.log import Messages

GROUPS = {  # the configuration groups, with their titles
    "metric": "Metrics",
    "data": "Data sets",
    "table": "Published tables",
    "solver": "Alignment solvers",
    "vectors": "Word vectors",
    "protocol": "Protocols",
    "trainer": "Trainers",
    "engine": "Engines",
}
PACKAGE_LINE = "# @package _global_\n"  # begins a file, for Hydra
STANDARDIZE = "standardize"
OF_EVERY_METRIC = {  # options that are not those of its class
    STANDARDIZE: "amr | generic | none | [step,...]: standardise the graphs first; works with "
    "every metric; the commands of Hydra need + before it",
    "by_data": "options that differ between data sets, by the name of the data set",
    "learned": "file of weights, written by train; null: none",
    "trainer": "trainer (conf/trainer) that is used without weights; null: none",
    "vectors": "word vectors: a name in conf/vectors",
    "reference": "publication, or a mapping of paper, code (an address) and commit",
}


@dataclass(frozen=True)
class Page:
    """A command, or a name in a group.

    Attributes:
        purpose: what it is, in a sentence or two.
        more: what else there is to say.
        options: its options, by the title of a list of them.
        example: of the use of a command.
        target: the class of a name.
        facts: what a metric needs and offers, or a data set contains.
    """

    purpose: str
    more: str
    options: Mapping[str, list[Option]] = field(default_factory=dict)
    example: str = ""
    target: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


def purpose(command: str) -> str:
    """Return what a command does, in a sentence; its module is not imported.

    >>> purpose("run")
    'Score metrics on the benchmark.'
    """
    folder = "app" if command in INFORMATION else "api"
    source = (PACKAGE / folder / f"{command}.py").read_text("utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]


def page(name: str) -> Page:
    """Return the page of a command."""
    if name in INFORMATION:
        more = read_docstring(import_module(f"bamboo.app.{name}").main)
        return Page(purpose(name), more, example=f"{MODULE} {name} {INFORMATION[name]}")
    command = COMMANDS[name]
    first, _, more = summary(command.function).partition("\n\n")
    options: list[Option] = []
    for option in command.options.values():
        if isinstance(option.default, Mapping):
            parts = option.default.items()
            options += [option._replace(name=f"{option.name}.{k}", default=v) for k, v in parts]
        else:
            options.append(option)
    if "metric" in command.options:
        place = f"{'+' * command.is_application}metric.NAME.{STANDARDIZE}"
        options.append(Option(place, None, OF_EVERY_METRIC[STANDARDIZE]))
    texts = meanings(read_docstring(Messages))
    every = [Option(f.name, False, texts[f.name]) for f in fields(Messages)]
    lists = {"Groups": [command.options[group] for group in GROUPS if group in command.options]}
    title = "Options"
    for option in options:
        if option.name not in GROUPS:
            title = command.titles.get(option.name, title)
            lists.setdefault(title, []).append(option)
    lists["Options of every command"] = every
    return Page(first, more, lists, f"{MODULE} {name} {command.example}")


def name_page(group: str, name: str, config_dir: ConfigDir = None) -> Page:
    """Return the page of a name in a group.

    Raises:
        ConfigError: an unknown name, or a YAML file that cannot be read.
    """
    config = compose_group(group, name, config_dir)
    text = load_text(group_file(group, name, config_dir)).removeprefix(PACKAGE_LINE)
    lines = text.splitlines()
    header = next((k for k, line in enumerate(lines) if line[:1] != "#"), len(lines))
    comment = " ".join(line.removeprefix("#").strip() for line in lines[:header])
    if "_target_" not in config:  # its comments explain its options
        facts = _collect_data_facts(config) if group == "data" else {}
        return Page(comment, "\n".join(lines[header:]).strip("\n"), facts=facts)
    from amr_metrics.building import default_options, import_target

    config = {**default_options(config), **config}
    if group == "metric":
        config.setdefault(STANDARDIZE, None)
    about = summary(import_target(config))
    return Page(
        comment or about,
        about if comment else "",
        {"Options": list(_list_options(config, group, name if group == "metric" else ""))},
        target=config.get("_target_", ""),
        facts=_collect_metric_facts(name, config, config_dir) if group == "metric" else {},
    )


def _list_options(config: Mapping[str, Any], group: str, member: str) -> Iterator[Option]:
    """Yield the options of a configuration, with those of the objects in it.

    Args:
        member: the name below which the options stand; "" if they are the only ones of the group.
    """
    from amr_metrics.building import OF, OF_HYDRA, OF_THE_HARNESS, import_target, option_types

    cls = import_target(config)
    types, texts = option_types(config), OF_EVERY_METRIC | collect_meanings(cls)
    owner = f"{group}.{member}." if member else f"{group}."
    for name, value in config.items():
        meaning = texts.get(name, "")
        if group == "metric" and name in PARTS and isinstance(value, Mapping):
            yield Option(name, PARTS[name], meaning)
        elif isinstance(value, Mapping) and "_target_" in value:
            yield from _list_options(value, f"{owner}{name}", "")
        elif name in OF_THE_HARNESS and name != TITLE:
            yield Option(f"about.{member}.{name}", value, meaning)
        elif name not in (*OF_HYDRA, TITLE):
            values = get_args(types.get(name)) if get_origin(types.get(name)) is Literal else ()
            value = [*value] if name == OF else value  # the names of the metrics
            if any(str(choice) not in meaning for choice in values):
                meaning = f"{' | '.join(map(str, values))}: {meaning}"
            yield Option(f"{owner}{name}", value, meaning)


def _collect_data_facts(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the partitions of a data set, and the number of test pairs if its YAML has it."""
    partitions = content.get("partitions")
    if not isinstance(partitions, Mapping):
        return {"partitions": "", "test pairs": None}
    counts = [
        (part.get("pairs") or {}).get("test") if isinstance(part, Mapping) else None
        for part in partitions.values()
    ]
    numbers = [count for count in counts if isinstance(count, int)]
    return {"partitions": " ".join(partitions), "test pairs": sum(numbers) if numbers else None}


def _collect_metric_facts(
    name: str, config: Mapping[str, Any], config_dir: ConfigDir
) -> dict[str, str]:
    """Return whether a metric needs vectors, is trained, is symmetric, and aligns nodes.

    The reference that its YAML gives comes last.
    """
    from amr_metrics.base import Metric
    from amr_metrics.standardize.metric import inner_metric
    from amr_metrics.utils.user_code import guard_user_code
    from bamboo.config.requests import build_named_row
    from bamboo.config.rows import list_properties

    facts = dict.fromkeys(("vectors", "trained", "symmetric", "alignment"), "–")
    try:
        with guard_user_code():
            row = build_named_row(name, name, config_dir=config_dir)
            holds = list_properties(row, row.metric)
    except ExitError:
        raise
    except (BambooError, MetricError):  # reported by the command that uses the metric
        return facts
    trainer = config.get("trainer", False)
    reference = {} if row.reference is None else {"reference": row.reference.text}
    aligns = type(inner_metric(row.metric)).explain is not Metric.explain
    return {
        "vectors": "yes" if "vectors" in holds else "no",
        "trained": "no" if trainer is False else "optional" if trainer is None else "yes",
        "symmetric": "yes" if "symmetric" in holds else "no",
        "alignment": "yes" if aligns else "no",
        **reference,
    }


def summary(thing: Any) -> str:
    """Return the docstring of a class or function before its sections and examples."""
    return re.split(r"(?:^|\n)>>> |\n\n\w[\w ]*:\n", read_docstring(thing), maxsplit=1)[0].strip()


def collect_meanings(cls: Any) -> dict[str, str]:
    """Return the meaning of each field, from the docstrings of a class and of its bases.

    >>> collect_meanings(Messages)["debug"]
    'the traceback of an error.'
    """
    texts: dict[str, str] = {}
    for base in reversed(inspect.getmro(cls) if isinstance(cls, type) else ()):
        texts |= meanings(read_docstring(base))
    return texts
