"""Questions with near distractors, each certified false (`disjointness`); `rank_balance` assigns them.

For hypernymy and hyponymy a distractor is near where it is close to the answer in the taxonomy, for definitions and
synonymy where it is related to the question. Words are asked in their first sense: hypernymy at 1 to 4 hops;
definitions in a short example, or nouns by themselves where they have none.

A key needs a reason as well. WordNet says that a *guarantor* is a good person and a *forge* an enclosure, and auditors
called such keys bad. So the glosses attest every link on the way (`attested`), or both concepts have biological taxa.
``odd_kinds.tsv`` lists kinds that nobody would give as an answer, which are not drawn, and keys that a reader rejected,
which are dropped at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from horsesense.core import Item
from horsesense.cues.relatedness import Encoder
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.words import words, zipf
from horsesense.methods.wordnetqa.attested import AttestedConcepts, sense_number
from horsesense.methods.wordnetqa.balanced_distractors import Options
from horsesense.methods.wordnetqa.certainty_rules import word_class
from horsesense.methods.wordnetqa.disjointness import Disjointness
from horsesense.methods.wordnetqa.distractors import QuestionOptions
from horsesense.methods.wordnetqa.plan import NO_LIMIT, WordNetPlan, near_split
from horsesense.methods.wordnetqa.questions import ConceptQuestion, question_text
from horsesense.methods.wordnetqa.rank_balance import Mask, NearQuestion, RankBalance
from horsesense.methods.wordnetqa.set_search import KEYS, possible_sets, search
from horsesense.methods.wordnetqa.word_forms import find_form

HOPS = (1, 2, 3, 4)
IN_USE = 2.5
"""Frequency (Zipf) of a word that is not rare."""
_OFFERED = 2.0
"""And of a word that is only offered, beside its definition."""
_BANDS = ((4.0, "Zipf 4 or more"), (3.0, "Zipf 3 to 4"), (IN_USE, "Zipf 2.5 to 3"), (0.0, "Zipf below 2.5"))
_FEWEST_DRAWN = 2000
"""Questions that a limit draws at least: among fewer, too few answers are near each other."""
_SPARE = 4
"""Questions drawn per item of a limit; most have no closer distractor."""
_MOST_SENSES = 3
"""Senses of a noun whose kinds are asked for without context."""
_MOST_BELOW = 12
"""Hyponyms asked for per concept and distance in a first draw."""
_FEW_NEAR = 20
"""Concepts of near kinds, below which those of other sorts are offered too."""
_NO_WAY = 100
"""Distance of concepts without a common concept above them."""
_THING, _PROCESS = "physical_entity.n.01", "process.n.06"
_PERSON, _HUMAN = "person.n.01", "homo.n.02"
_SHORTEST, _LONGEST = 3, 18
"""Words of a definition that is asked or offered."""
_LONGEST_EXAMPLE = 14

_ANY = "*"
ODD_KINDS = ("odd_kinds.tsv", "odd_kinds_more.tsv", "odd_kinds_further.tsv")
"""Keys that a reader rejected, in the first draw and in each search for more."""


@cache
def odd_kinds(file: str = ODD_KINDS[0]) -> frozenset[tuple[str, str]]:
    """Return keys that do not hold: concept and kind; `_ANY` stands for every concept, or every kind."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    lines = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return frozenset((lower, upper) for lower, upper in lines)


def frequency(word: str) -> float:
    """Frequency (Zipf) of the rarest part of a word."""
    return min(map(zipf, words(word.lower())), default=0.0)


def frequency_band(word: str) -> str:
    """Return the frequency band of a word, which is a facet of its items."""
    return next(name for least, name in _BANDS if frequency(word) >= least)


def links_between(graph: Graph, one: int, other: int) -> int:
    """Return the number of links between two concepts over the nearest one above both; 0 where there is none."""
    ups, others = dict(graph.up.row(one)) | {one: 0}, dict(graph.up.row(other)) | {other: 0}
    return min((ups[above] + others[above] for above in ups.keys() & others.keys()), default=0)


