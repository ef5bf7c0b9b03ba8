"""Step 2 (section 2.3): exceptions, from people, from the published files and by machine.

Every exception records its origin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from horsesense.core import Item, Judgement, iter_judgements
from horsesense.data import numbered_lines
from horsesense.data.tables import iter_rows, open_table, read_table
from horsesense.errors import UserError
from horsesense.lexicons.triples import read_conceptnet
from horsesense.lexicons.words import zipf
from horsesense.methods.winoventi.associations import Association
from horsesense.methods.winoventi.circumstances import Circumstances, load_circumstances
from horsesense.methods.winoventi.nouns import AGREEING, Noun, fill_template
from horsesense.methods.winoventi.plan import PipelineContext
from horsesense.methods.winoventi.plausibility import (
    GROUNDS,
    NOT_PLAUSIBLE,
    ExceptionEvidence,
    attested_in,
    denied_in,
    distinct_in,
    from_distinct,
    from_facts,
    from_lexicon,
    from_related_nouns,
    from_table,
    people_exceptions,
)
from horsesense.methods.winoventi.schemas import Triplet
from horsesense.methods.winoventi.word_relations import load_word_relations
from horsesense.methods.winoventi.writer_and_judge import propose_exceptions, try_judge, verdicts
from horsesense.progress import Progress

NONSENSE = "nonsense"
REGISTRY = ("Word", "Associative Bias", "Alternative")
"""Columns of the published registry: triplets that people gave."""


def read_exceptions(
    path: Path, by_item: Mapping[str, Association], progress: Progress
) -> tuple[list[Triplet], set[str], list[Triplet]]:
    """Read a file of exceptions (judgements, or the published collection), and those of other associations."""
    first = next(iter(numbered_lines(path)), (0, ""))[1]
    if "makeSense" in first:
        released, pairs = read_released_exceptions(path)
        depths = {(each.noun, each.word): each.k for each in by_item.values()}
        fitting = [t for t in released if (t.noun, t.generic) in depths]
        progress.log(
            f"{path.name}: {len(fitting):,} of {len(released):,} released triplets are this model's associations"
        )
        return [], {association_name(noun, word) for noun, word in pairs}, released
    triplets, nonsense, notes = from_people([placed.judgement for placed in iter_judgements(path)], by_item)
    for note, count in notes.items():
        progress.log(f"{path.name}: {note}: {count:,}")
    return triplets, {association_name(by_item[item].noun, by_item[item].word) for item in nonsense}, []


def from_people(
    judgements: Iterable[Judgement], associations: Mapping[str, Association]
) -> tuple[list[Triplet], list[str], dict[str, int]]:
    """Return the exceptions that people wrote, the items that they call nonsense, and irregularities.

    Associations are identified by their items (see `association_item`). One person who calls a statement nonsense drops
    it, as in the published dataset.
    """
    judged = list(judgements)
    nonsense = [each.item for each in judged if each.value.strip().lower() == NONSENSE and each.item in associations]
    others = sum(each.item not in associations for each in judged)
    triplets = [
        Triplet(associations[each.item].noun, associations[each.item].word, word, "people", associations[each.item].k)
        for each in judged
        if each.item in associations and each.item not in nonsense
        for word in (given.strip().lower() for given in each.value.split(","))
        if word
    ]
    return triplets, nonsense, {"judgements of other associations": others} if others else {}


def association_name(noun: str, word: str) -> str:
    """Return the name of an association in judgements."""
    return f"{noun} | {word}"


def association_item(association: Association, noun: Noun) -> Item:
    """Return the item of the instrument ``exceptions``, which shows noun and bias."""
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
    """Read the triplets of the published outcome collection, and the pairs that its workers call nonsense.

    Its column ``min_k`` is ignored: it is the depth for other models.
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
    """Yield the rows of the cleaned file, which is called .csv and has tabs."""
    table = open_table(path)
    if len(table.header) > 1:
        for number, cells in table.rows:
            yield number, dict(zip(table.header, cells, strict=False))
    else:
        yield from iter_rows(path)


