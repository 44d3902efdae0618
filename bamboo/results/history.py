"""Earlier runs, and what they have cached."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from bamboo.files import load_json, load_text, parse_yaml
from bamboo.results.run_folder import CONFIG
from bamboo.results.table import Table
from metrics.utils.text import counted

CACHED = {  # folders below runs/, and what they contain
    "scores": ("cache", "scores, alignments of the site, and decisions of Syno"),
    "weights": ("weights", "learned weights"),
    "checkpoints": ("checkpoints", "unfinished trainings"),
}
SHOWN = 3  # metrics of a run; the others are counted
DAY = 24 * 60 * 60


def runs_table(runs: Path) -> Table:
    """Return the folders of earlier runs, the newest first, with what was computed.

    The date is that of the folder, and the scores are those of `_scores`.
    """
    folders = [path.parent for path in runs.glob(f"*/{CONFIG}")] if runs.is_dir() else []
    rows = []
    for folder in sorted(folders, key=lambda path: (-path.stat().st_mtime, path.name)):
        date = time.strftime("%Y-%m-%d %H:%M", time.localtime(folder.stat().st_mtime))
        try:
            command = " ".join(map(str, parse_yaml(load_text(folder / CONFIG))["command"]))
            scores = _scores(folder)
        except (OSError, ValueError, KeyError, TypeError) as error:
            command, scores = f"cannot be read: {error}", None
        rows.append((date, command, scores, folder.name))
    return Table(f"Runs in {runs}", ("date", "command", "scores", "folder"), tuple(rows))


def _scores(folder: Path) -> str | None:
    """Return the amean of each metric of a run, or its first cell if it has none, best first."""
    path = folder / "result.json"
    if not path.is_file():
        return None
    values: dict[str, float] = {}
    for row in load_json(path)["rows"]:
        value = row.get("amean", row["cells"][0]["value"])
        values[row["metric"]] = float("-inf") if value is None else value
    ranked = sorted(values, key=lambda name: -values[name])
    texts = [f"{name} {values[name]:.2f}" for name in ranked[:SHOWN]]
    more = len(ranked) - SHOWN
    return ", ".join(texts + ([f"and {more} more"] if more > 0 else []))


def cache_table(runs: Path) -> Table:
    """Return the number and the size of cached files."""
    rows = []
    for name, (folder, contents) in CACHED.items():
        sizes = [*map(_size, _files(runs / folder))]
        rows.append((name, contents, len(sizes), sum(sizes) / 1e6, str(runs / folder)))
    return Table("Cache", ("cache", "contents", "files", "MB", "folder"), tuple(rows), digits=1)


def remove_cached(runs: Path, name: str, days: float) -> str:
    """Remove cached files that were written more than a number of days ago; report how many.

    Args:
        name: one of `CACHED`.
    """
    limit = time.time() - days * DAY
    folder = runs / CACHED[name][0]
    files = [*_files(folder)]
    old = [path for path in files if path.stat().st_mtime < limit]
    size = sum(map(_size, old)) / 1e6
    for path in old:
        path.unlink(missing_ok=True)
    return (
        f"{name}: removed {counted(len(old), 'file')} ({size:.1f} MB) from {folder}, "
        f"{len(files) - len(old)} left"
    )


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and the folders below it, in order."""
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _size(path: Path) -> int:
    return path.stat().st_size
