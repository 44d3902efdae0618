"""Control characters from files do not reach the terminal."""

import pytest

from bamboo.display.table import Table, render
from bamboo.log import HIDDEN, Messages, print_messages, visible, warn, warnings_printed

HOSTILE = "\x1b[2J\x1b]0;title\x07 \x9b31m \u202eevil\u2066 \u061c\u200e\u200f\ufeff \x7f\b"


@pytest.mark.parametrize("text", ["", "cat é 猫 \u3000 \u200d 😀", "two\nlines\tand a tab"])
def test_other_text_is_unchanged(text):
    assert visible(text) == text


def test_every_control_character_is_escaped():
    for code in (*range(32), *range(127, 160)):
        if chr(code) not in "\n\t":
            assert visible(chr(code)) == f"\\u{code:04x}"


@pytest.mark.parametrize("code", [0x61C, 0x200B, 0x200E, 0x200F, 0x202E, 0x2069, 0xFEFF, 0xFFFE])
def test_marks_of_direction_and_characters_without_width_are_escaped(code):
    assert visible(f"a{chr(code)}b") == f"a\\u{code:04x}b"


@pytest.mark.parametrize("report", ["table", "markdown", "latex", "csv"])
def test_a_line_break_in_a_name_does_not_split_a_row(report):
    names = [
        render([Table("scores", ("parser", "F1"), ((name, 1.0), ("b", 0.5)))], report)
        for name in ("a\nz", "az")
    ]
    assert [text.count("\n") for text in names] == [names[1].count("\n")] * 2
    assert "u000a" in names[0]


def test_warnings(capsys):
    with print_messages(Messages()), warnings_printed():
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
