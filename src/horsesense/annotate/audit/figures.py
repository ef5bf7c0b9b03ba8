"""The figures of a reading: shares of bad items before and after the key was shown, the reader's own errors, and the
share that is truly there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from random import Random

import numpy as np

from horsesense.annotate.audit.blind_audit import KNOWN, SAMPLE, About, Blind
from horsesense.annotate.audit.seeded_errors import SECOND
from horsesense.annotate.audit.verdicts import SECOND_TRUE, SOUND, reachable, verdict
from horsesense.core.audit import Party, Share, Stage
from horsesense.errors import UserError
from horsesense.stats.intervals import rate_interval
from horsesense.stats.prevalence import Count, corrected_share, share

Codes = Mapping[str, str]
"""Number of an item → the letters of its options."""
ENOUGH = 100
"""Planted faults, and items known to be good, that a reading should have."""


def check_read(codes: Codes, asked: Sequence[Blind]) -> None:
    """Every item must have been judged: what a reader leaves out may be what is bad."""
    missing = [each.number for each in asked if each.number not in codes]
    if missing:
        raise UserError(
            f"{len(missing)} of {len(asked)} items are not judged ({', '.join(missing[:5])} …)",
            fix="judge all of them, or draw a smaller reading",
        )


def draw_second(blind: Sequence[Blind], first: Codes, seed: int) -> list[Blind]:
    """The items that are shown again with their key: all that were called bad, and as many others, drawn by the seed.

    They keep the order of the reading, so that the order does not tell which is which.
    """
    bad = {each.number for each in blind if is_bad(first, each)}
    agreed = [each.number for each in blind if each.number not in bad]
    also = set(Random(f"{seed} second").sample(agreed, min(len(agreed), len(bad))))
    return [each for each in blind if each.number in bad or each.number in also]


def is_bad(codes: Codes, each: Blind) -> bool:
    return verdict(codes[each.number], each.key) != SOUND


def stage_of(blind: Sequence[Blind], first: Codes, second: Codes | None = None, seed: int = 0) -> Stage:
    """The figures before the key was shown, or after where there is a second stage."""
    sample = [each for each in blind if each.kind == SAMPLE]
    planted = [each for each in blind if each.kind not in (SAMPLE, KNOWN)]
    known = [each for each in blind if each.kind == KNOWN]
    seen, found = counted(sample, first, second), counted(planted, first, second)
    alarms = counted(known, first, second) if known else None
    corrected = corrected_share(seen, found, alarms)
    comparable = corrected is None or corrected.fits
    kinds = sorted({each.kind for each in planted})
    by_fault = {kind: [each for each in planted if each.kind == kind] for kind in kinds}
    return Stage(
        bad=_share(seen, len(sample), seed),
        reasons=_reasons(sample, first, second),
        sensitivity=_share(found, len(planted), seed),
        by_fault={kind: _share(counted(items, first, second), len(items), seed) for kind, items in by_fault.items()},
        false_alarms=None if alarms is None else _share(alarms, len(known), seed),
        corrected=None if corrected is None else Share(corrected.value, corrected.ci, len(sample)),
        clipped=corrected is not None and corrected.clipped,
        comparable=comparable,
        second_option=_second_option(sample, by_fault.get(SECOND, ()), first, second),
        best=_best(sample, first, second),
    )


def _second_option(
    sample: Sequence[Blind], planted: Sequence[Blind], first: Codes, second: Codes | None
) -> Share | None:
    """The share of items with another true option, by how often that very fault is found; None where none was planted.

    Other faults are easier to see, so that the sensitivity of all together would make this one look rare.
    """
    if not planted:
        return None
    share_seen = _reasons(sample, first, second).get(SECOND_TRUE, 0.0)
    corrected = corrected_share(Count(share_seen * len(sample), len(sample)), counted(planted, first, second))
    return None if corrected is None else Share(corrected.value, corrected.ci, len(sample))


def counted(items: Sequence[Blind], first: Codes, second: Codes | None) -> Count:
    """How many are called bad, of how many.

    After the second stage those that were called bad at first count as they were judged then; of the others only a
    sample was judged again, and stands for all. The share counts as many items as would, drawn one by one, spread as
    much as this does in two phases (Cochran 1977, section 12.2).
    """
    weights = _weights(items, first, second)
    if second is None:
        return Count(sum(is_bad(first, each) for each in items), len(items))
    n = len(items)
    bad = sum(weight * is_bad(second if each.number in second else first, each) for each, weight in weights)
    agreed = [each for each in items if not is_bad(first, each)]
    again = [each for each in agreed if each.number in second]
    turned = sum(is_bad(second, each) for each in again)
    rate, part = bad / n, len(agreed) / n
    smooth = (bad + 0.5) / (n + 1)
    variance = smooth * (1 - smooth) / n
    if agreed and len(again) < len(agreed):
        # Where none of the sample turned, some of the others still may have.
        flipped = (turned + 0.5) / (len(again) + 1)
        variance += part**2 * flipped * (1 - flipped) / max(1, len(again)) * (1 - len(again) / len(agreed))
    size = min(float(n), smooth * (1 - smooth) / variance)
    return Count(rate * size, size)


def _weights(items: Sequence[Blind], first: Codes, second: Codes | None) -> list[tuple[Blind, float]]:
    """Each item and how many it stands for; one that was not judged again stands for none where others do it for it."""
    if second is None:
        return [(each, 1.0) for each in items]
    agreed = [each for each in items if not is_bad(first, each)]
    again = sum(each.number in second for each in agreed)
    stands_for = len(agreed) / again if again else 1.0
    weights = []
    for each in items:
        if is_bad(first, each):
            weights.append((each, 1.0))
        elif each.number in second or not again:
            weights.append((each, stands_for))
    return weights


def _final(each: Blind, first: Codes, second: Codes | None) -> str:
    return second[each.number] if second is not None and each.number in second else first[each.number]


def _reasons(sample: Sequence[Blind], first: Codes, second: Codes | None) -> dict[str, float]:
    weights: defaultdict[str, float] = defaultdict(float)
    for each, weight in _weights(sample, first, second):
        weights[verdict(_final(each, first, second), each.key)] += weight
    weights.pop(SOUND, None)
    return {reason: weights[reason] / len(sample) for reason in sorted(weights)}


def _best(sample: Sequence[Blind], first: Codes, second: Codes | None) -> Share:
    weighed = _weights(sample, first, second)
    values = np.array([reachable(_final(each, first, second), each.key, each.options) for each, _ in weighed])
    weights = np.array([weight for _, weight in weighed])
    mean = float(np.average(values, weights=weights))
    spread = float(np.average((values - mean) ** 2, weights=weights))
    size = float(weights.sum() ** 2 / (weights**2).sum())
    return Share(mean, rate_interval(mean, spread / size, len(values)), len(sample))


def _share(count: Count, n: int, seed: int) -> Share:
    estimate = share(count, seed)
    return Share(estimate.value, estimate.ci, n)


def too_few(planted: Mapping[str, int], known: int) -> list[str]:
    """What to mind where little was planted, or little is known to be good."""
    remarks = []
    if sum(planted.values()) < ENOUGH:
        remarks.append(f"{sum(planted.values())} planted faults are few: the sensitivity is rough")
    if not known:
        remarks.append(
            "no item known to be good was read, so no false alarms are assumed, and the share is if anything too large"
        )
    elif known < ENOUGH:
        remarks.append(f"{known} items known to be good are few: the false-alarm rate is rough")
    return remarks


def remarks_on(about: About, stage: Stage, readers: int, reader: Party) -> list[str]:
    """What to mind about the figures of a reading."""
    remarks = too_few(about.planted, about.known)
    if reader.is_model:
        remarks.append("the reader is a language model, and a language model is no person")
    if readers > 1:
        remarks.append(f"{readers} readers; an option is what most of them say, a tie is unclear")
    if stage.corrected is None:
        remarks.append("the reader finds hardly more of the planted faults than it raises false alarms: not corrected")
    if not stage.comparable:
        remarks.append("items known to be good are called bad more often than these, so no false alarms are taken off")
    if stage.clipped:
        remarks.append("the corrected share came out below 0 or above 1, and was cut")
    found = stage.by_fault.get(SECOND)
    if found is not None and found.value < stage.sensitivity.value:
        apart = stage.second_option
        share_of = "" if apart is None else f"; corrected by that, {apart.value:.1%} of the items have one"
        remarks.append(f"a {SECOND} is found in {found.value:.0%} of {found.n} only{share_of}")
    missing = {SECOND} - set(about.planted)
    if missing:
        remarks.append(f"no {missing.pop()} was planted: none is known for a probe of this kind")
    return remarks
