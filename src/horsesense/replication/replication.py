"""A replication: every figure of a paper with what came of it, counts, faults inside the paper, and models asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.core.document import Document
from horsesense.methods.ledger import Figure, Kind, Otherwise, Sense, Way, by_name, otherwise, read_ledger
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.replication.asked import ASKED, AskedCell, in_unit
from horsesense.replication.checks import Fault
from horsesense.replication.computing import Group, Sources, compute, functions
from horsesense.replication.inside import look_inside
from horsesense.replication.missing import what_is_missing
from horsesense.replication.verdicts import VERDICTS, Basis, Computed, Judged, Verdict, judge

CITED = {
    "cats": "Zhou, Zhang, Cui, Huang (AAAI 2020)",
    "rica": "Zhou and others (EMNLP 2021)",
    "winoventi": "Do and Pavlick (Findings of ACL 2021)",
    "partwhole": "Mullenbach, Gordon, Peng, May (EMNLP 2019)",
    "wordnetqa": "Richardson and Sabharwal (TACL 2020)",
}
_PRINTED = "printed"
"""The way of a figure that is told twice; its key is the other figure's name."""
_NO_RESULT = {"setting": "a choice of the authors", "cited": "a figure of somebody else's"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """A figure, and what came of it."""

    place: str
    """Where the paper has it."""
    row: str
    """What it is about."""
    column: str
    """What was measured."""
    printed: str
    """The digits of the paper."""
    sense: Sense
    """Empty: as printed; ``about``; ``over``."""
    unit: str
    """Per cent, fraction, count …"""
    kind: Kind
    """What it rests on."""
    verdict: Verdict
    """What came of it."""
    computed: float | None
    """What came out here, in the unit of the paper."""
    basis: Basis
    """What it was computed from; empty where it was not."""
    n: int | None
    """Items behind what came out."""
    low: float | None
    """The lower end of its interval, where it has one."""
    high: float | None
    """The upper end."""
    fits: bool | None
    """On a part: whether the printed figure lies in the interval."""
    reason: str
    """Why it differs, what is missing, or what has to be said."""
    command: str
    """What would do it, where it cannot be had here."""


@dataclass(frozen=True, slots=True)
class ModelCell:
    """What a model that was asked got, beside the paper's figures."""

    model: str
    """Who was asked."""
    suite: str
    """In which suite of the paper."""
    column: str
    """Which column of its table."""
    value: float
    """The share that is right, or that is consistent."""
    low: float
    """The lower end of its 95 % interval."""
    high: float
    """The upper end."""
    n: int
    """Items, or pairs."""
    chance: float | None
    """What guessing earns."""
    whole: bool
    """Whether all items of the release were asked."""
    why_no_verdict: str
    """Empty where it answers for a row of the paper."""


@dataclass(frozen=True, slots=True)
class PaperReplication:
    """All figures of one paper."""

    paper: str
    """Which one."""
    cited: str
    """Who wrote it."""
    counts: Mapping[str, int]
    """Figures by verdict, ``figures`` and ``computed`` in all, and how many rest on what."""
    outcomes: tuple[Outcome, ...]
    """In the order of the paper."""
    looked_at: int
    """Figures that a rule about the inside of the paper was held against."""
    faults: tuple[Fault, ...]
    """What does not fit inside the paper."""
    otherwise: tuple[Otherwise, ...]
    """Where its programs do otherwise than it says."""
    models: tuple[ModelCell, ...]
    """Models that were asked here."""


@dataclass(frozen=True, slots=True)
class Replication(Document):
    """The figures of one or several papers, computed again or accounted for."""

    papers: tuple[PaperReplication, ...]
    """One or all five."""
    data: Path | None
    """The folder of the releases; null: what was fetched."""
    out: Path | None
    """Where results are kept; null: nowhere."""


def replicate_paper(
    paper: str,
    folder: Path | None,
    keep: Path | None = None,
    asked: Mapping[str, Computed] | None = None,
    trained: Mapping[str, Computed] | None = None,
    models: Sequence[ModelCell] = (),
    progress: Progress = NO_PROGRESS,
) -> PaperReplication:
    """Compute what can be computed of a paper, and give each figure a verdict."""
    figures = read_ledger(paper)
    groups = _groups(paper, figures, folder, keep, progress)
    outcomes = tuple(_outcome(figure, groups, asked or {}, trained or {}) for figure in figures)
    inside = look_inside(paper)
    return PaperReplication(
        paper=paper,
        cited=CITED[paper],
        counts=count(outcomes),
        outcomes=outcomes,
        looked_at=inside.looked_at,
        faults=inside.faults,
        otherwise=otherwise(paper),
        models=tuple(models),
    )


def count(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Figures by verdict, and by what they rest on."""
    verdicts = Counter(each.verdict for each in outcomes)
    basis = Counter(each.basis for each in outcomes if each.basis)
    computed = sum(each.computed is not None and each.basis != "the release's own results" for each in outcomes)
    counted = {"figures": len(outcomes), "computed": computed}
    return (
        counted | {name: verdicts[name] for name in VERDICTS} | {f"from {name}": basis[name] for name in sorted(basis)}
    )


def _groups(
    paper: str, figures: Sequence[Figure], folder: Path | None, keep: Path | None, progress: Progress
) -> dict[str, Group]:
    wanted = dict.fromkeys(way.name for figure in figures for way in figure.ways if way.name not in (ASKED, _PRINTED))
    known = functions()
    groups = {_PRINTED: Group(told_again(paper))}
    for done, name in enumerate(wanted):
        progress.update(f"computing {paper}", done, len(wanted), note=name)
        groups[name] = compute(known[paper, name], Sources(paper, folder), name, keep)
    progress.update(f"computing {paper}", len(wanted), len(wanted))
    return groups


def told_again(paper: str) -> dict[str, Computed]:
    """For each figure that a paper tells a second time, such as in its text, the value it has in its table."""
    figures = by_name(paper)
    keys = {way.key for figure in figures.values() for way in figure.ways if way.name == _PRINTED}
    return {
        key: Computed(figures[key].number, "the paper's own rows", reason=f"as {figures[key].place} has it")
        for key in keys
    }


def _outcome(
    figure: Figure, groups: Mapping[str, Group], asked: Mapping[str, Computed], trained: Mapping[str, Computed]
) -> Outcome:
    """The first way that leads to a verdict; a model that was trained or asked comes before what is only kept."""
    if figure.name in trained:
        by_training = in_unit(figure, trained[figure.name])
        return _of(figure, judge(figure, by_training), by_training)
    ways = sorted(figure.ways, key=lambda way: way.name != ASKED)
    for way in ways:
        computed = _result(figure, way, groups, asked)
        if computed is not None:
            return _of(figure, judge(figure, computed), computed)
    absent = next((groups[way.name] for way in ways if way.name in groups and groups[way.name].absent), None)
    if absent is not None:
        return _of(figure, Judged("cannot here", absent.absent), None, absent.fix)
    if not figure.ways and not figure.missing:
        return _of(figure, Judged("no result", _NO_RESULT.get(figure.kind, "")), None)
    missing, command = what_is_missing(figure)
    return _of(figure, Judged("cannot here", missing), None, command)


def _result(figure: Figure, way: Way, groups: Mapping[str, Group], asked: Mapping[str, Computed]) -> Computed | None:
    if way.name == ASKED:
        found = asked.get(way.key)
        return None if found is None else in_unit(figure, found)
    return groups[way.name].results.get(way.key)


def _of(figure: Figure, judged: Judged, computed: Computed | None, command: str = "") -> Outcome:
    return Outcome(
        place=figure.place,
        row=figure.row,
        column=figure.column,
        printed=figure.value,
        sense=figure.sense,
        unit=figure.unit,
        kind=figure.kind,
        verdict=judged.verdict,
        computed=None if computed is None else computed.value,
        basis="" if computed is None else computed.basis,
        n=None if computed is None else computed.n,
        low=None if computed is None else computed.low,
        high=None if computed is None else computed.high,
        fits=judged.fits,
        reason=judged.reason,
        command=command,
    )


def model_cells(cells: Sequence[AskedCell], verdicts: Mapping[str, str], part: bool) -> list[ModelCell]:
    """What models got, in rows of their own."""
    return [
        ModelCell(
            model=cell.model,
            suite=cell.suite,
            column=cell.column,
            value=cell.estimate.value,
            low=cell.estimate.low,
            high=cell.estimate.high,
            n=cell.estimate.n,
            chance=cell.estimate.chance,
            whole=not part,
            why_no_verdict=verdicts.get(cell.model, ""),
        )
        for cell in cells
    ]
