"""The command that builds partitions."""

import json
import shutil

import pytest

import bamboo
from amr_metrics import read_graphs
from bamboo.errors import BambooError
from bamboo.installation import resource


def test_built_partitions_can_be_used_as_data(cli, home):
    told = cli("build", "data=sample", "partition=[reify,arg]", "seed=3", "report=json").json
    assert [(m["partition"], m["seed"]) for m in told] == [("reify", 3), ("arg", 3)]
    folder = home / "downloads" / "built" / "sample"
    assert len(read_graphs(folder / "reify" / "src.test.amr")) == 64
    (score,) = bamboo.run("smatch", "sample", "arg", partition_source="built").board.scores
    manifest = json.loads((folder / "role_confusion" / "manifest.json").read_text())
    assert score.pairs == manifest["splits"]["test"]["pairs"]


def test_partitions_in_another_folder_are_used_as_the_command_says(cli, tmp_path):
    build = ("build", "data=sample", "partition=reify", "split=test")
    assert "(run partition_source=built uses it)" in cli(*build).out
    outcome = cli(*build, f"out={tmp_path}/there")
    assert "(run partition_source=built uses it)" not in outcome.out
    root = tmp_path / "there/sample"
    words = f"run data=sample partition=reify +data.sample.partitions.reify.root={root}"
    assert f"not this folder. To use it: {words} (docs" in outcome.out
    src, tgt = (root / "reify" / f"{side}.test.amr" for side in ("src", "tgt"))
    tgt.write_bytes(src.read_bytes())  # so that these graphs are recognised
    (cell,) = cli(*words.split(), "report=json").json["rows"][0]["cells"]
    assert (cell["source"], cell["n"], cell["value"]) == ("built", 64, None)


def test_existing_partitions_are_kept(tmp_path):
    def build(**options):
        return bamboo.build("sample", "reify", split="test", out=tmp_path, **options)

    build()
    with pytest.raises(BambooError, match="overwrite=true"):
        build()
    build(overwrite=True)


def test_a_partition_of_a_data_set_of_the_users(home, tmp_path):
    texts = ["(s / sleep-01 :ARG0 (c / cat) :mod (b / big))", "(b / bark-01 :ARG0 (d / dog))"]
    for side in ("src", "tgt"):
        (tmp_path / f"{side}.amr").write_text("\n\n".join(texts) + "\n")
    (tmp_path / "my.y").write_text("5\n2.5\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mine.yaml").write_text(
        "mine:\n  root: ..\n  scale: [0, 5]\n  partitions:\n"
        "    main: {src: src.amr, tgt: tgt.amr, ratings: my.y}\n"
        "    reify: {folder: built/mine/reify, ratings: my.y, pairs: {test: 2}}\n"
    )
    bamboo.build("mine", "reify", out=tmp_path / "built", config_dir=tmp_path)
    results = bamboo.run("smatch", "mine", ("main", "reify"), config_dir=tmp_path)
    assert [score.pairs for score, _ in results.list_scores(kind="cell")] == [2, 2]


def test_an_unknown_partition(refused):
    assert "did you mean 'reify'" in refused("build", "data=sample", "partition=reifi")


class TestUseOfBuiltPartitions:
    """What `run` takes as built is there."""

    @pytest.fixture(scope="class")
    def built_once(self, tmp_path_factory):
        """Reify and Arg of the sample."""
        folder = tmp_path_factory.mktemp("built")
        bamboo.build("sample", ("reify", "arg"), out=folder)
        return folder

    @pytest.fixture
    def built(self, home, built_once):
        """Both, in the folder where ``run`` looks for them."""
        folder = home / "downloads" / "built"
        shutil.copytree(built_once, folder)
        return folder / "sample"

    def run(self, partition, **options):
        return bamboo.run("smatch", "sample", partition, partition_source="built", **options)

    def refused(self, partition, **options):
        with pytest.raises(BambooError) as caught:
            self.run(partition, **options)
        return str(caught.value)

    def test_a_partition_that_is_not_built_is_an_error(self, built, home):
        assert self.refused(("reify", "syno")) == (
            f"not built in {home}/downloads/built: sample syno test. Build with: "
            "python -m bamboo build data=sample partition=syno"
        )
        assert "sample syno test. Build" in self.refused("all")

    def test_all_missing_partitions_of_a_data_set_are_named(self, home):
        message = self.refused("all")
        assert "sample reify test, sample syno test, sample arg test. Build" in message
        assert message.endswith("build data=sample partition=reify,syno,arg")

    def test_main_is_never_built(self, home):
        assert self.run("main").board.scores

    def test_only_the_partitions_asked_for_matter(self, built):
        assert self.run(("main", "reify", "arg")).board.scores

    def test_all_are_main_as_released_and_the_others_as_built(self, built):
        shutil.copytree(resource("data") / "sample" / "syno", built / "syno")
        parts = [score.part for score, _ in self.run("all").list_scores(kind="cell")]
        assert parts == [f"{name}_sample" for name in ("main", "reify", "syno", "arg")]

    def test_a_split_that_is_not_built_is_an_error(self, home):
        bamboo.build("sample", "reify", split="test")
        message = self.refused("reify", split="dev")
        assert "sample reify dev. Build with:" in message
        assert message.endswith("overwrite=true")
