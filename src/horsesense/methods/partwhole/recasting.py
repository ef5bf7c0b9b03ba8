"""The task in other forms: as inference (section 5.2), with fewer labels, as gold items for a qualification test
(section 4.2), and split into train, dev and test.

Inference has a sentence about the whole with its adjective, and a hypothesis about the part. The paper's appendix on
choosing sentences is not part of its text here, so the ranking is ours. Three labels are {guaranteed, probably},
unrelated, {unlikely, impossible}; two are yes and no.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge

from horsesense.core import Item, Probe, write_probe
from horsesense.core.document import Document
from horsesense.errors import UserError, argument, translate_errors, unknown
from horsesense.lexicons.corpus import Corpus, Sentence
from horsesense.lexicons.word_forms import adjective_forms, noun_forms
from horsesense.lexicons.words import PREPOSITIONS, words
from horsesense.methods.partwhole.dataset import LABELS, ROLES, read_partwhole_votes
from horsesense.methods.published.reading import ReleasedVotes
from horsesense.progress import NO_PROGRESS, Progress

_COPULAS = {"singular": ("is", "was", "looks", "seems", "became"), "plural": ("are", "were", "look", "seem", "became")}
_DEGREES = ("", "very ", "so ", "too ", "quite ")
_GOOD_LENGTH = range(6, 26)
"""Preferred length of a sentence in words."""
_REACH = 4
"""Maximum number of words before a noun that may belong to it."""
_DENIED = frozenset(("not", "no", "never", "without", "isn't", "wasn't", "aren't", "weren't", "if", "nor"))


@dataclass(frozen=True, slots=True)
class InferencePremise:
    """A sentence about a whole with its adjective."""

    text: str
    kind: str
    """``adjacent``: *an old jeep*; ``copula``: *the jeep is old*; ``template``: no sentence was found."""
    file: str = ""


def hypothesis(whole: str, part: str, adjective: str) -> str:
    """The paper's fixed template.

    >>> hypothesis("bicycle", "wheel", "old")
    "The bicycle's wheel is old."
    """
    return f"The {whole}'s {part} is {adjective}."


def find_premise(corpus: Corpus | None, whole: str, adjective: str) -> InferencePremise:
    """Return the best sentence of a corpus, or a template, marked as such."""
    if corpus is not None:
        nouns, adjectives = noun_forms(whole), adjective_forms(adjective)
        side_by_side = [f"{word} {noun}" for word, noun in product(adjectives, nouns)]
        apart = [
            f"{noun} {be} {degree}{adjective}"
            for place, noun in enumerate(nouns)
            for be in _COPULAS["plural" if place else "singular"]
            for degree in _DEGREES
        ]
        for kind, phrases in (("adjacent", side_by_side), ("copula", apart)):
            fits = _says if kind == "adjacent" else _is_subject
            sentences = [sentence for sentence in corpus.find(phrases) if fits(sentence.text, phrases)]
            best = ranked(sentences, whole, adjective)
            if best:
                return InferencePremise(best[0].text, kind, best[0].file)
    return InferencePremise(f"The {whole} is {adjective}.", "template")


def _plain(sentence: str) -> str:
    """The words of a sentence, spaces around each; *the man's hat* mentions a man."""
    parts = [word.removesuffix("'s") for word in words(sentence)]
    return f" {' '.join(parts)} "


def _says(sentence: str, phrases: Sequence[str]) -> bool:
    """Return whether a phrase occurs as separate words: an *old boat-cloak* is not an old boat.

    >>> _says("An old boat-cloak lay there.", ["old boat"]), _says("The old boat's deck.", ["old boat"])
    (False, True)
    """
    plain = _plain(sentence)
    return any(f" {phrase} " in plain for phrase in phrases)


def _is_subject(sentence: str, phrases: Sequence[str]) -> bool:
    """Return whether the phrase's noun is the subject: in *the cloth on the table is white*, "table" is not.

    >>> _is_subject("The cloth on our dining table is white.", ["table is white"])
    False
    >>> _is_subject("She said the old table is white.", ["table is white"])
    True
    """
    plain = _plain(sentence)
    phrase = next((phrase for phrase in phrases if f" {phrase} " in plain), "")
    before = plain.partition(f" {phrase} ")[0].split()[-_REACH:] if phrase else []
    return bool(phrase) and not PREPOSITIONS & set(before)


