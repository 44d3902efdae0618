"""The generated pages of the documentation site (a hook of MkDocs, see ``mkdocs.yml``).

Nothing here lists commands, options or modules: commands and options are read from ``conf/``, with
their comments, and the API pages follow the packages' folders.
"""

from __future__ import annotations

import ast
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
CONF = ROOT / "conf"
PACKAGES = ("bamboo", "metrics")
ROOT_PAGES = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
GROUP_TITLES = {  # other groups are titled with their own names
    "metric": "Metrics",
    "data": "Data sets",
    "solver": "Alignment solvers",
    "protocol": "Protocols",
    "trainer": "Trainers",
    "engine": "Engines",
    "vectors": "Word vectors",
    "table": "Published tables",
}

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
    """Append the generated pages to the navigation."""
    commands, groups = list(command_files()), list(group_folders())
    assert config.nav is not None
    config.nav += [
        {
            "Reference": [
                {
                    "Commands": [
                        "reference/commands/index.md",
                        *[{path.stem: command_page(path.stem)} for path in commands],
                    ]
                },
                {"Options": [{group_title(path.name): group_page(path.name)} for path in groups]},
            ]
        },
        {"Python API": [{name: package_nav(ROOT / name)} for name in PACKAGES]},
        {"Project": [{"Contributing": "contributing.md"}, {"Changelog": "changelog.md"}]},
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    from mkdocs.structure.files import File

    for address, text in {**root_pages(), **reference_pages(), **api_pages()}.items():
        files.append(File.generated(config, address, content=text))
    return files


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Search from disk with a script of the site itself; the theme names one on the network.

    Anything else that a page would load from the network gives a warning, which makes ``make docs``
    fail.
    """
    top = "../" * page.file.dest_uri.count("/")
    output = output.replace(NETWORK_SCRIPT, f"{top}{LOCAL_SCRIPT}")
    for address in map("".join, NETWORK.findall(output)):
        LOG.warning("%s would load %s from the network", page.file.src_uri, address)
    return output


def on_post_template(output: str, template_name: str, config: MkDocsConfig) -> str:
    """The same for the page of addresses that do not exist."""
    return output.replace(NETWORK_SCRIPT, f"/{LOCAL_SCRIPT}")


# Pages of files in the root folder ------------------------------------------------------------


def root_pages() -> dict[str, str]:
    """The changelog and the guide for contributors; links into ``docs/`` become page links."""
    return {
        page: re.sub(r"\]\(docs/", "](", (ROOT / name).read_text("utf-8"))
        for page, name in ROOT_PAGES.items()
    }


# Commands and options -------------------------------------------------------------------------


@dataclass
class Option:
    """One option of a YAML file.

    Attributes:
        name: with the names of the mappings around it, as in ``optimiser.batch``.
        default: as it is written in the file.
        meaning: its comment.
        section: a comment on a line of its own above it, which introduces the options below.
        group: its values are the names of a configuration group.
    """

    name: str
    default: str
    meaning: str
    section: str = ""
    group: bool = False


@dataclass
class Described:
    """A YAML file of ``conf/``.

    Attributes:
        header: the comment at its beginning.
        target: the class that ``_target_`` names, if any.
        options: in the file's order, those of its defaults list first.
        includes: files of options that it shares with others, by name.
    """

    header: str
    target: str = ""
    options: list[Option] = field(default_factory=list)
    includes: list[str] = field(default_factory=list)


def described(path: Path) -> Described:
    """What a YAML file and its comments say."""
    text = path.read_text("utf-8")
    lines = text.splitlines()
    first = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
    page = Described("\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[:first]))
    root = yaml.compose(text)
    assert isinstance(root, yaml.MappingNode), path
    for key, value in root.value:
        if key.value == "defaults":
            for entry in value.value:
                if isinstance(entry, yaml.MappingNode):
                    (group, name), *_ = entry.value
                    choice = Option(group.value, source(text, name), comment(lines, name))
                    choice.group = True
                    page.options.append(choice)
                elif entry.value != "_self_":
                    page.includes.append(entry.value)
        elif key.value == "_target_":
            page.target = value.value
        else:
            page.options += list(options_below(text, lines, key, value))
    for line in lines[first:]:  # an option without a default is written as a comment
        if match := re.fullmatch(r"# (\w+): (\S+) +# (.*)", line):
            page.options.append(Option(match[1], match[2], match[3]))
    return page


def without_header(path: Path) -> str:
    """A YAML file after the comment at its beginning."""
    return re.sub(r"\A(#.*\n)*", "", path.read_text("utf-8")).strip("\n")


def options_below(
    text: str, lines: list[str], key: yaml.ScalarNode, value: yaml.Node, prefix: str = ""
) -> Iterator[Option]:
    """The option of a key, or those of the mapping that is its value."""
    name = f"{prefix}{key.value}"
    block = isinstance(value, yaml.MappingNode) and not value.flow_style
    if block and value.value:
        for inner_key, inner_value in value.value:
            yield from options_below(text, lines, inner_key, inner_value, f"{name}.")
        return
    section = heading_above(lines, key.start_mark.line, key.start_mark.column)
    yield Option(name, source(text, value), comment(lines, value), section)


def source(text: str, node: yaml.Node) -> str:
    """A value as it is written, on one line."""
    written = text[node.start_mark.index : node.end_mark.index]
    if "\n" not in written:
        return written
    return " ".join(line.partition(" #")[0].strip() for line in written.splitlines()).strip()


def comment(lines: list[str], node: yaml.Node) -> str:
    """The comment after a value, with the lines that continue it."""
    if node.end_mark.column == 0:  # a block ends at the start of the next line
        return ""
    number = node.end_mark.line
    _, mark, text = lines[number][node.end_mark.column :].partition("#")
    if not mark:
        return ""
    parts = [text.strip()]
    for line in lines[number + 1 :]:
        if not re.match(r" {6,}#", line):
            break
        parts.append(line.strip().removeprefix("#").strip())
    return " ".join(parts)


def heading_above(lines: list[str], number: int, column: int) -> str:
    """The comment on the lines directly above a key, if it begins in the same column."""
    above: list[str] = []
    start = " " * column + "#"
    while number > 0 and lines[number - 1].startswith(start):
        number -= 1
        above.insert(0, lines[number].strip().removeprefix("#").strip())
    # The header of the file is not about its first key.
    return " ".join(above) if number > 0 else ""


def command_files() -> Iterator[Path]:
    """The YAML files of commands: those whose first comment shows how to call them."""
    for path in sorted(CONF.glob("*.yaml")):
        if f"python -m bamboo {path.stem}" in path.read_text("utf-8").split("\n", 1)[0]:
            yield path


def group_folders() -> Iterator[Path]:
    """The folders of configuration groups, those with a title of their own first."""
    folders = [path for path in CONF.iterdir() if any(path.glob("*.yaml"))]
    order = list(GROUP_TITLES)
    yield from sorted(
        folders,
        key=lambda path: (order.index(path.name) if path.name in order else 99, path.name),
    )


def group_title(name: str) -> str:
    """The title of a group in the navigation."""
    return GROUP_TITLES.get(name, name)


def command_page(name: str) -> str:
    """The address of a command's page."""
    return f"reference/commands/{name}.md"


def group_page(name: str) -> str:
    """The address of a group's page."""
    return f"reference/options/{name}.md"


def reference_pages() -> dict[str, str]:
    """The pages of all commands and groups, by address."""
    commands = list(command_files())
    pages = {"reference/commands/index.md": overview(commands)}
    for path in commands:
        pages[command_page(path.stem)] = command_text(path)
    for folder in group_folders():
        pages[group_page(folder.name)] = group_text(folder)
    return pages


def overview(commands: list[Path]) -> str:
    """The page that lists the commands."""
    rows = [
        (f"[`{path.stem}`]({path.stem}.md)", escaped(call(described(path).header)[0]))
        for path in commands
    ]
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
            "protocols, transforms and trainers of your own.",
            "",
            *table(("command", "purpose"), rows),
        ]
    )


