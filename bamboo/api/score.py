"""Score graphs with graphs, and compare parsers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from amr_metrics.base import Metric
from amr_metrics.reading.formats import GraphFormat
from bamboo.api.call import ConfigDir, check_call, resolve_engine
from bamboo.config.requests import Metrics, resolve_rows
from bamboo.config.rows import Options
from bamboo.engines import SERIAL, AnyEngine
from bamboo.errors import ConfigError
from bamboo.parsers.analyses.aspects import (
    Aspects,
    Definition,
    Subscores,
    check_aspects,
    find_definition,
)
from bamboo.parsers.analysis import Analysis, Needs, check_needs
from bamboo.parsers.gate import Gate
from bamboo.parsers.names import name_sides
from bamboo.parsers.result import Report
from bamboo.parsers.score import Evaluation, score_parsers
from bamboo.scoring.chunks import Ids, Reading
from bamboo.scoring.extracted import Extract
from bamboo.scoring.field_paths import split_paths
from bamboo.scoring.inputs import check_output
from bamboo.scoring.notation import Notation
from bamboo.scoring.per_pair import WriteRows, per_pair_file
from bamboo.scoring.problems import OnError
from bamboo.scoring.repaired import split_rules
from bamboo.scoring.rows import InputFormat
from bamboo.scoring.sides import GraphSource, is_umr
from bamboo.statistics.resampling import SystemTests

if TYPE_CHECKING:
    from bamboo.scoring.sides import Side


@check_call
def score(
    src: Any,
    tgt: Any,
    metric: Metrics = "smatch_1.0",
    *,
    options: Options | None = None,
    # How the graphs are read and paired.
    format: GraphFormat = "penman",
    lengths: Path | None = None,
    split_ids: bool = False,
    field: str | tuple[str, ...] | None = None,
    id_field: str | tuple[str, ...] | None = None,
    input_format: InputFormat | None = None,
    src_ids: Any = None,
    extract: Extract | None = None,
    repair: str | tuple[str, ...] | None = None,
    ids: Ids = "warn",
    pairs: Literal["all"] | None = None,
    limit: int | None = None,
    drop: str | tuple[str, ...] = (),
    on_error: OnError = "stop",
    names: str | tuple[str, ...] = (),
    repeats: bool = False,
    # What is computed besides the corpus scores.
    subscores: bool = False,
    aspects: str | tuple[str, ...] | None = None,
    aspects_definition: Definition | None = None,
    alignment: Literal["multi", "one"] = "multi",
    frames: Path | None = None,
    by: str | Path | None = None,
    exact: bool = False,
    validity: bool = False,
    errors: bool = False,
    worst: int = 0,
    analyses: Sequence[Analysis] = (),
    # Intervals and tests.
    ci: bool = False,
    resamples: int = 1000,
    permutations: int | None = None,
    seed: int = 0,
    detect: float | None = None,
    at_least: float | None = None,
    no_worse_than: Any = None,
    # Files, and how the command runs.
    per_pair: Path | None = None,
    pages: Path | None = None,
    engine: str | AnyEngine = SERIAL,
    progress: bool = False,
    config_dir: ConfigDir = None,
    command_line: tuple[str, ...] = (),
) -> Report:
    """Score AMR files and compare parsers.

    The default metric is Smatch as in the smatch package, which parsing papers report
    (docs/comparable.md); smatch is the Smatch of BAMBOO.

    Args:
        src: graphs to score, such as parser output: a file (also .gz), a folder, a pattern such as
            'part*.amr', or - (standard input). In Python also text, one graph or text, or a list
            of them, of this project or of penman (a string is text if it contains a line break or
            starts with ``(`` or ``#``), and rows: a list of dictionaries, a data frame or a data
            set (see field), or a series, whose index may be its ids. Several parsers: a list of
            files, or a mapping from names to what one parser can be, or to a list of `Path`, each a
            run (see repeats). If tgt is a list, a list is one of parses: a string in it is text,
            whatever it looks like, and one that is no graph, or None, is a parse that cannot be
            read.
        tgt: gold graphs, such as an annotated test set: one file, folder or pattern, or -. In
            Python in any of these forms.
        metric: as the smatch package on PyPI; or another name, or a list. In Python also metrics.
        options: options of the metrics that are given by name, such as {"root": "none"}.
        format: penman | umr (UMR files; documents with a metric of documents, else sentence
            graphs; the default for documents in files and folders of .umr) | camr (Chinese
            AMR, in text or tuple format).
        lengths: camr: file of sentence lengths or words (id, tab, length or words).
        split_ids: camr: treat an id with two concepts as two nodes, as in the CAMRP tool.
        field: of rows (.jsonl, .ndjson, .json, .csv, .tsv), the field with the graph: a name, or a
            path such as response.body.choices[0].message.content; `field=parse,gold` if src and
            tgt have different ones.
        id_field: of rows, the field with the id, likewise; null: a field whose values are distinct
            ids of gold graphs, if there is one. Rows with ids are paired by them, and a missing
            row is a parse that cannot be read.
        input_format: jsonl | csv | tsv: standard input has rows.
        src_ids: in Python, the ids of the elements of src, a list of texts or graphs.
        extract: last | first: take this graph out of each text of src, such as the answer of a
            language model with reasoning, prose or code fences; null: the text is the graph.
        repair: brackets | variables | null, also both: repair graphs of src that cannot be read
            (docs/input-files.md). Choose before you see the scores, and report it.
        ids: warn: both graphs of a pair must have the same ::id, without ids the sentences the
            same order; a warning if ids are missing on one side or occur twice | check: an error
            in these cases, too | match: pair the graphs with the same ::id | ignore.
        pairs: null: graph k of src with graph k of tgt | all: every src with every tgt, to find
            the nearest.
        limit: score only the first N pairs; null: all.
        drop: what is removed from all graphs first: wiki, senses, alignments (dog~e.3), roles
            (their names: all edges get one role), or single roles such as :quant, also a list of
            these. The metric's own standardisation follows as usual.
        on_error: stop | nan | zero: a graph that cannot be read stops the command, its pair is
            left out, or it counts as empty and lowers recall.
        names: the names of the parsers in all output, in the order of src, such as SPRING,AMRBART;
            by default those of the files.
        repeats: each file or folder that a pattern in src matches is a run of one parser, such as
            one of several random seeds: score the mean over runs. Otherwise they are joined.
        subscores: camr: also CA, RA and IC.
        aspects: all, or a list such as frames,negation.
        aspects_definition: smatchpp (with metric=smatchpp) | smatchpp-paper (the same with
            compression, as in its paper) | amrlib | amr-evaluation; null: the first that a metric
            supports.
        alignment: smatchpp: multi (align each aspect separately) | one (one alignment for all).
        frames: file of PropBank role descriptions (propbank-amr-frames-arg-descr.txt of a release
            of AMR): validity checks frames and their arguments; aspects of smatchpp count core
            roles as well.
        by: also score buckets of pairs: by size (number of nodes of the gold graph), a key of
            metadata such as genre (# ::genre news), language (also en of files en-*.umr in
            folders), or a file with an id or the name of a file in a folder, a tab and the name of
            a bucket in each line; (macro) is their mean.
        exact: add the share of pairs whose graphs match completely, by the metric's counts.
        validity: add the numbers of graphs that cannot be read or have flags: unknown roles,
            dangling variables and other faults that a graph shows by itself.
        errors: add what the mistakes of each kind cost the parsers, and what all this shows.
        worst: number of lowest-scoring pairs to list, with what differs.
        analyses: in Python, analyses of your own (docs/extend/analysis.md).
        ci: add 95 % bootstrap intervals of the corpus scores.
        resamples: number of bootstrap samples.
        permutations: of each test when parsers are compared; null: 10000.
        seed: random seed for the bootstrap and the permutations.
        detect: also say how many sentences the test needs to find a difference of so many points
            (x 100) between the parsers with 80 % power.
        at_least: the score that each parser of src has to reach, as tables show it, such as 80.0.
            If it does not, the command has exit status 3. In Python, `failed` of the result is
            true.
        no_worse_than: the output of an older parser, which is scored as well. A parser of src fails
            likewise if its score is lower and p of the paired permutation test is below .05.
        per_pair: write the scores of every pair to this CSV file.
        pages: write pages to look at to this folder, which must be new, empty or have an earlier
            report: the scores with intervals and aspects, the errors, and every sentence with its
            graphs.
        engine: serial | loky | dask.
        progress: show progress on standard error.
        config_dir: a folder with metrics of your own.
        command_line: the words of the command that calls this function, for the record.

    Raises:
        BambooError, MetricError: for bad input.

    >>> score("(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG0 (d / dog))").score
    0.75
    """
    check_limits(limit, ids, pairs)
    check_aspects(aspects, aspects_definition, alignment)
    parsers, runs, old = name_sides(src, tgt, src_ids, names, repeats, no_worse_than)
    rows = resolve_rows(metric, options, config_dir=config_dir)
    metrics = {row.name: row.on() for row in rows}
    notation = make_notation(metrics, (*parsers.values(), tgt), format, lengths, split_ids)
    reading = Reading(
        notation=notation,
        on_error=on_error,
        ids=ids,
        pairs=pairs,
        limit=limit,
        drop=tuple(drop.split(",")) if isinstance(drop, str) else drop,
        fields=split_paths("field", field),
        id_fields=split_paths("id_field", id_field),
        input_format=input_format,
        extract=extract,
        repair=split_rules(repair),
    )
    has_pages = pages is not None
    parts = None if aspects is None else Aspects(aspects, aspects_definition, alignment, frames)
    requested = request_analyses(
        metrics,
        notation,
        has_pages,
        aspects=parts,
        frames=frames,
        by=by,
        exact=exact,
        subscores=subscores,
        errors=errors,
        worst=worst,
        validity=validity,
    )
    requested += tuple(analyses)
    difference = plan_detect(detect, len(parsers))
    tests = SystemTests(
        resamples, seed, permutations, runs_by_system=runs, target_difference=difference
    )
    gate = Gate(at_least, old, tests.number)
    needs = [*list_needs(has_pages, pairs, detect), *gate.needs, *(a.needs for a in requested)]
    check_needs(needs, len(metrics), bool(runs), pairs)
    evaluation = Evaluation(
        ci=None if has_pages else ci,
        tests=tests,
        analyses=tuple(analysis.plan(metrics, reading) for analysis in requested),
        headings={row.name: row.heading for row in rows},
    )
    gold = reading.build_source(tgt, "tgt", is_gold=True)
    sources = build_sources(reading, src, parsers, gold, old, src_ids)
    if per_pair is not None:
        check_output("per_pair", per_pair, [*parsers.values(), tgt], notation.format)
    used = resolve_engine(engine, config_dir)
    with nullcontext() if per_pair is None else per_pair_file(per_pair) as write:
        if pages is None:
            report = score_parsers(sources, gold, metrics, reading, evaluation, used, write)
        else:
            report = _score_with_pages(
                pages, sources, gold, metrics, reading, evaluation, used, write, command_line
            )
    return replace(report, failed=tuple(gate.find_failures(report)))


def check_limits(limit: int | None, ids: str, pairs: str | None) -> None:
    """Check which pairs are scored."""
    if limit is not None and limit < 1:
        raise ConfigError(f"limit={limit}: use 1 or more")
    if pairs is not None and ids in ("check", "match"):
        raise ConfigError(f"pairs={pairs} chooses the pairs: leave out ids={ids}")


def plan_detect(detect: float | None, parsers: int) -> float | None:
    """Return the difference to be found, in 0..1; None without one."""
    if detect is None:
        return None
    if not 0 < detect <= 100:
        raise ConfigError(f"detect={detect}: use a number of points above 0, up to 100")
    if parsers < 2:
        raise ConfigError(f"detect={detect} is about a difference: give two parsers or more")
    return detect / 100


def list_needs(has_pages: bool, pairs: str | None, detect: float | None) -> list[Needs]:
    """Return what options need that are no analyses."""
    in_order = "shows graph k of src with graph k of tgt"
    needs = [Needs("report=html", "shows one metric", True, in_order)] if has_pages else []
    needs += [] if pairs is None else [Needs("pairs", one_run=True)]
    return needs + ([] if detect is None else [Needs("detect", one_run=True)])


def request_analyses(
    metrics: Mapping[str, Metric],
    notation: Notation,
    has_pages: bool,
    *,
    aspects: Aspects | None,
    frames: Path | None,
    by: str | Path | None,
    exact: bool,
    subscores: bool,
    errors: bool,
    worst: int,
    validity: bool,
) -> tuple[Analysis, ...]:
    """Return the analyses that options of `score` mean, in the order of their tables.

    Pages have the errors, also all aspects and flags where these are defined.
    """
    requested: list[Analysis] = []
    if exact:
        from bamboo.parsers.analyses.exact import Exact  # most calls have few analyses

        requested.append(Exact())
    is_sentences = notation.format == "penman" and not notation.documents
    validity = validity or (has_pages and is_sentences)
    if aspects is None and frames is not None and not validity:
        raise ConfigError(
            "frames serves validity and aspect scores: also set validity=true or aspects=all"
        )
    if aspects is not None:
        requested.append(replace(aspects, shares_frames=validity))
    elif has_pages and notation.format != "camr":
        has_aspects = any(find_definition(metric) is not None for metric in metrics.values())
        requested += [Aspects("all")] if has_aspects else []
    if by is not None:
        from bamboo.parsers.analyses.buckets import Buckets

        requested.append(Buckets(by))
    if subscores:
        requested.append(Subscores())
    if errors or has_pages:
        from bamboo.parsers.analyses.errors import Errors

        requested.append(Errors(for_pages=has_pages))
    if worst:
        from bamboo.parsers.analyses.worst import Worst

        requested.append(Worst(worst))
    if validity:
        from bamboo.parsers.analyses.validity import ValidityFlags

        requested.append(ValidityFlags(frames))
    return tuple(requested)


def build_sources(
    reading: Reading,
    src: Any,
    parsers: Mapping[str, Any],
    gold: GraphSource,
    old: str | None,
    src_ids: Any,
) -> dict[str, GraphSource]:
    """Return the graphs of each parser.

    Args:
        src: as it was given, for messages.
        old: the older parser, whose graphs are not in `src`.
        src_ids: the ids of those in `src`.
    """
    if isinstance(src, Mapping):
        from bamboo.scoring.memory_rows import check_parsers  # most sides are files

        check_parsers(src, gold.list_ids)
    sources = {
        name: reading.build_source(side, name, ids=None if name == old else src_ids)
        for name, side in parsers.items()
    }
    reading.check_rows([*sources.values(), gold])
    return sources


def make_notation(
    metrics: Mapping[str, Metric],
    sides: Sequence[Side],
    format: GraphFormat,
    lengths: Path | None,
    split_ids: bool,
) -> Notation:
    """Return the notation of some sides: that of UMR for documents in files ending in ``.umr``.

    Raises:
        ConfigError: see `check_for_documents` and `Notation`.
    """
    documents = check_for_documents(metrics)
    if documents and all(is_umr(side) for side in sides):
        format = "umr"
    return Notation(format=format, lengths=lengths, split=split_ids, documents=documents)


def _score_with_pages(
    folder: Path,
    parsers: Mapping[str, GraphSource],
    tgt: GraphSource,
    metrics: Mapping[str, Metric],
    reading: Reading,
    evaluation: Evaluation,
    engine: AnyEngine,
    write: WriteRows | None,
    command_line: Sequence[str],
) -> Report:
    """Score parsers, and write pages to look at."""
    from bamboo.pages.folder import site_folder
    from bamboo.parsers.report.sentences import PairCollector
    from bamboo.parsers.report.write import write_report  # slow to import

    ((_, metric),) = metrics.items()
    with (
        site_folder(folder, "report", "report=html") as site,
        PairCollector(site, metric, parsers, reading.on_error) as collector,
    ):
        report = score_parsers(
            parsers, tgt, metrics, reading, evaluation, engine, write, collector.add
        )
        command = format_command(command_line, folder)
        written: Report = write_report(site, report, metric, collector.write(), command)
    return written


def format_command(command_line: Sequence[str], folder: Path) -> str:
    """Return the command line that makes the pages; "" for a call in Python."""
    # Neither the engine nor the place of the folder changes the pages.
    words = [word for word in command_line if re.split("[=.]", word)[0] not in ("out", "engine")]
    return shlex.join(["python", "-m", "bamboo", *words, f"out={folder.name}"]) if words else ""


def check_for_documents(metrics: Mapping[str, Metric]) -> bool:
    """Return whether metrics compare documents.

    Raises:
        ConfigError: some do, and others compare sentences.
    """
    documents = [name for name, metric in metrics.items() if metric.reads_documents]
    if documents and len(documents) < len(metrics):
        others = ", ".join(name for name in metrics if name not in documents)
        raise ConfigError(
            f"{', '.join(documents)} compare documents, {others} sentences: score them separately"
        )
    return bool(documents)
