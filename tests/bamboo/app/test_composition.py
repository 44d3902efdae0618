"""Errors of the applications of Hydra: they name what was typed, and what helps."""

import pytest
from harness import UserFolder

INTERNALS = ("Traceback", "HydraExc", "full_key", "object_type", "See https", "LexerNo", "Config")


@pytest.fixture
def refused_by(refused):
    """An application that must refuse its words without a word on the internals of Hydra."""

    def command(*words):
        error = refused(*words)
        assert "\n" not in error
        assert [text for text in INTERNALS if text in error] == []
        return error

    return command


@pytest.mark.parametrize(
    ("words", "message"),
    [
        # Names of options, groups and members.
        (["metrics=smatch"], "unknown option 'metrics': did you mean 'metric'? Use one of: about"),
        (["ci.level=1"], "unknown option of ci 'level'"),
        (["metric=smacth"], "unknown metric 'smacth': did you mean 'smatch'? Use one of: align_"),
        (["metric=[wlk,smacth]"], "unknown metric 'smacth': did you mean 'smatch'?"),
        (["-m", "metric=wlk,smacth"], "unknown metric 'smacth': did you mean 'smatch'?"),
        (["protocol=papr"], "unknown protocol 'papr': did you mean 'paper'? Use one of: kendall"),
        (["solver=exakt"], "unknown solver 'exakt': did you mean 'exact'? Use one of: exact, hill"),
        (["+limits=3"], "+limits=3: there is no option limits"),
        (["+experiment=mine"], "+experiment=mine: there is no option experiment, nor a folder exp"),
        (["table=table4"], "table is no option of this command, or a group that it does not have"),
        (["metric=wlk", "metric.wlk.k=3"], "unknown option of metric.wlk 'k': did you mean 'K'?"),
        (["metric=wlk", "+metric.wlk.k=3"], "unknown option of wlk 'k': did you mean 'K'?"),
        (["solver.node_limits=1"], "unknown option of solver 'node_limits': did you mean 'node_li"),
        (
            ["vectors=wordllama"],
            "vectors=wordllama: no metric of this command refers to ${vectors}",
        ),
        (["data.sample.rot=x"], "unknown option of data.sample 'rot': did you mean 'root'?"),
        (["~metric.wlk"], "Could not delete from config. 'metric.wlk' does not exist."),
        (["--config-name=rnu"], "unknown --config-name 'rnu': did you mean 'run'?"),
        (["--config-path=nowhere", "--config-name=config"], "/nowhere' exists and readable"),
        # Values.
        (["limit=x"], 'limit="x": expected an integer or null'),
        (["partition=mian"], "unknown partition of sample 'mian': did you mean 'main'?"),
        (["partition=[]"], "partition: expected a name, or a list of them"),
        (["cache=on"], "unknown cache 'on'. Use one of: off, refresh, use"),
        (["protocol.statistic.main=pearsn"], "unknown statistic 'pearsn': did you mean 'pearson'"),
        (
            ["metric=wlk", "metric.wlk.K=three"],
            'metric wlk K=three: K="three": expected an integer',
        ),
        (["metric=[]"], "metric: expected a name, or a list of them"),
        (["metric=null"], "metric=null: expected a name; without metric=... it is the usual one"),
        (["data="], "data=: expected a name"),
        (["metric.smatch=null"], "metric.smatch=null: expected a mapping of options"),
        (["+metric.a={K: 3}"], "metric a: its YAML must set _target_"),
        (["seed=${nope}"], "Interpolation key 'nope' not found"),
        (["out=${nope}"], "Interpolation key 'nope' not found"),
        (["seed=???"], "Missing mandatory value: seed"),
        (["limit=${oc.env:NOPE}"], "Environment variable 'NOPE' not found"),
        # Old forms.
        (
            ["metric=smatch,wlk"],
            "metric=smatch,wlk: write 'metric=[smatch,wlk]' for a list, or add",
        ),
        (["solver=exact,hillclimb"], "solver=exact,hillclimb: add --multirun for a job with each"),
        (
            ["metric=wlk", "metric.K=3"],
            "options stand below a name: did you mean metric.wlk.K=...?",
        ),
        (["data.partitions.main.folder=x"], "did you mean data.sample.partitions.main.folder=...?"),
        (
            ["metric=sema", "metric.sema.standardize=amr"],
            "not in the configuration yet: add it with +metric.sema.stan",
        ),
        (
            ["metric=text_jaccard", "about.text_jaccard.trainer=grid"],
            "+about.text_jaccard.trainer=",
        ),
        (["metric.smatch.solver.seed=3"], "write solver.seed=..., an option of all metrics"),
        (["metric.wlk.K=3"], "metric.wlk.K: wlk is not among the names of metric: smatch"),
        (["metric.smatch_1.0.root=none"], "a dot ends a key: write metric.smatch_1_0.root=..."),
        (["-m", "seed=0,1", "out=tried"], "out=tried: with --multirun write hydra.sweep.dir=tried"),
        # Words.
        (["smatch"], "'smatch' is not of the form key=value: did you mean metric=smatch?"),
        (["=3"], "'=3' is not of the form key=value"),
        (["--ci"], "unrecognized arguments: --ci"),
        (["-c", "smatch"], "argument --cfg/-c: invalid choice: 'smatch'"),
        (["--cfg", "job", "-m"], "Only one of --run, --multirun, --cfg, --info and"),
        (["--config-dir"], "--config-dir needs a folder: --config-dir FOLDER"),
        (["--config-dir=nowhere"], "--config-dir nowhere: no such folder"),
        (["out=a b("], "out=a b( cannot be read: quote text, also for the shell: \"out='TEXT'\""),
    ],
)
def test_what_is_refused(refused_by, home, words, message):
    assert message in refused_by("run", "data=sample", *words)
    assert [path for path in home.rglob("*") if path.name == "result.json"] == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["table=4"], "unknown table '4'. Use one of: beyond, "),
        (["table=[4,5]"], ". Write table=table4"),
        (["table=[table1,4]"], ". Write table=table4"),
        (["table=tabel4"], "unknown table 'tabel4': did you mean 'table4'?"),
        (["metric=smatch,wlk"], "write 'metric=[smatch,wlk]' for a list"),
        (["rows=[smacth]", "table=table4"], "unknown metric 'smacth': did you mean 'smatch'?"),
    ],
)
def test_what_tables_refuses(refused_by, words, message):
    assert message in refused_by("tables", *words)


