"""What the functions on the benchmark score."""

import pytest

from bamboo.api.setup import choose_cells, choose_metrics, make_settings, open_cache
from bamboo.benchmark.protocols import read_protocol
from bamboo.errors import ConfigError
from bamboo.results.score_cells import Settings


def test_names_are_resolved(home):
    rows = choose_metrics(["smatch", "wlk"], None, read_protocol("paper"))
    assert [row.name for row in rows] == ["smatch", "wlk"]
    (dataset,), cells = choose_cells("sample", None, "main", "test")
    assert dataset.name == "sample"
    assert [str(cell) for cell in cells] == ["sample main test"]
    assert make_settings() == Settings(built=home / "downloads" / "built")
    assert open_cache().folder == home / "runs" / "cache"


def test_arguments_are_used(home):
    _, (cell,) = choose_cells("sample", None, "main", "test", limit=2)
    assert len(cell.load().pairs) == 2
    settings = make_settings("loky", cache="off", on_error="nan")
    assert (settings.cache, settings.on_error) == ("off", "nan")
    assert settings.engine != Settings().engine


def test_an_unknown_split_is_named(home):
    with pytest.raises(ConfigError, match="split"):
        choose_cells("sample", None, "main", "tset", source="built")
