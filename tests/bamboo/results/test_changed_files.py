"""Files named by options, changed in place between two commands of one process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import amr_metrics
import bamboo
from amr_metrics.blend.metric import Blend
from bamboo.config.weights import Evaluation, Weights
from bamboo.installation import resource

SAMPLE = resource("data") / "sample" / "main"
TEXT = (SAMPLE / "src.test.amr").read_text("utf-8")
SENSES = sorted(set(re.findall(r"[a-z]+-\d\d", TEXT)))
CONCEPTS = sorted(set(re.findall(r"/ ([a-z]+)", TEXT)))


def verbatlas(count):
    """Give the first senses the same frame."""
    return "".join(f"{sense}\tframe\n" for sense in SENSES[:count])


def vectors(period):
    """Give each concept one of `period` vectors."""
    rows = (f"{word} {1 + k % period} {period - k % period}\n" for k, word in enumerate(CONCEPTS))
    return "".join(rows)


def rules(role):
    return f"role\tconcept\tsource_role\ttarget_role\n:{role}\thave-{role}-91\t:ARG1\t:ARG2\n"


def learned(metric):
    """Give one of the metrics of a blend all the weight."""
    values = {f"{name}>0": float(name == metric) for name in ("smatch", "sema")}
    of = {name: amr_metrics.get(name) for name in ("smatch", "sema")}
    signature = Blend(of=of, interactions=True, weights=values).signature
    uses = dict.fromkeys(values, 1.0)
    history = (Evaluation(0, 0.0, 0.0, 0.0, 0),)
    Weights(signature, {}, values, values, uses, history).write(Path("weights.json"))
    return Path("weights.json").read_text("utf-8")


@dataclass(frozen=True)
class Case:
    """An option that is a file.

    Attributes:
        metric, options: what is run; FILE and VECTORS are replaced by paths.
        content: a function that returns the content of the file.
        before, after: its argument at first, and after the change.
    """

    metric: str
    options: dict[str, Any]
    content: Callable[[Any], str]
    before: Any
    after: Any


OF = {
    "of": {name: {"_target_": f"amr_metrics.{name.title()}"} for name in ("smatch", "sema")},
    "near": "",
    "without": [],
    "vectors": "glove",
}
CASES = {
    "verbatlas": Case("rematch", {"verbatlas": "FILE"}, verbatlas, 1, 100),
    "vectors": Case("wwlk", {"vectors": {"file": "FILE", "dimension": 2}}, vectors, 2, 3),
    "rules": Case("smatchpp", {"standardize": ["reify:FILE"]}, rules, "mod", "ARG0"),
    "rules of any": Case("sema", {"standardize": ["reify:FILE"]}, rules, "mod", "ARG0"),
    "learned": Case("blend", {**OF, "learned": "FILE"}, learned, "smatch", "sema"),
}


def replaced(value, file):
    if isinstance(value, list):
        return [replaced(item, file) for item in value]
    if isinstance(value, dict):
        return {key: replaced(item, file) for key, item in value.items()}
    if isinstance(value, str):
        return value.replace("FILE", str(file)).replace("VECTORS", str(file.parent / "VECTORS"))
    return value


@pytest.mark.parametrize(
    ("name", "engine"),
    [*((name, "serial") for name in CASES), ("vectors", "loky")],
)
def test_a_run_reads_the_file_again(home, name, engine):
    case = CASES[name]
    (home / "VECTORS").write_text(vectors(2))

    def values(name, content, cache):
        (home / name).write_text(content)
        options = {key: replaced(option, home / name) for key, option in case.options.items()}
        # Each of two processes gets a cell.
        partition = "main" if engine == "serial" else ["main", "reify"]
        more = {"options": options, "cache": cache, "engine": engine, "limit": 16}
        result = bamboo.run(case.metric, "sample", partition, **more)
        return [row.value for row in result.board.scores]

    before, after = case.content(case.before), case.content(case.after)
    expected = [values("one", before, "off"), values("two", after, "off")]
    assert expected[0] != expected[1]
    for cache in ("use", "refresh"):
        assert [values("same", content, cache) for content in (before, after)] == expected


@pytest.mark.parametrize(
    ("metric", "options", "content", "before", "after"),
    [
        ("smatchpp", ["metric.standardize=[reify:FILE]"], rules, "mod", "ARG0"),
        (
            "blend",
            [
                f"metric.of={json.dumps(OF['of'])}",
                *("metric.near=''", "metric.without=[]"),
                *("metric.vectors=glove", "metric.learned=FILE"),
            ],
            learned,
            "smatch",
            "sema",
        ),
        (
            "smatchpp",
            ["aspects=[location,time]", "frames=FILE"],
            lambda aspect: "".join(f"{sense}  ARG1: {aspect}\n" for sense in SENSES),
            "location",
            "time",
        ),
    ],
)
def test_score_in_other_processes(cli, home, metric, options, content, before, after):
    def table(name, text):
        file = home / name / "table"  # its name is in the signature
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        changed = replaced(options, file)
        files = (str(SAMPLE / f"{side}.test.amr") for side in ("src", "tgt"))
        outcome = cli(
            "score", *files, f"metric={metric}", "engine=loky", "report=csv", "limit=16", *changed
        )
        assert outcome.status == 0, outcome.err
        return outcome.out.replace(str(file), "FILE")

    contents = content(before), content(after)
    expected = [table(name, text) for name, text in zip(("one", "two"), contents, strict=True)]
    assert expected[0] != expected[1]
    # Each of the processes gets the only chunk of one of these calls.
    for text, its_table in zip(contents, expected, strict=True):
        assert [table("same", text) for _ in range(2)] == [its_table] * 2
