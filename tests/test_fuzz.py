"""The runner of the campaigns, and a few cases of each campaign that needs nothing special."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

from amr_metrics import Metric, Scores, Smatch
from amr_metrics.alignment.problem import Alignment, AlignmentProblem
from tests import reading_twin
from tests.fuzz import run
from tests.fuzz.campaign import Budget, Outcome, Skipped, damaged, flipped
from tests.fuzz.campaigns import determinism, reading, scores, solvers
from tests.fuzz.metrics import every_metric
from tests.reading_twin import listed, with_penman

QUICK = {"files": 40, "reading": 60, "solvers": 20}
METRICS = len(every_metric())
LONG = {"scores": METRICS * scores.PAIRS}  # every metric takes its turn


@pytest.mark.parametrize(
    ("name", "cases"),
    [*QUICK.items(), *(pytest.param(*item, marks=pytest.mark.slow) for item in LONG.items())],
)
@pytest.mark.filterwarnings("ignore")
def test_a_campaign_finds_nothing(name, cases):
    report = run.run(name, run.campaign_of(name), 0, Budget(3600, cases))
    assert (report.tried, list(report.failures), report.skipped) == (cases, [], "")


@pytest.mark.slow
def test_commands_give_the_same_results_in_all_processes():
    report = run.run("determinism", run.campaign_of("determinism"), 0, Budget(0))
    assert (report.tried, list(report.failures)) == (determinism.COMMANDS, [])


def test_other_results_of_a_command_are_noticed(tmp_path):
    def write(place, out, seconds, score):
        folder = tmp_path / place / "0"
        (folder / "runs" / "cache").mkdir(parents=True)
        (folder / "runs" / "cache" / "scores.npz").write_text(place)
        (folder / "result.json").write_text(json.dumps({"seconds": seconds, "score": score}))
        outcomes = [{"status": 0, "out": out, "err": ""}]
        (tmp_path / place / "outcomes.json").write_text(json.dumps(outcomes))
        return tmp_path / place

    one = write("one", '{"seconds": 1}', 1, 0.5)
    assert determinism._differences(one, write("same", '{"seconds": 2}', 2, 0.5), 1) == []
    other = write("other", '{"seconds": 1, "n": 2}', 1, 0.25)
    (other / "0" / "more.csv").touch()
    assert [text.partition(":")[0] for _, text in determinism._differences(one, other, 1)] == [
        *("other out", "other files", "result.json differs")
    ]


@dataclass(frozen=True, kw_only=True)
class ByPosition(Metric):
    """A pair's share of its batch."""

    def evaluate(self, pairs):
        return Scores(np.arange(len(pairs)) / max(1, len(pairs)))


def test_a_broken_promise_of_a_metric_is_noticed(monkeypatch):
    monkeypatch.setattr(scores, "every_metric", lambda: {"odd": ByPosition(), "good": Smatch()})
    report = run.run("scores", scores.campaign, 0, Budget(60, 2 * scores.PAIRS))
    assert report.tried == 2 * scores.PAIRS
    assert [text.split(": ")[:3] for text in report.failures] == [
        ["cases 0 to 399", "odd", promise] for promise in ("_batches", "check_self_scores")
    ]


def test_a_graph_that_is_read_otherwise_is_noticed(monkeypatch):
    data = b"(a / b)\n\n(c / d :e (f / g))\n\n(h)\n"
    assert reading._difference(data) is None
    with monkeypatch.context() as patch:
        patch.setattr(reading_twin, "scan_amr", lambda data, name: with_penman(data + b"(x / y)"))
        assert reading._difference(data[:-6]) == "read as a whole, the scanner and penman differ"
    with monkeypatch.context() as patch:
        patch.setattr(
            reading_twin, "scan_amr_with_errors", lambda data, name: (listed(data)[0], {})
        )
        assert reading._difference(data) == "read block by block, the scanner and penman differ"


def test_a_wrong_answer_of_a_solver_is_noticed():
    problem = AlignmentProblem.build([[1, 0], [0, 1]])
    best = Alignment(np.array([0, 1]), 2.0, 2.0, True)
    assert solvers._wrong(problem, best, 2.0) is None
    for mapping, value, bound, optimal, message in (
        ([0, 0], 1.0, 2.0, False, "not one to one"),
        ([0, -1], 2.0, 2.0, True, "its map is worth 1.0"),
        ([0, -1], 1.0, 1.0, False, "optimal=False"),
        ([0, -1], 1.0, 1.0, True, "below the optimum"),
    ):
        answer = Alignment(np.array(mapping), value, bound, optimal)
        assert message in solvers._wrong(problem, answer, 2.0)


