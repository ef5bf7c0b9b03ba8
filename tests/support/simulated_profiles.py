"""Made-up models whose truth is known, answering made-up material: to find out how often a verdict is right.

A model knows a share of the items, reads a cue on others, remembers some of the frozen half, and guesses the rest.
Items of one unit go together (a Gaussian copula), some items are bad, and a reading of 200 items says how many.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import special

from horsesense.methods.profile.finding import Verdict
from horsesense.methods.profile.item_scores import BadShare, CueColumn, ItemScores

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Random = np.random.Generator

GUESSES: Verdict = "not to be told from guessing"
READS: Verdict = "reads cues"
UNUSED: Verdict = "knows the facts but does not use them"
CORRELATION = 0.3
"""Of knowledge, cues and guesses within a unit."""
READ = 200
"""Items that were read to find the bad ones."""


@dataclass(frozen=True)
class Material:
    """What is asked: the shape of one ability."""

    name: str
    units: int
    size: float
    """Mean items of a unit, geometric; a whole number without a point means that all are alike."""
    options: int
    cue: float
    """What the best cue earns; chance where it pays nothing."""
    length: float
    """What another cue earns, which only the model without the question gives away."""
    silent: float = 0.0
    """Share of items where the best cue says nothing."""
    bad: float = 0.0
    """Share of bad items: half have a wrong key, half a second right option."""
    facts: bool = False
    pairs: bool = False
    """Whether units are families that test one knowledge."""
    crossed: bool = False
    twin: bool = False
    ways: int = 1

    @property
    def pays(self) -> bool:
        return self.cue > 1 / self.options


PAGE = (
    Material("loud cue", 200, 3.0, 5, 0.75, 0.5, silent=0.1, bad=0.03, ways=2),
    Material("soft cue", 200, 3.0, 5, 0.6, 0.5, bad=0.08, twin=True, ways=2),
    Material("pairs", 400, 2, 2, 0.75, 0.75, bad=0.02, pairs=True, twin=True),
    Material("ladder", 150, 4, 2, 0.7, 0.7, facts=True),
    Material("crossed", 200, 3.0, 2, 0.7, 0.7, bad=0.05, crossed=True),
    Material("no cue", 200, 3.0, 2, 0.5, 0.5, bad=0.05, twin=True),
)
"""A page of six abilities, each of 600 to 800 items."""


@dataclass(frozen=True)
class Model:
    """How a made-up model answers."""

    name: str
    says: Verdict
    """What should be said of it."""
    knows: float = 0.0
    """Share of the items it knows."""
    reads: float = 0.0
    """Share of the others that it answers by a cue."""
    cue: str = "best"
    """Which one: ``best``, ``anti`` (the best turned round), ``length``, ``first`` (always the same option)."""
    remembers: float = 0.0
    """Share of the frozen half that it remembers, however it is asked."""
    facts: float | None = None
    """Share of the facts it knows; as many as items where none is given."""
    keeps: float = 1.0
    """Share of what it knows that it also knows in the last of the other ways of asking."""
    again: float = 1.0
    """Share of what it knows that it also knows when asked again."""
    steady: float = 1.0
    """Probability that it is right on what it knows, at each asking anew."""
    prior: float = 0.3
    """How much the model without the question follows the best cue; where nothing is known it answers like that."""
    expected: dict[str, Verdict | None] = field(default_factory=dict)
    """What should be said of it where that is not ``says``, by material; None where the truth lies at a border."""

    def expects(self, material: Material) -> Verdict | None:
        return self.expected.get(material.name, self.says)


NO_TWIN = ("loud cue", "ladder", "crossed")


def _but(verdict: Verdict | None, *materials: str) -> dict[str, Verdict | None]:
    return dict.fromkeys(materials, verdict)


MODELS = (
    Model("guesser", GUESSES, prior=0.0),
    Model("guesser by its prior", GUESSES, prior=0.0, reads=1.0, cue="prior"),
    Model("always the same option", GUESSES, reads=1.0, cue="first"),
    Model("cue reader", READS, reads=1.0, prior=1.0),
    Model("three quarters a cue reader", READS, reads=0.75, prior=0.75),
    Model("anti-cue reader", READS, reads=1.0, cue="anti", prior=0.0),
    Model("length lover", READS, reads=1.0, cue="length", prior=0.0, expected=_but(GUESSES, "no cue")),
    Model("memoriser", GUESSES, remembers=0.9, prior=0.0, expected=_but(None, *NO_TWIN)),
    Model("partial knower", "partly", knows=0.4),
    Model("partial knower with a prior", "partly", knows=0.4, reads=1.0, cue="prior"),
    Model("good knower", "knows", knows=0.9),
    Model("perfect", "knows", knows=1.0),
    Model("facts, not used", GUESSES, facts=0.9, expected=_but(UNUSED, "ladder")),
    Model("not robust to a way", "not robust", knows=0.9, keeps=0.3),
    Model("not robust when asked again", "not robust", knows=0.9, again=0.3),
    Model("knows, and reads cues", "partly", knows=0.4, reads=0.5, prior=0.5),
    Model("mostly reads cues", READS, knows=0.05, reads=0.9, prior=0.9, expected=_but(None, "no cue")),
    Model("knows nearly all, else a cue", "knows", knows=0.9, reads=1.0, prior=0.5),
    Model("knows, and remembers", "partly", knows=0.4, remembers=0.8, expected=_but(None, *NO_TWIN)),
)


def simulated_page(
    rng: Random, model: Model, page: tuple[Material, ...] = PAGE, scale: float = 1.0
) -> list[ItemScores]:
    """A page of one model; ``scale`` times as many units as the materials say."""
    return [simulated_scores(rng, model, material, scale) for material in page]


def simulated_scores(rng: Random, model: Model, material: Material, scale: float = 1.0) -> ItemScores:
    """One ability of one model."""
    units, others = _units(rng, material, scale)
    n, k = len(units), material.options

    def drawn(share: float | Floats) -> Bools:
        """Whether something holds of each item, with that probability; units go together."""
        own, noise = rng.normal(size=(2, int(max(units.max(), others.max())) + 1)), rng.normal(size=n)
        common = (own[0, units] + own[1, others]) / 2**0.5 if material.crossed else own[0, units]
        latent = CORRELATION**0.5 * common + (1 - CORRELATION) ** 0.5 * noise
        below: Bools = latent < special.ndtri(np.clip(share, 0.0, 1.0))
        return below

    chance = np.full(n, 1 / k)
    silent = rng.random(n) < material.silent
    best, length = drawn(material.cue), drawn(material.length)
    twin = _halves(rng, units)
    bad = rng.random(n) < material.bad
    fault = np.where(rng.random(n) < 0.5, 0.0, 0.5)
    facts = drawn(model.knows if model.facts is None else model.facts) if material.facts else None
    known = facts if facts is not None and model.facts is None else drawn(model.knows)
    if material.pairs:
        known = known[np.unique(units, return_index=True)[1]][units]  # who knows one member knows all
    memory = drawn(model.remembers) & ~twin if material.twin else drawn(model.remembers)
    reading = drawn(model.reads)
    unread = np.where(silent, drawn(chance), best).astype(bool)
    blind = np.where(drawn(model.prior), unread, drawn(chance))
    by_cue: dict[str, Bools] = {
        "best": unread,
        "anti": np.where(silent, drawn(chance), ~best & (drawn(1 / (k - 1)))).astype(bool),
        "length": length,
        "first": drawn(chance),
        "prior": blind.astype(bool),
    }
    followed = by_cue[model.cue]
    if model.cue in ("length", "first", "anti"):
        blind = followed

    def asked(kept: float) -> Floats:
        sure = known & (rng.random(n) < kept) & (rng.random(n) < model.steady)
        guess = np.where(reading, followed, drawn(chance))
        knowing = np.where(bad, rng.random(n) < fault, 1.0)
        return np.where(memory, 1.0, np.where(sure, knowing, guess)).astype(np.float64)

    right = asked(1.0)
    ways = {
        f"way {number}": asked(model.keeps if number == material.ways - 1 else 1.0) for number in range(material.ways)
    }
    read = int(rng.binomial(READ, material.bad))
    low, high = special.betaincinv(read + 0.5, READ - read + 0.5, [0.025, 0.975])
    fact_answers = None
    if facts is not None:
        fact_answers = np.where(facts, 1.0, drawn(0.5)).astype(np.float64)
    return ItemScores(
        model=model.name,
        ability=material.name,
        method="wordnet" if "cue" in material.name and material.options == 5 else material.name,
        items=np.arange(n).astype(str),
        right=right,
        options=np.full(n, k),
        units=units.astype(str),
        crossed=others.astype(str) if material.crossed else None,
        families=units.astype(str),
        same_knowledge=material.pairs,
        cues=(CueColumn("the best cue", np.where(silent, chance, best), 60),),
        blind=blind.astype(np.float64),
        retest=asked(model.again),
        ways=ways,
        facts=fact_answers,
        fact_chance=None if facts is None else np.full(n, 0.5),
        twin=twin if material.twin else None,
        bad=BadShare(read / READ, (float(low), float(high)), READ, "simulated") if material.bad else None,
        judged="people",
    )


def _units(rng: Random, material: Material, scale: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    number = max(4, round(material.units * scale))
    sizes = (
        np.full(number, material.size) if isinstance(material.size, int) else rng.geometric(1 / material.size, number)
    )
    units = np.repeat(np.arange(number), sizes)
    return units, rng.integers(0, number, len(units))


def _halves(rng: Random, units: NDArray[np.int64]) -> Bools:
    number = int(units.max()) + 1
    half = np.zeros(number, dtype=bool)
    half[rng.permutation(number)[: number // 2]] = True
    chosen: Bools = half[units]
    return chosen
