"""What a site states about its data and date, and which rows its tables have."""

import json

import pytest

from bamboo.cli.main import main
from bamboo.errors import ConfigError
from bamboo.site.edition import Edition, day
from bamboo.site.published_tables import rows_of_metrics


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *(("2026-01-31", "2026-01-31"), ("20260131", "2026-01-31"), ("", None), (None, None)),
        *((1769860800, "2026-01-31"), ("1769860800", "2026-01-31")),
    ],
)
def test_days(value, expected):
    assert day(value) == expected


@pytest.mark.parametrize("value", ["today", "2026-02-30", "9" * 40, "٣", "-5", "2026-1-1"])
def test_other_dates_are_refused(value):
    with pytest.raises(ConfigError, match="expected a day such as 2026-01-31"):
        day(value)


def test_the_version_of_the_data_depends_on_every_digest():
    digests = {"sts main test": "a", "sick main test": "b"}
    assert Edition(None, digests).data == Edition(None, dict(reversed(digests.items()))).data
    assert Edition(None, digests).data != Edition(None, digests | {"sts main test": "c"}).data


TABLE = {"title": "T", "protocol": "paper", "published": "table4.csv"}


def test_tables_have_the_rows_of_the_metrics():
    every = rows_of_metrics(TABLE, {"wlk", "sembleu"})  # without `rows`: all published rows
    assert every["rows"] == ["sembleu_k1", "sembleu_k2", "sembleu_k3", "sembleu_k4", "wlk"]


def test_tables_without_rows_are_left_out():
    assert rows_of_metrics(TABLE | {"rows": ["wlk"]}, {"rematch"}) is None
    statistics = {"title": "T", "kind": "data"}
    assert rows_of_metrics(statistics, {"rematch"}) == statistics


def test_rows_with_options_are_kept_as_they_are():
    config = {"kind": "scores", "title": "T", "protocol": "paper", "rows": [
        {"name": "deep", "metric": "wlk", "options": {"K": 4}}, {"name": "sema"},
    ]}  # fmt: skip
    assert rows_of_metrics(config, {"wlk"})["rows"] == config["rows"][:1]


def test_the_same_command_writes_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1769860800")
    command = ["site", "metric=smatch", "data=sample", "partition=main", "engine=serial"]
    command += ["permutations=20", "resamples=20"]
    sites = [tmp_path / "a", tmp_path / "b"]
    for out in sites:
        assert main([*command, f"out={out}"]) == 0
    files = [sorted(path.relative_to(out) for path in out.rglob("*.*")) for out in sites]
    assert files[0] == files[1]
    for name in files[0]:
        assert (sites[0] / name).read_bytes() == (sites[1] / name).read_bytes()
    result = json.loads((sites[0] / "data" / "result-paper.json").read_text())
    assert result["date"] == "2026-01-31"
    version = Edition(None, result["data"]).data
    footer = (sites[0] / "index.html").read_text("utf-8").partition("<footer>")[2]
    assert f">{version}</code>" in footer
    assert "2026-01-31" in footer
