"""Regression check: is a new run worse than an old one by more than a margin? Paired and clustered, for CI
pipelines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Annotated, Literal
from xml.etree import ElementTree

import numpy as np
from annotated_types import Ge

from horsesense.core.catalogue import PathLike
from horsesense.core.document import Document
from horsesense.core.spec import Normalisation
from horsesense.data import write_file
from horsesense.errors import UserError, argument, translate_errors
from horsesense.runs.comparison import by_probe, side_by_side
from horsesense.runs.probe_answers import ProbeAnswers, ProbeFormat, credits_on
from horsesense.runs.result import LEAST_ANSWERED
from horsesense.runs.run import AnyRun, finished_by_place
from horsesense.scoring.normalise import parse_normalisation
from horsesense.stats import Estimate, power
from horsesense.stats.paired import compare
from horsesense.stats.resampling import Floats

Verdict = Literal["not worse", "worse", "inconclusive"]
EXIT_CODES: Mapping[Verdict, int] = {"not worse": 0, "worse": 3, "inconclusive": 4}
LEVEL = 0.95
UNCHANGED = "new and old have the same weights and score the same on every item, so nothing has changed"


@dataclass(frozen=True, slots=True)
class RegressionCheck(Document):
    """A new model compared with an old one on one probe."""

    probe: str
    """Name of the probe."""
    format: str
    """Prompt format."""
    new: str
    """The new model."""
    old: str
    """The old model."""
    n: int
    """Items with a gold answer that both answered."""
    accuracy: Estimate
    """Accuracy of the new model."""
    before: Estimate
    """Accuracy of the old model."""
    difference: Estimate
    """New minus old, with the 95% interval: not worse where its lower end is above minus the margin, or where the same
    weights score the same on every item."""
    highest: float
    """The upper end at the level that is corrected for several probes: worse where it is below minus the margin."""
    verdict: Verdict
    """Outcome of the check."""
    items_missing: int | None
    """Inconclusive: additional items that would decide it; null where it is decided or none would."""
    notes: tuple[str, ...]
    """Caveats of the comparison."""
    too_few: str = ""
    """Which model gave too few answers for a verdict; empty where both answered enough."""

    def in_words(self, margin: float) -> str:
        """Describe the check in one sentence."""
        d = self.difference
        figures = f"{d.value:+z.3f} ({d.low:+z.3f} to {d.high:+z.3f}) on {self.n:,} items"
        if self.verdict == "not worse":
            return f"{self.probe}: not worse by more than {margin:g}; {figures}"
        if self.verdict == "worse":
            return f"{self.probe}: worse by more than {margin:g}; {figures}"
        if self.too_few:
            return f"{self.probe}: inconclusive; {self.too_few}"
        more = (
            f"about {self.items_missing:,} more items would decide it"
            if self.items_missing
            else "no number of items would decide it"
        )
        return f"{self.probe}: inconclusive at a margin of {margin:g}; {figures}; {more}"


@dataclass(frozen=True, slots=True)
class RegressionResult(Document):
    """Whether a new run is worse than an old one."""

    verdict: Verdict
    """Worse where any probe is; else inconclusive where any is; else not worse."""
    margin: float
    """Tolerated loss of accuracy."""
    checks: tuple[RegressionCheck, ...]
    """One per probe and model."""
    left_out: tuple[str, ...] = ()
    """Models of the new run, each with its probe, that the old one does not have."""

    @property
    def exit_code(self) -> int:
        """0: not worse; 3: worse; 4: inconclusive."""
        return EXIT_CODES[self.verdict]

    def sentences(self) -> list[str]:
        """Describe each check in a sentence, with the model where there are several; then what was not compared."""
        several = len({check.new for check in self.checks}) > 1 or bool(self.left_out)
        sentences = [f"{check.new}, " * several + check.in_words(self.margin) for check in self.checks]
        return sentences + [f"{each}: not in the old run, so not compared" for each in self.left_out]

    def markdown(self) -> str:
        """Write a summary for a pull request."""
        lines = [f"## horsesense check-regression: {self.verdict}", "", f"Tolerated loss: {self.margin:g}.", ""]
        lines += ["| probe | n | old | new | difference [95%] | verdict |", "|---|---|---|---|---|---|"]
        for each in self.checks:
            d = each.difference
            lines.append(
                f"| {each.probe} | {each.n:,} | {each.before.value:.3f} | {each.accuracy.value:.3f} | "
                f"{d.value:+z.3f} ({d.low:+z.3f} to {d.high:+z.3f}) | {each.verdict} |"
            )
        lines += ["", *(f"- {sentence}" for sentence in self.sentences())]
        lines += [f"- {note}" for note in dict.fromkeys(note for each in self.checks for note in each.notes)]
        return "\n".join(lines) + "\n"

    def junit(self) -> str:
        """Write JUnit XML: a probe that is worse has failed, one that is inconclusive is skipped."""
        count = {verdict: sum(each.verdict == verdict for each in self.checks) for verdict in EXIT_CODES}
        suite = ElementTree.Element(
            "testsuite",
            name="horsesense check-regression",
            tests=str(len(self.checks)),
            failures=str(count["worse"]),
            skipped=str(count["inconclusive"]),
            errors="0",
        )
        for check in self.checks:
            case = ElementTree.SubElement(
                suite, "testcase", classname=check.new, name=f"{check.probe} by {check.format}"
            )
            if check.verdict != "not worse":
                kind = "failure" if check.verdict == "worse" else "skipped"
                ElementTree.SubElement(case, kind, message=check.in_words(self.margin))
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


@translate_errors()
def check_regression(
    new: AnyRun,
    *,
    against: AnyRun,
    margin: Annotated[float, Ge(0)] = 0.02,
    normalise: Normalisation | None = None,
    summary: PathLike | None = None,
    junit: PathLike | None = None,
) -> RegressionResult:
    """Check whether a new run is worse than an old one (exit code 0: not worse, 3: worse, 4: inconclusive).

    Args:
        new: Run folder to check. In Python, also a `Run`.
        against: Run folder that it is compared with. In Python, also a `Run`.
        margin: Tolerated loss of accuracy.
        normalise: Score of an option: the sum of its token log-probabilities, their mean per token, word or
            character, or pmi (log-probability after the question minus that of the option alone). By default, that of
            the run, or as set in the probe's card.
        summary: Markdown file to write a summary to.
        junit: JUnit XML file to write.

    Returns:
        ``verdict`` ("not worse", "worse", "inconclusive"), each check with its interval, and ``exit_code`` (0, 3, 4).
    """
    how = parse_normalisation(normalise) if normalise else None
    (first, second), unfinished = finished_by_place((new, against))
    if unfinished:
        raise UserError(f"not finished: {', '.join(unfinished)}", fix="finish the run first")
    result = judge(first, second, margin, how)
    for path, text in ((summary, result.markdown()), (junit, result.junit())):
        if path is not None:
            write_file(path, text)
    return result


def judge(
    new: tuple[Path, Sequence[ProbeAnswers]],
    old: tuple[Path, Sequence[ProbeAnswers]],
    margin: float,
    how: Normalisation | None = None,
) -> RegressionResult:
    """Compare each probe of the new run with the old one."""
    if not 0 <= margin < 1:
        raise UserError(f"{argument('margin')} {margin} is not a share", fix="use 0 or more, and less than 1")
    before = by_probe([old])
    pairs, left_out = [], []
    for probe, runs in by_probe([new]).items():
        for name, run in runs.items():
            other = _other(runs, before.get(probe, {}), name)
            if other is None:
                left_out.append(f"{name} on {probe}")
            else:
                pairs.append((probe, (run, other)))
    if not pairs:
        raise UserError("the two runs have no probe in common", file=new[0], fix="give runs on the same probes")
    checks = tuple(_check(probe, *pair, margin, how, len(pairs)) for probe, pair in pairs)
    verdicts = {check.verdict for check in checks}
    worst: Verdict = "worse" if "worse" in verdicts else "inconclusive" if "inconclusive" in verdicts else "not worse"
    return RegressionResult(worst, margin, checks, tuple(left_out))


def _other(new: Mapping[str, ProbeAnswers], old: Mapping[str, ProbeAnswers], name: str) -> ProbeAnswers | None:
    """Return the model to compare with: the only one of each run, whatever its name; of several, the one with the same
    name."""
    return next(iter(old.values())) if len(new) == len(old) == 1 else old.get(name)


def _check(
    asked: ProbeFormat, new: ProbeAnswers, old: ProbeAnswers, margin: float, how: Normalisation | None, checks: int
) -> RegressionCheck:
    side = side_by_side(asked.probe, {"new": new, "old": old}, how)
    common = {item.id for item in old.items}
    items = [item for item in new.items if item.id in common]
    ids, units = [item.id for item in items], [item.unit(new.probe.card.group) for item in items]
    a, b = credits_on(new, ids, how), credits_on(old, ids, how)
    difference = side.differences[0].difference
    corrected = difference if checks == 1 else compare(a, b, units, level=1 - (1 - LEVEL) / checks).difference
    verdict: Verdict = "inconclusive"
    weights = {run.part.model.weights for run in (new, old)}
    unchanged = len(weights) == 1 and weights != {""} and np.array_equal(a, b, equal_nan=True)
    few = _too_few(new, old)
    if not few and (difference.low >= -margin or unchanged):
        verdict = "not worse"
    elif not few and corrected.high < -margin:
        verdict = "worse"
    missing = _missing(a, b, units, difference, margin) if verdict == "inconclusive" and not few else None
    return RegressionCheck(
        probe=asked.probe,
        format=asked.format,
        new=new.part.model.name,
        old=old.part.model.name,
        n=side.n,
        accuracy=side.accuracies["new"],
        before=side.accuracies["old"],
        difference=difference,
        highest=corrected.high,
        verdict=verdict,
        items_missing=missing,
        notes=(*side.notes, *([UNCHANGED] if unchanged else [])),
        too_few=few,
    )


def _too_few(new: ProbeAnswers, old: ProbeAnswers) -> str:
    shares = {name: run.answered_share for name, run in (("new", new), ("old", old))}
    few = [f"{share:.0%} of the items by the {name} model" for name, share in shares.items() if share < LEAST_ANSWERED]
    return f"answered were only {' and '.join(few)}, and a check needs {LEAST_ANSWERED:.0%}" if few else ""


def _missing(a: Floats, b: Floats, units: Sequence[str], difference: Estimate, margin: float) -> int | None:
    """Return how many additional items would decide on which side of minus the margin the difference is."""
    known = power(np.asarray(a) + margin, b, units)
    if known.more_items:
        return known.more_items
    away = abs(difference.value + margin)
    if not away:
        return None
    # Where no cluster differs there is no variance to judge by; the interval itself shrinks with the root of the items.
    half = (difference.high - difference.low) / 2
    return max(1, ceil(difference.n * (half / away) ** 2) - difference.n)
