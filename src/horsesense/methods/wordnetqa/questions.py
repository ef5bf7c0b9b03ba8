"""Questions and answers: a word in its example, its concept, the answers with their hops, and their texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from horsesense.lexicons.graph import Graph
from horsesense.lexicons.word_forms import stems, with_derived
from horsesense.methods.wordnetqa.attested import AttestedConcepts
from horsesense.methods.wordnetqa.plan import MOST_HOPS, SHIPPED, Wording, WordNetPlan, find_wording
from horsesense.methods.wordnetqa.word_forms import find_form

_MOST_WORDS = 3
"""Words that name a concept in an option of an ISA question."""


# Concepts that can be asked about, each with the wordings of its question.


@dataclass(frozen=True, slots=True)
class AskedConcept:
    """A concept and how it can be asked about."""

    concept: int
    contexts: tuple[tuple[str, str], ...]
    """Examples with the asked word as written; where the definition is quoted, the definition and a word."""


def asked_concepts(graph: Graph, plan: WordNetPlan, rejected: Counter[str]) -> Iterator[AskedConcept]:
    """Yield concepts in random order, lazily."""
    for concept in _candidates(graph, plan):
        contexts = _contexts(graph, concept, plan)
        if contexts:
            yield AskedConcept(concept, tuple(contexts))
        else:
            rejected["asked: no example contains a word of the concept"] += 1


def _candidates(graph: Graph, plan: WordNetPlan) -> list[int]:
    """Return whether a concept has what the relation needs: a definition, an example, a concept above or below."""
    usable = []
    links = {"hypernymy": graph.up, "hyponymy": graph.down}.get(plan.relation)
    for concept in range(len(graph)):
        if not graph.definitions[concept] or not graph.lemmas[concept]:
            continue
        if not plan.by_definition and not graph.examples[concept]:
            continue
        if links is None or links.starts[concept] < links.starts[concept + 1]:
            usable.append(concept)
    plan.rng("asked").shuffle(usable)
    return usable


def _contexts(graph: Graph, concept: int, plan: WordNetPlan) -> list[tuple[str, str]]:
    lemmas, pos = graph.lemmas[concept], graph.pos[concept]
    if plan.by_definition:
        return [(graph.definitions[concept], lemma) for lemma in lemmas[: 1 if plan.relation == "synonymy" else None]]
    endings = plan.words.endings
    forms = ((sentence, find_form(sentence, lemmas, pos, endings)) for sentence in graph.examples[concept])
    return [(sentence, form) for sentence, form in forms if form and form.lower() != sentence.strip(" .!?").lower()]


# Answers of each asked concept, with the number of hops.


@dataclass(frozen=True, slots=True)
class ConceptQuestion:
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

    @property
    def pair(self) -> tuple[int, int]:
        """Return the asked concept and the answer."""
        return self.asked, self.answer


def questions_of(graph: Graph, asked: AskedConcept, plan: WordNetPlan, rejected: Counter[str]) -> list[ConceptQuestion]:
    """Return the questions of one cluster: several answers if there are, else several wordings."""
    rng = plan.rng("question", graph.ids[asked.concept])
    templates = list(plan.templates)
    if plan.relation in ("hypernymy", "hyponymy"):
        answers = _related(graph, asked.concept, plan, rejected)
        related = sorted(rng.sample(answers, min(plan.size["answers"], len(answers))), key=lambda pair: pair[::-1])
        drawn = [(answer, hops, *rng.choice(asked.contexts), rng.choice(templates)) for answer, hops in related]
    else:
        wordings = [(*context, template) for context in asked.contexts for template in templates]
        sampled = rng.sample(wordings, min(plan.size["answers"], len(wordings)))
        drawn = [(asked.concept, 0, *wording) for wording in sampled]
    return [ConceptQuestion(asked.concept, *values) for values in drawn]


def controlled_questions(
    graph: Graph, asked: AskedConcept, plan: WordNetPlan, attested: AttestedConcepts, rejected: Counter[str]
) -> list[ConceptQuestion]:
    """The same for a controlled set: what is asked and offered is fit to be shown, the answer is attested, and of its
    wordings one is taken that shares no stem with the answer."""
    concept = asked.concept
    pos = graph.pos[concept]
    below = int(graph.down.starts[concept + 1] - graph.down.starts[concept])
    if not attested.fit(concept) or below > plan.most("below", pos):
        rejected["asked: a name, too general, offensive, or defined by itself"] += 1
        return []
    contexts = list(asked.contexts)
    if plan.relation == "hypernymy":
        most, latest = plan.most("senses", pos), plan.most("sense", pos)
        contexts = [each for each in contexts if attested.clear(concept, each[0], most, latest)]
    if not contexts:
        rejected["asked: the word has too many senses, or this is not what it mostly means"] += 1
        return []
    answers = [(concept, 0)]
    if plan.relation in ("hypernymy", "hyponymy"):
        related = _related(graph, concept, plan, rejected)
        links = graph.up if plan.relation == "hypernymy" else graph.down
        most = plan.most("hops", pos)
        held = set(attested.answers(concept, links, plan.relation == "hypernymy", most))
        answers = [(answer, hops) for answer, hops in related if answer in held and attested.fit(answer)]
        rejected["answer: no gloss attests it, or it is not fit to be offered"] += len(related) - len(answers)
    rng = plan.rng("question", graph.ids[concept])
    drawn = sorted(rng.sample(answers, min(plan.size["answers"], len(answers))), key=lambda pair: pair[::-1])
    questions = []
    for answer, hops in drawn:
        told = stems(option_text(graph, plan.relation, answer))
        hidden = [each for each in contexts if told.isdisjoint(with_derived(each[0], graph.derived))]
        if not plan.by_definition:  # there the name comes first
            rng.shuffle(hidden)
        templates = rng.sample(list(plan.templates), len(plan.templates))
        for wording in ((*context, template) for context in hidden for template in templates):
            question = ConceptQuestion(concept, answer, hops, *wording)
            if told.isdisjoint(stems(question_text(question, plan.templates[question.template]))):
                questions.append(question)
                break
        else:
            rejected["question: it contains a stem of the answer"] += 1
    return questions


def _related(graph: Graph, concept: int, plan: WordNetPlan, rejected: Counter[str]) -> list[tuple[int, int]]:
    links = graph.up if plan.relation == "hypernymy" else graph.down
    asked_lemmas = {lemma.lower() for lemma in graph.lemmas[concept]}
    answers = []
    for other, hops in links.row(concept):
        if not 1 <= hops <= MOST_HOPS or not graph.definitions[other]:
            continue
        if asked_lemmas & {lemma.lower() for lemma in graph.lemmas[other]}:
            rejected["answer: it has the asked concept's own word"] += 1
        elif graph.definitions[other] == graph.definitions[concept]:
            rejected["answer: it has the asked concept's own definition"] += 1
        else:
            answers.append((other, hops))
    return answers


# Texts of questions and options.


def question_text(question: ConceptQuestion, template: str) -> str:
    """Fill the template; braces in an example are not slots."""
    slots = {"{sentence}": question.sentence, "{definition}": question.sentence, "{word}": question.word}
    pieces = template.replace("}", "}\0").replace("{", "\0{").split("\0")
    return "".join(slots.get(piece, piece) for piece in pieces)


def option_text(graph: Graph, relation: str, concept: int, wording: Wording | None = None) -> str:
    """Return the text of a concept as an option: its definition, its words, or its name with the definition."""
    lemmas, definition = graph.lemmas[concept], graph.definitions[concept]
    if relation == "definitions":
        return definition
    if relation == "synonymy":
        return ", ".join(lemmas)
    said = wording or find_wording(SHIPPED)
    others = said.others.replace("{words}", ", ".join(lemmas[1:_MOST_WORDS])) if len(lemmas) > 1 else ""
    event = said.event if graph.pos[concept] == "v" else ""
    name, _, rest = said.defined.partition("{name}")
    before, _, after = rest.partition("{definition}")
    return f"{name}{lemmas[0]}{others}{event}{before}{definition}{after}"
