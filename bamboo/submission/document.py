"""Submissions: a metric's results as one verifiable JSON file.

The scores of each cell are little-endian float64, compressed by zlib, in base64. ``sha256`` covers
all scores, those of each cell preceded by a line with data set, partition, split and the hash of
the data. Reading recomputes every value and interval from the scores; name, signature, environment
and seconds are stated by the submitter and cannot be verified.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
import platform
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bamboo.benchmark.cells import Cell, PairSet
from bamboo.benchmark.protocols import Protocol
from bamboo.documents import load_json
from bamboo.errors import SubmissionError
from bamboo.pairs.problems import Problem
from bamboo.running.cache import CellScores
from bamboo.results.results import Result
from bamboo.results.evaluate import evaluate
from bamboo.statistics.resampling import Resampling
from metrics.base import Scores
from metrics.types import Floats
from metrics.version import VERSION

KIND, SCHEMA = "bamboo submission", 1
NAME_LENGTH, SIGNATURE_LENGTH, FACTS = 80, 4000, 20
LARGEST = 16_000_000  # bytes of the file
MOST_CELLS = 1_000
MOST_PAIRS = 1_000_000  # of all cells together whose data are not available here
MOST_SECONDS = 1e9  # thirty years
MOST_RESAMPLES = 10_000  # limits the work of verifying
HEADING = ("dataset", "partition", "split", "data")
TOLERANCE = 1e-6  # of values times 100: rounding differs between machines


@dataclass(frozen=True, eq=False)
class Submission:
    """A metric's scores on some cells.

    Attributes:
        name, signature: of the metric. Untrusted text, never to be interpreted as markup.
        cells: scores by cell; the seconds are stated by the submitter.
        environment: what the scores were computed with, as stated by the submitter.
    """

    name: str
    signature: str
    cells: Mapping[Cell, CellScores]
    environment: Mapping[str, str]

    def results(self, protocols: Sequence[Protocol], intervals: Resampling) -> list[Result]:
        """The row under each protocol, computed from the scores."""
        scored = {(self.name, cell): scores for cell, scores in self.cells.items()}
        signatures, cells = {self.name: self.signature}, list(self.cells)
        return [evaluate(signatures, cells, p, intervals, scored, {}) for p in protocols]


def this_environment() -> dict[str, str]:
    """The versions on which scores depend."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "numpy": np.__version__,
        "bamboo": VERSION,
    }


def submission_json(
    submission: Submission,
    digests: Mapping[Cell, str],
    protocols: Sequence[Protocol],
    intervals: Resampling,
) -> dict[str, Any]:
    """The file's content.

    Args:
        digests: the hash of each cell's data.
        intervals: how to compute them.

    Raises:
        SubmissionError: more resamples than a reader recomputes.
    """
    if intervals.resamples > MOST_RESAMPLES:
        raise SubmissionError(
            f"resamples={intervals.resamples}: a submission can have at most {MOST_RESAMPLES} "
            "resamples, since they are recomputed when it is read"
        )
    # The file must not depend on whether the scores came from the cache.
    cells = {cell: replace(scores, cached=None) for cell, scores in submission.cells.items()}
    results = replace(submission, cells=cells).results(protocols, intervals)
    blobs = {cell: _bytes(scores.scores.values) for cell, scores in submission.cells.items()}
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "version": VERSION,
        "name": submission.name,
        "signature": submission.signature,
        "environment": dict(submission.environment),
        "intervals": {"resamples": intervals.resamples, "seed": intervals.seed},
        "protocols": {result.protocol: result.to_json()["rows"][0] for result in results},
        "sha256": _hash([(_heading(cell, digests[cell]), blob) for cell, blob in blobs.items()]),
        "scores": [
            {
                "dataset": cell.dataset.name,
                "partition": cell.partition,
                "split": cell.split,
                "data": digests[cell],
                "pairs": len(submission.cells[cell].numbers),
                "seconds": submission.cells[cell].seconds,
                "values": base64.b64encode(zlib.compress(blob, 9)).decode("ascii"),
            }
            for cell, blob in blobs.items()
        ],
    }


