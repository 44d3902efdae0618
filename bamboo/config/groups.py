"""The names in each group of options and their configurations: the project's YAML, and the user's.

A group is a folder of ``conf/``, such as ``metric``, optionally extended by the folder of the same
name in the user's ``--config-dir``. They are read without Hydra (`amr_metrics.configurations`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from amr_metrics import configurations
from amr_metrics.configurations import BASE, KEYED, NAME, unwrap_standardized
from amr_metrics.errors import OptionError
from bamboo.config.paths import resolve_paths
from bamboo.errors import ConfigError, describe_unknown
from bamboo.installation import paths, resource

ConfigDir = str | Path | tuple[str | Path, ...] | None  # the user's folders of YAML files
CONF = resource("conf")
LISTS = KEYED  # groups in which several names can be chosen
CHOICES = ("protocol", "engine", "trainer")  # groups with one choice


class MetricConfig(NamedTuple):
    """The configuration of a metric.

    Attributes:
        title: its name in tables and messages.
        base: the name of the metric, also for a row of a published table.
        options: ``_target_`` and the options, with what is known below ``about``.
        node: the options as they are in the file.
    """

    title: str
    base: str
    options: Mapping[str, Any]
    node: Mapping[str, Any]


def check_config_dir(config_dir: ConfigDir) -> None:
    """Check that the user's folder exists.

    Raises:
        ConfigError: it does not.
    """
    for folder in list_folders(config_dir):
        if not folder.is_dir():
            raise ConfigError(f"--config-dir {folder}: no such folder")


def list_folders(config_dir: ConfigDir) -> list[Path]:
    """Return the user's folders, in the order in which they are searched."""
    if config_dir is None:
        return []
    return [*map(Path, [config_dir] if isinstance(config_dir, str | Path) else config_dir)]


def list_shadowed(config_dir: ConfigDir) -> list[str]:
    """Return a warning for each file that an earlier folder has as well, and that is not used.

    These are YAML files, and modules of the same name.

    >>> list_shadowed("my-metrics")
    []
    """
    texts = []
    used: dict[Path, Path] = {}
    for folder in list_folders(config_dir):
        for path in sorted([*folder.glob("*/*.yaml"), *folder.glob("*.py")]):
            name = path.relative_to(folder)
            if (first := used.setdefault(name, path)) != path:
                texts.append(f"{path} is not used: {first} has the same name, and comes first")
    return texts


def list_files(group: str, config_dir: ConfigDir = None) -> dict[str, Path]:
    """Return the YAML file of each name in a group: the project's, then the user's.

    Raises:
        ConfigError: a folder that does not exist, or a user's file with the same name as one of the
            project's.
    """
    check_config_dir(config_dir)
    files = configurations.find_files(group, [CONF])
    user_files = configurations.find_files(group, list_folders(config_dir))
    if duplicates := [name for name in user_files if name in files]:
        raise ConfigError(
            f"{user_files[duplicates[0]]}: {group} {duplicates[0]!r} already exists: choose "
            "another name"
        )
    return files | user_files


def group_names(group: str, config_dir: ConfigDir = None) -> list[str]:
    """Return the names in a group, without those that stand for several; errors of `list_files`.

    >>> "smatch" in group_names("metric"), "all" in group_names("metric")
    (True, False)
    """
    files = list_files(group, config_dir)
    members = configurations.list_members(group, [CONF, *list_folders(config_dir)])
    return [name for name in files if name in members]


def group_file(group: str, name: str, config_dir: ConfigDir = None) -> Path:
    """Return the YAML file of a name in a group.

    Raises:
        ConfigError: an unknown name, or one that stands for several.
    """
    (name,) = parse_names(group, name, config_dir)
    return list_files(group, config_dir)[name]


