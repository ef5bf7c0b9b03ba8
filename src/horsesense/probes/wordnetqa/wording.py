"""How questions and options read."""

from __future__ import annotations

from horsesense.knowledge.graph import Graph
from horsesense.probes.wordnetqa.answers import Question

_MOST_WORDS = 3
"""Words that name a concept in an option of an ISA question."""


def question_text(question: Question, template: str) -> str:
    """The template, filled; no word of an example is taken for a slot."""
    slots = {"{sentence}": question.sentence, "{definition}": question.sentence, "{word}": question.word}
    pieces = template.replace("}", "}\0").replace("{", "\0{").split("\0")
    return "".join(slots.get(piece, piece) for piece in pieces)


def option_text(graph: Graph, relation: str, concept: int) -> str:
    """A concept as an option: its definition, its words, or its name with the definition."""
    lemmas, definition = graph.lemmas[concept], graph.definitions[concept]
    if relation == "definitions":
        return definition
    if relation == "synonymy":
        return ", ".join(lemmas)
    others = f" (or {', '.join(lemmas[1:_MOST_WORDS])})" if len(lemmas) > 1 else ""
    event = " event" if graph.pos[concept] == "v" else ""
    return f"{lemmas[0]}{others}{event}, defined as '{definition}'"
