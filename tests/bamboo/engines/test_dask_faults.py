"""Faults of a Dask cluster: schedulers and workers are processes that are killed for real."""

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter

import pytest

from bamboo.engines import Dask
from bamboo.engines.dask import close_connections
from bamboo.errors import EngineError, message
from bamboo.user_code import UserCodeError
from tests.bamboo.engines import functions
from tests.bamboo.engines.dask_processes import (
    PATHS,
    ROOT,
    can_hide_folders,
    end,
    processes,
    until,
)

pytest.importorskip("distributed", reason="needs the extra dask: pip install -e '.[dask]'")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
    ),
]


@pytest.fixture
def cluster(tmp_path):
    """A scheduler without workers."""
    (tmp_path / "dask").mkdir()
    with processes(tmp_path / "dask") as started:
        yield started
        close_connections()


def started(folder):
    """The files of `functions.logged`: one per call that was started."""
    return sorted(path.name for path in folder.iterdir())


def test_the_calls_of_a_killed_worker_are_made_again(cluster, tmp_path):
    folder = tmp_path / "log"
    folder.mkdir()
    workers = [cluster.worker(), cluster.worker()]
    engine = Dask(address=cluster.address)

    def kill():
        until(lambda: any(f".{workers[0].pid}." in name for name in started(folder)))
        workers[0].send_signal(signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    tasks = [(k, folder, 0.5) for k in range(12)]
    results = list(engine.map(functions.logged, tasks, ordered=False))
    killer.join()
    assert sorted(results) == [*range(12)]  # nothing lost, nothing twice
    calls = Counter(int(name.partition(".")[0]) for name in started(folder))
    assert set(calls) == {*range(12)}
    assert max(calls.values()) == 2  # the call of the killed worker was started twice


def test_workers_that_join_later_share_the_work(cluster):
    cluster.worker()
    results = Dask(address=cluster.address).map(
        functions.process_of, ((k,) for k in range(200)), ordered=False
    )
    used = {next(results)[1]}
    cluster.worker()
    used.update(process for _, process in results)
    assert len(used) == 2


def test_a_scheduler_that_goes_away(cluster):
    cluster.worker()
    results = Dask(address=cluster.address, wait=10).map(
        functions.process_of, ((k,) for k in range(1000))
    )
    next(results)
    end(cluster.scheduler)
    start = time.monotonic()
    with pytest.raises(EngineError, match="was lost: run the command again to continue"):
        list(results)
    assert time.monotonic() - start < 30


def test_all_workers_go_away(cluster):
    worker = cluster.worker()
    results = Dask(address=cluster.address, wait=5).map(
        functions.process_of, ((k,) for k in range(1000))
    )
    next(results)
    end(worker)
    with pytest.raises(EngineError, match="has had no workers for 5 s"):
        list(results)


def test_a_call_that_kills_every_worker(cluster):
    for _ in range(2):
        cluster.worker(nanny=True)
    with pytest.raises(EngineError, match="workers ended one after the other during the same call"):
        list(Dask(address=cluster.address).map(functions.kills_itself, [(0,)]))


def test_a_call_without_enough_memory(cluster):
    cluster.worker("--memory-limit", "400MB", nanny=True)
    results = Dask(address=cluster.address).map(
        functions.takes_memory, [(k,) for k in range(4)], ahead=0
    )
    with pytest.raises(EngineError, match="probably for lack of memory"):
        list(results)


def test_a_full_disk(cluster):
    cluster.worker()
    with pytest.raises(UserCodeError, match="No space left on device") as caught:
        list(Dask(address=cluster.address).map(functions.fills_a_disk, [(0,)]))
    assert "(on worker tcp://127.0.0.1" in message(caught.value)


def test_a_worker_whose_own_disk_is_full(cluster, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        with contextlib.suppress(OSError):
            (disk / "full").write_bytes(bytes(1 << 20))
        cluster.worker("--local-directory", str(disk))
        # Calls need no disk.
        assert list(Dask(address=cluster.address).map(functions.twice, [(4,)])) == [8]
    finally:
        close_connections()
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_worker_with_other_packages(cluster, tmp_path):
    info = tmp_path / "other" / "penman-0.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: penman\nVersion: 0.1\n")
    cluster.worker(env={"PYTHONPATH": f"{info.parent}{os.pathsep}{PATHS}"})
    with pytest.raises(EngineError, match=r"other versions: penman is 0\.1 there but .* here"):
        list(Dask(address=cluster.address).map(functions.twice, [(1,)]))


def test_a_worker_with_other_code(cluster, tmp_path):
    for name in ("bamboo", "metrics", "conf", "data"):
        shutil.copytree(
            ROOT / name, tmp_path / "copy" / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    with (tmp_path / "copy" / "metrics" / "graphs" / "folding.py").open("a") as file:
        file.write("# edited\n")
    cluster.worker(env={"PYTHONPATH": str(tmp_path / "copy")})
    with pytest.raises(EngineError, match="other versions: code of metrics is"):
        list(Dask(address=cluster.address).map(functions.twice, [(1,)]))


def test_a_worker_without_this_project(cluster, tmp_path):
    folder = tmp_path / "hidden" / "bamboo"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise ModuleNotFoundError(name='bamboo')\n")
    cluster.worker(env={"PYTHONPATH": str(folder.parent)})
    with pytest.raises(EngineError, match="a worker cannot import bamboo"):
        list(Dask(address=cluster.address).map(functions.twice, [(1,)]))


@pytest.mark.skipif(
    not can_hide_folders(), reason="needs the right to mount a file system (unshare, mount)"
)
def test_a_worker_without_the_data_and_the_vectors(cluster, cli, refused, user, tiny):
    vectors = user.path / "vectors.txt"
    vectors.write_text("1 2\nthing 0.5 1\n")
    cluster.worker(without=user.path)
    command = ["run", "data=tiny", user.option, "quiet=true", f"vectors.file={vectors}"]
    dask = ["engine=dask", f"engine.address={cluster.address}"]
    assert cli(*command, *dask).status == 0  # the data are sent
    error = refused(*command, *dask, "metric=s2match")
    assert str(vectors) in error
    assert "(on worker tcp://127.0.0.1" in error
    assert "\n" not in error
