"""Free answers: the question is asked without its options, and the reply is graded by knowledge, not by a model.

A reply is compared with the concept of the key in WordNet. The rules, in this order:

1. *lemma*: the reply, or its head, is a word of the key
2. *synonym*: a sense of the reply is the concept of the key
3. *more general*, *more specific*: a sense of the reply is above or below the concept of the key
   by three links at most: what is further above says next to nothing
4. *definition*: at least two content words and half of those of the definition are shared, and a quarter of the reply's
5. otherwise the reply is wrong

Words of the question, in any form, do not count: a reply that repeats the question answers nothing.

A more specific reply is right if it relates to the concept that is asked about as the key does: where the question asks
for a kind of something, any kind between it and the key is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from horsesense.core import Item
from horsesense.core.answer import ReplyOutcome
from horsesense.core.item import OPEN
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import open_graph
from horsesense.lexicons.word_forms import lemmas_of, stems
from horsesense.lexicons.wordnet import definition_key
from horsesense.lexicons.words import words
from horsesense.models.protocol import Continuation, split_thoughts

Grade = Literal["same", "more general", "more specific", "wrong", "no answer"]

FREELY = "Reply with the answer in a few words, and nothing else."
FREELY_REASONED = "Think step by step. Then end with a line that says 'Answer:' and the answer in a few words."
_LEAD = re.compile(
    r"""^\W*(?:(?:the\s+)?(?:correct\s+|right\s+|best\s+|final\s+)?(?:answer|term|word)\s*(?:(?:is|would\s+be)\s*:?|:)\s*)?
    (?:(?:[\w'-]+\s+){0,2}[\w-]+["'”’]?\s+(?:is|are|was|means?|refers\s+to|describes)\s+)?
    (?:called\s+|known\s+as\s+)?(?:(?:an?|the|one)\s+)?(?:(?:specific|general|particular)\s+)?
    (?:(?:kind|type|form|sort|breed|variety|example)s?\s+of\s+)?(?:(?:an?|the|some)\s+)?["'“‘]*""",
    re.I | re.X,
)
_END = re.compile(r"[.;:!?\n,(”\"’]|\s+(?:because|since|which|that|who|where|as\s+it|and\s+it)\s")
_TAIL = re.compile(r"\s+(?:of|for|in|on|with|used|to|from|by|at|made|found|or|and)\s")
_REFUSES = re.compile(r"\b(?:i(?:'m| am) (?:sorry|not sure)|as an ai|i can(?:no|')t|i (?:do not|don't) know)\b", re.I)
_SATELLITES = {"s": "a"}
_FAR = 3
"""Links above the key up to which a reply is called more general."""


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """A free answer compared with the key."""

    grade: Grade
    why: str
    """The rule that applied, with the matched word or distance."""
    right: bool
    """Whether the answer is true: the same, or more specific and still true of what is asked about."""


def is_open(item: Item) -> bool:
    """Whether an item is asked without options."""
    return item.options[-1:] == (OPEN,)


@cache
def knowledge() -> Graph:
    """Return WordNet's graph."""
    return open_graph("wordnet")


def grade_answer(reply: str, item: Item, graph: Graph) -> GradedAnswer:
    """Grade a free answer to an open item, whose first option and concept are the key."""
    phrase = answer_phrase(reply)
    if not any(letter.isalnum() for letter in phrase) or _REFUSES.search(reply):
        return GradedAnswer("no answer", "refuses" if phrase else "empty", False)
    key = graph.number.get(item.concepts[0]) if item.concepts else None
    asked = graph.number.get(item.groups.get("asked", ""))
    repeated = _question_forms(item.text)
    names = {lemma.lower() for lemma in graph.lemmas[key]} if key is not None else {item.options[0].lower()}
    if defined := key is not None and is_definition(item.options[0], key, graph):
        names -= repeated
    pos = graph.pos[key] if key is not None else ""
    distances = {} if key is None else _relatives(graph, key)
    related: tuple[str, int, int] | None = None
    for name, senses in _concepts_named(phrase, graph, pos):
        if name in names:
            return GradedAnswer("same", f"lemma {name}", True)
        if name in repeated:
            continue
        if key in senses and not defined:
            return GradedAnswer("same", f"synonym {name}", True)
        near = [(sense, distances[sense]) for sense in senses if sense in distances]
        if near and related is None:
            related = (name, *min(near, key=lambda each: abs(each[1])))
    definition = graph.definitions[key] if key is not None else item.options[0]
    reply_stems = stems(_answer_line(reply).partition(". ")[0])
    shared = reply_stems & stems(definition) - stems(item.text)
    if len(shared) >= 2 and 2 * len(shared) >= len(stems(definition)) and 4 * len(shared) >= len(reply_stems):
        return GradedAnswer("same", f"definition, {len(shared)} words", True)
    if related is None:
        return GradedAnswer("wrong", "not related to the key", False)
    name, sense, distance = related
    true = asked is not None and key is not None and _as_the_key(graph, asked, key, sense)
    if distance > 0:
        return GradedAnswer("more general", f"{name}, {distance} above", False)
    return GradedAnswer("more specific", f"{name}, {-distance} below", true)


def answer_phrase(reply: str) -> str:
    """Return the words of a reply that are its answer, without thoughts, introduction and explanation.

    >>> answer_phrase("The answer is: a kind of small boat, because it floats.")
    'small boat'
    """
    line = _answer_line(reply)
    bare = _LEAD.sub("", line, count=1) or line
    return _END.split(bare, maxsplit=1)[0].strip(" *_`'\"“”‘’-") or line.strip()


def _answer_line(reply: str) -> str:
    """Return what a reply states after "Answer:", or its first line."""
    answer = split_thoughts(reply)[1].replace("’", "'")
    stated = re.findall(r"(?im)^\W*(?:final\s+)?answer\s*(?:is)?\s*:\s*(.+)$", answer)
    return stated[-1] if stated else next((line for line in answer.splitlines() if any(map(str.isalnum, line))), "")


def is_definition(option: str, concept: int, graph: Graph) -> bool:
    """Whether an option is the definition of its concept, not its name."""
    return definition_key(option) in {
        definition_key(graph.definitions[concept]),
        definition_key(graph.glosses[concept]),
    }


def _relatives(graph: Graph, key: int) -> dict[int, int]:
    """Return the concepts above the key with their distance, and those below it with minus their distance."""
    below = {concept: -max(1, hops) for concept, hops in graph.down.row(key)}
    return below | {concept: max(1, hops) for concept, hops in graph.up.row(key) if hops <= _FAR}


def _concepts_named(text: str, graph: Graph, pos: str) -> Iterator[tuple[str, list[int]]]:
    """Yield the longest words of the source that end a phrase, as written and as lemmas, with their senses.

    First of the whole phrase, then of what comes before a preposition. A word inside the longest one is not looked at:
    a grey market is not a market that happens to be grey.
    """
    for phrase in dict.fromkeys((text, _TAIL.split(text, maxsplit=1)[0])):
        parts = words(phrase)
        for start in range(len(parts)):
            named = {name: graph.by_lemma[name] for name in _forms(parts[start:]) if name in graph.by_lemma}
            alike = {
                name: [each for each in senses if not pos or _same_pos(graph.pos[each], pos)]
                for name, senses in named.items()
            }
            if any(alike.values()):
                yield from ((name, senses) for name, senses in alike.items() if senses)
                break


def _question_forms(text: str) -> set[str]:
    """Return the words of a question, and the lemmas that they may be forms of."""
    own = words(text)
    return {*own, *(lemma for word in own for lemmas in lemmas_of(word).values() for lemma in lemmas)}


def _forms(parts: list[str]) -> Iterator[str]:
    yield " ".join(parts)
    for lemmas in lemmas_of(parts[-1]).values():
        for lemma in lemmas:
            yield " ".join([*parts[:-1], lemma])


def _same_pos(one: str, other: str) -> bool:
    return _SATELLITES.get(one, one) == _SATELLITES.get(other, other)


def _as_the_key(graph: Graph, asked: int, key: int, sense: int) -> bool:
    """Whether a concept is above the one that is asked about as the key is, or below it as the key is."""
    above, below = graph.up.reached(asked), graph.down.reached(asked)
    return (key in above and sense in above) or (key in below and sense in below)


def read_free_answer(written: Continuation, item: Item, endless: bool) -> tuple[int | None, ReplyOutcome, str]:
    """Return 0 for the key and 1 for anything else, the outcome, and the grade with its rule.

    ``endless``: a plain text that continues without end, so that only its first line counts.
    """
    if written.outcome in ("filtered", "failed"):
        return None, written.outcome, written.reported or written.outcome
    lines = [line for line in written.text.splitlines() if line.strip()]
    graded = grade_answer("".join(lines[:1]) if endless else written.text, item, knowledge())
    why = f"{graded.grade}: {graded.why}"
    if graded.grade != "no answer":
        return 0 if graded.right else 1, "answered", why
    return None, "refused" if graded.why == "refuses" or written.outcome == "refused" else "empty", why
