"""Step 2 (winoventi.txt, 2.3): what a thing can be instead, from people, from releases and by machine.

`exceptions_of` is the step as a whole; each source of candidates follows it. Every exception is marked with its origin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files import numbered_lines
from horsesense.files.tables import iter_rows, open_table
from horsesense.knowledge.conceptnet import read_conceptnet
from horsesense.language.frequency import zipf
from horsesense.methods.winoventi.asking import first_tokens, vocabulary_marking, word_of
from horsesense.methods.winoventi.associations import Association, words_of_noun
from horsesense.methods.winoventi.lexicon import Lexicon, lexicon_at_hand
from horsesense.methods.winoventi.nouns import AGREEING, Noun, fill_template, statement, subject
from horsesense.methods.winoventi.plan import LoadedModels, PipelinePlan
from horsesense.methods.winoventi.schemas import Triplet
from horsesense.models.contract import Model
from horsesense.records import BLANK, Item, Judgement, ScoringSpec, iter_judgements
from horsesense.scoring.fill import fill
from horsesense.watching import Watcher

NONSENSE = "nonsense"
ORIGINS = ("people", "release", "antonym", "similar", "morphology", "conceptnet", "model")
"""Where exceptions come from, the most trusted first: of one exception found twice the first origin counts."""

_PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis")
_ENDINGS = (("ful", "less"), ("less", "ful"))
_NOT_RELATIONS = ("NotHasProperty", "NotCapableOf", "NotIsA", "NotMadeOf", "NotHasA")
_FEWEST = 2.0
"""Zipf frequency that a word made up by morphology needs, to be a word."""
_FAR_FEWEST = 3.0
"""The same for one that is only similar to an opposite: most of those are words that nobody uses."""
_TOP = 60
"""Fills of the model that are looked through for words that exclude an association."""


def exceptions_of(
    plan: PipelinePlan, kept: Sequence[Association], nouns: Mapping[str, Noun], models: LoadedModels, watcher: Watcher
) -> list[Triplet]:
    """All candidates, each once, at most ``plan.most`` an association, the most trusted origin first."""
    candidates: list[Triplet] = []
    nonsense: set[str] = set()
    by_item = {association_item(each, nouns[each.noun]).id: each for each in kept}
    for path in plan.judged:
        triplets, called_nonsense = _from_file(path, by_item, watcher)
        candidates += triplets
        nonsense |= called_nonsense
    lexicon = lexicon_at_hand()
    denied = read_denied(plan.conceptnet) if plan.conceptnet is not None else {}
    sensible = [each for each in kept if association_name(each.noun, each.word) not in nonsense]
    if lexicon is None:
        watcher.say("WordNet is not here, so no opposites are looked up; get it with: horsesense fetch wordnet")
    else:
        contrasts = contrast_words(models.get(plan.model), sensible, nouns, plan.asking.spec)
        for each, words in zip(sensible, contrasts, strict=True):
            candidates += from_lexicon(each, lexicon)
            candidates += from_contrast(each, words, lexicon)
    for each in sensible:
        candidates += from_facts(each, denied, lexicon)
    distinct, notes = merged(
        triplet for triplet in candidates if association_name(triplet.noun, triplet.generic) not in nonsense
    )
    for note, count in notes.items():
        watcher.say(f"{note}: {count:,}")
    if nonsense:
        watcher.say(f"associations that people call nonsense: {len(nonsense):,}")
    if not distinct:
        raise UserError("no association has an exception", fix="fetch WordNet, or give exceptions that people wrote")
    return _most_trusted(distinct, plan.most)


def merged(triplets: Iterable[Triplet]) -> tuple[list[Triplet], dict[str, int]]:
    """Each triplet once, with its most trusted origin; an exception that is the association itself is told.

    >>> antonym, by_people = Triplet("cup", "hot", "cold", "antonym"), Triplet("cup", "hot", "cold", "people")
    >>> merged([antonym, by_people])
    ([Triplet(noun='cup', generic='hot', exception='cold', origin='people', k=0)], {'found twice': 1})
    """
    best: dict[str, Triplet] = {}
    notes: Counter[str] = Counter()
    for each in triplets:
        if each.exception == each.generic:
            notes["exceptions that are the association itself"] += 1
            continue
        kept = best.setdefault(each.name, each)
        if kept is not each:
            notes["found twice"] += 1
            best[each.name] = min(kept, each, key=_trust)
    return list(best.values()), dict(notes)


def _most_trusted(triplets: Sequence[Triplet], most: int) -> list[Triplet]:
    """At most so many triplets an association."""
    by_pair: dict[tuple[str, str], list[Triplet]] = {}
    for each in triplets:
        by_pair.setdefault((each.noun, each.generic), []).append(each)
    return [each for group in by_pair.values() for each in sorted(group, key=_trust)[:most]]


def _trust(triplet: Triplet) -> int:
    return ORIGINS.index(triplet.origin)


# What people wrote.


def _from_file(path: Path, by_item: Mapping[str, Association], watcher: Watcher) -> tuple[list[Triplet], set[str]]:
    """Exceptions of one file: judgements, or the release's outcome collection; those of other nouns are counted."""
    first = next(iter(numbered_lines(path)), (0, ""))[1]
    if "makeSense" in first:
        released, pairs = read_released_exceptions(path)
        depths = {(each.noun, each.word): each.k for each in by_item.values()}
        fitting = [replace(t, k=depths[t.noun, t.generic]) for t in released if (t.noun, t.generic) in depths]
        watcher.say(
            f"{path.name}: {len(fitting):,} of {len(released):,} released triplets are this model's associations"
        )
        return fitting, {association_name(noun, word) for noun, word in pairs}
    triplets, nonsense, notes = from_people([placed.judgement for placed in iter_judgements(path)], by_item)
    for note, count in notes.items():
        watcher.say(f"{path.name}: {note}: {count:,}")
    return triplets, {association_name(by_item[item].noun, by_item[item].word) for item in nonsense}


