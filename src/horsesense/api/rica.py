"""RICA from Python: one axiom and all the ways to say it, and what answers to RICA probes say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from horsesense.api.rica_asking import AskedViews, clues, views
from horsesense.api.rica_study import Study, study
from horsesense.errors import translate_errors
from horsesense.lexicons.wordnet_source import find_wordnet
from horsesense.methods.rica.analysis import RunAnalysis, analyse_run
from horsesense.methods.rica.controls import Controls, write_controls
from horsesense.methods.rica.equivalence import WrittenProof, written_proof
from horsesense.methods.rica.equivalence import equivalent as prove
from horsesense.methods.rica.knowledge_tables import whole_lexicon
from horsesense.methods.rica.lexicon import LexiconCheck, check_lexicon
from horsesense.methods.rica.notation import parse_form, read_statement
from horsesense.methods.rica.perturbations import Derivation, derivation
from horsesense.methods.rica.recall import FilterRecall, filter_recall
from horsesense.methods.rica.released_axioms import ReleaseCheck, check_release

if TYPE_CHECKING:
    from horsesense.methods.rica.axioms import Axiom

PathLike = str | Path

__all__ = [
    "AskedViews",
    "Study",
    "analyse",
    "clues",
    "controls",
    "derive",
    "equivalent",
    "lexicon",
    "plot_ladder",
    "recall",
    "released",
    "study",
    "views",
]


@translate_errors()
def derive(form: str, *, lexicon: PathLike | None = None) -> Derivation:
    """Every way to say an axiom: the release's six, and those of the 24 kinds that apply.

    Args:
        form: A logical form, or a statement about A and B in plain words.
        lexicon: A table of phrases, antonyms and paraphrases of one's own, before those that ship.

    Returns:
        The forms in logic and in words, by kind.
    """
    return derivation(_axiom(form), whole_lexicon(None if lexicon is None else Path(lexicon)))


@translate_errors()
def equivalent(form: str, other: str, *, lexicon: PathLike | None = None) -> WrittenProof:
    """Whether two forms say the same, with the way from one to the other.

    Args:
        form: A logical form, or a statement in plain words.
        other: Another one.
        lexicon: A table of one's own, before those that ship.

    Returns:
        Yes or no, and the steps of the proof.
    """
    return written_proof(prove(_axiom(form), _axiom(other), whole_lexicon(None if lexicon is None else Path(lexicon))))


@translate_errors()
def controls(probe: PathLike, folder: PathLike | None = None) -> Controls:
    """Write what stands beside every RICA score: the probe without its premise, and with nonsense for its content.

    Args:
        probe: The file of a RICA probe, built or imported.
        folder: Where to; by default beside the probe.

    Returns:
        The files that were written.
    """
    return write_controls(Path(probe), Path(folder) if folder is not None else Path(probe).parent)


@translate_errors()
def analyse(folder: PathLike, against: PathLike | None = None) -> RunAnalysis:
    """Accuracy by kind, positivity bias, test-retest, and the effect of the background fact.

    Args:
        folder: A run folder with answers to RICA probes.
        against: A run of the same model on the same axioms with names: the entity ablation.

    Returns:
        All that the probes' facets allow.
    """
    return analyse_run(Path(folder), None if against is None else Path(against))


@translate_errors()
def plot_ladder(analysis: RunAnalysis, path: PathLike | None = None) -> Any:
    """The fact ladder as a picture: what is right on each rung, of facts that are known and of those that are not.

    Args:
        analysis: What `analyse` returned for a run on a probe of the task ``ladder``.
        path: A file to write it to as well, .svg or .png.

    Returns:
        A chart (Altair), one panel a model.
    """
    from horsesense.report.paper_charts import ladder_chart, write_ladder

    ladders = [(result.model, result.ladder) for result in analysis.results if result.ladder is not None]
    panels = [
        (f"{model}: {each.known.value:.0%} of {each.facts:,} facts known", (each.given_known, each.given_unknown))
        for model, each in ladders
    ]
    if path is not None:
        write_ladder(panels, Path(path))
    return ladder_chart(panels)


def _axiom(text: str) -> Axiom:
    """The axiom of a form; a statement in plain words, which has no brackets, is read too."""
    return read_statement(text) if text.strip() and "(" not in text and ", so " in text else parse_form(text)


@translate_errors()
def lexicon(file: PathLike | None = None) -> LexiconCheck:
    """The pairs behind the lexical operators: who certified each, and what WordNet says of it.

    Args:
        file: A table of one's own, before the one that ships.

    Returns:
        Every pair with its status, and how many there are of each.
    """
    return check_lexicon(whole_lexicon(None if file is None else Path(file)), find_wordnet())


@translate_errors()
def released(file: PathLike) -> ReleaseCheck:
    """Derive the other forms of each released axiom from its original, and show those that differ.

    Args:
        file: The released axioms, plain or gzipped.

    Returns:
        How many are derived exactly, and where the release differs.
    """
    return check_release(Path(file))


@translate_errors()
def recall(file: PathLike) -> FilterRecall:
    """What the filters on knowledge bases would keep of released axioms, all of which people accepted.

    Args:
        file: The released axioms, plain or gzipped.

    Returns:
        The share kept, by kind of premise, each with its interval.
    """
    return filter_recall(Path(file))
