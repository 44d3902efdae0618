"""Metrics of sentences: values by hand, the sentence of a graph, errors."""

from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest

import amr_metrics
from amr_metrics import Corpus, Graph, Pair, Pairs, parse_graph
from amr_metrics.blend.metric import Blend
from amr_metrics.errors import MetricError, OptionError, PairError, SetupError
from amr_metrics.text.cosine import TextCosine
from amr_metrics.text.jaccard import TextJaccard
from amr_metrics.text.with_sacrebleu import PACKAGES, TextBleu, TextChrf
from amr_metrics.vectors import WordLlama, WordVectors
from tests.extras import needs_sacrebleu, needs_wordllama
from tests.metrics.utils.test_extras import hide


class TwoWords(WordLlama):
    """Vectors of two words in place of those of tokens."""

    def means(self, texts):
        words = {"cat": [1.0, 0.0], "dog": [0.6, 0.8]}
        return np.array([np.sum([words[w] for w in t.split()] or [[0, 0]], 0) for t in texts])


def said(sentence, graph="(s / sleep-01)"):
    return parse_graph(f"# ::snt {sentence}\n{graph}")


def of(src, tgt):
    return [Pair(said(src), said(tgt))]


COSINE = TextCosine(vectors=TwoWords())
EVERY = [
    COSINE,
    TextJaccard(),
    pytest.param(TextBleu(), marks=needs_sacrebleu),
    pytest.param(TextChrf(), marks=needs_sacrebleu),
]
every = pytest.mark.parametrize("metric", EVERY, ids=lambda metric: type(metric).__name__)


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("The cat, the dog.", "A DOG sees a cat", 2 / 5),  # the, cat, dog; a, dog, sees, cat
        ("It's 3.5", "it s 3 5", 1),
        ("!", "?", 1),  # no words
        ("cat", "?", 0),
    ],
)
def test_jaccard(src, tgt, expected):
    assert TextJaccard().score(of(src, tgt)).tolist() == [expected]


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [("cat", "dog", 0.6), ("cat dog", "cat", 1.6 / np.hypot(1.6, 0.8)), ("dog dog", "dog", 1)],
)
def test_cosine(src, tgt, expected):
    assert COSINE.score(of(src, tgt))[0] == pytest.approx(expected, abs=1e-12)


