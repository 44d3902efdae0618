"""Files for download, references, and the properties of metrics."""

import csv
import io

import pytest

from bamboo.config.metrics import build_metric
from bamboo.config.request import read_request
from bamboo.reference.listing import group_file, metric_facts
from bamboo.reference.yaml_files import described
from bamboo.site.content import properties_of
from bamboo.site.references import bibtex, known_entries


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
    assert "% Data version " in latex


def test_references_of_a_site(sites):
    text = (sites[0] / "data" / "references.bib").read_text("utf-8")
    keys = [line.partition("{")[2] for line in text.splitlines() if line.startswith("@")]
    assert keys == [
        "opitz-daza-frank-2021,",
        "cai-knight-2013,",
        "anchieta-cabezudo-pardo-2019,",
    ]
    page = (sites[0] / "metric" / "smatch.html").read_text("utf-8")
    assert "@inproceedings{cai-knight-2013," in page


def test_every_entry_is_complete():
    for key, entry in known_entries().items():
        assert entry.count("{") == entry.count("}")
        for field in ("author", "title", "year"):
            assert f"\n  {field}" in entry, key
        assert key.endswith(entry.partition("year")[2].partition("{")[2][:4])


@pytest.mark.parametrize(
    ("reference", "start"),
    [
        ("", ""),
        ("see my thesis", ""),
        ("Xiao et al. (2022), Align-smatch", "@inproceedings{xiao-et-al-2022,"),
        ("Doe and Roe (1999), 50 % {more} \\ ~", "@misc{doe-roe-1999,\n  author = {Doe and Roe}"),
    ],
)
def test_references_in_other_forms(reference, start):
    entry = bibtex(reference)
    assert entry.startswith(start)
    if "50" in reference:
        assert r"50 \% \{more\} \textbackslash{} \textasciitilde{}" in entry


def test_properties_are_those_of_list_metrics():
    names = ("smatch", "sembleu", "s2match", "wwlk_theta", "blend_untrained")
    jobs = read_request("run", [f"metric={','.join(names)}", "data=sample"]).jobs
    compared = 0
    for job in jobs:
        properties = properties_of(job, build_metric(job.name, job.metric, "sample"))
        facts = metric_facts(described(group_file("metric", job.base)))
        for name in ("trained", "vectors", "symmetric"):
            if facts[name] in ("yes", "no"):
                compared += 1
                assert (name in properties) == (facts[name] == "yes"), (job.base, name)
    assert compared >= 12


def test_learned_weights_and_options_count():
    (blend,) = read_request("run", ["metric=blend", "data=sample"]).jobs
    assert "trained" in properties_of(blend, build_metric(blend.name, blend.metric, "sample"))
    (sembleu,) = read_request(
        "run", ["metric=sembleu", "metric.symmetric=true", "data=sample"]
    ).jobs
    assert properties_of(sembleu, build_metric("x", sembleu.metric, "sample")) == ("symmetric",)
