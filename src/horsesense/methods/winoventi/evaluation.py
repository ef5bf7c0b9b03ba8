"""Evaluate models on WinoVenti schemas (section 3.1): both tests, the filter, and the reversed test.

`run_all` runs the models, `score_answers` computes the results. Depths, a model's own associations and other models'
registry entries are stored beside the answers (`Background`), so that a report can be recomputed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from pathlib import Path
from typing import Annotated

from annotated_types import Ge

from horsesense.core import BLANK, Answer, Facet, Item, Probe, ScoringSpec
from horsesense.core.document import Document
from horsesense.core.spec import parse_spec
from horsesense.data import read_text, write_file
from horsesense.errors import UserError, translate_errors
from horsesense.methods.winoventi.associations import Depths, read_depths, read_registry, write_associations
from horsesense.methods.winoventi.elicitation import MODEL, Elicitation, ask_associations, spellable
from horsesense.methods.winoventi.measures import (
    NEUTRAL,
    PRIOR,
    ContextShift,
    ItemOutcome,
    StrongestMargins,
    SubsetResult,
    context_shift,
    neutral_probe,
    preferring_generic,
    prior_probe,
    schema_log_odds,
    sliced,
    strongest,
    subset,
)
from horsesense.methods.winoventi.nouns import clean_nouns
from horsesense.methods.winoventi.schemas import (
    REVERSE,
    VALIDATED,
    pairs_of,
    reverse_probe,
    special_facets,
    triplet_name,
    word_differences,
)
from horsesense.methods.winoventi.word_relations import WordRelations, load_word_relations
from horsesense.models.load import load_model
from horsesense.models.locate import identity_named
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.ask_models import ask_models
from horsesense.runs.engine import LOCAL, ComputeSettings, Engine
from horsesense.runs.probe_answers import ProbeAnswers, read_run
from horsesense.runs.shards import draw
from horsesense.runs.tasks import Settings
from horsesense.stats import Estimate

_BACKGROUND = "winoventi.json"


@dataclass(frozen=True, slots=True)
class Background:
    """What is known about the schemas beside their texts."""

    depths: Depths = field(default_factory=dict)
    """Depth of each of the generator's associations."""
    own_depths: Mapping[str, Depths] = field(default_factory=dict)
    """Model → its own associations, with depths."""
    others: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Models of the registry → triplets that pass their filter."""
    lexicon: WordRelations | None = None


def own_depths(name: str, probe: Probe, folder: Path, settings: Settings) -> Path:
    """Return the file of a model's own associations with the nouns of a probe, beside its answers.

    They are elicited once per model and nouns. The probe's wording of the nouns is kept: its schemas may say *The
    scissors is ___*, as the published ones do.
    """
    words = sorted({item.groups["noun"] for item in probe.items if "noun" in item.groups})
    who = identity_named(name, allow_pickle=settings.allow_pickle)
    about = hashlib.sha256("\n".join((who, *words)).encode()).hexdigest()[:12]
    path = folder / f"associations-{about}.tsv"
    if not path.is_file():
        model = load_model(
            name,
            model_type=settings.model_type,
            device=settings.device,
            dtype=settings.spec.dtype,
            allow_pickle=settings.allow_pickle,
            served=settings.served,
        )
        nouns, _ = spellable(model, clean_nouns((0, word) for word in words).nouns, settings.spec)
        by_noun = ask_associations(model, nouns, Elicitation(spec=settings.spec))
        write_associations(path, [each for associations in by_noun for each in associations])
    return path


def write_background(folder: Path, files: AssociationFiles, own: Mapping[str, Path]) -> None:
    """Write the files of an evaluation beside the answers, so that a report can be recomputed."""
    about = {
        "depths": None if files.depths is None else str(Path(files.depths).resolve()),
        "registry": None if files.registry is None else str(Path(files.registry).resolve()),
        "own": {model: path.name for model, path in own.items()},
    }
    write_file(folder / _BACKGROUND, json.dumps(about, indent=2) + "\n")


def read_background(folder: Path) -> Background:
    """Read the background of an evaluation, as far as its files exist."""
    path = folder / _BACKGROUND
    about = json.loads(read_text(path)) if path.is_file() else {}
    depths, registry = (Path(about[name]) if about.get(name) else None for name in ("depths", "registry"))
    own = {model: folder / name for model, name in about.get("own", {}).items()}
    return Background(
        depths=read_depths(depths) if depths is not None and depths.is_file() else {},
        own_depths={model: read_depths(file) for model, file in own.items() if file.is_file()},
        others=read_registry(registry) if registry is not None and registry.is_file() else {},
        lexicon=load_word_relations(),
    )


MAIN = "winoventi"
SLICES = ("k", "own", "third", "special_pos", "unequal_tokens", "origin", "twin")
"""Facets of the slices."""
UNKNOWN = "items with an option that the tokenizer cannot spell"
EMPTY = "no schema is left: the models prefer the generic word of none of them together"


@dataclass(frozen=True, slots=True)
class SchemaSlice:
    """Items of one test that share the value of a facet."""

    value: Facet
    """Value of the facet."""
    test: str
    """``generic`` or ``exception``."""
    accuracy: Estimate
    """Share of items right."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Results of one model on WinoVenti schemas."""

    model: str
    """Model."""
    headline: SubsetResult | None
    """The subset ``individual``: schemas that contradict the model's own preference; null if some are not validated."""
    subsets: tuple[SubsetResult, ...]
    """``all``, ``individual``, and ``intersection`` for several models."""
    shift: ContextShift | None
    """Context shift in the subset ``individual``; null if some schemas are not validated."""
    shifts: tuple[ContextShift, ...]
    """Context shift in each subset."""
    reverse: tuple[SubsetResult, ...]
    """The same for the reversed test, which asks for the context word; empty if that was not run."""
    tokens: tuple[SubsetResult, ...]
    """``all`` and ``individual``, by whether both outcomes have equally many tokens for every model."""
    slices: Mapping[str, tuple[SchemaSlice, ...]]
    """Accuracy by facet."""
    failures: StrongestMargins
    """The exceptions with the largest negative margins."""
    successes: StrongestMargins
    """The exceptions with the largest positive margins."""
    notes: Mapping[str, int]
    """Irregularities, counted."""
    proposed: int
    """Number of schemas that neither people nor a stated judge validated; with any of them there is no headline."""


