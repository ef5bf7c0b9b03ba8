"""Sentences of a run report: what a number means."""

from __future__ import annotations

from collections.abc import Sequence

from horsesense.core import HumanFigure
from horsesense.core.answer import UNANSWERED
from horsesense.cues.artefact_control import ArtefactControl
from horsesense.cues.battery import battery
from horsesense.formatting import count, interval, number, p_equals, percent
from horsesense.runs.comparison import Difference
from horsesense.runs.probe_answers import ProbeAnswers, related_auditor
from horsesense.runs.result import LEAST_ANSWERED, Result
from horsesense.runs.withheld import WithheldResult
from horsesense.stats import Estimate, Search, Standout
from horsesense.stats.combined import Bias
from horsesense.stats.intervals import against_chance
from horsesense.stats.slices import LEAST_ITEMS
from horsesense.training.training_results import Line

VERDICTS = {
    "above or below chance": "The 95% interval excludes chance.",
    "near chance": (
        "The 95% interval includes chance, and any knowledge is slight: the interval excludes the accuracy of a model "
        "that knows a quarter of the items and guesses the rest."
    ),
    "inconclusive": "The 95% interval includes chance, and also the accuracy of such a model.",
    "too few answered": f"Less than {LEAST_ANSWERED:.0%} of the items have an answer, so there is no verdict.",
    "above the best cue": "The 95% interval is above that of the best surface cue, which is itself above chance.",
}


def verdict_rule() -> str:
    """State the meaning of every verdict in one paragraph."""
    return " ".join(f"{name.capitalize()}: {meaning}" for name, meaning in VERDICTS.items())


def verdict_label(result: Result) -> str:
    """Return a verdict in a few words: with n where it is inconclusive, since more items would decide it."""
    return _label(result.verdict or "chance unknown", result.accuracy.n)


def _label(verdict: str, n: int) -> str:
    return f"{verdict} (n = {n:,})" if verdict == "inconclusive" else verdict


def verdict(result: Result, label: str | None = None) -> str:
    """State the result in one sentence."""
    e, name = result.accuracy, label or result.model
    if result.unanswered:
        asked = count(result.asked_items, "item")
        return f"{name} answered none of {asked} of {result.probe} ({unanswered(result)}); there is no score."
    score = f"{name} gets {e:.1%} of {result.probe} right"
    if result.too_few:
        return (
            f"{name} answered {result.answered:,} of {result.asked_items:,} items of {result.probe} "
            f"({unanswered(result)}), too few for a verdict; {bounds(result)}."
        )
    if e.chance is None:
        return f"{score}."
    return f"{score}: {verdict_label(result)}. {_chance(e, e.chance)}."


def outcomes(result: Result) -> str:
    """Count the items by outcome; empty in formats without replies."""
    return ", ".join(f"{name} {n:,}" for name, n in (result.outcomes or {}).items())


def unanswered(result: Result) -> str:
    """Count the items without an answer by outcome."""
    return ", ".join(f"{name} {n:,}" for name, n in (result.outcomes or {}).items() if name in UNANSWERED)


def bounds(result: Result) -> str:
    """State the accuracy on the answered items, and the range of that on all items."""
    low, high = result.bounds or (result.accuracy.value, result.accuracy.value)
    if not result.accuracy.n:
        return "no item is answered"
    return (
        f"{result.accuracy:v.1%} of the answered items are right. If the others count as wrong, {percent(low)} of all "
        f"items are right; if they count as right, {percent(high)}"
    )


def _chance(e: Estimate, chance: float) -> str:
    """State chance, and the alternative that an inconclusive interval includes."""
    if against_chance(e) != "inconclusive":
        return f"Chance is {percent(chance)}"
    return (
        f"The interval includes chance ({percent(chance)}), and also the accuracy of a model that knows a quarter of "
        "the items and guesses the rest"
    )


def scored(result: Result) -> str:
    """State the metric and how options are compared."""
    plain = "" if result.plain is None else f" Plain accuracy over all {result.plain.n:,} items is {result.plain:.1%}."
    return f"Metric: {result.metric}.{plain} Options are compared by {normalisation(result.normalise)}."


def normalisation(name: str) -> str:
    """State how the log-probabilities of options are compared.

    >>> normalisation("mean"), normalisation("sum")
    ('mean log-probability per token', 'summed log-probability')
    """
    return {
        "sum": "summed log-probability",
        "mean": "mean log-probability per token",
        "word": "log-probability per word",
        "character": "log-probability per character",
        "pmi": "pointwise mutual information of question and option",
        "letters": "the probability of their letters, averaged over the option orders",
        "generate": "the replies that name them",
        "structured": "the replies that name them",
        "score": "the score of each option",
        "by form": "log-probability, normalised as usual for the form of the item",
    }.get(name, name)


def unit(normalise: str) -> str:
    """Return what scores and margins are measured in: log-probabilities are natural logarithms.

    >>> unit("mean"), unit("sum")
    ('nats per token', 'nats')
    """
    return {"mean": "nats per token", "word": "nats per word", "character": "nats per character"}.get(normalise, "nats")


