"""Odd replies, and what each names: written by hand, read by the stated rules."""

from __future__ import annotations

import pytest

from horsesense.scoring.reply_parsing import parse_reply

COLD = ("hot", "cold", "lukewarm")
PLACES = ("in the oven", "the oven", "a fridge", "in the garden")
YES = ("yes", "no")
SENTENCES = ("A stone floats on water.", "A cork floats on water.")

NAMED: list[tuple[str, tuple[str, ...], int]] = [
    ("B", COLD, 1),
    ("b", COLD, 1),
    (" B.", COLD, 1),
    ("(B)", COLD, 1),
    ("[B]", COLD, 1),
    ("**B**", COLD, 1),
    ("B)", COLD, 1),
    ("'B'", COLD, 1),
    ("Option B", COLD, 1),
    ("option b.", COLD, 1),
    ("Answer: B", COLD, 1),
    ("Answer: **B**", COLD, 1),
    ("**Answer:** B", COLD, 1),
    ("answer: (c)", COLD, 2),
    ("ANSWER - C", COLD, 2),
    ("The answer is B.", COLD, 1),
    ("The answer is (B), since ice is frozen.", COLD, 1),
    ("The correct answer is B: cold", COLD, 1),
    ("The correct option is **C**.", COLD, 2),
    ("The best choice would be A.", COLD, 0),
    ("I would choose B because ice is frozen water.", COLD, 1),
    ("I'd go with B", COLD, 1),
    ("I pick option C.", COLD, 2),
    ("My choice is A", COLD, 0),
    ("Final answer: B", COLD, 1),
    ("First I thought the answer is A. Final answer: B", COLD, 1),
    ("\\boxed{B}", COLD, 1),
    ("So it is $\\boxed{\\text{C}}$.", COLD, 2),
    ("B. cold", COLD, 1),
    ("B) cold", COLD, 1),
    ("B: cold", COLD, 1),
    ("B - cold", COLD, 1),
    ("B. Cold, as ice is frozen.", COLD, 1),
    ("**B.** cold", COLD, 1),
    ("c) Lukewarm", COLD, 2),
    ("cold", COLD, 1),
    ("Cold.", COLD, 1),
    ("COLD!", COLD, 1),
    ('"cold"', COLD, 1),
    ("*cold*", COLD, 1),
    ("The cold", COLD, 1),
    ("cold\n\nExplanation: ice is frozen, hot things are not.", COLD, 1),
    ("Cold, because hot things melt.", COLD, 1),
    ("Ice is cold.", COLD, 1),
    ("It's definitely lukewarm I think", COLD, 2),
    ("Ice is cold, not hot.", COLD, 1),
    ("It isn't hot, it is cold", COLD, 1),
    ("It should be option B here", COLD, 1),
    ("That would be (C) I believe", COLD, 2),
    ("<think>A? hot melts it. The answer is A? no.</think>B", COLD, 1),
    ("<thinking>hot</thinking>\nThe answer is cold", COLD, 1),
    ("Yes.", YES, 0),
    ("No, it does not.", YES, 1),
    ("yes, of course", YES, 0),
    ("in the oven", PLACES, 0),
    ("The oven.", PLACES, 1),
    ("You would look in the garden for that", PLACES, 3),
    ("Fridge", PLACES, 2),
    ("A cork floats on water.", SENTENCES, 1),
    ("A. A stone floats on water.", SENTENCES, 0),
    ("The answer is a cork floats on water", SENTENCES, 1),
    ("B. A cork floats on water because it is light.", SENTENCES, 1),
]

UNNAMED: list[tuple[str, tuple[str, ...], str]] = [
    ("", COLD, "empty"),
    ("   \n", COLD, "empty"),
    ("...", COLD, "empty"),
    ("D", COLD, "names D, which is not an option"),
    ("The answer is Z.", COLD, "names Z, which is not an option"),
    ("hot or cold", COLD, "names several options"),
    ("It could be hot or cold.", COLD, "names several options"),
    ("Both of them", COLD, "names several options"),
    ("All of the above.", COLD, "names several options"),
    ("Option A or option B", COLD, "names several options"),
    ("A. hot\nB. cold\nC. lukewarm", COLD, "lists several options"),
    ("The answer is A. The answer is B.", COLD, "states several answers"),
    ("\\boxed{A} or \\boxed{B}", COLD, "states several answers"),
    ("B. hot", COLD, "letter and words disagree"),
    ("The answer is A, cold", COLD, "letter and words disagree"),
    ("It is not hot.", COLD, "says only what it is not"),
    ("I'm sorry, but I can't help with that.", COLD, "refuses"),
    ("As an AI I have no senses.", COLD, "refuses"),
    ("Ice is a solid.", COLD, "names no option"),
    ("A solid thing", COLD, "names no option"),
    ("I do not know", COLD, "names no option"),
    ("<think>Let me see, is it hot or", COLD, "cut off while it thinks"),
]


@pytest.mark.parametrize(("reply", "shown", "option"), NAMED)
def test_a_reply_that_names_an_option(reply: str, shown: tuple[str, ...], option: int) -> None:
    parsed = parse_reply(reply, shown)
    assert parsed.option == option, parsed.why


@pytest.mark.parametrize(("reply", "shown", "why"), UNNAMED)
def test_a_reply_that_names_none_is_never_guessed(reply: str, shown: tuple[str, ...], why: str) -> None:
    parsed = parse_reply(reply, shown)
    assert (parsed.option, parsed.why) == (None, why)


def test_room_to_reason_is_read_from_its_end() -> None:
    thought = "Hot things melt. Ice is hot? No: A would be wrong.\nIce is frozen.\nAnswer: B"
    assert parse_reply(thought, COLD, reasoned=True).option == 1
    assert parse_reply("It may be hot.\nOr lukewarm.\ncold", COLD, reasoned=True).option == 1
    assert parse_reply("It may be hot.\nIt may be cold.\nWho knows", COLD, reasoned=True).option is None
