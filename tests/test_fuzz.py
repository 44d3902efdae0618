"""The runner of the campaigns, and a few cases of each campaign that needs nothing special."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fuzz import run
from tests.fuzz.campaign import Budget, Outcome, Skipped, damaged, flipped

QUICK = ("caches", "files", "submissions")


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.filterwarnings("ignore")
def test_a_campaign_finds_nothing(name):
    report = run.run(name, run.campaign_of(name), 0, Budget(60, 60))
    assert (report.tried, list(report.failures), report.skipped) == (60, [], "")


def test_every_module_is_a_campaign():
    assert {*QUICK, "kills", "several", "full_disk", "commands", "xss"} <= set(run.names())
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


def test_a_budget_ends_but_allows_one_case():
    assert list(Budget(0).cases()) == [0]
    assert list(Budget(60, 3).cases()) == [0, 1, 2]
    assert list(Budget(60, 0).cases()) == []


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
