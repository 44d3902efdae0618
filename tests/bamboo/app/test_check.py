"""The command that checks a metric, and errors in the user's code."""

from __future__ import annotations

import csv
import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from amr_metrics.conformance import CHECKS, fingerprint
from amr_metrics.reading.writing import format_graph
from bamboo.conformance import sample_pairs
from bamboo.user_code import location, user_code_error

OWN = '''
from dataclasses import dataclass

import numpy as np

from amr_metrics.base import Metric, Scores


@dataclass(frozen=True, kw_only=True)
class Overlap(Metric):
    """Jaccard overlap of concepts."""

    fold_case: bool = True

    def concepts(self, graph):
        return {c.lower() if self.fold_case else c for c in graph.concepts}

    def values(self, pairs):
        for src, tgt in pairs:
            a, b = self.concepts(src), self.concepts(tgt)
            yield len(a & b) / len(a | b) if a | b else 1.0

    def evaluate(self, pairs):
        return Scores(np.array(list(self.values(pairs)), dtype=float))


class TooHigh(Overlap):
    def values(self, pairs):
        return [2 * value for value in super().values(pairs)]


class NotItself(Overlap):
    def values(self, pairs):
        return [value / 2 for value in super().values(pairs)]


class Lopsided(Overlap):
    def values(self, pairs):
        for (src, tgt), value in zip(pairs, super().values(pairs)):
            yield value * (1 - 0.1 * (len(src.variables) > len(tgt.variables)))


class FalselyAsymmetric(Overlap):
    symmetric = False


class Named(Overlap):
    def concepts(self, graph):
        return set(graph.variables)


class FirstDiffers(Overlap):
    def values(self, pairs):
        return [v / (2 if k else 1) for k, v in enumerate(super().values(pairs))]


class Hashed(Overlap):
    def values(self, pairs):
        for value in super().values(pairs):
            yield value if value in (0, 1) else value * (hash("cat") % 1000) / 1000


class Crashing(Overlap):
    def values(self, pairs):
        for src, tgt in pairs:
            a, b = self.concepts(src), self.concepts(tgt)
            yield len(a & b) / len(a | b)


@dataclass(frozen=True, kw_only=True)
class Unsigned(Overlap):
    @property
    def signature(self):
        return "Unsigned"


def overlap(a, b):
    return len(set(a.concepts) & set(b.concepts)) / len(a.nothing)
'''


@pytest.fixture
def mine(user):
    write_module(user, OWN)
    return user


def write_module(folder, text):
    (folder.path / "harness_plugins.py").write_text(text, "utf-8")


def use_function(folder, name, **options):
    """Make the metric ``mine`` from a function of the module."""
    target, function = "amr_metrics.external.FunctionMetric", f"harness_plugins.{name}"
    folder.yaml("metric/mine.yaml", {"_target_": target, "function": function, **options})


@pytest.fixture
def in_this_process(monkeypatch):
    """Scores in other processes take most of the time, and are the subject of other tests."""

    def fingerprints_here(jobs, count, hash_seed):
        pairs = sample_pairs(count)
        return {job.name: fingerprint(job.metric, pairs) for job in jobs}

    monkeypatch.setattr("bamboo.conformance.fingerprints_elsewhere", fingerprints_here)


def results(text):
    """Result and problem of each check, from the report as CSV."""
    rows = list(csv.reader(io.StringIO(text)))[1:]
    return {row[0]: (row[1], row[2]) for row in rows}


def test_a_metric_that_keeps_its_promises(cli, mine):
    mine.metric("mine", "Overlap")
    outcome = cli("check", "metric=mine", mine.option, "report=csv")
    assert outcome.status == 0, outcome
    checks = results(outcome.out)
    assert [result for result, _ in checks.values()] == ["ok"] * (len(CHECKS) + 1)
    assert list(checks)[-1] == "processes"


@pytest.mark.parametrize(
    ("target", "check", "problem"),
    [
        ("TooHigh", "range", "is outside the declared range 0.0..1.0"),
        ("NotItself", "self-score", "with itself, expected 1.0"),
        ("Lopsided", "symmetry", "with src and tgt swapped"),
        ("FalselyAsymmetric", "symmetry", "set symmetric = True"),
        ("Named", "renaming", "with renamed variables"),
        ("FirstDiffers", "batches", "among the others, but"),
        ("Crashing", "small graphs", "ZeroDivisionError: division by zero"),
        ("Unsigned", "signature", "has a signature that other options have too"),
    ],
)
def test_a_broken_promise_is_reported(cli, mine, target, check, problem, in_this_process):
    mine.metric("mine", target)
    outcome = cli("check", "metric=mine", mine.option, "report=csv", "limit=12")
    assert outcome.status == 1
    assert outcome.err.startswith("error: mine: ")
    assert "of 12 checks failed" in outcome.err
    result, why = results(outcome.out)[check]
    assert result == "failed"
    assert problem in why


