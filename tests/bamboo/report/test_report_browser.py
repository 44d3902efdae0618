"""The report on parsers in a real browser, opened from disk."""

import json

import pytest

pytest.importorskip("selenium", reason="selenium is not installed (pip install -e '.[dev]')")

from browsing import (
    all_of,
    check_accessibility,
    check_requests,
    check_width,
    emulate,
    settle,
    texts,
    until,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

import amr_metrics
import bamboo
from amr_metrics import Pair, read_graphs
from bamboo.explanation.errors import triple_errors

PAGES = ("index.html", "errors.html", "sentences.html", "sentences.html#3/good/poor")


@pytest.fixture
def look(visit, sample_report):
    """Open a page of the report."""
    return lambda page: visit(page, sample_report)


@pytest.mark.parametrize("page", PAGES)
def test_pages_make_no_network_requests(look, page):
    browser = look(page)
    settle(browser)
    check_requests(browser)


@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_serious(look, axe, page):
    browser = look(page)
    settle(browser)
    check_accessibility(browser, axe)


@pytest.mark.parametrize("page", PAGES)
def test_a_phone_scrolls_tables_not_pages(look, page):
    browser = look(page)
    emulate(browser, 390)
    settle(browser)
    check_width(browser, 390)


def test_one_parser_without_alignment_has_fewer_fields(visit, parser_files, tmp_path):
    files = (parser_files / "good.amr", parser_files / "gold.amr")
    out = tmp_path / "out"
    bamboo.score(*files, "sema", pages=out)
    browser = visit("sentences.html", out)
    until(browser, lambda: all_of(browser, "svg.alignment"))
    fields = [field.get_attribute("name") for field in all_of(browser, "select, input")]
    shown = [browser.find_element(By.NAME, name).is_displayed() for name in fields]
    assert [*zip(fields, shown, strict=True)] == [
        *(("a", True), ("b", False), ("aspect", False), ("kind", False)),
        *(("order", True), ("search", True)),
    ]


def choose(browser, name, value):
    Select(browser.find_element(By.NAME, name)).select_by_value(value)


def listed(browser, position):
    """A number of each item in the list: 0: the parser's score, 1: the other's, 2: the difference.

    A minus sign is not a hyphen.
    """
    items = all_of(browser, "#list .small")
    values = [item.find_elements(By.TAG_NAME, "b")[position].text for item in items]
    return [float(value.replace("−", "-")) for value in values]


def test_sentences_are_ordered_by_difference(look, sample_report):
    browser = look("sentences.html#/good/poor")
    until(browser, lambda: all_of(browser, "svg.alignment"))
    gaps = listed(browser, 2)
    assert [abs(gap) for gap in gaps] == sorted((abs(gap) for gap in gaps), reverse=True)
    assert gaps[0] != 0
    pairs = zip(listed(browser, 0), listed(browser, 1), strict=True)
    assert gaps == pytest.approx([a - b for a, b in pairs])
    choose(browser, "order", "worse")
    until(browser, lambda: listed(browser, 2) == sorted(listed(browser, 2)))
    document = json.loads((sample_report / "data" / "report.json").read_text("utf-8"))
    assert document["comparisons"][0]["first"] == "good"
    status = texts(browser, "#status")[0]
    better, worse = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    assert status == f"40 sentences. good is better on {better}, poor on {worse}."


def test_sentences_are_filtered(look):
    browser = look("sentences.html")
    until(browser, lambda: all_of(browser, "svg.alignment"))
    field = browser.find_element(By.NAME, "search")
    field.send_keys("DOC.7")
    until(browser, lambda: texts(browser, "#status")[0].startswith("1 sentence."))
    assert texts(browser, "#list .where") == ["doc.7"]
    field.send_keys(Keys.CONTROL, "a", Keys.DELETE)
    until(browser, lambda: texts(browser, "#status")[0].startswith("40 sentences."))
    choose(browser, "aspect", "negation")
    until(browser, lambda: not texts(browser, "#status")[0].startswith("40 sentences."))
    choose(browser, "aspect", "")
    choose(browser, "kind", "wrong concept")
    until(browser, lambda: all("wrong concept" in text for text in texts(browser, "#list .small")))


def test_a_number_of_errors_leads_to_its_sentences(look):
    browser = look("errors.html")
    link = all_of(browser, ".kinds tbody td a")[0]
    count = int(link.text.replace(",", ""))
    link.click()
    until(browser, lambda: all_of(browser, "#list a"))
    numbers = [text.partition("(")[2].split()[0] for text in texts(browser, "#list .small")]
    assert sum(map(int, numbers)) == count


def test_both_graphs_are_drawn_with_their_differing_triples(look, parser_files):
    browser = look("sentences.html#3/good/poor")
    until(browser, lambda: len(all_of(browser, "svg.alignment")) == 2)
    assert texts(browser, "#pair h2") == ["doc.3"]
    gold = read_graphs(parser_files / "gold.amr")[3]
    rows = 0
    for name, drawn in zip(("good", "poor"), all_of(browser, "svg.alignment"), strict=True):
        pair = Pair(read_graphs(parser_files / f"{name}.amr")[3], gold)
        explanation = amr_metrics.get("smatch_1.0").explain(pair)
        concepts = drawn.find_elements(By.CSS_SELECTOR, ".concept.unmatched")
        wrong = [error for error in triple_errors(explanation) if error.triple.kind == "instance"]
        assert len([text for text in concepts if " / " in text.text]) == len(wrong)
        rows += len(triple_errors(explanation))
    assert len(all_of(browser, ".differing tbody tr")) == rows


def test_a_parser_is_chosen_by_its_score(look):
    browser = look("sentences.html#3/good")
    until(browser, lambda: len(all_of(browser, "svg.alignment")) == 1)
    button = next(b for b in all_of(browser, ".scores button") if b.text == "poor")
    button.send_keys(Keys.ENTER)
    until(browser, lambda: len(all_of(browser, "svg.alignment")) == 2)
    assert browser.current_url.endswith("#3/poor/good")
    browser.back()
    until(browser, lambda: len(all_of(browser, "svg.alignment")) == 1)


@pytest.mark.parametrize("address", ["999", "nothing/of/the/kind", "%E0%A4%A", "3/constructor"])
def test_strange_addresses(look, address):
    browser = look(f"sentences.html#{address}")
    settle(browser)
    until(browser, lambda: all_of(browser, "#list a"))
    assert "40 sentences" in browser.find_element(By.ID, "status").text


def test_aspects_lead_to_their_sentences(look):
    browser = look("index.html")
    links = {link.text: link.get_dom_attribute("href") for link in all_of(browser, "svg.dots a")}
    browser = look(links["negation"])
    until(browser, lambda: all_of(browser, "#list a"))
    assert Select(browser.find_element(By.NAME, "aspect")).first_selected_option.text == "negation"
