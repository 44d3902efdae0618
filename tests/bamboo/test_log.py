"""Control characters from files do not reach the terminal."""

import pytest

from bamboo.log import HIDDEN, Messages, printed, visible, warn, warnings_printed
from bamboo.results.table import Table, render

HOSTILE = "\x1b[2J\x1b]0;title\x07 \x9b31m \u202eevil\u2066 \x7f\b"


@pytest.mark.parametrize("text", ["", "cat é 猫 \u3000 \u200d 😀", "two\nlines\tand a tab"])
def test_other_text_is_unchanged(text):
    assert visible(text) == text


def test_every_control_character_is_escaped():
    for code in (*range(32), *range(127, 160)):
        if chr(code) not in "\n\t":
            assert visible(chr(code)) == f"\\u{code:04x}"


@pytest.mark.parametrize("report", ["table", "markdown", "latex", "csv", "json"])
def test_tables(report):
    table = Table(HOSTILE, ("id", HOSTILE), ((HOSTILE, 1.0),), notes=(HOSTILE,))
    text = render([table], report)
    assert not HIDDEN.search(text)
    assert "u001b[2J" in text.replace("\\textbackslash{}", "")


def test_warnings(capsys):
    with printed(Messages()), warnings_printed():
        warn([HOSTILE])
    assert capsys.readouterr().err.startswith("warning: \\u001b[2J")


def test_an_id_in_a_message_and_in_a_table(cli, home):
    for name, number in (("a", 1), ("b", 2)):
        text = f"# ::id {number}{HOSTILE}\n(c / cat)\n\n# ::id 3{HOSTILE}\n(c / cat)\n"
        (home / f"{name}.amr").write_text(text)
    outcome = cli("score", "src=a.amr", "tgt=b.amr")
    assert outcome.status == 1
    assert "::id 1\\u001b[2J" in outcome.err
    assert not HIDDEN.search(outcome.err)
    for report in ("table", "json", "csv", "markdown", "latex"):
        outcome = cli("score", "src=a.amr", "tgt=a.amr", f"report={report}")
        assert outcome.status == 0
        assert not HIDDEN.search(outcome.out)
