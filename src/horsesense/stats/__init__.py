"""Statistics of scored answers: pure functions over tables, from credits to model comparisons."""

from horsesense.stats.accuracy import (
    Credits,
    accuracy,
    chance,
    credits,
    effective_units,
    item_accuracy,
    unit_average,
)
from horsesense.stats.calibration import Bin, Reliability, confidence, reliability
from horsesense.stats.families import Consistency, Families, FamilyAccuracy, by_family, consistency, family_accuracy
from horsesense.stats.intervals import Estimate
from horsesense.stats.paired import PairedTest, compare, compare_all, holm, mcnemar
from horsesense.stats.power import Power, power
from horsesense.stats.slices import Search, Slice, Sliced, Standout, by_facet, standouts

__all__ = [
    "Bin",
    "Consistency",
    "Credits",
    "Estimate",
    "Families",
    "FamilyAccuracy",
    "PairedTest",
    "Power",
    "Reliability",
    "Search",
    "Slice",
    "Sliced",
    "Standout",
    "accuracy",
    "by_facet",
    "by_family",
    "chance",
    "compare",
    "compare_all",
    "confidence",
    "consistency",
    "credits",
    "effective_units",
    "family_accuracy",
    "holm",
    "item_accuracy",
    "mcnemar",
    "power",
    "reliability",
    "standouts",
    "unit_average",
]