def human_figures(figures: Sequence[HumanFigure]) -> str:
    """State human accuracy, each figure with its kind: a majority is right more often than one person.

    >>> human_figures([HumanFigure(0.917, "majority", "a paper", people=20)])
    '91.7% (majority, 20 people; a paper).'
    """
    shares = []
    for figure in figures:
        part = f" on {' '.join(figure.part.split('=', 1))}" if figure.part else ""
        counts = [(figure.people, "people"), (figure.n, "items")]
        kind = ", ".join([figure.kind or "kind not stated", *(f"{n:,} {noun}" for n, noun in counts if n)])
        shares.append(f"{percent(figure.value)}{part} ({kind}; {figure.source})")
    return f"{'; '.join(shares)}."


def label_quality(answered: ProbeAnswers) -> str:
    """State the share of bad items, who audited them, and the ceiling; empty where nobody has."""
    sound = answered.probe.card.label_quality
    if sound is None:
        return ""
    stage = sound.final
    share = stage.corrected or stage.bad
    errors = "missed errors and false alarms" if stage.false_alarms else "missed errors"
    kind = f"corrected for the auditor's {errors}" if stage.corrected else "not corrected for the auditor's errors"
    sentences = [
        f"Bad items: {share:.1%}, {kind}",
        f"Ceiling, if bad items are answered by chance: {percent(stage.ceiling.value)}",
        f"Blind audit of {sound.n:,} items by {sound.auditor.in_words()}, {sound.date}",
        f"Besides, it included {stage.sensitivity.n:,} items with seeded errors; the auditor found "
        f"{stage.sensitivity:.1%} of them (its sensitivity)",
        *([f"False alarms: {stage.false_alarms:.1%}"] if stage.false_alarms else []),
        *(f"{note[:1].upper()}{note[1:]}" for note in (*sound.notes, related_auditor(answered)) if note),
    ]
    return ". ".join(sentences) + "."


def learned(line: Line, along: str) -> str:
    """Summarise a learning curve from its first point to its last.

    >>> from horsesense.training.training_results import LinePoint
    >>> points = LinePoint(0, 0.21, 0.2, 0.22), LinePoint(3000, 0.54, 0.52, 0.56)
    >>> learned(Line("the probe", "plain", points), "examples")
    'the probe, plain: accuracy 21.0% at 0 examples, 54.0% [52.0%, 56.0%] at 3,000.'
    """
    first, last = line.points[0], line.points[-1]
    ends = "" if last.low is None or last.high is None else f" {interval(last.low, last.high, '.1%')}"
    if first == last:
        return f"{line.name}: accuracy {percent(last.value)}{ends} at {last.x:,} {along}."
    start = f"{line.name}: accuracy {percent(first.value)} at {first.x:,} {along}"
    return f"{start}, {percent(last.value)}{ends} at {last.x:,}."


def response_bias(bias: Bias) -> str:
    """State whether answers follow the question or a preference for one word."""
    c, d = bias.criterion, bias.sensitivity
    word = "positive" if c.value < 0 else "negative"
    prefers = f"It prefers the {word} word" if c.low * c.high > 0 else "It has no significant preference for a word"
    if d.low > 0:
        return f"{prefers}, and its answers follow the question."
    if d.high < 0:
        return f"{prefers}, and its answers contradict the question."
    return f"{prefers}. That its answers follow the question is not shown."


WHOLE = "The model was scored on a part of the probe; cues were searched for in the whole probe."
DRAWN = "Cues were searched for only in the scored items, so the whole probe may not have this cue."


def cue_control(control: ArtefactControl) -> str:
    """State what the best surface cue earns, and what the model earns where that cue fails."""
    text = f"{_cue_control(control)} {_relatedness(control)}".rstrip()
    if control.whole:
        return f"{text} {WHOLE[:-1]} ({count(control.whole, 'item')})."
    return f"{text} {DRAWN.replace('items', f'items ({control.drawn})')}" if control.drawn else text


def _cue_control(control: ArtefactControl) -> str:
    cue, where = control.cue, control.where
    chance = "" if cue.chance is None else f"; chance is {percent(cue.chance)}"
    best = f"The best of {len(battery())} surface cues gets {cue:.1%}{chance}."
    if not control.cue_works:
        return f"{best} {_unproven(control)}"
    if where.missed is None or where.answered is None:
        return best
    on, off = where.answered, where.missed
    return (
        f"{best} The model is right in {percent(on.value)} of the items where this cue is right, and in {off:.1%} of "
        f"the others (n = {off.n:,})."
    )


def _unproven(control: ArtefactControl) -> str:
    """State what follows where the cue may be at chance: little, unless it earns significantly less than the model."""
    cue, model = control.cue, control.model
    if cue.high < model.low:
        return "Surface cues do not explain the score."
    if model.chance is not None and model.low > model.chance:
        return f"Whether surface cues explain the score is inconclusive (n = {cue.n:,})."
    return "Neither the cue nor the model is significantly above chance."


