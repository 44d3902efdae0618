"""Sentences of altered pairs, from the pairs of Main that they were made from."""

from dataclasses import replace

import numpy as np
import pytest
from harness import build_site

from amr_metrics import Pair, parse_graph
from bamboo.benchmark.cells import Cell, PairSet
from bamboo.benchmark.sentences import _find_in_main, sentences
from tests.bamboo.page_data import data_of
from tests.configured import configured

SAMPLE = configured("run", ["data=sample"]).data[0]


def graph(text, sentence=None):
    made = parse_graph(text)
    return made if sentence is None else replace(made, metadata={"snt": sentence})


EAT = "(e / eat-01 :ARG0 (c / cat) :ARG1 (m / mouse))"
SWAPPED = "(e / eat-01 :ARG1 (c / cat) :ARG0 (m / mouse))"
TURNED = "(e / eat-01 :ARG1 (m / mouse) :ARG0 (c / cat))"  # the same graph as EAT


def couples(*pairs):
    pairs = [Pair(*(graph(text, "NA") for text in pair)) for pair in pairs]
    return [("", "")] * len(pairs), pairs


def of_main(*pairs):
    numbers = np.arange(10, 10 + len(pairs))
    return PairSet(pairs, np.ones(len(pairs)), numbers, {})


def test_a_couple_has_the_sentences_of_its_pair_in_main():
    dogs = Pair(graph("(d / dog)", "Dogs."), graph("(d / dog)", "Dogs!"))
    pair = Pair(graph(EAT, "Cats eat mice."), graph(EAT, "Mice are eaten."))
    of_couple = _find_in_main(*couples((EAT, SWAPPED), (TURNED, EAT)), of_main(dogs, pair))
    assert of_couple.texts == [("Cats eat mice.", "Mice are eaten.")] * 2
    assert of_couple.main == {0: 11, 1: 11}
    assert of_couple.altered == {0: "tgt", 1: ""}


def test_equal_pairs_of_main_are_used_in_their_order():
    pairs = [Pair(graph(EAT, name), graph(EAT, name)) for name in ("first", "second")]
    of_couples = _find_in_main(*couples(*[(EAT, SWAPPED), (EAT, EAT)] * 3), of_main(*pairs))
    assert [src for src, _ in of_couples.texts] == ["first"] * 2 + ["second"] * 2 + ["first"] * 2


def test_a_couple_that_is_not_in_main_has_no_sentences():
    of_couple = _find_in_main(*couples((EAT, SWAPPED), (EAT, EAT)), of_main())
    assert (of_couple.texts, of_couple.main) == ([("", "")] * 2, {})


@pytest.mark.parametrize("partition", ["main", "reify"])
def test_other_partitions_keep_their_sentences(partition):
    cell = Cell(SAMPLE, partition, "test")
    pairs = cell.load().pairs
    assert sentences(cell, pairs, "stop").main == {}
    assert sentences(cell, pairs, "stop").texts[0] == (pairs[0].src.sentence, pairs[0].tgt.sentence)


def test_couples_with_a_sentence_keep_it():
    of_main = Cell(SAMPLE, "main", "test").load().pairs[0]
    pair = Pair(of_main.src, replace(of_main.tgt, metadata={}))
    of_couple = sentences(Cell(SAMPLE, "arg", "test"), [pair, pair], "stop")
    assert (of_couple.texts, of_couple.main) == ([(pair.src.sentence, "")] * 2, {})


@pytest.mark.parametrize("name", ["sts", "sick", "para"])
def test_released_arg_pairs_are_found_in_main(mirror, name):
    dataset = configured("run", [f"data={name}"]).data[0]
    cell = Cell(dataset, "arg", "test")
    of_cell = sentences(cell, cell.load().pairs, "stop")
    missing = sum(not src for src, _ in of_cell.texts)
    assert missing == (6 if name == "para" else 0)
    numbers = [of_cell.main[k] for k in sorted(of_cell.main)]
    assert numbers == sorted(numbers)
    altered = [of_cell.altered[k] for k in of_cell.main if k % 2 == 0]
    assert {"src", "tgt"} <= set(altered) <= {"src", "tgt", ""}
    assert altered.count("") <= 14  # some couples were released without a change
    assert {of_cell.altered[k] for k in of_cell.main if k % 2} == {""}


def test_the_site_has_the_sentences(tmp_path):
    options = ("metric=sema", "partition=arg", "permutations=20", "resamples=20")
    out = build_site(tmp_path / "runs", tmp_path / "out", *options)
    number, _ = data_of(out, "cells/sample-arg")["origins"]["0"]
    origin = Cell(SAMPLE, "main", "test").load().pairs[number]
    assert origin.src.sentence in str(data_of(out, "text/0"))
