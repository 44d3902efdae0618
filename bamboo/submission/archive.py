"""Submissions: a metric's results as one verifiable file.

A submission is a zip file of ``result.json`` and ``scores.csv``.

``scores.csv`` is that of a run. ``result.json`` has the metric's row under each protocol, and the
hash of each cell's data. Reading computes every value and interval again from the scores; name,
signature, environment and seconds are stated by the submitter and cannot be verified.
"""

from __future__ import annotations

import io
import platform
import tempfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bamboo.benchmark.cells import Cell, PairSet
from bamboo.benchmark.protocols import Protocol
from bamboo.errors import SubmissionError
from bamboo.files import json_text, read_json
from bamboo.pairs.problems import Problem
from bamboo.results.evaluate import evaluate
from bamboo.results.frame import CELL, rows
from bamboo.results.pair_scores import parse_scores, write_scores
from bamboo.results.results import Results, from_json
from bamboo.scoring.cache import CellScores
from bamboo.statistics.resampling import Resampling
from metrics.base import Scores
from metrics.utils.files import replacing
from metrics.version import VERSION

KIND, SCHEMA = "bamboo submission", 2
RESULT, SCORES = MEMBERS = ("result.json", "scores.csv")
NAME_LENGTH, SIGNATURE_LENGTH, FACTS = 80, 4000, 20
LARGEST = 16_000_000  # bytes of each unpacked file
MOST_SECONDS = 1e9  # thirty years
MOST_RESAMPLES = 10_000  # limits the work of verifying
TOLERANCE = 1e-6  # of values times 100: rounding differs between machines
DATE = (1980, 1, 1, 0, 0, 0)  # of the zipped files, so that the same scores give the same bytes


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

    def results(self, protocols: Sequence[Protocol], intervals: Resampling) -> list[Results]:
        """Return the results under each protocol, computed from the scores."""
        scored = {(self.name, cell): scores for cell, scores in self.cells.items()}
        signatures, cells = {self.name: self.signature}, list(self.cells)
        return [evaluate(signatures, cells, p, intervals, scored, {}) for p in protocols]


def this_environment() -> dict[str, str]:
    """Return the versions on which scores depend."""
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
    """Return the content of ``result.json``.

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
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "version": VERSION,
        "name": submission.name,
        "signature": submission.signature,
        "environment": dict(submission.environment),
        "intervals": {"resamples": intervals.resamples, "seed": intervals.seed},
        "cells": {
            str(cell): {"data": digests[cell], "seconds": scores.seconds}
            for cell, scores in submission.cells.items()
        },
        "protocols": {result.protocol: result.to_json()["rows"][0] for result in results},
    }


def write_submission(path: Path, submission: Submission, document: Mapping[str, Any]) -> None:
    """Write a submission.

    Args:
        document: the content of ``result.json`` (`submission_json`).

    Raises:
        SubmissionError: the file cannot be written.
    """
    scored = {(submission.name, cell): scores for cell, scores in submission.cells.items()}
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            replacing(path) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            scores = Path(folder, SCORES)
            write_scores(scored, scores)
            for name, content in (
                (RESULT, json_text(document, indent=1).encode() + b"\n"),
                (SCORES, scores.read_bytes()),
            ):
                archive.writestr(zipfile.ZipInfo(name, DATE), content, zipfile.ZIP_DEFLATED)
    except OSError as error:
        raise SubmissionError(f"cannot write {path}: {error.strerror}") from None


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
        SubmissionError: not a submission, another schema, a truncated or altered file, other data
            or pairs, or values or intervals that do not follow from the scores.
    """
    content = _unpacked(path)
    document = _document(path, content[RESULT])
    scores = _scores(path, content[SCORES])
    name = _text(path, document, "name", NAME_LENGTH)
    signature = _text(path, document, "signature", SIGNATURE_LENGTH)
    cells = {
        cell: _cell_scores(path, cell, pair_set, digests[cell], document, scores)
        for cell, pair_set in pair_sets.items()
    }
    intervals = _interval_settings(path, document)
    submission = Submission(name, signature, cells, _environment(path, document))
    for results in submission.results(protocols, intervals):
        _verify(path, results, document)
    return submission


def _unpacked(path: Path) -> dict[str, bytes]:
    """Return the two files, whose sizes are checked before they are unpacked."""
    try:
        with zipfile.ZipFile(path) as archive:
            if sorted(archive.namelist()) != sorted(MEMBERS):
                raise SubmissionError(
                    f"{path} is not a submission: expected {' and '.join(MEMBERS)}"
                )
            for info in archive.infolist():
                if info.file_size > LARGEST:
                    raise SubmissionError(
                        f"{path}: {info.filename} has {info.file_size:,} bytes, "
                        f"the maximum is {LARGEST:,}"
                    )
            return {name: archive.read(name) for name in MEMBERS}
    except OSError as error:
        raise SubmissionError(f"{path} cannot be read: {error.strerror or error}") from None
    # zipfile has no base class for what a damaged or encrypted file raises.
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
        raise SubmissionError(
            f"{path} is not a complete zip file; create a submission with `submit`: {_short(error)}"
        ) from None


