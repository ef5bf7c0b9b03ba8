"""The published statements of RICA: a comparative to be filled in, about novel entities.

Zhou et al., "RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms" (EMNLP 2021). The files are
aligned by line: statements, the word to mask in each, and (for some) the pair of candidates. `read_rica` makes items.

The files name neither the axiom nor the perturbation of a statement; `units` infers both from the order of lines. The
human-curated set (section 2.2, table 5) has 24 statements per axiom about two entities and 8 per axiom about one, each
kind in its place. The raw set has three statements about one pair of names, then the three negated ones about the next
pair. Names do not distinguish the axioms of the curated set, because each place has the same pair in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from horsesense.core import BLANK, Card, Item, Probe, Source
from horsesense.errors import UserError
from horsesense.lexicons.novel_names import rename_entities
from horsesense.lexicons.word_forms import OPPOSITES, comparative_valence, negations
from horsesense.lexicons.words import words
from horsesense.methods.published.linking import linked
from horsesense.methods.published.reading import Reading, names_of, split_of, text_of
from horsesense.methods.rica.perturbations import KINDS, PERTURBATIONS, Perturbation

CONNECTIVE = ", so "
_SHAPE = frozenset({"a", "an", "the", "and", "so", "than", "not", "is"}) | OPPOSITES.keys()
_LOOSE = _SHAPE | frozenset(["be", "out", "of", "to", "likely"])
"""Words that the conversion adds or drops: *is made out of*, *is likely to be*."""
_NAME = re.compile(r"[^\W_]+")
_ALIKE = 0.5
"""Minimum share of content words that two wordings of one axiom have in common."""
_ONE_ENTITY = tuple(map(Perturbation, PERTURBATIONS))
_EITHER = (4, 7)
"""Positions whose two kinds occur in either order; the negated one is recognised."""
CATEGORIES = ("physical", "material", "social", "temporal")
_OF_A_CATEGORY = 20
"""Number of axioms per category, one category after the other (tables 5 and 8)."""


@dataclass(frozen=True, slots=True)
class StatementUnit:
    """The axiom and kind of a statement."""

    axiom: str
    """Name of its axiom: content words, with a number if two axioms have the same."""
    kind: Perturbation | None = None
    """Kind of perturbation; None if the position does not show it."""
    category: str = ""
    """physical, material, social or temporal (table 5); empty if the position does not show it."""


def units(statements: Sequence[str]) -> list[StatementUnit]:
    """Infer the axiom and the kind of each statement of a published file from the order of its lines.

    >>> lines = ["wob is a cork, zim is a nail, so wob is more likely to float than zim",
    ...          "zim is a cork, wob is a nail, so wob is less likely to float than zim",
    ...          "kuf is a cork, tol is a nail, so kuf is not less likely to float than tol"]
    >>> {unit.axiom for unit in units(lines)}, [unit.kind.name for unit in units(lines)]
    ({'cork float likely nail to'}, ['original', 'asymmetric_premise', 'negated'])
    """
    # The joint file of the leaderboard has the raw test set first and the human-curated set behind it.
    for start in range(len(statements)):
        if _begins_block(statements[start:]) and (curated := _curated(statements[start:])):
            return (_in_pairs_of_names(statements[:start]) if start else []) + curated
    return _in_pairs_of_names(statements)


def denies(statement: str) -> bool:
    """Return whether the conclusion is negated, by *not* or *n't*.

    >>> denies("wob fell, so wob wasn't higher after falling"), denies("wob does not eat, so wob is more hungry")
    (True, False)
    """
    return negations(words(statement.rpartition(CONNECTIVE)[2])) > 0


def entities(statement: str) -> tuple[str, str]:
    """Return the two entities: the first and the last word of the conclusion.

    >>> entities("wob is a cork, so zim is less likely to float than wob.")
    ('zim', 'wob')
    """
    conclusion = _NAME.findall(statement.rpartition(CONNECTIVE)[2].removesuffix("'s"))
    return (conclusion[0], conclusion[-1]) if conclusion else ("", "")


def first_named(statement: str) -> str:
    """Return the entity that the premise names first; empty if it names neither.

    >>> first_named("zim is a cork, so wob is less likely to float than zim")
    'zim'
    """
    premise = statement.rpartition(CONNECTIVE)[0]
    return next((name for name in _NAME.findall(premise) if name in entities(statement)), "")


def content_words(statement: str, names: tuple[str, str]) -> str:
    """Return the content words of a statement, which nearly all perturbations of an axiom share.

    >>> content_words("A is a kettle, B is a cloud, so A is more loud than B", ("A", "B"))
    'cloud kettle loud'
    >>> content_words("kuf is a kettle, zor is a cloud, so zor is not more loud than kuf", ("zor", "kuf"))
    'cloud kettle loud'
    """
    return " ".join(sorted(_bare(statement, names) - _SHAPE))


def _bare(statement: str, names: tuple[str, str]) -> set[str]:
    entity_names = {name.lower() for name in names}
    return {word.removesuffix("'s") for word in words(statement)} - entity_names


# The human-curated set: blocks of 24 and of 8.


def _curated(statements: Sequence[str]) -> list[StatementUnit] | None:
    """Infer units from blocks; None if the lines are not in blocks throughout."""
    found: list[StatementUnit] = []
    named: dict[str, int] = {}
    while len(found) < len(statements):
        start = len(found)
        block = _begins_block(statements[start:])
        if block is None:
            return None
        lines = statements[start : start + len(block)]
        premise = _frame(lines)
        named[premise] = named.get(premise, 0) + 1
        axiom = premise if named[premise] == 1 else f"{premise} ({named[premise]})"
        kinds = block if block is KINDS else _kinds_about_one(lines)
        found += [StatementUnit(axiom, kind) for kind in kinds]
    return _with_categories(found)


def _begins_block(statements: Sequence[str]) -> tuple[Perturbation, ...] | None:
    """Return the kinds of the block that the lines begin with; None if they begin with none."""
    return next((kinds for kinds in (KINDS, _ONE_ENTITY) if _is_block(statements, len(kinds))), None)


def _with_categories(found: Sequence[StatementUnit]) -> list[StatementUnit]:
    """Add the category, which the position of an axiom shows in a complete set."""
    axioms = list(dict.fromkeys(unit.axiom for unit in found))
    if len(axioms) != _OF_A_CATEGORY * len(CATEGORIES):
        return list(found)
    of = {axiom: CATEGORIES[i // _OF_A_CATEGORY] for i, axiom in enumerate(axioms)}
    return [replace(unit, category=of[unit.axiom]) for unit in found]


def _is_block(statements: Sequence[str], size: int) -> bool:
    """Return whether the first lines share one premise, each with its own names."""
    lines = statements[:size]
    if len(lines) < size or any(CONNECTIVE not in line for line in lines):
        return False
    premises = [_NAME.findall(line.rpartition(CONNECTIVE)[0]) for line in lines]
    if len({len(premise) for premise in premises}) > 1:
        return False
    columns = [set(column) for column in zip(*premises, strict=True)]
    varying = [column for column in columns if len(column) > 1]
    entities_of_kind = 2 if size == len(KINDS) else 1
    return len(varying) == entities_of_kind and all(len(column) == size for column in varying)


def _frame(lines: Sequence[str]) -> str:
    """Return the premise of a block with A and B for its names."""
    premises = [line.rpartition(CONNECTIVE)[0] for line in lines]
    columns = zip(*map(_NAME.findall, premises), strict=True)
    names = dict.fromkeys(column[0] for column in columns if len(set(column)) > 1)
    return rename_entities(premises[0], dict(zip(names, "AB", strict=False)))


def _kinds_about_one(lines: Sequence[str]) -> tuple[Perturbation, ...]:
    """Return the kinds of a block about one entity."""
    kinds = list(_ONE_ENTITY)
    first, second = _EITHER
    if denies(lines[first]) and not denies(lines[second]):
        kinds[first], kinds[second] = kinds[second], kinds[first]
    return tuple(kinds)


# The raw set: three statements about a pair of names, and three negated ones.


def _in_pairs_of_names(statements: Sequence[str]) -> list[StatementUnit]:
    """Infer units from runs of lines about one pair of names; a negated run belongs to the matching run before it."""
    runs = [
        [statements[i] for i in group]
        for _, group in groupby(
            range(len(statements)),
            key=lambda i: (frozenset(entities(statements[i])), denies(statements[i])),
        )
    ]
    found: list[StatementUnit] = []
    named: dict[str, int] = {}
    before: list[str] = []
    for run in runs:
        if not (before and denies(run[0]) and not denies(before[0]) and _say_the_same(before, run)):
            name = content_words(run[0], entities(run[0])) or run[0]
            named[name] = named.get(name, 0) + 1
            axiom = name if named[name] == 1 else f"{name} ({named[name]})"
        found += [StatementUnit(axiom, kind) for kind in _kinds_of_run(run)]
        before = run
    return found


def _say_the_same(affirmed: Sequence[str], denied: Sequence[str]) -> bool:
    """Return whether two runs share most content words: the conversion has several wordings of one form."""
    one, other = (
        set().union(*(_bare(line, entities(line)) for line in run)) - _LOOSE - {"not"} for run in (affirmed, denied)
    )
    return len(one & other) >= _ALIKE * len(one | other) > 0


def _kinds_of_run(run: Sequence[str]) -> list[Perturbation | None]:
    """Return the kinds of statements about one pair: A comes first in both halves of the unperturbed one."""
    first = next((entities(line)[0] for line in run if entities(line)[0] == first_named(line)), "")
    perturbation = "negation" if denies(run[0]) else "original"
    kinds: list[Perturbation | None] = []
    for line in run:
        named, subject = first_named(line), entities(line)[0]
        if not first or not named:
            kinds.append(None)
        elif named == subject:
            kinds.append(Perturbation(perturbation) if subject == first else None)
        else:
            kinds.append(Perturbation(perturbation, "conclusion" if named == first else "premise"))
    return kinds


LICENCE = "none stated"
_PAIR = re.compile(r"""\[\s*(["'])([^"']+)\1\s*,\s*(["'])([^"']+)\3\s*\]""")


def read_rica(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Read statements as clozes over the comparative of the conclusion."""
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
            # The files are aligned by line: the line number is the same, the file is not.
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
    """Report errors for this file, not for the statements."""
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
        # In alphabetical order: the position of an option gives nothing away.
        options=options,
        answer=options.index(word),
        groups={"entities": " ".join(sorted(set(entities(statement))))},
        facets={"comparative": word, **inferred_facets(statement, word), **split_of(path)},
        source=Source(file=path.name, line=number, licence=LICENCE),
    )


def _pair(raw: bytes, word: str) -> tuple[str, str]:
    """Parse the candidates of a config line, ``['more', 'less']``, one of which is the masked word."""
    match = _PAIR.fullmatch(text_of(raw).strip())
    if not match:
        raise UserError("the config line is not a list of two words", fix="write it like ['more', 'less']")
    pair = match[2], match[4]
    if word not in pair or pair[0] == pair[1]:
        raise UserError(f"the config line does not pair {word!r} with another word", fix="check the alignment")
    return pair


def _with_units(items: Sequence[Item]) -> list[Item]:
    """Set families by axiom; axioms with the same content words are one cluster."""
    statements = [item.text.replace(BLANK, item.options[item.answer or 0]) for item in items]
    statement_units = units(statements)
    contents = [content_words(statement, entities(statement)) for statement in statements]
    # A tilde sorts after every letter, so that a cluster is named by its content words.
    axioms = linked([{content, f"~{unit.axiom}"} for content, unit in zip(contents, statement_units, strict=True)])
    kinds = {(unit.axiom, unit.kind) for unit in statement_units}
    return [
        replace(
            item,
            family=unit.axiom,
            member="" if unit.kind is None else unit.kind.name,
            groups={"axiom": axiom, **item.groups},
            facets={**item.facets, **_kind_facets(unit, kinds)},
        )
        for item, unit, axiom in zip(items, statement_units, axioms, strict=True)
    ]


def _kind_facets(unit: StatementUnit, kinds: Collection[tuple[str, Perturbation | None]]) -> dict[str, str | bool]:
    """Return the facets that the position of a statement shows; a kind with exchanged names is a retest."""
    if unit.kind is None:
        return {}
    first = Perturbation(unit.kind.perturbation, "premise")
    facets: dict[str, str | bool] = {
        "perturbation": unit.kind.perturbation,
        "asymmetry": unit.kind.asymmetry,
        "retest": unit.kind.retest and (unit.axiom, first) in kinds,
    }
    return facets | ({"category": unit.category} if unit.category else {})


# What a statement shows by itself.


def other_candidate(word: str) -> str:
    """Return the opposite of a comparative, for files without a config.

    >>> other_candidate("less"), other_candidate("colder")
    ('more', 'hotter')
    """
    if word not in OPPOSITES:
        raise UserError(f"the opposite of {word!r} is unknown", fix="give a config file with the pair of each line")
    return OPPOSITES[word]


def blank(statement: str, word: str) -> str:
    """Blank the comparative of the conclusion.

    The word may also be in the premise, where it is not asked: the published scoring code masked every occurrence of
    the string.

    >>> blank("A runs more than B, so A is more fit than B", "more")
    'A runs more than B, so A is ___ fit than B'
    """
    if BLANK in statement:
        raise UserError(f"the statement already has a blank {BLANK!r}")
    spans = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", statement)]
    start = statement.rfind(CONNECTIVE)
    if start < 0 and len(spans) > 1:
        raise UserError(f"{word!r} occurs twice and there is no {CONNECTIVE!r} before the conclusion")
    in_conclusion = [span for span in spans if span[0] > start]
    if not in_conclusion:
        raise UserError(f"the word {word!r} is not in the conclusion", fix="check that the files are aligned")
    first, last = in_conclusion[0]
    return statement[:first] + BLANK + statement[last:]


def comparative(statement: str) -> str:
    """Return the comparative of the conclusion.

    >>> comparative("A is a kettle, B is a cloud, so A is not less loud than B")
    'less'
    """
    conclusion = statement.rpartition(CONNECTIVE)[2]
    word = next((word for word in words(conclusion) if word in OPPOSITES), None)
    if word is None:
        raise UserError("there is no known comparative in the conclusion", fix="repair or remove the line")
    return word


def inferred_facets(statement: str, word: str) -> dict[str, str | int]:
    """Return the facets of a statement that can be inferred from its text.

    ``perturbation``: whether the conclusion is negated. ``valence`` of the comparative. ``asymmetry``: whether the
    conclusion begins with the entity that the premise names first; otherwise premise or conclusion was reversed, and
    which one is undefined. ``rule``: whether order and negation give the word without knowledge (the entity named first
    is *more*, *not* reverses it). Compared with RICA's axioms, negation is right in all 9,054 statements and order in
    9,043. Facets that cannot be inferred are left out.

    >>> inferred_facets("zim is a cork, wob is a stone, so wob is not more likely to float than zim", "more")
    {'perturbation': 'negation', 'valence': 1, 'asymmetry': 'premise or conclusion', 'rule': 'right'}
    >>> inferred_facets("it rained, so wob came before zim", "before")
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
