"""What the harness's tests share: outcomes of commands, a user's folder with plug-ins and data."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import bamboo
from amr_metrics import pair_up, read_graphs
from amr_metrics.base import Scores
from amr_metrics.building import OF_THE_HARNESS
from amr_metrics.configurations import KEYED
from amr_metrics.reading.writing import format_graphs
from bamboo.app.main import main
from bamboo.benchmark.columns import column_name
from bamboo.board import NAN, Board, Score
from bamboo.installation import resource
from bamboo.parsers.analyses.worst import Worst
from bamboo.parsers.score import score_sides
from bamboo.results.cell_facts import CELL, CellFacts, compute_means
from bamboo.results.results import Results
from bamboo.scoring.chunks import Reading
from bamboo.scoring.file_pairs import FilePairs
from bamboo.scoring.pipeline import Scorers, Task, score_task
from bamboo.scoring.scored import PairColumns, Scored

SAMPLE = resource("data") / "sample"

PLUGINS = '''
"""Metrics for the harness's tests."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.errors import PairError


@dataclass(frozen=True, kw_only=True)
class Size(Metric):
    """Number of src's nodes, times a factor."""

    factor: float = 1.0

    def evaluate(self, pairs):
        return Scores(np.array([self.factor * len(pair.src.variables) for pair in pairs]))


@dataclass(frozen=True, kw_only=True)
class Refusing(Size):
    """As Size, but for graphs of one node."""

    def evaluate(self, pairs):
        for k, pair in enumerate(pairs):
            if len(pair.src.variables) == 1:
                raise PairError("one node is too few", pair=k)
        return super().evaluate(pairs)


@dataclass(frozen=True, kw_only=True)
class Logged(Size):
    """As Size, with a line in a file a call; stopped by Ctrl-C where the fuse says."""

    log: str
    fuse: str

    def evaluate(self, pairs):
        calls = Path(self.log).read_text().count("\\n") if Path(self.log).exists() else 0
        if Path(self.fuse).exists() and calls == int(Path(self.fuse).read_text()):
            raise KeyboardInterrupt
        with open(self.log, "a") as log:
            print(len(pairs), file=log)
        return super().evaluate(pairs)


@dataclass(frozen=True, kw_only=True)
class Listed(Metric):
    """Forgets the array."""

    def evaluate(self, pairs):
        return Scores([1.0 for _ in pairs])


@dataclass(frozen=True, kw_only=True)
class Constant(Metric):
    """The same score for all."""

    value: float = 0.1

    def evaluate(self, pairs):
        return Scores(np.full(len(pairs), self.value))


def not_a_metric():
    return 3
