"""The whole procedure for one model (winoventi.txt, 2): its steps in a folder, each done once.

Each step reads the file that the previous one wrote. People's judgements are in the folder too (`people`) and change
the steps after them. A step without input leaves an empty table: then people have to work first.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from horsesense.core import card_path, write_probe
from horsesense.data import disk_errors, write_file
from horsesense.errors import UserError, argument
from horsesense.methods.winoventi.adversarial_filter import adversarial_triplets
from horsesense.methods.winoventi.associations import Association, drop_nonsense, read_associations, write_associations
from horsesense.methods.winoventi.builder import build_winoventi
from horsesense.methods.winoventi.checks import count_objections
from horsesense.methods.winoventi.circumstances import CIRCUMSTANCES, TYPES
from horsesense.methods.winoventi.elicitation import ask_associations, rank_and_cut, spellable
from horsesense.methods.winoventi.evaluation import Background, Evaluation, run_all, score_answers
from horsesense.methods.winoventi.exceptions import exceptions_of
from horsesense.methods.winoventi.people import apply_validation, people_file, prefer_people, read_validation
from horsesense.methods.winoventi.plan import ON_TRUST, LoadedModels, PipelinePlan
from horsesense.methods.winoventi.premises import check_premises, write_premises
from horsesense.methods.winoventi.schemas import (
    CheckedSchema,
    Triplet,
    read_schemas,
    read_triplets,
    write_schemas,
    write_triplets,
)
from horsesense.methods.winoventi.steps import Steps
from horsesense.methods.winoventi.word_relations import load_word_relations
from horsesense.models.api.address import is_served
from horsesense.models.locate import identity_named
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.ask_models import content_of
from horsesense.runs.store import locked
from horsesense.runs.tasks import Settings
from horsesense.settings import labelled

_NOUNS_AT_ONCE = 64
_ASSOCIATIONS = "associations.tsv"
VALIDATED, PROPOSED = "validated", "proposed"
KINDS = (VALIDATED, PROPOSED)
"""Kinds of schemas: validated by people or a stated judge, which give a headline; and proposed."""


@dataclass(frozen=True, slots=True)
class PipelineResult:
    """The results of a pipeline."""

    counts: dict[str, Any]
    """Yield of each step, and reasons."""
    probes: dict[str, Path]
    """Files of the probes ``validated`` and ``proposed``, if there are schemas of the kind."""
    evaluations: dict[str, Evaluation]
    """Evaluation of the model on each probe."""
    kept: list[Association]
    """Associations for people to find exceptions to."""
    triplets: list[Triplet]
    """Their exceptions, before the filter."""
    filtered: list[Triplet]
    """Triplets that pass the filter, for people to write premises for."""
    schemas: list[CheckedSchema]
    """Schemas with objections; those without are for people to validate."""


def run_pipeline(plan: PipelinePlan, folder: Path, progress: Progress = NO_PROGRESS) -> PipelineResult:
    """Run all steps; those with unchanged inputs are not repeated."""
    for name in plan.refuse_related():
        if not is_served(labelled(name)[1]):  # a server reports its model when it is first used
            progress.log(ON_TRUST.format(name=name))
    with locked(folder):
        pipeline = _Pipeline(plan, folder, progress)
        everything, selected = pipeline.associations()
        excepted, filtered = pipeline.triplets(selected)
        schemas = pipeline.schemas(filtered)
        counts = pipeline.counts(everything, selected, excepted, filtered, schemas)
        write_file(folder / "counts.json", json.dumps(counts, indent=2, ensure_ascii=False) + "\n")
        probes, evaluations = pipeline.evaluated(schemas)
        return PipelineResult(
            counts, probes, evaluations, _kept(selected), read_triplets(excepted), read_triplets(filtered), schemas
        )


def _kept(path: Path) -> list[Association]:
    return [each for each in read_associations(path) if each.kept]


class _Pipeline:
    """The steps of a pipeline, with their shared state."""

    def __init__(self, plan: PipelinePlan, folder: Path, progress: Progress) -> None:
        self.folder, self.progress = folder, progress
        self.steps = Steps(folder, progress.log)
        self.identity = identity_named(labelled(plan.model)[1])
        self._refuse_other_model(plan.model)
        self.steps.store_plan(plan.to_dict())
        answers = {
            stage: path for stage in ("exceptions", "premises") if (path := people_file(folder, stage)).is_file()
        }
        self.plan = replace(
            plan,
            exceptions=(*plan.exceptions, *(path for stage, path in answers.items() if stage == "exceptions")),
            premises=(*plan.premises, *(path for stage, path in answers.items() if stage == "premises")),
        )
        self.models = LoadedModels(plan, folder, progress)
        self.nouns = {noun.word: noun for noun in plan.nouns}

    def _refuse_other_model(self, model: str) -> None:
        """Refuse the folder of another model: its associations would mix with people's judgements of these.

        The same model may have another name.
        """
        earlier = str(self.steps.plan.get("model", model))
        if earlier == model or not (self.folder / _ASSOCIATIONS).is_file():
            return
        try:
            same = identity_named(labelled(earlier)[1]) == self.identity
        except UserError:  # the earlier model does not exist any more
            same = False
        if not same:
            raise UserError(
                f"the folder holds the pipeline of {earlier}, and not of {model}",
                file=self.folder,
                fix=f"choose another {argument('out')}, or give {argument('model', earlier)}",
            )

    def associations(self) -> tuple[Path, Path]:
        """Step 1: all associations, and those left after nonsense, perplexity and knee."""
        plan = self.plan
        elicited = [asdict(noun) for noun in plan.nouns], asdict(plan.elicitation)
        inputs = [self.identity, *map(json.dumps, elicited)]
        everything = self.steps.do("1 associations", _ASSOCIATIONS, inputs, self._associate)

        def select(path: Path, made_from: str) -> None:
            associations = read_associations(everything)
            judged = associations if plan.elicitation.literal else drop_nonsense(associations, load_word_relations())
            asked = self.models.asked(plan.ranker) if plan.ranker != "none" else nullcontext()
            with asked as ranker:
                selection = rank_and_cut(judged, self.nouns, ranker, plan.elicitation, self.progress)
            write_associations(path, selection.associations)

        ranker = plan.ranker if plan.ranker == "none" else self.models.who(plan.ranker)
        selected = self.steps.do("1 ranking and knee", "selection.tsv", [everything, ranker], select)
        if not _kept(selected):
            raise UserError("no association is left after ranking", file=selected, fix="give more nouns")
        return everything, selected

    def _associate(self, path: Path, made_from: str) -> None:
        plan = self.plan
        with self.models.asked(plan.model) as model:
            known, strange = spellable(model, plan.nouns, plan.elicitation.spec)
            for noun in strange:
                self.progress.log(f"the tokenizer of {plan.model} cannot spell {noun.word!r}; it is not asked about")

            def part(start: int, end: int) -> list[Any]:
                by_noun = ask_associations(model, known[start:end], plan.elicitation)
                self.progress.update("associations", end, len(known))
                return [asdict(each) for associations in by_noun for each in associations]

            rows = list(self.steps.in_parts("associations", made_from, len(known), _NOUNS_AT_ONCE, part))
        write_associations(path, [Association(**row) for row in rows])

    def triplets(self, selected: Path) -> tuple[Path, Path]:
        """Steps 2 and 3: exceptions, and the triplets that pass the adversarial filter."""
        plan = self.plan
        files = [*plan.exceptions, *plan.texts, *([plan.conceptnet] if plan.conceptnet else [])]
        excepted = self.steps.do(
            "2 exceptions",
            "exceptions.tsv",
            [selected, *files, CIRCUMSTANCES, TYPES, str(plan.most), *self._others()],
            lambda path, _: write_triplets(
                path, prefer_people(exceptions_of(plan, _kept(selected), self.nouns, self.models, self.progress))
            ),
        )
        self.models.drop()  # runs load their own models
        filtered = self.steps.do(
            "3 adversarial filter",
            "filtered.tsv",
            [excepted, self.identity],
            lambda path, made_from: write_triplets(
                path,
                adversarial_triplets(
                    plan, read_triplets(excepted), self.nouns, self._run_folder(made_from), self.progress
                ),
            ),
        )
        return excepted, filtered

    def _others(self) -> tuple[str, str]:
        """Return the identities of writer and judge."""
        writer, judge = self.plan.writer, self.plan.judge
        return self.models.who(writer) if self.plan.writes_by_model else writer, self.models.who(judge) if judge else ""

    def schemas(self, filtered: Path) -> list[CheckedSchema]:
        """Steps 4 to 6: premises, their checks, and people's validation."""
        plan = self.plan
        written = self.steps.do(
            "4 premises",
            "premises.tsv",
            [
                filtered,
                *plan.premises,
                CIRCUMSTANCES,
                TYPES,
                *self._others()[:1],
                *map(str, (plan.write, plan.samples, plan.seed)),
            ],
            lambda path, made_from: write_schemas(
                path,
                write_premises(
                    plan, read_triplets(filtered), self.nouns, self.models, self.steps, made_from, self.progress
                ),
            ),
        )
        checked = self.steps.do(
            "5 checks",
            "checked.tsv",
            [written, plan.ranker, plan.entailment, plan.vectors, str(plan.least)],
            lambda path, _: write_schemas(
                path, check_premises(plan, read_schemas(written)[0], self.nouns, self.models)
            ),
        )
        here = people_file(self.folder, "validation")
        judged = (*plan.validated, *([here] if here.is_file() else []))
        schemas = self.steps.do(
            "6 validation",
            "schemas.tsv",
            [checked, *judged],
            lambda path, _: write_schemas(path, apply_validation(read_schemas(checked)[0], read_validation(judged))),
        )
        return read_schemas(schemas)[0]

    def counts(
        self, everything: Path, selected: Path, excepted: Path, filtered: Path, schemas: list[CheckedSchema]
    ) -> dict[str, Any]:
        """Count the yield of each step."""
        dropped = (each.reason for each in read_associations(selected) if not each.kept)
        triplets = read_triplets(excepted)
        return {
            "nouns": len(self.plan.nouns),
            "associations": len(read_associations(everything)),
            "kept": len(_kept(selected)),
            "left_out": dict(Counter(dropped).most_common()),
            "triplets": len(triplets),
            "origins": dict(Counter(each.origin for each in triplets).most_common()),
            "filtered": len(read_triplets(filtered)),
            "schemas": dict(Counter(_writer(checked) for checked in schemas)),
            "objections": dict(count_objections(schemas)),
            "passing": dict(Counter(_writer(checked) for checked in schemas if checked.passes)),
            "validated": dict(Counter(_writer(each) for each in schemas if each.passes and each.schema.validated)),
        }

    def evaluated(self, schemas: list[CheckedSchema]) -> tuple[dict[str, Path], dict[str, Evaluation]]:
        """Write a probe of each kind that has schemas, and evaluate the model on it."""
        probes, evaluations = {}, {}
        self.models.drop()
        settings = Settings(spec=self.plan.elicitation.spec, device=self.plan.device, served=self.plan.served)
        for kind in KINDS:
            path = self.folder / f"{kind}.jsonl"
            chosen = [each for each in schemas if each.passes and each.schema.validated == (kind == VALIDATED)]
            if not chosen:
                self._remove(path)
                self.steps.record_run(kind, None)
                continue
            probe = build_winoventi(chosen, machine=None, literal=self.plan.elicitation.literal)
            probes[kind] = path
            write_probe(path, probe)
            self.steps.record_file(path)
            folder = self._run_folder(content_of(probe.items))
            answered = run_all([self.plan.model], probe, folder, settings, self.progress)
            (evaluations[kind],) = score_answers(answered, Background(lexicon=load_word_relations()))
            self.steps.record_run(kind, folder)
        return probes, evaluations

    def _remove(self, probe: Path) -> None:
        """Remove the probe of an earlier call, whose schemas are no longer in ``schemas.tsv``."""
        if not self.steps.is_unchanged(probe):
            return
        with disk_errors(probe):
            probe.unlink()
            card_path(probe).unlink(missing_ok=True)
        self.progress.log(f"{probe.name} is removed: no schema of its kind is left")

    def _run_folder(self, made_from: str) -> Path:
        """Return the run folder for these inputs."""
        return self.folder / "asked" / made_from[:12]


def _writer(checked: CheckedSchema) -> str:
    schema = checked.schema
    return f"{schema.origin} ({schema.annotator})" if schema.origin == "machine" else schema.origin
