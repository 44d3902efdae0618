"""What the commands print: each calls its function, and renders what it returns."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from amr_metrics.utils.text import counted
from bamboo.errors import ChecksFailed, ConfigError
from bamboo.files import write_text
from bamboo.log import note
from bamboo.results.table import Format, Table, render

Call = Callable[..., Any]
LISTED = 100  # more pairs than these are listed only on request: per_pair=FILE or report=csv


def tables(call: Call, report: Format = "table") -> str:
    """Print the tables of a result, and on standard error its folder.

    Args:
        report: table | json | csv | markdown | latex.
    """
    result = call()
    note(f"written: {result.folder}")
    return render(result.tables(), report, result.to_json())


def explain(call: Call, report: Format = "table", out: Path | None = None) -> str:
    """Print the alignment.

    Args:
        report: table | json | csv | markdown | latex.
        out: draw both graphs and their alignment in this SVG file.
    """
    explained = call()
    if out is not None:
        if not out.parent.is_dir():  # probably a mistake in the path
            raise ConfigError(f"cannot write {out}: there is no folder {out.parent}")
        try:
            write_text(out, explained.to_svg())
        except OSError as error:
            raise ConfigError(f"cannot write {out}: {error.strerror}") from None
        note(f"written: {out}")
    return render(explained.tables(), report, explained.to_json())


def check(call: Call, report: Format = "table") -> str:
    """Print the result of each check.

    Args:
        report: table | json | csv | markdown | latex.

    Raises:
        ChecksFailed: if a check fails; the error carries the report.
    """
    checks = call()
    text = render(checks.tables(), report, checks.to_json())
    if checks.failed:
        raise ChecksFailed(checks.summary, text)
    return text


def site(call: Call) -> str:
    """Print where the site is."""
    return str(call())


def fetch(call: Call) -> str:
    """Print what was fetched."""
    return "\n".join(
        f"{dataset.name}: {counted(len(files), 'file')} in {dataset.root}, checksums verified"
        if dataset.registry
        else f"{dataset.name}: nothing to download, its files are in {dataset.root}"
        for dataset, files in call().items()
    )


def score(
    call: Call,
    report: Literal[Format, "value", "html"] = "table",
    out: Path | None = None,
    columns: Literal["main", "all"] = "main",
) -> str:
    """Print the scores.

    Args:
        report: table | json | csv | markdown | latex | value (only the score, of each parser and
            metric in a line) | html (pages with the scores, the errors, and every sentence with
            its graphs, in the folder out).
        out: report=html: output folder; must be new, empty or an earlier report.
        columns: main | all: also p-values, means over pairs and, where parsers are compared,
            precision and recall, which csv and json always have.
    """
    arguments: Mapping[str, Any] = call.keywords  # type: ignore[attr-defined]  # a partial
    if report == "html" and out is None:
        raise ConfigError("report=html requires out=FOLDER")
    if out is not None and report != "html":
        raise ConfigError(f"out={out} is the folder of a report: also set report=html")
    if isinstance(arguments["tgt"], list):
        raise ConfigError(
            f"tgt={','.join(arguments['tgt'])}: there is one gold standard. If it consists of "
            "several files, give their folder, or a pattern such as tgt='gold/part*.amr'"
        )
    src = arguments["src"]
    paths = [Path(os.path.expanduser(p)) for p in ([src] if isinstance(src, str) else src)]
    tgt = os.path.expanduser(arguments["tgt"])
    reports = call(src=paths, tgt=tgt, pages=out)
    if report == "html":
        return f"{out}/index.html"
    if (file := arguments["per_pair"]) is not None:
        note(f"written: {file}")
    if report == "value":
        return "\n".join(
            f"{row.scores[parsers.results.main]:.4f}"
            for parsers in reports.values()
            for row in parsers.results.scores
        )
    if len(reports) == 1:
        (parsers,) = reports.values()
        return _one_metric(parsers, report, columns, file is not None, arguments["ci"])
    return _several_metrics(reports, paths[0], tgt, report, columns)


def _one_metric(parsers: Any, report: Format, columns: Any, per_pair: bool, ci: bool) -> str:
    """Return the scores of parsers; for a single one, its pairs come first if they are few."""
    from bamboo.evaluation.pair_scores import score_notes, score_table, with_signatures

    # The pairs of long files become JSON values only if these are printed.
    document = parsers.to_json() if report == "json" else None
    shown: list[Table] = parsers.tables("all" if report == "csv" else columns)
    first = next(iter(parsers.parsers.values()))
    if len(parsers.parsers) == 1 and not per_pair:
        if report == "csv" or len(first) <= LISTED:
            corpus = shown if ci or report != "csv" else shown[1:]
            shown = [score_table(first), *corpus]
        else:
            advice = f"per_pair=FILE writes the scores of all {len(first):,} pairs to a CSV file"
            notes = (*score_notes(first), *shown[0].notes, advice)
            shown = [replace(shown[0], notes=notes), *shown[1:]]
    if report == "csv":
        shown = [with_signatures(table, [first.short_signature]) for table in shown]
    return render(shown, report, document)


def _several_metrics(
    reports: Mapping[str, Any], src: Path, tgt: str, report: Format, columns: Any
) -> str:
    from bamboo.evaluation.pair_scores import SCHEMA, with_signatures
    from bamboo.evaluation.tables import metric_table

    (parser,) = next(iter(reports.values())).parsers
    of_parser: Sequence[Any] = [parsers[parser] for parsers in reports.values()]
    table = metric_table(
        {name: parsers.results for name, parsers in reports.items()},
        {name: parsers[parser] for name, parsers in reports.items()},
        f"{src} against {tgt}",
        "all" if report == "csv" else columns,
    )
    if report == "csv":
        table = with_signatures(table, [scores.short_signature for scores in of_parser])
    if report != "json":
        return render([table], report)
    documents = [{"metric": name, **parsers.to_json()} for name, parsers in reports.items()]
    document = {"schema": SCHEMA, "src": str(src), "tgt": str(tgt), "metrics": documents}
    return render([table], report, document)
