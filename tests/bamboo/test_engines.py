"""Engines: the same results everywhere, and an error where workers or schedulers end."""

import errno
import gc
import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import types
from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path

import called_in_workers as functions
import pytest

from amr_metrics.errors import PairError
from bamboo.engines import SERIAL, Dask, Processes, close_clients
from bamboo.errors import BambooError, EngineError, message

ROOT = Path(__file__).parents[2]
PATHS = os.pathsep.join(str(ROOT / name) for name in ("", "metrics", "tests", "tests/bamboo"))
LOKY = Processes(name="loky", jobs=2)
KILLED = pytest.mark.filterwarnings(
    "ignore::UserWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
DASK = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

pytestmark = DASK


@pytest.fixture(scope="module", autouse=True)
def collected():
    """Collect the sockets that Dask leaves open here, where their warnings are ignored."""
    yield
    gc.collect()


@pytest.fixture(scope="module")
def distributed(collected):
    """The package of engine=dask."""
    return pytest.importorskip(
        "distributed", reason="needs the extra dask: pip install -e '.[dask]'"
    )


@pytest.fixture(scope="module")
def dask(distributed):
    """Two worker processes of Dask."""
    yield Dask(jobs=2)
    close_clients()


@pytest.fixture(params=["loky", pytest.param("dask", marks=pytest.mark.slow)])
def engine(request):
    return LOKY if request.param == "loky" else request.getfixturevalue("dask")


def numbers(count):
    return [(k,) for k in range(count)]


def test_results_in_order(engine):
    assert list(engine.map(functions.twice, iter(numbers(7)))) == [0, 2, 4, 6, 8, 10, 12]
    assert list(engine.map(functions.twice, [])) == []


def test_calls_are_made_in_two_other_processes(engine):
    results = list(engine.map(functions.process_of, numbers(8), ordered=False))
    assert sorted(number for number, _ in results) == [*range(8)]
    processes = {process for _, process in results}
    assert len(processes) == 2
    assert os.getpid() not in processes


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


def test_what_is_called_while_other_processes_work(monkeypatch):
    monkeypatch.setattr("bamboo.engines.TICK", 0.02)
    looks = []
    assert [*LOKY.map(time.sleep, [(0.2,)], waiting=lambda: looks.append(0))] == [None]
    assert len(looks) > 1


def test_arguments_that_cannot_be_read(engine):
    def tasks():
        yield from numbers(3)
        raise PairError("the file ends here")

    with pytest.raises(PairError, match="the file ends here"):
        list(engine.map(functions.twice, tasks()))
    assert list(engine.map(functions.twice, numbers(2))) == [0, 2]


def test_an_error_in_a_worker_is_that_of_this_process(engine):
    texts = []
    for each in (SERIAL, engine):
        with pytest.raises(PairError) as caught:
            list(each.map(functions.refuses, numbers(6)))
        texts.append(message(caught.value))
        assert caught.value.pair == 3
    assert texts[0] == texts[1]
    assert list(engine.map(functions.twice, [(1,)])) == [2]


def test_workers_that_are_used_again_read_the_files_and_the_code_of_the_caller(
    engine, tmp_path, monkeypatch
):
    # The edited file has another length: Python tells versions apart by length and second.
    for text, name in (("first", "a"), ("second", "b"), ("edited again", "b")):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "file").write_text(text)
        (folder / "own_code.py").write_text(f"def text_of(path):\n    return {text!r}  # {text}\n")
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            patch.syspath_prepend(folder)
            sys.modules.pop("own_code", None)
            import own_code  # type: ignore[import-not-found]

            assert set(engine.map(functions.text_of, [("file",)] * 8)) == {text}
            assert set(engine.map(own_code.text_of, [("file",)] * 8)) == {text}
    sys.modules.pop("own_code", None)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        ("metric=smatchpp", "aspects=all", "ci=true", "resamples=50", "worst=3", "report=json"),
        ("metric=[smatch,sembleu]", "report=csv"),
        ("metric=smatch", "ids=match", "on_error=zero", "report=json"),
        ("metric=smatch", "pairs=all", "report=csv"),
    ],
    ids=lambda options: options[0] + options[1],
)
def test_score_gives_the_same(cli, home, monkeypatch, dask, options):
    monkeypatch.setattr("bamboo.scoring.pipeline.SMALLER_CHUNK", 7)
    for side in ("src", "tgt"):
        text = (ROOT / "data" / "sample" / "main" / f"{side}.test.amr").read_text("utf-8")
        graphs = [f"# ::id {k}\n{graph}" for k, graph in enumerate(text.split("\n\n")[:25])]
        if side == "src" and "on_error=zero" in options:
            graphs[11] = graphs[11].replace("(", "((", 1)
        (home / f"{side}.amr").write_text("\n\n".join(graphs), "utf-8")
    outputs = []
    for engine in ("serial", "loky", "dask"):
        engine_words = [f"engine={engine}", *([] if engine == "serial" else ["engine.jobs=2"])]
        arguments = ["src.amr", "tgt.amr", *options, "per_pair=pairs.csv", *engine_words]
        outcome = cli("score", *arguments, "quiet=true")
        assert outcome.status == 0, outcome.err
        outputs.append((outcome.out, outcome.err, (home / "pairs.csv").read_bytes()))
    assert outputs[1] == outputs[0]
    assert outputs[2] == outputs[0]


