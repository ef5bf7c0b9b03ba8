"""RICA: inferences about novel entities, as a comparative to be filled in.

Zhou et al., "RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms" (EMNLP 2021).
Files aligned by line: statements, the word to mask in each, and (for some) the pair of candidates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from horsesense.errors import UserError
from horsesense.probes.released.conclusion import CONNECTIVE, blank, entities, frame, opposite, perturbed
from horsesense.probes.released.linking import linked
from horsesense.probes.released.reading import Reading, names_of, split_of, text_of
from horsesense.records import Card, Item, Probe, Source

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
    reading.items = _with_axioms(reading.items)
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
    options = tuple(sorted(pair or (word, opposite(word))))
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
        family=" ".join(sorted(entities(statement))),
        facets={"comparative": word, **perturbed(statement, word), **split_of(path)},
        source=Source(file=path.name, line=number, licence=LICENCE),
    )


def _pair(raw: bytes, word: str) -> tuple[str, str]:
    """The candidates of a config line, ``['more', 'less']``, one of which is the masked word."""
    found = _PAIR.fullmatch(text_of(raw).strip())
    if not found:
        raise UserError("the config line is not a list of two words", fix="write it like ['more', 'less']")
    pair = found[2], found[4]
    if word not in pair or pair[0] == pair[1]:
        raise UserError(f"the config line does not set {word!r} against another word", fix="check the alignment")
    return pair


def _with_axioms(items: Sequence[Item]) -> list[Item]:
    """The release does not number its axioms: statements of one axiom share their entities or their content words."""
    statements = [item.text.replace("___", item.options[item.answer or 0]) for item in items]
    frames = [frame(statement, entities(statement)) for statement in statements]
    # A tilde sorts after every letter, so a unit is named by a frame and never by its made-up entities.
    keys = [{key, f"~{item.family}"} for key, item in zip(frames, items, strict=True)]
    axioms = linked(keys)
    return [replace(item, groups={"axiom": axiom}) for item, axiom in zip(items, axioms, strict=True)]
