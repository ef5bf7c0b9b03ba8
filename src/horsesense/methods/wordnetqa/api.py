"""Public functions: build WordNetQA and DictionaryQA, check their items, analyse runs on them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge, Interval

from horsesense.core import Probe
from horsesense.errors import translate_errors
from horsesense.methods.wordnetqa.plan import Relation
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.methods.wordnetqa.analysis import HopsCell, WordNetAnalyses, WordNetAnalysis
    from horsesense.methods.wordnetqa.checking import CheckedItems

__all__ = ["analyse", "build", "build_dictionaryqa", "check", "plot_hops"]

PathLike = str | Path


@translate_errors()
def build(
    *,
    relation: Relation,
    source: str = "wordnet",
    limit: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
    options: Annotated[int, Interval(ge=2, le=20)] = 5,
    as_paper: bool = False,
    wording: PathLike = "",
    matched_hops: bool = False,
) -> Probe:
    """Build multiple-choice questions about meanings and kinds from WordNet or another knowledge source.

    Args:
        relation: Relation that the questions ask about.
        source: Knowledge source with isa links, definitions and examples.
        limit: Maximum number of items; whole families are drawn.
        seed: Random seed.
        options: Number of options per question.
        as_paper: Use the rules of the paper, including its cues.
        wording: Question templates in another language, as a .toml file. By default, English.
        matched_hops: For hypernymy, ask for the same answer from several distances, all else equal.

    Returns:
        The probe; the same options and seed give the same items.
    """
    from horsesense.lexicons.sources import open_graph
    from horsesense.methods.audits import with_audit
    from horsesense.methods.wordnetqa.builder import build_wordnetqa
    from horsesense.methods.wordnetqa.matched_hops import build_matched_hops
    from horsesense.methods.wordnetqa.plan import WordNetPlan

    plan = WordNetPlan(relation, seed, limit, as_paper, options, str(wording))
    probe = (build_matched_hops if matched_hops else build_wordnetqa)(open_graph(source), plan)
    return with_audit(probe, similar=source == "wordnet" and not as_paper)


@translate_errors()
def build_dictionaryqa(
    *,
    source: str = "gcide",
    limit: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
    options: Annotated[int, Interval(ge=2, le=20)] = 5,
    as_paper: bool = False,
) -> Probe:
    """Build questions about the sense of a word in an example sentence from a dictionary.

    Args:
        source: Knowledge source with words, definitions and examples.
        limit: Maximum number of items; whole families are drawn.
        seed: Random seed.
        options: Number of options per question.
        as_paper: Use the rules of the paper, including its cues.

    Returns:
        The probe; the same options and seed give the same items.
    """
    from horsesense.lexicons.sources import find_wordnet_graph, open_graph
    from horsesense.methods.audits import with_audit
    from horsesense.methods.wordnetqa.dictionaryqa import DictionaryPlan, build_dictionaryqa

    thesaurus = None if as_paper else find_wordnet_graph()
    probe = build_dictionaryqa(open_graph(source), DictionaryPlan(seed, limit, as_paper, options), thesaurus)
    return with_audit(probe, similar=source == "gcide" and not as_paper)


@translate_errors()
def analyse(run: PathLike, *, chart: PathLike = "", progress: Progress = NO_PROGRESS) -> WordNetAnalyses:
    """Analyse a run on WordNetQA: strict accuracy, accuracy by hops and distractors, and effects on difficulty.

    Args:
        run: Run folder.
        chart: File for figure 3 of the paper, drawn for the first model and probe: .svg, .png or .html.
        progress: Progress callback.

    Returns:
        One analysis per model and probe; its cells are figure 3 of the paper.
    """
    from horsesense.lexicons.sources import find_wordnet_graph
    from horsesense.methods.wordnetqa.analysis import analyse_run

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
    from horsesense.report.paper_charts import hops_chart

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
    """Name a kind of distractors: "sister, k′ 2", "3 aunts"."""
    if cell.near is not None:
        return f"{cell.near} {cell.kind}{'s' if cell.near > 1 else ''}" if cell.near else "none near"
    return f"{cell.kind}, k′ {cell.distance}" if cell.distance else cell.kind


@translate_errors()
def check(
    probe: Probe | PathLike,
    *,
    source: str = "wordnet",
    seed: Annotated[int, Ge(0)] = 0,
    progress: Progress = NO_PROGRESS,
) -> CheckedItems:
    """List the items of WordNetQA or DictionaryQA that break a rule, built here or published.

    Args:
        probe: Name or file of a probe. In Python, also a `Probe`.
        source: Knowledge source of its concepts.
        seed: Random seed of the interval.
        progress: Progress callback.

    Returns:
        The share of items that break a rule, the number per rule, and the items.
    """
    from horsesense.core.catalogue import as_probe
    from horsesense.lexicons.sources import open_graph
    from horsesense.methods.wordnetqa.checking import check_items

    known = as_probe(probe)
    return check_items(
        known.items, known.card.group, lambda: open_graph(source), lambda: _concept_finder(source), seed, progress
    )


def _concept_finder(source: str) -> Callable[[str], str | None]:
    """Return a function from a text to the concept that it names; only WordNet's texts are indexed."""
    from horsesense.cues.table import place_of_text
    from horsesense.lexicons.sources import find_wordnet_graph

    wordnet = find_wordnet_graph() if source == "wordnet" else None
    if wordnet is None:
        return lambda text: None

    def find(text: str) -> str | None:
        index = place_of_text(text, wordnet)
        return wordnet.ids[index] if index >= 0 else None

    return find
