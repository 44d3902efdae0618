"""The command that builds partitions."""

import json
import random
import shutil
import sys

import pytest

from amr_metrics import read_graphs
from bamboo.benchmark import datasets
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.config.composition import compose_group
from bamboo.installation import resource
from bamboo.transforms.errors import BuildError


def test_built_partitions_can_be_used_as_data(cli, tmp_path):
    out = f"out={tmp_path}/built"
    told = cli("build", "data=sample", "partition=[reify,arg]", "seed=3", out, "report=json").json
    assert [(m["partition"], m["seed"]) for m in told] == [("reify", 3), ("arg", 3)]
    folder = tmp_path / "built" / "sample"
    assert len(read_graphs(folder / "reify" / "src.test.amr")) == 64
    run = ["run", "data=sample", "partition=arg", "report=json"]
    found = cli(*run, "partition_source=built", f"built={tmp_path}/built").json
    (cell,) = found["rows"][0]["cells"]
    assert (
        cell["n"]
        == json.loads((folder / "role_confusion" / "manifest.json").read_text())["splits"]["test"][
            "pairs"
        ]
    )


def test_existing_partitions_are_kept(cli, tmp_path):
    build = ["build", "data=sample", "partition=reify", "split=test", f"out={tmp_path}/built"]
    assert cli(*build).status == 0
    again = cli(*build)
    assert again.status == 1
    assert "overwrite=true" in again.err
    assert cli(*build, "overwrite=true").status == 0


def test_a_partition_of_a_data_set_of_the_users(cli, tmp_path):
    texts = ["(s / sleep-01 :ARG0 (c / cat) :mod (b / big))", "(b / bark-01 :ARG0 (d / dog))"]
    for side in ("src", "tgt"):
        (tmp_path / f"{side}.amr").write_text("\n\n".join(texts) + "\n")
    (tmp_path / "my.y").write_text("5\n2.5\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mine.yaml").write_text(
        "root: ..\nscale: [0, 5]\npartitions:\n"
        "  main: {src: src.amr, tgt: tgt.amr, ratings: my.y}\n"
        "  reify: {folder: built/mine/reify, ratings: my.y, pairs: {test: 2}}\n"
    )
    config = f"--config-dir={tmp_path}"
    outcome = cli("build", "data=mine", "partition=reify", f"out={tmp_path}/built", config)
    assert outcome.status == 0, outcome.err
    outcome = cli("run", "data=mine", "partition=[main,reify]", "report=json", config)
    assert outcome.status == 0, outcome.err
    found = outcome.json
    assert [cell["n"] for cell in found["rows"][0]["cells"]] == [2, 2]


def test_bad_requests(cli, tmp_path):
    for arguments, message in (
        (["partition=reifi"], "did you mean 'reify'"),
        (["partition=reify", 'roles=[":nothing"]'], "no rule reifies ':nothing'"),
    ):
        outcome = cli("build", "data=sample", f"out={tmp_path}", *arguments)
        assert outcome.status == 1
        assert message in outcome.err


class TestOwnTransforms:
    """Transforms from a folder of the user's."""

    CODE = """
from dataclasses import dataclass
from typing import ClassVar

from bamboo.transforms.recipes import Recipe, each_graph
from bamboo.transforms.record import Transformed


@dataclass(frozen=True, kw_only=True, eq=False)
class Copy(Recipe):
    times: int = 1
    name: ClassVar[str] = "copy"
    folder: ClassVar[str] = "copies"

    def build(self, split, sides, generator):
        return each_graph(split, sides, lambda graph: Transformed(graph, ()))

    def describe(self):
        return {"times": self.times}
"""

    @pytest.fixture
    def build(self, cli, tmp_path, monkeypatch):
        """Runs ``build`` with one transform, given as the text of its YAML."""
        (tmp_path / "transform").mkdir()
        (tmp_path / "own_transform.py").write_text(self.CODE)
        monkeypatch.setattr("sys.path", [*sys.path])
        monkeypatch.delitem(sys.modules, "own_transform", raising=False)

        def run(text, name="copy"):
            (tmp_path / "transform" / f"{name}.yaml").write_text(text)
            where = ["split=test", f"out={tmp_path}/built", f"--config-dir={tmp_path}"]
            return cli("build", "data=sample", f"partition={name}", *where, "report=json")

        return run

    def test_its_options_are_in_the_manifest(self, build, tmp_path):
        (manifest,) = build("_target_: own_transform.Copy\ntimes: 3\n").json
        assert manifest["recipe"] == {"times": 3}
        copies = read_graphs(tmp_path / "built" / "sample" / "copies" / "src.test.amr")
        assert copies == read_graphs(resource("data") / "sample" / "main" / "src.test.amr")

    @pytest.mark.parametrize(
        ("text", "name", "message"),
        [
            ("times: 3", "copy", "no _target_"),
            ("- 1", "copy", "expected a mapping"),
            ("a: [", "copy", "copy.yaml cannot be read: "),
            ("_target_: own_transform.Missing", "copy", "Missing"),
            ("_target_: own_transform.Copy\nsize: 1", "copy", "'size'"),
            ("_target_: builtins.dict", "copy", "not a subclass of Recipe"),
            ("_target_: own_transform.Copy", "kopie", "the class and the YAML file the same name"),
            ("_target_: own_transform.Copy", "reify", "transform 'reify' already exists"),
        ],
    )
    def test_invalid_transforms_are_errors(self, build, text, name, message):
        outcome = build(text, name)
        assert outcome.status == 1
        assert message in outcome.err
        assert outcome.err.startswith("error: ")
        assert len(outcome.err.splitlines()) == 1

    def test_an_unknown_name_lists_own_transforms(self, cli, tmp_path):
        (tmp_path / "transform").mkdir()
        (tmp_path / "transform" / "copy.yaml").write_text("_target_: own_transform.Copy\n")
        outcome = cli("build", "data=sample", "partition=coppy", f"--config-dir={tmp_path}")
        assert outcome.status == 1
        assert "did you mean 'copy'" in outcome.err


