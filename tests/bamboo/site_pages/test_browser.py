"""The site in a real browser, opened from disk: what people do on it, and what they may rely on."""

import json

import pytest
from harness import UserFolder, build_site, sample_pairs

pytest.importorskip("selenium", reason="needs the package selenium: pip install -e '.[dev]'")

from browsing import all_of, check_page, check_width, choose, emulate, settle, texts, until
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from amr_metrics import Smatch
from bamboo.explanation.matches import matches_by_kind

PAGES = (
    "index.html",
    "metric/smatch.html",
    "metric/toy.html",
    "pairs.html#sample/main/5/smatch",
    "significance.html",
    "tables.html",
)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_asks_for_nothing_fits_a_phone_and_is_accessible(visit, page, request):
    check_page(visit(page), request)


def go(browser, address):
    """Follow a link to an address of the same page."""
    browser.execute_script("location.hash = arguments[0]", address)


def test_the_leaderboard_shows_the_results(visit, sample_site):
    browser = visit("index.html")
    for protocol, slug in (("paper", "paper"), ("v0.2", "v0-2")):
        all_of(browser, f"input[value='{slug}'] + span")[0].click()
        result = json.loads((sample_site / "data" / f"result-{protocol}.json").read_text())
        links = all_of(browser, f"#board-{slug} tbody th > a")
        names = [link.get_attribute("title") for link in links]
        values = texts(browser, f"#board-{slug} tbody td .v")
        values_by_name = dict(zip(names, values, strict=True))
        expected = {row["metric"]: f"{row['cells'][0]['value']:.2f}" for row in result["rows"]}
        assert values_by_name == expected
    all_of(browser, "input[value='interval'] + span")[0].click()
    low, high = result["rows"][0]["cells"][0]["interval"]
    assert f"{low:.2f} .. {high:.2f}" in texts(browser, "#board-v0-2 td .i")


def test_columns_sort_both_ways(visit):
    browser = visit("index.html")

    def column():
        return [float(text) for text in texts(browser, "#board-paper td .v")]

    def press(name):
        buttons = all_of(browser, "#board-paper thead button")
        next(button for button in buttons if button.text == name).send_keys(Keys.ENTER)

    press("Sample")
    assert column() == sorted(column(), reverse=True)
    press("Sample")
    assert column() == sorted(column())
    heading = all_of(browser, "#board-paper th[aria-sort]")
    assert [(h.text, h.get_attribute("aria-sort")) for h in heading] == [("Sample", "ascending")]
    press("Metric")
    names = texts(browser, "#board-paper tbody th > a")
    assert names == sorted(names, key=str.lower)


def test_pairs_are_filtered(visit):
    browser = visit("pairs.html")
    settle(browser)
    assert texts(browser, "#status") == ["64 pairs."]
    field = browser.find_element(By.NAME, "search")
    field.send_keys("cat")
    until(browser, lambda: texts(browser, "#status") != ["64 pairs."])
    names_listed = texts(browser, "#list a")
    assert 0 < len(names_listed) < 40
    assert all("cat" in text.lower() for text in names_listed)
    field.clear()
    field.send_keys("no such words")
    until(browser, lambda: texts(browser, "#status") == ["0 pairs."])
    field.send_keys(Keys.CONTROL, "a", Keys.DELETE)
    until(browser, lambda: texts(browser, "#status") == ["64 pairs."])
    low = browser.find_element(By.NAME, "from")
    low.send_keys(Keys.CONTROL, "a")
    low.send_keys("0.8")
    until(browser, lambda: texts(browser, "#status") != ["64 pairs."])
    ratings = texts(browser, "#list .small b:nth-of-type(2)")
    assert ratings
    assert min(map(float, ratings)) >= 0.8


