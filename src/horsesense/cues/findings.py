"""What a probe's cues are worth: the whole battery, honestly estimated, with a verdict in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from horsesense.core import Item
from horsesense.core.document import Document
from horsesense.cues.battery import Cue, battery, credit, given, phrase
from horsesense.cues.combined import Mark, permutation_test, position_mark, tree_credit
from horsesense.cues.relatedness import Cosines, Encoder, Relatedness, relatedness, relatedness_cue
from horsesense.cues.search import Prepared, Searched, check_units, estimates, prepare, search
from horsesense.cues.table import Table, table_of
from horsesense.cues.tokens import Floats, Ints
from horsesense.lexicons.taxonomy import Taxonomy
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.stats.intervals import Estimate

ALPHA = 0.05
"""A cue counts as better than chance where its p-value, corrected for the search, is not above this."""
_NEXT_TO_NOTHING = 0.01
"""A gain over chance that large numbers can prove and nobody can use."""
_WORTH_SAYING = 0.02
"""By how much a tree has to beat the best cue to be mentioned beside it."""


def verdict(
    cues: Sequence[tuple[str, float, float]], searched: float, tree: float, tree_low: float, chance: float
) -> str:
    """One sentence, and one more where a tree of cues does better still.

    ``cues`` are (pick, accuracy, p), the most accurate first; ``tree_low`` is the lower end of the
    tree's 99.9 % interval, since a tree is a search of its own.

    >>> verdict([("the option with the most hyponyms", 0.861, 0.005)], 0.861, 0.86, 0.83, 0.2)
    '86 % of this test can be had by picking the option with the most hyponyms. Chance is 20 %.'
    >>> verdict([("the option with the most words", 0.21, 0.9)], 0.2, 0.2, 0.18, 0.2)
    'No cue of 1 does better than chance (best: the option with the most words, 21 %). Chance is 20 %.'
    """
    sure = [cue for cue in cues if cue[2] <= ALPHA and cue[1] > chance]
    guessing = f"Chance is {_percent(chance)}."
    if sure and searched > chance:
        pick, alone, _ = sure[0]
        if min(searched, alone) < chance + _NEXT_TO_NOTHING:
            return f"Next to nothing: picking {pick} gets {_percent(min(searched, alone))}. {guessing}"
        had = f"{_percent(min(searched, alone))} of this test can be had by picking {pick}."
        more = f" A shallow tree over all cues gets {_percent(tree)}." if tree > alone + _WORTH_SAYING else ""
        return f"{had}{more} {guessing}"
    if tree_low > chance:
        had = f"{_percent(tree)} of this test can be had by a shallow tree over {len(cues)} cues, though by none alone."
        return f"{had} {guessing}"
    if not cues:
        return f"No cue has anything to say about this test. {guessing}"
    pick, alone, _ = cues[0]
    return f"No cue of {len(cues)} does better than chance (best: {pick}, {_percent(alone)}). {guessing}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


MOST_TESTED = 10_000
"""Items that the permutation test and the tree take of a larger probe: enough to see a cue worth one per cent."""
_LARGE = 30_000
"""Above this many items fewer splits are enough, since each of them measures so many."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one cue is worth on a probe."""

    name: str
    about: str
    """One line: what the cue is."""
    pick: str
    """How to answer by it: "the option …"."""
    accuracy: Estimate
    """Measured on halves that took no part in choosing its direction or learning its categories."""
    coverage: float
    """Share of items on which it tells the options apart; the others earn chance."""
    in_sample: float
    """Accuracy on the very items it learnt from: how much a careless estimate would claim."""
    p: float
    """Probability that the best of all cues does as well on a shuffled key."""


