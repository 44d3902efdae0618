"""The label of a row: the metric's name and its options that differ from the defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bamboo.config.composition import PARTS
from bamboo.config.settings import Setting, shown

# Options whose value is a file: the label contains the file name without the folder, the signature
# a hash of the content. The value is the key that a metric's configuration must have to use it.
FILES = {"vectors.file": "vectors", "weights": "trainer"}
UNSHOWN = ("vectors.cache",)  # no effect on scores


def label(
    name: str,
    settings: Sequence[Setting],
    choices: Mapping[str, str],
    usual_choices: Mapping[str, str],
    usual: Mapping[str, Any],
    config: Mapping[str, Any],
) -> str:
    """The label of a metric with options.

    Args:
        name: the metric's name.
        settings: the command's options; unrelated options are ignored.
        choices: the name chosen in each group of `PARTS`; usual_choices: the defaults.
        usual: the metric's configuration with these choices and default options.
        config: its configuration with the options.

    >>> usual = {"root": "concept", "solver": {"restarts": 4}}
    >>> config = {"root": "none", "solver": {"restarts": 4}}
    >>> settings = [Setting("metric.root", "none"), Setting("solver.restarts", 4)]
    >>> label("smatch", settings, {"solver": "hillclimb"}, {"solver": "exact"}, usual, config)
    'smatch solver=hillclimb root=none'
    """
    parts = [
        f"{group}={choices[group]}"
        for group in PARTS
        if group in config and choices.get(group) != usual_choices.get(group)
    ]
    for setting in settings:
        key, value = setting.key, setting.value
        option = key.removeprefix("metric.")
        if option in UNSHOWN:
            continue
        if key in FILES:
            if FILES[key] in config and value is not None:
                parts.append(f"{key}={Path(value).name}")
        elif (key != option or key.partition(".")[0] in PARTS) and (
            _meaning(value_at(config, option)) != _meaning(value_at(usual, option))
        ):
            parts.append(f"~{option}" if setting.prefix == "~" else f"{option}={shown(value)}")
    return " ".join([name, *parts])


def _meaning(value: Any) -> Any:
    """A value for comparison with a default: ``none`` means null, as in ``standardize=none``."""
    return None if value == "none" else value


def value_at(config: Any, option: str) -> Any:
    """The value of ``a.b.c`` in nested mappings; None if it is missing.

    >>> value_at({"solver": {"restarts": 4}}, "solver.restarts")
    4
    """
    for key in option.split("."):
        config = config.get(key) if isinstance(config, Mapping) else None
    return config
