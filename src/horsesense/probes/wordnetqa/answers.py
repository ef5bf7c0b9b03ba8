"""What is right: for each asked concept its answers, with the number of hops."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from horsesense.knowledge.graph import Graph
from horsesense.probes.wordnetqa.asked import Asked
from horsesense.probes.wordnetqa.plan import MOST_HOPS, Plan


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its right answer, before it has distractors."""

    asked: int
    answer: int
    hops: int
    """0 where the answer is the asked concept itself."""
    sentence: str
    """The example, or the definition."""
    word: str
    template: str
    """Name of the template."""


def questions_of(graph: Graph, asked: Asked, plan: Plan, rejected: Counter[str]) -> list[Question]:
    """The questions of one cluster: several answers where there are, else several wordings."""
    chance = plan.chance("question", graph.ids[asked.concept])
    templates = list(plan.templates)
    if plan.relation in ("hypernymy", "hyponymy"):
        answers = _related(graph, asked.concept, plan, rejected)
        kept = sorted(chance.sample(answers, min(plan.size["answers"], len(answers))), key=lambda pair: pair[::-1])
        found = [(answer, hops, *chance.choice(asked.contexts), chance.choice(templates)) for answer, hops in kept]
    else:
        wordings = [(*context, template) for context in asked.contexts for template in templates]
        drawn = chance.sample(wordings, min(plan.size["answers"], len(wordings)))
        found = [(asked.concept, 0, *wording) for wording in drawn]
    return [Question(asked.concept, *values) for values in found]


def _related(graph: Graph, concept: int, plan: Plan, rejected: Counter[str]) -> list[tuple[int, int]]:
    links = graph.up if plan.relation == "hypernymy" else graph.down
    own = {lemma.lower() for lemma in graph.lemmas[concept]}
    found = []
    for other, hops in links.row(concept):
        if not 1 <= hops <= MOST_HOPS or not graph.definitions[other]:
            continue
        if own & {lemma.lower() for lemma in graph.lemmas[other]}:
            rejected["answer: it has the asked concept's own word"] += 1
        elif graph.definitions[other] == graph.definitions[concept]:
            rejected["answer: it has the asked concept's own definition"] += 1
        else:
            found.append((other, hops))
    return found
