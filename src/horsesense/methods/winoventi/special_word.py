"""The special word: the one word in which the two texts of a schema differ; where it stands, and asking for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from horsesense.core import BLANK, Facet, Item, Probe
from horsesense.lexicons.words import word_spans

THIRDS = ("first", "middle", "last")
REVERSE = "winoventi-reverse"


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two texts differ."""

    spans: tuple[tuple[int, int], tuple[int, int]]
    """Start and end of the word in either text."""
    words: tuple[str, str]


_ARTICLES = {"a", "an"}
_ELSEWHERE = Difference(((0, 0), (0, 0)), ("", ""))
"""Stands for a difference between texts that cannot be laid side by side."""


def differing(text: str, other: str) -> list[Difference]:
    """The words in which two texts of as many words differ; one difference is what a schema has.

    Texts with different numbers of words differ in two places at least. *A* and *an* go with the word that follows.

    >>> [d.words for d in differing("Jo screamed at it.", "Jo shivered at it.")]
    [('screamed', 'shivered')]
    >>> [d.words for d in differing("Jo sat by a stove.", "Jo sat by an oven.")]
    [('a stove', 'an oven')]
    >>> len(differing("Jo ran to it.", "Jo sat by it."))
    2
    """
    spans, other_spans = word_spans(text), word_spans(other)
    words, other_words = [text[a:b] for a, b in spans], [other[a:b] for a, b in other_spans]
    if len(words) != len(other_words):
        return [_ELSEWHERE] * max(2, abs(len(words) - len(other_words)))
    apart = [place for place, both in enumerate(zip(words, other_words, strict=True)) if both[0] != both[1]]
    if len(apart) == 2 and apart[1] == apart[0] + 1 and {words[apart[0]], other_words[apart[0]]} == _ARTICLES:
        ends = [(each[apart[0]][0], each[apart[1]][1]) for each in (spans, other_spans)]
        return [Difference((ends[0], ends[1]), (text[slice(*ends[0])], other[slice(*ends[1])]))]
    return [Difference((spans[place], other_spans[place]), (words[place], other_words[place])) for place in apart]


def third_of(premise: str, start: int) -> str:
    """In which third of a premise a word begins, by characters (winoventi.txt, 2.7).

    The paper does not say how it counts; by characters the released rows come nearest to its shares.

    >>> [third_of("Jo laid the big red cup away.", start) for start in (0, 12, 24)]
    ['first', 'middle', 'last']
    """
    return THIRDS[min(2, 3 * start // max(1, len(premise)))]


def premise_of(text: str) -> str:
    """The text without its last sentence, which is the outcome with the blank.

    >>> premise_of("Jo screamed. The pan is ___.")
    'Jo screamed.'
    """
    before = text.partition(BLANK)[0].rstrip()
    ends = [place for place in range(len(before)) if before[place] in ".!?" and before[place + 1 : place + 2] == " "]
    return before[: ends[-1] + 1] if ends else ""


def triplet_name(item: Item) -> str:
    """Noun, generic word and exception: what the adversarial filter is about."""
    return " | ".join((item.groups.get("noun", ""), str(item.facets["bias"]), str(item.facets["alternative"])))


def pairs_of(items: Iterable[Item]) -> dict[str, dict[str, Item]]:
    """Family → member → item, of schemas that have both."""
    families: dict[str, dict[str, Item]] = {}
    for item in items:
        families.setdefault(item.family, {})[item.member] = item
    return {name: members for name, members in families.items() if {"generic", "exception"} <= members.keys()}


def special_facets(
    items: Sequence[Item], pos_of: Mapping[tuple[str, str], str] | None = None
) -> dict[str, dict[str, Facet]]:
    """Item id → the third of the premise in which its special word stands, and its part of speech where known."""
    by_item: dict[str, dict[str, Facet]] = {}
    for members in pairs_of(items).values():
        differences = differing(members["generic"].text, members["exception"].text)
        if len(differences) != 1:
            continue
        difference = differences[0]
        third = third_of(premise_of(members["generic"].text), difference.spans[0][0])
        facets: dict[str, Facet] = {"third": third}
        if pos_of is not None:
            facets["special_pos"] = pos_of.get(difference.words, "other")
        # Both texts of a schema get the place in the generic one, so that they stay together.
        by_item |= {members[member].id: facets for member in ("generic", "exception")}
    return by_item


def reversed_probe(probe: Probe) -> Probe:
    """The test turned round: the outcome is given and the special word is asked for (types 3 and 4 of the release).

    A schema whose texts differ in more than one word cannot be turned; it is left out and counted.
    """
    items, left_out = [], 0
    for members in pairs_of(probe.items).values():
        generic, exception = members["generic"], members["exception"]
        differences = differing(generic.text, exception.text)
        if len(differences) != 1 or differences[0].words[0].lower() == differences[0].words[1].lower():
            left_out += 1
            continue
        items += [_turned(generic, differences[0], 0), _turned(exception, differences[0], 1)]
    card = replace(
        probe.card, name=REVERSE, made=f"The context word of {probe.card.name} asked for, its outcome given."
    )
    notes = {"schemas that cannot be turned round": left_out} if left_out else {}
    return Probe.of(items, replace(card, notes={}), notes)


def _turned(item: Item, difference: Difference, which: int) -> Item:
    assert item.answer is not None
    start, end = difference.spans[which]
    text = item.text[:start] + "\0" + item.text[end:]
    text = text.replace(BLANK, item.options[item.answer]).replace("\0", BLANK)
    options = tuple(sorted(difference.words))
    return replace(
        item, probe=REVERSE, text=text, options=options, answer=options.index(difference.words[which]), concepts=()
    )
