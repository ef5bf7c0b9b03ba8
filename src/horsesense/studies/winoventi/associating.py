"""Step 1 as a whole: associations asked for, nonsense dropped, ranked by perplexity, cut at the knee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from horsesense.errors import UserError
from horsesense.knowledge.wordnet_source import find_wordnet
from horsesense.models.local.language_model import LanguageModel
from horsesense.probes.winoventi.associations import Association
from horsesense.probes.winoventi.lexicon import Lexicon, read_lexicon
from horsesense.probes.winoventi.nouns import Noun
from horsesense.probes.winoventi.selection import Selection, drop_nonsense, select, with_perplexity
from horsesense.studies.winoventi.asking import Asking, Tick, ask_associations, perplexities, quiet, spellable


@dataclass(frozen=True, slots=True)
class Associated:
    """The associations of a model."""

    selection: Selection
    notes: Mapping[str, int]
    """What was left out or found odd, counted."""


def associate(
    model: LanguageModel, ranker: LanguageModel | None, nouns: Sequence[Noun], asking: Asking, tick: Tick = quiet
) -> Associated:
    """Ask, judge and rank. Without a ranker nothing is cut at a knee; under the paper's rules nothing is judged
    nonsense, which there is for people to say."""
    known, strange = spellable(model, nouns, asking.spec)
    if not known:
        raise UserError(f"the tokenizer of {model.name} can spell none of the nouns", fix="use another model or list")
    found = ask_associations(model, known, asking, tick)
    everything = [each for own in found for each in own]
    notes = {
        "nouns that the tokenizer cannot spell, not asked": len(strange),
        "nouns without any association": sum(not own for own in found),
    }
    if model.family.asks_what_follows and not asking.template:
        # A causal model sees nothing behind the blank, so both endings are one sentence to it.
        notes["endings that a causal model cannot see"] = 1
    judged = everything if asking.literal else drop_nonsense(everything, lexicon_at_hand())
    return Associated(
        ranked(judged, {noun.word: noun for noun in known}, ranker, asking, tick),
        {what: count for what, count in notes.items() if count},
    )


def ranked(
    associations: Sequence[Association],
    nouns: Mapping[str, Noun],
    ranker: LanguageModel | None,
    asking: Asking,
    tick: Tick = quiet,
) -> Selection:
    """Rank what is kept and cut it at the knees."""
    if ranker is None:
        return Selection(tuple(associations), {}, None)
    kept = [each for each in associations if each.kept]
    values = perplexities(ranker, [(nouns[each.noun], each.word) for each in kept], asking.spec, tick)
    rest = [each for each in associations if not each.kept]
    return select([*with_perplexity(kept, values), *rest])


def lexicon_at_hand() -> Lexicon | None:
    """WordNet as a lexicon of properties; None where it was not fetched."""
    folder = find_wordnet()
    return read_lexicon(folder) if folder is not None else None
