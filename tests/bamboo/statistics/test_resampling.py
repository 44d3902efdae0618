"""Settings of resampling: one message for each bad value."""

import numpy as np
import pytest

from bamboo.app.main import main
from bamboo.errors import ConfigError
from bamboo.statistics.resampling import Resampling, Significance, SystemTests, quantiles


@pytest.mark.parametrize(
    ("settings", "options", "message"),
    [
        (Resampling, {"resamples": 0}, "resamples=0: use 1 or more"),
        (Significance, {"resamples": 19}, "resamples=19: use 20 or more"),
        (Significance, {"seed": -1}, "seed=-1: use 0 or more"),
        (Resampling, {"resamples": 10**9}, "resamples=1000000000: use 100,000 or less"),
        (Resampling, {"resamples": 100_001}, "resamples=100001: use 100,000 or less"),
        (Resampling, {"seed": 2**64 + 1}, f"seed={2**64 + 1}: use {2**64:,} or less"),
        (Significance, {"permutations": 19}, "permutations=19: use 20 or more"),
        (Significance, {"permutations": 100_001}, "permutations=100001: use 100,000 or less"),
        (Significance, {"level": 0.0}, "level=0.0: use a number between 0 and 1"),
        (SystemTests, {"resamples": 0}, "resamples=0: use 1 or more"),
        (SystemTests, {"permutations": 0}, "permutations=0: use 1 or more"),
        (
            SystemTests,
            {"permutations": 10_000_001},
            "permutations=10000001: use 10,000,000 or less",
        ),
        (Significance, {"level": 1.0}, "level=1.0: use a number between 0 and 1"),
    ],
)
def test_bad_values(settings, options, message):
    with pytest.raises(ConfigError) as caught:
        settings(**options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "command",
    [
        ["run", "metric=sema", "data=sample"],
        ["score", "metric=sema", "src=a.amr", "tgt=b.amr"],
        ["compare", "metric=[sema,sembleu]", "data=sample"],
    ],
    ids=lambda command: command[0],
)
def test_commands_refuse_a_negative_seed_with_the_same_message(command, capsys):
    assert main([*command, "seed=-1"]) == 1
    assert "error: seed=-1: use 0 or more\n" in capsys.readouterr().err


def test_the_smallest_and_largest_values():
    assert Resampling() == Resampling(1000, 0, resample="sentences")
    Resampling(1, 2**64)
    assert Significance() == Significance(1000, 0, 10_000, 0.05)
    Significance(20, 0, 20, 1e-9)
    Significance(100_000, 0, 100_000)
    SystemTests(1, 0, 10_000_000)
    assert SystemTests(permutations=1).number == 1
    assert SystemTests().number == 10_000


def test_quantiles_by_hand():
    values = np.array([4.0, 0.0, 3.0, 1.0, 2.0])
    assert quantiles(values, (0.0, 0.125, 0.5, 1.0)).tolist() == [0, 0.5, 2, 4]
