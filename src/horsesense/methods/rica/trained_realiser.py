"""Statements written by a model (section 2.2, stage 5): pairs to train one, its texts, and odd texts that it flags.

The paper trains BART on 200 pairs of logical form and text. Here a causal model continues `FRAME` after training on
`write_pairs`, and a sequence-to-sequence model gets the form alone. All texts are proposals: `statement_of` checks each
against its form, and oddness is a facet that drops nothing.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import Annotated

import numpy as np
from annotated_types import Ge

from horsesense.core import BLANK, Card, Item, Probe, ScoringSpec, fill_blank, write_probe
from horsesense.core.catalogue import as_probe
from horsesense.core.document import Document
from horsesense.errors import UserError, translate_errors
from horsesense.lexicons.words import FUNCTION_WORDS
from horsesense.methods.rica.axioms import (
    Axiom,
    Comp,
    Not,
    opposite,
    plain,
)
from horsesense.methods.rica.english_statements import ENTITY, Statement, say
from horsesense.methods.rica.notation import parse_form
from horsesense.methods.rica.published_axioms import read_rica_axioms
from horsesense.methods.rica.published_statements import LICENCE
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.load import load_model, open_local
from horsesense.models.protocol import Model, Sampling, Turn
from horsesense.scoring.texts import score_texts
from horsesense.stats import Estimate, accuracy

FRAME = "{form}. In words:"
"""Text that a causal realiser continues with a statement."""

# Statements written by a model.


def statement_of(text: str, form: Axiom) -> Statement | None:
    """Parse a statement and check it against its form; None if it does not fit.

    It needs a premise and a conclusion with the right entities, the comparative once after *so*, a *not* exactly if the
    form has one, and the words of the form that the grammar uses too. A ``*`` is part of a form and never of a text.

    >>> from horsesense.methods.rica.notation import parse_form
    >>> form = parse_form("boss(A, B), so not Less(strict(A), strict(B))")
    >>> statement_of("A bosses B around, so A is not less strict than B.", form).before
    'A is not '
    >>> statement_of("A bosses B around, so A is less strict than B.", form) is None
    True
    >>> statement_of("A is a B, so A is not less strict than B.", form) is None
    True
    """
    premise, so, conclusion = text.strip().rstrip(".").rpartition(", so ")
    denied = isinstance(form.conclusion, Not)
    term = form.conclusion.term if isinstance(form.conclusion, Not) else form.conclusion
    assert isinstance(term, Comp)
    word = plain(term.word).lower()
    comparatives = re.findall(rf"\b{word}\b", conclusion)
    has_not = bool(re.search(r"\b(?:not|cannot|never)\b|n't\b", conclusion))
    grammar = say(form)
    same_entities = all(
        set(ENTITY.findall(written)) == set(ENTITY.findall(expected))
        for written, expected in ((premise, grammar.premise), (conclusion, grammar.conclusion))
    )
    lost = (_stems(str(form)) & _stems(grammar.text)) - _stems(text)
    fits = len(comparatives) == 1 and has_not == denied and same_entities and not lost and "*" not in text
    if not so or not fits or not conclusion.startswith(term.left.entity):
        return None
    before, _, after = conclusion.partition(word)
    return Statement(premise, before, word, opposite(word), after)


def _stems(text: str) -> set[str]:
    """Return the beginnings of the content words."""
    return {word[:4] for word in re.findall(r"[a-z]{3,}", text.lower()) if word not in FUNCTION_WORDS}


def words_of_model(written: Mapping[str, str], rejected: Counter[str]) -> Callable[[Axiom], Statement]:
    """Return a function that words a form as written by a model, or by the grammar if that does not fit."""

    def say_as_written(form: Axiom) -> Statement:
        text = written.get(str(form), "")
        statement = statement_of(text, form) if text else None
        if statement is None:
            rejected["realiser: what it wrote does not fit the form; the grammar's words were taken"] += 1
            return say(form)
        return statement

    return say_as_written


BATCH = 32
LONGEST = 96
FAR = 3.5
"""Robust z above which a text is an outlier (Iglewicz and Hoaglin, 1993)."""
MISFITS = 5


def write_statements(model: LanguageModel, forms: Sequence[str]) -> dict[str, str]:
    """Generate a statement for each form, greedily.

    The model has to be fine-tuned on pairs of form and text.
    """
    if model.family.encoder_decoder:
        return _translated(model, forms)
    if not model.can("text"):
        raise UserError(
            f"{model.name} is {model.family}, which cannot write text",
            fix="give a causal or sequence-to-sequence model",
        )
    turns = [Turn(FRAME.format(form=form)) for form in forms]
    replies = model.continuations(turns, Sampling(tokens=LONGEST))
    return {form: _first_sentence(reply[0].text) for form, reply in zip(forms, replies, strict=True)}


def _translated(model: LanguageModel, forms: Sequence[str]) -> dict[str, str]:
    import torch

    written: dict[str, str] = {}
    for start in range(0, len(forms), BATCH):
        batch = list(forms[start : start + BATCH])
        encoded = model.tokenizer(batch, return_tensors="pt", padding=True, truncation=True, max_length=model.window)
        ids, mask = encoded["input_ids"].to(model.device), encoded["attention_mask"].to(model.device)
        with torch.inference_mode():
            longest = min(LONGEST, model.window)
            out = model.network.generate(
                input_ids=ids, attention_mask=mask, max_new_tokens=longest, do_sample=False, num_beams=1
            )
        written |= dict(zip(batch, model.tokenizer.batch_decode(out, skip_special_tokens=True), strict=True))
    return written


def _first_sentence(text: str) -> str:
    r"""Return a causal model's statement: it was trained up to the full stop, and writes on after it.

    >>> _first_sentence(" A is B's boss, so A is more strict than B. A is")
    "A is B's boss, so A is more strict than B."
    """
    first, stop, _ = text.strip().partition("\n")[0].partition(".")
    return first + stop


def open_realiser(name: str, *, device: str = "auto", dtype: str = "float32") -> LanguageModel:
    """Load a model that writes statements."""
    return open_local(name, "only a model that is trained on forms writes statements", device=device, dtype=dtype)


# Pairs of form and text, and how a writer words them.


@dataclass(frozen=True, slots=True)
class RealiserPairs(Document):
    """Pairs to train a realiser on, and pairs to test it on."""

    train: Path
    """File of the training pairs."""
    test: Path
    """File of the test pairs; they share no axiom with the training pairs."""
    trained: int
    """Number of training pairs."""
    tested: int
    """Number of test pairs."""
    cells: int
    """Number of kinds of premise and perturbation among the training pairs."""


@translate_errors()
def write_pairs(
    file: str | Path, *, out: str | Path, number: Annotated[int, Ge(1)] = 200, seed: Annotated[int, Ge(0)] = 0
) -> RealiserPairs:
    """Write pairs of logical form and published statement: some to train a realiser on, and as many to test it.

    A pair is a cloze whose options are the statement and that of another perturbation. Training pairs take every kind
    of premise and perturbation in turn, as in the paper; test pairs are drawn at random from other axioms, one each.

    Args:
        file: Published axioms (RICA_10k_axiom2set.jsonl), plain or gzipped.
        out: Folder for train.jsonl and test.jsonl.
        number: Number of pairs in each file.
        seed: Random seed.

    Returns:
        The files.
    """
    pairs = _pairs(read_rica_axioms([Path(file)]).items)
    train = _in_turn(pairs, number, seed)
    axioms = {pair.groups["axiom"] for pair in train}
    others = [pair for pair in _one_per_axiom(pairs, seed) if pair.groups["axiom"] not in axioms][:number]
    if not others:
        raise UserError("no axiom is left to test on", file=Path(file), fix="ask for fewer pairs")
    files = {"train": Path(out) / "train.jsonl", "test": Path(out) / "test.jsonl"}
    for name, chosen in (("train", train), ("test", others)):
        card = Card(
            name="rica-pairs",
            method="rica",
            licence=LICENCE,
            made=f"Logical forms of RICA and their published statements, to {name} a realiser.",
            group="axiom",
            seed=seed,
        )
        write_probe(files[name], Probe.of(chosen, card))
    return RealiserPairs(files["train"], files["test"], len(train), len(others), len(set(map(_cell, train))))


def _pairs(items: Sequence[Item]) -> list[Item]:
    """Return a cloze for each form that has a statement of its own."""
    families = defaultdict[str, list[Item]](list)
    for item in items:
        families[item.family].append(item)
    pairs = []
    for family in families.values():
        texts = [_statement(item) for item in family]
        for i, item in enumerate(family):
            wrong = next((text for text in texts[i + 1 :] + texts[:i] if text != texts[i]), None)
            if wrong is None or _worded(_form(item)) is None:
                continue
            options = tuple(sorted((texts[i], wrong)))
            text = f"{FRAME.format(form=_form(item))} {BLANK}"
            answer = options.index(texts[i])
            pairs.append(replace(item, probe="rica-pairs", text=text, options=options, answer=answer))
    return pairs


def _statement(item: Item) -> str:
    return fill_blank(item.text, item.options[item.answer or 0]).strip().rstrip(".") + "."


def _worded(form: str) -> str | None:
    """Return the statement of the grammar; None for a damaged form, such as one with the comparative *Aetter*."""
    try:
        return say(parse_form(form)).text
    except UserError:
        return None


def _cell(pair: Item) -> tuple[str, str]:
    return str(pair.facets["template"]), pair.member


def _one_per_axiom(pairs: Sequence[Item], seed: int) -> list[Item]:
    mixed = sorted(pairs, key=lambda pair: pair.id)
    random.Random(seed).shuffle(mixed)
    return list({pair.groups["axiom"]: pair for pair in mixed}.values())


def _in_turn(pairs: Sequence[Item], number: int, seed: int) -> list[Item]:
    """Return up to ``number`` pairs of as many axioms: one of each kind of premise and perturbation, then another."""
    cells = defaultdict[tuple[str, str], list[Item]](list)
    mixed = sorted(pairs, key=lambda pair: pair.id)
    random.Random(seed).shuffle(mixed)
    for pair in mixed:
        cells[_cell(pair)].append(pair)
    chosen: dict[str, Item] = {}
    for cell in cycle(sorted(cells)):
        if len(chosen) == number or not any(cells.values()):
            break
        while cells[cell]:
            pair = cells[cell].pop()
            if pair.groups["axiom"] not in chosen:
                chosen[pair.groups["axiom"]] = pair
                break
    return list(chosen.values())


@dataclass(frozen=True, slots=True)
class WriterWording(Document):
    """How one writer words the forms of a probe."""

    writer: str
    """The grammar, or the name of a model."""
    same: Estimate
    """Share of texts that are the published ones, apart from case and the final full stop."""
    fits: Estimate
    """Share of texts that `build rica --realiser` accepts for their form."""
    misfits: Sequence[str]
    """Some texts that do not fit, each after its form."""


@dataclass(frozen=True, slots=True)
class WordingComparison(Document):
    """How the grammar and realisers word the same forms."""

    forms: int
    """Number of forms."""
    damaged: int
    """Number of forms that are left out because they cannot be parsed."""
    writers: Sequence[WriterWording]
    """The published statements, the grammar and each realiser."""


@translate_errors()
def compare_wording(
    probe: Probe | str | Path,
    *,
    realisers: Sequence[str] = (),
    limit: Annotated[int, Ge(1)] | None = None,
    device: str = "auto",
) -> WordingComparison:
    """Compare the published statements of logical forms with those of the grammar and of realisers.

    Args:
        probe: Pairs written by ``rica pairs``, or published axioms (``import rica-axioms``). In Python, also a `Probe`.
        realisers: Model that writes statements.
        limit: Maximum number of forms, from the first on.
        device: Device of the models.

    Returns:
        How many texts equal the published one, and how many fit their form.
    """
    items = [item for item in as_probe(probe).items if item.source.id][:limit]
    by_grammar = {form: text for form in map(_form, items) if (text := _worded(form)) is not None}
    published = {_form(item): _published(item) for item in items if _form(item) in by_grammar}
    axioms = {_form(item): item.groups["axiom"] for item in items if _form(item) in by_grammar}
    if not published:
        raise UserError("no item has a logical form", fix="give pairs of `rica pairs`, or import rica-axioms")
    forms = list(published)
    written = {"published": published, "grammar": by_grammar}
    for name in realisers:
        model = open_realiser(name, device=device)
        written[model.name] = write_statements(model, forms)
    return WordingComparison(
        len(forms),
        len(set(map(_form, items))) - len(forms),
        [_wording(writer, texts, published, list(axioms.values())) for writer, texts in written.items()],
    )


def _form(item: Item) -> str:
    return item.source.id.strip()


def _published(item: Item) -> str:
    text = fill_blank(item.text, item.options[item.answer or 0])
    return text.removeprefix(FRAME.format(form=_form(item))).strip()


def _wording(
    writer: str, texts: Mapping[str, str], published: Mapping[str, str], units: Sequence[str]
) -> WriterWording:
    def plainly(text: str) -> str:
        return text.strip().rstrip(".").lower()

    same = [float(plainly(texts[form]) == plainly(published[form])) for form in texts]
    fits = [statement_of(texts[form], parse_form(form)) is not None for form in texts]
    misfits = [f"{form}: {texts[form]}" for form, fit in zip(texts, fits, strict=True) if not fit]
    share = np.array(fits, dtype=np.float64)
    return WriterWording(writer, accuracy(np.array(same), units), accuracy(share, units), misfits[:MISFITS])


# Odd texts.


def flag_odd_items(probe: Probe, model: str, device: str, dtype: str) -> Probe:
    """Add the facet ``odd`` to items whose statement a language model finds odd."""

    def statement(item: Item) -> str:
        option = item.options[item.answer or 0]
        return fill_blank(item.text, option) if item.form == "cloze" else item.text or option

    texts = list(dict.fromkeys(map(statement, probe.items)))
    odd = odd_texts(load_model(model, device=device, dtype=dtype), texts)
    items = [replace(item, facets={**item.facets, "odd": odd[statement(item)]}) for item in probe.items]
    count = sum(item.facets["odd"] is True for item in items)
    return replace(probe, items=items, card=replace(probe.card, notes={**probe.card.notes, "reads oddly": count}))


def odd_texts(model: Model, texts: Sequence[str]) -> dict[str, bool]:
    """Return which texts a language model finds odd: far below the median of mean log-probability."""
    means = np.array([text.mean for text in score_texts(model, texts, ScoringSpec())])
    return dict(zip(texts, outliers(means), strict=True))


def outliers(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[bool]:
    """Return which values are far below the median.

    >>> outliers(np.array([-3.0, -3.1, -2.9, -3.2, -9.0]))
    [False, False, False, False, True]
    """
    middle = np.median(values)
    spread = np.median(np.abs(values - middle))
    if spread == 0:
        return [bool(value < middle) for value in values]
    return [bool(0.6745 * (middle - value) / spread > FAR) for value in values]
