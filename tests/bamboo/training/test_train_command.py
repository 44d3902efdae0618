"""Training from the command line: what it writes, what uses it, and what it refuses."""

import csv
import json
import re
import shlex
import shutil

import numpy as np
import pytest
import yaml
from harness import read_files

import bamboo
from amr_metrics.errors import MetricError
from bamboo import implementation
from bamboo.api.data import resolve_datasets
from bamboo.benchmark.cells import Cell
from bamboo.config.groups import compose_group
from bamboo.config.requests import resolve_rows
from bamboo.config.weights import WeightsError
from bamboo.errors import BambooError, BambooWarning
from bamboo.installation import PACKAGE
from bamboo.published_tables.requests import choose_rows
from bamboo.published_tables.score_tables import TableSpec, find_randomness
from bamboo.training import loop
from bamboo.training.fit import describe_borrowed_splits
from tests.configured import configured

QUICK = {
    "name": "quick",
    "optimiser": {"_target_": "bamboo.SPSA", "batch": 8},
    "schedule": {"interval": 6, "evaluations": 4},
}
WORDS = ("boy", "girl", "dog", "cat", "want", "sleep", "see", "eat", "small", "person", "city")


@pytest.fixture(autouse=True)
def vectors(home, monkeypatch):
    rng = np.random.default_rng(0)
    lines = [" ".join([word, *(f"{x:.4f}" for x in rng.normal(size=100))]) for word in WORDS]
    (home / "vectors.txt").write_text("\n".join(lines) + "\n", "utf-8")
    monkeypatch.setenv("BAMBOO_VECTORS", str(home / "vectors.txt"))
    monkeypatch.setenv("BAMBOO_CACHE_DIR", str(home))


@pytest.fixture
def train(cli, user, home):
    """``train metric=wwlk_theta data=sample`` with a short schedule; gives the outcome."""
    user.yaml("trainer/quick.yaml", QUICK)

    def command(out, *more):
        return cli(
            *("train", "metric=wwlk_theta", "data=sample", "trainer=quick", user.option),
            *(f"out={home / out}", *more),
        )

    return command


@pytest.fixture
def run(user):
    """``bamboo.run("wwlk_theta", "sample")`` with the same trainer."""
    user.yaml("trainer/quick.yaml", QUICK)

    def call(metric="wwlk_theta", trainer="quick", **options):
        about = {"trainer": trainer} if metric == "wwlk_theta" else {}
        return user.run(metric, "sample", options=about | options.pop("options", {}), **options)

    return call


def weights(folder):
    return json.loads((folder / "weights.json").read_text("utf-8"))


def test_the_files_that_train_writes(train, home):
    outcome = train("a")
    assert outcome.status == 0
    assert "start   learned" in outcome.out
    assert re.search(r"Pearson on dev: \S+ before training, \S+ at best in 24 steps", outcome.out)
    assert "processor" not in outcome.out
    document = weights(home / "a")
    assert document["source"]["trainer"] == QUICK
    assert document["metric"].startswith("WWLKTheta(")
    used = [entry["occurrences"] for entry in document["weights"]]
    assert used == sorted(used, reverse=True)
    with (home / "a" / "history.csv").open() as file:
        history = list(csv.DictReader(file))
    assert [int(line["step"]) for line in history] == [0, 6, 12, 18, 24]
    assert document["dev"] == max(float(line["dev"]) for line in history)


def test_the_same_seed_gives_the_same_file(trained, home, user):
    for out, seed in (("b", 0), ("c", 1)):
        more = {"seed": seed, "config_dir": user.path, "out": home / out}
        bamboo.train("wwlk_theta", "sample", trainer="quick", **more)
    first, again, reseeded = ((home / o / "weights.json").read_bytes() for o in "abc")
    assert first == again != reseeded


def test_run_uses_a_weights_file(trained, cli, run, home, user):
    arguments = ("run", "metric=wwlk_theta", "data=sample", user.option, "report=json")
    document = cli(*arguments, f"weights={home / 'a' / 'weights.json'}").json
    (row,) = document["rows"]
    assert row["signature"] == weights(home / "a")["metric"]
    with pytest.raises(MetricError, match="WWLKTheta has no weights: give weights"):
        run(trainer=None)


def test_run_without_weights_trains_once(trained, run, home, monkeypatch):
    first = repr(run().board)  # NaN equals no other
    (kept,) = (home / "runs" / "weights").glob("*.json")
    assert json.loads(kept.read_text("utf-8")) == weights(home / "a")

    def never(*_):
        raise AssertionError("it was trained before")

    monkeypatch.setattr(loop, "take_steps", never)
    assert repr(run().board) == first


