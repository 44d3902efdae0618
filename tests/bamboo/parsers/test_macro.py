"""The macro average over languages and other groups of files."""

import json

import numpy as np
import pytest

import bamboo
from bamboo.parsers.analyses.macro import average_groups
from tests.metrics.documents.builders import umr

pytestmark = pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")

# F1 times 10,000 of the two systems of the shared task, by language (Arapaho, Chinese, Czech,
# English, Italian, Latin, Navajo; - if gold has nothing of the kind), and the averages that the
# paper prints. First shared task on UMR parsing (2026), Tables 2 to 14.
PUBLISHED = {
    2: "0815 1115 3651 2585 1587 2652 2219 1919 1394 2137 1724 1918 2155 1273 = 1935 1943",
    3: "- - - - 1445 2764 1590 1641 1394 2137 - - - - = 1476 2181",
    4: "0815 1115 3651 2585 1685 2573 2734 2146 - - 1724 1918 2155 1273 = 2127 1935",
    5: "4308 3447 5194 4363 4921 4456 4625 4169 3567 3796 4446 3879 3754 2568 = 4402 3811",
    6: "1008 1272 3777 2471 1582 2724 2509 2057 1368 2155 1950 1846 2551 1267 = 2107 1970",
    7: "4078 7368 7074 6122 4308 4957 7148 6457 1873 2539 5114 5493 4818 2611 = 4916 5078",
    8: "2517 5372 6046 4521 3933 5488 5643 4856 3766 5194 4289 4700 5309 3514 = 4500 4806",
    9: "5570 1742 5965 5208 5210 4872 4198 4071 4044 4116 4545 4289 4641 3568 = 4882 3981",
    10: "2119 1354 5287 3503 2724 3091 3866 2957 2110 2653 2541 2337 4287 2099 = 3276 2571",
    11: "0000 0000 2270 1369 0231 1010 1490 0777 0089 0113 0538 0581 0000 0000 = 0660 0550",
    12: "0764 2192 2828 3153 0047 3554 0031 3072 0645 2741 1576 2042 1002 0470 = 0985 2460",
    13: "0000 3596 4261 4634 - - 0000 1386 - - 0000 3236 0000 2062 = 0852 2983",
    14: "- - - - 0000 3864 0000 0195 0000 0653 - - 0316 0000 = 0079 1178",
}


@pytest.mark.parametrize("table", PUBLISHED)
def test_the_published_averages_follow_from_the_cells(table):
    cells, printed = (side.split() for side in PUBLISHED[table].split(" = "))
    f1 = np.array([1.0 if cell == "-" else int(cell) / 1e4 for cell in cells]).reshape(7, 2)
    gold = np.array([0 if cell == "-" else 9 for cell in cells]).reshape(7, 2)
    means = average_groups(f1, gold)
    # Half a unit of the last place that is printed, for the average and for the cells.
    assert means["f1"] == pytest.approx([int(value) / 1e4 for value in printed], abs=1e-4)
    assert (means["groups"] == sum(cell != "-" for cell in cells) / 2).all()


def test_no_group_has_the_kind():
    means = average_groups(np.ones((2, 1)), np.zeros((2, 1)))
    assert np.isnan(means["f1"]).all()
    assert means["groups"] == 0


def sentence(role="", concept="cat"):
    graph = f"(s1d / see-01 {role} :ARG1 (s1c / {concept}))"
    return umr((graph, "", "s1d: 1-1\ns1c: 2-2", "x y"))


@pytest.fixture
def folders(tmp_path):
    """Gold with an aspect in cs and en; the first system lacks a file and has no aspect in en."""
    gold = {
        "cs-0001.umr": sentence(":aspect state"),
        "cs-0002.umr": sentence(":aspect state"),
        "en-0001.umr": sentence(":aspect state"),
        "la-0001.umr": sentence(),
        "Other.umr": sentence(":aspect state"),
    }
    first = {**gold, "en-0001.umr": sentence(), "la-0001.umr": sentence("", "dog")}
    del first["cs-0002.umr"]
    for side, files in (("first", first), ("second", gold), ("gold", gold)):
        (tmp_path / side).mkdir()
        for name, text in files.items():
            (tmp_path / side / name).write_text(text, "utf-8")
    return [tmp_path / side for side in ("first", "second", "gold")]


def values(report, kind, score="f1", system="first"):
    rows = report.board.select(kind=kind, system=system, score=score).scores
    return {row.part: row.value for row in rows}


def test_macro_over_languages(folders):
    report = bamboo.score(folders[0], folders[2], "juumaetsh", by="language", ci=True)
    # cs: 4 of 4 and 8 triples; en: 3 of 3 and 4; la: 2 of 3 and 3, for another concept.
    expected = {"cs": 8 / 12, "en": 6 / 7, "la": 4 / 6}
    buckets = values(report, "bucket")
    assert {name: buckets[name] for name in expected} == pytest.approx(expected)
    assert values(report, "macro") == pytest.approx({"(macro)": sum(expected.values()) / 3})
    assert values(report, "macro", "groups") == {"(macro)": 3}
    (row,) = report.board.select(kind="macro", score="f1").scores
    assert (row.pairs, row.left_out) == (4, 1)  # one file has no language
    assert 0 < row.low < row.value < row.high < 1
    text = str(report)
    assert "(macro): mean F1 of 3 of 3 buckets; without (none)" in text


