"""The recipe: from a graph to a probe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from horsesense.errors import UserError
from horsesense.knowledge.graph import Graph
from horsesense.language.words import FUNCTION_WORDS, words
from horsesense.probes.wordnetqa.answers import Question, questions_of
from horsesense.probes.wordnetqa.asked import asked_concepts
from horsesense.probes.wordnetqa.control import controlled_choices
from horsesense.probes.wordnetqa.paper import Choice, paper_choices
from horsesense.probes.wordnetqa.plan import Plan
from horsesense.probes.wordnetqa.splits import split_questions
from horsesense.probes.wordnetqa.wording import option_text, question_text
from horsesense.records import Card, Facet, Item, Probe, Source

_ARROWS = {"hypernymy": "=>", "hyponymy": "<=", "definitions": "=", "synonymy": "="}


def build_wordnetqa(graph: Graph, plan: Plan) -> Probe:
    """The questions of one relation; what could not be asked is counted in the card's notes."""
    rejected: Counter[str] = Counter()
    _check_source(graph, plan)
    questions = _questions(graph, plan, rejected)
    placed = split_questions(graph, questions, plan, plan.size["perturbations"], rejected)
    choices = (paper_choices if plan.as_paper else controlled_choices)(graph, placed, plan, rejected)
    items: dict[str, Item] = {}
    for item in _items(graph, choices, plan):
        if items.setdefault(item.id, item) is not item:
            rejected["item: the same as another"] += 1
    if not items:
        short = f" within a limit of {plan.limit}" if plan.limit is not None else ""
        raise UserError(
            f"{graph.origin.name} gives no question of {plan.relation} with {plan.ways} options{short}",
            fix=f"{'raise --limit, ' if short else ''}ask for fewer options, or add concepts with words, definitions "
            "and examples",
        )
    card = Card(
        name=f"wordnetqa-{plan.relation}",
        method="wordnetqa",
        licence=graph.origin.licence,
        made=_made(graph, plan),
        seed=plan.seed,
        group="asked",
    )
    return Probe.of(list(items.values()), card, {name: rejected[name] for name in sorted(rejected) if rejected[name]})


def _made(graph: Graph, plan: Plan) -> str:
    how = "distractors of pure kinds, as in the paper" if plan.as_paper else "controlled distractors"
    limit = f", at most {plan.limit:,}" if plan.limit else ""
    source = f"{graph.origin.name} {graph.origin.version}".strip()
    return f"Questions of {plan.relation} grown from {source}, {plan.ways} options each, {how}{limit}."


def _check_source(graph: Graph, plan: Plan) -> None:
    needed = {"lemma": graph.lemmas, "definition": graph.definitions}
    if plan.relation != "synonymy":
        needed["example"] = graph.examples
    if plan.relation in ("hypernymy", "hyponymy"):
        # Concepts are numbers here, and the first of them, which everything may be a kind of, is 0.
        needed["isa"] = [[other] for other in graph.up.others.tolist()]
    for name, column in needed.items():
        if not any(column):
            raise UserError(f"the source {graph.origin.name} has no {name}, which {plan.relation} needs")


def _questions(graph: Graph, plan: Plan, rejected: Counter[str]) -> list[Question]:
    """Whole clusters, until there are enough."""
    found: list[Question] = []
    clusters = 0
    for asked in asked_concepts(graph, plan, rejected):
        new = questions_of(graph, asked, plan, rejected)
        if not plan.as_paper:
            hidden = [question for question in new if not _tells(graph, question, plan)]
            rejected["question: a word of the answer stands in it"] += len(new) - len(hidden)
            new = hidden
        if plan.limit is not None and (len(found) + len(new)) * plan.size["perturbations"] > plan.limit:
            break
        found += new
        clusters += bool(new)
        if clusters == plan.size["concepts"]:
            break
    return found


def _tells(graph: Graph, question: Question, plan: Plan) -> bool:
    """Whether question and answer share a word with content, so that matching words would find it."""
    # Of synonymy the word is part of the answer, not of the question.
    said = set(words(question.sentence if plan.relation == "synonymy" else f"{question.sentence} {question.word}"))
    return not (said - FUNCTION_WORDS).isdisjoint(words(option_text(graph, plan.relation, question.answer)))


def _items(graph: Graph, choices: Iterator[Choice], plan: Plan) -> Iterator[Item]:
    texts: dict[int, str] = {}
    for choice in choices:
        question = choice.question
        concepts = [question.answer, *choice.distractors]
        asked, answer = graph.ids[question.asked], graph.ids[question.answer]
        plan.chance("order", asked, answer, choice.kind, choice.distance, question.template).shuffle(concepts)
        for concept in concepts:
            if concept not in texts:
                texts[concept] = option_text(graph, plan.relation, concept)
        facets: dict[str, Facet] = {
            "task": plan.relation,
            "split": choice.split,
            "template": question.template,
            "hops": question.hops,
            "distractor_kind": choice.kind,
            "fillers": choice.fillers,
            "asked": asked,
            "pos": graph.pos[question.asked],
            "chain": f"{asked}{_ARROWS[plan.relation]}{answer}",
        }
        if choice.distance:
            facets["distractor_hops"] = choice.distance
        yield Item(
            probe=f"wordnetqa-{plan.relation}",
            form="choice",
            text=question_text(question, plan.templates[question.template]),
            options=tuple(texts[concept] for concept in concepts),
            answer=concepts.index(question.answer),
            concepts=tuple(graph.ids[concept] for concept in concepts),
            family=f"{plan.relation}: {asked}",
            member=f"{answer} {choice.kind}{choice.distance or ''} {question.template}",
            groups={"asked": asked, "answer": answer},
            facets=facets,
            source=Source(triples=((plan.relation, asked, answer),), licence=graph.origin.licence),
        )
