"""Hostile text everywhere in a site and in a report on parsers, opened in a browser.

No script may run, no element appear.
"""

import json
import re
import urllib.parse
from pathlib import Path
from typing import NamedTuple

from bamboo.app.words import quoted
from bamboo.log import HIDDEN
from tests.fuzz.browser import ATTRIBUTE, ELEMENT, GLOBAL, check_detection, chromium, problem_of
from tests.fuzz.campaign import command, home

ORDER = 70
HIT = f"window.{GLOBAL}=1"
PAYLOADS = (
    f"<script>{HIT}</script>",
    f"</script><script>{HIT}</script>",
    f"</title></style></textarea><script>{HIT}</script>",
    f"<img src=x onerror={HIT}>",
    f"<img/src=x/onerror={HIT}>",
    f"<svg onload={HIT}>",
    f"<svg><script>{HIT}</script></svg>",
    f"<math><mtext></mtext><mglyph><style><img src=x onerror={HIT}>",
    f"<details open ontoggle={HIT}>",
    f"<input autofocus onfocus={HIT}>",
    f"\"><{ELEMENT} {ATTRIBUTE}=''>",
    f'\'><{ELEMENT} {ATTRIBUTE}="">',
    f'" autofocus onfocus="{HIT}" {ATTRIBUTE}="',
    f"' onmouseover='{HIT}' {ATTRIBUTE}='",
    f"`+({HIT})+`",
    f"${{{HIT}}}",
    f"');{HIT};//",
    f'");{HIT};//',
    f"\\');{HIT};//",
    f"\\u003cscript\\u003e{HIT}\\u003c/script\\u003e",
    f"\u2028{HIT}\u2029",
    f"<!--<script>{HIT}",
    f"--><script>{HIT}</script>",
    f"]]><script>{HIT}</script>",
    f"{{{{ '<{ELEMENT}>' | safe }}}}",
    f"{{% raw %}}<{ELEMENT}>",
    f"javascript:{HIT}",
    f"java\tscript:{HIT}",
    f"&lt;script&gt;{HIT}&lt;/script&gt;",
    f"&#60;script&#62;{HIT}&#60;/script&#62;",
    f"%3Cscript%3E{HIT}%3C/script%3E",
    f"<{ELEMENT}>",
    f"<{ELEMENT} {ATTRIBUTE}",
    "<script>alert(1)</script>",
    "<iframe srcdoc='<script>parent.xssHit=1</script>'>",
    f"<base href='javascript:{HIT}//'>",
    "<a href=javascript:alert(1)>",
    "__proto__",
    "constructor",
    "</b><b>",
)
# What is done on pages: type into all fields, store a theme, open a cell of the matrix.
TYPE = """for (const field of document.querySelectorAll("input")) {
  field.value = %s;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}"""
CHANGE_THEME = "localStorage.setItem('theme', %s); document.getElementById('theme').click();"
COMPARE = "document.querySelector('#matrix button')?.click();"
PAIRS = 4  # pairs of each site


def campaign(rng, budget):
    """Build a site and a report whose sentences, graphs and names are hostile; open their pages."""
    tried, failures = 0, []
    with home() as folder, chromium({"unhandledPromptBehavior": "ignore"}) as browser:
        failures += check_detection(browser, folder)
        for case in budget.cases():
            conf = folder / f"conf{case}"
            made = _site(rng, conf, folder / f"site{case}")
            if made:
                tried += 1
                failures.append(f"case {case}: {made}")
                continue
            for visit in _visits(rng, folder / f"site{case}"):
                tried += 1
                if problem := problem_of(browser, *visit):
                    what = f"{visit.page.name}#{visit.address[:80]}"
                    failures.append(f"case {case}: {what}: {problem}")
            report = folder / f"report{case}"
            if made := _report(rng, conf / "files", report):
                tried += 1
                failures.append(f"case {case}: {made}")
                continue
            for visit in _report_visits(rng, report):
                tried += 1
                if problem := problem_of(browser, *visit):
                    what = f"{visit.page.name}#{visit.address[:80]}"
                    failures.append(f"case {case}, report: {what}: {problem}")
    return tried, failures


