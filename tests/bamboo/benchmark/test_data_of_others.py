"""Data of others by the YAML of the documentation: small data in their formats, and theirs.

The real data are not part of the project: `BAMBOO_OTHER_DATA` names a folder with ``rare``,
``AMRParseEval``, ``compositional-semantics-eval`` and ``amr-argument-sim``, made as
``docs/data-of-others.md`` describes.
"""

import os
import re
from pathlib import Path

import pytest

from amr_metrics import Smatch, SmatchPackage
from bamboo.benchmark.cells import Cell
from bamboo.statistics.ratings import accuracy_with_ties, calibrate_ties, pair_accuracy, spearman
from tests.configured import configured

PAGE = Path(__file__).parents[3] / "docs/data-of-others.md"
REWIRED = """\
# ::id a.1
# ::label 0_-1
# ::score 1
# ::swapped_data {'N_total': 0, 'N_attributes': 0, 'relations': set()}
(c / chase-01 :ARG0 (d / dog) :ARG1 (c2 / cat))

# ::id a.1
# ::label 0_1_2
# ::score 0.3333333333333333
# ::swapped_data {'N_total': 2, 'relations': {('c', ':ARG0', 'c2'), ('c', ':ARG1', 'd')}}
(c / chase-01 :ARG0 (c2 / cat) :ARG1 (d / dog))
"""
PARSES = """\
# ::snt The dog barks.
(vx0 / bark-01 :ARG0 (vx1 / dog))

# ::snt The dog barks.
(vx0 / bark-01 :ARG1 (vx1 / dog))

# ::snt A cat.
(vx0 / cat)

# ::snt A cat.
(vx0 / dog)
"""


def write_yaml(config, name):
    """The files of a data set as they are on the page of the documentation."""
    blocks = re.findall(r'^```\w+ title="(.*?)"\n(.*?)^```$', PAGE.read_text("utf-8"), re.M | re.S)
    (config / "data").mkdir(parents=True, exist_ok=True)
    for title, content in blocks:
        if title in (f"my-config/data/{name}.yaml", f"my-config/{name}.py"):
            (config.parent / title).write_text(content, "utf-8")


def rare(folder, config, monkeypatch):
    """The test split of RARE, which is in the folder ``rare`` of `folder`."""
    return cells("rare", folder / "rare", config, monkeypatch)["main"]


def little_prince(folder, config, monkeypatch, name="qualitylp"):
    """The preferences of AMRParseEval, which is in `folder`."""
    write_yaml(config, name)
    monkeypatch.syspath_prepend(config)
    options = (
        [f"++data.{name}.root={folder / 'AMRParseEval/qualitylp'}"]
        if config.parent != folder
        else []
    )
    (data,) = configured("run", [f"data={name}", *options], str(config)).data
    return Cell(data, "main", "test")


def cells(name, root, config, monkeypatch):
    """The partitions of a data set of the page, whose files are in `root`."""
    write_yaml(config, name)
    monkeypatch.syspath_prepend(config)
    (data,) = configured("run", [f"data={name}", f"++data.{name}.root={root}"], str(config)).data
    dataset = data
    return {partition: Cell(dataset, partition, "test") for partition in dataset.partitions}


def accuracy(cell):
    """Smatch's agreement with the preferences, and their number."""
    pair_set = cell.load()
    scores = Smatch().score([pair for pair in pair_set.pairs if pair is not None])
    return pair_accuracy(scores, pair_set.ratings), len(scores) // 2


def test_the_format_of_rare(tmp_path, monkeypatch):
    (tmp_path / "rare").mkdir()
    original = REWIRED.split("\n\n")[0]
    for name, text in (("unoisy", f"{original}\n\n{original}\n"), ("noisy", REWIRED)):
        (tmp_path / f"rare/test_unwiki_{name}_rewire.txt").write_text(text)
    pair_set = rare(tmp_path, tmp_path / "my-config", monkeypatch).load()
    assert pair_set.ratings.tolist() == [1, 0.3333333333333333]
    pairs = [pair for pair in pair_set.pairs if pair is not None]
    assert Smatch().score(pairs)[0] == 1 > Smatch().score(pairs)[1]


def write_judgements(tmp_path):
    """Two judgements in the format of AMRParseEval: one preference and one tie."""
    folder = tmp_path / "AMRParseEval/qualitylp"
    (folder / "abparser").mkdir(parents=True)
    (folder / "abparser/src.test.amr").write_text(PARSES)
    first, _, third, _ = PARSES.split("\n\n")
    (folder / "abparser/tgt.test.amr").write_text("\n\n".join([first, first, third, third]))
    (folder / "LABEL.txt").write_text("1.0\t1\t0\tl.1\nsee above\n0.5\t1\t1\tl.2\nsee above\n")


