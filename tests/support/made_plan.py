"""A pipeline that tiny models can run: nouns of their corpus, exceptions and premises by people."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from horsesense.core import Judgement, write_judgements
from horsesense.data.tables import write_rows
from horsesense.methods.winoventi import circumstances, word_relations
from horsesense.methods.winoventi.associations import read_associations
from horsesense.methods.winoventi.exceptions import association_item
from horsesense.methods.winoventi.nouns import clean_nouns
from horsesense.methods.winoventi.plan import PipelinePlan

WORDS = ("stone", "feather", "umbrella", "coat", "butter", "café", "songs")
EXCEPTIONS = ("heavier", "wet", "naïve")


def no_wordnet() -> None:
    """WordNet takes seconds to read and knows no word of a tiny model."""
    vars(word_relations)["find_wordnet"] = vars(circumstances)["find_wordnet"] = lambda: None


def make_plan(masked: Path, causal: Path) -> PipelinePlan:
    return PipelinePlan(
        model=str(masked),
        nouns=clean_nouns(enumerate(WORDS, start=1)).nouns,
        ranker=str(causal),
        writer="none",
        vectors="none",
        write=6,
        device="cpu",
    )


def people_have_answered(plan: PipelinePlan, folder: Path, out: Path) -> PipelinePlan:
    """Judgements for each association that is kept, and premises for all triplets that these give."""
    kept = [each for each in read_associations(out / "selection.tsv") if each.kept]
    nouns = {noun.word: noun for noun in plan.nouns}
    judgements = [
        Judgement(association_item(each, nouns[each.noun]).id, "ann", "exceptions", ", ".join(_others(each.word)))
        for each in kept
    ]
    write_judgements(folder / "judgements.jsonl", judgements)
    rows = [
        {
            "noun": each.noun,
            "generic": each.word,
            "exception": other,
            "premise": f"Zoë [waited / walked] outside with the {each.noun}.",
        }
        for each in kept
        for other in _others(each.word)
    ]
    write_rows(folder / "written.csv", rows, ("noun", "generic", "exception", "premise"))
    return replace(plan, exceptions=(folder / "judgements.jsonl",), premises=(folder / "written.csv",))


def _others(word: str) -> list[str]:
    return [other for other in EXCEPTIONS if other != word]
