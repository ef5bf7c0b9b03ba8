"""What `build` makes, a function a builder: from knowledge, files and other probes to a probe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from horsesense.core import Probe, probe_name, read_probe
from horsesense.errors import UserError, argument, unknown
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.methods.partwhole.pairs import Modifiers, Pairs

PathLike = str | Path
Read = TypeVar("Read")


def conjunctions(probe: Probe | PathLike) -> Probe:
    """Pairs of a right sentence and the same with another conjunction (CATs), from Winograd schemas."""
    from horsesense.methods.cats.conjunctions import conjunction_probe

    return _of_probe(conjunction_probe, probe)


def duals(
    probe: Probe | PathLike | Sequence[Probe | PathLike],
    operators: Sequence[str] = (),
    statuses: Sequence[str] = (),
    each: int | None = None,
    seed: int = 0,
) -> Probe:
    """Dual instances (CATs): the same question after one edit, with what its key rests on.

    ``probe`` is one or several probes of pairs; the name ``orders`` stands for our own pairs of total orders.
    ``operators`` are insert-negation, remove-negation, opposite, converse, swap-arguments, exchange-names and twins;
    ``statuses`` proved, asserted and proposed. Of each method at most ``each`` pairs, balanced over the probes.
    """
    from horsesense.methods.cats.duals import DualPlan, make_duals
    from horsesense.methods.cats.orders import NAME, orders_probe

    plan = DualPlan(tuple(operators), tuple(statuses), each, seed)
    given = [probe] if isinstance(probe, Probe | str | Path) else list(probe)
    known = [
        one if isinstance(one, Probe) else orders_probe(None, seed) if str(one) == NAME else _named(one)
        for one in given
    ]
    try:
        return make_duals(known, plan)
    except UserError as error:
        files = [one for one in given if not isinstance(one, Probe)]
        raise (error.at(files[0]) if files else error) from None


def _named(file: PathLike) -> Probe:
    """A probe called after its file, so that sources can be told apart: all sets of a release share a card's name."""
    probe = read_probe(file)
    return replace(probe, card=replace(probe.card, name=probe_name(Path(file))))


def _of_probe(make: Callable[[Probe], Probe], probe: Probe | PathLike) -> Probe:
    """What is made of another probe; what is wrong with that is told with its file."""
    if isinstance(probe, Probe):
        return make(probe)
    known = read_probe(probe)
    try:
        return make(known)
    except UserError as error:
        raise error.at(probe) from None


def winoventi(
    schemas: PathLike,
    machine: bool = False,
    skip_bad: bool = False,
    unchecked: bool = False,
    limit: int | None = None,
    seed: int = 0,
    as_paper: bool = False,
) -> Probe:
    """Pairs of texts that differ in one word, each with its own outcome.

    ``schemas`` is a table with noun, generic, exception and premise, or the folder of a pipeline.
    """
    from horsesense.methods.winoventi.building import build_winoventi
    from horsesense.methods.winoventi.checks import CheckedSchema, check_schema
    from horsesense.methods.winoventi.nouns import Noun, is_plural
    from horsesense.methods.winoventi.triplet_files import read_schemas

    source = Path(schemas)
    path = source / "schemas.tsv" if source.is_dir() else source
    if source.is_dir() and not path.is_file():
        raise UserError("the folder has no schemas.tsv", file=source, fix="run: horsesense winoventi make … to its end")
    read, skipped = read_schemas(path, skip_bad=skip_bad)

    def checked(schema: CheckedSchema) -> CheckedSchema:
        noun = schema.schema.triplet.noun
        objections = check_schema(schema.schema, Noun(noun, is_plural(noun))).objections
        return replace(schema, objections=tuple(dict.fromkeys((*schema.objections, *objections))))

    # A run's folder has its objections already; a table of one's own gets those that need no model.
    known = read if source.is_dir() else [checked(each) for each in read]
    probe = build_winoventi(known, machine=machine, literal=as_paper, keep_objections=unchecked, limit=limit, seed=seed)
    notes = {"bad lines skipped": len(skipped)} if skipped else {}
    return replace(Probe.of(probe.items, probe.card, notes), skipped=skipped)