def test_every_module_is_a_campaign():
    assert {*QUICK, "determinism", "commands", "xss", "scores"} == set(run.names())
    assert all(callable(run.campaign_of(name)) for name in run.names())


def test_the_xss_campaign_is_skipped_without_a_browser(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    report = run.run("xss", run.campaign_of("xss"), 0, Budget(60, 1))
    assert (report.tried, list(report.failures)) == (0, [])
    assert report.skipped


def fails(rng, budget):
    cases = list(budget.cases())
    return len(cases), [f"case {case}: {rng.integers(10**9)}" for case in cases[::2]]


def skips(rng, budget):
    raise Skipped("no browser")


def breaks(rng, budget):
    raise ZeroDivisionError("oops")


def test_a_report_depends_on_the_seed_alone():
    reports = [run.run("x", fails, seed, Budget(60, 5)) for seed in (0, 0, 1)]
    assert [report.tried for report in reports] == [5, 5, 5]
    assert reports[0].failures == reports[1].failures != reports[2].failures


def test_what_a_campaign_raises_is_a_failure():
    report = run.run("x", breaks, 0, Budget(60))
    assert "ZeroDivisionError" in report.failures[0]
    assert run.run("x", skips, 0, Budget(60)).skipped == "no browser"
    assert str(run.run("x", skips, 0, Budget(60))).endswith("skipped: no browser")


def test_the_exit_status_and_output(monkeypatch, capsys):
    monkeypatch.setattr(run, "names", lambda: ["fails", "skips"])
    monkeypatch.setattr(run, "campaign_of", lambda name: {"fails": fails, "skips": skips}[name])
    assert run.main(["--cases", "40", "--seconds", "60"]) == 1
    out = capsys.readouterr().out
    assert "fails                     40      20" in out
    assert "and 10 more" in out
    assert out.endswith("40 cases, 20 failed\n")
    assert run.main(["--only", "skips"]) == 0
    with pytest.raises(SystemExit):
        run.main(["--only", "fials"])


def test_several_processes_share_the_cases(monkeypatch):
    monkeypatch.setattr(run, "campaign_of", lambda name: {"fails": fails, "skips": skips}[name])
    with ThreadPoolExecutor(2) as executor:
        report = run._run_in(executor, 2, "fails", 0, Budget(60, 5))
        skipped = run._run_in(executor, 2, "skips", 0, Budget(60, 5))
    assert (report.tried, len(report.failures), skipped.skipped) == (5, 3, "no browser")
    alone = [run.run("fails", fails, 0, Budget(60, most), k) for k, most in enumerate((2, 3))]
    expected = [f"process {k}, {text}" for k, part in enumerate(alone) for text in part.failures]
    assert list(report.failures) == expected
    assert alone[0].failures[0] != alone[1].failures[0]


def test_a_budget_ends_but_allows_one_case():
    assert list(Budget(0).cases()) == [0]
    assert list(Budget(60, 3).cases()) == [0, 1, 2]
    assert list(Budget(60, 0).cases()) == []
    assert [part.most for part in Budget(60, 7).split(3)] == [2, 2, 3]
    assert [part.most for part in Budget(60).split(2)] == [None, None]
    assert list(Budget(60, 7).batches(3)) == [range(3), range(3, 6), range(6, 7)]
    assert list(Budget(0, 7).batches(3)) == [range(3)]


@pytest.mark.parametrize("change", [damaged, flipped])
def test_damage_changes_most_contents(change):
    rng = np.random.default_rng(0)
    content = bytes(range(256)) * 3
    changed = [change(rng, content)[0] for _ in range(200)]
    assert sum(each != content for each in changed) > 180
    if change is damaged:
        assert damaged(rng, b"")[0] is not None


@pytest.mark.parametrize(
    ("outcome", "good"),
    [
        (Outcome(0, "0.5\n", ""), True),
        (Outcome(1, "", "error: a.amr, line 3: no end\n"), True),
        (Outcome(1, "", "error: no end\n"), False),
        (Outcome(1, "0.5", "error: a.amr: no end\n"), False),
        (Outcome(1, "", "Traceback (most recent call last):\n"), False),
        (Outcome(1, "", "error: a.amr \x1b[2J\n"), False),
        (Outcome(0, "a.amr \x1b[2J\n", ""), False),
        (Outcome(2, "", "error: a.amr\n"), False),
        (Outcome(None, "", "", "KeyError"), False),
    ],
)
def test_what_is_a_good_outcome(outcome, good):
    assert (outcome.problem("a.amr") is None) == good
