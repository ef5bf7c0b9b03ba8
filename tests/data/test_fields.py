"""Fields of a file held against a record: what is wrong is told by name, and nothing is made to fit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

import pytest

from horsesense.data import FieldProblem, check_fields, check_json
from horsesense.errors import UserError


@dataclass(frozen=True, slots=True)
class Wheel:
    spokes: int


@dataclass(frozen=True, slots=True)
class Bicycle:
    name: str
    wheels: tuple[Wheel, ...] = ()
    kind: Literal["road", "mountain"] = "road"
    weight: float = 9.5
    owner: str | None = None


def wording(problem: FieldProblem) -> UserError:
    return UserError(f"{problem.kind} {problem.field} {problem.where} {problem.allowed}")


def test_what_fits_is_a_record() -> None:
    values = {"name": "a", "wheels": [{"spokes": 3}], "weight": 8}
    assert check_fields(Bicycle, values, wording) == Bicycle("a", (Wheel(3),), weight=8.0)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "missing name name ()"),
        ({"nmae": "a"}, "unknown nmae nmae ()"),
        ({"name": 3}, "wrong name name ()"),
        ({"name": None}, "wrong name name ()"),
        ({"name": date(2020, 1, 1)}, "wrong name name ()"),
        ({"name": "a", "weight": "8"}, "wrong weight weight ()"),
        ({"name": "a", "weight": True}, "wrong weight weight ()"),
        ({"name": "a", "kind": "rode"}, "wrong kind kind ('road', 'mountain')"),
        ({"name": "a", "wheels": {"spokes": 3}}, "wrong wheels wheels ()"),
        ({"name": "a", "wheels": [{"spokes": 3}, {"spokes": 3.5}]}, "wrong wheels wheels.1.spokes ()"),
        ({"name": "a", "wheels": [{}]}, "missing wheels wheels.0.spokes ()"),
        ({"name": "a", "wheels": [{"spokes": 3, "hub": 1}]}, "unknown wheels wheels.0.hub ()"),
    ],
)
def test_what_does_not_fit_is_told(values: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError) as caught:
        check_fields(Bicycle, values, wording)
    assert str(caught.value) == told


@pytest.mark.parametrize("text", ["", "[]", "3", '{"name": "a"'])
def test_what_is_no_object_of_json(text: str) -> None:
    with pytest.raises(UserError, match="wrong"):
        check_json(Bicycle, text, wording)
