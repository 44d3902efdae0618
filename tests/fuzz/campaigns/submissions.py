"""Hostile submissions: each is refused in one line, or gives the scores that were submitted."""

from __future__ import annotations

import base64
import copy
import json
import resource
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.cli.session import known_protocols
from bamboo.config.request import read_request
from bamboo.errors import SubmissionError
from bamboo.submission.archive import read_submission
from bamboo.terminal import HIDDEN, visible
from tests.fuzz.campaign import Budget, command, damaged, described, home

ORDER = 30
SECONDS, MEGABYTES = 10, 400  # that reading one submission may take
VALUES: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 63, 65, 10**6, 2**31, 2**62, 2**64, 10**39, 10**400),
    *(-0.0, 1e-320, 1e308, float("nan"), float("inf"), "", " ", "x" * 81, "x" * 100_000),
    *("\ud800", "\udfff\ud800", "\x1b[2J", "a\nb", "\u202e", "<script>", "NaN", "1_0", "٣"),
    *([], {}, [[]], {"": {}}, [None] * 9, ["a"], {"a": 1}, "AAAA", "eJwDAAAAAAE="),
)


def campaign(rng: np.random.Generator, budget: Budget) -> tuple[int, list[str]]:
    """Change values anywhere in a submission, its notation, or its compressed scores."""
    tried, failures = 0, []
    with home() as folder:
        arguments = ("submit", "metric=smatch", "data=sample", "partition=main", "resamples=20")
        outcome = command(*arguments, "out=whole.json")
        if outcome.status != 0:
            return 1, [f"submit failed: {outcome}"]
        whole = json.loads((folder / "whole.json").read_text())
        dataset = Dataset.from_config(read_request("run", ["data=sample"]).data[0])
        reader = Reader(Cell(dataset, "main", "test"), folder / "theirs.json")
        reader.path.write_text(json.dumps(whole))
        reader.expected = reader.read()
        for case in budget.cases():
            text, what = hostile(rng, whole)
            tried += 1
            if problem := reader.problem(text):
                failures.append(f"case {case}: {what}: {problem}")
    return tried, failures


class Reader:
    """Reads a submission of one cell."""

    def __init__(self, cell: Cell, path: Path) -> None:
        self.cell, self.path = cell, path
        self.pairs = {cell: cell.load()}
        self.digests = {cell: cell.digest()}
        self.protocols = known_protocols()
        self.expected: list[float] = []

    def read(self) -> list[float]:
        """The scores of the submission."""
        submission = read_submission(self.path, self.pairs, self.digests, self.protocols)
        scores: list[float] = submission.cells[self.cell].scores.values.tolist()
        return scores

    def problem(self, text: bytes) -> str | None:
        """Why the outcome of reading a submission is not as it should be."""
        self.path.write_bytes(text)
        before, start = _peak(), time.process_time()
        try:
            scores = self.read()
        except SubmissionError as error:
            shown = visible(str(error))
            if not shown.startswith(str(self.path)) or "\n" in shown or HIDDEN.search(shown):
                return f"an unclear message: {shown[:200]!r}"
            if len(shown) > 2_000:
                return f"a message of {len(shown)} characters: {shown[:200]!r}"
            scores = self.expected
        except Exception as error:
            return described(error)
        if scores != self.expected:
            return "other scores"
        if (seconds := time.process_time() - start) > SECONDS:
            return f"{seconds:.0f} s of processor time"
        if (megabytes := _peak() - before) > MEGABYTES:
            return f"{megabytes:.0f} MB of memory"
        return None


def hostile(rng: np.random.Generator, whole: dict[str, Any]) -> tuple[bytes, str]:
    """A hostile submission, and what was changed."""
    document = copy.deepcopy(whole)
    kind = int(rng.integers(0, 12))
    if kind == 0:
        return damaged(rng, json.dumps(document).encode())
    if kind == 1:
        levels = int(rng.choice([100, 900, 5_000, 200_000]))
        text = json.dumps(document).replace('"smatch"', "[" * levels + "]" * levels, 1)
        return text.encode(), f"{levels} levels"
    if kind == 2:
        what = _bomb(rng, document)
        return json.dumps(document).encode(), what
    if kind == 3:
        entry, size = document["scores"][0], int(rng.choice([0, 63, 64, 65, 10**6]))
        values = rng.choice([0.5, np.nan, np.inf, -1e308, 5e-324], size)
        entry["values"] = base64.b64encode(zlib.compress(values.tobytes())).decode()
        entry["pairs"] = int(rng.choice([size, 64]))
        return json.dumps(document).encode(), f"{size} other scores"
    changes = [_change(rng, document) for _ in range(int(rng.integers(1, 3)))]
    return json.dumps(document).encode(), "; ".join(changes)


def _change(rng: np.random.Generator, document: Any) -> str:
    """Replace, remove or add one value somewhere in a document."""
    parent, key, at = document, None, ""
    value = document
    while isinstance(value, dict | list) and value and (key is None or rng.integers(0, 8)):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        parent, key = value, keys[int(rng.integers(0, len(keys)))]
        value = parent[key]
        at += f".{key}"
    kind = int(rng.integers(0, 6))
    if kind == 0 and key is not None:
        del parent[key]
        return f"without {at}"
    if kind == 1 and isinstance(parent, list):
        parent.append(copy.deepcopy(value))
        return f"{at} twice"
    new = VALUES[int(rng.integers(0, len(VALUES)))]
    if kind == 2 and isinstance(value, float):
        new = value + float(rng.normal())
    if key is not None:
        parent[key] = new
    return f"{at} = {str(new)[:20]!r}"


def _bomb(rng: np.random.Generator, document: dict[str, Any]) -> str:
    """Entries of other cells whose compressed scores are far larger than the file."""
    count = int(rng.choice([1, 20, 500, 2_000]))
    pairs = int(rng.choice([1_000, 1_000_000, 20_000_000]))
    packed = base64.b64encode(zlib.compress(bytes(8 * min(pairs, 10**6)), 9)).decode()
    # A file of many such entries has hundreds of kilobytes.
    for k in range(min(count, 8_000_000 // len(packed))):
        entry = {**document["scores"][0], "dataset": f"theirs{k}", "pairs": pairs}
        document["scores"].append({**entry, "values": packed})
    return f"{count} entries of {pairs} pairs each"


def _peak() -> float:
    """The most memory that this process has used, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
