"""WinoVenti: a model's own generic associations turned against it.

Do and Pavlick, "Are Rotten Apples Edible? Challenging Commonsense Inference Ability with Exceptions" (Findings
of ACL 2021). In the order of section 2:

- Step 1: `nouns`, `elicitation` (a model's associations), `associations` (selection, files, similarity of models).
- Step 2: `exceptions`, from people and by machine; `plausibility` (candidates and evidence), `calibration`.
- Step 3: only triplets whose generic word the model prefers (the adversarial filter, in `measures`).
- Step 4: `schemas` (triplets, premises, files), `circumstances` (our table of frames).
- Step 5: `checks`, by rule and by model.

All steps for one model: `plan` (and stored results), `pipeline`, `people` (their stages), `procedure` (make and
status). `writer_and_judge` prompts other models, `word_relations` is WordNet. Section 3: `evaluation`,
`measures`, `suite` (the tables), `builder` (probes), `training_settings` (and splits), `published_dataset` (reader).

The commands of `METHOD` name the public functions, which are also attributes of this package (``hs.winoventi.make``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.registry import Method, Reader, lazy_attributes, read_commands, typed_names

if TYPE_CHECKING:
    from horsesense.methods.winoventi.associations import compare_associations as compare_associations
    from horsesense.methods.winoventi.builder import build as build
    from horsesense.methods.winoventi.calibration import calibrate as calibrate
    from horsesense.methods.winoventi.elicitation import PromptSettings as PromptSettings
    from horsesense.methods.winoventi.elicitation import find_associations as find_associations
    from horsesense.methods.winoventi.evaluation import AssociationFiles as AssociationFiles
    from horsesense.methods.winoventi.evaluation import evaluate as evaluate
    from horsesense.methods.winoventi.nouns import load_nouns as load_nouns
    from horsesense.methods.winoventi.plan import PipelineMachine as PipelineMachine
    from horsesense.methods.winoventi.plan import PipelinePeople as PipelinePeople
    from horsesense.methods.winoventi.plan import PipelineSources as PipelineSources
    from horsesense.methods.winoventi.procedure import make as make
    from horsesense.methods.winoventi.procedure import status as status
    from horsesense.methods.winoventi.training_settings import write_splits as write_splits

_HERE = "horsesense.methods.winoventi"


METHOD = Method(
    name="winoventi",
    citation="Nam Do and Ellie Pavlick. Are Rotten Apples Edible? Challenging Commonsense Inference Ability with "
    "Exceptions. Findings of ACL-IJCNLP 2021. doi:10.18653/v1/2021.findings-acl.181",
    probes={"winoventi-own": f"{_HERE}.builder:own_probe"},
    files={"winoventi": _HERE},
    readers={"winoventi": Reader(f"{_HERE}.published_dataset:read_winoventi")},
    votes={
        "winoventi-schemas": f"{_HERE}.published_dataset:read_winoventi_schemas",
        "winoventi-answers": f"{_HERE}.published_dataset:read_winoventi_answers",
    },
    suites={"winoventi": f"{_HERE}.suite:WINOVENTI"},
    rules={"winoventi": "horsesense.stats.raters.adjudication:CRITERIA"},
    instruments=_HERE,
    tables=f"{_HERE}.suite:tables_of_run",
    pipeline=f"{_HERE}.procedure:read_pipeline",
    stages=f"{_HERE}.procedure:read_stages",
    summary="Build and evaluate WinoVenti schemas",
    settings={
        "half-exception": f"{_HERE}.training_settings:HALF_EXCEPTION",
        "full-exception": f"{_HERE}.training_settings:FULL_EXCEPTION",
        "half-exception-unseen-nouns": f"{_HERE}.training_settings:HALF_EXCEPTION_UNSEEN_NOUNS",
        "full-exception-unseen-nouns": f"{_HERE}.training_settings:FULL_EXCEPTION_UNSEEN_NOUNS",
    },
    # Section 3.1: the two outcomes compared at the mask.
    presets={"paper:winoventi": "pll=token"},
    commands=read_commands(__file__, __name__),
)
"""What this package adds to the program."""

_PUBLIC = typed_names(__file__)
__all__ = [*_PUBLIC]
__getattr__, __dir__ = lazy_attributes(__name__, _PUBLIC)
