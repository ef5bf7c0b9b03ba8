"""Instruments: those that come with the program, and every way to describe one wrongly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from horsesense.annotate.answer_checks import check_reason, check_value, join_criteria
from horsesense.annotate.instrument import built_in, find_instrument, instrument_of
from horsesense.annotate.task_files import instructions_of
from horsesense.errors import UserError
from horsesense.registry import Method, methods

GOOD: dict[str, Any] = {"name": "mine", "title": "?", "kind": "labels", "question": "{text}", "labels": ["no", "yes"]}


def test_built_in() -> None:
    assert set(built_in()) == {
        "audit",
        "audit-key",
        "choice",
        "dual",
        "exceptions",
        "naturalness",
        "partwhole",
        "partwhole-paper",
        "premises",
        "schema",
        "statements",
        "steps",
    }
    for name, instrument in built_in().items():
        assert instrument.name == name
        assert instrument.title in instructions_of(instrument)
        assert instrument.effect == "none" or instrument.rule


def test_own_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\ntitle = "?"\nkind = "labels"\nquestion = "{text}"\nlabels = ["no", "yes"]\n')
    assert find_instrument(str(path)).labels == ("no", "yes")
    path.write_text('name = "mine\n')
    with pytest.raises(UserError, match="this is not TOML"):
        find_instrument(str(path))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lables": ["a"]}, "did you mean 'labels'"),
        ({"labels": "yes"}, "the field 'labels' of the instrument has the wrong kind"),
        ({"labels": ["yes", "yes"]}, "two answers of the instrument are the same"),
        ({"labels": ["no", "yes"], "abstentions": ["yes"]}, "two answers of the instrument are the same"),
        ({"labels": ["yes"]}, "needs at least two"),
        ({"labels": ["", "yes"]}, "wrong kind"),
        ({"kind": "label"}, "did you mean 'labels'"),
        ({"kind": "criteria"}, "needs at least one"),
        ({"criteria": {"a": 3}}, "wrong kind"),
        ({"rule": "most"}, "there is no rule 'most'"),
        ({"unit": "pair"}, "there is no unit of instrument 'pair'"),
        ({"effect": "filter"}, "'accepted'"),
        ({"form": "essay"}, "there is no form 'essay'"),
        ({"name": "My Own"}, "the name 'My Own' is not usable"),
        ({"judgements": 0}, "wrong kind"),
        ({"ordered": 1}, "wrong kind"),
        ({"title": ""}, "wrong kind"),
    ],
)
def test_bad_instruments(change: dict[str, Any], message: str) -> None:
    assert instrument_of(GOOD).labels == ("no", "yes")
    with pytest.raises(UserError) as caught:
        instrument_of(GOOD | change)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["name", "title", "kind", "question"])
def test_missing_field(name: str) -> None:
    with pytest.raises(UserError, match=f"has no '{name}'"):
        instrument_of({key: value for key, value in GOOD.items() if key != name})


@pytest.mark.parametrize(
    ("instrument", "value", "choices", "kept"),
    [
        ("partwhole", " Guaranteed ", (), "guaranteed"),
        ("partwhole", "e", (), "guaranteed"),
        ("partwhole", "nonsense", (), "nonsense"),
        ("choice", "Cold", ("hot", "cold"), "cold"),
        ("choice", "A", ("hot", "cold"), "hot"),
        ("choice", "B", ("B", "A"), "B"),
        ("choice", "unknown", ("hot", "cold"), "unknown"),
        ("choice", "anything", (), "anything"),
        ("steps", "1", (), "1"),
        ("schema", "ambiguous-generic + synonym-generic", (), "synonym-generic+ambiguous-generic"),
        ("schema", "pass", (), "pass"),
        ("exceptions", "rotten;  made of wax", (), "rotten, made of wax"),
        ("exceptions", "nonsense", (), "nonsense"),
    ],
)
def test_values(instrument: str, value: str, choices: tuple[str, ...], kept: str) -> None:
    assert check_value(find_instrument(instrument), value, choices) == kept


@pytest.mark.parametrize(
    ("instrument", "value", "choices", "message"),
    [
        ("partwhole", "likely", (), "there is no answer 'likely'; did you mean 'unlikely'?"),
        ("partwhole", "  ", (), "the value is empty"),
        ("choice", "C", ("hot", "cold"), "there is no answer 'C'"),
        ("schema", "synonym", (), "did you mean 'synonym-"),
        ("schema", "pass+synonym-generic", (), "there is no criterion 'pass'"),
        ("exceptions", "a, b, c, d", (), "only 3 are allowed"),
        ("exceptions", "rotten,,plastic", (), "a word is empty"),
        ("exceptions", "rotten, Rotten", (), "a word is given twice"),
        ("exceptions", "rotten, Nonsense", (), "'Nonsense' is an answer of its own"),
        ("exceptions", "rotten, it is not a word at all", (), "'it is not a word at all' has 7 words"),
    ],
)
def test_bad_values(instrument: str, value: str, choices: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError) as caught:
        check_value(find_instrument(instrument), value, choices)
    assert message in str(caught.value)


def test_folding() -> None:
    schema = find_instrument("schema")
    names = list(schema.criteria)
    assert join_criteria(schema, dict.fromkeys(names, "no")) == "pass"
    assert join_criteria(schema, dict.fromkeys(names, "")) == ""
    assert join_criteria(schema, dict.fromkeys(names, "Y")) == "+".join(names)
    with pytest.raises(UserError, match="synonym-exception is not answered"):
        join_criteria(schema, {names[0]: "no"})
    with pytest.raises(UserError, match="neither yes nor no"):
        join_criteria(schema, dict.fromkeys(names, "maybe"))


def test_reasons() -> None:
    partwhole = find_instrument("partwhole")
    assert check_reason(partwhole, "nonsense", "part-adjective") == "part-adjective"
    assert check_reason(partwhole, "probably", "I think so") == "I think so"
    with pytest.raises(UserError, match="did you mean 'part-adjective'"):
        check_reason(partwhole, "nonsense", "part-adj")


def test_a_method_adds_instruments_and_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "toy_method" / "instruments"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "toy.toml").write_text(
        'name = "toy"\ntitle = "Is it a toy?"\nkind = "labels"\nlabels = ["no", "yes"]\n'
        'question = "{text}"\nrule = "toy-rule"\n',
        "utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    toy = Method(
        name="toy", instruments="toy_method", rules={"toy-rule": "horsesense.stats.raters.adjudication:TWO_ROUNDS"}
    )
    known = methods() | {"toy": toy}
    for module in ("registry", "annotate.instrument"):
        monkeypatch.setattr(f"horsesense.{module}.methods", lambda: known)
    built_in.cache_clear()
    try:
        assert find_instrument("toy").rule == "toy-rule"
        assert {"choice", "partwhole", "toy"} <= built_in().keys()
    finally:
        built_in.cache_clear()
