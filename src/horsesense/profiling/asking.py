"""Ask one model everything that a profile needs, or take its stored answers, and judge them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from horsesense.core import Probe, ScoringSpec
from horsesense.core.audit import LabelQuality
from horsesense.methods.ladders.thresholds import (
    AROUND,
    LOGICAL,
    LadderResults,
    TooFewAnswersError,
    build_ladder,
    compare_thresholds,
    split_stages,
    thresholds_of_model,
)
from horsesense.models.api.address import is_served
from horsesense.models.api.served_model import ServedModel
from horsesense.models.api.settings import ServedSettings
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.load import load_model
from horsesense.models.protocol import Model
from horsesense.planting.effects import MovedByCues, PlantedEffect
from horsesense.planting.experiment import effects_in
from horsesense.profiling.abilities import Edition
from horsesense.profiling.abilities import abilities as known
from horsesense.profiling.adaptive import LOOKS, asked_clusters, decided
from horsesense.profiling.conditions import (
    PLANTED,
    Condition,
    Forecast,
    Variant,
    chat_conditions,
    conditions,
    conditions_in,
    forecast,
    planted_conditions,
)
from horsesense.profiling.controls import PlantedModel, planted_answers
from horsesense.profiling.document import ModelProfile, summary
from horsesense.profiling.from_answers import (
    Answers,
    Explained,
    Mistake,
    associations_of,
    bad_share,
    chat_effect_of,
    item_scores_of,
    ladder_of,
    mistakes_of,
    withheld_of,
)
from horsesense.profiling.item_scores import ItemScores
from horsesense.profiling.material import Material
from horsesense.profiling.verdicts import verdicts
from horsesense.progress import Progress, SumProgress
from horsesense.runs.ask import ask
from horsesense.runs.ask_models import content_of
from horsesense.runs.engine import ComputeSettings
from horsesense.runs.manifest import manifest_path, read_manifest
from horsesense.runs.probe_answers import ProbeAnswers, merge_steps
from horsesense.runs.shards import SERVED, sizes
from horsesense.runs.store import is_finished, run_of_profile
from horsesense.scoring.prompt_formats import first_supported, get_prompt_format
from horsesense.settings import labelled

LADDERS = "ladders"
"""Folder of the answers to ladders."""
MISTAKES = 4
"""Shown for each ability."""
_Answered = tuple[Condition, ProbeAnswers]


@dataclass(frozen=True, slots=True)
class ProfileCall:
    """One model of a call, and how it is asked."""

    name: str
    model: str | Path | Model
    edition: Edition
    folder: Path | None
    spec: ScoringSpec
    served: ServedSettings | None
    compute: ComputeSettings
    """With the engine itself, so that models share its workers."""
    adaptive: bool
    """Whether an ability is asked no further once its verdict is decided."""
    ladders: bool
    """Whether the ladders are asked after the abilities."""
    progress: Progress


def profile_model(
    call: ProfileCall,
    control: PlantedModel | None,
    materials: Sequence[Material],
    by: Mapping[str, Explained],
    readings: Mapping[str, LabelQuality | None],
) -> tuple[ModelProfile, list[ItemScores]]:
    """Ask one model, and judge it; a planted ``control`` is computed."""

    def scores_of(answers: Mapping[str, Answers]) -> list[ItemScores]:
        names = [(each, each.ability.name) for each in materials]
        return [item_scores_of(call.name, m, answers[n], by[n], bad_share(readings[n])) for m, n in names]

    ahead: Forecast | None = None
    note = ""
    answers: Mapping[str, Answers]
    if control is not None:
        plan = _plan(call, materials)
        answers = planted_answers(control, call.name, plan)
    elif call.adaptive:
        answers, ahead, note = _asked_in_looks(call, materials, scores_of)
    else:
        answers, ahead = _asked(call, materials)
    scores = scores_of(answers)
    mistakes: list[Mistake] = []
    ladder, associations = None, None
    for each in materials:
        ability, own = each.ability, answers[each.ability.name]
        ladder = ladder_of(own) or ladder
        associations = associations_of(each, own) or associations
        if control is None:
            mistakes += mistakes_of(ability, own, MISTAKES)
    call.progress.log(f"{call.name}: all questions are answered; computing the verdicts")
    found = verdicts(scores)
    effects, moved = _planted_cues(answers)
    first = next(iter(answers[materials[0].ability.name].values()))
    withheld = (withheld_of(each, answers[each.ability]) for each in scores)
    profiled = ModelProfile(
        model=call.name,
        summary=summary(found, known()),
        verdicts=found,
        ladder=ladder,
        associations=associations,
        planted_cues=effects,
        moved_by_cues=moved,
        withheld=tuple(each for each in withheld if each is not None),
        chat=chat_effect_of(scores, answers),
        mistakes=tuple(mistakes),
        asked=_how(first) + note,
        weights=first.part.model.weights,
        forecast=ahead,
    )
    return profiled, scores


def ladders_of(calls: Sequence[ProfileCall]) -> LadderResults | None:
    """Find the thresholds of models on the ladders whose keys are logic; they change no verdict."""
    ladders = {name: build_ladder(name) for name in LOGICAL}
    found = []
    for call, name in product(calls, ladders):
        call.progress.log(f"{call.name}: the ladder {name}")
        try:
            found += thresholds_of_model(
                call.model,
                {name: ladders[name]},
                None if call.folder is None else call.folder / LADDERS / name,
                spec=call.spec,
                compute=call.compute,
                served=call.served,
                progress=call.progress,
            )
        except TooFewAnswersError as problem:
            call.progress.log(f"{call.name} has no threshold on {name}: {problem}")
    return LadderResults(tuple(found), compare_thresholds(found), 0) if found else None


def _plan(call: ProfileCall, materials: Sequence[Material], prompt_format: str = "loglikelihood") -> list[Condition]:
    """Return everything that a model is asked."""
    own = (each for m in materials for each in conditions(m, call.edition, prompt_format))
    return [*own, *planted_conditions(materials, call.edition, prompt_format)]


def _ladders(prompt_format: str) -> list[Condition]:
    """Return as many questions of the ladders as may be asked, for the forecast: those of the longest levels."""
    found = []
    for name in LOGICAL:
        first, rest = split_stages(build_ladder(name))
        longest = sorted(rest.values(), key=lambda level: sum(len(item.text) for item in level.items))[-AROUND:]
        probe = Probe.of([*first.items, *(item for level in longest for item in level.items)], first.card)
        found.append(Condition(name, "ladder", name, probe, (prompt_format,)))
    return found


def _planted_cues(answers: Mapping[str, Answers]) -> tuple[tuple[PlantedEffect, ...], MovedByCues | None]:
    """Estimate what share of the answers planted cues move; None if no cue could be planted."""
    planted = [each for own in answers.values() for (role, _), each in own.items() if role == "planted"]
    effects, moved, _ = effects_in(planted, PLANTED)
    return effects, moved[0] if moved else None


def _how(answered: ProbeAnswers) -> str:
    model = answered.part.model
    if model.kind == "control":
        return model.frame
    if answered.format in ("letters", "generate"):
        how = "by letters" if answered.format == "letters" else "by replies"
        return f"{how}; {answered.part.asked}"
    frame = f"; special tokens: {model.frame}" if model.frame else ""
    unused = "; its chat template is not used" if model.chat_template else ""
    return f"by likelihood of the options, {model.dtype}{frame}{unused}"


def _asked(call: ProfileCall, materials: Sequence[Material]) -> tuple[dict[str, Answers], Forecast | None]:
    """The answers of a model by ability; what is kept is not asked again, and a model is loaded only if it has to."""

    for prompt_format in ("loglikelihood", "letters", "generate"):
        plan = _plan(call, materials, prompt_format)
        if _all_kept(call, plan):
            found = _run_all(call, call.model, plan)
            return _collected([*found, *_in_chat(call, call.model, materials, found)]), None
    model, prompt_format, ahead = _ready(call, materials)
    if ahead is not None:
        call = replace(call, progress=SumProgress(call.progress, call.name, ahead.tokens, "tokens"))
    found = _run_all(call, model, _plan(call, materials, prompt_format))
    return _collected([*found, *_in_chat(call, model, materials, found)]), ahead


def _in_chat(
    call: ProfileCall, model: str | Path | Model, materials: Sequence[Material], found: Sequence[_Answered]
) -> list[_Answered]:
    """Ask some questions again in the chat template of a local model that was asked in plain text."""
    first = found[0][1]
    templated = first.part.model.chat_template and first.format not in ("letters", "generate")
    return _run_all(call, model, list(chat_conditions(materials, call.edition))) if templated else []


def _ready(call: ProfileCall, materials: Sequence[Material]) -> tuple[str | Path | Model, str, Forecast | None]:
    """The model to ask, its prompt format, and a forecast; workers load a local model by themselves, without one."""
    if (
        call.compute.chosen_engine().remote
        and isinstance(call.model, str | Path)
        and not is_served(labelled(str(call.model))[1])
    ):
        questions = _questions(_plan(call, materials))
        call.progress.log(f"{call.name}: {questions:,} questions for the workers; how fast they are shows as they work")
        return call.model, "loglikelihood", None
    model = _loaded(call)
    chosen, skipped = first_supported(model, call.spec)
    if skipped:
        call.progress.log(f"{call.name}: profiled by {chosen.name} ({skipped})")
    plan = _supported(model, _plan(call, materials, chosen.name))
    if isinstance(model, LanguageModel) and model.can("chat"):
        plan += chat_conditions(materials, call.edition)
    plan += _ladders(chosen.name) if call.ladders else []
    rest = [each for each in plan if not _all_kept(call, [each])]
    device = call.compute.device if isinstance(model, LanguageModel) else SERVED
    folder = None if call.folder is None else run_of_profile(call.folder)
    budget = sizes(folder, device, call.compute.batch_tokens)[0]
    price = None if call.served is None else call.served.price
    ahead = forecast(model, rest, call.spec, budget, price, call.progress)
    kept = f", {len(plan) - len(rest)} of {len(plan)} parts are kept already" if len(rest) < len(plan) else ""
    most = ", if no verdict is decided before the end" if call.adaptive else ""
    call.progress.log(f"{ahead.in_words()}{most}{kept}")
    if isinstance(model, ServedModel):
        model.client.forecast_logged = True
    return model, chosen.name, ahead


def _asked_in_looks(
    call: ProfileCall, materials: Sequence[Material], scores_of: Callable[[Mapping[str, Answers]], list[ItemScores]]
) -> tuple[dict[str, Answers], Forecast | None, str]:
    """Ask every ability until its verdict is decided. Each look is a part of the run, so that a stopped one resumes."""
    model, prompt_format, ahead = _ready(call, materials)
    shares = {each.ability.name: LOOKS[0] for each in materials}
    planted = list(planted_conditions(materials, call.edition, prompt_format))
    base = {each.name: each for each in planted}
    asked: dict[str, set[str]] = {}
    parts: list[ProbeAnswers] = []
    inside: list[_Answered] = []
    answers: dict[str, Answers] = {}
    questions = 0
    for number, share in enumerate(LOOKS, 1):
        plan = list(planted) if number == 1 else []
        for each in (m for m in materials if shares[m.ability.name] == share):
            group = each.pool.card.group
            halves = [
                [item.unit(group) for item in half.items] for half in (each.frozen, each.twin) if half is not None
            ]
            clusters = {name for half in halves for name in asked_clusters(half, share)}
            for condition in conditions_in(clusters, each, call.edition, prompt_format):
                name, before = condition.name, asked.setdefault(condition.name, set())
                left = [item for item in condition.probe.items if item.id not in before]
                if left:
                    base[name] = condition
                    before |= {item.id for item in left}
                    step = f"{name}.step-{number}"
                    probe = Probe.of(left, replace(condition.probe.card, name=step))
                    plan.append(replace(condition, name=step, probe=probe))
        questions += _questions(plan)
        found = _run_all(call, model, plan)
        parts += [part for _, part in found]
        inside = inside or _in_chat(call, model, materials, found)
        answers = _collected([*((base[part.part.probe.name], part) for part in merge_steps(parts)), *inside])
        done = decided(scores_of(answers), shares)
        following = LOOKS[min(number, len(LOOKS) - 1)]
        shares = {n: following if s == share and n not in done else s for n, s in shares.items()}
        still = sum(s > share for s in shares.values())
        call.progress.log(f"{call.name}: look {number}, {still} of {len(shares)} abilities are open")
        if not still:
            break
    whole = _questions(_plan(call, materials, prompt_format))
    return answers, ahead, f"; adaptive, {questions:,} of {whole:,} questions"


def _supported(model: str | Path | Model, plan: Sequence[Condition]) -> list[Condition]:
    """Leave the letters out for a loaded model that does not support them, such as an object with likelihoods only."""
    letters = isinstance(model, str | Path) or model.can(get_prompt_format("letters").needs)
    return [each for each in plan if letters or each.role != "letters"]


def _questions(plan: Iterable[Condition]) -> int:
    return sum(len(each.probe.items) * len(each.ways) for each in plan)


def _loaded(call: ProfileCall) -> Model:

    if not isinstance(call.model, str | Path):
        return call.model
    how = call.compute
    return load_model(
        str(call.model),
        model_type=how.model_type,
        device=how.device,
        dtype=call.spec.dtype,
        allow_pickle=how.allow_pickle,
        served=call.served,
        progress=call.progress,
    )


def _run_all(call: ProfileCall, model: str | Path | Model, plan: Sequence[Condition]) -> list[_Answered]:
    """Ask all of a plan, probes of the same ways together; each condition with its answers."""

    groups: dict[tuple[tuple[str, ...], Variant], list[Condition]] = {}
    for each in _supported(model, plan):
        groups.setdefault((each.ways, each.variant), []).append(each)
    found = []
    settings: dict[str, Any] = {"compute": call.compute, "served": call.served, "progress": call.progress}
    for (ways, variant), group in groups.items():
        probes = {each.name: each.probe for each in group}
        run = None if call.folder is None else run_of_profile(call.folder, variant)
        spec = group[0].spec(call.spec)
        answered = ask(model, probes, out=run, spec=spec, formats=ways, **settings).answered
        by_name = {each.name: each for each in group}
        found += [(by_name[part.part.probe.name], part) for part in answered]
    return found


def _collected(found: Sequence[_Answered]) -> dict[str, Answers]:
    answers: dict[str, dict[Any, ProbeAnswers]] = {}
    for condition, answered in found:
        answers.setdefault(condition.ability, {})[condition.role, answered.format] = answered
    return dict(answers)


def _all_kept(call: ProfileCall, plan: Sequence[Condition]) -> bool:
    """Whether all answers of a plan are stored."""

    if call.folder is None:
        return False
    runs = {each.variant: run_of_profile(call.folder, each.variant) for each in plan}
    if not all(manifest_path(run).is_file() for run in runs.values()):
        return False
    manifests = {variant: read_manifest(run) for variant, run in runs.items()}
    for each in plan:
        run = runs[each.variant]
        for way in each.ways:
            part = manifests[each.variant].part(call.name, each.name, way)
            if part is None or part.probe.content != content_of(each.probe.items) or not is_finished(run, part):
                return False
    return True
