"""What can be computed besides the corpus scores: the interface of analyses, and what they need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

from amr_metrics.base import Metric
from bamboo.board import Board
from bamboo.display.shown import Shown
from bamboo.display.table import Table
from bamboo.errors import ConfigError
from bamboo.parsers.systems import Comparison
from bamboo.scoring.chunks import PairChunk, Reading
from bamboo.scoring.pipeline import MistakeFinder, PartScorer
from bamboo.scoring.scored import Scored

if TYPE_CHECKING:
    from bamboo.parsers.report_data import ReportData

A = TypeVar("A", bound="Analysis")
ONE_METRIC = "needs exactly one metric"


class Needs(NamedTuple):
    """What an option of `score` needs of the others.

    Attributes:
        option: the option, as messages show it.
        one_metric: what it does that needs a single metric; "" if there may be several.
        one_run: whether each parser must have a single run.
        in_order: what it does with graph k of src and graph k of tgt; "" if not these are pairs.
    """

    option: str
    one_metric: str = ""
    one_run: bool = False
    in_order: str = ""


def check_needs(every: Iterable[Needs], metrics: int, has_runs: bool, pairs: str | None) -> None:
    """Check that options have what they need, given the number of metrics and how pairs are made.

    Raises:
        ConfigError: an option that has not.
    """
    for needs in every:
        if needs.in_order and pairs is not None:
            raise ConfigError(f"{needs.option} {needs.in_order}: omit pairs={pairs}")
        if needs.one_run and has_runs:
            raise ConfigError(
                f"{needs.option} needs one run per parser: give files, and omit repeats"
            )
        if needs.one_metric and metrics > 1:
            raise ConfigError(f"{needs.option} {needs.one_metric}: choose one with metric=NAME")


class Analysis:
    """Something that is computed besides the corpus scores.

    A subclass is a frozen dataclass: its fields are its options, which it checks when it is made.
    It sets the class attributes, and overrides those methods that it needs.

    Attributes:
        option: its name in messages, and in `ReportData.findings`.
        one_metric, one_run, in_order: see `Needs`.
        per_metric: whether there are tables for each metric; otherwise they are about all metrics.
        on_pages: whether the pages of ``report=html`` show it.
        shares: columns that it adds to the scores of pairs, whose means are corpus scores.
    """

    option: ClassVar[str]
    one_metric: ClassVar[str] = ""
    one_run: ClassVar[bool] = False
    in_order: ClassVar[str] = ""
    per_metric: ClassVar[bool] = True
    on_pages: ClassVar[bool] = False
    shares: ClassVar[tuple[str, ...]] = ()

    @property
    def lowest(self) -> int:
        """Of how many pairs with the lowest scores it needs the graphs."""
        return 0

    @property
    def find_mistakes(self) -> MistakeFinder | None:
        """Finds the mistakes in pairs, if it needs them."""
        return None

    @property
    def needs(self) -> Needs:
        """What it needs of other options."""
        return Needs(self.option, self.one_metric, self.one_run, self.in_order)

    def plan(self, metrics: Mapping[str, Metric], reading: Reading) -> Self:
        """Return the analysis as these metrics allow it, before any pair is read.

        Raises:
            ConfigError: metrics or graphs for which it is not defined.
        """
        return self

    def look(self, parser: str, read: PairChunk, chunk: PairChunk) -> PairChunk:
        """Return some pairs with what it finds in their graphs.

        Args:
            read: the pairs before anything is dropped.
        """
        return chunk

    def build_scorer(self, name: str, metric: Metric) -> PartScorer | None:
        """Return what computes further scores of pairs, also in other processes."""
        return None

    def mark(self, scored: Scored) -> Scored:
        """Add columns to a metric's scores of some pairs."""
        return scored

    def compare(self, comparison: Comparison, parsers: Mapping[str, Scored]) -> Board:
        """Return rows of scores by a metric, and differences of parsers."""
        return Board()

    def collect(
        self, metrics: Mapping[str, Metric], scored: Mapping[str, Mapping[str, Scored]]
    ) -> tuple[Board, Mapping[str, Any]]:
        """Return rows that no metric computes, and what is no row, by parser or `GOLD`.

        Args:
            scored: the scores of all pairs by metric and parser.
        """
        return Board(), {}

    def remark(self, scored: Scored) -> list[str]:
        """Return what is to be said of the scores of all pairs of a parser by a metric."""
        return []

    def list_settings(self, metric: str) -> list[str]:
        """Return what the numbers of a metric's tables depend on, for signatures."""
        return []

    def tabulate(self, report: ReportData, style: Shown, suffix: str = "") -> list[Table]:
        """Return tables.

        Args:
            report: of one metric, if there are tables for each.
            suffix: the end of their titles.
        """
        return []

    def to_json(self, report: ReportData) -> Mapping[str, Any]:
        """Return what it adds to the JSON values of one metric, by keys."""
        return {}


def find_analysis(analyses: Iterable[Analysis], cls: type[A]) -> A | None:
    """Return the analysis of a class; None if there is none."""
    return next((analysis for analysis in analyses if isinstance(analysis, cls)), None)
