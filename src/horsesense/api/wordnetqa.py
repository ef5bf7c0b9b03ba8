"""WordNetQA from Python: which items break a rule, what answers to its probes say, and figure 3 of the paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge, Interval

from horsesense.api.probes import PathLike, opened
from horsesense.core import Probe
from horsesense.errors import translate_errors
from horsesense.methods.wordnetqa.analysis import HopsCell, WordNetAnalyses, WordNetAnalysis, analyse_run
from horsesense.methods.wordnetqa.plan import Relation
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.methods.wordnetqa.checking import CheckDocument

__all__ = ["WordNetAnalyses", "analyse", "build", "build_dictionaryqa", "plot_hops"]


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
    from horsesense.annotate.audit.stored import with_reading
    from horsesense.lexicons.sources import open_graph
    from horsesense.methods.wordnetqa.building import build_wordnetqa
    from horsesense.methods.wordnetqa.matched_hops import build_matched_hops
    from horsesense.methods.wordnetqa.plan import WordNetPlan

    plan = WordNetPlan(relation, seed, limit, as_paper, options, str(wording))
    probe = (build_matched_hops if matched_hops else build_wordnetqa)(open_graph(source), plan)
    return with_reading(probe, like=source == "wordnet" and not as_paper)


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
    from horsesense.annotate.audit.stored import with_reading
    from horsesense.lexicons.sources import open_graph
    from horsesense.lexicons.wordnet_source import find_wordnet
    from horsesense.methods.wordnetqa.dictionaryqa import DictionaryPlan, build_dictionaryqa

    thesaurus = open_graph("wordnet") if find_wordnet() and not as_paper else None
    probe = build_dictionaryqa(open_graph(source), DictionaryPlan(seed, limit, as_paper, options), thesaurus)
    return with_reading(probe, like=source == "gcide" and not as_paper)


@translate_errors()
def analyse(folder: PathLike) -> WordNetAnalyses:
    """Strict accuracy at fixed sizes, accuracy by hops and distractors, and what makes a question harder.

    Args:
        folder: A run folder with answers to WordNetQA.

    Returns:
        One analysis for each model and probe; its cells are figure 3 of the paper.
    """
    from horsesense.lexicons.taxonomy import load_taxonomy
    from horsesense.lexicons.wordnet_source import find_wordnet

    wordnet = find_wordnet()
    return analyse_run(Path(folder), load_taxonomy(wordnet) if wordnet else None)


@translate_errors()
def plot_hops(analysis: WordNetAnalysis) -> Any:
    """Figure 3 of the paper: accuracy by hops k, a line for each kind and distance k′, with intervals.

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
    probe: Probe | PathLike, *, source: str = "wordnet", seed: int = 0, progress: Progress = NO_PROGRESS
) -> CheckDocument:
    """List every item of WordNetQA or DictionaryQA that breaks a rule of soundness, built here or released.

    Args:
        probe: A probe, its name or its file.
        source: The knowledge source that its concepts are from.
        seed: Which draws the interval of the share comes from.
        progress: Told how far it has come.

    Returns:
        The share of broken items, how many break each rule, and the items.
    """
    from horsesense.lexicons.sources import open_graph
    from horsesense.methods.wordnetqa.checking import check_items

    known = opened(probe)
    return check_items(
        known.items, known.card.group, lambda: open_graph(source), lambda: _names(source), seed, progress
    )


def _names(source: str) -> Callable[[str], str | None]:
    """What a text names: only WordNet is known well enough by its texts."""
    from horsesense.cues.table import place_of_text
    from horsesense.lexicons.taxonomy import load_taxonomy
    from horsesense.lexicons.wordnet_source import find_wordnet

    folder = find_wordnet() if source == "wordnet" else None
    if folder is None:
        return lambda text: None
    taxonomy = load_taxonomy(folder)

    def name(text: str) -> str | None:
        place = place_of_text(text, taxonomy)
        return taxonomy.ids[place] if place >= 0 else None

    return name
