"""Requests, files and metrics that `run` refuses, with what the message says."""

import pytest

BAD = [
    ("data=smaple", "unknown data 'smaple': did you mean 'sample'?"),
    ("partition=mian", "unknown partition of sample 'mian': did you mean 'main'?"),
    ("split=tset", "unknown split of sample main 'tset': did you mean 'test'?"),
    ("report=tabel", "unknown report 'tabel': did you mean 'table'?"),
    ("protocol=papr", "unknown protocol 'papr': did you mean 'paper'?"),
    ("solver=exat", "unknown solver 'exat': did you mean 'exact'?"),
    ("engine=lok", "unknown engine 'lok': did you mean 'loky'?"),
    ("engine=slurm", "unknown engine 'slurm'. Use one of: dask, loky, serial"),
    ("cache=us", "unknown cache 'us': did you mean 'use'?"),
    ("on_error=stp", "unknown on_error 'stp': did you mean 'stop'?"),
    ("metric.smatch.root=conept", "unknown root 'conept': did you mean 'concept'?"),
    ("sede=1", "unknown option 'sede': did you mean 'seed'?"),
    ("ci=maybe", 'ci="maybe": expected true or false'),
    ("resamples=0", "resamples=0: use 1 or more"),
    ("resamples=abc", 'resamples="abc": expected an integer'),
    ("seed=-1", "seed=-1: use 0 or more"),
    ("seed=null", "seed=null: expected an integer"),
    ("engine.jobs=0", "engine.jobs=0: use 1 or more, or -1"),
    ("engine.jobs=two", 'engine.jobs="two": expected an integer'),
    ("partition=5", "partition=5: expected a string or a list"),
    ("solver.node_limit=abc", 'solver.node_limit="abc": expected an integer'),
    ("metric.smatch.solver=foo", "unknown solver 'foo'. Use one of: exact, hillclimb"),
    ("data.sample.root=[a]", 'data.root=["a"]: expected a path'),
    ("data.sample.root=/no/where", "/no/where/main/src.test.amr: No such file"),
    ("data.sample.root=/dev/null", "/dev/null/main/src.test.amr: Not a directory"),
    ("data.sample.scale=5", "data.scale=5: expected a list"),
    ("data.sample.scale=[1,2]", "test.y, pair 0, line 1: 0.6 is not on the scale from 1 to 2"),
    ("data.sample.partitions.main.pairs.test=3", "sample main test has 64 pairs, expected 3"),
    ("+data.sample.header=[a,b]", 'data.header=["a", "b"]: expected true or false'),
    ("data.sample.registry=none.txt", "none.txt"),
    ("protocol.statistic.main=pearsn", "unknown statistic 'pearsn': did you mean 'pearson'?"),
    ("protocol.statistic.main=pair_accuracy", "sample main test has no such pairs"),
    ("protocol.published.file=none.csv", "unknown file of published values 'none.csv'"),
    ("protocol.published=table4.csv", 'protocol.published="table4.csv": expected the options of'),
]


@pytest.mark.parametrize(("argument", "message"), BAD)
def test_bad_requests(refused, argument, message):
    data = () if argument.startswith("data=") else ("data=sample",)
    assert message in refused("run", *data, argument)


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
def test_bad_files(refused, user, tiny, file, content, message):
    (tiny / file).write_bytes(content)
    error = refused("run", "metric=size", "data=tiny", user.option)
    assert str(tiny / file) in error
    assert message in error
    assert ("on_error=zero" in error) == (", graph " in error)


def test_a_metric_that_breaks_its_contract(refused, user, tiny):
    user.metric("listed", "Listed")
    error = refused("run", "metric=listed", "data=tiny", user.option)
    assert error.startswith("listed on tiny main test: expected a one-dimensional float")
