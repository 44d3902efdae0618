"""Repeat a run from its folder: the same configuration, data and metrics, and a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bamboo.config.composition import compose_group
from bamboo.config.configuration import Configuration
from bamboo.config.groups import group_names
from bamboo.config.jobs import Job, compose_metrics
from bamboo.config.options import read_options
from bamboo.config.settings import Setting
from bamboo.errors import ConfigError, DataError
from bamboo.files import load_text, parse_yaml
from bamboo.results.frame import rows
from bamboo.results.results import Results
from bamboo.results.run_folder import CONFIG
from metrics.version import VERSION

NOT_OPTIONS = ("metric", "data", "command", "config_dir", "base")
OVERRIDES = ("report", "out", "cache", "engine")
TOLERANCE = 1e-9  # of a value times 100


@dataclass(frozen=True)
class _NotOptions:
    """The types of the values of `NOT_OPTIONS`."""

    metric: dict[str, dict[str, Any]]
    data: dict[str, dict[str, Any]]
    command: list[str]
    config_dir: str | None
    base: dict[str, str]


def repeated(folder: Path, settings: Sequence[Setting]) -> Configuration:
    """Return the configuration of a run, read from its folder.

    Args:
        settings: options for computing and showing the results (`OVERRIDES`).

    Raises:
        ConfigError: a folder that is not a run folder, or another option.
    """
    document = _config(folder)
    options = {key: value for key, value in document.items() if key not in NOT_OPTIONS}
    options.setdefault("resample", "pairs")  # what runs did before there was a choice
    options |= {"out": None, "report": "table", "cache": "use"}
    config_dir = document["config_dir"]
    for setting in settings:
        key, value = setting.key, setting.value
        if key not in OVERRIDES:
            raise ConfigError(
                f"{setting.word}: from= repeats a run unchanged; it can only be combined with "
                f"{', '.join(OVERRIDES)}"
            )
        options[key] = compose_group("engine", value, config_dir) if key == "engine" else value
    if config_dir is not None and not Path(config_dir).is_dir():
        raise ConfigError(f"{folder}: the run used --config-dir {config_dir}: no such folder")
    jobs = [
        Job(name, config, base := document["base"].get(name, ""), _defaults(base, config_dir))
        for name, config in document["metric"].items()
    ]
    command, data = tuple(document["command"]), tuple(document["data"].values())
    return Configuration(options, tuple(jobs), data, (), config_dir, command, folder)


def _config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    try:
        document = parse_yaml(load_text(path))
    except OSError as error:
        raise ConfigError(
            f"from={folder}: {path} cannot be read: {error.strerror}. Give the folder of a run"
        ) from None
    except ValueError as error:
        raise ConfigError(f"{path} is damaged: {error}") from None
    if not isinstance(document, dict) or (
        missing := [key for key in NOT_OPTIONS if key not in document]
    ):
        what = f": {missing[0]!r} is missing" if isinstance(document, dict) else ""
        raise ConfigError(f"{path} is not the configuration of a run of this version{what}")
    try:
        read_options(_NotOptions, {key: document[key] for key in NOT_OPTIONS})
    except ConfigError as error:
        raise ConfigError(f"{path} is damaged: {error}") from None
    if document["command"][:1] != ["run"]:
        raise ConfigError(
            f"{path}: only run can be repeated, but the command is {document['command'][:1]}"
        )
    return document


def _defaults(base: str, config_dir: str | None) -> dict[str, Any]:
    if base not in group_names("metric", config_dir):
        return {}
    return dict(compose_metrics([(base, base, {})], config_dir)[0].metric)


def check_data(recorded: Results, data: Mapping[str, str]) -> None:
    """Check that the data are the same as in the run to repeat.

    Args:
        data: current SHA-256 of each cell's data.

    Raises:
        DataError: a cell whose data differ.
    """
    for cell, sha256 in recorded.data.items():
        if data.get(cell) != sha256:
            raise DataError(
                f"from={recorded.folder}: the data of {cell} differ from those of the run: "
                f"SHA-256 {sha256} then, {data.get(cell)} now. Restore the files, or run the "
                "command of result.json to get new results"
            )


def comparison(recorded: Results, results: Results) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Compare the values with those of the run to repeat.

    Returns:
        notes, and those of them that name a value that differs.
    """
    key = ["metric", "dataset", "partition", "split"]
    merged = results.cells.merge(recorded.cells, "left", key, suffixes=("", "_before"))
    now, before = merged["value"], merged["value_before"]
    equal = (now.isna() & before.isna()) | ((now - before).abs() <= TOLERANCE)
    differences = []
    for row in rows(merged[~equal]):
        shown = ["none" if v is None else f"{v:.6f}" for v in (row.value_before, row.value)]
        where = " ".join(getattr(row, name) for name in key)
        differences.append(f"{where}: {shown[0]} in {recorded.folder}, {shown[1]} now.")
    notes = [f"{equal.sum()} of {len(equal)} values equal those of {recorded.folder}."]
    notes += differences
    if recorded.version != VERSION:
        notes.append(f"The run used version {recorded.version}; this is version {VERSION}.")
    return tuple(notes), tuple(differences)