@dataclass(frozen=True, slots=True)
class Evaluations(Document):
    """Models on WinoVenti schemas."""

    out: Path
    """Run folder."""
    probe: Path
    """File of the probe."""
    models: tuple[Evaluation, ...]
    """One entry per model."""


@dataclass(frozen=True)
class AssociationFiles:
    """Associations: what the generator and the models associate."""

    depths: Path | None = None
    """Depths of the associations: the published outcome collection, or a file of ``winoventi associations``."""
    registry: Path | None = None
    """Published registry, whose models count for the intersection."""
    own: bool = True
    """Elicit the models' own associations."""


@translate_errors()
def evaluate(
    probe: str | Path,
    *,
    out: str | Path,
    models: str | Sequence[str] = (MODEL,),
    associations: AssociationFiles | None = None,
    reverse: bool = True,
    limit: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
    spec: str | ScoringSpec = "default",
    compute: ComputeSettings | None = None,
    progress: Progress = NO_PROGRESS,
) -> Evaluations:
    """Evaluate models on WinoVenti schemas: generic and exception test, both right, drop, context shift, slices.

    Args:
        probe: Name or file of a WinoVenti probe.
        out: Run folder; the same call resumes a stopped run.
        models: Model name, folder, GGUF file or server.
        associations: Depths and registries of associations.
        reverse: Run the reversed test, which asks for the context word.
        limit: Maximum number of items; whole families are drawn.
        seed: Random seed.
        spec: Scoring spec.
        compute: Where it is computed, and how much at a time.
        progress: Progress callback.

    Returns:
        The results of each model, with intervals.
    """
    import horsesense as hs

    names = [models] if isinstance(models, str) else list(models)
    if len(set(names)) < len(names):
        raise UserError("a model is named twice", fix="name each once")
    files, compute = associations or AssociationFiles(), compute or ComputeSettings()
    settings = Settings(
        spec=parse_spec(spec),
        limit=limit,
        seed=seed,
        device=compute.device,
        model_type=compute.model_type,
        allow_pickle=compute.allow_pickle,
        cache=compute.cache,
    )
    if compute.batch_tokens is not None:
        settings = replace(settings, budget=compute.batch_tokens)
    folder = Path(out)
    if files.depths is not None:
        read_depths(Path(files.depths))  # errors in the files come before the run
    if files.registry is not None:
        read_registry(Path(files.registry))
    answered = run_all(names, hs.load_probe(probe), folder, settings, progress, reverse, compute.chosen_engine())
    drawn = answered[0][MAIN].probe
    own = {name: own_depths(name, drawn, folder, settings) for name in names} if files.own else {}
    write_background(folder, files, own)
    return Evaluations(folder, Path(probe), tuple(score_answers(answered, read_background(folder))))


