"""The command that builds partitions."""

import json

from metrics import read_graphs


def test_built_partitions_serve_as_data(cli, tmp_path):
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


def test_what_is_there_is_kept(cli, tmp_path):
    build = ["build", "data=sample", "partition=reify", "split=test", f"out={tmp_path}/built"]
    assert cli(*build).status == 0
    again = cli(*build)
    assert again.status == 1
    assert "overwrite=true" in again.err
    assert cli(*build, "overwrite=true").status == 0


def test_a_benchmark_of_ones_own(cli, tmp_path):
    texts = ["(s / sleep-01 :ARG0 (c / cat) :ARG1 (b / bed))", "(b / bark-01 :ARG0 (d / dog))"]
    for side in ("src", "tgt"):
        (tmp_path / f"{side}.amr").write_text("\n\n".join(texts) + "\n")
    (tmp_path / "my.y").write_text("5\n2.5\n")
    files = [f"src={tmp_path}/src.amr", f"tgt={tmp_path}/tgt.amr", f"ratings={tmp_path}/my.y"]
    outcome = cli("build", *files, "name=mine", "partition=reify", f"out={tmp_path}/out")
    assert outcome.status == 0, outcome.err
    config = f"--config-dir={tmp_path}/out/conf"
    found = cli("run", "data=mine", "partition=[main,reify]", "report=json", config).json
    assert [cell["n"] for cell in found["rows"][0]["cells"]] == [2, 2]


def test_bad_requests(cli, tmp_path):
    for arguments, message in (
        (["partition=reifi"], "did you mean 'reify'"),
        (["src=a.amr"], "src=, tgt= and ratings= together"),
        (["partition=reify", 'roles=[":nothing"]'], "no rule reifies ':nothing'"),
    ):
        outcome = cli("build", "data=sample", f"out={tmp_path}", *arguments)
        assert outcome.status == 1
        assert message in outcome.err
