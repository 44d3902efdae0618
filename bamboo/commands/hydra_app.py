"""Commands as applications of Hydra: its flags, its ``hydra.*`` options, sweepers and launchers."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from unittest import mock

import hydra
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from bamboo.commands import command_class
from bamboo.commands.base import Command
from bamboo.config.composition import in_one_line
from bamboo.config.groups import CHOICES, LISTS, all_names, group_names
from bamboo.config.settings import read_words
from bamboo.errors import ConfigError
from bamboo.installation import resource

# Commands whose `out` is a folder for all files: the folder of Hydra's job.
WITH_FOLDER = ("run", "compare", "train", "tables")
# Hydra needs ++ for options of a class that the YAML does not set.
OF_CLASS = re.compile(r"\+*((metric|solver|vectors)\.[^=]*)")
# Values of --cfg and --info, the flags of Hydra's that choose one.
SHOWN = ("job", "hydra", "all", "config", "defaults", "defaults-tree", "plugins", "searchpath")

Run = Callable[[str, Sequence[str], str | None], str]


def register(command: type[Command]) -> None:
    """Register the defaults of a command with Hydra, as a structured configuration.

    It is a mapping, since the structured configurations of OmegaConf have neither `Literal` nor
    unions of a value and a list: `bamboo.config.options` checks the types.
    """
    declared = {f.name: f.metadata["default"] for f in fields(command) if "default" in f.metadata}
    groups = []
    for group in (*LISTS, *CHOICES):
        if group in declared:
            name = declared.pop(group)
            groups.append({group: all_names(group) if name == "all" else name})
    node = {"defaults": [*groups, "_self_"], **declared}
    ConfigStore.instance().store(command.NAME, node)


@dataclass
class HydraJob:
    """One job of Hydra's: the command with the options of the job.

    Attributes:
        run: runs a command, given its name, words and ``--config-dir``; returns its output.
        words: the words of a single job, in which a comma makes a list; None: those of Hydra's
            job.
    """

    run: Run
    command: str
    config_dir: str | None
    words: Sequence[str] | None = None

    def __post_init__(self) -> None:
        self.__module__ = self.command  # Hydra names the job after it

    def __call__(self, config: Any) -> float | None:
        """Run the command, print its output, and return the value that a sweeper optimises."""
        job = HydraConfig.get()
        words = self.words
        if words is None:
            overrides = OmegaConf.to_container(job.overrides.task, resolve=False)
            assert isinstance(overrides, list)
            words = [
                re.sub(r"^\+\+(?=(metric|solver|vectors)\.)", "", str(override))
                for override in overrides
            ]
        folder = Path(job.runtime.output_dir)
        keys = [word.partition("=")[0].lstrip("+") for word in words]
        if self.command in WITH_FOLDER and "out" not in keys:
            words = [*words, f"out={quoted(str(folder))}"]
        print(self.run(self.command, words, self.config_dir), flush=True)
        return objective(folder)


def quoted(text: str) -> str:
    """Quote a string as one value in Hydra's syntax; ``${`` in it is not an interpolation."""
    from hydra.core.override_parser.types import Quote, QuotedString

    plain = re.sub(r"(\\*)\$\{", r"\1\1\\${", text)
    return str(QuotedString(plain, Quote.single).with_quotes())


def objective(folder: Path) -> float | None:
    """Return the value of a job for a sweeper such as Optuna's; None if there is no result.

    For ``train``, the statistic on dev; for ``run``, the mean of the cells of the first metric.
    """
    if (weights := folder / "weights.json").is_file():
        return float(json.loads(weights.read_text("utf-8"))["dev"])
    if (result := folder / "result.json").is_file():
        cells = json.loads(result.read_text("utf-8"))["rows"][0]["cells"]
        values = [cell["value"] for cell in cells if cell["value"] is not None]
        return sum(values) / len(values) if values else None
    return None


def run_by_hydra(run: Run, command: str, words: Sequence[str], config_dir: str | None) -> str:
    """Run a command as Hydra runs an application; Hydra prints what ``--cfg`` and others show.

    Raises:
        ConfigError: an option or a flag that Hydra refuses.
        BambooError, MetricError: from a job.
    """
    _check_named(words, config_dir)
    cls = command_class(command)
    register(cls)
    own = [word for word in words if "=" in word and word[:1] != "-" and "hydra" not in word[:8]]
    multirun = any(word in ("-m", "--multirun") for word in words)
    several = {s.word for s in read_words(command, own, ()) if s.is_plain_list and not multirun}
    translated = []
    for word in words:
        key, equals, value = word.partition("=")
        if key in LISTS and value == "all":
            value = f"[{','.join(all_names(key, config_dir))}]"
        value = f"[{value}]" if word in several else value
        key = f"++{match[1]}" if (match := OF_CLASS.fullmatch(key)) else key
        translated.append(f"{key}{equals}{value}")
    # Hydra takes flags and their values only before options.
    translated.sort(key=lambda word: "=" in word and not word.startswith("-"))
    folder = [] if config_dir is None else ["--config-dir", str(Path(config_dir).resolve())]
    task = HydraJob(run, command, config_dir, None if multirun else own)
    main = hydra.main(str(resource("conf")), command, version_base="1.3")
    try:
        with (
            _own_logging(),
            mock.patch.object(sys, "argv", [sys.argv[0], *folder, *translated]),
            mock.patch.dict(os.environ, {"HYDRA_FULL_ERROR": "1"}),  # raise errors
        ):
            main(task)()
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(in_one_line(error)) from None
    except SystemExit as error:
        if error.code:
            raise ConfigError("Hydra refuses these flags (docs/hydra.md)") from None
    return ""


def _check_named(words: Sequence[str], config_dir: str | None) -> None:
    """Check that all words but flags and their values are ``key=value``: Hydra prints its usage."""
    nameless = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if "=" not in word and word[:1] not in "-~" and before not in ("-p", "--package")
        if word not in SHOWN
    ]
    if not nameless:
        return
    metrics = [word for word in nameless if word in group_names("metric", config_dir)]
    word = (metrics or nameless)[0]
    hint = f"did you mean metric={word}?" if metrics else f"files need names, such as src={word}"
    raise ConfigError(f"{word!r} is not of the form key=value, as Hydra's flags require: {hint}")


@contextlib.contextmanager
def _own_logging() -> Iterator[None]:
    """Undo the changes that Hydra makes to logging."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        for handler in root.handlers:
            if handler not in handlers:
                handler.close()
        root.handlers[:] = handlers
        root.setLevel(level)
