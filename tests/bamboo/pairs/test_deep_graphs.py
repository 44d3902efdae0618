"""Deeply nested graphs on the command line: the right result, or one error with its place."""

import pytest

DEEP = "nested more than 1,000 levels deep: check its parentheses"


def files(folder, levels):
    """Two pairs: a small one, and one of `levels` nodes in a chain of which one differs."""
    chain = " :ARG0 ".join(f"(x{k} / c{k}" for k in range(levels)) + ")" * levels
    (folder / "src.amr").write_text(f"(a / b)\n\n{chain}\n")
    (folder / "tgt.amr").write_text(f"(a / b)\n\n{chain}\n".replace("/ c7 ", "/ other "))
    return f"src={folder}/src.amr", f"tgt={folder}/tgt.amr"


def own_data(folder, levels):
    (folder / "ratings").write_text("1\n4\n")
    return (
        "build", *files(folder, levels), f"ratings={folder}/ratings", "name=deep",
        "partition=[reify,arg]", f"out={folder}/out",
    )  # fmt: skip


def test_deep_graphs_are_scored_explained_and_drawn(cli, home):
    levels = 500
    given = files(home, levels)
    # levels instances, levels - 1 relations and the top, of which one instance differs.
    expected = (2 * levels - 1) / (2 * levels)
    found = cli("score", *given, "report=json").json
    assert found["scores"] == pytest.approx([1, expected])
    shown = cli("explain", *given, "pair=1", "report=json", f"out={home}/deep.svg").json
    assert shown["score"] == pytest.approx(expected)
    assert len(shown["links"]) == levels
    assert (home / "deep.svg").read_text().count(">c7<") == 0
    assert "x7 / c7" in (home / "deep.svg").read_text()


def test_own_deep_graphs_are_built_and_run(cli, home):
    built = cli(*own_data(home, 500))
    assert built.status == 0, built.err
    run = cli(
        "run", "data=deep", "partition=[main,reify]", "report=json", f"--config-dir={home}/out/conf"
    )
    (row,) = run.json["rows"]
    # Two pairs: the scores 1 and less than 1, the ratings the other way round.
    assert [cell["value"] for cell in row["cells"]] == pytest.approx([-100, -100])


@pytest.mark.parametrize(
    ("command", "levels"),
    [("score", 5_000), *((name, 50_000) for name in ("score", "explain", "build", "run"))],
)
def test_deeper_graphs_are_one_error(cli, refused, home, command, levels):
    build = own_data(home, levels)
    arguments = build
    if command in ("score", "explain"):
        arguments = (command, *build[1:3])
    if command == "run":
        good = own_data(home, 20)
        assert cli(*good).status == 0
        own_data(home, levels)
        for side in ("src", "tgt"):
            (home / f"{side}.amr").replace(home / "out" / "deep" / "main" / f"{side}.test.amr")
        arguments = ("run", "data=deep", f"--config-dir={home}/out/conf")
    error = refused(*arguments)
    assert error.count("\n") == 0
    assert error.partition(" (on_error=")[0].endswith(f"amr, graph 1, line 3: {DEEP}")
    if command == "build":
        assert not (home / "out").exists()


def test_a_deep_graph_is_a_missing_pair_where_errors_are_listed(cli, home):
    found = cli("score", *files(home, 5_000), "on_error=nan", "report=json").json
    assert found["scores"] == [1.0, None]
    assert found["pairs"][1]["problem"].endswith(f"graph 1, line 3: {DEEP}")
