"""The command line itself, most of it in processes of its own."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from bamboo.app.commands import COMMANDS

REPOSITORY = Path(__file__).parents[3]


def environment(home, **more):
    """The environment of a process that must not touch the checkout."""
    path = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "metrics")])
    of_process = {"PYTHONPATH": path, "BAMBOO_RUNS_DIR": str(home / "runs")}
    return {**os.environ, **of_process, **more}


def process(*arguments, cwd, env, **options):
    command = [sys.executable, "-m", "bamboo", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run(command, cwd=cwd, env=env, check=False, **pipes | options)


@pytest.mark.parametrize("arguments", [[], ["help"], ["-h"], ["--help"]])
def test_help_lists_the_commands(cli, arguments):
    outcome = cli(*arguments)
    assert outcome.status == 0
    for command in COMMANDS:
        assert f"\n  {command} " in outcome.out
    # Help and messages name pages such as docs/comparable.md.
    assert (Path(outcome.out.rpartition(" are in ")[2].strip()) / "comparable.md").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rnu", "data=sample"], "unknown command 'rnu': did you mean 'run'?"),
        (["data=sample"], "unknown command 'data=sample'"),
        (["run", "--config-dir", "nowhere"], "--config-dir nowhere: no such folder"),
        (["run", "--config-dir"], "--config-dir needs a folder: --config-dir FOLDER"),
        (["list", "metric", "-cd", "nowhere"], "--config-dir nowhere: no such folder"),
        (["fetch", "data=st"], "unknown data 'st': did you mean 'sts'?"),
        (["fetch", "metric=smatch"], "unknown option 'metric'"),
        (["score"], "=... is required: see score --help"),
        (["list", "metrcis"], "unknown list 'metrcis': did you mean 'metrics'?"),
        (["list", "metrics", "data"], "unexpected 'data': list takes one kind"),
        (["list", "metrics", "report=cvs"], "unknown report 'cvs': did you mean 'csv'?"),
        (["help", "wwlk"], "unknown help topic 'wwlk'. Use one of: agree, build, check, "),
        (["help", "metric", "wwlkk"], "unknown metric 'wwlkk': did you mean 'wwlk'?"),
        (["help", "metrics", "wwlk"], "unknown help topic 'metrics': did you mean 'metric'?"),
        (["help", "metric", "wwlk", "c"], "unexpected 'c': help takes COMMAND, or GROUP NAME"),
    ],
)
def test_bad_commands(refused, arguments, message):
    assert message in refused(*arguments)


def test_fetch_of_data_that_is_not_a_release(cli):
    assert "sample: nothing to download" in cli("fetch", "data=sample").out


def test_text_that_is_not_in_utf8_is_an_error(refused, home, user, tiny):
    (home / "list.txt").write_bytes(b"# commit: \xff\n")
    message = refused("fetch", "data=sts", f"data.registry={home / 'list.txt'}")
    assert message == "'utf-8' codec can't decode byte 0xff in position 10: invalid start byte"
    # Modules stay imported: other tests have other modules of theirs.
    (user.path / "not_decoded.py").write_text(
        "from harness_plugins import Size\n"
        "class Mine(Size):\n"
        "    def evaluate(self, pairs):\n"
        "        return b'\\xff'.decode()\n"
    )
    user.yaml("metric/mine.yaml", {"_target_": "not_decoded.Mine"})
    message = refused("run", "metric=mine", "data=tiny", user.option)
    assert "not_decoded.py, line 4, in evaluate: UnicodeDecodeError: 'utf-8' codec can't" in message


def test_a_users_metric_and_data_from_outside_the_checkout(cli, user, tiny):
    words = ("run", "metric=size", "data=tiny", "report=json")
    outcome = cli("--config-dir", str(user.path), *words)
    assert outcome.status == 0, outcome.err
    assert outcome.json["rows"][0]["metric"] == "size"


def test_a_process_of_another_hash_seed_and_locale_gives_the_same_bytes(cli, home):
    words = ("run", "data=sample", "ci=true", "resamples=20")
    here = cli(*words)
    variables = {"PYTHONHASHSEED": "1", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    folder = home / "elsewhere"
    folder.mkdir()
    env = environment(home, **variables, BAMBOO_RUNS_DIR=str(home / "other"))
    outcome = process(*words, cwd=folder, env=env)
    assert outcome.returncode == 0, outcome
    assert outcome.stdout.decode("utf-8") == here.out
    assert "─" in here.out
    assert outcome.stderr.startswith(b"written: ")
    assert outcome.stderr.count(b"\n") == 1
    assert not list(folder.iterdir())


def test_a_closed_output_pipe_is_not_an_error(home):
    command = f'"{sys.executable}" -m bamboo list metrics | true; echo ${{PIPESTATUS[0]}}'
    done = subprocess.run(
        ["bash", "-c", command], cwd=home, env=environment(home), capture_output=True
    )
    assert (done.stdout, done.stderr) == (b"0\n", b"")


def test_a_real_ctrl_c(home, user, tiny):
    (user.path / "slow.py").write_text(
        "import sys, time\n"
        "from dataclasses import dataclass\n"
        "from amr_metrics.base import Metric\n"
        "@dataclass(frozen=True, kw_only=True)\n"
        "class Slow(Metric):\n"
        "    def evaluate(self, pairs):\n"
        "        print('scoring', file=sys.stderr, flush=True)\n"
        "        time.sleep(60)\n"
    )
    user.yaml("metric/slow.yaml", {"_target_": "slow.Slow"})
    command = [sys.executable, "-m", "bamboo", "run", "metric=[size,slow]", "data=tiny"]
    with subprocess.Popen(
        [*command, user.option],
        cwd=home,
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A background job of a shell ignores the signal, and so would the command.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as running:
        assert running.stderr is not None
        assert running.stderr.readline() == b"scoring\n"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert out == b""
    assert err.startswith(b"interrupted: 1 of 2 cells are scored and cached")
    assert len(list((home / "runs/cache").rglob("*.npz"))) == 1


@pytest.fixture
def cat(home):
    """A file with one graph, which a command scores sooner than Hydra composes a `run`."""
    (home / "a.amr").write_text("(c / cat)\n")


@pytest.mark.parametrize(
    ("engine", "closed"), [("serial", "stdout"), ("serial", "stderr"), ("loky", "all")]
)
def test_closed_standard_streams_are_empty(home, cat, engine, closed):
    numbers = {"stdout": "1", "stderr": "2", "all": "0 1 2"}[closed]
    close = " ".join(f"{n}{'<' if n == '0' else '>'}&-" for n in numbers.split())
    words = ["score", "a.amr", "a.amr", "per_pair=pairs.csv", f"engine={engine}"]
    words += ["engine.jobs=2"] if engine == "loky" else []
    script = f"exec {shlex.join([sys.executable, '-m', 'bamboo', *words])} {close}"
    done = subprocess.run(
        ["sh", "-c", script], cwd=home, env=environment(home), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (b"smatch" in done.stdout) == (closed == "stderr")
    assert (b"written: " in done.stderr) == (closed == "stdout")
    assert (home / "pairs.csv").read_text().startswith("parser,pair,")


def test_standard_input_that_is_closed_has_no_graph(home, cat):
    script = f"exec {shlex.quote(sys.executable)} -m bamboo score - a.amr <&-"
    done = subprocess.run(
        ["sh", "-c", script], cwd=home, env=environment(home), capture_output=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: standard input: contains no graph")


@pytest.mark.parametrize("words", [["run", "data=sample"], ["list"], ["run", "--config-dir", "x"]])
def test_a_working_directory_that_was_deleted(home, words):
    (home / "gone").mkdir()
    python = shlex.join([sys.executable, "-m", "bamboo", *words])
    done = subprocess.run(
        ["sh", "-c", f"rmdir ../gone && exec {python}"],
        cwd=home / "gone",
        env=environment(home),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: the working directory was deleted: change to a folder")
    assert done.stderr.count(b"\n") == 1


def test_the_exit_status_after_an_interrupt_in_evaluated_text(home, user, cat):
    (user.path / "stopped.py").write_text(
        "from dataclasses import dataclass\n"
        "from amr_metrics.base import Metric\n"
        "def interrupt():\n"
        "    raise KeyboardInterrupt\n"
        "@dataclass(frozen=True, kw_only=True)\n"
        "class Stopped(Metric):\n"
        "    def evaluate(self, pairs):\n"
        "        eval('interrupt()', globals())\n"
    )
    user.yaml("metric/stopped.yaml", {"_target_": "stopped.Stopped"})
    command = ("score", "a.amr", "a.amr", "metric=stopped", user.option)
    assert process(*command, cwd=home, env=environment(home)).returncode == 130


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of POSIX")
def test_a_table_in_a_file_is_not_formatted_for_the_terminal_of_messages(home, cat):
    leader, follower = os.openpty()
    done = process("score", "a.amr", "a.amr", cwd=home, env=environment(home), stderr=follower)
    os.close(follower)
    os.close(leader)
    assert done.stdout.startswith(b"smatch_1.0: a.amr against a.amr (x 100)")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
def test_standard_output_that_is_full(home):
    with open("/dev/full", "wb") as full:
        done = process("list", "metrics", cwd=home, env=environment(home), stdout=full)
    assert done.returncode == 1
    message = "error: No space left on device: 'standard output'. Free some space"
    assert done.stderr.decode().startswith(message)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError("Unable to allocate 8 GiB"), "not enough memory (Unable to allocate 8 GiB)"),
        (RecursionError("maximum recursion depth"), "an input is nested too deeply"),
        (OSError(28, "No space left on device", "a.txt"), "No space left on device: 'a.txt'. Free"),
        (OSError(21, "Is a directory", "a.txt"), "Is a directory: 'a.txt'\n"),
    ],
)
def test_errors_of_the_machine_are_one_line(cli, monkeypatch, error, message):
    def fail(*_):
        raise error

    monkeypatch.setattr("bamboo.app.show.render", fail)
    # `fail` stands for code of this project, not for the user's.
    monkeypatch.setattr("bamboo.app.main.user_code_error", lambda error: None)
    outcome = cli("run", "data=sample")
    assert outcome.status == 1
    written, error_line = outcome.err.splitlines(keepends=True)
    assert written.startswith("written: ")
    assert error_line.startswith(f"error: {message}")


def test_warnings_of_the_library_are_one_line(cli, monkeypatch):
    def alarm(*_):
        warnings.warn("the cache is damaged", RuntimeWarning, stacklevel=2)
        return "done"

    monkeypatch.setattr("bamboo.app.show.render", alarm)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert cli("run", "data=sample").err.endswith("\nwarning: the cache is damaged\n")
