"""Read the output of a command as named values, and compare two recordings of them."""

from __future__ import annotations

import csv
import difflib
import hashlib
import io
import itertools
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

# What differs between two runs of the same command, or between two versions with equal results.
VARYING = {"seconds", "cached", "cache", "pairs_per_second", "version", "versions", "schema"}
VARYING |= {"provenance", "environment", "implementation", "builder", "sha256", "file", "written"}
# Strings that identify an element of a list; its path then has them in place of its position.
NAMES = ["title", "metric", "parser", "first", "second", "dataset", "data", "name", "partition"]
NAMES += ["split", "statistic", "aspect", "subscore", "system", "kind", "label", "step", "pair"]
LONG = 40  # longer lists of numbers or records are stored as arrays
SHOWN = 12  # differences of each kind that are printed

Values = dict[str, Any]  # by path, such as rows[smatch].cells[sts,main,test,pearson].value


def read_output(text: str, path: str, values: Values) -> None:
    """Add the values in standard output or in a file: JSON, CSV, or the lines of a text."""
    try:
        flatten(json.loads(text), path, values)
    except ValueError:
        if path.endswith(".csv"):
            read_csv(text, path, values)
        else:
            values[f"{path} (text)"] = text.splitlines()


def read_csv(text: str, path: str, values: Values) -> None:
    """Add the columns of numbers, one array for each metric and cell."""
    groups: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in csv.DictReader(io.StringIO(text)):
        keys = ("metric", "parser", "dataset", "partition", "split")
        groups[",".join(row[key] for key in keys if key in row)].append(row)
    for name, rows in groups.items():
        for column in rows[0]:
            values[f"{path}[{name}].{column}"] = column_of([number(row[column]) for row in rows])


def number(cell: str) -> float | str:
    """Return a cell of a CSV file as a number if it is one; an empty one is NaN."""
    special = {"": math.nan, "True": 1.0, "False": 0.0}
    try:
        return special[cell] if cell in special else float(cell)
    except ValueError:
        return cell


def column_of(items: Sequence[Any]) -> Any:
    """Return numbers as an array, and anything else as a digest."""
    if all(item is None or isinstance(item, float | int) for item in items):
        return np.array([math.nan if item is None else item for item in items], float)
    return {"n": len(items), "digest": digest(json.dumps(items))}


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def flatten(item: Any, path: str, values: Values, labels: Sequence[str] = ()) -> None:
    """Add the leaves of a JSON document by their paths.

    Args:
        labels: the metrics of a matrix, which are named in place of positions.
    """
    if isinstance(item, Mapping):
        metrics = item.get("metrics", ())
        if metrics and all(isinstance(metric, str) for metric in metrics):
            labels = metrics
        for key in item:
            if key not in VARYING:
                flatten(item[key], f"{path}.{key}", values, labels)
    elif not isinstance(item, list):
        values[path] = item
    elif len(item) > LONG and not any(isinstance(each, Mapping | list) for each in item):
        values[path] = column_of(item)
    elif len(item) > LONG and all(isinstance(each, Mapping) for each in item):
        for key in sorted({key for each in item for key in each} - VARYING):
            values[f"{path}[].{key}"] = column_of([each.get(key) for each in item])
    else:
        names = [name_of(each) for each in item]
        if len(item) == len(labels) and not any(names):
            names = list(labels)
        counts = Counter(names)
        for k, (each, name) in enumerate(zip(item, names, strict=True)):
            unique = name if name and counts[name] == 1 else f"{name}#{k}"
            flatten(each, f"{path}[{unique}]", values, labels)


def name_of(item: Any) -> str:
    """Return the strings that identify an element of a list, or an empty string."""
    if isinstance(item, Mapping):
        found = [item[key] for key in NAMES if isinstance(item.get(key), str | int)]
    else:
        found = [part for part in item if isinstance(part, str)] if isinstance(item, list) else []
    return ",".join(str(part) for part in found)


