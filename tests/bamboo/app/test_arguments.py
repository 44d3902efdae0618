"""Commands without Hydra: which words need it, and what they import."""

import os
import subprocess
import sys

import pytest

from bamboo.app.arguments import resolve_arguments
from bamboo.app.commands import COMMANDS
from bamboo.config.groups import CHOICES, group_names
from tests.configured import compose

IMPORTED = """
import sys
from bamboo.app.main import main
assert main(sys.argv[1:]) == 0
print(sorted({"hydra", "omegaconf", "antlr4"} & {name.partition(".")[0] for name in sys.modules}))
"""


def imported(folder, *words):
    """The packages of Hydra that a command imports."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *words],
        cwd=folder,
        env={**os.environ, "BAMBOO_RUNS_DIR": str(folder / "runs")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_plain_words_import_nothing_of_hydra(home, user, tiny):
    (home / "a.amr").write_text("(c / cat)\n")
    words = ("score", "a.amr", "a.amr", "metric=[smatch,wlk]", "solver=hillclimb", "report=value")
    assert imported(home, *words) == "[]"
    words = ("run", "metric=size", "metric.factor=.5,1.5", "data=tiny", user.option)
    assert imported(home, *words, "protocol.statistic.main=spearman") == "[]"
    assert "hydra" in imported(home, "run", "--cfg=job")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("score", ["a b.amr", "it's #1.amr", "gold.amr", "metric=[smatch,wlk]", "metric.K=1,2"]),
        (
            "run",
            ["data=[sts, sick]", "partition=[main,arg]", "out='a, b'", "+seed=3", "limit=1_000"],
        ),
        ("run", ["protocol=v0.2", "protocol.statistic.main=kendall", "engine=loky"]),
        ("train", ["trainer=null"]),
        ("tables", ["seeds.drawn=0,1", "table=table4"]),
    ],
)
def test_words_that_need_no_hydra(command, words):
    assert resolve_arguments(COMMANDS[command], words, None) == compose(command, words)


@pytest.mark.parametrize(
    "word",
    [
        *("metric.a={b: 1}", "metric.a=[b, 1]", "out='${paths.runs}/a'", "limit=range(1,3)"),
        *("hydra.run.dir=x", "metric.a-b=1", "metric.0=1", "out=???"),
    ],
)
def test_words_in_hydras_grammar(word):
    assert resolve_arguments(COMMANDS["run"], [word], None) is None


@pytest.mark.parametrize(
    ("text", "needs_hydra"),
    [
        ("statistic: {main: spearman}\npublished: null\nname: mine\n", False),
        ("defaults: [spearman]\nname: mine\n", True),
        ("name: ${limit}\n", True),
        ("name: [mine\n", True),
    ],
)
def test_a_choice_of_the_users(user, text, needs_hydra):
    user.yaml("protocol/mine.yaml", {}).write_text(text)
    user.yaml("engine/serial.yaml", {"name": "not the project's, which the default means"})
    words = ["protocol=mine", "limit=3"]
    plain = resolve_arguments(COMMANDS["run"], words, str(user.path))
    assert (plain is None) == needs_hydra
    if plain is not None:
        assert plain == compose("run", words, str(user.path))
        assert plain["engine"] == {"name": "serial", "jobs": 1}


def test_every_choice_of_the_project_is_that_of_hydra():
    for group in CHOICES:
        command = "train" if group == "trainer" else "run"
        for name in group_names(group):
            assert compose(command, [f"{group}={name}"])[group]["name"] == name