PROGRAM = """
import sys
sets = []
for path in sys.argv[1:]:
    texts = open(path, encoding="utf-8").read().strip().split("\\n\\n")
    lines = ["\\n".join(x for x in text.split("\\n") if x[0] != "#") for text in texts]
    words = [text.replace(")", " ").split() for text in lines]
    sets.append([{b for a, b in zip(x, x[1:]) if a == "/"} for x in words])
for a, b in zip(*sets, strict=True):
    print(len(a & b) / len(a | b))
"""


@pytest.fixture
def program(user):
    """Makes the metric ``mine`` from the text of a program and further options."""

    def make(text, **options):
        path = user.path / "program.py"
        path.write_text(text, "utf-8")
        # Isolated and without the packages of the site, Python starts sooner.
        command = f"{shlex.join([sys.executable, '-I', '-S', str(path)])} {{src}} {{tgt}}"
        target = "amr_metrics.external.CommandMetric"
        user.yaml("metric/mine.yaml", {"_target_": target, "command": command, **options})

    return make


@pytest.mark.parametrize(
    ("options", "checks"),
    [({}, CHECKS), ({"standardize": "amr"}, [x for x in CHECKS if x.name == "small graphs"])],
    ids=["program", "standardized"],
)
def test_a_program_is_not_given_empty_graphs(
    cli, user, program, options, checks, in_this_process, monkeypatch
):
    monkeypatch.setattr("bamboo.conformance.CHECKS", checks)
    program(PROGRAM, **options)
    outcome = cli("check", "metric=mine", user.option, "report=csv", "limit=12")
    assert outcome.status == 0, outcome
    result, text = results(outcome.out)["small graphs"]
    assert result == "ok"
    assert text.endswith("; skipped: empty graphs, which have no Penman notation")


def test_a_function_of_penman_notation_is_not_given_empty_graphs(cli, mine, in_this_process):
    write_module(mine, "def same(a, b): return float(a[0] == b[0])\n")
    use_function(mine, "same", takes="penman")
    outcome = cli("check", "metric=mine", mine.option, "report=json", "limit=12")
    skipped = {check["check"]: check["skipped"] for check in outcome.json["checks"]}
    assert skipped["small graphs"] == "empty graphs, which have no Penman notation"
    assert [name for name, text in skipped.items() if text] == ["small graphs"]


def test_one_line_for_a_cause_that_breaks_many_checks(cli, user, program, in_this_process):
    program("import sys\nsys.exit(f'cannot use\\n  {sys.argv[1]}')\n")
    outcome = cli("check", "metric=mine", user.option, "limit=12")
    assert outcome.status == 1
    assert "mine: 9 of 12 checks failed" in outcome.err
    lines = outcome.out.splitlines()
    (line,) = [line for line in lines if "  failed  " in line]
    assert line.endswith(
        f"{sys.executable} failed with exit status 1 (also: self-score, symmetry, renaming, "
        "batches, repetition, corpora, small graphs, processes)"
    )
    # The program's lines stay lines, and its files are called what the command calls them.
    assert lines[-3:] == ["mine, range:", "    cannot use", "      {src}"]
    checks = cli("check", "metric=mine", user.option, "limit=12", "report=json").json["checks"]
    assert len({check["cause"] for check in checks}) == 2  # and None
    table = cli("check", "metric=mine", user.option, "limit=12", "report=csv").out
    assert len(results(table)) == 12


def test_the_graphs_of_a_failing_pair_are_shown(cli, mine, in_this_process):
    mine.metric("mine", "NotItself")
    outcome = cli("check", "metric=mine", mine.option, "limit=12")
    graph = re.sub(r"# ::.*\n", "", format_graph(sample_pairs(1)[0].src))
    assert "mine, self-score:\n    src: " + " ".join(graph.split()) in outcome.out
    empty = "mine, small graphs:\n    src: (empty)\n    tgt: (empty)\n"
    assert empty in outcome.out


