"""Inverse roles are those of penman's AMR model."""

import pytest
from penman.models.amr import model, roles

from amr_metrics.reading.labels import NOT_INVERSE, deinverted


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        (":ARG0-of", ":ARG0"),
        (":ARG0-of-of", ":ARG0-of"),
        (":mine-of", ":mine"),
        ("-of", ""),
        (":ARG0-Of", None),
        (":consist-of", None),
        (":consist-of-of", ":consist-of"),
        (":prep-in-of", ":prep-in"),
    ],
)
def test_inverse_roles(role, expected):
    assert deinverted(role) == expected
    assert model.is_role_inverted(role) == (expected is not None)


def test_the_roles_that_only_look_inverse_are_those_of_the_model():
    assert {role for role in roles if role.endswith("-of")} == NOT_INVERSE
    model_roles = [role.replace("[0-9]+", "12").replace("[0-9]", "1") for role in roles]
    for role in [name + end for name in model_roles for end in ("", "-of", "-of-of")]:
        inverse = model.invert_role(role) if model.is_role_inverted(role) else None
        assert deinverted(role) == inverse
