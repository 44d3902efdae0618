"""Validated configurations from the command line: a thin layer over Hydra's compose.

Hydra reads ``conf/`` and understands ``key=value``. This module and those that it imports add the
command, paths that are used as typed, lists of metrics and data sets, several rows from one option
(``metric.K=1,2,3``), the user's own configuration folder (``--config-dir``), and error messages
with suggestions.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bamboo.config.arguments import choices_and_options, default_choices
from bamboo.config.composition import hydra_context
from bamboo.config.groups import group_names
from bamboo.config.jobs import VECTORS, Job, compose_group, on_boards, with_parts
from bamboo.config.labels import PARTS, label
from bamboo.config.metrics import TRAINER
from bamboo.config.overrides import fixed_and_swept, is_of_metric, with_quoted_paths
from bamboo.config.published import PROTOCOLS, NamedMetric, named_metrics
from bamboo.config.yaml_files import check_user_yaml
from bamboo.errors import ConfigError, unknown
from bamboo.messages import NAMES as MESSAGES


@dataclass(frozen=True)
class Request:
    """Everything that a command was asked to do, as plain values with interpolations resolved.

    Attributes:
        options: the command's own options, and those of the groups with one name.
        jobs: the metrics to run; one per row.
        data: the data sets' configurations.
        tables: the published tables' configurations.
        config_dir: the user's own folder of YAML.
        command: the command line as typed, starting with the command's name.
        repeats: the folder of the run that is repeated.
        every_metric: whether the metrics were chosen by ``metric=all``.
    """

    options: dict[str, Any]
    jobs: tuple[Job, ...]
    data: tuple[dict[str, Any], ...]
    tables: tuple[dict[str, Any], ...] = ()
    config_dir: str | None = None
    command: tuple[str, ...] = ()
    repeats: Path | None = None
    every_metric: bool = False

    @property
    def command_name(self) -> str:
        """The name of the command; ``run`` for a request created in code."""
        return self.command[0] if self.command else "run"


def read_request(command: str, arguments: Sequence[str], config_dir: str | None = None) -> Request:
    """The request for ``python -m bamboo COMMAND ARGUMENTS``.

    Raises:
        ConfigError: an argument that is not ``key=value``, or names an unknown command, group or
            option; the message suggests the closest name.

    >>> import bamboo.cli  # registers the options of its commands
    >>> request = read_request("run", ["metric=smatch", "metric.root=none", "data=all"])
    >>> request.jobs[0].metric["root"], [data["name"] for data in request.data]
    ('none', ['sts', 'sick', 'para'])
    """
    chosen, typed = choices_and_options(command, arguments, config_dir)
    named = chosen.keys() & {argument.partition("=")[0] for argument in arguments}
    usual = default_choices(command, config_dir)
    usual_parts = {group: names for group, names in usual.items() if group in PARTS}
    for group, names in chosen.items():
        known = group_names(group, config_dir)
        if strange := [name for name in names if name not in known]:
            raise ConfigError(unknown(group, strange[0], known))
        for name in names:
            check_user_yaml(config_dir, group, name)
    every = any(argument in ("metric=all", "metric=[all]") for argument in arguments)
    shown = PROTOCOLS if command == "site" else ()
    boards = {name: compose_group("run", "protocol", name) for name in shown}
    with hydra_context(command, config_dir) as hydra:
        overrides = with_quoted_paths(command, typed, hydra, chosen)

        def defaults_of(name: str) -> dict[str, Any]:
            config: dict[str, Any] = hydra.defaults(chosen | {"metric": [name]})["metric"]
            return config

        def plain() -> Iterator[dict[str, Any]]:
            for name in chosen.get("metric", ()):
                yield hydra.defaults(chosen | {"metric": [name]})

        fixed, sweeps = fixed_and_swept(command, overrides, plain)

        def options_of(group: str, name: str, overrides: Sequence[str]) -> dict[str, Any]:
            options = hydra.compose(overrides, chosen | {group: [name]})[group]
            if not isinstance(options, dict):
                raise ConfigError(f"{group} {name}: its YAML is not a mapping of options")
            return options

        def first(choices: Mapping[str, Sequence[str]]) -> dict[str, str]:
            return {group: names[0] for group, names in choices.items()}

        def job_of(meaning: NamedMetric, overrides: Sequence[str]) -> Job:
            name = meaning.metric
            config = options_of("metric", name, [*meaning.overrides, *overrides])
            others = [override for override in overrides if not is_of_metric(override)]
            published = [*meaning.overrides, *others]
            usual = hydra.compose(published, chosen | {"metric": [name]})["metric"]
            defaults = hydra.compose(others, chosen | usual_parts | {"metric": [name]})["metric"]
            choices, usual_choices = first(chosen), first(usual_parts)
            if isinstance(own := usual.get(VECTORS), str):  # the metric has its own default
                usual_choices[VECTORS] = own
                choices[VECTORS] = choices[VECTORS] if VECTORS in named else own
            row = label(meaning.label, overrides, choices, usual_choices, usual, config)
            return Job(row, config, name, defaults)

        def jobs_under(protocol: Any) -> list[Job]:
            meanings = named_metrics(chosen.get("metric", ()), protocol, every, defaults_of)
            return [job_of(named, [*fixed, *sweep]) for named in meanings for sweep in sweeps]

        if boards:
            jobs = on_boards({name: jobs_under(board) for name, board in boards.items()})
        else:
            jobs = jobs_under(hydra.compose(fixed, chosen).get("protocol"))
        if command == "train" and TRAINER not in named:
            trainer = jobs[0].metric.get(TRAINER)
            if isinstance(trainer, str) and trainer != jobs[0].defaults.get(TRAINER):
                chosen[TRAINER] = [trainer]  # of the published row, or metric.trainer=
        data = tuple(
            data_options(name, options_of("data", name, fixed), fixed, config_dir)
            for name in chosen.get("data", ())
        )
        tables = tuple(options_of("table", name, fixed) for name in chosen.get("table", ()))
        options = {k: v for k, v in hydra.compose(fixed, chosen).items() if k not in MESSAGES}
    names = [job.name for job in jobs]
    if duplicates := [name for name in names if names.count(name) > 1]:
        raise ConfigError(f"{duplicates[0]} is requested twice: give each option value once")
    words = (command, *arguments, *(["--config-dir", config_dir] if config_dir else []))
    vectors = chosen["vectors"][0] if VECTORS in named else None
    jobs = [with_parts(job, config_dir, vectors) for job in jobs]
    return Request(options, tuple(jobs), data, tables, config_dir, words, every_metric=every)


def data_options(
    name: str, options: Mapping[str, Any], overrides: Sequence[str], config_dir: str | None
) -> dict[str, Any]:
    """The options of a data set with their defaults: name, title, and the folder of its YAML.

    In the user's YAML, the root is relative to the folder of the file; on the command line, it is
    relative to the current folder.

    Raises:
        ConfigError: a root that exists only relative to the current folder.
    """
    complete = {"name": name, "title": options.get("name", name), "root": ".", **options}
    typed = any(override.lstrip("+").startswith("data.root=") for override in overrides)
    folder = Path(config_dir or "") / "data"
    own = config_dir is not None and (folder / f"{name}.yaml").is_file()
    root = complete["root"]
    if typed or not own or not isinstance(root, str) or Path(root).expanduser().is_absolute():
        return complete
    path = os.path.abspath(folder / root)
    if not Path(path).exists() and Path(root).exists():
        raise ConfigError(
            f"{folder / name}.yaml: root: a relative path starts from the folder of the file: "
            f"write root: {os.path.relpath(root, folder)}"
        )
    return {**complete, "root": path}
