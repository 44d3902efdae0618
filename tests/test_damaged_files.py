"""Damaged files of every format that is read: each is used, or refused in one line.

``make fuzz`` tries many more of them.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import logging
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amr_metrics import Pair, parse_graph, read_graphs
from amr_metrics.aspects.frames import FrameRoles
from amr_metrics.camr import read_camr
from amr_metrics.camr.reading import read_lengths
from amr_metrics.errors import MetricError
from amr_metrics.external import CommandMetric
from amr_metrics.graphs.reification import Reifications
from amr_metrics.vectors.vector_files import read_keyed_vectors
from bamboo.app.main import main
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.pair_tables import read_ratings, rescale_ratings
from bamboo.config.requests import resolve_rows
from bamboo.config.weights import Evaluation, Weights, read_weights
from bamboo.errors import BambooError, message
from bamboo.log import HIDDEN, visible
from bamboo.results.results import load_result
from bamboo.results.score_file import ScoreFile
from tests.configured import configured

# Pieces that replace parts of a file: numbers at the limits of their types, other digits,
# characters that are not text, nesting, and aliases.
PIECES = (
    *(b"", b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\x1b[31m", b"\r", b"\n\n", b"\t"),
    *(b"NaN", b"inf", b"-1", b"1e999", b"1_0", b"0_1", b"99999999999 100", b"true", b"null"),
    *("٣".encode(), b'"\\ud800"', b"{}", b"[]", b"[[1]]", b'"', b"'", b"&a [*a]", b"{x: *a}"),
    *(b"9" * 400, b"1" + b"0" * 5000, b"[" * 3000, b"(" * 3000, b"4611686018427387904"),
)
GRAPHS = """# ::id one ::snt The cat slept.
(s / sleep-01 :ARG0 (c / cat :quant 1 :name (n / name :op1 "Tom")) :time (y / yesterday))

