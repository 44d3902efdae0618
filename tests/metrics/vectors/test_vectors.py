import gzip
import struct
from unittest.mock import Mock

import numpy as np
import pytest

import amr_metrics.vectors.sources
from amr_metrics import Pair, parse_graph
from amr_metrics.alignment.s2match import S2match
from amr_metrics.errors import VectorError
from amr_metrics.vectors import VectorSource, WordVectors
from amr_metrics.vectors.sources import MappedVectors, group_means

WORDS = {"cat": (1.0, 0.0, 0.25), "dog": (0.5, -2.0, 0.0), "é": (0.0, 0.0, 1.0)}


def word2vec_text(words=WORDS, header=None):
    lines = [header or f"{len(words)} 3"]
    lines += [" ".join([word, *map(str, vector)]) for word, vector in words.items()]
    return ("\n".join(lines) + "\n").encode()


def word2vec_binary(words=WORDS, header=None):
    body = b"".join(w.encode() + b" " + struct.pack("3f", *v) + b"\n" for w, v in words.items())
    return f"{header or f'{len(words)} 3'}\n".encode() + body


def glove_text(words=WORDS):
    return word2vec_text(words).split(b"\n", 1)[1]


@pytest.fixture
def source(tmp_path):
    """A source of three-dimensional vectors, from the bytes of a file."""

    def make(data, name="vectors.bin", **options):
        (tmp_path / name).write_bytes(data)
        return VectorSource(
            **({"file": tmp_path / name, "dimension": 3, "cache": tmp_path / "kept"} | options)
        )

    return make


class TestWordVectors:
    def test_the_digest_tells_words_and_numbers_apart(self):
        vectors = [
            WordVectors.of(WORDS),
            WordVectors.of(WORDS | {"cat": (1.0, 0.0, 0.26)}),
            WordVectors.of({"kitten" if word == "cat" else word: v for word, v in WORDS.items()}),
        ]
        assert len({each.digest for each in vectors}) == 3
        assert WordVectors.of(WORDS).digest == vectors[0].digest

    def test_a_vector_of_zeros_is_one(self):
        assert WordVectors.of({"cat": [0, 0]}).get("cat").tolist() == [0, 0]

    @pytest.mark.parametrize(
        ("words", "matrix", "message"),
        [
            (("cat",), np.zeros((2, 3)), "one row per word"),
            (("cat", "cat"), np.zeros((2, 3)), "two vectors"),
            (("cat", "dog"), np.array([[1.0], [np.nan]]), "'dog' contains NaN"),
            (("cat", "dog"), np.array([[1.0], [-np.inf]]), "'dog' contains NaN"),
            (
                ("cat", "dog"),
                np.array([[1.0, 0.0], [0.0, -1e150]]),
                r"'dog' has the length 1e\+150",
            ),
            (("cat", "dog"), np.array([[1e-150], [1.0]]), "'cat' has the length 1e-150"),
        ],
    )
    def test_what_are_no_vectors_is_refused(self, words, matrix, message):
        with pytest.raises(VectorError, match=message):
            WordVectors(words, matrix)


