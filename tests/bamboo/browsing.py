"""Helpers for tests in a browser: waiting, finding, and what must hold of every page."""

import contextlib
import json
import re
import shutil
import tempfile

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-quic"),
)


@contextlib.contextmanager
def chromium(capabilities):
    """A Chromium driven by Selenium; the test is skipped without Chromium or its driver."""
    binary = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("needs Chromium and chromedriver (Debian: chromium, chromium-driver)")
    with tempfile.TemporaryDirectory(prefix="bamboo-chromium-") as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = binary
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        for name, value in capabilities.items():
            options.set_capability(name, value)
        browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        try:
            yield browser
        finally:
            browser.quit()


def emulate(browser, width, scheme="light"):
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def until(browser, condition):
    """Wait until a condition holds; the page may replace the elements that it looks at."""
    wait = WebDriverWait(browser, 30, 0.02, [StaleElementReferenceException])
    return wait.until(lambda _: condition())


def all_of(browser, selector):
    return browser.find_elements(By.CSS_SELECTOR, selector)


def choose(browser, name, value):
    """Choose an item of a list of a form."""
    Select(browser.find_element(By.NAME, name)).select_by_value(value)


TEXTS = """return [...document.querySelectorAll(arguments[0])].map((element) =>
  element.checkVisibility() ? element.innerText ?? element.textContent : "")"""


def texts(browser, selector):
    """The texts of elements as they are seen, all from the same moment."""
    texts_shown = browser.execute_script(TEXTS, selector)
    return [re.sub(r"[\t\xa0]+", " ", text).strip() for text in texts_shown]


def settle(browser):
    """Wait until what the page loads is there."""
    until(browser, lambda: (main := texts(browser, "main")) and "Loading" not in main[0])
    if "#" in browser.current_url:
        until(browser, lambda: all_of(browser, "svg.alignment") or all_of(browser, "#list a"))


def check_requests(browser):
    """The page asks for nothing over the network.

    Documents of the browser itself, such as its empty first page, have requests of their own.
    """
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
        and message["params"]["documentURL"].startswith("file:")
    ]
    assert asked
    others = [url for url in asked if not url.startswith(("file:", "data:", "about:"))]
    assert not others, others


def check_accessibility(browser, axe):
    """All rules in light colours, and in dark colours the rules on colour: the rest is the same."""
    browser.execute_script(axe)
    for scheme, rules in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        emulate(browser, 1300, scheme)
        options = json.dumps({"preload": False, **rules})
        results = browser.execute_async_script(f"axe.run({options}).then(arguments[0])")
        assert results["passes"]
        serious = [
            (violation["id"], [node["html"] for node in violation["nodes"]][:3])
            for violation in results["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
        assert serious == []


def check_width(browser, width):
    """Tables scroll sideways, the page does not."""
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def check_page(browser, request):
    """What holds of every page, at a desk and on a phone; without axe, the last part is skipped."""
    settle(browser)
    check_requests(browser)
    emulate(browser, 390)
    settle(browser)
    check_width(browser, 390)
    check_accessibility(browser, request.getfixturevalue("axe"))
