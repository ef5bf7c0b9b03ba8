"""The schemas of what commands print, made from the types of their documents: no key unknown, none missing."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from typing import Any

from jsonschema import Draft202012Validator
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

_LINKS = "horsesense.annotate.server.links"
_WINOVENTI = "horsesense.studies.winoventi.documents"
_WRITTEN = "horsesense.records.written:WrittenProbe"

DOCUMENTS = {
    "import": _WRITTEN,
    "run, suite": "horsesense.studies.suites.suite_table:SuiteTable",
    "annotate new": "horsesense.annotate.making:NewTasks",
    "annotate serve": f"{_LINKS}:Serving",
    "annotate invite": f"{_LINKS}:Links",
    "annotate codes": f"{_LINKS}:Completions",
    "annotate pause": f"{_LINKS}:Standing",
    "annotate resume": f"{_LINKS}:Standing",
    "annotate revoke": f"{_LINKS}:Standing",
    "annotate withdraw": f"{_LINKS}:Standing",
    "annotate status": "horsesense.annotate.status:Status",
    "annotate collect": "horsesense.annotate.collecting:WrittenJudgements",
    "annotate agreement": "horsesense.annotate.figures:Agreement",
    "annotate performance": "horsesense.annotate.performance:Performance",
    "annotate qualify": "horsesense.annotate.performance:Qualifications",
    "annotate export": "horsesense.annotate.settling:SettledLabels",
    "annotate apply": "horsesense.annotate.applying:AppliedLabels",
    "build wordnetqa": _WRITTEN,
    "build dictionaryqa": _WRITTEN,
    "build winoventi": _WRITTEN,
    "build conjunctions": _WRITTEN,
    "build duals": _WRITTEN,
    "build rica": _WRITTEN,
    "build partwhole": _WRITTEN,
    "cats evidence": "horsesense.studies.suites.evidence_kept:EvidenceOfRuns",
    "cats who": "horsesense.studies.suites.who:WhoOfRuns",
    "cats steps": "horsesense.studies.suites.steps_kept:StepsOfRuns",
    "knowledge add": "horsesense.knowledge.sources:AddedSource",
    "knowledge list": "horsesense.knowledge.sources:KeptSources",  # a list of KeptSource
    "partwhole check": "horsesense.probes.partwhole.checking:OddTriples",
    "partwhole recast": _WRITTEN,
    "partwhole split": "horsesense.probes.partwhole.splits:TriplesSplit",
    "partwhole premises": _WRITTEN,
    "partwhole table": "horsesense.report.partwhole:PartWholeTable",
    "rica derive": "horsesense.probes.rica.derivation:Derivation",
    "rica equivalent": "horsesense.probes.rica.rewriting:WrittenProof",
    "rica release": "horsesense.probes.rica.checking:Checked",
    "rica controls": "horsesense.probes.rica.controls:Controls",
    "rica analyse": "horsesense.studies.rica:RunAnalysis",
    "winoventi associations": f"{_WINOVENTI}:AssociationSummary",
    "winoventi jaccard": "horsesense.analysis.jaccard:Similarity",
    "winoventi run": f"{_WINOVENTI}:PipelineSummary",
    "winoventi evaluate": f"{_WINOVENTI}:Evaluations",
    "winoventi splits": "horsesense.probes.winoventi.splits:WrittenSplits",
}


class _Strict(GenerateJsonSchema):
    def dataclass_schema(self, schema: Any) -> Any:
        made = super().dataclass_schema(schema)
        made["required"] = [each.name for each in fields(schema["cls"]) if each.default is not None]
        made["additionalProperties"] = False
        return made


def schema_of(command: str) -> dict[str, Any]:
    """The JSON Schema of what a command prints; a field whose default is None may be left out."""
    module, _, name = DOCUMENTS[command].partition(":")
    printed = TypeAdapter(getattr(import_module(module), name))
    return printed.json_schema(mode="serialization", schema_generator=_Strict)


def hold_to(command: str, document: Any) -> None:
    """Refuse a document that is not in the shape of the command's type."""
    schema = schema_of(command)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