def test_grid_search_tunes_any_metric_with_parameters(cli, user, home):
    user.yaml("trainer/few.yaml", {"name": "few", "axes": {"tau": [0.0, 0.9], "tau_sense": [1.0]}})
    outcome = cli(
        *("train", "metric=s2match", "data=sample", "trainer=few", user.option),
        *(f"out={home / 'grid'}", "report=json"),
    )
    assert outcome.status == 0
    assert outcome.json["weights"]["tau"] in (0.0, 0.9)
    with (home / "grid" / "history.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 2


def test_a_metric_without_parameters_cannot_be_trained(refused):
    message = refused("train", "metric=smatch", "data=sample")
    assert "metric smatch has no parameters to train" in message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"trainer": {"optimiser": {"rate": 1e308, "rate_decay": -1}}},
            r"training diverged at step 1: lower trainer\.rate",
        ),
        ({"trainer": {"optimiser": {"batch": 1}}}, "at least 2 pairs"),
        ({"trainer": {"schedule": {"evaluations": 0}}}, "are at least 1"),
        ({"partition": "best"}, "best"),
    ],
)
def test_trainings_that_fail_are_an_error(options, message, home):
    with pytest.raises(BambooError, match=message):
        bamboo.train("wwlk_theta", "sample", out=home / "a", **options)
    assert not (home / "a" / "weights.json").exists()


def test_an_interrupted_training_leaves_the_earlier_folder(trained, train, home, monkeypatch):
    before = read_files(trained)

    def interrupt(*_):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:  # as some compiled code does
            raise SystemError("a result with an exception set") from error

    monkeypatch.setattr(loop, "take_steps", interrupt)
    outcome = train("a", "seed=1")
    assert (outcome.status, outcome.out, outcome.err) == (130, "", "interrupted\n")
    assert read_files(trained) == before


IN_TUPLES = """
from dataclasses import dataclass, replace

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.parameters import Parameters, Parametric


@dataclass(frozen=True, kw_only=True)
class InTuples(Parametric):
    roles: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()

    @property
    def parameters(self):
        bound = np.full(len(self.roles), 9.0)
        return Parameters(self.roles, np.array(self.weights), -bound, bound)

    def with_parameters(self, values):
        return replace(self, weights=tuple(values))

    def initialised(self, pairs):
        return replace(self, roles=(":ARG0",), weights=(1.0,))

    def evaluate(self, pairs):
        raise AssertionError("it must be refused before it is trained")
"""


def test_a_metric_that_could_not_use_its_weights_is_refused_before_training(refused, user):
    user.yaml("trainer/quick.yaml", QUICK)
    (user.path / "harness_plugins.py").write_text(IN_TUPLES, "utf-8")
    user.metric("mine", "InTuples")
    message = refused("train", "metric=mine", "data=sample", "trainer=quick", user.option)
    assert "':ARG0' is not a parameter of InTuples" in message
    assert "define with_named (docs/extend/trainable-metric.md)" in message


def test_a_data_set_without_dev_split_is_refused(refused, user, tiny):
    user.yaml("trainer/quick.yaml", QUICK)
    message = refused(*("train", "metric=wwlk_theta", "data=tiny", "trainer=quick", user.option))
    assert "dev" in message


def test_weights_for_other_options_are_refused(trained, run):
    file = trained / "weights.json"
    for metric, options, message in (
        ("wwlk_theta", {"K": 1}, "weights.json was learned for another metric or other options"),
        ("s2match", {}, r"weights.json does not fit the metric: .* is not a parameter of S2match"),
        ("smatch", {}, "has no parameters"),
    ):
        with pytest.raises(BambooError, match=message):
            run(metric, options=options, weights=file)


@pytest.mark.parametrize("damage", ["cut", "label", "nan", "schema"])
def test_a_damaged_weights_file_is_refused(trained, run, damage):
    file = trained / "weights.json"
    document = weights(trained)
    if damage == "cut":
        file.write_text(file.read_text()[:200])
    else:
        entry = {"label": {"label": "arg0"}, "nan": {"weight": float("nan")}}.get(damage, {})
        document["weights"][0] |= entry
        document["schema"] += damage == "schema"
        file.write_text(json.dumps(document))
    expected = "'arg0' is not a role" if damage == "label" else "weights.json is not a weights file"
    with pytest.raises(BambooError, match=expected):
        run(weights=file)


@pytest.fixture
def kept(run, home):
    """The file in which ``run`` has cached what it learned."""
    run()
    (path,) = (home / "runs" / "weights").iterdir()
    return path


def test_damaged_cached_weights_are_learned_again_with_a_warning(kept, run):
    whole = kept.read_text()
    kept.write_text(whole[:-9])
    message = re.escape(f"the cached weights {kept} are damaged: they are learned again")
    with pytest.warns(BambooWarning, match=message):
        run()
    assert kept.read_text() == whole


