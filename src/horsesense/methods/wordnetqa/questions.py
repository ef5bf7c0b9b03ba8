"""What is asked and what is right: a word in its example, its concept, the answers with their hops, how they read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from horsesense.knowledge.graph import Graph
from horsesense.methods.wordnetqa.plan import MOST_HOPS, WordNetPlan
from horsesense.methods.wordnetqa.wording import SHIPPED, Wording, find_wording

_UNIVERSAL = {"n": "NOUN", "v": "VERB", "a": "ADJ", "s": "ADJ", "r": "ADV"}
_MOST_WORDS = 3
"""Words that name a concept in an option of an ISA question."""


# A word as it stands in an example: "squatted" for squat, "sat down" for sit down.


def find_form(sentence: str, lemmas: Iterable[str], pos: str, endings: Sequence[str] = ()) -> str | None:
    """The first of the lemmas that the sentence has, in the form it has it; ``endings`` are those of its language.

    >>> find_form("They sat down on the oxen's cart", ["squat", "sit down"], "v")
    'sat down'
    >>> find_form("Two mother-in-laws, both kind", ["kindly"], "r") is None
    True
    """
    low = sentence.lower()
    for lemma in lemmas:
        for form in with_endings(lemma.lower(), endings) if endings else word_forms(lemma.lower(), pos):
            start = low.find(form)
            while start >= 0:
                end = start + len(form)
                if not _in_word(low, start - 1) and not _in_word(low, end):
                    return sentence[start:end]
                start = low.find(form, start + 1)
    return None


def with_endings(lemma: str, endings: Sequence[str]) -> list[str]:
    """A lemma with each ending, longest first.

    >>> with_endings("hund", ["", "e", "en"])
    ['hunden', 'hunde', 'hund']
    """
    return sorted({lemma + ending for ending in endings}, key=lambda form: (-len(form), form))


def _in_word(text: str, place: int) -> bool:
    return 0 <= place < len(text) and (text[place].isalnum() or text[place] in "-_")


@lru_cache(maxsize=200_000)
def word_forms(lemma: str, pos: str) -> tuple[str, ...]:
    """A lemma and its inflected forms, longest first; of a phrase its head is inflected.

    >>> word_forms("sit down", "v")
    ('sitting down', 'sits down', 'sat down', 'sit down')
    """
    words = lemma.split(" ")
    if pos == "v":
        head, phrase = words[0], (lambda form: " ".join([form, *words[1:]]))
    else:
        head, phrase = words[-1], (lambda form: " ".join([*words[:-1], form]))
    inflected = {lemma, *map(phrase, _inflected(head, pos))}
    return tuple(sorted(inflected, key=lambda form: (-len(form), form)))


def _inflected(word: str, pos: str) -> set[str]:
    from lemminflect import getAllInflections, getAllInflectionsOOV

    universal = _UNIVERSAL.get(pos)
    if universal is None or not word.isalpha():
        return set()
    known = getAllInflections(word, universal) or getAllInflectionsOOV(word, universal)
    return {form.lower() for forms in known.values() for form in forms}


# Concepts that can be asked about, each with the wordings of its question.


@dataclass(frozen=True, slots=True)
class AskedConcept:
    """A concept and how it can be asked about."""

    concept: int
    contexts: tuple[tuple[str, str], ...]
    """Examples and the asked word as it stands in each; of synonymy, the definition and the first word."""


def asked_concepts(graph: Graph, plan: WordNetPlan, rejected: Counter[str]) -> Iterator[AskedConcept]:
    """Concepts in an order that the seed decides, one at a time: nothing is done for those not asked for."""
    for concept in _candidates(graph, plan):
        contexts = _contexts(graph, concept, plan)
        if contexts:
            yield AskedConcept(concept, tuple(contexts))
        else:
            rejected["asked: no word of the concept stands in its examples"] += 1


def _candidates(graph: Graph, plan: WordNetPlan) -> list[int]:
    """What the relation needs at all: a definition, an example, something above or below."""
    usable = []
    links = {"hypernymy": graph.up, "hyponymy": graph.down}.get(plan.relation)
    for concept in range(len(graph)):
        if not graph.definitions[concept] or not graph.lemmas[concept]:
            continue
        if plan.relation != "synonymy" and not graph.examples[concept]:
            continue
        if links is None or links.starts[concept] < links.starts[concept + 1]:
            usable.append(concept)
    plan.chance("asked").shuffle(usable)
    return usable


def _contexts(graph: Graph, concept: int, plan: WordNetPlan) -> list[tuple[str, str]]:
    lemmas, pos = graph.lemmas[concept], graph.pos[concept]
    if plan.relation == "synonymy":
        return [(graph.definitions[concept], lemmas[0])]
    endings = plan.words.endings
    forms = ((sentence, find_form(sentence, lemmas, pos, endings)) for sentence in graph.examples[concept])
    return [(sentence, form) for sentence, form in forms if form and form.lower() != sentence.strip(" .!?").lower()]


# What is right: for each asked concept its answers, with the number of hops.


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


def questions_of(graph: Graph, asked: AskedConcept, plan: WordNetPlan, rejected: Counter[str]) -> list[Question]:
    """The questions of one cluster: several answers where there are, else several wordings."""
    chance = plan.chance("question", graph.ids[asked.concept])
    templates = list(plan.templates)
    if plan.relation in ("hypernymy", "hyponymy"):
        answers = _related(graph, asked.concept, plan, rejected)
        related = sorted(chance.sample(answers, min(plan.size["answers"], len(answers))), key=lambda pair: pair[::-1])
        drawn = [(answer, hops, *chance.choice(asked.contexts), chance.choice(templates)) for answer, hops in related]
    else:
        wordings = [(*context, template) for context in asked.contexts for template in templates]
        sampled = chance.sample(wordings, min(plan.size["answers"], len(wordings)))
        drawn = [(asked.concept, 0, *wording) for wording in sampled]
    return [Question(asked.concept, *values) for values in drawn]


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


# How questions and options read.


def question_text(question: Question, template: str) -> str:
    """The template, filled; no word of an example is taken for a slot."""
    slots = {"{sentence}": question.sentence, "{definition}": question.sentence, "{word}": question.word}
    pieces = template.replace("}", "}\0").replace("{", "\0{").split("\0")
    return "".join(slots.get(piece, piece) for piece in pieces)


def option_text(graph: Graph, relation: str, concept: int, wording: Wording | None = None) -> str:
    """A concept as an option: its definition, its words, or its name with the definition."""
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
