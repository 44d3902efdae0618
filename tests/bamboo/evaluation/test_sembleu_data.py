"""The SemBleu paper's data and tables, on a sample of the same layout and on the release."""

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from bamboo.benchmark import download
from bamboo.benchmark.preference_data import PreferenceData, read_preferences
from bamboo.config.composition import compose_group
from bamboo.config.groups import all_names
from bamboo.errors import ConfigError, DataError
from bamboo.evaluation.preference import corpus_agreement, preference_agreement, system_scores
from bamboo.statistics.resampling import Resampling
from bamboo.tables.preference_tables import reproduced_preferences
from metrics import Smatch
from metrics.features.sembleu import SemBleu

REFERENCES = [
    "(s / sleep-01 :ARG0 (c / cat))",
    "(b / bark-01 :ARG0 (d / dog))",
    "(r / read-01 :ARG0 (g / girl) :ARG1 (k / book))",
]
SYSTEMS = {
    "exact": REFERENCES,
    "close": [
        "(s / sleep-01 :ARG0 (k / kitten))",
        "(b / bark-01 :ARG0 (d / dog :mod (l / loud)))",
        "(r / read-01 :ARG0 (g / girl))",
    ],
    "poor": ["(s / sleep-01)", "(b / bark-01)", "(r / read-01)"],
    "bad": ["(d / dance-01)", "(d / dance-01 :mod (s / slow))", "(e / eat-01)"],
}
# The systems of the parses shown as 1 to 4, and three annotators' choices between 1 and 2 and
# between 3 and 4, for each sentence.
SHOWN = [
    ("exact", "poor", "close", "bad"),
    ("bad", "close", "poor", "exact"),
    ("exact", "close", "poor", "bad"),
]
VOTES = ["1,1,2,3,3,3", "2,2,2,4,4,3", "2,2,1,3,3,3"]
HEADER = "NO.,A1-1_2,A2-1_2,A3-1_2,A1-3_4,A2-3_4,A3-3_4"


def write(path, graphs):
    path.write_text("\n\n".join(graphs) + "\n", "utf-8")


@pytest.fixture
def folder(tmp_path):
    """Three sentences in the layout of the paper's data."""
    root = tmp_path / "sembleu_data"
    root.mkdir()
    write(root / "0.e86_test.ref_filtered", REFERENCES)
    for name, graphs in SYSTEMS.items():
        write(root / f"0.e86_test.{name}_filtered", graphs)
    for k in range(4):
        # Written on one line in the release, on several in the systems' own files.
        shown = [SYSTEMS[systems[k]][n] for n, systems in enumerate(SHOWN)]
        write(root / f"e86_test.ans{k + 1}", [text.replace(" :", "\n   :") for text in shown])
    rows = [f"{k + 1},{votes}" for k, votes in enumerate(VOTES)]
    (root / "amr_human.csv").write_text("\n".join([HEADER, *rows]) + "\n", "utf-8")
    return root


def test_each_parse_shown_is_traced_to_its_system(folder):
    data = read_preferences(folder)
    assert list(data.systems) == ["bad", "close", "exact", "poor"]
    found = [(j.sentence, j.first, j.second, j.preference, j.votes) for j in data.judgements]
    assert found == [
        (0, "exact", "poor", 1.0, (2, 1)),
        (0, "close", "bad", 1.0, (3, 0)),
        (1, "bad", "close", 0.0, (0, 3)),
        (1, "poor", "exact", 0.0, (1, 2)),
        (2, "exact", "close", 0.0, (1, 2)),
        (2, "poor", "bad", 1.0, (3, 0)),
    ]


def test_an_even_vote_is_not_a_preference(folder):
    text = (folder / "amr_human.csv").read_text("utf-8")
    rows = [",".join(line.split(",")[:3]) for line in text.splitlines()]
    (folder / "amr_human.csv").write_text("\n".join(rows).replace("1,1,1", "1,1,2"), "utf-8")
    assert read_preferences(folder).judgements[0].preference == 0.5


def test_sentences_by_hand(folder):
    # SemBleu prefers the better parse of every pair but the third sentence's first, where people
    # prefer the close parse to the exact one.
    found = preference_agreement("m", SemBleu(k=1), read_preferences(folder))
    assert (found.sentences, found.human_ties, found.metric_ties) == (6, 0, 0)
    assert found.sentence_level == 5 / 6


def test_corpora_by_hand(folder):
    # The metric always ranks exact > close > poor > bad. People prefer close each time, so that it
    # is below exact only for the metric (resamples without the third sentence are even: left out).
    # exact is above poor for people if the third sentence is drawn at most once: 20 of 27.
    found = preference_agreement(
        "m", SemBleu(k=1), read_preferences(folder), resampling=Resampling(2000)
    )
    expected = {"bad/close": 1, "bad/exact": 1, "bad/poor": 1, "close/exact": 0, "close/poor": 1}
    assert {name: found.corpora[name] for name in expected} == expected
    assert set(found.corpora) == {*expected, "exact/poor"}
    assert found.corpora["exact/poor"] == pytest.approx(20 / 27, abs=0.05)
    assert found.corpus_level == pytest.approx(sum(found.corpora.values()) / 6)