def test_languages_without_the_kind_are_left_out(folders):
    options = {"only": ["aspect"]}
    report = bamboo.score(folders[:2], folders[2], "juumaetsh", options=options, by="language")
    # cs: 1 of 1 and 2; en: gold alone has one; la: neither side.
    assert values(report, "macro") == pytest.approx({"(macro)": (2 / 3 + 0) / 2})
    assert np.isnan(values(report, "bucket")["la"])
    text = str(report)
    assert "mean F1 of 2 of 3 buckets; gold has nothing of this kind in the others" in text
    (row,) = report.board.select(kind="macro").differences
    assert row.value == pytest.approx(1 / 3 - 1)
    assert (row.pairs, row.p) == (3, row.p_adjusted)
    # Two of three documents differ: half of the permutations have this difference or its negative.
    assert row.p == pytest.approx(0.5, abs=0.02)


def test_parts_of_the_score_by_language(folders, cli):
    aspects = ("token_sets", "mapped_nodes")
    report = bamboo.score(*folders[::2], "juumaetsh", by="language", aspects=aspects)
    assert values(report, "bucket of token_sets")["cs"] == 2 * 2 / (2 + 4)
    assert values(report, "macro of mapped_nodes")["(macro)"] == pytest.approx((2 / 3 + 2) / 3)
    frame = report.buckets_frame("token_sets").set_index("bucket")
    assert frame.loc["(macro)", "f1"] == pytest.approx((2 / 3 + 2) / 3)
    words = [*map(str, folders[::2]), "metric=juumaetsh", "by=language", "aspects=token_sets"]
    document = json.loads(cli("score", *words, "report=json").out)
    parts = {row["bucket"]: row["corpus"] for row in document["aspect_buckets"]["token_sets"]}
    assert parts["(macro)"] == {"f1": pytest.approx((2 / 3 + 2) / 3), "groups": 3}
    for text in (report.to_markdown(), report.to_latex(), report.to_csv()):
        assert text.count("(macro)") >= 3  # of the score and of two parts


def test_a_language_without_mapped_nodes_counts_as_0(folders):
    graph = umr(("(s1r / rain-01)", "", "s1r: 1-1", "x y"))
    (folders[0] / "la-0001.umr").write_text(graph.replace("s1r: 1-1", "s1r: 3-3"), "utf-8")
    report = bamboo.score(*folders[::2], "juumaetsh", by="language", aspects=("mapped_triples",))
    assert np.isnan(values(report, "bucket of mapped_triples")["la"])
    # cs: 4 of 4 and 4, since one file is missing; en: 3 of 3 and 4.
    assert values(report, "macro of mapped_triples")["(macro)"] == pytest.approx((1 + 6 / 7) / 3)
    assert values(report, "macro of mapped_triples", "groups") == {"(macro)": 3}


def test_metrics_with_counts_of_their_own(folders):
    report = bamboo.score(*folders[::2], ["ancast", "doc_smatch"], by="language", on_error="zero")
    for metric in ("ancast", "doc_smatch"):
        buckets = values(report[metric], "bucket")
        mean = sum(buckets[name] for name in ("cs", "en", "la")) / 3
        assert values(report[metric], "macro")["(macro)"] == pytest.approx(mean)
    assert "macro,(macro)" in report.to_csv()


def test_sizes_have_no_mean(folders):
    report = bamboo.score(*folders[::2], "juumaetsh", by="size")
    assert not values(report, "macro")


CATS = "(s / sleep-01 :ARG0 (c / cat))"
DOGS = "(b / bark-01 :ARG0 (d / dog))"
MIXED = "(b / bark-01 :ARG0 (d / cat))"
RARE = 1  # pairs of the rare bucket, the first ones


def write_buckets(folder):
    """A file of buckets: `RARE` pairs in one, the other twelve in another one."""
    buckets = ["rare"] * RARE + ["common"] * 12
    path = folder / "buckets.tsv"
    path.write_text("".join(f"{k}\t{bucket}\n" for k, bucket in enumerate(buckets)))
    return path


def parses(*graphs):
    return [f"# ::id {k}\n{graph}" for k, graph in enumerate(graphs)]


GOLD = parses(CATS, *[DOGS] * 12)
FIRST = parses(CATS, *[MIXED, DOGS, CATS, DOGS] * 3)
SECOND = parses(DOGS, *[MIXED, MIXED, DOGS] * 4)


def test_intervals_of_the_mean_draw_within_buckets(tmp_path):
    def score(parsers, gold, **options):
        return bamboo.score(parsers, gold, ci=True, resamples=2000, **options)

    report = score({"first": FIRST, "second": SECOND}, GOLD, by=write_buckets(tmp_path))
    common = {"first": FIRST[RARE:], "second": SECOND[RARE:]}
    of_common = score(common, GOLD[RARE:]).board
    # The rare bucket does not vary: the first parser has 1 there, the second 2 of 4 triples.
    for name, rare in (("first", 1.0), ("second", 0.5)):
        (mean,) = report.board.select(kind="macro", score="f1", system=name).scores
        (row,) = of_common.select(score="f1", system=name).scores
        expected = [(bound + rare) / 2 for bound in row.interval]
        assert mean.interval == pytest.approx(expected, abs=0.011)
    (mean,) = report.board.select(kind="macro").differences
    (row,) = of_common.select(score="f1").differences
    assert mean.interval == pytest.approx([(bound + 0.5) / 2 for bound in row.interval], abs=0.011)
    assert "lacks the uncertainty of buckets of fewer than 5 pairs: rare (1)" in str(report)
    assert any("minus best 95 %" in table.columns for table in report.tables("all"))


def test_a_mean_over_buckets_of_one_pair_with_something_has_no_interval(folders):
    (folders[2] / "cs-0002.umr").write_text(sentence(), "utf-8")
    (folders[0] / "cs-0002.umr").write_text(sentence(), "utf-8")
    options = {"only": ["aspect"]}
    report = bamboo.score(
        *folders[::2], "juumaetsh", options=options, by="language", ci=True, on_error="zero"
    )
    (row,) = report.board.select(kind="macro", score="f1").scores
    assert row.interval is None
