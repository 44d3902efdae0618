"""BibTeX of the papers that define the metrics, from ``amr_metrics/tables/references.bib``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from amr_metrics.utils.files import TABLES

ENTRY = re.compile(r"^@\w+\{([^,]+),\n.*?^\}\n", re.DOTALL | re.MULTILINE)
TITLE = re.compile(r"^  title = \{(.*)\},?$", re.MULTILINE)


def citations(reference: str) -> dict[str, str]:
    """Return the BibTeX entries of the papers in a metric's reference, by key.

    A paper is recognised by its title.

    Args:
        reference: as in `amr_metrics.base.Metric.reference`.

    >>> from amr_metrics import get
    >>> [*citations(get("smatch").reference)]
    ['cai-knight-2013-smatch']
    """
    text = _keep_letters(reference)
    return {key: entry for key, (title, entry) in _read_entries().items() if title in text}


@cache
def _read_entries() -> Mapping[str, tuple[str, str]]:
    """Return the letters of the title, and the text, of each entry."""
    text = (TABLES / "references.bib").read_text("utf-8")
    entries = {}
    for match in ENTRY.finditer(text):
        title = TITLE.search(match[0])
        assert title is not None
        entries[match[1]] = _keep_letters(title[1]), match[0].rstrip("\n")
    return entries


def _keep_letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())
