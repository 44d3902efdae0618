"""The folder that a command writes: written atomically, one per configuration.

The folder's name is derived from the configuration, so repeating a command replaces its folder
instead of creating another one. If the numbers differ from those in the folder (because the data or
a metric's code changed), the old folder is kept, and a new one with a number is created.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import yaml

from bamboo.benchmark.columns import BENCHMARK
from bamboo.display.table import Table, render
from bamboo.errors import ConfigError
from bamboo.files import json_text, write_text
from bamboo.folders import create_beside, put_in_place
from bamboo.results.cache import ScoredCells
from bamboo.results.pair_scores import write_scores
from bamboo.results.pair_texts import PairTexts
from bamboo.results.provenance import provenance
from bamboo.results.record import Job, Record
from bamboo.results.results import Results

CONFIG = "config.yaml"
HYDRA = ".hydra"  # the folder of the configuration that Hydra composed
RESULT = (CONFIG, "result.json", "scores.csv")
# The files of each command's folder, with the pattern of those that not every request writes.
FILES: Mapping[str, Sequence[str]] = {
    "run": RESULT,
    "compare": (*RESULT, "comparison.json", "comparison.md"),
    "tables": (CONFIG, "tables.json", "tables.md", "*.svg"),
    "train": (CONFIG, "weights.json", "history.csv"),
}
LONGEST = 80  # characters of a folder's name without its hash
# Options for computing and showing the results, which do not affect their values.
PRESENTATION = ("out", "cache", "engine", "paths")
# Keys that may differ between two runs with the same numbers.
VARYING = ("provenance", "notes", "seconds", "pairs_per_second", "cached", "cache")


@dataclass
class RunFolder:
    """A folder that is being written.

    Attributes:
        path: the folder that files are written to; after `run_folder` ends, their final location.
    """

    path: Path

    def write(self, name: str, text: str) -> None:
        """Write one file, in UTF-8."""
        write_text(self.path / name, text)


@contextmanager
def run_folder(record: Record, runs: Path, out: Path | None) -> Iterator[RunFolder]:
    """Create the folder for the files of a command, with its configuration.

    Files are written to a new folder, which takes its place at the end, and is removed after an
    error. It is created first, so that a long run does not fail at its end.

    Args:
        runs: the parent folder.
        out: the folder to write to instead of that of the job, or of one in `runs`. It is replaced
            as a whole if it has files of the same command only.

    Raises:
        ConfigError: a folder that cannot be written to, or has other files.
        IsADirectoryError: it has a folder with the name of one of its files.
    """
    with ExitStack() as stack:
        try:
            job = record.job or Job(())
            destination = out or job.folder or runs / folder_name(record)
            keeps_others = (out or job.folder) is None or not job.may_replace
            if not keeps_others:
                _check_replaceable(destination, FILES[record.command], record.command)
            new = create_beside(destination, may_be_current=job.is_current)
            folder = RunFolder(stack.enter_context(new))
            folder.write(CONFIG, config_text(record))
            for name, text in job.files.items():
                (folder.path / name).parent.mkdir(exist_ok=True)
                folder.write(name, text)
        except IsADirectoryError:
            raise
        except OSError as error:
            raise describe_unwritable(error) from None
        yield folder
        for path in destination.glob("*.log"):  # Hydra may still write to it
            path.replace(folder.path / path.name)
        if keeps_others:
            folder.path = put_in_place(folder.path, destination, same_numbers)
        else:
            folder.path = put_in_place(folder.path, destination)


def _is_of_hydra(path: Path) -> bool:
    """Return whether Hydra writes a file before the job starts."""
    return path.name == HYDRA or path.suffix == ".log"


def describe_unwritable(error: OSError) -> ConfigError:
    """Return the error for a folder of results that cannot be written to."""
    text = f"cannot write to {error.filename}: {error.strerror}. Choose another with out=FOLDER"
    return ConfigError(text)


def _check_replaceable(folder: Path, names: Sequence[str], command: str) -> None:
    """Check that a folder has no files but those of a command.

    Raises:
        ConfigError: it has others.
        IsADirectoryError: a folder has the name of one of these files.
        OSError: it cannot be read.
    """
    for path in sorted(folder.iterdir()) if folder.exists() else ():
        is_known = any(fnmatch(path.name, name) for name in names)
        if not is_known and not _is_of_hydra(path):
            raise ConfigError(
                f"{folder} contains {path.name}, which `{command}` does not write; nothing was "
                "changed. Choose an empty or new folder with out=FOLDER"
            )
        if path.is_dir() and not _is_of_hydra(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def write_run(
    folder: RunFolder,
    record: Record,
    results: Results,
    scored: ScoredCells,
    texts: PairTexts,
) -> None:
    """Write ``result.json``, with its provenance, and ``scores.csv``."""
    document = {**results.to_json(), "provenance": provenance(record, results.data)}
    folder.write("result.json", json_text(document, indent=1) + "\n")
    write_scores(scored, folder.path / "scores.csv", texts.of(cell for _, cell in scored))


def write_tables(
    folder: RunFolder,
    record: Record,
    tables: Sequence[Table],
    documents: Sequence[Mapping[str, Any]],
) -> None:
    """Write ``tables.json``, with the provenance of each table, ``tables.md``, and the figures."""
    data = {cell: sha256 for doc in documents for cell, sha256 in doc.get("data", {}).items()}
    document = {"tables": list(documents), "provenance": provenance(record, data)}
    folder.write("tables.json", json_text(document, indent=1) + "\n")
    folder.write("tables.md", render(tables, "markdown") + "\n")
    for name, svg in (table.picture for table in tables if table.picture):
        folder.write(name, svg)


def same_numbers(a: Path, b: Path) -> bool:
    """Return whether two folders contain the same files with the same results, or `b` has none.

    Times, provenance and use of the cache may differ, and what Hydra writes.
    """
    try:
        names, others = ({p.name for p in f.iterdir() if not _is_of_hydra(p)} for f in (a, b))
        return not others or (
            names == others
            and all(
                _read_numbers(a / name) == _read_numbers(b / name)
                for name in names
                if Path(name).suffix in (".json", ".csv")
            )
        )
    except (OSError, ValueError, RecursionError):
        return False


def _read_numbers(path: Path) -> Any:
    """Return the content of a file; of JSON without the keys whose values may differ."""
    content = path.read_bytes()
    return json.loads(content, object_hook=_drop_varying) if path.suffix == ".json" else content


def _drop_varying(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in VARYING}


def folder_name(record: Record) -> str:
    """Return a readable name, safe in every shell, and a hash of the configuration.

    >>> from bamboo.config.rows import Row
    >>> from amr_metrics import Smatch
    >>> options = {"partition": "main", "split": "test"}
    >>> rows = (Row("smatch root=none", Smatch(root="none")),)
    >>> folder_name(Record("run", options, rows)).rpartition("-")[0]
    'run-smatch_root-none-main'
    >>> len(folder_name(Record("run", {"partition": "x" * 99}, rows)).rpartition("-")[0])
    80
    >>> tables = ({"title": "Table 1"}, {"title": "Table 4"})
    >>> folder_name(Record("tables", {}, tables=tables)).rpartition("-")[0]
    'tables-2'
    """
    metrics = [row.name for row in record.rows]
    data = [dataset.name for dataset in record.datasets]
    tables = [re.sub(r"\W+", " ", config["title"]).split(" x ")[0] for config in record.tables]
    parts = [
        record.command,
        "+".join(metrics) if len(metrics) < 4 else f"{len(metrics)} metrics",
        "+".join(tables) if len(tables) < 2 else str(len(tables)),  # behind the command: tables
        "" if tables else "all" if data == list(BENCHMARK) else "+".join(data),
        _format_value(record.options.get("partition")),
        *(
            [_format_value(split)]
            if (split := record.options.get("split")) not in (None, "test")
            else []
        ),
    ]
    slugs = [re.sub(r"[^A-Za-z0-9._]+", "-", part.replace(" ", "_")).strip("-_") for part in parts]
    name = "-".join(slug for slug in slugs if slug)[:LONGEST].strip("-_")
    identifying = {k: v for k, v in record.document.items() if k not in (*PRESENTATION, "command")}
    text = json_text(identifying, sort_keys=True, default=str)
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _format_value(value: object) -> str:
    if value is None:
        return ""
    return "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def config_text(record: Record) -> str:
    """Return the resolved configuration as YAML."""
    return str(yaml.safe_dump(record.document, sort_keys=False, allow_unicode=True))
