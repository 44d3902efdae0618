"""What the commands print: the functions of their names, and `tables` for all others.

Each calls the function of its command, and renders what it returns.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from amr_metrics.utils.text import format_count
from bamboo.display.table import OutputFormat, render
from bamboo.errors import ChecksFailed, ConfigError, GateFailed
from bamboo.files import check_folder, write_text
from bamboo.log import note

if TYPE_CHECKING:
    from bamboo.parsers.result import Report

Call = Callable[..., Any]
MOST_DIGITS = 15  # decimals of a float
LISTED = 100  # more pairs than these are listed only on request: per_pair=FILE or report=csv


def tables(call: Call, report: OutputFormat = "table") -> str:
    """Print the tables of a result, and on standard error its folder if it has one.

    Args:
        report: table | json | csv | markdown | latex.
    """
    result = call()
    if (folder := getattr(result, "folder", None)) is not None:
        note(f"written: {folder}")
    return render(result.tables(), report, result.to_json())


def run(call: Call, report: Literal[OutputFormat, "leaderboard"] = "table") -> str:
    """Print the tables of a result, and on standard error its folder.

    Args:
        report: table | json | csv | markdown | latex | leaderboard (the rows that the public
            leaderboard asks for, in Markdown).
    """
    if report != "leaderboard":
        return tables(call, report)
    from bamboo.results.leaderboard import write_leaderboard

    result = call()
    text = write_leaderboard(result)
    note(f"written: {result.folder}")
    return text


def explain(call: Call, report: OutputFormat = "table", out: Path | None = None) -> str:
    """Print the alignment.

    Args:
        report: table | json | csv | markdown | latex.
        out: draw both graphs and their alignment in this SVG file.
    """
    explained = call()
    if out is not None:
        check_folder(out)
        try:
            write_text(out, explained.to_svg())
        except OSError as error:
            raise ConfigError(f"cannot write {out}: {error.strerror}") from None
        note(f"written: {out}")
    return render(explained.tables(), report, explained.to_json())


def check(call: Call, report: OutputFormat = "table") -> str:
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
        f"{dataset.name}: {format_count(len(files), 'file')} in {dataset.root}, checksums verified"
        if dataset.registry
        else f"{dataset.name}: nothing to download, its files are in {dataset.root}"
        for dataset, files in call().items()
    )


def agree(
    call: Call,
    files: str | list[str],
    central: Path | None = None,
    report: Literal[OutputFormat, "html"] = "table",
    out: Path | None = None,
    columns: Literal["main", "all"] = "main",
    digits: int | None = None,
) -> str:
    """Print the agreement.

    Args:
        report: table | json | csv | markdown | latex | html (pages with the matrix, and every
            sentence with its graphs, in the folder out). Tables show scores x 100; json and csv
            have them in 0..1.
        out: report=html: output folder; must be new, empty or have earlier pages.
        columns: main | all: also a table of couples, and each annotator's scores on aspects and
            buckets, which csv always has.
        digits: decimals of scores in tables; null: 1.
    """
    _check_pages(report, out, digits)
    agreement = call(files=_expand_paths(files), pages=out)
    if central is not None:
        note(f"written: {central}")
    if report == "html":
        return f"{out}/index.html"
    if report == "json":
        return render([], "json", agreement.to_json())
    if report == "csv":
        tables = agreement.tables("all")
        return render([table.add_signature(agreement.signature) for table in tables], "csv")
    return render(agreement.tables(columns, digits), report)


def _expand_paths(value: str | Sequence[str]) -> list[Path]:
    """Return one path or several, with the user's home in place of ``~``."""
    paths = [value] if isinstance(value, str) else value
    return [Path(os.path.expanduser(path)) for path in paths]


def _check_pages(report: str, out: Path | None, digits: int | None) -> None:
    """Check the options of commands that print tables or write pages.

    Raises:
        ConfigError: pages without a folder, a folder without pages, or too many decimals.
    """
    if report == "html" and out is None:
        raise ConfigError("report=html requires out=FOLDER")
    if out is not None and report != "html":
        raise ConfigError(f"out={out} is the folder of a report: also set report=html")
    if digits is not None and not 0 <= digits <= MOST_DIGITS:
        raise ConfigError(f"digits={digits}: use a number from 0 to {MOST_DIGITS}")


def score(
    call: Call,
    src: str | list[str],
    tgt: str | list[str],
    no_worse_than: str | list[str] | None = None,
    per_pair: Path | None = None,
    report: Literal[OutputFormat, "value", "html"] = "table",
    out: Path | None = None,
    columns: Literal["main", "all"] = "main",
    digits: int | None = None,
    cite: bool = False,
) -> str:
    """Print the scores.

    Args:
        report: table | json | csv | markdown | latex | value (only the score, of each parser and
            metric in a line) | html (pages with the scores, the errors, and every sentence with
            its graphs, in the folder out). Tables show scores x 100; json, csv and value have them
            in 0..1.
        out: report=html: output folder; must be new, empty or an earlier report.
        columns: main | all: also p-values and more scores, such as means over pairs; json and,
            where parsers are compared, csv always have them.
        digits: decimals of scores in tables; null: 1.
        cite: print the papers to cite, in BibTeX, on standard error.

    Raises:
        GateFailed: scores that are too low; the error carries the text.
    """
    _check_pages(report, out, digits)
    if isinstance(tgt, list):
        raise ConfigError(
            f"tgt={','.join(tgt)}: there is one gold standard. If it consists of "
            "several files, give their folder, or a pattern such as tgt='gold/part*.amr'"
        )
    if isinstance(no_worse_than, list):
        raise ConfigError(f"no_worse_than={','.join(no_worse_than)}: give one parser")
    old = None if no_worse_than is None else os.path.expanduser(no_worse_than)
    gold = os.path.expanduser(tgt)
    scores = call(src=_expand_paths(src), tgt=gold, pages=out, no_worse_than=old)
    if report == "html":
        text = f"{out}/index.html"
        if left_out := [a.option for a in scores.analyses if not a.on_pages]:
            note(f"the pages do not show {', '.join(left_out)}: report=table does")
    else:
        if per_pair is not None:
            note(f"written: {per_pair}")
        if cite:
            note(scores.bibtex())
        text = _render_scores(scores, report, columns, digits, is_listed=per_pair is None)
    if scores.failed:
        raise GateFailed("\n".join(scores.failed), text)
    return text


def _render_scores(
    scores: Report,
    report: Literal[OutputFormat, "value"],
    columns: Literal["main", "all"],
    digits: int | None,
    is_listed: bool,
) -> str:
    """Return the scores as text; `is_listed`: with those of pairs, if they are few."""
    if report == "value":
        return "\n".join(
            f"{scores[metric][parser].score:.4f}"
            for metric in scores.metrics
            for parser in scores.systems
        )
    if report == "csv":
        from bamboo.parsers.exports import write_csv

        return write_csv(scores, has_pairs=is_listed)
    # The pairs of long files become JSON values only if these are printed.
    if report == "json":
        return render([], "json", scores.to_json())
    tables = scores.tables(columns, digits, LISTED if is_listed else None)
    if len(scores.metrics) == len(scores.parsers) == 1 and is_listed and len(scores) > LISTED:
        advice = f"per_pair=FILE writes the scores of all {len(scores):,} pairs to a CSV file"
        tables[0] = replace(tables[0], notes=(*tables[0].notes, advice))
    return render(tables, report)
