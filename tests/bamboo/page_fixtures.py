"""Fixtures of the tests of pages, for the site and for the report on parsers."""

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

AXE = "4.10.3"


@pytest.fixture(scope="session")
def browser():
    """One headless Chromium for all tests."""
    from browsing import chromium

    with chromium({"goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}) as browser:
        yield browser


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """The source of axe-core, from BAMBOO_AXE or the package index of npm."""
    if "BAMBOO_AXE" in os.environ:
        return Path(os.environ["BAMBOO_AXE"]).read_text("utf-8")
    if shutil.which("npm") is None:
        pytest.skip("needs axe-core: install npm, which fetches it, or set BAMBOO_AXE to its file")
    folder = tmp_path_factory.mktemp("axe")
    command = ["npm", "pack", f"axe-core@{AXE}", "--silent"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(
            f"needs axe-core, which npm cannot fetch (or set BAMBOO_AXE): {done.stderr[-99:]!r}"
        )
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        return archive.extractfile("package/axe.min.js").read().decode("utf-8")


@pytest.fixture
def open_page(browser):
    """Open a page as new, at a desk's width; afterwards the console must be empty."""
    from browsing import emulate, until

    emulate(browser, 1300)

    def go(page, site):
        browser.get("about:blank")
        browser.get(f"{site.as_uri()}/{page}")
        until(browser, lambda: browser.execute_script("return document.readyState") == "complete")
        return browser

    browser.get_log("browser")
    browser.get_log("performance")
    yield go
    assert browser.get_log("browser") == []