@pytest.mark.slow
def test_run_gives_the_same(cli, user, tiny, home, dask):
    user.metric("constant", "Constant")
    outputs = []
    for engine in (["serial"], ["loky", "engine.jobs=2"], ["dask", "engine.jobs=2"]):
        options = ["data=tiny", user.option, f"engine={engine[0]}", *engine[1:], "quiet=true"]
        outcome = cli(
            *("run", "metric=[smatch,size,constant]", *options),
            *("ci=true", "resamples=50", "cache=off", "out=out"),
        )
        assert outcome.status == 0, outcome.err
        outputs.append((outcome.out, (home / "out" / "scores.csv").read_bytes()))
    assert outputs[1] == outputs[0]
    assert outputs[2] == outputs[0]


@pytest.mark.parametrize(("engine", "error"), [("serial", "SystemExit"), ("loky", "GeneratorExit")])
def test_a_metric_that_exits(refused, user, tiny, engine, error):
    module = f"raises_{error}"  # an imported module is not imported again
    (user.path / f"{module}.py").write_text(
        "from dataclasses import dataclass\n"
        "from amr_metrics import Metric, Scores\n"
        "@dataclass(frozen=True, kw_only=True)\n"
        "class Exits(Metric):\n"
        "    def evaluate(self, pairs):\n"
        f"        raise {error}('enough')\n"
    )
    user.yaml("metric/exits.yaml", {"_target_": f"{module}.Exits"})
    options = ["metric=[exits,smatch]", "data=tiny", f"engine={engine}", "quiet=true", user.option]
    text = refused("run", *options)
    assert text.startswith("exits on tiny main test: ")
    assert f"{module}.py, line 6, in evaluate: {error}: enough" in text


@pytest.fixture
def only_here(monkeypatch):
    """A module that other processes cannot import."""
    module = types.ModuleType("only_here")

    def overlap(a, b):
        return float(len({*a.concepts} & {*b.concepts}))

    overlap.__module__, overlap.__qualname__ = "only_here", "overlap"
    module.overlap = overlap
    monkeypatch.setitem(sys.modules, "only_here", module)
    return overlap


@pytest.mark.parametrize("on_error", ["stop", "nan"])
def test_a_worker_without_the_code_of_a_metric(user, only_here, on_error):
    target = "amr_metrics.external.FunctionMetric"
    user.yaml("metric/mine.yaml", {"_target_": target, "function": "only_here.overlap"})
    with pytest.raises(PairError) as caught:
        user.run("mine", "sample", engine=LOKY, on_error=on_error)
    error = str(caught.value)
    assert "mine on sample main test" in error
    assert "function 'only_here.overlap' cannot be imported: No module named 'only_here'" in error


def test_a_worker_without_the_code_of_a_call(only_here):
    with pytest.raises(EngineError, match="a worker cannot import the code of a call"):
        list(LOKY.map(only_here, [(1, 2)]))


class TestLoky:
    def test_a_shared_memory_that_is_read_only(self, monkeypatch):
        def refuse(*_, **__):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

        monkeypatch.setattr("joblib.externals.loky.get_reusable_executor", refuse)
        with pytest.raises(EngineError, match=r"\(Read-only file system\).*/dev/shm") as caught:
            list(LOKY.map(functions.twice, numbers(2)))
        assert "engine=serial" in str(caught.value)

    @pytest.mark.slow
    def test_a_process_that_grows_is_replaced_without_a_warning(self):
        results = list(LOKY.map(functions.grows, numbers(6), ordered=False))
        assert sorted(number for number, _ in results) == [*range(6)]
        assert len({process for _, process in results}) > 2

    @KILLED
    def test_a_process_that_is_killed(self):
        with pytest.raises(EngineError, match=r"engine=loky: A worker process .* terminated"):
            list(LOKY.map(functions.killed, numbers(4), ordered=False))
        assert list(LOKY.map(functions.twice, [(4,), (5,)])) == [8, 10]

    @KILLED
    def test_a_process_that_is_killed_while_calls_are_still_sent(self):
        def tasks():
            yield from numbers(2)
            time.sleep(0.5)
            yield from numbers(2)

        with pytest.raises(EngineError, match="A worker process"):
            list(LOKY.map(functions.killed, tasks()))


class Cluster:
    """A scheduler and workers in processes of their own."""

    def __init__(self, stack, folder):
        self._stack, self._folder = stack, folder
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            port = listener.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self.scheduler = self._start("scheduler", "--port", str(port))

    def worker(self, *options):
        local = ("--local-directory", str(self._folder))
        return self._start("worker", self.address, "--nthreads", "1", *local, *options)

    def _start(self, *command):
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *command, "--host", "127.0.0.1", "--no-dashboard"],
            cwd=self._folder,
            env={**os.environ, "PYTHONPATH": PATHS},
            stdout=subprocess.DEVNULL,
            stderr=(self._folder / "dask.log").open("ab"),
            start_new_session=True,
        )
        self._stack.callback(end, process)
        return process


