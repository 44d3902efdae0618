"""Protocols, and statistics of the user's own."""

import sys

import numpy as np
import pytest

from bamboo.benchmark.protocols import Protocol
from bamboo.config.options import read_options
from bamboo.errors import ConfigError, StatisticsError
from bamboo.statistics.ratings import (
    statistic_named,
)
from tests.configured import configured


def array(*values):
    return np.array(values, dtype=np.float64)


@pytest.mark.parametrize(
    ("name", "arg", "elsewhere"),
    [
        ("paper", "pearson", "pearson"),
        ("v0.2", "pair_accuracy", "pearson"),
        ("spearman", "spearman", "spearman"),
    ],
)
def test_the_known_protocols(name, arg, elsewhere):
    protocol = configured("run", [f"protocol={name}"]).options["protocol"]
    assert protocol.name == name
    assert protocol.of("arg") == arg
    assert [protocol.of(p) for p in ("main", "reify", "syno")] == [elsewhere] * 3
    assert protocol.of("one-of-a-users") == elsewhere


def test_a_protocol_with_an_unknown_statistic_or_without_main():
    with pytest.raises(ConfigError, match="unknown statistic 'pearsson': did you mean 'pearson'"):
        Protocol("p", {"main": "pearsson"}, None)
    with pytest.raises(ConfigError, match=r"statistic\.main"):
        Protocol("p", {"arg": "pearson"}, None)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pearsen", "did you mean 'pearson'.*module.function"),
        ("no_such_module.f", "statistic no_such_module.f: No module named 'no_such_module'"),
        ("math.pi", "expected a function, not a float"),
    ],
)
def test_a_statistic_that_cannot_be_used_is_an_error(name, message):
    with pytest.raises(ConfigError, match=message):
        Protocol("mine", {"main": name}, None)


def test_a_statistic_of_ones_own_with_options(tmp_path, monkeypatch):
    (tmp_path / "own_statistic_module.py").write_text(
        "def above(scores, ratings, limit=0.5):\n    return float((scores > limit).mean())\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    above = {"_target_": "own_statistic_module.above", "limit": 0.75}
    config = {"name": "own", "statistic": {"main": above, "arg": "kendall"}, "published": None}
    protocol = read_options(Protocol, config)
    assert protocol.of("arg") == "kendall"
    assert protocol.of("mine") == protocol.of("main") == "own_statistic_module.above(limit=0.75)"
    statistic = statistic_named(protocol.of("main"))
    assert statistic(array(0.5, 0.7, 0.8, 0.9), array(0, 0, 0, 0)) == 0.5


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return 'high'", "returned 'high': expected a number, NaN where it is not defined"),
        ("return '0.5'", "returned '0.5': expected a number"),
        ("return None", "returned None: expected a number"),
        ("return scores", r"returned array\(.*\): expected a number"),
        ("return 1 / 0", r": ZeroDivisionError: division by zero \(.*failing_statistic.py, line 2"),
    ],
)
def test_what_a_statistic_of_ones_own_returns(tmp_path, monkeypatch, body, message):
    (tmp_path / "failing_statistic.py").write_text(f"def of(scores, ratings):\n    {body}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "failing_statistic", raising=False)
    statistic = statistic_named("failing_statistic.of")
    with pytest.raises(StatisticsError, match=f"^statistic failing_statistic.of ?{message}"):
        statistic(array(0.5, 0.7), array(0, 1))


@pytest.mark.parametrize(
    ("statistic", "message"),
    [
        ({"k": 1}, r"protocol own: statistic.main: expected a name, or a function as _target_"),
        ({"_target_": "math.dist", "k": {1}}, "math.dist: option 'k': expected a plain value"),
        ("math.dist(k", r"expected a function with options, such as module.function\(k=10\)"),
    ],
)
def test_a_statistic_of_ones_own_that_does_not_work(statistic, message):
    with pytest.raises(ConfigError, match=message):
        Protocol("own", {"main": statistic}, None)


def test_a_protocol_has_the_name_of_its_file_and_needs_no_published_values(user, cli, refused):
    user.yaml("protocol/ranks.yaml", {"statistic": {"main": "spearman"}})
    arguments = ("run", "metric=sema", "data=sample", user.option, "report=json")
    assert cli(*arguments, "protocol=ranks").json["protocol"] == "ranks"
    # The same where Hydra composes the options.
    (user.path / "protocol" / "hydra.yaml").write_text(
        "statistic: {main: '${oc.env:STAT,kendall}'}"
    )
    assert cli(*arguments, "protocol=hydra").json["protocol"] == "hydra"
    assert cli(*arguments, "protocol=ranks", "+protocol.name=mine").json["protocol"] == "mine"
    user.yaml("protocol/empty.yaml", {"name": "empty"})
    assert "statistic" in refused(*arguments, "protocol=empty")
    user.yaml("protocol/without.yaml", {"statistic": {"arg": "pair_accuracy"}})
    assert "statistic.main=... is required" in refused(*arguments, "protocol=without")


def test_the_site_and_tables_have_own_protocols(user, cli, refused):
    user.yaml("protocol/my ranks.yaml", {"statistic": {"main": "spearman", "arg": "pair_accuracy"}})
    arguments = (
        *("site", "metric=[sema,smatch]", "data=sample", "partition=[main,arg]", "out=site"),
        *("resamples=20", "permutations=20", "tables=off", "engine=serial", user.option),
    )
    assert cli(*arguments, "protocols=my ranks,v0.2").status == 0
    page = (user.path.parent / "site" / "index.html").read_text("utf-8")
    assert "spearman on Main; pair_accuracy on Arg (x 100)." in page
    assert (user.path.parent / "site" / "data" / "result-my-ranks.json").is_file()
    assert not (user.path.parent / "site" / "data" / "result-paper.json").exists()
    message = refused(*arguments, "protocols=v0.2,v0.2")
    assert message == "protocols=v0.2,v0.2: give one or more, with different names"
    assert "unknown protocol 'ranks'" in refused(*arguments, "protocols=ranks")
    user.yaml("protocol/accuracy.yaml", {"statistic": {"main": "pair_accuracy"}})
    assert "compares altered with original pairs" in refused(*arguments, "protocols=accuracy")