def _relatedness(control: ArtefactControl) -> str:
    """State what the option nearest to the question earns, and whether the model earns more."""
    if control.relatedness is None:
        return "Relatedness was not measured: run `horsesense fetch glove minilm`."
    if not control.relatedness:
        return ""
    near = sorted(control.relatedness, key=lambda each: -each.accuracy.value)
    rates = ", ".join(f"{each.accuracy:.1%} by {each.encoder}" for each in near)
    best, model = near[0].accuracy, control.model
    if best.value >= model.value:
        verdict = "This is at least as high as the model's score, so it may explain the score."
    elif best.high < model.low:
        verdict = "This does not explain the score."
    else:
        verdict = f"Whether this explains the score is inconclusive (n = {best.n:,})."
    return f"The option most similar to the question is right in {rates}. {verdict}"


def withheld(result: WithheldResult) -> str:
    """State what is left without the question or the options, and what either adds."""
    sentences = []
    if result.options_alone is not None and result.from_question is not None:
        sentences.append(
            f"Options alone: {result.options_alone:.1%}. The question adds {result.from_question:+.1%} to the score "
            "corrected for chance."
        )
    if result.question_alone is not None and result.from_options is not None:
        sentences.append(
            f"Question alone: {result.question_alone:.1%}. The options add {result.from_options:+.1%} to the score "
            "corrected for chance."
        )
    return " ".join(sentences)


def family_verdict(e: Estimate | None) -> str:
    """State accuracy over whole families: a model that prefers one option gets half of a pair for nothing."""
    if e is None or e.chance is None:
        return ""
    verdict = _label(against_chance(e) or "", e.n)
    return (
        f"All items right in {e:.1%} of {count(e.n, 'family', 'families')}: {verdict}. Chance is {percent(e.chance)}."
    )


def parts(standouts: Sequence[Standout]) -> str:
    """List slices.

    >>> e = Estimate(0.75, (0.6, 0.9), 40, 40, None, 0.95, "", 0)
    >>> parts([Standout((("task", "social"), ("negated", True)), e, e, 0.1, 0.01)])
    'task = social, negated = true (75.0%, elsewhere 75.0%)'
    """
    return "; ".join(f"{where(s)} ({percent(s.inside.value)}, elsewhere {percent(s.outside.value)})" for s in standouts)


def remarkable(standouts: Sequence[Standout], search: Search, sign: int) -> str:
    """Name slices where a model is significantly better (sign 1) or worse (-1) than elsewhere; else the largest gap.

    >>> remarkable([], Search((), 0, "no facets"), 1)
    'Not tested: no facets.'
    """
    if not search.searched:
        return f"Not tested: {search.note}."
    note = f" ({search.note})" if search.note else ""
    if standouts:
        return f"{parts(standouts)}{note}."
    largest = [s for s in search.standouts if s.gap * sign > 0][:1]
    nothing = f"No significant difference in {count(search.searched, 'slice')} with at least {LEAST_ITEMS} items{note}"
    return f"{nothing}. Largest: {parts(largest)}." if largest else f"{nothing}."


def where(standout: Standout) -> str:
    """Name a slice."""
    return ", ".join(f"{name} = {value_text(value)}" for name, value in standout.where)


def value_text(value: object) -> str:
    """Return the value of a facet as text without control characters, at which the chart library would abort.

    >>> value_text(True), value_text(2), value_text("social"), value_text("a\\x1bb")
    ('true', '2', 'social', 'a\\ufffdb')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return "".join(_printable(sign) for sign in str(value))


def _printable(sign: str) -> str:
    """Replace what XML does not allow; the separators of Unicode end a line in a script."""
    if sign in "\u2028\u2029\t\n\r":
        return " "
    code = ord(sign)
    forbidden = code < 0x20 or code == 0x7F or code & 0xFFFE == 0xFFFE or 0xD800 <= code < 0xE000
    return "\N{REPLACEMENT CHARACTER}" if forbidden else sign


def difference(compared: Difference) -> str:
    """State which model is better, and whether the difference is significant."""
    d, p = compared.difference, p_equals(compared.p_holm)
    ahead, behind = (compared.one, compared.other) if d.value >= 0 else (compared.other, compared.one)
    if d.value == 0:
        return f"{ahead} and {behind} have the same score."
    low, high = (d.low, d.high) if d.value > 0 else (-d.high, -d.low)
    ends = interval(100 * low, 100 * high, "+.1f")
    lead = f"{ahead} is {number(abs(d.value) * 100, '.1f')} points ahead of {behind} {ends}"
    if compared.significant:
        return f"{lead}: significant ({p}, Holm)."
    outlook = compared.outlook()
    return f"{lead}: not significant ({p}, Holm)" + (f"; {outlook}." if outlook else ".")
