"""The names in each group of options and their configurations: the project's YAML, and the user's.

A group is a folder of ``conf/``, such as ``metric``, optionally extended by the folder of the same
name in the user's ``--config-dir``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from amr_metrics.errors import GraphError
from amr_metrics.utils.conf import read_content
from amr_metrics.utils.decoding import load_text
from bamboo.config.paths import resolve_paths
from bamboo.errors import ConfigError, describe_unknown
from bamboo.files import parse_yaml
from bamboo.installation import paths, resource

ConfigDir = str | Path | tuple[str | Path, ...] | None  # the user's folders of YAML files
CONF = resource("conf")
LISTS = ("metric", "data", "table")  # groups in which several names can be chosen
CHOICES = ("protocol", "engine", "trainer")  # groups with one choice
# Hydra's own groups, without members: a call of a command alone needs none of them, and they take
# half of the time to compose.
WITHOUT_HYDRA = dict.fromkeys(
    ["hydra_logging", "job_logging", "output", "launcher", "sweeper", "help", "hydra_help", "env"]
)

# Text in the user's YAML that may be for Hydra or OmegaConf; `&` begins an anchor.
MARKS = ("${", "???", "@package", "defaults", "_self_", "hydra", "&")
EXPONENT = re.compile(r"[-+.0-9_]+[eE][-+]?[0-9]+")  # numbers for OmegaConf, text in YAML 1.1


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
    files = _project_files(group)
    user_files: dict[str, Path] = {}
    for folder in list_folders(config_dir):
        user_files = _list_folder(folder / group) | user_files
    if duplicates := [name for name in user_files if name in files]:
        raise ConfigError(
            f"{user_files[duplicates[0]]}: {group} {duplicates[0]!r} already exists: choose "
            "another name"
        )
    return files | user_files


@cache
def _project_files(group: str) -> dict[str, Path]:
    return _list_folder(CONF / group)


def _list_folder(folder: Path) -> dict[str, Path]:
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    return {name: folder / f"{name}.yaml" for name in names}


def group_names(group: str, config_dir: ConfigDir = None) -> list[str]:
    """Return the names in a group; raises the errors of `list_files`.

    >>> "smatch" in group_names("metric")
    True
    """
    return [*list_files(group, config_dir)]


def group_file(group: str, name: str, config_dir: ConfigDir = None) -> Path:
    """Return the YAML file of a name in a group.

    Raises:
        ConfigError: an unknown name.
    """
    files = list_files(group, config_dir)
    if name not in [*files]:
        raise ConfigError(describe_unknown(group, name, files))
    return files[name]


def parse_names(group: str, value: Any, config_dir: ConfigDir = None) -> list[str]:
    """Return the names of a group's value: a name, a list, or the name of a list such as ``all``.

    Raises:
        ConfigError: an unknown name, a name given twice, or several where one is expected.
    """
    listed = [str(name).strip() for name in (value if isinstance(value, list) else [value])]
    if len(listed) == 1 and group in LISTS and listed[0] in read_named_lists(group):
        return list(read_named_lists(group)[listed[0]])
    text = f"{group}={','.join(listed)}"
    if not all(listed) or not listed or value is None or (len(listed) > 1 and group not in LISTS):
        raise ConfigError(f"{text}: expected one name")
    if len(set(listed)) < len(listed):
        raise ConfigError(f"{text} gives the same name twice")
    names = group_names(group, config_dir)
    if missing := [name for name in listed if name not in names]:
        raise ConfigError(describe_unknown(group, missing[0], names))
    return listed


def read_named_lists(group: str) -> Mapping[str, Sequence[str]]:
    """Return the names of a group that stand for several, such as ``all``, from ``conf/all.yaml``.

    >>> read_named_lists("data")
    {'all': ['sts', 'sick', 'para']}
    """
    lists: Mapping[str, Sequence[str]] = read_content(CONF, "all.yaml").get(group, {})
    return lists


def all_names(group: str) -> list[str]:
    """Return the meaning of ``all`` in a group."""
    return list(read_named_lists(group).get("all", ()))


def compose_group(group: str, name: str, config_dir: ConfigDir = None) -> dict[str, Any]:
    """Return the configuration of a name in a group.

    The user's YAML is composed by Hydra if it has its grammar.

    Raises:
        ConfigError: an unknown name, or a YAML file that cannot be read.

    >>> compose_group("protocol", "v0.2")["statistic"]["arg"]
    'pair_accuracy'
    """
    content = compose_plain(group, name, config_dir)
    if content is None:
        content = _compose_by_hydra(group, name, group_file(group, name, config_dir), config_dir)
    path = group_file(group, name, config_dir)
    if group == "metric" and not path.is_relative_to(CONF):
        content = resolve_paths(content, [path.parent, path.parents[1]])
    return add_name(group, name, content)


def add_name(group: str, name: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration of a protocol with its name, by default that of its file.

    Those of other groups are returned as they are.
    """
    return {**({"name": str(name)} if group == "protocol" else {}), **content}


def compose_plain(group: str, name: str, config_dir: ConfigDir = None) -> dict[str, Any] | None:
    """Return the configuration of a name in a group, composed without Hydra.

    None stands for the user's YAML if it has Hydra's grammar, or cannot be read.

    Raises:
        ConfigError: an unknown name.
    """
    path = group_file(group, name, config_dir)
    if not path.is_relative_to(CONF):
        return _read_plain(path)
    content = read_content(CONF, f"{group}/{name}.yaml")
    return {key: _insert_paths(value) for key, value in content.items()}


