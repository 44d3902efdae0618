"""Work in the workers of a Dask cluster."""

import itertools
import subprocess
import sys

import pytest

from bamboo.engines import SERIAL, Dask, Processes
from bamboo.engines.dask import _connection, close_connections
from bamboo.engines.environment import environment
from bamboo.errors import EngineError, message
from bamboo.user_code import UserCodeError
from metrics.errors import PairError
from tests.bamboo.engines import functions

distributed = pytest.importorskip(
    "distributed", reason="needs the extra dask: pip install -e '.[dask]'"
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@pytest.fixture(scope="module")
def local():
    """Two worker processes, started by the engine itself."""
    yield Dask(jobs=2)
    close_connections()


@pytest.fixture(scope="module")
def engine(local):
    """The same workers, as those of a running scheduler."""
    return Dask(address=_connection(local).address, wait=20)


@pytest.mark.parametrize("ahead", [0, 1])
def test_results_in_order(engine, ahead):
    tasks = ((k,) for k in range(7))
    assert list(engine.map(functions.twice, tasks, ahead=ahead)) == [0, 2, 4, 6, 8, 10, 12]
    assert list(engine.map(functions.twice, [])) == []


def test_calls_are_made_in_two_other_processes(local):
    results = list(local.map(functions.process_of, [(k,) for k in range(8)], ordered=False))
    assert sorted(number for number, _ in results) == [*range(8)]
    assert len({process for _, process in results}) == 2


def test_arguments_are_read_while_calls_are_made(engine):
    read = []

    def tasks():
        for k in range(100):
            read.append(k)
            yield (k,)

    results = engine.map(functions.twice, tasks())
    assert list(itertools.islice(results, 10)) == [*range(0, 20, 2)]
    assert len(read) <= 20
    results.close()


def test_an_error_in_a_worker_is_that_of_this_process(engine):
    texts = []
    for chosen in (SERIAL, Processes(jobs=2), engine):
        with pytest.raises(PairError) as caught:
            list(chosen.map(functions.refuses, [(k,) for k in range(6)]))
        texts.append(message(caught.value))
        assert caught.value.pair == 3
    assert len(set(texts)) == 1
    assert list(engine.map(functions.twice, [(1,)])) == [2]


def test_an_error_of_a_worker_names_it(engine):
    with pytest.raises(UserCodeError, match="No such file or directory: '/no/such/file'") as caught:
        list(engine.map(functions.without_file, [(0,)]))
    assert "(on worker tcp://127.0.0.1" in message(caught.value)


def test_a_command_writes_the_same_files(engine, cli, user, tiny, home):
    user.metric("constant", "Constant")
    arguments = [
        "run",
        "metric=[size,constant]",
        "data=tiny",
        "ci=true",
        "resamples=50",
        user.option,
    ]
    files = []
    for name in (["engine=serial"], ["engine=dask", f"engine.address={engine.address}"]):
        outcome = cli(*arguments, *name, "cache=off", f"out={home / 'out'}")
        assert outcome.status == 0, outcome.err
        files.append((outcome.out, (home / "out" / "scores.csv").read_bytes()))
    assert files[0] == files[1]


def test_the_same_error_of_a_command(engine, refused, user, tiny):
    user.metric("refusing", "Refusing")
    arguments = ["run", "metric=refusing", "data=tiny", user.option]
    dask = ["engine=dask", f"engine.address={engine.address}"]
    assert refused(*arguments, *dask, "quiet=true") == refused(*arguments)


def test_other_versions_in_the_workers(engine, monkeypatch):
    other = {**environment(), "numpy": "9.9"}
    monkeypatch.setattr("bamboo.engines.calls.environment", lambda: other)
    with pytest.raises(
        EngineError, match=r"a worker has other versions: numpy is .* but 9\.9 here"
    ):
        list(engine.map(functions.twice, [(1,)]))


def test_an_address_nobody_listens_on(refused):
    options = ["engine=dask", "engine.address=tcp://127.0.0.1:9", "engine.wait=1"]
    error = refused("run", "data=sample", *options)
    assert "no Dask scheduler answers at tcp://127.0.0.1:9 within 1 s (engine.wait)" in error
    assert "\n" not in error


def test_workers_that_never_come(refused):
    with distributed.LocalCluster(
        n_workers=0, processes=False, protocol="tcp", dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address
        options = ["engine=dask", f"engine.address={address}", "engine.wait=2"]
        error = refused("run", "data=sample", *options, "quiet=true")
    assert f"the Dask scheduler at {address} has had no workers for 2 s (engine.wait)" in error


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["engine.jobs=0"], "engine.jobs=0: use 1 or more, or -1"),
        (["engine.wait=0"], "engine.wait=0: use a number of seconds above 0"),
        (["engine.wait=soon"], 'engine.wait="soon": expected a number'),
        (["engine.memory=much"], "engine.memory=much: expected an amount such as 4GB"),
        (["engine.address=tcp://h:1", "engine.jobs=2"], "cannot be used with engine.address"),
        (["engine.address=nowhere"], "engine.address=nowhere: "),
        (["engine.queue=long"], "queue"),
    ],
)
def test_options(refused, options, error):
    assert error in refused("run", "data=sample", "engine=dask", "engine.wait=1", *options)


def test_without_the_extra(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    error = refused("run", "data=sample", "engine=dask")
    assert error.startswith("the workers of engine=dask need the package distributed, which is not")
    assert "pip install 'bamboo-amr[dask]'" in error


def test_dask_is_imported_only_if_it_is_used():
    code = (
        "import sys; from bamboo.commands import base, compare, run, site\n"
        "from bamboo.engines import SERIAL, Dask\n"
        "assert Dask().name == 'dask' and [*SERIAL.map(divmod, [(7, 3)])] == [(2, 1)]\n"
        "assert not {'dask', 'distributed', 'dask_jobqueue', 'joblib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
