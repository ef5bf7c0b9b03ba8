"""RICA: first-order axioms, perturbed in 24 ways, about novel entities.

Zhou et al., "RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms" (EMNLP 2021), section 2.

- Logic: `axioms` (the algebra), `notation` (parsing), `perturbations` (the 24 kinds, and proofs of equivalence).
- Words: `statements` (an axiom in words), `lexicon` (antonyms and paraphrases), `realiser` (statements by a model).
- Knowledge: `knowledge_tables` and `strategies` (where axioms come from), `type_constraints` (which phrases fit).
- Probe: `balance` (structure gives nothing away), `items` (the three tasks), `ladder` (the fact ladder), `builder`.
- Runs: `views` (three tasks), `controls`, `clues`, `analysis` (answers and tables), `study` (all in one folder).
- The paper: `published_statements` and `published_axioms` (readers and checks), `suite` (its figures).

The commands of `METHOD` name the public functions, which are also attributes of this package (``hs.rica.derive``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.registry import Command, Method, Reader, lazy_attributes, public_names

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
    from horsesense.methods.rica.views import run_views as run_views

_HERE = "horsesense.methods.rica"


def _command(name: str, target: str, summary: str, example: str, renderer: str) -> Command:
    render = f"{_HERE}.terminal:{renderer}"
    return Command(f"rica {name}", f"{_HERE}.{target}", summary, f"horsesense rica {name} {example}", render=render)


METHOD = Method(
    name="rica",
    citation="Pei Zhou and others. RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms. EMNLP "
    "2021. doi:10.18653/v1/2021.emnlp-main.598",
    builders={"rica": f"{_HERE}.builder:build"},
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
    commands=(
        Command(
            "build rica",
            f"{_HERE}.builder:build",
            "Build statements about novel entities",
            "horsesense build rica --limit 500 -o rica.jsonl",
            "Build and check probes",
        ),
        _command("analyse", "analysis:analyse", "Analyse a run on RICA probes", "runs/rica", "analysis"),
        _command(
            "clues", "clues:find_clues", "Find the words that predictions rest on", "rica.jsonl -m smollm2", "clues"
        ),
        _command("controls", "controls:write_controls", "Write the controls of a RICA probe", "rica.jsonl", "controls"),
        _command(
            "derive",
            "perturbations:derive",
            "Derive the perturbations of an axiom",
            "'boss(A, B), so More(strict(A), strict(B))'",
            "derivation",
        ),
        _command(
            "equivalent",
            "perturbations:equivalent",
            "Prove that two forms are equivalent",
            "'Taller(A, B), so Harder(hide(A), hide(B))' 'Shorter(A, B), so Easier(hide(A), hide(B))'",
            "proof",
        ),
        _command("lexicon", "lexicon:check_lexicon", "Compare the lexicon with WordNet", "--json", "lexicon"),
        _command(
            "published",
            "published_axioms:check_published_axioms",
            "Compare the published axioms with ours",
            "RICA_10k_axiom2set.jsonl",
            "published_axioms",
        ),
        _command(
            "recall",
            "published_axioms:filter_recall",
            "Measure the recall of the knowledge filters",
            "RICA_10k_axiom2set.jsonl",
            "recall",
        ),
        _command("study", "study:run_study", "Run statements, controls and the ladder", "-m smollm2 -o study", "study"),
        _command(
            "views", "views:run_views", "Run a probe as three tasks", "rica.jsonl -m smollm2 -o runs/views", "views"
        ),
    ),
)
"""What this package adds to the program."""

_PUBLIC = public_names(
    METHOD,
    f"{_HERE}.builder:RicaModels",
    f"{_HERE}.builder:RicaSources",
    f"{_HERE}.analysis:plot_ladder",
)
__all__ = [*_PUBLIC]
__getattr__, __dir__ = lazy_attributes(__name__, _PUBLIC)
