"""A metric from its YAML."""

from __future__ import annotations

from typing import Any

import pytest
from harness import UserFolder

from bamboo.config.metrics import build_metric
from bamboo.errors import ConfigError
from metrics import Smatch
from metrics.alignment.exact import Exact

EXACT = "metrics.alignment.exact.Exact"


def test_options_and_nested_targets() -> None:
    metric = build_metric(
        "smatch",
        {
            "_target_": "metrics.Smatch",
            "root": "none",
            "solver": {"_target_": EXACT, "node_limit": 5},
        },
    )
    assert metric == Smatch(root="none", solver=Exact(node_limit=5))


def test_options_by_data_set() -> None:
    config = {"_target_": "metrics.Smatch", "by_data": {"sts": {"root": "none"}}}
    assert build_metric("smatch", config, "sts") == Smatch(root="none")
    assert build_metric("smatch", config, "sick") == Smatch()
    assert build_metric("smatch", config) == Smatch()


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "has no _target_"),
        ({"_target_": 3}, "has no _target_"),
        ({"_target_": "nowhere.Foo"}, "_target_=nowhere.Foo: No module named 'nowhere'"),
        ({"_target_": "metrics.Foo"}, "_target_=metrics.Foo"),
        ({"_target_": "metrics.Smatch", "rot": "none"}, "unknown option 'rot': did you mean"),
        ({"_target_": "metrics.Smatch", "root": "nnoe"}, "unknown root 'nnoe': did you mean"),
        ({"_target_": "metrics.Smatch", "root": ["none"]}, 'root=["none"]: it takes one of'),
        ({"_target_": "metrics.Smatch", "solver": "exact"}, 'solver="exact": it takes the options'),
        (
            {"_target_": "metrics.Smatch", "solver": {"_target_": EXACT, "node_limit": "abc"}},
            'solver.node_limit="abc": it takes a whole number',
        ),
        (
            {"_target_": "metrics.Smatch", "solver": {"_target_": EXACT, "node_limit": -1}},
            "limits must be at least 0",
        ),
        ({"_target_": "os.path.join"}, "join() missing"),
        ({"_target_": "os.getcwd"}, "os.getcwd is a str, not a metric"),
    ],
)
def test_what_is_no_metric_is_explained(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build_metric("mine", config)
    assert str(caught.value).startswith("metric mine: ")
    assert message in str(caught.value)


def test_an_error_without_words_is_named_by_its_type(
    user: UserFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (user.path / "wordless.py").write_text("def metric():\n    raise RuntimeError\n")
    monkeypatch.syspath_prepend(user.path)
    with pytest.raises(ConfigError, match="metric mine: RuntimeError"):
        build_metric("mine", {"_target_": "wordless.metric"})


def test_code_that_cannot_be_imported_is_an_error_of_the_metric(
    user: UserFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (user.path / "half_written.py").write_text("def metric(:\n")
    monkeypatch.syspath_prepend(user.path)
    with pytest.raises(ConfigError, match=r"metric mine: _target_=half_written\.metric"):
        build_metric("mine", {"_target_": "half_written.metric"})
