"""YAML files as the reader without Hydra takes them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from amr_metrics.building import OF_HYDRA, default_options
from amr_metrics.configurations import (
    CONF,
    expand_name,
    find_files,
    list_members,
    parse_yaml,
    read_member,
)
from amr_metrics.errors import OptionError

# What each name stands for: the options that differ from the defaults of its class.
STANDS_FOR = {
    "blend": {"interactions", "near", "without"},
    "blend_untrained": {"weights"},
    "s2match": {"tau", "tau_sense"},
    "sembleu_k1": {"k"},
    "sembleu_k2": {"k"},
    "sembleu_k4": {"k"},
    "smatchpp_generic": {"standardize"},
    "smatchpp_none": {"standardize"},
    "wwlk_2021": {"variant", "stability", "init"},
    "wwlk_k4_e2n": {"K", "init"},
}
MEMBERS = [
    (group, name) for group in ("metric", "solver", "vectors") for name in list_members(group)
]


@pytest.mark.parametrize(("group", "name"), MEMBERS)
def test_files_have_every_option_with_its_default(
    group: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("BAMBOO_VECTORS", "BAMBOO_CACHE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    node: Any = read_member(group, name).node
    node = node if "steps" not in node else node["metric"]  # of a standardised metric
    usual, options = default_options(node), {k: v for k, v in node.items() if k not in OF_HYDRA}
    assert options.keys() - {"of"} == usual.keys()  # a blend has no usual metrics
    changed = {key for key, value in usual.items() if options[key] != value}
    assert changed == STANDS_FOR.get(name, set())


class Folder:
    """A user's folder of YAML files."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, name: str, text: str) -> None:
        """Write a file of a metric."""
        path = self.path / "metric" / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")

    def read(self, name: str, protocol: str | None = None) -> Any:
        """Read it."""
        return read_member("metric", name, [CONF, self.path], protocol, {"paths.data": "d"})


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_options_and_what_is_known_of_them(folder: Folder) -> None:
    header = "# @package _global_\n# Mine.\n"
    folder.write("mine", "mine: {_target_: a.B, solver: '${solver}', file: '${paths.data}/f'}\n")
    assert folder.read("mine").node["solver"]["_target_"] == "amr_metrics.Exact"
    assert folder.read("mine").node["file"] == "d/f"
    assert folder.read("mine").about == {}
    node, about = "metric: {mine: {_target_: a.B}}", "about: {mine: {title: '${paths.data}'}}"
    folder.write("mine", f"{header}{node}\n{about}\n")
    assert folder.read("mine") == ({"_target_": "a.B"}, {"title": "d"})


def test_a_protocol_merges_options_and_adds_to_what_is_known(folder: Folder) -> None:
    text = "defaults: [_self_, {'optional /published/mine@_global_': '${protocol}'}]\n"
    folder.write("mine", f"{text}mine: {{_target_: a.B, a: {{b: 1, c: 2}}, K: 1}}\n")
    published = folder.path / "published" / "mine"
    published.mkdir(parents=True)
    (published / "p.yaml").write_text("metric: {mine: {a: {b: 3}}}\nabout: {mine: {title: T}}\n")
    assert folder.read("mine").node["a"] == {"b": 1, "c": 2}
    assert folder.read("mine", "p") == (
        {"_target_": "a.B", "a": {"b": 3, "c": 2}, "K": 1},
        {"title": "T"},
    )
    assert folder.read("mine", "other") == folder.read("mine")


def test_a_file_of_defaults_alone_is_a_list_of_names(folder: Folder) -> None:
    folder.write("mine", "defaults: [smatch, smatch_versions]\n")
    folder.write("loop", "defaults: [wlk, loop2]\n")
    folder.write("loop2", "defaults: [loop]\n")
    folders = [CONF, folder.path]
    names = [
        "smatch",
        "smatch_1_0",
        "smatch_1_0_2",
        "smatchpp",
        "smatchpp_generic",
        "smatchpp_none",
    ]
    assert expand_name("metric", "mine", folders) == names
    assert expand_name("metric", "all", protocol="v0.2")[:2] == ["sembleu_k1", "sema"]
    assert expand_name("metric", "all", protocol="of a user") == expand_name("metric", "all")
    assert {"mine", "loop", "all"}.isdisjoint(list_members("metric", folders))
    with pytest.raises(OptionError, match=r"loop.yaml: defaults: metric/loop contains itself"):
        expand_name("metric", "loop", folders)
    with pytest.raises(OptionError, match="unknown metric 'smacth': did you mean 'smatch'"):
        expand_name("metric", "smacth")


