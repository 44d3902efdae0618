"""Every metric in `conf/metric` keeps the contract; the suite finds them by itself.

Variants that reproduce a published tool have the defects of the tool: those listed here, and no
others. Their corrected variants keep the whole contract.
"""

import pytest

from bamboo.config.jobs import compose_metrics
from bamboo.config.metrics import build_metric
from bamboo.evaluation.conformance import check_metric
from metrics.conformance import ready
from tests.conformance.contract import MetricContract, contract_jobs
from tests.extras import missing_extra

JOBS = {job.name: job for job in contract_jobs()}
DEFECTS = {
    "sema": {"self-score", "symmetry", "small graphs"},
    "sembleu": {"renaming"},
    "wlk": {"renaming"},
}


@pytest.mark.parametrize(("name", "defects"), DEFECTS.items())
def test_published_variants_have_the_known_defects(name, defects, sample_pairs):
    (job,) = compose_metrics([(name, name, {})])
    outcomes = check_metric(job, sample_pairs, len(sample_pairs))
    assert {outcome.check for outcome in outcomes if outcome.problem is not None} == defects


class TestMetrics(MetricContract):
    @pytest.fixture(params=list(JOBS))
    def name(self, request):
        if extra := missing_extra(JOBS[request.param].metric):
            pytest.skip(f"the extra '{extra}' is not installed: pip install -e '.[{extra}]'")
        return request.param

    @pytest.fixture
    def metric(self, name, sample_pairs):
        return ready(build_metric(name, JOBS[name].metric), sample_pairs)
