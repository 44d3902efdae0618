"""The command ``explain`` for metrics that compare features without an alignment."""

import pytest

import bamboo
from amr_metrics import Smatch, Wlk
from amr_metrics.errors import NoAlignmentError, PairError
from bamboo.explanation.explained import ExplainedFeatures
from bamboo.parsers.mistakes import explains_triples

BLACK = "(s / sleep-01 :ARG0 (c / cat :mod (b / black)) :polarity -)"
DOG = "(s / sleep-01 :ARG0 (d / dog) :polarity -)"


@pytest.fixture
def files(home):
    (home / "a.amr").write_text(f"# ::snt A black cat does not sleep.\n{BLACK}\n")
    (home / "b.amr").write_text(f"{DOG}\n")
    return "a.amr", "b.amr"


def test_the_tables_by_hand():
    heading, features, sums = bamboo.explain(BLACK, DOG, metric="rematch").tables()
    assert heading.notes == ("score: 0.2500",)
    assert features.columns == ("kind", "feature", "src", "tgt", "matched", "effect")
    assert features.rows[:3] == (
        ("attribute", ":polarity -", 1, 1, 1, 1 / 8),
        ("instance", "sleep-01 (:polarity -)", 1, 1, 1, 1 / 8),  # what matches comes first,
        ("instance", "cat", 1, 0, 0, 0.0),  # then what only src has,
    )
    assert features.rows[4] == ("instance", "dog", 0, 1, 0, 0.0)  # then what only tgt has
    assert features.rules == (0, 1, 5)
    assert sums.rows == (
        ("attribute", 1, 1, 1, 1 / 8),
        ("instance", 3, 2, 1, 1 / 8),
        ("relation", 2, 1, 0, 0.0),
        ("all", 6, 4, 2, 1 / 4),
    )
    assert sums.notes == ("intersection / union: 2 / 8 = 0.2500",)


@pytest.mark.parametrize("metric", ["sembleu", "wlk", "sema", "rematch"])
def test_the_command(cli, files, metric):
    out = cli("explain", *files, f"metric={metric}").out
    assert out.startswith(f"{metric}, a.amr against b.amr, pair 0\n")
    assert "A black cat does not sleep." in out
    document = cli("explain", *files, f"metric={metric}", "report=json").json
    assert {"schema", "signature", "score", "features", "formula"} <= document.keys()
    effects = [feature["effect"] for feature in document["features"]]
    assert sum(effects) == pytest.approx(document["score"])
    assert document["score"] == bamboo.score(*files, metric=metric).scores[0]
    assert "kind,feature,src" in cli("explain", *files, f"metric={metric}", "report=csv").out


def test_options_and_pairs_of_data_sets(cli, files):
    assert "4-gram" not in cli("explain", *files, "metric=sembleu").out
    longest = cli("explain", *files, "metric=wlk", "metric.K=0").out
    assert "level 1" not in longest
    lowered = cli("explain", *files, "metric=wlk", "metric.standardize=[lower]").out
    assert "[:ARG0 cat" in lowered
    explained = bamboo.explain(data="sample", metric="rematch", pair=3)
    assert isinstance(explained, ExplainedFeatures)
    assert explained.title == "rematch, sample main test, pair 3"


def test_without_an_alignment_nothing_is_drawn(refused, files):
    error = refused("explain", *files, "metric=wlk", "out=pair.svg")
    assert "wlk, a.amr against b.amr, pair 0: the metric aligns no nodes" in str(error)
    assert "such as smatch or wwlk" in str(error)
    with pytest.raises(NoAlignmentError, match="no alignment to draw"):
        bamboo.explain(*files, metric="wlk").to_svg()


def test_a_notebook_shows_the_tables(files):
    html = bamboo.explain(*files, metric="wlk")._repr_html_()
    assert "sleep-01" in html
    assert "<img" not in html


def test_metrics_without_features_say_that_they_align_nothing(refused, files):
    error = refused("explain", *files, "metric=label_overlap")
    assert "does not align nodes" in str(error)


def test_an_error_names_the_pair(files, monkeypatch):
    from amr_metrics import limits

    monkeypatch.setattr(limits, "MEMORY", 100)
    with pytest.raises(PairError, match=r"rematch, a.amr against b.amr, pair 0: "):
        bamboo.explain(*files, metric="rematch")


def test_features_are_no_triples():
    assert (explains_triples(Smatch()), explains_triples(Wlk())) == (True, False)
