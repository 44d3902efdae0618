"""The counts and scores of `bamboo.smatch`."""

import io
from pathlib import Path

import pytest

import bamboo.smatch as smatch
from amr_metrics import limits
from amr_metrics.errors import GraphError, MetricError, PairError
from bamboo.smatch import AMR, compute_f, get_amr_match, score_amr_pairs
from tests.released import shared_file

KINDS = ("instance", "attribute", "relation")
# Of the package, 1.0.4: the first pairs of BART and gold, and the sums of all 200.
FIRST = [
    *((11, 13, 12), (13, 16, 16), (7, 8, 12), (33, 58, 52), (13, 23, 19)),
    *((8, 9, 12), (24, 26, 24), (5, 8, 12), (9, 18, 17), (2, 3, 3)),
]
SUMS = [2957, 3972, 3933]
CAT = "(s / sleep-01 :ARG0 (c / cat))"
DOG = "(s / sleep-01 :ARG0 (d / dog))"
NAME = '(p / person :ARG0-of (s / sleep-01) :name (n / name :op1 "Ada"))'


def lines(*graphs):
    return io.StringIO("\n\n".join(graphs))


class TestPairs:
    @pytest.mark.parametrize(
        ("kind", "counts"),
        [
            ({}, (3, 4, 4)),
            ({"justinstance": True}, (1, 2, 2)),
            ({"justattribute": True}, (1, 1, 1)),
            ({"justrelation": True}, (1, 1, 1)),
        ],
    )
    def test_counts(self, kind, counts):
        assert get_amr_match(CAT, DOG, **kind) == counts
        assert get_amr_match(CAT, DOG, 7, *(kind.get(f"just{k}", False) for k in KINDS)) == counts

    def test_counts_of_names(self):
        """The root is an attribute."""
        assert get_amr_match(NAME, NAME) == (7, 7, 7)
        assert get_amr_match(NAME, NAME, justinstance=True) == (3, 3, 3)
        assert get_amr_match(NAME, NAME, justattribute=True) == (2, 2, 2)
        assert get_amr_match(NAME, NAME, justrelation=True) == (2, 2, 2)

    def test_each_kind_is_aligned_on_its_own(self):
        """Of instances alone the two cats match; with all triples the sleepers do."""
        first = "(s / sleep-01 :ARG0 (d / dog) :ARG1 (c / cat))"
        second = "(s / sleep-01 :ARG0 (c / cat) :ARG1 (d / dog))"
        assert get_amr_match(first, second) == (4, 6, 6)
        assert get_amr_match(first, second, justinstance=True) == (3, 3, 3)
        assert get_amr_match(first, second, justrelation=True) == (2, 2, 2)

    def test_two_kinds(self):
        with pytest.raises(MetricError, match="exclude one another"):
            get_amr_match(CAT, DOG, justinstance=True, justrelation=True)

    def test_a_graph_that_cannot_be_read(self):
        with pytest.raises(GraphError, match=r"^the second graph, graph 2: "):
            get_amr_match(CAT, "(s / sleep-01", sent_num=3)


def test_compute_f():
    assert compute_f(3, 4, 6) == (0.75, 0.5, 0.6)
    for counts in ((0, 4, 6), (0, 0, 6), (0, 4, 0), (0, 0, 0)):
        assert compute_f(*counts) == (0, 0, 0)


