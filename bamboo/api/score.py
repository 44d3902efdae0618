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
from bamboo.api.call import ConfigDir, check_call, make_grouping, resolve_engine
from bamboo.config.requests import Metrics, resolve_rows
from bamboo.config.rows import Options, Row
from bamboo.engines import SERIAL, AnyEngine
from bamboo.errors import ConfigError
from bamboo.parsers.names import name_old, name_parsers, split_runs
from bamboo.parsers.parts import (
    SMATCHPP,
    AspectPlan,
    Definition,
    choose_definition,
    find_definition,
    plan_aspects,
    select_with_aspects,
)
from bamboo.parsers.result import Report
from bamboo.parsers.score import Analysis, score_parsers
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
    from bamboo.scoring.validity import ValidityCheck


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
    _check(limit, worst, pairs, ids, pages, by)
    check_aspects(aspects, aspects_definition, alignment)
    # A list with ids is one of parses, as if the gold graphs were a list, too.
    beside = tgt if src_ids is None else src_ids
    parsers, runs = split_runs(name_parsers(src, beside, names), repeats)
    has_gate = at_least is not None or no_worse_than is not None
    if runs:
        _check_runs(
            pages=pages,
            errors=errors,
            worst=worst,
            pairs=pairs,
            detect=detect,
            validity=validity,
            at_least=at_least,
            no_worse_than=no_worse_than,
        )
    tested, old = [*parsers], None
    if no_worse_than is not None:
        old = name_old(no_worse_than, parsers)
        parsers = {**parsers, old: no_worse_than}
    planned = None if detect is None else _check_detect(detect, len(parsers))
    tests = SystemTests(resamples, seed, permutations, runs=runs, detect=planned)
    if has_gate:
        from bamboo.parsers.gate import check_gate, find_failures  # most calls have none

        check_gate(at_least, old, tests.number)
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
    is_checked = validity or (
        pages is not None and notation.format == "penman" and not notation.documents
    )
    check = _plan_validity(is_checked, notation, pairs, frames, aspects)
    if errors and pairs is not None:
        raise ConfigError(f"errors compares graph k of src with graph k of tgt: omit pairs={pairs}")
    _check_one_metric(
        len(metrics),
        pages=pages,
        subscores=subscores,
        errors=errors,
        worst=worst,
        at_least=at_least is not None,
        no_worse_than=old is not None,
    )
    plans: Mapping[str, AspectPlan] = {}
    if aspects is not None:
        definition = aspects_definition or choose_definition(metrics.values())
        of_aspects = frames if definition in SMATCHPP or check is None else None
        plans = plan_every_metric(metrics, aspects, definition, alignment, of_aspects)
    elif pages is not None and notation.format != "camr":
        plans = _plan_all_aspects(metrics)
    analysis = Analysis(
        ci=ci if pages is None else None,
        tests=tests,
        aspects=plans,
        subscores=subscores,
        errors=errors and pages is None,  # pages have them
        worst=worst,
        by=None if by is None else make_grouping(by),
        exact=exact,
        validity=check,
        headings={row.name: row.heading for row in rows},
    )
    gold = reading.build_source(tgt, "tgt", is_gold=True)
    if isinstance(src, Mapping):
        from bamboo.scoring.memory_rows import check_parsers  # most sides are files

        check_parsers(src, gold.list_ids)
    sources: dict[str, GraphSource] = {}
    for name, side in parsers.items():
        sources[name] = reading.build_source(side, name, ids=None if name == old else src_ids)
    reading.check_rows([*sources.values(), gold])
    if per_pair is not None:
        check_output("per_pair", per_pair, [*parsers.values(), tgt], notation.format)
    used = resolve_engine(engine, config_dir)
    with nullcontext() if per_pair is None else per_pair_file(per_pair) as write:
        if pages is None:
            report = score_parsers(sources, gold, metrics, reading, analysis, used, write)
        else:
            report = _score_with_pages(
                pages, sources, gold, rows[0], reading, analysis, used, write, command_line
            )
    if not has_gate:
        return report
    return replace(report, failed=tuple(find_failures(report, tested, at_least, old)))


def check_aspects(
    aspects: str | Sequence[str] | None,
    definition: Definition | None,
    alignment: str,
) -> None:
    """Check that options of aspects go with aspects.

    Raises:
        ConfigError: they do not.
    """
    if aspects is None and (definition, alignment) != (None, "multi"):
        raise ConfigError(
            "aspects_definition and alignment apply to aspect scores only: also set aspects=all or "
            "a list of aspects"
        )


