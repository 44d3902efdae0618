"""Which kernels ``python -m metrics.warm_up`` compiles."""

import inspect
import sys

import metrics
from metrics import warm_up
from metrics.base import Metric


def test_every_metric_with_kernels_of_its_own_is_compiled():
    public = [getattr(metrics, name) for name in dir(metrics)]
    classes = {cls for cls in public if inspect.isclass(cls) and issubclass(cls, Metric)}
    with_kernels = {cls for cls in classes if hasattr(sys.modules[cls.__module__], "compiled")}
    assert metrics.Wlk in with_kernels
    assert with_kernels <= {type(metric) for half in warm_up.metrics() for metric in half}
