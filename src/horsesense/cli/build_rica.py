"""``horsesense build rica``: statements about novel entities, balanced so that their shape gives nothing away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, say
from horsesense.cli.rica import LexiconFile, lexicon_of
from horsesense.cli.written import Limit, Out, Seed, write_built
from horsesense.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from horsesense.knowledge.triples import Facts
    from horsesense.methods.rica.axioms import Axiom
    from horsesense.methods.rica.building import RicaPlan
    from horsesense.methods.rica.statements import Statement
    from horsesense.records import Facet, Item, Probe

Strategies = Annotated[
    list[str] | None,
    typer.Option("--strategy", help="material, grade, location, animal, role, … (see docs/rica.md); repeatable [all]."),
]
Kinds = Annotated[
    list[str] | None, typer.Option("--perturbations", help="all, released, a perturbation or one kind; repeatable.")
]


def rica(
    out: Out,
    strategy: Strategies = None,
    perturbations: Kinds = None,
    entities: Annotated[str, typer.Option(help="novel, names, letters, or a file with a name a line.")] = "novel",
    pairs: Annotated[int | None, typer.Option(min=1, help="Pairs of entities a statement [1; 3 of names].")] = None,
    task: Annotated[str, typer.Option(help="masked, sentences or entailment.")] = "masked",
    background: Annotated[bool, typer.Option("--background", help="Ask with the fact told outright too.")] = False,
    unbalanced: Annotated[
        bool, typer.Option("--unbalanced", help="Take all axioms; shape may give answers away.")
    ] = False,
    table: Annotated[list[Path] | None, typer.Option(help="A table of one's own; repeatable.")] = None,
    lexicon: LexiconFile = None,
    conceptnet: Annotated[list[Path] | None, typer.Option(help="A file of ConceptNet; repeatable.")] = None,
    atomic: Annotated[list[Path] | None, typer.Option(help="A file of ATOMIC; repeatable.")] = None,
    names: Annotated[
        list[str] | None, typer.Option("--list", help="NAME=FILE: take animals, materials, … from this; repeatable.")
    ] = None,
    no_shipped: Annotated[bool, typer.Option("--no-shipped", help="Leave out the tables that ship.")] = False,
    tokenizer: Annotated[Path | None, typer.Option(help="A tokenizer.json: count the tokens of entities.")] = None,
    realiser: Annotated[
        str | None, typer.Option(help="A sequence-to-sequence model that writes the statements.")
    ] = None,
    fluency: Annotated[
        str | None, typer.Option(help="A language model that flags statements which read oddly.")
    ] = None,
    limit: Limit = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Axioms from tables and knowledge bases, said in up to 24 ways about entities that nobody has heard of."""
    from horsesense.methods.rica.building import RicaPlan, build_rica, kinds_of
    from horsesense.methods.rica.statements import entities_of
    from horsesense.methods.rica.strategies import Sources, strategies_of

    facts = _facts(conceptnet or [], atomic or [])
    sources = Sources(table or [], facts, _lists(names or []), not no_shipped)
    plan = RicaPlan(
        strategies=strategy or strategies_of(sources),
        sources=sources,
        lexicon=lexicon_of(lexicon),
        entities=entities_of(entities, pairs, seed, _words()),
        kinds=kinds_of(perturbations or ["all"]),
        task=task,
        background=background,
        balance=not unbalanced,
        seed=seed,
        limit=limit,
        facts=_counter(tokenizer),
    )
    probe = build_rica(plan) if realiser is None else _written(plan, realiser)
    if limit is not None and len(probe.items) > limit:
        say(f"{len(probe.items)} items belong together, more than --limit {limit}; --unbalanced tears them apart")
    write_built(out, probe if fluency is None else _flagged(probe, fluency), json)


def _written(plan: RicaPlan, realiser: str) -> Probe:
    """The probe in a model's words: told once to see which forms there are, and again with what it wrote for them."""
    from collections import Counter
    from dataclasses import replace

    from horsesense.methods.rica.building import build_rica
    from horsesense.methods.rica.proposals import write_statements
    from horsesense.methods.rica.statements import say as say_form
    from horsesense.methods.rica.statements import sayer
    from horsesense.models.local.load import load_model

    forms: dict[str, None] = {}

    def noted(form: Axiom) -> Statement:
        forms[str(form)] = None
        return say_form(form)

    build_rica(replace(plan, tell=noted))
    rejected: Counter[str] = Counter()
    tell = sayer(write_statements(load_model(realiser), list(forms)), rejected)
    probe = build_rica(replace(plan, tell=tell))
    return replace(probe, card=replace(probe.card, notes={**probe.card.notes, **rejected}))


def _flagged(probe: Probe, fluency: str) -> Probe:
    """The probe with a facet that says which statements a language model finds odd."""
    from dataclasses import replace

    from horsesense.methods.rica.proposals import odd_texts
    from horsesense.models.local.load import load_model
    from horsesense.records import fill_blank

    def right(item: Item) -> str:
        option = item.options[item.answer or 0]
        return fill_blank(item.text, option) if item.form == "cloze" else item.text or option

    odd = odd_texts(load_model(fluency), list(dict.fromkeys(map(right, probe.items))))
    items = [replace(item, facets={**item.facets, "odd": odd[right(item)]}) for item in probe.items]
    count = sum(item.facets["odd"] is True for item in items)
    return replace(probe, items=items, card=replace(probe.card, notes={**probe.card.notes, "reads oddly": count}))


def _facts(conceptnet: Sequence[Path], atomic: Sequence[Path]) -> dict[str, Facts]:
    from horsesense.knowledge.atomic import read_atomic
    from horsesense.knowledge.conceptnet import read_conceptnet

    facts = {}
    if conceptnet:
        facts["conceptnet"] = read_conceptnet(conceptnet)
    if atomic:
        facts["atomic"] = read_atomic(atomic)
    return facts


def _words() -> frozenset[str]:
    """What novel entities must not be: words that WordNet knows."""
    from horsesense.knowledge.wordnet import read_words
    from horsesense.knowledge.wordnet_source import find_wordnet

    folder = find_wordnet()
    return frozenset() if folder is None else read_words(folder)


def _lists(given: Sequence[str]) -> dict[str, Sequence[str]]:
    from horsesense.errors import unknown
    from horsesense.methods.rica.knowledge_tables import LISTS, read_list

    lists: dict[str, Sequence[str]] = {}
    for each in given:
        name, equals, file = each.partition("=")
        if not equals:
            raise UserError(f"--list {each!r} is not NAME=FILE", fix="write it like animals=animals.json")
        if name not in LISTS:
            raise unknown("list", name, LISTS)
        lists[name] = read_list(Path(file))
    return lists


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