def check_probe(probe: Probe) -> None:
    """Check that the probe has whole schemas with the facets of the reader and the builder."""
    needed = {"bias", "alternative"}
    odd = next((item for item in probe.items if not needed <= item.facets.keys() or item.form != "cloze"), None)
    if odd is not None or not pairs_of(probe.items):
        raise UserError(
            f"the probe {probe.card.name} has no WinoVenti schemas" + (f" (item {odd.id})" if odd else ""),
            fix="give a file of import winoventi or build winoventi",
        )


def run_all(
    models: Sequence[str],
    probe: Probe,
    folder: Path,
    settings: Settings,
    progress: Progress = NO_PROGRESS,
    reverse: bool = True,
    engine: Engine = LOCAL,
) -> list[dict[str, ProbeAnswers]]:
    """Run each model on the schemas, the outcomes alone and after a neutral premise, and the reversed schemas.

    Stored answers are not computed again.
    """
    check_probe(probe)
    drawn = replace(probe, items=draw(probe.items, settings.limit, settings.seed))
    probes = {MAIN: drawn, PRIOR: prior_probe(drawn), NEUTRAL: neutral_probe(drawn)}
    if reverse:
        probes[REVERSE] = reverse_probe(drawn)
        if not probes[REVERSE].items:
            raise UserError("no schema has two texts that differ in exactly one word", fix="check the probe")
    ask_models(models, probes, folder, replace(settings, limit=None), progress, engine)
    _, answered = read_run(folder, unfinished=True)  # another call's part may be incomplete
    parts = {(each.part.model.name, each.part.probe.name): each for each in answered}
    return [{name: parts[model, name] for name in probes} for model in models]


def score_answers(answered: Sequence[Mapping[str, ProbeAnswers]], background: Background) -> list[Evaluation]:
    """Compute the results of each model; the intersection is over these models and those of the registry."""
    passing = [preferring_generic(parts[PRIOR]) for parts in answered]
    shared = set.intersection(*passing, *(set(names) for names in background.others.values()))
    several = len(answered) + len(background.others) > 1
    equal = set.intersection(*(equal_tokens(parts[MAIN]) for parts in answered))
    return [
        _evaluation(parts, triplets, shared if several else None, equal, background)
        for parts, triplets in zip(answered, passing, strict=True)
    ]


def equal_tokens(answered: ProbeAnswers) -> set[str]:
    """Return the schemas whose two outcomes have equally many tokens for this model.

    A sum of log-probabilities favours the outcome with fewer tokens.
    """
    unequal = {
        item.family
        for item, answer in zip(answered.items, answered.answers, strict=True)
        if len({len(tokens) for tokens in answer.logprobs}) > 1
    }
    return {item.family for item in answered.items} - unequal


