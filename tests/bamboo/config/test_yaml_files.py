"""YAML that is invalid, or far larger than it looks."""

import time
from collections.abc import Callable

import pytest

from bamboo.config.yaml_files import parse_yaml
from bamboo.transforms.errors import BuildError
from bamboo.transforms.synonym import Synonyms

Refused = Callable[..., str]

LEVELS = [f"a{k}: &a{k} [{', '.join(9 * [f'*a{k - 1}'])}]" for k in range(1, 30)]
LAUGHS = "\n".join(["a0: &a0 [lol, lol]", *LEVELS])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LAUGHS, "more than 100,000 values when its aliases are written out"),
        ("&a [*a]", "more than 100,000 values"),
        ("&a {b: *a}", "more than 100,000 values"),
        ("[" * 5_000, "nested too deeply"),
        ("a: [", "expected the node content"),
        ("when: 2021-13-45", "month must be in 1..12"),
        ("a: !!int ''", "string index out of range"),
        ("a: !!python/object/apply:os.system [ls]", "could not determine a constructor"),
        ("\x00", "special characters are not allowed"),
    ],
)
def test_what_is_refused(text, message):
    start = time.process_time()
    with pytest.raises(ValueError, match=message) as caught:
        parse_yaml(text)
    assert "\n" not in str(caught.value)
    assert time.process_time() - start < 5


def test_aliases_are_allowed():
    assert parse_yaml("a: &x [1, 2]\nb: *x") == {"a": [1, 2], "b": [1, 2]}


def test_in_the_users_folder(refused, user, tiny):
    path = user.path / "metric" / "laughs.yaml"
    path.write_text(f"_target_: harness_plugins.Size\n{LAUGHS}")
    for command in (
        ["run", "metric=laughs", "data=tiny"],
        ["compare", "metric=[size,laughs]", "data=tiny"],
    ):
        assert f"{path} cannot be read: it has more than" in refused(*command, user.option)
    path.unlink()
    for name in ("all.yaml", "data/laughs.yaml"):
        (user.path / name).write_text(LAUGHS)
        data = "tiny" if name == "all.yaml" else "laughs"
        message = refused("run", "metric=all", f"data={data}", user.option)
        assert f"{user.path / name} cannot be read: it has more than" in message
        (user.path / name).unlink()


def test_in_a_table_of_synonyms(tmp_path):
    path = tmp_path / "synonyms.yaml"
    path.write_text(f"clusters: [{{}}]\n{LAUGHS}")
    with pytest.raises(BuildError, match=r"synonyms\.yaml is not valid YAML: it has more than"):
        Synonyms.read(path)
    path.write_text("always: NaN")
    with pytest.raises(BuildError, match=r"synonyms\.yaml: always: expected words"):
        Synonyms.read(path)
