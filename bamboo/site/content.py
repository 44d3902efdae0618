"""What the pages show: metrics, their numbers under each protocol, and where each is found."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.protocols import Protocol, ranks
from bamboo.config.metrics import build_metric
from bamboo.config.request import Job
from bamboo.errors import SubmissionError
from bamboo.running.cache import CellScores
from bamboo.running.missing import missing_pairs, unreadable_pairs
from bamboo.running.results import Result, Row
from bamboo.running.runner import Scored, Settings, evaluate, published_values
from bamboo.statistics.comparison import Comparison, Draws, compare
from bamboo.submission.document import Submission
from metrics.base import Metric, Scores
from metrics.types import Floats, Ints


@dataclass(frozen=True)
class Entry:
    """A metric of the site.

    Attributes:
        name: as on the leaderboard; slug: as in addresses.
        signature: what its scores depend on.
        paragraphs: what it computes; source: where it is defined.
        job: how to build it, or None for a submission.
        environment: of a submission, as its submitter states.
        missing: pairs without a score. A metric with some is shown apart and not ranked.
        seed: of its random numbers or its training, or None without.
    """

    name: str
    slug: str
    signature: str
    paragraphs: tuple[str, ...]
    source: str
    job: Job | None
    environment: Mapping[str, str]
    missing: int = 0
    seed: int | None = None

    @property
    def submitted(self) -> bool:
        """Whether its scores were submitted: then nothing but its values can be verified."""
        return self.job is None


@dataclass(frozen=True, eq=False)
class Board:
    """All metrics under one protocol."""

    result: Result
    comparison: Comparison

    def row(self, name: str) -> Row:
        """A metric's row."""
        return next(row for row in self.result.rows if row.metric == name)

    def ranked(self) -> list[Row]:
        """The rows without missing pairs from best to worst; those without a value last."""
        values = dict(zip(self.comparison.metrics, self.comparison.ranking.values, strict=True))
        known = {name: v if np.isfinite(v) else -np.inf for name, v in values.items()}
        rows = [row for row in self.result.rows if row.metric in known]
        return sorted(rows, key=lambda row: -known[row.metric])

    def apart(self) -> list[Row]:
        """The rows with missing pairs, which are not ranked."""
        return [row for row in self.result.rows if row.metric not in self.comparison.metrics]


@dataclass(frozen=True, eq=False)
class Content:
    """Everything the pages are made from.

    Attributes:
        unreadable: how many pairs cannot be read, and count for no metric.
    """

    entries: tuple[Entry, ...]
    boards: tuple[Board, ...]
    cells: tuple[Cell, ...]
    scored: Scored
    unreadable: int = 0

    def entry(self, name: str) -> Entry:
        """A metric by its name."""
        return next(entry for entry in self.entries if entry.name == name)


def speed(row: Row) -> float | None:
    """Pairs a second over all cells, without reading; None where nothing was measured."""
    seconds = sum(cell.seconds for cell in row.cells)
    return sum(cell.n + cell.missing for cell in row.cells) / seconds if seconds else None


