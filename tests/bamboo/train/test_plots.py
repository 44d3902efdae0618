"""The plots of a training: what they label, and that nothing is covered."""

import pytest
from matplotlib.figure import Figure

from bamboo.config.weights import Evaluation, Weights
from bamboo.train.plots import plot_history, plot_weights


def weights(*history):
    names = [":arg0", ":arg1"]
    return Weights(
        "Metric()|v1",
        {"dataset": "sample", "partition": "main"},
        dict.fromkeys(names, 0.5),
        dict(zip(names, (0.25, 0.75), strict=True)),
        dict(zip(names, (1200.0, 30.0), strict=True)),
        history,
    )


STEPS = weights(Evaluation(0, float("nan"), 0.3, 0.3, 0), Evaluation(10, 0.6, 0.5, 0.5, 0))
CANDIDATES = weights(Evaluation(1, 0.4, 0.5, 0.5, 0), Evaluation(2, 0.5, 0.6, 0.5, 0))


@pytest.fixture
def drawn(tmp_path, monkeypatch):
    """Plot, and return the figure."""
    figures = []
    save = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda f, *a, **k: (figures.append(f), save(f, *a, **k)))

    def draw(plot, trained):
        plot(trained, tmp_path / "plot.png")
        return figures[-1]

    return draw


@pytest.mark.parametrize("plot", [plot_history, plot_weights])
def test_the_legend_is_outside_the_axes(drawn, plot):
    figure = drawn(plot, STEPS)
    (legend,) = figure.legends
    assert not legend.get_window_extent().overlaps(figure.axes[0].get_window_extent())
    assert figure.axes[0].get_legend() is None


@pytest.mark.parametrize(("trained", "label"), [(STEPS, "steps"), (CANDIDATES, "candidate")])
def test_the_history_names_its_steps_and_marks_the_values_that_are_kept(drawn, trained, label):
    figure = drawn(plot_history, trained)
    assert figure.axes[0].get_xlabel() == label
    assert "best, 50.00" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_the_numbers_of_uses_have_an_axis(drawn):
    (uses,) = drawn(plot_weights, STEPS).axes[0].child_axes
    assert uses.get_ylabel() == "uses"
    assert [text.get_text() for text in uses.get_yticklabels()] == ["1,200", "30"]


def test_a_link_is_replaced_and_its_target_is_unchanged(tmp_path):
    (tmp_path / "target").write_text("old")
    (tmp_path / "plot.png").symlink_to(tmp_path / "target")
    plot_history(STEPS, tmp_path / "plot.png")
    assert (tmp_path / "target").read_text() == "old"
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
