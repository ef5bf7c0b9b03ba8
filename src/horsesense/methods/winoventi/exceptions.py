"""Step 2 (winoventi.txt, 2.3): what a thing can be instead, from people, from releases and by machine.

`exceptions_of` is the step as a whole; `given_exceptions` are people's, `candidates` has the machine's sources and
`plausibility` what is kept of them; `other_models` propose and judge where any are named.
Every exception is marked with its origin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from horsesense.lexicons.frequency import zipf
from horsesense.methods.winoventi.associations import Association
from horsesense.methods.winoventi.candidates import (
    from_facts,
    from_kin,
    from_lexicon,
    from_table,
    read_denied,
)
from horsesense.methods.winoventi.circumstances import Circumstances, circumstances_at_hand
from horsesense.methods.winoventi.given_exceptions import (
    association_item,
    association_name,
    is_registry,
    read_given,
    read_registry_triplets,
)
from horsesense.methods.winoventi.lexicon import lexicon_at_hand
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.other_models import proposed, try_judge, verdicts
from horsesense.methods.winoventi.plan import LoadedModels, PipelinePlan
from horsesense.methods.winoventi.plausibility import (
    GROUNDS,
    NOT_PLAUSIBLE,
    Evidence,
    attested_in,
    given_by_people,
)
from horsesense.methods.winoventi.schemas import Triplet
from horsesense.progress import Progress

YES = "yes"
ORIGINS = ("people", "release", "table", "antonym", "morphology", "kin", "conceptnet", "writer", "similar")
"""Where exceptions come from, the most trusted first: of one exception found twice the first origin counts."""
WORD_SHARE = 0.15
"""Most of all triplets that one generic word, or one exception, may make: no three of them make half."""


def exceptions_of(
    plan: PipelinePlan, kept: Sequence[Association], nouns: Mapping[str, Noun], models: LoadedModels, progress: Progress
) -> list[Triplet]:
    """Candidates for which there is evidence, each once, at most ``plan.most`` an association."""
    by_people: list[Triplet] = []
    nonsense: set[str] = set()
    by_item = {association_item(each, nouns[each.noun]).id: each for each in kept}
    others: list[Triplet] = []
    for path in plan.exceptions:
        if is_registry(path):
            others += read_registry_triplets(path)
            continue
        triplets, called_nonsense, of_others = read_given(path, by_item, progress)
        by_people += triplets
        others += of_others
        nonsense |= called_nonsense
    depths = {(each.noun, each.word): each.k for each in kept}
    by_people += [replace(t, k=depths[t.noun, t.generic]) for t in others if (t.noun, t.generic) in depths]
    sensible = [each for each in kept if association_name(each.noun, each.word) not in nonsense]
    # People who were asked about an association have said what its exceptions are: nothing is added to theirs.
    answered = {(each.noun, each.generic) for each in by_people}
    asked = [each for each in sensible if (each.noun, each.word) not in answered]
    made = _by_machine(plan, asked, others, nouns, models, progress)
    distinct, notes = merged(
        triplet for triplet in (*by_people, *made) if association_name(triplet.noun, triplet.generic) not in nonsense
    )
    for note, count in notes.items():
        progress.log(f"{note}: {count:,}")
    if nonsense:
        progress.log(f"associations that people call nonsense: {len(nonsense):,}")
    return distinct


def _by_machine(
    plan: PipelinePlan,
    associations: Sequence[Association],
    others: Sequence[Triplet],
    nouns: Mapping[str, Noun],
    models: LoadedModels,
    progress: Progress,
) -> list[Triplet]:
    """The machine's candidates that have evidence, the strongest first, no word over its share."""
    table, lexicon = circumstances_at_hand(), lexicon_at_hand()
    if lexicon is None:
        progress.log("WordNet is not here, so no opposites are looked up; get it with: horsesense fetch wordnet")
    given = given_by_people(others)
    denied = read_denied(plan.conceptnet) if plan.conceptnet is not None else {}
    candidates: list[Triplet] = []
    for each in associations:
        candidates += from_table(each, nouns[each.noun], table)
        candidates += from_lexicon(each, lexicon) if lexicon is not None else []
        candidates += from_kin(each, given)
        candidates += from_facts(each, denied)
    if plan.writes_by_model:
        with models.asked(plan.writer) as writer:
            by_writer = proposed(writer, associations, nouns)
        candidates += [each for found in by_writer for each in found]
        progress.log(f"associations that {plan.writer} names no exception to: {by_writer.count([]):,}")
    candidates = [each for each in merged(candidates)[0] if lexicon is None or lexicon.is_property(each.exception)]
    attested = attested_in(plan.texts, plan.conceptnet, frozenset(each.exception for each in candidates))
    evidence = Evidence(table, lexicon, attested, given)
    grounded: list[tuple[Triplet, str]] = []
    open_: list[Triplet] = []
    went: Counter[str] = Counter()
    for candidate in candidates:
        ground, objection = evidence.judged(candidate, nouns[candidate.noun])
        if ground:
            grounded.append((candidate, ground))
        elif objection == NOT_PLAUSIBLE and plan.judge:
            open_.append(candidate)
        else:
            went[objection] += 1
    if plan.judge:
        found = _judged(plan, open_, nouns, models, table, progress)
        grounded += [(one, "judge") for one, said in zip(open_, found, strict=True) if said == YES]
        went.update(said for said in found if said != YES)
    else:
        progress.log("no independent judge is named, so only tables, texts and people count as evidence")
    for what, count in went.most_common():
        progress.log(f"candidates left out, since {what}: {count:,}")
    return _spread(grounded, plan.most)


