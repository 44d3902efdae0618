"""The names in each group of options, from the YAML files in ``conf/``, and the meaning of ``all``.

A group is a folder of ``conf/``, such as ``metric``, optionally extended by the folder of the same
name in the user's ``--config-dir``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bamboo.config.yaml_files import load_yaml
from bamboo.errors import ConfigError, unknown
from bamboo.paths import resource

LISTS = ("metric", "data", "table")  # groups in which several names can be chosen
ALL = "all.yaml"


def check_config_dir(config_dir: str | None) -> None:
    """Check that the user's folder exists.

    Raises:
        ConfigError: it does not.
    """
    if config_dir is not None and not Path(config_dir).is_dir():
        raise ConfigError(f"--config-dir {config_dir}: no such folder")


def group_names(group: str, config_dir: str | None = None) -> list[str]:
    """The names in a group: the project's YAML files, then the user's.

    Raises:
        ConfigError: a folder that does not exist, or a user's file with the same name as one of the
            project's.

    >>> "smatch" in group_names("metric")
    True
    """
    check_config_dir(config_dir)
    project_names, user_names = (
        sorted(path.stem for path in (folder / group).glob("*.yaml"))
        for folder in (resource("conf"), Path(config_dir or os.devnull))
    )
    if duplicates := [name for name in user_names if name in project_names]:
        raise ConfigError(
            f"{config_dir}/{group}/{duplicates[0]}.yaml: {group} {duplicates[0]!r} already exists: "
            "choose another name"
        )
    return project_names + user_names


def all_names(group: str, config_dir: str | None = None) -> list[str]:
    """The meaning of ``all`` in a group: the names in ``conf/all.yaml``, then the user's.

    Raises:
        ConfigError: a user's ``all.yaml`` that cannot be read, or does not only list names of
            metrics and tables.

    >>> all_names("data")
    ['sts', 'sick', 'para']
    """
    names = _listed(resource("conf") / ALL, LISTS).get(group, [])
    if config_dir is None or not (path := Path(config_dir) / ALL).is_file():
        return names
    more = _listed(path, LISTS)
    if "data" in more:
        raise ConfigError(
            f"{path}: data=all always means {', '.join(all_names('data'))}; "
            "name your data sets on the command line, as in data=sts,NAME"
        )
    known = group_names(group, config_dir)
    if strange := [name for name in more.get(group, []) if name not in known]:
        raise ConfigError(f"{path}: {unknown(group, strange[0], known)}")
    return list(dict.fromkeys(names + more.get(group, [])))


def _listed(path: Path, groups: tuple[str, ...]) -> dict[str, list[str]]:
    """The lists of names in a YAML file, by group."""
    try:
        content: Any = load_yaml(path)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    if not isinstance(content, dict) or not all(isinstance(v, list) for v in content.values()):
        raise ConfigError(
            f"{path}: expected a list of names for each group, such as metric: [NAME]"
        )
    if strange := [group for group in content if group not in groups]:
        raise ConfigError(f"{path}: {unknown('group', str(strange[0]), groups)}")
    return {group: [str(name) for name in names] for group, names in content.items()}
