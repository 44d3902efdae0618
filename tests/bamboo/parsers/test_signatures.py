"""The line that stands for what scores depend on."""

import re

import bamboo


def test_a_metric_of_ones_own_is_told_apart_by_its_options(user):
    signatures = []
    for factor in (1.0, 2.0, 1.0):
        user.metric("mine", "Size", factor=factor)
        report = bamboo.score("(c / cat)", "(d / dog)", metric="mine", config_dir=user.path)
        signatures.append(report.signature)
    first, second, third = signatures
    assert re.fullmatch(r"mine\|options=[0-9a-f]{8}\|bamboo v[\d.]+", first)
    assert first == third != second


def test_a_metric_of_the_project_is_told_by_its_name():
    report = bamboo.score("(c / cat)", "(d / dog)", metric="wlk", options={"K": 3})
    assert re.fullmatch(r"wlk K=3\|bamboo v[\d.]+", report.signature)
