"""RICA: first-order axioms, perturbed in 24 ways, about novel entities.

Zhou et al., "RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms" (EMNLP 2021), section 2.

- Logic: `axioms` (the algebra), `notation` (parsing), `perturbations` (the 24 kinds, and proofs of equivalence).
- Words: `english_statements` (an axiom in words), `lexicon` (antonyms, paraphrases), `trained_realiser`.
- Knowledge: `knowledge_tables` and `strategies` (where axioms come from), `type_constraints` (which phrases fit).
- Probe: `balance` (structure gives nothing away), `items` (the three tasks and the fact ladder), `builder`.
- Runs: `views` (three tasks), `controls`, `clues`, `analysis` (answers and tables), `study` (all in one folder).
- The paper: `published_statements` and `published_axioms` (readers and checks), `suite` (its figures).

The commands of `METHOD` name the public functions, which are also attributes of this package (``hs.rica.derive``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.registry import Method, Reader, lazy_attributes, read_commands, typed_names

if TYPE_CHECKING:
    from horsesense.methods.rica.analysis import analyse as analyse
    from horsesense.methods.rica.analysis import plot_ladder as plot_ladder
    from horsesense.methods.rica.builder import RicaModels as RicaModels
    from horsesense.methods.rica.builder import RicaSources as RicaSources
    from horsesense.methods.rica.builder import build as build
    from horsesense.methods.rica.clues import find_clues as find_clues
    from horsesense.methods.rica.controls import write_controls as write_controls
    from horsesense.methods.rica.lexicon import check_lexicon as check_lexicon
    from horsesense.methods.rica.perturbations import derive as derive
    from horsesense.methods.rica.perturbations import equivalent as equivalent
    from horsesense.methods.rica.published_axioms import check_published_axioms as check_published_axioms
    from horsesense.methods.rica.published_axioms import filter_recall as filter_recall
    from horsesense.methods.rica.study import run_study as run_study
    from horsesense.methods.rica.trained_realiser import compare_wording as compare_wording
    from horsesense.methods.rica.trained_realiser import write_pairs as write_pairs
    from horsesense.methods.rica.views import run_views as run_views

_HERE = "horsesense.methods.rica"


METHOD = Method(
    name="rica",
    citation="Pei Zhou and others. RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms. EMNLP "
    "2021. doi:10.18653/v1/2021.emnlp-main.598",
    files={"rica": _HERE},
    readers={
        "rica": Reader(f"{_HERE}.published_statements:read_rica", "SENTENCES MASK_WORDS [CONFIG]", 2, 3),
        "rica-axioms": Reader(f"{_HERE}.published_axioms:read_rica_axioms"),
    },
    suites={"rica": f"{_HERE}.suite:RICA"},
    rules={"rica": "horsesense.stats.raters.adjudication:TWO_ROUNDS"},
    instruments=_HERE,
    missing_controls=f"{_HERE}.controls:missing_controls",
    tables=f"{_HERE}.analysis:tables_of_run",
    summary="Derive, prove and analyse RICA statements",
    # Section 3.1: candidates at the mask; GPT-2 by the product over the statement, from its second token on.
    settings={
        "low-resource": f"{_HERE}.training_settings:LOW_RESOURCE",
        "high-resource": f"{_HERE}.training_settings:HIGH_RESOURCE",
        "noisy": f"{_HERE}.training_settings:NOISY",
    },
    presets={"paper:rica": "pll=token,bos=none"},
    commands=read_commands(__file__, __name__),
)
"""What this package adds to the program."""

_PUBLIC = typed_names(__file__)
__all__ = [*_PUBLIC]
__getattr__, __dir__ = lazy_attributes(__name__, _PUBLIC)
