"""Terms that pages define where they use them; the glossary of the documentation has the same words."""

from __future__ import annotations

from collections.abc import Mapping

from horsesense.cues.battery import battery

TERMS: Mapping[str, str] = {
    "Item": "One question with its options, or one sentence pair.",
    "Probe": "A dataset of items in one file.",
    "Family": "Items that test the same fact in different ways, such as with and without a negation.",
    "Cluster": (
        "Items that share a fact, a word or a source, so that their answers are not independent. Intervals treat a "
        "cluster, not an item, as one independent observation."
    ),
    "Chance": "The expected accuracy of random answers.",
    "Ceiling": (
        "The accuracy of a model that knows everything: 1 − b × (1 − chance), where b is the share of bad items in a "
        "blind audit. A bad item is answered by chance."
    ),
    "Surface cue": (
        f"A rule that picks an option without understanding the question, such as the longest one. "
        f"Those of {len(battery())} cues that fit the items are tried. Each half of the items is scored with the cue "
        "that is best on the other half."
    ),
    "Relatedness": (
        "The rule: pick the option that is most similar to the question, by word vectors (GloVe) or sentence "
        "embeddings (MiniLM). Near distractors were chosen so that both are right on the same items."
    ),
    "Options without the question": "The option that the model picks when it sees only the options.",
    "Adjusted score": (
        "(accuracy − chance) / (ceiling − chance), where accuracy is a weighted mean over items. The weights are such "
        "that following the best surface cue, picking the most similar option, or giving the answer without the "
        "question scores exactly chance. So 0 means nothing beyond these controls, and 1 is the ceiling. If a control "
        "answers most items correctly, the score rests mainly on the few items that it answers wrongly, and its "
        "interval is wide. So the adjusted score does not follow from plain accuracy."
    ),
    "Retest": "Some items are asked again with a neutral sentence in front, or with other names in them.",
    "Rephrased question": "The same inference in other words.",
    "Other items of the family": (
        "Accuracy on the other items about the same fact; a model that knows the fact answers them too."
    ),
    "Prompt format": (
        "How the answer is obtained. loglikelihood: the option with the highest log-probability. letters: the most "
        "probable letter of a lettered list. generate: parsed from a reply."
    ),
    "PMI": (
        "A way to normalise loglikelihood: the log-probability of the option after its question minus that of the "
        "option alone."
    ),
    "Retention": (
        "The share of the chance-corrected score that is left in another condition, such as the retest, PMI or another "
        "prompt format; at most 100%."
    ),
    "Public items": "Fixed items that ship with horsesense, the same for every model. They may be in training data.",
    "Twins": "Further items built by the same rules, drawn with a seed on your machine and never published.",
    "Tie": "Several options with the same score; a tie between k options earns 1/k.",
    "Slice": "The items that share a value, such as those of one task.",
    "Margin": "The score of the gold option minus that of the best other option.",
}


def terms(*names: str) -> dict[str, str]:
    """Return terms with their meanings, for a page.

    >>> list(terms("Cluster", "Tie"))
    ['Cluster', 'Tie']
    """
    return {name: TERMS[name] for name in names}