def ranked(sentences: Iterable[Sentence], whole: str, adjective: str) -> list[Sentence]:
    """Rank sentences: no negation or condition, exact words, good length, short, early."""

    def order(sentence: Sentence) -> tuple[bool, bool, bool, int, int]:
        tokens = words(sentence.text)
        exact = f"{adjective} {whole}" in " ".join(tokens)
        return (bool(_DENIED & set(tokens)), not exact, len(tokens) not in _GOOD_LENGTH, len(tokens), sentence.place)

    return sorted(sentences, key=order)


def as_inference(
    probe: Probe, corpus: Corpus | None = None, premise_source: str = "", progress: Progress = NO_PROGRESS
) -> Probe:
    """Turn each triple into a ``pair``; ``premise_kind`` and ``premise_file`` record the origin of its premise."""
    check_triples(probe)
    premises: dict[tuple[str, str], InferencePremise] = {}
    kinds: Counter[str] = Counter()
    items: list[Item] = []
    for number, item in enumerate(probe.items):
        progress.update("premises", number, len(probe.items))
        whole, part, adjective = (item.groups[name] for name in ROLES)
        if (whole, adjective) not in premises:
            premises[whole, adjective] = find_premise(corpus, whole, adjective)
        premise = premises[whole, adjective]
        kinds[f"premises: {premise.kind}"] += 1
        facets = {**item.facets, "premise_kind": premise.kind, "premise_file": premise.file or "none"}
        text = hypothesis(whole, part, adjective)
        groups = {**item.groups, "premise": premise.text}
        pair = replace(item, form="pair", premise=premise.text, text=text, facets=facets, groups=groups)
        items.append(pair)
    description = f"{probe.card.made} As inference; premises from {premise_source or 'a template'}.".strip()
    return Probe.of(items, replace(probe.card, made=description), dict(sorted(kinds.items())))


# Fewer labels, and gold items.


FORMS = {
    "five": (LABELS, (0, 1, 2, 3, 4)),
    "three": (("unlikely", "unrelated", "probably"), (0, 0, 1, 2, 2)),
    "entailment": (("contradiction", "neutral", "entailment"), (0, 0, 1, 2, 2)),
    "binary": (("no", "yes"), (0, 0, 0, 1, 1)),
}
"""Options of each form, and the index of the option for each of the five labels, impossible first. ``entailment`` is
``three`` under the names of inference models; unrelated is *no* of the binary form, as in the published dataset."""


def in_labels(items: Sequence[Item], form: str) -> list[Item]:
    """Map items with five labels to another form; the original label stays as a facet.

    >>> from horsesense.methods.partwhole.dataset import unjudged
    >>> from horsesense.core.item import NO_SOURCE
    >>> item = replace(unjudged("jeep", "tire", "old", source=NO_SOURCE), answer=3)
    >>> [each.options[each.answer] for name in FORMS for each in in_labels([item], name)]
    ['probably', 'probably', 'entailment', 'yes']
    """
    (options, places), items_in_labels = FORMS[form], []
    for item in items:
        if item.options != LABELS:
            raise UserError(
                f"item {item.id} does not have the five labels ({', '.join(LABELS)})",
                fix="give what import partwhole or annotate apply wrote",
            )
        facets = dict(item.facets)
        if item.answer is not None:
            facets["label"] = LABELS[item.answer]
        answer = None if item.answer is None else places[item.answer]
        items_in_labels.append(replace(item, options=options, answer=answer, ordered=True, facets=facets))
    return items_in_labels


def gold_triples(released: ReleasedVotes, each: int = 2, seed: int = 0) -> Probe:
    """Draw triples of each label on which at least two people agree and nobody differs.

    Nouns are repeated as little as possible, so that one item does not help with another.
    """
    if each < 1:
        raise UserError(f"{each} items per label were requested", fix="request 1 or more")
    votes: dict[str, list[str]] = defaultdict(list)
    for judgement in released.judgements:
        votes[judgement.item].append(judgement.value)
    agreed: dict[str, list[Item]] = {label: [] for label in LABELS}
    for item in released.probe.items:
        ratings = votes[item.id]
        if len(ratings) > 1 and len(set(ratings)) == 1 and ratings[0] in agreed:
            agreed[ratings[0]].append(item)
    draw, chosen, used = random.Random(seed), list[Item](), Counter[str]()
    for label, items in agreed.items():
        if len(items) < each:
            raise UserError(
                f"{len(items)} triples are called {label} by all annotators, and {each} are needed",
                fix="request fewer, or give more votes",
            )
        draw.shuffle(items)
        for _ in range(each):
            item = min(items, key=lambda item: used[item.groups["whole"]] + used[item.groups["part"]])
            items.remove(item)
            used.update((item.groups["whole"], item.groups["part"]))
            chosen.append(replace(item, answer=LABELS.index(label)))
    card = replace(
        released.probe.card,
        name="partwhole-gold",
        made=f"{each} triples of each label on which all judges agree, for a qualification. {released.probe.card.made}",
        seed=seed,
    )
    return Probe.of(chosen, card)


