"""What the papers show as figures: by hand on three sentences, with the pictures."""

import itertools
from xml.etree import ElementTree

import numpy as np
import pytest

from bamboo.config.groups import compose_group
from bamboo.engines import SERIAL
from bamboo.errors import ConfigError
from bamboo.pages.charts import Dot, Panel, draw_panels
from bamboo.published_tables.figure_tables import reproduce_figure
from bamboo.published_tables.inputs import Inputs
from bamboo.results.cache import Cache
from bamboo.results.score_cells import Settings
from bamboo.statistics.resampling import Significance
from tests.sembleu_release import describe_data


@pytest.fixture
def figure(folder, tmp_path):
    """Make a table of kind ``restarts``, ``ngrams`` or ``optima``."""

    def make(**options):
        config = {"title": "T", "data": describe_data(folder), **options}
        settings = Settings(engine=SERIAL)
        inputs = Inputs([], {}, Significance(), Cache(tmp_path / "cache"), settings)
        return reproduce_figure(config, inputs)

    return make


def test_scores_over_restarts(figure):
    rows = [{"name": "smatch", "metric": "smatch_1.0"}]
    parsers = ["jonas", "jamr"]
    table, document = figure(kind="restarts", rows=rows, restarts=[1, 3], runs=4, parsers=parsers)
    assert [row[:3] for row in table.rows] == [
        *[("smatch", "jonas", n) for n in (1, 3)],
        *[("smatch", "jamr", n) for n in (1, 3)],
    ]
    assert table.rules == (2,)
    for row in table.rows:
        mean, least, most, optimum = row[3:]
        assert least <= mean <= most <= optimum
    assert table.rows[0][3:] == (100, 100, 100, 100)
    assert table.rows[2][-1] == pytest.approx(200 * 11 / 28)
    assert [title for title, _ in document["points"]] == ["smatch, jonas", "smatch, jamr"]
    assert document["points"][0][1] == [(1, 100), (3, 100)]
    assert table.picture is None


def test_ngrams_by_hand(figure):
    # The gold graphs have 2, 2 and 3 nodes, as many unigrams, and 1, 1 and 2 edges; no path is
    # longer than an edge.
    rows = [{"name": "corrected", "metric": "sembleu", "options": {"variant": "corrected"}}]
    table, document = figure(kind="ngrams", rows=rows, picture="ngrams.svg")
    unigrams, bigrams, trigrams = table.rows
    assert unigrams[:4] == ("corrected", "unigrams", 3, 3)
    assert unigrams[4:] == pytest.approx((1, 0, 1))
    assert bigrams[:4] == ("corrected", "bigrams", 3, None)
    assert bigrams[4:] == pytest.approx((1, -1, 1))
    assert trigrams[4:6] == pytest.approx((0, 0))
    assert trigrams[-1] is None  # constant
    assert document["points"][1] == ["corrected: bigrams", [(2, 1), (2, 1), (3, 2)]]
    name, svg = table.picture
    circles = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}circle")
    assert (name, len([*circles])) == ("ngrams.svg", 9)


def test_local_optima_of_the_parses(figure):
    rows = [
        {"name": "basic", "metric": "smatchpp"},
        {"name": "reified", "metric": "smatchpp", "options": {"standardize": "amr-reify"}},
    ]
    table, document = figure(kind="optima", rows=rows, restarts=[5], parsers=["jamr"])
    assert [row[:4] for row in table.rows] == [
        ("basic", "jamr", 5, 3),
        ("reified", "jamr", 5, 3),
    ]
    (_, basic), (_, reified) = document["points"]
    assert [variables for variables, _ in basic] == [2, 3, 2]
    assert [variables for variables, _ in reified] == [2, 4, 2]  # have-mod-91
    for points, row in zip((basic, reified), table.rows, strict=True):
        counts = [count for _, count in points]
        assert all(1 <= count <= 5 for count in counts)
        assert row[4:6] == (pytest.approx(np.mean(counts)), max(counts))


@pytest.mark.parametrize(
    ("kind", "metric"), [("restarts", "sembleu"), ("ngrams", "smatch"), ("optima", "wlk")]
)
def test_metrics_without_such_a_figure(figure, kind, metric):
    with pytest.raises(ConfigError, match=f"table row {metric}: {kind} needs a"):
        figure(kind=kind, rows=[{"name": metric}])


def test_the_command_writes_the_picture(cli, user, folder, home):
    table = compose_group("table", "sembleu_ngrams") | {"data": describe_data(folder)}
    user.yaml("table/own_ngrams.yaml", table)
    arguments = (
        "tables",
        "engine=serial",
        "table=own_ngrams",
        user.option,
        "report=json",
        "out=here",
    )
    for _ in range(2):  # the second time, the folder is replaced
        outcome = cli(*arguments)
        assert outcome.status == 0, outcome.err
        names = {path.name for path in (home / "here").iterdir() if path.is_file()}
        assert names == {"config.yaml", "tables.json", "tables.md", "sembleu_ngrams.svg"}
    ElementTree.parse(home / "here/sembleu_ngrams.svg")


def test_pictures_show_ranges_and_escape_their_texts():
    panels = [Panel("<a>", "x & y", "z", [Dot(1, 2, 1, 3), Dot(4, 2)]), Panel("b", "x", "z", [])]
    root = ElementTree.fromstring(draw_panels(panels, "<figure>"))
    lines = [line.get("class") for line in root.iter("{http://www.w3.org/2000/svg}line")]
    assert lines.count("whisker") == 1
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"<a>", "b", "x & y", "z"} <= {*texts}
    dots = [
        (float(dot.get("cx")), float(dot.get("cy")))
        for dot in root.iter("{http://www.w3.org/2000/svg}circle")
    ]
    assert dots[0][0] < dots[1][0]
    assert dots[0][1] == dots[1][1]
    assert all(a < b for a, b in itertools.pairwise(sorted(x for x, _ in dots)))