def end(process):
    """Kill a process with the processes that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def until(condition, seconds=60):
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "the condition does not hold in time"
        time.sleep(0.05)


@pytest.mark.slow
class TestFaultsOfADaskCluster:
    @pytest.fixture
    def cluster(self, distributed, tmp_path):
        """A scheduler without workers."""
        (tmp_path / "dask").mkdir()
        with ExitStack() as stack:
            yield Cluster(stack, tmp_path / "dask")
            close_clients()

    def test_the_calls_of_a_killed_worker_are_made_again(self, cluster, tmp_path):
        folder = tmp_path / "log"
        folder.mkdir()
        first, _ = cluster.worker("--no-nanny"), cluster.worker("--no-nanny")

        def kill():
            until(lambda: any(f".{first.pid}." in path.name for path in folder.iterdir()))
            end(first)

        killer = threading.Thread(target=kill)
        killer.start()
        tasks = [(k, folder) for k in range(12)]
        results = list(Dask(address=cluster.address).map(functions.logged, tasks))
        killer.join()
        assert results == [*range(12)]
        calls = Counter(int(path.name.partition(".")[0]) for path in folder.iterdir())
        assert set(calls) == {*range(12)}
        assert max(calls.values()) == 2  # the call of the killed worker was started twice

    def test_workers_that_join_later_share_the_work(self, cluster):
        cluster.worker()
        engine = Dask(address=cluster.address)
        results = engine.map(functions.process_of, numbers(200), ordered=False)
        used = {next(results)[1]}
        cluster.worker()
        used.update(process for _, process in results)
        assert len(used) == 2

    def test_a_call_that_kills_every_worker(self, cluster):
        for _ in range(2):
            cluster.worker()
        with pytest.raises(EngineError, match=r"engine=dask: Attempted to run task .* died"):
            list(Dask(address=cluster.address).map(functions.killed, [(0,)]))

    @pytest.mark.parametrize("lost", ["scheduler", "workers"])
    def test_a_cluster_that_goes_away(self, cluster, lost):
        worker = cluster.worker()
        engine = Dask(address=cluster.address, wait=5)
        results = engine.map(functions.process_of, numbers(1000))
        next(results)
        end(cluster.scheduler if lost == "scheduler" else worker)
        with pytest.raises(EngineError, match=r"engine=dask: .* What was finished is cached"):
            list(results)

    def test_a_scheduler_without_workers(self, cluster, refused):
        until(lambda: socket.socket().connect_ex(("127.0.0.1", int(cluster.address[-5:]))) == 0)
        options = ["engine=dask", f"engine.address={cluster.address}", "engine.wait=2"]
        error = refused("run", "data=sample", *options, "quiet=true")
        assert "Only 0/1 workers arrived after 2" in error


def refusal(**options):
    """The message of Dask that cannot be used."""
    with pytest.raises(BambooError) as caught:
        next(Dask(**options).map(functions.twice, [(1,)]))
    return str(caught.value)


def test_an_address_nobody_listens_on(distributed):
    error = refusal(address="tcp://127.0.0.1:9", wait=0.3)
    assert "Timed out trying to connect to tcp://127.0.0.1:9 after 0.3 s" in error
    assert "\n" not in error


@pytest.mark.parametrize("greeting", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_an_address_of_another_program(distributed, monkeypatch, greeting):
    monkeypatch.setattr("bamboo.engines.TICK", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        accepted = []

        def answer():
            accepted.append(listener.accept()[0])
            accepted[0].sendall(greeting)

        threading.Thread(target=answer, daemon=True).start()
        address = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        error = refusal(address=address, wait=0.3)
        assert f"{address} does not answer as a Dask scheduler within engine.wait" in error


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"jobs": 0}, "engine.jobs=0: use 1 or more, or -1"),
        ({"wait": 0}, "engine.wait=0: use a number of seconds above 0"),
        ({"address": "tcp://h:1", "jobs": 2}, "used with engine.address"),
        ({"memory": "much"}, "^engine=dask: "),
        ({"address": "nowhere", "wait": 1}, "^engine=dask: "),
    ],
)
def test_options(distributed, options, error):
    message = refusal(**options)
    assert re.search(error, message)
    assert "\n" not in message


def test_an_error_of_the_system_is_named(distributed, monkeypatch):
    def refuse(self):
        try:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        except OSError as error:
            raise RuntimeError("Nanny failed to start.") from error

    monkeypatch.setattr(Dask, "_scheduler", refuse)
    with pytest.raises(EngineError, match=r"Nanny failed to start \(Read-only file system\)"):
        list(Dask(jobs=1).map(functions.twice, numbers(1)))


def test_the_option_of_another_engine(refused):
    assert "memory" in refused("run", "data=sample", "engine=loky", "engine.memory=4GB")


def test_a_missing_package(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name, package=None: None)
    with pytest.raises(BambooError, match=r"pip install 'bamboo-amr\[dask\]'"):
        Dask()
