"""Estimates of an audit: the share of bad items before and after the key was shown, the auditor's errors, and the
share corrected for them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from random import Random

import numpy as np

from horsesense.annotate.audit.blind_audit import KNOWN, NO_SECOND, SAMPLE, TWO_TRUE, AuditItem, AuditRecord
from horsesense.core.audit import AuditStage, Party, Share
from horsesense.errors import UserError
from horsesense.stats.intervals import rate_interval
from horsesense.stats.prevalence import Count, correct_share, share

NONSENSE = "nonsense"
GOOD = "good"
WRONG_KEY, UNCLEAR_KEY, SECOND_TRUE, SENSELESS = "wrong key", "unclear key", "another true option", "makes no sense"
REASONS = (WRONG_KEY, UNCLEAR_KEY, SECOND_TRUE, SENSELESS)
Codes = Mapping[str, str]
"""Number of an item → one letter per option, or ``nonsense``."""
ENOUGH = 100
"""Minimum number of seeded errors, and of known good items, for a precise estimate."""


def check_complete(codes: Codes, asked: Sequence[AuditItem]) -> None:
    """Raise an error unless every item was judged: the items left out may be the bad ones."""
    missing = [each.number for each in asked if each.number not in codes]
    if missing:
        raise UserError(
            f"{len(missing)} of {len(asked)} items are not judged ({', '.join(missing[:5])} …)",
            fix="judge all of them, or make a smaller audit",
        )


def draw_second(items: Sequence[AuditItem], first: Codes, seed: int) -> list[AuditItem]:
    """Return the items that are shown again with their key: all that were judged bad, and an equal number of others.

    They keep the order of the audit, so that the order does not reveal which is which.
    """
    bad = {each.number for each in items if is_bad(first, each)}
    agreed = [each.number for each in items if each.number not in bad]
    also = set(Random(f"{seed} second").sample(agreed, min(len(agreed), len(bad))))
    return [each for each in items if each.number in bad or each.number in also]


def is_bad(codes: Codes, each: AuditItem) -> bool:
    """Whether the auditor judged an item bad."""
    return verdict(codes[each.number], each.key) != GOOD


def stage_of(items: Sequence[AuditItem], first: Codes, second: Codes | None = None, seed: int = 0) -> AuditStage:
    """Return the estimates before the key was shown, or after it if there is a second stage."""
    sample = [each for each in items if each.kind == SAMPLE]
    seeded = [each for each in items if each.kind not in (SAMPLE, KNOWN)]
    known = [each for each in items if each.kind == KNOWN]
    bad, detected = count_bad(sample, first, second), count_bad(seeded, first, second)
    alarms = count_bad(known, first, second) if known else None
    corrected = correct_share(bad, detected, alarms)
    comparable = corrected is None or corrected.fits
    kinds = sorted({each.kind for each in seeded})
    by_kind = {kind: [each for each in seeded if each.kind == kind] for kind in kinds}
    return AuditStage(
        bad=_share(bad, len(sample), seed),
        reasons=_reasons(sample, first, second),
        sensitivity=_share(detected, len(seeded), seed),
        by_error={kind: _share(count_bad(each, first, second), len(each), seed) for kind, each in by_kind.items()},
        false_alarms=None if alarms is None else _share(alarms, len(known), seed),
        corrected=None if corrected is None else Share(corrected.value, corrected.ci, len(sample)),
        clipped=corrected is not None and corrected.clipped,
        comparable=comparable,
        ceiling=_ceiling(sample, first, second),
        second_option=_second_option(sample, by_kind.get(TWO_TRUE, ()), first, second),
    )


def _second_option(
    sample: Sequence[AuditItem], seeded: Sequence[AuditItem], first: Codes, second: Codes | None
) -> Share | None:
    """Return the share of items with another true option, corrected by how often this error is found.

    Other errors are easier to see, so the sensitivity of all together would make this one look rare. None if none was
    seeded.
    """
    if not seeded:
        return None
    share_seen = _reasons(sample, first, second).get(SECOND_TRUE, 0.0)
    corrected = correct_share(Count(share_seen * len(sample), len(sample)), count_bad(seeded, first, second))
    return None if corrected is None else Share(corrected.value, corrected.ci, len(sample))


def count_bad(items: Sequence[AuditItem], first: Codes, second: Codes | None) -> Count:
    """Count the items that are judged bad.

    After the second stage, items that were judged bad at first count as they were judged then; of the others only a
    sample was judged again, and represents all. The count has the effective sample size of two-phase sampling (Cochran
    1977, section 12.2).
    """
    weights = _weights(items, first, second)
    if second is None:
        return Count(sum(is_bad(first, each) for each in items), len(items))
    n = len(items)
    bad = sum(weight * is_bad(second if each.number in second else first, each) for each, weight in weights)
    agreed = [each for each in items if not is_bad(first, each)]
    again = [each for each in agreed if each.number in second]
    changed = sum(is_bad(second, each) for each in again)
    rate, part = bad / n, len(agreed) / n
    smooth = (bad + 0.5) / (n + 1)
    variance = smooth * (1 - smooth) / n
    if agreed and len(again) < len(agreed):
        # Even if none of the sample changed, some of the others may.
        flipped = (changed + 0.5) / (len(again) + 1)
        variance += part**2 * flipped * (1 - flipped) / max(1, len(again)) * (1 - len(again) / len(agreed))
    size = min(float(n), smooth * (1 - smooth) / variance)
    return Count(rate * size, size)


def _weights(items: Sequence[AuditItem], first: Codes, second: Codes | None) -> list[tuple[AuditItem, float]]:
    """Return each item with its sampling weight in the second stage."""
    if second is None:
        return [(each, 1.0) for each in items]
    agreed = [each for each in items if not is_bad(first, each)]
    again = sum(each.number in second for each in agreed)
    weight = len(agreed) / again if again else 1.0
    weights = []
    for each in items:
        if is_bad(first, each):
            weights.append((each, 1.0))
        elif each.number in second or not again:
            weights.append((each, weight))
    return weights


def _final(each: AuditItem, first: Codes, second: Codes | None) -> str:
    return second[each.number] if second is not None and each.number in second else first[each.number]


def _reasons(sample: Sequence[AuditItem], first: Codes, second: Codes | None) -> dict[str, float]:
    weights: defaultdict[str, float] = defaultdict(float)
    for each, weight in _weights(sample, first, second):
        weights[verdict(_final(each, first, second), each.key)] += weight
    weights.pop(GOOD, None)
    return {reason: weights[reason] / len(sample) for reason in sorted(weights)}


def _ceiling(sample: Sequence[AuditItem], first: Codes, second: Codes | None) -> Share:
    weighted = _weights(sample, first, second)
    values = np.array([best_score(_final(each, first, second), each.key, each.options) for each, _ in weighted])
    weights = np.array([weight for _, weight in weighted])
    mean = float(np.average(values, weights=weights))
    spread = float(np.average((values - mean) ** 2, weights=weights))
    size = float(weights.sum() ** 2 / (weights**2).sum())
    return Share(mean, rate_interval(mean, spread / size, len(values)), len(sample))


def _share(count: Count, n: int, seed: int) -> Share:
    estimate = share(count, seed)
    return Share(estimate.value, estimate.ci, n)


def too_few(seeded: Mapping[str, int], known: int) -> list[str]:
    """Return a note if there are few seeded errors, or few known good items."""
    notes = []
    if sum(seeded.values()) < ENOUGH:
        notes.append(f"there are only {sum(seeded.values())} seeded errors, so the sensitivity is imprecise")
    if not known:
        notes.append("the auditor was not tested on known good items, so false alarms count as bad items")
    elif known < ENOUGH:
        notes.append(f"there are only {known} known good items, so the false-alarm rate is imprecise")
    return notes


def notes_on(record: AuditRecord, stage: AuditStage, auditors: int, auditor: Party) -> list[str]:
    """Return what a reader of the estimates has to know."""
    notes = too_few(record.seeded, record.known)
    if auditor.is_model:
        notes.append("the auditor is a language model, not a person")
    if auditors > 1:
        notes.append(f"the majority of {auditors} auditors decides on each option; a tie counts as unclear")
    if stage.corrected is None:
        notes.append("not corrected, because the auditor flags good items nearly as often as seeded errors")
    if not stage.comparable:
        notes.append("false alarms are not subtracted: known good items were judged bad more often than the sample")
    if stage.clipped:
        notes.append("the corrected share was below 0 or above 1, and was clipped")
    detected = stage.by_error.get(TWO_TRUE)
    if detected is not None and detected.value < stage.sensitivity.value:
        apart = stage.second_option
        share_of = "" if apart is None else f"; corrected for this, {apart.value:.1%} of the items have one"
        notes.append(f"only {detected.value:.0%} of {detected.n} seeded items with a {TWO_TRUE} were found{share_of}")
    missing = {TWO_TRUE} - set(record.seeded)
    if missing:
        notes.append(NO_SECOND)
    return notes


def verdict(codes: str, key: int) -> str:
    """Return ``good``, or why an item is bad; ``codes`` has T, F or U for each option, or is ``nonsense``.

    >>> verdict("FTFFF", 1), verdict("TTFFF", 1), verdict("TFFFF", 1), verdict("FUFFF", 1), verdict("nonsense", 1)
    ('good', 'another true option', 'wrong key', 'unclear key', 'makes no sense')
    """
    if codes == NONSENSE:
        return SENSELESS
    if codes[key] == "F":
        return WRONG_KEY
    if codes[key] == "U":
        return UNCLEAR_KEY
    return SECOND_TRUE if codes.count("T") > 1 else GOOD


def best_score(codes: str, key: int, options: int) -> float:
    """Return the expected score of an ideal answerer.

    It is half for two right options, 0 for a wrong key, and chance for nonsense or where nothing is known to be true.

    >>> best_score("FTF", 1, 3), best_score("TTF", 1, 3), best_score("TFF", 1, 3), best_score("FUF", 1, 3)
    (1.0, 0.5, 0.0, 0.3333333333333333)
    """
    if codes == NONSENSE:
        return 1 / options
    if codes[key] == "T":
        return 1 / codes.count("T")
    if codes[key] == "U":
        return 0.0 if "T" in codes else 1 / options
    return 0.0


def majority(codes: Sequence[str]) -> str:
    """Return the majority of several auditors, option by option; a tie is unclear.

    >>> majority(["TFF", "TTF", "TFU"]), majority(["TF", "FF"]), majority(["nonsense", "nonsense", "TF"])
    ('TFF', 'UF', 'nonsense')
    """
    judged = [each for each in codes if each != NONSENSE]
    if 2 * len(judged) < len(codes) or not judged:
        return NONSENSE
    return "".join(_most(column) for column in zip(*judged, strict=True))


def _most(votes: Sequence[str]) -> str:
    (first, count), *rest = Counter(votes).most_common()
    return "U" if rest and rest[0][1] == count else first
