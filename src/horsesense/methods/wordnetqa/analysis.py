"""Analyse answers to WordNetQA: strict accuracy, accuracy by hops and distractors, effects on difficulty.

Section 5 and figure 3 of the paper: accuracy by the hops k between the asked concept and the answer and by the distance
k′ of the distractors. Each cell also has the accuracy of cues from the relations of options to each other, because
near distractors may give the answer away as they make it harder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from horsesense.core import Item
from horsesense.core.document import Document
from horsesense.cues.battery import Number, battery, number_scores, shares
from horsesense.cues.table import table_of
from horsesense.errors import UserError, translate_errors
from horsesense.lexicons.graph import Graph
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.probe_answers import ProbeAnswers, read_run
from horsesense.stats import Estimate, accuracy
from horsesense.stats.clustered_logit import Effect, clustered_logit, supported
from horsesense.stats.families import StrictAt, strict_at_sizes

KINSHIP = ("above another", "below another", "near another")
_FEWEST = 5
"""Minimum number of items per cell."""


@dataclass(frozen=True, slots=True)
class HopsCell:
    """Items with the same hops and the same kind of distractors."""

    hops: int
    """k: links between the asked concept and the answer."""
    kind: str
    """Kind of the distractors."""
    distance: int
    """k′: distance of the distractors from the asked concept; 0 for random ones."""
    accuracy: Estimate
    """Accuracy, clustered by the group on the card."""
    kinship: float | None
    """Accuracy of picking by the relations of options, for the best of three cues in two directions; null without
    WordNet."""


@dataclass(frozen=True, slots=True)
class WordNetAnalysis:
    """Analysis of one model on one probe."""

    model: str
    """Model."""
    probe: str
    """Probe."""
    accuracy: Estimate
    """Accuracy on all items."""
    strict: tuple[StrictAt, ...]
    """Strict accuracy (all right) at fixed sizes, per concept and per question."""
    cells: tuple[HopsCell, ...]
    """Figure 3; empty where no item has hops."""
    same_words: tuple[HopsCell, ...]
    """Accuracy by hops on the words that are asked at every number of hops, so that only the distance differs."""
    effects: tuple[Effect, ...]
    """Effects of hops and kinds of distractors on the log odds; empty where they do not vary."""


@dataclass(frozen=True, slots=True)
class WordNetAnalyses(Document):
    """Analyses of a run on WordNetQA."""

    results: tuple[WordNetAnalysis, ...]
    """One per model and probe."""


def analyse_run(folder: Path, taxonomy: Graph | None = None) -> WordNetAnalyses:
    """Analyse all answers of a run; ``taxonomy`` is WordNet, for cues from the relations of options."""
    _, answered = read_run(folder)
    wanted = [part for part in answered if part.judged and any("task" in item.facets for item in part.items)]
    if not wanted:
        raise UserError("the run has no answers to WordNetQA", file=folder, fix="give a run on a probe of that method")
    return WordNetAnalyses(tuple(analyse_answers(part, taxonomy) for part in wanted))


def analyse_answers(answered: ProbeAnswers, taxonomy: Graph | None = None) -> WordNetAnalysis:
    """Analyse the answers of one model to one probe."""
    items = answered.items
    earned = answered.credits(answered.primary())
    values = earned.values.tolist()
    questions, counts = [question_of(item) for item in items], [len(item.options) for item in items]
    strict = strict_at_sizes(values, [item.unit() for item in items], questions, counts)
    return WordNetAnalysis(
        model=answered.part.model.name,
        probe=answered.part.probe.name,
        accuracy=answered.estimate(earned),
        strict=tuple(strict),
        cells=tuple(hops_cells(items, values, answered.units.tolist(), taxonomy)),
        same_words=tuple(same_words_cells(items, values, answered.units.tolist())),
        effects=tuple(hops_effects(items, values)),
    )


def question_of(item: Item) -> str:
    """Return what an item asks without its distractors: the question and the right answer."""
    return f"{item.premise}\0{item.text}\0{item.options[item.answer] if item.answer is not None else ''}"


def hops_cells(
    items: Sequence[Item],
    values: Sequence[float],
    units: Sequence[int],
    taxonomy: Graph | None = None,
    all_hops: bool = False,
) -> list[HopsCell]:
    """Compute accuracy by hops, kind and distance of the distractors, without small cells; ``all_hops`` includes
    items that ask for the concept itself."""
    cells: dict[tuple[int, str, int], list[int]] = {}
    for index, item in enumerate(items):
        hops = item.facets.get("hops", 0 if all_hops and "distractor_kind" in item.facets else None)
        if item.answer is not None and isinstance(hops, int) and hops >= (0 if all_hops else 1):
            kind, distance = str(item.facets.get("distractor_kind", "")), item.facets.get("distractor_hops", 0)
            cells.setdefault((hops, kind, int(distance)), []).append(index)
    found = []
    for (hops, kind, distance), indices in sorted(cells.items()):
        if len(indices) >= _FEWEST:
            kinship = _kinship([items[index] for index in indices], taxonomy)
            found.append(HopsCell(hops, kind, distance, _accuracy(indices, items, values, units), kinship))
    return found


def same_words_cells(items: Sequence[Item], values: Sequence[float], units: Sequence[int]) -> list[HopsCell]:
    """Compute accuracy by hops and kind of distractors on the words that are asked at every number of hops."""
    asked: dict[tuple[str, str], dict[int, list[int]]] = {}
    for index, item in enumerate(items):
        if item.answer is not None and item.facets.get("hops"):
            word = str(item.facets.get("distractor_kind", "")), item.unit("asked")
            asked.setdefault(word, {}).setdefault(int(item.facets["hops"]), []).append(index)
    cells = []
    for kind in dict.fromkeys(kind for kind, _ in asked):
        words = [by_hops for (own, _), by_hops in asked.items() if own == kind]
        every = sorted({hops for by_hops in words for hops in by_hops})
        whole = [by_hops for by_hops in words if len(by_hops) == len(every)]
        if len(every) > 1 and len(whole) >= _FEWEST:
            for hops in every:
                indices = [index for by_hops in whole for index in by_hops[hops]]
                cells.append(HopsCell(hops, kind, 0, _accuracy(indices, items, values, units), None))
    return cells


def _accuracy(places: Sequence[int], items: Sequence[Item], values: Sequence[float], units: Sequence[int]) -> Estimate:
    chance = float(np.mean([1 / len(items[index].options) for index in places]))
    return accuracy([values[index] for index in places], [str(units[index]) for index in places], chance)


def _kinship(items: Sequence[Item], taxonomy: Graph | None) -> float | None:
    if taxonomy is None:
        return None
    table = table_of(items, "family", taxonomy)
    earned = []
    for cue in battery():
        if cue.name in KINSHIP and isinstance(cue, Number):
            scores = number_scores(table, cue)
            earned += [float(shares(table, sign * scores)[0][table.gold].mean()) for sign in (1, -1)]
    return max(earned)


def hops_effects(items: Sequence[Item], values: Sequence[float]) -> list[Effect]:
    """Fit one regression on hops, kinds of distractors and part of speech, clustered by concept and answer."""
    rows = [
        (item, value == 1)
        for item, value in zip(items, values, strict=True)
        if item.answer is not None and isinstance(item.facets.get("hops"), int) and item.facets["hops"]
    ]
    if not rows:
        return []
    columns: dict[str, list[float]] = {"one hop more": [float(item.facets["hops"]) for item, _ in rows]}
    for kind in sorted({str(item.facets.get("distractor_kind", "random")) for item, _ in rows} - {"random", "pair"}):
        columns[f"{kind} distractors"] = [float(item.facets.get("distractor_kind") == kind) for item, _ in rows]
    columns["a verb"] = [float(item.facets.get("pos") == "v") for item, _ in rows]
    right, asked = [right for _, right in rows], [item.unit("asked") for item, _ in rows]
    answers = [item.unit("answer") for item, _ in rows]
    varied = supported(right, columns, asked, answers)
    if not varied:
        return []
    try:
        return clustered_logit(right, varied, asked, answers)
    except UserError:  # too few clusters, or all right: no effect can be estimated
        return []


@translate_errors()
def analyse(run: str | Path, *, chart: str | Path = "", progress: Progress = NO_PROGRESS) -> WordNetAnalyses:
    """Analyse a run on WordNetQA: strict accuracy, accuracy by hops and distractors, and effects on difficulty.

    Args:
        run: Run folder.
        chart: File for figure 3 of the paper, drawn for the first model and probe: .svg, .png or .html.
        progress: Progress callback.

    Returns:
        One analysis per model and probe; its cells are figure 3 of the paper.
    """
    from horsesense.lexicons.sources import find_wordnet_graph

    analyses = analyse_run(Path(run), find_wordnet_graph())
    if chart:
        _save_chart(analyses, Path(chart), progress)
    return analyses


def _save_chart(analyses: WordNetAnalyses, file: Path, progress: Progress) -> None:
    """Draw the first analysis that has hops."""
    from horsesense.data import writing

    analysis = next((each for each in analyses.results if each.cells), None)
    if analysis is None:
        progress.log("no item has hops, so no chart was drawn")
        return
    with writing(file) as temporary:
        plot_hops(analysis).save(str(temporary), format=file.suffix.lstrip("."))
    progress.log(f"figure 3 of {analysis.model} on {analysis.probe} is in {file}")


@translate_errors()
def plot_hops(analysis: WordNetAnalysis) -> Any:
    """Draw figure 3 of the paper: accuracy by hops k, one line per kind and distance k′, with intervals.

    Args:
        analysis: One of the results of `analyse`.

    Returns:
        A chart (Altair).
    """
    from horsesense.methods.suites.charts import hops_chart

    rows = [
        {
            "k": cell.hops,
            "distractors": _distractors(cell),
            "accuracy": cell.accuracy.value,
            "low": cell.accuracy.low,
            "high": cell.accuracy.high,
            "n": cell.accuracy.n,
            "chance": cell.accuracy.chance,
        }
        for cell in analysis.cells
    ]
    return hops_chart(rows, f"{analysis.model} on {analysis.probe}")


def _distractors(cell: HopsCell) -> str:
    """Name a kind of distractors: "sister, k′ 2"."""
    return f"{cell.kind}, k′ {cell.distance}" if cell.distance else cell.kind
