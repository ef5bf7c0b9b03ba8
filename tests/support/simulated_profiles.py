"""Simulated models whose truth is known, answering simulated material: to measure how often a verdict is right.

A model knows a share of the items, reads a cue or relatedness on others, has memorised some of the frozen half, answers
by habit, and guesses the rest. Items of one cluster go together (a Gaussian copula), some items are bad, and an audit
of 200 items says how many. In pairs with opposite keys everything that sees the options alone gets one of two right.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from horsesense.profiling.finding import Verdict
from horsesense.profiling.item_scores import BadShare, ExplanationColumn, ItemScores

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Random = np.random.Generator

CHANCE: Verdict = "not above chance"
READS: Verdict = "reads cues"
SAME: Verdict = "same answer"
CONTAMINATED: Verdict = "contaminated"
CORRELATION = 0.3
"""Of knowledge, cues and guesses within a cluster."""
AUDITED = 200
"""Items that were audited to find the bad ones."""


@dataclass(frozen=True)
class Material:
    """What is asked: the shape of one ability."""

    name: str
    clusters: int
    size: float
    """Mean items of a cluster, geometric; a whole number without a point means that all are alike."""
    options: int
    cue: float
    """What the best cue earns; chance where it pays nothing."""
    length: float
    """What another cue earns, which only the model without the question gives away."""
    related: tuple[float, float] = (0.0, 0.0)
    """What relatedness earns, by word vectors and by sentence vectors; at least chance."""
    silent: float = 0.0
    """Share of items where the best cue says nothing."""
    bad: float = 0.0
    """Share of bad items: half have a wrong key, half a second right option."""
    facts: bool = False
    opposite: bool = False
    """Whether items come in pairs with opposite keys that test one knowledge."""
    crossed: bool = False
    twin: float = 0.0
    """Share of the clusters that are in the twin half; 0 where there is none."""
    formats: int = 1
    lettered: int | None = None
    """Clusters of the frozen half that are asked in the last format; None for all items."""
    retested: int | None = None
    """Clusters of the frozen half that are asked again; None for all items."""

    @property
    def pays(self) -> bool:
        return self.cue > 1 / self.options


PAGE = (
    Material("loud cue", 200, 3.0, 5, 0.75, 0.5, (0.3, 0.4), silent=0.1, bad=0.03, formats=2),
    Material("related", 200, 3.0, 5, 0.5, 0.5, (0.5, 0.75), bad=0.05, twin=0.5, formats=2),
    Material("pairs", 400, 2, 2, 0.5, 0.5, bad=0.02, opposite=True, twin=0.5),
    Material("ladder", 150, 4, 2, 0.7, 0.7, facts=True),
    Material("crossed", 200, 3.0, 2, 0.7, 0.7, bad=0.05, crossed=True),
    Material("no cue", 200, 3.0, 2, 0.5, 0.5, bad=0.05, twin=0.5),
)
"""A page of six abilities, each of 600 to 800 items."""

QUICK = (
    Material("kinds", 54, 1, 5, 0.23, 0.3, (0.2, 0.2), bad=0.03, twin=1 / 3, retested=24),
    Material("examples", 54, 1, 5, 0.2, 0.3, (0.2, 0.2), bad=0.03, twin=1 / 3, retested=24),
    Material("meanings", 54, 1, 5, 0.24, 0.3, (0.2, 0.2), bad=0.03, twin=1 / 3, retested=24),
    Material("words", 54, 1, 5, 0.23, 0.3, (0.22, 0.24), bad=0.03, twin=1 / 3, retested=24),
    Material("senses", 45, 1, 5, 0.21, 0.3, (0.2, 0.2), bad=0.03, twin=1 / 3, retested=24),
    Material("reversed", 74, 2, 2, 0.5, 0.5, opposite=True, twin=0.27, retested=24),
    Material("everyday", 70, 2, 2, 0.5, 0.5, opposite=True, retested=24),
    Material("inference", 50, 4, 2, 0.5, 0.5, opposite=True, twin=0.76, retested=24),
    Material("exceptions", 68, 2, 2, 0.5, 0.5, opposite=True, retested=24),
    Material("parts", 68, 2, 2, 0.5, 0.5, opposite=True, retested=24),
)
"""The quick edition: as many clusters and items as it has, and what cues and relatedness earn on them."""

_FULL_SIZES: dict[str, tuple[int, float]] = {
    "kinds": (700, 1.44), "examples": (78, 3.4), "meanings": (676, 1), "words": (800, 1), "senses": (490, 1.06),
    "reversed": (131, 6), "everyday": (120, 2), "inference": (88, 8), "exceptions": (308, 2), "parts": (237, 2),
}  # fmt: skip
FULL = tuple(
    replace(m, clusters=c, size=s, twin=m.twin and 0.5, formats=2, lettered=60, retested=200)
    for m, (c, s) in zip(QUICK, _FULL_SIZES.values(), strict=True)
)
"""The full edition: the same abilities with its sizes, and letters for some questions."""


@dataclass(frozen=True)
class Model:
    """How a simulated model answers."""

    name: str
    says: Verdict
    """What should be said of it."""
    opposite: Verdict | str | None = ""
    """What should be said of it on pairs with opposite keys where that is not ``says``; None where it is a border."""
    knows: float = 0.0
    """Share of the items it knows; of pairs with opposite keys, of the pairs."""
    reads: float = 0.0
    """Share of the others that it answers by a cue."""
    cue: str = "best"
    """Which one: ``best``, ``anti`` (the best avoided), ``length``, ``first`` (always the same option), ``prior``,
    ``words`` and ``sentences`` (relatedness), ``topic`` (relatedness by an encoder that nobody has)."""
    ignores: bool = False
    """Whether it ignores what sets the members of a pair apart: negation, reversal, context."""
    clustered: bool = False
    """Whether it knows whole clusters or nothing of them."""
    memorised: float = 0.0
    """Share of the frozen half that it has memorised, in whatever condition."""
    facts: float | None = None
    """Share of the facts it knows; as many as items where none is given."""
    keeps: float = 1.0
    """Share of what it knows that it also knows in the last of the other prompt formats."""
    retest: float = 1.0
    """Share of what it knows that it also knows in the retest."""
    noise: float = 0.0
    """Share of the replies, in each condition anew, that are as good as a guess."""
    replies: bool = False
    """Whether it only replies: two option orders, whose answers vote, and one order in the retest."""
    position: float = 0.0
    """Share of the replies that name the option shown first, whatever it is."""
    lost: float = 0.0
    """Share of the questions without an answer, which earn chance."""
    prior: float = 0.3
    """How much the model without the question follows the best cue; where nothing is known it answers like that."""
    expected: dict[str, Verdict | None] = field(default_factory=dict)
    """What should be said of it where that is not ``says``, by material; None where the truth lies at a border."""

    def allows(self, material: Material, verdict: Verdict) -> bool:
        """Whether a verdict claims nothing that is false of it: what is not shown may always be inconclusive."""
        truth = self.expects(material)
        if truth is None or verdict in (truth, "inconclusive"):
            return True
        # Some of it is known and not all. A cue that earns nothing is not above chance, and explains no knowledge.
        if truth == "knows" and self.knows < 1:
            return verdict == "partly"
        by_words, by_sentences = material.related
        earned = {"words": by_words, "sentences": by_sentences}.get(self.cue, max(material.cue, material.length))
        weaker = (CHANCE, "partly") if self.knows else (CHANCE,)
        return truth == READS and verdict in weaker and bool(self.reads) and earned < 0.35

    def expects(self, material: Material) -> Verdict | None:
        if material.name in self.expected:
            return self.expected[material.name]
        if self.memorised and not material.twin:
            return None
        if material.opposite and self.opposite != "":
            return self.opposite  # type: ignore[return-value]  # a verdict or None
        return self.says


def _but(verdict: Verdict | None, *materials: str) -> dict[str, Verdict | None]:
    return dict.fromkeys(materials, verdict)


MODELS = (
    Model("guesser", CHANCE, prior=0.0),
    Model("guesser by its prior", CHANCE, SAME, prior=0.0, reads=1.0, cue="prior"),
    Model("always the same option", CHANCE, SAME, reads=1.0, cue="first"),
    Model("cue reader", READS, reads=1.0, prior=1.0),
    Model("three quarters a cue reader", READS, None, reads=0.75, prior=0.75),
    Model("anti-cue reader", READS, reads=1.0, cue="anti", prior=0.0),
    Model("length reader", READS, SAME, reads=1.0, cue="length", prior=0.0, expected=_but(CHANCE, "no cue")),
    Model("nearest by word vectors", READS, reads=1.0, cue="words", prior=0.0),
    Model("nearest by sentence vectors", READS, reads=1.0, cue="sentences", prior=0.0),
    Model("memoriser", CONTAMINATED, memorised=0.9, prior=0.0),
    Model("partial knower", "partly", knows=0.4),
    Model("partial knower by clusters", "partly", knows=0.4, clustered=True),
    Model("knows 40%, else the shortest", "partly", knows=0.4, reads=1.0, cue="length"),
    Model("good knower", "knows", knows=0.9),
    Model("perfect", "knows", knows=1.0),
    Model("ignores negation", "knows", SAME, knows=1.0, ignores=True),
    Model("noisy knower", "partly", knows=0.6, noise=0.15),
    Model("facts, not used", CHANCE, facts=0.9),
    Model("not robust to a format", "not robust", knows=0.9, keeps=0.3),
    Model("not robust in the retest", "not robust", knows=0.9, retest=0.3),
    Model("knows, and reads cues", "partly", knows=0.4, reads=0.5, prior=0.5),
    Model("mostly reads cues", READS, None, knows=0.05, reads=0.9, prior=0.9, expected=_but(None, "no cue", "related")),
    Model("knows nearly all, else a cue", "knows", knows=0.9, reads=1.0, prior=0.5),
    Model("knows, and has memorised", CONTAMINATED, knows=0.4, memorised=0.8),
)


REPLYING = (
    Model("guesser", CHANCE, prior=0.0, replies=True),
    Model("always the first option shown", CHANCE, position=1.0, prior=0.0, replies=True),
    Model("cue reader", READS, reads=1.0, prior=1.0, noise=0.05, replies=True),
    Model("nearest by sentence vectors", READS, reads=1.0, cue="sentences", prior=0.0, noise=0.05, replies=True),
    Model("memoriser", CONTAMINATED, memorised=0.9, prior=0.0, noise=0.05, replies=True),
    Model("knows 40%", "partly", knows=0.4, noise=0.05, replies=True),
    Model("knows 40%, position bias in 30%", "partly", knows=0.4, position=0.3, noise=0.05, replies=True),
    Model("knows 80%, 8% without an answer", "knows", knows=0.8, lost=0.08, noise=0.02, replies=True),
    Model("knows 95%", "knows", knows=0.95, noise=0.02, replies=True),
    Model("not robust in the retest", "not robust", knows=0.95, retest=0.3, noise=0.02, replies=True),
)
"""Models that only reply, with noise, position bias and questions without an answer."""


def model_named(name: str) -> Model:
    return next(model for model in MODELS if model.name == name)


def simulated_page(
    rng: Random, model: Model, page: tuple[Material, ...] = PAGE, scale: float = 1.0
) -> list[ItemScores]:
    """A page of one model; ``scale`` times as many clusters as the materials say."""
    return [simulated_scores(rng, model, material, scale) for material in page]


def simulated_scores(rng: Random, model: Model, material: Material, scale: float = 1.0) -> ItemScores:
    """One ability of one model."""
    clusters, others = _clusters(rng, material, scale)
    n, k = len(clusters), material.options
    pairs = np.arange(n) // 2
    first = np.arange(n) % 2 == 0

    def drawn(share: float | Floats, correlation: float = CORRELATION) -> Bools:
        """Whether something holds of each item, with that probability; clusters go together."""
        own, noise = rng.normal(size=(2, int(max(clusters.max(), others.max())) + 1)), rng.normal(size=n)
        common = (own[0, clusters] + own[1, others]) / 2**0.5 if material.crossed else own[0, clusters]
        latent = correlation**0.5 * common + (1 - correlation) ** 0.5 * noise
        below: Bools = latent < special.ndtri(np.clip(share, 0.0, 1.0))
        return below

    def by_options(share: float) -> Bools:
        """Whether something that looks at the options alone is right."""
        return drawn(max(share, 1 / k)) if not material.opposite else drawn(0.5)[2 * pairs] == first

    chance = np.full(n, 1 / k)
    silent = rng.random(n) < material.silent
    best, length = by_options(material.cue), by_options(material.length)
    words, sentences = (by_options(share) for share in material.related)
    # The two encoders agree more than by chance.
    words = np.where(rng.random(n) < 0.4, sentences, words) if not material.opposite else words
    twin = _halves(rng, clusters, material.twin or 0.5)
    bad = rng.random(n) < material.bad
    fault = np.where(rng.random(n) < 0.5, 0.0, 0.5)
    correlation = 0.999 if model.clustered else CORRELATION
    facts = drawn(model.knows if model.facts is None else model.facts, correlation) if material.facts else None
    known = facts if facts is not None and model.facts is None else drawn(model.knows, correlation)
    if material.opposite:
        known = known[2 * pairs]  # who knows one member knows both
    memory = drawn(model.memorised) & ~twin if material.twin else drawn(model.memorised)
    reading = drawn(model.reads)[2 * pairs] if material.opposite else drawn(model.reads)
    unread = np.where(silent, drawn(chance), best).astype(bool)
    blind = np.where(drawn(model.prior), unread, by_options(0.0) if material.opposite else drawn(chance))
    by_cue: dict[str, Bools] = {
        "best": unread,
        "anti": ~best
        if material.opposite
        else np.where(silent, drawn(chance), ~best & (drawn(1 / (k - 1)))).astype(bool),
        "length": length,
        "first": by_options(0.0),
        "prior": blind.astype(bool),
        "words": words,
        "sentences": sentences,
        "topic": np.where(rng.random(n) < 0.6, sentences, by_options(max(material.related))).astype(bool),
    }
    followed = by_cue[model.cue]
    if model.cue in ("length", "first", "anti"):
        blind = followed
    habit = by_options(0.0)

    def asked(kept: float, main: bool = False) -> Floats:
        sure = known & (rng.random(n) < kept)
        if material.opposite:
            sure = known & (rng.random(n) < kept)[2 * pairs]
        guess = np.where(reading, followed, drawn(chance))
        knowing = np.where(bad, rng.random(n) < fault, habit if model.ignores and material.opposite else 1.0)
        right = np.where(memory, 1.0, np.where(sure, knowing, guess))
        if not model.replies:
            return np.where(rng.random(n) < model.noise, rng.random(n) < chance, right).astype(np.float64)
        # The right option is shown at one place in the first order, and at another in the second.
        place = rng.integers(k, size=n)
        votes = []
        for shift in (0, max(1, k // 2))[: 2 if main else 1]:
            shown_first = (place + shift) % k == 0
            said = np.where(rng.random(n) < model.noise, rng.random(n) < chance, right)
            votes.append(np.where(rng.random(n) < model.position, shown_first, said))
        earned = np.mean(votes, axis=0)
        return np.where(rng.random(n) < model.lost, chance, earned).astype(np.float64)

    frozen = np.unique(clusters[~twin] if material.twin else clusters)

    def part(number: int | None) -> Bools:
        """Whether an item is in the first clusters of the frozen half."""
        chosen: Bools = np.ones(n, dtype=bool) if number is None else np.isin(clusters, frozen[:number])
        return chosen

    right = asked(1.0, main=True)
    formats = {f"format {number}": asked(1.0) for number in range(material.formats - 1)}
    formats["last format"] = np.where(part(material.lettered), asked(model.keeps), np.nan)
    seen = int(rng.binomial(AUDITED, material.bad))
    low, high = special.betaincinv(seen + 0.5, AUDITED - seen + 0.5, [0.025, 0.975])
    fact_answers = None
    if facts is not None:
        fact_answers = np.where(facts, 1.0, drawn(0.5)).astype(np.float64)
    return ItemScores(
        model=model.name,
        ability=material.name,
        method=material.name,
        items=np.arange(n).astype(str),
        right=right,
        options=np.full(n, k),
        clusters=clusters.astype(str),
        group="words" if material.options == 5 else material.name,
        crossed=others.astype(str) if material.crossed else None,
        families=pairs.astype(str) if material.opposite else clusters.astype(str),
        same_knowledge=material.opposite,
        contrasts={"reversal": pairs.astype(str)} if material.opposite else {},
        cues=(ExplanationColumn("the best cue", np.where(silent, chance, best), 60),),
        relatedness=(
            ExplanationColumn("the nearest by words", words.astype(np.float64), kind="relatedness"),
            ExplanationColumn("the nearest by sentences", sentences.astype(np.float64), kind="relatedness"),
        ),
        blind=blind.astype(np.float64),
        retest=np.where(part(material.retested), asked(model.retest), np.nan),
        formats=formats,
        facts=fact_answers,
        fact_chance=None if facts is None else np.full(n, 0.5),
        twin=twin if material.twin else None,
        bad=BadShare(seen / AUDITED, (float(low), float(high)), AUDITED, "simulated") if material.bad else None,
        judged="people",
    )


def _clusters(rng: Random, material: Material, scale: float) -> tuple[Ints, Ints]:
    number = max(4, round(material.clusters * scale))
    sizes = (
        np.full(number, material.size) if isinstance(material.size, int) else rng.geometric(1 / material.size, number)
    )
    clusters = np.repeat(np.arange(number), sizes)
    return clusters, rng.integers(0, number, len(clusters))


def _halves(rng: Random, clusters: Ints, share: float) -> Bools:
    number = int(clusters.max()) + 1
    half = np.zeros(number, dtype=bool)
    half[rng.permutation(number)[: max(2, round(number * share))]] = True
    chosen: Bools = half[clusters]
    return chosen
