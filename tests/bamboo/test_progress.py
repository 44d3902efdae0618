"""Progress of commands, and what is printed on standard error."""

import io
import re
import sys
import time
from types import SimpleNamespace

import pytest

from bamboo.errors import ConfigError
from bamboo.log import Messages, print_messages, take_messages
from bamboo.progress import Progress, progress_bar, progress_reported


def test_steps_of_a_phase_are_counted():
    progress = Progress()
    progress.begin("scoring")
    progress("a", 3)
    progress("b", 3)
    assert (progress.phase, progress.done, progress.total) == ("scoring", 2, 3)


def test_no_more_steps_than_there_are():
    progress = Progress()
    for k in range(4):  # a phase of three steps, then another one of three
        progress(str(k), 3)
    assert (progress.done, progress.total) == (1, 3)
    progress("x", 12)
    assert (progress.done, progress.total) == (1, 12)


def test_what_is_counted_and_about_how_long_the_rest_will_take(monkeypatch):
    clock = SimpleNamespace(monotonic=lambda: now)
    monkeypatch.setattr("bamboo.progress.time", clock)
    now = 100.0
    progress = Progress()
    progress.begin("scoring", 12, "pairs")
    assert str(progress) == "scoring"
    progress.reach(0, 26_746)
    assert str(progress) == "scoring: 0 of 26,746 pairs"
    now = 130.0
    progress.reach(10_000, 26_746)  # 16,746 * 30 / 10,000
    assert str(progress) == "scoring: 10,000 of 26,746 pairs, about 50 s left"
    progress("smatch sts", 12)
    assert str(progress) == "scoring: 10,000 of 26,746 pairs, about 50 s left"
    progress.reach(100, 26_746)  # 26,646 * 30 / 100 = 7,994 s
    assert str(progress) == "scoring: 100 of 26,746 pairs, about 2 h left"
    progress.reach(26_746, 26_746)
    assert str(progress) == "scoring: 26,746 of 26,746 pairs"
    progress.reach(10_000, None)
    assert str(progress) == "scoring: 10,000 pairs"
    progress.begin("checking", 3)
    assert str(progress) == "checking 0 of 3"
    now = 230.0
    progress("smatch", 3)
    assert str(progress) == "checking 1 of 3, about 3 min left"


def test_lines(capsys):
    with print_messages(Messages(verbose=True)):
        progress = Progress()
        progress.begin("scoring", 2)
        progress("smatch sts", 2)
        progress("smatch sick", 2)
    assert capsys.readouterr().err.splitlines() == [
        "scoring: 2",
        "scoring 1 of 2: smatch sts",
        "scoring 2 of 2: smatch sick",
    ]


def test_in_a_file_a_line_says_regularly_what_is_done(capsys, monkeypatch):
    monkeypatch.setattr("bamboo.progress.REPORT_EVERY", 0.02)
    for messages, expected in ((Messages(), True), (Messages(quiet=True), False)):
        with print_messages(messages), progress_reported():
            time.sleep(0.1)
            with progress_bar("reading") as progress:
                progress.begin("scoring", 3)
                progress("smatch sts", 3)
                time.sleep(0.1)
        lines = capsys.readouterr().err.splitlines()
        assert any(line.startswith("working (") for line in lines) == expected
        assert any(line.startswith("scoring 1 of 3, about ") for line in lines) == expected


class Terminal(io.StringIO):
    """A terminal that keeps what is printed."""

    encoding = "utf-8"

    def isatty(self):
        return True

    def text(self):
        return re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", self.getvalue())


def use_terminal(monkeypatch):
    """Replace the error stream; pytest would take back what a fixture sets."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return terminal


def test_a_bar_on_a_terminal(monkeypatch):
    terminal = use_terminal(monkeypatch)
    with print_messages(Messages()), progress_bar("checking data") as bar:
        bar.begin("training", 3)
        for k in range(3):
            bar(f"[b]metric{k}[/b]", 3)
        bar.begin("scoring", 2)
        bar("smatch sts", 2)
        bar.bar.refresh()
    text = terminal.text()
    assert "scoring: smatch sts" in text
    assert "1/2" in text
    assert "4/3" not in text
    assert "left" in text


def test_a_bar_of_pairs(monkeypatch):
    terminal = use_terminal(monkeypatch)
    with print_messages(Messages()), progress_bar("checking data") as bar:
        bar.begin("scoring", 2, "pairs")
        bar.bar.refresh()
        bar.reach(700, 1379)
        bar("smatch sts", 2)
        bar.bar.refresh()
        assert [task.total for task in bar.bar.tasks] == [1379]
        bar.begin("training")
        assert [task.total for task in bar.bar.tasks] == [None]
    text = terminal.text()
    assert "scoring: smatch sts" in text
    assert "700/1379" in text
    assert "1/2" not in text


def test_nothing_in_a_pipe(capsys):
    with print_messages(Messages()), progress_bar("checking data") as bar:
        bar("a", 1)
    assert capsys.readouterr().err == ""


def test_nothing_on_a_terminal_if_quiet(monkeypatch):
    terminal = use_terminal(monkeypatch)
    with print_messages(Messages(quiet=True)), progress_bar("checking data") as bar:
        bar("a", 1)
    assert terminal.getvalue() == ""


def test_verbose_names_the_phases_and_quiet_prints_nothing(cli):
    arguments = ("run", "metric=[smatch,sema]", "data=sample", "partition=[main,arg]", "limit=3")
    verbose = cli(*arguments, "verbose=true").err.splitlines()
    verbose = [line for line in verbose if not line.startswith("compiling")]
    assert verbose[:5] == [
        "reading",
        "checking data: 2",
        "checking data 1 of 2: sample main test",
        "checking data 2 of 2: sample arg test",
        "scoring: 4",
    ]
    assert [line.split(":")[0] for line in verbose[5:9]] == [
        f"scoring {k} of 4" for k in (1, 2, 3, 4)
    ]
    assert verbose[-1].startswith("written: ")
    quiet = cli(*arguments, "quiet=true")
    assert quiet.err == ""
    usual = cli(*arguments)
    assert usual.err.startswith("written: ")
    assert quiet.out == usual.out
    assert cli(*arguments, "cache=off", "quiet=true").err == ""


def test_errors_and_warnings_are_printed_if_quiet(cli, user):
    assert cli("run", "metric=smacth", "quiet=true").err.startswith("error: unknown metric")
    user.metric("refusing", "Refusing")
    user.data("tiny", [1, 2, 3, 5], [0, 0.5, 0.25, 1])
    outcome = cli(
        *("run", "metric=refusing", "data=tiny", "on_error=nan", "quiet=true", user.option)
    )
    assert outcome.status == 0, outcome.err
    assert outcome.err.startswith("warning: ")
    assert "written" not in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quiet=ture"], "quiet=ture: expected quiet=true or quiet=false"),
        (["quiet=true", "quiet=false"], "quiet is given twice"),
        (["quiet=true", "verbose=true"], "exclude each other"),
    ],
)
def test_wrong_options_on_messages(arguments, message):
    with pytest.raises(ConfigError, match=message):
        take_messages(arguments)