def test_pairs_are_ordered_by_disagreement(visit):
    browser = visit("pairs.html")
    settle(browser)
    Select(browser.find_element(By.NAME, "against")).select_by_value("toy")
    Select(browser.find_element(By.NAME, "order")).select_by_value("gap")

    def gaps():
        labels = texts(browser, "#list .small b:nth-of-type(3)")
        return [abs(int(text.removesuffix(" %"))) for text in labels]

    until(browser, lambda: gaps() == sorted(gaps(), reverse=True) and gaps()[0] > 0)
    Select(browser.find_element(By.NAME, "order")).select_by_value("number")
    browser.find_element(By.ID, "after").click()
    assert texts(browser, "#page") == ["2 of 2"]
    assert len(texts(browser, "#list a")) == 24


def listed_against(browser, name):
    """Score, rating and gap of the pairs listed, compared with something."""
    choose(browser, "against", name)
    browser.execute_script("return new Promise((done) => setTimeout(done, 100))")
    until(browser, lambda: "64 pairs" in texts(browser, "#status")[0])
    return texts(browser, "#list .small")


def test_missing_pairs_do_not_affect_other_metrics(visit, sites):
    """Gaps and spreads of the other metrics are those of the site without metrics that lack
    pairs; the metric with missing pairs is ranked among the pairs that it has.
    """
    of_sites = []
    for site in sites:
        browser = visit("pairs.html", site)
        settle(browser)
        listed = [listed_against(browser, name) for name in ("rating", "sema", "spread")]
        assert not any("–" in text for texts_shown in listed for text in texts_shown)
        of_sites.append(listed)
    assert of_sites[0] == of_sites[1]
    browser = visit("pairs.html#sample/main/1/gaps", sites[1])
    until(browser, lambda: all_of(browser, ".scores .chosen td"))
    assert texts(browser, ".scores .chosen td")[1] == "1 of 3"
    assert texts(browser, ".scores .chosen td")[3] == "0 %"  # the ratings themselves


def test_a_pair_opens_with_the_keyboard_and_changes_its_metric(visit, markup):
    browser = visit("pairs.html")
    settle(browser)
    all_of(browser, "#list a")[5].send_keys(Keys.ENTER)
    until(browser, lambda: "pair 5" in texts(browser, "#pair h2")[0])
    pair = sample_pairs()[5]
    assert len(all_of(browser, "svg.alignment .link")) == len(Smatch().explain(pair).links)
    for text, side, graph in zip(texts(browser, ".sentence"), ("src", "tgt"), pair, strict=True):
        assert text.removeprefix(side).strip() == graph.sentence
    assert markup in texts(browser, ".scores th button")
    scores = texts(browser, ".scores .chosen td")
    assert scores[0] == f"{Smatch().score([pair])[0]:.4f}"
    button = next(b for b in all_of(browser, ".scores button") if b.text == "toy")
    button.send_keys(Keys.ENTER)
    until(browser, lambda: "has no alignment; choose" in browser.find_element(By.ID, "pair").text)
    assert not all_of(browser, "svg.alignment .link")
    assert browser.current_url.endswith("#sample/main/5/toy")
    browser.back()
    until(browser, lambda: all_of(browser, "svg.alignment .link"))


def test_a_url_opens_its_pair(visit):
    browser = visit("pairs.html#sample/main/63/no_root")
    until(browser, lambda: all_of(browser, "#list a[aria-current]"))
    assert "pair 63" in browser.find_element(By.CSS_SELECTOR, "#pair h2").text
    assert texts(browser, "#page") == ["2 of 2"]
    browser = visit("pairs.html#sample/main/999/smatch")
    until(browser, lambda: "no pair 999" in texts(browser, "#pair")[0])
    for address in ("sample/mian/5", "sample"):
        go(browser, address)
        unknown = f"no pair at the address #{address}. Choose a pair"
        until(browser, lambda unknown=unknown: unknown in texts(browser, "#pair")[0])
    for metric in ("nothing", "__proto__"):
        go(browser, f"sample/main/5/{metric}")
        unknown = f"There is no metric {metric} on this site."
        until(browser, lambda unknown=unknown: unknown in texts(browser, "#pair")[0])
    for address in ("%E0%A4%A", "sample/main"):
        browser = visit(f"pairs.html#{address}")
        settle(browser)
        assert "Choose a pair" in texts(browser, "#pair")[0]
        assert (f"address #{address}." in texts(browser, "#pair")[0]) == ("%" in address)
        assert "64 pairs" in texts(browser, "#status")[0]


