"""What help, lists and the documentation show of commands and of names in groups.

It follows from the classes: the fields of a command with their help, the fields and docstring of
the class that a YAML file names. The comment at the beginning of a YAML file describes its name.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from amr_metrics.errors import MetricError
from bamboo.app.commands import COMMANDS, INFORMATION, PARTS, PATHS
from bamboo.config.composition import compose_group
from bamboo.config.groups import group_file
from bamboo.errors import BambooError, ConfigError
from bamboo.files import parse_yaml, shown
from bamboo.installation import MODULE, PACKAGE
from bamboo.log import Messages

NAMES = sorted((*COMMANDS, *INFORMATION))
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
STANDARDIZE = "standardize"
OF_EVERY_METRIC = {  # options that are not those of its class
    STANDARDIZE: "amr | generic | none | [step,...]: standardise the graphs first; works with "
    "every metric",
    "by_data": "options that differ between data sets, by the name of the data set",
    "learned": "file of weights, written by train; null: none",
    "trainer": "trainer (conf/trainer) that is used without weights; null: none",
    "vectors": "word vectors: a name in conf/vectors",
}


@dataclass(frozen=True)
class Option:
    """An option as help shows it.

    Attributes:
        default: as it is written in YAML; ``???`` for none.
        section: a text above it.
        group: its values are the names of a group.
    """

    name: str
    default: str
    meaning: str
    section: str = ""
    group: bool = False


@dataclass(frozen=True)
class Page:
    """A command, or a name in a group.

    Attributes:
        purpose: what it is, in a sentence or two.
        more: what else there is to say.
        options: its options; for a command, without the following.
        groups: the options whose values are names.
        shared: the options of every command.
        example: of the use of a command.
        files: a command takes files without the name of an option.
        target: the class of a name.
        facts: what a metric needs and offers.
    """

    purpose: str
    more: str
    options: list[Option]
    groups: list[Option] = field(default_factory=list)
    shared: list[Option] = field(default_factory=list)
    example: str = ""
    files: bool = False
    target: str = ""
    facts: dict[str, str] = field(default_factory=dict)


def purpose(command: str) -> str:
    """Return what a command does, in a sentence; its module is not imported.

    >>> purpose("run")
    'Score metrics on the benchmark.'
    """
    if command in INFORMATION:
        return INFORMATION[command]
    source = (PACKAGE / "api" / f"{command}.py").read_text("utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]


def page(name: str) -> Page:
    """Return the page of a command."""
    if name in INFORMATION:
        module = import_module(f"bamboo.app.{name}")
        options = [Option(key, "null", text) for key, text in module.OPTIONS.items()]
        more = inspect.getdoc(module.main) or ""
        return Page(purpose(name), more, options, example=f"{MODULE} {module.EXAMPLE}")
    command = COMMANDS[name]
    about = re.split(r"\n\nArgs:\n", command.description, maxsplit=1)[0]
    first, _, more = about.partition("\n\n")
    meanings = documented(Messages)
    shared = [Option(f"paths.{key}", default, text) for key, (default, text) in PATHS.items()]
    shared += [Option(f.name, "false", meanings[f.name]) for f in fields(Messages)]
    options = []
    for key, option in command.options.items():
        if isinstance(option.default, Mapping):
            options += [
                Option(f"{key}.{k}", shown(v), option.meaning) for k, v in option.default.items()
            ]
        else:
            options.append(Option(key, shown(option.default), option.meaning, group=key in GROUPS))
    return Page(
        first,
        more,
        [option for option in options if not option.group],
        sorted((o for o in options if o.group), key=lambda o: [*GROUPS].index(o.name)),
        shared,
        f"{MODULE} {name} {command.example}",
        bool(command.positional),
    )


def _values(hint: Any) -> list[str]:
    """Return the values of a type if they are few."""
    if hint is bool:
        return ["true", "false"]
    return [str(value) for value in get_args(hint)] if get_origin(hint) is Literal else []


def read_yaml(path: Path) -> tuple[str, str, Mapping[str, Any]]:
    """Read a YAML file: the comment at its beginning, the text after it, and its content.

    Raises:
        ConfigError: a file that cannot be read or is not a mapping.
    """
    try:
        text = path.read_text("utf-8")
        content = parse_yaml(text)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    if not isinstance(content, Mapping):
        raise ConfigError(f"{path}: expected a mapping of options")
    comment = re.match(r"(#.*\n)*", text)
    header = comment[0] if comment else ""
    lines = [line.removeprefix("#").strip() for line in header.splitlines()]
    return " ".join(lines), text.removeprefix(header).strip("\n"), content


def name_page(group: str, name: str, config_dir: str | None = None) -> Page:
    """Return the page of a name in a group.

    Raises:
        ConfigError: an unknown name, or a YAML file that cannot be read.
    """
    header, text, content = read_yaml(group_file(group, name, config_dir))
    if not ("_target_" in content or "defaults" in content):  # its comments explain its options
        return Page(header, text, list(_options(content, f"{group}.")))
    from amr_metrics.building import default_options, target_of

    config = compose_group(group, name, config_dir)
    config = {**default_options(config), **config}
    if group == "metric":
        config.setdefault(STANDARDIZE, None)
    target = config.get("_target_", "")
    about = summary(target_of(config))
    options = list(_options(config, f"{group}."))
    facts = _facts(name, config_dir) if group == "metric" else {}
    return Page(header or about, about if header else "", options, target=target, facts=facts)


def _options(config: Mapping[str, Any], owner: str = "") -> Iterator[Option]:
    """Return the options of a configuration, with those of the objects in it."""
    from amr_metrics.building import option_types, target_of

    cls = target_of(config)
    meanings = OF_EVERY_METRIC | documented(cls)
    hints = option_types(config)
    for name, value in config.items():
        if cls and not owner.count(".") > 1 and name in PARTS and _is_default(name, value):
            yield Option(name, PARTS[name][0], meanings.get(name, ""), group=True)
        elif isinstance(value, Mapping) and value and ("_target_" in value or not cls):
            yield from _options(value, f"{owner}{name}.")
        elif str(name)[:1] != "_":
            values = _values(hints.get(name))
            meaning = meanings.get(name, "") if cls else ""
            if meaning and any(v not in meaning for v in values) and value not in (True, False):
                meaning = f"{' | '.join(values)}: {meaning}"
            yield Option(f"{owner}{name}", shown(value), meaning)


def _is_default(part: str, value: Any) -> bool:
    """Check that a solver or word vectors are the default, which the option of a command sets."""
    usual = compose_group(part, PARTS[part][0])
    return isinstance(value, Mapping) and value.get("_target_") == _path(usual["_target_"])


def _path(target: str) -> str:
    cls = pkgutil.resolve_name(target)
    return f"{cls.__module__}.{cls.__qualname__}"


def _facts(name: str, config_dir: str | None) -> dict[str, str]:
    """Return whether a metric needs vectors, is trained, is symmetric, and aligns nodes."""
    from amr_metrics.base import Metric
    from bamboo.config.named import named_rows
    from bamboo.config.rows import properties_of

    facts = dict.fromkeys(("vectors", "trained", "symmetric", "alignment"), "–")
    try:
        (row,) = named_rows([(name, name, {})], config_dir)
        metric = row.metric
        holds = properties_of(row, metric)
    except (BambooError, MetricError):  # reported by the command that uses the metric
        return facts
    cls = type(getattr(metric, "metric", metric))  # of a metric with standardised graphs
    facts |= {fact: "yes" if fact in holds else "no" for fact in ("vectors", "symmetric")}
    trainer = compose_group("metric", name, config_dir).get("trainer", False)
    facts["trained"] = "no" if trainer is False else "optional" if trainer is None else "yes"
    aligns = any(getattr(cls, m) is not getattr(Metric, m) for m in ("explain", "_explain"))
    return facts | {"alignment": "yes" if aligns else "no"}


def summary(thing: Any) -> str:
    """Return the docstring of a class or function before its sections and examples."""
    text = _docstring(thing)
    return re.split(r"\n\n\w[\w ]*:\n", text, maxsplit=1)[0].strip()


def documented(cls: Any) -> dict[str, str]:
    """Return the meaning of each field, from the docstrings of a class and of its bases.

    >>> documented(Messages)["debug"]
    'the traceback of an error.'
    """
    import docstring_parser

    meanings = {}
    for base in reversed(inspect.getmro(cls) if isinstance(cls, type) else ()):
        parsed = docstring_parser.parse(_docstring(base), docstring_parser.DocstringStyle.GOOGLE)
        for entry in parsed.params:
            for name in entry.arg_name.split(", "):
                meanings[name] = " ".join((entry.description or "").split())
    return meanings


def _docstring(thing: Any) -> str:
    """Return a docstring before its examples; nothing for that which dataclasses write."""
    text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    if text.startswith(f"{getattr(thing, '__name__', None)}("):
        return ""
    return re.split(r"(?:^|\n)>>> ", text, maxsplit=1)[0].rstrip()
