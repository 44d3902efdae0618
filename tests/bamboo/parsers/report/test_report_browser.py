"""The report on parsers in a real browser, opened from disk."""

import re

import numpy as np
import pytest

pytest.importorskip("selenium", reason="selenium is not installed (pip install -e '.[dev]')")

from browsing import all_of, check_page, check_width, choose, emulate, settle, texts, until
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

import amr_metrics
import bamboo
from amr_metrics import Pair, read_graphs
from amr_metrics.base import Metric, Scores
from amr_metrics.explanation import Explanation, Link
from bamboo.explanation.mistakes import mistakes
from tests.bamboo.page_data import data_of

PAGES = (
    "index.html",
    "errors.html",
    "sentences.html",
    "sentences.html#s=doc.3&view=drawing",
    "sentences.html#s=doc.3&view=penman",
)


@pytest.fixture
def look(open_page, sample_report):
    """Open a page of the report."""
    return lambda page: open_page(page, sample_report)


@pytest.fixture
def read(look):
    """Open the page of sentences at an address, with its first sentence shown."""

    def go(address=""):
        browser = look(f"sentences.html{address}")
        until(browser, lambda: all_of(browser, "#pair > *"))
        return browser

    return go


@pytest.mark.parametrize("page", PAGES)
def test_a_page_asks_for_nothing_fits_a_phone_and_is_accessible(look, page, request):
    check_page(look(page), request)


def status(browser):
    return texts(browser, "#status")[0]


def title(browser):
    return " ".join(texts(browser, "#pair h2"))


def address(browser):
    return browser.current_url.partition("#")[2]


# --- the list ---------------------------------------------------------------------------------


def test_sentences_are_ordered_by_what_they_cost(read, sample_report):
    browser = read("#order=gap")
    pairs = {name: data_of(sample_report, f"scores/{name}")["cost"] for name in ("good", "poor")}
    gained = [b - a for a, b in zip(pairs["good"], pairs["poor"], strict=True)]
    expected = sorted(range(40), key=lambda k: -gained[k])
    names = [text.partition(" ")[0] for text in texts(browser, "#list .where")]
    assert names == [f"doc.{k}" for k in expected]
    choose(browser, "order", "number")
    until(browser, lambda: texts(browser, "#list .where")[0].startswith("doc.0 "))
    assert "order=number" in address(browser)


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_a_sentence_that_one_of_two_parsers_lacks_has_no_difference(open_page, tmp_path):
    """It comes last, after one that B has better."""
    cat, dog = "(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG0 (d / dog))"
    parsers = {"a": [cat, dog, cat], "b": [cat, cat, cat[:-1]]}
    options = {"on_error": "nan", "resamples": 20, "permutations": 20}
    bamboo.score(parsers, [cat] * 3, pages=tmp_path / "out", **options)
    browser = open_page("sentences.html#order=gap&a=a&b=b", tmp_path / "out")
    until(browser, lambda: all_of(browser, "#list .where"))
    differences = [text.partition(" nodes")[2] for text in texts(browser, "#list .where")]
    assert differences == [" · +0.0", " · −25.0", ""]


def test_search_opens_the_first_hit_and_stands_in_the_address(read):
    browser = read("#s=doc.3")
    field = browser.find_element(By.NAME, "q")
    field.send_keys("DOC.7")
    until(browser, lambda: title(browser) == "doc.7")
    assert status(browser).startswith("1 of 40 sentences")
    assert texts(browser, "#list mark") == ["doc.7"] or "doc.7" in texts(browser, "mark")
    assert "q=DOC.7" in address(browser)
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys("no such words")
    until(browser, lambda: all_of(browser, "#pair .empty"))
    assert "There is no sentence with “no such words”." in texts(browser, "#pair")[0]
    assert status(browser).startswith("0 of 40 sentences")
    browser.find_element(By.CSS_SELECTOR, "#pair .plain").click()
    until(browser, lambda: status(browser) == "40 sentences")
    assert "q=" not in address(browser)


def test_all_words_must_occur_also_concepts(read, parser_files):
    gold = read_graphs(parser_files / "gold.amr")
    concept = gold[3].concepts[1]
    browser = read()
    browser.find_element(By.NAME, "q").send_keys(f"{concept} doc.3")
    until(browser, lambda: title(browser) == "doc.3")
    assert "doc.3" in texts(browser, "#list .where")[0]


