"""The published row of Smatch++, and standardisation of any metric from the command line."""

import json
import re

import pytest

import bamboo
from bamboo.app.main import main
from bamboo.errors import ConfigError

PUBLISHED = {
    "main": (58.54, 59.75, 41.38),
    "reify": (58.35, 59.75, 41.39),
    "syno": (56.28, 57.37, 39.66),
    "arg": (89.87, 98.32, 88.31),
}
# Measured, each pair proven optimal; without AMR's rules Smatch++ published nothing.
GENERIC = {"main": (53.99, 57.45, 41.37), "reify": (53.97, 59.56, 39.68)}


@pytest.fixture
def benchmark(shared, tmp_path, monkeypatch):
    monkeypatch.setenv("BAMBOO_SOURCE", str(shared / "bamboo-amr-benchmark"))
    monkeypatch.setenv("BAMBOO_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path / "runs"))


def cells(capsys, *arguments):
    command = ["run", "protocol=v0.2", "report=json", "cache=off", *arguments]
    assert main(command) == 0, capsys.readouterr().err
    values = {}
    for cell in json.loads(capsys.readouterr().out)["rows"][0]["cells"]:
        assert cell["unproven"] == 0
        assert cell["missing"] == 0
        values.setdefault(cell["partition"], []).append(cell["value"])
    return values


@pytest.mark.parametrize(
    "partition",
    ["main", "arg", *(pytest.param(name, marks=pytest.mark.slow) for name in ("reify", "syno"))],
)
def test_the_published_row(benchmark, capsys, partition):
    measured = cells(capsys, "metric=smatchpp", "data=all", f"partition={partition}")
    assert measured[partition] == pytest.approx(PUBLISHED[partition], abs=0.011)


@pytest.mark.slow
def test_generic(benchmark, capsys):
    measured = cells(
        capsys,
        "metric=smatchpp",
        "data=all",
        "partition=[main,reify]",
        "metric.smatchpp.standardize=generic",
    )
    for partition, values in GENERIC.items():
        assert measured[partition] == pytest.approx(values, abs=0.011)


def test_smatch_on_standardised_graphs_is_smatchpp(benchmark, capsys):
    options = ("data=sts", "partition=[main,reify]", "limit=300")
    plain = cells(capsys, "metric=smatch", "+metric.smatch.standardize=amr", *options)
    assert plain == cells(capsys, "metric=smatchpp", *options)


def test_any_metric_accepts_standardisation_steps(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path))
    steps = "[lower,dereify:bamboo]"
    command = ["run", "metric=smatch", "data=sample", "report=json"]
    assert main([*command, f"+metric.smatch.standardize=[none,{steps}]"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["metric"] for row in rows] == [
        "smatch",
        f"smatch standardize={steps}",
    ]
    assert rows[1]["signature"].endswith(f"|standardize={steps}")
    assert rows[0]["signature"] != rows[1]["signature"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"standardize": "arm"}, "use one of none, generic, amr"),
        ({"standardize": ["lower", "qnquote"]}, "did you mean 'unquote'"),
        ({"standardise": "amr"}, "'standardise': did you mean 'standardize'?"),
    ],
)
@pytest.mark.parametrize("metric", ["smatch", "smatchpp"])
def test_bad_steps(metric, options, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        bamboo.run(metric, "sample", options=options)