def _document(path: Path, content: bytes) -> dict[str, Any]:
    try:
        document = read_json(content.decode())
    except ValueError as error:
        raise SubmissionError(f"{path}: {RESULT} is not JSON: {_short(error)}") from None
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise SubmissionError(f"{path} is not a submission; create one with `submit`")
    if document.get("schema") != SCHEMA:
        raise SubmissionError(
            f"{path} has schema {_short(document.get('schema'))}, this version reads {SCHEMA}"
        )
    return document


def _scores(path: Path, content: bytes) -> pd.DataFrame:
    try:
        return parse_scores(io.BytesIO(content))[[*CELL[:3], "pair", "score"]]
    except (KeyError, ValueError, OverflowError) as error:
        raise SubmissionError(f"{path}: {SCORES} is damaged: {_short(error)}") from None


def _cell_scores(
    path: Path,
    cell: Cell,
    pair_set: PairSet,
    digest: str,
    document: Mapping[str, Any],
    scores: pd.DataFrame,
) -> CellScores:
    """Return the scores of one cell, which must be those of its pairs."""
    where = (scores[list(CELL[:3])] == [cell.dataset.name, cell.partition, cell.split]).all(axis=1)
    own = scores[where]
    cells = document.get("cells")
    stated = cells.get(str(cell)) if isinstance(cells, dict) else None
    if own.empty or not isinstance(stated, dict):
        raise SubmissionError(f"{path} has no scores of {cell}")
    if stated.get("data") != digest:
        raise SubmissionError(f"{path}: {cell} was scored on other data than the data here")
    seconds: Any = stated.get("seconds")
    if type(seconds) not in (int, float) or not 0 <= float(seconds) <= MOST_SECONDS:
        raise SubmissionError(f"{path}: the seconds of {cell} are {_short(seconds)}")
    if own["pair"].tolist() != pair_set.numbers.tolist():
        raise SubmissionError(
            f"{path} has {len(own)} scores of {cell}, expected one for each of its "
            f"{len(pair_set.numbers)} pairs, in their order"
        )
    values = own["score"].to_numpy()
    if np.isinf(values).any():
        raise SubmissionError(f"{path}: {cell} has an infinite score")
    problems = {int(n): Problem("not scored") for n in pair_set.numbers[np.isnan(values)]}
    return CellScores(Scores(values), pair_set.ratings, pair_set.numbers, problems, float(seconds))


def _verify(path: Path, results: Results, document: Mapping[str, Any]) -> None:
    """Check that every value of a protocol follows from the scores.

    Raises:
        SubmissionError: names the first value that does not.
    """
    try:
        row = document["protocols"][results.protocol]
        whole = {"protocol": "", "version": "", "rows": [row], "problems": (), "notes": ()}
        claimed = from_json(whole)
        cells = results.cells.merge(claimed.cells, "left", list(CELL), suffixes=("", "_claimed"))
        means = results.means.merge(claimed.means, "left", "mean", suffixes=("", "_claimed"))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise SubmissionError(
            f"{path}: protocol {results.protocol} is incomplete: {_short(repr(error))}"
        ) from None
    for frame, names in (
        (cells, ("pairs", "missing", "value", "low", "high")),
        (means, ("value", "low", "high")),
    ):
        for name in names:
            value, claim = frame[name].to_numpy(), frame[f"{name}_claimed"].to_numpy(np.float64)
            wrong = ~np.isclose(value, claim, rtol=0, atol=TOLERANCE, equal_nan=True)
            for row in rows(frame[wrong]):
                where = getattr(row, "mean", None) or f"{row.dataset} {row.partition}"
                given = getattr(row, f"{name}_claimed")
                raise SubmissionError(
                    f"{path}: {name} of {results.protocol} {where} is given as {given}, but its "
                    f"scores give {getattr(row, name)} with the resamples and seed that it names"
                )


def _interval_settings(path: Path, document: Mapping[str, Any]) -> Resampling:
    """Return the settings of the file's intervals."""
    drawn = document.get("intervals")
    drawn = drawn if isinstance(drawn, dict) else {}
    resamples, seed = drawn.get("resamples"), drawn.get("seed")
    for name, number, least, most in (
        ("resamples", resamples, 1, MOST_RESAMPLES),
        ("seed", seed, 0, 2**64),
    ):
        if type(number) is not int or not least <= number <= most:
            raise SubmissionError(
                f"{path}: intervals.{name} is {_short(number)}, "
                f"expected an integer from {least} to {most}"
            )
    return Resampling(int(resamples or 0), int(seed or 0))


def _environment(path: Path, document: Mapping[str, Any]) -> dict[str, str]:
    """Return what the submitter says on the environment, shortened; empty if it is missing."""
    environment = document.get("environment")
    facts = list(environment.items())[:FACTS] if isinstance(environment, dict) else []
    texts = {str(key)[:NAME_LENGTH]: str(value)[:NAME_LENGTH] for key, value in facts}
    for key, value in texts.items():
        if not (key + value).isprintable():
            raise SubmissionError(f"{path}: the environment must be lines of text, not {key!r}")
    return texts


def _text(path: Path, document: Mapping[str, Any], key: str, longest: int) -> str:
    """Return a line of text."""
    value = document.get(key)
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise SubmissionError(f"{path}: {key} must be one line of text")
    if len(value) > longest:
        raise SubmissionError(
            f"{path}: {key} has {len(value)} characters, the maximum is {longest}"
        )
    return value


def _short(value: object) -> str:
    """Return a value of the file as part of a message."""
    return " ".join(str(value).split())[:NAME_LENGTH]
