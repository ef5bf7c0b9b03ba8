"""What ``--json`` prints: which type of document each command has, and the JSON Schema of it.

A document lives beside the function that computes it. Those here are put together of several rooms.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from horsesense.api.reporting import ReportDocument, WrittenRows
from horsesense.cli.commands import all_commands
from horsesense.cli.generate import load, return_type
from horsesense.core.document import Document
from horsesense.core.overview import ItemInForms, Overview
from horsesense.core.probe import WrittenProbe
from horsesense.exchange.logged_run import ImportedLog
from horsesense.methods.cats.suite_table import SuiteTable
from horsesense.methods.suites.frame import PaperTable
from horsesense.report.item_answers import AnsweredItem
from horsesense.runs.result import Result, Spread
from horsesense.scoring.clue_words import ExplanationOverNames
from horsesense.scoring.saliency import ModelSaliency

_LEGACY: dict[str, str] = {
    "annotate agreement": "horsesense.annotate.study_figures:Agreement",
    "annotate apply": "horsesense.annotate.apply_labels:AppliedLabels",
    "annotate codes": "horsesense.annotate.server.links:Completions",
    "annotate collect": "horsesense.annotate.judgement_files:WrittenJudgements",
    "annotate export": "horsesense.annotate.adjudicate:SettledLabels",
    "annotate invite": "horsesense.annotate.server.links:Links",
    "annotate new": "horsesense.annotate.study:NewTasks",
    "annotate pause": "horsesense.annotate.server.links:Standing",
    "annotate performance": "horsesense.annotate.performance:Performance",
    "annotate qualify": "horsesense.annotate.performance:Qualifications",
    "annotate resume": "horsesense.annotate.server.links:Standing",
    "annotate revoke": "horsesense.annotate.server.links:Standing",
    "annotate serve": "horsesense.annotate.server.links:Serving",
    "annotate soundness apply": "horsesense.core.audit:Soundness",
    "annotate soundness ask": "horsesense.api.soundness:ModelJudgements",
    "annotate soundness new": "horsesense.api.soundness:NewReading",
    "annotate soundness second": "horsesense.api.soundness:SecondStage",
    "annotate status": "horsesense.annotate.status:Status",
    "annotate withdraw": "horsesense.annotate.server.links:Standing",
    "baseline": "horsesense.training.baseline:BaselineDocument",
    "build conjunctions": "horsesense.core.probe:WrittenProbe",
    "build duals": "horsesense.core.probe:WrittenProbe",
    "build partwhole": "horsesense.core.probe:WrittenProbe",
    "build plugin": "horsesense.core.probe:WrittenProbe",
    "build rica": "horsesense.core.probe:WrittenProbe",
    "build winoventi": "horsesense.core.probe:WrittenProbe",
    "cats evidence": "horsesense.methods.cats.evidence:EvidenceOfRuns",
    "cats steps": "horsesense.methods.cats.step_accuracy:StepsOfRuns",
    "cats who": "horsesense.methods.cats.who_gets_what:WhoOfRuns",
    "check": "horsesense.methods.wordnetqa.checking:CheckDocument",
    "export": "horsesense.exchange.formats:ExportedProbe",
    "fill": "horsesense.scoring.fill:FillDocument",
    "gate": "horsesense.runs.regression:Gate",
    "harden": "horsesense.cues.harden:HardenedDocument",
    "import": "horsesense.cli.documents:ImportDocument",
    "inoculate": "horsesense.training.inoculation_folder:InoculationDocument",
    "partwhole check": "horsesense.methods.partwhole.checking:OddTriples",
    "partwhole gold": "horsesense.core.probe:WrittenProbe",
    "partwhole pictures": "horsesense.methods.partwhole.pictures:PairPictures",
    "partwhole premises": "horsesense.core.probe:WrittenProbe",
    "partwhole recast": "horsesense.core.probe:WrittenProbe",
    "partwhole split": "horsesense.methods.partwhole.splits:TriplesSplit",
    "partwhole table": "horsesense.methods.partwhole.table:PartWholeTable",
    "profile": "horsesense.profiling.document:ProfileDocument",
    "replicate": "horsesense.replication.replication:Replication",
    "report": "horsesense.cli.documents:ReportedDocument",
    "rica analyse": "horsesense.methods.rica.analysis:RunAnalysis",
    "rica clues": "horsesense.methods.rica.clue_sets:ClueSet",
    "rica controls": "horsesense.methods.rica.controls:Controls",
    "rica derive": "horsesense.methods.rica.perturbations:Derivation",
    "rica equivalent": "horsesense.methods.rica.equivalence:WrittenProof",
    "rica lexicon": "horsesense.methods.rica.lexicon:LexiconCheck",
    "rica recall": "horsesense.methods.rica.recall:FilterRecall",
    "rica release": "horsesense.methods.rica.released_axioms:ReleaseCheck",
    "rica views": "horsesense.api.rica_asking:AskedViews",
    "rica study": "horsesense.api.rica_study:Study",
    "run": "horsesense.cli.documents:RunDocument",
    "saliency": "horsesense.cli.documents:SaliencyDocument",
    "score": "horsesense.scoring.evidence:ScoreDocument",
    "show": "horsesense.cli.documents:ShowDocument",
    "train": "horsesense.training.training_document:TrainingDocument",
    "winoventi associations": "horsesense.methods.winoventi.summaries:AssociationSummary",
    "winoventi calibrate": "horsesense.methods.winoventi.calibration:Calibration",
    "winoventi evaluate": "horsesense.methods.winoventi.summaries:Evaluations",
    "winoventi jaccard": "horsesense.methods.winoventi.measures:Similarity",
    "winoventi serve": "horsesense.annotate.server.staged_app:StagedServing",
    "winoventi splits": "horsesense.methods.winoventi.building:WrittenSplits",
    "winoventi status": "horsesense.methods.winoventi.summaries:PipelineStatus",
    "wordnetqa analyse": "horsesense.methods.wordnetqa.analysis:WordNetAnalyses",
}
"""Commands that are not generated yet → the type of what they print, as ``module:name``."""


@dataclass(frozen=True, slots=True)
class RunDocument(Document):
    """What models got right of probes, and where it is kept."""

    out: Path
    """The run folder."""
    results: tuple[Result, ...]
    """One for each model and probe that was asked for; a probe that nobody has judged has none."""
    report: Path
    """The page."""
    spread: tuple[Spread, ...] | None = None
    """What ways of asking are apart, for each model and probe that was asked in several."""
    suite: SuiteTable | None = None
    """Of CATs' suites: the row of the paper's table, and its own rows."""
    tables: tuple[PaperTable, ...] | None = None
    """Of a suite: the paper's tables with these models in them."""


