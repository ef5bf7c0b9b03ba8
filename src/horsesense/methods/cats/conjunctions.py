"""Conjunction acceptability: the right sentence of a Winograd schema compared with itself under another conjunction.

CATs, section "Conjunction Acceptability (CA)". The paper replaced conjunctions by hand; here a rule uses
the replacements that are most frequent in the published set, so its pairs are proposals for people to check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from horsesense.core import Facet, Item, Probe
from horsesense.data import shipped_toml
from horsesense.errors import UserError, translate_errors
from horsesense.methods.cats.step_accuracy import Word, joins, steps, words_of


def conjunctions() -> dict[str, dict[str, str]]:
    """Return the five conjunctions, each with its relation and its replacement."""
    return shipped_toml(Path(__file__).with_name("conjunctions.toml"))


def conjunction_facets(right: str, wrong: str) -> dict[str, Facet]:
    """Return the conjunction of the right sentence, its relation, and its replacement in the wrong one.

    Empty where the two sentences do not differ by one conjunction alone.

    >>> conjunction_facets("It fell because he pushed.", "It fell and he pushed.")
    {'conjunction': 'because', 'relation': 'cause and effect', 'replacement': 'and'}
    """
    right_words, wrong_words = words_of(right), words_of(wrong)
    changed = [
        (a.text.lower(), b.text.lower()) for a, b in zip(right_words, wrong_words, strict=False) if a.text != b.text
    ]
    if len(right_words) != len(wrong_words) or len(changed) != 1 or not set(changed[0]) <= set(conjunctions()):
        return {}
    conjunction, replacement = changed[0]
    relation = conjunctions()[conjunction]["relation"]
    return {"conjunction": conjunction, "relation": relation, "replacement": replacement}


def find_conjunctions(sentence: str) -> list[Word]:
    """Return those of the five conjunctions that join clauses, and so can be replaced.

    >>> [word.text for word in find_conjunctions("The jar and the cup fell, but the cup held.")]
    ['but']
    """
    words = words_of(sentence)
    return [word for index, word in enumerate(words) if index and word.text in conjunctions() and joins(words, index)]


def replaced(sentence: str, word: Word) -> str:
    """Return the sentence with the other conjunction."""
    return sentence[: word.start] + conjunctions()[word.text]["instead"] + sentence[word.end :]


def make_conjunctions(items: Sequence[Item]) -> tuple[list[Item], int]:
    """Return one pair per conjunction of each right sentence, and the number of schemas without one.

    The right sentence is first and second in turn, so that position gives nothing away. Twins with the same right
    sentence give the same pairs, which are built once.
    """
    pairs: dict[str, Item] = {}
    without = 0
    for schema in items:
        if schema.answer is None or schema.form != "sentences":
            raise UserError(f"{schema.id} has no right sentence", fix="give a probe of Winograd schemas")
        right = schema.options[schema.answer]
        words = find_conjunctions(right)
        without += not words
        for word in words:
            wrong = replaced(right, word)
            if (right + wrong) in pairs:
                continue
            answer = len(pairs) % 2
            options = (wrong, right) if answer else (right, wrong)
            facets = {name: value for name, value in schema.facets.items() if name in ("names", "split")}
            pairs[right + wrong] = replace(
                schema,
                probe="cats",
                options=options,
                answer=answer,
                facets={
                    **facets,
                    "task": "ca",
                    "status": "proposed",
                    "steps": steps(right),
                    **conjunction_facets(right, wrong),
                },
                source=replace(schema.source, id=schema.id, file=schema.source.file or schema.probe),
            )
    return list(pairs.values()), without


def conjunction_probe(schemas: Probe) -> Probe:
    """Build the set ``ca`` from Winograd schemas."""
    items, without = make_conjunctions(schemas.items)
    if not items:
        raise UserError("no right sentence joins clauses by because, before, when, but or and", fix="give other ones")
    card = replace(
        schemas.card,
        name="cats-ca",
        method="cats",
        made=f"Made from {schemas.card.name} by rule: a conjunction of the right sentence is replaced. "
        "Keys are proposed: of 40 pairs that were read, 7 had a second sentence that was as good.",
        normalise="mean",
        notes={},
        human=(),
    )
    return Probe.of(items, card, {"schemas without a conjunction": without} if without else {})


@translate_errors()
def build_conjunctions(probe: Probe | str | Path) -> Probe:
    """Build pairs of a correct sentence and the same sentence with another conjunction, from Winograd schemas.

    Args:
        probe: Name or file of a probe of Winograd schemas as sentences. In Python, also a `Probe`.

    Returns:
        The probe of pairs.
    """
    from horsesense.core.catalogue import as_probe

    schemas = as_probe(probe)
    try:
        return conjunction_probe(schemas)
    except UserError as error:
        raise (error if isinstance(probe, Probe) else error.at(probe)) from None
