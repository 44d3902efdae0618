"""The generated pages of the documentation site (a hook of MkDocs, see ``mkdocs.yml``).

Nothing here lists commands or options: commands, names in ``conf/`` and their options are those of
`bamboo.app.pages`.
"""

from __future__ import annotations

import base64
import json
import logging
import pkgutil
import posixpath
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bamboo.app.commands import COMMANDS, NAMES, Option
from bamboo.app.help import WORDS, default_text
from bamboo.app.pages import GROUPS, name_page, page, purpose
from bamboo.config.groups import group_names

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
ROOT_PAGES = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
# Pages for looking names up; the search shows them after the pages that explain. A word in a title
# counts a thousand times as much as one in the text.
REFERENCE = ("api/", "reference/", "changelog")
REFERENCE_BOOST = 0.0001
NETWORK_SCRIPT = "https://unpkg.com/iframe-worker/shim"
LOCAL_SCRIPT = "javascripts/iframe-worker.js"
# What a browser loads with the page: scripts, images, styles.
NETWORK = re.compile(
    r'<(?:script|img|iframe)\b[^>]*\bsrc="((?:https?:)?//[^"]*)"'
    r'|<link\b(?=[^>]*\brel="stylesheet")[^>]*\bhref="((?:https?:)?//[^"]*)"'
)
LOG = logging.getLogger("mkdocs.hooks.site_pages")

Nav = list[dict[str, Any]]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the generated pages to the navigation, before the Python API."""
    assert config.nav is not None
    (reference,) = (entry["Reference"] for entry in config.nav if "Reference" in entry)
    reference[:0] = [
        {
            "Commands": [
                "reference/commands/index.md",
                *[{name: command_page(name)} for name in NAMES],
            ]
        },
        {"Options": [{title: group_page(name)} for name, title in GROUPS.items()]},
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    from mkdocs.structure.files import File

    pages = {**root_pages(), **notebook_pages(), **reference_pages()}
    for address, text in pages.items():
        files.append(File.generated(config, address, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **kwargs: Any) -> str:
    """Let the search show the user guide before the reference; links to files lead to pages."""
    address = page.file.src_uri
    if address.startswith(REFERENCE):
        page.meta["search"] = {"boost": REFERENCE_BOOST}
    return relink(markdown, ROOT_PAGES.get(address, f"docs/{address}"), address)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Search from disk with a script of the site itself; the theme names one on the network.

    Anything else that a page would load from the network, and markup that was not rendered, give
    a warning, which makes ``make docs`` fail.
    """
    top = "../" * page.file.dest_uri.count("/")
    output = output.replace(NETWORK_SCRIPT, f"{top}{LOCAL_SCRIPT}")
    for address in map("".join, NETWORK.findall(output)):
        LOG.warning("%s would load %s from the network", page.file.src_uri, address)
    for fault in find_faults(output):
        LOG.warning("%s: %s", page.file.src_uri, fault)
    return output


def on_post_template(output: str, template_name: str, config: MkDocsConfig) -> str:
    """The same for the page of addresses that do not exist."""
    return output.replace(NETWORK_SCRIPT, f"/{LOCAL_SCRIPT}")


class _Faults(HTMLParser):
    """Collects what `find_faults` returns."""

    LITERAL = ("code", "pre", "script", "style")

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.link: str | None = None
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.depth += tag in self.LITERAL
        if tag == "a":
            self.link = ""
        elif tag in ("img", "svg") and self.link is not None:
            self.link += "image"

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag in self.LITERAL
        if tag == "a" and self.link is not None:
            if not self.link.strip():
                self.faults.append(f"line {self.getpos()[0]}: a link without text")
            self.link = None

    def handle_data(self, data: str) -> None:
        if self.link is not None:
            self.link += data
        if not self.depth and ("`" in data or "---" in data):
            self.faults.append(f"line {self.getpos()[0]}: markup in the text: {data.strip()[:80]}")


