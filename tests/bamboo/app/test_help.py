"""The layout of help: folded to the terminal, without empty headings, every option explained."""

import re
import sys

import pytest

from bamboo.app.commands import COMMANDS, INFORMATION
from bamboo.app.help import topic_help
from bamboo.app.pages import documented, name_page, summary
from bamboo.config.groups import group_names

GROUPS = ("metric", "data", "solver", "protocol", "trainer", "engine", "vectors", "table")
TOPICS = [
    (),
    *((command,) for command in (*COMMANDS, *INFORMATION)),
    *((group, name) for group in GROUPS for name in group_names(group)),
]


def titled(text):
    """The lines below each title."""
    parts = {}
    for block in text.split("\n\n"):
        title, *lines = block.splitlines()
        if re.fullmatch(r"(Groups|Options[^.:]*):", title):
            parts[title.removesuffix(":")] = lines
    return parts


@pytest.mark.parametrize("columns", [80, 120])
def test_help_fits_the_terminal(monkeypatch, columns):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    for topic in TOPICS:
        if len(topic) == 2 and not name_page(*topic).target:
            continue  # its YAML, as it is
        for line in topic_help(topic).splitlines():
            text = line.strip()  # an address or a path may be longer than a line
            assert len(line) <= columns or " are in " in text or " " not in text, (topic, line)


def test_no_heading_is_empty():
    for topic in TOPICS:
        text = topic_help(topic)
        assert "\n\n\n" not in text, topic
        for title, lines in titled(text).items():
            assert lines, (topic, title)
            assert all(line.startswith("  ") for line in lines), (topic, title)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_a_command_is_explained(command):
    parts = titled(topic_help([command]))
    assert "paths.data=" in "".join(parts["Options of every command"])
    lines = [line for part in parts.values() for line in part]
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if re.match(r"  [\w.]+=", line):
            assert (line[25:26] == " " and line[26:].strip()) or following[:26].isspace(), line


def test_a_list_of_several_lines_is_shown_as_on_the_command_line():
    text = " ".join(topic_help(["metric", "blend"]).split())
    assert (
        "metric.of=[s2match_default,{metric:wlk,variant:definition},label_overlap,"
        "node_match,relation_match,wordnet_match] the metrics, by name"
    ) in text


def test_an_option_is_explained_once():
    text = topic_help(["metric", "wlk"])
    assert text.count("metric.K=") == text.count("number of WL iterations") == 1


@pytest.mark.parametrize("name", group_names("metric"))
def test_every_option_of_a_metric_is_explained(name):
    about = name_page("metric", name)
    assert [option.name for option in about.options if not option.meaning] == []
    assert about.purpose


def test_meanings_of_several_lines_and_for_several_names():
    class Both:
        """Title.

        Attributes:
            a, b: both
                of them.

            c: alone.

        Raises:
            Error: never.

        >>> 1
        1
        """

    assert documented(Both) == {"a": "both of them.", "b": "both of them.", "c": "alone."}
    assert documented(None) == {}
    assert summary(Both) == "Title."
