"""The command of `bamboo.smatch`."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

import bamboo.smatch as smatch
from bamboo.smatch.__main__ import main

CAT = "(s / sleep-01 :ARG0 (c / cat))"
DOG = "(s / sleep-01 :ARG0 (d / dog))"


@pytest.fixture
def run(home, monkeypatch, capsys):
    (home / "a.amr").write_text(f"{CAT}\n\n{DOG}\n")
    (home / "b.amr").write_text(f"\ufeff# ::id 1\n{CAT}\n\n{CAT}\n")

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["smatch", *words])
        main()
        return capsys.readouterr().out

    return call


def test_f_score(run):
    assert run("-f", "a.amr", "b.amr") == "F-score: 0.88\n"
    assert run("-r", "10", "-f", "a.amr", "b.amr", "--significant", "3") == "F-score: 0.875\n"
    assert smatch.iteration_num == 11


def test_precision_and_recall(run):
    Path("c.amr").write_text("(s / sleep-01)\n\n(s / sleep-01)\n")
    out = run("-f", "c.amr", "b.amr", "--pr", "--significant", "4")
    assert out == "Precision: 1.0000\nRecall: 0.5000\nF-score: 0.6667\n"


def test_each_pair(run):
    assert run("--ms", "-f", "a.amr", "b.amr") == "F-score: 1.00\nF-score: 0.75\n"
    assert run("--ms", "--pr", "--justinstance", "-f", "a.amr", "b.amr").splitlines()[3:] == [
        "Precision: 0.50",
        "Recall: 0.50",
        "F-score: 0.50",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-f", "a.amr", "short.amr"), "short.amr: has only 1 graph, and a.amr has more"),
        (("-f", "a.amr", "bad.amr"), "bad.amr, graph 0: "),
    ],
)
def test_errors(run, home, words, message):
    (home / "short.amr").write_text(CAT)
    (home / "bad.amr").write_text(f"(a / b\n\n{CAT}")
    with pytest.raises(SystemExit, match=f"^error: {message}"):
        run(*words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-f", "none.amr", "b.amr"), "argument -f: can't open 'none.amr': [Errno 2] No such file"),
        (("-f", "a.amr", "."), "argument -f: can't open '.': "),
        (("-f", "a.amr"), "argument -f: expected 2 arguments"),
        (("-f", "a.amr", "b.amr", "--significant", "-1"), "argument --significant: "),
        (("-f", "a.amr", "b.amr", "--justinstance", "--justrelation"), "not allowed with argument"),
    ],
)
def test_usage(run, capsys, words, message):
    with pytest.raises(SystemExit) as raised:
        run(*words)
    assert raised.value.code == 2
    captured = capsys.readouterr()
    assert (captured.out, message in captured.err) == ("", True)


def test_standard_input(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{CAT}\n\n{DOG}\n"))
    assert run("-f", "-", "b.amr") == "F-score: 0.88\n"


def test_verbose(run, monkeypatch):
    log = io.StringIO()
    monkeypatch.setattr(smatch, "DEBUG_LOG", log)
    assert run("-f", "a.amr", "b.amr", "--vv") == "F-score: 0.88\n"
    assert log.getvalue() == ""
    assert run("-f", "a.amr", "b.amr", "-v") == "F-score: 0.88\n"
    assert log.getvalue().splitlines()[-2] == "7 8 8"


def test_a_process(run):
    words = [sys.executable, "-m", "bamboo.smatch", "-f", "a.amr", "b.amr", "--ms"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("F-score: 1.00\nF-score: 0.75\n", "")