class TestFormats:
    @pytest.mark.parametrize("data", [word2vec_text(), word2vec_binary(), glove_text()])
    @pytest.mark.parametrize("packed", [False, True])
    def test_every_format_gives_the_same_vectors(self, source, data, packed):
        made = (
            source(gzip.compress(data, mtime=0), "vectors.gz")
            if packed
            else source(data, "vectors.any")
        )
        selected = made.select(["dog", "unicorn", "é", "dog"])
        assert selected.words == ("dog", "é")
        assert selected.matrix.tolist() == [[0.5, -2.0, 0.0], [0.0, 0.0, 1.0]]

    @pytest.mark.parametrize(
        ("data", "name"),
        [
            (word2vec_binary()[:-6], "cut.bin"),
            (glove_text()[:-6], "glove.txt"),
            (gzip.compress(word2vec_text(), mtime=0)[:-12], "cut.gz"),
        ],
    )
    def test_a_file_that_was_cut_off_is_refused(self, source, data, name):
        with pytest.raises(VectorError, match=f"{name}: .*truncated"):
            source(data, name).select(["cat"])

    @pytest.mark.parametrize("data", [word2vec_text(), glove_text()])
    def test_a_byte_order_mark_is_refused(self, source, data):
        with pytest.raises(VectorError, match=r"a byte order mark.*\(tail -c \+4 v.txt > NEW_FILE"):
            source(b"\xef\xbb\xbf" + data, "v.txt").select(["cat"])

    @pytest.mark.parametrize(
        "header", ["99999999999 100", "9 3", "3 0", "0 3", "1" + 5000 * "0" + " 3", "3 99999999"]
    )
    @pytest.mark.parametrize("content", [word2vec_text, word2vec_binary])
    def test_a_header_that_does_not_fit_the_file(self, source, content, header):
        with pytest.raises(VectorError, match=r"cannot be read \(.*its first line .* it again"):
            source(content(header=header), "vectors.any").select(["cat"])

    def test_a_text_without_a_spare_character_fits_its_header(self, source):
        data = word2vec_text(dict.fromkeys("abcdefghi", (1,)), header="9 1")
        assert source(data, dimension=1).select("ai").matrix.tolist() == [[1.0], [1.0]]

    @pytest.mark.parametrize("content", [word2vec_text, word2vec_binary])
    def test_of_a_word_that_occurs_twice_the_first_vector_counts(self, source, content):
        data = content(header="4 3") + content({"cat": (9.0, 9.0, 9.0)}).split(b"\n", 1)[1]
        vectors = source(data).select([*WORDS])
        assert vectors.get("cat").tolist() == [*WORDS["cat"]]

    @pytest.mark.parametrize("content", [word2vec_text, word2vec_binary])
    @pytest.mark.parametrize("packed", [False, True])
    def test_vectors_after_those_of_the_header_are_not_left_out(self, source, content, packed):
        data = content(dict.fromkeys(map(str, range(30)), (1.0, 2.0, 3.0)), header="29 3")
        made = source(gzip.compress(data, mtime=0), "v.gz") if packed else source(data, "v.any")
        with pytest.raises(VectorError, match="more after the 29 vectors that its first line"):
            made.select(["0"])

    @pytest.mark.parametrize("data", [b"", b"(c / cat)\n", b"3\n", b"\x00\x01\x02" * 10])
    def test_other_files_are_refused(self, source, data):
        with pytest.raises(VectorError, match="not a file of word vectors"):
            source(data).select(["cat"])

    def test_nan_is_refused_with_its_word(self, source):
        data = word2vec_binary(WORDS | {"dog": (0.0, float("nan"), 0.0)})
        with pytest.raises(VectorError, match="'dog' contains NaN"):
            source(data).select(["cat"])

    def test_another_dimension_is_refused(self, source):
        with pytest.raises(VectorError, match="has vectors of 3 dimensions, not 100"):
            source(word2vec_text(), dimension=100).select(["cat"])
        assert source(word2vec_text(), dimension=None).select(["cat"]).dimension == 3


class TestSource:
    def test_the_environment_gives_what_is_not_given(self, tmp_path, monkeypatch):
        for name in ("a.txt", "b.txt"):
            (tmp_path / name).write_bytes(glove_text())
        monkeypatch.setenv("BAMBOO_VECTORS", str(tmp_path / "a.txt"))
        monkeypatch.setenv("BAMBOO_CACHE_DIR", str(tmp_path / "cache"))
        made = VectorSource(dimension=3)
        monkeypatch.delenv("BAMBOO_VECTORS")  # as in a process on another machine
        monkeypatch.delenv("BAMBOO_CACHE_DIR")
        assert made.select(["cat"]).words == ("cat",)
        assert made.path == tmp_path / "a.txt"
        assert len(list((tmp_path / "cache").glob("vectors-*.json"))) == 1
        monkeypatch.setenv("BAMBOO_VECTORS", str(tmp_path / "gone.txt"))
        assert VectorSource(file=tmp_path / "b.txt").path == tmp_path / "b.txt"
        assert S2match().vectors.file == str(tmp_path / "gone.txt")

    def test_a_metric_without_vectors_says_what_to_pass(self, tmp_path, monkeypatch):
        import gensim.downloader

        monkeypatch.setattr(gensim.downloader, "load", Mock(side_effect=OSError("offline")))
        monkeypatch.setenv("GENSIM_DATA_DIR", str(tmp_path))
        monkeypatch.delenv("BAMBOO_VECTORS", raising=False)
        cat = parse_graph("(c / cat)")
        with pytest.raises(VectorError) as caught:
            S2match().score([Pair(cat, cat)])
        assert "BAMBOO_VECTORS=FILE or in Python with vectors=VectorSource(file=FILE)" in str(
            caught.value
        )
        assert "\n" not in str(caught.value)

    def test_a_model_downloaded_before_needs_no_network(self, tmp_path, monkeypatch):
        folder = tmp_path / "some-model"
        folder.mkdir()
        (folder / "some-model.gz").write_bytes(gzip.compress(word2vec_text(), mtime=0))
        monkeypatch.setenv("GENSIM_DATA_DIR", str(tmp_path))
        made = VectorSource(name="some-model", dimension=3, cache=tmp_path)
        assert made.select(["cat"]).words == ("cat",)

    def test_a_download_that_is_not_the_known_model_is_removed(self, tmp_path, monkeypatch):
        import gensim.downloader

        path = tmp_path / "altered.gz"

        def load(name, return_path):
            path.write_bytes(gzip.compress(word2vec_text(), mtime=0))
            return str(path)

        monkeypatch.setattr(gensim.downloader, "load", load)
        monkeypatch.setenv("GENSIM_DATA_DIR", str(tmp_path))
        with pytest.raises(VectorError, match=r"not the known 'glove-.*expected SHA-256 4934d47"):
            VectorSource(cache=tmp_path).select(["cat"])
        assert not path.exists()

    def test_the_digest_follows_the_file(self, source):
        made = source(word2vec_text())
        before = made.digest
        source(word2vec_text(WORDS | {"cat": (9.0, 9.0, 9.0)}))
        assert made.digest != before
        assert made.select(["cat"]).get("cat").tolist() == [9.0, 9.0, 9.0]


