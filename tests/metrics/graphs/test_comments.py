"""The values of one key in the comments of many graphs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import Corpus
from amr_metrics.graphs.comments import Comments, join_metadata
from amr_metrics.reading.scanner import scan_amr

PIECES = ["::id", "::", ":", "id", " ", "\t", "\n", "\r", "a", "é", "# ", "::id ", "::idx 1"]
PIECES += ["::snt", "::snt ", "::tok ", "::snt-type b", "\x1c", "\u2028"]
texts = st.lists(st.sampled_from(PIECES), max_size=8).map(lambda parts: "".join(parts) + "\n")


def comments_of(parts):
    data = [part.encode() for part in parts]
    start = np.concatenate([[0], np.cumsum([len(part) for part in data])]).astype(np.int64)
    return Comments(b"".join(data), start)


@given(st.lists(texts, min_size=1, max_size=5))
def test_values_are_those_of_the_entries(parts):
    comments = comments_of(parts)
    for key in ("id", "snt", "tok"):
        assert comments.values(key) == [entry.get(key) for entry in comments]


def test_a_sentence_takes_the_rest_of_its_line():
    comments = comments_of(
        [
            "# ::id 1 ::snt Use std::sort ::id 2 \n",
            "# ::tok a ::b ::snt c\n# ::n 5\n",
            "# ::snt-type body ::id 3\n# ::snt :: what ? ::\n",
            "# ::snt first\r# ::snt last ::tok t\n",
        ]
    )
    expected = [
        {"snt": "Use std::sort ::id 2", "id": "1"},
        {"tok": "a ::b ::snt c", "n": "5"},
        {"id": "3", "snt-type": "body", "snt": ":: what ? ::"},
        {"snt": "last ::tok t"},
    ]
    assert [*comments] == expected
    for key in ("id", "snt", "tok", "n", "snt-type", "b"):
        assert comments.values(key) == [entry.get(key) for entry in expected]
        assert comments_of([comments.text.decode()[:38]]).values(key) == [expected[0].get(key)]


@given(st.lists(st.lists(texts, min_size=1, max_size=3), min_size=1, max_size=3))
def test_comments_of_several_corpora(groups):
    joined = join_metadata([comments_of(parts) for parts in groups])
    expected = [entry for parts in groups for entry in comments_of(parts)]
    assert isinstance(joined, Comments)
    assert [*joined] == expected


def test_values_of_a_selection():
    text = "\n\n".join(f"# ::id g{k}\n(c / cat)" for k in range(20))
    corpus = scan_amr(text.encode())
    for positions in ([3, 1], list(range(0, 20, 2)) * 2):
        part = corpus.take(np.array(positions))
        assert part.metadata_values("id") == [f"g{k}" for k in positions]
        assert part[1:].metadata_values("id") == [f"g{k}" for k in positions[1:]]
    joined = Corpus.concatenate([corpus[:1], Corpus.of([corpus[1]]), corpus])
    assert joined.metadata_values("id")[:4] == ["g0", "g1", "g0", "g1"]
