"""Values reach the functions as they are typed on the command line."""

import contextlib

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

from bamboo.api.call import fit_values
from bamboo.app.commands import COMMANDS
from bamboo.app.words import HydraNeeded, read_words
from bamboo.config.requests import resolve_rows
from bamboo.errors import ConfigError
from tests.configured import compose

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
    *("sort(a)", "glob(*)", "+a", "++a", "a:b", "<a>", "metric", "src"),
)


NUMBERS = (
    *("0", "-0", "+3", "00", "1_0", "1__0", "1_", "0_1", "_1", "1.", ".5", "-.5", ".", "1.5_0"),
    *("1e5", "1E+3", "1.e5", ".5e-1", "1e", "1e1_0", "007.5", "1_000.5", "1e999", "٣", "0x10"),
    *("-inf", "TRUE", "False", "NULL", "null", " 5", "5 ", "+", "-", "1,2", "1,a,true", ",", ""),
)
QUOTED = (
    *("'a, b'", '"it\'s"', r"'it\'s'", r"'a\\'", r"'a\\\'b'", r"'a\b'", r"'\\'", "''", "'a\n'"),
    *("'${x}'", "'???'", "???", "a,???", "[]", "[0]", "[a, 'b']", "{a: 1}", "'a',b", "range(1,3)"),
)


def typed(command, *words):
    """The arguments of the command's function; see `compose`."""
    return compose(command, words)


def test_files_without_a_name_are_as_typed():
    options = typed("score", *AWKWARD, "null")
    assert [*options["src"], options["tgt"]] == [*AWKWARD, "null"]


def test_options_are_as_typed():
    """Options that take a list of files, one file, and a file or null."""
    names = ("src", "tgt", "per_pair")
    for k in range(0, len(AWKWARD), 2):
        values = (*AWKWARD, *AWKWARD)[k : k + 3]
        options = typed("score", *map("{}={}".format, names, values))
        assert tuple(options[name] for name in names) == values
    assert typed("score", "src=null", "tgt=null", "per_pair=null")["per_pair"] is None


