"""Words of the commands on files: values reach the functions as they are typed."""

import shlex
import subprocess
import sys

import pytest

from bamboo.api.call import fit_values
from bamboo.app.commands import COMMANDS, Command
from bamboo.app.words import read_arguments, read_value
from bamboo.config.requests import resolve_rows
from bamboo.errors import ConfigError
from tests.configured import compose, configured

AWKWARD = (
    *("-", "~x", "~/a.amr", "a b.amr", "a #1.amr", " a", "a ", "a\nb", "a\tb", "a;b&c|d", "a!b?*"),
    *("it's.amr", "it's 'so'", 'say "hi".amr', "b`c`", "[a].amr", "a[1].amr", "[a", "a]", "f(x"),
    *(
        "(a)",
        "{a}",
        "{a",
        "{a: b}",
        "${x}",
        "$x",
        "\\${x}",
        "a${x}\\",
        "a\\",
        "\\",
        "a\\'b",
        "\\\\'",
    ),
    *("back\\slash", "ünï.amr", "日本語.amr", "e\u0301", "%20", "../a/b-c_1.amr", "C:\\a", "@a"),
    *("a@b", "/a//b", "1", "1.10", "1e3", "1_000", "007", "true", "nan", "inf", "None", "choice"),
    *("a'b\"c", "sort(a)", "glob(*)", "+a", "++a", "a:b", "<a>", "metric", "src"),
)
FILES = ["src=a", "tgt=b"]


def test_files_are_as_typed(monkeypatch, tmp_path):
    """Without a name, and as options that take a list of files, one file, and a file or null."""
    monkeypatch.chdir(tmp_path)
    for name in ("metric", "src", "nan", "null", "true"):  # these are also options, or values
        (tmp_path / name).touch()
    options = compose("score", [*AWKWARD, "null"])
    assert [*options["src"], options["tgt"]] == [*AWKWARD, "null"]
    names = ("src", "tgt", "per_pair")
    for k in range(0, len(AWKWARD), 2):
        values = (*AWKWARD, *AWKWARD)[k : k + 3]
        options = compose("score", [*map("{}={}".format, names, values)])
        typed = [[value[1:-1]] if value == "[a]" else value for value in values]
        assert [options[name] for name in names] == typed


@pytest.mark.parametrize(
    ("command", "words", "name", "value"),
    [
        ("score", ["src=a=b.amr", "tgt=b"], "src", "a=b.amr"),
        ("score", ["src='a, b.amr'", "tgt=b"], "src", "a, b.amr"),
        ("score", ["src=b", 'tgt="it\'s"'], "tgt", "it's"),
        ("score", ["a, b (1).amr", "b"], "src", "a, b (1).amr"),
        ("score", ["src=a.amr,b.amr", "tgt=b"], "src", ["a.amr", "b.amr"]),
        ("score", ["src='a, b.amr',c's.amr", "tgt=b"], "src", ["a, b.amr", "c's.amr"]),
        ("score", ["src=[a.amr, 'b, c']", "tgt=b"], "src", ["a.amr", "b, c"]),
        ("score", ["a, b.amr", "${x}", "it's", "gold.amr"], "src", ["a, b.amr", "${x}", "it's"]),
        ("score", [*FILES, "aspects=ner,negation"], "aspects", ["ner", "negation"]),
        ("score", [*FILES, "aspects=[ner, negation]"], "aspects", ["ner", "negation"]),
        ("score", [*FILES, "per_pair=null"], "per_pair", None),
        ("score", [*FILES, "+ci=true"], "ci", True),
        ("score", [*FILES, "seed=1_000"], "seed", 1000),
        ("explain", ["pair=20030121.10"], "pair", "20030121.10"),
        ("explain", ["pair=3"], "pair", 3),
        ("explain", ["pair=-3"], "pair", -3),
        ("explain", ["pair=1e3"], "pair", "1e3"),
        ("explain", ["pair=null"], "pair", "null"),
        ("explain", ["split=1"], "split", "1"),
        ("site", ["out=a, b = c"], "out", "a, b = c"),
        ("site", ["out=a", "seeds.drawn=0,1"], "seeds", {"drawn": [0, 1], "trained": (0, 1, 2)}),
        ("site", ["out=a", "data=sts, sick"], "data", ["sts", "sick"]),
        ("site", ["out=a", "data.root=a b\\"], "data_options", {"root": "a b\\"}),
        ("score", [*FILES, "metric.a=true,x y,1.5"], "options", {"a": [True, "x y", 1.5]}),
        ("score", [*FILES, "metric.a=${x}", "metric.b=a=b"], "options", {"a": "${x}", "b": "a=b"}),
        ("score", [*FILES, "metric.a.b=null", "solver.c=1"], "options",
         {"a": {"b": None}, "solver": {"c": 1}}),
        ("score", [*FILES, "solver=hillclimb", "solver.seed=1"], "options",
         {"solver": {"name": "hillclimb", "seed": 1}}),
        ("score", [*FILES, "metric.a={b: [1, c]}"], "options", {"a": {"b": [1, "c"]}}),
    ],
)  # fmt: skip
def test_values(command, words, name, value):
    assert compose(command, words)[name] == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-1.5", -1.5),
        ("1e-5", 1e-5),
        ("'3'", "3"),
        ("TRUE", True),
        ("null", None),
        ("none", "none"),
        ("a,'b, c',[d,1]", ["a", "b, c", ["d", 1]]),
        ("[]", []),
        ("{a: b", "{a: b"),
        ("it's", "it's"),
        ("", ""),
    ],
)
def test_values_of_metrics_are_those_of_yaml(text, value):
    assert repr(read_value(text)) == repr(value)