class TestFiles:
    def test_one_score_of_all_pairs(self):
        assert [*score_amr_pairs(lines(CAT, DOG), lines(CAT, CAT))] == [(7 / 8, 7 / 8, 7 / 8)]

    def test_each_pair(self, monkeypatch):
        monkeypatch.setattr(smatch, "single_score", False)
        scores = score_amr_pairs(lines(CAT, DOG), lines(CAT, CAT))
        assert [*scores] == [(1, 1, 1), (0.75, 0.75, 0.75)]

    def test_the_first_pair_comes_before_the_second_is_read(self, monkeypatch):
        monkeypatch.setattr(smatch, "single_score", False)
        read = []

        def watched():
            for line in (CAT, "", DOG, ""):
                read.append(line)
                yield line

        scores = score_amr_pairs(watched(), lines(CAT, CAT))
        assert next(scores) == (1, 1, 1)
        assert read == [CAT, ""]
        assert next(scores) == (0.75, 0.75, 0.75)

    def test_more_pairs_than_are_scored_at_a_time(self, monkeypatch):
        monkeypatch.setattr(smatch, "CHUNK", 3)
        parses = [CAT, DOG] * 4
        assert [*score_amr_pairs(lines(*parses), lines(*[CAT] * 8))] == [(7 / 8, 7 / 8, 7 / 8)]

    def test_lists_of_lines(self):
        assert [*score_amr_pairs([CAT, "", DOG], [CAT, "", DOG])] == [(1, 1, 1)]

    def test_comments_and_blank_lines(self):
        text = (
            f"\n\n# ::id 1\n# ::snt x\n{CAT}\n\n\n# ::id 2\n\n(s / sleep-01\n  :ARG0 (d / dog))\n"
        )
        assert [*smatch.generate_amr_lines(io.StringIO(text), lines(CAT, DOG))] == [
            (CAT, CAT),
            ("(s / sleep-01:ARG0 (d / dog))", DOG),
        ]
        file = io.StringIO(text)
        assert [len(AMR.get_amr_line(file)) for _ in range(3)] == [len(CAT), len(DOG) - 1, 0]

    def test_files_without_graphs(self):
        assert [*score_amr_pairs(lines(), lines())] == [(0, 0, 0)]

    @pytest.mark.parametrize("single", [True, False])
    def test_different_numbers_of_graphs(self, monkeypatch, single):
        monkeypatch.setattr(smatch, "single_score", single)
        with pytest.raises(GraphError, match=r"^the first file: has only 1 graph, and the second"):
            [*score_amr_pairs(lines(CAT), lines(CAT, DOG))]
        with pytest.raises(GraphError, match=r"^the second file: has only 1 graph, and the first"):
            [*score_amr_pairs(lines(CAT, DOG), lines(CAT))]

    def test_a_graph_that_cannot_be_read(self, tmp_path):
        file = tmp_path / "parses.amr"
        file.write_text(f"{CAT}\n\n(s / sleep-01\n")
        with file.open() as opened, pytest.raises(GraphError) as raised:
            [*score_amr_pairs(opened, lines(CAT, CAT))]
        assert str(raised.value).startswith(f"{file}, graph 1: unbalanced parentheses")

    @pytest.mark.parametrize("path", ["a.amr", Path("a.amr"), f"{CAT}\n"])
    def test_paths_and_texts(self, path):
        for files in (path, path), (lines(CAT), path):
            with pytest.raises(TypeError, match=r"is a path or a text, .* use bamboo\.score"):
                [*score_amr_pairs(*files)]
        with pytest.raises(TypeError, match="is a path or a text"):
            AMR.get_amr_line(path)

    def test_a_pair_that_is_too_large(self, monkeypatch):
        monkeypatch.setattr(limits, "MEMORY", 10_000)
        monkeypatch.setattr(smatch, "CHUNK", 2)
        large = "(d / dog" + "".join(f" :op{k} (d{k} / dog)" for k in range(100)) + ")"
        with pytest.raises(PairError, match=r"^pair 3: "):
            [*score_amr_pairs(lines(CAT, CAT, CAT, large), lines(CAT, CAT, CAT, large))]


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("smart_init_mapping", "solver=hillclimb"),
        ("compute_match", "solver=hillclimb"),
        ("process_amr_pair", "get_amr_match"),
        ("anything", "smatch_1.0"),
    ],
)
def test_what_is_not_offered_names_what_comes_nearest(name, instead):
    with pytest.raises(AttributeError, match=f"bamboo.smatch has no {name}: .*{instead}"):
        getattr(smatch, name)


class TestLittlePrince:
    """Counts and scores of the package, 1.0.4, with 4 restarts; its search finds the optimum."""

    @pytest.fixture
    def files(self, shared):
        folder = shared_file(shared, "parsers/little-prince")
        return folder / "bart.amr", folder / "gold.amr"

    def test_the_corpus(self, files):
        with files[0].open() as src, files[1].open() as tgt:
            (scores,) = score_amr_pairs(src, tgt)
        assert [round(score, 4) for score in scores] == [0.7445, 0.7518, 0.7481]

    @pytest.mark.parametrize(
        ("kind", "expected"),
        [("instance", (0.8199, 0.8264, 0.8231)), ("attribute", (0.8808, 0.9099, 0.8951))],
    )
    def test_one_kind(self, files, kind, expected):
        with files[0].open() as src, files[1].open() as tgt:
            (scores,) = score_amr_pairs(src, tgt, **{f"just{kind}": True})
        assert tuple(round(score, 4) for score in scores) == expected

    def test_pairs(self, files, monkeypatch):
        monkeypatch.setattr(smatch, "single_score", False)
        with files[0].open() as src, files[1].open() as tgt:
            counts = [get_amr_match(*pair) for pair in smatch.generate_amr_lines(src, tgt)]
        with files[0].open() as src, files[1].open() as tgt:
            assert [*score_amr_pairs(src, tgt)] == [compute_f(*counted) for counted in counts]
        assert [sum(column) for column in zip(*counts, strict=True)] == SUMS
        assert counts[:10] == FIRST
