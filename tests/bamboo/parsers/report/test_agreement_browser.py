"""The pages of agreement in a real browser, opened from disk."""

import json

import pytest

pytest.importorskip("selenium", reason="selenium is not installed (pip install -e '.[dev]')")

from browsing import all_of, check_page, texts, until
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import bamboo
from tests.bamboo.page_data import data_of

NAMES = ("good", "poor", "gold")


@pytest.fixture(scope="module")
def agreement(parser_files):
    """The folder of pages on three annotators, and the agreement."""
    files = [parser_files / f"{name}.amr" for name in NAMES]
    out = parser_files / "agreement"
    return out, bamboo.agree(files, pages=out, resamples=100, aspects="all", by="size", limit=12)


@pytest.fixture
def look(open_page, agreement):
    """Open a page of the agreement."""
    return lambda page: open_page(page, agreement[0])


@pytest.mark.parametrize("page", ["index.html", "sentences.html", "sentences.html#view=drawing"])
def test_a_page_asks_for_nothing_fits_a_phone_and_is_accessible(look, page, request):
    check_page(look(page), request)


def test_the_picture_has_the_numbers_and_leads_to_the_sentences(look, agreement):
    _, result = agreement
    browser = look("index.html")
    cells = texts(browser, "svg.chart a text")
    expected = [f"{100 * result.value(a, b):.1f}" for a in NAMES for b in NAMES if a != b]
    assert cells == expected
    assert f"{100 * result.micro:.1f}" in texts(browser, ".lead")[0]
    browser.find_element(By.CSS_SELECTOR, "svg.chart a").click()
    until(browser, lambda: all_of(browser, "table.diff"))
    # The central graph is the first column; the others have the annotators of the cell first.
    assert texts(browser, "table.diff thead th")[0].startswith("central")
    annotators = [text.split()[0] for text in texts(browser, "table.diff thead th .who")]
    assert annotators[:2] == ["good", "poor"]


def test_the_lowest_agreement_comes_first(look, agreement):
    folder, result = agreement
    stored = data_of(folder, "sentences")["agreement"]
    assert stored == pytest.approx((1e4 * result.means).tolist(), abs=1)
    browser = look("sentences.html")
    until(browser, lambda: all_of(browser, "#pair > *"))
    lowest = result.ids[int(result.means.argmin())]
    assert texts(browser, "#pair h2")[0] == lowest
    page = texts(browser, "main")[0]
    assert "Annotator A" in page
    assert "gold?" not in page
    numbers = json.loads((folder / "data" / "agreement.json").read_text("utf-8"))
    assert numbers["agreement"]["scores"]["f1"] == result.micro


def test_disagreements_open_by_keyboard(look, agreement, request):
    """The sentence with the lowest agreement is first; its table has who has which triple."""
    _, result = agreement
    browser = look("index.html")
    disputed = {s.position: s for s in result.triples if s.disputed}
    details = all_of(browser, "details")
    assert len(details) == len(disputed)
    first = disputed[min(disputed, key=lambda k: result.means[k])]
    summary = details[0].find_element(By.TAG_NAME, "summary")
    assert summary.text.startswith(f"{first.name}: {first.sentence}")
    summary.send_keys(Keys.ENTER)
    until(browser, lambda: details[0].get_attribute("open"))
    cells = texts(browser, "details[open] tbody td")
    triple = first.disputed[0]
    expected = ["x" if name in triple.annotators else "" for name in first.annotators]
    assert cells[: 1 + len(expected)] == [triple.text, *expected]
    check_page(browser, request)
