"""Cues: surface features that predict the answers of a probe without understanding."""

from horsesense.cues.artefact_control import WhereCuesFail, chosen_cue, cues_right, where_cues_fail
from horsesense.cues.battery import battery
from horsesense.cues.findings import Finding, Findings, measure_cues

__all__ = [
    "Finding",
    "Findings",
    "WhereCuesFail",
    "battery",
    "chosen_cue",
    "cues_right",
    "measure_cues",
    "where_cues_fail",
]
