"""Earlier runs."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import fmean

from bamboo.display.table import Table
from bamboo.files import load_json
from bamboo.results.run_folder import CONFIG

# Folders of calls in Python, of commands, and of jobs of sweeps; those with a dot are not whole.
PLACES = ("[!.]*", "[!.]*/[!.]*", "[!.]*/sweeps/[!.]*/[!.]*")
SHOWN = 3  # metrics of a run; the others are counted


def runs_table(runs: Path) -> Table:
    """Return the folders of earlier commands, the newest first, with the scores of their metrics.

    Only JSON is read: a folder may be a stranger's, and a short YAML file can take minutes.
    """
    folders = [path.parent for place in PLACES for path in runs.glob(f"{place}/{CONFIG}")]
    rows: list[tuple[str | None, ...]] = []
    for folder in sorted(folders, key=lambda path: (-path.stat().st_mtime, path.name)):
        date = time.strftime("%Y-%m-%d %H:%M", time.localtime(folder.stat().st_mtime))
        name = folder.relative_to(runs).as_posix()
        try:
            rows.append((date, *_read_summary(folder), name))
        except (OSError, ValueError, TypeError, LookupError, AttributeError) as error:
            rows.append((date, f"cannot be read: {error!r}", None, name))
    return Table(f"Runs in {runs}", ("date", "command", "scores", "folder"), tuple(rows))


def _read_summary(folder: Path) -> tuple[str | None, str | None]:
    """Return the command of a folder, and the mean over the cells of each metric, best first."""
    paths = folder / "result.json", folder / "tables.json"
    document = next((load_json(path) for path in paths if path.is_file()), None)
    if document is None:  # a training
        return None, None
    values = {}
    for row in document.get("rows", []):
        cells = [cell["value"] for cell in row["cells"]]
        values[row["metric"]] = None if None in cells else fmean(cells)
    ranked = sorted(values.items(), key=lambda item: (item[1] is None, -(item[1] or 0)))
    texts = [f"{name} {'–' if value is None else f'{value:.2f}'}" for name, value in ranked[:SHOWN]]
    texts += [f"and {len(ranked) - SHOWN} more"] if len(ranked) > SHOWN else []
    command = document["provenance"]["command"].removeprefix("python -m bamboo ")
    return command, ", ".join(texts) or None