def save(values: Mapping[str, Any], command: str, path: Path) -> None:
    """Write a recording: PATH.json, and PATH.npz with all elements of arrays."""
    arrays = {key: value for key, value in values.items() if isinstance(value, np.ndarray)}
    short = {key: summary(value) for key, value in values.items()}
    document = json.dumps({"command": command, "values": short}, indent=0, ensure_ascii=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_name(f"{path.name}.json").write_text(document + "\n", "utf-8")
    if arrays:
        np.savez_compressed(path.with_name(f"{path.name}.npz"), **arrays)  # type: ignore[arg-type]


def summary(value: Any) -> Any:
    """Return an array's length, digest, and first and last elements; other values as they are."""
    if not isinstance(value, np.ndarray):
        return value
    items = value.tolist()
    text = "\n".join(map(repr, items))
    return {"n": len(items), "sha256": digest(text), "first": items[:3], "last": items[-3:]}


def load(path: Path) -> Values | None:
    """Read a recording; None if there is none."""
    file = path.with_name(f"{path.name}.json")
    return json.loads(file.read_text("utf-8"))["values"] if file.exists() else None


def differences(name: str, old_folder: Path, new_folder: Path) -> Iterator[str]:
    """Compare two recordings of a command, and describe what differs."""
    old, new = load(old_folder / name), load(new_folder / name)
    if old is None or new is None:
        yield f"not recorded in {new_folder if new is None else old_folder}"
        return
    gone, places = [key for key in old if key not in new], defaultdict(list)
    for key in new:
        if key not in old:
            places[canonical(new[key])].append(key)
    moved, pairs = [], [(key, key) for key in old if key in new]
    for key in list(gone):
        equal = places[canonical(old[key])]
        if (best := closest(key, equal)) is not None:
            gone.remove(key)
            equal.remove(best)
            moved.append(f"{key} is now {best}")
    added = sorted(key for keys in places.values() for key in keys)
    for key in list(gone):
        of_same_name = [other for other in added if other.split(".")[-1] == key.split(".")[-1]]
        if (best := closest(key, of_same_name)) is not None:
            gone.remove(key)
            added.remove(best)
            pairs.append((key, best))
    changed = []
    for key, other in pairs:
        if canonical(old[key]) != canonical(new[other]):
            if all(isinstance(one, dict) and "sha256" in one for one in (old[key], new[other])):
                change = located(array(old_folder / name, key), array(new_folder / name, other))
            else:
                change = described(old[key], new[other])
            changed.append(f"{key if key == other else f'{key} as {other}'}: {change}")
    yield from listed("changed", changed)
    yield from listed("missing", [f"{key} = {short(old[key])}" for key in gone])
    yield from listed("equal under another name", moved)
    yield from listed("added", [f"{key} = {short(new[key])}" for key in added])


def closest(path: str, others: Sequence[str]) -> str | None:
    """Return the path of the same metric, data and so on with the most words in common."""
    sure = [other for other in others if words(named(path)) <= words(other)]
    return max(sure, key=lambda other: len(words(path) & words(other)), default=None)


def listed(title: str, items: Sequence[str]) -> Iterator[str]:
    """Describe differences of one kind: their number and the first few."""
    if items:
        yield f"{title}: {len(items)}"
        yield from (f"    {item}" for item in items[:SHOWN])


def canonical(value: Any) -> str:
    """Return a text that is equal for values that are equal to the last bit; 1 equals 1.0."""
    return json.dumps(float(value) if type(value) is int else value, sort_keys=True)


def words(path: str) -> set[str]:
    """Return the words in a path."""
    return set(re.findall(r"[^\W_]+", path))


def named(path: str) -> str:
    """Return the names of list elements in a path: metric, data, partition and so on."""
    return " ".join(re.findall(r"\[([^\]#]*)", path))


def short(value: Any) -> str:
    """Return the beginning of a value."""
    return repr(value)[:100]


def described(old: Any, new: Any) -> str:
    """Describe how a value changed."""
    if isinstance(old, list) and isinstance(new, list):
        return "\n        ".join(
            ["", *list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:22]]
        )
    if isinstance(old, str) and isinstance(new, str):  # from shortly before the first difference
        equal = itertools.takewhile(lambda both: both[0] == both[1], zip(old, new, strict=False))
        start = max(len(list(equal)) - 20, 0)
        old, new = old[start:], new[start:]
    both_numbers = all(isinstance(value, float | int) for value in (old, new))
    return f"{short(old)} -> {short(new)}" + (f" ({new - old:+.3g})" if both_numbers else "")


def array(path: Path, key: str) -> np.ndarray:
    """Read all elements of a recorded array."""
    with np.load(path.with_name(f"{path.name}.npz")) as arrays:
        return np.asarray(arrays[key])


def located(old: np.ndarray, new: np.ndarray) -> str:
    """Say where two arrays differ."""
    if len(old) != len(new):
        return f"{len(old)} elements, now {len(new)}"
    (places,) = np.nonzero((old != new) & ~(np.isnan(old) & np.isnan(new)))
    if not len(places):  # such as 0.0 and -0.0
        return "only signs of zero"
    k, largest = places[0], np.nanmax(np.abs(new - old)[places])
    first = f"first [{k}]: {old[k].item()!r} -> {new[k].item()!r}"
    return f"{len(places)} of {len(old)} differ, by at most {largest:.3g}; {first}"