def plan_every_metric(
    metrics: Mapping[str, Metric],
    aspects: str | Sequence[str],
    definition: Definition | None,
    alignment: str,
    frames: Path | None,
) -> dict[str, AspectPlan]:
    """Plan the aspects of each metric that has some; see `plan_aspects`.

    Args:
        definition: None for the first that a metric supports.
    """
    applied = definition or choose_definition(metrics.values())
    return {
        name: plan_aspects(metric, aspects, applied, alignment, frames)
        for name, metric in select_with_aspects(metrics, applied).items()
    }


def _plan_all_aspects(metrics: Mapping[str, Metric]) -> dict[str, AspectPlan]:
    """Plan all aspects of the only metric; of one that has none, none."""
    ((name, metric),) = metrics.items()
    definition = find_definition(metric)
    return {} if definition is None else {name: plan_aspects(metric, "all", definition)}


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


def _check(
    limit: int | None,
    worst: int,
    pairs: str | None,
    ids: str,
    pages: Path | None,
    by: str | Path | None,
) -> None:
    if worst < 0:
        raise ConfigError(f"worst={worst}: use 0 or more")
    if limit is not None and limit < 1:
        raise ConfigError(f"limit={limit}: use 1 or more")
    if pairs is not None and ids in ("check", "match"):
        raise ConfigError(f"pairs={pairs} chooses the pairs: leave out ids={ids}")
    if pairs is not None and by is not None:
        raise ConfigError(f"by={by} groups graph k of src with graph k of tgt: omit pairs={pairs}")
    if pairs is not None and pages is not None:
        raise ConfigError(
            f"report=html shows graph k of src with graph k of tgt: omit pairs={pairs}"
        )


def _plan_validity(
    is_checked: bool, notation: Notation, pairs: str | None, frames: Path | None, aspects: object
) -> ValidityCheck | None:
    """Return what finds the flags of graphs; None if they are not requested."""
    if not is_checked:
        if frames is not None and aspects is None:
            raise ConfigError(
                "frames serves validity and aspect scores: also set validity=true or aspects=all"
            )
        return None
    from amr_metrics.validity import Frames
    from bamboo.scoring.validity import ValidityCheck, check_notation

    check_notation(notation)
    if pairs is not None:
        raise ConfigError(f"validity counts each graph once: omit pairs={pairs}")
    return ValidityCheck(None if frames is None else Frames.read(frames))


def _check_runs(**options: Any) -> None:
    """Check that no option is set that needs one run per parser."""
    for name, value in options.items():
        if value:
            name = "report=html" if name == "pages" else name
            raise ConfigError(f"{name} needs one run per parser: give files, and omit repeats")


def _check_detect(detect: float, parsers: int) -> float:
    """Return the difference to be found, in 0..1."""
    if not 0 < detect <= 100:
        raise ConfigError(f"detect={detect}: use a number of points above 0, up to 100")
    if parsers < 2:
        raise ConfigError(f"detect={detect} is about a difference: give two parsers or more")
    return detect / 100


def _check_one_metric(metrics: int, pages: Path | None, **options: bool | int) -> None:
    if metrics == 1:
        return
    if pages is not None:
        raise ConfigError("report=html shows one metric: choose one with metric=NAME")
    for name, value in options.items():
        if value:
            raise ConfigError(f"{name} needs exactly one metric: choose one with metric=NAME")


def _score_with_pages(
    folder: Path,
    parsers: Mapping[str, GraphSource],
    tgt: GraphSource,
    row: Row,
    reading: Reading,
    analysis: Analysis,
    engine: AnyEngine,
    write: WriteRows | None,
    command_line: Sequence[str],
) -> Report:
    """Score parsers, and write pages to look at."""
    from bamboo.pages.folder import site_folder
    from bamboo.parsers.report.sentences import PairCollector
    from bamboo.parsers.report.write import write_report  # slow to import

    metric = row.on()
    with (
        site_folder(folder, "report", "report=html") as site,
        PairCollector(site, metric, parsers, reading.on_error) as collector,
    ):
        metrics = {row.name: metric}
        report = score_parsers(
            parsers, tgt, metrics, reading, analysis, engine, write, collector.add
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