def parse_names(
    group: str, value: Any, config_dir: ConfigDir = None, protocol: str | None = None
) -> list[str]:
    """Return the names of a group's value: a name, a list, or the name of a list such as ``all``.

    Args:
        protocol: that of the rows that ``all`` stands for.

    Raises:
        ConfigError: an unknown name, a name given twice, or several where one is expected.
    """
    listed = [str(name).strip() for name in (value if isinstance(value, list) else [value])]
    text = f"{group}={','.join(listed)}"
    if not all(listed) or not listed or value is None or (len(listed) > 1 and group not in LISTS):
        raise ConfigError(f"{text}: expected one name")
    files = list_files(group, config_dir)
    names = []
    for name in listed:
        if group == "data" and name not in files and re.search(r"[./\\]", name):
            raise ConfigError(
                f"data={name}: expected the name of a data set. For a file, write "
                f"{describe_file_options(name)}"
            )
        if name not in files:
            known = group_names(group, config_dir)
            problem = describe_unknown(group, name, known)
            hint = f"{group}{name}"  # a number
            raise ConfigError(f"{problem}. Write {group}={hint}" if hint in known else problem)
        try:
            expanded = configurations.expand_name(
                group, name, [CONF, *list_folders(config_dir)], protocol
            )
        except OptionError as error:
            raise ConfigError(str(error)) from None
        if len(expanded) > 1 and (len(listed) > 1 or group not in LISTS):
            raise ConfigError(f"{text}: {name} stands for several names; give it alone")
        names += expanded
    if len(set(names)) < len(names):
        raise ConfigError(f"{text} gives the same name twice")
    return names


def describe_file_options(file: str = "FILE") -> str:
    """Say how pairs with ratings are read from a file.

    >>> describe_file_options("a.csv")
    "data=csv data.csv.file=a.csv 'data.csv.columns=[src,tgt,rating]' with the names of its columns"
    """
    options = f"data=csv data.csv.file={file} 'data.csv.columns=[src,tgt,rating]'"
    return f"{options} with the names of its columns"


def all_names(group: str) -> list[str]:
    """Return the meaning of ``all`` in a group, under a protocol without published values.

    >>> all_names("data")
    ['sts', 'sick', 'para']
    """
    return parse_names(group, "all") if "all" in list_files(group) else []


def compose_group(
    group: str, name: str, config_dir: ConfigDir = None, protocol: str | None = None
) -> dict[str, Any]:
    """Return the configuration of a name in a group.

    Raises:
        ConfigError: an unknown name, or a YAML file that cannot be read.

    >>> compose_group("protocol", "v0.2")["statistic"]["arg"]
    'pair_accuracy'
    """
    if group == "metric":
        return dict(compose_metric(name, config_dir, protocol).options)
    (name,) = parse_names(group, name, config_dir)
    content = dict(_read_member(group, name, config_dir).node)
    return {NAME: name, **content} if group == "protocol" else content


def compose_metric(
    name: str, config_dir: ConfigDir = None, protocol: str | None = None
) -> MetricConfig:
    """Return the configuration of a metric under a protocol, if any.

    Raises:
        ConfigError: an unknown name, or a YAML file that cannot be read.

    >>> compose_metric("smatch_1.0").title, compose_metric("sembleu_k1").base
    ('smatch_1.0', 'sembleu')
    """
    (name,) = parse_names("metric", name, config_dir)
    node, about = _read_member("metric", name, config_dir, protocol)
    return describe_metric(name, node, about, list_bases(name, config_dir))


def list_bases(name: str, config_dir: ConfigDir = None) -> tuple[Path, ...]:
    """Return the folders from which paths in the YAML file of a metric start."""
    path = group_file("metric", name, config_dir)
    return () if path.is_relative_to(CONF) else (path.parent, path.parents[1])


def describe_metric(
    name: str, node: Mapping[str, Any], about: Mapping[str, Any], folders: tuple[Path, ...] = ()
) -> MetricConfig:
    """Return the configuration of a metric from its options and what is known of it.

    Args:
        folders: where paths in the options start.
    """
    known = {key: value for key, value in about.items() if key not in (NAME, BASE)}
    node = unwrap_standardized(node)
    options = resolve_paths({**node, **known}, folders)
    title = about.get(NAME, name)
    return MetricConfig(title, about.get(BASE, title), options, node)


def _read_member(
    group: str, name: str, config_dir: ConfigDir, protocol: str | None = None
) -> configurations.Member:
    folders = paths()
    references = {"paths.data": str(folders.data), "paths.resources": str(resource("data"))}
    try:
        return configurations.read_member(
            group, name, [CONF, *list_folders(config_dir)], protocol, references
        )
    except OptionError as error:
        raise ConfigError(str(error)) from None
