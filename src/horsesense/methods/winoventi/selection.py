"""Which associations go on: sense before nonsense, small k first, probable first (winoventi.txt, 2.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from horsesense.lexicons.words import FUNCTION_WORDS, listed
from horsesense.methods.winoventi.associations import Association
from horsesense.methods.winoventi.lexicon import Lexicon

ABOVE_KNEE = "above the knee of its k"
ABOVE_LAST_KNEE = "above the knee over all k"
FUNCTION_WORD = "a function word"
NO_PROPERTY = "no adjective or participle"

_NO_PROPERTIES = FUNCTION_WORDS | frozenset(listed("mine yours ours theirs hers here now then too also just only one"))


def knee(values: Sequence[float]) -> int:
    """How many of the values, from the smallest on, lie before the curve of the sorted values turns upwards.

    The turn is where the curve lies furthest below the line from its first to its last point, as in Kneedle
    (Satopää and others, 2011) without smoothing; the paper says only "inflection point". The value at the turn
    still counts; fewer than three values have no turn, and neither has a straight line.

    >>> knee([10, 11, 12, 13, 200, 400])
    4
    >>> knee([5, 5, 5]), knee([1, 2])
    (3, 2)
    """
    curve = sorted(values)
    span = curve[-1] - curve[0] if curve else 0.0
    if len(curve) < 3 or span <= 0:
        return len(curve)
    last = len(curve) - 1
    gaps = [place / last - (value - curve[0]) / span for place, value in enumerate(curve)]
    best = max(range(len(curve)), key=lambda place: gaps[place])
    return best + 1 if gaps[best] > 1e-12 else len(curve)


@dataclass(frozen=True, slots=True)
class Selection:
    """Associations in the order in which people would be shown them, and where the knees lie."""

    associations: tuple[Association, ...]
    """All of them; those that are not kept say why."""
    knees: dict[int, float]
    """k → the largest perplexity that stays."""
    last_knee: float | None
    """The same over what is left of all k; None where no last round was held."""

    @property
    def kept(self) -> tuple[Association, ...]:
        return tuple(each for each in self.associations if each.kept)


def drop_nonsense(associations: Iterable[Association], lexicon: Lexicon | None) -> list[Association]:
    """Mark what cannot be a property: function words and, where WordNet is at hand, what is neither adjective nor
    participle. The paper leaves this to people, who flag a tenth of its pairs."""
    return [_judged(each, lexicon) if each.kept else each for each in associations]


def _judged(association: Association, lexicon: Lexicon | None) -> Association:
    if association.word.lower() in _NO_PROPERTIES:
        return association.dropped(FUNCTION_WORD)
    if lexicon is not None and not lexicon.is_property(association.word.lower()):
        return association.dropped(NO_PROPERTY)
    return association


def select(associations: Iterable[Association], most: int | None = None) -> Selection:
    """Within each k keep what lies before the knee of the perplexities, then once more over all that is left.

    ``most`` is how many are wanted: the last round is held only where more are left, as in the paper.
    """
    by_k: dict[int, list[Association]] = {}
    dropped = []
    for each in associations:
        if each.kept and each.perplexity is not None:
            by_k.setdefault(each.k, []).append(each)
        else:
            dropped.append(each)
    knees: dict[int, float] = {}
    left: list[Association] = []
    for k in sorted(by_k):
        ranked = sorted(by_k[k], key=_perplexity)
        stays = knee([_perplexity(each) for each in ranked])
        knees[k] = _perplexity(ranked[stays - 1])
        left += ranked[:stays]
        dropped += [each.dropped(ABOVE_KNEE) for each in ranked[stays:]]
    last = None
    if left and (most is None or len(left) > most):
        values = sorted(map(_perplexity, left))
        last = values[knee(values) - 1]
        dropped += [each.dropped(ABOVE_LAST_KNEE) for each in left if _perplexity(each) > last]
        left = [each for each in left if _perplexity(each) <= last]
    return Selection((*left, *dropped), knees, last)


def _perplexity(association: Association) -> float:
    assert association.perplexity is not None
    return association.perplexity


def with_perplexity(associations: Sequence[Association], values: Sequence[float]) -> list[Association]:
    return [replace(each, perplexity=value) for each, value in zip(associations, values, strict=True)]
