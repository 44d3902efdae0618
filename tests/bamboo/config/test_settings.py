"""Words of the command line as settings."""

from __future__ import annotations

from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import given
from hypothesis import strategies as st

from bamboo.config.settings import STRING, read_words


@given(st.from_regex(STRING, fullmatch=True))
def test_words_that_hydra_is_not_needed_for_mean_the_same_to_hydra(text: str) -> None:
    word = f"key={text}"
    (setting,) = read_words("run", [word], [])
    override = OverridesParser.create().parse_override(word)
    assert setting.value == override.value() == text
    assert not (setting.several)
    assert not (override.is_sweep_override())
