"""Read configurations without Hydra, as Hydra composes them.

A file ``metric/wlk.yaml`` has the options of ``wlk`` below this name, and what is known of it, such
as its title, below ``about``. References to the solver, the word vectors and folders are replaced.
Of Hydra's defaults lists two rules are known: a file that consists of one is a list of names, and
``published/NAME/PROTOCOL.yaml`` is merged into ``NAME`` under that protocol.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from amr_metrics.errors import GraphError, OptionError
from amr_metrics.options import describe_unknown
from amr_metrics.utils.decoding import load_text

# In an installed wheel, and in a checkout.
_INSIDE = Path(__file__).with_name("conf")
CONF = _INSIDE if _INSIDE.is_dir() else Path(__file__).parents[2] / "conf"
# Options of metrics whose values can be given by name, and the names of the usual values.
PARTS = {"solver": "exact", "vectors": "glove"}
NAME = "name"  # of such a value, with its options beside it
TARGET = "_target_"
STANDARDIZE = "standardize"  # an option of every metric
STANDARDIZED = "amr_metrics.Standardized.of"
TITLE = "title"  # of a metric: its name in papers
BASE = "metric"  # of a row of a published table: the name of its metric
KEYED = ("metric", "data", "table")  # groups whose files have their content below its name
DEFAULTS, ABOUT = "defaults", "about"
PACKAGE = "# @package _global_"  # begins files that have `ABOUT`, for Hydra
# The group of what metric=all means under a protocol; for others, its member `DEFAULT`.
ALL_METRICS = "all_metrics"
DEFAULT = "default"
PROTOCOL = "${protocol}"
REFERENCE = re.compile(r"\$\{([^${}]*)\}")
FLOAT = re.compile(r"[-+]?(\d[\d_]*)?\.?\d[\d_]*[eE][-+]?\d+")  # that YAML 1.1 takes for text

Folders = Sequence[Path]


class Member(NamedTuple):
    """The configuration of a name.

    Attributes:
        node: its options, as Hydra composes them.
        about: what the harness knows of it.
    """

    node: Mapping[str, Any]
    about: Mapping[str, Any]


def find_files(group: str, folders: Folders = (CONF,)) -> dict[str, Path]:
    """Return the file of each name in a group; the first folder that has a name wins.

    >>> find_files("solver")["exact"].name
    'exact.yaml'
    """
    files: dict[str, Path] = {}
    for folder in reversed(folders):
        files |= (_list_own if folder == CONF else _list_yaml)(folder / group)
    return files


def _list_yaml(folder: Path) -> Mapping[str, Path]:
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


_list_own = cache(_list_yaml)  # the project's files do not change while it runs


def list_members(group: str, folders: Folders = (CONF,)) -> list[str]:
    """Return the names in a group, without those that stand for others.

    A file that cannot be read counts as a member: the command that uses it reports the error.

    >>> list_members("vectors")
    ['glove', 'wordllama']
    """
    return [name for name, path in find_files(group, folders).items() if not _is_list(path)]


def expand_name(
    group: str, name: str, folders: Folders = (CONF,), protocol: str | None = None
) -> list[str]:
    """Return the names that a name stands for: itself, or those of a file of defaults alone.

    Raises:
        OptionError: an unknown name, with the most similar one; a list that contains itself.

    >>> expand_name("metric", "smatch_1.0"), expand_name("data", "all")
    (['smatch_1_0'], ['sts', 'sick', 'para'])
    """
    return _expand(group, name, folders, protocol, ())


def _expand(
    group: str, name: str, folders: Folders, protocol: str | None, parents: tuple[str, ...]
) -> list[str]:
    files = find_files(group, folders)
    if group == ALL_METRICS and name not in files:
        name = DEFAULT
    if name not in files:
        names = list_members(group, folders)
        raise OptionError(describe_unknown(group, name, names))
    path = files[name]
    if not _is_list(path):
        return [name]
    if (place := f"{group}/{name}") in parents:
        raise OptionError(f"{path}: {DEFAULTS}: {place} contains itself")
    names = []
    for entry in read_yaml(path)[DEFAULTS]:
        listed = {group: entry} if isinstance(entry, str) else entry
        for key, values in listed.items() if isinstance(listed, Mapping) else ():
            of_group = str(key).removeprefix("/").partition("@")[0]
            for value in [values] if isinstance(values, str) else values:
                member = protocol or DEFAULT if value == PROTOCOL else str(value)
                if member != "_self_":
                    names += _expand(of_group, member, folders, protocol, (*parents, place))
    return list(dict.fromkeys(names))


def read_member(
    group: str,
    name: str,
    folders: Folders = (CONF,),
    protocol: str | None = None,
    references: Mapping[str, Any] | None = None,
) -> Member:
    """Return the configuration of a name in a group.

    Args:
        name: without the meaning that `expand_name` gives it.
        protocol: under which the name may have other options.
        references: what ``${NAME}`` stands for, besides the solver and the word vectors.

    Raises:
        OptionError: an unknown name, a file that cannot be read or does not have the name as its
            key, or a reference that leads nowhere.

    >>> read_member("metric", "wlk", protocol="v0.2").node["variant"]
    '2023'
    """
    files = find_files(group, folders)
    if name not in files:
        raise OptionError(describe_unknown(group, name, list_members(group, folders)))
    path = files[name]
    node, about = _read_node(group, name, path)
    published = find_files(f"published/{name}", folders).get(protocol or "")
    if group == "metric" and published is not None:
        more = _read_node(group, name, published, is_partial=True)
        node, about = (_merge(a, b) for a, b in zip((node, about), more, strict=True))
    known = dict(references or {})
    if group == "metric":
        for part, usual in PARTS.items():
            known.setdefault(part, read_yaml(find_files(part, folders)[usual]))
    # The metric library alone knows no folders, and does not use what is below `about`.
    return Member(
        _insert(node, known, path), about if references is None else _insert(about, known, path)
    )


def _read_node(
    group: str, name: str, path: Path, is_partial: bool = False
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the options in a file, and what it says about them.

    Raises:
        OptionError: the file has another key than its name, or Hydra's grammar.
    """
    content = read_yaml(path)
    published = {f"optional /published/{name}@_global_": PROTOCOL}
    for entry in content.get(DEFAULTS) or ():
        if entry not in ("_self_", published):
            raise OptionError(f"{path}: {DEFAULTS}: only the commands of Hydra read {entry}")
    return find_node(group, name, path, is_partial)