@dataclass(frozen=True, slots=True)
class CueWorth(Document):
    """What one cue is worth, as plain data."""

    name: str
    """The cue."""
    about: str
    """One line: what the cue is."""
    pick: str
    """How to answer by it."""
    accuracy: float
    """On halves that took no part in learning."""
    ci: tuple[float, float]
    """Interval of the accuracy, over units of dependence."""
    coverage: float
    """Share of the items on which it tells the options apart."""
    in_sample: float
    """What a careless estimate would claim."""
    p: float
    """By a shuffled key, corrected for the search."""


@dataclass(frozen=True, slots=True)
class CuesDocument(Document):
    """What answers a probe without understanding it, as plain data."""

    n: int
    """Items with a gold and two options at least."""
    left_out: int
    """Items without a gold, or with one option only."""
    units: int
    """Units of dependence."""
    chance: float
    """What guessing earns."""
    cues: tuple[CueWorth, ...]
    """The cues that tell options apart at all, the most accurate first."""
    tried: int
    """How many cues were tried."""
    best: str | None
    """The name of the cue that the verdict is about."""
    searched: Estimate
    """Whatever cue is best on the other half."""
    tree: Estimate
    """A shallow tree over all cues; its n counts the items that tree and shuffles took."""
    position_mark: Mark | None
    """The cue that gives away where an option stands, if one does."""
    verdict: str
    """What it comes to, in a sentence."""
    relatedness: tuple[Relatedness, ...]
    """What the option nearest to the question earns, by encoder; empty where no encoder is on this machine."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What all cues are worth on a probe."""

    n: int
    """Items with a gold and two options at least."""
    left_out: int
    """Items without a gold, or with one option only."""
    units: int
    """Units of dependence."""
    chance: float
    cues: Sequence[Finding]
    """Those that have something to say, the most accurate first."""
    asked: int
    """How many cues were tried."""
    searched: Estimate
    """Accuracy of whatever cue is best on the other half."""
    tree: Estimate
    """Accuracy of a shallow tree over all cues."""
    tree_strict: Estimate
    """The same with a 99.9 % interval: a tree is a search of its own, outside the permutation test, so it has to
    be surer."""
    tested: int
    """Items that the permutation test and the tree took."""
    mark: Mark | None
    """The cue that gives away an option's position, where one does."""
    alpha: float
    verdict: str
    relatedness: tuple[Relatedness, ...] = ()
    """What the option nearest to the question earns, by encoder; empty where no encoder was given."""

    @property
    def best(self) -> Finding | None:
        """The cue that the verdict is about: the most accurate of those better than chance, else of all."""
        sure = (cue for cue in self.cues if cue.p <= self.alpha and cue.accuracy.value > self.chance)
        return next(sure, self.cues[0] if self.cues else None)

    def document(self) -> CuesDocument:
        """The same with each cue's estimate spread out, for those who read it elsewhere."""
        return CuesDocument(
            n=self.n,
            left_out=self.left_out,
            units=self.units,
            chance=self.chance,
            cues=tuple(
                CueWorth(
                    name=cue.name,
                    about=cue.about,
                    pick=cue.pick,
                    accuracy=cue.accuracy.value,
                    ci=cue.accuracy.ci,
                    coverage=cue.coverage,
                    in_sample=cue.in_sample,
                    p=cue.p,
                )
                for cue in self.cues
            ),
            tried=self.asked,
            best=self.best.name if self.best else None,
            searched=self.searched,
            tree=self.tree,
            position_mark=self.mark,
            verdict=self.verdict,
            relatedness=self.relatedness,
        )