def partwhole(
    relationships: PathLike | None = None,
    relation_counts: PathLike | None = None,
    wordnet: bool = False,
    conceptnet: Sequence[PathLike] = (),
    genericskb: Sequence[PathLike] = (),
    attributes: PathLike | None = None,
    ngrams: Sequence[PathLike] = (),
    text: Sequence[PathLike] = (),
    predicates: Sequence[str] = ("have",),
    aliases: PathLike | None = None,
    fewest: int = 3,
    commonest: int = 5,
    colours: int = 1,
    without: Sequence[str] = (),
    released: PathLike | None = None,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Probe:
    """Candidates: what has which part, and what is said of it that is said of the part too. Nobody has judged them."""
    from horsesense.methods.partwhole.building import CandidatePlan, build_partwhole, read_candidates
    from horsesense.methods.partwhole.pairs import HAS, read_aliases
    from horsesense.methods.partwhole.rules import SWITCHES, Rules

    for name in without:
        if name not in SWITCHES:
            raise unknown("rule", name, SWITCHES)
    for name in predicates:
        if name not in HAS:
            raise unknown("kind of predicate", name, HAS)
    other_names = read_aliases(Path(aliases)) if aliases else {}
    readers = _pair_readers(
        _path(relationships),
        _path(relation_counts),
        wordnet,
        [Path(file) for file in conceptnet],
        [Path(file) for file in genericskb],
        predicates,
        other_names,
    )
    pairs = [_read_next(progress, "pairs", n, readers) for n in range(len(readers))]
    if not pairs:
        raise UserError(
            "no source of pairs is given",
            fix=f"give {argument('relation_counts', 'FILE')}, {argument('wordnet')}, "
            f"{argument('conceptnet', 'FILE')} …",
        )
    nouns = {noun for each in pairs for pair in each.counts for noun in pair}
    sources = _modifier_readers(
        _path(attributes), [Path(file) for file in ngrams], [Path(file) for file in text], nouns, other_names
    )
    modifiers = [_read_next(progress, "adjectives", n, sources) for n in range(len(sources))]
    plan = CandidatePlan(
        pairs=pairs,
        modifiers=modifiers,
        rules=Rules(frozenset(without), fewest, commonest, colours),
        released=read_candidates(Path(released)) if released else (),
        limit=limit,
        seed=seed,
    )
    return build_partwhole(plan)


def _path(file: PathLike | None) -> Path | None:
    return None if file is None else Path(file)


def _read_next(progress: Progress, stage: str, number: int, readers: Sequence[Callable[[], Read]]) -> Read:
    progress.update(stage, number, len(readers))
    return readers[number]()


def _pair_readers(
    relationships: Path | None,
    counts: Path | None,
    wordnet: bool,
    conceptnet: Sequence[Path],
    genericskb: Sequence[Path],
    kinds: Sequence[str],
    aliases: Mapping[str, str],
) -> list[Callable[[], Pairs]]:
    from functools import partial

    from horsesense.methods.partwhole.pairs import (
        conceptnet_pairs,
        genericskb_pairs,
        read_relation_counts,
        read_relationships,
        wordnet_pairs,
    )

    readers: list[Callable[[], Pairs]] = []
    if relationships:
        readers.append(partial(read_relationships, relationships, kinds, aliases))
    if counts:
        readers.append(partial(read_relation_counts, counts, kinds, aliases))
    if wordnet:
        readers.append(wordnet_pairs)
    if conceptnet:
        readers.append(partial(conceptnet_pairs, conceptnet))
    if genericskb:
        readers.append(partial(genericskb_pairs, genericskb))
    return readers


def _modifier_readers(
    attributes: Path | None, ngrams: Sequence[Path], text: Sequence[Path], nouns: set[str], aliases: Mapping[str, str]
) -> list[Callable[[], Modifiers]]:
    from functools import partial

    from horsesense.methods.partwhole.adjectives import read_syntactic_ngrams, read_text_modifiers
    from horsesense.methods.partwhole.pairs import read_attributes

    readers: list[Callable[[], Modifiers]] = []
    if attributes:
        readers.append(partial(read_attributes, attributes, aliases))
    if ngrams:
        readers.append(partial(read_syntactic_ngrams, ngrams, nouns))
    if text:
        readers.append(partial(read_text_modifiers, text, nouns))
    if not readers:
        raise UserError(
            "no source of adjectives is given",
            fix=f"give {argument('attributes', 'FILE')}, {argument('ngrams', 'FILE')} or {argument('text', 'FILE')}",
        )
    return readers
