"""Cue analysis of a probe: the whole battery with held-out estimates, and a verdict in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Interval

from horsesense.core import Item, Probe, ScoringSpec, check_group
from horsesense.core.catalogue import PathLike, as_probe, name_in_run
from horsesense.core.document import INTERNAL, Document, Frame, TableDocument, columns_of
from horsesense.core.spec import Dtype
from horsesense.cues.artefact_control import chosen_cue
from horsesense.cues.battery import Cue, battery, credit, foreign, given, phrase
from horsesense.cues.relatedness import (
    MOST_ENCODED,
    SENTENCES,
    Cosines,
    Encoder,
    Relatedness,
    encoders,
    related,
    relatedness,
    relatedness_cue,
)
from horsesense.cues.search import (
    ROUNDS,
    SPLITS,
    Mark,
    Prepared,
    Searched,
    check_units,
    estimates,
    permutation_test,
    position_mark,
    prepare,
    search,
    tree_credit,
)
from horsesense.cues.table import Table, table_of
from horsesense.cues.tokens import Floats, Ints
from horsesense.errors import UserError, argument, translate_errors
from horsesense.lexicons.graph import Graph
from horsesense.progress import NO_PROGRESS, Progress, capture_warnings
from horsesense.stats.intervals import Estimate

if TYPE_CHECKING:
    from horsesense.models.protocol import Model

ALPHA = 0.05
"""Significance level for a cue's p-value, corrected for the search."""
_NEXT_TO_NOTHING = 0.01
"""Gain over chance below which a significant cue is negligible."""
_WORTH_SAYING = 0.02
"""Minimum gain of a tree over the best cue to be reported."""


def verdict(
    cues: Sequence[tuple[str, float, float]], searched: float, tree: float, tree_low: float, chance: float
) -> str:
    """Write the verdict in one sentence, and one more if a tree over all cues is better.

    ``cues`` are (pick, accuracy, p), the most accurate first; ``tree_low`` is the lower limit of the tree's 99.9%
    interval, since a tree is a search of its own.

    >>> verdict([("the option with the most hyponyms", 0.861, 0.005)], 0.861, 0.86, 0.83, 0.2)
    '86% of this test can be answered by picking the option with the most hyponyms. Chance is 20%.'
    >>> verdict([("the option with the most words", 0.21, 0.9)], 0.2, 0.2, 0.18, 0.2)
    'No cue does better than chance. The best of 1, picking the option with the most words, gets 21%. Chance is 20%.'
    """
    sure = [cue for cue in cues if cue[2] <= ALPHA and cue[1] > chance]
    guessing = f"Chance is {chance:.0%}."
    if sure and searched > chance:
        pick, alone, _ = sure[0]
        if min(searched, alone) < chance + _NEXT_TO_NOTHING:
            return f"Negligible: picking {pick} gets {min(searched, alone):.0%}. {guessing}"
        had = f"{min(searched, alone):.0%} of this test can be answered by picking {pick}."
        more = f" A shallow tree over all cues gets {tree:.0%}." if tree > alone + _WORTH_SAYING else ""
        return f"{had}{more} {guessing}"
    if tree_low > chance:
        had = f"{tree:.0%} of this test can be answered by a shallow tree over {len(cues)} cues, by none alone."
        return f"{had} {guessing}"
    if not cues:
        return f"No cue applies to this test. {guessing}"
    pick, alone, _ = cues[0]
    best = f"The best of {len(cues)}, picking {pick}, gets {alone:.0%}."
    return f"No cue does better than chance. {best} {guessing}"


MOST_TESTED = 10_000
"""Maximum number of items for the permutation test and the tree: enough to detect a cue worth one per cent."""
_LARGE = 30_000
"""Number of items above which fewer splits suffice, since each evaluates so many items."""


@dataclass(frozen=True, slots=True)
class Finding(Document):
    """Result of one cue on a probe."""

    name: str
    """Name of the cue."""
    about: str
    """One-line description of the cue."""
    pick: str
    """Answering rule: "the option …"."""
    accuracy: Estimate
    """Accuracy on halves held out from choosing its direction and learning its categories."""
    coverage: float
    """Share of items on which it separates the options; the others earn chance."""
    in_sample: float
    """Accuracy on the training items: the optimistic estimate."""
    p: float
    """Probability that the best of all cues does as well on a shuffled key."""


