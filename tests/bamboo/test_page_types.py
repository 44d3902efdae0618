"""Every value that a page receives is shown, and every name in a template is one of these."""

from dataclasses import fields
from inspect import getmembers, isclass

import pytest
from harness import build_site
from jinja2 import Environment, nodes

from amr_metrics import format_graphs, parse_graph
from bamboo.app.main import main
from bamboo.installation import PACKAGE
from bamboo.pages.rendering import Pages
from bamboo.parsers.report import overview, plots
from bamboo.site_pages.content import Content

REPORT, SITE = PACKAGE / "parsers" / "report" / "templates", PACKAGE / "site_pages" / "templates"
TEMPLATES = [
    *(REPORT / f"report_{name}.html" for name in ("agreement", "scores", "errors", "sentences")),
    *(SITE / f"{name}.html" for name in ("index", "tables", "metric")),
]
TEXTS = (
    "(s / sleep-01 :ARG0 (c / cat) :polarity -)",
    "(s / sleep-01 :ARG0 (d / dog))",
    "(s / see-01 :ARG1 (c / cat))",
)


@pytest.fixture(scope="module")
def received(tmp_path_factory):
    """What each template received, by its name, when pages of few graphs were written."""
    folder, pages, write = tmp_path_factory.mktemp("pages"), {}, Pages.write

    def record(self, name, template, current, page=None):
        pages[template] = page
        write(self, name, template, current, page)

    for name, text in zip(("a", "b", "gold"), TEXTS, strict=True):
        (folder / f"{name}.amr").write_text(format_graphs([parse_graph(text)] * 3), "utf-8")
    files = [str(folder / f"{name}.amr") for name in ("a", "b", "gold")]
    options = "report=html", "resamples=20"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pages, "write", record)
        assert main(["agree", *files, *options, f"out={folder / 'agreement'}"]) == 0
        score = "score", *files, *options, "permutations=20", f"out={folder / 'report'}"
        assert main([*score]) == 0
        build_site(folder / "runs", folder / "site", "metric=sema", "partition=main")
    return pages


def attributes(path, of=None):
    """Return the attributes that a template reads: those of the value `of`, or of all values.

    The names in a loop over tuples, such as ``{% for board, bars in page.results %}``, count too.
    """
    tree = Environment().parse(path.read_text("utf-8"))
    read = {
        node.attr
        for node in tree.find_all(nodes.Getattr)
        if of is None or (isinstance(node.node, nodes.Name) and node.node.name == of)
    }
    return read if of else read | {node.name for node in tree.find_all(nodes.Name)}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_shows_all_of_its_page_and_nothing_else(path, received):
    assert attributes(path, "page") == {*received[path.name]}


def test_templates_show_every_value_of_a_row(received):
    (table, *_), groups = received["index.html"]["tables"], received["report_errors.html"]["groups"]
    in_site, in_report = (
        set().union(*(attributes(path) for path in folder.glob("*.html")))
        for folder in (SITE, REPORT)
    )
    assert {*table, *table["rows"][0]} <= in_site
    assert {*groups[0]} <= in_report


@pytest.mark.parametrize(("folder", "type_"), [(REPORT, overview.Overview), (SITE, Content)])
def test_what_templates_read_of_all_pages_exists(folder, type_):
    names = {*dir(type_), *(field.name for field in fields(type_))}
    assert set().union(*(attributes(path, "shared") for path in folder.glob("*.html"))) <= names


def test_templates_show_every_field_of_a_row():
    read = set().union(*(attributes(path) for path in REPORT.glob("*.html")))
    # By `Axis.cell`, and by the script of the page of sentences.
    drawn = {*plots.Dot._fields, *overview.Words._fields}
    for module in (overview, plots):
        for name, type_ in getmembers(module, isclass):
            if type_.__module__ == module.__name__ and issubclass(type_, tuple):
                assert {*type_._fields} - drawn <= read, name
