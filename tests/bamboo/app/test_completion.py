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
        ("bamboo run on_error=", "on_error=stop on_error=nan on_error=zero"),
        ("bamboo run metric=smatch on_error=n", "on_error=nan"),
        ("bamboo run data=s", "data=sample data=sembleu data=sick data=sts"),
        ("bamboo score a.amr on_error=", "on_error=stop on_error=nan on_error=zero"),
        ("bamboo score repeats=", "repeats=false repeats=true"),
        ("bamboo score format=", "format=penman format=camr format=umr"),
        ("bamboo score metric=smatch_1_", "metric=smatch_1_0 metric=smatch_1_0_2"),
        ("bamboo score aspects_", "aspects_definition="),
        ("bamboo score ", ""),
        ("bamboo list met", ""),
    ],
)
def test_words_that_fit(cli, monkeypatch, line, expected):
    monkeypatch.setenv("COMP_LINE", line)
    assert cli("-sc", "query=bash").out.strip() == expected


def test_files_are_completed_beside_options(cli, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "alice.amr").touch()
    monkeypatch.setenv("COMP_LINE", "bamboo score al")
    assert cli("-sc", "query=bash").out.strip() == "alignment= alice.amr"


def test_it_is_installed_by_hydras_script(cli):
    assert "hydra_bash_completion" in cli("-sc", "install=bash").out
    assert "Expecting one subcommand" in cli("--shell-completion", "nothing").err
