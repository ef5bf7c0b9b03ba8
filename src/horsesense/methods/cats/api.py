"""Public functions: build duals and conjunction pairs, and the analyses of CATs beyond accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Ge

from horsesense.core import Probe, probe_name
from horsesense.errors import UserError, translate_errors

if TYPE_CHECKING:
    from horsesense.methods.cats.evidence import EvidenceOfRuns
    from horsesense.methods.cats.step_accuracy import Counted, InferenceSteps
    from horsesense.methods.cats.who_gets_what import WhoOfRuns
    from horsesense.runs.run import Run

__all__ = ["build_conjunctions", "build_duals", "evidence", "steps", "who"]

PathLike = str | Path
OperatorName = Literal[
    "insert-negation", "remove-negation", "opposite", "converse", "swap-arguments", "exchange-names", "twins"
]


@translate_errors()
def build_conjunctions(probe: Probe | PathLike) -> Probe:
    """Build pairs of a correct sentence and the same sentence with another conjunction, from Winograd schemas.

    Args:
        probe: Name or file of a probe of Winograd schemas as sentences. In Python, also a `Probe`.

    Returns:
        The probe of pairs.
    """
    from horsesense.core.catalogue import as_probe
    from horsesense.methods.cats.conjunctions import conjunction_probe

    schemas = as_probe(probe)
    try:
        return conjunction_probe(schemas)
    except UserError as error:
        raise (error if isinstance(probe, Probe) else error.at(probe)) from None


@translate_errors()
def build_duals(
    probes: Probe | PathLike | Sequence[Probe | PathLike],
    *,
    operators: Sequence[OperatorName] = (),
    statuses: Sequence[Literal["proved", "asserted", "proposed"]] = (),
    per_method: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
) -> Probe:
    """Build duals: the same questions after one edit, each with the basis of its key (logic, people, or a guess).

    Args:
        probes: Names or files of probes of sentence pairs, or orders for our own pairs of comparisons. In Python,
            also a `Probe`.
        operators: Edit to apply. By default, all.
        statuses: What the keys may rest on. By default, all.
        per_method: Maximum number of pairs per method, balanced over the probes; the paper has 75.
        seed: Random seed of the draw.

    Returns:
        The probe: one family per pair and operator, with the original and its dual.
    """
    from horsesense.methods.cats.duals import DualPlan, make_duals

    plan = DualPlan(tuple(operators), tuple(statuses), per_method, seed)
    sources = [probes] if isinstance(probes, Probe | str | Path) else list(probes)
    try:
        return make_duals([_source(each, seed) for each in sources], plan)
    except UserError as error:
        files = [each for each in sources if not isinstance(each, Probe)]
        raise (error.at(files[0]) if files and error.file is None else error) from None


def _source(probe: Probe | PathLike, seed: int) -> Probe:
    """Open a probe and name it after its file: all sets of a published dataset share the name on their card."""
    from horsesense.core.catalogue import as_probe
    from horsesense.methods.cats.orders import NAME, orders_probe

    if isinstance(probe, Probe):
        return probe
    if str(probe) == NAME:
        return orders_probe(None, seed)
    source = as_probe(probe)
    return replace(source, card=replace(source.card, name=probe_name(Path(probe))))


@translate_errors()
def evidence(*runs: Run | str | Path) -> EvidenceOfRuns:
    """Report how often the edited tokens decide a pair, where they are, and how much other tokens contribute.

    Args:
        runs: Run folders with probes of sentence pairs. In Python, also a `Run`.

    Returns:
        One entry per model and probe of labelled pairs; other probes are left out.
    """
    from horsesense.methods.cats.evidence import evidence_of_runs
    from horsesense.runs.run import answered_of

    result = evidence_of_runs(answered_of(_given(runs)))
    if not result.evidence:
        fix = "give runs on ca, wsc, sm …"
        raise UserError("no probe of these runs has labelled pairs", file=_first_folder(runs), fix=fix)
    return result


@translate_errors()
def who(*runs: Run | str | Path) -> WhoOfRuns:
    """List the items that only one of two models gets right, with the position of the key word (table 4).

    Args:
        runs: Run folders; one folder with two models is enough. In Python, also a `Run`.

    Returns:
        One entry per probe and pair of models.
    """
    from horsesense.methods.cats.who_gets_what import who_of_runs
    from horsesense.runs.comparison import by_probe
    from horsesense.runs.run import answers_by_place

    probes = by_probe(answers_by_place(_given(runs)))
    result = who_of_runs(list(models.values()) for models in probes.values())
    if not result.pairs:
        fix = "give folders whose probes have the same name"
        raise UserError("no probe was asked of two models", file=_first_folder(runs), fix=fix)
    return result


@translate_errors()
def steps(*runs: Run | str | Path, judgements: Sequence[PathLike] = ()) -> InferenceSteps:
    """Report accuracy by inference steps, as the share of wrong options that the correct one beats (figure 2).

    Args:
        runs: Run folders. In Python, also a `Run`.
        judgements: Completed task file of the instrument steps. By default, a rule counts the steps.

    Returns:
        For each model, its probes ordered by their steps, and accuracy by number of steps.
    """
    from horsesense.methods.cats.step_accuracy import inference_steps
    from horsesense.runs.run import answered_of

    counts = _counts_of_people([Path(file) for file in judgements]) if judgements else None
    return inference_steps([each for each in answered_of(_given(runs)) if each.judged], counts)


def _counts_of_people(files: Sequence[Path]) -> Counted:
    """Read the counts of people; "4 or more" counts as four, and "cannot say" as no count."""
    from horsesense.annotate.judgements import read_files
    from horsesense.methods.cats.step_accuracy import counted

    collected = read_files(files)
    if collected.instrument.name != "steps":
        raise UserError(
            f"these are judgements of the instrument {collected.instrument.name}", file=files[0], fix="use steps"
        )
    votes = [(each.item, each.value.split()[0]) for each in collected.judgements]
    try:
        return counted([(item, float(count)) for item, count in votes if count.isdecimal()])
    except UserError as error:
        raise error.at(files[0]) from None


def _given(runs: Sequence[Run | str | Path]) -> Sequence[Run | str | Path]:
    if not runs:
        raise UserError("no run was given", fix="name a run folder")
    return runs


def _first_folder(runs: Sequence[Run | str | Path]) -> Path | None:
    """Return the folder of the first run, for an error message; None for a run in memory."""
    first = runs[0]
    return Path(first) if isinstance(first, str | Path) else first.folder
