"""Part-whole: candidates, labels, nouns, splits and baselines from the released triples; people from the votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from horsesense.core import Item
from horsesense.data.text import numbered_lines
from horsesense.methods.ledger import printed, read_ledger
from horsesense.methods.partwhole.dataset import LABELS, read_partwhole, read_partwhole_votes
from horsesense.methods.published.reading import ReleasedVotes
from horsesense.replication.computing import PublishedFiles, Results, computes
from horsesense.replication.consistency import exchanged
from horsesense.replication.verdicts import Computed, share_of
from horsesense.stats.raters.agreement import pair_kappa
from horsesense.stats.raters.votes import Scale, votes_on_scale

SPLITS = {"train": "training", "dev": "validation", "test": "test"}
"""Published files, and the name of each part in the paper."""
_VOTES = "mturk/final_batches/all_just_results.csv"
_NOUNS = {"parts": "part", "wholes": "whole", "adjectives": "adjective"}
_NONSENSE = "nonsense"


def _splits(files: PublishedFiles) -> dict[str, Sequence[Item]]:
    return {name: read_partwhole([files.path(f"data/annotated/{name}.csv")]).items for name in SPLITS}


@computes("partwhole", "candidates")
def candidates(files: PublishedFiles) -> Results:
    """Triples before annotation."""
    lines = numbered_lines(files.path("data/candidates/vis_uniq_less_colors.csv"))
    triples = sum(1 for _, line in lines if line.strip())
    return {"triples": Computed(triples, "data", triples)}


@computes("partwhole", "triples")
def triples(files: PublishedFiles) -> Results:
    """Triples, distinct nouns and adjectives, and how they are split."""
    parts = _splits(files)
    items = [item for part in parts.values() for item in part]
    counts: dict[str, float] = {name: len({item.groups[role] for item in items}) for name, role in _NOUNS.items()}
    reason = {name: printed("partwhole", "section 4.3", "final triples", _told(name)) for name in _NOUNS}
    reasons = {
        name: f"{one} and {other} are exchanged: {counts[one]:.0f} {one} and {counts[other]:.0f} {other}"
        for one, other in exchanged(reason, counts)
        for name in (one, other)
    }
    figures = {
        name: Computed(count, "data", len(items), reason=reasons.get(name, "")) for name, count in counts.items()
    }
    one_less = "one triple of the printed number is not in the published files"
    figures["all"] = Computed(len(items), "data", len(items), reason=one_less if len(items) == 13_683 else "")
    for name, called in SPLITS.items():
        figures[f"share of {called}"] = Computed(len(parts[name]) / len(items) * 100, "data", len(items))
    return figures


def _told(name: str) -> str:
    return {"parts": "unique part nouns", "wholes": "unique whole nouns", "adjectives": "unique adjectives"}[name]


@computes("partwhole", "labels")
def labels(files: PublishedFiles) -> Results:
    """Share of each label among all triples (table 2)."""
    items = [item for part in _splits(files).values() for item in part]
    counts = Counter(item.options[item.answer or 0] for item in items)
    return {label: Computed(counts[label] / len(items) * 100, "data", len(items)) for label in LABELS}


@computes("partwhole", "baselines")
def baselines(files: PublishedFiles) -> Results:
    """Majority, and majority for the given part, learnt on train and evaluated on test (table 3).

    Among equally common labels, the authors' script (src/learn/baselines.py) takes the one seen last; here a tie
    counts as its part, and the reason states the results of both choices.
    """
    parts = _splits(files)
    train, test = parts["train"], parts["test"]
    overall = Counter(item.answer for item in train)
    commonest = overall.most_common(1)[0][0]
    right = sum(item.answer == commonest for item in test)
    by_part: dict[str, Counter[int | None]] = {}
    for item in train:
        by_part.setdefault(item.groups["part"], Counter())[item.answer] += 1
    credit, low, high = _credit(test, by_part, commonest)
    n = len(test)
    shares = {name: sum(i.answer == commonest for i in part) / len(part) for name, part in parts.items()}
    reason = ", ".join(f"{name} {share:.3f}" for name, share in shares.items())
    return {
        "majority": Computed(
            right / n, "data", n, reason=f"the commonest label has {reason}; no split has the printed one"
        ),
        "majority per part": Computed(
            credit / n, "data", n, reason=f"however ties are broken it is {low / n:.3f} to {high / n:.3f} on this split"
        ),
    }


def _credit(
    test: Sequence[Item], by_part: Mapping[str, Counter[int | None]], commonest: int | None
) -> tuple[float, int, int]:
    """Right by parts, with ties counted in part, and with every tie wrong or right."""
    credit, low, high = 0.0, 0, 0
    for item in test:
        counts = by_part.get(item.groups["part"])
        most = max(counts.values()) if counts else 0
        best = {label for label, count in counts.items() if count == most} if counts else {commonest}
        hit = item.answer in best
        credit += hit / len(best)
        low += hit and len(best) == 1
        high += hit
    return credit, low, high


@computes("partwhole", "votes")
def votes(files: PublishedFiles) -> Results:
    """Nonsense, agreement, one person against the label, and the qualification items."""
    released = read_partwhole_votes([files.path(_VOTES)])
    by_item: dict[str, list[str]] = {}
    for each in released.judgements:
        by_item.setdefault(each.item, []).append(each.value)
    invalid = sum(_NONSENSE in values for values in by_item.values())
    total = len(released.probe.items)
    fewer = f"the votes are of {total:,} triples, {20_284 - total} fewer than were annotated"
    gold = read_partwhole_votes([files.path("mturk/gold_annotations.csv")])
    classes = Counter({each.item: each.value for each in gold.judgements}.values())
    rarest = min(classes, key=classes.__getitem__)
    single = f"of the {classes.total()} that were released {classes[rarest]} is of the class {rarest}"
    parts = _splits(files)
    published = {replace(item, answer=None).id for part in parts.values() for item in part}
    fewest = min(len(by_item[item]) for item in published)
    return {
        "invalid": Computed(invalid, "data", total, reason=fewer),
        "share invalid": Computed(invalid / total * 100, "data", total, reason=fewer),
        "kappa": _kappa(released, published),
        "one person": _one_person(released, parts["test"]),
        "gold a class": Computed(classes[rarest], "data", classes.total(), reason=single),
        "fewest": Computed(fewest, "data", len(published)),
    }


def _kappa(released: ReleasedVotes, published: set[str]) -> Computed:
    """Agreement on the triples that were kept, over all pairs of votes on one triple."""
    judged = [each for each in released.judgements if each.item in published]
    scale = Scale(LABELS)
    estimate = pair_kappa(votes_on_scale(judged, lambda item: scale), "quadratic", resamples=200)
    return Computed(estimate.value, "data", estimate.n, estimate.low, estimate.high)


def _one_person(released: ReleasedVotes, test: Sequence[Item]) -> Computed:
    """One vote against the label of the test split that contains it, as the paper's human_acc.py has it."""
    golds = {replace(item, answer=None).id: item.options[item.answer or 0] for item in test}
    judged = [each for each in released.judgements if each.item in golds]
    right = sum(each.value == golds[each.item] for each in judged)
    return share_of(right, len(judged), percent=False)


@computes("partwhole", "gaps")
def gaps(files: PublishedFiles) -> Results:
    """Differences that the text states about table 3."""
    table = {
        figure.row.split(" (")[0]: figure.number for figure in read_ledger("partwhole") if figure.place == "table 3"
    }
    best = max(table["OpenAI GPT"], table["BERT"])
    return {
        "embeddings and language models": Computed(best - table["GloVe embeddings"], "the paper's own rows"),
        "people and the best model": Computed(table["Human performance"] - best, "the paper's own rows"),
    }