def gather(
    jobs: Sequence[Job],
    signatures: Mapping[str, str],
    cells: Sequence[Cell],
    scored: Scored,
    submissions: Sequence[Submission],
    protocols: Sequence[Protocol],
    settings: Settings,
    draws: Draws,
) -> Content:
    """All numbers of the site, ours and the submissions'.

    Args:
        signatures: of the jobs, by name.
        settings: of the intervals; draws: of the comparison.

    Raises:
        SubmissionError: two submissions of one name.
    """
    unreadable = unreadable_pairs(list(signatures), cells, scored)
    all_scored = dict(scored)
    rows = dict(signatures)
    slugs: set[str] = set()
    entries = []
    for job in jobs:
        metric = build_metric(job.name, job.metric, cells[0].dataset.name)
        paragraphs, source = definition(metric)
        slug = _slug(job.name, slugs)
        seed = first_seed(job.metric)
        entries.append(
            Entry(job.name, slug, rows[job.name], paragraphs, source, job, {}, seed=seed)
        )
    for submission in submissions:
        name = submission.name
        if name in signatures:
            name = f"{name} (submitted)"
        if name in rows:
            raise SubmissionError(f"two submissions are called {submission.name!r}: rename one")
        rows[name] = submission.signature
        all_scored |= {
            (name, cell): without(scores, unreadable.get(cell, ()))
            for cell, scores in submission.cells.items()
        }
        text = (
            "Submitted scores. Values and intervals are computed from them here; how the scores "
            "came about is not verified.",
        )
        slug = _slug(name, slugs)
        entries.append(
            Entry(name, slug, submission.signature, text, "", None, submission.environment)
        )
    missing = missing_pairs(list(rows), cells, all_scored, unreadable)
    entries = [replace(e, missing=sum(missing.get(e.name, {}).values())) for e in entries]
    boards = []
    for protocol in protocols:
        # A submission's definition is not known: nothing published belongs to it.
        published = {job.name: published_values(job, cells, protocol) for job in jobs}
        result = evaluate(rows, cells, protocol, settings, all_scored, published)
        compared = compare(list(rows), cells, all_scored, protocol, draws, unreadable)
        boards.append(Board(result, compared))
    count = sum(len(numbers) for numbers in unreadable.values())
    return Content(tuple(entries), tuple(boards), tuple(cells), all_scored, count)


def without(scores: CellScores, numbers: Collection[int]) -> CellScores:
    """The scores of a cell without those of some pairs.

    Args:
        numbers: the benchmark's numbers of the pairs to leave out.
    """
    if not numbers:
        return scores
    out = np.isin(scores.numbers, list(numbers))
    kept = Scores(np.where(out, np.nan, scores.scores.values), scores.scores.details)
    return replace(scores, scores=kept)


def first_seed(options: Mapping[str, Any]) -> int | None:
    """The seed among a metric's options, or those of its parts; None without.

    >>> first_seed({"K": 2, "solver": {"seed": 3}})
    3
    """
    seed = options.get("seed")
    if isinstance(seed, int):
        return seed
    found = (first_seed(part) for part in options.values() if isinstance(part, Mapping))
    return next((seed for seed in found if seed is not None), None)


def definition(metric: Metric) -> tuple[tuple[str, ...], str]:
    """What a metric computes, as its docstring says, and where that is defined.

    >>> from metrics import Smatch
    >>> definition(Smatch())[1]
    'Cai and Knight (2013), Smatch: an evaluation metric for semantic feature structures, section 3'
    """
    sections = r"\n\s*(?:Attributes|Args|Raises|Returns|Yields):|\n\s*>>>"
    text = re.split(sections, metric.description)[0]
    paragraphs = (" ".join(p.split()).replace("`", "") for p in text.split("\n\n"))
    return tuple(p for p in paragraphs if p), metric.reference


def _slug(name: str, taken: set[str]) -> str:
    """A name for addresses, of letters, digits and hyphens; different for each metric."""
    base = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "metric"
    slug, k = base, 2
    while slug in taken:
        slug, k = f"{base}-{k}", k + 1
    taken.add(slug)
    return slug


def competition_ranks(values: Floats) -> Ints:
    """Ranks from 1 for the highest, equal values at the best of theirs; 0 for NaN.

    >>> competition_ranks(np.array([0.2, 0.9, np.nan, 0.9])).tolist()
    [3, 1, 0, 1]
    """
    found = np.zeros(len(values), dtype=np.int64)
    there = np.isfinite(values)
    ordered = np.sort(-values[there])
    found[there] = np.searchsorted(ordered, -values[there]) + 1
    return found


def gaps(scores: CellScores) -> Floats:
    """By how much of all pairs each pair ranks higher by score than by rating, in -1..1."""
    there = np.isfinite(scores.scores.values)
    found = np.full(len(scores.ratings), np.nan)
    count = int(there.sum())
    if count:
        by_score, by_rating = ranks(scores.scores.values[there]), ranks(scores.ratings[there])
        found[there] = (by_score - by_rating) / count
    return found
