"""What comes of asking: answers of models to probes, with numbers, tables, charts and the page."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from horsesense.api.frames import Frame, columns_of
from horsesense.api.results import Comparison, Results, estimate_columns
from horsesense.core import Probe
from horsesense.core.spec import Normalisation
from horsesense.errors import UserError
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.comparison import AskedProbe, compare_runs
from horsesense.runs.manifest import Manifest
from horsesense.runs.result import Result
from horsesense.runs.results import Answered, results_of


class Run:
    """Probes as models answered them, in memory or in a folder."""

    def __init__(
        self,
        answered: Sequence[Answered],
        folder: Path | None = None,
        normalise: Normalisation | None = None,
        manifest: Manifest | None = None,
        beside: Sequence[Answered] = (),
        wholes: Mapping[str, Probe] | None = None,
    ) -> None:
        self.answered = tuple(answered)
        """Each model on each probe, item by item."""
        self.manifest = manifest
        """How it was asked; None where it is not kept."""
        self.beside = tuple(beside)
        """What earlier calls asked in the same folder."""
        self.folder = folder
        """Where it is kept; None where it is not."""
        self.normalise = normalise
        """How options are compared; None: as each probe's card says, or by the form of an item."""
        self.wholes = wholes or {}
        """Probes of which a part was asked, by name, while they are at hand: cues are judged on all of their items."""

    @property
    def models(self) -> tuple[str, ...]:
        """Who was asked."""
        return tuple(dict.fromkeys(each.part.model.name for each in self.answered))

    @property
    def probes(self) -> tuple[str, ...]:
        """What was asked."""
        return tuple(dict.fromkeys(each.part.probe.name for each in self.answered))

    def results(self) -> Results:
        """Accuracy with its interval, chance and n, one row a model and probe that has a gold."""
        return Results(self.result_list())

    def result_list(self) -> list[Result]:
        """The result of each model on each probe that has gold answers."""
        return list(results_of(self.answered, self.normalise))

    def by(self, facet: str) -> Frame:
        """Accuracy by the values of a facet, for every model and probe that has it."""
        from horsesense.errors import unknown
        from horsesense.stats.slices import by_facet

        rows = []
        for each in self.answered:
            facets = each.facets
            if not each.judged or facet not in facets:
                continue
            credits = each.credits(self.normalise or each.primary())
            for part in by_facet(credits.values, each.units, facets, facet, each.columns.guesses).slices:
                named: dict[str, Any] = {
                    "model": each.part.model.name,
                    "probe": each.part.probe.name,
                    "format": each.format,
                }
                named[facet] = part.where[0]
                rows.append(named | estimate_columns("accuracy", part.accuracy))
        if not rows:
            raise unknown("facet", facet, {name for each in self.answered for name in each.facets.names})
        return Frame(columns_of(rows), f"accuracy by {facet}")

    def items(self) -> Frame:
        """One row a model and item: text, options, gold, prediction, credit, margin, scores, facets and groups."""
        return Frame(columns_of(self._item_rows()), "items as models answered them")

    def _item_rows(self) -> Iterator[dict[str, Any]]:
        for each in self.answered:
            how = self.normalise or each.primary()
            credits, scores = each.credits(how), each.scores(how)
            for place, item in enumerate(each.items):
                predicted = credits.predicted[place]
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
                    "credit": None if item.answer is None else float(credits.values[place]),
                    "margin": None if item.answer is None else float(credits.margins[place]),
                    "scores": list(scores[place]),
                    "family": item.family,
                    "member": item.member,
                    **{f"facet_{name}": value for name, value in item.facets.items()},
                    **{f"group_{name}": value for name, value in item.groups.items()},
                }

    def tokens(self) -> Frame:
        """One row a token of an option: its string, offsets and log-probability. A classifier's answers have none."""
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
        """The same answers to some of the items, by their ids: where a cue fails, where people agree.

        Args:
            items: Ids of items, as `items()` has them; those that were not asked are passed over.

        Returns:
            A run in memory; a probe of which no item is left is left out.
        """
        wanted, kept = set(items), []
        for each in self.answered:
            pairs = [(i, a) for i, a in zip(each.items, each.answers, strict=True) if i.id in wanted]
            if pairs:
                probe = Probe.of([item for item, _ in pairs], each.probe.card)
                kept.append(replace(each, probe=probe, answers=[answer for _, answer in pairs]))
        if not kept:
            raise UserError("none of these items was asked", fix="take ids from run.items()")
        return Run(kept, None, self.normalise)

    def compare(self, *others: Run) -> Comparison:
        """All models of this run and others on the items that all were asked, probe by probe: is a difference real?"""
        return Comparison(tuple(compare_runs(answers_by_place((self, *others)), self.normalise)))

    def plot(self, what: str = "accuracy") -> Any:
        """A chart (Altair): ``"accuracy"`` of every model and probe, or accuracy by a facet of that name."""
        from horsesense.report.drawing import accuracies

        if what == "accuracy":
            rows = [row | {"label": f"{row['model']} on {row['probe']}{_by(row['format'])}"} for row in self.results()]
            return accuracies(rows, "accuracy")
        rows = [row | {"label": str(row[what])} for row in self.by(what)]
        return accuracies(rows, f"accuracy by {what}")

    def report(self, path: str | Path, cues: bool = True, progress: Progress = NO_PROGRESS) -> Path:
        """Write the page: one HTML file that asks nothing of a network.

        Args:
            path: Where to.
            cues: Look for the best cue of each probe too, which takes seconds.
            progress: Told where charts are left out, because the extra ``pictures`` is not installed.

        Returns:
            The path.
        """
        from horsesense.report.collection import collect_answered, with_tables
        from horsesense.report.page import write_report

        place = self.folder or Path("memory")
        runs = [(place, self.answered)]
        collected = with_tables(collect_answered(runs, cues, self.normalise, progress), runs)
        if self.manifest is not None:
            collected = replace(collected, manifests={place: self.manifest})
        write_report(collected, Path(path), drawn=True, progress=progress)
        return Path(path)

    def __repr__(self) -> str:
        kept = f" in {self.folder}" if self.folder else ""
        return f"Run of {', '.join(self.models)} on {', '.join(self.probes)}{kept}"

    def _repr_html_(self) -> str:
        return self.results()._repr_html_()


