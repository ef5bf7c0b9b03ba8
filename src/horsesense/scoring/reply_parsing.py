"""Parse which option a reply names, by fixed rules; a reply that no rule parses is unparsed, never guessed.

Thoughts are not part of the reply (`horsesense.models.protocol.split_thoughts`). Then, in this order:

1. *boxed*: one letter in ``\\boxed{}``
2. *letter alone*: the reply is a letter, with or without punctuation
3. *stated*: "the answer is B", "Answer: B", "I choose B"; where several are stated, the last that is called final
4. *leading letter*: the reply begins with "B." or "B)" or "B:"
5. *option as it stands*: the reply, or its first line, is an option up to case, punctuation and an article
6. *begins with the option*: "Cold, because …"
7. *letter at the end*: an explanation, and then a line with a letter or with an option as it stands
8. *called right*: "B is correct", "it must be B", "so B."
9. *letter named*: "option B" or "(B)" and no other
10. *option named*: one option's words and no other's, and not after a "not"

A letter followed by the words of another option is unparsed. A reply with reasoning is parsed from its last statement,
or else from its last line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase

from horsesense.models.protocol import split_thoughts

_BOXED = re.compile(r"\\boxed\{\s*(?:\\text(?:bf)?\{)?\s*\(?([A-Za-z])\)?\s*\}+")
_ALONE = re.compile(r"\W*(?:(?:option|choice|letter|answer)\W+)?([A-Za-z])\W*", re.I)
_MARKER = (
    r"(?:answer|correct (?:answer|option|choice|letter)|(?:best|right) (?:answer|option|choice)|"
    r"(?:i|i'd|i would|i'll|i will) (?:choose|chose|pick|picked|select|selected|say|go with|answer)|my (?:choice|pick))"
)
_STATED = re.compile(
    rf"(?P<final>final\W+)?\b{_MARKER}\b[\s*_`\"']*(?:\s+(?:is|was|would be|must be|should be)\b)?[\s:=\-–—>*_`\"'(\[]*"
    rf"(?:the\s+)?(?:(?:option|choice|letter)\b[\s*_`\"'(\[]*)?(?P<letter>[A-Za-z])(?P<after>(?![\w'’]).*)",
    re.I,
)
_LEADING = re.compile(r"\W*(?:(?:option|choice)\s+)?([A-Za-z])[*_`\"')\]]*\s*[.):\]\-–—][*_`]*\s*(.*)", re.I)
_CALLED_RIGHT = re.compile(
    r"\b(?P<before>[A-Z])[)\]*_`\"']*\s+(?:is|must be|should be|would be) (?:the )?"
    r"(?:correct|right|best|true|answer|most (?:likely|sensible|plausible))\b|"
    r"\b(?:[Ii]t(?:'s| is| must be| should be| would be)|[Ss]o|[Tt]herefore|[Tt]hus|[Hh]ence)\b"
    r"[\s,:(*_`]*(?P<after>[A-Z])\b(?=[)*_`\]]*\s*(?:[.,;:!)]|$))",
    re.M,
)
_NAMED = re.compile(r"\b(?:option|choice|letter)\s+[\"'(*]*([A-Za-z])\b(?!')|[(\[]([A-Z])[)\]]", re.I)
_NOT = re.compile(
    r"(?:\b(?:not|never|no|neither|nor|cannot|isn't|wasn't|than|rather than|instead of)|n[’']t)\W+(?:\w+\W+)?$"
)
_REFUSES = re.compile(
    r"\b(?:i(?:'m| am) sorry|as an ai|i can(?:no|')t|i am unable|i'm unable|unable to answer)\b", re.I
)
_SEVERAL = re.compile(r"\b(?:all|both|none|neither|any) of (?:the (?:above|options)|them|these)\b|\bboth\b", re.I)


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """The option that a reply names."""

    option: int | None
    """Its index among the shown options; None where no rule applies."""
    why: str
    """The rule, or why none applies."""


def parse_reply(text: str, options: Sequence[str], reasoned: bool = False) -> ParsedReply:
    """Parse which of the options shown as A, B, C … a reply names.

    >>> parse_reply("The answer is (B), since ice is frozen.", ["hot", "cold"])
    ParsedReply(option=1, why='stated')
    >>> parse_reply("It could be hot or cold.", ["hot", "cold"])
    ParsedReply(option=None, why='names several options')
    """
    thoughts, reply = split_thoughts(text)
    if thoughts and not reply:
        return ParsedReply(None, "cut off while it thinks")
    reply = reply.replace("’", "'").strip()
    if not any(letter.isalnum() for letter in reply):
        return ParsedReply(None, "empty")
    rules: tuple[Callable[[str, Sequence[str]], ParsedReply | None], ...]
    if reasoned:
        stated = _boxed(reply, options) or _stated(reply, options) or _listed(reply.rpartition("\n\n")[2])
        if stated is not None:
            return stated
        reply = reply.splitlines()[-1].strip()
    rules = (_boxed, _alone, _stated, _leading, _as_it_stands, _begins, _at_end, _called_right)
    for rule in (*rules, _letter_named, _option_named):
        parsed = rule(reply, options)
        if parsed is not None:
            return parsed
    if _REFUSES.search(reply):
        return ParsedReply(None, "refuses")
    return ParsedReply(None, "names no option")


def _letter(letter: str, options: Sequence[str], why: str) -> ParsedReply:
    index = ascii_uppercase.index(letter.upper())
    return (
        ParsedReply(index, why)
        if index < len(options)
        else ParsedReply(None, f"names {letter.upper()}, which is not an option")
    )


def _boxed(reply: str, options: Sequence[str]) -> ParsedReply | None:
    letters = {letter.upper() for letter in _BOXED.findall(reply)}
    if len(letters) > 1:
        return ParsedReply(None, "states several answers")
    return _letter(letters.pop(), options, "boxed") if letters else None


def _alone(reply: str, options: Sequence[str]) -> ParsedReply | None:
    match = _ALONE.fullmatch(reply)
    return _letter(match[1], options, "letter alone") if match else None


def _stated(reply: str, options: Sequence[str]) -> ParsedReply | None:
    stated: list[tuple[str, str, bool]] = []
    for line in reply.splitlines():
        at = 0
        while match := _STATED.search(line, at):
            at = match.start("letter") + 1
            if _is_letter(match["letter"], match["after"]):
                stated.append((match["letter"].upper(), match["after"], bool(match["final"])))
    final = [each for each in stated if each[2]]
    if final:
        stated = final[-1:]
    if not stated:
        return None
    if len({letter for letter, _, _ in stated}) > 1:
        return ParsedReply(None, "states several answers")
    letter, after, _ = stated[-1]
    return _agreeing(_letter(letter, options, "stated"), after, options)


def _is_letter(letter: str, after: str) -> bool:
    """Whether a letter names an option; "a" and "I" may be words."""
    rest = after.lstrip("*_`\"')]}")
    if letter.islower():
        return (letter != "a" and not re.match(r"\s+\w", rest)) or not rest.strip(" .!)*")
    if letter in "AI" and re.match(r"\s+[a-z]", rest):
        return bool(re.match(r"\s+(?:because|since|as|is|and)\b", rest))
    return True


def _listed(reply: str) -> ParsedReply | None:
    leading = {match[1].upper() for line in reply.splitlines() if (match := _LEADING.match(line.strip()))}
    return ParsedReply(None, "lists several options") if len(leading) > 1 else None


def _leading(reply: str, options: Sequence[str]) -> ParsedReply | None:
    match = _LEADING.match(reply.splitlines()[0].strip())
    if not match:
        return None
    if several := _listed(reply):
        return several
    if match[1].islower() and not re.match(r"\W*(?:option\s+|choice\s+)?[a-z][*_`]*[.):\]]", reply, re.I):
        return None
    return _agreeing(_letter(match[1], options, "leading letter"), match[2], options)


def _agreeing(parsed: ParsedReply, after: str, options: Sequence[str]) -> ParsedReply:
    """Unparsed if the words after a letter are those of another option."""
    rest = _plain(after)
    matches = [index for index, option in enumerate(options) if _starts(rest, _plain(option))]
    if parsed.option is None or not matches:
        return parsed
    longest = max(matches, key=lambda index: len(_plain(options[index])))
    same = _plain(options[longest]) == _plain(options[parsed.option]) or parsed.option in matches
    return parsed if same else ParsedReply(None, "letter and words disagree")


def _as_it_stands(reply: str, options: Sequence[str]) -> ParsedReply | None:
    for part in (reply, reply.splitlines()[0]):
        same = [index for index, option in enumerate(options) if _plain(option) == _plain(part)]
        if len(same) == 1:
            return ParsedReply(same[0], "option as it stands")
    return None


def _begins(reply: str, options: Sequence[str]) -> ParsedReply | None:
    head = _plain(re.split(r"[,.;:!\n—–]|\s-\s", reply, maxsplit=1)[0])
    same = [index for index, option in enumerate(options) if _plain(option) == head]
    return ParsedReply(same[0], "begins with the option") if len(same) == 1 else None


def _at_end(reply: str, options: Sequence[str]) -> ParsedReply | None:
    before, _, last = reply.rpartition("\n")
    index = (_alone(last, options) or _as_it_stands(last, options)) if before and last.strip() else None
    return index and replace(index, why="letter at the end" if index.option is not None else index.why)


def _called_right(reply: str, options: Sequence[str]) -> ParsedReply | None:
    called = [match for match in _CALLED_RIGHT.finditer(reply) if not _NOT.search(reply[: match.start()].lower())]
    letters = {match["before"] or match["after"] for match in called}
    if len(letters) > 1:
        return ParsedReply(None, "states several answers")
    return _letter(letters.pop(), options, "called right") if letters else None


def _letter_named(reply: str, options: Sequence[str]) -> ParsedReply | None:
    named = list(_NAMED.finditer(reply))
    letters = {(match[1] or match[2]).upper() for match in named if not _NOT.search(reply[: match.start()].lower())}
    if len(letters) > 1:
        return ParsedReply(None, "names several options")
    return _letter(letters.pop(), options, "letter named") if letters else None


def _option_named(reply: str, options: Sequence[str]) -> ParsedReply | None:
    if _SEVERAL.search(reply):
        return ParsedReply(None, "names several options")
    text = _spaced(reply)
    named: set[int] = set()
    negated = False
    # Longest first: "hot dog" is not also "dog".
    for index in sorted(range(len(options)), key=lambda index: -len(options[index])):
        option = _plain(options[index])
        pattern = re.compile(rf"(?<!\w){re.escape(option)}(?!\w)") if option else None
        if pattern is None:
            continue
        for match in pattern.finditer(text):
            if _NOT.search(text[: match.start()]):
                negated = True
            else:
                named.add(index)
        text = pattern.sub(lambda match: "#" * len(match[0]), text)
    if len(named) > 1:
        return ParsedReply(None, "names several options")
    if named:
        return ParsedReply(named.pop(), "option named")
    return ParsedReply(None, "says only what it is not") if negated else None


def _starts(text: str, option: str) -> bool:
    return bool(option) and (text == option or text.startswith(f"{option} "))


def _spaced(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"[*_`\"“”]+", "", text.casefold())).strip()


def _plain(text: str) -> str:
    """Remove case, punctuation at the ends, repeated spaces, and a leading article.

    >>> _plain("**The  Cold one.**")
    'cold one'
    """
    bare = _spaced(text).strip(" .,;:!?()[]{}'-–—>#")
    return re.sub(r"^(?:a|an|the) (?=\w)", "", bare)
