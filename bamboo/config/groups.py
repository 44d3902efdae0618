"""The names in each group of options, from the YAML files in ``conf/``, and the meaning of ``all``.

A group is a folder of ``conf/``, such as ``metric``, optionally extended by the folder of the same
name in the user's ``--config-dir``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bamboo.errors import ConfigError, unknown
from bamboo.files import load_text, parse_yaml
from bamboo.installation import resource

LISTS = ("metric", "data", "table")  # groups in which several names can be chosen
CHOICES = ("protocol", "solver", "vectors", "engine", "trainer")  # groups with one choice
ALL = "all.yaml"


def check_config_dir(config_dir: str | Path | None) -> None:
    """Check that the user's folder exists.

    Raises:
        ConfigError: it does not.
    """
    if config_dir is not None and not Path(config_dir).is_dir():
        raise ConfigError(f"--config-dir {config_dir}: no such folder")


def group_names(group: str, config_dir: str | Path | None = None) -> list[str]:
    """Return the names in a group: the project's YAML files, then the user's.

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


def group_file(group: str, name: str, config_dir: str | Path | None = None) -> Path:
    """Return the YAML file of a name in a group: the project's or the user's.

    Raises:
        ConfigError: an unknown name.
    """
    if name not in (names := group_names(group, config_dir)):
        raise ConfigError(unknown(group, name, names))
    project_file = resource("conf") / group / f"{name}.yaml"
    if project_file.is_file():
        return project_file
    return Path(config_dir or os.devnull) / group / f"{name}.yaml"


def names_in(group: str, value: Any, config_dir: str | Path | None = None) -> list[str]:
    """Return the names of a group's value: a name, a list, or ``all``.

    Raises:
        ConfigError: an unknown name, a name given twice, or several where one is expected.
    """
    listed = [str(name).strip() for name in (value if isinstance(value, list) else [value])]
    if listed == ["all"] and group in LISTS:
        return all_names(group, config_dir)
    text = f"{group}={','.join(listed)}"
    if not any(listed) or value is None or (len(listed) > 1 and group not in LISTS):
        raise ConfigError(f"{text}: expected one name")
    if len(set(listed)) < len(listed):
        raise ConfigError(f"{text} gives the same name twice")
    names = group_names(group, config_dir)
    if missing := [name for name in listed if name not in names]:
        raise ConfigError(unknown(group, missing[0], names))
    return listed


def all_names(group: str, config_dir: str | Path | None = None) -> list[str]:
    """Return the meaning of ``all`` in a group: the names in ``conf/all.yaml``, then the user's.

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
    existing = group_names(group, config_dir)
    if missing := [name for name in more.get(group, []) if name not in existing]:
        raise ConfigError(f"{path}: {unknown(group, missing[0], existing)}")
    return list(dict.fromkeys(names + more.get(group, [])))


def _listed(path: Path, groups: tuple[str, ...]) -> dict[str, list[str]]:
    try:
        content: Any = parse_yaml(load_text(path))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    if not isinstance(content, dict) or not all(isinstance(v, list) for v in content.values()):
        raise ConfigError(
            f"{path}: expected a list of names for each group, such as metric: [NAME]"
        )
    if rejected := [group for group in content if group not in groups]:
        raise ConfigError(f"{path}: {unknown('group', str(rejected[0]), groups)}")
    return {group: [str(name) for name in names] for group, names in content.items()}
