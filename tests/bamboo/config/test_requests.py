"""What `amr_metrics.get` and the harness build for a request: the same metric, or a like error."""

from __future__ import annotations

from typing import Any

import pytest

import amr_metrics
from amr_metrics import HillClimb, Sema, Smatch, Standardized, VectorSource, Wlk
from amr_metrics.errors import OptionError, VectorError
from bamboo.config.requests import resolve_names, resolve_rows
from bamboo.config.rows import label
from bamboo.errors import ConfigError

SMATCH = {"_target_": "amr_metrics.Smatch"}
MATCH = {"_target_": "amr_metrics.NodeMatch"}
WITHOUT = {"near": "", "without": []}  # for a blend of other metrics than those of its YAML
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    *[(name, {}) for name in amr_metrics.names() if name != "blend"],
    ("wlk", {"K": 3}),
    ("wlk", {"variant": 2023}),
    ("wlk", {"level_weights": "uniform"}),
    ("sembleu", {"k": 2, "weights": [0.5, 0.5]}),
    ("smatch", {"root": "none"}),
    ("smatch", {"solver": "hillclimb"}),
    ("smatch", {"solver": {"name": "hillclimb"}}),
    ("smatch", {"solver": {"name": "hillclimb", "seed": 3}}),
    ("smatch", {"solver": {"node_limit": 7}}),
    ("smatch", {"solver": {"_target_": "amr_metrics.HillClimb", "seed": 5}}),
    ("smatch", {"solver": HillClimb(seed=2)}),
    ("smatch", {"solver": {}}),
    ("s2match", {"tau": 0.5, "vectors": "glove"}),
    ("s2match", {"vectors": {"cache": "folder"}}),
    ("s2match", {"vectors": {"name": "glove", "dimension": 50}}),
    ("s2match", {"vectors": VectorSource(file="words.txt")}),
    ("wwlk", {"vectors": "wordllama"}),
    ("concept_cosine", {"sif": {"a": 0.5}}),
    ("concept_cosine", {"vectors": {"name": "glove"}}),
    ("sema", {"standardize": "amr"}),
    ("sema", {"standardize": ["lower", "unquote"]}),
    ("smatch_1.0", {"standardize": "none"}),
    ("smatchpp", {"standardize": "generic"}),
    ("blend_untrained", {"vectors": {"name": "glove"}}),
    ("blend_untrained", {"weights": {"smatch>0": 0.5}}),
    ("blend", {"of": {"s": SMATCH, "w": {"_target_": "amr_metrics.Wlk", "K": 3}}} | WITHOUT),
    ("blend", {"of": {"smatch": SMATCH, "node_match": MATCH}, "vectors": "glove"} | WITHOUT),
]
ERRORS: list[tuple[str, dict[str, Any], str]] = [
    ("smacth", {}, "unknown metric 'smacth': did you mean 'smatch'? Use one of: align_smatch, "),
    ("Smatch", {}, "unknown metric 'Smatch': did you mean 'smatch_1_0'?"),
    ("wlk K=1", {}, "unknown metric 'wlk K=1': did you mean 'wlk'?"),
    ("wlk", {"k": 3}, "unknown option of wlk 'k': did you mean 'K'? Use one of: K, "),
    ("label_overlap", {"K": 3}, "unknown option of label_overlap 'K'. Use one of: "),
    ("wlk", {"K": "3"}, 'K="3": expected an integer'),
    ("smatch", {"root": "non"}, "unknown root 'non': did you mean 'none'?"),
    ("smatch", {"solver": "exakt"}, "unknown solver 'exakt': did you mean 'exact'? Use one of: e"),
    ("smatch", {"solver": {"name": "exakt"}}, "unknown solver 'exakt': did you mean 'exact'?"),
    ("smatch", {"solver": {"seed": 1}}, "unknown option of solver 'seed'. Use one of: node_limit"),
    ("smatch", {"solver": {"name": "hillclimb", "sed": 1}}, "'sed': did you mean 'seed'?"),
    ("smatch", {"solver": 3}, "solver=3: expected"),
    ("sema", {"solver": "exact"}, "unknown option of sema 'solver'"),
    ("wwlk", {"vectors": "glov"}, "unknown vectors 'glov': did you mean 'glove'? Use one of: "),
    ("sema", {"standardize": "amrr"}, "standardize='amrr'"),
    ("blend", {"of": ["smatch"]}, "of=['smatch']: expected a mapping from names to metrics"),
    ("blend", {"of": {"s": 3}}, "of: s: expected a metric, or a mapping with _target_"),
    (
        "blend",
        {"of": {"s": SMATCH | {"rot": 1}}},
        "unknown option of s 'rot': did you mean 'root'?",
    ),
]