def at_all_hops(pairs: Iterable[tuple[int, int]], graph: Graph) -> set[int]:
    """Return the concepts that are asked at every number of hops above them, by pairs of asked concept and answer."""
    hops: dict[int, set[int]] = {}
    for asked, answer in pairs:
        hops.setdefault(asked, set()).add(dict(graph.up.row(asked)).get(answer, 0))
    return {asked for asked, own in hops.items() if own == set(HOPS)}


class NearBuilder:
    """Questions with near distractors for one plan."""

    def __init__(
        self, options: Options, attested: AttestedConcepts, encoders: Sequence[Encoder], rejected: Counter[str]
    ) -> None:
        self.options, self.attested, self.encoders, self.rejected = options, attested, encoders, rejected
        self.graph: Graph = options.graph
        self.plan: WordNetPlan = options.plan
        self.by_kind = self.plan.relation in ("hypernymy", "hyponymy")
        self.disjoint = Disjointness(self.graph)
        self.considered: list[int] = []
        self.most_below = _MOST_BELOW
        self.usable = lru_cache(maxsize=None)(self._usable)
        self.senses = lru_cache(maxsize=None)(self._senses)
        self.kinds_above = lru_cache(maxsize=None)(self._kinds_above)

    def choices(self, limit: int | None) -> list[QuestionOptions]:
        """Return questions with their distractors; exactly ``limit`` where there are as many."""
        drawn = self._drawn(self.plan.size["near"] if limit is None else max(_FEWEST_DRAWN, _SPARE * limit))
        self.considered = list(dict.fromkeys(each.question.asked for each in drawn))
        upwards = self.plan.relation == "hypernymy"
        balance = RankBalance(
            self.encoders,
            self.plan.options - 1,
            self.plan.rng,
            repeated=upwards,
        )
        full = balance.assign(drawn, lambda questions: _Pool(self, questions))
        self.rejected["near: too few certified distractors that keep the balance"] += len(drawn) - len(full)
        if self.by_kind:
            held = [each for each in full if not self._was_rejected(each.question)]
            self.rejected["near: a reader found that the key does not hold"] += len(full) - len(held)
            full = held
        return [self.choice(each.question, each.distractors) for each in full[:limit]]

    def more_choices(
        self,
        before: Sequence[QuestionOptions],
        items: Callable[[Sequence[QuestionOptions]], Sequence[Item]],
        most: int | None = None,
    ) -> list[QuestionOptions]:
        """Return the questions of ``before`` and more, of all or the first ``most`` candidates, with distractors by
        `set_search`.

        Questions about a word that is asked at all numbers of hops come first, and are never left out.
        """
        self.most_below = NO_LIMIT
        known = {each.question.pair for each in before}
        every = [
            each
            for each in self._drawn(NO_LIMIT)
            if each.question.pair not in known
            and not (self.by_kind and any(self._was_rejected(each.question, file) for file in ODD_KINDS))
        ]
        drawn = every[:most]
        whole = at_all_hops([*(each.question.pair for each in drawn), *known], self.graph)
        drawn.sort(key=lambda each: each.question.asked not in whole)
        stored = [self._near_question(each.question, each.distractors) for each in before]
        questions = [*stored, *drawn]
        keys = 1.0 if self.plan.relation == "hypernymy" else KEYS
        offered = self._never_right(questions, every) if keys < 1 else set()
        pool = _Pool(self, [each.question for each in questions], offered)
        possible = possible_sets(questions, pool, self.encoders, self.plan.options - 1, self.plan.rng)
        fixed = len(before) + sum(each.question.asked in whole for each in possible.questions[len(before) :])
        option, rng = self.options.text, self.plan.rng("search")
        return search(possible, self.encoders, option, self.choice, items, self.graph, rng, fixed, keys)

    def _never_right(self, questions: Sequence[NearQuestion], every: Sequence[NearQuestion]) -> set[int]:
        """Return concepts that are offered and never right: those of ``every`` that are not asked come first."""
        others = self.plan.options - 1
        right = {each.question.answer for each in questions}
        most = round(others * (1 - KEYS) / (1 + others * KEYS) * len(right))
        offered = {other for each in questions for other in each.distractors} - right
        usable = (c for c in self._shuffled() if self.usable(c) and self.in_use(c))
        usual = (c for c in usable if (self._tangible(c) if self.by_kind else sense_number(self.graph, c) == 1))
        for concept in (*(each.question.answer for each in every), *usual):
            if len(offered) >= most:
                break
            offered |= {concept} - right
        return offered

    def _drawn(self, most: int) -> list[NearQuestion]:
        """Return questions of whole concepts until there are ``most``."""
        drawn: list[NearQuestion] = []
        for concept in self._shuffled():
            for question in self._questions(concept):
                drawn.append(self._near_question(question))
            if len(drawn) >= most:
                break
        return drawn

    def _near_question(self, question: ConceptQuestion, distractors: tuple[int, ...] = ()) -> NearQuestion:
        text = question_text(question, self.plan.template(question.template))
        return NearQuestion(question, text, distractors=distractors)

    def choice(self, question: ConceptQuestion, distractors: Sequence[int]) -> QuestionOptions:
        """Return a question with its distractors, their distance and their certificates."""
        distances = [links_between(self.graph, question.answer, other) for other in distractors]
        return QuestionOptions(
            question=question,
            split="test" if self.by_kind else near_split(self.graph.ids[question.asked], self.plan.limit),
            kind="near",
            distance=round(sum(distances) / len(distances)),
            near=tuple(distractors),
            certificates=tuple((other, self.disjoint.certificate(question.asked, other)) for other in distractors),
        )

    @property
    def deep(self) -> bool:
        """Return whether the source has a taxonomy like WordNet's, where a thing of two kinds may be of a third."""
        return int(self.graph.up.hops.max(initial=0)) >= 2 * HOPS[-1]

    # Questions.

    def _shuffled(self) -> list[int]:
        parts = ("n", "") if self.by_kind else ("n", "", "v")
        concepts = [c for c in range(len(self.graph)) if self.graph.lemmas[c] and self.graph.pos[c] in parts]
        self.plan.rng("near concepts").shuffle(concepts)
        return concepts

    def _questions(self, concept: int) -> list[ConceptQuestion]:
        if not self.usable(concept) or not self.in_use(concept) or (self.by_kind and not self._tangible(concept)):
            return []
        if self.plan.relation == "hyponymy":
            return self._downwards(concept)
        if sense_number(self.graph, concept) != 1:
            return []
        if self.plan.relation == "hypernymy":
            return self._upwards(concept)
        return [question for question in self._meanings(concept) if self._good(question)][:1]

    def in_use(self, concept: int, least: float = IN_USE) -> bool:
        """Return whether the name of a concept is not rare; where frequencies do not cover the source, none is."""
        return not self.options.senses.in_use or frequency(self.graph.lemmas[concept][0]) >= least

    def _usable(self, concept: int) -> bool:
        """Return whether a concept can be asked or offered: fit to be shown, not rare, and possibly certified."""
        certified = self.disjoint.known(concept)
        definition = self.graph.definitions[concept]
        # "of Australia and New Zealand" (*silver grass*) is what is left of a definition.
        whole = self.by_kind or not definition.startswith("of ")
        short = self.by_kind or not self.options.senses.in_use or _SHORTEST <= len(definition.split()) <= _LONGEST
        return (
            certified
            and not self.disjoint.is_taxon(concept)
            and whole
            and short
            and self.attested.shown(concept)
            and self.in_use(concept, _OFFERED)
        )

    def _tangible(self, concept: int) -> bool:
        """Return whether it is a thing or being: the links between other concepts hold less often."""
        thing, process = (self.graph.number.get(name) for name in (_THING, _PROCESS))
        above = self.disjoint.above(concept)
        return thing is None or (thing in above and process not in above)

    def _kinds_above(self, concept: int) -> frozenset[int]:
        """Return kinds that a concept certainly belongs to: attested by glosses or by taxa, and usual as an answer."""
        held = set(self.attested.answers(concept, self.graph.up, True, HOPS[-1]))
        if self.disjoint.taxa(concept):
            held.update(other for other in self.graph.up.reached(concept) if self.disjoint.taxa(other))
        return frozenset(other for other in held if (_ANY, self.graph.ids[other]) not in odd_kinds())

    def _was_rejected(self, question: ConceptQuestion, file: str = ODD_KINDS[0]) -> bool:
        """Return whether a reader found that this key does not hold."""
        pair = question.asked, question.answer
        concept, kind = (self.graph.ids[each] for each in (pair if self.plan.relation == "hypernymy" else pair[::-1]))
        return not odd_kinds(file).isdisjoint({(concept, kind), (concept, _ANY), (_ANY, kind)})

    def _upwards(self, concept: int) -> list[ConceptQuestion]:
        """Return at most one question per distance about a word by itself."""
        rng = self.plan.rng("near", self.graph.ids[concept])
        word, template = self.graph.lemmas[concept][0], rng.choice(sorted(self.plan.word_templates))
        senses = [sense for sense in self.graph.by_lemma[word.lower()] if self.graph.pos[sense] == "n"]
        if len(senses) > _MOST_SENSES:
            return []
        asked = []
        for hops in HOPS:
            answers = [other for other, far in self.graph.up.row(concept) if far == hops]
            if len(answers) > 1 and self.deep and not self.disjoint.taxa(concept):
                return []  # a thing of two kinds may be of a third
            answers = [other for other in answers if other in self.kinds_above(concept)]
            questions = [ConceptQuestion(concept, answer, hops, "", word, template) for answer in answers]
            good = [question for question in questions if self._good(question)]
            asked += [rng.choice(good)] if good else []
        return asked

    def _downwards(self, concept: int) -> list[ConceptQuestion]:
        """Return questions about a concept that is defined, as many at each distance as there are."""
        rng = self.plan.rng("near", self.graph.ids[concept])
        word, definition = self.graph.lemmas[concept][0], self.graph.definitions[concept]
        template = rng.choice(sorted(self.plan.templates))
        by_hops: dict[int, list[ConceptQuestion]] = {hops: [] for hops in HOPS}
        for answer, hops in self.graph.down.row(concept):
            if hops in by_hops and self.in_use(answer) and concept in self.kinds_above(answer):
                question = ConceptQuestion(concept, answer, hops, definition, word, template)
                if self._good(question):
                    by_hops[hops].append(question)
        return [q for each in by_hops.values() for q in rng.sample(each, min(len(each), self.most_below))]

    def _meanings(self, concept: int) -> Iterator[ConceptQuestion]:
        """Yield questions for the words of a definition; or for the definition of a word in its short examples, and of
        a noun also by itself."""
        graph, rng = self.graph, self.plan.rng("near", self.graph.ids[concept])
        template = rng.choice(sorted(self.plan.templates))
        if self.plan.relation == "synonymy":
            yield ConceptQuestion(concept, concept, 0, graph.definitions[concept], graph.lemmas[concept][0], template)
            return
        for sentence in graph.examples[concept]:
            form = find_form(sentence, graph.lemmas[concept][:1], graph.pos[concept], self.plan.words.endings)
            if form and len(form.split()) < len(sentence.split()) <= _LONGEST_EXAMPLE:
                yield ConceptQuestion(concept, concept, 0, sentence, form, template)
        by_itself = sorted(self.plan.word_templates)
        if graph.pos[concept] == "n" and by_itself:
            yield ConceptQuestion(concept, concept, 0, "", graph.lemmas[concept][0], rng.choice(by_itself))

    def _good(self, question: ConceptQuestion) -> bool:
        graph, answer = self.graph, question.answer
        if answer != question.asked:
            own = {lemma.lower() for lemma in graph.lemmas[question.asked]}
            if not self.usable(answer) or not own.isdisjoint(lemma.lower() for lemma in graph.lemmas[answer]):
                return False
        return not self.options.given_away(answer, question) and not self.options.spelt_alike(question)

    def false(self, question: ConceptQuestion, other: int) -> bool:
        """Return whether a concept can be a distractor: certified, no objection, and without a stem of the question."""
        options, certainty = self.options, self.options.certainty
        if not self.disjoint.certificate(question.asked, other) or options.given_away(other, question):
            return False
        if not options.names(other).isdisjoint(certainty.stems(question.asked)):
            return False  # what the gloss of the asked concept names may be true of it
        asked = options.asked(question)
        if not self.attested.shown(other) or certainty.near_objection(asked, other):
            return False
        if self._may_be_true(question, other) if self.by_kind else self._confusable(question, other):
            return False
        return not certainty.objection(asked, other, certified=True)

    def _may_be_true(self, question: ConceptQuestion, other: int) -> bool:
        """Return whether the words of a kind have a sense that is true: a vein is an anatomical *structure*. And a
        person is an animal, although WordNet has people beside animals."""
        above, upwards = self.disjoint.above, self.plan.relation == "hypernymy"
        true = above(question.asked) if upwards else self.disjoint.below(question.asked)
        lower, upper = (question.asked, other) if upwards else (other, question.asked)
        person, human = (self.graph.number.get(name) for name in (_PERSON, _HUMAN))
        if person in above(lower) and human is not None and upper in above(human):
            return True
        return not self.senses(other).isdisjoint(true)

    def _confusable(self, question: ConceptQuestion, other: int) -> bool:
        """Return whether another sense of a word that is shown may be meant. Synonymy shows the words of an option,
        definitions the asked word: none of their senses may be above or below the other concept, or defined alike."""
        shown, hidden = (other, question.asked) if self.plan.relation == "synonymy" else (question.asked, other)
        options, graph = self.options, self.graph
        if not options.names(shown).isdisjoint(options.certainty.stems(hidden)):
            return True  # a definition that uses the word may be taken for its own
        if graph.pos[shown] == "v" and not options.senses.different(shown, hidden):
            return True
        for sense in self.senses(shown) - {shown}:
            if sense == hidden or self.disjoint.comparable(sense, hidden):
                return True
            if not options.senses.widened(sense).isdisjoint(options.senses.stems(hidden)):
                return True
        return False

    def _senses(self, concept: int) -> frozenset[int]:
        """Return all senses of the words of a concept, in any word class."""
        return frozenset(sense for lemma in self.graph.lemmas[concept] for sense in self.graph.by_lemma[lemma.lower()])


