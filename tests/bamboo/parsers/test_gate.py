"""The gate for tests: `at_least` and `no_worse_than` of `score`."""

import pytest

import bamboo
from bamboo.errors import ConfigError

CAT = "(s / sleep-01 :ARG0 (c / cat))"
DOG = "(s / sleep-01 :ARG0 (d / dog))"  # 3 of 4 triples of CAT
GOLD = [CAT] * 20


def test_at_least():
    assert bamboo.score([CAT, DOG], [CAT, CAT], at_least=87.5).failed == ()
    (failed,) = bamboo.score([CAT, DOG], [CAT, CAT], at_least=87.51).failed
    assert failed == "at_least=87.51: src has F1 87.5"
    assert bamboo.score([DOG, DOG], [CAT, CAT], at_least=90).failed == (
        "at_least=90: src has F1 75.0",
    )


def test_a_score_that_is_just_too_low_is_shown_with_more_digits():
    # 799 of 1,000 triples match: ten of 79 graphs, nine of one, none of 20.
    right = f"(c / cat {' '.join(f':op{k} {k}' for k in range(8))})"
    wrong = right.replace("cat", "dog").replace(":op", ":li")
    parses, gold = [right] * 79 + [right.replace(" 7)", " 8)")] + [wrong] * 20, [right] * 100
    (failed,) = bamboo.score(parses, gold, "smatch", at_least=80).failed
    assert failed == "at_least=80: src has F1 79.9"
    assert bamboo.score(parses, gold, "smatch", at_least=79.9).failed == ()
    (failed,) = bamboo.score(parses, gold, "smatch", at_least=79.92).failed
    assert failed == "at_least=79.92: src has F1 79.9"


@pytest.mark.parametrize("share", [0.55, 0.57, 0.58, 0.29])
def test_rounding_errors_do_not_fail(share):
    count = round(100 * share)  # 100 * 0.57 is 56.99999999999999
    parses = ["(c / cat)"] * count + ["(d / dog)"] * (100 - count)
    report = bamboo.score(parses, ["(c / cat)"] * 100, "smatch", at_least=100 * share)
    assert report.failed == ()


def test_every_parser_has_to_reach_it():
    report = bamboo.score({"a": [CAT], "b": [DOG]}, [CAT], at_least=80)
    assert report.failed == ("at_least=80: b has F1 75.0",)


class TestNoWorse:
    def test_a_parser_that_is_significantly_worse(self):
        report = bamboo.score({"new": [DOG] * 20}, GOLD, no_worse_than=GOLD)
        assert report.failed == ("no_worse_than: new has F1 25.0 lower than old (p < .001)",)
        assert [*report.parsers] == ["new", "old"]

    def test_a_parser_that_is_better_or_not_significantly_worse(self):
        assert bamboo.score(GOLD, GOLD, no_worse_than=[DOG] * 20).failed == ()
        assert bamboo.score([DOG, *GOLD[1:]], GOLD, no_worse_than=GOLD).failed == ()

    def test_the_older_parser_need_not_reach_a_score(self):
        report = bamboo.score(GOLD, GOLD, no_worse_than=[DOG] * 20, at_least=90)
        assert report.failed == ()

    def test_five_of_twenty_sentences_are_not_enough(self):
        """With k worse sentences and no better one, p is about 2 / 2^k: 1/16 for 5, 1/32 for 6."""
        for count, number in ((5, 0), (6, 1)):
            report = bamboo.score([DOG] * count + GOLD[count:], GOLD, no_worse_than=GOLD)
            assert len(report.failed) == number

    def test_a_single_pair_cannot_be_tested(self):
        with pytest.raises(ConfigError, match="have 1 scored pairs in common"):
            bamboo.score([DOG], [CAT], no_worse_than=[CAT])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"at_least": 0.8}, "at_least=0.8 is in points, as tables show scores: .* at_least=80"),
        ({"at_least": float("nan")}, "at_least=nan: use a number of points"),
        ({"at_least": "80"}, "at_least"),
        ({"no_worse_than": GOLD, "permutations": 18}, "permutations=18: no_worse_than needs at"),
        ({"no_worse_than": GOLD, "permutations": 19}, "permutations=19: no_worse_than needs at"),
        ({"at_least": 80, "metric": ["smatch", "sema"]}, "at_least needs exactly one metric"),
        ({"no_worse_than": GOLD, "metric": ["smatch", "sema"]}, "no_worse_than needs exactly one"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ConfigError, match=message):
        bamboo.score(GOLD, GOLD, **options)


def test_a_metric_without_f1():
    report = bamboo.score([CAT, DOG], [CAT, CAT], "wlk", at_least=99)
    (failed,) = report.failed
    assert failed.startswith(f"at_least=99: src has {report.board.main} ")


class TestCommand:
    @pytest.fixture(autouse=True)
    def files(self, home):
        for name, graphs in (("gold", GOLD), ("good", GOLD), ("bad", [DOG] * 20)):
            (home / f"{name}.amr").write_text("\n\n".join(graphs))

    def test_success(self, cli):
        outcome = cli("score", "good.amr", "gold.amr", "at_least=80.0", "no_worse_than=bad.amr")
        assert outcome.status == 0
        assert outcome.out.startswith("smatch_1.0 against gold.amr")

    def test_failure(self, cli):
        plain = cli("score", "bad.amr", "good.amr", "gold.amr")
        outcome = cli("score", "bad.amr", "gold.amr", "at_least=80", "no_worse_than=good.amr")
        assert (outcome.status, outcome.out) == (3, plain.out)
        assert outcome.err == (
            "error: at_least=80: bad has F1 75.0\n"
            "no_worse_than: bad has F1 25.0 lower than good (p < .001)\n"
        )

    @pytest.mark.parametrize("form", ["value", "json", "csv", "html"])
    def test_what_is_printed(self, cli, form):
        words = ("score", "bad.amr", "gold.amr", f"report={form}")
        words = (*words, "out=pages") if form == "html" else words
        plain = cli(*words)
        outcome = cli(*words, "at_least=80")
        assert (outcome.status, outcome.out) == (3, plain.out)
        assert outcome.err == "error: at_least=80: bad has F1 75.0\n"

    def test_other_errors_have_another_status(self, refused):
        assert "at_least=0.8 is in points" in refused("score", "bad.amr", "gold.amr", "at_least=.8")
        words = ("score", "bad.amr", "gold.amr", "no_worse_than=good.amr,gold.amr")
        assert "no_worse_than=good.amr,gold.amr: give one parser" in refused(*words)

    def test_names(self, cli, home):
        (home / "old").mkdir()
        (home / "old" / "bad.amr").write_text("\n\n".join(GOLD))
        outcome = cli("score", "bad.amr", "gold.amr", "no_worse_than=old/bad.amr")
        assert "bad has F1 25.0 lower than old/bad.amr" in outcome.err
