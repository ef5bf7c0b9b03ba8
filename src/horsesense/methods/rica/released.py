"""RICA as released: inferences about novel entities, as a comparative to be filled in.

Zhou et al., "RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms" (EMNLP 2021). Files aligned
by line: statements, the word to mask in each, and (for some) the pair of candidates. `read_rica` makes items of them;
the functions after it say of a statement which word is blanked and what stands against it. Which axiom it belongs to
is told by released_units.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from horsesense.core import BLANK, Card, Item, Probe, Source
from horsesense.errors import UserError
from horsesense.lexicons.comparatives import OPPOSITES
from horsesense.lexicons.valence import comparative_valence
from horsesense.lexicons.words import words
from horsesense.methods.published.linking import linked
from horsesense.methods.published.reading import Reading, names_of, split_of, text_of
from horsesense.methods.rica.perturbations import Kind
from horsesense.methods.rica.released_units import (
    CONNECTIVE,
    Unit,
    content_words,
    denies,
    entities,
    first_named,
    units,
)

LICENCE = "none stated"
_PAIR = re.compile(r"""\[\s*(["'])([^"']+)\1\s*,\s*(["'])([^"']+)\3\s*\]""")


def read_rica(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Each line is a cloze over the comparative of its conclusion."""
    reading = Reading(skip_bad)
    statements, masks, *config = [reading.lines(path) for path in paths]
    for path, lines in zip(paths[1:], [masks, *config], strict=True):
        if len(lines) != len(statements):
            raise UserError(
                f"the file has {len(lines):,} lines and {paths[0].name} has {len(statements):,}",
                file=path,
                fix="give files of the same split: SENTENCES MASK_WORDS [CONFIG]",
            )
    pairs = config[0] if config else [(number, None) for number, _ in statements]
    for (number, raw), (_, mask), (_, pair) in zip(statements, masks, pairs, strict=True):
        with reading.line(paths[0], number):
            text = text_of(raw)
            # The files are aligned by line, so the number is the same; the file is not.
            with _blaming(paths[1], number):
                word = _mask_word(mask)
            with _blaming(paths[-1], number):
                candidates = None if pair is None else _pair(pair, word)
            reading.add(_item(reading, text, word, candidates, paths[0], number))
    reading.items = _with_units(reading.items)
    card = Card(
        name="rica",
        method="rica",
        licence=LICENCE,
        made=f"Read from the statements of RICA ({names_of(paths)}); the comparative of the conclusion is blanked.",
        normalise="sum",
        group="axiom",
    )
    return reading.probe(card, paths)


@contextmanager
def _blaming(path: Path, number: int) -> Iterator[None]:
    """What goes wrong inside is told of this file, and not of the statements."""
    try:
        yield
    except UserError as error:
        raise error.at(path, number) from None


def _mask_word(raw: bytes) -> str:
    word = text_of(raw).strip()
    if len(word.split()) != 1:
        raise UserError(f"{word[:40]!r} is not one word", fix="give SENTENCES, then MASK_WORDS")
    return word


def _item(reading: Reading, text: str, word: str, pair: tuple[str, str] | None, path: Path, number: int) -> Item:
    statement = reading.clean(text)
    options = tuple(sorted(pair or (word, other_candidate(word))))
    if CONNECTIVE not in statement:
        reading.notes[f"statements without {CONNECTIVE.strip()!r}"] += 1
    elif word in statement.rpartition(CONNECTIVE)[0].split():
        reading.notes["mask word in the premise too"] += 1
    return Item(
        probe="rica",
        form="cloze",
        text=blank(statement, word),
        # In alphabetical order: the place of an option says nothing of which is right.
        options=options,
        answer=options.index(word),
        groups={"entities": " ".join(sorted(set(entities(statement))))},
        facets={"comparative": word, **perturbed(statement, word), **split_of(path)},
        source=Source(file=path.name, line=number, licence=LICENCE),
    )


def _pair(raw: bytes, word: str) -> tuple[str, str]:
    """The candidates of a config line, ``['more', 'less']``, one of which is the masked word."""
    match = _PAIR.fullmatch(text_of(raw).strip())
    if not match:
        raise UserError("the config line is not a list of two words", fix="write it like ['more', 'less']")
    pair = match[2], match[4]
    if word not in pair or pair[0] == pair[1]:
        raise UserError(f"the config line does not set {word!r} against another word", fix="check the alignment")
    return pair


def _with_units(items: Sequence[Item]) -> list[Item]:
    """Families by axiom; statements of axioms that say the same in content words are one unit of dependence."""
    statements = [item.text.replace(BLANK, item.options[item.answer or 0]) for item in items]
    told = units(statements)
    contents = [content_words(statement, entities(statement)) for statement in statements]
    # A tilde sorts after every letter, so a unit is named by what it says.
    axioms = linked([{content, f"~{unit.axiom}"} for content, unit in zip(contents, told, strict=True)])
    kinds = {(unit.axiom, unit.kind) for unit in told}
    return [
        replace(
            item,
            family=unit.axiom,
            member="" if unit.kind is None else unit.kind.name,
            groups={"axiom": axiom, **item.groups},
            facets={**item.facets, **_kind_facets(unit, kinds)},
        )
        for item, unit, axiom in zip(items, told, axioms, strict=True)
    ]


def _kind_facets(unit: Unit, kinds: Collection[tuple[str, Kind | None]]) -> dict[str, str | bool]:
    """What the place of a statement tells of it; a kind that is another with exchanged names is a retest."""
    if unit.kind is None:
        return {}
    first = Kind(unit.kind.perturbation, "premise")
    facets: dict[str, str | bool] = {
        "perturbation": unit.kind.perturbation,
        "asymmetry": unit.kind.asymmetry,
        "retest": unit.kind.retest and (unit.axiom, first) in kinds,
    }
    return facets | ({"category": unit.category} if unit.category else {})


# What a statement tells by itself.


def other_candidate(word: str) -> str:
    """What is set against a comparative where no config names a pair: its other pole.

    >>> other_candidate("less"), other_candidate("colder")
    ('more', 'hotter')
    """
    if word not in OPPOSITES:
        raise UserError(f"the opposite of {word!r} is unknown", fix="give a config file with the pair of each line")
    return OPPOSITES[word]


def blank(statement: str, word: str) -> str:
    """The statement with the word of its conclusion blanked.

    The word may stand in the premise too, where it is given and not asked: the release's own
    scoring masked every occurrence of the string.

    >>> blank("A runs more than B, so A is more fit than B", "more")
    'A runs more than B, so A is ___ fit than B'
    """
    if BLANK in statement:
        raise UserError(f"the statement holds a blank {BLANK!r} already")
    spans = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", statement)]
    start = statement.rfind(CONNECTIVE)
    if start < 0 and len(spans) > 1:
        raise UserError(f"{word!r} stands twice and there is no {CONNECTIVE!r} to tell the conclusion")
    in_conclusion = [span for span in spans if span[0] > start]
    if not in_conclusion:
        raise UserError(f"the word {word!r} does not stand in the conclusion", fix="check that the files are aligned")
    first, last = in_conclusion[0]
    return statement[:first] + BLANK + statement[last:]


def comparative(statement: str) -> str:
    """The comparative of the conclusion.

    >>> comparative("A is a kettle, B is a cloud, so A is not less loud than B")
    'less'
    """
    conclusion = statement.rpartition(CONNECTIVE)[2]
    word = next((word for word in words(conclusion) if word in OPPOSITES), None)
    if word is None:
        raise UserError("there is no known comparative in the conclusion", fix="repair or remove the line")
    return word


def perturbed(statement: str, word: str) -> dict[str, str | int]:
    """How a statement was perturbed, as far as it tells by itself: facets.

    Whether its conclusion denies; the valence of its comparative; and whether the conclusion begins with the one that
    the premise names first. Where it begins with the other, premise or conclusion was turned round: which of
    them is a matter of what the two are called. Held against RICA's axioms, where all of it is written down, the first
    is right in all 9,054 statements and the last in 9,043. ``rule`` says whether order and negation tell the word
    without knowledge: whoever is named first is *more*, and *not* turns it round. What cannot be told is left out.

    >>> perturbed("zim is a cork, wob is a stone, so wob is not more likely to float than zim", "more")
    {'perturbation': 'negation', 'valence': 1, 'asymmetry': 'premise or conclusion', 'rule': 'right'}
    >>> perturbed("it rained, so wob came before zim", "before")
    {'perturbation': 'original', 'valence': 0}
    """
    first = first_named(statement)
    denied, turned = denies(statement), first != entities(statement)[0]
    valence = comparative_valence(word)
    facets: dict[str, str | int] = {"perturbation": "negation" if denied else "original", "valence": valence}
    if first:
        facets["asymmetry"] = "premise or conclusion" if turned else "none"
    if first and valence:
        facets["rule"] = "right" if (valence > 0) == (denied == turned) else "wrong"
    return facets
