"""Sentences for people: what a number means, in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from horsesense.core import HumanFigure
from horsesense.core.audit import Share
from horsesense.cues.artefact_control import Control
from horsesense.runs.comparison import Pairing
from horsesense.runs.result import Result
from horsesense.runs.results import Answered, kin_of_reader
from horsesense.stats import Estimate, Search, Standout
from horsesense.stats.bias import Bias
from horsesense.training.curves import Line


def percent(share: float) -> str:
    """A share for people; the space does not break.

    >>> percent(0.5786)
    '57.9\xa0%'
    """
    return f"{share * 100:z.1f}\N{NO-BREAK SPACE}%"


def points(difference: float, digits: int = 0) -> str:
    """A difference of shares in points, with its sign.

    >>> points(0.0884, 1), points(-0.05), points(-0.004)
    ('+8.8', '−5', '0')
    """
    told = f"{difference * 100:+z.{digits}f}".replace("-", "\N{MINUS SIGN}")
    return told if told.strip("+0.") else told.removeprefix("+")


def interval(e: Estimate) -> str:
    return f"{percent(e.low)} to {percent(e.high)}"


def verdict(result: Result, label: str | None = None) -> str:
    """The answer in one sentence."""
    e = result.estimate
    score = f"{label or result.model} gets {percent(e.value)} of {result.probe} right ({interval(e)})"
    if e.chance is None:
        return f"{score}."
    if e.low > e.chance:
        return f"{score}: better than guessing, which gets {percent(e.chance)}."
    if e.high < e.chance:
        return f"{score}: worse than guessing, which gets {percent(e.chance)}."
    return f"{score}: not to be told from guessing, which gets {percent(e.chance)}."


def scored(result: Result) -> str:
    """What was counted, and by which score."""
    said = f"{result.metric} by {result.compared_by}"
    if result.plain is None:
        return said
    return f"{said}; of all {result.plain.n:,} items {percent(result.plain.value)} ({interval(result.plain)})"


def unit(normalise: str) -> str:
    """What a score and a margin are counted in: log-probabilities are natural logarithms.

    >>> unit("mean"), unit("sum")
    ('nats a token', 'nats')
    """
    return {"mean": "nats a token", "word": "nats a word", "character": "nats a character"}.get(normalise, "nats")


def human_figures(figures: Sequence[HumanFigure]) -> str:
    """What people get, each figure with its kind: a majority is right more often than one person.

    >>> human_figures([HumanFigure(0.917, "majority", "a paper", people=20)])
    '91.7\xa0% (majority, 20 people; a paper).'
    """
    shares = []
    for figure in figures:
        about = f" of {' '.join(figure.part.split('=', 1))}" if figure.part else ""
        counts = [(figure.people, "people"), (figure.n, "questions")]
        kind = ", ".join([figure.kind or "kind not told", *(f"{count:,} {of}" for count, of in counts if count)])
        shares.append(f"{percent(figure.value)}{about} ({kind}; {figure.source})")
    return f"{'; '.join(shares)}."


def soundness(answered: Answered) -> str:
    """How sound the items are, who says so, and what to mind; empty where nobody has read any."""
    sound = answered.probe.card.label_quality
    if sound is None:
        return ""
    stage = sound.final
    share = stage.corrected or stage.bad
    kind = "are bad, corrected for the auditor's errors" if stage.corrected else "were judged bad (not corrected)"
    sentences = [
        f"{_share(share)} of the items {kind}",
        f"at best {_share(stage.ceiling)} can be right",
        f"{sound.n:,} items were audited blind by {sound.auditor.in_words()} on {sound.date}, who found "
        f"{_share(stage.sensitivity)} of {stage.sensitivity.n:,} seeded errors"
        + (f" and raised false alarms at {_share(stage.false_alarms)}" if stage.false_alarms else ""),
        *(f"{remark[:1].upper()}{remark[1:]}" for remark in (*sound.remarks, kin_of_reader(answered)) if remark),
    ]
    return ". ".join(f"{sentence[:1].upper()}{sentence[1:]}" for sentence in sentences) + "."


def _share(share: Share) -> str:
    return f"{percent(share.value)} ({percent(share.ci[0])} to {percent(share.ci[1])})"


def learned(line: Line, along: str) -> str:
    """What a curve comes to, from its beginning to its end.

    >>> from horsesense.training.curves import LinePoint >>> learned(Line("the probe", "plain", (LinePoint(0, 0.21, 0.2,
    0.22), LinePoint(3000, 0.54, 0.52, 0.56))), "examples") 'On the probe, plain, accuracy goes from 21.0\xa0% (at 0
    examples) to 54.0\xa0% (at 3,000; 52.0\xa0% to 56.0\xa0%).'
    """
    first, last = line.points[0], line.points[-1]
    ends = "" if last.low is None or last.high is None else f"; {percent(last.low)} to {percent(last.high)}"
    if first == last:
        return f"On {line.name}, accuracy is {percent(last.value)} (at {last.x:,} {along}{ends})."
    change = f"On {line.name}, accuracy goes from {percent(first.value)} (at {first.x:,} {along})"
    return f"{change} to {percent(last.value)} (at {last.x:,}{ends})."


def leaning(bias: Bias) -> str:
    """Whether answers follow the question or the liking of a word."""
    c, d = bias.criterion, bias.sensitivity
    way = "positive" if c.value < 0 else "negative"
    leans = f"It leans to the {way} word" if c.low * c.high > 0 else "It leans to neither word beyond luck"
    if d.low > 0:
        return f"{leans}, and it tells when the positive word is right from when it is wrong."
    if d.high < 0:
        return f"{leans}, and it takes the one case for the other."
    return f"{leans}, and it cannot be shown to tell when the positive word is right."


WHOLE = "Cues are judged on the whole probe, of which a part was asked."
DRAWN = "Cues are judged on what was asked: a part of a balanced probe can show one that the whole has not."


def artefacts(control: Control) -> str:
    """What the artefact control means, for a reader who has never heard of cues."""
    told = _artefacts(control)
    if control.whole:
        return f"{told} {WHOLE[:-1]} ({control.whole:,} items)."
    return f"{told} {DRAWN[:-1]} (here {control.drawn})." if control.drawn else told


def _artefacts(control: Control) -> str:
    cue, where = control.cue, control.where
    guess = f"{percent(cue.chance)}" if cue.chance is not None else "chance"
    if not control.cue_works:
        return (
            f"The best surface cue, such as length or word overlap, earns {percent(cue.value)} here "
            f"({interval(cue)}), where guessing earns {guess}: {_unproven(control)}"
        )
    earns = f"Without understanding anything, the best surface cue earns {percent(cue.value)} (guessing: {guess})."
    if where.missed is None or where.answered is None:
        return earns
    on, off = where.answered, where.missed
    return (
        f"{earns} The model gets {percent(on.value)} of the items that this cue answers, and {percent(off.value)} "
        f"({percent(off.low)} to {percent(off.high)}, n = {off.n:,}) of those that it misses."
    )


def _unproven(control: Control) -> str:
    """What follows where the cue may be guessing: little, unless it is certain to earn less than the model."""
    cue, model = control.cue, control.model
    if cue.high < model.low:
        return "such cues do not explain the score."
    if model.chance is not None and model.low > model.chance:
        return f"with n = {cue.n:,} it cannot be told whether such cues explain the score."
    return "neither it nor the model has been shown to beat guessing."


WIDE = 0.4
"""An interval wider than this says nothing: it holds most of what could be."""


def family_verdict(e: Estimate | None) -> str:
    """The same for whole families: a model that leans to one option gets half of a pair for nothing."""
    if e is None or e.chance is None:
        return ""
    if e.low > e.chance:
        meaning = "more than guessing"
    elif e.high < e.chance:
        meaning = "less than guessing"
    else:
        meaning = "too few to be told from guessing" if e.high - e.low > WIDE else "not to be told from guessing"
    return (
        f"Every question of a family right in {percent(e.value)} of {e.n:,} families ({interval(e)}): "
        f"{meaning}, which gets {percent(e.chance)}."
    )


def parts(standouts: Sequence[Standout]) -> str:
    """Slices as a list of words.

    >>> e = Estimate(0.75, (0.6, 0.9), 40, 40, None, 0.95, "", 0)
    >>> parts([Standout((("task", "social"), ("negated", True)), e, e, 0.1, 0.01)])
    'task social, negated true (75.0\xa0%, elsewhere 75.0\xa0%)'
    """
    return "; ".join(f"{where(s)} ({percent(s.inside.value)}, elsewhere {percent(s.outside.value)})" for s in standouts)


def remarkable(standouts: Sequence[Standout], search: Search, sign: int) -> str:
    """The parts where a model is better (sign 1) or worse (-1) than elsewhere; else the furthest, called luck.

    >>> remarkable([], Search((), 0, "no facets"), 1)
    'nothing is known: no facets.'
    """
    if not search.searched:
        return f"nothing is known: {search.note}."
    told = f" ({search.note})" if search.note else ""
    if standouts:
        return f"{parts(standouts)}{told}."
    furthest = [s for s in search.standouts if s.gap * sign > 0][:1]
    searched = "the one part" if search.searched == 1 else f"{search.searched:,} parts"
    nothing = f"nothing beyond luck among {searched} searched{told}"
    return f"{nothing}; furthest: {parts(furthest)}." if furthest else f"{nothing}."


def where(standout: Standout) -> str:
    return ", ".join(f"{name} {value_text(value)}" for name, value in standout.where)


def value_text(value: object) -> str:
    """The value of a facet.

    >>> value_text(True), value_text(2), value_text("social")
    ('true', '2', 'social')
    """
    # Vega puts values into programs, in which the separators of Unicode end a line.
    return str(value).lower() if isinstance(value, bool) else str(value).translate({0x2028: " ", 0x2029: " "})


def difference(pairing: Pairing) -> str:
    """Who is better, and whether that is settled."""
    d = pairing.comparison.difference
    ahead, behind = (pairing.one, pairing.other) if d.value >= 0 else (pairing.other, pairing.one)
    low, high = sorted((abs(d.low), abs(d.high))) if d.low * d.high > 0 else (d.low, d.high)
    lead = f"{ahead} is {abs(d.value) * 100:.1f} points ahead of {behind}"
    if pairing.settled:
        return f"{lead} ({low * 100:.1f} to {high * 100:.1f}): a real difference."
    if d.value == 0:
        return f"{ahead} and {behind} are level."
    outlook = pairing.outlook()
    return f"{lead}, which may be luck (p = {pairing.comparison.adjusted:.2f})" + (f"; {outlook}." if outlook else ".")


def p(value: float) -> str:
    """A p, which is never nought.

    >>> p(0.00001), p(0.04)
    ('below 0.001', '0.040')
    """
    return "below 0.001" if value < 0.001 else f"{value:.3f}"