class TestUseOfBuiltPartitions:
    """What `run` takes as built is there, whole, and as it was built."""

    RUN = ("run", "data=sample", "partition_source=built", "report=json")

    @pytest.fixture
    def built(self, cli, home):
        """Reify and Arg of the sample, in the folder where ``run`` looks for them."""
        outcome = cli("build", "data=sample", "partition=[reify,arg]")
        assert outcome.status == 0, outcome.err
        return home / "downloads" / "built" / "sample"

    def test_a_partition_that_is_not_built_is_an_error(self, refused, built, home):
        message = refused(*self.RUN, "partition=[reify,syno]")
        assert message == (
            f"not built in {home}/downloads/built: sample syno test. Build with: "
            "python -m bamboo build data=sample partition=syno"
        )
        assert "sample syno test. Build" in refused(*self.RUN, "partition=all")

    def test_all_missing_partitions_are_named(self, refused, user):
        user.data("mine", [1, 2, 3], [0, 0.5, 1], ("main", "reify"))
        words = ("run", "data=[sample,mine]", "partition_source=built", "partition=all")
        message = refused(*words, user.option)
        assert "sample reify test, sample syno test, sample arg test, mine reify test." in message
        assert "build data=sample,mine partition=reify,syno,arg" in message

    def test_main_is_never_built(self, cli, home):
        assert cli(*self.RUN, "partition=main").status == 0

    def test_only_the_partitions_asked_for_matter(self, cli, built):
        assert cli(*self.RUN, "partition=[main,reify,arg]").status == 0

    def test_all_are_main_as_released_and_the_others_as_built(self, cli, built, home):
        shutil.copytree(resource("data") / "sample" / "syno", built / "syno")
        found = cli(*self.RUN, "partition=all").json["rows"][0]["cells"]
        assert [cell["partition"] for cell in found] == ["main", "reify", "syno", "arg"]

    def test_a_split_that_is_not_built_is_an_error(self, refused, cli, home):
        cli("build", "data=sample", "partition=reify", "split=test")
        message = refused(*self.RUN, "partition=reify", "split=dev")
        assert "sample reify dev. Build with:" in message
        assert message.endswith("overwrite=true")

    @pytest.mark.parametrize("file", ["src.test.amr", "tgt.test.amr", "manifest.json"])
    def test_a_flipped_bit_is_detected(self, cli, built, home, file):
        dataset = Dataset.from_config(compose_group("data", "sample")).with_built(
            built.parent, ["reify"], "test"
        )
        path = built / "reify" / file
        whole, rng = path.read_bytes(), random.Random(0)
        cell = Cell(dataset, "reify", "test")
        cell.digest()
        for place in rng.sample(range(8 * len(whole)), 30):
            changed = bytearray(whole)
            changed[place // 8] ^= 1 << place % 8
            path.write_bytes(bytes(changed))
            for use in (cell.digest, cell.load):
                with pytest.raises(BuildError, match="with overwrite=true"):
                    use()

    def test_a_changed_file_stops_a_run_until_it_is_built_again(self, cli, refused, built):
        first = cli(*self.RUN, "partition=reify").result
        path = built / "reify" / "src.test.amr"
        path.write_text(path.read_text().replace(":ARG0", ":ARG1", 1))
        message = refused(*self.RUN, "partition=reify")
        assert message.startswith(f"{path} has changed since it was built: its SHA-256 is ")
        manifest = built / "reify" / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"seed": 0', '"seed": 1'))
        assert "manifest.json is not the manifest" in refused(*self.RUN, "partition=reify")
        assert cli("build", "data=sample", "partition=reify", "overwrite=true").status == 0
        assert cli(*self.RUN, "partition=reify").result == first

    def test_a_partition_without_its_manifest_is_an_error(self, refused, built):
        (built / "reify" / "manifest.json").unlink()
        assert "manifest.json cannot be read" in refused(*self.RUN, "partition=reify")

    def test_the_bundled_sample_is_verified(self, refused, home):
        copy = home / "sample"
        shutil.copytree(resource("data") / "sample", copy)
        path = copy / "reify" / "tgt.test.amr"
        path.write_text(path.read_text() + "\n")
        message = refused("run", "data=sample", f"data.root={copy}", "partition=reify")
        assert message.startswith(f"{path} has changed since it was built")

    def test_a_partition_built_by_another_version_gives_a_warning(self, cli, built, monkeypatch):
        assert "warning" not in cli(*self.RUN, "partition=reify").err
        monkeypatch.setattr(datasets, "builder", lambda: "another")
        outcome = cli(*self.RUN, "partition=[main,reify]")
        assert outcome.status == 0
        assert outcome.err.startswith(
            "warning: sample reify was built by another version of the code. To build it with "
            "this one: python -m bamboo build data=sample partition=reify overwrite=true\n"
        )