def find_node(
    group: str, name: str, path: Path, is_partial: bool = False
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the options in a file, and what it says about them, without its defaults list.

    Args:
        is_partial: whether it may have no options, but only say something about them.

    Raises:
        OptionError: the file has another key than its name.
    """
    content = dict(read_yaml(path))
    is_partial |= [*content] == [DEFAULTS]
    content.pop(DEFAULTS, None)
    if group not in KEYED:
        return content, {}
    has_about = ABOUT in content
    about = content.pop(ABOUT, None) or {}
    is_whole = [*content] == [group]
    nodes = content[group] if is_whole else content
    if not isinstance(nodes, Mapping) or not isinstance(about, Mapping):
        raise OptionError(f"{path}: expected a mapping of options")
    if [*nodes] != [name] and not (is_partial and not nodes):
        if len(nodes) != 1 or TARGET in nodes:
            raise OptionError(
                f"{path}: expected the options below the name {name}: write {name}: above them, "
                "and indent them"
            )
        raise OptionError(
            f"{path}: expected the key {name}, the name of the file, not {next(iter(nodes))}"
        )
    node, known = nodes.get(name) or {}, about.get(name) or {}
    if not isinstance(node, Mapping) or not isinstance(known, Mapping):
        raise OptionError(f"{path}: {name}: expected a mapping of options")
    has_line = PACKAGE in load_text(path)
    if not is_partial and (has_line != is_whole or (has_about and not is_whole)):
        raise OptionError(
            f"{path}: what is below {ABOUT} stands beside {group}: {{{name}: ...}}, in a file that "
            f"begins with {PACKAGE}"
        )
    return node, known


def unwrap_standardized(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the configuration of a `Standardized` metric as that of the metric.

    Its steps are the option ``standardize``, which every metric has here; other configurations are
    returned as they are.

    >>> unwrap_standardized({"_target_": "amr_metrics.Standardized.of", "steps": "amr",
    ...                      "metric": {"_target_": "amr_metrics.Sema"}})
    {'_target_': 'amr_metrics.Sema', 'standardize': 'amr'}
    """
    inner = config.get("metric")
    if config.get(TARGET) != STANDARDIZED or not isinstance(inner, Mapping):
        return config
    return config if STANDARDIZE in inner else {**inner, STANDARDIZE: config.get("steps")}


def _merge(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping in which another one has replaced values, also in mappings below it."""
    merged = {**old, **new}
    for key, value in new.items():
        if isinstance(value, Mapping) and isinstance(old.get(key), Mapping):
            merged[key] = _merge(old[key], value)
    return merged


def _insert(value: Any, references: Mapping[str, Any], path: Path) -> Any:
    """Replace references in a value.

    Raises:
        OptionError: one that leads nowhere.
    """
    if isinstance(value, Mapping):
        return {key: _insert(item, references, path) for key, item in value.items()}
    if isinstance(value, list):
        return [_insert(item, references, path) for item in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    for name in REFERENCE.findall(value):
        if name not in references:
            known = ", ".join(f"${{{reference}}}" for reference in references)
            raise OptionError(
                f"{path}: ${{{name}}} leads nowhere; references are {known}, and in the commands "
                "of Hydra those of Hydra"
            )
    if match := REFERENCE.fullmatch(value):
        return references[match[1]]
    return REFERENCE.sub(lambda match: str(references[match[1]]), value)


def read_yaml(path: Path) -> Mapping[str, Any]:
    """Return the content of a YAML file, with numbers and repeated keys as OmegaConf has them.

    Raises:
        OptionError: it cannot be read, or is not a mapping.
    """
    try:
        state = path.stat()
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error}") from None
    return _load(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=256)
def _load(path: Path, *state: int) -> Mapping[str, Any]:
    """Read a YAML file in some state."""
    try:
        content = parse_yaml(load_text(path))
    except (OSError, GraphError, ValueError) as error:
        raise OptionError(f"{path} cannot be read: {error}") from None
    if not isinstance(content, Mapping):
        raise OptionError(f"{path}: expected a mapping of options")
    return content


def parse_yaml(text: str) -> Any:
    """Return the content of a YAML document, with numbers and repeated keys as OmegaConf has them.

    Raises:
        ValueError: it is not valid; the message is one line.

    >>> parse_yaml("metric: [smatch, sema, 1e-5]")
    {'metric': ['smatch', 'sema', 1e-05]}
    """
    import yaml

    try:
        return yaml.load(text, _define_loader())
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except Exception as error:  # constructors of YAML's types may raise anything
        text = " ".join(str(error).split()).replace(' in "<unicode string>", line', ", line")
        raise ValueError(text or type(error).__name__) from None


@cache
def _define_loader() -> Any:
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Reads 1e-5 as a number, and refuses a key that occurs twice in a mapping."""

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = [key.value for key, _ in node.value]
            if repeated := [key for key in keys if keys.count(key) > 1]:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {repeated[0]} occurs twice", node.start_mark
                )
            return super().construct_mapping(node, deep)

    Loader.add_implicit_resolver("tag:yaml.org,2002:float", FLOAT, list("-+0123456789."))
    return Loader


def _is_list(path: Path) -> bool:
    """Check whether a file consists of a defaults list alone."""
    try:
        return [*read_yaml(path)] == [DEFAULTS]
    except OptionError:
        return False