@pytest.mark.parametrize(
    ("command", "words", "rows"),
    [
        ("score", ["metric=smatch,wlk"], ["smatch", "wlk"]),
        ("score", ["metric=[smatch, wlk]", "metric.wlk.K=3"], ["smatch", "wlk K=3"]),
        ("score", ["metric=wlk", "metric.K=1,2"], ["wlk K=1", "wlk"]),
        ("score", ["metric=wlk", "metric.wlk.K=[1,3]"], ["wlk K=1", "wlk K=3"]),
        ("score", ["metric=smatch_1.0", "metric.root=none"], ["smatch_1.0 root=none"]),
        ("score", ["metric=smatch_1.0", "metric.smatch_1_0.root=none"], ["smatch_1.0 root=none"]),
        ("score", ["metric=sema", "metric.standardize=none,amr"], ["sema", "sema standardize=amr"]),
        ("score", ["metric=smatch,sema", "solver=hillclimb"], ["smatch solver=hillclimb", "sema"]),
        ("score", ["metric=smatch_versions"], ["smatch_1.0", "smatch_1.0.2", "smatch", "smatchpp",
                                               "smatchpp_generic", "smatchpp_none"]),
        ("site", ["metric=sembleu", "metric.weights=.5,.3,.2"], ["sembleu weights=[0.5,0.3,0.2]"]),
    ],
)  # fmt: skip
def test_metrics(command, words, rows):
    files = FILES if command == "score" else ["out=a"]
    assert [row.name for row in configured(command, [*files, *words]).rows] == rows


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a", "b", "c", "tgt=d"], "tgt is given twice: c and tgt=d; leave out one of them"),
        (["src=a", "b", "c"], "src is given twice: b and src=a; leave out one of them"),
        (["src=a", "b"], "src is given twice: b and src=a; did you mean tgt=b?"),
        (["a"], "tgt=... is required: see score --help"),
        (["a", "b", "out-put=c"], "unknown option 'out-put': did you mean 'out'?"),
        (["a", "b", "ci.level=1"], "ci.level=1: ci is a value, without options: set ci=..."),
        (["a", "b", "ci"], "'ci': there is no such file: did you mean ci=true?"),
        (["a", "worst"], "did you mean worst=...?"),
        (["a", "b", "smatchpp"], "did you mean metric=smatchpp?"),
        (["a", "b", "json"], "did you mean report=json?"),
        (["a", "b", "--ci"], "'--ci' is not of the form key=value: did you mean ci=...?"),
        (["a", "b", "-m", "seed=0,1"], "'-m' is not of the form key=value"),
        (["a", "b", "seed=1", "seed=2"], "seed is given twice: write seed=1,2"),
        (["a", "b", "seed=x"], 'seed="x": expected an integer'),
        (["a", "b", "metric=smacth"], "unknown metric 'smacth': did you mean 'smatch'"),
        (["a", "b", "metric=wlk,wlk"], "gives the same name twice"),
        (["a", "b", "metric=all,wlk"], "metric: all cannot be combined with other names"),
        (
            ["a", "b", "metric=smatch,wlk", "metric.K=3"],
            "write metric.NAME.K=..., such as metric.s",
        ),
        (["a", "b", "metric=wlk", "metric.k=3"], "unknown option of wlk 'k': did you mean 'K'?"),
        (["a", "b", "metric=wlk", "metric.wlk.k=3"], "unknown option of wlk 'k': did you mean 'K'"),
        (["a", "b", "metric=wlk", "metric.K=three"], 'K="three": expected an integer'),
        (
            ["a", "b", "metric.smatch_1.0.root=none"],
            "a dot ends a key: write metric.smatch_1_0.roo",
        ),
    ],
)
def test_mistakes(refused, home, words, message):
    for name in "ab":
        (home / name).write_text("(c / cat)")
    assert message in refused("score", *words)