def _read_plain(path: Path) -> dict[str, Any] | None:
    """Return the content of the user's YAML if Hydra reads the same in it; None otherwise."""
    import yaml

    try:
        text, content = read_yaml(path)
    except ConfigError:
        return None
    has_grammar = any(mark in text for mark in MARKS)
    return None if has_grammar or not _is_plain(yaml.compose(text)) else dict(content)


def _is_plain(node: Any) -> bool:
    """Check that a node of YAML has unique keys, and values that Hydra reads in the same way."""
    kind = node.tag.removeprefix("tag:yaml.org,2002:")
    if kind == "seq":
        return all(map(_is_plain, node.value))
    if kind == "map":
        keys = {key.value for key, _ in node.value if key.tag.endswith(":str")}
        return len(keys) == len(node.value) and all(_is_plain(value) for _, value in node.value)
    is_text = kind == "str" and (node.style is not None or not EXPONENT.fullmatch(node.value))
    return is_text or kind in ("bool", "int", "float", "null")


def _insert_paths(value: Any) -> Any:
    if not isinstance(value, str) or "${" not in value:
        return value
    value = value.replace("${paths.data}", str(paths().data))
    return re.sub(r"\$\{resource:(\w+)\}", lambda match: str(resource(match[1])), value)


def _compose_by_hydra(
    group: str, name: str, path: Path, config_dir: ConfigDir = None
) -> dict[str, Any]:
    from hydra.core.config_store import ConfigStore
    from omegaconf import OmegaConf

    read_yaml(path)  # Hydra's errors do not always name the file
    ConfigStore.instance().store("without_hydra", {"defaults": overridden(WITHOUT_HYDRA)})
    try:
        folders = (path.parents[1], *list_folders(config_dir))
        config = compose_config([f"+{group}={quote_string(name)}"], folders, "without_hydra")
        OmegaConf.set_struct(config, False)
        del config["hydra"]
        config.paths = {"data": literal(paths().data), "runs": literal(paths().runs)}
        whole: Any = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except hydra_errors() as error:
        raise ConfigError(f"{path}: {format_in_one_line(error)}") from None
    if not isinstance(content := whole.get(group), dict):
        raise ConfigError(f"{path}: expected a mapping of options")
    return {str(key): value for key, value in content.items()}


def overridden(hydra_groups: Mapping[str, str | None]) -> list[dict[str, str | None]]:
    """Return the defaults that give Hydra's own groups these members."""
    return [{f"override hydra/{group}": name} for group, name in hydra_groups.items()]


def compose_config(overrides: Sequence[str], config_dir: ConfigDir, name: str) -> Any:
    """Return what Hydra composes; the caller's program may be an application of Hydra, too.

    Args:
        config_dir: folders with more groups.
        name: the primary configuration.
    """
    from hydra import compose, initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from hydra.core.singleton import Singleton

    register_resolver()
    if folders := search_path(list_folders(config_dir)):
        overrides = [folders, *overrides]
    state = Singleton.get_state() if GlobalHydra.instance().is_initialized() else None
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(CONF), version_base="1.3"):
            return compose(name, list(overrides), return_hydra_config=True)
    finally:
        if state is not None:
            Singleton.set_state(state)


def search_path(folders: Sequence[Path]) -> str:
    """Return the override of Hydra that lets it search these folders; nothing for none."""
    listed = dict.fromkeys(quote_string(f"file://{folder.resolve()}") for folder in folders)
    return f"hydra.searchpath=[{','.join(listed)}]" if listed else ""


def hydra_errors() -> tuple[type[Exception], ...]:
    """Return the errors of Hydra for YAML and options that cannot be used."""
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    return HydraException, OmegaConfBaseException, YAMLError, UnicodeDecodeError


def literal(text: object) -> str:
    r"""Return a text in which ``${`` is not an interpolation for OmegaConf.

    >>> print(literal("a ${b}"))
    a \${b}
    """
    return re.sub(r"(\\*)\$\{", r"\1\1\\${", str(text))


def quote_string(text: str) -> str:
    r"""Quote a string as one value in Hydra's grammar; ``${`` in it is not an interpolation.

    >>> print(quote_string("it's a=b, ${c}"))
    'it\'s a=b, \${c}'
    """
    escaped = re.sub(r"(\\+)(?='|$)", r"\1\1", literal(text))
    return "'" + escaped.replace("'", r"\'") + "'"


def read_yaml(path: Path) -> tuple[str, Mapping[str, Any]]:
    """Return the text of a YAML file, and its content.

    Raises:
        ConfigError: a file that cannot be read or is not a mapping.
    """
    try:
        text = load_text(path)
        content = parse_yaml(text)
    except (OSError, GraphError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    if not isinstance(content, Mapping):
        raise ConfigError(f"{path}: expected a mapping of options")
    return text, content


def register_resolver() -> None:
    """Let YAML name the folders that come with the code, as in ``${resource:data}``."""
    from omegaconf import OmegaConf

    OmegaConf.register_new_resolver("resource", lambda name: str(resource(name)), replace=True)


def format_in_one_line(error: BaseException) -> str:
    """Return the message of an error from Hydra or YAML and its causes, without details."""
    causes = [error]
    while (cause := causes[-1].__cause__) is not None:
        causes.append(cause)
    lines = [line.strip() for problem in causes for line in str(problem).splitlines()]
    details = re.compile(r"full_key: |object_type=|reference_type=|$")
    text = " ".join(line for line in dict.fromkeys(lines) if not details.match(line))
    key = getattr(error, "full_key", None)
    return f"{key}: {text}" if key else text
