"""The same commands in different processes: the same output and the same files.

The processes differ in hash seed, locale, engine, chunk size, and in how much is done by compiled
kernels and how much by their plain functions.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass

from tests.fuzz.campaign import home
from tests.fuzz.processes import finish, repeatable, repeatable_json, start
from tests.fuzz.random_commands import KINDS, write_inputs

ORDER = 85
COMMANDS = 4  # of one process; each is a case
OTHERS = 2  # processes that each one is compared with
UTF8 = "C.UTF-8"
LOCALES = ("tr_TR.UTF-8", "de_DE.UTF-8", "tr_TR.ISO-8859-9", "de_DE.ISO-8859-1")
PROGRESS = re.compile(r"^.* \(\d+ s so far\)\n", re.MULTILINE)
INTERPRETED = (None, 0, 10**8)  # microseconds: as usual, nothing, or as much as possible


@dataclass(frozen=True)
class Setting:
    """How a process runs its commands.

    Attributes:
        environment: variables.
        engine: options of commands that have an engine.
        chunk, interpreted: see `tests.fuzz.sequence`.
    """

    environment: dict[str, str]
    engine: tuple[str, ...] = ("engine=serial",)
    chunk: int | None = None
    interpreted: int | None = None


def campaign(rng, budget):
    """Run some commands in three processes, and compare outputs and files."""
    tried, failures = 0, []
    with home() as folder:
        locales = _locales(folder / "locales")
        for batch in budget.batches(COMMANDS):
            inputs = folder / "inputs"
            write_inputs(rng, inputs)
            commands = [KINDS[int(rng.integers(0, len(KINDS)))](rng) for _ in batch]
            reference = Setting({"PYTHONHASHSEED": "0", "LC_ALL": UTF8})
            settings = [reference, *(_setting(rng, locales) for _ in range(OTHERS))]
            places = [folder / str(k) for k in range(len(settings))]
            for place in places:
                shutil.copytree(inputs, place / "inputs")
            shutil.rmtree(inputs)
            running = [
                _start(place, commands, setting, folder / "locales")
                for place, setting in zip(places, settings, strict=True)
            ]
            ends = [finish(process) for process in running]
            tried += len(commands)
            where = f"cases {batch.start} to {batch[-1]}"
            failures += [
                f"{where}: {setting}: status {status}, {err[-300:]!r}"
                for setting, (status, _, err) in zip(settings, ends, strict=True)
                if status != 0
            ]
            if all(status == 0 for status, _, _ in ends):
                failures += [
                    f"case {batch.start + k}: {' '.join(commands[k].line(k))}: {setting}: {text}"
                    for setting, place in zip(settings[1:], places[1:], strict=True)
                    for k, text in _differences(places[0], place, len(commands))
                ]
            for place in places:
                shutil.rmtree(place)
    return tried, failures


# Settings


def _locales(folder):
    """The locales to use; some are built in a folder, if the system can."""
    folder.mkdir()
    known = set(_printed("locale", "-a").split())
    available, missing = ["C", "POSIX", UTF8], []
    for name in LOCALES:
        language, _, encoding = name.partition(".")
        _printed("localedef", "-i", language, "-f", encoding, str(folder / name))
        if (folder / name).exists() or {name, f"{language}.{encoding.lower()}"} & known:
            available.append(name)
        else:
            missing.append(name)
    if missing:
        print(f"    determinism: without {', '.join(missing)} (Debian: locales)", flush=True)
    return available


def _printed(*arguments):
    """What a program prints; nothing if there is no such program."""
    if shutil.which(arguments[0]) is None:
        return ""
    return subprocess.run(arguments, capture_output=True, text=True, check=False).stdout


def _setting(rng, locales):
    environment = {
        "PYTHONHASHSEED": str(rng.integers(0, 2**32)),
        ("LC_ALL", "LANG")[int(rng.integers(0, 2))]: locales[int(rng.integers(0, len(locales)))],
    }
    if rng.integers(0, 4) == 0:
        environment |= {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    engine = ("engine=serial",)
    if rng.integers(0, 2):
        engine = ("engine=loky", f"engine.jobs={rng.integers(1, 4)}")
    chunk = int(rng.integers(1, 8)) if rng.integers(0, 2) else None
    return Setting(environment, engine, chunk, INTERPRETED[int(rng.integers(0, len(INTERPRETED)))])


def _start(place, commands, setting, locales):
    """Start the commands in a process."""
    lines = [command.line(k, setting.engine) for k, command in enumerate(commands)]
    request = {
        "commands": lines,
        "chunk": setting.chunk,
        "interpreted": setting.interpreted,
    }
    (place / "request.json").write_text(json.dumps(request), "utf-8")
    folders = {"DATA_DIR": "data", "CACHE_DIR": "cache", "VECTORS": "inputs/vectors.txt"}
    return start(
        *("request.json", "outcomes.json"),
        folder=place,
        module="tests.fuzz.sequence",
        environment={
            **dict.fromkeys(("LC_ALL", "LC_CTYPE", "LANG", "LANGUAGE"), ""),
            **{f"BAMBOO_{name}": value for name, value in folders.items()},
            "LOCPATH": str(locales),
            **setting.environment,
        },
    )


# Comparison


def _differences(one, other, count):
    """The commands that gave other results in another process, with what differs."""
    found = []
    outcomes = [json.loads((place / "outcomes.json").read_text("utf-8")) for place in (one, other)]
    for k in range(count):
        for part in ("status", "out", "err"):
            a, b = outcomes[0][k][part], outcomes[1][k][part]
            if part == "err":  # a slow machine prints how long a command has taken
                a = PROGRESS.sub("", a).replace(str(one.resolve()), "")
                b = PROGRESS.sub("", b).replace(str(other.resolve()), "")
            if a != b and not _same_json(a, b):
                found.append((k, f"other {part}: {_first_difference(a, b)}"))
        files = [_files(place / str(k)) for place in (one, other)]
        if set(files[0]) != set(files[1]):
            found.append((k, f"other files: {sorted(set(files[0]) ^ set(files[1]))}"))
        names = sorted(set(files[0]) & set(files[1]))
        found += [(k, f"{name} differs") for name in names if files[0][name] != files[1][name]]
        if outcomes[0][k]["status"] != 0:
            found.append((k, f"it failed: {outcomes[0][k]['err'][-300:]!r}"))
    return found


def _same_json(a, b):
    """Whether two texts are JSON documents that differ only in what differs between two runs."""
    try:
        return bool(repeatable_json(a) == repeatable_json(b))
    except (TypeError, ValueError):
        return False


def _files(folder):
    """The contents of the files that a command wrote, without caches."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    names = {path: path.relative_to(folder).as_posix() for path in paths}
    return {
        name: repeatable(path) for path, name in names.items() if not name.startswith("runs/cache/")
    }


def _first_difference(a, b):
    """Where two texts begin to differ."""
    if not isinstance(a, str):
        return f"{a!r}, {b!r}"
    at = next(
        (k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
    return f"{a[max(0, at - 60) : at + 60]!r}, {b[max(0, at - 60) : at + 60]!r}"