@dataclass(frozen=True, slots=True)
class Findings(TableDocument):
    """Cue analysis of a probe."""

    n: int
    """Number of items with a gold and at least two options."""
    left_out: int
    """Number of items without a gold, or with a single option."""
    units: int
    """Number of clusters."""
    chance: float
    """Chance level."""
    cues: tuple[Finding, ...]
    """Cues that separate any options, most accurate first."""
    tried: int
    """Number of cues tried."""
    best: Finding | None
    """The cue in the verdict: the most accurate of the significant ones, otherwise of all."""
    searched: Estimate
    """Accuracy of the cue that is best on the other half."""
    tree: Estimate
    """Accuracy of a shallow tree over all cues; its n counts the items used for tree and permutations."""
    position_mark: Mark | None
    """Cue that reveals an option's position, if any."""
    verdict: str
    """Verdict in a sentence."""
    relatedness: tuple[Relatedness, ...] = ()
    """Accuracy of the option nearest to the question, by encoder; empty if no encoder is installed."""
    tree_strict: Estimate = field(kw_only=True, metadata=INTERNAL)
    """The tree with a 99.9% interval: a tree is a search of its own, outside the permutation test, so its level is
    stricter."""
    tested: int = field(kw_only=True, metadata=INTERNAL)
    """Number of items used for the permutation test and the tree."""

    @property
    def better_than_chance(self) -> tuple[Finding, ...]:
        """Return the cues that are significantly better than chance."""
        return tuple(cue for cue in self.cues if _is_sure(cue, self.chance))

    def frame(self) -> Frame:
        """Return one row per cue that separates any options, most accurate first."""
        rows = [
            {
                "cue": cue.name,
                "pick": cue.pick,
                "accuracy": cue.accuracy.value,
                "low": cue.accuracy.low,
                "high": cue.accuracy.high,
                "chance": self.chance,
                "coverage": cue.coverage,
                "p": cue.p,
                "n": self.n,
            }
            for cue in self.cues
        ]
        return Frame(columns_of(rows), self.verdict)

    def plot(self, most: int = 10) -> Any:
        """Draw the ``most`` accurate cues with their intervals, beside chance (Altair)."""
        from horsesense.drawing import accuracies

        rows = [row | {"label": row["pick"], "model": "cue"} for row in self.frame()]
        return accuracies(rows[:most], "accuracy of picking by the cue")

    def __repr__(self) -> str:
        return self.verdict


@translate_errors()
def find_cues(
    probe: Probe | PathLike,
    *,
    group: str | None = None,
    model: str | Model | None = None,
    dtype: Dtype = "float32",
    device: str = "auto",
    also: Sequence[str] = (),
    splits: Annotated[int, Interval(ge=1, le=1000)] = SPLITS,
    rounds: Annotated[int, Interval(ge=19, le=100_000)] = ROUNDS,
    seed: Annotated[int, Ge(0)] = 0,
    out: PathLike | None = None,
    progress: Progress = NO_PROGRESS,
) -> Findings:
    """Measure the accuracy of surface cues that need no understanding of the items.

    Args:
        probe: Name or file of a probe. In Python, also a `Probe`.
        group: Unit of clustering for intervals: ``family``, ``item``, or a name in the items' ``groups``.
            By default, as set in the probe's card.
        model: Model that is tested as one more cue: it sees only the options.
        dtype: Precision of the model.
        device: Device of the model: auto, cpu, cuda, cuda:1, mps.
        also: Cue of a plug-in to try too.
        splits: Number of random splits. In each, the best cue of one half of the items is measured on the other half.
        rounds: Number of permutations of the answer key, for the p-values.
        seed: Random seed.
        out: Run folder for the answers of the best cue, or of relatedness if that does better. A model can then be
            compared with it.
        progress: Progress callback.

    Returns:
        Each cue with accuracy, interval, coverage and p; the best of them; the verdict; ``frame()`` and ``plot()``.
    """
    known, unit = probe_and_group(probe, group)
    plugged = plugin_cues(also)
    taxonomy, extra = taxonomy_at_hand(progress), _blindfold(model, dtype, device, known.items, progress)
    encoded = encoded_items(known.items, progress)
    findings = measure_cues(
        known.items,
        unit,
        taxonomy,
        extra,
        plugged,
        splits=splits,
        rounds=rounds,
        seed=seed,
        progress=progress,
        encoded=encoded,
    )
    if out is not None:
        from horsesense.runs.ask_models import store_control

        near = [relatedness_cue(encoder, known.items, cosine) for encoder, cosine in encoded]
        chosen = chosen_cue(known.items, unit, taxonomy, extra, seed, [*plugged, *near])
        rule = f"the best cue of the half without the item: {chosen.rule}"
        store_control(Path(out), "best cue", rule, name_in_run(probe), known, chosen.answers, seed)
        progress.log(f"answers of {rule} in {out}; compare a run on the same probe with it")
    return findings


def measure_cues(
    items: Sequence[Item],
    group: str = "family",
    taxonomy: Graph | None = None,
    extra: Mapping[str, Sequence[Sequence[float]]] | None = None,
    also: Sequence[Cue] = (),
    splits: int = SPLITS,
    rounds: int = ROUNDS,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
    encoded: Sequence[tuple[Encoder, Cosines]] = (),
) -> Findings:
    """Try every cue on a probe.

    ``group`` names the cluster variable. ``extra`` are cues of the caller, such as a model's scores without the
    question: a name, and one list of scores per item. ``also`` are further cues, such as those of a plug-in.
    ``encoded`` are the cosines of question and options by each encoder, which are cues too and are also reported
    separately.
    """
    table = table_of(items, group, taxonomy)
    check_units(table)
    cues = [*battery(), *(given(name, scores, items) for name, scores in (extra or {}).items()), *also]
    cues += [relatedness_cue(encoder, items, cosine) for encoder, cosine in encoded]
    findings = examine(prepare(table, cues, progress), len(items), len(cues), splits, rounds, seed, progress)
    clusters = [item.unit(group) for item in items]
    near = []
    for encoder, cosine in encoded:
        if (own := relatedness(encoder, items, cosine, clusters)) is not None:
            cue = next((each.accuracy for each in findings.cues if each.pick == encoder.pick), own.accuracy)
            # The same rule on the same items has one interval.
            near.append(replace(own, accuracy=cue) if cue.value == own.accuracy.value else own)
    return replace(findings, relatedness=tuple(near))


