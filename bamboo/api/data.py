"""What names of data sets, protocols, tables and trainers stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bamboo.api.call import ConfigDir
from bamboo.benchmark.datasets import Dataset, dataset_from
from bamboo.benchmark.protocols import Protocol, read_protocol
from bamboo.config.groups import compose_group
from bamboo.config.requests import resolve_names
from bamboo.config.rows import Options

# Names, data sets, or lists of these.
Data = str | Dataset | Sequence[str | Dataset]
# Names of tables, or their configurations.
Tables = str | Sequence[str | Mapping[str, Any]]


def resolve_datasets(
    data: Any, options: Options | None = None, config_dir: ConfigDir = None
) -> tuple[Dataset, ...]:
    """Return data sets: those of names, with options, and those given as objects.

    Args:
        options: of the data sets that are given by name; below a name, options of this one alone.

    Raises:
        ConfigError: another value; an unknown name or option, or an unsuitable value.
    """
    entries, _ = resolve_names(data, "data", config_dir)
    of_all = {key: value for key, value in (options or {}).items() if key not in entries}
    datasets = []
    for entry in entries:
        if not isinstance(entry, Dataset):
            config = compose_group("data", entry, config_dir)
            of_entry = (options or {}).get(entry) or {}
            entry = dataset_from(entry, config, {**of_all, **of_entry}, config_dir)
        datasets.append(entry)
    return tuple(datasets)


def resolve_tables(table: Any, config_dir: ConfigDir = None) -> tuple[Mapping[str, Any], ...]:
    """Return the configurations of published tables: those of names, and those that are given.

    The name of a table's data set is replaced by its configuration.
    """
    entries, _ = resolve_names(table, "table", config_dir)
    configs = []
    for entry in entries:
        config = compose_group("table", entry, config_dir) if isinstance(entry, str) else entry
        if isinstance(name := config.get("data"), str):
            config = {**config, "data": {"name": name, **compose_group("data", name, config_dir)}}
        configs.append(config)
    return tuple(configs)


def resolve_protocol(protocol: str | Protocol, config_dir: ConfigDir = None) -> Protocol:
    """Return a protocol by its name, or the protocol itself."""
    if isinstance(protocol, Protocol):
        return protocol
    return read_protocol(protocol, config_dir)


def resolve_trainer(
    trainer: str | Mapping[str, Any], config_dir: ConfigDir = None
) -> Mapping[str, Any]:
    """Return the configuration of a trainer by its name, or the configuration itself."""
    if not isinstance(trainer, str):
        return trainer
    return compose_group("trainer", trainer, config_dir)