def test_one_file_too_many(refused):
    message = refused("explain", "a", "b", "c")
    assert message == ("'c': explain takes 2 files without a name, src and tgt; options: key=value")
    with pytest.raises(ConfigError, match=r"'b': check takes 1 file without a name, data; options"):
        read_arguments(Command("check", "data=sts", ("data",)), ["a", "b"], None)


def test_files_of_awkward_names_are_read(cli, home):
    names = ["a, b (1).amr", "it's #1 ${x}.amr", "[日本].amr", "~.amr\\"]
    for name in (*names, "gold"):
        (home / name).write_text("(c / cat)\n\n(d / dog)\n")
    outcome = cli("score", *names, "gold", "report=json")
    assert outcome.status == 0, outcome.err
    assert [len(parser["scores"]) for parser in outcome.json["parsers"]] == [2] * len(names)
    outcome = cli("score", f"src={names[1]}", f"tgt={names[3]}", "report=value")
    assert outcome.out == "1.0000\n"


def test_arguments_are_converted_to_the_types_of_the_function():
    values = {"partition": ["main", "arg"], "out": "a ${b}", "limit": None, "seed": 3}
    run = COMMANDS["run"].function
    fitted = fit_values(run, {**values, "engine": {"name": "loky", "jobs": 3}})
    converted = (fitted["partition"], str(fitted["out"]), fitted["seed"], fitted["engine"].jobs)
    assert converted == (("main", "arg"), "a ${b}", 3, 3)
    with pytest.raises(ConfigError, match='seed="x": expected an integer'):
        fit_values(run, {"seed": "x"})
    weights = {":polarity": 3, "instance": 0.5}
    assert resolve_rows("smatchpp", {"weights": weights})[0].metric.weights == weights


IMPORTED = """
import shlex, sys
from bamboo.app.main import main
for command in sys.argv[1:]:
    assert main(shlex.split(command)) == 0
print(sorted({"hydra", "omegaconf", "antlr4"} & {name.partition(".")[0] for name in sys.modules}))
"""


def test_commands_on_files_import_nothing_of_hydra(home, user):
    (home / "a.amr").write_text("(c / cat)\n")
    own = shlex.quote(user.option)
    commands = (
        f"score a.amr a.amr metric=[smatch,size] metric.size.factor=.5 {own}",
        "explain a.amr a.amr solver=hillclimb",
        f"list metrics {own}",
    )
    words = [sys.executable, "-c", IMPORTED, *commands]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "[]"), done.stderr
