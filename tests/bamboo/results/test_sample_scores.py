"""Every metric gives the recorded scores on the bundled sample.

`sample_scores.csv` has one row per metric and cell: the number of pairs, the mean of the scores,
and a digest of all scores, rounded to 12 digits. After a change that is meant to change scores:

    BAMBOO_UPDATE_SCORES=1 pytest tests/bamboo/results/test_sample_scores.py
"""

import csv
import hashlib
import os
from pathlib import Path

import numpy as np
import pytest
from extras import skip_without_extra

import bamboo
from bamboo.config.groups import compose_metric, group_names
from bamboo.config.requests import build_named_row
from tests.sample_vectors import write_vectors

RECORDED = Path(__file__).with_name("sample_scores.csv")
COLUMNS = ("metric", "partition", "pairs", "mean", "sha256")
CHINESE = ("align_smatch", "camr_smatch", "concept_smatch")  # these do not score English graphs
DOCUMENTS = ("ancast", "doc_smatch", "juumaetsh")  # these do not score sentences
CONFIGS = [compose_metric(name) for name in group_names("metric")]
NAMES = [config.title for config in CONFIGS if config.title == config.base]  # no rows of tables
METRICS = [name for name in NAMES if name not in (*CHINESE, *DOCUMENTS)]
DIGITS = 12
# Given, because training takes longer than all the other metrics.
WEIGHTS = {"wwlk_theta": {":arg0": 0.5, ":arg1": 0.8, ":mod": 0.25, ":op1": 0.4}}


def recorded():
    with RECORDED.open(newline="", encoding="utf-8") as file:
        return {(row["metric"], row["partition"]): row for row in csv.DictReader(file)}


def row(metric, partition, scores):
    text = "\n".join(f"{score:.{DIGITS}g}" for score in scores)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    values = (metric, partition, len(scores), f"{np.mean(scores):.6f}", digest)
    return dict(zip(COLUMNS, map(str, values), strict=True))


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vectors")
    write_vectors(folder / "vectors.txt")
    return folder


@pytest.mark.parametrize("metric", METRICS)
def test_the_recorded_scores(metric, home, vectors, monkeypatch):
    job = build_named_row(metric, metric)
    skip_without_extra(job.document)
    monkeypatch.setenv("BAMBOO_VECTORS", str(vectors / "vectors.txt"))
    monkeypatch.setenv("BAMBOO_CACHE_DIR", str(vectors))
    weights = WEIGHTS.get(metric)
    options = {"trainer": None, "weights": weights} if weights else {}
    frame = bamboo.run(metric, "sample", "all", options=options).pair_scores()
    rows = [
        row(metric, partition, cell["score"].tolist())
        for partition, cell in frame.groupby("partition", sort=False)
    ]
    expected = recorded()
    if os.environ.get("BAMBOO_UPDATE_SCORES"):
        expected |= {(new_row["metric"], new_row["partition"]): new_row for new_row in rows}
        with RECORDED.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(expected[key] for key in sorted(expected) if key[0] in METRICS)
        return
    changed = [
        f"{metric} on sample {new['partition']}: the scores changed; mean {new['mean']}, "
        f"recorded {old['mean'] if old else 'nothing'}"
        for new in rows
        if new != (old := expected.get((metric, new["partition"])))
    ]
    assert not changed, "\n".join(changed)
