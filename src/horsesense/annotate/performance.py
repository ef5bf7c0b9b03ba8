"""How well people do at a probe: against its answers, against labels they are part of, against one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from horsesense.analysis.accuracy import chance
from horsesense.analysis.human_performance import HumanScore, against_the_others, majority_of_people, single_person
from horsesense.annotate.applying import FILTERED
from horsesense.annotate.collecting import Collected
from horsesense.annotate.figures import units_of
from horsesense.annotate.gold import answers_of
from horsesense.annotate.instrument import WRITTEN
from horsesense.errors import UserError
from horsesense.records import Judgement, Label


def gold_of(collected: Collected) -> dict[str, str]:
    """The answers that the probe has, in the words in which people could choose them."""
    if collected.probe is None or collected.instrument.effect != "answer":
        return {}
    return answers_of(collected.probe, collected.instrument)


def human_scores(collected: Collected, labels: Sequence[Label] = ()) -> list[HumanScore]:
    """Each kind of figure that the judgements allow.

    With ``labels``, those that these judgements gave, single votes are held against them and against the other votes
    for the same items; otherwise against the probe's answers. A probe from which items that people miss were
    dropped gives figures that are marked as filtered.
    """
    if collected.instrument.kind in ("criteria", *WRITTEN):
        raise UserError(f"the instrument {collected.instrument.name} has no right answers")
    rounds = {each.round for each in collected.judgements}
    if len(rounds) > 1:
        raise UserError("the judgements are of several rounds", fix="choose one with --round")
    units = units_of(collected.probe, False) if collected.probe else {}
    settled = {label.item: label.value for label in labels if label.value is not None}
    gold = settled or gold_of(collected)
    judged = [each for each in collected.judgements if each.item in gold] if gold else list(collected.judgements)
    if not judged:
        raise UserError(
            "no judged item has an answer", fix="give the probe or the labels that the judgements are about"
        )
    found = _against_gold(collected, judged, gold, units, bool(settled)) if gold else []
    if (settled or not gold) and _shared(judged):
        found.append(against_the_others([each for each in judged if _is_vote(collected, each)], units))
    if not found:
        raise UserError(
            "there is nothing to hold people against",
            fix="give a probe with answers (-p), or have items judged by two people",
        )
    return found


def _against_gold(
    collected: Collected,
    judged: Sequence[Judgement],
    gold: Mapping[str, str],
    units: Mapping[str, str],
    own_label: bool,
) -> list[HumanScore]:
    filtered = collected.probe is not None and FILTERED in collected.probe.card.notes
    scale_of = collected.scale_of()
    guess = chance([len(scale_of(item).labels) or 1 for item in sorted({each.item for each in judged})])
    if own_label:
        return [single_person(judged, gold, scale_of, units, against="own label", filtered=filtered, chance=guess)]
    found = [single_person(judged, gold, scale_of, units, filtered=filtered, chance=guess)]
    if _shared(judged):
        found.append(majority_of_people(judged, gold, units, filtered=filtered, chance=guess))
    return found


def _shared(judged: Sequence[Judgement]) -> bool:
    return max(Counter(each.item for each in judged).values()) > 1


def _is_vote(collected: Collected, judgement: Judgement) -> bool:
    return judgement.value not in collected.scale_of()(judgement.item).abstentions
