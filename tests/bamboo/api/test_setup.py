"""What the functions on the benchmark score."""

import pytest

from bamboo.api.setup import set_up
from bamboo.errors import ConfigError
from bamboo.results.score_cells import Settings

CALLED = {
    "metric": ["smatch", "wlk"],
    "options": None,
    "data": "sample",
    "data_options": None,
    "partition": "main",
    "protocol": "paper",
    "split": "test",
    "config_dir": None,
}


def test_arguments_that_a_function_does_not_have_keep_their_defaults(home):
    setup = set_up(CALLED)
    assert [row.name for row in setup.rows] == ["smatch", "wlk"]
    assert [str(cell) for cell in setup.cells] == ["sample main test"]
    assert setup.protocol.name == "paper"
    assert setup.settings == Settings(built=home / "downloads" / "built")
    assert (setup.runs, setup.scores.folder) == (home / "runs", home / "runs" / "cache")


def test_arguments_are_used(home):
    setup = set_up({**CALLED, "limit": 2, "cache": "off", "on_error": "nan", "engine": "loky"})
    (cell,) = setup.cells
    assert len(cell.load().pairs) == 2
    assert (setup.settings.cache, setup.settings.on_error) == ("off", "nan")
    assert setup.settings.engine != Settings().engine


def test_an_unknown_split_is_named(home):
    with pytest.raises(ConfigError, match="split"):
        set_up({**CALLED, "split": "tset", "partition_source": "built"})
