"""The user's code cannot end a command, nor print into its report."""

import argparse
import csv
import json
import subprocess
import sys
import threading

import pytest

from amr_metrics import Pair, parse_graph
from amr_metrics.errors import PairError
from amr_metrics.external import FunctionMetric
from amr_metrics.utils.user_code import guard_user_code

FUNCTION = "amr_metrics.external.FunctionMetric"
# Code that exits where its option says.
EXITS = """
import sys
from dataclasses import dataclass

import numpy as np

from amr_metrics import Metric, Scores
from amr_metrics.parameters import Parameters, Parametric

STATUS = 0

def leave(*_, **__):
    sys.exit(STATUS)

@dataclass(frozen=True, kw_only=True)
class Exits(Parametric):
    at: str

    def _pass(self, name):
        if self.at == name:
            leave()

    def __post_init__(self):
        self._pass("build")

    @property
    def symmetric(self):
        self._pass("symmetric")
        return True

    @property
    def parameters(self):
        self._pass("parameters")
        return Parameters(("a",), np.ones(1), np.zeros(1), np.full(1, 2.0))

    def with_parameters(self, values):
        return self

    def view(self, pair):
        self._pass("view")
        return pair

    def evaluate(self, pairs):
        self._pass("evaluate")
        return Scores(np.array([float(len(pair.src.variables)) for pair in self.views(pairs)]))

    def explain(self, pair):
        self._pass("explain")
        return super().explain(pair)

class Optimiser:
    batch = 2

    def step(self, *_):
        leave()
"""
LINE = "exits.py, line 13, in leave: SystemExit: 0"
IMPORTED = "gone.py, line 2, in <module>: SystemExit: 0"
RUN, SCORE = ("run", "data=tiny", "cache=off"), ("score", "s.amr", "s.amr", "at_least=90")
DATA = {"root": "..", "scale": [0, 5]}
LOADED = {"files": ["s.amr"], "pairs": {"test": 1}}


@pytest.fixture
def folder(user, tiny, home):
    """A user's folder with code that exits when it is called, and when it is imported."""
    (user.path / "exits.py").write_text(EXITS)
    (user.path / "gone.py").write_text("import sys\nsys.exit(0)\nhere = None\n")
    for path in (home / "s.amr", user.path / "s.amr"):
        path.write_text("(s / see-01 :ARG0 (c / cat))\n")
    for at in ("build", "symmetric", "parameters", "view", "evaluate", "explain"):
        user.yaml(f"metric/{at}.yaml", {"_target_": "exits.Exits", "at": at})
    user.yaml("metric/function.yaml", {"_target_": FUNCTION, "function": "exits.leave"})
    user.yaml(
        "metric/step.yaml", {"_target_": "amr_metrics.Smatch", "standardize": ["exits.leave"]}
    )
    user.yaml("protocol/leave.yaml", {"statistic": {"main": "exits.leave"}})
    user.yaml("protocol/gone.yaml", {"statistic": {"main": "gone.here"}})
    for module, name in (("exits", "leave"), ("gone", "here")):
        part = {**LOADED, "loader": {"_target_": f"{module}.{name}"}}
        user.yaml(f"data/loaded_{name}.yaml", {**DATA, "partitions": {"main": part}})
    schedule = {"interval": 1, "evaluations": 1, "patience": None, "average": False}
    trainer = {"optimiser": {"_target_": "exits.Optimiser"}, "schedule": schedule}
    user.yaml("trainer/leaves.yaml", {"name": "leaves", **trainer})
    return user


@pytest.mark.parametrize(
    "words",
    [
        *((*RUN, f"metric={at}") for at in ("build", "evaluate", "step")),
        *((*SCORE, f"metric={at}") for at in ("build", "view", "evaluate", "function", "step")),
        ("explain", "s.amr", "s.amr", "metric=explain"),
        ("check", "metric=build"),
        ("train", "metric=parameters", "data=sample"),
        ("train", "metric=evaluate", "data=sample", "trainer=leaves"),
        ("train", "metric=explain", "data=sample", "trainer=leaves"),
        ("run", "metric=smatch", "data=tiny", "protocol=leave"),
        ("run", "metric=smatch", "data=loaded_leave"),
        ("list", "metrics"),
        ("help", "metric", "symmetric"),
    ],
    ids=" ".join,
)
def test_code_that_exits_when_it_is_called(refused, folder, words):
    assert LINE in refused(*words, folder.option)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        *(("class", words) for words in (["list", "metrics"], ["help", "metric", "m"])),
        ("class", ["explain", "s.amr", "s.amr", "metric=m"]),
        ("class", ["check", "metric=m"]),
        *((target, [*RUN, "metric=m"]) for target in ("class", "function", "step")),
        *((target, [*SCORE, "metric=m"]) for target in ("class", "function", "step")),
    ],
)
def test_code_that_exits_when_it_is_imported(refused, folder, words, target):
    for path in (folder.path / "metric").iterdir():
        path.unlink()
    config = {
        "class": {"_target_": "gone.here"},
        "function": {"_target_": FUNCTION, "function": "gone.here"},
        "step": {"_target_": "amr_metrics.Smatch", "standardize": ["gone.here"]},
    }
    folder.yaml("metric/m.yaml", config[target])
    assert IMPORTED in refused(*words, folder.option)


