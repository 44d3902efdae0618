"""Print the completion script of a shell.

python -m bamboo completion bash

Commands, options and values are completed, also those of a --config-dir FOLDER given before.
bash: add `source <(bamboo completion bash)` to ~/.bashrc.
zsh: add `source <(bamboo completion zsh)` to ~/.zshrc, after compinit.
fish: `bamboo completion fish > ~/.config/fish/completions/bamboo.fish`.
"""

from __future__ import annotations

import os
import sys
from argparse import REMAINDER, ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import argcomplete
from argcomplete.completers import DirectoriesCompleter, FilesCompleter
from argcomplete.shell_integration import shellcode

from bamboo.commands.information import information_options
from bamboo.commands.list import KINDS, PARTITIONS, contents
from bamboo.commands.options import option
from bamboo.commands.pages import GROUPS, NAMES, Option, name_page, page
from bamboo.config.groups import LISTS, group_names
from bamboo.errors import ConfigError, unknown

SHELLS = ("bash", "zsh", "fish")
FLAGS = {
    "--config-dir": "folder with metrics, data sets, ... of your own",
    "--help": "options of the command",
    "--multirun": "a job for every combination of values (docs/hydra.md)",
    "--cfg": "print the configuration instead of running (docs/hydra.md)",
    "--info": "print how the configuration is composed (docs/hydra.md)",
    "--version": "versions",
}
OTHER_VALUES = {"split": ["train", "dev", "test"], "metric.standardize": ["amr", "generic", "none"]}
Meanings = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Completion:
    """The options of ``completion``."""

    shell: str | None = option(None, f"required: {' | '.join(SHELLS)}")

    def __post_init__(self) -> None:
        if self.shell is None:
            raise ConfigError(f"completion requires a shell: {', '.join(SHELLS)}")
        if self.shell not in SHELLS:
            raise ConfigError(unknown("shell", self.shell, SHELLS))


def main(arguments: Sequence[str], config_dir: str | None) -> str:
    """Return the script of a shell."""
    options = information_options(Completion, "completion", arguments, ["shell"])
    return shellcode(["bamboo"], shell=options.shell or "").strip("\n")


def complete() -> None:
    """Answer the shell, which asks by the environment what its line can become, and exit."""

    def of_words(prefix: str, parsed_args: Namespace, **_: Any) -> Meanings:
        words = [word for argument in parsed_args.words for word in _at_equals_sign(argument)]
        if words[-1:] == ["--config-dir"]:
            return dict.fromkeys(DirectoriesCompleter()(prefix), "")
        folder = None
        while "--config-dir" in words:
            k = words.index("--config-dir")
            folder = os.path.expanduser(words[k + 1])
            del words[k : k + 2]
            sys.path.insert(0, os.path.abspath(folder))
        return candidates([*words, prefix], folder)

    parser = ArgumentParser(prog="bamboo", add_help=False)
    parser.add_argument("words", nargs=REMAINDER).completer = of_words  # type: ignore[attr-defined]
    argcomplete.autocomplete(parser, always_complete_options=False)


def _at_equals_sign(word: str) -> list[str]:
    return word.split("=", 1) if word.startswith("--config-dir=") else [word]


def candidates(words: Sequence[str], config_dir: str | None = None) -> Meanings:
    """Return what the last of the words after the program's name can become, with a short meaning.

    >>> candidates(["run", "metric=smatch,sema,wl"])
    {'metric=smatch,sema,wlk': 'WLK. Opitz, Daza and Frank (2021)'}
    >>> list(candidates(["run", "on_error="]))
    ['on_error=stop', 'on_error=nan', 'on_error=zero']
    >>> list(candidates(["run", "metric=wlk", "metric.K"]))
    ['metric.K=']
    """
    *typed, word = words
    found: Meanings = {}
    try:
        if word.startswith("-"):
            found = FLAGS
        elif not typed:
            found = {name: page(name).purpose for name in NAMES}
        elif typed[0] in ("list", "help", "completion") and "=" not in word:
            found = _of_information(typed, config_dir)
        elif typed[0] in NAMES:
            found = _of_command(typed[0], typed[1:], word, config_dir)
    except ConfigError:  # a broken YAML file of the user's, which the command reports
        pass
    return {name: meaning for name, meaning in found.items() if name.startswith(word)}


def _of_information(typed: Sequence[str], config_dir: str | None) -> Meanings:
    if list(typed) == ["list"]:
        return {name: about for name, (about, _) in KINDS.items()}
    if list(typed) == ["completion"]:
        return dict.fromkeys(SHELLS, "")
    if list(typed) == ["help"]:
        return {name: page(name).purpose for name in NAMES} | dict.fromkeys(GROUPS, "group")
    if typed[0] == "help" and len(typed) == 2 and typed[1] in GROUPS:
        return _names(typed[1], "help", config_dir)
    return {}


def _of_command(command: str, typed: Sequence[str], word: str, config_dir: str | None) -> Meanings:
    """Return options of a command, or the values of the option that the word begins."""
    about = page(command)
    given = dict(argument.partition("=")[::2] for argument in typed)
    chosen = {o.name: given.get(o.name, o.default) for o in about.groups}
    options = [*about.groups, *about.options, *about.shared]
    group, dot, _ = word.partition("=")[0].partition(".")
    if dot and group in chosen:
        options = _options_of_names(group, chosen[group], config_dir)
    key, equals, value = word.partition("=")
    if not equals:
        found = {f"{o.name}=": o.meaning for o in options if o.name not in given}
        if word and not dot:
            found |= {f"{name}.": f"options of {names}" for name, names in chosen.items()}
        if about.files and not dot:
            found |= dict.fromkeys(FilesCompleter()(word), "")
        return found
    if key in chosen:
        return _several(key, value, _names(key, command, config_dir), key in LISTS)
    if key == "partition":
        own = group_names("transform", config_dir) if command == "build" else []
        names = {n: text for n, text in PARTITIONS.items() if (command, n) != ("build", "main")}
        return _several(key, value, names | dict.fromkeys([*own, "all"], ""))
    for o in options:
        if o.name == key and o.path:
            return dict.fromkeys((f"{key}={path}" for path in FilesCompleter()(value)), "")
        if o.name == key:
            return _several(key, value, dict.fromkeys(o.values or OTHER_VALUES.get(key, []), ""))
    return {}


def _options_of_names(group: str, names: str, config_dir: str | None) -> list[Option]:
    """Return the options of the names that are chosen in a group, each option once."""
    known = group_names(group, config_dir)
    chosen = [name for name in names.strip("[]").split(",") if name in known]
    options = [o for name in chosen for o in name_page(group, name, config_dir).options]
    return list({option.name: option for option in options}.values())


def _names(group: str, command: str, config_dir: str | None) -> Meanings:
    """Return the names of a group that a command accepts."""
    found = {}
    for name in group_names(group, config_dir):
        try:
            found[name] = contents(group, name, config_dir)
        except ConfigError:
            found[name] = ""
    takes_all = group in LISTS and command not in ("help", "explain")
    return found | ({"all": "see conf/all.yaml"} if takes_all else {})


def _several(key: str, value: str, names: Meanings, listed: bool = True) -> Meanings:
    """Return the names that continue a value; after a comma, those that are not in the list yet."""
    head, comma, last = value.rpartition(",") if listed else ("", "", value)
    start = head + comma + "[" * (listed and not comma and last.startswith("["))
    return {
        f"{key}={start}{name}": meaning
        for name, meaning in names.items()
        if name not in head.strip("[").split(",") and not (comma and name == "all")
    }
