"""The types of what command groups print: a sentence for each key, and schemas that can fail."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from tools.docs.schemas import schema_of


def _refuses(command: str, document: dict[str, Any]) -> bool:
    try:
        Draft202012Validator(schema_of(command)).validate(document)
    except ValidationError:
        return True
    return False


def test_a_schema_can_fail() -> None:
    good: dict[str, Any] = {"study": "s", "people": ["ann"], "state": "paused"}
    assert not _refuses("annotate pause", good)
    assert not _refuses("annotate withdraw", good | {"judgements": 3})
    assert _refuses("annotate pause", good | {"more": 1})
    for name in good:
        assert _refuses("annotate pause", {key: value for key, value in good.items() if key != name})


def test_an_estimate_without_a_value_is_null() -> None:
    estimate: dict[str, Any] = {"value": None, "ci": [None, None], "n": 3, "clusters": 3, "chance": None, "level": 0.95}
    estimate |= {"method": "none", "seed": 0, "note": "it has no value"}
    row = {"annotator": "ann", "votes": 1, "shared": 1, "agrees": None, "favourite": "a", "favourite_share": 1.0}
    document: dict[str, Any] = {"instrument": "i", "judgements": 1, "items": 1, "people": 1, "figures": []}
    document |= {"annotators": [row | {"kappa": estimate}], "disputed": [], "notes": {}}
    assert not _refuses("annotate agreement", document)
    assert _refuses("annotate agreement", document | {"annotators": [row | {"kappa": estimate | {"n": None}}]})