def examine(
    prepared: Prepared,
    items: int,
    asked: int,
    splits: int = SPLITS,
    rounds: int = ROUNDS,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Findings:
    """Return the findings of prepared cues."""
    table = prepared.table
    searched = search(prepared, splits if len(table) <= _LARGE else max(2, splits // 3), seed, progress)
    sample = prepared.take(drawn(table, MOST_TESTED, seed)) if len(table) > MOST_TESTED else prepared
    p = permutation_test(sample, rounds, seed, progress)
    grown, spread = tree_credit(sample, seed=seed, progress=progress)
    chance = float(table.chance.mean())
    columns = np.concatenate([searched.credit, searched.best[:, None]], axis=1)
    *accuracies, best = estimates(columns, table.unit, chance, seed=seed, variance=searched.variance)
    units = sample.table.unit
    tree, strict = (estimates(grown[:, None], units, chance, at, seed, spread)[0] for at in (0.95, 0.999))
    cues = _ranked(prepared, searched, accuracies, p)
    return Findings(
        n=len(table),
        left_out=items - len(table),
        units=int(table.unit.max()) + 1,
        chance=chance,
        cues=tuple(cues),
        tried=asked,
        best=next((cue for cue in cues if _is_sure(cue, chance)), cues[0] if cues else None),
        searched=best,
        tree=tree,
        tree_strict=strict,
        tested=len(sample.table),
        position_mark=position_mark(prepared, seed),
        verdict=verdict([(c.pick, c.accuracy.value, c.p) for c in cues], best.value, tree.value, strict.low, chance),
    )


def _is_sure(cue: Finding, chance: float) -> bool:
    return cue.p <= ALPHA and cue.accuracy.value > chance


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
    """Sample items of whole clusters by seed, ``most`` of them or a few more."""
    order = np.random.default_rng([seed, 4]).permutation(int(table.unit.max()) + 1)
    sizes = np.bincount(table.unit)[order]
    mask = np.zeros(len(order), dtype=bool)
    mask[order[: int(np.searchsorted(np.cumsum(sizes), most)) + 1]] = True
    return np.flatnonzero(mask[table.unit])


def probe_and_group(probe: Probe | PathLike, group: str | None) -> tuple[Probe, str]:
    """Return the probe and its cluster variable; a name that no item has is an error."""
    if group is None:
        known = as_probe(probe)
        return known, known.card.group
    with capture_warnings(lambda _: None):  # a card that is missing matters no more
        known = as_probe(probe)
    try:
        check_group(known.items, group, also=("item",))
    except UserError as error:
        raise (error if isinstance(probe, Probe) else error.at(probe)) from None
    return known, group


def plugin_cues(also: Sequence[str]) -> list[Cue]:
    """Return the cues of plug-ins that were requested by name."""
    if isinstance(also, str):
        raise UserError(f"{argument('also')} is a list of names", fix=f"write [{also!r}]")
    return [foreign(name) for name in dict.fromkeys(also)]


def _blindfold(
    model: str | Model | None, dtype: str, device: str, items: Sequence[Item], progress: Progress
) -> dict[str, list[list[float]]] | None:
    """Return what a language model would pick without the question, as a cue."""
    if model is None:
        return None
    from horsesense.models.load import load_model
    from horsesense.scoring.texts import blind_scores

    loaded = load_model(model, dtype=dtype, device=device) if isinstance(model, str) else model
    scores = blind_scores(loaded, items, ScoringSpec())
    if all(isnan(score) for row in scores for score in row):
        progress.log(f"no item has a question to leave out, so the cue of {loaded.name} abstains")
    return {f"score of {loaded.name} without the question": scores}


def encoded_items(items: Sequence[Item], progress: Progress) -> list[tuple[Encoder, Cosines]]:
    """Return relatedness by the encoders at hand; sentence vectors of a very large probe would take too long."""
    known = encoders(progress)
    if len(items) > MOST_ENCODED and any(encoder.name == SENTENCES for encoder in known):
        progress.log(
            f"sentence vectors are computed for {MOST_ENCODED:,} items at most, so relatedness is by words only"
        )
        known = [encoder for encoder in known if encoder.name != SENTENCES]
    return list(related(items, progress, known).values())


def taxonomy_at_hand(progress: Progress) -> Graph | None:
    """Return WordNet's graph, if WordNet is on this machine."""
    from horsesense.lexicons.sources import find_wordnet_graph

    progress.update("WordNet", 0, 1)
    graph = find_wordnet_graph()
    if graph is None:
        progress.log("WordNet is not installed, so cues of generality were left out; run: horsesense fetch wordnet")
    return graph
