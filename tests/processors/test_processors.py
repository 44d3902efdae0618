"""What commands write does not depend on the processor."""

import pytest

from tests.processors.run import METRICS, SETTINGS, find_differences, is_supported


@pytest.mark.slow  # part of `.ci/run`
@pytest.mark.skipif(not is_supported(), reason="needs an x86-64 processor with AVX2")
def test_commands_write_the_same_bytes_as_on_an_old_processor(tmp_path):
    """With other sums of a BLAS, and other exponentials and logarithms, of NumPy and of C.

    `make processors` compares more settings and metrics.
    """
    settings = {name: SETTINGS[name] for name in ("Haswell", "old")}
    count, differences = find_differences(tmp_path, settings, METRICS)
    assert count >= 40
    assert not differences
