"""Questions with near distractors as a list of concepts, so that they can be built again without an encoder.

Which distractors a question gets depends on the encoders that balance relatedness. A stored list names the asked
concept, the answer, the wording and the distractors of each question by the source's own ids; all text comes from the
source. So the list has no question that a model could be trained on, and a source always gives the same items.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterator
from pathlib import Path

from horsesense.core import Probe
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph
from horsesense.methods.wordnetqa.distractors import QuestionOptions
from horsesense.methods.wordnetqa.near_distractors import NearBuilder
from horsesense.methods.wordnetqa.plan import WordNetPlan
from horsesense.methods.wordnetqa.questions import ConceptQuestion

_DEFINITION = "d"
"""Stands for the definition of the asked concept; a number for one of its examples, nothing for a word by itself."""


def store_questions(path: Path, probe: Probe, graph: Graph, plan: WordNetPlan) -> None:
    """Write the questions of a probe with near distractors, one line each, compressed."""
    lines = []
    for item in probe.items:
        asked, answer = (graph.number[item.groups[name]] for name in ("asked", "answer"))
        template = str(item.facets["template"])
        sentence, word = _wording(item.text, plan.template(template), graph, asked)
        others = sorted(graph.number[concept] for concept in item.concepts)
        distractors = ",".join(graph.ids[other] for other in others if other != answer)
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


def stored_choices(path: Path, builder: NearBuilder) -> list[QuestionOptions]:
    """Return the questions of a stored list with their distractors."""
    try:
        text = lzma.decompress(path.read_bytes()).decode()
        return list(_choices(text, builder))
    except (OSError, lzma.LZMAError, ValueError, LookupError) as error:
        raise UserError(
            f"the stored questions do not fit {builder.graph.origin.name} ({error})",
            file=path,
            fix="fetch the pinned knowledge by horsesense fetch wordnet, or reinstall the package",
        ) from None


def _choices(text: str, builder: NearBuilder) -> Iterator[QuestionOptions]:
    graph = builder.graph
    for line in text.splitlines():
        asked_id, answer_id, hops, template, quoted, word, others = line.split("\t")
        asked, answer = graph.number[asked_id], graph.number[answer_id]
        distractors = tuple(graph.number[other] for other in others.split(","))
        if quoted == _DEFINITION:
            sentence = graph.definitions[asked]
        else:
            sentence = graph.examples[asked][int(quoted)] if quoted else ""
        question = ConceptQuestion(asked, answer, int(hops), sentence, word or graph.lemmas[asked][0], template)
        yield builder.choice(question, distractors)