def read_submission(
    path: Path,
    pair_sets: Mapping[Cell, PairSet],
    digests: Mapping[Cell, str],
    protocols: Sequence[Protocol],
) -> Submission:
    """Read a submission's scores on the given cells, and verify its values and intervals.

    Args:
        pair_sets: the cells' pairs with their ratings; the graphs are not used.
        protocols: the protocols to verify; each must be in the file.

    Raises:
        SubmissionError: not a submission file, another schema, a truncated or altered file, other
            data, or values or intervals that do not follow from the scores.
    """
    document = _read_json(path)
    name = _text(path, document, "name", NAME_LENGTH)
    signature = _text(path, document, "signature", SIGNATURE_LENGTH)
    entries = _entries(path, document)
    intervals = _interval_settings(path, document)
    by_where = {(c.dataset.name, c.partition, c.split): c for c in pair_sets}
    elsewhere = MOST_PAIRS
    for entry in entries:  # before anything is decoded
        where = "{dataset} {partition} {split}".format(**entry)
        cell = by_where.get((entry["dataset"], entry["partition"], entry["split"]))
        if cell is not None and entry["data"] != digests[cell]:
            raise SubmissionError(f"{path}: {where} was scored on other data than the data here")
        expected = elsewhere if cell is None else len(pair_sets[cell].ratings)
        if entry["pairs"] > expected or (cell is not None and entry["pairs"] != expected):
            most = "at most " if cell is None else ""
            raise SubmissionError(
                f"{path}: {where} is listed with {entry['pairs']} pairs, expected {most}{expected}"
            )
        if cell is None:
            elsewhere -= entry["pairs"]
    total, by_cell = hashlib.sha256(), {}
    for entry in entries:
        heading = "{dataset} {partition} {split} {data}".format(**entry)
        blob = _decoded(path, heading, entry["values"], entry["pairs"])
        _add(total, heading, blob)
        cell = by_where.get((entry["dataset"], entry["partition"], entry["split"]))
        if cell is not None:  # the others are only part of the hash
            by_cell[cell] = blob, float(entry["seconds"])
    if total.hexdigest() != document.get("sha256"):
        raise SubmissionError(f"{path}: its scores were altered: their hash does not match")
    cells = {}
    for cell, pair_set in pair_sets.items():
        if cell not in by_cell:
            raise SubmissionError(f"{path} has no scores of {cell}")
        blob, seconds = by_cell[cell]
        values = np.frombuffer(blob, "<f8").astype(np.float64)
        if np.isinf(values).any():
            raise SubmissionError(f"{path}: {cell} has an infinite score")
        problems = {int(n): Problem("not scored") for n in pair_set.numbers[np.isnan(values)]}
        cells[cell] = CellScores(
            Scores(values), pair_set.ratings, pair_set.numbers, problems, seconds
        )
    submission = Submission(name, signature, cells, _environment(path, document))
    for result in submission.results(protocols, intervals):
        _verify(path, result, document)
    return submission


def _environment(path: Path, document: Mapping[str, Any]) -> dict[str, str]:
    """What the submitter says on the environment, shortened; empty if it is missing."""
    environment = document.get("environment")
    facts = list(environment.items())[:FACTS] if isinstance(environment, dict) else []
    texts = {str(key)[:NAME_LENGTH]: str(value)[:NAME_LENGTH] for key, value in facts}
    for key, value in texts.items():
        if not (key + value).isprintable():
            raise SubmissionError(f"{path}: the environment must be lines of text, not {key!r}")
    return texts


def _verify(path: Path, result: Result, document: Mapping[str, Any]) -> None:
    """Check that every value in the file follows from the scores.

    Raises:
        SubmissionError: names the first value that does not.
    """
    try:
        row = document["protocols"][result.protocol]
        claimed = {(c["dataset"], c["partition"], c["split"]): c for c in row["cells"]}
        for cell in result.rows[0].cells:
            claim = claimed[cell.dataset, cell.partition, cell.split]
            where = f"{result.protocol} {cell.dataset} {cell.partition}"
            if claim["statistic"] != cell.statistic or not _same(claim["value"], cell.value):
                raise SubmissionError(
                    f"{path}: {where} is given as {_short(claim['value'])}, "
                    f"but its scores give {cell.value}"
                )
            if not _same_interval(claim.get("interval"), cell.interval):
                raise SubmissionError(
                    f"{path}: the interval of {where} is given as {_short(claim.get('interval'))}, "
                    f"but its scores give {_listed(cell.interval)} with the resamples and seed "
                    "that it names"
                )
            if (claim["n"], claim["missing"]) != (cell.n, cell.missing):
                raise SubmissionError(
                    f"{path}: {where} is given with {_short(claim['n'])} pairs and "
                    f"{_short(claim['missing'])} missing, but its scores give {cell.n} and "
                    f"{cell.missing}"
                )
        for mean in ("amean", "hmean"):
            value = getattr(result.rows[0], mean)
            if value is not None and not _same(row[mean], value):
                raise SubmissionError(
                    f"{path}: {result.protocol} {mean} is given as {_short(row[mean])}, "
                    f"but its scores give {value}"
                )
    except (KeyError, TypeError, AttributeError) as error:
        raise SubmissionError(
            f"{path}: protocol {result.protocol} is incomplete: {error!r} is missing"
        ) from None


def _same(claimed: Any, value: float | None) -> bool:
    if value is None or claimed is None:
        return value is claimed
    if not isinstance(claimed, int | float) or isinstance(claimed, bool):
        return False
    return math.isclose(claimed, value, abs_tol=TOLERANCE)


def _same_interval(claimed: Any, interval: tuple[float, float] | None) -> bool:
    if interval is None or claimed is None:
        return interval is claimed
    return (
        isinstance(claimed, list)
        and len(claimed) == 2
        and all(_same(*ends) for ends in zip(claimed, interval, strict=True))
    )