@needs_sacrebleu
def test_bleu():
    # 3 of 4, 2 of 3, 1 of 2 and 0 of 1 n-grams; the last is smoothed to 1/2; equal lengths.
    (score,) = TextBleu().score(of("the cat sleeps here", "the cat sleeps there"))
    assert score == pytest.approx((3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** (1 / 4))


@needs_sacrebleu
def test_tokenizers_of_bleu():
    cat, dog = "我爱猫", "我爱狗"  # I love cats, I love dogs
    assert TextBleu().score(of(cat, dog)).tolist() == [0]
    # 2 of 3, 1 of 2 and 0 of 1 n-grams of characters; the last is smoothed to 1/2; equal lengths.
    for tokenize in ("char", "zh"):
        (score,) = TextBleu(tokenize=tokenize).score(of(cat, dog))
        assert score == pytest.approx((2 / 3 * 1 / 2 * 1 / 2) ** (1 / 3))
        assert TextBleu(tokenize=tokenize).signature.startswith(f"TextBleu(tokenize={tokenize})|")


@needs_sacrebleu
@pytest.mark.parametrize(
    ("tokenize", "package", "extra"),
    [("ja-mecab", "mecab-python3", "ja"), ("ko-mecab", "mecab-ko", "ko")],
)
def test_the_packages_of_a_tokenizer(monkeypatch, tokenize, package, extra):
    metric, versions = TextBleu(tokenize=tokenize), {"sacrebleu": "9"}

    def version(package):
        if package not in versions:
            raise PackageNotFoundError(package)
        return versions[package]

    monkeypatch.setattr("amr_metrics.text.with_sacrebleu.version", version)
    for use in (lambda: metric.signature, lambda: metric.score(of("猫", "犬"))):
        with pytest.raises(
            SetupError, match=rf"needs the package {package}, .*sacrebleu\[{extra}\]"
        ):
            use()
    versions |= dict.fromkeys(PACKAGES[tokenize], "2")
    assert metric.signature.endswith(f"|sacrebleu=9|{package}=2|{PACKAGES[tokenize][1]}=2")


def test_tokenizers_that_load_models_are_refused():
    with pytest.raises(OptionError, match="tokenize='flores200': use one of 13a, char"):
        TextBleu(tokenize="flores200")


@needs_sacrebleu
def test_the_sentence_of_tgt_is_the_reference_of_bleu_and_chrf():
    # All n-grams of src, of 3 words, are in tgt, of 6: only the brevity penalty remains.
    short, long = "the cat sleeps", "the cat sleeps in the house"
    assert TextBleu().score(of(short, long))[0] == pytest.approx(np.exp(1 - 6 / 3))
    # Of 1 and 2 characters: precision is 1, recall 2/3 and 1/2, and recall counts 4 times.
    precision, recall = 1, (2 / 3 + 1 / 2) / 2
    assert TextChrf().score(of("ab", "abc"))[0] == pytest.approx(
        5 * precision * recall / (4 * precision + recall)
    )


@needs_wordllama
def test_the_vector_of_a_sentence_is_the_mean_of_those_of_its_tokens():
    words = ["the", "cat", "sleep"]  # each of them one token
    vectors = [WordLlama().select([word]).get(word) for word in words]
    (mean, empty) = WordLlama().means(["the cat sleep", ""])
    assert mean == pytest.approx(np.mean(vectors, axis=0), abs=1e-6)
    assert not empty.any()


@every
def test_equal_and_empty_sentences(metric):
    empty = parse_graph("# ::snt\n(s / sleep-01)")
    pairs = [*of("cat dog", " cat dog "), Pair(empty, empty), Pair(empty, said("cat"))]
    pairs += [Pair(said("cat"), Graph.empty()), Pair(empty, Graph.empty())]
    assert metric.score(pairs).tolist() == [1, 1, 0, 0, 1]


@every
def test_only_sentences_matter(metric):
    (pair,) = of("cat dog", "cat")
    changed = Pair(said("cat dog", "(d / dog)"), said("cat", "(c / cat :mod (b / black))"))
    assert metric.score([pair])[0] == metric.score([changed])[0] not in (0, 1)
    # Equal graphs with other sentences are other pairs, also in arrays.
    (different,) = of("cat dog", "cat dog")
    assert pair == different
    pairs = [pair, different, pair]
    scores = metric.score(pairs).tolist()
    assert scores[0] == scores[2] != scores[1]
    assert metric.score(Pairs.of(pairs)[::-1]).tolist() == scores[::-1]
    assert amr_metrics.Standardized.of(metric, "amr").score(pairs).tolist() == scores


@every
def test_tokens_are_the_sentence_of_a_graph_without_one(metric):
    tokens = parse_graph("# ::tok cat\n(s / sleep-01)")
    both = parse_graph("# ::tok dog\n# ::snt cat\n(s / sleep-01)")
    pairs = [Pair(said("cat dog"), graph) for graph in (said("cat"), tokens, both)]
    arrays = Pairs.aligned(*(Corpus.of(graphs) for graphs in zip(*pairs, strict=True)))
    for form in (pairs, arrays):
        assert len({*metric.score(form).tolist()}) == 1


@every
@pytest.mark.parametrize("side", ["src", "tgt"])
def test_a_graph_without_a_sentence(metric, side):
    without = parse_graph("# ::id 7\n(c / cat)")
    bad = Pair(without, said("cat")) if side == "src" else Pair(said("cat"), without)
    pairs = [*of("cat", "cat"), bad]
    arrays = Pairs.aligned(*(Corpus.of(graphs) for graphs in zip(*pairs, strict=True)))
    for form in (pairs, arrays):
        with pytest.raises(PairError, match=f"pair 1: the graph of {side} has no sentence: add"):
            metric.score(form)


def test_other_vectors_are_refused():
    for vectors in (WordVectors.of({"cat": [1.0]}), amr_metrics.VectorSource()):
        with pytest.raises(OptionError, match="use vectors=wordllama"):
            TextCosine(vectors=vectors)
    with pytest.raises(OptionError, match="metric text_cosine: vectors: "):
        amr_metrics.get("text_cosine", vectors="glove")


@pytest.mark.parametrize("metric", [TextBleu(), TextChrf()])
def test_without_sacrebleu(monkeypatch, metric):
    hide(monkeypatch, "sacrebleu")
    for use in (lambda: metric.signature, lambda: metric.score(of("cat", "dog"))):
        with pytest.raises(MetricError, match="need the package sacrebleu") as error:
            use()
        assert "pip install 'bamboo-amr[text]'" in str(error.value)


@needs_sacrebleu
def test_the_signature_has_the_version_of_sacrebleu(monkeypatch):
    monkeypatch.setattr("amr_metrics.text.with_sacrebleu.version", lambda package: f"{package} 9")
    assert TextBleu().signature.endswith("|sacrebleu=sacrebleu 9")


def test_which_metrics_read_sentences():
    names = {name for name in amr_metrics.names() if amr_metrics.get(name).reads_sentences}
    assert names == {"text_bleu", "text_chrf", "text_cosine", "text_jaccard"}
    assert amr_metrics.get("text_jaccard", standardize="amr").reads_sentences


def test_a_blend_of_sentences_is_refused():
    with pytest.raises(OptionError, match="of: words compares sentences: list metrics that"):
        Blend(of={"smatch": amr_metrics.Smatch(), "words": TextJaccard()})