def test_keys(read):
    browser = read("#order=number")
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys("j")
    until(browser, lambda: title(browser) == "doc.1")
    body.send_keys("k")
    until(browser, lambda: title(browser) == "doc.0")
    body.send_keys("2")
    until(browser, lambda: all_of(browser, "svg.alignment"))
    assert "view=drawing" in address(browser)
    body.send_keys("3")
    until(browser, lambda: len(all_of(browser, "pre.penman")) == 3)
    body.send_keys("1")
    until(browser, lambda: all_of(browser, "table.diff"))
    body.send_keys("/")
    field = browser.switch_to.active_element
    assert field.get_attribute("name") == "q"
    field.send_keys("jk")
    until(browser, lambda: status(browser).startswith("0 of"))
    field.send_keys(Keys.ESCAPE)
    until(browser, lambda: status(browser) == "40 sentences")


def test_a_click_adds_to_the_history_and_a_parser_does_not(read):
    browser = read("#order=number")
    assert title(browser) == "doc.0"
    all_of(browser, "#list a")[5].click()
    until(browser, lambda: title(browser) == "doc.5")
    choose(browser, "a", "poor")
    until(browser, lambda: "a=poor" in address(browser))
    assert browser.find_element(By.NAME, "b").get_attribute("value") == "good"
    browser.back()
    until(browser, lambda: title(browser) == "doc.0")


@pytest.mark.parametrize("text", ["s=999", "%E0%A4%A", "a=constructor&kind=__proto__&view=x"])
def test_strange_addresses(read, text):
    browser = read(f"#{text}")
    assert status(browser).startswith("40 sentences")
    assert ("There is no sentence 999." in status(browser)) == (text == "s=999")
    assert all_of(browser, "table.diff")


# --- one sentence -----------------------------------------------------------------------------


def test_what_differs_stands_beside_the_gold_graph(read, parser_files):
    browser = read("#s=doc.3")
    gold = read_graphs(parser_files / "gold.amr")[3]
    heads = all_of(browser, ".diff thead th")
    for head, name in zip(heads[1:], ("good", "poor"), strict=True):
        pair = Pair(read_graphs(parser_files / f"{name}.amr")[3], gold)
        explanation = amr_metrics.get("smatch_1.0").explain(pair)
        listed = mistakes(explanation)
        assert f"{100 * explanation.score:.1f}" in head.text
        for sign, direction in (("−", "missing"), ("≠", "wrong"), ("+", "extra")):
            count = sum(mistake.direction == direction for mistake in listed)
            tallies = [t.text for t in head.find_elements(By.CSS_SELECTOR, ".tally")]
            assert (f"{sign}{count}" in [t.replace(" ", "") for t in tallies]) == (count > 0)
    nodes = len(gold.variables) + len(gold.attributes)
    again = len(gold.relations) - (len(gold.variables) - 1)
    lines = all_of(browser, ".diff tbody tr td:first-child:not(:empty)")
    assert len(lines) == nodes + again
    links = "return [...document.querySelectorAll('svg.alignment .link')].length"
    browser.find_element(By.TAG_NAME, "body").send_keys("2")
    until(browser, lambda: all_of(browser, "svg.alignment"))
    pair = Pair(read_graphs(parser_files / "good.amr")[3], gold)
    assert browser.execute_script(links) == len(amr_metrics.get("smatch_1.0").explain(pair).links)


def test_penman_is_read_as_the_same_graph(read, parser_files):
    browser = read("#s=doc.3&view=penman")
    until(browser, lambda: len(all_of(browser, "pre.penman")) == 3)
    texts_shown = browser.execute_script(
        "return [...document.querySelectorAll('pre.penman')].map((e) => e.textContent)"
    )
    gold = read_graphs(parser_files / "gold.amr")[3]
    score = amr_metrics.get("smatch_1.0").score(
        [Pair(amr_metrics.parse_graph(texts_shown[0]), gold)]
    )
    assert score[0] == 1


def test_penman_shows_graphs_as_read_and_beside_them_as_compared(open_page, tmp_path):
    """Smatch reads :domain as :mod-of; of 4 triples, with the root, 3 match."""
    gold = "(s / scholar :domain (g / geographer))"
    parse = "(s / scholar :ARG0 (g / geographer))"
    bamboo.score({"a": [parse]}, [gold], resamples=10, pages=tmp_path / "out")
    browser = open_page("sentences.html#s=0&view=penman", tmp_path / "out")
    until(browser, lambda: all_of(browser, "pre.penman"))
    heads = [head.removesuffix("Copy").strip() for head in texts(browser, "h3:has(> .copy)")]
    graphs = [" ".join(text.split()) for text in texts(browser, "pre.penman")]
    compared = gold.replace(":domain", ":mod-of")
    assert dict(zip(heads, graphs, strict=True)) == {
        "gold": gold, "gold, as compared": compared, "a 75.0": parse,
    }  # fmt: skip
    copied = [button.get_attribute("data-text") for button in all_of(browser, "h3 .copy")]
    assert [" ".join(text.split()) for text in copied] == graphs


