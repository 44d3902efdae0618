"""`conf/metric/smatch_1.0.yaml`: what the smatch package counts, by hand and on real graphs."""

import pytest

from bamboo.config.jobs import compose_metrics
from bamboo.config.metrics import build_metric
from metrics import Pair, Smatch, parse_graph
from metrics.standardize import Standardized
from tests.released import released


@pytest.fixture(scope="module")
def package():
    (job,) = compose_metrics([("smatch_1.0", "smatch_1.0", {})])
    return build_metric(job.name, job.metric)


def counts(metric, src, tgt):
    details = metric.evaluate([Pair(parse_graph(src), parse_graph(tgt))]).details
    return tuple(int(details[k][0]) for k in ("matches", "src_total", "tgt_total"))


@pytest.mark.parametrize(
    ("src", "tgt", "package_counts", "smatch_counts"),
    [
        # the roots are aligned, and agree although their concepts differ
        ("(c / cat)", "(d / dog)", (1, 2, 2), (0, 2, 2)),
        # a quoted and an unquoted constant
        ('(n / name :op1 "Ann")', "(n / name :op1 ann)", (3, 3, 3), (2, 3, 3)),
        # :mod turned round is :domain; the roots are other nodes
        ("(c / cat :mod (g / gray))", "(g / gray :domain (c / cat))", (3, 4, 4), (2, 4, 4)),
        # repeated triples count once
        ("(n / no :polarity - :polarity -)", "(n / no :polarity -)", (3, 3, 3), (3, 3, 3)),
    ],
)
def test_what_the_package_counts(package, src, tgt, package_counts, smatch_counts):
    assert counts(package, src, tgt) == package_counts
    assert counts(Smatch(), src, tgt) == smatch_counts


def test_the_same_in_python(package):
    ours = Standardized.of(Smatch(root="constant"), ["unquote", "fold_domain"])
    assert ours.signature == package.signature


def test_released_pairs(package, shared):
    """The totals of `smatch 1.0.4` on the first pairs without a repeated triple."""
    pairs, _ = released(shared / "bamboo-amr-benchmark", "sts", "main")
    details = package.evaluate(pairs[:8]).details
    assert details["src_total"].tolist() == STS["src_total"]
    assert details["tgt_total"].tolist() == STS["tgt_total"]
    assert details["matches"].tolist() == STS["matches"]
    # of the first 400 pairs no total differs, and the package misses a few matches
    details = package.evaluate(pairs[:400]).details
    assert [details["src_total"].sum(), details["tgt_total"].sum()] == [3661, 3627]
    assert 1993 <= details["matches"].sum() <= 1993 + 25


# printed by smatch 1.0.4, pair by pair
STS = {
    "matches": [6, 9, 10, 5, 5, 5, 6, 5],
    "src_total": [7, 10, 11, 6, 6, 6, 8, 6],
    "tgt_total": [7, 10, 10, 6, 6, 6, 6, 6],
}
