"""Show the alignment, or the features, behind a score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from amr_metrics.base import Metric, Pair
from amr_metrics.errors import MetricError, NoAlignmentError, NoFeaturesError, PairError
from amr_metrics.reading.formats import GraphFormat
from amr_metrics.validity import Frames
from bamboo.api.call import ConfigDir, check_call
from bamboo.api.data import Data, resolve_datasets
from bamboo.benchmark.cells import Cell
from bamboo.config.requests import Metrics, one_row, resolve_rows
from bamboo.config.rows import Options, Row
from bamboo.errors import ConfigError, FileNote
from bamboo.explanation.explained import ExplainedFeatures, ExplainedPair
from bamboo.explanation.flags import PairFlags
from bamboo.installation import paths
from bamboo.log import warn
from bamboo.progress import progress_bar
from bamboo.results.cache import Cache
from bamboo.results.score_cells import Settings, train_rows
from bamboo.scoring.chunks import Reading, pair_of_sides
from bamboo.scoring.extracted import Extract
from bamboo.scoring.field_paths import split_paths
from bamboo.scoring.file_pairs import FilePairs
from bamboo.scoring.notation import Notation
from bamboo.scoring.repaired import split_rules
from bamboo.scoring.rows import InputFormat
from bamboo.scoring.sides import is_umr, name_side
from bamboo.scoring.validity import check_notation

EXACTLY_ONE = "explain requires exactly one metric and one data set"


@check_call
def explain(
    src: Any = None,
    tgt: Any = None,
    *,
    metric: Metrics | None = None,
    options: Options | None = None,
    data: Data | None = None,
    data_options: Options | None = None,
    partition: str | None = None,
    split: str | None = None,
    pair: int | str = 0,
    field: str | tuple[str, ...] | None = None,
    id_field: str | tuple[str, ...] | None = None,
    input_format: InputFormat | None = None,
    extract: Extract | None = None,
    repair: str | tuple[str, ...] | None = None,
    format: GraphFormat = "penman",
    lengths: Path | None = None,
    split_ids: bool = False,
    validity: bool = False,
    frames: Path | None = None,
    config_dir: ConfigDir = None,
) -> ExplainedPair | ExplainedFeatures:
    """Show the alignment, or the features, behind a score.

    A metric without alignment that compares features (SemBleu, WLK, SEMA, Rematch) shows them, and
    what each adds to the score.

    Pairs of files, as in score: explain parser.amr gold.amr pair=3 is short for
    explain src=parser.amr tgt=gold.amr pair=3.

    Args:
        src: instead of a data set: a file, folder or pattern, or -, as in score. In Python also
            text or graphs.
        tgt: likewise; graph k of src is compared with graph k of tgt.
        metric: a metric that computes an alignment or lists features; null: smatch, for files
            smatch_1.0 as in score.
        options: options of a metric that is given by name.
        data: data set of the pair, unless src and tgt are given; null: sts.
        data_options: options of a data set that is given by name.
        partition: main | reify | syno | arg: of the data set; null: main.
        split: train | dev | test: of the data set; null: test.
        pair: number of the pair in the data set, or its position in the files, from 0; or its ::id.
        field: of rows, the field with the graph, see score.
        id_field: of rows, the field with the id, see score.
        input_format: jsonl | csv | tsv: standard input has rows.
        extract: last | first: take this graph out of each text of src, see score.
        repair: brackets | variables: repair graphs of src that cannot be read, see score.
        format: penman | umr (UMR files, see score) | camr (Chinese AMR).
        lengths: camr: file of sentence lengths.
        split_ids: camr: treat an id with two concepts as two nodes.
        validity: also show what is flagged in both graphs, and mark flagged triples, see score.
        frames: validity: file of PropBank role descriptions, see score.
        config_dir: a folder with metrics and data sets of your own.

    Raises:
        NoAlignmentError: the metric neither computes an alignment nor lists features.
        BambooError, MetricError: for bad input.

    >>> explain("(c / cat)", "(k / cat)").explanation.links[0].tgt
    'k'
    >>> explained = explain("(c / cat)", "(k / cat)", metric="rematch")
    >>> [(f.text, f.effect) for f in explained.explanation.features]
    [('cat', 1.0)]
    """
    if (src is None) != (tgt is None):
        raise ConfigError("explain requires both src=FILE and tgt=FILE, or a data set")
    of_data = {"data": data, "partition": partition, "split": split}
    if unused := [name for name, value in of_data.items() if value is not None and src is not None]:
        raise ConfigError(
            f"{unused[0]}=... chooses a pair of a data set: leave it out, or leave out the files"
        )
    if frames is not None and not validity:
        raise ConfigError("frames serves validity: also set validity=true")
    descriptions = None if frames is None else Frames.read(frames)
    default = "smatch" if src is None else "smatch_1.0"
    rows = resolve_rows(default if metric is None else metric, options, config_dir=config_dir)
    row = one_row(rows, EXACTLY_ONE)
    if src is not None:
        documents = row.on().reads_documents
        if documents and is_umr(src) and is_umr(tgt):
            format = "umr"
        notation = Notation(format=format, lengths=lengths, split=split_ids, documents=documents)
        reading = Reading(
            notation=notation,
            fields=split_paths("field", field),
            id_fields=split_paths("id_field", id_field),
            input_format=input_format,
            extract=extract,
            repair=split_rules(repair),
        )
        if validity:
            check_notation(notation)
        graphs, notes, warnings = pair_of_sides(src, tgt, reading, pair)
        warn(notes, FileNote)
        warn(warnings)
        title = f"{row.name}, {name_side(src, 'src')} against {name_side(tgt, 'tgt')}, pair {pair}"
        flags = PairFlags.find(graphs, descriptions) if validity else None
        return _explain_pair(title, row.on(), graphs, flags)
    datasets = resolve_datasets("sts" if data is None else data, data_options, config_dir)
    if len(datasets) != 1:
        raise ConfigError(EXACTLY_ONE)
    cell = Cell(datasets[0], partition or "main", split or "test")
    metric_used = _train_row(row, cell).on(cell.dataset.name)
    graphs = _pair_of(cell, pair)
    flags = PairFlags.find(graphs, descriptions) if validity else None
    return _explain_pair(f"{row.name}, {cell}, pair {pair}", metric_used, graphs, flags)


def _explain_pair(
    title: str, metric: Metric, pair: Pair, flags: PairFlags | None
) -> ExplainedPair | ExplainedFeatures:
    """Explain a pair by its alignment or, for a metric that has none, by its features."""
    reasons: list[MetricError] = []
    for kind in (ExplainedPair, ExplainedFeatures):
        try:
            return kind.of(title, metric, pair, flags)
        except PairError as error:
            raise PairError(f"{title}: {error.problem}", argument=error.argument) from None
        except (NoAlignmentError, NoFeaturesError) as error:
            reasons.append(error)
    raise reasons[0]


def _train_row(row: Row, cell: Cell) -> Row:
    """Return the metric, trained for the pair's cell as by `run`."""
    if not row.needs_training:
        return row
    folders = paths()
    settings, cache = Settings(built=folders.data / "built"), Cache(folders.runs / "cache")
    with progress_bar("training") as progress:
        rows = train_rows([row], [cell], cache, settings, progress)
    return rows[row.name, cell]


def _pair_of(cell: Cell, pair: int | str) -> Pair:
    pair_set = cell.load()
    pairs, first = FilePairs.of(pair_set.pairs), int(pair_set.numbers[0])
    if isinstance(pair, int):
        positions = [pair - first]
    else:
        ids = zip(pairs.ids(0), pairs.ids(1), strict=True)
        positions = [k for k, both in enumerate(ids) if pair in both]
    matches = [pairs[k] for k in positions if 0 <= k < len(pairs)]
    if len(matches) != 1 or matches[0] is None:
        last = first + len(pairs) - 1
        raise ConfigError(f"pair={pair}: {cell} has {first} to {last}")
    return matches[0]
