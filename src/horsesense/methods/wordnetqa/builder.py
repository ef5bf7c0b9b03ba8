"""Build a probe from a graph: questions, distractors, splits.

Answer concepts are assigned to train, dev and test, so that no answer of training is an answer of a test. A cluster
stays whole: it goes where most of its answers are, and its questions with other answers are dropped. Concepts of one
branch of the taxonomy go together, which keeps most clusters whole.

A part of a balanced set is not balanced: its answers are no longer wrong four times for each time they are right. So a
limit draws questions, and these share their own answers. Some find no distractors among so few; then more are drawn.
Rules that reject more of some kinds of words change what a set is about; the card counts kept and dropped words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
from annotated_types import Ge, Interval

from horsesense.core import Card, Facet, Item, Probe, Source
from horsesense.cues.relatedness import Encoder
from horsesense.errors import UserError, argument, translate_errors
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.words import words, zipf
from horsesense.methods.wordnetqa.attested import AttestedConcepts
from horsesense.methods.wordnetqa.balanced_distractors import Options, controlled_choices
from horsesense.methods.wordnetqa.certainty_rules import CertaintyRules
from horsesense.methods.wordnetqa.disjointness import can_certify
from horsesense.methods.wordnetqa.distractors import QuestionOptions, paper_choices
from horsesense.methods.wordnetqa.near_distractors import IN_USE, NearBuilder, frequency, frequency_band
from horsesense.methods.wordnetqa.near_senses import Senses
from horsesense.methods.wordnetqa.plan import (
    FEWEST_SPLIT,
    OPTIONS,
    Distractors,
    Relation,
    SetPlan,
    WordNetPlan,
    first_of_each_split,
)
from horsesense.methods.wordnetqa.questions import (
    ConceptQuestion,
    asked_concepts,
    controlled_questions,
    option_text,
    question_text,
    questions_of,
)
from horsesense.methods.wordnetqa.stored_near import (
    balanced_by,
    more_of,
    near_encoders,
    stored_questions,
    usual_distractors,
)
from horsesense.progress import NO_PROGRESS, Progress

Made = TypeVar("Made", bound=tuple[Any, ...])
Plan = TypeVar("Plan", bound=SetPlan)

_FACTORS = (1, 2, 3, 4, 6, 8, 12)
"""Multiples of the limit to draw, until nearly as many items result."""
_ENOUGH = 0.9
SPARE = 3
"""Questions drawn per item of an exact limit, because some find no distractors."""
_FEWEST_DRAWN = 300
"""Questions drawn for a small limit: among a few dozen, most find no distractors."""
_FREQUENCIES = ((4.0, "Zipf 4 or more"), (3.0, "Zipf 3 to 4"), (0.0, "Zipf below 3"))
_SENSES = ((5, "5 senses or more"), (2, "2 to 4 senses"), (1, "1 sense"))


def make_within(plan: Plan, make: Callable[[Plan], Made], spare: Callable[[int], int]) -> Made:
    """Make a set within the plan's limit, or more than it where it is exact: ``spare`` is how many are drawn then.

    ``make`` returns a tuple that begins with the questions. Without an exact limit, the largest attempt with at most so
    many is taken.

    >>> len(make_within(SetPlan(limit=10), lambda plan: (list(range(plan.limit // 3)),), int)[0])
    10
    """
    if plan.limit is None or (plan.as_paper and not plan.exact):
        return make(plan)
    limit, one_split = plan.limit, not plan.as_paper and (plan.one_split or plan.limit < FEWEST_SPLIT)
    plan = replace(plan, one_split=one_split)
    if plan.exact:
        return make(replace(plan, limit=spare(limit)))
    best = make(replace(plan, limit=limit))
    for factor in _FACTORS[1:]:
        if len(best[0]) >= _ENOUGH * limit:
            break
        made = make(replace(plan, limit=limit * factor))
        grown = len(made[0]) - len(best[0])
        if len(made[0]) > limit or (grown == 0 and len(best[0])):  # or there is no more to draw
            break
        best = made if grown > 0 else best
    return best


def dropped_by_word(graph: Graph, considered: Iterable[int], kept: frozenset[int]) -> dict[str, int]:
    """Count dropped and kept concepts by frequency and number of senses of their word."""
    counts: Counter[str] = Counter()
    for concept in considered:
        word = graph.lemmas[concept][0].lower()
        frequency = min(map(zipf, words(word)), default=0.0)
        senses = len(graph.by_lemma[word])
        band = ", ".join(
            next(name for least, name in bands if value >= least)
            for value, bands in ((frequency, _FREQUENCIES), (senses, _SENSES))
        )
        counts[f"words, {band}: {'kept' if concept in kept else 'dropped'}"] += 1
    return dict(sorted(counts.items()))


MOST_TRAIN = 3000
_TRAIN = 0.15
"""Share of answer concepts, less where that would be more than 3,000 items."""
_TEST = 0.15
_BRANCHES = 400
"""A branch is the largest part of the taxonomy with at most one in this many of all concepts."""
_SMALL, _FEWEST_BRANCHES = 5000, 60
"""A source with fewer branches is not split: with some seeds a split would be empty or very small."""
TOO_SMALL = "split: the source is too small for train, dev and test, so that all questions are test"
_ALL_TEST = "The source is too small for train, dev and test, so that all questions are test."
_ARROWS = {"hypernymy": "=>", "hyponymy": "<=", "definitions": "=", "synonymy": "="}


def build_wordnetqa(graph: Graph, plan: WordNetPlan, encoders: Sequence[Encoder] = ()) -> Probe:
    """Build the questions of one relation; the notes on the card count what could not be asked.

    The ``encoders`` balance the relatedness of question and option where distractors are near.
    """
    plan = replace(plan, wording=plan.wording or graph.origin.language)
    _check_source(graph, plan)
    attested = AttestedConcepts(graph, CertaintyRules(graph))
    rejected: Counter[str] = Counter()
    choices: list[QuestionOptions] = []
    considered: list[int] = []
    near = not plan.as_paper and plan.distractors != "random" and can_certify(graph)
    if near:
        plan = replace(plan, common=True, one_split=plan.relation in ("hypernymy", "hyponymy"))
        half = plan.near_limit
        builder = NearBuilder(Options(graph, plan, attested, template_words=False), attested, encoders, rejected)
        stored = stored_questions(graph, plan.relation, plan.options, plan.seed, half, plan.more)
        choices = [builder.choice(*each.question(graph, plan.relation)) for each in stored] or builder.choices(half)
        considered = builder.considered or [choice.question.asked for choice in choices]
    elif plan.distractors == "near":
        raise UserError(
            f"{graph.origin.name} has no taxa and no concepts whose kinds are known to exclude each other",
            fix=f"build from WordNet, or with {argument('distractors', 'random')}",
        )
    if not near or plan.distractors == "mixed":
        rest = plan.random_limit(len(choices) if near else None)
        made, drawn, dropped = make_within(
            replace(plan, limit=rest),
            lambda plan: _make(graph, plan, attested),
            lambda limit: max(SPARE * limit, _FEWEST_DRAWN),
        )
        # A meaning is asked once, so that no answer of one split is an answer of another.
        taken = set() if plan.one_split or not near else {choice.question.answer for choice in choices}
        others = [choice for choice in made if choice.question.answer not in taken]
        choices += others if rest is None else first_of_each_split(others, rest, lambda choice: choice.split)
        considered += drawn
        rejected += dropped
        if near and plan.limit is not None and (missing := plan.limit - len(choices)) > 0:
            # A small limit may have no random questions that keep the balance.
            reached = stored_questions(graph, plan.relation, plan.options, plan.seed, plan.limit, plan.more)
            choices += [builder.choice(*each.question(graph, plan.relation)) for each in reached[half:][:missing]]
    items: dict[str, Item] = {}
    for item in items_of(graph, choices, plan):
        if items.setdefault(item.id, item) is not item:
            rejected["item: the same as another"] += 1
    if not items:
        short = f" within a limit of {plan.limit}" if plan.limit is not None else ""
        raised = f"raise {argument('limit')}, " if short else ""
        raise UserError(
            f"{graph.origin.name} gives no question of {plan.relation} with {plan.options} options{short}",
            fix=f"{raised}ask for fewer options, or add concepts with words, definitions and examples",
        )
    card = Card(
        name=f"wordnetqa-{plan.relation}" + (f"-{plan.distractors}{more_of(plan)}" if near else ""),
        method="wordnetqa",
        licence=graph.origin.licence,
        made=_made(graph, plan, near, encoders) + (f" {_ALL_TEST}" if rejected[TOO_SMALL] else ""),
        seed=plan.seed,
        group="asked",
    )
    notes = {name: rejected[name] for name in sorted(rejected) if rejected[name]}
    if not plan.as_paper:
        kept = frozenset(graph.number[item.groups["asked"]] for item in items.values())
        notes |= dropped_by_word(graph, considered, kept)
    return Probe.of(list(items.values()), card, notes)


def _make(
    graph: Graph, plan: WordNetPlan, attested: AttestedConcepts
) -> tuple[list[QuestionOptions], list[int], Counter[str]]:
    """Return questions with random distractors, or the paper's; the concepts that were drawn; and what was left out."""
    rejected: Counter[str] = Counter()
    questions, considered = _questions(graph, plan, attested, rejected)
    placed = split_questions(graph, questions, plan, plan.size["perturbations"], rejected)
    if plan.as_paper:
        choices = paper_choices(graph, placed, plan, rejected)
    else:
        choices = controlled_choices(graph, placed, plan, attested, rejected)
    return list(choices), considered, rejected


def _made(graph: Graph, plan: WordNetPlan, near: bool, encoders: Sequence[Encoder]) -> str:
    how = "distractors of pure kinds, as in the paper" if plan.as_paper else "controlled random distractors"
    if near:
        mixed = plan.distractors == "mixed"
        how = f"{'half with near distractors, half with random ones' if mixed else 'near distractors'}"
        balanced = balanced_by(graph, plan.relation, plan.options, encoders)
        how += f"; relatedness of near ones balanced by {balanced}"
    limit = f", at most {plan.limit:,}" if plan.limit else ""
    source = f"{graph.origin.name} {graph.origin.version}".strip()
    return f"Questions about {plan.relation} built from {source}, {plan.options} options each, {how}{limit}."


def _check_source(graph: Graph, plan: WordNetPlan) -> None:
    needed = {"lemma": graph.lemmas, "definition": graph.definitions}
    near_words = plan.relation == "hypernymy" and plan.distractors == "near"
    if not plan.by_definition and not near_words:
        needed["example"] = graph.examples
    if plan.relation in ("hypernymy", "hyponymy"):
        # Concepts are indices, and the root may be 0, which is falsy.
        needed["isa"] = [[other] for other in graph.up.others.tolist()]
    for name, column in needed.items():
        if not any(column):
            raise UserError(f"the source {graph.origin.name} has no {name}, which {plan.relation} needs")


def _questions(
    graph: Graph, plan: WordNetPlan, attested: AttestedConcepts, rejected: Counter[str]
) -> tuple[list[ConceptQuestion], list[int]]:
    """Return questions of whole clusters, until there are enough, and the concepts that were considered."""
    questions: list[ConceptQuestion] = []
    considered: list[int] = []
    clusters = 0
    covered = plan.common and Senses(graph, None).in_use
    for asked in asked_concepts(graph, plan, rejected):
        if plan.common and covered and frequency(graph.lemmas[asked.concept][0]) < IN_USE:
            continue
        if plan.as_paper:
            new = questions_of(graph, asked, plan, rejected)
        else:
            new = controlled_questions(graph, asked, plan, attested, rejected)
        if plan.limit is not None and (len(questions) + len(new)) * plan.size["perturbations"] > plan.limit:
            break
        considered.append(asked.concept)
        questions += new
        clusters += bool(new)
        if clusters == plan.size["concepts"]:
            break
    return questions, considered


def _branches(graph: Graph) -> Callable[[int], int]:
    """Return a function from a concept to the top of its branch."""
    below = np.diff(graph.down.starts)
    largest = max(1, len(graph) // _BRANCHES)

    def branch(concept: int) -> int:
        around = [other for other in graph.up.reached(concept) if below[other] <= largest]
        return max([concept, *around], key=lambda other: (int(below[other]), -other))

    return branch


def split_questions(
    graph: Graph, questions: Sequence[ConceptQuestion], plan: WordNetPlan, each: int, rejected: Counter[str]
) -> list[tuple[ConceptQuestion, str]]:
    """Assign each question to a split; ``each`` is the number of items per question."""
    train = min(_TRAIN, 0.9 * MOST_TRAIN / max(1, len(questions) * each))
    branch_of = _branches(graph)

    @cache
    def split(answer: int) -> str:
        place = plan.rng("split", graph.ids[branch_of(answer)]).random()
        return "train" if place < train else "test" if place < train + _TEST else "dev"

    if len(graph) <= _SMALL and len({branch_of(concept) for concept in range(len(graph))}) < _FEWEST_BRANCHES:
        rejected[TOO_SMALL] += len(questions)
        return [(question, "test") for question in questions]
    if plan.one_split:
        return [(question, "test") for question in questions]
    placed: list[tuple[ConceptQuestion, str]] = []
    used = 0
    for _, cluster in groupby(questions, key=lambda question: question.asked):
        members = list(cluster)
        places = [split(question.answer) for question in members]
        most = max(("test", "train", "dev"), key=places.count)
        kept = [(question, most) for question, place in zip(members, places, strict=True) if place == most]
        rejected["question: its answer is in another split"] += len(members) - len(kept)
        if most == "train":
            used += len(kept) * each
            if used > MOST_TRAIN:
                rejected["question: train is full"] += len(kept)
                continue
        placed += kept
    return placed


def items_of(graph: Graph, choices: Iterable[QuestionOptions], plan: WordNetPlan) -> Iterator[Item]:
    """Yield one item per question."""
    texts: dict[int, str] = {}
    for choice in choices:
        question = choice.question
        concepts = [question.answer, *choice.distractors]
        asked, answer = graph.ids[question.asked], graph.ids[question.answer]
        plan.rng("order", asked, answer, choice.kind, choice.distance, question.template).shuffle(concepts)
        for concept in concepts:
            if concept not in texts:
                texts[concept] = option_text(graph, plan.relation, concept, plan.words)
        facets: dict[str, Facet] = {
            "task": plan.relation,
            "split": choice.split,
            "template": question.template,
            "hops": question.hops,
            "distractor_kind": choice.kind,
            "fillers": choice.filled_up,
            "asked": asked,
            "pos": graph.pos[question.asked],
            "chain": f"{asked}{_ARROWS[plan.relation]}{answer}",
        }
        if choice.distance:
            facets["distractor_hops"] = choice.distance
        if plan.common:
            facets["frequency"] = frequency_band(question.word if question.word else graph.lemmas[question.asked][0])
        if choice.certificates:
            facets["certificate"] = kinds_of_certificates(choice.certificates)
        yield Item(
            probe=f"wordnetqa-{plan.relation}",
            form="choice",
            text=question_text(question, plan.template(question.template)),
            options=tuple(texts[concept] for concept in concepts),
            answer=concepts.index(question.answer),
            concepts=tuple(graph.ids[concept] for concept in concepts),
            family=f"{plan.relation}: {asked}",
            member=f"{answer} {choice.kind}{choice.distance or ''} {question.template}",
            groups={"asked": asked, "answer": answer},
            facets=facets,
            source=Source(
                triples=(
                    (plan.relation, asked, answer),
                    *((f"not, by {why}", asked, graph.ids[other]) for other, why in choice.certificates),
                ),
                licence=graph.origin.licence,
            ),
        )


def kinds_of_certificates(certificates: Iterable[tuple[int, str]]) -> str:
    """Return the kinds of certificates of an item's distractors: "taxa", "kinds and sorts"."""
    kinds = {re.split(r"[:,]", why, maxsplit=1)[0] for _, why in certificates}
    return " and ".join(sorted(kinds))


@translate_errors()
def build(
    *,
    relation: Relation,
    source: str = "wordnet",
    limit: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
    options: Annotated[int, Interval(ge=2, le=20)] = OPTIONS,
    distractors: Distractors | None = None,
    as_paper: bool = False,
    wording: str | Path = "",
    matched_hops: bool = False,
    progress: Progress = NO_PROGRESS,
) -> Probe:
    """Build questions about definitions, synonyms, hypernyms or hyponyms from WordNet or another knowledge source.

    Args:
        relation: Relation that the questions ask about.
        source: Knowledge source with isa links, definitions and examples.
        limit: Number of items.
        seed: Random seed.
        options: Number of options per question.
        distractors: Wrong options: random, near (similar in meaning but false; the reason is stored with the item), or
            mixed (half of the questions with each). By default, mixed if the package ships near questions for this
            relation, otherwise random.
        as_paper: Build as in the paper, with its types of distractors and the surface cues that its rules leave in.
        wording: Question templates in another language, as a .toml file. By default, English.
        matched_hops: For hypernymy, build questions with the same right and wrong options about words that are one,
            two, three … links below the right option.
        progress: Progress callback.

    Returns:
        The probe; the same options and seed give the same items.
    """
    from horsesense.lexicons.sources import open_graph
    from horsesense.methods.audits import with_audit
    from horsesense.methods.wordnetqa.matched_hops import build_matched_hops

    graph = open_graph(source)
    chosen = "random" if as_paper or matched_hops else distractors or usual_distractors(graph, relation, options)
    plan = WordNetPlan(
        relation,
        seed=seed,
        limit=limit,
        as_paper=as_paper,
        options=options,
        distractors=chosen,
        wording=str(wording),
        exact=True,
        more=True,
    )
    if matched_hops:
        return build_matched_hops(graph, plan)
    probe = build_wordnetqa(graph, plan, near_encoders(graph, relation, options, chosen, progress))
    return with_audit(probe, similar=source == "wordnet" and not as_paper)
