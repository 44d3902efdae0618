"""The folder of a run: its files, its name, and when it is replaced."""

import json
import re
from datetime import datetime
from pathlib import Path

import pytest
import yaml
from harness import read_files, the_run

import bamboo
from amr_metrics.version import VERSION
from bamboo.errors import ConfigError


def test_the_files_that_a_run_writes(cli, user, tiny, home):
    outcome = cli("run", "metric=size", "data=tiny", "report=json", user.option)
    folder = the_run(home)
    assert folder == home / "runs/run/data=tiny,metric=size"
    assert sorted(path.name for path in folder.iterdir()) == [
        ".hydra",
        "config.yaml",
        "result.json",
        "scores.csv",
    ]
    written = json.loads((folder / "result.json").read_text())
    provenance = written.pop("provenance")
    assert written == outcome.json
    assert provenance["command"].startswith("python -m bamboo run metric=size data=tiny")
    assert provenance["version"] == VERSION
    assert {"numpy", "penman"} < set(provenance["packages"])
    assert list(provenance["data"]) == ["tiny main test"]
    assert datetime.fromisoformat(provenance["date"]).tzinfo is not None
    config = yaml.safe_load((folder / "config.yaml").read_text())
    assert config["metric"] == {"size": {"_target_": "harness_plugins.Size", "factor": 1.0}}
    assert config["data"]["tiny"]["root"] == str(tiny)
    assert (config["split"], config["protocol"]["name"]) == ("test", "paper")
    assert (folder / "scores.csv").read_text() == (
        "metric,dataset,partition,split,pair,score,rating\n"
        "size,tiny,main,test,0,1.0,0.0\n"
        "size,tiny,main,test,1,2.0,0.5\n"
        "size,tiny,main,test,2,3.0,0.25\n"
        "size,tiny,main,test,3,5.0,1.0\n"
    )


class TestFolders:
    def test_the_same_command_replaces_its_folder(self, cli, home):
        for cache in ("use", "off"):
            assert cli("run", "data=sample", f"cache={cache}").status == 0
        assert cli("run", "data=sample", "metric.smatch.root=none").status == 0
        assert sorted(path.name for path in (home / "runs/run").iterdir()) == [
            "data=sample",
            "data=sample,metric.smatch.root=none",
        ]

    def test_other_numbers_do_not_replace_a_folder(self, user, tiny):
        first = user.run("size").folder
        before = (first / "result.json").read_text()
        (tiny / "test.y").write_text("1\n0.5\n0.25\n0\n")
        for _ in range(2):  # and not a third one
            assert user.run("size").folder == first.with_name(f"{first.name}-2")
            assert (first / "result.json").read_text() == before

    def test_a_damaged_folder_is_not_replaced(self, user, tiny):
        first = user.run("size").folder
        (first / "result.json").write_text("[")
        assert user.run("size").folder.name == f"{first.name}-2"
        assert (first / "result.json").read_text() == "["

    def test_names_are_safe_for_shells(self, cli, home):
        options = (
            "+metric.smatch.standardize=[unquote,fold_domain]",
            "metric.smatch.root=[concept,none]",
        )
        assert cli("run", "data=sample", *options).status == 0
        assert re.fullmatch(r"[A-Za-z0-9._,=+-]+", the_run(home).name)

    def test_a_failed_run_leaves_no_folder(self, refused, home):
        refused("run", "data=sample", "data.sample.scale=[1,2]")
        assert [path.name for path in (home / "runs/run").iterdir()] == []

    def test_an_own_folder_of_judgements(self, cli, home):
        name = "some where/a=b,c"
        assert cli("run", "data=sample", f"out='{name}'").status == 0
        assert (home / name / "result.json").is_file()
        assert yaml.safe_load((home / name / ".hydra/config.yaml").read_text())["out"] == name

    @pytest.mark.parametrize("name", [r"\${x}", r"\${"])
    def test_a_folder_whose_name_hydra_cannot_read(self, refused, home, name):
        assert "takes no folder whose name contains ${" in refused("run", f"out='{name}'")
        assert "takes no folder" in refused("run", f"hydra.run.dir='{name}'")

    @pytest.mark.parametrize("option", ["out=file/x", "out=file"])
    def test_a_folder_that_cannot_be_written_to(self, refused, home, option):
        (home / "file").write_text("a file where a folder is needed")
        error = refused("run", "data=sample", option)
        assert "cannot write to file" in error
        assert "out=FOLDER" in error

    def test_a_file_that_cannot_be_written_at_the_end(self, refused, home):
        (home / "x/result.json").mkdir(parents=True)
        assert "Is a directory: 'x/result.json'" in refused("run", "data=sample", "out=x")

    def test_a_run_that_is_stopped_leaves_the_earlier_folder(self, home, monkeypatch):
        bamboo.run(data="sample", out=Path("x"))
        before = read_files(home / "x")

        def stop(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr("bamboo.results.run_folder.write_scores", stop)
        with pytest.raises(KeyboardInterrupt):
            bamboo.run("sema", "sample", out=Path("x"))
        assert read_files(home / "x") == before
        assert [path.name for path in home.iterdir() if path.name.startswith(".x")] == []

    @pytest.mark.parametrize("name", ["notes.txt", "weights.json", "comparison.md"])
    def test_a_folder_with_other_files_is_not_replaced(self, home, name):
        (home / "x").mkdir()
        (home / "x" / name).write_text("mine")
        error = f"x contains {name}, which `run` does not write; nothing was changed"
        with pytest.raises(ConfigError, match=error):
            bamboo.run(data="sample", out=Path("x"))
        assert (home / "x" / name).read_text() == "mine"

    def test_the_working_directory_is_no_folder_for_results(self, refused, home):
        error = refused("run", "data=sample", "out=.")
        assert "the working directory and mount points cannot be replaced" in error
        assert "Choose another with out=FOLDER" in error
