"""Show the alignment behind a score.

python -m bamboo explain metric=smatch data=sts pair=3

Pairs of files, as in score: explain parser.amr gold.amr pair=3 is short for
explain src=parser.amr tgt=gold.amr pair=3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from amr_metrics.base import Pair
from bamboo.benchmark.cells import Cell
from bamboo.commands.base import MetricCommand, write_file
from bamboo.commands.data import DataCommand
from bamboo.commands.options import OF_FILES, REPORTS, option
from bamboo.config.rows import Row
from bamboo.config.settings import Setting
from bamboo.errors import ConfigError, FileNote
from bamboo.explanation.explained import ExplainedPair
from bamboo.log import warn
from bamboo.pairs.file_pairs import FilePairs
from bamboo.pairs.notation import Format as GraphFormat
from bamboo.pairs.notation import Notation
from bamboo.pairs.sides import pair_of_sides, shown
from bamboo.progress import progress_bar
from bamboo.results.table import Format, render
from bamboo.scoring.cells import Settings, trained_rows

if TYPE_CHECKING:
    from bamboo.pairs.sides import Side

EXACTLY_ONE = "explain requires exactly one metric and one data set"
OF_DATA = ("data", "partition", "split")  # options without a meaning for files


@dataclass(frozen=True, kw_only=True)
class Explain(MetricCommand, DataCommand):
    """The options of ``explain``."""

    NAME: ClassVar[str] = "explain"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("src", "tgt")

    metric: tuple[Row, ...] = option(
        "smatch", "a metric that computes an alignment; the default for files is that of score"
    )
    data: tuple[Mapping[str, Any], ...] = option(
        "sts", "data set of the pair, unless src and tgt are given"
    )
    partition: str = option("main", "main | reify | syno | arg: of the data set")
    split: str = option("test", "train | dev | test: of the data set")
    pair: int | str = option(
        0, "number of the pair in the data set, or its position in the files, from 0; or its ::id"
    )
    src: Path | None = option(
        None, "instead of a data set: a file, folder or pattern, or -, as in score"
    )
    tgt: Path | None = option(None, "likewise; graph k of src is compared with graph k of tgt")
    format: GraphFormat = option(
        "penman", "penman | umr (sentence graphs of UMR files) | camr (Chinese AMR)"
    )
    lengths: Path | None = option(None, "camr: file of sentence lengths")
    split_ids: bool = option(False, "camr: treat an id with two concepts as two nodes")
    report: Format = option("table", REPORTS)
    out: Path | None = option(None, "draw both graphs and their alignment in this SVG file")

    def __post_init__(self) -> None:
        if (self.src is None) != (self.tgt is None):
            raise ConfigError("explain requires both src=FILE and tgt=FILE, or a data set")

    @property
    def notation(self) -> Notation:
        """The format of the files."""
        return Notation(format=self.format, lengths=self.lengths, split=self.split_ids)

    @classmethod
    def adjusted(cls, settings: Sequence[Setting], config_dir: str | None) -> Sequence[Setting]:
        """Set the default metric of files, that of ``score``; read an id as it is written."""
        given = {setting.key for setting in settings}
        settings = [
            # An id that looks like a number, such as 20030121.10
            replace(setting, value=setting.word.partition("=")[2])
            if setting.key == "pair" and isinstance(setting.value, float) and setting.word
            else setting
            for setting in settings
        ]
        if "src" in given and "metric" not in given:
            return [*settings, Setting("metric", OF_FILES)]
        return settings

    def __call__(self) -> str:
        """Explain the pair, draw it if `out` is set, and report."""
        explained = self.execute()
        if self.out is not None:
            write_file(self.out, explained.to_svg())
        return render(explained.tables(), self.report, explained.to_json())

    def execute(self) -> ExplainedPair:
        """Explain the pair.

        Raises:
            ConfigError: an option of data sets beside files.
        """
        unused = [name for name in OF_DATA if name in self.configuration.given]
        if self.src is not None and unused:
            raise ConfigError(
                f"{unused[0]}=... chooses a pair of a data set: leave it out, or leave out the "
                "files"
            )
        if self.src is not None and self.tgt is not None:
            return self.of_sides(self.src, self.tgt)
        row, dataset = self.single_metric(EXACTLY_ONE), self.single_dataset(EXACTLY_ONE)
        cell = Cell(dataset, self.partition, self.split)
        metric = self._learned(row, cell).on(dataset.name)
        return ExplainedPair.of(f"{row.name}, {cell}, pair {self.pair}", metric, self._pair(cell))

    def of_sides(self, src: Side, tgt: Side) -> ExplainedPair:
        """Explain a pair of files or of graphs in memory."""
        row = self.single_metric(EXACTLY_ONE)
        pair, notes = pair_of_sides(src, tgt, self.notation, self.pair)
        warn(notes, FileNote)
        title = f"{row.name}, {shown(src, 'src')} against {shown(tgt, 'tgt')}, pair {self.pair}"
        return ExplainedPair.of(title, row.on(), pair)

    def _learned(self, row: Row, cell: Cell) -> Row:
        """Return the metric, trained for the pair's cell as by `run`."""
        settings = Settings(built=self.paths.data / "built")
        if not row.needs_training:
            return row
        with progress_bar("training") as progress:
            rows = trained_rows([row], [cell], self.scores_cache, settings, progress)
        return rows[row.name, cell]

    def _pair(self, cell: Cell) -> Pair:
        pair_set = cell.load()
        pairs, first = FilePairs.of(pair_set.pairs), int(pair_set.numbers[0])
        if isinstance(self.pair, int):
            positions = [self.pair - first]
        else:
            ids = zip(pairs.ids(0), pairs.ids(1), strict=True)
            positions = [k for k, both in enumerate(ids) if self.pair in both]
        found = [pairs[k] for k in positions if 0 <= k < len(pairs)]
        if len(found) != 1 or found[0] is None:
            last = first + len(pairs) - 1
            raise ConfigError(f"pair={self.pair}: {cell} has {first} to {last}")
        return found[0]