FILES = {
    "other": "overlap: {_target_: amr_metrics.Wlk}",
    "wrong": "wlk: {_target_: amr_metrics.Wlk, K: 7}",
    "flat": "_target_: amr_metrics.Wlk\nK: 2",
    "empty": "",
    "listed": "- a",
    "nothing": "nothing:",
    "broken": "broken: [a",
    "twice": "twice: {_target_: amr_metrics.Wlk, K: 1, K: 2}",
    "typed": "typed: {_target_: amr_metrics.Wlk, K: three}",
    "nowhere": "nowhere: {_target_: amr_metrics.Wlk, K: '${nope}'}",
    "missing": "missing:\n  _target_: amr_metrics.Wlk\n  K: ???",
    "circle": "defaults: [circle]",
    "round": "defaults: [circle, _self_]\nround: {_target_: amr_metrics.Wlk}",
    "beside": "beside: {_target_: amr_metrics.Wlk}\nabout: {beside: {title: X}}",
    "unmarked": "metric: {unmarked: {_target_: amr_metrics.Wlk}}",
    "marked": "# @package _global_\nmarked: {_target_: amr_metrics.Wlk}",
    "good": "good: {_target_: amr_metrics.Wlk}",
}
FILE_ERRORS = {
    "other": "other.yaml: expected the key other, the name of the file, not overlap",
    "wrong": "wrong.yaml: expected the key wrong, the name of the file, not wlk",
    "flat": "flat.yaml: expected the options below the name flat: write flat: above them, and ind",
    "beside": "beside.yaml: what is below about stands beside metric: {beside: ...}, in a file",
    "unmarked": "in a file that begins with # @package _global_",
    "marked": "in a file that begins with # @package _global_",
    "empty": "empty.yaml: expected a mapping of options",
    "listed": "listed.yaml: expected a mapping of options",
    "nothing": "nothing",
    "broken": "broken.yaml cannot be read: while parsing a flow sequence, line 1, column 9",
    "twice": "twice.yaml cannot be read: the key K occurs twice, line 1, column 8",
    "typed": 'metric typed: K="three": expected an integer',
    "nowhere": "nope",
    "missing": "K",
    "circle": "circle.yaml: defaults: metric/circle contains itself",
    "round": "circle",
}


@pytest.fixture
def files(user, home):
    for name, text in FILES.items():
        user.yaml(f"metric/{name}.yaml", {}).write_text(text)
    (home / "a.amr").write_text("(c / cat)")
    return user


@pytest.mark.parametrize("command", ["run", "score"])
def test_mistakes_in_the_users_files(refused_by, cli, files, command):
    """One that is not used does not matter."""
    words = {"run": ("run", "data=sample", "limit=3"), "score": ("score", "a.amr", "a.amr")}[
        command
    ]
    for name, message in FILE_ERRORS.items():
        assert message in refused_by(*words, f"metric={name}", files.option), name
    assert cli(*words, "metric=good", files.option).status == 0


def test_mistakes_in_files_that_a_list_names(refused_by, files):
    files.yaml("experiment/mine.yaml", {}).write_text(
        "# @package _global_\ndefaults: [override /metric: [smatch, flat]]\n"
    )
    message = refused_by("run", "data=sample", "+experiment=mine", files.option)
    assert FILE_ERRORS["flat"] in message


def test_a_name_in_two_folders(cli, refused_by, files, home):
    second = UserFolder(home / "other")
    second.yaml("metric/good.yaml", {"_target_": "amr_metrics.Sema"})
    words = ("data=sample", "metric=good", files.option, second.option)
    assert "good.yaml is not used" in cli("run", *words).err
    second.yaml("protocol/paper.yaml", {"statistic": {}})
    assert "paper.yaml: protocol 'paper' already exists: choose" in refused_by("run", *words)
    assert "the metric 'smatch' already" not in refused_by("run", *words)


def test_options_of_trainers_need_one(refused_by):
    assert "also choose a name, trainer=NAME" in refused_by("train", "trainer.seed=3")


def test_paths_below_about_start_from_the_folder_of_the_file(refused_by, user, home):
    path = user.yaml("metric/mine.yaml", {})
    node = "{_target_: amr_metrics.Blend, of: {smatch: {_target_: amr_metrics.Smatch}}}"
    content = f"metric: {{mine: {node}}}\nabout: {{mine: {{learned: weights.json}}}}\n"
    path.write_text(f"# @package _global_\n{content}")
    (path.parent / "weights.json").write_text("[]")
    message = refused_by("run", "data=sample", "metric=mine", user.option)
    assert "metric/weights.json is not a weights file" in message


def test_a_solver_of_one_metric_can_be_named(cli):
    out = cli("run", "data=sample", "limit=3", "metric.smatch.solver=hillclimb").out
    assert "smatch solver=hillclimb: " in out
