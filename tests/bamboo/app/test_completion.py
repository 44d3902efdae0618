"""Completion of a shell."""

import pytest


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bamboo co", "compare"),
        ("bamboo run metric=smatch_1_", "metric=smatch_1_0 metric=smatch_1_0_2"),
        ("bamboo run metric=wlk metric.wlk.d", "metric.wlk.direction="),
        ("bamboo compare permut", "permutations="),
        ("bamboo tables table=table4", "table=table4"),
    ],
)
def test_words_that_fit(cli, monkeypatch, line, expected):
    monkeypatch.setenv("COMP_LINE", line)
    assert cli("-sc", "query=bash").out.strip() == expected


def test_it_is_installed_by_hydras_script(cli):
    assert "hydra_bash_completion" in cli("-sc", "install=bash").out
    assert "Expecting one subcommand" in cli("--shell-completion", "nothing").err
