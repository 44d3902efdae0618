"""The label of a row: the metric's name, and each option that is not at its default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PARTS = ("solver", "vectors")  # groups that a metric's configuration includes
# Options whose value is a file: the label has its name without the folder, the signature a hash of
# its content. Each with the key that a metric's configuration must have for it to matter.
FILES = {"vectors.file": "vectors", "weights": "trainer"}
UNSHOWN = ("vectors.cache",)  # no effect on scores


def label(
    name: str,
    overrides: Sequence[str],
    choices: Mapping[str, str],
    usual_choices: Mapping[str, str],
    usual: Mapping[str, Any],
    config: Mapping[str, Any],
) -> str:
    """The label of a metric with options.

    Args:
        name: the metric's name.
        overrides: the command's options as typed, ``key=value``; those of other things are skipped.
        choices: the name chosen of each group of `PARTS`; usual_choices: the default ones.
        usual: the metric's configuration with these choices and no options.
        config: its configuration with the options.

    >>> usual = {"root": "concept", "solver": {"restarts": 4}}
    >>> config = {"root": "none", "solver": {"restarts": 4}}
    >>> overrides = ["metric.root=none", "solver.restarts=4", "vectors.file=glove.txt"]
    >>> label("smatch", overrides, {"solver": "hillclimb"}, {"solver": "exact"}, usual, config)
    'smatch solver=hillclimb root=none'
    """
    parts = [
        f"{group}={choices[group]}"
        for group in PARTS
        if group in config and choices.get(group) != usual_choices.get(group)
    ]
    for override in overrides:
        key, _, typed = override.partition("=")
        value = typed.replace("\\:", ":").strip("'\"")
        option = key.lstrip("+").removeprefix("metric.")
        if option in UNSHOWN:
            continue
        if key in FILES:
            if FILES[key] in config and value != "null":
                parts.append(f"{key}={Path(value).name}")
        elif (key != option or key.partition(".")[0] in PARTS) and (
            _meaning(value_at(config, option)) != _meaning(value_at(usual, option))
        ):
            parts.append(f"{option}={value}")
    return " ".join([name, *parts])


def _meaning(value: Any) -> Any:
    """A value as compared with a default: ``none`` stands for null, as in ``standardize=none``."""
    return None if value == "none" else value


def value_at(config: Any, option: str) -> Any:
    """The value of ``a.b.c`` in nested mappings; None where there is none.

    >>> value_at({"solver": {"restarts": 4}}, "solver.restarts")
    4
    """
    for key in option.split("."):
        config = config.get(key) if isinstance(config, Mapping) else None
    return config
