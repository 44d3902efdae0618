"""Programs and functions from outside."""

import math
import stat
import sys

import numpy as np
import pytest

from amr_metrics import Pair, parse_graph
from amr_metrics.errors import PairError
from amr_metrics.external import CommandMetric, ExternalError, FunctionMetric, StartError

CAT = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
DOG = parse_graph("(s / sleep-01 :ARG0 (d / dog) :polarity -)")
PAIRS = [Pair(CAT, CAT), Pair(CAT, DOG)]


def program(tmp_path, body, **options):
    script = tmp_path / "metric.py"
    script.write_text(f"import sys, time\nsrc, tgt = sys.argv[1:3]\n{body}\n")
    return CommandMetric(command=f"'{sys.executable}' '{script}' {{src}} {{tgt}}", **options)


def test_a_program_scores_pairs_in_file_order(tmp_path):
    body = (
        "import penman\n"
        "for a, b in zip(penman.load(src), penman.load(tgt)):\n"
        "    print(len(a.triples) / len(b.triples))"
    )
    assert program(tmp_path, body).score(PAIRS).tolist() == [3 / 3, 3 / 4]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("print(1)", "printed 1 score for 2 pairs"),
        ("print('0.5\\nWarning: low\\n0.5')", "line 2 of the program's output is 'Warning: low'"),
        ("print(1); print('oops', file=sys.stderr); sys.exit(3)", "exit status 3\n    oops"),
        ("time.sleep(60)", "did not finish within 0.5 s"),
        ("sys.stdout.buffer.write(b'0.5\\xff')", "printed output that is not UTF-8"),
        ("while True: print(1)", "printed more than 1,002,000 bytes"),
    ],
)
def test_a_program_that_breaks_the_contract(tmp_path, body, message):
    with pytest.raises(ExternalError) as caught:
        program(tmp_path, body, time_limit=0.5 if "sleep" in body else 60).score(PAIRS)
    assert message in str(caught.value)


def test_a_program_may_print_messages_on_standard_error(tmp_path):
    body = "print('loading', file=sys.stderr); print(0.25); print(0.75)"
    assert program(tmp_path, body).score(PAIRS).tolist() == [0.25, 0.75]


def test_a_program_that_returns_nan_is_an_error_naming_the_pair(tmp_path):
    with pytest.raises(PairError, match="pair 1"):
        program(tmp_path, "print(0.5); print('nan')").score(PAIRS)


def test_a_program_that_is_not_executable(tmp_path):
    script = tmp_path / "metric.sh"
    script.write_text("#!/bin/sh\necho 1\n")
    script.chmod(stat.S_IRUSR)
    for command in (f"{script} {{src}} {{tgt}}", "no-such-program {src} {tgt}"):
        with pytest.raises(StartError, match="cannot be started"):
            CommandMetric(command=command).score(PAIRS)


def test_the_files_that_a_command_uses(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("x.py", "a b.sh", "model", "tool/__main__.py", "pack/run.py", "bin/my-metric"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "bin/my-metric").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    def used(command):
        files = CommandMetric(command=f"{command} {{src}} {{tgt}}").used_files()
        return [str(path.resolve().relative_to(tmp_path)) for path in files]

    assert used("my-metric") == ["bin/my-metric"]
    assert used("./bin/my-metric x.py no-file '' -m") == ["bin/my-metric", "x.py"]
    assert used("none -m pack.run -m ../x") == ["pack/run.py"]
    assert used("none tool 'a b.sh' --model=model") == ["tool/__main__.py", "a b.sh", "model"]
    assert used("none -c 'x.py < model'") == ["x.py", "model"]
    assert used(f"none {'x' * 5000}") == []


def test_functions_take_graphs_or_their_notation():
    sizes = FunctionMetric(function=lambda a, b: len(a.attributes) - len(b.attributes))
    assert sizes.score(PAIRS).tolist() == [0, -1]
    notation = FunctionMetric(function=lambda a, b: float(a == b), takes="penman")
    assert notation.score(PAIRS).tolist() == [1, 0]
    assert FunctionMetric(function="math.dist").function == "math.dist"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda a, b: "high", "returned 'high'"),
        (lambda a, b: math.nan, "pair 0"),
        (lambda a, b: 1 / 0, "ZeroDivisionError"),
        (lambda a, b: np.complex128(1j), "pair 0: the function returned .*1j.*, not a number"),
        (lambda a, b: 10**400, "pair 0: the function returned an integer too large for a float"),
        (lambda a, b: -1e308, r"pair 0: the metric returned -1e\+308, outside -1e\+30..1e\+30"),
    ],
)
def test_a_function_that_does_not_return_a_number(function, message):
    with pytest.raises(PairError, match=message):
        FunctionMetric(function=function).score(PAIRS)
