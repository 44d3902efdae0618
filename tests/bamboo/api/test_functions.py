"""The functions of `bamboo`: run, load_result, and compare with metrics; as the commands."""

import json
import subprocess
import sys
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from harness import SAMPLE

import amr_metrics
import bamboo
from amr_metrics.base import Metric, Scores
from amr_metrics.errors import GraphError, MetricError
from amr_metrics.version import VERSION
from bamboo.errors import BambooWarning, ConfigError


def test_importing_bamboo_is_light():
    code = (
        "import sys, bamboo; dir(bamboo); "
        "print(sorted(n for n in sys.modules if n.split('.')[0] in ('bamboo', 'amr_metrics', "
        "'numpy', 'hydra', 'pandas', 'penman')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['bamboo']"


def test_every_exported_name_exists():
    for name in bamboo.__all__:
        assert getattr(bamboo, name) is not None
    assert dir(bamboo) == sorted(bamboo.__all__)
    assert callable(bamboo.explain)  # no module has the name of a function
    with pytest.raises(AttributeError, match="no attribute 'scroe': did you mean 'score'"):
        _ = bamboo.scroe
    assert issubclass(ConfigError, bamboo.BambooError)
    assert issubclass(GraphError, amr_metrics.MetricError)
    assert amr_metrics.MetricError is MetricError


def without_times(document):
    """A result without what a second run changes."""
    del document["cache"]
    for row in document["rows"]:
        for cell in row["cells"]:
            del cell["cached"], cell["seconds"]
    return document


def test_a_run_has_the_numbers_of_the_command(cli, capsys):
    arguments = ("metric=[smatch,wlk]", "data=sample", "partition=[main,arg]", "protocol=v0.2")
    expected = cli("run", *arguments, "report=json")
    result = bamboo.run(["smatch", "wlk"], "sample", ["main", "arg"], protocol="v0.2")
    assert capsys.readouterr() == ("", "")  # nothing is printed
    assert without_times(result.to_json()) == without_times(expected.json)
    assert result.folder.is_absolute()
    names = {path.name for path in result.folder.iterdir()}
    assert names == {"config.yaml", "result.json", "scores.csv"}


def test_a_result_shows_itself(home):
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


def test_a_result_is_loaded_from_its_folder(home):
    result = bamboo.run("smatch,wlk", "sample", "main,arg", ci=True, resamples=20)
    loaded = bamboo.load_result(result.folder)
    assert loaded == result
    assert loaded.folder == result.folder
    scores = loaded.pair_scores()
    assert len(scores) == 2 * (64 + 26)
    assert pd.api.types.is_float_dtype(scores["matches"])
    files = (SAMPLE / "main" / f"{side}.test.amr" for side in ("src", "tgt"))
    again = bamboo.score(*files, metric="smatch", ids="ignore")
    of_main = scores[(scores["metric"] == "smatch") & (scores["partition"] == "main")]
    assert of_main["score"].tolist() == again.scores.tolist()  # every digit


def test_missing_pairs_are_warned_of_each_time_and_loaded(user, tiny):
    user.metric("refusing", "Refusing")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("default")
        for _ in range(2):
            result = bamboo.run("refusing", "tiny", on_error="nan", config_dir=user.path)
    for warning in warned:
        assert warning.category is BambooWarning
        assert "1 pair is missing" in str(warning.message)
        assert warning.filename == __file__  # the line of the caller
    assert len(warned) == 2
    assert [problem["pair"] for problem in result.problems] == [0]
    loaded = bamboo.load_result(result.folder)
    assert loaded.problems == result.problems
    assert np.isnan(loaded.pair_scores()["score"]).tolist() == [True, False, False, False]


DOCUMENT = {"schema": 1, "version": VERSION, "protocol": "paper", "rows": [], "notes": []}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"version": "0.0.9"}, "was written by version 0.0.9; this is version"),
        ({"schema": 99}, "in another format (schema 99); this is version"),
        ({"rows": 3}, "is damaged"),
        ({"rows": [{"metric": "a"}]}, "is damaged: 'cells' is missing"),
        ({"schema": None, "version": None}, "was written by version None in another format"),
        (None, "cannot be read: No such file or directory. Give the folder of a run"),
        ("{", "is damaged"),
        ("[]", "is not the result of a run"),
        ("{}", "is not the result of a run"),
    ],
)
def test_a_folder_that_cannot_be_loaded(tmp_path, content, message):
    path = tmp_path / "result.json"
    if content is not None:
        text = json.dumps(DOCUMENT | content) if isinstance(content, dict) else content
        path.write_text(text, "utf-8")
    with pytest.raises(ConfigError) as error:
        bamboo.load_result(tmp_path)
    assert message in str(error.value)
    assert str(path) in str(error.value)


