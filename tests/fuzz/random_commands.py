"""Random commands with random options, and small files that they read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from amr_metrics import format_graphs, read_graphs
from amr_metrics.graphs.random_graphs import random_graph
from bamboo.installation import resource

METRICS = (
    *("smatch", "smatch_1.0", "smatchpp", "wsmatch", "s2match", "sema", "sembleu", "rematch"),
    *("wlk", "wwlk", "node_match", "concept_cosine", "label_overlap", "relation_match"),
)
WITH_SOLVER = ("smatch", "smatchpp", "wsmatch", "s2match")
ALIGNING = (*WITH_SOLVER, "smatch_1.0", "wwlk", "node_match")  # that `explain` can explain
REPORTS = ("table", "json", "csv", "markdown", "latex")
PARTITIONS = ("main", "reify", "syno", "arg")


@dataclass(frozen=True)
class Command:
    """A command that puts its files into the folder ``{folder}``."""

    arguments: tuple[str, ...]
    has_engine: bool = True

    def line(self, number, engine=()):
        """The arguments of command `number` of a process."""
        arguments = [argument.format(folder=number) for argument in self.arguments]
        return [*arguments, *(engine if self.has_engine else ())]


def write_inputs(rng, folder):
    """Graphs of a gold standard and of two parsers, and word vectors."""
    folder.mkdir()
    sample = read_graphs(Path(str(resource("data"))) / "sample" / "main" / "src.test.amr")
    gold = [
        replace(sample[int(rng.integers(0, len(sample)))], metadata={"id": f"é{k}", "snt": "ß"})
        if rng.integers(0, 3)
        else replace(random_graph(rng, 8), metadata={"id": f"é{k}"})
        for k in range(int(rng.integers(4, 13)))
    ]
    for name, share in (("gold", 0.0), ("a", 0.1), ("b", 0.3)):
        graphs = [_noisy(rng, graph, share) for graph in gold]
        (folder / f"{name}.amr").write_text(format_graphs(graphs), "utf-8")
    words = {concept.partition("-")[0].lower() for graph in sample for concept in graph.concepts}
    lines = [
        " ".join([word, *(f"{value:.3f}" for value in rng.normal(size=100))])
        for word in sorted(words)
        if word.isalpha()
    ]
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n", "utf-8")


def _noisy(rng, graph, share):
    """The graph with a share of its concepts replaced."""
    concepts = ["thing" if rng.random() < share else concept for concept in graph.concepts]
    return replace(graph, concepts=tuple(concepts))


def _some(rng, values, most, least=1):
    """Some different values, as the value of an option."""
    count = int(rng.integers(least, most + 1))
    return f"[{','.join(rng.permutation(values)[:count].tolist())}]"


def _options(rng, *values):
    """Each option with probability one half."""
    return [value for value in values if rng.integers(0, 2)]


def _metric(rng):
    """One metric, some with a solver."""
    name = str(rng.choice(METRICS))
    if name in WITH_SOLVER and rng.integers(0, 3) == 0:
        return [f"metric={name}", f"solver={'hillclimb'}"]
    return [f"metric={name}"]


def _report(rng):
    return f"report={rng.choice(REPORTS)}"


def _score(rng):
    src = str(rng.choice(["inputs/a.amr", "inputs/a.amr,inputs/b.amr"]))
    arguments = ["score", f"src={src}", "tgt=inputs/gold.amr", _report(rng), "resamples=40"]
    kind = int(rng.integers(0, 4))
    if kind == 0:
        arguments += ["metric=smatchpp", f"aspects={rng.choice(['all', 'ner,negation'])}"]
    elif kind == 1 or "," in src:
        pairs = "null" if "," in src else rng.choice(["all", "null"])
        arguments += [*_metric(rng), f"pairs={pairs}", "ids=ignore"]
    else:
        arguments += [f"metric={_some(rng, METRICS, 3)}", f"ids={rng.choice(['match', 'warn'])}"]
    arguments += _options(rng, "ci=true", f"seed={rng.integers(0, 9)}", "on_error=zero")
    if "," not in src:
        arguments += _options(rng, "per_pair={folder}/pairs.csv")
        arguments += [] if "metric=[" in " ".join(arguments) else _options(rng, "worst=3")
    return Command(tuple(arguments))


def _explain(rng):
    arguments = ["explain", "src=inputs/a.amr", "tgt=inputs/gold.amr", _report(rng)]
    arguments += [f"metric={rng.choice(ALIGNING)}", f"pair={rng.integers(0, 4)}"]
    return Command((*arguments, *_options(rng, "out={folder}/pair.svg")), has_engine=False)


def _cells(rng):
    """Data of `run` and `compare`, and how they are evaluated."""
    return [
        *("data=sample", f"partition={_some(rng, PARTITIONS, 2)}", _report(rng)),
        *(f"limit={2 * rng.integers(4, 8)}", f"split={rng.choice(['test', 'dev', 'train'])}"),
        *(f"protocol={rng.choice(['paper', 'v0.2', 'spearman', 'kendall'])}", "resamples=40"),
        *_options(rng, f"seed={rng.integers(0, 9)}", "out={folder}/out"),
    ]


def _run(rng):
    metrics = f"metric={_some(rng, METRICS, 3)}"
    return Command(("run", metrics, *_cells(rng), *_options(rng, "ci=true")))


def _compare(rng):
    return Command(
        ("compare", f"metric={_some(rng, METRICS, 3, 2)}", *_cells(rng), "permutations=60")
    )


def _build(rng):
    partition, seed = _some(rng, ("reify", "arg"), 2), f"seed={rng.integers(0, 9)}"
    arguments = ("build", "data=sample", f"partition={partition}", "split=test", seed)
    return Command((*arguments, _report(rng), "out={folder}/built"))


def _train(rng):
    schedule = ("trainer.schedule.interval=3", "trainer.schedule.evaluations=2")
    seed = f"seed={rng.integers(0, 9)}"
    arguments = ("train", "data=sample", "partition=arg", *schedule, seed, _report(rng))
    return Command((*arguments, "out={folder}/out"), has_engine=False)


def _site(rng):
    arguments = ("site", f"metric={_some(rng, METRICS, 2)}", "data=sample", "partition=arg")
    draws = ("resamples=20", "permutations=20", "tables=off")
    return Command((*arguments, *draws, "out={folder}/site"))


def _parser_report(rng):
    parsers = ("inputs/a.amr", "inputs/b.amr")[: rng.integers(1, 3)]
    metric = str(rng.choice(["smatch_1.0", "smatchpp", "sema"]))
    options = (f"metric={metric}", "ids=ignore", "on_error=zero", "resamples=20")
    return Command(
        ("score", *parsers, "inputs/gold.amr", *options, "report=html", "out={folder}/report")
    )


# The faster ones more often.
KINDS = (
    *(_score, _score, _score, _score, _explain, _explain, _run, _run, _run, _compare, _compare),
    *(_build, _train, _site, _parser_report),
)