def test_lines_without_mistakes_fold(read):
    browser = read("#s=doc.3")
    lines = len(all_of(browser, ".diff tbody tr"))
    browser.find_element(By.TAG_NAME, "body").send_keys("f")
    until(browser, lambda: "fold=1" in address(browser))
    folds = all_of(browser, ".diff .fold")
    hidden = sum(int(fold.text.split()[0]) for fold in folds)
    assert len(all_of(browser, ".diff tbody tr")) - len(folds) + hidden == lines


def test_a_phone_shows_one_parser(read):
    browser = read("#s=doc.3")
    assert len(all_of(browser, ".diff thead th")) == 3
    emulate(browser, 390)
    until(browser, lambda: len(all_of(browser, ".diff thead th")) == 2)
    chip = next(chip for chip in all_of(browser, ".chips button") if chip.text.startswith("poor"))
    chip.click()
    until(browser, lambda: "poor" in texts(browser, ".diff thead th")[1])


def test_a_legend_explains_only_columns_that_are_shown(look):
    legends = {"index.html": ("perfect", "won"), "errors.html": ("of gold’s",)}
    for page, columns in legends.items():
        browser = look(page)
        for width, shows in ((1300, True), (390, False)):
            emulate(browser, width)
            heads, notes = (" ".join(texts(browser, e)).lower() for e in ("thead", ".note"))
            for column in columns:
                assert (column in heads, column in notes) == (shows, shows)


def test_links_in_a_drawing_begin_behind_chinese_letters(open_page, tmp_path):
    graph = "(c / 稳步前行稳步前行 :arg0 (d / 中国))"
    bamboo.score([graph], [graph], resamples=20, pages=tmp_path / "out")
    browser = open_page("sentences.html#s=0&view=drawing", tmp_path / "out")
    until(browser, lambda: all_of(browser, "svg.alignment .link"))
    text, link = (all_of(browser, f"svg.alignment {e}")[0] for e in ("> text", ".link"))
    start = float(re.match(r"M([\d.]+)", link.get_attribute("d"))[1])
    assert start - float(text.get_attribute("x")) > 8 * 13  # eight letters as wide as high


@pytest.mark.parametrize("count", [1, 6])
def test_long_names_fit_a_phone(open_page, tmp_path, count):
    """With one parser, and with so many that two are chosen."""
    gold = ["(s / sleep-01 :ARG0 (c / cat))"] * 3
    parse = "(s / sleep-01 :ARG0 (d / dog))"
    parsers = {f"{'x' * 59}{k}": [*gold[:-1], parse] for k in range(count)}
    bamboo.score(parsers, gold, permutations=20, resamples=20, pages=tmp_path / "out")
    for page in ("index.html", "errors.html", "sentences.html#s=2"):
        browser = open_page(page, tmp_path / "out")
        settle(browser)
        emulate(browser, 390)
        settle(browser)
        check_width(browser, 390)
        if page == "index.html":  # names leave space for the scores
            score = all_of(browser, ".ranking .big")[0].rect
            assert score["x"] + score["width"] < 390


# --- links between pages ----------------------------------------------------------------------


def test_a_number_of_mistakes_leads_to_its_sentences(look):
    browser = look("errors.html")
    link = all_of(browser, ".errors td.n a")[0]
    count = int(link.text.replace(",", ""))
    link.click()
    until(browser, lambda: all_of(browser, "#list a"))
    assert f", {count:,} mistakes" in status(browser)
    assert all_of(browser, "tr.hit") or all_of(browser, ".fold")


def test_confusions_lead_to_their_sentences(look):
    browser = look("errors.html")
    rows = all_of(browser, ".fit tbody tr")
    assert rows
    gold, parse = rows[0].find_element(By.CSS_SELECTOR, ".text").text.split(" → ")
    rows[0].find_element(By.TAG_NAME, "a").click()
    until(browser, lambda: all_of(browser, "#list a"))
    assert f"{gold} → {parse}" in status(browser)
    assert not status(browser).startswith("40")