class _Pool:
    """All answers of a set, which are offered as distractors, and what holds between them."""

    def __init__(
        self, builder: NearBuilder, questions: Sequence[ConceptQuestion], offered: Collection[int] = ()
    ) -> None:
        graph, disjoint = builder.graph, builder.disjoint
        self.text, self.certified = builder.options.text, builder.false
        self.answers = sorted({question.answer for question in questions}.union(offered))
        self._column = {answer: index for index, answer in enumerate(self.answers)}
        above = [disjoint.above(answer) for answer in self.answers]
        upper = sorted(set().union(*above))
        column = {concept: index for index, concept in enumerate(upper)}
        self._hops = np.full((len(self.answers), len(upper)), _NO_WAY, dtype=np.int16)
        for index, answer in enumerate(self.answers):
            for concept, hops in (*graph.up.row(answer), (answer, 0)):
                self._hops[index, column[concept]] = hops
        inside = [column[answer] for answer in self.answers]
        over = self._hops[:, inside] < _NO_WAY
        texts = [builder.options.text(answer) for answer in self.answers]
        same = {text: index for index, text in enumerate(texts)}
        first = np.array([same[text] for text in texts])
        self.apart: Mask = ~(over | over.T | (first[:, None] == first[None, :]))
        asked = sorted({question.asked for question in questions})
        self._row = {concept: index for index, concept in enumerate(asked)}
        self._certified = [disjoint.table(asked, self.answers, sorts) for sorts in (False, True)]
        self._by_kind = builder.by_kind
        self._pos = np.array([word_class(graph.pos[answer]) for answer in self.answers])

    def possible(self, question: ConceptQuestion, far: bool) -> Mask:
        """Return which answers have a certificate; ``far``: also those of another sort."""
        same = self._pos == self._pos[self._column[question.answer]]
        near, every = (same & table[self._row[question.asked]] for table in self._certified)
        usable: Mask = every if far or near.sum() < _FEW_NEAR else near
        return usable

    def nearness(self, question: ConceptQuestion) -> NDArray[np.float64] | None:
        """Return the number of links to every answer over the nearest concept above both, or `_NO_WAY`."""
        if not self._by_kind:
            return None
        own = self._hops[self._column[question.answer]]
        above = np.flatnonzero(own < _NO_WAY)
        return np.asarray(np.minimum((self._hops[:, above] + own[above]).min(axis=1), _NO_WAY), dtype=np.float64)
