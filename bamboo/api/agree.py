"""Measure how far annotators agree."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from amr_metrics.base import Metric, Pair
from amr_metrics.errors import NoAlignmentError
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading import format_graph
from amr_metrics.reading.formats import GraphFormat
from amr_metrics.utils.text import format_count
from bamboo.api.call import ConfigDir, check_call, resolve_engine
from bamboo.api.score import format_command, make_notation
from bamboo.config.requests import Metrics, resolve_rows
from bamboo.config.rows import Options
from bamboo.engines import SERIAL, AnyEngine
from bamboo.errors import ConfigError, FileNote
from bamboo.files import check_folder, write_text
from bamboo.log import warn
from bamboo.parsers.agreement import measure_agreement
from bamboo.parsers.agreement_graphs import Annotated, read_annotators
from bamboo.parsers.agreement_result import Agreement
from bamboo.parsers.agreement_triples import FEWEST, MARK, align_triples, find_majority
from bamboo.parsers.analyses.aspects import Aspects, Definition, check_aspects
from bamboo.parsers.analyses.buckets import Buckets
from bamboo.parsers.analysis import Analysis
from bamboo.parsers.names import name_parsers
from bamboo.parsers.score import Evaluation
from bamboo.scoring.chunks import Ids, Reading
from bamboo.scoring.extracted import Extract
from bamboo.scoring.inputs import check_output, find_path, short_names
from bamboo.scoring.notation import Notation
from bamboo.scoring.repaired import split_rules
from bamboo.scoring.rows import InputFormat
from bamboo.statistics.resampling import SystemTests

if TYPE_CHECKING:
    from bamboo.scoring.sides import Side


@check_call
def agree(
    files: Any,
    metric: Metrics = "smatch_1.0",
    *,
    options: Options | None = None,
    format: GraphFormat = "penman",
    lengths: Path | None = None,
    split_ids: bool = False,
    field: str | None = None,
    id_field: str | None = None,
    input_format: InputFormat | None = None,
    extract: Extract | None = None,
    repair: str | tuple[str, ...] | None = None,
    ids: Ids | None = None,
    limit: int | None = None,
    on_error: Literal["stop", "nan"] = "stop",
    resamples: int = 1000,
    seed: int = 0,
    aspects: str | tuple[str, ...] | None = None,
    aspects_definition: Definition | None = None,
    alignment: Literal["multi", "one"] = "multi",
    frames: Path | None = None,
    drop: str | tuple[str, ...] = (),
    by: str | Path | None = None,
    worst: int = 5,
    central: Path | None = None,
    adjudicate: Path | None = None,
    pages: Path | None = None,
    engine: str | AnyEngine = SERIAL,
    progress: bool = False,
    config_dir: ConfigDir = None,
    command_line: tuple[str, ...] = (),
) -> Agreement:
    """Measure how far annotators agree, without a gold standard.

    Every two annotators are scored. Parsers can take the place of annotators.

    Args:
        files: graphs of the same sentences by each annotator: a file (also .gz), a folder, a
            pattern, or - (standard input). In Python a list of files, texts or lists of graphs, or
            a mapping from names to these.
        metric: as the smatch package on PyPI; or another name. In Python also a metric.
        options: options of the metric if it is given by name, such as {"root": "none"}.
        format: penman | umr (UMR files; documents with a metric of documents, else sentence
            graphs; the default for documents in files and folders of .umr) | camr (Chinese
            AMR, in text or tuple format).
        lengths: camr: file of sentence lengths or words (id, tab, length or words).
        split_ids: camr: treat an id with two concepts as two nodes, as in the CAMRP tool.
        field: of rows, the field with the graph, a name or a path, see score.
        id_field: of rows, the field with the id, likewise; null: a field whose values are distinct
            ids of the first annotator with ids, if there is one.
        input_format: jsonl | csv | tsv: standard input has rows.
        extract: last | first: take this graph out of each text, see score.
        repair: brackets | variables: repair graphs that cannot be read, see score.
        ids: match: the graphs with the same ::id are of one sentence, which some annotators may
            lack | warn, check: graph k of each file is of sentence k; ids must be equal (see score)
            | ignore; null: match if every graph has an id, else warn.
        limit: only the first N sentences; null: all. With ids, the order is that of the first file.
        on_error: stop | nan: a graph that cannot be read stops the command, or is left out.
        resamples: number of bootstrap samples of the sentences.
        seed: random seed for the bootstrap.
        aspects: all, or a list such as frames,negation.
        aspects_definition: smatchpp (with metric=smatchpp) | smatchpp-paper (the same with
            compression, as in its paper) | amrlib | amr-evaluation; null: the first that the metric
            supports.
        alignment: smatchpp: multi (align each aspect separately) | one (one alignment for all).
        frames: smatchpp: file of PropBank role descriptions, so that core roles count as well.
        drop: what is removed from all graphs first: wiki, senses, alignments (dog~e.3), or roles
            such as :quant, also a list of these. The metric's own standardisation follows as usual.
        by: also buckets of sentences: by size (mean number of nodes of the graphs), a key of
            metadata such as genre (# ::genre news), or a file with an id, a tab and the name of a
            bucket in each line.
        worst: number of sentences with the lowest agreement to list, with what differs.
        central: write the most central graph of each sentence to this file in Penman notation,
            that of the annotator who agrees best with the others; graphs are not merged.
        adjudicate: write for each sentence the graph of the triples that more than half of its
            annotators have, at least two, to this file in Penman notation, marked
            # ::adjudicate tie where half of them have another triple; where these are not one
            connected graph with one root, the most central one, marked # ::adjudicate review. For
            three annotators or more.
        pages: write pages to look at to this folder, which must be new, empty or have earlier
            ones: the matrix, and every sentence with its graphs.
        engine: serial | loky | dask.
        progress: show progress on standard error.
        config_dir: a folder with metrics of your own.
        command_line: the words of the command that calls this function, for the record.

    Raises:
        BambooError, MetricError: for bad input.

    >>> cats = "(s / sleep-01 :ARG0 (c / cat))"
    >>> agree([[cats], [cats], ["(s / sleep-01 :ARG0 (d / dog))"]]).macro
    0.8333333333333334
    """
    if worst < 0:
        raise ConfigError(f"worst={worst}: use 0 or more")
    if limit is not None and limit < 1:
        raise ConfigError(f"limit={limit}: use 1 or more")
    check_aspects(aspects, aspects_definition, alignment)
    if aspects is None and frames is not None:
        raise ConfigError(
            "frames applies to aspect scores only: also set aspects=all or a list of aspects"
        )
    annotators = name_annotators(files)
    rows = resolve_rows(metric, options, config_dir=config_dir)
    if len(rows) > 1:
        raise ConfigError("agree needs exactly one metric: choose one with metric=NAME")
    name, of_metric = rows[0].name, rows[0].on()
    metrics = {name: of_metric}
    notation = make_notation(metrics, [*annotators.values()], format, lengths, split_ids)
    for option, file in (("central", central), ("adjudicate", adjudicate)):
        if file is not None:
            _check_written(option, file, annotators, notation)
    if adjudicate is not None:
        _check_majority(adjudicate, annotators, of_metric)
    reading = Reading(
        notation=notation,
        on_error=on_error,
        limit=limit,
        drop=tuple(drop.split(",")) if isinstance(drop, str) else drop,
        fields=(field, field),
        id_fields=(id_field, id_field),
        input_format=input_format,
        extract=extract,
        repair=split_rules(repair),
    )
    analyses: list[Analysis] = []
    if aspects is not None:
        analyses.append(Aspects(aspects, aspects_definition, alignment, frames))
    if by is not None:
        analyses.append(Buckets(by))
    evaluation = Evaluation(
        tests=SystemTests(resamples, seed),
        analyses=tuple(analysis.plan(metrics, reading) for analysis in analyses),
    )
    annotated = read_annotators(annotators, reading, ids)
    reading = replace(reading, ids="ignore" if annotated.is_matched else ids or "warn")
    used = resolve_engine(engine, config_dir)
    agreement = measure_agreement(annotated, name, of_metric, reading, evaluation, worst, used)
    if central is not None:
        _write_graphs(central, agreement, annotated)
    if adjudicate is not None:
        triples = agreement.triples
        if reading.drop:  # they lack what is voted on as well
            triples = align_triples(agreement, annotated, of_metric, replace(reading, drop=()))
        majority = {sentence.position: find_majority(sentence) for sentence in triples}
        _write_graphs(adjudicate, agreement, annotated, majority)
    if pages is not None:
        from bamboo.parsers.report.agreement import write_agreement  # slow to import

        command = format_command(command_line, pages)
        write_agreement(pages, agreement, annotated, of_metric, reading, command)
    return agreement


def name_annotators(files: Any) -> Mapping[str, Side]:
    """Return the graphs of annotators by their names: those of the files, or numbers from 1.

    Raises:
        ConfigError: as `name_parsers`; or text, which is one annotator.
    """
    if isinstance(files, list | tuple) and not all(find_path(side) for side in files):
        return {f"annotator {k}": side for k, side in enumerate(files, 1)}
    if isinstance(files, list | tuple):
        paths = [Path(side) for side in files]
        if len({path.absolute() for path in paths}) < len(paths):
            raise ConfigError("files: name each file once")
        return dict(zip(short_names(paths), paths, strict=True))
    if isinstance(files, Mapping) and not files:
        return {}
    return name_parsers(files)


def _check_written(
    option: str, file: Path, annotators: Mapping[str, Side], notation: Notation
) -> None:
    """Check that graphs can be written to a file.

    Raises:
        ConfigError: another notation, no such folder, or a file that an annotator has.
    """
    if notation.format != "penman":
        raise ConfigError(
            f"{option}={file} is written in Penman notation: not with format={notation.format}"
        )
    check_folder(file)
    check_output(option, file, annotators.values(), "penman")


def _check_majority(adjudicate: Path, annotators: Sized, metric: Metric) -> None:
    """Check that there can be a majority, and that the metric aligns nodes.

    Raises:
        ConfigError: fewer than three annotators, or another metric.
    """
    if len(annotators) < FEWEST:
        raise ConfigError(
            f"adjudicate={adjudicate} needs three annotators or more: of two there is no majority. "
            "worst=N lists what differs, and central=FILE writes the graphs of the first to edit"
        )
    cat = Graph(("c",), ("cat",), (), (), "c")
    try:
        metric.links([Pair(cat, cat)])
    except NoAlignmentError:
        raise ConfigError(
            f"adjudicate={adjudicate} needs a metric that aligns nodes, such as metric=smatch_1.0"
        ) from None


def _write_graphs(
    file: Path,
    agreement: Agreement,
    annotated: Annotated,
    majority: Mapping[int, Graph | None] | None = None,
) -> None:
    """Write a graph of each sentence: that of the majority, or the most central one.

    A sentence with a single graph has this one; without any, it is left out. A central graph has
    the name of its annotator, and a mark if there could have been one of the majority.

    Args:
        majority: by the position of the sentence; None to write only central graphs.

    Raises:
        ConfigError: the file cannot be written.
    """
    names = [*annotated.sources]
    graphs = {name: annotated.graphs_of(name) for name in names}
    mark = {} if majority is None else {MARK: "review"}
    voted = {k: graph for k, graph in (majority or {}).items() if graph is not None}
    texts = []
    for k, at in enumerate(agreement.central.tolist()):
        with_graph = [name for name in names if k not in graphs[name].problems]
        if at < 0 and not with_graph:
            continue
        name = names[at] if at >= 0 else with_graph[0]
        graph = graphs[name].graphs[k]
        if k in voted:
            metadata = {**graph.metadata, **voted[k].metadata}
            texts.append(format_graph(replace(voted[k], metadata=metadata)))
        else:
            texts.append(format_aligned(graph, {**graph.metadata, "annotator": name, **mark}))
    try:
        write_text(file, "\n\n".join(texts) + "\n")
    except OSError as error:
        raise ConfigError(f"cannot write {file}: {error.strerror}") from None
    if majority is not None:
        ties = sum(MARK in graph.metadata for graph in voted.values())
        review = len(texts) - len(voted)
        warn(
            [
                f"{file}: {len(voted):,} of {format_count(len(texts), 'sentence')} by majority, "
                f"of which {ties:,} marked # ::{MARK} tie; {review:,} marked # ::{MARK} review"
            ],
            FileNote,
        )
    if left_out := len(agreement) - len(texts):
        warn([f"{file}: {format_count(left_out, 'sentence')} without a graph: left out"])


def format_aligned(graph: Graph, metadata: Mapping[str, str]) -> str:
    """Format a graph in Penman notation, with its surface alignments if it has any."""
    text = format_graph(replace(graph, metadata=metadata))
    if not graph.aligned:
        return text
    comments = [line for line in text.splitlines() if line.startswith("#")]
    return "\n".join([*comments, graph.aligned.strip()])
