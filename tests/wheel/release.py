"""Check that a release has one version everywhere: ``python -m tests.wheel.release [TAG]``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import yaml

from amr_metrics.version import VERSION

ROOT = Path(__file__).parents[2]
SECTION = re.compile(r"^## \[(Unreleased(?=\]$)|[^\]]+(?=\] - \d{4}-\d\d-\d\d$)).*$", re.MULTILINE)


def find_problems(tag: str, version: str, changelog: str, citation: str) -> list[str]:
    """Return what differs from the version; a tag also needs a changelog without open changes.

    Args:
        tag: that of the release, or "" to compare only what holds between releases as well.
    """
    problems = []
    cited = str(yaml.safe_load(citation)["version"])
    if cited != version:
        problems.append(f"CITATION.cff has version {cited}, amr_metrics {version}")
    _, *parts = SECTION.split(changelog)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    if version not in sections:
        problems.append(f"CHANGELOG.md has no section [{version}] with a date")
    if tag and tag != f"v{version}":
        problems.append(f"the tag is {tag}, the version {version}")
    if tag and sections.get("Unreleased", "").strip():
        problems.append(f"CHANGELOG.md has changes in [Unreleased]: move them to [{version}]")
    return problems


def main(tag: str = "") -> int:
    """Print the problems; returns the exit status."""
    texts = ((ROOT / name).read_text("utf-8") for name in ("CHANGELOG.md", "CITATION.cff"))
    problems = find_problems(tag, VERSION, *texts)
    for problem in problems:
        print(problem, file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