@translate_errors()
def recast(probe: Probe | str | Path, *, labels: Literal["five", "three", "binary", "entailment"]) -> Probe:
    """Map the five labels to three (probably, unrelated, unlikely), to yes and no, or to entailment labels.

    Args:
        probe: Name or file of a probe with the five labels. In Python, also a `Probe`.
        labels: Labels of the new probe; entailment is three under the names of inference models.

    Returns:
        The same triples with these labels.

    >>> recast("triples.jsonl", labels="four")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    horsesense.errors.UserError: there is no form of labels 'four'
    """
    from horsesense.core.catalogue import as_probe

    if labels not in FORMS:
        raise unknown("form of the task", labels, FORMS)
    triples = as_probe(probe)
    description = f"{triples.card.made} In the form of {labels} labels.".strip()
    return Probe.of(in_labels(triples.items, labels), replace(triples.card, made=description))


@translate_errors()
def premises(
    probe: Probe | str | Path, *, corpus: Sequence[str | Path] = (), progress: Progress = NO_PROGRESS
) -> Probe:
    """Turn each triple into premise and hypothesis; without a corpus sentence, the premise is a marked template.

    Args:
        probe: Name or file of a probe with the five labels. In Python, also a `Probe`.
        corpus: Text file to find sentences in. By default, every premise is a template.
        progress: Progress callback.

    Returns:
        The triples as pairs of sentences.
    """
    from horsesense.core.catalogue import as_probe

    files = [Path(file) for file in corpus]
    folder = next((path for path in files if path.is_dir()), None)
    if folder is not None:
        fix = f"name its files, each with a {argument('corpus')}"
        raise UserError("this is a folder, not a file", file=folder, fix=fix)
    triples = as_probe(probe)
    names = ", ".join(path.name for path in files)
    with closing(Corpus(files, progress)) if files else nullcontext() as searched:
        inference = as_inference(triples, searched, names, progress)
    kinds = {(i.groups["whole"], i.groups["adjective"]): i.facets["premise_kind"] for i in inference.items}
    covered = sum(kind != "template" for kind in kinds.values())
    progress.log(
        f"{covered:,} of {len(kinds):,} pairs of whole and adjective have a sentence; the others have a template"
    )
    return inference


@translate_errors()
def gold(
    files: Sequence[str | Path], *, per_label: Annotated[int, Ge(1)] = 2, seed: Annotated[int, Ge(0)] = 0
) -> Probe:
    """Draw gold items for a qualification test: triples whose annotators all agree (section 4.2).

    Args:
        files: Files of published votes: the authors' own, the qualification items, or the crowd's.
        per_label: Number of triples per label.
        seed: Random seed.

    Returns:
        Triples with their label, for use as gold items of a study.
    """
    return gold_triples(read_partwhole_votes([Path(file) for file in files]), per_label, seed)


# Splits: at random as in the paper (section 5), or with held-out words.

SHARES = {"train": 0.7, "dev": 0.1, "test": 0.2}
KINDS = ("random", "whole", "part", "adjective", "nouns")


@dataclass(frozen=True, slots=True)
class TriplesPart:
    """One part of the triples, and its number of distinct words."""

    part: str
    """``train``, ``dev`` or ``test``."""
    out: Path
    """Its file."""
    items: int
    wholes: int
    parts: int
    adjectives: int


@dataclass(frozen=True, slots=True)
class TriplesSplit(Document):
    """Triples in three files."""

    by: str
    """What is kept together: nothing (``random``), or all triples of a word."""
    seed: int
    """Random seed."""
    dropped: int
    """Triples left out because their nouns belong to different parts."""
    parts: tuple[TriplesPart, ...]
    """The three files."""


