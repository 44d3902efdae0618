"""Plots in the cells of tables."""

from bamboo.parsers.report.plots import Axis, Dot


def test_a_band_around_zero():
    """Of an axis from -10 to 30 points, 2 points are 5 per cent, and zero is at 25."""
    axis = Axis(-10, 30)
    band = '<span class="band" style="left:20.00%;width:10.00%"></span>'
    assert str(axis.cell([], 0.02)) == band + str(axis.cell([]))
    assert "band" not in axis.cell([])
    assert "left:0.00%;width:30.00%" in Axis(-1, 9).cell([], 0.02)  # it ends where the axis does


def test_a_parser_without_a_value_has_no_dot():
    """Of three lines, the second and the third stay empty."""
    dots = [Dot(0.1, "k0", "a"), None, Dot(float("nan"), "k2", "c")]
    cell = Axis(0, 20).cell(dots)
    assert cell.count('class="pt') == 1
    assert 'class="pt k0" style="left:50.00%;--y:25%"' in cell
