"""Hostile text everywhere in a site and in a report: no script runs, and no element appears."""

import re
from urllib.parse import quote

import pytest
from harness import UserFolder

from bamboo.app.main import main

ELEMENT = "<xss-probe>"
HIT = "window.xssHit=1"
PAYLOADS = (
    f"<script>{HIT}</script>{ELEMENT}",
    f"</script><script>{HIT}</script>{ELEMENT}",
    f"<img src=x onerror={HIT}>{ELEMENT}",
    f'"><svg onload={HIT}>{ELEMENT}',
    f"' onmouseover='{HIT}' x='",
    f"');{HIT};//",
    f"{{{{ '{ELEMENT}' | safe }}}}",
    f"\\u003cscript\\u003e{HIT}\\u003c/script\\u003e",
    f"<!--{ELEMENT}--><b>\u2028{HIT}",
    "__proto__",
)
FOUND = """
const names = ["xss-probe", "iframe", "object", "embed", "base", "math"];
const bad = [...document.querySelectorAll("*")].filter((element) =>
  names.includes(element.localName) ||
  element.getAttributeNames().some((name) => name.startsWith("on")));
return [window.xssHit === undefined, bad.map((element) => element.outerHTML)];
"""


def graph(k):
    """A graph with payloads as id, sentence, variable, concepts, role and constant."""
    text = PAYLOADS[k % len(PAYLOADS)]
    symbol = re.sub(r"[\s()/:~\",]", "", text)
    constant = text.replace("\\", "").replace('"', "'")
    return (
        f"# ::id {text} {k}\n# ::snt {text}\n"
        f'({symbol} / {symbol} :ARG0 (c / {symbol} :{symbol} "{constant}") :ARG1 c)\n'
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two files of hostile graphs, and a metric and a data set with hostile names."""
    folder = tmp_path_factory.mktemp("hostile")
    count = len(PAYLOADS)
    for side, shift in (("src", 0), ("tgt", 1)):
        graphs = [graph(k + shift) for k in range(count)]
        (folder / f"{side}.amr").write_text("\n".join(graphs), "utf-8")
    (folder / "ratings.txt").write_text("".join(f"{k / count}\n" for k in range(count)))
    partition = {"src": "src.amr", "tgt": "tgt.amr", "ratings": "ratings.txt"}
    data = {"title": PAYLOADS[0], "root": str(folder), "scale": [0, 1], "ids": "ignore"}
    user = UserFolder(folder)
    user.yaml("data/hostile.yaml", data | {"partitions": {"main": partition}})
    (folder / "hostile_metric.py").write_text(
        "def score(a, b):\n    return len(a.concepts[0]) % 7 / 7\n\n\n"
        f"score.__doc__ = {PAYLOADS[1]!r}\nscore.reference = {PAYLOADS[2]!r}\n"
    )
    metric = {"_target_": "amr_metrics.external.FunctionMetric", "function": "hostile_metric.score"}
    user.yaml(f"metric/{PAYLOADS[2]}.yaml", metric)
    return folder


@pytest.fixture(scope="module")
def pages(files):
    """The pages of a site and of a report, and the parts of addresses that show their pairs."""
    site, report = files / "site", files / "report"
    words = ("data=hostile", f"metric=smatch,{PAYLOADS[2]}", f"--config-dir={files}")
    options = ("permutations=99", "resamples=20", "engine=serial", f"out={site}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BAMBOO_RUNS_DIR", str(files / "runs"))
        assert main(["site", *words, *options]) == 0
    parser = files / f"{PAYLOADS[2]}.amr"
    parser.write_bytes((files / "src.amr").read_bytes())
    words = (f"src={parser}", f"tgt={files / 'tgt.amr'}", "ids=ignore")
    assert main(["score", *words, "report=html", f"out={report}", "resamples=20"]) == 0
    pages = {page: [] for folder in (site, report) for page in folder.rglob("*.html")}
    numbers = range(len(PAYLOADS))
    addresses = [form for text in PAYLOADS[:3] for form in (text, quote(text, safe=""))]
    pages[site / "pairs.html"] = [*addresses, *(f"hostile/main/{k}/smatch" for k in numbers)]
    every = "&".join(f"{key}={{0}}" for key in ("q", "s", "pair", "size", "kind"))
    addresses += [every.format(quote(text, safe="")) for text in PAYLOADS]
    views = [f"view={view}&s={k}" for view in ("drawing", "penman") for k in range(3)]
    pages[report / "sentences.html"] = [*addresses, *(f"s={k}" for k in numbers), *views]
    return pages


def test_pages_have_no_markup_of_others(pages):
    for page in pages:
        text = page.read_text("utf-8")
        assert ELEMENT not in text
        assert f"<script>{HIT}" not in text


# Follows a link in the page, and waits until it is shown.
FOLLOW = "location.hash = arguments[0]; setTimeout(arguments[1], 10)"


def test_no_script_runs(pages, browser):
    from browsing import texts, until

    for page, addresses in pages.items():
        # The first addresses are opened; the page is already open when it goes to the others.
        for n, address in enumerate(["", *addresses]):
            if n < 3:
                browser.get("about:blank")
                browser.get(page.as_uri() + (f"#{address}" if address else ""))
            else:
                browser.execute_async_script(FOLLOW, address)
            until(browser, lambda: (main := texts(browser, "main")) and "Loading" not in main[0])
            assert browser.execute_script(FOUND) == [True, []], (page, address)
