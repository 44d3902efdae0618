"""Rows with learned weights from files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from amr_metrics.parameters import Parametric
from amr_metrics.utils.digests import file_digest
from bamboo.config.rows import Row
from bamboo.config.weights import WeightsError, read_weights, unreadable
from bamboo.errors import ConfigError

START = Path("start")  # in place of a file: the values before training, from the file after it


def set_weights(rows: Sequence[Row], files: Path | Sequence[Path]) -> tuple[Row, ...]:
    """Return rows with learned values of their parameters, one for each file that fits the metric.

    Metrics without parameters, and those that no file fits, keep their rows. `START` stands for the
    values before the training of the file after it.

    Raises:
        ConfigError: the same weights twice, or no metric has parameters.
        WeightsError: not a weights file, or one that fits no metric.

    >>> from amr_metrics import Smatch
    >>> set_weights([Row("smatch", Smatch())], Path("weights.json"))
    Traceback (most recent call last):
    bamboo.errors.ConfigError: weights=weights.json: metric smatch has no parameters
    """
    files = [files] if isinstance(files, Path) else [*files]
    trainable = [row for row in rows if isinstance(row.metric, Parametric)]
    if not trainable:
        names = ", ".join(row.name for row in rows)
        has_none = "has no parameters" if len(rows) == 1 else "have no parameters"
        raise ConfigError(f"weights={files[0]}: metric {names} {has_none}")
    titles = _tell_apart([file for file in files if file != START])
    fitted: dict[str, list[Row]] = {}
    for position, file in enumerate(files):
        is_start = file == START
        source = files[position + 1] if is_start and position + 1 < len(files) else file
        if source == START:
            raise ConfigError("weights=start: a file of weights must follow, as in [start,FILE]")
        title = f"start of {titles[source]}" if is_start and len(titles) > 1 else str(START)
        problems = []
        for row in trainable:
            try:
                weighted = with_weights(row, source)
            except WeightsError as error:
                problems.append(error)
                continue
            if is_start:
                weighted = replace(row, learned=read_weights(source).start, trainer=None)
            name = f"{row.name} weights={title if is_start else titles[source]}"
            fitted.setdefault(row.name, []).append(replace(weighted, name=name))
        if len(problems) == len(trainable):
            raise problems[0]
    return tuple(weighted for row in rows for weighted in fitted.get(row.name, [row]))


def with_weights(row: Row, path: Path) -> Row:
    """Return a metric with the weights of a file.

    Raises:
        WeightsError: not a weights file, or weights of another metric or of other options.
    """
    trained = replace(row, learned=path)
    try:
        trained.on()
    except ConfigError as error:
        raise WeightsError(f"{path} does not fit the metric: {error}") from None
    return trained


def _tell_apart(files: Sequence[Path]) -> dict[Path, str]:
    """Return a title for each file: its name, with its folder or digest if several have the same.

    Raises:
        ConfigError: a file that is given twice, also as a copy.
        WeightsError: a file that cannot be read.
    """
    digests: dict[str, Path] = {}
    for file in files:
        try:
            digest = file_digest(file)
        except OSError as error:
            raise unreadable(file, error) from None
        if digest in digests:
            raise ConfigError(f"weights: {digests[digest]} and {file} are the same weights")
        digests[digest] = file
    names = [file.name for file in files]
    folders = [f"{file.absolute().parent.name}/{file.name}" for file in files]
    titles = {}
    for file, folder, digest in zip(files, folders, digests, strict=True):
        title = file.name if names.count(file.name) == 1 else folder
        titles[file] = f"{title} {digest[:8]}" if folders.count(title) > 1 else title
    return titles
