import importlib.util
import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from amr_metrics import Pair, parse_graph
from amr_metrics.alignment.s2match import S2match
from amr_metrics.errors import VectorError
from amr_metrics.transport.wwlk import WWLK
from amr_metrics.vectors import wordllama
from amr_metrics.vectors.wordllama import TOKENIZER, WEIGHTS, WordLlama
from tests.extras import needs_wordllama


@needs_wordllama
class TestInstalled:
    def test_a_word_has_the_mean_of_the_vectors_of_its_tokens(self):
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        folder = importlib.util.find_spec("wordllama").submodule_search_locations[0]
        (tokens,) = load_file(f"{folder}/{WEIGHTS}").values()
        ids = (
            Tokenizer.from_file(f"{folder}/{TOKENIZER}")
            .encode("skateboarder", add_special_tokens=False)
            .ids
        )
        assert len(ids) > 1
        expected = tokens[ids].astype(np.float64).mean(axis=0)
        assert WordLlama().select(["skateboarder"]).get("skateboarder") == pytest.approx(
            expected, abs=1e-6
        )

    def test_words_are_looked_up_alone_or_together(self):
        together = WordLlama().select(["cat", "dog", "", "cat", "3.5"])
        assert together.words == ("cat", "dog", "3.5")  # an empty word has no tokens
        assert together.matrix.shape == (3, 256)
        for word in together.words:
            assert np.array_equal(WordLlama().select([word]).get(word), together.get(word))
        assert WordLlama().select([]).matrix.shape == (0, 256)

    def test_metrics_with_vectors_take_them(self):
        a, b = (parse_graph(f"(s / sleep-01 :ARG0 (c / {x}))") for x in ("kitten", "cat"))
        for metric in (S2match(vectors=WordLlama(), tau=0.0), WWLK(vectors=WordLlama())):
            same, similar = metric.score([Pair(a, a), Pair(a, b)])
            assert same == pytest.approx(1)
            assert 0 < similar < 1
            assert WordLlama().digest in metric.signature

    def test_the_package_is_not_imported_and_nothing_is_downloaded(self):
        code = (
            "import json, socket, sys\n"
            "def refused(*arguments): raise OSError('no network')\n"
            "socket.socket.connect = refused\n"
            "from amr_metrics.vectors.wordllama import WordLlama\n"
            "words = WordLlama().select(['cat']).words\n"
            "print(json.dumps([words, 'wordllama' in sys.modules]))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        assert json.loads(done.stdout) == [["cat"], False]


class Letters:
    """A tokenizer for which each of the letters a to d is a token."""

    def encode_batch_fast(self, texts, add_special_tokens):
        return [SimpleNamespace(ids=["abcd".index(letter) for letter in text]) for text in texts]


def test_a_limited_number_of_words_is_kept(monkeypatch):
    monkeypatch.setattr(wordllama, "KEPT", 3)
    model = wordllama.Model(np.eye(4, dtype=np.float32), Letters())
    for words in (["a", "b"], ["b", "c"], ["c", "d"], ["a", "b", "c", "d"], ["", "d"]):
        found = model.look_up(words)
        assert found.words == tuple(filter(None, words))
        assert found.matrix.argmax(axis=1).tolist() == ["abcd".index(word) for word in found.words]
        assert len(model._rows) == len(model._vectors) <= max(3, len(words))


class TestNotInstalled:
    @pytest.mark.parametrize("missing", ["wordllama", "safetensors", "tokenizers"])
    def test_the_error_names_the_extra_and_the_command(self, monkeypatch, missing):
        find = importlib.util.find_spec
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name: None if name == missing else find(name)
        )
        wordllama._load_model.cache_clear()
        with pytest.raises(VectorError) as error:
            WordLlama().select(["cat"])
        assert missing in str(error.value)
        assert "pip install 'bamboo-amr[wordllama]'" in str(error.value)

    @needs_wordllama
    def test_a_package_without_the_vectors(self, monkeypatch):
        monkeypatch.setattr(wordllama, "WEIGHTS", "weights/other.safetensors")
        with pytest.raises(VectorError, match=r"has no file weights/other\.safetensors"):
            _ = WordLlama().digest

    @needs_wordllama
    def test_damaged_files(self, monkeypatch, tmp_path):
        (tmp_path / "broken").write_bytes(b"broken")
        monkeypatch.setattr(wordllama, "_find_file", lambda name: tmp_path / "broken")
        wordllama._load_model.cache_clear()
        with pytest.raises(VectorError, match="Install the package again"):
            WordLlama().select(["cat"])
