"""Fields of a file held against a record: what is wrong is told by name, and nothing is made to fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from math import isnan
from typing import Annotated, Any, Literal

import pytest

from horsesense.data import FieldProblem, NonBlank, Positive, check_fields, check_json
from horsesense.data.fields import NullIsNan
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
    gears: Annotated[int, Positive()] = 1
    maker: Annotated[str, NonBlank()] = "?"
    size: tuple[int, str] = (0, "cm")
    counts: Mapping[str, int | float] = field(default_factory=dict)
    spare: Wheel | None = None
    speed: Annotated[float, NullIsNan()] = 0.0


def wording(problem: FieldProblem) -> UserError:
    return UserError(f"{problem.kind} {problem.field} {problem.where} {problem.allowed}")


def test_what_fits_is_a_record() -> None:
    values = {"name": "a", "wheels": [{"spokes": 3}], "weight": 8}
    assert check_fields(Bicycle, values, wording) == Bicycle("a", (Wheel(3),), weight=8.0)
    values = {"name": "a", "size": [60, "cm"], "counts": {"x": 1, "y": 0.5}, "spare": {"spokes": 3}, "owner": None}
    fitted = check_fields(Bicycle, values, wording)
    assert fitted == Bicycle("a", size=(60, "cm"), counts={"x": 1, "y": 0.5}, spare=Wheel(3))
    assert isnan(check_fields(Bicycle, {"name": "a", "speed": None}, wording).speed)
    assert type(fitted.counts["x"]) is int, "the first type that fits"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "missing name name ()"),
        ({"nmae": "a"}, "unknown nmae nmae ()"),
        ({"name": 3}, "wrong name name ()"),
        ({"name": None}, "wrong name name ()"),
        ({"name": date(2020, 1, 1)}, "wrong name name ()"),
        ({"name": "a", "weight": "8"}, "wrong weight weight ()"),
        ({"name": "a", "size": [2**64, "cm"]}, "wrong size size.0 ()"),
        ({"name": "a", "weight": True}, "wrong weight weight ()"),
        ({"name": "a", "kind": "rode"}, "wrong kind kind ('road', 'mountain')"),
        ({"name": "a", "gears": 0}, "wrong gears gears ()"),
        ({"name": "a", "gears": True}, "wrong gears gears ()"),
        ({"name": "a", "maker": "\u00a0\n"}, "wrong maker maker ()"),
        ({"name": "a", "size": [60]}, "wrong size size ()"),
        ({"name": "a", "size": [60, 60]}, "wrong size size.1 ()"),
        ({"name": "a", "counts": [1]}, "wrong counts counts ()"),
        ({"name": "a", "counts": {"x": "1"}}, "wrong counts counts.x ()"),
        ({"name": "a", "spare": {"spokes": None}}, "wrong spare spare.spokes ()"),
        ({"name": "a", "weight": 10**400}, "wrong weight weight ()"),
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


@pytest.mark.parametrize("text", ["", "[]", "3", '{"name": "a"', "[" * 100_000])
def test_what_is_no_object_of_json(text: str) -> None:
    with pytest.raises(UserError, match="wrong"):
        check_json(Bicycle, text, wording)