def _judged(
    plan: PipelinePlan,
    candidates: Sequence[Triplet],
    nouns: Mapping[str, Noun],
    models: LoadedModels,
    table: Circumstances,
    progress: Progress,
) -> list[str]:
    """What a judge says of each candidate: yes, or why not; where it tells nothing apart it is not asked."""
    with models.asked(plan.judge) as judge:
        trial = try_judge(judge, table, plan.asking.spec, plan.seed)
        progress.log(f"{plan.judge} is tried as a judge: {trial.in_words}")
        if not trial.believed:
            progress.log(f"{plan.judge} tells them no better apart than chance, so it is not asked")
            return [NOT_PLAUSIBLE] * len(candidates)
        told = {True: YES, False: f"{plan.judge} does not find it plausible", None: f"{plan.judge} does not say"}
        return [told[said] for said in verdicts(judge, candidates, nouns, plan.asking.spec)]


def _spread(grounded: Sequence[tuple[Triplet, str]], most: int) -> list[Triplet]:
    """The best-grounded of each association; of equals the words that were used least, then the more frequent.

    Words over their share go: what comes last in the lists of associations goes first.
    """
    by_pair: dict[tuple[str, str], list[tuple[Triplet, str]]] = {}
    for each, ground in grounded:
        by_pair.setdefault((each.noun, each.generic), []).append((each, ground))
    used: Counter[str] = Counter()
    chosen: list[Triplet] = []
    for pairs in by_pair.values():
        place = {each.exception: number for number, (each, _) in enumerate(pairs)}
        order = sorted(
            pairs,
            key=lambda pair: (
                GROUNDS.index(pair[1]),
                used[pair[0].exception],
                -zipf(pair[0].exception),
                place[pair[0].exception],
            ),
        )
        for each, _ in order[:most]:
            used[each.exception] += 1
            chosen.append(each)
    return within_word_share(chosen)


def within_word_share(triplets: Sequence[Triplet], share: float = WORD_SHARE) -> list[Triplet]:
    """Triplets of which no generic word and no exception makes more than a share; a few are left as they are."""
    left = list(triplets)
    while len(left) > 2 / share:
        most = max(1, int(share * len(left)))
        counts: Counter[tuple[str, str]] = Counter()
        stays = []
        for each in left:
            roles = ("generic", each.generic), ("exception", each.exception)
            if all(counts[role] < most for role in roles):
                counts.update(roles)
                stays.append(each)
        if len(stays) == len(left):
            break
        left = stays
    return left


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


def _trust(triplet: Triplet) -> int:
    return ORIGINS.index(triplet.origin)
