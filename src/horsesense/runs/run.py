"""A run: the answers of models to probes, with results, tables, charts and the report."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from horsesense.core import Probe
from horsesense.core.document import Frame, columns_of, plain
from horsesense.core.spec import Normalisation
from horsesense.errors import UserError, unknown
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.manifest import Manifest
from horsesense.runs.probe_answers import ProbeAnswers, read_finished, read_run, results_of
from horsesense.runs.result import Result, shown_names

if TYPE_CHECKING:
    from horsesense.runs.comparison import Comparison
    from horsesense.runs.withheld import WithheldResult
    from horsesense.runs.wordings import WordingResult


class Results(Frame):
    """One row per model and probe; `documents` has the complete result of each."""

    def __init__(self, results: Sequence[Result]) -> None:
        self.documents = tuple(results)
        super().__init__(columns_of([_row(result) for result in results]), "accuracy")

    def to_json(self) -> list[dict[str, Any]]:
        """Return what ``horsesense run --json`` prints as its results."""
        documents: list[dict[str, Any]] = plain(self.documents)
        return documents


_NO_RATE = dict.fromkeys(("accuracy", "low", "high"))


def _row(result: Result) -> dict[str, Any]:
    strict = result.strict
    return {
        "model": result.model,
        "probe": result.probe,
        "format": result.format,
        **(result.accuracy.columns("accuracy") | ({} if result.answered else _NO_RATE)),
        "strict": None if strict is None else strict.value,
        "families": None if strict is None else strict.n,
        "normalise": result.normalise,
        "ties": result.ties,
        "unjudged": result.unjudged,
        "unanswered": result.asked_items - result.answered,
        "verdict": result.verdict,
    }


class Run:
    """Answers of models to probes, in memory or in a folder."""

    def __init__(
        self,
        answered: Sequence[ProbeAnswers],
        folder: Path | None = None,
        normalise: Normalisation | None = None,
        manifest: Manifest | None = None,
        beside: Sequence[ProbeAnswers] = (),
        wholes: Mapping[str, Probe] | None = None,
        until: str = "",
    ) -> None:
        self.answered = tuple(answered if normalise is None else (replace(a, normalise=normalise) for a in answered))
        """Each model on each probe, item by item; ``normalise`` replaces the normalisation that was requested."""
        self.manifest = manifest
        """Manifest of the folder; None for a run in memory."""
        self.beside = tuple(beside)
        """Answers of earlier calls in the same folder."""
        self.folder = folder
        """Folder of the run; None for a run in memory."""
        self.until = until
        """Rule that the run was stopped by; empty without one."""
        self.tables: tuple[Any, ...] = ()
        """Tables of the paper, if this is a suite (`horsesense.methods.suites.frame.PaperTable`)."""
        self.wholes = wholes or {}
        """Whole probes, by name, of which a part was run: cues are measured on all of their items."""

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(dict.fromkeys(each.part.model.name for each in self.answered))

    @property
    def probes(self) -> tuple[str, ...]:
        """Names of the probes."""
        return tuple(dict.fromkeys(each.part.probe.name for each in self.answered))

    def results(self) -> Results:
        """Return accuracy with its interval, chance and n, one row per model and probe with gold answers."""
        return Results(self.result_list())

    def result_list(self) -> list[Result]:
        """Return the result of each model on each probe with gold answers."""
        return list(results_of(self.answered))

    def withheld(self) -> tuple[WithheldResult, ...]:
        """Compare the items asked whole with the same items without options or question (``withhold``)."""
        from horsesense.runs.withheld import withheld_results

        return withheld_results(self.answered)

    def wordings(self) -> tuple[WordingResult, ...]:
        """Return accuracy over several wordings, with the interval that contains the wording (``wordings``)."""
        from horsesense.runs.wordings import wording_results

        return wording_results(self.answered)

    def by(self, facet: str) -> Frame:
        """Return accuracy by the values of a facet, for every model and probe that has it."""
        from horsesense.stats.slices import by_facet

        rows = []
        for each in self.answered:
            facets = each.facets
            if not each.has_answers or facet not in facets:
                continue
            credits = each.credits(each.primary())
            for part in by_facet(credits.values, each.units, facets, facet, each.columns.guesses).slices:
                named: dict[str, Any] = {
                    "model": each.part.model.name,
                    "probe": each.part.probe.name,
                    "format": each.format,
                }
                named[facet] = part.where[0]
                rows.append(named | part.accuracy.columns("accuracy"))
        if not rows:
            raise unknown("facet", facet, {name for each in self.answered for name in each.facets.names})
        return Frame(columns_of(rows), f"accuracy by {facet}")

    def items(self) -> Frame:
        """Return one row per model and item: text, options, gold, prediction, credit, margin, scores, facets."""
        return Frame(columns_of(self._item_rows()), "items with answers")

    def _item_rows(self) -> Iterator[dict[str, Any]]:
        for each in self.answered:
            how = each.primary()
            credits, scores = each.credits(how), each.scores(how)
            for index, item in enumerate(each.items):
                predicted = credits.predicted[index]
                yield {
                    "model": each.part.model.name,
                    "probe": each.part.probe.name,
                    "format": each.format,
                    "item": item.id,
                    "form": item.form,
                    "premise": item.premise,
                    "text": item.text,
                    "options": list(item.options),
                    "gold": item.answer,
                    "prediction": predicted[0] if len(predicted) == 1 else None,
                    "credit": None if item.answer is None else float(credits.values[index]),
                    "margin": None if item.answer is None else float(credits.margins[index]),
                    "scores": list(scores[index]),
                    "family": item.family,
                    "member": item.member,
                    **{f"facet_{name}": value for name, value in item.facets.items()},
                    **{f"group_{name}": value for name, value in item.groups.items()},
                }

    def tokens(self) -> Frame:
        """Return one row per token of an option: string, offsets, log-probability; none for a classifier."""
        return Frame(columns_of(self._token_rows()), "tokens of the options")

    def _token_rows(self) -> Iterator[dict[str, Any]]:
        from horsesense.scoring.texts import stored_texts

        for each in self.answered:
            for item, answer in zip(each.items, each.answers, strict=True):
                for option, text in enumerate(stored_texts(answer, item, each.spec)):
                    for token in text.tokens if text is not None else ():
                        yield {
                            "model": each.part.model.name,
                            "probe": each.part.probe.name,
                            "format": each.format,
                            "item": item.id,
                            "option": option,
                            "token": token.token,
                            "start": token.start,
                            "end": token.end,
                            "logprob": token.logprob,
                        }

    def only(self, items: Collection[str]) -> Run:
        """Return the answers to some of the items, by their ids: where a cue fails, where people agree.

        Args:
            items: Ids of items, as `items()` has them; those that were not asked are passed over.

        Returns:
            A run in memory; a probe of which no item is left is left out.
        """
        ids, parts = set(items), []
        for each in self.answered:
            pairs = [(i, a) for i, a in zip(each.items, each.answers, strict=True) if i.id in ids]
            if pairs:
                probe = Probe.of([item for item, _ in pairs], each.probe.card)
                parts.append(replace(each, probe=probe, answers=[answer for _, answer in pairs]))
        if not parts:
            raise UserError("none of these items was asked", fix="take ids from run.items()")
        return Run(parts)

    def compare(self, *others: Run) -> Comparison:
        """Compare all models of this run and others on the items that all answered, probe by probe."""
        from horsesense.runs.comparison import Comparison, compare_runs

        return Comparison(tuple(compare_runs(answers_by_place((self, *others)))))

    def plot(self, what: str = "accuracy") -> Any:
        """Draw ``"accuracy"`` of every model and probe, or accuracy by a facet of that name (Altair)."""
        from horsesense.drawing import accuracies

        if what == "accuracy":
            rows = [
                row | {"label": f"{row['model']} on {row['probe']}{_by(row['format'])}"}
                for row in self.results()
                if row["n"]
            ]
            return accuracies(rows, "accuracy")
        rows = [row | {"label": str(row[what])} for row in self.by(what)]
        return accuracies(rows, f"accuracy by {what}")

    def report(
        self, path: str | Path, cues: bool = True, pictures: bool = True, progress: Progress = NO_PROGRESS
    ) -> Path:
        """Write the report: one self-contained HTML page.

        Args:
            path: File to write.
            cues: Search for the best cue of each probe too, which takes seconds.
            pictures: Draw curves into the page, which takes seconds.
            progress: Progress callback.

        Returns:
            The path.
        """
        from horsesense.report.run_report import write_report

        write_report(self, out=path, cues=cues, pictures=pictures, progress=progress)
        return Path(path)

    def export(self, path: str | Path, rows: Literal["items", "tokens"] = "items") -> Frame:
        """Write a table with one row per item, or per token: .csv, .jsonl, .json or .parquet.

        Args:
            path: File to write.
            rows: One row per item (options, gold answer, prediction, scores, facets), or per token.

        Returns:
            The table.
        """
        if rows not in ("items", "tokens"):
            raise unknown("kind of row", rows, ("items", "tokens"))
        frame = self.items() if rows == "items" else self.tokens()
        if not len(frame):
            raise UserError("there are no tokens in these answers", file=self.folder, fix="export the items")
        frame.write(path)
        return frame

    def __repr__(self) -> str:
        where = f" in {self.folder}" if self.folder else ""
        return f"Run of {', '.join(self.models)} on {', '.join(self.probes)}{where}"

    def _repr_html_(self) -> str:
        return self.results()._repr_html_()


def _by(prompt_format: str) -> str:
    return "" if prompt_format == "loglikelihood" else f" by {prompt_format}"


AnyRun = Run | str | Path
"""A run, or its folder."""


def answers_by_place(runs: Sequence[AnyRun]) -> list[tuple[Path, Sequence[ProbeAnswers]]]:
    """Return all answers of runs, each with its folder; runs in memory are numbered."""
    if not runs:
        raise UserError("no run is given", fix="name a run folder")
    return [
        (run.folder or Path(f"run {number}"), run.answered)
        if isinstance(run, Run)
        else (Path(run), read_run(Path(run))[1])
        for number, run in enumerate(runs, start=1)
    ]


def finished_by_place(runs: Sequence[AnyRun]) -> tuple[list[tuple[Path, Sequence[ProbeAnswers]]], list[str]]:
    """As `answers_by_place`, but leave out incomplete answers, and name them."""
    by_place: list[tuple[Path, Sequence[ProbeAnswers]]] = []
    left: list[tuple[str, str]] = []
    for number, run in enumerate(runs, start=1):
        if isinstance(run, Run):
            by_place.append((run.folder or Path(f"run {number}"), run.answered))
        else:
            _, answered, incomplete = read_finished(Path(run), alone=len(runs) == 1)
            by_place.append((Path(run), answered))
            left += incomplete
    if not any(answered for _, answered in by_place):
        answers_by_place(runs)  # says what is wrong with the first
    names = shown_names([*(a.part.model.name for _, all_of in by_place for a in all_of), *(model for model, _ in left)])
    return by_place, [f"{names[model]} on {probe}" for model, probe in left]


def answered_of(runs: Sequence[AnyRun]) -> list[ProbeAnswers]:
    """Return all answers of several runs, in their order."""
    return [each for _, answered in answers_by_place(runs) for each in answered]


def folder_of(run: AnyRun) -> Path | None:
    """Return the folder of a run; None for a run in memory."""
    return run.folder if isinstance(run, Run) else Path(run)
