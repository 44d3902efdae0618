"""A site of the sample: three metrics, one of them without alignments, and scores in a file."""

import numpy as np
import pytest
from harness import UserFolder, build_site

from amr_metrics import Smatch
from bamboo.benchmark.cells import Cell
from tests.configured import configured

TOY = '''
def concepts(a, b):
    """Share of the concepts that both graphs have."""
    return len(set(a.concepts) & set(b.concepts)) / len(set(a.concepts) | set(b.concepts))

concepts.reference = "Jaccard (1901), On flora"
'''
MARKUP = "<img src=x onerror=alert(1)> & co"
CELL = Cell(configured("run", ["data=sample"]).data[0], "main", "test")


@pytest.fixture
def visit(open_page, sample_site):
    """Open a page, by default of the sample's site."""
    return lambda page, site=sample_site: open_page(page, site)


@pytest.fixture(scope="session")
def sample_site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    mine = folder / "mine"
    mine.mkdir()
    (mine / "sitetoy.py").write_text(TOY)
    toy = {"_target_": "amr_metrics.external.FunctionMetric", "function": "sitetoy.concepts"}
    UserFolder(mine).yaml("metric/toy.yaml", toy)
    no_root = {"_target_": "amr_metrics.Smatch", "root": "none"}
    UserFolder(mine).yaml("metric/no_root.yaml", no_root)
    score_file(mine, MARKUP, Smatch().score(CELL.load().pairs))
    options = [f"metric=[smatch,no_root,toy,{MARKUP}]", f"--config-dir={mine}"]
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
    UserFolder(folder).yaml(f"metric/{name}.yaml", config)


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
    loaded = CELL.load()
    score_file(folder, "whole", 1 - np.sqrt(1 - loaded.ratings))
    first = zip(loaded.pairs[:3], loaded.ratings.tolist(), strict=False)
    scores = {pair.src.sentence + pair.tgt.sentence: rating for pair, rating in first}
    (folder / "sitegaps.py").write_text(GAPS.format(scores))
    for name in ("gaps", "nothing"):
        target = {"_target_": "amr_metrics.external.FunctionMetric", "function": f"sitegaps.{name}"}
        UserFolder(folder).yaml(f"metric/{name}.yaml", target)
    return tuple(
        build_site(
            *(folder / "runs", folder / "sites" / which, f"metric=[smatch,sema,whole{others}]"),
            *("resamples=100", "on_error=nan", f"--config-dir={folder}"),
        )
        for which, others in (("without", ""), ("with", ",gaps,nothing"))
    )
