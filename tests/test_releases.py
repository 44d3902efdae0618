"""What a release and its workflows consist of."""

import re
from pathlib import Path

import pytest
import yaml

from tests.wheel.release import find_problems, main

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
CITATION = "version: 1.2.0\n"
MORE = ("Unreleased]\n", "Unreleased]\n- more\n")
CHANGES = "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2027-01-02\n\n- news\n"


def test_a_release_that_agrees_with_its_tag():
    assert find_problems("v1.2.0", "1.2.0", CHANGES, CITATION) == []


@pytest.mark.parametrize(
    ("tag", "version", "changes", "problem"),
    [
        ("v1.3.0", "1.2.0", CHANGES, "the tag is v1.3.0"),
        ("v1.3.0", "1.3.0", CHANGES, "CITATION.cff has version 1.2.0"),
        ("v1.3.0", "1.3.0", CHANGES, "no section [1.3.0]"),
        ("v1.2.0", "1.2.0", CHANGES.replace(" - 2027-01-02", ""), "no section [1.2.0] with"),
        ("v1.2.0", "1.2.0", CHANGES.replace(*MORE), "[Unreleased]"),
    ],
)
def test_a_release_that_does_not(tag, version, changes, problem):
    assert problem in "; ".join(find_problems(tag, version, changes, CITATION))


def test_changes_may_be_unreleased_between_releases():
    changes = CHANGES.replace(*MORE)
    assert find_problems("", "1.2.0", changes, CITATION) == []


def test_this_version():
    assert main() == 0


def steps():
    for path in WORKFLOWS:
        for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values():
            yield from ((path.name, step) for step in job["steps"])


def test_workflows_call_targets_of_the_makefile_only():
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    commands = [step["run"] for _, step in steps() if "run" in step]
    assert {"make docs", "make dist"} <= {*commands}
    for command in commands:
        make, *words = command.split()
        assert make == "make"
        assert {word for word in words if "=" not in word} <= {*targets}


def test_actions_without_a_hash_are_listed_as_to_be_pinned():
    actions = {step["uses"] for _, step in steps() if "uses" in step}
    assert len(actions) > 5
    by_tag = {name for name in actions if not re.search(r"@[0-9a-f]{40}$", name)}
    listed = re.findall(r"`([\w/-]+@[\w./-]+)`", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert by_tag == {*listed}


def test_one_hash_for_each_version_of_an_action():
    text = "\n".join(path.read_text("utf-8") for path in WORKFLOWS)
    pins = set(re.findall(r"uses: ([\w/-]+)@([0-9a-f]{40}) # (v[\d.]+)$", text, re.MULTILINE))
    assert len({action for action, _, _ in pins}) == len(pins) > 4