def from_people(
    judgements: Iterable[Judgement], associations: Mapping[str, Association]
) -> tuple[list[Triplet], list[str], dict[str, int]]:
    """Exceptions that people wrote, the items that they call nonsense, and what was odd.

    Associations are named by their items (see `association_item`). One person who finds no sense in a statement
    drops it, as in the release.
    """
    judged = list(judgements)
    nonsense = [each.item for each in judged if each.value.strip().lower() == NONSENSE and each.item in associations]
    others = sum(each.item not in associations for each in judged)
    triplets = [
        _triplet(associations[each.item], word.strip().lower(), "people")
        for each in judged
        if each.item in associations and each.item not in nonsense
        for word in each.value.split(",")
    ]
    return triplets, nonsense, {"judgements of other associations": others} if others else {}


def association_name(noun: str, word: str) -> str:
    """How an association is called where people judge it."""
    return f"{noun} | {word}"


def association_item(association: Association, noun: Noun) -> Item:
    """What people are shown to find exceptions to: the instrument ``exceptions`` asks about noun and bias."""
    return Item(
        probe="winoventi-associations",
        form="cloze",
        text=fill_template(AGREEING, noun) + ".",
        options=(association.word,),
        family=association_name(association.noun, association.word),
        groups={"noun": association.noun, "generic_word": association.word},
        facets={"bias": association.word, "k": association.k},
    )


def read_released_exceptions(path: Path) -> tuple[list[Triplet], list[tuple[str, str]]]:
    """Triplets of the release's outcome collection, and the pairs that its workers call nonsense.

    Its column ``min_k`` is left alone: that depth is the one of other models.
    """
    triplets, nonsense = [], []
    for line, row in _released_rows(path):
        missing = next((name for name in ("Word", "Associative Bias", "makeSense") if not row.get(name)), None)
        if missing is not None:
            raise UserError(f"the column {missing!r} is missing or empty", file=path, line=line)
        pair = row["Word"], row["Associative Bias"]
        if row["makeSense"] == "No":
            nonsense.append(pair)
            continue
        words = [row.get(f"antonym{number}", "").strip() for number in (1, 2, 3)]
        triplets += [Triplet(*pair, word, "release") for word in words if word]
    return triplets, nonsense