def find_faults(html: str) -> list[str]:
    """Return where text contains markup that was not rendered, and where a link has no text."""
    parser = _Faults()
    parser.feed(html)
    parser.close()
    return parser.faults


# Links to files of the checkout ---------------------------------------------------------------

LINK = re.compile(r"(?<=\]\()(?![\w+.-]+:|#)([^)#\s]+)")


def relink(text: str, file: str, address: str) -> str:
    """Point the links of a file of the checkout, which work there as well, to pages of the site.

    Args:
        file: its path in the checkout.
        address: the path of its page.
    """

    def replace(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(file), match[1]))
        page = find_page(target)
        if page is None or page == address:  # the page of a notebook has a link to the notebook
            return match[1]
        return posixpath.relpath(page, posixpath.dirname(address) or ".")

    return LINK.sub(replace, text)


def find_page(file: str) -> str | None:
    """Return the page of a file or folder of the checkout, or None."""
    for address, name in ROOT_PAGES.items():
        if file == name:
            return address
    folder, _, name = file.partition("/")
    if folder == "conf" and name in GROUPS:
        return group_page(name)
    if file == "bamboo/api":
        return "reference/commands/index.md"
    return re.sub(r"\.ipynb$", ".md", name) if folder == "docs" else None


# Pages of files in the root folder ------------------------------------------------------------


def root_pages() -> dict[str, str]:
    """The changelog and the guide for contributors."""
    return {page: (ROOT / name).read_text("utf-8") for page, name in ROOT_PAGES.items()}


# Notebooks ------------------------------------------------------------------------------------


def notebook_pages() -> dict[str, str]:
    """A page for each notebook in ``docs/``, with the output that is stored in it."""
    return {
        f"{path.stem}.md": notebook_text(json.loads(path.read_text("utf-8")), path.name)
        for path in sorted((ROOT / "docs").glob("*.ipynb"))
    }


def notebook_text(notebook: dict[str, Any], name: str) -> str:
    """The cells of a notebook as Markdown."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        else:
            parts += [f"```python\n{source}\n```", *map(notebook_output, cell["outputs"])]
    title, _, rest = parts[0].partition("\n")
    parts[0] = f"{title}\n\n[Download this notebook]({name})\n{rest}"
    return "\n\n".join(parts) + "\n"


def notebook_output(output: dict[str, Any]) -> str:
    """An output of a cell: a drawing or table as it is, any other output as text."""
    data = {kind: "".join(text) for kind, text in output.get("data", {}).items()}
    if "image/svg+xml" in data:
        svg = base64.b64encode(data["image/svg+xml"].encode()).decode()
        return f'<img alt="plot" src="data:image/svg+xml;base64,{svg}">'
    if "text/html" in data:
        lines = (line for line in data["text/html"].splitlines() if line.strip())
        return "\n".join(['<div class="notebook-output">', *lines, "</div>"])
    text = data.get("text/plain") or "".join(output.get("text", ""))
    return f"```text\n{text.rstrip()}\n```"


# Commands and options -------------------------------------------------------------------------


def command_page(name: str) -> str:
    """The address of a command's page."""
    return f"reference/commands/{name}.md"


def group_page(name: str) -> str:
    """The address of a group's page."""
    return f"reference/options/{name}.md"


def reference_pages() -> dict[str, str]:
    """The pages of all commands and groups, by address."""
    pages = {"reference/commands/index.md": overview()}
    for name in NAMES:
        pages[command_page(name)] = command_text(name)
    for name in GROUPS:
        pages[group_page(name)] = group_text(name)
    return pages


def overview() -> str:
    """The page that lists the commands."""
    rows = [(f"[`{name}`]({name}.md)", escaped(purpose(name))) for name in NAMES]
    return "\n".join(
        [
            "# Commands",
            "",
            "```sh",
            "python -m bamboo COMMAND option=value ... [--config-dir FOLDER]",
            "```",
            "",
            "`bamboo COMMAND` is the same. `python -m bamboo COMMAND --help` prints a command's",
            "options with their defaults. `--config-dir FOLDER` adds metrics, data sets,",
            "protocols and trainers of your own.",
            "",
            *table(("command", "purpose"), rows),
        ]
    )


