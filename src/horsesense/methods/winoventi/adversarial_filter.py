"""Step 3 (section 2.4): keep the triplets whose generic word the model prefers.

The two outcomes are scored without a premise: those of triplets in a pipeline, those of schemas in an evaluation.
"""

from __future__ import annotations

from dataclasses import replace

from horsesense.core import Item, Probe
from horsesense.errors import UserError
from horsesense.methods.winoventi.nouns import AGREEING, LITERAL, Noun, fill_template
from horsesense.methods.winoventi.schemas import Triplet, premise_of, triplet_name
from horsesense.runs.probe_answers import ProbeAnswers

PRIOR = "winoventi-prior"


def preferring_generic(prior: ProbeAnswers) -> set[str]:
    """Return the triplets whose generic word the model prefers without a premise; a tie is not a preference."""
    credits = prior.credits("sum").values
    return {item.family for item, credit in zip(prior.items, credits, strict=True) if credit == 1}


def prior_item(triplet: Triplet, noun: Noun, *, as_paper: bool = False) -> Item:
    """Return the item of the adversarial filter (section 2.4): the two outcomes without a premise.

    >>> item = prior_item(Triplet("pan", "hot", "cold"), Noun("pan"))
    >>> item.text, item.options, item.answer
    ('The pan is ___.', ('cold', 'hot'), 1)
    """
    options = tuple(sorted((triplet.generic, triplet.exception)))
    if options[0] == options[1]:
        raise UserError(f"the exception of {triplet.noun!r} is its association {triplet.generic!r} itself")
    return Item(
        probe=PRIOR,
        form="cloze",
        text=fill_template(LITERAL if as_paper else AGREEING, noun) + ".",
        options=options,
        answer=options.index(triplet.generic),
        family=triplet.name,
        member="prior",
        groups={"noun": triplet.noun, "generic_word": triplet.generic},
        facets={"test": "prior", "bias": triplet.generic, "alternative": triplet.exception},
    )


def prior_probe(probe: Probe) -> Probe:
    """Return the probe of the adversarial filter (section 2.4): the outcome sentence alone, once per triplet.

    A schema is adversarial to a model that prefers the generic word here.
    """
    priors: dict[str, Item] = {}
    for item in probe.items:
        name = triplet_name(item)
        generic = item.options.index(str(item.facets["bias"]))
        text = item.text[len(premise_of(item.text)) :].strip()
        prior = replace(item, probe=PRIOR, text=text, answer=generic, family=name, member="prior")
        priors.setdefault(
            name, replace(prior, facets={"test": "prior", "premise": "none", "bias": item.options[generic]})
        )
    description = f"The outcomes of {probe.card.name} without their premises."
    return Probe.of(list(priors.values()), replace(probe.card, name=PRIOR, made=description, notes={}))