def test_weights_are_learned_again_if_trainer_or_code_changes(
    kept, run, user, tmp_path, monkeypatch
):
    folder = kept.parent
    user.yaml("trainer/quick.yaml", {**QUICK, "schedule": {"interval": 5, "evaluations": 4}})
    run()
    assert len(list(folder.iterdir())) == 2
    copy = tmp_path / "train"
    shutil.copytree(PACKAGE / "training", copy)
    with (copy / "spsa.py").open("a") as file:
        file.write("\n")
    monkeypatch.setattr(implementation, "TRAINING", (copy, *implementation.TRAINING[1:]))
    run()
    assert len(list(folder.iterdir())) == 3


def test_cells_without_a_released_train_split_are_named():
    (dataset,) = resolve_datasets("para")
    cells = [Cell(dataset, "main", "test"), Cell(dataset, "reify", "test")]
    smatch, theta = resolve_rows(["smatch", "wwlk_theta"], protocol="paper")
    assert describe_borrowed_splits([smatch], cells, None) == []
    assert describe_borrowed_splits([smatch, theta], cells, None) == [
        "para reify has no released train split: trained on that of main."
    ]


def test_options_of_a_trainer_need_its_name(cli, refused, home):
    arguments = ("train", "metric=wwlk_theta", "data=sample", "out=a")
    short = ("trainer.schedule.interval=3", "trainer.schedule.evaluations=2")
    assert "also choose a name, trainer=NAME" in refused(*arguments, *short)
    outcome = cli(*arguments, "trainer=spsa_2021", *short)
    assert outcome.status == 0, outcome.err
    config = yaml.safe_load((home / "a" / "config.yaml").read_text("utf-8"))
    assert config["trainer"]["name"] == "spsa_2021"
    assert config["trainer"]["schedule"]["interval"] == 3


def test_a_metric_is_trained_by_the_trainer_of_its_published_row():
    (row,) = configured("train", ["metric=wwlk_theta", "data=sample"]).rows
    assert row.trainer["name"] == "spsa_2021"


def test_before_and_after_training_stand_in_one_table(train, cli, home, user):
    """The command that train prints shows both, with the values of the file."""
    outcome = train("a")
    (command,) = re.findall(r"Before and after: python -m bamboo (.*)", outcome.out)
    words = shlex.split(command)
    assert words[:3] == ["compare", "metric=wwlk_theta", "data=sample"]
    assert words[-1] == "weights=[start,a/weights.json]"
    assert not any(word.startswith(("out=", "trainer=")) for word in words)
    both = cli(*words, "resamples=20", "permutations=20", "report=json")
    assert both.status == 0, both.err
    assert both.json["metrics"] == [
        "wwlk_theta weights=start",
        "wwlk_theta weights=weights.json",
    ]
    (column,) = both.json["columns"]
    assert len(set(column["values"])) == 2


def test_weights_are_another_row_of_a_table(trained):
    file = trained / "weights.json"
    tables = [compose_group("table", name) for name in ("leaderboard", "definitions", "table4")]
    leaderboard, four = choose_rows(tables, resolve_rows("wwlk_theta"), weights=[file])
    assert four["rows"][:1] == ["wwlk_theta"]
    assert [row.name for row in four["rows"][1:]] == ["wwlk_theta weights=weights.json"]
    assert leaderboard["rows"] == ["wwlk_theta"]  # with other options: these weights do not fit
    spec = TableSpec.from_config(four)
    assert [*spec.published] == ["wwlk_theta"]
    assert find_randomness(spec.rows[1]) is None
    with pytest.raises(WeightsError):
        choose_rows(tables[:1], resolve_rows("wwlk_theta"), weights=[file])


@pytest.mark.parametrize("key", ["weights", "learned_weights"])
def test_other_spellings_of_learned_name_it(user, refused, key):
    user.yaml("metric/mine.yaml", {"_target_": "amr_metrics.WWLKTheta", key: "weights.json"})
    message = refused("run", "metric=mine", "data=sample", user.option)
    assert message.endswith("Weights that train wrote are given as learned: FILE")


def test_the_site_has_a_row_for_each_file_of_weights(trained, cli, home, user):
    outcome = cli(
        *("site", "metric=[wwlk_theta,smatch]", "data=sample", "partition=main", "out=site"),
        *(f"weights={trained / 'weights.json'}", "protocols=paper", "resamples=20"),
        *("permutations=20", "engine=serial", user.option),
    )
    assert outcome.status == 0, outcome.err
    page = (home / "site" / "index.html").read_text("utf-8")
    assert "wwlk_theta weights=weights.json" in page
