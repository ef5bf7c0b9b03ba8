"""Three ways to ask the same items: models that know, that guess, and that read the options are told apart."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense.core import Probe
from horsesense.errors import UserError
from horsesense.lexicons.sources import find_wordnet_graph
from horsesense.models.protocol import Continuation
from horsesense.runs.withheld import CANDIDATES, with_withheld
from horsesense.scoring.free_answers import knowledge
from tests.support.reply_model import ReplyModel, reply

pytestmark = pytest.mark.skipif(find_wordnet_graph() is None, reason="WordNet is not here (horsesense fetch wordnet)")

WORDS = "apple hammer violin sparrow lawyer castle trout rose bicycle river onion diamond pistol sofa wolf teacher"


def kinds() -> Probe:
    """Return questions about the kind of a thing: the kind two links above it, and the kinds of three other things."""
    graph = knowledge()
    concepts = [graph.senses[word][0] for word in WORDS.split()]
    above = [next(other for other, hops in graph.up.row(each) if hops == 2) for each in concepts]
    items = []
    for place, (word, key) in enumerate(zip(WORDS.split(), above, strict=True)):
        reached = graph.up.reached(concepts[place])
        others = [each for each in dict.fromkeys(above[place + 1 :] + above[:place]) if each not in reached][:3]
        options = [*others[: place % 4], key, *others[place % 4 :]]
        items.append(
            hs.Item(
                probe="kinds",
                form="choice",
                text=f"'{word}' is a specific kind of",
                options=tuple(graph.lemmas[each][0] for each in options),
                concepts=tuple(graph.ids[each] for each in options),
                answer=place % 4,
                groups={"asked": graph.ids[concepts[place]]},
            )
        )
    return Probe.of(items, hs.Card("kinds"))


def test_closed_sets() -> None:
    probe = kinds()
    asked = with_withheld({"kinds": probe}, ["options", "question"], ["loglikelihood"])
    assert list(asked) == ["kinds", "kinds.no-question", "kinds.no-options"]
    graph = knowledge()
    for item, hidden, closed in zip(*(each.items for each in asked.values()), strict=True):
        assert hidden.options == item.options
        assert item.text not in hidden.text
        assert len(closed.options) == len(set(closed.options)) == CANDIDATES
        assert closed.concepts[closed.answer or 0] == item.concepts[item.answer or 0]
        asked_about = graph.number[item.groups["asked"]]
        shut = graph.up.reached(asked_about)
        wrong = [graph.number[each] for place, each in enumerate(closed.concepts) if place != closed.answer]
        assert not shut & set(wrong)
        assert {graph.pos[each] for each in wrong} == {"n"}
    with pytest.raises(UserError, match="letters"):
        with_withheld({"kinds": probe}, ["options"], ["letters"])
    plain = replace(probe, items=[replace(item, concepts=()) for item in probe.items])
    with pytest.raises(UserError, match="WordNet"):
        with_withheld({"kinds": plain}, ["options"], ["generate"])


def test_who_knows_and_who_reads_the_options(tmp_path: Path) -> None:
    probe = kinds()
    key = {item.text: item.options[item.answer or 0] for item in probe.items}

    def says(prompt: str, shown: dict[str, str]) -> Continuation:
        found = re.search(r"'(\w+)' is a specific kind of", prompt)
        return reply(key[found[0]] if found else shown.get("A", ""))

    def reads_options(prompt: str, shown: dict[str, str]) -> Continuation:
        found = re.search(r"'(\w+)' is a specific kind of", prompt)
        named = [letter for letter, option in shown.items() if found and option == key[found[0]]]
        return reply(named[0] if named else shown.get("A", "some sort of nonsense"))

    models: Any = [ReplyModel(says, "knows"), ReplyModel(reads_options, "needs options")]
    run = hs.ask(
        models,
        probe,
        formats="generate",
        design=hs.DesignSettings(withhold=["options", "question"]),
        out=tmp_path / "run",
    )
    knows, reads = run.withheld()
    assert knows.with_both.value == reads.with_both.value == 1.0
    assert knows.question_alone is not None
    assert knows.question_alone.value == 1.0
    assert (knows.grades, reads.grades) == ({"same": 16}, {"wrong": 16})
    assert knows.from_options is not None
    assert reads.from_options is not None
    assert (knows.from_options.value, reads.from_options.value) == (0.0, 1.0)
    assert reads.from_options.low > 0
    assert knows.options_alone is not None
    assert knows.options_alone.chance == 0.25
    assert knows.from_question is not None
    assert knows.from_question.low > 0


def test_ranks_of_a_model_with_likelihoods() -> None:
    class Knows:
        name, version = "knows", "1"

        def loglikelihood(self, context: str, continuation: str) -> float:
            found = re.search(r"'(\w+)' is a specific kind of", context)
            known = found and continuation.strip() == key[found[1]] and found[1] not in ("apple", "wolf")
            return 0.0 if known else -1.0 - len(continuation) / 100

    probe = kinds()
    key = {item.text.split("'")[1]: item.options[item.answer or 0] for item in probe.items}
    model: Any = Knows()
    (found,) = hs.ask(model, probe, formats="loglikelihood", design=hs.DesignSettings(withhold=["options"])).withheld()
    assert found.recall is not None
    assert found.recall[1] == pytest.approx(14 / 16)
    assert found.recall[1] <= found.recall[5] <= found.recall[10]
    assert found.median_rank == 1
    assert found.question_alone is not None
    assert found.question_alone.chance == pytest.approx(1 / CANDIDATES)
    assert found.options_alone is None


def test_items_without_a_key_are_part_of_no_rate(tmp_path: Path) -> None:
    probe = kinds()
    key = {item.text.split("'")[1]: item.options[item.answer or 0] for item in probe.items}

    class Knows:
        name, version = "knows", "1"

        def loglikelihood(self, context: str, continuation: str) -> float:
            found = re.search(r"'(\w+)' is a specific kind of", context)
            return 0.0 if found and continuation.strip() == key[found[1]] else -1.0 - len(continuation) / 100

    without_key = [replace(item, answer=None) for item in probe.items[:4]]
    unkeyed = replace(probe, items=[*without_key, *probe.items[4:]])
    model: Any = Knows()
    design = hs.DesignSettings(withhold=["question"])
    run = hs.ask(model, unkeyed, out=tmp_path / "run", formats="loglikelihood", design=design)
    (compared,) = run.withheld()
    assert (compared.n, compared.with_both.value) == (12, 1.0)
    assert compared.with_both.value == run.result_list()[0].accuracy.value
    assert compared.options_alone is not None
    assert compared.options_alone.value == run.result_list()[1].accuracy.value
    page = run.report(tmp_path / "page.html", cues=False, pictures=False).read_text("utf-8")
    assert "Options alone: " in page
    assert "The question adds +" in page
    assert "16 of 16, 12 with a gold answer" in page
