"""Deeply nested graphs: the right result, or one error with its place."""

import pytest

import bamboo
from amr_metrics.errors import GraphError

DEEP = "nested more than 1,000 levels deep: check its parentheses"


def files(folder, levels):
    """Two pairs: a small one, and one of `levels` nodes in a chain of which one differs."""
    chain = " :ARG0 ".join(f"(x{k} / c{k}" for k in range(levels)) + ")" * levels
    (folder / "src.amr").write_text(f"(a / b)\n\n{chain}\n")
    (folder / "tgt.amr").write_text(f"(a / b)\n\n{chain}\n".replace("/ c7 ", "/ other "))
    return f"src={folder}/src.amr", f"tgt={folder}/tgt.amr"


def own_data(folder, levels):
    """A data set ``deep`` of such pairs; the arguments with which functions find it."""
    files(folder, levels)
    (folder / "ratings.txt").write_text("1\n4\n")
    (folder / "conf" / "data").mkdir(parents=True)
    (folder / "conf" / "data" / "deep.yaml").write_text(
        "deep:\n  root: ../..\n  scale: [0, 5]\n  partitions:\n"
        "    main: {src: src.amr, tgt: tgt.amr, ratings: ratings.txt}\n"
        "    reify: {folder: out/deep/reify, ratings: ratings.txt, pairs: {test: 2}}\n"
    )
    return {"data": "deep", "config_dir": folder / "conf"}


def test_deep_graphs_are_scored_explained_and_drawn(cli, home):
    levels = 400
    words = files(home, levels)
    # levels instances, levels - 1 relations and the top, of which one instance differs.
    expected = (2 * levels - 1) / (2 * levels)
    scored = cli("score", *words, "report=json").json
    assert scored["scores"] == pytest.approx([1, expected])
    explained = cli("explain", *words, "pair=1", "report=json", f"out={home}/deep.svg").json
    assert explained["score"] == pytest.approx(expected)
    assert len(explained["links"]) == levels
    assert (home / "deep.svg").read_text().count(">c7<") == 0
    assert "x7 / c7" in (home / "deep.svg").read_text()


def test_own_deep_graphs_are_built_and_run(home):
    data = own_data(home, 400)
    bamboo.build(partition=("reify", "arg"), out=home / "out", **data)
    results = bamboo.run(partition=("main", "reify"), **data)
    # Two pairs: the scores 1 and less than 1, the ratings the other way round.
    cells = results.list_scores(kind="cell")
    assert [row.value for row, _ in cells] == pytest.approx([-100, -100])


@pytest.mark.parametrize(("command", "levels"), [("score", 50_000), ("explain", 1_500)])
def test_deeper_graphs_are_one_error(refused, home, command, levels):
    error = refused(command, *files(home, levels))
    assert error.count("\n") == 0
    assert error.partition(" (on_error=")[0].endswith(f"amr, graph 1, line 3: {DEEP}")


def test_deeper_graphs_of_own_data_are_one_error(home):
    data = own_data(home, 1_500)
    for function, options in ((bamboo.build, {"out": home / "out"}), (bamboo.run, {})):
        with pytest.raises(GraphError, match=f"amr, graph 1, line 3: {DEEP}"):
            function(**data, **options)
    assert not (home / "out").exists()


def test_a_deep_graph_is_a_missing_pair_where_errors_are_listed(cli, home):
    scored = cli("score", *files(home, 1_500), "on_error=nan", "report=json").json
    assert scored["scores"] == [1.0, None]
    assert scored["pairs"][1]["problem"].endswith(f"graph 1, line 3: {DEEP}")
