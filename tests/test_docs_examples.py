"""The examples of the documentation run as they are written there.

On the pages below, a code block with a ``title`` is a file, the commands of an ``sh`` block and the
code of a ``python`` block are run in order, and a ``text`` block is the output of the last one, in
which a line ``...`` stands for lines that are left out. The
exit status of a command is 0, unless a comment behind it says another one.
``bash`` blocks (installation, commands that download data) are not run. A slow test checks that the
commands on all other pages and in the README have the options that they are shown with. On the page
significance.md only the ``python`` blocks are run.

`BAMBOO_UPDATE_DOCS=1 pytest tests/test_docs_examples.py` updates the output on the pages.
"""

import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from bamboo import smatch
from bamboo.app.arguments import resolve_arguments
from bamboo.app.commands import COMMANDS, INFORMATION
from bamboo.app.main import main
from bamboo.smatch.__main__ import main as smatch_command
from tests.configured import compose, configured

DOCS = Path(__file__).parents[1] / "docs"
EXTEND = sorted(f"extend/{page.stem}" for page in (DOCS / "extend").glob("*.md"))
PARSERS = (
    "compare-parsers",
    "look-into-parses",
    "mistakes",
    "validity",
    "parser-report",
    "input-files",
)
PAGES = [
    *("getting-started", "cheat-sheet", "recipes", "umr-shared-task", "python", "own-benchmark"),
    "evaluate-a-parser",
    *PARSERS,
    *EXTEND,
]
# Pages whose files come from another one
NEEDS = {
    **dict.fromkeys(("cheat-sheet", *PARSERS), "evaluate-a-parser"),
    "extend/trainer": "extend/trainable-metric",
}
SHELL = re.compile(r"^```(?:sh|bash)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty working directory; modules imported from it are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    for name in ("BAMBOO_RUNS_DIR", "BAMBOO_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


def blocks(page):
    return list(BLOCK.finditer((DOCS / f"{page}.md").read_text("utf-8")))


def write_files(page):
    if page in NEEDS:
        write_files(NEEDS[page])
    for _, title, content in (match.groups() for match in blocks(page)):
        if title:
            Path(title).parent.mkdir(parents=True, exist_ok=True)
            Path(title).write_text(content, "utf-8")


def commands(content):
    """The program, the arguments and the exit status of each command of an ``sh`` block."""
    for line in content.replace("\\\n", " ").splitlines():
        _, _, status = line.partition("# exit status ")
        python, flag, program, *words = shlex.split(line, comments=True)
        is_command = (python, flag) == ("python", "-m") and program in ("bamboo", "bamboo.smatch")
        assert is_command, f"not a command to run: {line}"
        yield program, words, int(status or 0)


def run(program, words, monkeypatch):
    """The exit status of a command."""
    if program == "bamboo":
        return main(words)
    monkeypatch.setattr(sys, "argv", [program, *words])
    for name in (
        "single_score",
        "pr_flag",
        "iteration_num",
        "verbose",
        "veryVerbose",
    ):  # which the command sets
        monkeypatch.setattr(smatch, name, getattr(smatch, name))
    smatch_command()
    return 0


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page, capsys, monkeypatch):
    text = (DOCS / f"{page}.md").read_text("utf-8")
    printed, compared, ran = None, [], 0
    names = {}  # of the Python examples, which continue one another
    write_files(page)
    for match in blocks(page):
        language, title, content = match.groups()
        if title:
            continue
        if language == "sh":
            for program, words, status in commands(content):
                done, output = run(program, words, monkeypatch), capsys.readouterr()
                assert done == status, f"{' '.join(words)}\n{output.err}"
                printed = (output.err if status else output.out).rstrip() + "\n"
                ran += 1
        elif language == "python":
            exec(compile(content, f"{page}.md", "exec"), names)
            printed = capsys.readouterr().out.rstrip() + "\n"
            ran += 1
        elif language == "text":
            assert printed is not None, "text without a command before it"
            compared.append((match, content, printed))
    assert ran
    if os.environ.get("BAMBOO_UPDATE_DOCS"):
        for match, content, new in reversed(compared):
            if is_shown(new, content):
                continue
            text = text[: match.start(3)] + new + text[match.end(3) :]
        (DOCS / f"{page}.md").write_text(text, "utf-8")
    else:
        for _, content, new in compared:
            if not is_shown(new, content):
                assert rounded(new) == rounded(content)


