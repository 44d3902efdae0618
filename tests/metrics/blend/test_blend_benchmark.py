"""The shipped blend on the released data."""

import numpy as np
import pytest
from extras import needs_wordllama
from released import released

from bamboo.benchmark.protocols import pair_accuracy
from bamboo.config.jobs import compose_metrics
from bamboo.config.metrics import build_metric

EXPECTED = {  # Pearson, on role confusion pair accuracy, times 100
    "main": {"sts": 76.35, "sick": 80.89, "para": 50.41},
    "reify": {"sts": 75.49, "sick": 78.53, "para": 49.38},
    "syno": {"sts": 73.60, "sick": 77.34, "para": 50.19},
    "role_confusion": {"sts": 89.87, "sick": 100.0, "para": 90.01},
}


@needs_wordllama
@pytest.mark.slow
def test_all_cells(shared):
    (job,) = compose_metrics([("blend", "blend", {})])
    blend = build_metric(job.name, job.metric)
    for partition, values in EXPECTED.items():
        for data, expected in values.items():
            pairs, ratings = released(shared / "bamboo-amr-benchmark", data, partition)
            scores = blend.score(pairs)
            if partition == "role_confusion":
                found = pair_accuracy(scores, ratings)
            else:
                found = np.corrcoef(scores, ratings)[0, 1]
            assert 100 * found == pytest.approx(expected, abs=0.02), (data, partition)
