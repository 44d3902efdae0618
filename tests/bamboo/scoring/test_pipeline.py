"""How many pairs are scored at a time."""

import sys
import time

import numpy as np
import pytest
from harness import score_chunk

from amr_metrics.alignment.smatch import Smatch
from amr_metrics.base import Pair, Scores
from amr_metrics.external import CommandMetric, FunctionMetric
from amr_metrics.reading.read import parse_graph
from amr_metrics.standardize import Standardized
from bamboo.engines import SERIAL, Processes
from bamboo.scoring.pipeline import CHUNK, FIRST, SECONDS, SMALLER_CHUNK, Pace
from bamboo.scoring.scored import Scored

PROGRAM = CommandMetric(command="score {src} {tgt}")


def scored(pairs, seconds):
    return Scored(Scores(np.zeros(pairs)), wall=seconds)


def test_as_many_pairs_as_the_slowest_metric_scores_in_a_few_seconds():
    pace = Pace(SERIAL, [Smatch(), Smatch()])
    assert pace.size() == FIRST
    pace.add("slow", scored(100, 2 * SECONDS))
    assert pace.size() == 50
    pace.add("fast", scored(100, 0.001))
    assert pace.size() == 50
    pace.add("slow", scored(50, 1000 * SECONDS))
    assert pace.size() == 1
    pace.add("slow", scored(1, 0.0))
    assert pace.size() == CHUNK


@pytest.mark.parametrize(("engine", "size"), [(SERIAL, CHUNK), (Processes(jobs=2), SMALLER_CHUNK)])
@pytest.mark.parametrize("metric", [PROGRAM, Standardized.of(PROGRAM, "amr")])
def test_a_program_is_started_for_as_many_pairs_as_possible(engine, size, metric):
    pace = Pace(engine, [Smatch(), metric])
    assert pace.size() == size
    pace.add("program", scored(size, 60 * SECONDS))
    assert pace.size() == size


def test_the_time_of_scoring_is_cpu_time_and_that_of_programs_counts(tmp_path):
    pair = Pair(parse_graph("(c / cat)"), parse_graph("(c / cat)"))
    sleeping = FunctionMetric(function=lambda a, b: time.sleep(0.05) or 1.0)
    scored = score_chunk(sleeping, [pair])
    assert scored.seconds < scored.wall
    busy = tmp_path / "busy.py"
    busy.write_text("sum(range(2 * 10**6))\nprint(1)\n")
    program = CommandMetric(command=f"{sys.executable} {busy} {{src}} {{tgt}}")
    assert score_chunk(program, [pair]).seconds > 0.02
