"""Earlier runs."""

from __future__ import annotations

import time
from pathlib import Path

from bamboo.config.yaml_files import load_yaml
from bamboo.files import load_json
from bamboo.results.run_folder import CONFIG
from bamboo.results.table import Table

SHOWN = 3  # metrics of a run; the others are counted


def runs_table(runs: Path) -> Table:
    """Return the folders of earlier runs, the newest first, with what was computed.

    The date is that of the folder, and the scores are those of `_scores`.
    """
    folders = [path.parent for path in runs.glob(f"*/{CONFIG}")] if runs.is_dir() else []
    rows = []
    for folder in sorted(folders, key=lambda path: (-path.stat().st_mtime, path.name)):
        date = time.strftime("%Y-%m-%d %H:%M", time.localtime(folder.stat().st_mtime))
        try:
            command = " ".join(map(str, load_yaml(folder / CONFIG)["command"]))
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
