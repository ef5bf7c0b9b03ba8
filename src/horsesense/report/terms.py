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
        "cluster as one independent observation."
    ),
    "Chance": "The expected accuracy of random answers.",
    "Ceiling": (
        "The accuracy of a model that knows everything. It is below 100% if an audit found bad items, because these "
        "are answered by chance."
    ),
    "Surface cue": (
        f"A rule that picks an option without understanding the question, such as the longest one. There are "
        f"{len(battery())} cues; those that fit the items are tried. Each half of the items is scored with the cue "
        "that is best on the other half."
    ),
    "Relatedness": (
        "The rule: pick the option that is most similar to the question, by word vectors (GloVe) or sentence vectors "
        "(MiniLM). In some abilities, distractors are chosen so that both kinds of vectors are right on the same items."
    ),
    "Options without the question": "The option that the model picks when it sees only the options.",
    "Adjusted score": (
        "(accuracy − chance) / (ceiling − chance). Here accuracy is a weighted mean over items. The weights are such "
        "that each of three shortcuts scores exactly chance: the best surface cue, the most similar option, and the "
        "answer without the question. So 0 means chance or a shortcut, and 1 is the ceiling. Because of the weights, "
        "the adjusted score does not follow from plain accuracy."
    ),
    "Retest": "Some items are asked again with a neutral sentence in front, or with other names in them.",
    "Rephrased question": "The same inference in other words.",
    "Other items of the family": "Whether a model that is right on an item is also right on the others about its fact.",
    "Prompt format": (
        "How the answer is obtained. loglikelihood: the option with the highest log-probability. letters: the most "
        "probable letter of a lettered list. generate: parsed from a reply."
    ),
    "PMI": (
        "A way to score options by loglikelihood: the log-probability of the option after its question minus that of "
        "the option alone."
    ),
    "Retention": (
        "The share of the score that is left when the question or the prompt format changes, such as in the retest; "
        "at most 100%."
    ),
    "Public items": "Fixed items that ship with horsesense, the same for every model. They may be in training data.",
    "Twins": "Unpublished items that were generated on your machine by the same rules as the public ones.",
    "Tie": "Several options with the same score. If the gold option is one of k tied options, the item earns 1/k.",
    "Slice": "The items that share a value, such as those of one task.",
    "Margin": "The score of the gold option minus that of the best other option.",
}


def terms(*names: str) -> dict[str, str]:
    """Return terms with their meanings, for a page.

    >>> list(terms("Cluster", "Tie"))
    ['Cluster', 'Tie']
    """
    return {name: TERMS[name] for name in names}