def find_cues(
    items: Sequence[Item],
    group: str = "family",
    taxonomy: Taxonomy | None = None,
    extra: Mapping[str, Sequence[Sequence[float]]] | None = None,
    also: Sequence[Cue] = (),
    splits: int = 10,
    rounds: int = 199,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress = NO_PROGRESS,
    encoded: Sequence[tuple[Encoder, Cosines]] = (),
) -> Findings:
    """Try every cue on a probe.

    ``group`` names the units of dependence; ``extra`` are cues of the caller, such as a model's
    score without the question: a name, and one list of scores an item; ``also`` are further cues, such as a plug-in's;
    ``encoded`` are the cosines of question and options by each encoder, which are cues too and get a section of their
    own.
    """
    table = table_of(items, group, taxonomy)
    check_units(table)
    cues = [*battery(), *(given(name, scores, items) for name, scores in (extra or {}).items()), *also]
    cues += [relatedness_cue(encoder, items, cosine) for encoder, cosine in encoded]
    found = examine(prepare(table, cues, progress), len(items), len(cues), splits, rounds, seed, level, progress)[0]
    clusters = [item.unit(group) for item in items]
    own = (relatedness(encoder, items, cosine, clusters) for encoder, cosine in encoded)
    return replace(found, relatedness=tuple(each for each in own if each is not None))


def examine(
    prepared: Prepared,
    items: int,
    asked: int,
    splits: int = 10,
    rounds: int = 199,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress = NO_PROGRESS,
) -> tuple[Findings, Searched]:
    """The findings of cues that were asked already, and what each earns item by item."""
    table = prepared.table
    searched = search(prepared, splits if len(table) <= _LARGE else max(2, splits // 3), seed, progress)
    sample = prepared.take(drawn(table, MOST_TESTED, seed)) if len(table) > MOST_TESTED else prepared
    p = permutation_test(sample, rounds, seed, progress)
    grown, spread = tree_credit(sample, seed=seed, progress=progress)
    chance = float(table.chance.mean())
    columns = np.concatenate([searched.credit, searched.best[:, None]], axis=1)
    *accuracies, best = estimates(columns, table.unit, chance, level, seed, searched.variance)
    units = sample.table.unit
    tree, strict = (estimates(grown[:, None], units, chance, at, seed, spread)[0] for at in (level, 0.999))
    cues = _ranked(prepared, searched, accuracies, p)
    mark = position_mark(prepared, seed)
    findings = Findings(
        n=len(table),
        left_out=items - len(table),
        units=int(table.unit.max()) + 1,
        chance=chance,
        cues=cues,
        asked=asked,
        searched=best,
        tree=tree,
        tree_strict=strict,
        tested=len(sample.table),
        mark=mark,
        alpha=ALPHA,
        verdict=verdict([(c.pick, c.accuracy.value, c.p) for c in cues], best.value, tree.value, strict.low, chance),
    )
    return findings, searched


def _ranked(prepared: Prepared, searched: Searched, accuracies: Sequence[Estimate], p: Floats) -> list[Finding]:
    inside = _in_sample(prepared)
    findings = [
        Finding(
            name=cue.name,
            about=cue.about,
            pick=f"the option {phrase(cue, int(searched.direction[number]))}",
            accuracy=accuracies[number],
            coverage=float(searched.coverage[number]),
            in_sample=inside[number],
            p=float(p[number]),
        )
        for number, cue in enumerate(prepared.cues)
    ]
    return sorted(findings, key=lambda finding: (-finding.accuracy.value, finding.name))


def _in_sample(prepared: Prepared) -> list[float]:
    table = prepared.table
    best: list[float] = prepared.directed.mean(axis=0, dtype=np.float64).reshape(-1, 2).max(axis=1).tolist()
    everything = np.ones(len(table), dtype=bool)
    for learner in prepared.learners:
        best.append(float(credit(table, learner.scores(everything, table.gold), table.gold).mean()))
    return best


def drawn(table: Table, most: int, seed: int) -> Ints:
    """Items of whole units, drawn by seed, ``most`` of them or a few more."""
    order = np.random.default_rng([seed, 4]).permutation(int(table.unit.max()) + 1)
    sizes = np.bincount(table.unit)[order]
    kept = np.zeros(len(order), dtype=bool)
    kept[order[: int(np.searchsorted(np.cumsum(sizes), most)) + 1]] = True
    return np.flatnonzero(kept[table.unit])
