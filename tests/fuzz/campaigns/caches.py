"""Damaged caches: what is used is what was stored; anything else is computed again."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bamboo.errors import BambooError
from bamboo.log import HIDDEN
from bamboo.pairs.problems import Problem
from bamboo.scoring.cache import Cache, CellScores
from bamboo.scoring.cells import Settings
from bamboo.site.alignments import cached_alignments, outlines_of
from bamboo.transforms import decisions
from bamboo.transforms.four_solvers import Question
from metrics import Pair, Smatch, parse_graph
from metrics.base import Scores
from metrics.errors import MetricError
from metrics.vectors import VectorSource, sources
from tests.fuzz.campaign import damaged, described, flipped, home

ORDER = 10
WORDS = ("cat", "dog", "unicorn")


@dataclass(frozen=True)
class Entry:
    """A cached file.

    Attributes:
        path: where it is, after `use` was called once.
        use: reads the cached value, or computes it where the cache has none that is whole.
    """

    path: Path
    use: Callable[[], Any]


def campaign(rng, budget):
    """Damage one entry at a time; it must be used unchanged, or not at all."""
    tried, failures = 0, []
    with home() as folder:
        entries = {name: build(folder) for name, build in ENTRIES.items()}
        whole = {}
        for name, entry in entries.items():
            expected = entry.use()
            whole[name] = entry.path.read_bytes(), expected
        for case in budget.cases():
            name = list(entries)[case % len(entries)]
            content, expected = whole[name]
            change = (flipped, damaged)[int(rng.integers(0, 4) == 0)]
            bad, what = change(rng, content)
            tried += 1
            if problem := _problem(entries[name], bad, expected):
                failures.append(f"case {case}: {name}, {what}: {problem}")
    return tried, failures


def _problem(entry, content, expected):
    entry.path.write_bytes(content)
    os.utime(entry.path, ns=(1, 1))  # settled long ago
    err = io.StringIO()
    try:
        with contextlib.redirect_stderr(err):
            value = entry.use()
    except (BambooError, MetricError) as error:
        return f"refused: {described(error)}"
    except Exception as error:
        return described(error)
    if value != expected:
        return f"another value: {str(value)[:100]}"
    if HIDDEN.search(err.getvalue()):
        return f"control characters in {err.getvalue()!r}"
    return None


def _scores(folder):
    rng = np.random.default_rng(0)
    details = {"matches": rng.random(9), "optimal": rng.random(9) > 0.5}
    problems = {4: Problem("why", "src.amr", 4, 9, "empty")}
    cell = CellScores(
        Scores(rng.random(9), details), rng.random(9), np.arange(1, 10), problems, 0.25
    )
    cache = Cache(folder / "scores")

    def plain(cell):
        columns = {name: column.tolist() for name, column in cell.scores.details.items()}
        return (
            *(cell.scores.values.tolist(), columns, cell.ratings.tolist()),
            *(cell.numbers.tolist(), dict(cell.problems), cell.seconds),
        )

    def use():
        loaded = cache.load("data", "metric")
        if loaded is None:
            cache.store("data", "metric", cell)
            return plain(cell)
        return plain(loaded)

    return Entry(cache.path("data", "metric"), use)


def _alignments(folder):
    texts = ("(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG0 (d / dog :mod (b / big)))")
    pairs = [Pair(parse_graph(texts[0]), parse_graph(texts[1]))] * 3
    cache = Cache(folder / "alignments")

    def use():
        return cached_alignments(
            cache, "data", Smatch(), "k", pairs, outlines_of(pairs), Settings()
        )

    use()
    (path,) = cache.folder.rglob("*.npz")
    return Entry(path, use)


def _vectors(folder):
    source = folder / "vectors.txt"
    source.write_text("2 2\ncat 1 0.5\ndog 0.25 -3\n")

    def use():
        sources._load_converted.cache_clear()
        made = VectorSource(file=source, dimension=2, cache=folder / "vectors")
        vectors = made.select(WORDS)
        return vectors.words, vectors.matrix.tolist()

    use()
    (path,) = (folder / "vectors").glob("vectors-*.matrix.npy")
    return Entry(path, use)


def _decisions(folder):
    path = folder / "decisions.json"
    answers = {Question("The cat slept.", "sleep"): ("kip", "slumber")}

    def use():
        known = decisions._read(path, "signature")
        if not known:
            decisions._write(path, "signature", answers)
        return known or answers

    use()
    return Entry(path, use)


ENTRIES = {
    "scores": _scores,
    "alignments": _alignments,
    "word vectors": _vectors,
    "decisions": _decisions,
}
