"""Which rows the tables of a site have."""

from bamboo.site.published_tables import rows_of_metrics

TABLE = {"title": "T", "protocol": "paper", "published": "table4.csv"}


def test_tables_have_the_rows_of_the_metrics():
    every = rows_of_metrics(TABLE, {"wlk", "sembleu"})  # without `rows`: all published rows
    assert every["rows"] == ["sembleu_k1", "sembleu_k2", "sembleu_k3", "sembleu_k4", "wlk"]


def test_tables_without_rows_are_left_out():
    assert rows_of_metrics(TABLE | {"rows": ["wlk"]}, {"rematch"}) is None
    statistics = {"title": "T", "kind": "data"}
    assert rows_of_metrics(statistics, {"rematch"}) == statistics


def test_rows_with_options_are_kept_as_they_are():
    config = {"kind": "scores", "title": "T", "protocol": "paper", "rows": [
        {"name": "deep", "metric": "wlk", "options": {"K": 4}}, {"name": "sema"},
    ]}  # fmt: skip
    assert rows_of_metrics(config, {"wlk"})["rows"] == config["rows"][:1]