def test_the_first_pair_is_open(visit):
    browser = visit("pairs.html")
    until(browser, lambda: all_of(browser, "svg.alignment .link"))
    assert "pair 0" in texts(browser, "#pair h2")[0]
    assert len(all_of(browser, "#list a[aria-current]")) == 1
    assert "#" not in browser.current_url
    browser = visit("pairs.html#sample/main//no_root")  # the link of a value on the leaderboard
    until(browser, lambda: "Alignment of no_root" in browser.find_element(By.ID, "pair").text)
    assert "rank by no_root minus" in texts(browser, "#gap-note")[0]
    choose(browser, "against", "spread")
    until(browser, lambda: "highest minus the lowest" in texts(browser, "#gap-note")[0])


def test_the_score_can_be_read_off_the_drawing(visit):
    """Marks and counts are those of `explain`, and precision, recall and F1 follow from them."""
    browser = visit("pairs.html#sample/main/0/smatch")
    pairs = sample_pairs()
    for k in (0, 5, 40):
        go(browser, f"sample/main/{k}/smatch")
        until(browser, lambda k=k: f"pair {k}" in " ".join(texts(browser, "#pair h2")))
        check_drawing(browser, Smatch().explain(pairs[k]))


def check_drawing(browser, explanation):
    unmatched = [*explanation.unmatched_src, *explanation.unmatched_tgt]
    marked = texts(browser, "svg.alignment .concept.unmatched")
    concepts = [text for text in marked if " / " in text]
    assert sorted(text.split(" / ")[1].lower() for text in concepts) == sorted(
        triple.target for triple in unmatched if triple.kind == "instance"
    )
    others = [triple for triple in unmatched if triple.kind in ("attribute", "relation")]
    edges = all_of(browser, "svg.alignment .tree.unmatched, svg.alignment .again.unmatched")
    assert len(edges) == len(others)
    assert len(all_of(browser, "svg.alignment .root.unmatched")) == len(
        [triple for triple in unmatched if triple.kind == "TOP"]
    )
    rows = [text.split() for text in texts(browser, ".tallies:first-of-type table tr")]
    expected = matches_by_kind(explanation)
    assert rows[1:-4] == [[r.kind, str(r.matched), str(r.src), str(r.tgt)] for r in expected]
    matched, src, tgt = (sum(row[column] for row in expected) for column in (1, 3, 4))
    assert rows[-4] == ["all", str(matched), str(src), str(tgt)]
    assert texts(browser, ".tallies table:last-child tr") == [
        f"precision {matched} / {src} = {matched / src:.4f}",
        f"recall {matched} / {tgt} = {matched / tgt:.4f}",
        f"F1 2 · {matched} / ({src} + {tgt}) = {explanation.score:.4f}",
    ]


def test_the_leaderboard_is_filtered_by_properties(visit, markup):
    browser = visit("index.html")

    def shown():
        return {*texts(browser, "#board-paper tbody th > a")} - {""}

    every = {"Smatch (BAMBOO)", "no_root", "toy", markup}
    assert shown() == every
    assert {*texts(browser, "#board-paper tbody abbr.badge")} == {"S", "A"}
    browser.find_element(By.CSS_SELECTOR, "#filter input[value=alignment]").click()
    assert shown() == {"Smatch (BAMBOO)", "no_root"}
    assert "2 of 4 metrics are shown" in texts(browser, "#board-paper .shown")[0]
    browser.find_element(By.CSS_SELECTOR, "#filter input[type=search]").send_keys("ROOT")
    assert shown() == {"no_root"}
    browser.find_element(By.CSS_SELECTOR, "#filter input[value=alignment]").click()
    browser.find_element(By.CSS_SELECTOR, "#filter input[value='-vectors']").click()
    assert shown() == {"no_root"}
    search = browser.find_element(By.CSS_SELECTOR, "#filter input[type=search]")
    search.clear()
    search.send_keys("bamboo")
    assert shown() == {"Smatch (BAMBOO)"}