def _released_rows(path: Path) -> Iterable[tuple[int, dict[str, str]]]:
    """The cleaned file is called .csv and has tabs."""
    table = open_table(path)
    if len(table.header) > 1:
        for number, cells in table.rows:
            yield number, dict(zip(table.header, cells, strict=False))
    else:
        yield from iter_rows(path)


# What a machine finds: opposites in WordNet and by form, the model's own words, facts.


def from_lexicon(association: Association, lexicon: Lexicon) -> list[Triplet]:
    """WordNet's antonyms, those of similar words, and negations by form."""
    opposites = [
        (other, "similar" if steps else "antonym")
        for other, steps in lexicon.opposites(association.word).items()
        if not steps or zipf(other) >= _FAR_FEWEST
    ]
    opposites += [(other, "morphology") for other in morphological(association.word)]
    return [_triplet(association, other, origin) for other, origin in opposites if other.isalpha()]


def morphological(word: str) -> list[str]:
    """Negations of a word by its form, where people use the result.

    >>> morphological("edible"), morphological("unsafe"), morphological("useful")
    (['inedible'], ['safe'], ['useless'])
    """
    made = [prefix + word for prefix in _PREFIXES]
    made += [word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix)]
    made += [word.removesuffix(ending) + other for ending, other in _ENDINGS if word.endswith(ending)]
    return [each for each in made if len(each) > 3 and zipf(each) >= _FEWEST and _is_negation(word, each)]


def _is_negation(word: str, other: str) -> bool:
    """Both must be adjectives by form: *inside* is no negation of *side*."""
    import lemminflect

    return all("ADJ" in lemminflect.getAllLemmas(each) for each in (word, other))


def from_contrast(association: Association, words: Sequence[str], lexicon: Lexicon) -> list[Triplet]:
    """The model's own words for the noun that exclude the association."""
    return [_triplet(association, word, "model") for word in words if lexicon.contrast(association.word, word)]


def contrast_words(
    model: Model, associations: Sequence[Association], nouns: Mapping[str, Noun], spec: ScoringSpec
) -> list[list[str]]:
    """What the model says of the noun where the association is denied: *The cup is not empty. The cup is ___.*"""
    marking = vocabulary_marking(model)
    texts = []
    for each in associations:
        noun = nouns[each.noun]
        denial = statement(noun, f"not {each.word}")
        texts.append(f"{denial} {subject(noun)} {'are' if noun.plural else 'is'} {BLANK}.")
    contrasts = []
    fills_of_texts = fill(model, texts, min(_TOP, model.most_words), spec) if texts else []
    for each, fills in zip(associations, fills_of_texts, strict=True):
        barred = words_of_noun(nouns[each.noun]) | {each.word}
        words = [word_of(token, marking) for token in first_tokens(model, fills)]
        contrasts.append([word for word in dict.fromkeys(words) if word and word not in barred])
    return contrasts


def from_facts(association: Association, denied: Mapping[str, Sequence[str]], lexicon: Lexicon | None) -> list[Triplet]:
    """What ConceptNet denies of the noun. That a knife is not *soft* makes soft an exception where it excludes the
    association; without WordNet there is no telling, and everything denied is a candidate."""
    words = [word for word in denied.get(association.noun, ()) if word != association.word]
    if lexicon is not None:
        words = [word for word in words if lexicon.contrast(association.word, word)]
    return [_triplet(association, word, "conceptnet") for word in words]


def read_denied(path: Path) -> dict[str, list[str]]:
    """Noun → single words that ConceptNet's Not-relations deny of it."""
    denied: dict[str, list[str]] = {}
    for fact in read_conceptnet([path]).facts:
        if fact.relation in _NOT_RELATIONS and fact.tail.isalpha() and fact.tail not in denied.get(fact.head, ()):
            denied.setdefault(fact.head, []).append(fact.tail)
    return denied


def _triplet(association: Association, word: str, origin: str) -> Triplet:
    return Triplet(association.noun, association.word, word, origin, association.k)