def command_text(name: str) -> str:
    """The page of one command."""
    about = page(name)
    parts = [f"# {name}", "", prose(about.purpose, depth=2), "", "```sh", about.example, "```", ""]
    parts += [prose(about.more, depth=2), ""]
    if name in COMMANDS:
        parts += [prose(WORDS[COMMANDS[name].is_application], depth=2), ""]
    for title, options in about.options.items():
        parts += option_table(options, title)
        if title == "Groups" and options:
            parts += [
                "`GROUP.OPTION=VALUE`, or `metric.NAME.OPTION=VALUE`, sets an option; the page of",
                "each group lists them.",
                "",
            ]
    return "\n".join(parts)


def group_text(name: str) -> str:
    """The page of one group: a section per name."""
    users = [user for user, command in COMMANDS.items() if name in command.options]
    parts = [f"# {GROUPS[name]}", ""]
    if users:
        links = ", ".join(f"[`{user}`](../commands/{user}.md)" for user in users)
        parts += [f"Chosen with `{name}=NAME` in {links}.", ""]
    if name == "metric":
        parts += [
            "`standardize` takes a preset or a list of steps, see",
            "[Standardisation](../../smatchpp.md#standardisation).",
            "",
        ]
    for member in group_names(name):
        about = name_page(name, member)
        parts += [f"## {member}", "", prose(about.purpose, depth=2), ""]
        if about.target:
            parts += [f"Class: [`{about.target}`][{defined_at(about.target)}]", ""]
            parts += option_table(about.options["Options"], "")
        else:  # these values are read more often than they are set
            parts += ["```yaml", about.more, "```", ""]
    return "\n".join(parts)


def defined_at(target: str) -> str:
    """The path of a class where it is defined, which every page of the API has as an anchor."""
    cls = pkgutil.resolve_name(target)
    return f"{cls.__module__}.{cls.__qualname__}"


def option_table(options: list[Option], title: str) -> list[str]:
    """A table of options under a heading."""
    if not options:
        return []
    rows = []
    for option in options:
        name = f"`{option.name}`"
        if option.name in GROUPS:
            name = f"[{name}](../options/{option.name}.md)"
        rows.append((name, f"`{default_text(option.default)}`", prose(option.meaning, depth=2)))
    heading = [f"## {title}", ""] if title else []
    return [*heading, *table(("option", "default", "meaning"), rows), ""]


def table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """A Markdown table."""
    return [
        f"| {' | '.join(header)} |",
        f"|{' --- |' * len(header)}",
        *[f"| {' | '.join(row)} |" for row in rows],
    ]


# Code in a comment: what is written as code, or looks like an option: `seed=1`, `data=sts,sick`.
CODE = re.compile(r"`([^`]+)`|(?<![\w`])([\w.]+=(?:\[[^\]]*\]|(?:[^\s,;:().]|[,:.](?=[\w/]))*))")


def escaped(text: str) -> str:
    """Plain text as Markdown."""
    text = text.replace("``", "`")
    parts, end = [], 0
    for match in CODE.finditer(text):
        parts += [_plain(text[end : match.start()]), f"`{match[1] or match[2]}`"]
        end = match.end()
    return "".join([*parts, _plain(text[end:])])


def _plain(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|])", r"\\\1", text)


def prose(text: str, depth: int) -> str:
    """A comment as Markdown; a page of ``docs/`` that it names becomes a link."""
    pages = re.split(r"docs/([\w./-]+)\.md", text)
    return "".join(
        f"[{title_of(part)}]({'../' * depth}{part}.md)" if k % 2 else escaped(part)
        for k, part in enumerate(pages)
    )


def title_of(page: str) -> str:
    """The title of a page of ``docs/``."""
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    return re.search(r"^# (.*)", text, re.MULTILINE)[1]
