"""Requests, files and metrics that `run` refuses, with what the message says."""

import re

import pytest

import bamboo
from amr_metrics.errors import MetricError
from bamboo.errors import BambooError

ERRORS = (BambooError, MetricError)

# Options that Hydra reads: its groups, and options of metrics, data sets and protocols.
BAD_WORDS = [
    ("data=smaple", "unknown data 'smaple': did you mean 'sample'?"),
    ("protocol=papr", "unknown protocol 'papr': did you mean 'paper'?"),
    ("solver=exat", "unknown solver 'exat': did you mean 'exact'?"),
    ("engine=lok", "unknown engine 'lok': did you mean 'loky'?"),
    ("engine=slurm", "unknown engine 'slurm'. Use one of: dask, loky, serial"),
    ("metric.smatch.root=conept", "unknown root 'conept': did you mean 'concept'?"),
    ("sede=1", "unknown option 'sede': did you mean 'seed'?"),
    ("seed=null", "seed=null: expected an integer"),
    ("engine.jobs=0", "engine.jobs=0: use 1 or more, or -1"),
    ("engine.jobs=two", 'engine.jobs="two": expected an integer'),
    ("solver.node_limit=abc", 'solver.node_limit="abc": expected an integer'),
    ("data.sample.root=[a]", 'data.root=["a"]: expected a path'),
    ("+data.sample.header=[a,b]", 'data.header=["a", "b"]: expected true or false'),
    ("protocol.statistic.main=pearsn", "unknown statistic 'pearsn': did you mean 'pearson'?"),
    ("protocol.statistic.main=pair_accuracy", "sample main test has no such pairs"),
    ("protocol.published.file=none.csv", "unknown file of published values 'none.csv'"),
    ("protocol.published=table4.csv", 'protocol.published="table4.csv": expected the options of'),
]
BAD_ARGUMENTS = [
    ({"partition": "mian"}, "unknown partition of sample 'mian': did you mean 'main'?"),
    ({"partition": 5}, "partition=5: expected a string or a list"),
    ({"split": "tset"}, "unknown split of sample main 'tset': did you mean 'test'?"),
    ({"cache": "us"}, "unknown cache 'us': did you mean 'use'?"),
    ({"on_error": "stp"}, "unknown on_error 'stp': did you mean 'stop'?"),
    ({"ci": "maybe"}, 'ci="maybe": expected true or false'),
    ({"resamples": 0}, "resamples=0: use 1 or more"),
    ({"resamples": "abc"}, 'resamples="abc": expected an integer'),
    ({"seed": -1}, "seed=-1: use 0 or more"),
    ({"options": {"solver": "foo"}}, "unknown solver 'foo'. Use one of: exact, hillclimb"),
]
BAD_DATA = [
    ({"root": "/no/where"}, "/no/where/main/src.test.amr: No such file"),
    ({"root": "/dev/null"}, "/dev/null/main/src.test.amr: Not a directory"),
    ({"scale": 5}, "data.scale=5: expected a list"),
    ({"scale": [1, 2]}, "test.y, pair 0, line 1: 0.6 is not on the scale from 1 to 2"),
    ({"registry": "none.txt"}, "none.txt"),
    (
        {"partitions": {"main": {"pairs": {"test": 3}}}},
        "sample main test has 64 pairs, expected 3",
    ),
]


@pytest.mark.parametrize(("argument", "message"), BAD_WORDS)
def test_bad_words(refused, argument, message):
    data = () if argument.startswith("data=") else ("data=sample",)
    assert message in refused("run", *data, argument)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [*BAD_ARGUMENTS, *(({"data_options": options}, message) for options, message in BAD_DATA)],
)
def test_bad_arguments(home, arguments, message):
    with pytest.raises(ERRORS, match=re.escape(message)):
        bamboo.run(data="sample", **arguments)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("main/src.test.amr", b"", "contains no graph"),
        ("main/src.test.amr", b"\xff\xfe(\0a\0", "is UTF-16, not UTF-8"),
        ("main/tgt.test.amr", b"(a / b)\n\n(a / \xff)\n", "line 3: byte 0xff is not UTF-8"),
        ("main/tgt.test.amr", b"(a / b)\n", "has 1: pair 1 has only one side"),
        ("main/tgt.test.amr", b"(a / b)\n\n(a / b\n", "graph 1, line 3: unbalanced parentheses"),
        ("test.y", b"0\n1\n0\n", "has 3 ratings for 4 pairs"),
        ("test.y", b"0\n1\nx\n0\n", "pair 2, line 3: the rating 'x' is not a number"),
        ("test.y", b"0\n1\n1.5\n0\n", "pair 2, line 3: 1.5 is not on the scale"),
    ],
)
def test_bad_files(user, tiny, file, content, message):
    (tiny / file).write_bytes(content)
    with pytest.raises(ERRORS) as caught:
        user.run("size")
    error = str(caught.value)
    assert str(tiny / file) in error
    assert message in error


def test_only_errors_of_graphs_have_the_hint_on_error(refused, user, tiny):
    command = ("run", "metric=size", "data=tiny", user.option)
    (tiny / "test.y").write_text("0\n1\n0\n")
    assert "on_error=zero" not in refused(*command)
    (tiny / "main/tgt.test.amr").write_text("(a / b)\n\n(a / b\n")
    error = refused(*command)
    assert ", graph 1" in error
    assert "on_error=zero" in error


def test_a_metric_that_breaks_its_contract(refused, user, tiny):
    user.metric("listed", "Listed")
    error = refused("run", "metric=listed", "data=tiny", user.option)
    assert error.startswith("listed on tiny main test: expected a one-dimensional float")
