"""Damaged and mutated files of every format that is read: each is used, or refused in one line.

The functions that read a file are called directly; the outcome is the value or an error of
`BambooError` or `MetricError` that names the file. Formats with a checksum must give the same
value or an error.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import logging
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from amr_metrics import Pair, parse_graph, read_graphs
from amr_metrics.aspects.frames import FrameRoles
from amr_metrics.camr import read_camr
from amr_metrics.camr.reading import read_lengths
from amr_metrics.errors import MetricError
from amr_metrics.external import CommandMetric
from amr_metrics.graphs.reification import Reifications
from amr_metrics.vectors.files import read_keyed_vectors
from bamboo.app.main import main
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.ratings import read_ratings
from bamboo.config.groups import all_names
from bamboo.config.published import published_file, read_published
from bamboo.config.weights import Evaluation, Weights, read_weights
from bamboo.errors import BambooError, message
from bamboo.log import HIDDEN, visible
from bamboo.results.results import load_result
from bamboo.scoring.score_file import ScoreFile
from bamboo.site.folder import SiteFolder
from bamboo.transforms.manifest import Manifest
from bamboo.transforms.synonym import Synonyms
from tests.configured import configured
from tests.fuzz.campaign import damaged, described, flipped, home

ORDER = 20
GRAPHS = """# ::id 1 ::snt The cat slept.
(s / sleep-01 :ARG0 (c / cat :quant 1 :name (n / name :op1 "Tom")) :time (y / yesterday))

