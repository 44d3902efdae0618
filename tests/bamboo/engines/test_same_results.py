"""Every engine returns the same scores, to the last bit."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bamboo.engines import SERIAL, Dask, Processes
from bamboo.engines.dask import close_connections
from bamboo.pairs.notation import PENMAN
from bamboo.pairs.sides import side_of
from bamboo.scoring.files import PairsOfFiles
from bamboo.statistics import Sample, perm_both
from metrics import Corpus, Pairs, Smatch
from metrics.features.sembleu import SemBleu
from metrics.reading.writing import format_graph
from tests.bamboo.engines import functions
from tests.bamboo.engines.dask_processes import ROOT
from tests.strategies import graphs

pytest.importorskip("distributed", reason="needs the extra dask: pip install -e '.[dask]'")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning",
        "ignore::pytest.PytestUnraisableExceptionWarning",
        "ignore:The recursion limit will not be reset",  # writing a graph raises it
    ),
]

ENGINES = (*(Processes(name="loky", jobs=jobs) for jobs in (1, 2, 3, 4)), Dask(jobs=2))


@pytest.fixture(scope="module", autouse=True)
def _workers():
    yield
    close_connections()


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: f"{engine.name} {engine.jobs}")
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=st.lists(graphs(), min_size=1, max_size=8), data=st.data())
def test_scores(engine, made, data):
    corpus = Corpus.of(made)
    at = st.lists(st.integers(0, len(made) - 1), min_size=1, max_size=20)
    src, tgt = np.array(data.draw(at)), np.array(data.draw(at))
    count = min(len(src), len(tgt))
    pairs = Pairs(corpus, corpus, src[:count], tgt[:count])
    size = data.draw(st.integers(1, 7))
    ordered = data.draw(st.booleans())
    chunks = [(pairs[k : k + size],) for k in range(0, count, size)]
    expected = list(SERIAL.map(functions.scored, chunks))
    results = list(engine.map(functions.scored, chunks, ordered=ordered))
    if not ordered:
        expected, results = sorted(expected), sorted(results)
    assert results == expected
    # Neither do they depend on how the pairs are divided.
    whole = functions.scored(pairs)
    if ordered:
        assert [b"".join(parts) for parts in zip(*results, strict=True)] == whole


sides = st.lists(st.tuples(graphs(), graphs(), st.sampled_from(["", "", "src", "tgt"])), min_size=1)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: f"{engine.name} {engine.jobs}")
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=sides, on_error=st.sampled_from(["nan", "zero"]), size=st.integers(1, 4))
def test_the_pipeline(engine, made, on_error, size):
    texts = [
        [format_graph(pair[side]) + (")" if pair[2] == name else "") for pair in made]
        for side, name in enumerate(("src", "tgt"))
    ]
    metrics = {"smatch": Smatch(), "sembleu": SemBleu()}

    def scored(chosen):
        src, tgt = (side_of(side, "side", PENMAN, on_error) for side in texts)
        pairs = PairsOfFiles(src=src, tgt=tgt, on_error=on_error, ids="ignore")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("bamboo.scoring.pipeline.SMALLER_CHUNK", size)
            found, *notes = pairs.score(metrics, lowest=2, engine=chosen)
        return [*notes] + [
            (
                {name: column.tobytes() for name, column in files.scores.details.items()},
                files.scores.values.tobytes(),
                files.problems,
                files.corpus,
                [*files.lowest],
            )
            for files in found.values()
        ]

    assert repr(scored(engine)) == repr(scored(SERIAL))


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: f"{engine.name} {engine.jobs}")
def test_permutations(engine):
    rng = np.random.default_rng(0)
    samples = {"a": Sample("pearson", rng.normal(size=(4, 500)), rng.normal(size=500))}
    expected = perm_both(samples, 3_000)
    found = perm_both(samples, 3_000, engine=engine)
    assert all(found[name].p.tobytes() == expected[name].p.tobytes() for name in expected)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: f"{engine.name} {engine.jobs}")
def test_relative_paths(engine, tmp_path, monkeypatch):
    """Workers that are used again read files in the present working directory of the caller."""
    for text in ("first", "second"):
        (tmp_path / text).mkdir()
        monkeypatch.chdir(tmp_path / text)
        Path("file").write_text(text)
        assert set(engine.map(functions.text_of, [("file",)] * 8)) == {text}


OPTIONS = (
    ("metric=smatchpp", "aspects=all", "ci=true", "resamples=50", "worst=3", "report=json"),
    ("metric=[smatch,sembleu]", "report=csv"),
    ("metric=smatch", "ids=match", "on_error=zero", "report=json"),
    ("metric=smatch", "pairs=all", "report=csv"),
)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options[0] + options[1])
def test_the_command_score(cli, home, monkeypatch, options):
    monkeypatch.setattr("bamboo.scoring.pipeline.SMALLER_CHUNK", 7)
    for side in ("src", "tgt"):
        text = (ROOT / "data" / "sample" / "main" / f"{side}.test.amr").read_text("utf-8")
        graphs = [f"# ::id {k}\n{graph}" for k, graph in enumerate(text.split("\n\n")[:25])]
        (home / f"{side}.amr").write_text("\n\n".join(graphs), "utf-8")
    if "on_error=zero" in options:
        text = (home / "src.amr").read_text("utf-8")
        (home / "src.amr").write_text(text.replace("# ::id 11\n(", "# ::id 11\n(("), "utf-8")
    outputs = []
    for engine in (["serial"], ["loky", "engine.jobs=2"], ["dask", "engine.jobs=2"]):
        per_pair = f"per_pair={home / 'pairs.csv'}"
        arguments = ["src.amr", "tgt.amr", *options, per_pair, f"engine={engine[0]}", *engine[1:]]
        outcome = cli("score", *arguments, "quiet=true")
        assert outcome.status == 0, outcome.err
        outputs.append((outcome.out, outcome.err, (home / "pairs.csv").read_bytes()))
    assert outputs[1] == outputs[0]
    assert outputs[2] == outputs[0]
