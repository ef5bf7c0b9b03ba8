"""Replicate: recompute the published figures of the papers, and give each a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.core.document import Frame, TableDocument, columns_of
from horsesense.errors import UserError, translate_errors, unknown
from horsesense.methods.ledger import (
    PAPERS,
    Discrepancy,
    Figure,
    Kind,
    Sense,
    Way,
    by_name,
    discrepancies,
    read_ledger,
)
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.replication.computing import (
    ComputedGroup,
    PublishedFiles,
    compute,
    find_dataset,
    functions,
    is_whole,
)
from horsesense.replication.consistency import Inconsistency, check_consistency
from horsesense.replication.paper_models import (
    AS_PUBLISHED,
    ASKED,
    SUITES,
    ModelScore,
    cells_of,
    computed_by_training,
    computed_of,
    in_unit,
    is_random,
    trained_figure,
    what_is_missing,
    why_no_verdict,
)
from horsesense.replication.verdicts import VERDICTS, Basis, Computed, FigureVerdict, Verdict, judge

if TYPE_CHECKING:
    from horsesense.runs.run import Run

PAGE, MARKDOWN, DOCUMENT = "replication.html", "replication.md", "replication.json"

CITED = {
    "cats": "Zhou, Zhang, Cui, Huang (AAAI 2020)",
    "rica": "Zhou and others (EMNLP 2021)",
    "winoventi": "Do and Pavlick (Findings of ACL 2021)",
    "partwhole": "Mullenbach, Gordon, Peng, May (EMNLP 2019)",
    "wordnetqa": "Richardson and Sabharwal (TACL 2020)",
}
_PRINTED = "printed"
"""The way of a figure that is reported twice; its key is the other figure's name."""
_NO_RESULT = {"setting": "a choice of the authors", "cited": "a cited figure"}


@dataclass(frozen=True, slots=True)
class FigureOutcome:
    """A published figure, and its verdict."""

    place: str
    """Table or section."""
    row: str
    """The row."""
    column: str
    """The column."""
    printed: str
    """The printed digits."""
    sense: Sense
    """Empty: as printed; ``about``; ``over``."""
    unit: str
    """Per cent, fraction, count …"""
    kind: Kind
    """The kind of figure."""
    verdict: Verdict
    """The verdict."""
    computed: float | None
    """The computed value, in the unit of the paper."""
    basis: Basis
    """The basis of the computed value; empty if there is none."""
    n: int | None
    """Number of items."""
    low: float | None
    """Lower end of its interval."""
    high: float | None
    """Upper end."""
    fits: bool | None
    """On a part: whether the printed figure is in the interval."""
    reason: str
    """Why it differs, what is missing, or a comment."""
    command: str
    """A command that would provide what is missing."""


@dataclass(frozen=True, slots=True)
class PaperReplication:
    """All figures of one paper."""

    paper: str
    """The paper."""
    cited: str
    """Its authors."""
    counts: Mapping[str, int]
    """Number of figures (``figures``, ``computed``), by verdict and by basis."""
    outcomes: tuple[FigureOutcome, ...]
    """In the order of the paper."""
    checked: int
    """Number of figures whose consistency was checked."""
    inconsistencies: tuple[Inconsistency, ...]
    """Figures of the paper that contradict each other."""
    discrepancies: tuple[Discrepancy, ...]
    """Where the code of the paper differs from its text."""
    models: tuple[ModelScore, ...]
    """Scores of models that were evaluated here."""


@dataclass(frozen=True)
class Replication(TableDocument):
    """The published figures of one or several papers, each with a verdict."""

    papers: tuple[PaperReplication, ...]
    """The papers."""
    data: Path | None
    """Folder of the published datasets; null: the fetched ones."""
    out: Path | None
    """Folder of the results; null if they are not stored."""

    def frame(self) -> Frame:
        """Return one row per figure, with its verdict."""
        names = [field.name for field in fields(FigureOutcome)]
        rows = [
            {"paper": paper.paper} | {name: getattr(each, name) for name in names}
            for paper in self.papers
            for each in paper.outcomes
        ]
        return Frame(columns_of(rows), "published figures")

    def markdown(self) -> str:
        """Return counts, differences with reasons, what is missing, and inconsistencies."""
        from horsesense.replication.page import markdown

        return markdown(self)

    def write_page(self, path: str | Path) -> Path:
        """Write a page with every figure."""
        from horsesense.replication.page import write_page

        write_page(self, Path(path))
        return Path(path)

    def __repr__(self) -> str:
        counts = "; ".join(
            f"{paper.paper}: {paper.counts['figures']} figures, {paper.counts['same']} same, "
            f"{paper.counts['differs']} differ"
            for paper in self.papers
        )
        return f"Replication({counts})"


