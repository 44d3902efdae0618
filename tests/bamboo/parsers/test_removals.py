"""What alignment marks and repeated triples do to scores, and the options against it."""

import warnings
from dataclasses import dataclass, field

import pytest

import amr_metrics
import bamboo
from bamboo.engines import Processes

PLAIN = "(s / sell-01 :ARG0 (b / baker :mod (o / old)) :polarity -)"
MARKED = "(s / sell-01~e.3 :ARG0 (b / baker~e.2 :mod~e.1 (o / old~e.1,2)) :polarity~e.4 -~e.4)"
WRONG = "(s / see-01 :ARG0 (c / cat) :ARG0 c :ARG0 c :ARG0 c :ARG0 c :ARG0 c)"
SEEN = "(s / see-01 :ARG0 (c / cat) :ARG1 (d / dog))"


@dataclass(frozen=True)
class Halved(amr_metrics.Metric):
    of: amr_metrics.Metric = field(default_factory=amr_metrics.SmatchPackage)

    def evaluate(self, pairs):
        return amr_metrics.Scores(self.of.score(pairs) / 2)


def scored(src, tgt, metric="smatch_1.0", **options):
    """Return the scores of parsers and the notes on the files."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report = bamboo.score({"parser": src}, tgt, metric, **options)
    return report, [str(warning.message) for warning in caught]


def test_alignment_marks_on_one_side():
    # Of 7 triples, :ARG0 and the root are equal.
    report, (note,) = scored([MARKED, PLAIN], [PLAIN, PLAIN])
    assert report["parser"].score == pytest.approx((2 + 7) / 14)
    assert note == (
        "parser has 6 labels with alignment marks such as ~e.3, tgt has none. smatch_1.0 takes the "
        "marks for parts of the labels: without them F1 is 100.0 instead of 64.3. drop=alignments "
        "removes the marks"
    )
    report, (note,) = scored([PLAIN], [MARKED])
    assert note.startswith("parser has none, tgt has 6 labels with alignment marks")
    # Both have them; the metric does not read them; they are dropped.
    assert scored([MARKED], [MARKED])[1] == []
    assert scored([MARKED], [PLAIN], "smatch")[1] == []
    assert scored([MARKED], [PLAIN], amr_metrics.SmatchPackage(variant="corrected"))[1] == []
    # Graphs that any other step changes lose their marks, and so do all others.
    linked = MARKED.replace("baker~e.2", 'baker~e.2 :wiki "Baker"')
    for options in ({"drop": "wiki"}, {"options": {"standardize": ["drop_wiki"]}}):
        report, notes = scored([linked, MARKED], [PLAIN, PLAIN], **options)
        assert (report["parser"].scores.tolist(), notes) == ([1, 1], [])
    dropped = {"drop": "alignments"}, {"options": {"standardize": ["drop_alignments"]}}
    for options in dropped:
        report, notes = scored([MARKED], [PLAIN], **options)
        assert (report["parser"].score, notes) == (1, [])


@pytest.mark.parametrize("engine", [Processes(jobs=2), "serial"])
def test_repeated_triples(engine):
    # All 4 triples of the first parse are among gold's 6; each repeat matches :ARG0 once more.
    report, (note,) = scored([WRONG, SEEN], [SEEN, SEEN], engine=engine)
    with_repeats, without = 2 * (9 + 6) / (9 + 6 + 6 + 6), 2 * (4 + 6) / (4 + 6 + 6 + 6)
    assert report["parser"].score == pytest.approx(with_repeats)
    distinct, _ = scored([WRONG, SEEN], [SEEN, SEEN], options={"variant": "corrected"})
    assert distinct["parser"].score == pytest.approx(without)
    assert note == (
        "parser has 5 repeated triples, tgt has none. smatch_1.0 counts these again, so that "
        f"precision and recall can exceed 100 %: without them F1 is {100 * without:.1f} instead of "
        f"{100 * with_repeats:.1f}. metric.variant=corrected counts each of them once"
    )


def test_triples_that_are_repeated_as_the_package_reads_them():
    graph = '(n / name :op1 "Ulm" :OP1 Ulm :mod (a / a :domain n))'
    (note,) = scored([graph], [graph])[1]
    assert note.startswith("parser has 2 repeated triples, tgt has 2 repeated triples.")
    assert "without them F1 is 100.0 instead of " in note


def test_small_differences_are_shown():
    many, twice = [PLAIN] * 400, PLAIN.replace(":polarity -", ":polarity - :polarity -")
    (note,) = scored([*many, twice], [*many, PLAIN])[1]
    assert "without them F1 is 100.00 instead of 100.02." in note


def test_metrics_within_others():
    metric = amr_metrics.get("smatch_1.0", standardize=["lower"])
    (note,) = scored([WRONG], [SEEN], metric)[1]
    assert "metric.variant=corrected" in note
    (note,) = scored([WRONG], [SEEN], Halved())[1]
    assert note.endswith("metric.standardize=[distinct] counts each of them once")
    for name in ("smatch", "smatchpp", "sema", "sembleu", "wlk", "smatch_1.0.2"):
        assert scored([WRONG], [SEEN], name)[1] == [], name


def test_notices_of_the_report():
    report, _ = scored([MARKED, WRONG], [PLAIN, SEEN], errors=True)
    marks, repeats = report.verdict.notices
    assert (marks.kind, marks.option) == ("removal", "drop=alignments")
    assert marks.text.startswith("parser has 6 labels with alignment marks such as ~e.3, gold has")
    assert repeats.option == "metric.variant=corrected"
    assert repeats.text.startswith("parser has 5 repeated triples, gold has none.")


def test_a_role_that_the_metric_ignores(tmp_path):
    sentences = [
        f"# :: snt{k}\n\n# sentence level graph:\n(s{k}c / city{{}})\n\n# alignment:\n"
        f"s{k}c: 1-1\n\n# document level annotation:\n(s{k}s0 / sentence)\n"
        for k in range(1, 121)
    ]
    text, src, tgt = "\n".join(sentences), tmp_path / "a.umr", tmp_path / "b.umr"
    src.write_text(text.replace("{}", ' :wiki "Ulm"'))
    tgt.write_text(text.replace("{}", ""))
    notes = scored(src, tgt, "juumaetsh", options={"ignored": ["concept"]})[1]
    assert notes[-1].endswith("? metric.ignored=[concept,:wiki] leaves them out")
    for metric, options in (
        ("juumaetsh", {"ignored": [":wiki"]}),
        ("smatch", {"standardize": ["drop_role::wiki"]}),
        ("smatchpp", {"standardize": ["drop_wiki"]}),
    ):
        notes = scored(src, tgt, metric, options=options, format="umr")[1]
        assert not any(":wiki" in note for note in notes), metric


def test_effects_that_are_not_visible():
    # Of 400 parses one is wrong, and repeats a triple that gold, with 28,000, does not have.
    large = PLAIN.replace(":polarity -", " ".join(f":op{k} {k}" for k in range(65)))
    many, wrong = [large] * 399, PLAIN.replace(":polarity -", ":mod 1 :time (n / now) :time n")
    assert scored([*many, wrong], [*many, PLAIN])[1] == []


def test_every_pair_of_graphs_has_no_corpus_score():
    assert scored([MARKED, WRONG], [PLAIN, SEEN], pairs="all")[1] == []