@pytest.mark.parametrize(
    ("command", "option"),
    [
        *(("run", option) for option in ("metric.a", "limit", "out", "partition")),
        *(("explain", "pair"), ("score", "src"), ("tables", "seeds.drawn"), ("tables", "seeds")),
    ],
)
def test_values_are_those_of_hydras_grammar(command, option):
    parser, read = OverridesParser.create(), 0
    for value in (*AWKWARD, *NUMBERS, *QUOTED):
        (setting,) = read_words(COMMANDS[command], [f"{option}={value}"], None)
        with contextlib.suppress(HydraNeeded):
            plain = setting.value
            node = OmegaConf.create({"value": parser.parse_override(setting.override).value()})
            assert repr(plain) == repr(OmegaConf.to_container(node, resolve=True)["value"])
            read += 1
    assert read > 90


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("run", ["metric.a=1", "metric.a.b=2", "metric.c=3", "metric.a.d=4", "metric.a.b=5"]),
        ("run", ["metric.a.b=2", "metric.a=1,2"]),
        ("run", ["engine.jobs=2", "engine=loky"]),
        ("run", ["engine=loky", "engine=serial"]),
        ("run", ["limit=5", "limit=6"]),
        ("run", ["metric.a-b=1"]),
        ("run", ["metric.0=1"]),
        ("run", ["metric.é=1"]),
        ("run", ["metric.=1"]),
        ("run", ["protocol=null"]),
        ("run", ["metric=null", "data=null"]),
        ("run", ["hydra.run.dir=x"]),
        ("train", ["trainer=spsa", "trainer.optimiser.rate=1"]),
        ("train", ["trainer=null", "trainer.optimiser._target_=a"]),
        ("site", []),
        ("score", ["src=???", "tgt=a"]),
        ("score", ["+src=a", "src=b,c", "src=[d]", "tgt=a"]),
    ],
)
def test_words_are_equal_with_and_without_hydra(command, words):
    with contextlib.suppress(ConfigError):
        typed(command, *words)


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
        ("score", ["src=a.amr", "src=[b],c", "tgt=b"], "src", ["a.amr", "[b]", "c"]),
        ("score", ["a, b.amr", "${x}", "it's", "gold.amr"], "src", ["a, b.amr", "${x}", "it's"]),
        ("score", ["src=a", "tgt=b", "aspects=ner,negation"], "aspects", ["ner", "negation"]),
        ("explain", ["pair=20030121.10"], "pair", "20030121.10"),
        ("explain", ["pair=3"], "pair", 3),
        ("explain", ["pair=-3"], "pair", -3),
        ("explain", ["pair=1e3"], "pair", "1e3"),
        ("explain", ["pair=null"], "pair", "null"),
        ("run", ["limit=1_000"], "limit", 1000),
        ("run", ["limit=null"], "limit", None),
        ("run", ["out=null"], "out", None),
        ("run", ["out='null'"], "out", "null"),
        ("run", ["out=a, b = c"], "out", "a, b = c"),
        ("run", ["++out=a b"], "out", "a b"),
        ("run", ["ci=true"], "ci", True),
        ("run", ["partition=[main,arg]"], "partition", ["main", "arg"]),
        ("run", ["partition=[main, arg]"], "partition", ["main", "arg"]),
        ("run", ["split=1"], "split", "1"),
        ("run", ["metric.a=.01"], "options", {"a": 0.01}),
        ("build", ["split=train,dev"], "split", ["train", "dev"]),
        ("site", ["out=a", "seeds.drawn=0,1"], "seeds", {"drawn": [0, 1], "trained": [0, 1, 2]}),
        ("tables", ["seeds.drawn=[0]"], "seeds", {"drawn": [0], "trained": [0, 1, 2]}),
        ("run", ["metric.a=true,x y,1.5"], "options", {"a": [True, "x y", 1.5]}),
        ("run", ["metric.a=${x}", "metric.b=a=b"], "options", {"a": "${x}", "b": "a=b"}),
        ("run", ["metric.a.b=null"], "options", {"a": {"b": None}}),
        ("run", ["metric.a={b: [1, c]}"], "options", {"a": {"b": [1, "c"]}}),
        ("run", ["data.root=a, b\\"], "data_options", {"root": ["a", " b\\"]}),
    ],
)
def test_values(command, words, name, value):
    assert typed(command, *words)[name] == value


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a", "b", "c", "tgt=d"], "tgt is given twice: c and tgt=d; leave out one of them"),
        (["src=a", "b", "c"], "src is given twice: b and src=a; leave out one of them"),
        (["src=a", "b"], "src is given twice: b and src=a; did you mean tgt=b?"),
        (["a"], "tgt=... is required: see score --help"),
        (["a", "b", "out-put=c"], "unknown option 'out-put': did you mean 'out'?"),
    ],
)
def test_mistakes(refused, words, message):
    assert message in refused("score", *words)


def test_one_file_too_many(refused):
    message = refused("explain", "a", "b", "c")
    assert message == ("'c': explain takes 2 files without a name, src and tgt; options: key=value")


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
    fitted = fit_values(COMMANDS["run"].function, {**values, "engine": {"name": "loky", "jobs": 3}})
    assert (fitted["partition"], str(fitted["out"]), fitted["seed"]) == (
        ("main", "arg"),
        "a ${b}",
        3,
    )
    assert fitted["engine"].jobs == 3
    with pytest.raises(ConfigError, match='seed="x": expected an integer'):
        fit_values(COMMANDS["run"].function, {"seed": "x"})
    (weighted,) = resolve_rows("sembleu", {"weights": [0.5, 1], "k": 2})
    assert weighted.metric.weights == [0.5, 1]
    weights = {":polarity": 3, "instance": 0.5}
    assert resolve_rows("smatchpp", {"weights": weights})[0].metric.weights == weights