# ::id 2
(b / bark-01 :ARG0 (d / dog) :polarity -)
"""


@dataclass(frozen=True)
class Format:
    """A kind of file.

    Attributes:
        path: where a whole one is.
        read: reads it; raises an error that names the file.
        whole: its content.
        checked: whether any change of the content must be noticed.
    """

    path: Path
    read: Callable[[Path], Any]
    whole: bytes = b""
    checked: bool = False


def campaign(rng, budget):
    """Damage one file at a time, and read it."""
    tried, failures = 0, []
    logging.disable(logging.CRITICAL)  # gensim reports duplicate words in its log
    try:
        with home() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            formats = _formats(folder)
            expected = {name: format.read(format.path) for name, format in formats.items()}
            for case in budget.cases():
                name = list(formats)[case % len(formats)]
                format = formats[name]
                change = (damaged, flipped)[int(rng.integers(0, 3) == 0)]
                content, what = change(rng, format.whole)
                tried += 1
                if problem := _problem(format, content, expected[name]):
                    failures.append(f"case {case}: {name}, {what}: {problem}")
                format.path.write_bytes(format.whole)
    finally:
        logging.disable(logging.NOTSET)
    return tried, failures


def _problem(format, content, expected):
    format.path.write_bytes(content)
    err = io.StringIO()
    try:
        with contextlib.redirect_stderr(err), contextlib.redirect_stdout(err):
            value = format.read(format.path)
    except (BambooError, MetricError) as error:
        text = visible(message(error))
        if str(format.path) not in text and format.path.name not in text:
            return f"the message does not name the file: {text[:200]!r}"
        if len(text) > 20_000 or HIDDEN.search(text):
            return f"a message of {len(text)} characters"
        return None
    except Exception as error:
        return described(error)
    if format.checked and content != format.whole and value != expected:
        return f"another value: {str(value)[:100]}"
    return None


def _formats(folder):
    """One file of each kind in `folder`."""
    formats = {}

    def add(name, path, content, read, **more):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if content is not None:
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        formats[name] = Format(place, read, place.read_bytes(), **more)

    history = (Evaluation(0, float("nan"), 0.5, 0.5, 0), Evaluation(9, 0.4, 0.6, 0.6, 1))
    numbers = {":ARG0": 1.0, ":mod": 0.25}
    weights = Weights("Metric()|v1", {"dataset": "sts"}, numbers, numbers, numbers, history)
    for name, checked in (("weights", False), ("cached weights", True)):
        weights.write(folder / f"{name}.json", checksum=checked)
        read = _weights_reader(checked)
        add(name, f"{name}.json", None, read, checked=checked)
    manifest = Manifest(
        *("reify", "sts", 0, {"a": 1}, {"test": {"pairs": 2}}, {"s": "0"}, {"f": "1"}),
        *({"numpy": "2"}, "digest"),
    )
    add(
        *("manifest", "built/manifest.json", manifest.to_json()),
        *(lambda path: Manifest.read(path.parent).to_json(),),
        checked=True,
    )
    add("ratings", "test.y", "0.5\n1\n0\n0.25\n", lambda p: read_ratings(p, 4, (0, 1)).tolist())
    cell = Cell(configured("run", ["data=sample"]).data[0], "main", "test")
    scores = "dataset,partition,split,pair,score\nsample,main,test,0,0.5\nsample,main,test,1,1\n"
    add(
        *("scores of a metric", "theirs.csv", scores),
        lambda path: ScoreFile(file=str(path)).of_cell(cell, np.arange(2)).tolist(),
    )
    add("graphs", "parser.amr", GRAPHS, lambda path: len(read_graphs(path)))
    published = published_file("table4.csv").read_bytes()
    add("published values", "table4.csv", published, read_published.__wrapped__)
    synonyms = "clusters:\n- [big-01, large-02]\nalways: {cat: [puss]}\nnever: [[be-01]]\n"
    add("synonyms", "synonyms.yaml", synonyms, Synonyms.read)
    rules = "role\tconcept\tsource_role\ttarget_role\n:mod\thave-mod-91\t:ARG1\t:ARG2\n"
    add("reification rules", "rules.tsv", rules, Reifications.read)
    frames = "control-01  ARG0: controller  ARG1: thing controlled\n"
    add("frames", "frames.txt", frames, lambda path: FrameRoles.read(path, ()))
    add("lengths", "lengths.tsv", "export_1\t4\nexport_2\t12\n", read_lengths)
    camr = "# ::id export_1 ::snt a b\n# ::wid x1_a x2_b\n(x1 / a :arg0() (x2 / b))\n"
    with contextlib.suppress(MetricError):
        (folder / "probe.txt").write_text(camr)
        read_camr(folder / "probe.txt")
        add("Chinese AMR", "gold.camr", camr, lambda path: len(read_camr(path)))
    words = {"cat": (1.0, 0.5, 0.25), "dog": (0.5, -2.0, 0.0), "é": (0.0, 1.0, 3.5)}
    lines = [" ".join([word, *map(str, vector)]) for word, vector in words.items()]
    text = ("\n".join(["3 3", *lines]) + "\n").encode()
    binary = b"3 3\n" + b"".join(
        word.encode() + b" " + np.array(vector, "<f4").tobytes() for word, vector in words.items()
    )
    for name, path, content in (
        ("word2vec text", "vectors.txt", text),
        ("word2vec binary", "vectors.bin", binary),
        ("GloVe text", "glove.txt", text.partition(b"\n")[2]),
        ("compressed vectors", "vectors.gz", gzip.compress(text, mtime=0)),
    ):
        add(name, path, content, lambda path: read_keyed_vectors(path).vectors.shape)
    add("output of a program", "printed.txt", "0.5\n1\n", _program_reader())
    _add_user_folder(folder, add)
    _add_run(folder, add)
    site = json.dumps({"files": ["index.html"]})
    add("manifest of a site", "site/.bamboo-site.json", site, _site_reader())
    return formats


def _weights_reader(checked):
    return lambda path: repr(read_weights(path, checksum=checked))


def _program_reader():
    graph = parse_graph("(c / cat)")

    def read(path):
        metric = CommandMetric(command=f"cat {path} {{src}} {{tgt}}")
        metric = replace(metric, command=f"sh -c 'cat {path}' {{src}} {{tgt}}")
        try:
            return metric.evaluate([Pair(graph, graph)] * 2).values.tolist()
        except MetricError as error:  # its messages name the program instead of this file
            raise MetricError(f"{path.name}: {error}") from None

    return read


def _site_reader():
    def read(path):
        before = path.read_bytes()
        try:
            SiteFolder(path.parent)
        except BambooError as error:  # it names the folder
            raise BambooError(f"{path.name}: {error}") from None
        finally:
            path.write_bytes(before)

    return read


def _add_user_folder(folder, add):
    """YAML of a user's ``--config-dir``."""
    conf = folder / "conf"
    option = str(conf)
    solver = "{_target_: amr_metrics.alignment.exact.Exact}"
    metric = f"_target_: amr_metrics.Smatch\nroot: none\nsolver: {solver}\n"

    def read_metric(path):
        job = configured("run", ["metric=mine", "data=sample"], option).rows[0]
        try:
            return job.metric
        except BambooError as error:  # it names the metric
            raise BambooError(f"{path.name}: {error}") from None

    def read_named(path):
        try:
            return read_metric(path)
        except BambooError as error:
            raise BambooError(f"{path.name}: {error}") from None

    add("YAML of a metric", "conf/metric/mine.yaml", metric, read_named)
    add("all.yaml", "conf/all.yaml", "metric: [mine]\n", lambda p: all_names("metric", option))


def _add_run(folder, add):
    """The result of a run, which ``bamboo.load_result`` reads."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main(["run", "data=sample", "out=run"]) == 0
    run = folder / "run"

    def read_result(path):
        try:
            return load_result(run).to_json()
        except BambooError as error:
            raise BambooError(f"{path}: {error}") from None

    add("result.json of a run", "run/result.json", None, read_result)
