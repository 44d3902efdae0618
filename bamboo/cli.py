"""``python -m bamboo VERB key=value ...``: each verb reads its request and calls one room."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from bamboo.cache import Cache
from bamboo.config import Request, group_names, read_request
from bamboo.datasets import PARTITIONS, Dataset, fetch
from bamboo.errors import BambooError, ConfigError, unknown
from bamboo.metric import build_metric
from bamboo.options import read_options
from bamboo.pairs import OnError
from bamboo.paths import resource
from bamboo.progress import progress_bar
from bamboo.protocols import Protocol
from bamboo.report import result_table, run_folder, write_run
from bamboo.run import Interrupted, Place, Settings, run
from bamboo.score import score_files, score_table
from bamboo.tables import Format, render
from metrics.errors import MetricError
from metrics.version import VERSION

T = TypeVar("T")
Verb = Callable[[Request], str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 1 for an error, 130 when interrupted."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        _say(_dispatch(arguments))
    except Interrupted as error:
        print(error, file=sys.stderr)
        return 130
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except (BambooError, MetricError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of our output has gone, as in `... | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _say(text: str) -> None:
    """Print, in UTF-8 where the terminal's or pipe's own encoding lacks a character."""
    try:
        print(text)
    except UnicodeEncodeError:
        sys.stdout.buffer.write(f"{text}\n".encode())
    sys.stdout.flush()


def _dispatch(arguments: list[str]) -> str:
    config_dir = _take(arguments, "--config-dir")
    if config_dir is not None:
        # Code that a user's YAML names may lie beside it.
        sys.path.insert(0, str(Path(config_dir).resolve()))
    if "--version" in arguments:
        return VERSION
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        return _help()
    verb, *rest = arguments
    if verb not in VERBS:
        raise ConfigError(unknown("command", verb, VERBS))
    if "-h" in rest or "--help" in rest:
        return _help(verb, config_dir)
    return VERBS[verb](read_request(verb, rest, config_dir))


def _take(arguments: list[str], name: str) -> str | None:
    """Take ``name VALUE`` or ``name=VALUE`` out of the arguments."""
    for k, argument in enumerate(arguments):
        if argument == name:
            if k + 1 == len(arguments):
                raise ConfigError(f"{name} takes a folder")
            del arguments[k]
            return arguments.pop(k)
        if argument.startswith(f"{name}="):
            return arguments.pop(k).partition("=")[2]
    return None


def _help(verb: str | None = None, config_dir: str | None = None) -> str:
    """The verbs, or what a verb's YAML says of its options."""
    if verb is not None:
        text = (resource("conf") / f"{verb}.yaml").read_text("utf-8")
        return f"{text}\nmetrics: {', '.join(group_names('metric', config_dir))}"
    lines = ["python -m bamboo VERB key=value ... [--config-dir FOLDER]", ""]
    for name in VERBS:
        first = (resource("conf") / f"{name}.yaml").read_text("utf-8").split("\n", 1)[0]
        lines.append(f"  {name:8} {first.removeprefix('# ')}")
    return "\n".join([*lines, "", "python -m bamboo VERB --help shows a verb's options."])


@dataclass(frozen=True, kw_only=True)
class Paths:
    """Where commands read and write."""

    data: Path
    runs: Path


@dataclass(frozen=True, kw_only=True)
class RunOptions(Settings):
    """What ``conf/run.yaml`` asks for, beside metrics and data sets."""

    paths: Paths
    protocol: Protocol
    partition: str | tuple[str, ...]
    split: str
    report: Format
    out: Path | None

    def places(self, datasets: Sequence[Dataset]) -> list[Place]:
        """The cells to score, once it is sure that they exist."""
        names = (self.partition,) if isinstance(self.partition, str) else self.partition
        names = PARTITIONS if names == ("all",) else tuple(dict.fromkeys(names))
        places = [Place(dataset, name, self.split) for name in names for dataset in datasets]
        for place in places:
            place.dataset.partition(place.partition, place.split)
        return places


@dataclass(frozen=True, kw_only=True)
class ScoreOptions:
    """What ``conf/score.yaml`` asks for, beside the metric."""

    src: Path
    tgt: Path
    format: Literal["penman", "tsv"]
    on_error: OnError
    report: Format


def run_verb(request: Request) -> str:
    """Score metrics on the benchmark."""
    options = own_options(RunOptions, request, "metric", "data", "solver")
    places = options.places([Dataset.from_config(config) for config in request.data])
    folder = run_folder(request, options.out, options.paths.runs)
    with progress_bar("reading") as progress:
        result, scored = run(
            request.jobs,
            places,
            options.protocol,
            Cache(options.paths.runs / "cache"),
            options,
            progress,
        )
    write_run(folder, result, scored)
    return render([result_table(result)], options.report, result.to_json())


def score_verb(request: Request) -> str:
    """Score two files."""
    options = own_options(ScoreOptions, request, "metric", "solver", "paths")
    if len(request.jobs) != 1:
        raise ConfigError("score takes one metric, with one value an option")
    (job,) = request.jobs
    metric = build_metric(job.name, job.metric)
    found = score_files(metric, options.src, options.tgt, options.format, options.on_error)
    table = score_table(found, f"{job.name}: {options.src} against {options.tgt}")
    return render([table], options.report, found.to_json())


def fetch_verb(request: Request) -> str:
    """Download and check the released data."""
    lines = []
    for config in request.data:
        dataset = Dataset.from_config(config)
        with progress_bar(f"fetching {dataset.name}") as progress:
            paths = fetch(dataset, report=progress)
        lines.append(
            f"{dataset.name}: {len(paths)} files in {dataset.root}, checksums right"
            if dataset.registry
            else f"{dataset.name}: no release to fetch, its files are in {dataset.root}"
        )
    return "\n".join(lines)


def own_options(cls: type[T], request: Request, *groups: str) -> T:
    """A command's options but for those groups."""
    own = {name: value for name, value in request.options.items() if name not in groups}
    return read_options(cls, own)


VERBS: dict[str, Verb] = {"run": run_verb, "score": score_verb, "fetch": fetch_verb}
