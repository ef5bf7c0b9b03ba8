"""Step 3 (winoventi.txt, 2.4): of all triplets only those go on of which the model prefers the generic word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.plan import PipelinePlan
from horsesense.methods.winoventi.schemas import Triplet, prior_item
from horsesense.methods.winoventi.special_word import PRIOR
from horsesense.records import Card, Probe
from horsesense.runs.ask import Settings, ask_models
from horsesense.runs.results import read_run
from horsesense.watching import Watcher


def adversarial_triplets(
    plan: PipelinePlan, triplets: Sequence[Triplet], nouns: Mapping[str, Noun], folder: Path, watcher: Watcher
) -> list[Triplet]:
    """Those of which the model prefers the generic word; a tie is no preference.

    An exception of several tokens is scored as several.
    """
    if not triplets:
        return []
    items = [prior_item(each, nouns[each.noun], literal=plan.asking.literal) for each in triplets]
    probe = Probe.of(items, Card(name=PRIOR, method="winoventi", normalise="sum", group="noun"))
    ask_models([plan.model], {PRIOR: probe}, folder, Settings(spec=plan.asking.spec, device=plan.device), watcher)
    (answered,) = read_run(folder)[1]
    unspelt = sum(any("unknown-token" in flag for flag in answer.flags) for answer in answered.answers)
    if unspelt:
        watcher.say(f"triplets with a word that the tokenizer cannot spell: {unspelt:,}")
    credits = dict(zip((item.family for item in answered.items), answered.credits("sum").values, strict=True))
    kept = [each for each in triplets if credits[each.name] == 1]
    watcher.say(f"{len(kept):,} of {len(triplets):,} triplets pass: {plan.model} prefers the generic word")
    return kept
