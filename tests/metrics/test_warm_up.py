"""Which kernels ``python -m amr_metrics.warm_up`` compiles."""

import inspect
import sys

import amr_metrics
from amr_metrics import warm_up
from amr_metrics.base import Metric


def test_every_metric_with_kernels_of_its_own_is_compiled():
    public = [getattr(amr_metrics, name) for name in dir(amr_metrics)]
    classes = {cls for cls in public if inspect.isclass(cls) and issubclass(cls, Metric)}
    with_kernels = {cls for cls in classes if hasattr(sys.modules[cls.__module__], "compiled")}
    assert amr_metrics.Wlk in with_kernels
    assert with_kernels <= {type(metric) for half in warm_up.metrics() for metric in half}
