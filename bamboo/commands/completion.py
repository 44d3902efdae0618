"""Print the completion script of a shell.

python -m bamboo completion bash

Commands, options and values are completed, also those of a --config-dir FOLDER given before.
bash: add `source <(bamboo completion bash)` to ~/.bashrc.
zsh: add `source <(bamboo completion zsh)` to ~/.zshrc, after compinit.
fish: `bamboo completion fish > ~/.config/fish/completions/bamboo.fish`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bamboo.commands.information import information_options
from bamboo.commands.list import KINDS, group_file, header_of, listing
from bamboo.commands.options import option
from bamboo.commands.pages import NAMES, Page, header, option_types, page
from bamboo.config.groups import LISTS, group_names
from bamboo.errors import ConfigError, unknown
from bamboo.paths import PACKAGE
from bamboo.reference.classes import class_source, field_annotations
from bamboo.reference.yaml_files import Option, described, group_folders

QUERY = "query"  # the argument with which the scripts ask for candidates


@dataclass(frozen=True, kw_only=True)
class Completion:
    """The options of ``completion``."""

    shell: str | None = option(None, "required: bash | zsh | fish")

    def __post_init__(self) -> None:
        if self.shell is None:
            raise ConfigError(f"completion requires a shell: {', '.join(SHELLS)}")
        if self.shell not in SHELLS:
            raise ConfigError(unknown("shell", self.shell, SHELLS))


def main(arguments: Sequence[str], config_dir: str | None) -> str:
    """The script, or the candidates for the last of the words after ``query``."""
    if arguments and arguments[0] == QUERY:
        return "\n".join(f"{word}\t{meaning}" for word, meaning in candidates(arguments[1:]))
    options = information_options(Completion, "completion", arguments, ["shell"])
    return script(options.shell or "")


SHELLS = ("bash", "zsh", "fish")
GLOBAL = {
    "--config-dir": "folder with metrics, data sets, ... of your own",
    "--help": "options of the command",
    "--multirun": "a job for every combination of values (docs/hydra.md)",
    "--cfg": "print the configuration instead of running (docs/hydra.md)",
    "--info": "print how the configuration is composed (docs/hydra.md)",
    "--version": "versions",
}
Candidates = list[tuple[str, str]]


def script(shell: str) -> str:
    """The script that makes a shell ask for candidates."""
    return (PACKAGE / "commands" / "shells" / shell).read_text("utf-8").rstrip("\n")


def candidates(words: Sequence[str]) -> Candidates:
    """What the last of the words after the program's name can become, with a short meaning.

    >>> candidates(["run", "metric=smatch,sema,wl"])
    [('metric=smatch,sema,wlk', 'WLK. Opitz, Daza and Frank (2021)')]
    >>> [word for word, _ in candidates(["run", "on_error="])]
    ['on_error=stop', 'on_error=nan', 'on_error=zero']
    >>> [word for word, _ in candidates(["run", "metric=wlk", "metric.K"])]
    ['metric.K=']
    """
    *before, word = words or [""]
    if before and before[-1] == "--config-dir":
        return list(_paths("", word, folders=True))
    if word.startswith("--config-dir="):
        return list(_paths("--config-dir=", word.partition("=")[2], folders=True))
    before, config_dir = _without_config_dir(before)
    if config_dir is not None:  # for the source of the user's classes
        sys.path.insert(0, str(Path(config_dir).resolve()))
    if word.startswith("-"):
        return [(name, meaning) for name, meaning in GLOBAL.items() if name.startswith(word)]
    if not before:
        commands = [(name, header(name)[0]) for name in NAMES]
        return [(name, meaning) for name, meaning in commands if name.startswith(word)]
    command, *typed = before
    if command not in NAMES:
        return []
    try:
        if command in ("list", "help", "completion") and "=" not in word:
            names = _of_information(command, typed, config_dir)
            return [(name, meaning) for name, meaning in names if name.startswith(word)]
        return list(_of_command(command, page(command), typed, word, config_dir))
    except ConfigError:  # a broken YAML file of the user's, which the command reports
        return []


def _without_config_dir(words: Sequence[str]) -> tuple[list[str], str | None]:
    """The words without ``--config-dir FOLDER``, and the folder."""
    left: list[str] = []
    folder = None
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word == "--config-dir" and waiting:
            folder = waiting.pop(0)
        elif word.startswith("--config-dir="):
            folder = word.partition("=")[2]
        else:
            left.append(word)
    return left, None if folder is None else os.path.expanduser(folder)


def _of_information(command: str, typed: Sequence[str], config_dir: str | None) -> Candidates:
    """What can follow ``list``, ``help`` and ``completion``."""
    groups = [path.name for path in group_folders()]
    if command == "help" and len(typed) == 1 and typed[0] in groups:
        return list(_names(typed[0], config_dir))
    if typed:
        return []
    if command == "completion":
        return [(shell, "") for shell in SHELLS]
    if command == "list":
        return [(name, kind.contents) for name, kind in KINDS.items()]
    commands = [(name, header(name)[0]) for name in NAMES]
    return [*commands, *((group, "group") for group in groups)]


def _of_command(
    command: str, about: Page, typed: Sequence[str], word: str, config_dir: str | None
) -> Iterator[tuple[str, str]]:
    """Options of a command, or the values of the option that the word begins."""
    chosen = {o.name: o.default for o in about.groups if o.default != "null"}
    for argument in typed:
        key, equals, value = argument.partition("=")
        if equals and key in chosen:
            chosen[key] = value
    options = [*about.groups, *about.options, *about.shared]
    key, equals, value = word.partition("=")
    if not equals:
        given = {argument.partition("=")[0] for argument in typed}
        group, dot, _ = word.partition(".")
        if dot and group in chosen:
            options = _group_options(group, chosen[group], config_dir)
        for option in options:
            if option.name.startswith(word) and option.name not in given:
                yield f"{option.name}=", option.meaning
        for name in chosen:  # metric. -> the options of the metric
            if not dot and word and name.startswith(word):
                yield f"{name}.", f"options of {chosen[name]}"
        return
    group, dot, _ = key.partition(".")
    if key in chosen or any(option.name == key and option.group for option in options):
        yield from _several(f"{key}=", value, _names(key, config_dir), key in LISTS)
        return
    if dot and group in chosen:
        options = _group_options(group, chosen[group], config_dir)
    if _is_path(command, key, chosen, config_dir):
        yield from _paths(f"{key}=", value)
        return
    if key == "partition":
        names: Iterable[tuple[str, str]] = _partition_names(command, config_dir)
        yield from _several(f"{key}=", value, names, listed=True)
        return
    for option in options:
        if option.name == key:
            words = ((name, "") for name in option_choices(option))
            yield from _several(f"{key}=", value, words, "or a list" in option.meaning)


def _group_options(group: str, names: str, config_dir: str | None) -> list[Option]:
    """The options of the names that are chosen in a group, each option once."""
    known = group_names(group, config_dir)
    options: dict[str, Option] = {}
    for name in names.strip("[]").split(","):
        if name in known:
            for option in described(group_file(group, name, config_dir)).options:
                key = f"{group}.{option.name}"
                options.setdefault(key, Option(key, option.default, option.meaning, option.section))
    return list(options.values())


def _names(group: str, config_dir: str | None) -> Iterator[tuple[str, str]]:
    for name in group_names(group, config_dir):
        try:
            meaning = header_of(described(group_file(group, name, config_dir)))
        except ConfigError:  # a broken YAML file is reported by the command that uses it
            meaning = ""
        yield name, meaning
    if group in LISTS:
        yield "all", "see conf/all.yaml"


def _partition_names(command: str, config_dir: str | None) -> Iterator[tuple[str, str]]:
    kind = "transforms" if command == "build" else "partitions"
    for row in listing(kind, config_dir).rows:
        yield str(row[0]), str(row[-1])
    yield "all", ""


def _several(
    start: str, value: str, names: Iterable[tuple[str, str]], listed: bool
) -> Iterator[tuple[str, str]]:
    """The names that continue a value; after a comma, those that are not in the list yet."""
    head, comma, last = value.rpartition(",") if listed else ("", "", value)
    bracket = "[" if not comma and listed and last.startswith("[") else ""
    last = last.removeprefix("[")
    already = head.strip("[").split(",")
    for name, meaning in names:
        if name.startswith(last) and name not in already and not (comma and name == "all"):
            yield f"{start}{head}{comma}{bracket}{name}", meaning


def option_choices(option: Option) -> list[str]:
    """The values that a comment lists, as in ``use | refresh | off: cached scores``.

    >>> option_choices(Option("x", "a", "side: src (the parse) | tgt, or a list"))
    ['src', 'tgt']
    >>> option_choices(Option("ci", "false", "add intervals"))
    ['true', 'false']
    >>> option_choices(Option("k", "3", "maximum length of n-grams, 1..4"))
    []
    """
    if option.default in ("true", "false"):
        return ["true", "false"]
    parts = re.sub(r"\([^()]*\)", "", option.meaning).split("|")
    if len(parts) == 1:
        return []
    parts[0] = parts[0].rpartition(": ")[2]
    matches = [re.fullmatch(r"\s*([\w.+-]+)\s*(?:[,;:].*)?", part, re.DOTALL) for part in parts]
    return [match[1] for match in matches if match is not None]


def _is_path(command: str, key: str, chosen: dict[str, str], config_dir: str | None) -> bool:
    """Whether an option is annotated as a path in its class."""
    group, _, rest = key.partition(".")
    if not rest:
        return "Path" in str(option_types(command).get(group, ""))
    if group == "paths":
        return True
    if group == "data":
        target = "bamboo.benchmark.datasets.Dataset"
    elif group in chosen and chosen[group] in group_names(group, config_dir):
        target = described(group_file(group, chosen[group], config_dir)).target
    else:
        return False
    source = class_source(target) if target else None
    return source is not None and "Path" in field_annotations(source).get(rest, "")


def _paths(start: str, value: str, folders: bool = False) -> Iterator[tuple[str, str]]:
    """Files and folders that continue a path."""
    head, slash, last = value.rpartition("/")
    folder = Path(os.path.expanduser(head + slash) or ".")
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if not entry.name.startswith(last) or (entry.name.startswith(".") and not last):
            continue
        if entry.is_dir():
            yield f"{start}{head}{slash}{entry.name}/", ""
        elif not folders:
            yield f"{start}{head}{slash}{entry.name}", ""