def is_registry(path: Path) -> bool:
    """Return whether a file is the published registry: noun, association, alternative, and one column per model."""
    first = next(iter(numbered_lines(path)), (0, ""))[1].split("\t")
    return tuple(first[:3]) == REGISTRY and "makeSense" not in first


def read_registry_triplets(path: Path) -> list[Triplet]:
    """Read the triplets of the published registry, which people gave for other models' associations."""
    noun, generic, exception = REGISTRY
    return [
        Triplet(row[noun].strip(), row[generic].strip(), row[exception].strip(), "release")
        for _, row in read_table(path, REGISTRY)
    ]


YES = "yes"
ORIGINS = ("people", "release", "table", "antonym", "morphology", "kin", "conceptnet", "writer", "similar")
"""Origins of exceptions, the most trusted first, which counts for an exception found twice."""
NO_PROPERTY = "neither an adjective nor a participle"
OVER_MOST = "the association has enough better-grounded exceptions"
OVER_SHARE = "its generic word or exception has its share of all triplets"
WORD_SHARE = 0.15
"""Maximum share of all triplets per generic word and per exception: no three of them make half."""


def exceptions_of(context: PipelineContext, kept: Sequence[Association]) -> tuple[list[Triplet], dict[str, int]]:
    """Return the distinct exceptions with evidence, at most ``plan.most`` per association; and what was left out."""
    plan, nouns, progress = context.plan, context.nouns, context.progress
    by_people: list[Triplet] = []
    nonsense: set[str] = set()
    by_item = {association_item(each, nouns[each.noun]).id: each for each in kept}
    others: list[Triplet] = []
    for path in plan.exceptions:
        if is_registry(path):
            others += read_registry_triplets(path)
            continue
        triplets, called_nonsense, of_others = read_exceptions(path, by_item, progress)
        by_people += triplets
        others += of_others
        nonsense |= called_nonsense
    depths = {(each.noun, each.word): each.k for each in kept}
    by_people += [replace(t, k=depths[t.noun, t.generic]) for t in others if (t.noun, t.generic) in depths]
    sensible = [each for each in kept if association_name(each.noun, each.word) not in nonsense]
    # If people gave exceptions to an association, the machine adds none.
    answered = {(each.noun, each.generic) for each in by_people}
    asked = [each for each in sensible if (each.noun, each.word) not in answered]
    by_machine, left_out = _by_machine(context, asked, others)
    distinct, notes = merge_triplets(
        triplet
        for triplet in (*by_people, *by_machine)
        if association_name(triplet.noun, triplet.generic) not in nonsense
    )
    left_out.update(notes)
    left_out["associations that people call nonsense"] += len(nonsense)
    left_out["associations without an exception"] += len(kept) - len({(each.noun, each.generic) for each in distinct})
    return distinct, {what: count for what, count in left_out.most_common() if count}