def _evaluation(
    parts: Mapping[str, ProbeAnswers],
    passing: set[str],
    shared: set[str] | None,
    equal: set[str],
    background: Background,
) -> Evaluation:
    model = parts[MAIN].part.model.name
    outcomes = _outcomes(parts[MAIN], background, model, _special_words(parts[MAIN].items, background.lexicon))
    turned = _outcomes(parts[REVERSE], background, model, {}) if REVERSE in parts else []
    triplets = {item.family: triplet_name(item) for item in parts[MAIN].items}
    unknown = sum(any("unknown-token" in flag for flag in answer.flags) for answer in parts[MAIN].answers)
    notes = {UNKNOWN: unknown} if unknown else {}
    if shared is not None and not any(name in shared for name in triplets.values()):
        notes[EMPTY] = 0

    kinds = {"all": None, "individual": passing} | ({"intersection": shared} if shared is not None else {})

    def subsets(outcomes: Sequence[ItemOutcome]) -> tuple[SubsetResult, ...]:
        return tuple(
            subset(name, [each for each in outcomes if among is None or triplets[each.family] in among])
            for name, among in kinds.items()
        )

    individual = [each for each in outcomes if triplets[each.family] in passing]
    tokens = tuple(
        subset(f"{name}, {kind} tokens", [each for each in among if (each.family in equal) == (kind == "equal")])
        for name, among in (("all", outcomes), ("individual", individual))
        for kind in ("equal", "unequal")
    )
    shifts: tuple[ContextShift, ...] = ()
    if NEUTRAL in parts:  # older runs do not have it
        others = {name: (parts[name].items, parts[name].answers) for name in (NEUTRAL, PRIOR)}
        schemas = schema_log_odds((parts[MAIN].items, parts[MAIN].answers), others, triplets)
        shifts = tuple(
            context_shift(name, [each for each in schemas if among is None or triplets[each.family] in among])
            for name, among in kinds.items()
        )
    slices = {
        name: tuple(SchemaSlice(each.where[0], str(each.where[1]), each.accuracy) for each in table.slices)
        for name in SLICES
        if (table := sliced(outcomes, name)) is not None
    }
    proposed = sum(not _is_validated(item) for item in parts[MAIN].items if item.member == "generic")
    by_subset = subsets(outcomes)
    return Evaluation(
        model=model,
        headline=None if proposed else next(each for each in by_subset if each.subset == "individual"),
        subsets=by_subset,
        shift=None if proposed else next((each for each in shifts if each.subset == "individual"), None),
        shifts=shifts,
        reverse=subsets(turned) if turned else (),
        tokens=tokens,
        slices=slices,
        failures=strongest(outcomes, failures=True),
        successes=strongest(outcomes, failures=False),
        notes=notes,
        proposed=proposed,
    )


def _is_validated(item: Item) -> bool:
    """Return whether its schema was validated; a published one has no status, because people validated it before."""
    return str(item.facets.get("status", VALIDATED)).startswith(VALIDATED)


def _special_words(items: Sequence[Item], lexicon: WordRelations | None) -> dict[str, dict[str, Facet]]:
    """Return item id → facets of its special word, with its part of speech if WordNet is available."""
    differences = [word_differences(m["generic"].text, m["exception"].text) for m in pairs_of(items).values()]
    words = {places[0].words for places in differences if len(places) == 1}
    return special_facets(
        items, None if lexicon is None else {pair: lexicon.pos(*(word.split()[-1] for word in pair)) for pair in words}
    )


def _outcomes(
    answered: ProbeAnswers, background: Background, model: str, special: Mapping[str, Mapping[str, Facet]]
) -> list[ItemOutcome]:
    credits = answered.credits("sum").values
    outcomes = []
    for item, answer, credit in zip(answered.items, answered.answers, credits, strict=True):
        assert item.answer is not None
        chances = [_probability(item, answer, i) for i in range(len(item.options))]
        right = chances[item.answer]
        outcomes.append(
            ItemOutcome(
                item=item.id,
                family=item.family,
                test=item.member,
                noun=item.groups.get("noun", ""),
                frame=item.groups.get("frame", item.family),
                generic=str(item.facets["bias"]),
                credit=float(credit),
                margin=2 * right - sum(chances),
                mass=sum(chances),
                facets={**_facets(item, answer, background, model), **special.get(item.id, {})},
            )
        )
    return outcomes


def _probability(item: Item, answer: Answer, i: int) -> float:
    """Return the probability of the option's own tokens; a causal model also scores what follows."""
    end = item.text.index(BLANK) + len(item.options[i])
    tokens = zip(answer.starts[i], answer.logprobs[i], strict=True)
    return exp(sum(value for start, value in tokens if start < end))


def _facets(item: Item, answer: Answer, background: Background, model: str) -> dict[str, Facet]:
    pair = item.groups.get("noun", ""), str(item.facets["bias"])
    lengths = {len(tokens) for tokens in answer.logprobs}
    facets: dict[str, Facet] = {"unequal_tokens": len(lengths) > 1}
    facets |= {name: item.facets[name] for name in ("k", "origin", "twin") if name in item.facets}
    if pair in background.depths:
        facets["k"] = background.depths[pair]
    if model in background.own_depths:
        facets["own"] = pair in background.own_depths[model]
    return facets
