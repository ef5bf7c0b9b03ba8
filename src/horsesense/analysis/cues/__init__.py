"""Cues: what answers a probe without understanding it."""

from horsesense.analysis.cues.battery import battery
from horsesense.analysis.cues.control import WhereCuesFail, chosen_cue, cues_right, where_cues_fail
from horsesense.analysis.cues.findings import Finding, Findings, find_cues

__all__ = [
    "Finding",
    "Findings",
    "WhereCuesFail",
    "battery",
    "chosen_cue",
    "cues_right",
    "find_cues",
    "where_cues_fail",
]