def _payload(rng):
    """A payload, often changed or joined with another one."""
    text = PAYLOADS[int(rng.integers(0, len(PAYLOADS)))]
    kind = int(rng.integers(0, 6))
    if kind == 0:
        return text + PAYLOADS[int(rng.integers(0, len(PAYLOADS)))]
    if kind == 1:
        return "".join(c.upper() if rng.integers(0, 2) and c not in HIT else c for c in text)
    if kind == 2:
        at = int(rng.integers(0, len(text) + 1))
        return text[:at] + PAYLOADS[int(rng.integers(0, len(PAYLOADS)))] + text[at:]
    return text


def _line(rng):
    """A payload without line breaks."""
    return " ".join(_payload(rng).split())


def _symbol(rng):
    """A payload that can stand for a concept: without what separates symbols, or in quotes."""
    text = _line(rng)
    if rng.integers(0, 2):
        return re.sub(r"[\s()/:~\"]", "", text) or "thing"
    return '"{}"'.format(text.replace("\\", "").replace('"', "'"))


def _graph(rng, number):
    """A small graph with payloads as id, sentence, variables, concepts, roles and constants."""
    role = re.sub(r"[\s()/:~\"]", "", _line(rng)) or "ARG0"
    name = re.sub(r"[\s()/:~\",]", "", _line(rng)) or "v"
    return (
        f"# ::id {_line(rng)} {number}\n# ::snt {_line(rng)}\n"
        f"({name} / {_symbol(rng)} :ARG0 (c / {_symbol(rng)} :{role} {_symbol(rng)}) "
        f":ARG1 (d / {_symbol(rng)} :ARG0 c) :{role} (e / {_symbol(rng)}))\n"
    )


def _site(rng, conf, out):
    """Build a site; returns why it could not be built."""
    data = conf / "files"
    for part in ("main", "arg"):
        (data / part).mkdir(parents=True)
        for side in ("src", "tgt"):
            graphs = [_graph(rng, k) for k in range(PAIRS)]
            (data / part / f"{side}.test.amr").write_text("\n".join(graphs), "utf-8")
    (data / "test.y").write_text("".join(f"{rng.random():.2f}\n" for _ in range(PAIRS)))
    for group in ("data", "metric"):
        (conf / group).mkdir()
    parts = {
        "main": {"folder": "main", "ratings": "files", "pairs": {"test": PAIRS}},
        "arg": {"folder": "arg", "ratings": "alternating", "pairs": {"test": PAIRS}},
    }
    described = {
        "name": HIDDEN.sub("", re.sub(r"[/\s\"$]", "", _line(rng)))[:80] or "hostile",
        "title": _line(rng).replace("$", ""),
        "registry": None,
        "root": str(data.resolve()),
        "scale": [0, 1],
        "header": None,
        "trailer": None,
        "partitions": parts,
    }
    (conf / "data" / "hostile.yaml").write_text(json.dumps(described), "utf-8")
    module = f"hostile_{conf.name}_{int(rng.integers(0, 10**9))}"
    (conf / f"{module}.py").write_text(_module(rng), "utf-8")
    metric = {"_target_": "amr_metrics.external.FunctionMetric", "function": f"{module}.score"}
    name = re.sub(r"[/,\[\]$]", "", _line(rng)).strip(" .")[:60] or "hostile"
    (conf / "metric" / f"{name}.yaml").write_text(json.dumps(metric), "utf-8")
    outcome = command(
        *("site", f"metric=smatch,{quoted(name)}", "data=hostile", f"--config-dir={conf}"),
        *("permutations=20", "resamples=20", "engine=serial", f"out={out}"),
    )
    return None if outcome.status == 0 else f"site: {outcome.escaped or outcome.err[-300:]!r}"


