"""RICA's statements from tables, knowledge bases and models: what the builder of that name takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.errors import UserError, unknown
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.core import Facet, Item, Probe
    from horsesense.lexicons.triples import Facts
    from horsesense.methods.rica.axioms import Axiom
    from horsesense.methods.rica.building import RicaPlan
    from horsesense.methods.rica.statements import Statement

PathLike = str | Path
CAP = 16
"""Most axioms about one property."""


def rica(
    strategies: Sequence[str] = (),
    perturbations: Sequence[str] = ("all",),
    entities: str = "novel",
    pairs: int | None = None,
    task: str = "masked",
    background: bool = False,
    balance: bool = True,
    tables: Sequence[PathLike] = (),
    lexicon: PathLike | None = None,
    conceptnet: Sequence[PathLike] = (),
    atomic: Sequence[PathLike] = (),
    genericskb: Sequence[PathLike] = (),
    lists: Mapping[str, PathLike] | None = None,
    shipped: bool = True,
    cap: int | None = CAP,
    tokenizer: PathLike | None = None,
    realiser: str | None = None,
    fluency: str | None = None,
    device: str = "auto",
    dtype: str = "float32",
    limit: int | None = None,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Probe:
    """Axioms from tables and knowledge bases, said in up to 24 ways about entities that nobody has heard of."""
    from horsesense.methods.audits import with_audit
    from horsesense.methods.rica.building import RicaPlan, build_rica, kinds_of
    from horsesense.methods.rica.knowledge_tables import whole_lexicon
    from horsesense.methods.rica.statements import entities_of
    from horsesense.methods.rica.strategies import Sources, strategies_of

    facts = _facts(*([Path(file) for file in files] for files in (conceptnet, atomic, genericskb)))
    sources = Sources([Path(file) for file in tables], facts, _lists(lists or {}), shipped)
    plan = RicaPlan(
        strategies=strategies or strategies_of(sources),
        sources=sources,
        lexicon=whole_lexicon(None if lexicon is None else Path(lexicon)),
        entities=entities_of(entities, pairs, seed, _words()),
        kinds=kinds_of(perturbations),
        task=task,
        background=background,
        cap=cap,
        balance=balance,
        seed=seed,
        limit=limit,
        facts=_counter(None if tokenizer is None else Path(tokenizer)),
    )
    probe = build_rica(plan) if realiser is None else _written(plan, realiser, device, dtype)
    told = probe if fluency is None else _flagged(probe, fluency, device, dtype)
    own = shipped and realiser is None and not (tables or conceptnet or atomic or genericskb or lists)
    return with_audit(told, similar=own)


def _written(plan: RicaPlan, realiser: str, device: str, dtype: str) -> Probe:
    """The probe in a model's words: told once to see which forms there are, and again with what it wrote for them."""
    from collections import Counter
    from dataclasses import replace

    from horsesense.methods.rica.building import build_rica
    from horsesense.methods.rica.proposals import write_statements
    from horsesense.methods.rica.statements import say as say_form
    from horsesense.methods.rica.statements import sayer
    from horsesense.models.load import open_local

    forms: dict[str, None] = {}

    def noted(form: Axiom) -> Statement:
        forms[str(form)] = None
        return say_form(form)

    build_rica(replace(plan, tell=noted))
    rejected: Counter[str] = Counter()
    writer = open_local(realiser, "only a sequence-to-sequence model writes statements", device=device, dtype=dtype)
    tell = sayer(write_statements(writer, list(forms)), rejected)
    probe = build_rica(replace(plan, tell=tell))
    return replace(probe, card=replace(probe.card, notes={**probe.card.notes, **rejected}))


def _flagged(probe: Probe, fluency: str, device: str, dtype: str) -> Probe:
    """The probe with a facet that says which statements a language model finds odd."""
    from dataclasses import replace

    from horsesense.core import fill_blank
    from horsesense.methods.rica.proposals import odd_texts
    from horsesense.models.load import open_model

    def right(item: Item) -> str:
        option = item.options[item.answer or 0]
        return fill_blank(item.text, option) if item.form == "cloze" else item.text or option

    odd = odd_texts(open_model(fluency, device=device, dtype=dtype), list(dict.fromkeys(map(right, probe.items))))
    items = [replace(item, facets={**item.facets, "odd": odd[right(item)]}) for item in probe.items]
    count = sum(item.facets["odd"] is True for item in items)
    return replace(probe, items=items, card=replace(probe.card, notes={**probe.card.notes, "reads oddly": count}))


def _facts(conceptnet: Sequence[Path], atomic: Sequence[Path], genericskb: Sequence[Path]) -> dict[str, Facts]:
    from horsesense.lexicons.atomic import read_atomic
    from horsesense.lexicons.conceptnet import read_conceptnet
    from horsesense.lexicons.genericskb import read_generics

    facts = {}
    if conceptnet:
        facts["conceptnet"] = read_conceptnet(conceptnet)
    if atomic:
        facts["atomic"] = read_atomic(atomic)
    if genericskb:
        facts["genericskb"] = read_generics(genericskb)
    return facts


def _words() -> frozenset[str]:
    """What novel entities must not be: words that WordNet knows."""
    from horsesense.lexicons.wordnet import read_words
    from horsesense.lexicons.wordnet_source import find_wordnet

    folder = find_wordnet()
    return frozenset() if folder is None else read_words(folder)


def _lists(files: Mapping[str, PathLike]) -> dict[str, Sequence[str]]:
    from horsesense.methods.rica.knowledge_tables import LISTS, read_list

    for name in files:
        if name not in LISTS:
            raise unknown("list", name, LISTS)
    return {name: read_list(Path(file)) for name, file in files.items()}


def _counter(tokenizer: Path | None) -> Callable[[Mapping[str, str]], dict[str, Facet]]:
    """Facets of a pair of names: their letters, and their tokens where a tokenizer is given."""
    if tokenizer is None:
        return lambda pair: {"entity_letters": sum(map(len, pair.values()))}
    from tokenizers import Tokenizer

    if not tokenizer.is_file():
        raise UserError("no such file", file=tokenizer, fix="give a tokenizer.json")
    try:
        splitter = Tokenizer.from_file(str(tokenizer))
    except Exception as error:  # the library raises nothing narrower
        raise UserError("this is not a tokenizer", file=tokenizer, fix="give a tokenizer.json") from error

    splitter.no_padding()
    splitter.no_truncation()

    def count(pair: Mapping[str, str]) -> dict[str, Facet]:
        # After a space, as in the middle of a sentence.
        tokens = [len(splitter.encode(f" {name}", add_special_tokens=False).ids) for name in pair.values()]
        return {"entity_letters": sum(map(len, pair.values())), "entity_tokens": sum(tokens)}

    return count
