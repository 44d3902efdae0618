"""Files for download, links to papers, and the properties of metrics."""

import csv
import io

from extras import needs_wordllama, needs_wordnet

from bamboo.config.rows import properties_of
from tests.configured import configured


def test_the_leaderboard_as_csv_and_latex(sites):
    folder = sites[1] / "data"
    rows = list(csv.reader(io.StringIO((folder / "result-paper.csv").read_text("utf-8"))))
    assert rows[0] == ["metric", "Main Sample"]
    page = (sites[1] / "index.html").read_text("utf-8")
    for name, value in rows[1:]:
        if value:
            assert f">{float(value):.2f}<" in page or f"{float(value):.2f} <span" in page, name
    assert [row[0] for row in rows[-2:]] == ["gaps", "nothing"]  # those with missing pairs
    latex = (folder / "result-v0.2.tex").read_text("utf-8")
    assert latex.startswith("% BAMBOO, Leaderboard v0.2 (x 100)\n")
    assert r"\textbf{" in latex


def test_sources_have_a_link(sites):
    page = (sites[0] / "metric" / "smatch.html").read_text("utf-8")
    assert 'section 3, <a href="https://aclanthology.org/P13-2131"' in page


@needs_wordllama
@needs_wordnet
def test_learned_weights_and_options_count():
    (blend,) = configured("run", ["metric=blend", "data=sample"]).rows
    assert "trained" in properties_of(blend, blend.metric)
    (sembleu,) = configured("run", ["metric=sembleu", "metric.symmetric=true", "data=sample"]).rows
    assert properties_of(sembleu, sembleu.on("sample")) == ("symmetric",)
