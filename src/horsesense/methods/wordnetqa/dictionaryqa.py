"""DictionaryQA: the sense of a word in an example (section 3.2); its other senses are the first distractors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Annotated

from annotated_types import Ge, Interval

from horsesense.core import Card, Item, Probe, Source
from horsesense.cues.relatedness import Encoder
from horsesense.errors import UserError, translate_errors
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.word_forms import stems
from horsesense.lexicons.words import words, zipf
from horsesense.methods.wordnetqa.balanced_distractors import assign_evenly
from horsesense.methods.wordnetqa.builder import dropped_by_word, kinds_of_certificates, make_within
from horsesense.methods.wordnetqa.distractors import QuestionOptions
from horsesense.methods.wordnetqa.near_dictionary import GenusCertificates, SensePool
from horsesense.methods.wordnetqa.near_distractors import frequency_band
from horsesense.methods.wordnetqa.near_senses import TEMPLATES, Senses
from horsesense.methods.wordnetqa.plan import OPTIONS, Distractors, SetPlan, first_of_each_split, near_split
from horsesense.methods.wordnetqa.questions import ConceptQuestion, question_text
from horsesense.methods.wordnetqa.rank_balance import NearQuestion, RankBalance
from horsesense.methods.wordnetqa.stored_near import balanced_by, near_encoders, stored_questions, usual_distractors
from horsesense.methods.wordnetqa.word_forms import find_form
from horsesense.progress import NO_PROGRESS, Progress

_LONG = 9
"""Length from which an unknown word is taken for two joined words."""
_LONGEST = 60
"""Maximum number of words of an example; a longer one is a page of a book."""
Sense = tuple[int, str, str]
"""The sense, an example, and the word as written there."""
MOST = 7000
"""The size of the paper's set (table 4)."""
_SPARE = 6
"""Questions drawn per item of an exact limit; most find no distractors among so few."""
_MOST_NEAR, _FEWEST_NEAR = 6000, 2000
"""Questions considered for near distractors without a limit, and at least."""
_SPLITS = (("train", 3 / 7), ("dev", 6 / 7), ("test", 1.0))
"""At most 3,000 to train on, as many for development (section 3.2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryPlan(SetPlan):
    """One set of questions about senses: by default, at most as many as the paper's.

    As in the paper, fillers are drawn at random from all senses with an example, not balanced from the answers.
    """

    def rng(self, *what: object) -> Random:
        return Random("|".join(map(str, (self.seed, "dictionaryqa", *what))))


def dictionaryqa_probe(
    graph: Graph, plan: DictionaryPlan, thesaurus: Graph | None = None, encoders: Sequence[Encoder] = ()
) -> Probe:
    """Build one question per sense; the notes on the card count what could not be asked.

    With a ``thesaurus`` (WordNet), senses that paraphrase each other are recognised. The ``encoders`` balance the
    relatedness of question and option where distractors are near and not stored with the package.
    """
    compared = Senses(graph, thesaurus)
    rejected: Counter[str] = Counter()
    full: list[QuestionOptions] = []
    near = thesaurus is not None and not plan.as_paper and plan.distractors != "random"
    if thesaurus is not None and near:
        full = near_slots(compared, thesaurus, replace(plan, limit=plan.near_limit), encoders)
        for slot in full:
            slot.split = near_split(graph.lemmas[slot.question.answer][0], plan.limit)
    elif plan.distractors == "near":
        raise UserError("near distractors need a thesaurus", fix="run horsesense fetch wordnet")
    if not near or plan.distractors == "mixed":
        rest = plan.random_limit(len(full) if near else None)
        made, rejected = make_within(
            replace(plan, limit=rest), lambda plan: _make(compared, plan), lambda limit: _SPARE * limit
        )
        # A word is in one split.
        asked = {graph.lemmas[slot.question.answer][0].lower() for slot in full}
        others = [slot for slot in made if graph.lemmas[slot.question.answer][0].lower() not in asked]
        full += others if rest is None else first_of_each_split(others, rest, lambda slot: slot.split)
    items = {item.id: item for item in (item_of(graph, slot, plan) for slot in full)}
    if not items:
        raise UserError(
            f"{graph.origin.name} gives no question with {plan.options} options",
            fix="ask for fewer options, or give a source with words of several senses, each with an example",
        )
    how = f"other senses first, then {'random ones' if plan.as_paper else 'answers of other questions'}"
    if near:
        how = f"near ones, relatedness balanced by {balanced_by(graph, 'dictionary', plan.options, encoders)}"
        how += "" if plan.distractors == "near" else "; in the other half other senses first, then random ones"
    card = Card(
        name=f"dictionaryqa-{plan.distractors}" if near else "dictionaryqa",
        method="dictionaryqa",
        licence=graph.origin.licence,
        made=f"Senses of words in {graph.origin.name} {graph.origin.version}, {plan.options} options each: {how}.",
        seed=plan.seed,
        group="word",
    )
    notes = {name: rejected[name] for name in sorted(rejected) if rejected[name]}
    if not plan.as_paper:
        kept = frozenset(graph.number[item.groups["asked"]] for item in items.values())
        senses = (
            c for c in range(len(graph)) if graph.examples[c] and len(graph.by_lemma[graph.lemmas[c][0].lower()]) > 1
        )
        notes |= dropped_by_word(graph, senses, kept)
    return Probe.of(list(items.values()), card, notes)


def near_slots(
    compared: Senses, thesaurus: Graph, plan: DictionaryPlan, encoders: Sequence[Encoder]
) -> list[QuestionOptions]:
    """Return questions with near distractors: those of the package, else drawn here."""
    stored = stored_questions(compared.graph, "dictionary", plan.options, plan.seed, plan.limit)
    if not stored:
        return draw_near(compared, thesaurus, plan, encoders)
    certificates = GenusCertificates(compared, thesaurus)
    return [_near_slot(certificates, *each.question(compared.graph, "dictionary")) for each in stored]


def draw_near(
    compared: Senses, thesaurus: Graph, plan: DictionaryPlan, encoders: Sequence[Encoder]
) -> list[QuestionOptions]:
    """Draw questions with near distractors, balanced by encoders."""
    graph, certificates = compared.graph, GenusCertificates(compared, thesaurus)
    drawn: list[NearQuestion] = []
    most = _MOST_NEAR if plan.limit is None else max(_FEWEST_NEAR, 4 * plan.limit)
    for senses in words_with_senses(graph, plan.rng("words"), Counter()):
        for sense in senses:
            if compared.is_clear(*sense) and certificates.genus(sense[0]) is not None and len(drawn) < most:
                question = _question(compared, sense, plan)
                if question is not None:
                    drawn.append(NearQuestion(question, question_text(question, TEMPLATES[question.template])))
    balance = RankBalance(encoders, plan.options - 1, plan.rng)
    full = balance.assign(drawn, lambda questions: SensePool(certificates, questions))
    return [_near_slot(certificates, each.question, each.distractors) for each in full[: plan.limit]]


def _near_slot(
    certificates: GenusCertificates, question: ConceptQuestion, distractors: Sequence[int]
) -> QuestionOptions:
    reasons = tuple((other, certificates.certificate(question.answer, other)) for other in distractors)
    return QuestionOptions(question, "", "near", 0, tuple(distractors), certificates=reasons)


def _make(compared: Senses, plan: DictionaryPlan) -> tuple[list[QuestionOptions], Counter[str]]:
    """Questions with their distractors and splits, and what was left out."""
    rejected: Counter[str] = Counter({f"import: {why}": count for why, count in compared.graph.left_out.items()})
    slots = list(_seats(compared, plan, rejected))
    full = (_fill_as_paper if plan.as_paper else _fill_balanced)(compared, slots, plan)
    rejected["item: too few false options"] += len(slots) - len(full)
    return full, rejected


def _seats(compared: Senses, plan: DictionaryPlan, rejected: Counter[str]) -> Iterator[QuestionOptions]:
    """Return every sense of a drawn word, with its other senses as first distractors."""
    most, drawn, total = plan.limit or MOST, list[list[QuestionOptions]](), 0
    slots_of = _paper_slots if plan.as_paper else _controlled_slots
    for senses in words_with_senses(compared.graph, plan.rng("words"), rejected):
        slots = slots_of(compared, senses, plan, rejected)
        if total + len(slots) > most:
            break
        drawn.append(slots)
        total += len(slots)
    filled = 0
    for slots in drawn:
        # A word belongs to one split, by its rank among those drawn: a dictionary may have fewer than asked for.
        filled += len(slots)
        split = next(name for name, end in _SPLITS if filled <= end * total)
        for slot in slots:
            slot.split = "test" if plan.one_split else split
            yield slot


def _paper_slots(compared: Senses, senses: list[Sense], plan: DictionaryPlan, _: Counter[str]) -> list[QuestionOptions]:
    graph, slots = compared.graph, []
    for sense, example, form in senses:
        rng = plan.rng("sense", graph.ids[sense])
        others = [other for other, _, _ in senses if other != sense]
        rng.shuffle(others)
        others.sort(key=lambda other: graph.pos[other] != graph.pos[sense])
        question = ConceptQuestion(sense, sense, 0, example, form, rng.choice(sorted(TEMPLATES)))
        slots.append(QuestionOptions(question, "", "sense", 0, tuple(others[: plan.options - 1])))
    return slots


def _controlled_slots(
    compared: Senses, senses: list[Sense], plan: DictionaryPlan, rejected: Counter[str]
) -> list[QuestionOptions]:
    """Senses that are clear by themselves, in examples of today's words, beside senses that are clearly others: no stem
    is in two options, or in the question and an option."""
    graph = compared.graph
    fit = [sense for sense in senses if compared.is_clear(*sense)]
    rejected["sense: the word, its example or its definition is not clear by itself"] += len(senses) - len(fit)
    slots = []
    for sense, example, form in fit:
        rng = plan.rng("sense", graph.ids[sense])
        question = _question(compared, (sense, example, form), plan, rng)
        if question is None:
            rejected["question: it contains a stem of the answer"] += 1
            continue
        asked = compared.asked(question)
        near = [
            other
            for other, _, _ in rng.sample(fit, len(fit))
            if other != sense
            and graph.pos[other] == graph.pos[sense]
            and compared.different(sense, other)
            and compared.stems(other).isdisjoint(asked)
        ]
        if near:
            slots.append(QuestionOptions(question, "", "sense", 0, _unlike(graph, near)))
        else:
            rejected["question: every other sense of the word is near the answer"] += 1
    right = {slot.question.answer for slot in slots}
    return [slot for slot in slots if right.issuperset(slot.near)]


def _question(
    compared: Senses, sense: Sense, plan: DictionaryPlan, rng: Random | None = None
) -> ConceptQuestion | None:
    """Return a wording that shares no stem with the definition."""
    number, example, form = sense
    rng = rng or plan.rng("sense", compared.graph.ids[number])
    questions = [
        ConceptQuestion(number, number, 0, example, form, name)
        for name in rng.sample(sorted(TEMPLATES), len(TEMPLATES))
    ]
    told = compared.stems(number)
    return next((each for each in questions if told.isdisjoint(compared.asked(each))), None)


def _unlike(graph: Graph, senses: list[int]) -> tuple[int, ...]:
    """Return at most two other senses without a common stem: with more, one of them is likely to fit too."""
    first, *others = senses
    seen = stems(graph.definitions[first])
    second = [other for other in others if seen.isdisjoint(stems(graph.definitions[other]))]
    return (first, *second[:1])


def words_with_senses(graph: Graph, rng: Random, rejected: Counter[str]) -> Iterator[list[Sense]]:
    """Yield words in random order with their senses that have a good example; at least two."""
    lemmas = sorted(graph.by_lemma)
    rng.shuffle(lemmas)
    for word in lemmas:
        exemplified = [concept for concept in graph.by_lemma[word] if graph.examples[concept]]
        if len(exemplified) < 2:
            rejected["sense: the word has no other sense with an example"] += len(exemplified)
            continue
        senses = list(_sound(graph, exemplified, rejected))
        if len(senses) > 1:
            yield senses
        else:
            rejected["sense: the word has no other sense with an example"] += len(senses)


def _sound(graph: Graph, senses: list[int], rejected: Counter[str]) -> Iterator[Sense]:
    seen: set[str] = set()
    for sense in senses:
        definition = graph.definitions[sense]
        if definition in seen:
            rejected["sense: the same definition as another of the word"] += 1
            continue
        seen.add(definition)
        if runs_together(definition, graph):
            rejected["sense: the definition has words that nobody knows"] += 1
            continue
        for example in graph.examples[sense]:
            form = find_form(example, graph.lemmas[sense], graph.pos[sense])
            short = form and len(form.split()) < len(example.split()) <= _LONGEST
            if form and short and not runs_together(example, graph):
                yield sense, example, form
                break
        else:
            rejected["sense: no valid example contains the word"] += 1


def runs_together(text: str, graph: Graph) -> bool:
    """Return whether a long word of the text is neither in the dictionary nor in use: the mark of a gap."""
    long = (word for word in words(text) if len(word) >= _LONG)
    return any(zipf(word) == 0 and word not in graph.by_lemma for word in long)


def _fits_control(compared: Senses, card: int, slot: QuestionOptions) -> bool:
    """Return whether it fits and shares no stem with the question or another option."""
    graph, told = compared.graph, compared.stems(card)
    others = (slot.question.answer, *slot.distractors)
    apart = all(told.isdisjoint(compared.stems(other)) for other in others)
    return apart and told.isdisjoint(compared.asked(slot.question)) and _fits(graph, card, slot)


def _fits(graph: Graph, card: int, slot: QuestionOptions) -> bool:
    """Return a sense of another word of the same part of speech whose text differs from the rest."""
    sense = slot.question.answer
    texts = {graph.definitions[other] for other in (sense, *slot.distractors)}
    apart = graph.lemmas[card][0].lower() != graph.lemmas[sense][0].lower()
    return apart and graph.pos[card] == graph.pos[sense] and graph.definitions[card] not in texts


def _fill_balanced(compared: Senses, slots: list[QuestionOptions], plan: DictionaryPlan) -> list[QuestionOptions]:
    graph = compared.graph
    full: list[QuestionOptions] = []
    for split, _ in _SPLITS:
        members = [slot for slot in slots if slot.split == split]
        # Other parts of speech never fit, so each is assigned separately.
        for pos in sorted({graph.pos[slot.question.answer] for slot in members}):
            same = [slot for slot in members if graph.pos[slot.question.answer] == pos]
            rng = plan.rng("deal", split, pos)
            full += assign_evenly(same, plan.options - 1, rng, lambda card, slot: _fits_control(compared, card, slot))
    return full


def _fill_as_paper(compared: Senses, slots: list[QuestionOptions], plan: DictionaryPlan) -> list[QuestionOptions]:
    graph = compared.graph
    pool = [concept for concept in range(len(graph)) if graph.examples[concept]]
    for slot in slots:
        rng = plan.rng("fillers", graph.ids[slot.question.answer])
        for _ in range(400):
            if len(slot.distractors) == plan.options - 1 or not pool:
                break
            card = pool[int(rng.random() * len(pool))]
            if _fits(graph, card, slot) and not runs_together(graph.definitions[card], graph):
                slot.fillers.append(card)
    return [slot for slot in slots if len(slot.distractors) == plan.options - 1]


def item_of(graph: Graph, slot: QuestionOptions, plan: DictionaryPlan) -> Item:
    """Return a question with its distractors as an item."""
    question = slot.question
    concepts = [question.answer, *slot.distractors]
    name, word = graph.ids[question.answer], graph.lemmas[question.answer][0]
    plan.rng("order", name).shuffle(concepts)
    return Item(
        probe="dictionaryqa",
        form="choice",
        text=question_text(question, TEMPLATES[question.template]),
        options=tuple(graph.definitions[concept] for concept in concepts),
        answer=concepts.index(question.answer),
        concepts=tuple(graph.ids[concept] for concept in concepts),
        groups={"asked": name, "answer": name, "word": word},
        facets={
            "task": "dictionary",
            "split": slot.split,
            "template": question.template,
            "hops": 0,
            "distractor_kind": slot.kind,
            "fillers": slot.filled_up,
            "asked": name,
            "pos": graph.pos[question.answer],
            **({} if plan.distractors == "random" else {"frequency": frequency_band(word)}),
            **({"certificate": kinds_of_certificates(slot.certificates)} if slot.certificates else {}),
        },
        source=Source(
            triples=(
                ("definition", name, graph.definitions[question.answer]),
                *((f"not, by {why}", name, graph.ids[other]) for other, why in slot.certificates),
            ),
            licence=graph.origin.licence,
        ),
    )


@translate_errors()
def build_dictionaryqa(
    *,
    source: str = "gcide",
    limit: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
    options: Annotated[int, Interval(ge=2, le=20)] = OPTIONS,
    distractors: Distractors | None = None,
    as_paper: bool = False,
    progress: Progress = NO_PROGRESS,
) -> Probe:
    """Build questions about the sense of a word in an example sentence from a dictionary.

    Args:
        source: Knowledge source with words, definitions and examples.
        limit: Number of items.
        seed: Random seed.
        options: Number of options per question.
        distractors: Wrong options: random (other senses of the word and random ones), near (similar in meaning,
            but false; the reason is stored), or mixed (half of the questions with each). By default, mixed where
            near questions ship with the package and WordNet is here, otherwise random.
        as_paper: Build as in the paper, with the surface cues that its rules leave in.
        progress: Progress callback.

    Returns:
        The probe; the same options and seed give the same items.
    """
    from horsesense.lexicons.sources import find_wordnet_graph, open_graph
    from horsesense.methods.audits import with_audit

    graph = open_graph(source)
    thesaurus = None if as_paper else find_wordnet_graph()
    usual = usual_distractors(graph, "dictionary", options) if thesaurus is not None else "random"
    chosen = distractors or usual
    plan = DictionaryPlan(seed=seed, limit=limit, as_paper=as_paper, options=options, distractors=chosen, exact=True)
    needed = near_encoders(graph, "dictionary", options, chosen, progress)
    return with_audit(dictionaryqa_probe(graph, plan, thesaurus, needed), similar=source == "gcide" and not as_paper)
