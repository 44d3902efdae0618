"""Every field that a page receives is shown, and every name in a template is a field."""

from dataclasses import fields, is_dataclass
from inspect import getmembers

import pytest
from jinja2 import Environment, nodes

from bamboo.installation import PACKAGE
from bamboo.parsers.report import page_types as report_types
from bamboo.parsers.report.agreement import AgreementPage
from bamboo.site import page_types as site_types

REPORT, SITE = PACKAGE / "parsers" / "report" / "templates", PACKAGE / "site" / "templates"
PAGES = {
    REPORT / "report_scores.html": report_types.ScoresPage,
    REPORT / "report_agreement.html": AgreementPage,
    REPORT / "report_errors.html": report_types.ErrorsPage,
    REPORT / "report_sentences.html": report_types.SentencesPage,
    SITE / "index.html": site_types.LeaderboardPage,
    SITE / "significance.html": site_types.SignificancePage,
    SITE / "tables.html": site_types.TablesPage,
    SITE / "pairs.html": site_types.PairsPage,
    SITE / "metric.html": site_types.MetricPage,
}
SCRIPTS = ("About", "Data", "Matri", "ProtocolMatrices")  # in the names of types for scripts


def names_of(type_):
    return {field.name for field in fields(type_)}


def attributes(path, of=None):
    """Return the attributes that a template reads: those of the value `of`, or of all values."""
    tree = Environment().parse(path.read_text("utf-8"))
    return {
        node.attr
        for node in tree.find_all(nodes.Getattr)
        if of is None or (isinstance(node.node, nodes.Name) and node.node.name == of)
    }


@pytest.mark.parametrize(
    ("path", "page"), PAGES.items(), ids=lambda value: getattr(value, "name", "")
)
def test_a_template_shows_all_of_its_page_and_nothing_else(path, page):
    assert attributes(path, "page") == names_of(page)


@pytest.mark.parametrize(
    ("folder", "facts"), [(REPORT, report_types.ReportFacts), (SITE, site_types.SiteFacts)]
)
def test_templates_show_all_shared_facts_and_nothing_else(folder, facts):
    shown = [attributes(path, "shared") for path in folder.glob("*.html")]
    assert set().union(*shown) == names_of(facts)


@pytest.mark.parametrize(("folder", "types"), [(REPORT, report_types), (SITE, site_types)])
def test_templates_show_every_field_of_a_row(folder, types):
    shown = set().union(*(attributes(path) for path in folder.glob("*.html")))
    for name, type_ in getmembers(types, is_dataclass):
        if type_.__module__ == types.__name__ and not any(word in name for word in SCRIPTS):
            assert names_of(type_) <= shown, name
