"""The reference has every command, every option and every public name of the Python API."""

import inspect
import pkgutil
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

import amr_metrics
import bamboo
from bamboo.app.commands import COMMANDS
from bamboo.config.groups import compose_group, group_names
from bamboo.config.requests import build_named_row
from bamboo.installation import resource

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"^\| (?:\[)?`([^`]+)`", re.MULTILINE)


@pytest.fixture(scope="module")
def pages():
    """The module that generates the pages; it needs no MkDocs for that."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import site_pages
    finally:
        sys.path.pop(0)
    return site_pages


@pytest.fixture(scope="module")
def reference(pages):
    return pages.reference_pages()


def leaves(options, prefix=""):
    """The names of all options, those of nested mappings with dots."""
    for name, value in options.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_has_all_its_options(reference, command):
    rows = ROW.findall(reference[f"reference/commands/{command}.md"])
    groups = {path.name for path in resource("conf").iterdir() if path.is_dir()}
    options = COMMANDS[command].options
    defaults = {name: option.default for name, option in options.items() if name not in groups}
    assert set(leaves(defaults)) - set(rows) == set()
    assert len(rows) == len(set(rows))
    assert f"`{command}`" in reference["reference/commands/index.md"]


@pytest.mark.parametrize("metric", group_names("metric"))
def test_a_metric_has_all_its_options(reference, metric):
    page = reference["reference/options/metric.md"]
    section = page.split(f"\n## {metric}\n")[1].split("\n## ")[0]
    job = build_named_row(metric, metric)
    prefix = re.compile(rf"(metric|about)\.{metric}\.")
    rows = {prefix.sub("", row).split(".")[0] for row in ROW.findall(section)}
    assert f"`{job.document['_target_']}`" in section
    assert rows == {*job.document, "standardize"} - {"_target_"} | ({"vectors", "trainer"} & rows)


@pytest.mark.parametrize("group", ["data", "protocol", "trainer", "table", "engine"])
def test_a_group_has_all_its_names(reference, group):
    titles = re.findall(r"^## (.*)$", reference[f"reference/options/{group}.md"], re.MULTILINE)
    assert titles == group_names(group)


def test_text_as_markdown(pages):
    assert pages.escaped("a | b, as depth=[3], *x* of `it`, ``k``, k=1.") == (
        r"a \| b, as `depth=[3]`, \*x\* of `it`, `k`, `k=1`."
    )
    assert pages.prose("see docs/comparable.md", 1).startswith("see [Which score is comparable")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("two fields, field=parse,gold.", "field=parse,gold"),
        ("metric=smatch,sema, or all", "metric=smatch,sema"),
        ("for data=[sts, sick], k=1: the", "data=[sts, sick]"),
        ("vectors.file=/a/b.txt, then", "vectors.file=/a/b.txt"),
    ],
)
def test_an_option_in_a_text_is_code_with_its_whole_value(pages, text, code):
    assert f"`{code}`" in pages.escaped(text)


def test_an_empty_default_is_shown_as_it_is_written(pages, reference):
    assert "`''`" in reference["reference/options/metric.md"]
    assert not re.search(r"(?<!`)``(?!`)", "".join(reference.values()))


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_show_nothing_that_holds_in_python_only(reference, command):
    page = reference[f"reference/commands/{command}.md"]
    assert not re.search(r"[Ii]n Python|\bdata frame|\bdictionar|\bNone\b", page)


FAULTS = {
    "<p>a ``word</p>": "line 1: markup in the text: a ``word",
    '<p>\n<a href="x">---</a></p>': "line 2: markup in the text: ---",
    '<a href="x"> </a>': "line 1: a link without text",
}


@pytest.mark.parametrize("html", FAULTS)
def test_markup_that_was_not_rendered_is_found(pages, html):
    assert pages.find_faults(html) == [FAULTS[html]]


def test_rendered_text_has_no_faults(pages):
    html = (
        "<script>let a = `b`;</script><p>--&gt; <code>`a`</code></p><pre>---\n<code>`</code>`</pre>"
        '<a href="x"><code>x</code></a><a href="y"><svg></svg></a>'
    )
    assert pages.find_faults(html) == []


def test_links_to_files_of_the_checkout_lead_to_pages(pages):
    text = (
        "[a](../../CONTRIBUTING.md#errors) [b](../../conf/table) [c](../api/x.md) [d](https://e.f)"
    )
    assert pages.relink(text, "docs/extend/metric.md", "extend/metric.md") == (
        "[a](../contributing.md#errors) [b](../reference/options/table.md) [c](../api/x.md) "
        "[d](https://e.f)"
    )
    assert (
        pages.relink("[a](docs/python.md)", "CONTRIBUTING.md", "contributing.md")
        == "[a](python.md)"
    )
    tutorial = "[Use](tutorial.ipynb)"
    assert pages.relink(tutorial, "docs/index.md", "index.md") == "[Use](tutorial.md)"
    assert pages.relink(tutorial, "docs/tutorial.md", "tutorial.md") == tutorial


def test_relative_links_lead_to_files_of_the_checkout(pages):
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    links = [(file, link) for file in files for link in pages.LINK.findall(file.read_text("utf-8"))]
    assert len(links) > 100
    assert [(file.name, link) for file, link in links if not (file.parent / link).exists()] == []


def test_links_to_classes_have_the_path_of_their_definition(reference):
    text = "\n".join(reference.values())
    links = re.findall(r"\[`([\w.]+)`\]\[([\w.]+)\]", text)
    assert ("amr_metrics.Wlk", "amr_metrics.features.wlk.Wlk") in links
    for target, link in links:
        cls = pkgutil.resolve_name(target)
        assert (cls.__module__, cls.__qualname__) == tuple(link.rsplit(".", 1))


def shown_objects():
    """The objects that the pages of the Python API show; of a module, those in its ``__all__``."""
    for page in (ROOT / "docs" / "api").glob("*.md"):
        for name in re.findall(r"^::: (.*)$", page.read_text("utf-8"), re.MULTILINE):
            target = pkgutil.resolve_name(name)
            if inspect.ismodule(target):
                yield from (getattr(target, member) for member in getattr(target, "__all__", ()))
            else:
                yield target


def test_api_pages_show_the_public_names_once():
    ids = [id(value) for value in shown_objects() if inspect.isclass(value) or callable(value)]
    assert len(ids) == len(set(ids))
    public = {
        f"{package.__name__}.{name}": id(getattr(package, name))
        for package in (bamboo, amr_metrics)
        for name in package.__all__
        if name != "__version__"
    }
    assert [name for name, value in public.items() if value not in ids] == []


def targets(config):
    """The public classes that a configuration names, at any depth."""
    for key, value in config.items():
        if key == "_target_" and value.startswith(("amr_metrics.", "bamboo.SPSA")):
            yield value.removesuffix(".of")
        elif isinstance(value, dict):
            yield from targets(value)


def test_classes_of_the_configuration_are_on_api_pages():
    files = (ROOT / "conf").rglob("*.yaml")
    found = {name for file in files for name in targets(yaml.safe_load(file.read_text("utf-8")))}
    assert len(found) > 30
    shown = list(shown_objects())
    assert [name for name in sorted(found) if pkgutil.resolve_name(name) not in shown] == []


def test_the_guide_comes_before_the_reference_in_the_search(pages):
    def boost(address):
        page = SimpleNamespace(file=SimpleNamespace(src_uri=address), meta={})
        assert pages.on_page_markdown("text", page) == "text"
        return page.meta.get("search", {}).get("boost", 1)

    for address in ("api/metrics.md", "reference/commands/run.md", "changelog.md"):
        assert boost(address) < boost("significance.md") == boost("extend/metric.md") == 1


def test_trainers_are_shown_as_they_are_composed(reference):
    block = reference["reference/options/trainer.md"].split("\n## converge\n")[1]
    printed = yaml.safe_load(re.search(r"```yaml\n(.*?)```", block, re.DOTALL)[1])
    assert printed == compose_group("trainer", "converge")


def test_the_page_of_a_notebook_has_its_cells_and_their_output(pages):
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "\n", "Text."]},
        {
            "cell_type": "code",
            "source": ["1 + 1"],
            "outputs": [
                {"output_type": "stream", "text": ["two\n"]},
                {"data": {"text/html": ["<p>a</p>\n", "\n", "<p>b</p>"], "text/plain": ["c"]}},
                {"data": {"image/svg+xml": ["<svg/>"], "text/plain": ["d"]}},
            ],
        },
    ]
    assert pages.notebook_text({"cells": cells}, "own.ipynb") == (
        "# Title\n\n[Download this notebook](own.ipynb)\n\nText.\n\n"
        "```python\n1 + 1\n```\n\n```text\ntwo\n```\n\n"
        '<div class="notebook-output">\n<p>a</p>\n<p>b</p>\n</div>\n\n'
        '<img alt="plot" src="data:image/svg+xml;base64,PHN2Zy8+">\n'
    )


def test_every_notebook_has_a_page_with_output(pages):
    notebooks = pages.notebook_pages()
    assert set(notebooks) == {f"{path.stem}.md" for path in (ROOT / "docs").glob("*.ipynb")}
    for text in notebooks.values():
        assert "notebook-output" in text
