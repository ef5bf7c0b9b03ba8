"""Read the published WordNetQA and DictionaryQA: five-way questions generated from WordNet and GCIDE.

Richardson and Sabharwal, "What Does My QA Model Know? Devising Controlled Probes Using Expert
Knowledge" (TACL 2020). One JSON object per line; labels and keys are strings in some sets, integers in others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from horsesense.core import Card, Facet, Item, Probe, Source
from horsesense.errors import UserError
from horsesense.methods.published.reading import Reading, names_of, split_of, text_field, whole_number

LICENCE = "none stated; built from WordNet 3.0 (Princeton licence) and GCIDE (GPL)"
_CHAIN = re.compile(r"(.+?)(=>|<=)(.+)")
_MOST_HOPS = 99


def read_mcqa(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Read each line as a ``choice``; the questions about one concept in one task are a family (section 3.1.1)."""
    reading = Reading(skip_bad)
    reading.add_json(paths, _item)
    ids = [item.source.id for item in reading.items]
    repeated = len(ids) - len(set(ids))
    if repeated:
        reading.notes["repeated ids in the published files"] += repeated
    dictionary = all(item.facets["task"] == "dictionary" for item in reading.items)
    card = Card(
        name="mcqa",
        method="dictionaryqa" if dictionary else "wordnetqa",
        licence=LICENCE,
        made=f"Read from the published question sets ({names_of(paths)}).",
        group="asked",
    )
    return reading.probe(card, paths)


def _item(reading: Reading, values: dict[str, Any], path: Path, number: int) -> Item:
    question, notes = values.get("question"), values.get("notes")
    if not isinstance(question, dict) or not isinstance(notes, dict):
        raise UserError("the line has no 'question' and 'notes'", fix="check that it is a file of this release")
    stem = reading.clean(text_field(question, "stem"))
    labels, options = _choices(reading, question.get("choices"))
    key = str(values.get("answerKey"))
    if key not in labels:
        raise UserError(f"the answerKey {key!r} is not one of the labels {', '.join(labels)}")
    answer = labels.index(key)
    # The *asked* concept, in spite of its name; the answer is the other end of the chain.
    asked = text_field(notes, "gold_synset")
    controls = _controls(notes, key)
    task = _task(notes, stem, controls.get("hops", 0))
    chain = _CHAIN.fullmatch(str(notes.get("chain") or ""))
    goal = chain[3] if chain else asked
    return Item(
        probe="mcqa",
        form="choice",
        text=stem,
        options=options,
        answer=answer,
        concepts=_concepts(notes, options, answer, goal),
        # Every question of DictionaryQA is a cluster of its own (Table 4).
        family="" if task == "dictionary" else f"{task}: {asked}",
        groups={"asked": asked, "answer": goal},
        facets={"task": task, "asked": asked} | controls | split_of(path),
        source=Source(file=path.name, line=number, id=str(values.get("id", "")), licence=LICENCE),
    )


def _choices(reading: Reading, choices: Any) -> tuple[list[str], tuple[str, ...]]:
    if not isinstance(choices, list) or len(choices) < 2 or not all(isinstance(choice, dict) for choice in choices):
        raise UserError("the question has no list of choices", fix="check that it is a file of this release")
    labels = [str(choice.get("label")) for choice in choices]
    if len(set(labels)) < len(labels):
        raise UserError("two choices have the same label")
    return labels, tuple(reading.clean(text_field(choice, "text")) for choice in choices)


def _task(notes: dict[str, Any], stem: str, hops: Facet) -> str:
    """Infer the task from the notes and the question, because the folder of a file may be lost."""
    if "distractor_synsets" in notes:
        return "dictionary"
    if hops:
        return "hypernymy" if "=>" in str(notes.get("chain")) else "hyponymy"
    # Beside what it quotes, a question of synonymy asks for words; one of definitions, for the meaning of a word.
    return "synonymy" if re.search(r"\bwords\b", re.sub(r"'.*'", "", stem)) else "definitions"


def _controls(notes: dict[str, Any], key: str) -> dict[str, Facet]:
    """Return the controlled variables (hops, distractors, part of speech), and whether people found the answer."""
    facets: dict[str, Facet] = {}
    for name in ("hops", "distractor_hops"):
        if notes.get(name) is not None:
            facets[name] = whole_number(notes[name], name, _MOST_HOPS)
    for name, field in (("distractor_kind", "distractor_type"), ("pos", "pos")):
        if isinstance(notes.get(field), str):
            facets[name] = notes[field]
    if "turk_vote" in notes:
        facets["people_right"] = str(notes["turk_vote"]) == key
    return facets


def _concepts(notes: dict[str, Any], options: Sequence[str], answer: int, goal: str) -> tuple[str, ...]:
    """Return one concept per option where it is unambiguous, else none.

    DictionaryQA lists them in the order of the options. WordNetQA does not, but where options
    begin with a concept's own name and no two names are alike, each has only one place.
    """
    listed = notes.get("distractor_synsets")
    if listed is None:
        others = [notes.get(name) for name in ("other_distractors", "random_distractors")]
        if not all(isinstance(other, list) for other in others):
            return ()
        ids = [goal, *(concept for other in others for concept in other or ())]
        if not all(isinstance(concept, str) for concept in ids):
            return ()
        heads = [_head(option) for option in options]
        names = {concept.rsplit(".", 2)[0].replace("_", " ").lower(): concept for concept in ids}
        if len(names) < len(ids) or len(ids) != len(options) or set(heads) != set(names):
            return ()
        listed = [names[head] for head in heads]
    known = isinstance(listed, list) and len(listed) == len(options) and all(isinstance(c, str) for c in listed)
    return tuple(listed) if known and listed[answer] == goal else ()


def _head(option: str) -> str:
    """The name that an option begins with.

    >>> _head("set off (or leave) event, defined as 'begin a journey'"), _head("kettle, pot")
    ('set off', 'kettle')
    """
    name = re.split(r" \(or |, defined as '|, ", option, maxsplit=1)[0]
    return name.removesuffix(" event").lower()
