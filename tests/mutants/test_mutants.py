"""The tool that changes a module: which changes it makes, and which of them survive."""

import sys

import pytest

from tests.mutants import run

SOURCE = """
LIMIT = 0.5

def clip(values: list[int] | None, *, low: float = 0) -> int:
    'Return 1.'
    if values and low < LIMIT:
        return max(values[-1], 2) % 3
    return [*zip(values, strict=True)]
"""
CHANGES = [
    (2, "LIMIT = 0.5 -> LIMIT = 1.0"),
    (4, "0 -> 1"),
    (6, "values and low < LIMIT -> values or low < LIMIT"),
    (6, "low < LIMIT -> low <= LIMIT"),
    (6, "low < LIMIT -> low >= LIMIT"),
    (7, "max(values[-1], 2) % 3 -> max(values[-1], 2) * 3"),
    (7, "max(values[-1], 2) -> min(values[-1], 2)"),
    (7, "-1 -> +1"),
    (7, "-1 -> -2"),
    (7, "max(values[-1], 2) -> max(values[-1], 3)"),
    (7, "max(values[-1], 2) % 3 -> max(values[-1], 2) % 4"),
]


def test_one_place_is_changed_at_a_time(tmp_path):
    file = tmp_path / "clip.py"
    file.write_text(SOURCE)
    mutants = [*run.find_mutants(file)]
    assert sorted((line, change) for _, line, change, _ in mutants) == sorted(CHANGES)
    results = {}
    for _, _, change, tree in mutants:
        names = {}
        exec(compile(tree, "clip.py", "exec"), names)
        results[change] = names["clip"]([4, 7])
    # 7 % 3 is 1 as it was.
    assert results["max(values[-1], 2) -> min(values[-1], 2)"] == 2 % 3
    assert results["max(values[-1], 2) % 3 -> max(values[-1], 2) * 3"] == 7 * 3
    assert results["max(values[-1], 2) % 3 -> max(values[-1], 2) % 4"] == 7 % 4
    assert results["-1 -> -2"] == 4 % 3
    assert results["low < LIMIT -> low >= LIMIT"] == [(4,), (7,)]
    assert results["LIMIT = 0.5 -> LIMIT = 1.0"] == 7 % 3


def test_a_package_without_tests_of_its_own_is_tested_in_that_around_it():
    file = run.ROOT / "bamboo/parsers/analyses/errors.py"
    tests = run.find_tests(file, own_only=False)
    assert f"{run.ROOT}/tests/bamboo/parsers/test_score.py" in tests
    assert tests[-1] == str(file.parent)  # doctests


@pytest.mark.slow
def test_changes_that_no_test_notices_are_listed(capfd, monkeypatch, tmp_path):
    words = ["run", "bamboo/statistics/ranking.py", "--sample", "0", "--own"]
    monkeypatch.chdir(run.ROOT)
    monkeypatch.setattr(sys, "argv", words)
    assert run.main() == 0
    *survivors, last = capfd.readouterr().out.splitlines()
    assert last == f"16 changes of bamboo/statistics/ranking.py, {len(survivors)} survived"
    assert len(survivors) < 3
