"""``python -m bamboo VERB key=value ...``: each verb reads its request and calls one room."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bamboo.config import Request, read_request, resolved
from bamboo.errors import BambooError, ConfigError, unknown
from bamboo.paths import resource
from metrics.base import Pair
from metrics.errors import MetricError
from metrics.version import VERSION

Verb = Callable[[Request], str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 1 for an error, 130 when interrupted."""
    from bamboo.run import Interrupted

    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        text = _dispatch(arguments)
        print(text)
        sys.stdout.flush()
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
    return 0


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
        return _help(verb)
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


def _help(verb: str | None = None) -> str:
    """The verbs, or what a verb's YAML says of its options."""
    if verb is not None:
        text = (resource("conf") / f"{verb}.yaml").read_text("utf-8")
        names = sorted(path.stem for path in (resource("conf") / "metric").glob("*.yaml"))
        return f"{text}\nmetrics: {', '.join(names)}"
    lines = ["python -m bamboo VERB key=value ... [--config-dir FOLDER]", ""]
    for name in VERBS:
        first = (resource("conf") / f"{name}.yaml").read_text("utf-8").split("\n", 1)[0]
        lines.append(f"  {name:8} {first.removeprefix('# ')}")
    return "\n".join([*lines, "", "python -m bamboo VERB --help shows a verb's options."])


def run_verb(request: Request) -> str:
    """Score metrics on the benchmark."""
    from bamboo.cache import Cache
    from bamboo.datasets import PARTITIONS, Dataset
    from bamboo.progress import progress_bar
    from bamboo.protocols import Protocol
    from bamboo.report import result_table, run_folder, write_run
    from bamboo.run import Place, Settings, run
    from bamboo.tables import FORMATS, render

    options = request.options
    if options.report not in FORMATS:
        raise ConfigError(f"report={options.report}: use one of {', '.join(FORMATS)}")
    chosen = [options.partition] if isinstance(options.partition, str) else options.partition
    partitions = PARTITIONS if list(chosen) == ["all"] else tuple(chosen)
    datasets = [Dataset.from_config(resolved(config)) for config in request.data]
    for dataset in datasets:
        for partition in partitions:
            dataset.partition(partition, options.split)
    places = [Place(d, p, options.split) for p in partitions for d in datasets]
    settings = Settings(
        cache=options.cache,
        on_error=options.on_error,
        jobs=options.engine.jobs,
        resamples=options.resamples if options.ci else 0,
        seed=options.seed,
    )
    protocol = Protocol.from_config(resolved(options.protocol))
    folder = run_folder(request)
    with progress_bar("reading") as progress:
        result, scored = run(
            request.jobs,
            places,
            protocol,
            Cache(Path(options.paths.runs) / "cache"),
            settings,
            progress,
        )
    write_run(folder, result, scored)
    return render([result_table(result)], options.report, result.to_json())


def score_verb(request: Request) -> str:
    """Score two files."""
    from bamboo.metric import build_metric
    from bamboo.score import score_files, score_table
    from bamboo.tables import render

    options, (job,) = request.options, request.jobs
    for side in ("src", "tgt"):
        if options.get(side) is None:
            raise ConfigError(f"score wants {side}=FILE (see score --help)")
    found = score_files(
        build_metric(job.name, job.metric), Path(options.src), Path(options.tgt), options.format
    )
    table = score_table(found, f"{job.name}: {options.src} against {options.tgt}")
    return render([table], options.report, found.to_json())


def explain_verb(request: Request) -> str:
    """Show the alignment behind one pair's score."""
    from bamboo.drawing import draw
    from bamboo.explain import explanation_json, explanation_tables
    from bamboo.metric import build_metric
    from bamboo.tables import render

    options, (job,) = request.options, request.jobs
    name, pair = _chosen_pair(request)
    dataset = None if options.src is not None else str(request.data[0].name)
    metric = build_metric(job.name, job.metric, dataset)
    found = metric.explain(pair)
    title = f"{job.name}, {name}"
    if options.out is not None:
        try:
            Path(options.out).write_text(draw(pair, found, title), "utf-8")
        except OSError as error:
            raise ConfigError(f"cannot write {options.out}: {error.strerror}") from None
    return render(
        explanation_tables(title, pair, found),
        options.report,
        explanation_json(metric.signature, pair, found),
    )


def _chosen_pair(request: Request) -> tuple[str, Pair]:
    """The pair that ``explain`` is asked for, and what to call it."""
    from bamboo.datasets import Dataset, load
    from metrics.base import pair_up
    from metrics.reading import read_graphs

    options = request.options
    if (options.src is None) != (options.tgt is None):
        raise ConfigError("explain wants both src=FILE and tgt=FILE, or a data set")
    if options.src is not None:
        pairs = pair_up(*[read_graphs(options[side], options.format) for side in ("src", "tgt")])
        first, where = 0, f"{options.src} against {options.tgt}"
    else:
        dataset = Dataset.from_config(resolved(request.data[0]))
        found = load(dataset, options.partition, options.split)
        pairs = [pair for pair in found.pairs if pair is not None]
        first, where = int(found.numbers[0]), f"{dataset.name} {options.partition} {options.split}"
    if not first <= options.pair < first + len(pairs):
        raise ConfigError(
            f"pair={options.pair}: {where} has pairs {first} to {first + len(pairs) - 1}"
        )
    return f"{where}, pair {options.pair}", pairs[options.pair - first]


def fetch_verb(request: Request) -> str:
    """Download and check the released data."""
    from bamboo.datasets import Dataset, fetch
    from bamboo.progress import progress_bar

    lines = []
    for config in request.data:
        dataset = Dataset.from_config(resolved(config))
        with progress_bar(f"fetching {dataset.name}") as progress:
            paths = fetch(dataset, report=progress)
        lines.append(f"{dataset.name}: {len(paths)} files in {dataset.root}, checksums right")
    return "\n".join(lines)


VERBS: dict[str, Verb] = {
    "run": run_verb,
    "score": score_verb,
    "explain": explain_verb,
    "fetch": fetch_verb,
}