def is_shown(printed, content):
    """Whether a block has what a command printed, except for what its lines ``...`` leave out."""
    parts = [
        re.escape(part) for part in re.split(r"^\.\.\.\n", rounded(content), flags=re.MULTILINE)
    ]
    return re.fullmatch(r"(?:.*\n)*?".join(parts), rounded(printed)) is not None


def rounded(text):
    """The text with learned values to six digits: the last ones depend on the platform.

    The digest of a mapping in a signature, as that of learned weights, depends on all digits.
    """
    text = re.sub(r"=\{(\d+):[0-9a-f]{12}\}", r"={\1}", text)
    return re.sub(r"\d+\.\d{7,}", lambda number: f"{float(number[0]):.6g}", text)


def test_what_depends_on_the_last_digits_is_not_compared():
    shown = "Weighted(k=2,weights={35:ed7a5284a98e})|v0.2.0 pearson 0.123456789"
    assert is_shown("Weighted(k=2,weights={35:9254d4af99e8})|v0.2.0 pearson 0.123456780", shown)
    for other in (
        shown.replace("35", "36"),
        shown.replace("k=2", "k=3"),
        shown.replace("12", "13"),
    ):
        assert not is_shown(other, shown)


def test_every_page_shows_what_its_commands_print():
    for page in PAGES:
        assert any(match[1] == "text" for match in blocks(page)), page


def test_python_examples_print_what_their_comments_say(capsys):
    text = [match[3] for match in blocks("significance") if match[1] == "python"]
    assert text
    for code in text:
        exec(compile(code, "significance.md", "exec"), {})
        printed = capsys.readouterr().out.split()
        assert printed == re.findall(r"  # ([\d.]+)$", code, re.MULTILINE)


def shown_lines():
    """The words of each command on all pages, with the page."""
    for page in (DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))):
        for match in SHELL.finditer(page.read_text("utf-8")):
            for line in match[1].replace("\\\n", " ").splitlines():
                if line.startswith("python -m bamboo "):
                    yield page, shlex.split(line, comments=True)[3:]


def shown_commands():
    """The commands on all pages, each once.

    Without those that need files of their page (`--config-dir`), flags of Hydra or placeholders.
    """
    unique = set()
    for _, (command, *options) in shown_lines():
        left_out = any(o.startswith(("--", "-m", "hydra")) or o.isupper() for o in options)
        if command not in INFORMATION and not left_out:
            unique.add((command, *options))
    return unique


def test_shown_commands_are_equal_with_and_without_hydra(folder):
    """`compose` compares what the words of each command mean, with the files of its page."""
    compared, of_hydra = set(), set()
    for page, (command, *words) in shown_lines():
        name = page.relative_to(DOCS.parent).with_suffix("").as_posix().removeprefix("docs/")
        config_dir = None
        if "--config-dir" in words and name in PAGES:
            (folder / name).mkdir(parents=True, exist_ok=True)
            os.chdir(folder / name)
            write_files(name)
            k = words.index("--config-dir")
            config_dir = words[k + 1]
            words = words[:k] + words[k + 2 :]
        left_out = any(word.startswith(("--", "-m", "hydra")) or word.isupper() for word in words)
        line = (command, *words)
        if command in COMMANDS and not left_out and line not in compared:
            compared.add(line)
            compose(command, words, config_dir)
            if resolve_arguments(COMMANDS[command], words, config_dir) is None:
                of_hydra.add(line)
    assert len(compared) > 90
    assert all(any(mark in " ".join(line) for mark in "[{") for line in of_hydra)


@pytest.mark.slow  # composes the configuration of each command
def test_shown_commands_have_these_options():
    examples = shown_commands()
    assert len(examples) > 50
    for command, *options in examples:
        configured(command, options)  # or an error with the option's name