def test_the_first_folder_that_has_a_name_wins(folder: Folder) -> None:
    folder.write("smatch", "smatch: {}\n")
    assert find_files("metric", [CONF, folder.path]) == find_files(
        "metric", [folder.path, CONF]
    ) | {"smatch": CONF / "metric/smatch.yaml"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("other: {_target_: a.B}", "expected the key mine, the name of the file, not other"),
        ("metric: {wlk: {K: 7}}", "expected the key mine, the name of the file, not wlk"),
        ("_target_: a.B\nK: 2", "expected the options below the name mine: write mine: above them"),
        ("_target_: a.B", "expected the options below the name mine"),
        ("mine: {}\nmore: {}", "expected the options below the name mine"),
        ("mine: 3", "mine: expected a mapping of options"),
        ("mine: {}\nabout: 3", "expected a mapping of options"),
        ("", "expected a mapping of options"),
        ("- mine", "expected a mapping of options"),
        ("mine: [", "cannot be read: while parsing a flow node did not find"),
        ("mine: {K: 1, K: 2}", "cannot be read: the key K occurs twice, line 1, column 7"),
        ("mine: {K: '${nope}'}", r"${nope} leads nowhere; references are ${paths.data}, ${solver}"),
        ("defaults: [wlk, _self_]\nmine: {}", "defaults: only the commands of Hydra read wlk"),
    ],
)
def test_mistakes_in_a_file(folder: Folder, text: str, message: str) -> None:
    folder.write("mine", text)
    with pytest.raises(OptionError) as caught:
        folder.read("mine")
    assert f"{folder.path / 'metric' / 'mine.yaml'}" in str(caught.value)
    assert message in str(caught.value)
    assert folder.read("wlk").node == read_member("metric", "wlk").node  # the others can be used


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"mine: {}\n# \xff", "mine.yaml cannot be read: line 2: byte 0xff is not UTF-8"),
        ("mine: {}".encode("utf-16"), "mine.yaml cannot be read: line 1: is UTF-16, not UTF-8"),
    ],
)
def test_bytes_that_are_no_text(folder: Folder, content: bytes, message: str) -> None:
    folder.write("mine", "")
    (folder.path / "metric/mine.yaml").write_bytes(content)
    with pytest.raises(OptionError, match=message):
        folder.read("mine")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 1_001, "maximum nesting depth|nested too deeply"),
        ("a: [", "did not find expected node content"),
        ("when: 2021-13-45", "month must be in 1..12"),
        ("a: !!int ''", "string index out of range"),
        ("a: !!python/object/apply:os.system [ls]", "could not determine a constructor"),
        ("\x00", "control characters are not allowed"),
    ],
)
def test_yaml_that_is_refused(text: str, message: str) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)  # up to the limit of the tests, YAML takes seconds
    try:
        with pytest.raises(ValueError, match=message) as caught:
            parse_yaml(text)
    finally:
        sys.setrecursionlimit(limit)
    assert "\n" not in str(caught.value)


def test_a_file_that_was_changed_is_read_again(folder: Folder) -> None:
    folder.write("mine", "mine: {K: 1}")
    assert folder.read("mine").node == {"K": 1}
    folder.write("mine", "mine: {K: 2}")
    os.utime(folder.path / "metric/mine.yaml", ns=(1, 1))
    assert folder.read("mine").node == {"K": 2}


def test_values_are_those_of_omegaconf() -> None:
    from omegaconf import OmegaConf

    text = (
        "{a: 1e-5, b: 1_000, c: .5, d: '1', e: [yes, null, x], f: 2020-01-01x, g: -1E+5, h: 0x1f}"
    )
    assert parse_yaml(text) == OmegaConf.to_container(OmegaConf.create(text))
