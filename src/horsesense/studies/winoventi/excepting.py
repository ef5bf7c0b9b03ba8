"""Step 2: candidates for exceptions, from people, from releases and by machine (winoventi.txt, 2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files import numbered_lines
from horsesense.models.local.language_model import LanguageModel
from horsesense.probes.winoventi.associations import Association, own_words
from horsesense.probes.winoventi.exceptions import (
    ORIGINS,
    association_item,
    association_name,
    from_contrast,
    from_facts,
    from_lexicon,
    from_people,
    merged,
    read_denied,
    read_released_exceptions,
)
from horsesense.probes.winoventi.nouns import Noun
from horsesense.probes.winoventi.schemas import Triplet
from horsesense.probes.winoventi.templates import statement, subject
from horsesense.probes.winoventi.tokens import marking_of, word_of
from horsesense.records import BLANK, ScoringSpec, iter_judgements
from horsesense.scoring.fill import fill
from horsesense.studies.winoventi.associating import lexicon_at_hand
from horsesense.studies.winoventi.loading import Loaded
from horsesense.studies.winoventi.plan import Plan
from horsesense.watching import Watcher

_TOP = 60


def exceptions_of(
    plan: Plan, kept: Sequence[Association], nouns: Mapping[str, Noun], models: Loaded, watcher: Watcher
) -> list[Triplet]:
    """All candidates, each once, at most ``plan.most`` an association, the most trusted origin first."""
    found: list[Triplet] = []
    nonsense: set[str] = set()
    named = {association_item(each, nouns[each.noun]).id: each for each in kept}
    for path in plan.judged:
        triplets, objected = _from_file(path, named, watcher)
        found += triplets
        nonsense |= objected
    lexicon = lexicon_at_hand()
    denied = read_denied(plan.conceptnet) if plan.conceptnet is not None else {}
    asked = [each for each in kept if association_name(each) not in nonsense]
    if lexicon is None:
        watcher.say("WordNet is not here, so no opposites are looked up; get it with: horsesense fetch wordnet")
    else:
        contrasts = contrast_words(models.get(plan.model), asked, nouns, plan.asking.spec)
        for each, words in zip(asked, contrasts, strict=True):
            found += from_lexicon(each, lexicon)
            found += from_contrast(each, words, lexicon)
    for each in asked:
        found += from_facts(each, denied, lexicon)
    distinct, notes = merged(triplet for triplet in found if f"{triplet.noun} | {triplet.generic}" not in nonsense)
    for note, count in notes.items():
        watcher.say(f"{note}: {count:,}")
    if nonsense:
        watcher.say(f"associations that people call nonsense: {len(nonsense):,}")
    if not distinct:
        raise UserError("no association has an exception", fix="fetch WordNet, or give exceptions that people wrote")
    return _most(distinct, plan.most)


def _from_file(path: Path, named: Mapping[str, Association], watcher: Watcher) -> tuple[list[Triplet], set[str]]:
    """Exceptions of one file: judgements, or the release's outcome collection; those of other nouns are counted."""
    first = next(iter(numbered_lines(path)), (0, ""))[1]
    if "makeSense" in first:
        released, pairs = read_released_exceptions(path)
        depths = {(each.noun, each.word): each.k for each in named.values()}
        fitting = [replace(t, k=depths[t.noun, t.generic]) for t in released if (t.noun, t.generic) in depths]
        watcher.say(
            f"{path.name}: {len(fitting):,} of {len(released):,} released triplets are this model's associations"
        )
        return fitting, {f"{noun} | {word}" for noun, word in pairs}
    triplets, nonsense, notes = from_people([placed.judgement for placed in iter_judgements(path)], named)
    for note, count in notes.items():
        watcher.say(f"{path.name}: {note}: {count:,}")
    return triplets, {association_name(named[item]) for item in nonsense}


def _most(triplets: Sequence[Triplet], most: int) -> list[Triplet]:
    by_pair: dict[tuple[str, str], list[Triplet]] = {}
    for each in triplets:
        by_pair.setdefault((each.noun, each.generic), []).append(each)
    return [each for own in by_pair.values() for each in sorted(own, key=lambda one: ORIGINS.index(one.origin))[:most]]


def contrast_words(
    model: LanguageModel, associations: Sequence[Association], nouns: Mapping[str, Noun], spec: ScoringSpec
) -> list[list[str]]:
    """What the model says of the noun where the association is denied: *The cup is not empty. The cup is ___.*"""
    marking = marking_of(model.tokenizer.get_vocab())
    texts = []
    for each in associations:
        noun = nouns[each.noun]
        denial = statement(noun, f"not {each.word}")
        texts.append(f"{denial} {subject(noun)} {'are' if noun.plural else 'is'} {BLANK}.")
    found = []
    filled = fill(model, texts, min(_TOP, len(model.tokenizer)), spec) if texts else []
    for each, fills in zip(associations, filled, strict=True):
        tokens = model.tokenizer.convert_ids_to_tokens([one.ids[0] for one in fills])
        barred = own_words(nouns[each.noun]) | {each.word}
        words = [word_of(token, marking) for token in tokens]
        found.append([word for word in dict.fromkeys(words) if word and word not in barred])
    return found
