"""The profile: all methods' own material asked of models, one page: common sense or clever Hans?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horsesense.api.probes import PathLike
from horsesense.api.profile_asking import ProfileCall
from horsesense.errors import UserError, argument, translate_errors, unknown
from horsesense.profiling.document import ProfileDocument
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.core.audit import Soundness
    from horsesense.cues.artefact_control import ChosenCue
    from horsesense.models.api import ServedSettings
    from horsesense.models.protocol import Model
    from horsesense.profiling.abilities import Edition
    from horsesense.profiling.document import ModelProfile
    from horsesense.profiling.material import Material
    from horsesense.profiling.plan import Forecast
    from horsesense.profiling.sheet import Sheet
    from horsesense.profiling.sheets import Answers, Mistake
    from horsesense.runs.engine import Engine
    from horsesense.runs.results import Answered

MISTAKES = 4
"""Shown for each ability."""


@dataclass(frozen=True)
class Profile(ProfileDocument):
    """What was found, with the page, the picture and the text that show it."""

    def write(self, folder: PathLike, *, pictures: bool = True, progress: Progress = NO_PROGRESS) -> Profile:
        """Write the page, the grid as SVG and PNG, Markdown and JSON into a folder; where they are."""
        from horsesense.report.profile_page import write_profile

        return Profile.of(write_profile(self, Path(folder), pictures, progress))

    @classmethod
    def of(cls, document: ProfileDocument) -> Profile:
        """The same, to be shown."""
        return cls(**{each.name: getattr(document, each.name) for each in fields(document)})

    def to_markdown(self) -> str:
        """The profile as a text for a model card."""
        from horsesense.report.profile_markdown import markdown

        return markdown(self)

    def _repr_html_(self) -> str:
        from horsesense.report.profile_grid import grid_svg

        return grid_svg(self)

    def __repr__(self) -> str:
        from horsesense.report.profile_wording import only_a_part

        said = (sentence for model in self.models for sentence in model.summary)
        return "\n".join(filter(None, (only_a_part(self), *said)))


@translate_errors()
def profile(
    model: str | Path | Model | Sequence[str | Path | Model],
    *,
    edition: Edition = "quick",
    out: PathLike | None = None,
    abilities: Sequence[str] = (),
    limit: int | None = None,
    twin_seed: int = 0,
    device: str = "auto",
    dtype: str = "float32",
    served: ServedSettings | None = None,
    engine: str | Engine = "here",
    pictures: bool = True,
    progress: Progress = NO_PROGRESS,
) -> Profile:
    """Common sense or clever Hans? Ask models the material of all methods and judge each ability by stated rules.

    Args:
        model: One or several: names, folders, servers, or what `load_model` gave; ``"guesser"`` and ``"cue-reader"``
            are two that are none, to see what a profile says of them.
        edition: ``"quick"`` or ``"full"``: how many of the frozen questions and of their twins are asked.
        out: A folder that keeps the answers, goes on where it was stopped, and gets page, picture, Markdown and JSON.
        abilities: Look at these alone; by default at all.
        limit: Ask at most so many families of each half; the figures are then not those of the version.
        twin_seed: Draws the twins: never published, and anew with another seed.
        device: Where models by name are put.
        dtype: What their layers compute in.
        served: How servers are asked, with the price for the forecast.
        engine: Where models are asked: ``"here"``, ``"ray"``, ``"ray:ADDRESS"``, or what `engine` gave. Workers give
            the same answers; how long they will take is not foretold.
        pictures: Write the grid as PNG too, where the library that draws it is there.
        progress: Told what it will take, and how far it has come.

    Returns:
        All that was found; ``write(folder)``, ``to_markdown()``, ``to_json()``.
    """
    from horsesense import __version__
    from horsesense.api.models import named
    from horsesense.models.locate import look_at
    from horsesense.profiling.abilities import EDITIONS, chosen
    from horsesense.profiling.document import described
    from horsesense.profiling.material import VERSION, material
    from horsesense.profiling.sheets import cue_of
    from horsesense.profiling.verdicts import differences
    from horsesense.runs.folder import profiling
    from horsesense.settings import labelled

    if edition not in EDITIONS:
        raise unknown("edition", edition, EDITIONS)
    if limit is not None and limit < 1:
        raise UserError(f"{argument('limit')} {limit} leaves nothing to ask", fix="use 1 or more")
    several = [model] if isinstance(model, str | Path) or not isinstance(model, Sequence) else list(model)
    names, where = _distinct(several), named(engine)
    for each in several:
        if isinstance(each, str | Path):  # before the questions are built, which takes a while
            look_at(labelled(str(each))[1])
    wanted = chosen(abilities)
    folder = None if out is None else Path(out)
    with nullcontext() if folder is None else profiling(folder):  # before anything is built or loaded
        taxonomy = _taxonomy()
        materials, cues, readings = [], {}, {}
        for number, ability in enumerate(wanted):
            progress.update("questions", number, len(wanted))
            asked = material(ability, edition, twin_seed, limit, progress)
            materials.append(asked)
            cues[ability.name] = cue_of(asked, taxonomy)
            readings[ability.name] = _reading(asked)
        found: list[ModelProfile] = []
        sheets: dict[str, list[Sheet]] = {}
        for name, each in zip(names, several, strict=True):
            call = ProfileCall(name, each, edition, folder, device, dtype, served, where, progress)
            one, own = _profiled(call, materials, cues, readings)
            found.append(one)
            sheets[name] = own
        told = {name: reading.in_words() if reading else "" for name, reading in readings.items()}
        document = Profile(
            version=VERSION,
            edition=edition,
            complete=limit is None and not abilities,
            twin_seed=twin_seed,
            horsesense=__version__,
            abilities=tuple(
                described(m, " or ".join(cues[m.ability.name].picks), told[m.ability.name]) for m in materials
            ),
            models=tuple(found),
            differences=differences(sheets) if len(sheets) > 1 else (),
        )
        return document if folder is None else document.write(folder, pictures=pictures, progress=progress)


def _distinct(models: Sequence[str | Path | Model]) -> list[str]:
    """What the models are called; each name once."""
    from horsesense.settings import labelled

    names = [
        labelled(each)[0] if isinstance(each, str) else str(each) if isinstance(each, Path) else each.name
        for each in models
    ]
    if not names:
        raise UserError("no model is named", fix=f"give {argument('model', 'NAME')}")
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"two models are called {name!r}", fix="give each a label of its own: label=NAME")
    return names


def _profiled(
    call: ProfileCall,
    materials: Sequence[Material],
    cues: Mapping[str, ChosenCue],
    readings: Mapping[str, Soundness | None],
) -> tuple[ModelProfile, list[Sheet]]:
    """Ask one model, and judge it."""
    from horsesense.api.profile_asking import asked
    from horsesense.profiling.abilities import LADDER
    from horsesense.profiling.abilities import abilities as known
    from horsesense.profiling.document import ModelProfile, summary
    from horsesense.profiling.plan import askings
    from horsesense.profiling.reference_models import REFERENCES, referring
    from horsesense.profiling.sheets import associations_of, bad_share, ladder_of, mistakes_of, sheet_of
    from horsesense.profiling.verdicts import verdicts

    forecast: Forecast | None = None
    answers: Mapping[str, Answers]
    if call.name in REFERENCES:
        answers = referring(call.name, [each for m in materials for each in askings(m, call.edition)], cues)
    else:
        answers, forecast = asked(call, materials)
    sheets: list[Sheet] = []
    mistakes: list[Mistake] = []
    ladder, associations = None, None
    for each in materials:
        ability, own = each.ability, answers[each.ability.name]
        sheets.append(sheet_of(call.name, each, own, cues[ability.name], bad_share(readings[ability.name])))
        ladder = ladder_of(own) if ability.recipe == LADDER else ladder
        associations = associations_of(own, each.pool.card.group) or associations
        if call.name not in REFERENCES:
            mistakes += mistakes_of(ability, own, MISTAKES)
    call.progress.log(f"{call.name}: all answers are there; the verdicts are worked out")
    found = verdicts(sheets)
    first = next(iter(answers[materials[0].ability.name].values()))
    profiled = ModelProfile(
        model=call.name,
        summary=summary(found, known()),
        verdicts=found,
        ladder=ladder,
        associations=associations,
        mistakes=tuple(mistakes),
        asked=_how(first),
        weights=first.part.model.weights,
        forecast=forecast,
    )
    return profiled, sheets


def _how(answered: Answered) -> str:
    model = answered.part.model
    if model.kind == "control":
        return model.frame
    told = f"by likelihood of the options, {model.dtype}" if answered.format != "letters" else "by letters"
    return f"{told}; {model.frame}" if model.frame else told


def _reading(material: Material) -> Soundness | None:
    """What a blind reading found of such items: of these very ones, or of another draw of the same recipe."""
    from horsesense.annotate.audit.stored import kept_reading

    return material.pool.card.soundness or (
        kept_reading(material.ability.reading) if material.ability.reading else None
    )


def _taxonomy() -> Any:
    """Where words stand in WordNet; without it other cues would be the best ones, and another page."""
    from horsesense.lexicons.taxonomy import load_taxonomy
    from horsesense.lexicons.wordnet_source import find_wordnet

    folder = find_wordnet()
    if folder is None:
        raise UserError("a profile looks for cues in WordNet, which is not here", fix="run: horsesense fetch wordnet")
    return load_taxonomy(folder)
