"""A site of the sample: three metrics of ours, one of them without alignments, and a submission."""

import numpy as np
import pytest
from harness import build_site
from zipped import change_document

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.commands.base import configured
from bamboo.commands.data import known_protocols
from bamboo.commands.main import main
from bamboo.scoring.cache import CellScores
from bamboo.statistics.resampling import Resampling
from bamboo.submission.archive import Submission, submission_json, write_submission
from metrics.base import Scores
from tests.fuzz.browser import chromium
from tests.fuzz.campaign import Skipped

TOY = '''
def concepts(a, b):
    """Share of the concepts that both graphs have."""
    return len(set(a.concepts) & set(b.concepts)) / len(set(a.concepts) | set(b.concepts))

concepts.reference = "Jaccard (1901), On flora"
'''
MARKUP = "<img src=x onerror=alert(1)> & co"
CELL = Cell(Dataset.from_config(configured("run", ["data=sample"]).data[0]), "main", "test")


@pytest.fixture(scope="session")
def browser():
    """One headless Chromium for all tests."""
    try:
        with chromium({"goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}) as browser:
            yield browser
    except Skipped as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def sample_site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    mine = folder / "mine"
    (mine / "metric").mkdir(parents=True)
    (mine / "sitetoy.py").write_text(TOY)
    (mine / "metric" / "toy.yaml").write_text(
        "_target_: metrics.external.FunctionMetric\nfunction: sitetoy.concepts\n"
    )
    (mine / "metric" / "no_root.yaml").write_text(
        "_target_: metrics.Smatch\nsolver: ${solver}\nroot: none\n"
    )
    theirs = folder / "submissions" / "theirs.zip"
    submit = ["submit", "metric=smatch", "data=sample", "partition=main", f"out={theirs}"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BAMBOO_RUNS_DIR", str(folder / "runs"))
        assert main(submit) == 0
    change_document(theirs, {"name": MARKUP})
    options = ["metric=[smatch,no_root,toy]", f"--config-dir={mine}"]
    options += [f"submissions={theirs.parent}", "permutations=199"]
    return build_site(folder / "runs", folder / "out", *options)


@pytest.fixture(scope="session")
def submitted_name():
    return MARKUP


def submitted(path, name, scores):
    """Write a submission of the given scores, fast and from a remarkable machine."""
    pairs = CELL.load()
    cell = CellScores(Scores(scores), pairs.ratings, pairs.numbers, {}, 0.001)
    submission = Submission(name, f"{name}()", {CELL: cell}, {"system": "the fastest"})
    digests = {CELL: CELL.digest()}
    document = submission_json(submission, digests, known_protocols(), Resampling())
    write_submission(path, submission, document)


@pytest.fixture(scope="session")
def sample_ratings():
    return CELL.load().ratings


@pytest.fixture(scope="session")
def sites(tmp_path_factory, sample_ratings):
    """The sample's site with a complete submission; and with incomplete ones beside it."""
    folder = tmp_path_factory.mktemp("missing")
    gaps = np.where(np.arange(64) < 3, sample_ratings, np.nan)
    for which in ("without", "with"):
        submitted(folder / which / "whole.zip", "whole", 1 - np.sqrt(1 - sample_ratings))
    submitted(folder / "with" / "gaps.zip", "gaps", gaps)
    submitted(folder / "with" / "nothing.zip", "nothing", np.full(64, np.nan))
    return tuple(
        build_site(
            *(folder / "runs", folder / "out" / which, "metric=[smatch,sema]"),
            *("resamples=100", f"submissions={folder / which}"),
        )
        for which in ("without", "with")
    )
