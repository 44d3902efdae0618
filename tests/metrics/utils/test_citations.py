"""Papers of the metrics in BibTeX."""

import re
from importlib.resources import files

import pytest

from amr_metrics import get
from amr_metrics.building import names
from amr_metrics.utils.citations import citations

WITHOUT_PAPER = {
    "concept_smatch",
    "label_overlap",
    "text_cosine",
    "text_jaccard",
    "blend",
    "blend_untrained",
}


@pytest.mark.parametrize("name", sorted({*names()} - WITHOUT_PAPER))
def test_every_metric_with_a_paper_has_an_entry(name):
    assert citations(get(name).reference)


def test_entries_are_complete():
    text = files("amr_metrics").joinpath("tables", "references.bib").read_text("utf-8")
    entries = text.split("\n\n")
    assert len(entries) == text.count("@")
    for entry in entries:
        assert entry.count("{") == entry.count("}")
        assert {"title", "author", "year"} <= {*re.findall(r"^  (\w+) = ", entry, re.MULTILINE)}
