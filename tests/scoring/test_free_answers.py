"""Free answers are graded by knowledge: every grade, on a small WordNet of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from horsesense.core import Item
from horsesense.core.item import OPEN
from horsesense.core.spec import ScoringSpec
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import read_wordnet
from horsesense.scoring.free_answers import FREELY, answer_phrase, grade_answer
from horsesense.scoring.prompts import ONLY_LETTER, SHORTLY, turn
from tests.support.small_wordnet import write_small_wordnet


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder: Path = tmp_path_factory.mktemp("wordnet")
    return read_wordnet(write_small_wordnet(folder))


def open_item(text: str, key: str, concept: str, asked: str) -> Item:
    return Item(
        probe="p",
        form="choice",
        text=text,
        options=(key, OPEN),
        answer=0,
        concepts=(concept, ""),
        groups={"asked": asked},
    )


KIND = open_item("'puppy' is a specific kind of", "animal", "animal.n.01", "puppy.n.01")


@pytest.mark.parametrize(
    ("reply", "grade", "right"),
    [
        ("Animals.", "same", True),
        ("It is a kind of beast, because it moves.", "same", True),
        ("The answer is: a beast", "same", True),
        ("thing", "more general", False),
        ("A dog", "more specific", True),  # true of a puppy, and below the key
        ("a small hound", "more specific", True),
        ("a cat", "more specific", False),  # below the key, and not true of a puppy
        ("tool", "wrong", False),
        ("puppy", "wrong", False),  # repeats the question
        ("a thing that moves by itself", "same", True),  # the definition
        ("", "no answer", False),
        ("I'm sorry, I cannot help.", "no answer", False),
        ("<think>an animal</think>a tool", "wrong", False),
    ],
)
def test_grades(graph: Graph, reply: str, grade: str, right: bool) -> None:
    graded = grade_answer(reply, KIND, graph)
    assert (graded.grade, graded.right) == (grade, right), graded.why


def test_a_definition_is_not_answered_by_its_word(graph: Graph) -> None:
    item = open_item("What does 'dog' mean in 'the dog slept'?", "an animal that barks", "dog.n.01", "dog.n.01")
    assert grade_answer("dog", item, graph).grade == "wrong"
    assert grade_answer("hound", item, graph).grade == "same"
    assert grade_answer("a barking animal", item, graph).grade == "same"


@pytest.mark.parametrize(
    ("reply", "phrase"),
    [
        ("Answer: word processor", "word processor"),
        ("'Puppy' is a type of young dog. It barks.", "young dog"),
        ("Let me think.\nFinal answer: **tool**", "tool"),
        ("breed of dog from Germany", "dog from Germany"),
    ],
)
def test_the_phrase_of_a_reply(reply: str, phrase: str) -> None:
    assert answer_phrase(reply) == phrase


def test_the_prompt_shows_no_option() -> None:
    asked = turn(KIND, (0, 1), (), ScoringSpec(), True, SHORTLY)
    assert asked.messages == (("user", f"Question: 'puppy' is a specific kind of\n{FREELY}"),)
    with pytest.raises(UserError, match="letters"):
        turn(KIND, (0, 1), (), ScoringSpec(), True, ONLY_LETTER)