def _short(value: Any) -> str:
    """A value of the file in a message."""
    return " ".join(str(value).split())[:NAME_LENGTH]


def _listed(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _interval_settings(path: Path, document: Mapping[str, Any]) -> Resampling:
    """The settings of the file's intervals.

    Raises:
        SubmissionError: resamples or a seed that are missing or invalid.
    """
    drawn = document.get("intervals")
    drawn = drawn if isinstance(drawn, dict) else {}
    resamples, seed = drawn.get("resamples"), drawn.get("seed")
    for name, number, least, most in (
        ("resamples", resamples, 1, MOST_RESAMPLES),
        ("seed", seed, 0, 2**64),
    ):
        if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= most:
            raise SubmissionError(
                f"{path}: intervals.{name} is {_short(number)}, "
                f"expected an integer from {least} to {most}"
            )
    return Resampling(int(resamples or 0), int(seed or 0))


def _read_json(path: Path) -> dict[str, Any]:
    try:
        document = load_json(path, LARGEST)
    except OSError as error:
        raise SubmissionError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise SubmissionError(f"{path} is not a complete JSON file: {error}") from None
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise SubmissionError(f"{path} is not a submission file; create one with `submit`")
    if document.get("schema") != SCHEMA:
        raise SubmissionError(
            f"{path} has schema {_short(document.get('schema'))}, this version reads {SCHEMA}"
        )
    return document


def _text(path: Path, document: Mapping[str, Any], key: str, longest: int) -> str:
    """A line of text."""
    value = document.get(key)
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise SubmissionError(f"{path}: {key} must be one line of text")
    if len(value) > longest:
        raise SubmissionError(
            f"{path}: {key} has {len(value)} characters, the maximum is {longest}"
        )
    return value


def _entries(path: Path, document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The entries of the cells, with fields of the right types and sizes.

    Raises:
        SubmissionError: names the first entry that is not valid.
    """
    entries = document.get("scores")
    if not isinstance(entries, list) or not entries:
        raise SubmissionError(f"{path} has no scores")
    if len(entries) > MOST_CELLS:
        raise SubmissionError(f"{path} has scores of {len(entries)} cells, at most {MOST_CELLS}")
    kinds: dict[str, tuple[type, ...]] = dict.fromkeys(
        ("dataset", "partition", "split", "data", "values"), (str,)
    )
    kinds |= {"pairs": (int,), "seconds": (int, float)}
    for k, entry in enumerate(entries):
        for key, kind in kinds.items():
            value = entry.get(key) if isinstance(entry, dict) else None
            if type(value) not in kind or (key in HEADING and not _is_word(str(value))):
                raise SubmissionError(f"{path}: entry {k} of scores has no valid {key!r}")
        if entry["seconds"] < 0 or entry["pairs"] < 0:
            raise SubmissionError(f"{path}: entry {k} of scores has a negative size or time")
        if entry["seconds"] > MOST_SECONDS:
            raise SubmissionError(f"{path}: entry {k} of scores took over {MOST_SECONDS:g} seconds")
    named = [(e["dataset"], e["partition"], e["split"]) for e in entries]
    if len(set(named)) < len(named):
        raise SubmissionError(f"{path} lists a cell twice")
    return entries


def _is_word(text: str) -> bool:
    """Whether a text is one printable word, so that a heading has one reading."""
    return 0 < len(text) <= NAME_LENGTH and text.isprintable() and not re.search(r"\s", text)


def _decoded(path: Path, where: str, text: str, pairs: int) -> bytes:
    """The bytes of one cell's scores; decompression is limited to the expected size."""
    unpacker = zlib.decompressobj()
    longest = 4 * (8 * pairs + 8 * pairs // 1000 + 1000) // 3  # zlib never needs more
    if len(text) > longest:
        raise SubmissionError(f"{path}: the scores of {where} are not {pairs} numbers")
    try:
        blob = unpacker.decompress(base64.b64decode(text, validate=True), 8 * pairs + 1)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise SubmissionError(f"{path}: the scores of {where} are damaged: {error}") from None
    if len(blob) != 8 * pairs or not unpacker.eof:
        raise SubmissionError(f"{path}: the scores of {where} are not {pairs} numbers")
    return blob


def _bytes(values: Floats) -> bytes:
    return values.astype("<f8").tobytes()


def _heading(cell: Cell, digest: str) -> str:
    return f"{cell} {digest}"


def _hash(blobs: Sequence[tuple[str, bytes]]) -> str:
    total = hashlib.sha256()
    for heading, blob in blobs:
        _add(total, heading, blob)
    return total.hexdigest()


def _add(total: hashlib._Hash, heading: str, blob: bytes) -> None:
    """Add the scores of one cell to the hash."""
    total.update(f"{heading}\n".encode())
    total.update(blob)