def _by(prompt_format: str) -> str:
    return "" if prompt_format == "loglikelihood" else f" by {prompt_format}"


AnyRun = Run | str | Path
"""A run in hand, or the folder that keeps one."""


def answers_by_place(runs: Sequence[AnyRun]) -> list[tuple[Path, Sequence[Answered]]]:
    """All answers of runs, each with the folder that keeps it; runs in memory are numbered."""
    from horsesense.runs.results import read_run

    return [
        (run.folder or Path(f"run {number}"), run.answered)
        if isinstance(run, Run)
        else (Path(run), read_run(Path(run))[1])
        for number, run in enumerate(runs, start=1)
    ]


def finished_by_place(runs: Sequence[AnyRun]) -> tuple[list[tuple[Path, Sequence[Answered]]], list[str]]:
    """As `answers_by_place`, but what is not finished in a folder is left out and named."""
    from horsesense.runs.result import shown_names
    from horsesense.runs.results import read_finished

    by_place: list[tuple[Path, Sequence[Answered]]] = []
    left: list[tuple[str, str]] = []
    for number, run in enumerate(runs, start=1):
        if isinstance(run, Run):
            by_place.append((run.folder or Path(f"run {number}"), run.answered))
        else:
            manifest, answered, unfinished = read_finished(Path(run), alone=len(runs) == 1)
            by_place.append((Path(run), answered))
            begun = [(part.model.name, str(AskedProbe(part.probe.name, part.format))) for part in unfinished]
            left += begun + manifest.not_begun
    if not any(answered for _, answered in by_place):
        answers_by_place(runs)  # says what is wrong with the first
    shown = shown_names([*(a.part.model.name for _, all_of in by_place for a in all_of), *(model for model, _ in left)])
    return by_place, [f"{shown[model]} on {probe}" for model, probe in left]


def answered_of(runs: Sequence[AnyRun]) -> list[Answered]:
    """All answers of several runs, in their order."""
    return [each for _, answered in answers_by_place(runs) for each in answered]