def test_the_measure_of_the_bars_changes(look):
    browser = look("errors.html")

    def shown():
        return [text for text in texts(browser, ".errors td.value") if text]

    before = shown()
    all_of(browser, "input[value=count] + span")[0].click()
    until(browser, lambda: shown() != before)
    first = all_of(browser, ".errors tbody tr")[0]
    counts = [cell.text.replace("·", "0") for cell in first.find_elements(By.CSS_SELECTOR, ".n")]
    assert shown()[0] == f"{sum(int(count.replace(',', '')) for count in counts):,}"


def test_aspects_lead_to_their_sentences(look):
    browser = look("index.html")
    link = next(a for a in all_of(browser, "th[scope=row] a") if a.text == "negation")
    link.click()
    until(browser, lambda: all_of(browser, "#list a"))
    assert Select(browser.find_element(By.NAME, "aspect")).first_selected_option.text == "negation"
    assert not status(browser).startswith("40")


def test_tables_are_copied(look):
    browser = look("index.html")
    browser.execute_script(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
        "document.execCommand = () => { window.copied = document.activeElement.value; };"
    )
    for text in ("LaTeX", "Markdown", "TSV"):
        button = next(b for b in all_of(browser, ".heading button") if b.text == text)
        button.click()
        until(browser, lambda button=button: button.text == "Copied")
        copied = browser.execute_script("return window.copied")
        assert {"LaTeX": r"\toprule", "Markdown": "| parser |", "TSV": "parser\t"}[text] in copied


# --- other metrics ----------------------------------------------------------------------------


def test_a_metric_without_alignment_shows_graphs_as_text(open_page, parser_files, tmp_path):
    out = tmp_path / "out"
    bamboo.score(parser_files / "good.amr", parser_files / "gold.amr", "wlk", pages=out)
    browser = open_page("sentences.html", out)
    until(browser, lambda: len(all_of(browser, "pre.penman")) == 2)
    fields = [field.get_attribute("name") for field in all_of(browser, "form select, form input")]
    displayed = [browser.find_element(By.NAME, name).is_displayed() for name in fields]
    assert [*zip(fields, displayed, strict=True)] == [
        *(("q", True), ("order", True), ("a", False), ("b", False)),
        *(("kind", False), ("aspect", False)),
    ]
    assert [link.text for link in all_of(browser, "nav a")] == ["Scores", "Sentences"]


class Flows(Metric):
    """n:m links without triples."""

    def evaluate(self, pairs):
        return Scores(np.full(len(pairs), 0.5))

    def explain(self, pair):
        tops = pair.src.top, pair.tgt.top
        links = [Link(*tops, 0.5, 0.0), Link(tops[0], pair.tgt.variables[-1], 0.25, 1.25)]
        return Explanation(0.5, tuple(links))


def test_links_without_triples_are_drawn(open_page, parser_files, tmp_path):
    out = tmp_path / "out"
    bamboo.score(parser_files / "good.amr", parser_files / "gold.amr", Flows(), pages=out)
    browser = open_page("sentences.html", out)
    until(browser, lambda: len(all_of(browser, "svg.alignment .link")) == 2)
    assert [b.text for b in all_of(browser, ".bar-top button")[-2:]] == ["Drawing", "Penman"]


# --- flags ------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", ["side", "drawing", "penman"])
def test_flagged_graphs_are_marked(open_page, tmp_path, view):
    flagged = "(b / bark-01 :ARG0 (d / dog) :ARG0 (c / cat) :polarity no)"
    gold = "(b / bark-01 :ARG0 (d / dog :mod d))"
    bamboo.score([flagged, gold], [gold, "(d / dog)"], pages=tmp_path / "report")
    browser = open_page(f"sentences.html#s=0&view={view}", tmp_path / "report")
    until(browser, lambda: all_of(browser, "#pair > *"))
    notes = [text for text in texts(browser, "#pair > .note") if text.startswith("⚑")]
    of_gold, of_parse = notes
    assert of_gold == "⚑ gold: self loop: dog :mod dog; cycle: dog :mod dog"
    assert of_parse.endswith(
        "polarity value: bark-01 :polarity no; core role twice: bark-01 :ARG0 cat"
    )
    marked = {
        "side": [":mod dog ↩ ⚑"],
        "penman": [":mod d", ":polarity no", ":ARG0 (c / cat"],
        "drawing": [],
    }
    lines = [text for text in texts(browser, ".diff td:first-child") if "⚑" in text]
    assert (lines or texts(browser, ".penman mark")) == marked[view]
