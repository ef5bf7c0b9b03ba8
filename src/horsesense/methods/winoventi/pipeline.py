"""The whole procedure for one model (section 2): its steps in a folder, each done once.

Each step reads the file that the previous one wrote. People's judgements are in the folder too (`people`) and change
the steps after them. A step without input leaves an empty table: then people have to work first. In the paper people
write premises (2.5). Here a table does (`circumstances`), or a model unrelated to the tested one (`writer_and_judge`).
Both are proposals.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from horsesense.core import Card, Probe, card_path, write_probe
from horsesense.data import disk_errors, read_text, write_file
from horsesense.data.store import occupied
from horsesense.errors import UserError, argument
from horsesense.methods.winoventi.associations import Association, drop_nonsense, read_associations, write_associations
from horsesense.methods.winoventi.builder import build_winoventi
from horsesense.methods.winoventi.checks import (
    check_entailment,
    check_grammar,
    check_meaning,
    check_schema,
    count_objections,
)
from horsesense.methods.winoventi.circumstances import (
    CIRCUMSTANCES,
    TABLE,
    TYPES,
    from_circumstances,
    load_circumstances,
    wording_objections,
)
from horsesense.methods.winoventi.elicitation import ask_associations, rank_and_cut, spellable
from horsesense.methods.winoventi.evaluation import Background, Evaluation, run_all, score_answers
from horsesense.methods.winoventi.exceptions import exceptions_of
from horsesense.methods.winoventi.measures import PRIOR, preferring_generic, prior_item
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.people import (
    apply_validation,
    people_file,
    people_schemas,
    prefer_people,
    read_validation,
)
from horsesense.methods.winoventi.plan import ON_TRUST, PipelineContext, PipelinePlan, Steps
from horsesense.methods.winoventi.schemas import (
    CheckedSchema,
    Schema,
    Triplet,
    parse_premise,
    read_schemas,
    read_triplets,
    write_schemas,
    write_triplets,
)
from horsesense.methods.winoventi.word_relations import load_word_relations
from horsesense.methods.winoventi.writer_and_judge import write_premise_pairs
from horsesense.models.api.address import is_served
from horsesense.models.lineage import lineage_named
from horsesense.models.locate import identity_named
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.ask_models import ask_models, content_of
from horsesense.runs.probe_answers import read_run
from horsesense.runs.store import locked
from horsesense.settings import labelled

_NOUNS_AT_ONCE = 64
_TRIPLETS_AT_ONCE = 10
_ASSOCIATIONS, _SELECTION = "associations.tsv", "selection.tsv"
_FILTERED = "filtered.tsv"
_FILTERS = ("exceptions", "premises")
_LEFT_OUT = "{step}-left-out.json"
KINDS = ("validated", "proposed")
"""Kinds of schemas: validated by people or a stated judge, which give a headline; and proposed."""


@dataclass(frozen=True, slots=True)
class StepCounts:
    """Yield of each step, and reasons."""

    nouns: int
    associations: int
    kept: int
    """Number of associations left after ranking."""
    left_out: Mapping[str, int]
    """Number of dropped associations by reason."""
    triplets: int
    """Number of triplets with an exception."""
    exceptions_left_out: Mapping[str, int]
    """Number of candidates for exceptions that were left out, by reason."""
    origins: Mapping[str, int]
    """Number of exceptions by origin."""
    filtered: int
    """Number of triplets that pass the adversarial filter."""
    schemas: Mapping[str, int]
    """Number of schemas by author."""
    premises_left_out: Mapping[str, int]
    """Number of triplets and frames that were left out when premises were written, by reason."""
    objections: Mapping[str, int]
    """Number of schemas by objection."""
    passing: Mapping[str, int]
    """Number of schemas without objections, by author."""
    validated: Mapping[str, int]
    """Number of validated schemas, by author."""


@dataclass(frozen=True, slots=True)
class PipelineResult:
    """The results of a pipeline."""

    counts: StepCounts
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
        write_file(folder / "counts.json", json.dumps(asdict(counts), indent=2, ensure_ascii=False) + "\n")
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
        exceptions, premises = (
            (path,) if (path := people_file(folder, stage)).is_file() else () for stage in ("exceptions", "premises")
        )
        self.plan = replace(plan, exceptions=(*plan.exceptions, *exceptions), premises=(*plan.premises, *premises))
        self.models = PipelineContext(self.plan, folder, progress)

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
            other = f"the pipeline of {earlier}, and not of {model}"
            raise occupied(self.folder, other, f", or give {argument('model', earlier)}")

    def associations(self) -> tuple[Path, Path]:
        """Step 1: all associations, and those left after nonsense, perplexity and knee."""
        plan = self.plan
        elicited = [asdict(noun) for noun in plan.nouns], asdict(plan.elicitation)
        inputs = [self.identity, *map(json.dumps, elicited)]
        everything = self.steps.do("1 associations", _ASSOCIATIONS, inputs, self._associate)

        def select(path: Path, made_from: str) -> None:
            associations = read_associations(everything)
            judged = associations if plan.elicitation.as_paper else drop_nonsense(associations, load_word_relations())
            asked = self.models.asked(plan.ranker) if plan.ranker != "none" else nullcontext()
            with asked as ranker:
                selection = rank_and_cut(judged, self.models.nouns, ranker, plan.elicitation, self.progress)
            write_associations(path, selection.associations)

        ranker = plan.ranker if plan.ranker == "none" else self.models.who(plan.ranker)
        selected = self.steps.do("1 ranking and knee", _SELECTION, [everything, ranker], select)
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
        files = [*plan.exceptions, *plan.texts, *plan.conceptnet]
        excepted = self.steps.do(
            "2 exceptions",
            "exceptions.tsv",
            [selected, *files, CIRCUMSTANCES, TYPES, str(plan.most), *self._others()],
            self._except,
        )
        self.models.drop()  # runs load their own models
        filtered = self.steps.do(
            "3 adversarial filter",
            _FILTERED,
            [excepted, self.identity],
            lambda path, made_from: write_triplets(
                path, adversarial_triplets(self.models, read_triplets(excepted), self._run_folder(made_from))
            ),
        )
        return excepted, filtered

    def _except(self, path: Path, made_from: str) -> None:
        triplets, left_out = exceptions_of(self.models, _kept(self.folder / _SELECTION))
        preferred = prefer_people(triplets)
        left_out |= {"people gave others to the association": len(triplets) - len(preferred)}
        write_triplets(path, preferred)
        self._store_left_out("exceptions", left_out)

    def _store_left_out(self, step: str, left_out: Mapping[str, int]) -> None:
        """Store and log how many candidates of a step were left out, by reason."""
        counts = {what: count for what, count in left_out.items() if count}
        write_file(self.folder / _LEFT_OUT.format(step=step), json.dumps(counts, indent=2, ensure_ascii=False) + "\n")
        for what, count in counts.items():
            self.progress.log(f"{step} left out: {what}: {count:,}")

    def _left_out(self, step: str) -> dict[str, int]:
        path = self.folder / _LEFT_OUT.format(step=step)
        return dict(json.loads(read_text(path))) if path.is_file() else {}

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
            self._premises,
        )
        checked = self.steps.do(
            "5 checks",
            "checked.tsv",
            [written, plan.ranker, plan.entailment, plan.vectors, str(plan.least)],
            lambda path, _: write_schemas(path, check_premises(self.models, read_schemas(written)[0])),
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

    def _premises(self, path: Path, made_from: str) -> None:
        schemas, left_out = write_premises(self.models, read_triplets(self.folder / _FILTERED), self.steps, made_from)
        write_schemas(path, schemas)
        self._store_left_out("premises", left_out)

    def counts(
        self, everything: Path, selected: Path, excepted: Path, filtered: Path, schemas: list[CheckedSchema]
    ) -> StepCounts:
        """Count the yield of each step."""
        dropped = (each.reason for each in read_associations(selected) if not each.kept)
        triplets = read_triplets(excepted)
        return StepCounts(
            nouns=len(self.plan.nouns),
            associations=len(read_associations(everything)),
            kept=len(_kept(selected)),
            left_out=dict(Counter(dropped).most_common()),
            triplets=len(triplets),
            exceptions_left_out=self._left_out("exceptions"),
            origins=dict(Counter(each.origin for each in triplets).most_common()),
            filtered=len(read_triplets(filtered)),
            schemas=dict(Counter(map(_writer, schemas))),
            premises_left_out=self._left_out("premises"),
            objections=dict(count_objections(schemas)),
            passing=dict(Counter(_writer(each) for each in schemas if each.passes)),
            validated=dict(Counter(_writer(each) for each in schemas if each.passes and each.schema.validated)),
        )

    def evaluated(self, schemas: list[CheckedSchema]) -> tuple[dict[str, Path], dict[str, Evaluation]]:
        """Write a probe of each kind that has schemas, and evaluate the model on it."""
        probes, evaluations = {}, {}
        self.models.drop()
        for kind in KINDS:
            path = self.folder / f"{kind}.jsonl"
            chosen = [each for each in schemas if each.passes and each.schema.validated == (kind == "validated")]
            if not chosen:
                self._remove(path)
                self.steps.record_run(kind, None)
                continue
            probe = build_winoventi(chosen, machine=None, as_paper=self.plan.elicitation.as_paper)
            dropped = {f"{step}: {what}": n for step in _FILTERS for what, n in self._left_out(step).items()}
            probe = replace(probe, card=replace(probe.card, notes={**probe.card.notes, **dropped}))
            probes[kind] = path
            write_probe(path, probe)
            self.steps.record_file(path)
            folder = self._run_folder(content_of(probe.items))
            answered = run_all([self.plan.model], probe, folder, self.models.settings, self.progress)
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


# Step 3: the adversarial filter.


def adversarial_triplets(context: PipelineContext, triplets: Sequence[Triplet], folder: Path) -> list[Triplet]:
    """Return the triplets whose generic word the model prefers (section 2.4).

    An exception of several tokens is scored as several.
    """
    if not triplets:
        return []
    plan, say = context.plan, context.progress.log
    items = [prior_item(each, context.nouns[each.noun], as_paper=plan.elicitation.as_paper) for each in triplets]
    probe = Probe.of(items, Card(name=PRIOR, method="winoventi", normalise="sum", group="noun"))
    ask_models([plan.model], {PRIOR: probe}, folder, context.settings, context.progress)
    (answered,) = read_run(folder)[1]
    unspelt = sum(any("unknown-token" in flag for flag in answer.flags) for answer in answered.answers)
    if unspelt:
        say(f"triplets with a word that the tokenizer cannot spell: {unspelt:,}")
    preferred = preferring_generic(answered)
    kept = [each for each in triplets if each.name in preferred]
    say(f"{len(kept):,} of {len(triplets):,} triplets pass: {plan.model} prefers the generic word")
    return kept


# Steps 4 and 5: premises and their checks.


def write_premises(
    context: PipelineContext, triplets: Sequence[Triplet], steps: Steps, made_from: str
) -> tuple[list[CheckedSchema], dict[str, int]]:
    """Return people's premises for the triplets, then the machine's, each with its author; and what was left out."""
    plan, nouns = context.plan, context.nouns
    schemas, nonsense = people_schemas(plan.premises, triplets, nouns, context.progress)
    everything = _spread([each for each in triplets if each.name not in nonsense])
    left_out = Counter({"triplets that people call nonsense": len(triplets) - len(everything)})
    to_write = everything if plan.write is None else everything[: plan.write]
    left_out["triplets over the number to write for"] += len(everything) - len(to_write)
    if plan.writer == TABLE and to_write:
        written, without = from_circumstances(
            to_write, nouns, load_circumstances(), load_word_relations(), plan.samples, plan.seed
        )
        schemas += [CheckedSchema(schema, ()) for schema in written]
        left_out.update(without)
    elif plan.writes_by_model:
        written_by_model, unusable = _by_model(context, to_write, steps, made_from)
        schemas += written_by_model
        left_out[f"unusable replies of {plan.writer}"] += unusable
        context.progress.log(f"unusable replies of {plan.writer}: {unusable:,} of {len(to_write) * plan.samples:,}")
    return schemas, dict(left_out.most_common())


def _by_model(
    context: PipelineContext, triplets: Sequence[Triplet], steps: Steps, made_from: str
) -> tuple[list[CheckedSchema], int]:
    """Let a model write premises, a few triplets at a time; also return the number of unusable replies."""
    plan, progress = context.plan, context.progress

    def part(start: int, end: int) -> list[Any]:
        some = triplets[start:end]
        with context.asked(plan.writer) as writer:
            written, odd = write_premise_pairs(
                writer, some, [context.nouns[t.noun] for t in some], plan.samples, plan.seed + start
            )
        progress.update("premises", end, len(triplets))
        pairs = [
            {"triplet": [t.noun, t.generic, t.exception, t.origin, t.k], "premise": str(premise)}
            for t, premises in zip(some, written, strict=True)
            for premise in premises
        ]
        return [*pairs, {"odd": odd}]

    rows = list(steps.in_parts("premises", made_from, len(triplets), _TRIPLETS_AT_ONCE, part))
    schemas = [
        CheckedSchema(Schema(Triplet(*row["triplet"]), parse_premise(row["premise"]), "machine", plan.writer), ())
        for row in rows
        if "premise" in row
    ]
    return schemas, sum(row.get("odd", 0) for row in rows)


def _spread(triplets: Sequence[Triplet]) -> list[Triplet]:
    """Order triplets by turns of nouns: variety before depth."""
    turn: dict[str, int] = {}
    order: list[tuple[int, int, int, Triplet]] = []
    for each in triplets:
        turn[each.noun] = turn.get(each.noun, -1) + 1
        order.append((turn[each.noun], each.k, len(order), each))
    return [each for *_, each in sorted(order, key=lambda entry: entry[:3])]


def check_premises(context: PipelineContext, schemas: Sequence[CheckedSchema]) -> list[CheckedSchema]:
    """Return the schemas with all objections and their status.

    Checks by a model are for what a model wrote: people's premises are for people to judge, and our table was checked
    before. A model related to the tested one is not used.
    """
    lexicon = load_word_relations()
    words = [checked.schema.triplet.noun for checked in schemas]
    nouns = [context.nouns.get(word) or Noun.of(word) for word in words]
    judged = [check_schema(each.schema, noun, lexicon) for each, noun in zip(schemas, nouns, strict=True)]
    machine = [each.schema.origin == "machine" and each.schema.annotator != TABLE for each in judged]
    if any(machine):
        asked = [pair for pair, by_model in zip(zip(judged, nouns, strict=True), machine, strict=True) if by_model]
        checked = iter(_check_by_model(context, [each for each, _ in asked], [noun for _, noun in asked]))
        judged = [next(checked) if by_model else each for each, by_model in zip(judged, machine, strict=True)]
    return [each.graded() for each in judged]


def _check_by_model(
    context: PipelineContext, schemas: list[CheckedSchema], nouns: Sequence[Noun]
) -> list[CheckedSchema]:
    """Apply the rules for our frames, then the checks by models that the plan names."""
    plan, table = context.plan, load_circumstances()
    schemas = [
        replace(each, objections=(*each.objections, *wording_objections(each.schema, noun, table)))
        for each, noun in zip(schemas, nouns, strict=True)
    ]
    if plan.ranker != "none" and lineage_named(plan.ranker) != lineage_named(plan.model):
        with context.asked(plan.ranker) as ranker:
            schemas = check_grammar(schemas, ranker, plan.elicitation.spec, plan.least)
    if plan.vectors != "none":
        schemas = check_meaning(schemas, plan.vectors)
    if plan.entailment:
        schemas = check_entailment(schemas, nouns, plan.entailment, plan.device)
    return schemas