def _by_machine(
    context: PipelineContext, associations: Sequence[Association], others: Sequence[Triplet]
) -> tuple[list[Triplet], Counter[str]]:
    """Return the machine's candidates with evidence, the strongest first, with no word over its share; and how many
    candidates were left out, by reason."""
    plan, nouns, progress = context.plan, context.nouns, context.progress
    table, lexicon = load_circumstances(), load_word_relations()
    if lexicon is None:
        progress.log(
            "WordNet is not on this machine, so opposites are not looked up; get it with: horsesense fetch wordnet"
        )
    people_words = people_exceptions(others)
    facts = read_conceptnet(plan.conceptnet).facts
    denied, distinct = denied_in(facts), distinct_in(facts)
    candidates: list[Triplet] = []
    for each in associations:
        candidates += from_table(each, nouns[each.noun], table)
        candidates += from_lexicon(each, lexicon) if lexicon is not None else []
        candidates += from_related_nouns(each, people_words)
        candidates += from_facts(each, denied)
        candidates += from_distinct(each, distinct)
    if plan.writes_by_model:
        with context.asked(plan.writer) as writer:
            by_writer = propose_exceptions(writer, associations, nouns)
        candidates += [each for judged in by_writer for each in judged]
        progress.log(f"associations that {plan.writer} names no exception to: {by_writer.count([]):,}")
    merged, _ = merge_triplets(candidates)
    candidates = [each for each in merged if lexicon is None or lexicon.is_property(each.exception)]
    left_out: Counter[str] = Counter({NO_PROPERTY: len(merged) - len(candidates)})
    attested = attested_in(plan.texts, facts, frozenset(each.exception for each in candidates))
    evidence = ExceptionEvidence(table, lexicon, attested, people_words, distinct)
    grounded: list[tuple[Triplet, str]] = []
    undecided: list[Triplet] = []
    for candidate in candidates:
        ground, objection = evidence.judged(candidate, nouns[candidate.noun])
        if ground:
            grounded.append((candidate, ground))
        elif objection == NOT_PLAUSIBLE and plan.judge:
            undecided.append(candidate)
        else:
            left_out[objection] += 1
    if plan.judge:
        judged = _judged(context, undecided, table)
        grounded += [(one, "judge") for one, verdict in zip(undecided, judged, strict=True) if verdict == YES]
        left_out.update(verdict for verdict in judged if verdict != YES)
    else:
        progress.log("without an independent judge, only tables, texts and people count as evidence")
    chosen, spare = _spread(grounded, plan.most)
    return chosen, left_out + spare


def _judged(context: PipelineContext, candidates: Sequence[Triplet], table: Circumstances) -> list[str]:
    """Return a judge's verdict on each candidate: yes, or the reason; an unreliable judge is not used."""
    plan, progress = context.plan, context.progress
    with context.asked(plan.judge) as judge:
        trial = try_judge(judge, table, plan.elicitation.spec, plan.seed)
        progress.log(f"trial of {plan.judge} as a judge: {trial.in_words}")
        if not trial.believed:
            progress.log(f"{plan.judge} does not distinguish them significantly, so it is not used")
            return [NOT_PLAUSIBLE] * len(candidates)
        reasons = {True: YES, False: f"{plan.judge} finds it implausible", None: f"{plan.judge} gives no verdict"}
        return [reasons[verdict] for verdict in verdicts(judge, candidates, context.nouns, plan.elicitation.spec)]


def _spread(grounded: Sequence[tuple[Triplet, str]], most: int) -> tuple[list[Triplet], Counter[str]]:
    """Choose the best-grounded exceptions of each association, then the least used, then the most frequent words.

    Words over their share are dropped, from the end of the list of associations. Both kinds of drops are counted.
    """
    by_pair: dict[tuple[str, str], list[tuple[Triplet, str]]] = {}
    for each, ground in grounded:
        by_pair.setdefault((each.noun, each.generic), []).append((each, ground))
    used: Counter[str] = Counter()
    chosen: list[Triplet] = []
    for pairs in by_pair.values():
        rank = {each.exception: i for i, (each, _) in enumerate(pairs)}
        order = sorted(
            pairs,
            key=lambda pair: (
                GROUNDS.index(pair[1]),
                used[pair[0].exception],
                -zipf(pair[0].exception),
                rank[pair[0].exception],
            ),
        )
        for each, _ in order[:most]:
            used[each.exception] += 1
            chosen.append(each)
    kept = within_word_share(chosen)
    return kept, Counter({OVER_MOST: len(grounded) - len(chosen), OVER_SHARE: len(chosen) - len(kept)})


def within_word_share(triplets: Sequence[Triplet]) -> list[Triplet]:
    """Drop triplets until no generic word and no exception has more than a share; short lists stay as they are."""
    left = list(triplets)
    while len(left) > 2 / WORD_SHARE:
        most = max(1, int(WORD_SHARE * len(left)))
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


def merge_triplets(triplets: Iterable[Triplet]) -> tuple[list[Triplet], dict[str, int]]:
    """Return each triplet once, with its most trusted origin; exceptions that repeat the association are counted.

    >>> antonym, by_people = Triplet("cup", "hot", "cold", "antonym"), Triplet("cup", "hot", "cold", "people")
    >>> merge_triplets([antonym, by_people])
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
