"""``horsesense show RUN ITEM``: one item as every model answered it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from horsesense.core import Item, ScoringSpec, read_probe
from horsesense.models.hf.load import load_model
from horsesense.scoring.texts import score_texts
from tests.support.calling import Call, caller, hold_to, item, lay, toy_lines


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture
def run(tmp_path: Path, tiny_folders: dict[str, Path], call: Call) -> Path:
    """Two models, asked two probes that have an item in common."""
    toy = lay(tmp_path / "toy.jsonl", *toy_lines())
    more = lay(tmp_path / "more.jsonl", toy_lines()[0], item(text="Tea is ___.", options=["hot", "very hot"]))
    models = [word for name in ("gpt2", "bert") for word in ("-m", tiny_folders[name])]
    assert call("run", *models, "-p", toy, "-p", more, "--out", tmp_path / "out").code == 0
    return tmp_path / "out"


def items_of(run: Path, name: str = "toy") -> list[Item]:
    return list(read_probe(run.parent / f"{name}.jsonl").items)


def shown(call: Call, run: Path, identity: str) -> dict[str, Any]:
    called = call("show", run, identity, "--json")
    assert (called.code, called.err) == (0, "")
    found: dict[str, Any] = json.loads(called.out)
    hold_to("show", found)
    return found


def test_the_tokens_are_those_of_the_model(run: Path, tiny_folders: dict[str, Path], call: Call) -> None:
    """Held against the model itself, asked for the whole sentence."""
    wanted = next(one for one in items_of(run) if one.form == "sentences")
    found = shown(call, run, wanted.id)
    assert [(a["model"], a["probe"]) for a in found["answers"]] == [
        (str(tiny_folders[name]), "toy") for name in ("gpt2", "bert")
    ]
    assert found["item"]["id"] == wanted.id
    for answer in found["answers"]:
        model = load_model(answer["model"], device="cpu")
        for option in answer["options"]:
            (whole,) = score_texts(model, [option["text"]], ScoringSpec())
            expected = {(token.start, token.end): token.logprob for token in whole.tokens}
            assert option["text"] == f"{wanted.premise} {option['option']}"
            for token in option["tokens"]:
                assert option["text"][token["start"] : token["end"]] == token["token"]
                assert token["logprob"] == pytest.approx(expected[token["start"], token["end"]], abs=1e-4)
            logprobs = [token["logprob"] for token in option["tokens"]]
            assert option["sum"] == pytest.approx(sum(logprobs))
            assert option["score"] == pytest.approx(sum(logprobs) / len(logprobs)), "sentences are scored by the mean"
        scores = [option["score"] for option in answer["options"]]
        assert answer["normalise"] == "mean"
        assert answer["chosen"] == [scores.index(max(scores))]
        assert answer["credit"] == float(answer["chosen"] == [wanted.answer])


def test_the_evidence_adds_up(run: Path, call: Call) -> None:
    for wanted in items_of(run) + items_of(run, "more"):
        for answer in shown(call, run, wanted.id)["answers"]:
            if wanted.form not in ("sentences", "cloze"):
                assert answer["evidence"] is None
                continue
            assert wanted.answer is not None
            evidence, options = answer["evidence"], answer["options"]
            assert evidence["other"] == 1 - wanted.answer
            difference = options[wanted.answer]["sum"] - options[evidence["other"]]["sum"]
            assert sum(place["q"] for place in evidence["q"]) == pytest.approx(difference, abs=1e-4)
            assert evidence["sum"] == pytest.approx(difference, abs=1e-4)


def test_an_item_of_two_probes_and_one_that_nobody_judged(run: Path, call: Call) -> None:
    items = items_of(run)
    assert [a["probe"] for a in shown(call, run, items[0].id)["answers"]] == ["toy", "more", "toy", "more"]
    assert items[-1].answer is None
    assert [a["credit"] for a in shown(call, run, items[-1].id)["answers"]] == [None, None]


def test_people_see_what_was_chosen_and_what_is_right(run: Path, call: Call) -> None:
    wanted = items_of(run)[1]
    answers = shown(call, run, wanted.id)["answers"]
    called = call("show", run, wanted.id)
    assert (called.code, called.err) == (0, "")
    for answer in answers:
        told = "right" if answer["credit"] else "wrong"
        assert f"{answer['model']} on toy: {told}, by sum\n" in called.out
        for number, option in enumerate(answer["options"]):
            marks = ("→" if number in answer["chosen"] else " ") + ("✓" if number == wanted.answer else " ")
            assert f" {marks} {number}  {option['score']:9.4f}  {option['option']}\n" in called.out
            assert f"{option['tokens'][0]['token']!r} {option['tokens'][0]['logprob']:.2f}" in called.out
    assert "of the evidence is where the texts differ" in called.out


def test_what_cannot_be_shown(run: Path, call: Call) -> None:
    first = items_of(run)[0].id
    slip = first[:-2] + first[-1] + first[-2] if first[-1] != first[-2] else first + "x"
    for words, told in (
        ([run], f"{run}: of a run folder one item is shown; give its id, such as toy-"),
        ([run, slip], f"{run}: there is no item {slip!r}; did you mean {first!r}?"),
        ([run, "nothing like it"], f"{run}: there is no item 'nothing like it'; use an id, such as toy-"),
        ([run, "toy-"], f"{run}: 6 items are called 'toy-'"),
        ([run.parent, first], f"{run.parent}: this is not a run folder"),
        ([run.parent / "toy.jsonl", slip], f"toy.jsonl: there is no item {slip!r}; did you mean {first!r}?"),
    ):
        called = call("show", *words)
        assert called.code == 2
        assert told in called.err
        assert called.err.count("\n") == 1


def test_parts_that_are_not_finished_wait(run: Path, tiny_folders: dict[str, Path], call: Call) -> None:
    first = items_of(run)[0].id
    shards = sorted((run / "answers").iterdir())
    shards[0].unlink()
    called = call("show", run, first, "--json")
    assert called.err == "1 of 4 parts of the run are not finished\n"
    assert len(json.loads(called.out)["answers"]) == 3
    for shard in shards[1:]:
        shard.unlink()
    called = call("show", run, first)
    assert (called.code, called.err) == (
        2,
        f"horsesense: {run}: no part of the run is finished; run the same command again to finish it\n",
    )


def test_answers_without_tokens(tmp_path: Path, call: Call) -> None:
    """What a cue answers is kept as a run too."""
    probe = lay(tmp_path / "p.jsonl", *(item(text=f"{n} is ___.", answer=n % 2, family=str(n)) for n in range(30)))
    words = ["--splits", 2, "--rounds", 19, "--out", tmp_path / "cue"]
    assert call("cues", probe, *words).code == 0
    wanted = read_probe(probe).items[0]
    (answer,) = shown(call, tmp_path / "cue", wanted.id)["answers"]
    assert [(option["text"], option["tokens"]) for option in answer["options"]] == [("", [])] * 2
    assert answer["evidence"] is None
    assert call("show", tmp_path / "cue", wanted.id).code == 0
