"""Frozen questions with near distractors: lists of concepts that give the same items without an encoder.

Which distractors a question gets depends on the encoders that balance relatedness, and on rules that may change. A
frozen list names the asked concept, the answer, the wording and the distractors of each question by the source's own
ids; all text comes from the source. So it has no question that a model could be trained on, and the same source always
gives the same items.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from horsesense.core import Card, Item, Probe, Source
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph
from horsesense.methods.wordnetqa.near_distractors import frequency_band
from horsesense.methods.wordnetqa.plan import WordNetPlan
from horsesense.methods.wordnetqa.questions import ConceptQuestion, option_text, question_text

_DEFINITION = "d"
"""Stands for the definition of the asked concept; a number for one of its examples, nothing for a word by itself."""


def store_questions(path: Path, items: Iterable[Item], graph: Graph, plan: WordNetPlan) -> None:
    """Write questions with near distractors as a list, one line each, compressed."""
    lines = []
    for item in items:
        asked, answer = (graph.number[item.groups[name]] for name in ("asked", "answer"))
        template = str(item.facets["template"])
        sentence, word = _wording(item.text, plan.template(template), graph, asked)
        distractors = ",".join(sorted(set(item.concepts) - {graph.ids[answer]}))
        word = "" if word == graph.lemmas[asked][0] else word
        fields = (graph.ids[asked], graph.ids[answer], item.facets["hops"], template, sentence, word, distractors)
        lines.append("\t".join(map(str, fields)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress("".join(f"{line}\n" for line in lines).encode()))


def _wording(text: str, template: str, graph: Graph, asked: int) -> tuple[str, str]:
    """Return what a question quotes of the asked concept, and the word as it is written there."""
    quoted = {"": "", _DEFINITION: graph.definitions[asked]}
    quoted |= {str(index): example for index, example in enumerate(graph.examples[asked])}
    for name, sentence in quoted.items():
        pattern = re.escape(template).replace(r"\{word\}", "(?P<word>.+)", 1).replace(r"\{word\}", "(?P=word)")
        for slot in (r"\{sentence\}", r"\{definition\}"):
            pattern = pattern.replace(slot, re.escape(sentence))
        if (found := re.fullmatch(pattern, text)) is not None:
            return name, found.groupdict().get("word", graph.lemmas[asked][0])
    raise UserError(f"the question {text!r} is not made of its concept's definition or examples")


def frozen_probe(path: Path, graph: Graph, plan: WordNetPlan) -> Probe:
    """Build the questions of a list."""
    try:
        items = list(_items(lzma.decompress(path.read_bytes()).decode(), graph, plan))
    except (OSError, lzma.LZMAError, ValueError, LookupError) as error:
        raise UserError(
            f"the frozen questions do not fit {graph.origin.name} ({error})",
            file=path,
            fix="fetch the pinned knowledge by horsesense fetch wordnet, or reinstall the package",
        ) from None
    card = Card(
        name=f"wordnetqa-{plan.relation}-near",
        method="wordnetqa",
        licence=graph.origin.licence,
        made=f"Frozen questions about {plan.relation} in {graph.origin.name} {graph.origin.version} with near "
        "distractors that were certified false and balanced for relatedness when they were drawn.",
        group="asked",
    )
    return Probe.of(items, card)


def _items(text: str, graph: Graph, plan: WordNetPlan) -> Iterator[Item]:
    for line in text.splitlines():
        asked_id, answer_id, hops, template, quoted, form, others = line.split("\t")
        asked = graph.number[asked_id]
        word = form or graph.lemmas[asked][0]
        if quoted == _DEFINITION:
            sentence = graph.definitions[asked]
        else:
            sentence = graph.examples[asked][int(quoted)] if quoted else ""
        question = ConceptQuestion(asked, graph.number[answer_id], int(hops), sentence, word, template)
        concepts = [answer_id, *others.split(",")]
        Random(f"{asked_id} {answer_id} {template}").shuffle(concepts)
        yield Item(
            probe=f"wordnetqa-{plan.relation}",
            form="choice",
            text=question_text(question, plan.template(template)),
            options=tuple(option_text(graph, plan.relation, graph.number[concept], plan.words) for concept in concepts),
            answer=concepts.index(answer_id),
            concepts=tuple(concepts),
            family=f"{plan.relation}: {asked_id}",
            member=f"{answer_id} near {template}",
            groups={"asked": asked_id, "answer": answer_id},
            facets={
                "task": plan.relation,
                "template": template,
                "hops": question.hops,
                "distractor_kind": "near",
                "asked": asked_id,
                "pos": graph.pos[asked],
                "frequency": frequency_band(word),
            },
            source=Source(triples=((plan.relation, asked_id, answer_id),), licence=graph.origin.licence),
        )
