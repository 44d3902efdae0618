"""Every field that a page receives is shown, and every name in a template is a field."""

from dataclasses import fields
from inspect import getmembers, isclass

import pytest
from jinja2 import Environment, nodes

from bamboo.installation import PACKAGE
from bamboo.parsers.report import agreement, mistake_tables, overview, parts, plots, scores
from bamboo.parsers.report.sentence_list import SentencesPage
from bamboo.site_pages import pages
from bamboo.site_pages.content import Content

REPORT, SITE = PACKAGE / "parsers" / "report" / "templates", PACKAGE / "site_pages" / "templates"
PAGES = {
    SITE / "index.html": pages.LeaderboardPage,
    SITE / "metric.html": pages.MetricPage,
    REPORT / "report_agreement.html": agreement.AgreementPage,
    REPORT / "report_scores.html": scores.ScoresPage,
    REPORT / "report_errors.html": mistake_tables.ErrorsPage,
    REPORT / "report_sentences.html": SentencesPage,
}
ROWS = {REPORT: (mistake_tables, overview, parts, plots, scores), SITE: (pages,)}


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


@pytest.mark.parametrize(
    ("path", "page"), PAGES.items(), ids=lambda value: getattr(value, "name", "")
)
def test_a_template_shows_all_of_its_page_and_nothing_else(path, page):
    assert attributes(path, "page") == {field.name for field in fields(page)}


@pytest.mark.parametrize(("folder", "type_"), [(REPORT, overview.Overview), (SITE, Content)])
def test_what_templates_read_of_all_pages_exists(folder, type_):
    names = {*dir(type_), *(field.name for field in fields(type_))}
    assert set().union(*(attributes(path, "shared") for path in folder.glob("*.html"))) <= names


@pytest.mark.parametrize(("folder", "modules"), ROWS.items(), ids=("report", "site"))
def test_templates_show_every_field_of_a_row(folder, modules):
    read = set().union(*(attributes(path) for path in folder.glob("*.html")))
    # By `Axis.cell`, and by the script of the page of sentences.
    drawn = {*plots.Dot._fields, *overview.Words._fields}
    for module in modules:
        for name, type_ in getmembers(module, isclass):
            if type_.__module__ == module.__name__ and issubclass(type_, tuple):
                assert {*type_._fields} - drawn <= read, name
