"""A site of the sample: three metrics, one of them without alignments, and scores in a file."""

import json
import os
import shutil
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from harness import SAMPLE, build_site, noisy

from amr_metrics import Smatch, format_graphs, read_graphs
from bamboo.app.main import main
from bamboo.app.words import quoted
from bamboo.benchmark.cells import Cell
from tests.configured import configured

TOY = '''
def concepts(a, b):
    """Share of the concepts that both graphs have."""
    return len(set(a.concepts) & set(b.concepts)) / len(set(a.concepts) | set(b.concepts))

concepts.reference = "Jaccard (1901), On flora"
'''
MARKUP = "<img src=x onerror=alert(1)> & co"
AXE = "4.10.3"
CELL = Cell(configured("run", ["data=sample"]).data[0], "main", "test")


@pytest.fixture(scope="session")
def browser():
    """One headless Chromium for all tests."""
    from browsing import chromium

    with chromium({"goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}) as browser:
        yield browser


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """The source of axe-core, from BAMBOO_AXE or the package index of npm."""
    if "BAMBOO_AXE" in os.environ:
        return Path(os.environ["BAMBOO_AXE"]).read_text("utf-8")
    if shutil.which("npm") is None:
        pytest.skip("needs axe-core: install npm, which fetches it, or set BAMBOO_AXE to its file")
    folder = tmp_path_factory.mktemp("axe")
    command = ["npm", "pack", f"axe-core@{AXE}", "--silent"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(
            f"needs axe-core, which npm cannot fetch (or set BAMBOO_AXE): {done.stderr[-99:]!r}"
        )
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        return archive.extractfile("package/axe.min.js").read().decode("utf-8")


@pytest.fixture
def visit(browser, sample_site):
    """Open a page as new, at a desk's width; afterwards the console must be empty."""
    from browsing import emulate, until

    emulate(browser, 1300)

    def go(page, site=sample_site):
        browser.get("about:blank")
        browser.get(f"{site.as_uri()}/{page}")
        until(browser, lambda: browser.execute_script("return document.readyState") == "complete")
        return browser

    browser.get_log("browser")
    browser.get_log("performance")
    yield go
    assert browser.get_log("browser") == []


@pytest.fixture(scope="session")
def sample_site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    mine = folder / "mine"
    (mine / "metric").mkdir(parents=True)
    (mine / "sitetoy.py").write_text(TOY)
    (mine / "metric" / "toy.yaml").write_text(
        "_target_: amr_metrics.external.FunctionMetric\nfunction: sitetoy.concepts\n"
    )
    (mine / "metric" / "no_root.yaml").write_text("_target_: amr_metrics.Smatch\nroot: none\n")
    score_file(mine, MARKUP, Smatch().score(CELL.load().pairs))
    options = [f"metric=[smatch,no_root,toy,{quoted(MARKUP)}]", f"--config-dir={mine}"]
    return build_site(folder / "runs", folder / "out", *options, "permutations=199")


@pytest.fixture(scope="session")
def markup():
    return MARKUP


def score_file(folder, name, scores):
    """Add a metric whose scores of the sample are in a file."""
    path = folder / "scores.csv"
    rows = [f"sample,main,test,{k},{score!r}\n" for k, score in enumerate(scores.tolist())]
    path.write_text("".join(["dataset,partition,split,pair,score\n", *rows]))
    config = {"_target_": "bamboo.ScoreFile", "file": str(path)}
    (folder / "metric" / f"{name}.yaml").write_text(json.dumps(config))


# Scores of the first three pairs, which are their ratings; the others cannot be scored.
GAPS = """
SCORES = {}

def gaps(a, b):
    return SCORES[a.sentence + b.sentence]

def nothing(a, b):
    raise ValueError("no score")
"""


@pytest.fixture(scope="session")
def sites(tmp_path_factory):
    """A site of metrics that score all pairs; and with two beside them that do not."""
    folder = tmp_path_factory.mktemp("missing")
    (folder / "metric").mkdir()
    loaded = CELL.load()
    score_file(folder, "whole", 1 - np.sqrt(1 - loaded.ratings))
    first = zip(loaded.pairs[:3], loaded.ratings.tolist(), strict=False)
    scores = {pair.src.sentence + pair.tgt.sentence: rating for pair, rating in first}
    (folder / "sitegaps.py").write_text(GAPS.format(scores))
    for name in ("gaps", "nothing"):
        target = {"_target_": "amr_metrics.external.FunctionMetric", "function": f"sitegaps.{name}"}
        (folder / "metric" / f"{name}.yaml").write_text(json.dumps(target))
    return tuple(
        build_site(
            *(folder / "runs", folder / "sites" / which, f"metric=[smatch,sema,whole{others}]"),
            *("resamples=100", "on_error=nan", f"--config-dir={folder}"),
        )
        for which, others in (("without", ""), ("with", ",gaps,nothing"))
    )


@pytest.fixture(scope="session")
def parser_files(tmp_path_factory):
    """Two parsers of different quality and the gold standard: 40 sentences with ids."""
    folder = tmp_path_factory.mktemp("parsers")
    sample = SAMPLE / "main" / "src.test.amr"
    gold = [
        replace(graph, metadata={"id": f"doc.{k}", "snt": graph.sentence})
        for k, graph in enumerate(read_graphs(sample)[:40])
    ]
    (folder / "gold.amr").write_text(format_graphs(gold), "utf-8")
    for name, share in (("good", 0.1), ("poor", 0.5)):
        noisy(folder / f"{name}.amr", share, 1)
        graphs = read_graphs(folder / f"{name}.amr")[:40]
        named = [replace(g, metadata=gold[k].metadata) for k, g in enumerate(graphs)]
        (folder / f"{name}.amr").write_text(format_graphs(named), "utf-8")
    return folder


@pytest.fixture(scope="session")
def sample_report(parser_files):
    """The report on both parsers."""
    files = [str(parser_files / f"{name}.amr") for name in ("good", "poor", "gold")]
    out = parser_files / "report"
    assert main(["score", *files, "report=html", f"out={out}", "resamples=200"]) == 0
    return out