def call(header: str) -> tuple[str, str, str]:
    """A command's purpose, an example of its use, and the rest of its header."""
    first, _, rest = header.partition("\n")
    purpose, _, example = first.partition(":  ")
    return f"{purpose}.", example, rest


def command_text(path: Path) -> str:
    """The page of one command."""
    page = described(path)
    purpose, example, rest = call(page.header)
    groups = [option for option in page.options if option.group]
    own = [option for option in page.options if not option.group]
    parts = [f"# {path.stem}", "", prose(purpose, depth=2), "", "```sh", example, "```", ""]
    parts += [prose(rest, depth=2), ""]
    parts += option_table(groups, "Groups")
    if groups:
        parts += [
            "`GROUP.OPTION=VALUE` sets an option of what is chosen; each group's page lists them.",
            "",
        ]
    parts += option_table(own, "Options")
    for name in page.includes:
        shared = described(CONF / f"{name}.yaml")
        title = "Folders" if name == "base" else name.capitalize()
        parts += option_table(shared.options, title)
    return "\n".join(parts)


def group_text(folder: Path) -> str:
    """The page of one group: a section per name."""
    name = folder.name
    users = [
        path.stem
        for path in command_files()
        if any(option.group and option.name == name for option in described(path).options)
    ]
    parts = [f"# {group_title(name)}", ""]
    if users:
        links = ", ".join(f"[`{user}`](../commands/{user}.md)" for user in users)
        parts += [f"Chosen with `{name}=NAME` in {links}.", ""]
    if name == "metric":
        parts += [
            "`metric.standardize=amr` (a preset or a list of steps, see",
            "[Standardisation](../../smatchpp.md#standardisation)) works with every metric.",
            "",
        ]
    for path in sorted(folder.glob("*.yaml")):
        page = described(path)
        parts += [f"## {path.stem}", "", prose(page.header, depth=2), ""]
        if page.target:
            module = page.target.rpartition(".")[0]
            parts += [f"Class: [`{page.target}`]({api_address(module, 2)}#{page.target})", ""]
        if page.target:
            parts += option_table(page.options, "", name)
        else:  # these values are read more often than they are set
            parts += ["```yaml", without_header(path), "```", ""]
    return "\n".join(parts)