def split_items(items: Sequence[Item], by: str = "random", seed: int = 0) -> dict[str, list[Item]]:
    """Split into train, dev and test, 70%, 10% and 20%; ``dropped`` has items that would share a noun.

    ``random`` shuffles triples, so that nearly every noun of the test is in training. ``whole``, ``part`` and
    ``adjective`` keep all triples of a word together. ``nouns`` shares no noun in either role: a triple
    whose whole and part belong to different parts is dropped.

    >>> from horsesense.methods.partwhole.dataset import unjudged
    >>> from horsesense.core.item import NO_SOURCE
    >>> items = [unjudged("car", f"part {n}", "old", NO_SOURCE) for n in range(10)]
    >>> {name: len(part) for name, part in split_items(items).items()}
    {'train': 7, 'dev': 1, 'test': 2, 'dropped': 0}
    """
    if by not in KINDS:
        raise unknown("way to split", by, KINDS)
    names = sorted(items, key=lambda item: item.id)
    if by == "random":
        place = _drawn([item.id for item in names], SHARES, seed)
        parts = {item.id: place[item.id] for item in items}
    elif by == "nouns":
        nouns = sorted({item.groups[role] for item in items for role in ("whole", "part")})
        # Both nouns must belong to a part, so a share of p nouns leaves p² of the triples.
        place = _drawn(nouns, {name: sqrt(share) for name, share in SHARES.items()}, seed)
        both = {item.id: {place[item.groups[role]] for role in ("whole", "part")} for item in items}
        parts = {name: next(iter(where)) if len(where) == 1 else "dropped" for name, where in both.items()}
    else:
        units = Counter(item.groups[by] for item in items)
        place = _drawn(sorted(units), SHARES, seed, units)
        parts = {item.id: place[item.groups[by]] for item in items}
    return {name: [item for item in items if parts[item.id] == name] for name in (*SHARES, "dropped")}


def _drawn(
    names: Sequence[str], shares: Mapping[str, float], seed: int, weights: Mapping[str, int] | None = None
) -> dict[str, str]:
    """Assign names to parts, filled one after the other in a random order."""
    order = list(names)
    random.Random(seed).shuffle(order)
    weight = dict.fromkeys(order, 1) if weights is None else weights
    total, of_all = sum(weight[name] for name in order), sum(shares.values())
    ends, reached = [], 0.0
    for name, share in shares.items():
        reached += share / of_all * total
        ends.append((reached, name))
    part_of, done, part = {}, 0.0, 0
    for name in order:
        # A name belongs to the part of its middle, so that large ones do not all spill into the next part.
        middle = done + weight[name] / 2
        while middle > ends[part][0] + 1e-9 and part < len(ends) - 1:
            part += 1
        part_of[name], done = ends[part][1], done + weight[name]
    return part_of


def check_triples(probe: Probe) -> None:
    """Refuse items that are not triples."""
    lacking = next((item for item in probe.items if not set(ROLES) <= item.groups.keys()), None)
    if lacking is not None:
        raise UserError(f"item {lacking.id} has no whole, part and adjective", fix="give a probe of part-whole triples")


def split_probe(probe: Probe, by: str = "random", seed: int = 0) -> tuple[dict[str, Probe], int]:
    """Return one probe per part, and the number of dropped triples; each item has its part in the facet ``split``."""
    check_triples(probe)
    parts = split_items(probe.items, by, seed)
    probes = {}
    for name in SHARES:
        if not parts[name]:
            raise UserError(f"nothing is left for {name}", fix="give more triples, or split by random")
        items = [replace(item, facets={**item.facets, "split": name}) for item in parts[name]]
        description = f"{probe.card.made} The {name} part, split by {by}, seed {seed}.".strip()
        probes[name] = Probe.of(items, replace(probe.card, made=description, seed=seed))
    return probes, len(parts["dropped"])


@translate_errors()
def split(
    probe: Probe | str | Path,
    out: str | Path,
    *,
    by: Literal["random", "whole", "part", "adjective", "nouns"] = "random",
    seed: Annotated[int, Ge(0)] = 0,
) -> TriplesSplit:
    """Split triples into 70% training, 10% development and 20% test, and write a file for each.

    Args:
        probe: Name or file of a probe of labelled triples. In Python, also a `Probe`.
        out: Folder for train.jsonl, dev.jsonl and test.jsonl.
        by: What no two splits share; ``nouns``: neither wholes nor parts.
        seed: Random seed.

    Returns:
        The files, the size of each, and the number of triples that were dropped.
    """
    from horsesense.core.catalogue import as_probe

    parts, dropped = split_probe(as_probe(probe), by, seed)
    files = []
    for name, part in parts.items():
        path = Path(out) / f"{name}.jsonl"
        write_probe(path, part)
        counts = (len({item.groups[role] for item in part.items}) for role in ROLES)
        files.append(TriplesPart(name, path, len(part.items), *counts))
    return TriplesSplit(by, seed, dropped, tuple(files))