def test_a_phone_says_that_a_table_scrolls(visit):
    browser = visit("index.html")

    def hints():
        return [hint for hint in all_of(browser, ".hint") if hint.is_displayed()]

    assert not hints()
    emulate(browser, 390)
    until(browser, hints)
    assert hints()[0].text == "Scroll sideways to see all of it →"
    count = len(hints())
    browser.execute_script("document.querySelector('#board-paper .scroll').scrollLeft = 60")
    until(browser, lambda: len(hints()) == count - 1)


def test_the_matrix_explains_a_difference(visit, markup):
    browser = visit("significance.html")
    until(browser, lambda: all_of(browser, "#matrix button"))
    assert any(markup in text for text in texts(browser, "#matrix th"))
    all_of(browser, "#matrix button")[0].send_keys(Keys.ENTER)
    until(browser, lambda: "corrected" in texts(browser, "#matrix-status")[0])
    Select(browser.find_element(By.ID, "matrix-protocol")).select_by_value("v0.2")
    until(browser, lambda: "4 metrics" in texts(browser, "#matrix-status")[0])


def test_a_scatter_plot_links_to_pairs(visit):
    browser = visit("metric/smatch.html")
    canvas = browser.find_element(By.TAG_NAME, "canvas")
    browser.execute_script("arguments[0].scrollIntoView()", canvas)
    until(browser, lambda: "64 pairs" in texts(browser, "#scatter figcaption")[0])
    drawn = browser.execute_script(
        "const c = arguments[0];"
        "return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v) => v > 0)",
        canvas,
    )
    assert drawn


def test_colours_follow_the_system_and_the_button(visit):
    browser = visit("index.html")

    def ground():
        return browser.execute_script("return getComputedStyle(document.body).backgroundColor")

    light = ground()
    emulate(browser, 1300, "dark")
    dark = ground()
    assert light != dark
    button = browser.find_element(By.ID, "theme")
    button.click()
    assert (ground(), button.get_attribute("aria-label")) == (light, "Colours: light")
    browser.refresh()
    assert ground() == light
    browser.find_element(By.ID, "theme").click()
    emulate(browser, 1300, "light")
    assert ground() == dark
    browser.find_element(By.ID, "theme").click()
    assert ground() == light


def test_long_names_fit_a_phone(open_page, tmp_path):
    name = "x" * 60
    metric = {"_target_": "amr_metrics.Smatch", "root": "none"}
    UserFolder(tmp_path).yaml(f"metric/{name}.yaml", metric)
    options = [f"metric=[smatch,{name}]", f"--config-dir={tmp_path}"]
    site = build_site(tmp_path / "runs", tmp_path / "out", *options)
    pages = ("index.html", "pairs.html", "significance.html", "tables.html", f"metric/{name}.html")
    for page in (*pages, f"pairs.html#sample/main/3/{name}"):
        browser = open_page(page, site)
        settle(browser)
        emulate(browser, 390)
        settle(browser)
        check_width(browser, 390)


def test_the_keyboard_skips_to_the_content(visit):
    browser = visit("index.html")
    browser.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.text == "Skip to content"
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.switch_to.active_element.get_attribute("id") == "main"


def test_the_first_page_is_light(sample_site):
    names = ("index.html", "static/site.css", "static/site.js")
    assert sum((sample_site / name).stat().st_size for name in names) < 300_000
