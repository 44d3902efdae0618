"""The configurations of names in groups: the project's YAML files, and the user's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from bamboo.config.groups import group_file
from bamboo.errors import ConfigError
from bamboo.files import load_text, parse_yaml
from bamboo.installation import paths, resource

# Groups that metrics refer to with ${solver} and ${vectors}, and the names that are the defaults.
PARTS = {"solver": "exact", "vectors": "glove"}


def compose_group(group: str, name: str, config_dir: str | Path | None = None) -> dict[str, Any]:
    """Return the configuration of a name in a group.

    The user's YAML is composed by Hydra. Where YAML of the project refers to a solver or word
    vectors of the command, the option is left out: the class has the same default.

    Raises:
        ConfigError: an unknown name, or a YAML file that cannot be read.

    >>> compose_group("protocol", "v0.2")["statistic"]["arg"]
    'pair_accuracy'
    """
    path = group_file(group, name, config_dir)
    if not path.is_relative_to(resource("conf")):
        return _composed_by_hydra(group, name, path)
    content = {
        key: _with_paths(value) for key, value in _project_file(path).items() if key != "defaults"
    }
    for base in _project_file(path).get("defaults", ()):
        content = {**compose_group(group, base), **content}
    return {key: value for key, value in content.items() if not str(value).startswith("${")}


@cache
def _project_file(path: Path) -> Mapping[str, Any]:
    content = parse_yaml(load_text(path))
    assert isinstance(content, dict)
    return content


def _with_paths(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    value = value.replace("${paths.data}", str(paths().data))
    return re.sub(r"\$\{resource:(\w+)\}", lambda match: str(resource(match[1])), value)


def _composed_by_hydra(group: str, name: str, path: Path) -> dict[str, Any]:
    from hydra import compose, initialize_config_dir
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    register_resolver()
    check_yaml(path)
    folder = path.resolve().parents[1]
    overrides = [f"+{part}={choice}" for part, choice in PARTS.items() if part != group]
    overrides += [f"+{group}={name}", f"hydra.searchpath=['file://{folder}']"]
    try:
        with _own_hydra(), initialize_config_dir(str(resource("conf")), version_base="1.3"):
            config = compose(overrides=overrides)
            OmegaConf.set_struct(config, False)
            config.paths = {"data": literal(paths().data), "runs": literal(paths().runs)}
            whole: Any = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except (HydraException, OmegaConfBaseException, YAMLError, OSError, ValueError) as error:
        raise ConfigError(f"{path}: {in_one_line(error)}") from None
    if not isinstance(content := whole.get(group), dict):
        raise ConfigError(f"{path}: expected a mapping of options")
    return {str(key): value for key, value in content.items()}


def literal(text: object) -> str:
    r"""Return a text in which ``${`` is not an interpolation for OmegaConf.

    >>> print(literal("a ${b}"))
    a \${b}
    """
    return re.sub(r"(\\*)\$\{", r"\1\1\\${", str(text))


def check_yaml(path: Path) -> None:
    """Check that a file of the user's is YAML; Hydra's errors do not always name it.

    Raises:
        ConfigError: it cannot be read.
    """
    if path.is_relative_to(resource("conf")):
        return
    try:
        content = parse_yaml(load_text(path))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: expected a mapping of options")


def register_resolver() -> None:
    """Let YAML name the folders that come with the code, as in ``${resource:data}``."""
    from omegaconf import OmegaConf

    OmegaConf.register_new_resolver("resource", lambda name: str(resource(name)), replace=True)


@contextmanager
def _own_hydra() -> Iterator[None]:
    """Put aside Hydra's state: the caller's program may be an application of Hydra, too."""
    from hydra.core.global_hydra import GlobalHydra
    from hydra.core.singleton import Singleton

    state = Singleton.get_state()
    GlobalHydra.instance().clear()
    try:
        yield
    finally:
        Singleton.set_state(state)


def in_one_line(error: BaseException) -> str:
    """Return the message of an error from Hydra or YAML and its causes, without details."""
    causes = [error]
    while (cause := causes[-1].__cause__) is not None:
        causes.append(cause)
    lines = [line.strip() for problem in causes for line in str(problem).splitlines()]
    details = re.compile(r"full_key: |object_type=|reference_type=|$")
    text = " ".join(line for line in dict.fromkeys(lines) if not details.match(line))
    key = getattr(error, "full_key", None)
    return f"{key}: {text}" if key else text
