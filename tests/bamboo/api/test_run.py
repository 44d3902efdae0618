"""`bamboo.run`, `bamboo.compare` with metrics, and `bamboo.load_result`: as the command line."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from harness import Command, UserFolder

import bamboo
import metrics
from bamboo.commands.run import Run
from bamboo.config.metrics import build_metric
from bamboo.config.objects import configuration, label
from bamboo.errors import BambooWarning, ConfigError
from bamboo.installation import resource
from metrics.base import Metric, Scores
from metrics.version import VERSION

SAMPLE = resource("data") / "sample" / "main"


def test_importing_bamboo_is_light() -> None:
    code = (
        "import sys, bamboo; dir(bamboo); "
        "print(sorted(n for n in sys.modules if n.split('.')[0] in ('bamboo', 'metrics', 'numpy',"
        "'hydra', 'numba', 'pandas', 'penman')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['bamboo']"


def test_every_exported_name_exists() -> None:
    for name in bamboo.__all__:
        assert getattr(bamboo, name) is not None
    assert dir(bamboo) == sorted(bamboo.__all__)
    assert callable(bamboo.explain)  # no module has the name of a function
    with pytest.raises(AttributeError, match="no attribute 'scroe': did you mean 'score'"):
        _ = bamboo.scroe  # type: ignore[attr-defined]


def without_times(document: Any) -> Any:
    """A result without what a second run changes."""
    del document["cache"]
    for row in document["rows"]:
        for cell in row["cells"]:
            del cell["cached"], cell["seconds"]
    return document


def test_a_run_has_the_numbers_of_the_command(
    cli: Command, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("metric=smatch,wlk", "data=sample", "partition=main,arg", "protocol=v0.2")
    expected = cli("run", *arguments, "report=json")
    result = bamboo.run(["smatch", "wlk"], "sample", ["main", "arg"], protocol="v0.2")
    assert capsys.readouterr() == ("", "")  # nothing is printed
    assert without_times(result.to_json()) == without_times(expected.json)
    assert result.folder.is_absolute()
    assert {path.name for path in result.folder.iterdir()} == {
        "config.yaml",
        "result.json",
        "scores.csv",
    }


def test_a_result_shows_itself(home: Path) -> None:
    result = bamboo.run("smatch", "sample", ci=True, resamples=20)
    assert isinstance(result, bamboo.Results)
    frame = result.to_frame()
    assert frame[["metric", "dataset", "pairs"]].values.tolist() == [["smatch", "sample", 64]]
    value = frame.loc[0, "value"]
    assert f"{value:.2f}" in repr(result)
    assert f"| {value:.2f} |" in result.to_markdown()
    assert f"& {value:.2f} &" in result.to_latex()
    html = result._repr_html_()
    assert f"{value:.2f}</td>" in html
    assert html.count("<table>") == 1


def test_a_plot_needs_no_display(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    result = bamboo.run("smatch,sema", "sample", "main,arg", ci=True, resamples=20)
    figure = result.plot()
    (axes,) = figure.axes
    heights = [bar.get_height() for bars in axes.containers for bar in bars]
    assert heights == result.to_frame()["value"].tolist()
    svg = figure._repr_svg_()  # type: ignore[attr-defined]
    assert svg == result.plot()._repr_svg_()  # type: ignore[attr-defined]
    assert "<svg" in svg


def test_a_result_is_loaded_from_its_folder(home: Path) -> None:
    result = bamboo.run("smatch,wlk", "sample", "main,arg", ci=True, resamples=20)
    loaded = bamboo.load_result(result.folder)
    assert loaded == result
    assert loaded.folder == result.folder
    scores = loaded.pair_scores()
    assert len(scores) == 2 * (64 + 26)
    assert pd.api.types.is_float_dtype(scores["matches"])
    again = bamboo.score(
        SAMPLE / "src.test.amr", SAMPLE / "tgt.test.amr", metric="smatch", ids="ignore"
    )
    of_main = scores[(scores["metric"] == "smatch") & (scores["partition"] == "main")]
    assert of_main["score"].tolist() == again.scores.tolist()  # every digit


def test_missing_pairs_and_problems_are_loaded(user: UserFolder, tiny: Path) -> None:
    user.metric("refusing", "Refusing")
    with pytest.warns(BambooWarning, match="1 pair is missing") as warned:
        result = bamboo.run("refusing", "tiny", on_error="nan", config_dir=user.path)
    assert warned[0].filename == __file__  # the line of the caller
    assert [problem["pair"] for problem in result.problems] == [0]
    loaded = bamboo.load_result(result.folder)
    assert loaded.problems == result.problems
    assert np.isnan(loaded.pair_scores()["score"]).tolist() == [True, False, False, False]


def test_equal_warnings_are_issued_each_time(user: UserFolder, tiny: Path) -> None:
    user.metric("refusing", "Refusing")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("default")
        for _ in range(2):
            bamboo.run("refusing", "tiny", on_error="nan", config_dir=user.path)
    assert [warning.category for warning in warned] == [BambooWarning, BambooWarning]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": "0.0.9"}, "was written by version 0.0.9; this is version"),
        ({"schema": 99}, "in another format (schema 99); this is version"),
        ({"rows": 3}, "is damaged"),
        ({"rows": [{"metric": "a"}]}, "is damaged: 'cells' is missing"),
        ({"schema": None, "version": None}, "was written by version None in another format"),
    ],
)
def test_a_folder_that_cannot_be_loaded(home: Path, change: dict[str, Any], message: str) -> None:
    document = bamboo.run("sema", "sample").to_json()
    folder = home / "other"
    folder.mkdir()
    (folder / "result.json").write_text(json.dumps(document | change), "utf-8")
    with pytest.raises(ConfigError) as error:
        bamboo.load_result(folder)
    assert message in str(error.value)
    assert str(folder / "result.json") in str(error.value)


def test_a_folder_of_another_version_can_be_loaded_on_request(home: Path) -> None:
    result = bamboo.run("sema", "sample")
    path = result.folder / "result.json"
    path.write_text(path.read_text("utf-8").replace(VERSION, "0.0.9"), "utf-8")
    assert bamboo.load_result(result.folder, other_version=True).signatures.keys() == {"sema"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read: No such file or directory. Give the folder of a run"),
        ("{", "is damaged"),
        ("[]", "is not the result of a run"),
        ("{}", "is not the result of a run"),
    ],
)
def test_a_folder_that_is_not_of_a_run(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "result.json").write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=r"result\.json") as error:
        bamboo.load_result(tmp_path)
    assert message in str(error.value)


def test_metrics_as_objects(home: Path) -> None:
    wanted = [metrics.get("wlk", K=1), "sema", metrics.get("sema", standardize="amr")]
    result = bamboo.run(wanted, "sample")
    assert list(result.signatures) == ["wlk K=1", "sema", "sema standardize=amr"]
    values = result.to_frame()["value"]
    named = bamboo.run("wlk", "sample", metric__K=1)
    assert named.to_frame()["value"][0] == values[0]
    assert named.signatures["wlk K=1"] == result.signatures["wlk K=1"]
    standardized = bamboo.run("sema", "sample", metric__standardize="amr")
    assert standardized.to_frame()["value"][0] == values[2]


@pytest.mark.parametrize("name", metrics.names())
def test_a_metric_is_built_again_from_its_configuration(name: str) -> None:
    metric = metrics.get(name)
    assert label(metric) == name or metrics.get(label(metric)) == metric
    config = configuration(metric)
    json.dumps(config)
    assert build_metric(name, config) == metric


def test_a_standardised_metric_is_built_again_from_its_configuration() -> None:
    # Smatch++ has an option of the same name, which must not be lost.
    pair = metrics.Pair(*map(metrics.parse_graph, ("(c / Cat :x 1)", '(c / cat :x "1")')))
    for inner in (metrics.Sema(), metrics.SmatchPP(standardize="generic")):
        metric = metrics.Standardized.of(inner, ["unquote"])
        again = build_metric("own", configuration(metric))
        assert again.signature == metric.signature
        assert again.score([pair]).tolist() == metric.score([pair]).tolist()


@dataclass(frozen=True, kw_only=True)
class Local(Metric):
    """A metric of this module, which is not imported by its name."""

    def evaluate(self, pairs: Any) -> Scores:
        return Scores(np.ones(len(pairs)))


def test_a_metric_that_cannot_be_imported(home: Path) -> None:
    def redefined(value: float) -> type[Local]:  # as in a cell of a notebook
        @dataclass(frozen=True, kw_only=True)
        class Inner(Local):
            def evaluate(self, pairs: Any) -> Scores:
                return Scores(np.arange(len(pairs)) * value)

        return Inner

    values = []
    for value in (1.0, -1.0, 1.0):
        result = bamboo.run([redefined(value)(), "sema"], "sample", engine="loky")
        assert list(result.signatures) == ["Inner", "sema"]
        values.append(result.to_frame()["value"][0])
    assert values[0] == values[2] == -values[1]  # none is from the cache
    assert bamboo.load_result(result.folder) == result
    assert bamboo.score("(c / cat)", "(d / dog)", redefined(1.0)()).score == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrc": "smatch"}, "unknown option 'metrc': did you mean 'metric'?"),
        ({"metric": "smacth"}, "unknown metric 'smacth': did you mean 'smatch'?"),
        ({"data": "sampel"}, "unknown data 'sampel': did you mean 'sample'?"),
        ({"partition": "mian"}, "unknown partition of sample 'mian': did you mean 'main'?"),
        ({"metric": "wlk", "metric__k": 3}, "unknown option of wlk 'k': did you mean 'K'?"),
        ({"ci": "perhaps"}, 'ci="perhaps": expected true or false'),
        ({"limit": 1}, "limit=1: use 2 or more pairs"),
        ({"metric": []}, "expected the name of a metric, a metric, or a list of them"),
        ({"metric": 3}, "expected the name of a metric"),
        ({"seed": object()}, "seed: object is not the value of an option"),
        ({"verbose": True}, "functions print nothing; progress=True shows progress"),
        ({"report": "json"}, "the result has to_markdown()"),
        ({"metric": metrics.Smatch(), "metric__root": "none"}, "set the options of a metric when"),
        ({"metric": [metrics.Smatch(), "smatch"]}, "smatch is requested twice"),
        ({"a b": 1}, "'a b' is not the name of an option"),
        ({"config_dir": "nowhere"}, "nowhere: no such folder"),
        ({"metric": "mine", "config_dir": "nowhere"}, "nowhere: no such folder"),
    ],
)
def test_bad_options(home: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        bamboo.run(**({"data": "sample"} | options))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_values_of_options() -> None:
    options = {"seed": 3, "ci": True, "out": Path("a ${b}, c"), "partition": ["main", "arg"]}
    command = Run.from_values({"metric": "smatch", **options, "limit": None})
    assert (command.seed, command.ci, command.limit) == (3, True, None)
    assert command.out == Path("a ${b}, c")
    assert command.partition == ("main", "arg")
    listed = {"metric": "sembleu", "metric__weights": [0.5, 1], "metric__k": 2}
    assert Run.from_values(listed).metric[0].metric["weights"] == [0.5, 1]
    weights = {":polarity": 3, "instance": 0.5}
    mapped = Run.from_values({"metric": "smatchpp", "metric__weights": weights})
    assert mapped.metric[0].metric["weights"] == weights


def test_progress_is_shown_on_request(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bamboo.run("sema", "sample", progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "scoring 1 of 1: sema sample main test" in err


def test_metrics_are_compared_as_by_the_command(cli: Command) -> None:
    arguments = ("metric=smatch,sema", "data=sample", "partition=main")
    draws = {"permutations": 50, "resamples": 50}
    words = [f"{name}={value}" for name, value in draws.items()]
    expected = cli("compare", *arguments, *words, "report=json").json
    comparison = bamboo.compare(metric=["smatch", "sema"], data="sample", partition="main", **draws)
    assert isinstance(comparison, bamboo.Comparison)
    assert comparison.to_json().items() <= expected.items()
    frame = comparison.to_frame()
    column = comparison["main_sample"]
    assert frame.loc[0, ["a", "b"]].tolist() == ["smatch", "sema"]
    assert frame.loc[0, "p_holm"] == column.p_holm[0, 1]
    assert frame.loc[0, "difference"] == pytest.approx(frame["value_a"][0] - frame["value_b"][0])
    assert "Ranking by main sample" in repr(comparison)
    assert comparison._repr_html_().count("<table>") == 2
    assert "Ranking" in comparison.to_latex()
    with pytest.raises(ConfigError, match="at least two metrics"):
        bamboo.compare(metric="smatch", data="sample")


def test_a_program_that_uses_hydra_itself(home: Path) -> None:
    from hydra import compose, initialize_config_dir

    (home / "conf").mkdir()
    (home / "conf/own.yaml").write_text("a: 3\n", "utf-8")
    with initialize_config_dir(str(home / "conf"), version_base="1.3"):
        assert bamboo.run("sema", "sample").signatures.keys() == {"sema"}
        assert compose("own").a == 3


def test_all_metrics_that_can_be_computed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAMBOO_VECTORS", str(home / "missing.txt"))
    with pytest.warns(BambooWarning, match="metric=all without s2match_default, s2match, wwlk"):
        result = bamboo.run("all", "sample", limit=3)
    names = ["smatch", "wsmatch", "sema", "sembleu_k1", "sembleu_k2", "sembleu_k3", "sembleu_k4"]
    names += ["wlk", "smatchpp", "rematch"]
    assert list(result.signatures) == names
    with pytest.raises(ConfigError, match=r"wwlk: .*no such file of word vectors"):
        bamboo.run("smatch,wwlk", "sample", limit=3)