def option_table(options: list[Option], title: str, prefix: str = "") -> list[str]:
    """A table of options under a heading; a new table where a comment introduces a section."""
    lines = [f"## {title}", ""] if title and options else []
    rows: list[tuple[str, ...]] = []
    header = ("option", "default", "meaning")

    def flush() -> None:
        if rows:
            lines.extend([*table(header, rows), ""])
            rows.clear()

    for option in options:
        if option.section:
            flush()
            lines.extend([prose(option.section, depth=2), ""])
        name = f"`{prefix}.{option.name}`" if prefix else f"`{option.name}`"
        if option.group and (CONF / option.name).is_dir():
            name = f"[{name}](../options/{option.name}.md)"
        rows.append((name, shown_default(option.default), prose(option.meaning, depth=2)))
    flush()
    return lines


def shown_default(default: str) -> str:
    """A default as Markdown: another option, a variable of the environment, or a value."""
    if default == "???":
        return "required"
    if match := re.fullmatch(r"\$\{oc\.env:(\w+),(.*)\}", default):
        return f"`${match[1]}`, else `{match[2]}`"
    if (match := re.fullmatch(r"\$\{(\w+)\}", default)) and (CONF / match[1]).is_dir():
        return f"[{match[1]}](../options/{match[1]}.md)"
    return f"`{default or 'null'}`"


def table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """A Markdown table."""
    return [
        f"| {' | '.join(header)} |",
        f"|{' --- |' * len(header)}",
        *[f"| {' | '.join(row)} |" for row in rows],
    ]


# Code in a comment: what is written as code, or looks like an option: `seed=1`, `data=[sts,sick]`.
CODE = re.compile(r"`([^`]+)`|(?<![\w`])([\w.]+=(?:\[[^\]]*\]|[^\s,;:()]*[^\s,;:().])?)")


def escaped(text: str) -> str:
    """Plain text as Markdown."""
    parts, end = [], 0
    for match in CODE.finditer(text):
        parts += [_plain(text[end : match.start()]), f"`{match[1] or match[2]}`"]
        end = match.end()
    return "".join([*parts, _plain(text[end:])])


def _plain(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|])", r"\\\1", text)


def prose(text: str, depth: int) -> str:
    """A comment as Markdown; a page of ``docs/`` that it names becomes a link."""
    pages = re.split(r"docs/([\w.-]+)\.md", text)
    return "".join(
        f"[{title_of(part)}]({'../' * depth}{part}.md)" if k % 2 else escaped(part)
        for k, part in enumerate(pages)
    )


def title_of(page: str) -> str:
    """The title of a page of ``docs/``."""
    return (ROOT / "docs" / f"{page}.md").read_text("utf-8").split("\n", 1)[0].removeprefix("# ")


# Python API -----------------------------------------------------------------------------------


def modules(package: Path) -> list[Path]:
    """The public modules and sub-packages of a package."""
    return sorted(
        path
        for path in package.iterdir()
        if not path.name.startswith("_")
        and (path.suffix == ".py" or (path / "__init__.py").is_file())
    )


def address_of(path: Path) -> str:
    """The address of a module's or package's page."""
    place = path.relative_to(ROOT).with_suffix("")
    return f"api/{place}/index.md" if path.is_dir() else f"api/{place}.md"


def api_address(module: str, depth: int) -> str:
    """The address of a module's page, from a page `depth` folders down."""
    place = ROOT / module.replace(".", "/")
    return "../" * depth + address_of(place if place.is_dir() else place.with_suffix(".py"))


def package_nav(package: Path) -> list[Any]:
    """The navigation below a package."""
    return [
        address_of(package),
        *[
            {path.stem: package_nav(path) if path.is_dir() else address_of(path)}
            for path in modules(package)
        ],
    ]


def api_pages() -> dict[str, str]:
    """A page per module, by address."""
    pages = {}
    waiting = [ROOT / name for name in PACKAGES]
    while waiting:
        path = waiting.pop()
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        lines = [f"# `{name}`", ""]
        if path.is_dir():
            inner = modules(path)
            waiting += inner
            rows = [(f"[`{at.stem}`]({relative(path, at)})", summary(at)) for at in inner]
            lines += [*table(("module", "contents"), rows), ""]
        lines.append(f"::: {name}")
        pages[address_of(path)] = "\n".join(lines) + "\n"
    return pages


def summary(path: Path) -> str:
    """The first sentence of a module's docstring."""
    source = path / "__init__.py" if path.is_dir() else path
    text = ast.get_docstring(ast.parse(source.read_text("utf-8"))) or ""
    paragraph = " ".join(text.split("\n\n", 1)[0].split()).replace("``", "`")
    return escaped(paragraph.removesuffix("."))


def relative(package: Path, module: Path) -> str:
    """The address of a module's page, from its package's page."""
    return address_of(module).removeprefix(f"api/{package.relative_to(ROOT)}/")
