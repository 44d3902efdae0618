"""The same commands in different processes: the same output and the same files.

The processes differ in hash seed, locale, engine, chunk size, and in how much is done by compiled
kernels and how much by their plain functions.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bamboo.paths import resource
from metrics import format_graphs, read_graphs
from metrics.graph import Graph
from metrics.random_graphs import random_graph
from tests.fuzz.campaign import Budget, home
from tests.fuzz.processes import finish, repeatable, repeatable_json, start

ORDER = 85
COMMANDS = 4  # of one process; each is a case
OTHERS = 2  # processes that each one is compared with
UTF8 = "C.UTF-8"
LOCALES = ("tr_TR.UTF-8", "de_DE.UTF-8", "tr_TR.ISO-8859-9", "de_DE.ISO-8859-1")
METRICS = (
    *(
        "smatch",
        "smatch_1.0",
        "smatchpp",
        "wsmatch",
        "s2match",
        "sema",
        "sembleu",
        "rematch",
        "wlk",
    ),
    *("wwlk", "node_match", "concept_cosine", "label_overlap"),
)
WITH_SOLVER = ("smatch", "smatchpp", "wsmatch", "s2match")
REPORTS = ("table", "json", "csv", "markdown", "latex")
PARTITIONS = ("main", "reify", "syno", "arg")
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


@dataclass(frozen=True)
class Command:
    """A command that puts its files into the folder ``{folder}``."""

    arguments: tuple[str, ...]
    has_engine: bool = True

    def line(self, number: int, engine: Sequence[str] = ()) -> list[str]:
        """The arguments of command `number` of a process."""
        arguments = [argument.format(folder=number) for argument in self.arguments]
        return [*arguments, *(engine if self.has_engine else ())]


def campaign(rng: np.random.Generator, budget: Budget) -> tuple[int, list[str]]:
    """Run some commands in three processes, and compare outputs and files."""
    tried, failures = 0, []
    with home() as folder:
        locales = _locales(folder / "locales")
        for batch in budget.batches(COMMANDS):
            inputs = folder / "inputs"
            _write_inputs(rng, inputs)
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


def _locales(folder: Path) -> list[str]:
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


def _printed(*arguments: str) -> str:
    """What a program prints; nothing if there is no such program."""
    if shutil.which(arguments[0]) is None:
        return ""
    return subprocess.run(arguments, capture_output=True, text=True, check=False).stdout


def _setting(rng: np.random.Generator, locales: Sequence[str]) -> Setting:
    environment = {
        "PYTHONHASHSEED": str(rng.integers(0, 2**32)),
        ("LC_ALL", "LANG")[int(rng.integers(0, 2))]: locales[int(rng.integers(0, len(locales)))],
    }
    if rng.integers(0, 4) == 0:
        environment |= {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    engine: tuple[str, ...] = ("engine=serial",)
    if rng.integers(0, 2):
        engine = ("engine=loky", f"engine.jobs={rng.integers(1, 4)}")
    chunk = int(rng.integers(1, 8)) if rng.integers(0, 2) else None
    return Setting(environment, engine, chunk, INTERPRETED[int(rng.integers(0, len(INTERPRETED)))])


# Commands


def _write_inputs(rng: np.random.Generator, folder: Path) -> None:
    """Graphs of a gold standard and of two parsers, preferences, ratings and word vectors."""
    folder.mkdir()
    sample = read_graphs(Path(str(resource("data"))) / "sample" / "main" / "src.test.amr")
    gold = [
        replace(sample[int(rng.integers(0, len(sample)))], metadata={"id": f"é{k}", "snt": "ß"})
        if rng.integers(0, 3)
        else replace(random_graph(rng, 8), metadata={"id": f"é{k}"})
        for k in range(int(rng.integers(4, 13)))
    ]
    for name, share in (("gold", 0.0), ("a", 0.1), ("b", 0.3)):
        graphs = [_noisy(rng, graph, share) for graph in gold]
        (folder / f"{name}.amr").write_text(format_graphs(graphs), "utf-8")
    rows = ["sentence\tfirst\tsecond\tpreference"]
    rows += [f"{k}\ta\tb\t{rng.choice(['0', '1'])}" for k in range(len(gold))]
    (folder / "prefer").mkdir()
    (folder / "prefer" / "preferences.tsv").write_text("\n".join(rows) + "\n")
    for system, name in (("a", "a"), ("b", "b"), ("reference", "gold")):
        shutil.copy(folder / f"{name}.amr", folder / "prefer" / f"{system}.amr")
    words = {concept.partition("-")[0].lower() for graph in sample for concept in graph.concepts}
    lines = [
        " ".join([word, *(f"{value:.3f}" for value in rng.normal(size=100))])
        for word in sorted(words)
        if word.isalpha()
    ]
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n", "utf-8")


def _noisy(rng: np.random.Generator, graph: Graph, share: float) -> Graph:
    """The graph with a share of its concepts replaced."""
    concepts = ["thing" if rng.random() < share else concept for concept in graph.concepts]
    return replace(graph, concepts=tuple(concepts))


def _some(rng: np.random.Generator, values: Sequence[str], most: int, least: int = 1) -> str:
    """Some different values, as the value of an option."""
    count = int(rng.integers(least, most + 1))
    return f"[{','.join(rng.permutation(values)[:count].tolist())}]"


def _options(rng: np.random.Generator, *values: str) -> list[str]:
    """Each option with probability one half."""
    return [value for value in values if rng.integers(0, 2)]


def _metric(rng: np.random.Generator, *more: str) -> list[str]:
    """One metric, some with a solver."""
    name = str(rng.choice(METRICS))
    if name in WITH_SOLVER and rng.integers(0, 3) == 0:
        return [f"metric={name}", f"solver={rng.choice(['milp', 'hillclimb'])}"]
    return [f"metric={name}"]


def _report(rng: np.random.Generator) -> str:
    return f"report={rng.choice(REPORTS)}"


def _score(rng: np.random.Generator) -> Command:
    src = str(rng.choice(["inputs/a.amr", "inputs/a.amr,inputs/b.amr"]))
    arguments = ["score", f"src={src}", "tgt=inputs/gold.amr", _report(rng), "resamples=40"]
    kind = int(rng.integers(0, 4))
    if kind == 0:
        arguments += ["metric=smatchpp", f"aspects={rng.choice(['all', 'ner,negation'])}"]
    elif kind == 1 or "," in src:
        pairs = "null" if "," in src else rng.choice(["all", "null"])
        arguments += [*_metric(rng), f"pairs={pairs}", "ids=ignore"]
    else:
        arguments += [f"metric={_some(rng, METRICS, 3)}", f"ids={rng.choice(['match', 'warn'])}"]
    arguments += _options(rng, "ci=true", f"seed={rng.integers(0, 9)}", "on_error=zero")
    if "," not in src:
        arguments += _options(rng, "per_pair={folder}/pairs.csv")
        arguments += [] if "metric=[" in " ".join(arguments) else _options(rng, "worst=3")
    return Command(tuple(arguments))


def _explain(rng: np.random.Generator) -> Command:
    arguments = ["explain", "src=inputs/a.amr", "tgt=inputs/gold.amr", _report(rng)]
    if rng.integers(0, 2):  # a drawing needs a metric that aligns nodes
        arguments += [f"metric={rng.choice(WITH_SOLVER)}", "out={folder}/pair.svg"]
    else:
        arguments += _metric(rng)
    return Command((*arguments, f"pair={rng.integers(0, 4)}"), has_engine=False)


def _cells(rng: np.random.Generator) -> list[str]:
    """Data of `run` and `compare`, and how they are evaluated."""
    return [
        *("data=sample", f"partition={_some(rng, PARTITIONS, 2)}", _report(rng)),
        *(f"limit={2 * rng.integers(4, 8)}", f"split={rng.choice(['test', 'dev', 'train'])}"),
        *(f"protocol={rng.choice(['paper', 'v0.2', 'spearman', 'kendall'])}", "resamples=40"),
        *_options(rng, f"seed={rng.integers(0, 9)}", "out={folder}/out"),
    ]


def _run(rng: np.random.Generator) -> Command:
    metrics = f"metric={_some(rng, METRICS, 3)}"
    return Command(("run", metrics, *_cells(rng), *_options(rng, "ci=true")))


def _compare(rng: np.random.Generator) -> Command:
    return Command(
        ("compare", f"metric={_some(rng, METRICS, 3, 2)}", *_cells(rng), "permutations=60")
    )


def _submit(rng: np.random.Generator) -> Command:
    partition = f"partition={rng.choice(PARTITIONS)}"
    arguments = ["submit", *_metric(rng), "data=sample", partition, "resamples=20", _report(rng)]
    return Command((*arguments, "out={folder}/mine.json"))


def _prefer(rng: np.random.Generator) -> Command:
    metrics = f"metric={_some(rng, METRICS, 2)}"
    arguments = ["prefer", "data=inputs/prefer", metrics, "resamples=40", _report(rng)]
    return Command((*arguments, *_options(rng, "ties=count")), has_engine=False)


def _build(rng: np.random.Generator) -> Command:
    partition, seed = _some(rng, ("reify", "arg"), 2), f"seed={rng.integers(0, 9)}"
    arguments = ("build", "data=sample", f"partition={partition}", "split=test", seed)
    return Command((*arguments, _report(rng), "out={folder}/built"))


def _train(rng: np.random.Generator) -> Command:
    schedule = ("trainer.schedule.interval=3", "trainer.schedule.evaluations=2")
    seed = f"seed={rng.integers(0, 9)}"
    arguments = ("train", "data=sample", "partition=arg", *schedule, seed, _report(rng))
    return Command((*arguments, "out={folder}/out"), has_engine=False)


def _site(rng: np.random.Generator) -> Command:
    arguments = ("site", f"metric={_some(rng, METRICS, 2)}", "data=sample", "partition=arg")
    draws = ("resamples=20", "permutations=20", "tables=off", "date=2026-01-31")
    return Command((*arguments, *draws, "out={folder}/site"))


# The faster ones more often.
KINDS: tuple[Callable[[np.random.Generator], Command], ...] = (
    *(_score, _score, _score, _score, _explain, _explain, _run, _run, _run, _compare, _compare),
    *(_submit, _prefer, _build, _train, _site),
)


def _start(
    place: Path, commands: Sequence[Command], setting: Setting, locales: Path
) -> subprocess.Popen[str]:
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


def _differences(one: Path, other: Path, count: int) -> list[tuple[int, str]]:
    """The commands that gave other results in another process, with what differs."""
    found = []
    outcomes = [json.loads((place / "outcomes.json").read_text("utf-8")) for place in (one, other)]
    for k in range(count):
        for part in ("status", "out", "err"):
            a, b = outcomes[0][k][part], outcomes[1][k][part]
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


def _same_json(a: Any, b: Any) -> bool:
    """Whether two texts are JSON documents that differ only in what differs between two runs."""
    try:
        return bool(repeatable_json(a) == repeatable_json(b))
    except (TypeError, ValueError):
        return False


def _files(folder: Path) -> dict[str, Any]:
    """The contents of the files that a command wrote, without caches."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    names = {path: path.relative_to(folder).as_posix() for path in paths}
    return {
        name: repeatable(path) for path, name in names.items() if not name.startswith("runs/cache/")
    }


def _first_difference(a: Any, b: Any) -> str:
    """Where two texts begin to differ."""
    if not isinstance(a, str):
        return f"{a!r}, {b!r}"
    at = next(
        (k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
    return f"{a[max(0, at - 60) : at + 60]!r}, {b[max(0, at - 60) : at + 60]!r}"
