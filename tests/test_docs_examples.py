"""The examples of the documentation run as they are written there.

On the pages below, a code block with a ``title`` is a file, the commands of an ``sh`` block and the
code of a ``python`` block are run in order, and a ``text`` block is the output of the last one, in
which a line ``...`` stands for lines that are left out. The
exit status of a command is 0, unless a comment behind it says another one.
``bash`` blocks (installation, commands that download data) are not run; `make docs` reads the words
of their commands, and those of all other pages, of code within text, of the README, of
CONTRIBUTING.md and of the Makefile. On the page significance.md only the ``python`` blocks are run.

`BAMBOO_UPDATE_DOCS=1 pytest tests/test_docs_examples.py` updates the output on the pages.
"""

import os
import re
import shlex
import sys
from pathlib import Path

import pytest
import yaml
from joblib.externals.loky import get_reusable_executor

from amr_metrics.errors import MetricError
from bamboo import smatch
from bamboo.app.main import main
from bamboo.errors import BambooError
from bamboo.smatch.__main__ import main as smatch_command
from tests.configured import configured

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
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
    *("evaluate-a-parser", "hydra"),
    *PARSERS,
    *EXTEND,
]
# Pages whose files come from another one
NEEDS = {
    **dict.fromkeys(("cheat-sheet", *PARSERS), "evaluate-a-parser"),
    "extend/trainer": "extend/trainable-metric",
    "extend/board": "extend/metric",
}
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty working directory; modules imported from it are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    for name in ("BAMBOO_RUNS_DIR", "BAMBOO_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")  # hydra/launcher=joblib starts no processes
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])  # as `python -m` does
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
        if "hydra/launcher=joblib" in words:  # joblib cannot use the processes of engine=loky
            get_reusable_executor().shutdown()
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
    for module in [name for name in sys.modules if name.partition(".")[0] == "mine"]:
        monkeypatch.delitem(sys.modules, module)  # that of another test
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
                assert new == content


def is_shown(printed, content):
    """Whether a block has what a command printed, except for what its lines ``...`` leave out."""
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", content, flags=re.MULTILINE)]
    return re.fullmatch(r"(?:.*\n)*?".join(parts), printed) is not None


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


# Commands that are not run

SHELL = re.compile(r"^```(?:sh|bash)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(
    r"`(?:python -m )?(?:bamboo )?((?:run|compare|train|tables|build) [^`]*=[^`]*)`"
)
PLACEHOLDER = re.compile(r"\b(?:NAME|FOLDER|OPTIONS)\b|\.\.\.")
BRACKET = re.compile(r"""'[^']*'|"[^"]*"|#.*|([\[{]|(?<= )~)""")


def list_lines(path):
    """The commands of a page, without those that are run or have placeholders."""
    text = path.read_text("utf-8")
    name = path.relative_to(DOCS).with_suffix("").as_posix() if path.is_relative_to(DOCS) else ""
    lines = [
        line.removeprefix("python -m bamboo ")
        for match in SHELL.finditer(text)
        if name not in PAGES or match[0].startswith("```bash")
        for line in match[1].replace("\\\n", " ").splitlines()
        if line.startswith("python -m bamboo ")
    ]
    lines += [" ".join(match[1].split()) for match in INLINE.finditer(SHELL.sub("", text))]
    return [line for line in dict.fromkeys(lines) if not PLACEHOLDER.search(line)]


def list_make_lines():
    """The commands of the Makefile, with the words that it has for its variables."""
    text = (ROOT / "Makefile").read_text("utf-8")
    values = re.findall(r'\b(ARGS|SITE|TABLES) \?= ?(.*)|make \w+ (ARGS|SITE|TABLES)="(.*)"', text)
    words = [(first or second, value or other) for first, value, second, other in values]
    recipes = re.findall(r"\$\(BIN\)/python -m bamboo (.*)", text)
    lines = {recipe.replace(f"$({name})", value) for recipe in recipes for name, value in words}
    return [line for line in lines if "$" not in line]


def list_pages():
    """The commands of each page, without those that stand on an earlier one."""
    pages, seen = {"Makefile": list_make_lines()}, set()
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))):
        lines = [line for line in list_lines(path) if line not in seen]
        seen |= {*lines}
        pages |= {path.relative_to(ROOT).as_posix(): lines} if lines else {}
    return pages


LINES = list_pages()


@pytest.fixture
def files(folder, monkeypatch):
    """Word vectors, and the files of RARE and so on, which are only looked for."""
    monkeypatch.setenv("BAMBOO_VECTORS", str(folder / "vectors.txt"))
    monkeypatch.setenv("BAMBOO_CACHE_DIR", str(folder / "cache"))
    Path("vectors.txt").write_text(f"cat{' 1' * 100}\n", "utf-8")
    write_files("data-of-others")
    for path in Path("my-config/data").glob("*.yaml"):
        ((_, node),) = yaml.safe_load(path.read_text("utf-8")).items()
        for partition in node["partitions"].values():
            for name in partition["files"]:
                file = path.parent / node["root"] / name.replace("{split}", "test")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()


@pytest.mark.slow
@pytest.mark.parametrize("page", LINES)
def test_the_words_of_shown_commands_are_read(page, files):
    name = page.removeprefix("docs/").removesuffix(".md")
    if (DOCS / f"{name}.md").is_file():
        write_files(name)
    for line in LINES[page]:
        assert not any(match[1] for match in BRACKET.finditer(line)), f"quote {line}"
        command, *words = shlex.split(line, comments=True)
        config_dir = None
        if "--config-dir" in words:
            k = words.index("--config-dir")
            config_dir = words[k + 1]
            del words[k : k + 2]
        if "-m" in words:  # the first job, without its launcher
            words = [re.sub(r"^([^=[]*=[^,[]*),.*", r"\1", word) for word in words if word != "-m"]
            words = [*words, "--cfg", "hydra"]
        try:
            configured(command, words, config_dir)
        except (BambooError, MetricError) as error:
            raise AssertionError(f"{line}: {error}") from None


def test_commands_are_found_on_many_pages():
    assert len(LINES) > 25
    assert sum(map(len, LINES.values())) > 100
    assert "run metric=smatch data=sts" in LINES["Makefile"]