@pytest.mark.parametrize("words", ["protocol=gone data=tiny", "data=loaded_here"])
def test_a_statistic_or_loader_that_exits_when_it_is_imported(refused, folder, words):
    assert IMPORTED in refused("run", "metric=smatch", *words.split(), folder.option)


@pytest.mark.parametrize("name", ["evaluate", "function", "explain"])
def test_check_lists_what_exits(cli, folder, name):
    outcome = cli("check", f"metric={name}", "limit=12", "report=csv", folder.option)
    assert outcome.status == 1
    problems = [row["requirement or problem"] for row in csv.DictReader(outcome.out.splitlines())]
    assert any(LINE in problem for problem in problems)


def test_code_that_exits_since_ctrl_c_was_pressed(cli, user, tiny):
    text = "import sys\ndef f(a, b):\n    try:\n        raise KeyboardInterrupt\n"
    (user.path / "quits.py").write_text(
        f"{text}    except KeyboardInterrupt:\n        sys.exit(1)\n"
    )
    user.yaml("metric/quits.yaml", {"_target_": FUNCTION, "function": "quits.f"})
    outcome = cli(*RUN, "metric=quits", "on_error=nan", user.option)
    assert (outcome.status, outcome.out) == (130, "")


def test_an_exit_in_a_package_names_its_line():
    metric = FunctionMetric(function=argparse.ArgumentParser.exit)
    graph = parse_graph("(c / cat)")
    with pytest.raises(PairError, match=r"^pair 0: .*argparse.py, line \d+, in exit: SystemExit"):
        metric.score([Pair(graph, graph)])


def test_only_the_main_thread_changes_where_all_threads_print(capsys):
    def say(where):
        with guard_user_code():
            print(where)

    thread = threading.Thread(target=say, args=("thread",))
    thread.start()
    thread.join()
    say("main")
    assert capsys.readouterr() == ("thread\n", "main\n")


WAYS = ("print", "file", "C", "program", "exit")
LOUD = """
import atexit, ctypes, os, subprocess, sys

def shout(when):
    print("print", when)
    os.write(1, f"file {when}\\n".encode())
    ctypes.CDLL(None).puts(f"C {when}".encode())
    subprocess.run([sys.executable, "-c", f"print('program {when}')"], check=True)

shout("imported")
atexit.register(print, "exit imported")

def overlap(src, tgt, called=[]):
    if not called:
        shout("called")
        ctypes.CDLL(None).fflush(None)  # a worker may be killed
    called.append(1)
    return 0.5
"""


@pytest.fixture
def loud(user, home):
    """Run a command with a metric that prints in all ways, in a process of its own."""
    (user.path / "loud.py").write_text(LOUD)
    user.yaml("metric/loud.yaml", {"_target_": FUNCTION, "function": "loud.overlap"})
    (home / "s.amr").write_text("(s / see-01 :ARG0 (c / cat))\n")

    def run(*words):
        command = [sys.executable, "-m", "bamboo", *words, user.option]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done

    return run


@pytest.mark.skipif(sys.platform == "win32", reason="the metric calls C's library by its Unix name")
@pytest.mark.parametrize(
    ("engine", "report"),
    [("serial", "json"), ("loky", "value"), pytest.param("dask", "value", marks=pytest.mark.slow)],
)
def test_what_code_prints_is_no_part_of_the_report(loud, engine, report):
    done = loud("score", "s.amr", "s.amr", "metric=loud", f"report={report}", f"engine={engine}")
    if report == "json":
        assert json.loads(done.stdout)["scores"] == [0.5]
    else:
        assert done.stdout == "0.5000\n"
    lines = {*done.stderr.splitlines()}
    assert lines >= {f"{way} imported" for way in WAYS} | {f"{way} called" for way in WAYS[:-1]}


@pytest.mark.skipif(sys.platform == "win32", reason="the metric calls C's library by its Unix name")
def test_what_code_prints_is_no_part_of_other_output(loud):
    listed = [*csv.DictReader(loud("list", "metrics", "report=csv").stdout.splitlines())]
    assert "loud" in [row["metric"] for row in listed]
    checked = csv.DictReader(
        loud("check", "metric=loud", "limit=12", "report=csv").stdout.splitlines()
    )
    assert {"processes": "ok"}.items() <= {row["check"]: row["result"] for row in checked}.items()
