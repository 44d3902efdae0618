"""The note on sentences without blanks between words."""

import warnings

import pytest

import bamboo
from bamboo.errors import FileNote
from tests.extras import needs_sacrebleu

RAIN, SNOW = "今日は雨が降っています。", "今日は雪が降っています。"
NOTE = "% of the sentences of src and tgt have no blanks between words"


def score(sentences, metric, **options):
    """Return the notes on scoring graphs of these sentences with themselves."""
    graphs = [f"# ::snt {sentence}\n(r / rain-01)" for sentence in sentences]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bamboo.score(graphs, graphs, metric, **options)
    return [str(warning.message) for warning in caught if warning.category is FileNote]


@pytest.mark.parametrize(
    "metric", ["text_jaccard", pytest.param("text_bleu", marks=needs_sacrebleu)]
)
def test_metrics_of_words(metric):
    (note,) = score([RAIN, SNOW, "It rains."], metric)
    assert note.startswith(f"67{NOTE}")
    assert "metric.text_bleu.tokenize=char, zh" in note


@needs_sacrebleu
@pytest.mark.parametrize(
    ("metric", "options"),
    [("text_bleu", {"tokenize": "char"}), ("text_bleu", {"tokenize": "zh"}), ("text_chrf", {})],
)
def test_metrics_of_characters(metric, options):
    assert not score([RAIN, SNOW], metric, options=options)


def test_metrics_of_graphs():
    assert not score([RAIN, SNOW], "smatch")


@pytest.mark.parametrize(
    "sentences",
    [
        ["It rains.", "Hello!", "Donaudampfschifffahrt"],
        ["今日 は 雨 が 降っ て い ます 。"],
        ["오늘 비가 와요."],
        [RAIN, *["It rains."] * 10],  # fewer than 10 %
    ],
)
def test_sentences_with_blanks(sentences):
    assert not score(sentences, "text_jaccard")


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_every_command_that_compares_files():
    graphs = [f"# ::snt {sentence}\n(r / rain-01)" for sentence in (RAIN, SNOW)]
    with pytest.warns(FileNote, match=f"100{NOTE}"):
        bamboo.score(graphs, graphs, "text_jaccard", pairs="all")
    with pytest.warns(FileNote, match="100% of the sentences of a and b have no blanks"):
        bamboo.agree({"a": graphs, "b": graphs}, "text_jaccard", resamples=10)
