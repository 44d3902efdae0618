"""Every metric in `conf/metric` keeps the contract; the suite finds them by itself."""

import pytest
from contract import MetricContract
from extras import missing_extra

from bamboo.config.groups import group_names
from bamboo.config.jobs import compose_metrics
from bamboo.config.metrics import build_metric
from metrics.conformance import ready

JOBS = {
    job.name: job for job in compose_metrics([(name, name, {}) for name in group_names("metric")])
}


class TestMetrics(MetricContract):
    @pytest.fixture(params=list(JOBS))
    def name(self, request):
        if extra := missing_extra(JOBS[request.param].metric):
            pytest.skip(f"the extra '{extra}' is not installed: pip install -e '.[{extra}]'")
        return request.param

    @pytest.fixture
    def metric(self, name, sample_pairs):
        return ready(build_metric(name, JOBS[name].metric), sample_pairs)