@translate_errors()
def replicate(
    paper: str | None = None,
    /,
    *,
    model: str | Sequence[str] = (),
    trained: Mapping[str, str | Path] | Sequence[str] = (),
    data: str | Path | None = None,
    out: str | Path | None = None,
    limit: int | None = None,
    seed: int = 0,
    device: str = "auto",
    allow_pickle: bool = False,
    progress: Progress = NO_PROGRESS,
) -> Replication:
    """Recompute the papers' numbers: each is the same, within error, different (and why) or not computed (and why).

    Args:
        paper: Paper: cats, rica, winoventi, partwhole or wordnetqa. By default, all five.
        model: Models to evaluate as the papers did: a name on the Hugging Face Hub, or ``NAME=FOLDER``. A model of the
            paper replicates its row; others have rows of their own.
        trained: Training runs that replicate a number, as ``FIGURE=FOLDER``. The figure is written like "table 3 |
            GloVe embeddings | Accuracy"; the folder is the output of ``train`` or ``baseline`` with several seeds. In
            Python, also a mapping.
        data: Folder of the published datasets, or of the dataset of one paper. By default, the fetched ones.
        out: Folder for results, answers and a page; the same call resumes there.
        limit: Maximum number of items per dataset that models answer.
        seed: Random seed of the limit.
        device: Device of the model: auto, cpu, cuda, cuda:1, mps.
        allow_pickle: Load pickled weights, which can run any code.
        progress: Progress callback.

    Returns:
        Every figure with its verdict, counts, inconsistencies of the papers, and scores of models.
    """
    from horsesense.runs.ask import ask
    from horsesense.runs.engine import ComputeSettings

    if paper is not None and paper not in PAPERS:
        raise unknown("paper", paper, PAPERS)
    folder, store = (None if path is None else Path(path) for path in (data, out))
    models = [model] if isinstance(model, str) else list(model)
    compute = ComputeSettings(device=device, allow_pickle=allow_pickle)
    asked_models = partial(
        ask, models, limit=limit, seed=seed, compute=compute, formats="loglikelihood", progress=progress
    )
    by_training = _trained(paper, trained)
    papers: list[PaperReplication] = []
    for name in PAPERS if paper is None else (paper,):
        dataset = find_dataset(name, folder, alone=paper is not None)
        asked, cells = _evaluate(name, asked_models, dataset, store, limit is not None) if models else ({}, [])
        papers.append(replicate_paper(name, dataset, store, asked, by_training, cells, progress))
    done = Replication(tuple(papers), folder, store)
    if store is not None:
        _write(done, store)
    return done


def _trained(paper: str | None, trained: Mapping[str, str | Path] | Sequence[str]) -> dict[str, Computed]:
    """Return the results of trainings that replicate figures of a paper, by the name of the figure."""
    from horsesense.runs.probe_answers import read_run

    folders = dict(trained) if isinstance(trained, Mapping) else dict(map(_split, trained))
    if not folders:
        return {}
    if paper is None:
        raise UserError("trainings replicate figures of one paper", fix="name the paper")
    return {
        name: computed_by_training(trained_figure(paper, name), read_run(Path(folder))[1])
        for name, folder in folders.items()
    }


def _split(text: str) -> tuple[str, str]:
    name, equals, folder = text.rpartition("=")
    if not (name and equals and folder):
        raise UserError(f"{text!r} does not say which trainings replicate which figure", fix="write FIGURE=FOLDER")
    return name.strip(), folder


def _evaluate(
    paper: str, asked: Callable[..., Run], dataset: Path | None, store: Path | None, partly: bool
) -> tuple[dict[str, Computed], list[ModelScore]]:
    """Evaluate models on a paper's suites; return results by the keys of the ledger, and rows of their own."""
    from horsesense.methods.suites import find_paper_suite

    figures: dict[str, Computed] = {}
    rows: list[ModelScore] = []
    for name in SUITES.get(paper, ()):
        suite = find_paper_suite(AS_PUBLISHED.get(name, name))
        opened = suite.open_data(dataset, False)
        run = asked(opened.probes, out=None if store is None else store / "asked" / name, spec=suite.spec)
        records = {each.part.model.name: each.part.model for each in run.answered}
        verdicts = {each.name: why_no_verdict(paper, each, is_random(each)) for each in records.values()}
        part = partly or bool(opened.missing) or not is_whole(paper, dataset, opened.found.values())
        cells = [
            replace(cell, whole=not part, why_no_verdict=verdicts[cell.model])
            for cell in cells_of(name, suite.tables(list(run.answered), (), opened.others))
        ]
        figures |= computed_of(paper, cells)
        rows += cells
    return figures, rows


