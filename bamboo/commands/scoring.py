"""What the commands that score metrics on cells share."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.protocols import Protocol
from bamboo.commands.data import DataCommand
from bamboo.commands.options import option
from bamboo.config.rows import Row
from bamboo.engines import AnyEngine
from bamboo.pairs.problems import OnError
from bamboo.progress import progress_bar
from bamboo.results.evaluate import run
from bamboo.results.results import Results
from bamboo.results.run_folder import RunFolder, run_folder
from bamboo.scoring.cache import Scored
from bamboo.scoring.cells import CacheUse, Settings
from bamboo.scoring.texts import PairTexts


@dataclass(frozen=True, kw_only=True)
class ScoringCommand(DataCommand):
    """A command that scores metrics on cells."""

    engine: AnyEngine
    cache: CacheUse = option("use", "use | refresh | off: cached scores")

    def settings(self, on_error: OnError = "stop") -> Settings:
        """Return the settings of a run without intervals."""
        return Settings(
            engine=self.engine,
            cache=self.cache,
            on_error=on_error,
            built=self.paths.data / "built",
        )

    def score(
        self,
        rows: Sequence[Row],
        cells: Sequence[Cell],
        protocol: Protocol,
        settings: Settings,
        texts: PairTexts | None = None,
    ) -> tuple[Results, Scored]:
        """Score metrics on cells, using cached scores where available; show progress.

        Args:
            texts: collects the ids and sentences of the pairs that are read.
        """
        with progress_bar("reading") as progress:
            collect = {} if texts is None else {"read": texts.add}
            return run(
                rows, cells, protocol, self.scores_cache, settings, progress=progress, **collect
            )

    def run_folder(self, out: Path | None) -> AbstractContextManager[RunFolder]:
        """Create the folder for the command's files: `out`, or a new folder in ``runs/``."""
        return run_folder(self.configuration, self.paths.runs, out)
