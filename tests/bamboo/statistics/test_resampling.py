"""Settings of resampling: one message for each bad value."""

import pytest

from bamboo.commands.main import main
from bamboo.errors import ConfigError
from bamboo.statistics.resampling import Resampling, Significance, SystemTests


@pytest.mark.parametrize(
    ("settings", "options", "message"),
    [
        (Resampling, {"resamples": 0}, "resamples=0: use 1 or more"),
        (Resampling, {"seed": -1}, "seed=-1: use 0 or more"),
        (Significance, {"resamples": 19}, "resamples=19: use 20 or more"),
        (Significance, {"permutations": 19}, "permutations=19: use 20 or more"),
        (Significance, {"seed": -1}, "seed=-1: use 0 or more"),
        (Resampling, {"resamples": 10**9}, "resamples=1000000000: use 100,000 or less"),
        (Resampling, {"seed": 10**30}, f"seed={10**30}: use {2**64:,} or less"),
        (Significance, {"permutations": 10**6}, "permutations=1000000: use 100,000 or less"),
        (SystemTests, {"permutations": 0}, "permutations=0: use 1 or more"),
        (SystemTests, {"permutations": 10**8}, "permutations=100000000: use 10,000,000 or less"),
        (Significance, {"level": 0.0}, "level=0.0: use a number between 0 and 1"),
        (Significance, {"level": 1.0}, "level=1.0: use a number between 0 and 1"),
    ],
)
def test_bad_values(settings, options, message):
    with pytest.raises(ConfigError) as caught:
        settings(**options)
    assert str(caught.value) == message


def test_the_smallest_and_largest_values_are_accepted():
    assert Resampling(1, 0).resamples == 1
    assert Significance(20, 0, 20).permutations == 20
    assert Significance(100_000, 2**64, 100_000).permutations == 100_000


@pytest.mark.parametrize(
    "command",
    [
        ["run", "metric=sema", "data=sample"],
        ["score", "metric=sema", "src=a.amr", "tgt=b.amr"],
        ["compare", "metric=[sema,sembleu]", "data=sample"],
        ["site", "metric=sema", "data=sample", "out=site"],
    ],
    ids=lambda command: command[0],
)
def test_every_command_refuses_a_negative_seed_with_the_same_message(command, tmp_path, capsys):
    assert main([*command, "seed=-1", f"paths.runs={tmp_path / 'runs'}"]) == 1
    assert "error: seed=-1: use 0 or more\n" in capsys.readouterr().err
