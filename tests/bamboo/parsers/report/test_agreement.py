"""The picture of the agreement of all couples."""

import re

import pytest

import bamboo
from bamboo.parsers.report.agreement import draw_matrix

CAT, DOG = "(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG0 (d / dog :mod (b / big)))"
TIGER = "(s / sleep-01 :ARG0 (c / cat :mod (b / big)))"


def test_cells_are_the_darker_the_higher_the_score_and_contain_it():
    # Of 4 and 6 triples, 3 match; of 4 and 6 also 4; of 6 and 6, 5.
    picture = draw_matrix(bamboo.agree({"a": [CAT], "b": [DOG], "c": [TIGER]}))
    assert re.findall(r"<title>(\w) and (\w): ([\d.]+)", picture)[:3] == [
        ("a", "b", "60.0"),
        ("a", "c", "80.0"),
        ("b", "a", "60.0"),
    ]
    shades = [float(opacity) for opacity in re.findall(r'fill-opacity="([\d.]+)"', picture)]
    lowest, middle, _, highest, *_ = shades
    assert lowest < middle < highest == max(shades)
    shape = r'<rect x="([\d.]+)" y="([\d.]+)" width="(\d+)" height="([\d.]+)"'
    cells = re.findall(rf'{shape}.*?<text x="([\d.]+)" y="([\d.]+)"', picture)
    assert len(cells) == 6
    for cell in cells:
        x, y, width, height, text_x, text_y = map(float, cell)
        assert x < text_x < x + width
        assert y < text_y < y + height
    first, second, below = ([*map(float, cell[:4])] for cell in cells[:3])
    assert second[0] - first[0] - first[2] == pytest.approx(2)  # pixels between cells
    assert below[1] - first[1] - first[3] == pytest.approx(2)