def test_the_pair_that_a_function_cannot_score_is_shown(cli, mine, in_this_process):
    write_module(mine, "def fail(a, b): return 1 / len(a.variables[4:])")
    use_function(mine, "fail")
    outcome = cli("check", "metric=mine", mine.option, "limit=12")
    failing = next(src for src, _ in sample_pairs(12) if len(src.variables) <= 4)
    graph = re.sub(r"# ::.*\n", "", format_graph(failing))
    assert "mine, range:\n    src: " + " ".join(graph.split()) in outcome.out


def test_scores_that_depend_on_the_process(cli, mine):
    mine.metric("mine", "Hashed")
    outcome = cli("check", "metric=mine", mine.option, "report=json")
    assert outcome.status == 1
    failed = [check for check in outcome.json["checks"] if check["problem"] is not None]
    assert [check["check"] for check in failed] == ["processes"]
    assert "PYTHONHASHSEED" in failed[0]["problem"]


def test_several_metrics_and_metrics_of_the_project(cli, refused, in_this_process):
    outcome = cli("check", "metric=[smatch,rematch]", "limit=12", "report=json")
    assert outcome.status == 0, outcome
    assert {check["metric"] for check in outcome.json["checks"]} == {"smatch", "rematch"}
    assert outcome.json["pairs"] == 37
    assert "use 12 to 64 pairs" in refused("check", "limit=65")


@pytest.mark.parametrize("engine", ["serial", "loky"])
def test_an_error_in_a_users_metric_names_file_and_line(cli, mine, tiny, engine):
    mine.metric("mine", "Crashing")
    write_module(mine, OWN.replace("len(a | b)\n", "len(a - a)\n"))
    arguments = ("run", "metric=mine", "data=tiny", f"engine={engine}", mine.option)
    outcome = cli(*arguments)
    line = 1 + [text.strip() for text in OWN.splitlines()].index("yield len(a & b) / len(a | b)")
    assert outcome.status == 1
    assert "Traceback" not in outcome.err
    assert outcome.err.count("\n") == 1
    assert f"harness_plugins.py, line {line}, in values: ZeroDivisionError" in outcome.err
    assert "debug=true" in outcome.err
    detailed = cli(*arguments, "debug=true").err
    assert "Traceback (most recent call last)" in detailed
    assert "len(a - a)" in detailed
    assert detailed.endswith(outcome.err)


def test_an_error_in_a_users_function_names_file_and_line(refused, mine, tiny):
    use_function(mine, "overlap")
    message = refused("run", "metric=mine", "data=tiny", mine.option)
    line = len(OWN.splitlines())
    assert "mine on tiny main test: pair 0: AttributeError" in message
    assert message.endswith(f"harness_plugins.py, line {line})")


def test_an_error_while_a_users_module_is_imported(cli, refused, mine):
    mine.metric("mine", "Overlap")
    write_module(mine, "x = 1\ny = nothing\n")
    message = refused("run", "metric=mine", "data=sample", mine.option)
    assert "name 'nothing' is not defined" in message
    assert "harness_plugins.py, line 2" in message


def test_a_defect_of_the_project_is_not_the_users(cli, monkeypatch):
    monkeypatch.setattr("bamboo.api.setup.chosen_cells", lambda *_: 1 / 0)
    monkeypatch.setattr("amr_metrics.utils.user_code.LIBRARY", Path("nowhere"))
    monkeypatch.setattr("amr_metrics.utils.user_code.HARNESS", ())
    with pytest.raises(ZeroDivisionError) as caught:
        cli("run", "data=sample")
    assert location(caught.value) is None
    assert user_code_error(caught.value) is None


def test_limit_is_a_quick_try(cli, user):
    def cells(**options):
        results = user.run("smatch", "sample", partition=["main", "arg"], **options)
        return results.to_json()["rows"][0]["cells"]

    whole, few, again = cells(), cells(limit=9), cells()
    assert [cell["n"] for cell in few] == [9, 10]  # couples stay together
    assert [cell["n"] for cell in whole] == [64, 26]
    assert [cell["value"] for cell in again] == [cell["value"] for cell in whole]
    assert "Only the first 9 pairs of each cell" in cli("run", "data=sample", "limit=9").out
    compared = user.compare(data="sample", limit=12, resamples=20)
    assert "Only the first 12 pairs of each cell" in str(compared)