def test_corpora_are_the_same_each_time(folder):
    data = read_preferences(folder)
    metric = SemBleu(k=2)
    scores = system_scores(metric, data)
    first, second, other = (
        corpus_agreement(metric, scores, data, Resampling(50, seed)) for seed in (3, 3, 4)
    )
    assert first == second
    assert first != other


def replaced(path, old, new):
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "amr_human.csv",
            "A2-1_2",
            "B2-1_2",
            r"line 1: expected columns such as A1-1_2 .* 'B2-1_2'",
        ),
        ("amr_human.csv", "1,1,1,2", "1,1,3,2", "line 2: expected 1 or 2 from each annotator"),
        ("amr_human.csv", "2,3,3,3\n2", "2,3,3\n2", "line 2: expected 3 or 4 from each annotator"),
        ("amr_human.csv", "\n2,", "\n4,", "line 3: expected the judgements of sentence 2"),
        ("amr_human.csv", "3,2,2,1,3,3,3\n", "", r"amr_human.csv has 2 rows for the 3 graphs of"),
        (
            "e86_test.ans2",
            "bark-01",
            "meow-01",
            r"ans2, graph 1: .* but it matches none of them",
        ),
        ("e86_test.ans4", "(e / eat-01)", "(r / read-01)", "line 4: the parses 3 and 4 are both"),
        ("e86_test.ans1", "(d / dance", "(d / dance-01)\n\n(d / dance", "ans1 has 4 graphs but"),
        ("0.e86_test.bad_filtered", "(e / eat-01)", "(r / read-01)", "matches bad and poor"),
        ("0.e86_test.poor_filtered", "(s / sleep-01)\n", "", "poor_filtered has 2 graphs but"),
    ],
)
def test_bad_files(folder, file, old, new, message):
    replaced(folder / file, old, new)
    with pytest.raises(DataError, match=message):
        read_preferences(folder)


def test_prefer_on_the_data_set_and_on_its_folder(cli, folder):
    own = [f"data.root={folder}", "data.registry=null"]
    options = ["metric=[smatch,sembleu]", "metric_ties=first", "resamples=50", "report=json"]
    first = cli("prefer", "data=sembleu", *own, *options)
    second = cli("prefer", f"data={folder}", *options)
    assert (first.status, second.status) == (0, 0), first.err + second.err
    documents = [json.loads(one.out) for one in (first, second)]
    assert documents[0]["data"] == "sembleu"
    assert documents[0]["metrics"] == documents[1]["metrics"]
    assert len(documents[0]["metrics"][0]["corpora"]) == 6


def test_data_of_the_other_kind_are_an_error(refused):
    message = refused("run", "data=sembleu", "metric=smatch")
    assert "contains human preferences between parses" in message
    assert "prefer data=sembleu" in message
    message = refused("prefer", "data=sts", "metric=smatch")
    assert "data=sts contains pairs with ratings" in message
    assert "data=... is required" in refused("prefer")


def test_the_tables_are_not_part_of_all():
    assert not {"sembleu_2", "sembleu_3"} & set(all_names("table"))


def test_without_the_data_the_tables_say_what_to_do(refused):
    for arguments in (["tables", "table=sembleu_2"], ["fetch", "data=sembleu"]):
        message = refused(*arguments)
        assert "cannot be downloaded from any source" in message
        assert "a copy of infiniterik/tripsbleu" in message


def test_files_that_are_not_released_are_an_error(refused, folder, monkeypatch):
    write(folder / "0.e86_test.camr_filtered", REFERENCES)  # the first file of the release
    monkeypatch.setenv(download.SOURCE_VARIABLE, str(folder.parent))
    assert "differs from the released file" in refused("tables", "table=sembleu_3")


def test_both_tables_from_the_command(cli, folder, home):
    own = [f"table.preferences.root={folder}", "table.preferences.registry=null"]
    outcome = cli("tables", "table=[sembleu_2,sembleu_3]", *own, "report=json", "out=here")
    assert outcome.status == 0, outcome.err
    sentences, corpora = json.loads(outcome.out)
    rows = {row[0]: row[1:] for row in sentences["rows"]}
    # judgements, ties, ties wrong, measured, published, difference
    assert rows["sembleu_k1"] == pytest.approx([6, 0, 500 / 6, 500 / 6, 69.5, 500 / 6 - 69.5])
    assert rows["smatch"][4] == 76.5
    assert (
        "3 of them unanimous; preferred: bad 0, close 3, exact 2, poor 1."
        in (sentences["notes"][0])
    )
    assert corpora["columns"][2:] == [
        *("bad/close", "bad/exact", "bad/poor", "close/exact", "close/poor", "exact/poor", "mean")
    ]
    assert [row[:2] for row in corpora["rows"]] == [
        [name, "measured"] for name in ("smatch", *(f"sembleu_k{k}" for k in range(1, 5)))
    ]
    assert (home / "here/tables.md").read_text("utf-8").count("SemBleu paper, Table") == 2
    document = json.loads((home / "here/tables.json").read_text("utf-8"))
    assert re.fullmatch("[0-9a-f]{64}", document["provenance"]["data"]["sembleu"])
    assert "variant=2019" in document["tables"][0]["signatures"]["sembleu_k1"]


