"""Whole commands on damaged graph files, options and tables: a result, or one error."""

import warnings

from tests.fuzz.campaign import command, damaged, home

ORDER = 40
GRAPHS = """# ::id one ::snt The cat slept.
(s / sleep-01 :ARG0 (c / cat :quant 1 :name (n / name :op1 "Tom")) :time (y / yesterday))

# ::id two ::snt The dog did not bark.
(b / bark-01 :ARG0 (d / dog) :polarity -)

# ::id three
(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))
"""
METRICS = ("smatch", "smatchpp", "sema", "sembleu", "wlk", "rematch", "concept_smatch")
REPORTS = ("table", "json", "csv", "markdown", "latex")
HOSTILE_IDS = ("\x1b[2J", "\x9b31m", "a\u202eb", "\x07", "\u2028", "\udcff", "x" * 5_000, "=1+1")
OPTIONS = (
    *("worst=2", "ids=ignore", "ci=true", "resamples=5", "aspects=all", "on_error=zero"),
    *("on_error=nan", "worst=99999999999999999999", "resamples=99999999999", "seed=-1"),
    *("metric.standardize=amr", "resamples=1e400", "seed=1_0", "metric.x=[[[[", "src=[a,b]"),
)


def campaign(rng, budget):
    """Run one command on one damaged file, with some options."""
    tried, failures = 0, []
    with home() as folder, warnings.catch_warnings():
        (folder / "gold.amr").write_text(GRAPHS)
        for case in budget.cases():
            arguments, what = _case(rng, folder)
            tried += 1
            if problem := command(*arguments).problem():
                failures.append(f"case {case}: {' '.join(arguments)}, {what}: {problem}")
    return tried, failures


def _case(rng, folder):
    """The arguments of a command, and what was done to its file."""
    content, what = GRAPHS.encode(), "whole"
    if rng.integers(0, 3):
        content, what = damaged(rng, content)
    if rng.integers(0, 3) == 0:
        hostile = HOSTILE_IDS[int(rng.integers(0, len(HOSTILE_IDS)))]
        text = hostile.encode("utf-8", "surrogatepass")
        content, what = content.replace(b"one", text), f"{what}, id {hostile[:9]!r}"
    if rng.integers(0, 8) == 0:
        levels = int(rng.choice([200, 490, 520, 999, 1_001, 4_000]))
        nested = "(a / a :x " * levels + "(b / b)" + ")" * levels
        content, what = nested.encode(), f"{levels} levels"
    (folder / "parser.amr").write_bytes(content)
    arguments = ["src=parser.amr", f"tgt={'gold' if rng.integers(0, 2) else 'parser'}.amr"]
    arguments.append(f"metric={METRICS[int(rng.integers(0, len(METRICS)))]}")
    arguments.append(f"report={REPORTS[int(rng.integers(0, len(REPORTS)))]}")
    if rng.integers(0, 4) == 0:
        pair = int(rng.integers(-1, 4))
        return ["explain", *arguments, f"pair={pair}", "out=pair.svg"], what
    chosen = rng.choice(len(OPTIONS), int(rng.integers(0, 3)), replace=False)
    return ["score", *arguments, *(OPTIONS[int(k)] for k in chosen)], what
