"""The fact ladder: is a wrong inference a fact that the model does not know, does not use, or does not use robustly?

For each axiom the same four forms (both orders, affirmed and denied) are asked on every rung, and each rung changes one
thing: the bare fact about things known by name; the inference about novel entities with the fact stated; the inference
alone; the inference reworded. Two controls: an irrelevant fact of the same length, and a false fact, which has no
right answer and only shows whether the model follows the text. Press et al. (2023) compare compositional questions with
their parts; here question and fact need the same single step, and only the names change.

A fact is known if both orders are right. Conditioning on known facts would select lucky guesses, so the condition is
taken on one half of the forms (affirmed or denied) and everything is measured on the other half, both ways round: a
guesser, and a model that always says *more*, then lose nothing and use nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from horsesense.core import Item
from horsesense.lexicons.word_forms import negate
from horsesense.methods.rica.axioms import And, Axiom, Not, Prop, claim
from horsesense.methods.rica.balance import BalancedAxiom
from horsesense.methods.rica.items import name_of_value
from horsesense.methods.rica.knowledge_tables import TEMPLATES
from horsesense.methods.rica.perturbations import Perturbation, perturb
from horsesense.methods.rica.statements import Statement, clause, say
from horsesense.stats import Estimate
from horsesense.stats.intervals import difference_interval, rate_interval, unit_note
from horsesense.stats.resampling import Floats, spread, totals

RUNGS = ("fact", "told", "inference", "reworded")
"""From the bottom: each removes one thing."""
BESIDE = ("irrelevant", "false")
"""Controls: a true but irrelevant fact, and a false one."""
HALVES = {"original": "affirmed", "negation": "denied"}
"""Each half has both orders and so both poles: a preference for one word gets half of each right."""
FORMS = tuple(Perturbation(perturbation, order) for perturbation in HALVES for order in ("none", "conclusion"))


def things_of(axiom: Axiom, people: bool) -> dict[str, str] | None:
    """Return the things that A and B are, for the bare fact; None if the premise does not name two things.

    >>> from horsesense.methods.rica.notation import parse_form
    >>> things_of(parse_form("Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))"), False)
    {'A': 'wax', 'B': 'iron'}
    >>> things_of(parse_form("lies(A) and not lies(B), so Less(honest(A), honest(B))"), True)
    {'A': 'someone who lies', 'B': 'someone who does not lie'}
    >>> things_of(parse_form("Taller(A, B), so More(visible(A), visible(B))"), False)
    """
    someone, who = ("someone", "who") if people else ("something", "that")
    match axiom.premise:
        case And(Prop() as left, Prop() as right) if left.value and right.value:
            return {side.entity: name_of_value(side) for side in sorted((left, right), key=lambda side: side.entity)}
        case And(Prop() as did, Not(Prop() as denied)) | And(Not(Prop() as denied), Prop() as did):
            done = clause(did.name)
            named = {did.entity: f"{someone} {who} {done}", denied.entity: f"{someone} {who} {negate(done)}"}
            return dict(sorted(named.items()))
        case _:
            return None


@dataclass(frozen=True, slots=True)
class LadderFact:
    """The fact behind an axiom, about the things themselves."""

    property: str
    """Property of the fact."""
    things: Mapping[str, str]
    """Names of A and B."""
    true: str
    """The fact."""
    false: str
    """Its opposite."""


class Ladder:
    """The facts behind a set of axioms, and the statements of each axiom on every rung."""

    def __init__(
        self, axioms: Iterable[BalancedAxiom], seed: int = 0, realise: Callable[[Axiom], Statement] = say
    ) -> None:
        self.realise = realise
        self.facts: dict[str, LadderFact] = {}
        self.by_length: dict[int, list[LadderFact]] = {}
        for placed in axioms:
            fact = self._fact(placed)
            if fact is not None and str(placed.axiom) not in self.facts:
                self.facts[str(placed.axiom)] = fact
                self.by_length.setdefault(len(fact.true.split()), []).append(fact)
        self.seed = seed

    def _fact(self, placed: BalancedAxiom) -> LadderFact | None:
        things = things_of(placed.axiom, TEMPLATES[placed.known.template].people)
        plain = perturb(placed.axiom, Perturbation("original"))
        if things is None or plain is None or claim(plain).right is None:
            return None
        statement = self.realise(plain).about(things)
        opposite = replace(statement, word=statement.other, other=statement.word)
        return LadderFact(placed.property, things, statement.conclusion, opposite.conclusion)

    def statements(
        self, placed: BalancedAxiom, forms: Mapping[Perturbation, Axiom]
    ) -> Iterator[tuple[str, Perturbation, Statement]]:
        """Yield rung, kind and statement for an axiom; nothing if it has no bare fact.

        ``forms`` are all its forms; the rung ``reworded`` uses those from the lexicon.
        """
        fact = self.facts.get(str(placed.axiom))
        unrelated = None if fact is None else self.irrelevant(fact)
        if fact is None or unrelated is None:
            return
        for kind in FORMS:
            statement = self.realise(forms[kind] if kind in forms else _derived(placed.axiom, kind))
            yield "fact", kind, replace(statement.about(fact.things), premise="")
            yield "told", kind, _with(statement, fact.true)
            yield "inference", kind, statement
            yield "irrelevant", kind, _with(statement, unrelated.true)
            yield "false", kind, _with(statement, fact.false)
        for kind, form in forms.items():
            if kind.asymmetry != "premise" and kind.perturbation not in HALVES:
                yield "reworded", kind, self.realise(form)

    def irrelevant(self, fact: LadderFact) -> LadderFact | None:
        """Return a fact about another property and other things, of similar length."""
        rng = Random(f"{self.seed} {fact.true}")
        length = len(fact.true.split())
        for near in sorted(self.by_length, key=lambda other: (abs(other - length), other)):
            for other in rng.sample(self.by_length[near], len(self.by_length[near])):
                apart = set(other.things.values()).isdisjoint(fact.things.values())
                if apart and other.property != fact.property:
                    return other
        return None


def _derived(axiom: Axiom, kind: Perturbation) -> Axiom:
    form = perturb(axiom, kind)
    assert form is not None, "an axiom about two entities has every form that logic gives"
    return form


def _with(statement: Statement, fact: str) -> Statement:
    return replace(statement, premise=f"{statement.premise}, and {fact}")


def half_of(kind: Perturbation) -> str:
    """Return the half of a form: affirmed or denied."""
    return HALVES["negation" if kind.perturbation.startswith("negation") else "original"]


LEAST = 5
"""Minimum number of known facts, counted once per half, for an analysis."""
_STEPS = (("fact", "told"), ("told", "inference"), ("fact", "inference"), ("inference", "reworded"))


@dataclass(frozen=True, slots=True)
class RungLoss:
    """The loss between two rungs, among known facts."""

    upper: str
    """The harder rung."""
    lower: str
    """The easier rung."""
    loss: Estimate
    """Accuracy on the easier minus accuracy on the harder rung."""


@dataclass(frozen=True, slots=True)
class LadderAnalysis:
    """Whether facts are unknown, unused, or not used robustly."""

    facts: int
    """Number of axioms with a bare fact."""
    known: Estimate
    """Share of facts that are right in both orders, affirmed and denied."""
    given_known: Mapping[str, Estimate]
    """Accuracy by rung on facts that are known by the other half; empty if too few are known."""
    given_unknown: Mapping[str, Estimate]
    """Accuracy by rung on facts that are not known by the other half."""
    losses: tuple[RungLoss, ...]
    """Losses from rung to rung, among known facts."""
    use: Estimate
    """Accuracy with the fact stated minus accuracy with an irrelevant fact, over all axioms."""
    follows: Estimate
    """Share of answers that follow a false fact."""
    verdict: str
    """Conclusion in one sentence."""


@dataclass(frozen=True, slots=True)
class _Rung:
    """Credits on one rung, axiom × half."""

    right: Floats
    """Mean credit; nan if not asked."""
    whole: Floats
    """1 if every form of the half is right."""


def analyse_ladder(items: Sequence[Item], credit: Floats, chosen: Sequence[tuple[int, ...]]) -> LadderAnalysis | None:
    """Analyse a ladder's answers; None if the items are not a ladder.

    ``credit`` is the credit of each item (nan without a gold answer), ``chosen`` the best-scoring options.
    """
    if not any("rung" in item.facets for item in items):
        return None
    families = list(dict.fromkeys(item.family for item in items))
    units = {item.family: item.groups.get("property", item.family) for item in items}
    names = [units[family] for family in families]
    rungs = {rung: _rung(items, credit, families, rung) for rung in (*RUNGS, *BESIDE[:1])}
    known = rungs["fact"].whole
    everything = np.ones_like(known)
    if_known = {name: _conditional(rung, known, names) for name, rung in rungs.items()}
    if_unknown = {name: _conditional(rung, 1 - known, names) for name, rung in rungs.items()}
    losses = tuple(
        RungLoss(upper, lower, found)
        for lower, upper in _STEPS
        if (found := _difference(rungs[lower], rungs[upper], known, names)) is not None
    )
    knows = _share(known.min(axis=1), np.ones(len(families)), names, chance=1 / 16)
    use = _difference(rungs["told"], rungs["irrelevant"], everything, names, least=1)
    follows = _follows(items, chosen)
    if knows is None or use is None or follows is None:
        return None  # incomplete ladder: every axiom needs all rungs
    known_rates = {name: estimate for name, estimate in if_known.items() if estimate is not None}
    return LadderAnalysis(
        facts=len(families),
        known=knows,
        given_known=known_rates,
        given_unknown={name: estimate for name, estimate in if_unknown.items() if estimate is not None},
        losses=losses,
        use=use,
        follows=follows,
        verdict=_verdict(knows, known_rates, losses),
    )


def _rung(items: Sequence[Item], credit: Floats, families: Sequence[str], rung: str) -> _Rung:
    rows = {family: i for i, family in enumerate(families)}
    columns = {half: i for i, half in enumerate(HALVES.values())}
    sums, counts = np.zeros((len(families), 2)), np.zeros((len(families), 2))
    for item, value in zip(items, np.asarray(credit, dtype=np.float64), strict=True):
        if item.facets.get("rung") == rung and not np.isnan(value):
            cell = rows[item.family], columns[str(item.facets["half"])]
            sums[cell] += value
            counts[cell] += 1
    with np.errstate(invalid="ignore"):
        right = sums / counts
    return _Rung(right, (sums == counts).astype(np.float64) * (counts > 0))


def _conditional(rung: _Rung, condition: Floats, names: Sequence[str]) -> Estimate | None:
    """Return accuracy on one half given a condition on the other, both ways round; None with too few facts."""
    asked = ~np.isnan(rung.right)
    weight = condition[:, ::-1] * asked
    if weight.sum() < LEAST:
        return None
    earned = np.where(asked, rung.right, 0.0) * weight
    return _share(earned.sum(axis=1), weight.sum(axis=1), names, chance=0.5)


def _share(earned: Floats, weight: Floats, names: Sequence[str], chance: float) -> Estimate | None:
    """Return a share of totals over axioms, clustered by property; None without weight."""
    return _ratio(earned, weight, names, chance, rate_interval, "cluster bootstrap, beta")


def _difference(
    lower: _Rung, upper: _Rung, condition: Floats, names: Sequence[str], least: int = LEAST
) -> Estimate | None:
    """Return the difference in accuracy of two rungs, on the same axioms and halves."""
    both = ~(np.isnan(lower.right) | np.isnan(upper.right))
    weight = condition[:, ::-1] * both
    if weight.sum() < least:
        return None
    gap = np.where(both, np.nan_to_num(lower.right) - np.nan_to_num(upper.right), 0.0) * weight
    sums = gap.sum(axis=1), weight.sum(axis=1)
    return _ratio(*sums, names, 0.0, difference_interval, "paired cluster bootstrap, t")


def _ratio(
    earned: Floats,
    weight: Floats,
    names: Sequence[str],
    chance: float,
    interval: Callable[[float, float, int], tuple[float, float]],
    method: str,
) -> Estimate | None:
    kept = weight > 0
    if not kept.any():
        return None
    whole = totals([earned[kept], weight[kept]], [name for name, keep in zip(names, kept, strict=True) if keep])
    value = float(whole.total[0] / whole.total[1])
    variance = spread(lambda sums: sums[:, 0] / sums[:, 1], whole, 0)
    return Estimate(
        value=value,
        ci=interval(value, 0.0 if np.isnan(variance) else variance, whole.number),
        n=round(float(weight.sum())),
        clusters=whole.number,
        chance=chance,
        level=0.95,
        method=method,
        seed=0,
        note=unit_note(whole.number),
    )


def _follows(items: Sequence[Item], chosen: Sequence[tuple[int, ...]]) -> Estimate | None:
    """Return how often the answer follows a false fact; a tie counts partially."""
    false_facts = [(item, best) for item, best in zip(items, chosen, strict=True) if item.facets.get("rung") == "false"]
    credits = np.array([(item.facets["follows"] in best) / len(best) for item, best in false_facts])
    names = [item.groups.get("property", item.family) for item, _ in false_facts]
    return _share(credits, np.ones(len(false_facts)), names, chance=0.5) if false_facts else None


def _verdict(known: Estimate, rates: Mapping[str, Estimate], losses: Sequence[RungLoss]) -> str:
    """Say where inferences fail, as far as the intervals show."""
    share = f"On the half of the questions that decides this, the model knows {known.value:.0%} of {known.n:,} facts"
    if not {"fact", "inference"} <= rates.keys():
        return f"{share}, too few to measure its use of facts."
    if rates["fact"].low <= 0.5:
        return f"{share}, which is not above chance, so its use of facts cannot be measured."
    inference, fact = (f"{rates[rung].value:.0%}" for rung in ("inference", "fact"))
    accuracies = (
        f"in held-out questions, accuracy on the known facts is {fact}, and {inference} on inferences from them"
    )
    lost = {(loss.lower, loss.upper): loss.loss for loss in losses}
    reasons = []
    if lost["fact", "inference"].low > 0:
        reasons.append("known facts are not used")
    if ("inference", "reworded") in lost and lost["inference", "reworded"].low > 0:
        reasons.append("used facts are not robust to rewording")
    if not reasons:
        reasons.append("the loss from fact to inference is not significant")
    return f"{share}; {accuracies}: {', and '.join(reasons)}."