def _write(done: Replication, folder: Path) -> None:
    """Write the JSON document, the Markdown and the page."""
    import orjson

    from horsesense.data import write_file

    write_file(folder / DOCUMENT, orjson.dumps(done.to_json(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    write_file(folder / MARKDOWN, done.markdown())
    done.write_page(folder / PAGE)


def replicate_paper(
    paper: str,
    folder: Path | None,
    keep: Path | None = None,
    asked: Mapping[str, Computed] | None = None,
    trained: Mapping[str, Computed] | None = None,
    models: Sequence[ModelScore] = (),
    progress: Progress = NO_PROGRESS,
) -> PaperReplication:
    """Compute the figures of a paper as far as possible, and give each a verdict."""
    figures = read_ledger(paper)
    groups = _groups(paper, figures, folder, keep, progress)
    outcomes = tuple(_outcome(figure, groups, asked or {}, trained or {}) for figure in figures)
    checked, inconsistencies = check_consistency(paper)
    return PaperReplication(
        paper=paper,
        cited=CITED[paper],
        counts=count(outcomes),
        outcomes=outcomes,
        checked=checked,
        inconsistencies=inconsistencies,
        discrepancies=discrepancies(paper),
        models=tuple(models),
    )


def count(outcomes: Sequence[FigureOutcome]) -> dict[str, int]:
    """Count figures by verdict and by basis."""
    verdicts = Counter(each.verdict for each in outcomes)
    basis = Counter(each.basis for each in outcomes if each.basis)
    computed = sum(each.computed is not None and each.basis != "the authors' published results" for each in outcomes)
    counted = {"figures": len(outcomes), "computed": computed}
    return (
        counted | {name: verdicts[name] for name in VERDICTS} | {f"from {name}": basis[name] for name in sorted(basis)}
    )


def _groups(
    paper: str, figures: Sequence[Figure], folder: Path | None, keep: Path | None, progress: Progress
) -> dict[str, ComputedGroup]:
    names = dict.fromkeys(way.name for figure in figures for way in figure.ways if way.name not in (ASKED, _PRINTED))
    known = functions()
    groups = {_PRINTED: ComputedGroup(reported_twice(paper))}
    for done, name in enumerate(names):
        progress.update(f"computing {paper}", done, len(names), note=name)
        groups[name] = compute(known[paper, name], PublishedFiles(paper, folder), name, keep)
    progress.update(f"computing {paper}", len(names), len(names))
    return groups


def reported_twice(paper: str) -> dict[str, Computed]:
    """Return, for each figure that a paper reports again, such as in its text, the value in its table."""
    figures = by_name(paper)
    keys = {way.key for figure in figures.values() for way in figure.ways if way.name == _PRINTED}
    return {
        key: Computed(figures[key].number, "the paper's own rows", reason=f"as in {figures[key].place}") for key in keys
    }


def _outcome(
    figure: Figure, groups: Mapping[str, ComputedGroup], asked: Mapping[str, Computed], trained: Mapping[str, Computed]
) -> FigureOutcome:
    """Return the first verdict on a figure; trained and evaluated models come before published results."""
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
        return _of(figure, FigureVerdict("cannot here", absent.absent), None, absent.fix)
    if not figure.ways and not figure.missing:
        return _of(figure, FigureVerdict("no result", _NO_RESULT.get(figure.kind, "")), None)
    missing, command = what_is_missing(figure)
    return _of(figure, FigureVerdict("cannot here", missing), None, command)


def _result(
    figure: Figure, way: Way, groups: Mapping[str, ComputedGroup], asked: Mapping[str, Computed]
) -> Computed | None:
    if way.name == ASKED:
        computed = asked.get(way.key)
        return None if computed is None else in_unit(figure, computed)
    return groups[way.name].results.get(way.key)


def _of(figure: Figure, judged: FigureVerdict, computed: Computed | None, command: str = "") -> FigureOutcome:
    return FigureOutcome(
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