'''


@dataclass(frozen=True)
class Outcome:
    """What a command gave."""

    status: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def result(self):
        """The JSON without what it says on the cache, which a second run changes."""
        document = json.loads(self.out)
        del document["cache"]
        for row in document["rows"]:
            for cell in row["cells"]:
                del cell["cached"]
        return document


Command = Callable[..., Outcome]


def amr(size, sentence=""):
    """A chain of nodes as Penman text."""
    text = f"(v{size - 1} / thing)"
    for k in reversed(range(size - 1)):
        text = f"(v{k} / thing :ARG0 {text})"
    return f"# ::snt {sentence}\n{text}\n" if sentence else f"{text}\n"


@dataclass(frozen=True)
class UserFolder:
    """A user's folder for ``--config-dir``, with the metrics of `PLUGINS` in it."""

    path: Path

    @property
    def option(self):
        return f"--config-dir={self.path}"

    def metric(self, name, target, **options):
        """Add ``metric=NAME``."""
        self.yaml(f"metric/{name}.yaml", {"_target_": f"harness_plugins.{target}", **options})

    def yaml(self, name, content):
        """Write a YAML file (JSON is YAML); of a metric, data set or table, below its own name."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        group, key = path.parent.name, path.stem
        if group in KEYED and "defaults" not in content:
            of_harness = OF_THE_HARNESS if group == "metric" else ()
            about = {k: v for k, v in content.items() if k in of_harness}
            content = {key: {k: v for k, v in content.items() if k not in about}}
            content = {group: content, "about": {key: about}} if about else content
        header = "# @package _global_\n" if "about" in content else ""
        path.write_text(header + json.dumps(content), "utf-8")
        return path

    def run(self, metric="smatch", data="tiny", **options):
        """Return the results of metrics; a call in Python takes a fifth of a command's time."""
        return bamboo.run(metric, data, config_dir=self.path, **options)

    def compare(self, metric=("smatch", "sema"), data="tiny", **options):
        """Return the comparison of metrics, with few permutations."""
        return bamboo.compare(metric, data, config_dir=self.path, permutations=99, **options)

    def data(self, name, sizes, ratings, partitions=("main",), sentences=(), **options):
        """Add ``data=NAME``: chains of the given sizes against single nodes; gives its root.

        `sentences` are those of both sides of each pair; none by default.
        """
        both = sentences or [("", "")] * len(sizes)
        root = self.path / "files" / name
        for partition in partitions:
            (root / partition).mkdir(parents=True)
            chains = zip(sizes, both, strict=True)
            src = "\n".join(amr(size, sentence) for size, (sentence, _) in chains)
            # Graphs of other variables, so that no two pairs share one.
            tgt = "\n".join(
                amr(1, sentence).replace("v0", f"t{k}") for k, (_, sentence) in enumerate(both)
            )
            (root / partition / "src.test.amr").write_text(src, "utf-8")
            (root / partition / "tgt.test.amr").write_text(tgt, "utf-8")
        (root / "test.y").write_text("".join(f"{rating}\n" for rating in ratings), "utf-8")
        parts = {
            partition: {
                "folder": partition,
                "ratings": "alternating" if partition == "arg" else "files",
                "pairs": {"test": len(sizes)},
            }
            for partition in partitions
        }
        config = {"title": name.title(), "root": str(root)}
        config |= {"scale": [0, 1], "registry": None}
        self.yaml(f"data/{name}.yaml", config | {"partitions": parts} | options)
        return root


def build_site(runs, out, *options, data="sample"):
    """Run `site` on Main of the sample, or of other data, with few draws."""
    usual = [f"data={data}", "partition=main", "engine=serial", "permutations=99"]
    words = dict(word.split("=", 1) for word in (*usual, *options, f"out={out}"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BAMBOO_RUNS_DIR", str(runs))
        assert main(["site", *(f"{key}={value}" for key, value in words.items())]) == 0
    return out


def read_files(folder):
    """The contents of the files in a folder and those below it, by path."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def the_run(home):
    """The folder of the only run."""
    (config,) = (home / "runs").glob("*/*/config.yaml")
    return config.parent


def written_scores(folder):
    """The rows of the table of scores in the folder of a run."""
    with (folder / "scores.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def sample_pairs(partition="main"):
    """The test pairs of a partition of the sample."""
    folder = SAMPLE / partition
    return pair_up(*(read_graphs(folder / f"{side}.test.amr") for side in ("src", "tgt")))


def noisy(path, share, seed):
    """Write the first side of the sample with a share of the concepts replaced."""
    rng = np.random.default_rng(seed)
    graphs = [
        replace(g, concepts=tuple("thing" if rng.random() < share else c for c in g.concepts))
        for g in read_graphs(SAMPLE / "main" / "src.test.amr")
    ]
    path.write_text(format_graphs(graphs), "utf-8")
    return path


def score_files(metric, src, tgt, lowest=0, **options):
    """Score graph k of `src` with graph k of `tgt`; see `score_sides`."""
    reading = Reading(**options)
    sides = build_sources(reading, src, tgt)
    return score_sides(*sides, Scorers({"": metric}), reading, analyses=[Worst(lowest)]).scores[""]


def build_sources(reading, src, tgt):
    """Return the graphs of two sides."""
    return reading.build_source(src, str(src)), reading.build_source(tgt, "tgt", is_gold=True)


def score_chunk(metric, pairs, on_error="stop"):
    """Return what a metric scores of pairs 10, 11, ..., some of them None; see `score_task`."""
    numbers = np.arange(10, 10 + len(pairs))
    task = Task(None, Scorers({"": metric}), FilePairs.of(pairs), numbers, "pairs")
    return score_task(on_error, 0, task)[1][""]


def score_pairs(metric, pairs, on_error):
    """Return the scores of pairs, some of them None, and the problems."""
    scored = score_chunk(metric, pairs, on_error)
    return scored.scores, scored.problems


def scored_cell(scores, ratings, numbers=None, problems=None, seconds=1.0):
    """Return the scores of a cell, from those of its pairs or an array of these."""
    scores = scores if isinstance(scores, Scores) else Scores(np.asarray(scores, float))
    numbers = np.arange(len(ratings)) if numbers is None else numbers
    columns = PairColumns(numbers=numbers, ratings=np.asarray(ratings, float))
    return Scored(scores, columns, problems or {}, seconds=seconds)


def results_of(records, protocol="paper", published=None):
    """Return results from a mapping for each metric and cell, with the means over cells.

    Args:
        records: ``metric``, ``value``, ``pairs``, ``statistic``, ``low``, ``high``, and what
            `CellFacts` has.
        published: the published means, by metric and name.
    """
    scores, facts = {}, {}
    for record in records:
        values = {"pairs": 10, "statistic": "pearson", "low": NAN, "high": NAN, **record}
        cell_facts = {name: values[name] for name in CellFacts._fields if name in values}
        name, part = record["metric"], column_name(record["dataset"], record["partition"])
        row = Score("", CELL, part, name, values["pairs"], 0, values["statistic"], values["value"])
        scores.setdefault(name, []).append(row._replace(low=values["low"], high=values["high"]))
        facts[name, part] = CellFacts(**cell_facts)
    for name, rows in scores.items():
        for mean in compute_means(rows):
            value = (published or {}).get((name, mean.part), NAN)
            facts[name, mean.part] = CellFacts(records[0]["split"], published=value)
            rows.append(mean)
    board = Board(tuple(row for rows in scores.values() for row in rows))
    return Results(protocol, board, facts, {name: f"{name}()" for name in scores})


TEX = r"""%s
\usepackage{booktabs}
\begin{document}
%s
\end{document}
"""


def typeset(folder, text, head=r"\documentclass{article}"):
    """Compile a document, by default in the default class, and return the log; or skip the test."""
    pdflatex = shutil.which("pdflatex")
    if pdflatex is None:
        pytest.skip("needs pdflatex and booktabs (Debian: texlive-latex-recommended)")
    (folder / "a.tex").write_text(TEX % (head, text), "utf-8")
    words = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout
    return done.stdout


def counts(matches, src, tgt):
    """Scores of pairs with so many matches and triples."""
    matches, src, tgt = (np.array(x, float) for x in (matches, src, tgt))
    details = {"matches": matches, "src_total": src, "tgt_total": tgt, "upper_bound": matches}
    details |= {"precision": matches / src, "recall": matches / tgt}
    details["optimal"] = np.ones(len(matches), bool)
    return Scores(2 * matches / (src + tgt), details)


def are_in_order(names, columns):
    """Check that columns have these names in this order, whatever else they have between them."""
    left = iter(columns)
    return all(name in left for name in names)