def test_the_format_of_amr_parse_eval(tmp_path, monkeypatch):
    write_judgements(tmp_path)
    cell = little_prince(tmp_path, tmp_path / "my-config", monkeypatch)
    assert cell.dataset.title == "Little Prince"
    assert accuracy(cell) == (1, 1)  # the second sentence has no preference


def test_judgements_with_ties(tmp_path, monkeypatch):
    write_judgements(tmp_path)
    cell = little_prince(tmp_path, tmp_path / "my-config", monkeypatch, "qualitylp_ties")
    pair_set = cell.load()
    assert pair_set.ratings.tolist() == [1, 0, 0.5, 0.5]
    assert (cell.unit, cell.statistic(None)) == (2, "accuracy_with_ties")
    scores = Smatch().score(pair_set.pairs)
    assert scores[0] > scores[1]  # as people say
    assert scores[2] > scores[3]  # where people do not mind
    assert accuracy_with_ties(scores, pair_set.ratings) == 1 / 2


def test_the_format_of_arguments(tmp_path, monkeypatch):
    graphs = ["(s / sentence)", "(c / cat)", "(d / dog)", "(n / none)"]
    for name in ("amr.src", "amr.tgt"):
        (tmp_path / name).write_text("\n\n".join(graphs))
    rows = ("topic\tsentence_1\tsentence_2\tlabel", "x\ta\tb\tHS", "x\ta\tb\tDTORCD")
    (tmp_path / "UKP_ASPECT.tsv").write_text("\n".join(rows) + "\n")
    pair_set = cells("arguments", tmp_path, tmp_path / "my-config", monkeypatch)["main"].load()
    assert [pair.src.concepts for pair in pair_set.pairs] == [("cat",), ("dog",)]
    assert pair_set.ratings.tolist() == [1, 0]  # of the scale


@pytest.fixture
def others():
    folder = os.environ.get("BAMBOO_OTHER_DATA")
    if not folder:
        pytest.skip("needs the data of others: set BAMBOO_OTHER_DATA (docs/data-of-others.md)")
    return Path(folder).resolve()


def test_smatch_on_rare(others, tmp_path, monkeypatch):
    pair_set = rare(others, tmp_path / "my-config", monkeypatch).load()
    assert len(pair_set.pairs) == 719
    scores = Smatch().score([pair for pair in pair_set.pairs if pair is not None])
    assert round(100 * spearman(scores, pair_set.ratings), 2) == 95.23


def test_smatch_on_preferences_between_parses(others, tmp_path, monkeypatch):
    right, preferences = accuracy(little_prince(others, tmp_path / "my-config", monkeypatch))
    assert (round(100 * right, 1), preferences) == (67.9, 134)


@pytest.mark.parametrize(
    ("metric", "expected"), [(Smatch(), (49.0, 0.0)), (SmatchPackage(), (48.0, 0.0))]
)
def test_smatch_on_judgements_with_ties(others, tmp_path, monkeypatch, metric, expected):
    cell = little_prince(others, tmp_path / "my-config", monkeypatch, "qualitylp_ties")
    pair_set = cell.load()
    preferences = pair_set.ratings[0::2] - pair_set.ratings[1::2]
    assert [int((preferences == p).sum()) for p in (-1, 1, 0)] == [80, 54, 66]
    scores = metric.score(pair_set.pairs)
    value = 100 * accuracy_with_ties(scores, pair_set.ratings)
    assert (round(value, 6), calibrate_ties(scores, pair_set.ratings)) == expected


@pytest.mark.parametrize(
    ("name", "root", "expected"),
    [
        (
            "sts3k",
            "compositional-semantics-eval",
            {"main": 57.35, "gs2011": 1.71, "ks2013": 17.02, "sts131": 72.48, "fodor": 81.42},
        ),
        ("arguments", "amr-argument-sim/data", {"main": 36.80}),
    ],
)
def test_smatch_on_rated_sentences(name, root, expected, others, tmp_path, monkeypatch):
    values = {}
    for partition, cell in cells(name, others / root, tmp_path / "my-config", monkeypatch).items():
        pair_set = cell.load()
        values[partition] = round(
            100 * spearman(Smatch().score(pair_set.pairs), pair_set.ratings), 2
        )
    assert values == expected