SPEC = {"title": "T", "kind": "corpora", "resamples": 20, "rows": [{"name": "smatch"}]}


def spec(folder, **changes):
    data = {"name": "s", "title": "S", "root": str(folder), "layout": "auto"}
    return SPEC | {"preferences": data} | changes


def test_published_values_of_corpora_are_shown_below_measured_ones(folder, tmp_path, monkeypatch):
    published = tmp_path / "own.csv"
    published.write_text("row,metric,options,bad/close,exact/poor\nsmatch,smatch,,90.0,50.0\n")
    monkeypatch.setattr("bamboo.tables.score_tables.published_file", lambda name: tmp_path / name)
    table, _ = reproduced_preferences(spec(folder, published="own.csv"))
    rows = {row[1]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert rows["published"]["bad/close"] == 90
    assert rows["difference"]["bad/close"] == rows["measured"]["bad/close"] - 90
    assert rows["published"]["close/poor"] is None
    assert rows["difference"]["mean"] is None


def test_published_values_of_another_definition_are_not_compared(folder):
    rows = [{"name": "other", "metric": "sembleu", "published": "sembleu_k3"}]
    changes = {"kind": "sentences", "published": "sembleu_table2.csv", "rows": rows}
    table, _ = reproduced_preferences(spec(folder, **changes))
    assert table.rows[0][-2:] == (None, None)  # published for variant=2019


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"published": "none.csv"}, "none.csv"),
        ({"rows": [{"name": "wwlk"}]}, "cannot contain metrics that use random numbers"),
        ({"rows": [{"name": "smatch", "option": {}}]}, "option"),
        ({"metric_ties": "half"}, "metric_ties"),
        ({"preferences": {"name": "sts", "root": "x"}}, "data=sts contains pairs with ratings"),
    ],
)
def test_bad_tables(folder, changes, message):
    with pytest.raises(ConfigError, match=message):
        reproduced_preferences(spec(folder, **changes))


def test_an_unknown_kind_of_table(refused, home):
    (home / "own/table").mkdir(parents=True)
    (home / "own/table/mine.yaml").write_text("title: T\nkind: corpra\nrows: []\n", "utf-8")
    message = refused("tables", "table=mine", "--config-dir", "own")
    assert "kind of table" in message
    assert "corpora" in message


RELEASE = Path(os.environ.get("BAMBOO_DATA_DIR", "data")).absolute() / "tripsbleu/sembleu_data"


@pytest.fixture
def released():
    """The paper's own data, if it was fetched."""
    if not RELEASE.is_dir():
        pytest.skip("needs the SemBleu paper's data: python -m bamboo fetch data=sembleu")
    config = compose_group("fetch", "data", "sembleu") | {"root": str(RELEASE)}
    return PreferenceData.from_config(config).load()


def test_the_published_human_scores_are_reproduced(released):
    preferred = Counter(j.first if j.preference == 1 else j.second for j in released.judgements)
    assert preferred == {"camr": 30, "jamr": 33, "jonas": 63, "lyu_titov": 74}
    assert sum(0 in j.votes for j in released.judgements) == 142
    assert len(released.judgements) == 200


def test_sentences_of_the_release(released):
    rows = [Smatch(), *(SemBleu(k=k, variant="2019") for k in range(1, 5))]
    for metric_ties, expected in (
        ("wrong", [0.77, 0.68, 0.77, 0.81, 0.785]),  # as with the tool of 2019
        ("first", [0.785, 0.695, 0.78, 0.82, 0.79]),
    ):
        found = [
            preference_agreement(
                "m", metric, released, resampling=Resampling(1), metric_ties=metric_ties
            ).sentence_level
            for metric in rows
        ]
        assert found == expected


def test_the_docs_show_what_the_tables_print(released, cli):
    own = [f"table.preferences.root={RELEASE}", "table.preferences.registry=null"]
    outcome = cli("tables", "table=[sembleu_2,sembleu_3]", *own, "report=markdown")
    assert outcome.status == 0, outcome.err
    docs = Path(__file__).parents[3] / "docs/tables.md"
    assert outcome.out.strip() in docs.read_text("utf-8")