ImportDocument = WrittenProbe | ImportedLog
"""A release or a table as a probe; another tool's log as a run folder."""

ReportedDocument = ReportDocument | WrittenRows
"""What run folders say; a table of their rows."""

SaliencyDocument = ModelSaliency | ExplanationOverNames
"""What a prediction rests on; where the text has slots, what the draws of names agree on."""

ShowDocument = Overview | ItemInForms | AnsweredItem
"""A probe at a glance; one item in all its forms; of a run folder, one item with all answers to it."""


def documents() -> list[str]:
    """Every command that prints a document."""
    return sorted([*all_commands(), *_LEGACY])


def document_type(command: str) -> Any:
    """The type of what a command prints: what its function returns, or what saving that returns."""
    if command in _LEGACY:
        return load(_LEGACY[command])
    kind = return_type(load(all_commands()[command].target))
    for verb in ("save", "document"):
        # A result that is not a document itself makes one.
        if (method := getattr(kind, verb, None)) is not None and not issubclass(kind, Document):
            kind = return_type(method)
    return kind


def schema_of(command: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of what a command prints, made from the type of its document.

    An object has the fields of its dataclass and no others; a field whose default is None may be left out, and is
    never null.
    """
    from dataclasses import fields
    from inspect import cleandoc

    from pydantic import ConfigDict, TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema

    class Generator(GenerateJsonSchema):
        def dataclass_schema(self, schema: Any) -> Any:
            made, written = super().dataclass_schema(schema), schema["cls"]
            optional = {each.name for each in fields(written) if each.default is None}
            made["required"] = [each.name for each in fields(written) if each.name not in optional]
            made["additionalProperties"] = False
            made["description"] = cleandoc(written.__doc__ or "")
            for name, values in made["properties"].items():
                values.pop("default", None)
                if name in optional:
                    values["anyOf"] = [kind for kind in values["anyOf"] if kind != {"type": "null"}]
            return made

    printed = document_type(command)
    config = None if isinstance(printed, type) else ConfigDict(use_attribute_docstrings=True)  # a class has its own
    made = TypeAdapter(printed, config=config).json_schema(mode="serialization", schema_generator=Generator)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **made,
        "title": f"horsesense {command} --json",
    }
