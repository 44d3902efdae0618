"""Settings of resampling: one message for each bad value."""

import pytest

from bamboo.app.main import main
from bamboo.errors import ConfigError
from bamboo.statistics.resampling import Resampling, Significance


@pytest.mark.parametrize(
    ("settings", "options", "message"),
    [
        (Resampling, {"resamples": 0}, "resamples=0: use 1 or more"),
        (Significance, {"resamples": 19}, "resamples=19: use 20 or more"),
        (Significance, {"seed": -1}, "seed=-1: use 0 or more"),
        (Resampling, {"resamples": 10**9}, "resamples=1000000000: use 100,000 or less"),
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
