"""Reports on two parsers, of 40 sentences of the sample."""

from dataclasses import replace

import pytest
from harness import SAMPLE, noisy

from amr_metrics import format_graphs, read_graphs
from bamboo.app.main import main


@pytest.fixture(scope="session")
def parser_files(tmp_path_factory):
    """Two parsers of different quality and the gold standard: 40 sentences with ids."""
    folder = tmp_path_factory.mktemp("parsers")
    sample = SAMPLE / "main" / "src.test.amr"
    gold = [
        replace(graph, metadata={"id": f"doc.{k}", "snt": graph.sentence})
        for k, graph in enumerate(read_graphs(sample)[:40])
    ]
    (folder / "gold.amr").write_text(format_graphs(gold), "utf-8")
    for name, share in (("good", 0.1), ("poor", 0.5)):
        noisy(folder / f"{name}.amr", share, 1)
        graphs = read_graphs(folder / f"{name}.amr")[:40]
        named = [replace(g, metadata=gold[k].metadata) for k, g in enumerate(graphs)]
        (folder / f"{name}.amr").write_text(format_graphs(named), "utf-8")
    return folder


@pytest.fixture(scope="session")
def sample_report(parser_files):
    """The report on both parsers."""
    files = [str(parser_files / f"{name}.amr") for name in ("good", "poor", "gold")]
    out = parser_files / "report"
    assert main(["score", *files, "report=html", f"out={out}", "resamples=200"]) == 0
    return out