def _report(rng, data, out):
    """Build a report on two parsers whose files have hostile names; returns why it failed."""
    folder = out.with_name(f"{out.name}-files")
    folder.mkdir()
    files = []
    for name, side in (("a", "src"), ("b", "src"), ("gold", "tgt")):
        hostile = re.sub(r"[/=\[\]*?]", "", HIDDEN.sub("", _line(rng))).strip(" .-")[:60]
        files.append(folder / f"{hostile} {name}.amr")
        graphs = (data / "main" / f"{side}.test.amr").read_text("utf-8")
        files[-1].write_text(graphs, "utf-8")
    words = [
        f"src=[{quoted(str(files[0]))},{quoted(str(files[1]))}]",
        f"tgt={quoted(str(files[2]))}",
    ]
    options = ("ids=ignore", "on_error=nan", "resamples=20", "report=html", f"out={out}")
    files[1].write_text("\n".join(_graph(rng, k) for k in range(PAIRS)), "utf-8")
    outcome = command("score", *words, *options)
    return None if outcome.status == 0 else f"report: {outcome.escaped or outcome.err[-300:]!r}"


def _module(rng):
    """The source of a metric whose description and reference are hostile."""
    return (
        "def score(a, b):\n    return len(a.concepts[0]) % 7 / 7\n\n\n"
        f"score.__doc__ = {_payload(rng)!r} + '\\n\\n' + {_payload(rng)!r}\n"
        f"score.reference = {f'{_line(rng)} (2020), {_line(rng)}'!r}\n"
    )


class Visit(NamedTuple):
    """A page to open; see `problem_of`."""

    page: Path
    address: str = ""
    act: str = ""
    shows: str = "main h1"


def _visits(rng, site):
    """Every page of a site, pairs with each metric, and hostile addresses and input."""
    pages = [*sorted(site.glob("*.html")), *sorted((site / "metric").glob("*.html"))]
    visits = [Visit(page) for page in pages]
    explorer = site / "pairs.html"
    about = re.search(r'id="about">(.*?)</script>', explorer.read_text("utf-8"), re.DOTALL)
    known = json.loads(about[1]) if about else {"places": {}, "metrics": []}
    for dataset, partition in known["places"].values():
        for metric in known["metrics"]:
            number = str(int(rng.integers(0, PAIRS)))
            address = "/".join(_quoted(p) for p in (dataset, partition, number, metric["slug"]))
            visits.append(Visit(explorer, address, shows="svg.alignment text"))
    first = "/".join(map(_quoted, next(iter(known["places"].values()), ("x", "main"))))
    for hostile in (_line(rng), _line(rng)):
        visits += [Visit(explorer, hostile), Visit(explorer, _quoted(hostile))]
        visits.append(Visit(explorer, f"{first}/{_quoted(hostile)}/{_quoted(hostile)}"))
    visits.append(Visit(explorer, act=TYPE % json.dumps(_line(rng))))
    visits.append(Visit(site / "index.html", act=CHANGE_THEME % json.dumps(_line(rng))))
    visits.append(Visit(site / "significance.html", act=COMPARE, shows="#matrix th"))
    return visits


def _report_visits(rng, report):
    """Every page of a report, every pair, and hostile addresses and input."""
    visits = [Visit(page) for page in sorted(report.glob("*.html"))]
    sentences = report / "sentences.html"
    about = re.search(r'id="about">(.*?)</script>', sentences.read_text("utf-8"), re.DOTALL)
    slugs = [parser["slug"] for parser in json.loads(about[1])["parsers"]] if about else []
    for number in range(PAIRS):
        address = "/".join(map(_quoted, (str(number), *slugs)))
        visits.append(Visit(sentences, address, shows="svg.alignment text"))
    for hostile in (_line(rng), _line(rng)):
        visits += [Visit(sentences, hostile), Visit(sentences, _quoted(hostile))]
        visits.append(Visit(sentences, "/".join([_quoted(hostile)] * 5)))
    visits.append(Visit(sentences, act=TYPE % json.dumps(_line(rng))))
    return visits


def _quoted(part):
    return urllib.parse.quote(part, safe="")
