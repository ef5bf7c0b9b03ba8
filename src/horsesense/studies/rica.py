"""What the answers to a RICA probe say: by perturbation, by valence, asked twice, with the fact told."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from horsesense.analysis import Estimate, accuracy, by_facet, family_accuracy
from horsesense.analysis.ablation import ablation, retest
from horsesense.analysis.bias import Bias, valence_bias
from horsesense.analysis.families import once
from horsesense.analysis.resampling import Floats, Names
from horsesense.errors import UserError
from horsesense.language.comparatives import PAIR_OF, VALENCE
from horsesense.language.frequency import zipf
from horsesense.records import Item
from horsesense.runs.results import Answered


def right_word(item: Item) -> str:
    """The comparative that is right, without the article it may come with; empty for another task."""
    return item.options[item.answer].split(" ")[-1] if item.form == "cloze" and item.answer is not None else ""


def valence_of(item: Item) -> int:
    """Valence of the right word: the probe's facet, or the word's own."""
    found = item.facets.get("valence")
    return found if isinstance(found, int) and not isinstance(found, bool) else VALENCE.get(right_word(item), 0)


def question_of(item: Item) -> tuple[str, str, bool]:
    """What an item asks, whoever it is about: axiom, kind up to renaming, whether the fact is told."""
    said = str(item.facets.get("perturbation", ""))
    turned = item.facets.get("asymmetry", "none") != "none"
    return item.family, f"{said} turned" if turned else said, item.facets.get("background", "none") != "none"


def analyse(answered: Answered) -> dict[str, Any]:
    """All analyses that a probe's facets allow, as plain values; what a probe does not have is null.

    Items with the fact told outright count in the lines about the fact only.
    """
    items = answered.items
    earned, units = answered.credits(answered.primary()).values, answered.units
    facets = [item.facets for item in items]
    again = [item.facets.get("retest") is True for item in items]
    families = [item.unit() for item in items]
    questions = [question_of(item) for item in items]
    values = once(earned, [question[2] for question in questions])
    kinds = None
    if any("perturbation" in each for each in facets):
        found = by_facet(values, units, facets, ("perturbation", "asymmetry"))
        kinds = [{"kind": list(each.where)} | told(each.accuracy) for each in found.slices]
    whole = family_accuracy(once(values, again), families, option_counts=[len(item.options) for item in items])[0]
    return {
        "model": answered.part.model.name,
        "probe": answered.part.probe.name,
        "accuracy": told(accuracy(values, units)),
        "strict": told(whole.strict),
        "kinds": kinds,
        "bias": _bias(values.tolist(), [valence_of(item) for item in items], units),
        "words": _frequencies(items),
        "retest": told(retest(questions, values, again, units)) if any(again) else None,
        "background": _background(answered, earned.tolist(), questions),
    }


def told(e: Estimate) -> dict[str, Any]:
    """An estimate for a document."""
    return {"value": e.value, "ci": [e.low, e.high], "n": e.n, "clusters": e.clusters}


def _bias(values: list[float], valences: list[int], units: Names) -> dict[str, Any] | None:
    try:
        found: Bias = valence_bias(values, valences, units)
    except UserError:  # one valence only: a probe of before and after has none
        return None
    return {name: told(getattr(found, name)) for name in asdict(found)}


def _frequencies(items: Any) -> dict[str, float]:
    """Zipf frequency of the words that were right, and of their opposites: a model may just like the frequent one."""
    words = sorted({other for item in items for other in PAIR_OF.get(right_word(item), ())})
    return {word: round(zipf(word), 2) for word in words}


def _background(
    answered: Answered, values: list[float], questions: list[tuple[str, str, bool]]
) -> dict[str, Any] | None:
    """The effect of the fact, apart for repeating it and for turning it round (appendix C)."""
    found = {}
    units = {question[:2]: unit for question, unit in zip(questions, answered.units, strict=True)}
    for setting, said in (("parrot", "original"), ("negation switch", "negation")):
        asked = [(question, value) for question, value in zip(questions, values, strict=True) if question[1] == said]
        plain = {question[:2]: value for question, value in asked if not question[2]}
        helped = {question[:2]: value for question, value in asked if question[2]}
        if plain and helped:
            compared = ablation(list(helped), list(helped.values()), list(plain), list(plain.values()), units)
            found[setting] = {
                "with": told(compared.a),
                "without": told(compared.b),
                "difference": told(compared.difference),
            }
    return found or None


def entity_ablation(novel: Answered, named: Answered) -> dict[str, Any]:
    """Novel entities against names: the same model, the same statements (section 4.3, figure 5b)."""

    def asked(side: Answered) -> list[tuple[str, str, str]]:
        facets = ((item, item.facets.get("perturbation"), item.facets.get("asymmetry")) for item in side.items)
        return [(item.family, str(said), str(turned)) for item, said, turned in facets]

    def earned(side: Answered) -> Floats:
        return side.credits(side.primary()).values

    units = dict(zip(asked(novel), novel.units, strict=True))
    compared = ablation(asked(novel), earned(novel), asked(named), earned(named), units)
    return {"novel": told(compared.a), "named": told(compared.b), "difference": told(compared.difference)}