class TestCache:
    def test_words_and_vectors_are_those_of_the_file(self, source):
        words = {f"w{k}": (k, -k, 0.5) for k in range(300)} | {"\u2028": (1, 2, 3), "𝄞": (4, 5, 6)}
        selected = source(word2vec_binary(words)).select([*words, "", "w", "w300", "\ud800"])
        assert selected.words == tuple(words)
        assert selected.matrix.tolist() == [list(vector) for vector in words.values()]

    def test_a_limited_number_of_words_is_kept(self, monkeypatch):
        monkeypatch.setattr(amr_metrics.vectors.sources, "KEPT", 2)
        made = MappedVectors(np.frombuffer(b"cat\ndog\n", np.uint8), np.eye(2, dtype=np.float32))
        for words in (["cat", "x", "y"], ["dog", "x"], ["cat", "dog"], ["dog"]):
            assert made.look_up(words).words == tuple(word for word in words if len(word) > 1)
            assert len(made._rows) <= 2 + len(words)

    @pytest.mark.parametrize("suffix", ["json", "words.txt", "matrix.npy"])
    def test_a_damaged_cache_is_written_anew(self, source, tmp_path, suffix):
        made = source(word2vec_binary())
        made.select(["cat"])
        (file,) = (tmp_path / "kept").glob(f"vectors-*.{suffix}")
        whole = file.read_bytes()
        for data in (b"", b"nonsense", whole[:-1], whole[:-2] + b"?" + whole[-1:]):
            file.write_bytes(data)
            amr_metrics.vectors.sources._load_converted.cache_clear()
            with pytest.warns(RuntimeWarning, match=r"vectors-.* are damaged .* is read again"):
                assert made.select(["cat"]).matrix.tolist() == [list(WORDS["cat"])]
            assert file.read_bytes() == whole

    def test_a_folder_that_cannot_be_written_to_is_named(self, source, tmp_path):
        (tmp_path / "file").write_text("in the way")
        with pytest.raises(VectorError, match="Use a folder that can be written to") as caught:
            source(word2vec_binary(), cache=tmp_path / "file").select(["cat"])
        assert caught.value.argument == "cache"


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_means_of_rows(dtype):
    matrix = np.array([[1.0, 0.25, 9.0], [3.0, -2.0, 9.0]], dtype)[:, :2]
    rows, shares, start = np.array([0, 1, 1]), np.array([1.0, 0.5, 1.0]), np.array([0, 2, 2, 3])
    means = group_means(matrix, rows, shares, start)
    # (1 + 3 / 2) / 2, (1 / 4 - 2 / 2) / 2; a group without rows; one row
    assert means.tolist() == [[1.25, -0.375], [0.0, 0.0], [3.0, -2.0]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_means_are_sums_in_the_order_of_the_rows(dtype):
    """To the last bit, for each width: columns are summed in blocks of sixteen."""
    generator = np.random.default_rng(0)
    start = np.array([0, 3, 3, 4, 9])
    rows, shares = generator.integers(0, 7, 9), generator.random(9)
    for dimension in (1, 15, 16, 17, 40):
        matrix = generator.standard_normal((7, dimension)).astype(dtype)
        expected = np.zeros((4, dimension))
        for group in range(4):
            for k in range(start[group], start[group + 1]):
                share = shares[k] / (start[group + 1] - start[group])
                expected[group] += share * matrix[rows[k]].astype(np.float64)
        assert group_means(matrix, rows, shares, start).tobytes() == expected.tobytes()
