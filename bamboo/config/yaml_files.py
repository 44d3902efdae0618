"""Read YAML whose content cannot exhaust memory or time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from bamboo.errors import ConfigError
from bamboo.files import load_text

LARGEST = 10_000_000  # bytes
MOST = 100_000  # values, each counted as often as aliases repeat it


def parse_yaml(text: str) -> Any:
    """Return the content of a YAML document.

    Raises:
        ValueError: invalid YAML, a document that is nested too deeply, or one whose aliases
            (``*name``) repeat its values more than `MOST` times, or without end.

    >>> parse_yaml("metric: [smatch, sema]")
    {'metric': ['smatch', 'sema']}
    >>> parse_yaml("&a [*a]")
    Traceback (most recent call last):
    ValueError: it has more than 100,000 values when its aliases are written out
    """
    try:
        content = yaml.safe_load(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except Exception as error:  # constructors of YAML's types may raise anything
        raise ValueError(" ".join(str(error).split()) or type(error).__name__) from None
    waiting, count = [content], 0
    while waiting:
        value = waiting.pop()
        count += 1
        if count > MOST:
            raise ValueError(f"it has more than {MOST:,} values when its aliases are written out")
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return content


def load_yaml(path: Path) -> Any:
    """Return the content of a YAML file.

    Raises:
        OSError: the file cannot be read.
        ValueError: as `parse_yaml`; also a file that is too large or not in UTF-8.
    """
    return parse_yaml(load_text(path, LARGEST))


def check_user_yaml(config_dir: str | None, group: str, name: str) -> None:
    """Check the YAML of a name in a group, if it is in the user's ``--config-dir``.

    Hydra writes aliases out, however often they repeat a value.

    Raises:
        ConfigError: it cannot be read; the message names the file.
    """
    if config_dir is None or not (path := Path(config_dir) / group / f"{name}.yaml").is_file():
        return
    try:
        load_yaml(path)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