@pytest.fixture(autouse=True)
def words(tmp_path, monkeypatch):
    (tmp_path / "words.txt").write_text("cat " + " ".join(["0.5"] * 100) + "\n")
    monkeypatch.setenv("BAMBOO_VECTORS", str(tmp_path / "words.txt"))
    monkeypatch.setenv("BAMBOO_CACHE_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def signature(metric):
    try:
        return metric.signature
    except (VectorError, OptionError) as error:  # of a package, or WordNet, that is not installed
        return str(error)


@pytest.mark.parametrize(("name", "options"), REQUESTS)
def test_metrics_are_equal(name, options):
    metric = amr_metrics.get(name, **options)
    (row,) = resolve_rows(name, options)
    assert metric == row.metric
    assert signature(metric) == signature(row.metric)
    (of_instance,) = resolve_rows(metric)
    assert of_instance.metric is metric
    assert of_instance.name == label(metric)


@pytest.mark.parametrize(("name", "options", "message"), ERRORS)
def test_errors_are_alike(name, options, message):
    with pytest.raises(OptionError) as of_library:
        amr_metrics.get(name, **options)
    with pytest.raises(ConfigError) as of_harness:
        resolve_rows(name, options)
    assert message in str(of_library.value)
    assert message in str(of_harness.value)


def test_objects_and_names_in_one_request():
    rows = resolve_rows([Smatch(root="none"), "sema", Standardized.of(Sema(), "amr"), Wlk(K=3)])
    assert [row.name for row in rows] == [
        "smatch root=none",
        "sema",
        "sema standardize=amr",
        "wlk K=3",
    ]
    everything = resolve_rows([Smatch(root="none"), "smatch_versions"])
    assert [row.name for row in everything][:3] == [
        "smatch root=none",
        "smatch_1.0",
        "smatch_1.0.2",
    ]


def test_only_the_harness_knows_a_users_folder(user):
    user.yaml("solver/climb.yaml", {"_target_": "amr_metrics.HillClimb", "restarts": 9})
    user.yaml("metric/climbed.yaml", {"_target_": "amr_metrics.Smatch", "solver": "climb"})
    folder = str(user.path)
    expected = amr_metrics.get("smatch", solver=HillClimb(restarts=9))
    for name, options in (
        ("climbed", {}),
        ("smatch", {"solver": "climb"}),
        ("smatch", {"solver": {"name": "climb"}}),
    ):
        (row,) = resolve_rows(name, options, config_dir=folder)
        assert row.metric == expected
    of = {"climbed": SMATCH | {"solver": "climb"}, "b": SMATCH | {"solver": {"name": "climb"}}}
    (row,) = resolve_rows("blend", {"of": of, "learned": None} | WITHOUT, config_dir=folder)
    assert [*row.metric.of.values()] == [expected, expected]
    with pytest.raises(OptionError, match="unknown metric 'climbed'"):
        amr_metrics.get("climbed")


def test_a_named_solver_replaces_that_of_a_class_in_yaml(user):
    solver = {"_target_": "amr_metrics.HillClimb", "restarts": 7}
    user.yaml("metric/climbed.yaml", {"_target_": "amr_metrics.Smatch", "solver": solver})
    (row,) = resolve_rows("climbed", {"solver": {"name": "exact"}}, config_dir=str(user.path))
    assert row.metric == Smatch()
    (row,) = resolve_rows("climbed", {"solver": {"seed": 2}}, config_dir=str(user.path))
    assert row.metric.solver == HillClimb(restarts=7, seed=2)


def test_options_that_are_set_hold_on_every_data_set():
    """PARA has a threshold of its own in the YAML file of S2match."""
    (usual,) = resolve_rows("s2match")
    assert (usual.untrained("para").tau, usual.untrained("sts").tau) == (0.0, 0.9)
    rows = resolve_rows("s2match", {"tau": [0.2, 0.5]})
    assert [row.untrained("para").tau for row in rows] == [0.2, 0.5]
    (row,) = resolve_rows("s2match", {"vectors": {"dimension": 50}})
    assert (row.untrained("para").tau, row.untrained("para").vectors.dimension) == (0.0, 50)
    (row,) = resolve_rows("s2match", {"tau": 0.2, "by_data": {"para": {"tau": 0.1}}})
    assert (row.untrained("para").tau, row.untrained("sts").tau) == (0.1, 0.2)


@pytest.mark.parametrize(
    ("value", "every"),
    [("all", True), (["all"], True), ("smatch", False), ("smatch,sema", False), (Sema(), False)],
)
def test_whether_names_mean_all_members(value, every):
    assert resolve_names(value, "metric")[1] == every


def test_all_stands_alone():
    with pytest.raises(ConfigError, match="metric: all cannot be combined with other names"):
        resolve_rows("all,smatch")
