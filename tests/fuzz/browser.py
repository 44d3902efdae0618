"""A headless Chromium that reports what hostile text on a page did."""

import contextlib
import importlib.util
import json
import shutil
import tempfile

from tests.fuzz.campaign import Skipped

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-quic"),
)
# What payloads try to do: set this global, open a dialog, or create an element of this name or
# with this attribute.
GLOBAL, ELEMENT, ATTRIBUTE = "xssHit", "xss-probe", "data-xss"
# What a page looks like after a payload succeeded; "" if none did. Elements are also found by
# attributes that run scripts, and links by their scheme: no page of the site has any.
INSPECT = f"""
const found = [];
if (window.{GLOBAL} !== undefined) found.push("a script ran");
for (const element of document.querySelectorAll("*")) {{
  const name = element.localName;
  if (name === "{ELEMENT}" || element.hasAttribute("{ATTRIBUTE}")) found.push(`element ${{name}}`);
  if (["iframe", "object", "embed", "base", "math", "audio", "video"].includes(name)) {{
    found.push(`element ${{name}}`);
  }}
  for (const attribute of element.attributes) {{
    if (attribute.name.startsWith("on")) found.push(`attribute ${{attribute.name}}`);
    const value = attribute.value.replace(/[\\u0000-\\u0020]/g, "").toLowerCase();
    if (["href", "src", "action", "formaction", "xlink:href"].includes(attribute.name) &&
        /^(javascript|vbscript|data:text)/.test(value)) {{
      found.push(`address ${{value.slice(0, 40)}}`);
    }}
  }}
}}
return [...new Set(found)].join(", ");
"""


@contextlib.contextmanager
def chromium(capabilities):
    """A Chromium driven by Selenium.

    Raises:
        Skipped: Selenium, Chromium or its driver is missing.
    """
    if importlib.util.find_spec("selenium") is None:
        raise Skipped("needs the package selenium: pip install -e '.[dev]'")
    binary = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        raise Skipped("needs Chromium and chromedriver (Debian: chromium, chromium-driver)")
    from selenium import webdriver

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


def problem_of(browser, page, address="", act="", shows="html"):
    """What a payload achieved on a page; None if nothing.

    Args:
        address: what follows ``#``.
        act: a script that works with the page, such as typing into its fields.
        shows: a selector of what has to be on the page, so that a broken page is not a success.
    """
    from selenium.common.exceptions import UnexpectedAlertPresentException

    url = page.as_uri() + (f"#{address}" if address else "")
    try:
        browser.get("about:blank")
        browser.get(url)
        browser.execute_async_script(SETTLE, act)
        found = browser.execute_script(INSPECT)
        if not found and not browser.find_elements("css selector", shows):
            return f"the page does not show {shows}"
        return found or None
    except UnexpectedAlertPresentException:
        browser.switch_to.alert.accept()
        return "a dialog was opened"


# Wait until the page has loaded its data, act, and wait until that has been drawn.
SETTLE = """
const [act, done] = arguments;
const started = Date.now();
const wait = () => {
  const words = document.getElementById("main")?.textContent ?? "";
  const loading = document.readyState !== "complete" || words.includes("Loading");
  if (loading && Date.now() - started < 3000) return setTimeout(wait, 15);
  new Function(act)();
  setTimeout(done, act ? 60 : 25);
};
wait();
"""


def check_detection(browser, folder):
    """Open pages that are open to attack; returns those of which nothing was reported."""
    bodies = (
        f"<script>window.{GLOBAL} = 1</script>",
        f"<img src=x onerror='window.{GLOBAL} = 1'>",
        "<script>alert(1)</script>",
        f"<{ELEMENT}></{ELEMENT}>",
        f"<p {ATTRIBUTE}>text</p>",
        "<a href=' java\tscript:void 0'>text</a>",
        f"<main id=main></main><script>setTimeout(() => "
        f"{{ main.innerHTML = {json.dumps(f'<b {ATTRIBUTE}></b>')} }}, 5)</script>",
    )
    missed = []
    for k, body in enumerate(bodies):
        page = folder / f"open-{k}.html"
        page.write_text(f"<!doctype html><title>open</title>{body}", "utf-8")
        if problem_of(browser, page) is None:
            missed.append(f"nothing was reported of a page with {body!r}")
    return missed