# ::id two ::snt The dog did not bark.
(b / bark-01 :ARG0 (d / dog) :polarity -)
"""
CAMR = "# ::id export_1 ::snt a b\n# ::wid x1_a x2_b\n(x1 / a :arg0() (x2 / b))\n"
WORDS = {"cat": (1.0, 0.5, 0.25), "dog": (0.5, -2.0, 0.0), "é": (0.0, 1.0, 3.5)}
TEXT = "3 3\n" + "".join(f"{word} {' '.join(map(str, v))}\n" for word, v in WORDS.items())
BINARY = b"3 3\n" + b"".join(
    word.encode() + b" " + np.array(vector, "<f4").tobytes() for word, vector in WORDS.items()
)
SCORES = "dataset,partition,split,pair,score\nsample,main,test,0,0.5\nsample,main,test,1,1\n"
RULES = "role\tconcept\tsource_role\ttarget_role\n:mod\thave-mod-91\t:ARG1\t:ARG2\n"
METRIC = (
    "mine:\n  _target_: amr_metrics.Smatch\n  root: none\n  solver: {_target_: amr_metrics.Exact}\n"
)


def damaged(rng, content):
    """A damaged copy of a file."""
    size = len(content)
    at = int(rng.integers(0, size + 1))
    end = min(size, at + int(rng.integers(0, 40)))
    kind = int(rng.integers(0, 8))
    if kind < 3 and size:  # a bit, more often in the head of the file
        at = min(at, size - 1) if kind else int(rng.integers(0, min(size, 200)))
        return content[:at] + bytes([content[at] ^ 1 << int(rng.integers(8))]) + content[at + 1 :]
    if kind == 3:
        return content[:at]
    if kind == 4:
        return content[:at] + content[end:]
    if kind == 5:
        return content[:end] + content[at:]
    if kind == 6:
        return content[:at] + rng.integers(0, 256, end - at, np.uint8).tobytes() + content[end:]
    return content[:at] + PIECES[int(rng.integers(len(PIECES)))] + content[end:]


CELL = Cell(configured("run", ["data=sample"]).data[0], "main", "test")


def scores_of(path):
    return ScoreFile(file=str(path)).read_scores(CELL, np.arange(2))


def printed(path):
    """The scores that a program prints."""
    metric = CommandMetric(command=f"cat {path} {{src}} {{tgt}}")
    metric = replace(metric, command=f"sh -c 'cat {path}' {{src}} {{tgt}}")
    return metric.evaluate([Pair(parse_graph("(c / cat)"), parse_graph("(c / cat)"))] * 2)


def weights():
    history = (Evaluation(0, float("nan"), 0.5, 0.5, 0), Evaluation(9, 0.4, 0.6, 0.6, 1))
    numbers = {":ARG0": 1.0, ":mod": 0.25}
    return Weights("Metric()|v1", {"dataset": "sts"}, numbers, numbers, numbers, history)


def metric_of(path):
    return resolve_rows("mine", config_dir=path.parents[1])[0].metric


# The path, the content, and what reads it. The messages of the last ones name no file, but the
# program, the metric or the folder.
FORMATS = {
    "ratings": (
        "test.y",
        "0.5\n1\n0\n0.25\n",
        lambda path: rescale_ratings(read_ratings([path], 4), (0, 1)),
    ),
    "scores of a metric": ("theirs.csv", SCORES, scores_of),
    "graphs": ("parser.amr", GRAPHS, read_graphs),
    "reification rules": ("rules.tsv", RULES, Reifications.read),
    "frames": ("frames.txt", "control-01  ARG0: controller\n", lambda p: FrameRoles.read(p, ())),
    "lengths": ("lengths.tsv", "export_1\t4\nexport_2\t12\n", read_lengths),
    "Chinese AMR": ("gold.camr", CAMR, read_camr),
    "word2vec text": ("vectors.txt", TEXT, read_keyed_vectors),
    "word2vec binary": ("vectors.bin", BINARY, read_keyed_vectors),
    "GloVe text": ("glove.txt", TEXT.partition("\n")[2], read_keyed_vectors),
    "compressed vectors": ("v.gz", gzip.compress(TEXT.encode(), mtime=0), read_keyed_vectors),
    "weights": ("weights.json", None, read_weights),
    "output of a program": ("printed.txt", "0.5\n1\n", printed),
    "YAML of a metric": ("metric/mine.yaml", METRIC, metric_of),
    "result of a run": ("run/result.json", None, lambda path: load_result(path.parent)),
}
NAMES = [*FORMATS][:-3]  # formats whose messages name the file


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a whole file of each format."""
    folder = tmp_path_factory.mktemp("files")
    weights().write(folder / "weights.json")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main(["run", "data=sample", f"out={folder / 'run'}", "cache=off"]) == 0
    for path, content, _ in FORMATS.values():
        (folder / path).parent.mkdir(exist_ok=True)
        if content is not None:
            data = content if isinstance(content, bytes) else content.encode()
            (folder / path).write_bytes(data)
    return folder


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FORMATS)
@given(seed=st.integers(0, 2**32))
def test_a_damaged_file_is_read_or_refused(name, folder, seed):
    logging.disable(logging.CRITICAL)  # gensim reports duplicate words in its log
    path, read = folder / FORMATS[name][0], FORMATS[name][2]
    whole = path.read_bytes()
    path.write_bytes(damaged(np.random.default_rng(seed), whole))
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            read(path)
    except (BambooError, MetricError) as error:
        text = visible(message(error))
        assert path.name in text or name not in NAMES
        assert len(text) < 20_000
        assert not HIDDEN.search(text)
    finally:
        path.write_bytes(whole)
        logging.disable(logging.NOTSET)


OPTIONS = (
    *("worst=2", "ids=ignore", "ci=true", "resamples=5", "aspects=all", "on_error=zero"),
    *("on_error=nan", "worst=99999999999999999999", "resamples=99999999999", "seed=-1"),
    *("metric.standardize=amr", "resamples=1e400", "seed=1_0", "metric.x=[[[[", "src=[a,b]"),
    *(f"report={form}" for form in ("json", "csv", "markdown", "latex")),
    *(f"metric={name}" for name in ("smatchpp", "sema", "sembleu", "wlk", "rematch")),
)
HOSTILE_IDS = ("\x1b[2J", "\x9b31m", "a\u202eb", "\x07", "\u2028", "x" * 5_000, "=1+1")


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=settings().max_examples // 2)
@given(
    seed=st.integers(0, 2**32),
    hostile=st.sampled_from([None, *HOSTILE_IDS]),
    options=st.lists(st.sampled_from(OPTIONS), max_size=3, unique_by=lambda o: o.partition("=")[0]),
)
def test_commands_end_with_a_result_or_one_error(tmp_path_factory, seed, hostile, options):
    folder = tmp_path_factory.mktemp("command")
    content = damaged(np.random.default_rng(seed), GRAPHS.encode())
    if hostile is not None:
        content = content.replace(b"one", hostile.encode())
    (folder / "parser.amr").write_bytes(content)
    (folder / "gold.amr").write_text(GRAPHS)
    files = [str(folder / "parser.amr"), str(folder / "gold.amr")]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["score", *files, *options])
    assert "Traceback" not in err.getvalue()
    assert not HIDDEN.search(err.getvalue())
    if status == 0:
        assert not HIDDEN.search(out.getvalue())
    else:
        assert (status, out.getvalue()) == (1, "")
        assert "error: " in err.getvalue()
