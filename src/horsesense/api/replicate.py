"""Replicate: published figures computed again, or accounted for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.api.frames import Frame, columns_of
from horsesense.api.probes import PathLike
from horsesense.errors import UserError, translate_errors, unknown
from horsesense.methods.ledger import PAPERS
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.replication.replication import PaperReplication, Replication

if TYPE_CHECKING:
    from horsesense.replication.replication import ModelCell
    from horsesense.replication.verdicts import Computed

PAGE, MARKDOWN, DOCUMENT = "replication.html", "replication.md", "replication.json"


@dataclass(frozen=True)
class Replicated(Replication):
    """A replication, as a table, as Markdown and as a page."""

    def frame(self) -> Frame:
        """One row a figure, with its verdict."""
        names = [field.name for field in fields(self.papers[0].outcomes[0])]
        rows = [
            {"paper": paper.paper} | {name: getattr(each, name) for name in names}
            for paper in self.papers
            for each in paper.outcomes
        ]
        return Frame(columns_of(rows), "published figures")

    def markdown(self) -> str:
        """Counts, what differs and why, what is missing, what does not fit."""
        from horsesense.report.replication import markdown

        return markdown(self)

    def write_page(self, path: PathLike) -> Path:
        """Every figure on one page."""
        from horsesense.report.replication import write_page

        write_page(self, Path(path))
        return Path(path)

    def __repr__(self) -> str:
        counts = "; ".join(
            f"{paper.paper}: {paper.counts['figures']} figures, {paper.counts['same']} same, "
            f"{paper.counts['differs']} differ"
            for paper in self.papers
        )
        return f"Replicated({counts})"

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()


@translate_errors()
def replicate(
    paper: str | None = None,
    *,
    model: str | Sequence[str] = (),
    trained: Mapping[str, PathLike] | None = None,
    data: PathLike | None = None,
    out: PathLike | None = None,
    limit: int | None = None,
    seed: int = 0,
    device: str = "auto",
    allow_pickle: bool = False,
    progress: Progress = NO_PROGRESS,
) -> Replicated:
    """Compute the published figures of the papers again, and give each a verdict.

    Args:
        paper: ``"cats"``, ``"rica"``, ``"winoventi"``, ``"partwhole"`` or ``"wordnetqa"``; by default all five.
        model: Models to ask as the papers did. One that is called as the paper's model on the hub
            (``"bert-large-uncased"``, ``"bert-large-uncased=FOLDER"``) answers for its row; any other stands in rows
            of its own.
        trained: For figures of trained models, by their name (``"table 3 | GloVe embeddings | Accuracy"``), the folder
            of trainings that stand for it: what `fit_control` or `train` kept, with its seeds. Only with ``paper``.
        data: The folder of the releases, with ``cats``, ``rica``, ``winoventi``, ``partwhole`` and ``mcqa`` in it, or
            of one paper's release; by default what was fetched.
        out: A folder that keeps every result and answer, and resumes; without one nothing is kept.
        limit: Ask models about this many items of each set; what they get then is of a part.
        seed: Of the draw.
        device: Where models are put.
        allow_pickle: Take pickled weights too.
        progress: Told how far it has come.

    Returns:
        Every figure with its verdict, counts, what does not fit inside the papers, and what models got.
    """
    from horsesense.replication.computing import find_release
    from horsesense.replication.replication import replicate_paper

    if paper is not None and paper not in PAPERS:
        raise unknown("paper", paper, PAPERS)
    wanted = PAPERS if paper is None else (paper,)
    folder, keep = (None if path is None else Path(path) for path in (data, out))
    models = [model] if isinstance(model, str) else list(model)
    by_training = _trained(paper, trained or {})
    papers: list[PaperReplication] = []
    for name in wanted:
        release = find_release(name, folder, alone=paper is not None)
        asked, cells = _asked(name, models, release, keep, limit, seed, device, allow_pickle, progress)
        papers.append(replicate_paper(name, release, keep, asked, by_training, cells, progress))
    done = Replicated(tuple(papers), folder, keep)
    if keep is not None:
        _write(done, keep)
    return done


def _trained(paper: str | None, given: Mapping[str, PathLike]) -> dict[str, Computed]:
    """What trainings that stand for figures of a paper got, by the name of the figure."""
    from horsesense.replication.asked import computed_by_training, trained_figure
    from horsesense.runs.results import read_run

    if not given:
        return {}
    if paper is None:
        raise UserError("trainings stand for figures of one paper", fix="name the paper")
    return {
        name: computed_by_training(trained_figure(paper, name), read_run(Path(folder))[1])
        for name, folder in given.items()
    }


def _asked(
    paper: str,
    models: list[str],
    release: Path | None,
    keep: Path | None,
    limit: int | None,
    seed: int,
    device: str,
    allow_pickle: bool,
    progress: Progress,
) -> tuple[dict[str, Computed], list[ModelCell]]:
    """What models got in a paper's suites: by the keys of the ledger, and in rows of their own."""
    from horsesense.api.asking import ask
    from horsesense.methods.suites import find_paper_suite
    from horsesense.replication.asked import SUITES, cells_of, computed_of, is_random, why_no_verdict
    from horsesense.replication.computing import is_whole
    from horsesense.replication.replication import model_cells
    from horsesense.runs.compute_settings import ComputeSettings

    found: dict[str, Computed] = {}
    rows: list[ModelCell] = []
    if not models or paper not in SUITES:
        return found, rows
    for name in SUITES[paper]:
        suite = find_paper_suite(name)
        opened = suite.open_data(release, False)
        where = None if keep is None else keep / "asked" / name
        run = ask(
            models,
            opened.probes,
            out=where,
            spec=suite.spec,
            limit=limit,
            seed=seed,
            compute=ComputeSettings(device=device, allow_pickle=allow_pickle),
            formats="loglikelihood",
            progress=progress,
        )
        records = {each.part.model.name: each.part.model for each in run.answered}
        verdicts = {each.name: why_no_verdict(paper, each, is_random(each)) for each in records.values()}
        part = limit is not None or bool(opened.missing) or not is_whole(paper, release, opened.found.values())
        cells = list(cells_of(name, suite.tables(list(run.answered), (), opened.others)))
        found |= computed_of(paper, cells, verdicts, part)
        rows += model_cells(cells, verdicts, part)
    return found, rows


def _write(done: Replicated, folder: Path) -> None:
    """The document, the Markdown and the page, beside what was kept."""
    import orjson

    from horsesense.data import writing

    with writing(folder / DOCUMENT) as temporary:
        temporary.write_bytes(orjson.dumps(done.to_json(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    with writing(folder / MARKDOWN) as temporary:
        temporary.write_text(done.markdown(), encoding="utf-8")
    done.write_page(folder / PAGE)
