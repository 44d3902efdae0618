"""The command that builds partitions."""

import json
import shutil

import pytest

from amr_metrics import read_graphs
from bamboo.installation import resource


def test_built_partitions_can_be_used_as_data(cli, home):
    told = cli("build", "data=sample", "partition=[reify,arg]", "seed=3", "report=json").json
    assert [(m["partition"], m["seed"]) for m in told] == [("reify", 3), ("arg", 3)]
    folder = home / "downloads" / "built" / "sample"
    assert len(read_graphs(folder / "reify" / "src.test.amr")) == 64
    run = ["run", "data=sample", "partition=arg", "report=json"]
    document = cli(*run, "partition_source=built").json
    (cell,) = document["rows"][0]["cells"]
    assert (
        cell["n"]
        == json.loads((folder / "role_confusion" / "manifest.json").read_text())["splits"]["test"][
            "pairs"
        ]
    )


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
        "mine:\n  root: ..\n  scale: [0, 5]\n  partitions:\n"
        "    main: {src: src.amr, tgt: tgt.amr, ratings: my.y}\n"
        "    reify: {folder: built/mine/reify, ratings: my.y, pairs: {test: 2}}\n"
    )
    config = f"--config-dir={tmp_path}"
    outcome = cli("build", "data=mine", "partition=reify", f"out={tmp_path}/built", config)
    assert outcome.status == 0, outcome.err
    outcome = cli("run", "data=mine", "partition=[main,reify]", "report=json", config)
    assert outcome.status == 0, outcome.err
    document = outcome.json
    assert [cell["n"] for cell in document["rows"][0]["cells"]] == [2, 2]


def test_an_unknown_partition(refused):
    assert "did you mean 'reify'" in refused("build", "data=sample", "partition=reifi")


class TestUseOfBuiltPartitions:
    """What `run` takes as built is there."""

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

    def test_all_missing_partitions_of_a_data_set_are_named(self, refused, home):
        message = refused(*self.RUN, "partition=all")
        assert "sample reify test, sample syno test, sample arg test. Build" in message
        assert message.endswith("build data=sample partition=reify,syno,arg")

    def test_main_is_never_built(self, cli, home):
        assert cli(*self.RUN, "partition=main").status == 0

    def test_only_the_partitions_asked_for_matter(self, cli, built):
        assert cli(*self.RUN, "partition=[main,reify,arg]").status == 0

    def test_all_are_main_as_released_and_the_others_as_built(self, cli, built, home):
        shutil.copytree(resource("data") / "sample" / "syno", built / "syno")
        cells = cli(*self.RUN, "partition=all").json["rows"][0]["cells"]
        assert [cell["partition"] for cell in cells] == ["main", "reify", "syno", "arg"]

    def test_a_split_that_is_not_built_is_an_error(self, refused, cli, home):
        cli("build", "data=sample", "partition=reify", "split=test")
        message = refused(*self.RUN, "partition=reify", "split=dev")
        assert "sample reify dev. Build with:" in message
        assert message.endswith("overwrite=true")
