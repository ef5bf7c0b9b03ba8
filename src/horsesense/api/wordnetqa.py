"""WordNetQA from Python: what answers to its probes say, and figure 3 of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from horsesense.errors import naming_extras
from horsesense.methods.wordnetqa.analysis import WordNetAnalyses, WordNetAnalysis, analyse_run

PathLike = str | Path

__all__ = ["WordNetAnalyses", "analyse", "plot_hops"]


@naming_extras()
def analyse(folder: PathLike) -> WordNetAnalyses:
    """Strict accuracy at fixed sizes, accuracy by hops and distractors, and what makes a question harder.

    Args:
        folder: A run folder with answers to WordNetQA.

    Returns:
        One analysis for each model and probe; its cells are figure 3 of the paper.
    """
    from horsesense.knowledge.taxonomy import load_taxonomy
    from horsesense.knowledge.wordnet_source import find_wordnet

    wordnet = find_wordnet()
    return analyse_run(Path(folder), load_taxonomy(wordnet) if wordnet else None)


@naming_extras()
def plot_hops(analysis: WordNetAnalysis) -> Any:
    """Figure 3 of the paper: accuracy by hops k, a line for each kind and distance k′, with intervals.

    Args:
        analysis: One of the results of `analyse`.

    Returns:
        A chart (Altair).
    """
    from horsesense.report.paper_chart import hops_chart

    return hops_chart(analysis.cells, f"{analysis.model} on {analysis.probe}")
