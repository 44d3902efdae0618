"""``agreement``: measure how the quality of the graphs affects metrics."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from bamboo.benchmark.ratings import read_ratings
from bamboo.cli.session import Session
from bamboo.documents import plain
from bamboo.errors import ConfigError, DataError
from bamboo.evaluation.corrections import (
    SCHEMA,
    Labels,
    label_study,
    label_tables,
    robustness,
    robustness_table,
)
from bamboo.pairs.reading import read_pairs
from bamboo.statistics.resampling import Resampling
from bamboo.results.table import Format, Table, render
from metrics.base import Pair
from metrics.wording import counted


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options in ``conf/agreement.yaml``, except the metrics."""

    src: Path | None
    tgt: Path | None
    src_corrected: Path | None
    tgt_corrected: Path | None
    ratings: Path | None
    labels: Path | None
    statistic: Literal["pearson", "spearman"]
    resamples: int
    seed: int
    report: Format

    def __post_init__(self) -> None:
        if any(self.graphs) and not all(self.graphs):
            raise ConfigError("agreement needs src, tgt, src_corrected and tgt_corrected together")
        if not any(self.graphs) and self.labels is None:
            raise ConfigError("agreement needs graphs (src=..., see --help) or labels=FILE")

    @property
    def graphs(self) -> tuple[Path | None, ...]:
        """The four graph files."""
        return self.src, self.tgt, self.src_corrected, self.tgt_corrected


def main(session: Session) -> str:
    """Score original and corrected graphs, count labels, and report."""
    options = session.options(Options)
    tables: list[Table] = []
    document: dict[str, Any] = {"schema": SCHEMA}
    resampling = Resampling(options.resamples, options.seed)
    src, tgt, src_corrected, tgt_corrected = options.graphs
    if src and tgt and src_corrected and tgt_corrected:
        original, corrected = _pairs(src, tgt), _pairs(src_corrected, tgt_corrected)
        if len(original) != len(corrected):
            raise DataError(
                f"{src} has {counted(len(original), 'graph')} but {src_corrected} has "
                f"{len(corrected)}: graph k of the second "
                "must be the correction of graph k of the first"
            )
        ratings = None if options.ratings is None else read_ratings(options.ratings, len(original))
        results = [
            robustness(
                name,
                metric,
                original,
                corrected,
                ratings,
                options.statistic,
                resampling,
            )
            for name, metric in session.metrics.items()
        ]
        title = f"{src} and {tgt} against their corrections"
        tables.append(robustness_table(results, options.statistic, title))
        document["metrics"] = [plain(result.to_json()) for result in results]
    if options.labels is not None:
        shares, differences = label_study(Labels.read(options.labels), resampling)
        tables += label_tables(shares, differences)
        document["labels"] = [plain(asdict(share)) for share in shares]
        document["differences"] = [plain(asdict(difference)) for difference in differences]
    return render(tables, options.report, document)


def _pairs(src: Path, tgt: Path) -> list[Pair]:
    return [pair for pair in read_pairs(src, tgt)[0] if pair is not None]