def test_a_folder_of_another_version_can_be_loaded_on_request(home):
    result = bamboo.run("sema", "sample")
    path = result.folder / "result.json"
    path.write_text(path.read_text("utf-8").replace(VERSION, "0.0.9"), "utf-8")
    assert bamboo.load_result(result.folder, other_version=True).signatures.keys() == {"sema"}


def test_metrics_as_objects(home):
    wanted = [amr_metrics.get("wlk", K=1), "sema", amr_metrics.get("sema", standardize="amr")]
    result = bamboo.run(wanted, "sample")
    assert list(result.signatures) == ["wlk K=1", "sema", "sema standardize=amr"]
    values = result.to_frame()["value"]
    named = bamboo.run("wlk", "sample", options={"K": 1})
    assert named.to_frame()["value"][0] == values[0]
    assert named.signatures["wlk K=1"] == result.signatures["wlk K=1"]
    standardized = bamboo.run("sema", "sample", options={"standardize": "amr"})
    assert standardized.to_frame()["value"][0] == values[2]


@dataclass(frozen=True, kw_only=True)
class Local(Metric):
    """A metric of this module, which is not imported by its name."""

    def evaluate(self, pairs):
        return Scores(np.ones(len(pairs)))


def test_a_metric_that_cannot_be_imported(home):
    def redefined(value):  # as in a cell of a notebook
        @dataclass(frozen=True, kw_only=True)
        class Inner(Local):
            def evaluate(self, pairs):
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
        ({"metrc": "smatch"}, "unknown option of run 'metrc': did you mean 'metric'?"),
        ({"metric": "wlk", "options": {"k": 3}}, "unknown option of wlk 'k': did you mean 'K'?"),
        ({"ci": "perhaps"}, 'ci="perhaps": expected true or false'),
        ({"metric": []}, "metric: expected a name, or a list of them"),
        ({"metric": 3}, "metric=3: expected a string or"),
        ({"data": 3}, "data=3: expected a string or"),
        ({"seed": object()}, "expected an integer"),
        ({"metric": amr_metrics.Smatch(), "options": {"root": "none"}}, "when it is created"),
        ({"metric": [amr_metrics.Smatch(), "smatch"]}, "smatch is requested twice"),
        ({"config_dir": "nowhere"}, "nowhere: no such folder"),
    ],
)
def test_bad_options(home, options, message):
    with pytest.raises(ConfigError) as error:
        bamboo.run(**({"data": "sample"} | options))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_progress_is_shown_on_request(home, capsys):
    bamboo.run("sema", "sample", progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "scoring 1 of 1: sema sample main test" in err


def test_metrics_are_compared_as_by_the_command(cli):
    arguments = ("metric=[smatch,sema]", "data=sample", "partition=main")
    draws = {"permutations": 50, "resamples": 50}
    words = [f"{name}={value}" for name, value in draws.items()]
    expected = cli("compare", *arguments, *words, "report=json").json
    comparison = bamboo.compare(metric=["smatch", "sema"], data="sample", partition="main", **draws)
    assert isinstance(comparison, bamboo.Results)
    assert {**comparison.to_json(), "cache": expected["cache"]} == expected
    frame = comparison.differences()
    row = comparison.board.differences[0]
    assert frame.loc[0, ["a", "b"]].tolist() == [row.first, row.second] == ["smatch", "sema"]
    assert frame.loc[0, "p_adjusted"] == row.p_adjusted
    assert frame.loc[0, "difference"] == pytest.approx(frame["value_a"][0] - frame["value_b"][0])
    scores = comparison.to_frame()
    assert scores["value"].tolist() == frame.loc[0, ["value_a", "value_b"]].tolist()
    values = bamboo.load_result(comparison.folder).to_frame()["value"]
    assert scores["value"].tolist() == pytest.approx(values.tolist())
    assert len(comparison.pair_scores()) == 2 * 64
    assert "Ranking by main sample" in repr(comparison)
    assert comparison._repr_html_().count("<table>") == 2
    assert "Ranking" in comparison.to_latex()
    with pytest.raises(ConfigError, match="at least two metrics"):
        bamboo.compare(metric="smatch", data="sample")


def test_a_program_that_uses_hydra_itself(home):
    from hydra import compose, initialize_config_dir

    (home / "conf").mkdir()
    (home / "conf/own.yaml").write_text("a: 3\n", "utf-8")
    with initialize_config_dir(str(home / "conf"), version_base="1.3"):
        assert bamboo.run("sema", "sample").signatures.keys() == {"sema"}
        assert compose("own").a == 3
