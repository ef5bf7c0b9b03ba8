"""Print results on the terminal: one renderer per result class.

A renderer is found by the name of the class, or named by the table of commands. Its keyword-only parameters are
options of the command.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge

from horsesense.formatting import count, number, p_equals, p_value, percent
from horsesense.terminal import console, line, print_fitting, print_table, say, size, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from horsesense.cache import CacheContents, FetchResult, PrunedCache
    from horsesense.core import Item
    from horsesense.core.catalogue import InstalledPlugins
    from horsesense.core.probe import WrittenProbe
    from horsesense.core.views import FacetCounts, ItemInForms, Overview
    from horsesense.cues.findings import Findings
    from horsesense.cues.harden import Hardened
    from horsesense.exchange.formats import ExportedProbe
    from horsesense.exchange.logged_run import ImportedLog
    from horsesense.item_analysis.analysis import ItemAnalyses, ItemAnalysis
    from horsesense.lexicons.sources import AddedSource, StoredSources
    from horsesense.profiling.document import Profile
    from horsesense.report.item_answers import ItemAnswer, ItemAnswers, OptionEvidence
    from horsesense.report.run_report import Report, WrittenRows
    from horsesense.report.stored_run import StoredRun
    from horsesense.runs.comparison import Comparison, Difference, ProbeComparison
    from horsesense.runs.regression import RegressionResult
    from horsesense.runs.result import Result
    from horsesense.runs.verify import Verification
    from horsesense.runs.withheld import WithheldResult
    from horsesense.runs.wordings import WordingResult
    from horsesense.scoring.clue_words import ExplanationOverNames
    from horsesense.scoring.prompt_formats import DryRun
    from horsesense.scoring.saliency import ModelSaliency
    from horsesense.scoring.text_analysis import Fills, Scores
    from horsesense.scoring.texts import TextEvidence
    from horsesense.stats.slices import FacetRow

_RENDERERS: dict[str, Callable[..., None]] = {}


def renders(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a function that prints results of these classes."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        _RENDERERS.update(dict.fromkeys(names, function))
        return function

    return register


def renderer_named(name: str) -> Callable[..., None] | None:
    """The renderer of a class, by the name of the class."""
    return _RENDERERS.get(name)


def render(result: Any, **options: Any) -> None:
    """Print a result for people."""
    for kind in type(result).__mro__:
        if (renderer := _RENDERERS.get(kind.__name__)) is not None:
            renderer(result, **options)
            return
    console().print(result if hasattr(result, "__rich_console__") else str(result), markup=False, soft_wrap=True)


_MOST_CUES = 12
_MOST_REASONS = 8
_WIDTH = 20
"""Characters of a bar."""
_SCALE = "0 ├●┤ 1"


@renders("WrittenProbe")
def probe(written: WrittenProbe) -> None:
    """Print how many items were written where, and what was left out."""
    line(f"{written.items:,} items in {written.families:,} families, clustered by {written.group}  {written.out}")
    if written.label_quality:
        line(f"label quality: {written.label_quality}")
    if written.unjudged:
        line(f"  {count(written.unjudged, 'item')} without a gold answer, which no rate counts")
    for note, n in written.notes.items():
        line(f"  {note}: {n:,}")


@renders("Findings")
def cues(findings: Findings, *, all: bool = False) -> None:
    """Print the best cues, and the verdict.

    Args:
        all: Print every cue, not only the best.
    """
    most = None if all else _MOST_CUES
    rows = [
        (cue.pick.removeprefix("the option "), f"{cue.accuracy:.3f}", f"{cue.coverage:.2f}", p_value(cue.p))
        for cue in findings.cues[:most]
    ]
    print_table(("picking the option …", "accuracy [95% interval]", "coverage", "p"), rows)
    rest = len(findings.cues) - (most or len(findings.cues))
    notes = [f"{rest} more cues: use --all"] if rest > 0 else []
    notes.append("coverage: share of items in which the cue prefers some options to others")
    notes.append(
        f"accuracy of the cue that is best in the other half of the items: {findings.searched.value:.3f} (the verdict "
        "uses this or the best accuracy in the table, whichever is lower)"
    )
    notes.append(f"accuracy of a decision tree over all cues: {findings.tree:.3f}")
    notes.append(f"{findings.n:,} items in {findings.units:,} clusters")
    if findings.left_out:
        notes.append(f"{count(findings.left_out, 'item')} without a gold answer or a choice left out")
    if findings.tested < findings.n:
        notes.append(f"p and the tree on {findings.tested:,} items")
    if mark := findings.position_mark:
        notes.append(f"an option's {mark.name} gives away its position in {mark.share:.0%} of items")
    for note in notes:
        line(note, "dim")
    for near in findings.relatedness:
        line(f"relatedness: the option nearest to the question by {near.encoder} is right in {near.accuracy:.3f}")
    if not findings.relatedness:
        line("relatedness was not measured; run: horsesense fetch glove minilm")
    line(findings.verdict, "bold")


@renders("Comparison")
def comparison(compared: Comparison, *, items: Annotated[int, Ge(0)] = 0) -> None:
    """Print a table and the differences for each probe.

    Args:
        items: List up to this many items that one model gets right and the other wrong.
    """
    from horsesense.runs.result import shown_names

    names = shown_names(label for probe in compared.probes for label in probe.accuracies)
    for probe in compared.probes:
        _print_compared(probe, items, names)
    for each in compared.until or ():
        when = "never narrow enough" if each.settled is None else f"narrow enough after {each.settled:,} families"
        pair = f"{names[each.a]} − {names[each.b]} on {each.probe}"
        line(f"{pair}: {each.difference:+.3f}, valid at any time; {when}")
    if compared.unfinished:
        say(f"not finished, and left out: {', '.join(compared.unfinished)}")
    if compared.too_few:
        say(f"too few answers, and left out: {', '.join(compared.too_few)}")
    if compared.alone:
        say(f"answered by one model only, and left out: {', '.join(compared.alone)}")


@renders("ItemAnalyses")
def item_analyses(analyses: ItemAnalyses, *, most: Annotated[int, Ge(0)] = 10) -> None:
    """Print a summary of each probe, and the most doubtful keys.

    Args:
        most: Maximum number of suspects in the terminal.
    """
    for analysis in analyses.probes:
        _print_item_analysis(analysis, most)
    if analyses.unfinished:
        say(f"not finished, and left out: {', '.join(analyses.unfinished)}")
    if analyses.page:
        line(f"page  {analyses.page}")


def _print_item_analysis(analysis: ItemAnalysis, most: int) -> None:
    line(f"{analysis.probe}: {len(analysis.items):,} items, {len(analysis.responders):,} models", "bold")
    if analysis.note:
        say(analysis.note)
    best, worst = analysis.responders[0], analysis.responders[-1]
    line(f"accuracy from {worst.accuracy:.3f} ({worst.model}) to {best.accuracy:.3f} ({best.model})")
    notes = [f"reliability (alpha) {analysis.alpha:.3f}"] if analysis.alpha == analysis.alpha else []
    if any(each.item_rest == each.item_rest for each in analysis.items):
        condition = (
            "" if analysis.negative_unbiased is None else f"; {analysis.negative_unbiased:,} given response bias"
        )
        notes.append(f"{analysis.negative:,} items with an item-rest correlation below −0.2{condition}")
    notes.append(f"{analysis.constant:,} items that all models get right, or all wrong")
    if analysis.method == "2PL":
        notes.append(f"{sum(bool(each.misfit) for each in analysis.items):,} items that misfit their curve")
        notes.append(f"item response model with guessing at {analysis.guessing}")
        notes.append(f"ability and accuracy correlate at {analysis.ability_accuracy:.2f} over models")
    if analysis.family_sd is not None and analysis.family_p is not None:
        notes.append(f"family effect {analysis.family_sd:.2f} log odds, p {p_value(analysis.family_p)}")
    for note in notes:
        line(note, "dim")
    rows = []
    for each in analysis.suspects[:most]:
        pair = f"{each.options[each.key]} → {each.options[each.other]}"
        rows.append((each.text, pair, f"{each.doubt:.1f}", f"{each.share:.2f}", f"{each.item_rest:.2f}"))
    print_table(("suspect", "key → other", "doubt", "share right", "item-rest"), rows, left=2)
    line(f"{analysis.suspect_count:,} items with a doubtful key")
    if analysis.favoured:
        line(f"{len(analysis.favoured):,} items differ between the focal group and the other models")


def _print_compared(side: ProbeComparison, items: int, names: Mapping[str, str]) -> None:
    from horsesense.report.run_text import normalisation
    from horsesense.runs.probe_answers import SCORE

    by_format = "" if side.format == "loglikelihood" else f" by {side.format}"
    line(f"{side.probe}{by_format}: {side.n:,} common items with a gold answer", "bold")
    for label, left_out in side.excluded.items():
        if left_out:
            line(f"{left_out:,} items of {names[label]} left out: not all models answered them", "dim")
    compared_by = {each.normalise for each in side.models} - {SCORE}
    if len(compared_by) == 1:  # where they differ, a note says so
        line(f"options compared by: {normalisation(*compared_by)}", "dim")
    for note in side.notes:
        line(note, "dim")
    if side.label_quality is not None:
        line(side.label_quality.in_words())
    by_unit = any(each.plain is not None for each in side.models)
    frame = table("model", f"{side.metric} [95% interval]", "chance", *(("share of items",) if by_unit else ()))
    for each in side.models:
        chance = "" if each.accuracy.chance is None else f"{each.accuracy.chance:.3f}"
        plain = () if each.plain is None else (f"{each.plain.value:.3f}",)
        frame.add_row(names[each.model], f"{each.accuracy:.3f}", chance, *plain)
    console().print(frame)
    for difference in side.differences:
        one, other = names[difference.one], names[difference.other]
        _print_difference(difference, one, other)
        for label, ids in zip((one, other), difference.ids, strict=True):
            for identity in ids[:items]:
                line(f"  only {label}: {identity}")


def _print_difference(compared: Difference, one: str, other: str) -> None:
    """One fact per line: the difference, the tests, the counts."""
    line(f"{one} − {other}: {compared.difference:+.3f}")
    if compared.plain is not None:
        line(f"  by the share of items: {compared.plain:+.3f}")
    line(f"  clustered test: {p_equals(compared.p)}, after Holm correction {p_value(compared.p_holm)}")
    line(f"  McNemar's test, which ignores clusters: {p_equals(compared.mcnemar_p)}")
    line(f"  only {one} right: {compared.only_one:,}; only {other} right: {compared.only_other:,}")
    d = compared.difference
    ends = f"the difference is between {number(d.low, '+.2f')} and {number(d.high, '+.2f')}" if d.low == d.low else ""
    outlook = compared.outlook() or ends
    verdict = "significant" if compared.significant else "not significant" + (f"; {outlook}" if outlook else "")
    line(f"  {verdict}", "bold" if compared.significant else "")


@renders("FetchResult")
def fetched(result: FetchResult) -> None:
    """Print where each download is, or what can be fetched."""
    for each in result.fetched or ():
        line(f"{each.name}  {each.path}")
    for thing in result.available or ():
        line(f"{thing.name:12} {thing.kind}")


@renders("CacheContents")
def cache_contents(contents: CacheContents) -> None:
    """Print the entries of the cache, and its size."""
    rows = [(entry.name, entry.kind, size(entry.bytes), entry.used[:10]) for entry in contents.entries]
    print_table(("name", "kind", "size", "last use"), rows, left=2)
    print(f"{size(contents.bytes)} in {contents.folder}")


@renders("PrunedCache")
def pruned_cache(pruned: PrunedCache) -> None:
    """Print what was removed, and how much is left."""
    from horsesense.cache import was_fetched

    for entry in pruned.removed:
        again = "; horsesense fetch gets it again" if was_fetched(entry) else ""
        print(f"removed {entry.name}: {entry.kind}, {size(entry.bytes)}{again}")
    what = f"{size(pruned.bytes)} removed" if pruned.removed else "there was nothing to remove"
    print(f"{what}; {size(pruned.left)} left in {pruned.folder}")


@renders("Verification")
def verified(verification: Verification) -> None:
    """Print how many files are intact, and which are not."""
    damaged, missing = len(verification.damaged), len(verification.missing)
    print(f"{verification.path}: {verification.intact:,} intact, {damaged:,} damaged, {missing:,} missing")
    for name in verification.damaged:
        print(f"damaged: {name}")
    for name in verification.missing:
        print(f"missing: {name}")
    if verification.unknown:
        whole = "run" if (verification.path / "manifest.json").is_file() else "stored files"
        files = count(verification.unknown, "file")
        say(f"{files} without a checksum: not part of the {whole}, like an exported table")
    for name in verification.changed:
        say(f"{name} has changed since it answered")


@renders("AddedSource")
def added_source(added: AddedSource) -> None:
    """Print the size and the licence of a source."""
    print(f"{added.name}  {added.concepts:,} concepts  licence: {added.licence}")


@renders("StoredSources")
def sources(known: StoredSources) -> None:
    """Print the name, version and licence of each source."""
    for source in known.sources:
        print(f"{source.name:12} {source.version or '–':10} {source.licence}")
    if not known.sources:
        print("none; horsesense build imports WordNet and GCIDE when it needs them")


@renders("InstalledPlugins")
def plugins(installed: InstalledPlugins) -> None:
    """Print what each package adds."""
    if not installed.plugins:
        print("no installed package adds anything")
        return
    rows = [(each.kind, each.name, each.package, each.version) for each in installed.plugins]
    print_table(("kind", "name", "package", "version"), rows, left=4)


_SHADES = " ░▒▓█"


@renders("Hardened")
def hardened(result: Hardened) -> None:
    """Print what was kept, what each cue cost, and what cues earn before and after."""
    line(f"before: {result.before.verdict}")
    line(f"kept {result.items:,} items in {result.families:,} families, dropped {result.dropped:,}  {result.out}")
    for cue, n in list(result.reasons.items())[:_MOST_REASONS]:
        line(f"  {n:6,}  {cue}")
    if result.aflite:
        line(f"  {result.aflite:6,}  AFLite")
    line(f"after: {result.after.verdict}")
    worst = min(result.rules, key=lambda rule: rule.accuracy.value, default=None)
    if worst is not None:
        line(f"lowest of {len(result.rules)} ways to pick by a cue: {worst.pick}, {worst.accuracy:.3f}", "dim")


@renders("RegressionResult")
def regression(result: RegressionResult) -> None:
    """Print each check in a sentence, and the verdict."""
    for sentence in result.sentences():
        line(sentence)
    for note in dict.fromkeys(note for check in result.checks for note in check.notes):
        say(note)
    line(result.verdict, "bold")


@renders("ExportedProbe")
def exported(done: ExportedProbe) -> None:
    """Print what was written, and how the other tool is called on it."""
    line(f"{done.items:,} items  {done.out}")
    for note in done.notes:
        say(note)
    line(done.run)


@renders("ImportedLog")
def imported_log(log: ImportedLog) -> None:
    """Print whose answers to what were imported."""
    line(f"{log.samples:,} samples of {', '.join(log.models)}  {log.out}")
    for name, items in log.probes.items():
        line(f"  {name}: {items:,} items")
    for note, n in log.notes.items():
        line(f"  {note}: {n:,}")
    for text in log.remarks:
        say(text)


@renders("Overview")
def overview(whole: Overview) -> None:
    """Print counts, facets and samples of a probe."""
    card = whole.card
    print(f"{card['name']}  {whole.items:,} items in {whole.families:,} families")
    for name in ("made", "licence"):
        if card[name]:
            print(f"{name:9}{card[name]}")
    for figure in card["human"]:
        about = f" of {figure['part']}" if figure["part"] else ""
        print(f"people   {figure['value']:.3f}{about} ({figure['kind'] or 'kind unknown'}; {figure['source']})")
    if whole.label_quality is not None:
        print(f"quality  {whole.label_quality}")
    options = {f"{number} per item:": n for number, n in whole.options.items()}
    gold = {"none:" if position == "none" else f"option {position}:": n for position, n in whole.answers.items()}
    counted = {"forms": whole.forms, "options": options, "gold": gold, "groups": whole.groups}
    for name, counts in (counted | {"notes": card["notes"]}).items():
        if counts:
            print(f"{name:9}{_counts(counts)}")
    _print_facets(whole.facets)
    if whole.heat_map:
        cells = {(cell.hops, cell.distractor_kind): cell.items for cell in whole.heat_map}
        print("", *heat_map(cells, "hops", "distractors"), sep="\n")
    for sample in whole.samples:
        print()
        _print_item(sample)


def _counts(counts: Mapping[str, int]) -> str:
    return "  ".join(f"{name} {n:,}" for name, n in counts.items())


def _print_facets(facets: Mapping[str, FacetCounts]) -> None:
    if not facets:
        return
    width = max(len("facet"), *map(len, facets))
    print(f"\n{'facet':{width}}  values  counts")
    for name, facet in facets.items():
        more = "  …" if facet.values > len(facet.counts) else ""
        print(f"{name:{width}}  {facet.values:6,}  {_counts(facet.counts)}{more}")


def heat_map(counts: Mapping[tuple[str, str], int], down: str, across: str) -> list[str]:
    """The lines of a map of counts in plain characters; each cell has its count and a shade of five.

    >>> print("\\n".join(heat_map({("1", "sister"): 40, ("2", "sister"): 10, ("1", "random"): 20}, "hops", "kind")))
    hops \\ kind  random  sister
    1              20 ▒    40 █
    2               0      10 ░
    """
    rows, columns = (sorted({key[i] for key in counts}) for i in (0, 1))
    most = max(counts.values())
    corner = f"{down} \\ {across}"
    widths = {name: max(len(name), len(f"{most:,}") + 2) for name in columns}
    lines = [corner + "".join(f"  {name:>{widths[name]}}" for name in columns)]
    for row in rows:
        cells = (f"  {_cell(counts.get((row, name), 0), most):>{widths[name]}}" for name in columns)
        lines.append(f"{row:{len(corner)}}" + "".join(cells))
    return [each.rstrip() for each in lines]


def _cell(value: int, most: int) -> str:
    # A cell that is not empty has a shade, however few it holds.
    return f"{value:,} {_SHADES[-(-value * (len(_SHADES) - 1) // most)]}"


def _print_item(item: Item) -> None:
    print(item.id)
    _print_question(item.premise, item.text, item.options, item.answer)


def _print_question(premise: str | None, text: str | None, options: Sequence[str], answer: int | None) -> None:
    """The texts of an item and its options, the right one marked."""
    for part in (premise, text):
        if part:
            print(f"  {part}")
    for i, option in enumerate(options):
        print(f"  {'✓' if i == answer else ' '} {i}  {option}")


@renders("ItemInForms")
def item_in_forms(item: ItemInForms) -> None:
    """Print an item with its facets and sources, in all its forms."""
    from horsesense.core.document import plain

    _print_item(item.item)
    fields = plain(item.item)
    for name in ("family", "member", "concepts", "groups", "facets", "source"):
        value = fields.get(name)
        if value:
            listed = "  ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else str(value)
            print(f"  {name:8}  {listed}")
    for form, view in item.views.items():
        print(f"\nas {form}")
        _print_question(view.premise, view.text, view.options, item.item.answer)


@renders("ItemAnswers")
def answers(result: ItemAnswers) -> None:
    """Print an item, and every model's scores and tokens for it."""
    _print_item(result.item)
    for answer in result.answers:
        print()
        _print_answer(result.item.answer, answer)


def _print_answer(gold: int | None, answer: ItemAnswer) -> None:
    print(f"{answer.model} on {answer.probe}: {answer.outcome or 'no gold answer'}, by {answer.normalise}")
    for i, option in enumerate(answer.options):
        marks = f"{'→' if i in answer.chosen else ' '}{'✓' if i == gold else ' '}"
        print(f" {marks} {i}  {option.score:9.4f}  {option.option}")
        if option.tokens:
            print(f"        {'  '.join(f'{token.token!r} {token.logprob:z.2f}' for token in option.tokens)}")
    if answer.evidence is not None and gold is not None:
        print()
        _print_evidence(answer.options[gold].text, answer.options[answer.evidence.other].text, answer.evidence)
    for i, reply in enumerate(answer.replies, start=1):
        print(f"\n  prompt {i} of {len(answer.replies)}")
        print(indent(reply.prompt, "    "))
        if reply.reasoning:
            print("  thoughts")
            print(indent(reply.reasoning, "    "))
        print(f"  reply: {reply.outcome} ({reply.why})")
        if reply.text:
            print(indent(reply.text, "    "))


@renders("Scores")
def scores(scored: Scores) -> None:
    """Print every token with its log-probability, or the evidence for each text against another."""
    if scored.out is not None:
        say(f"scores in {scored.out}")
        return
    if scored.against is not None:
        for text, evidence in zip(scored.texts, scored.evidence or (), strict=True):
            _print_evidence(text.text, scored.against.text, evidence)
        return
    for text in scored.texts:
        frame = table("token", "start", "end", "log-probability", title=text.text)
        for token in text.tokens:
            frame.add_row(repr(token.token), str(token.start), str(token.end), f"{token.logprob:z.4f}")
        frame.add_section()
        frame.add_row("sum", "", "", f"{text.sum:z.4f}")
        frame.add_row("mean", "", "", f"{text.mean:z.4f}")
        console().print(frame)


def _print_evidence(text: str, other: str, evidence: TextEvidence | OptionEvidence) -> None:
    """A table: how much each token speaks for a text against the other."""
    from rich.text import Text

    title = Text.assemble(text, "\n", ("against", "dim"), f" {other}")
    frame = table("token", "against", "q", left=2, title=title)
    for position in evidence.q:
        row = [repr(token) if token is not None else "" for token in (position.token, position.against)]
        frame.add_row(*row, f"{position.q:+z.4f}", style="bold" if position.edited else "")
    frame.add_section()
    frame.add_row("sum", "", f"{evidence.sum:+z.4f}")
    console().print(frame)
    line(f"{evidence.share_of_edit:.0%} of the evidence is where the texts differ (bold)")


@renders("Fills")
def fills(filled: Fills) -> None:
    """Print the most probable words for each blank."""
    for word in filled.fills:
        if word.rank == 1:
            line(word.prompt)
        line(f"  {word.rank:>3}  {word.logprob:8.4f}  {word.word!r}")


@renders("ModelSaliency")
def explanation(explained: ModelSaliency) -> None:
    """Print a bar per word."""
    most = max((abs(word.value) for word in explained.words), default=0.0) or 1.0
    for word in explained.words:
        _print_bar(word.value, most, word.word)
    line(f"log-probability of {explained.target!r}: {explained.logprob:z.3f}", "dim")
    line(f"log-probability with all else blank: {explained.baseline:z.3f}", "dim")
    if explained.method == "integrated":
        line(f"difference not accounted for: {explained.residual:+z.3f} (less with more --steps)", "dim")


@renders("ExplanationOverNames")
def clues(voted: ExplanationOverNames) -> None:
    """Print the words that most draws of names agree on."""
    most = max((abs(clue.value) for clue in voted.clues), default=0.0) or 1.0
    for clue in voted.clues:
        label = f"{clue.word}  {clue.votes} of {voted.draws}{' argument' if clue.argument else ''}"
        _print_bar(clue.value, most, label)
    line(f"{len(voted.clues)} clue words by vote over {voted.draws} draws of names", "dim")
    if voted.arguments is not None:
        line(f"{sum(clue.argument for clue in voted.clues)} of them are arguments", "dim")
    line(f"two draws share {voted.stability:.2f} of their strongest words", "dim")


def _print_bar(value: float, most: float, label: str) -> None:
    bar = ("█" if value >= 0 else "░") * round(abs(value) / most * _WIDTH)
    line(f"{value:+z8.3f}  {bar:<{_WIDTH}}  {label}")


@renders("DryRun")
def dry_run(dry: DryRun) -> None:
    """Print the prompts that a run would send."""
    for each in dry.prompts:
        order = f", options in the order {' '.join(map(str, each.order))}" if each.order else ""
        print(f"{each.probe}, item {each.item}, {each.format}{order}")
        print(indent(each.prompt, "    "))
    if dry.note:
        say(dry.note)
    say(f"nothing was sent; the run would ask {', '.join(f'{n:,} items of {name}' for name, n in dry.items.items())}")


@renders("StoredRun")
def stored_run(stored: StoredRun) -> None:
    """Print the results of a run, or the tables of a paper with its models in them."""
    from horsesense.methods.suites import find_paper_suite
    from horsesense.methods.suites.render import print_tables
    from horsesense.registry import load

    if stored.suite is not None:
        load(find_paper_suite(stored.suite.name).render)(stored.suite, stored.tables or ())
    elif stored.tables is not None:
        print_tables(stored.tables)
    else:
        print_results(stored.results)
    for asked in stored.withheld or ():
        _print_withheld(asked)
    for wording in stored.wordings or ():
        _print_wordings(wording)
    for result in stored.until or ():
        met = "stopped: narrow enough" if result.met else "all items were asked, and it is still wider"
        line(f"{result.model} on {result.probe}: {result.accuracy:.3f}, valid at any time; {met}")
    say(f"answers in {stored.out}; report: {stored.report}")


def _print_wordings(result: WordingResult) -> None:
    line(f"{result.model} on {result.probe} ({result.format}), {result.items:,} items in other wordings", "bold")
    lowest, highest = min(result.by_wording.values()), max(result.by_wording.values())
    line(f"  these {len(result.by_wording)} wordings: {result.fixed:.3f}; from {lowest:.3f} to {highest:.3f}")
    line(f"  with other wordings: {result.with_wording:.3f}")
    parts = ", ".join(f"{name} {value:.4f}" for name, value in result.components.items())
    line(f"  variance components: {parts}", "dim")
    if result.order_effect is not None:
        line(f"  options in their own order minus reversed: {result.order_effect:+.3f}", "dim")
    for name, way in (("best", result.best), ("all items", result.all_families), ("all wordings", result.all_wordings)):
        plan = f"{way.families:,} families in {way.wordings} wordings, half-width {way.half_width:.3f}"
        line(f"  next 1,000 questions, {name}: {plan}", "dim")


def _print_withheld(asked: WithheldResult) -> None:
    line(f"{asked.model} on {asked.probe} ({asked.format}), {asked.n:,} items", "bold")
    ways = ("question and options", asked.with_both), ("options alone", asked.options_alone)
    for name, estimate in (*ways, ("question alone", asked.question_alone)):
        if estimate is not None:
            line(f"  {name}: {estimate:.3f}, chance {estimate.chance or 0:.3f}")
    if asked.from_options is not None:
        line(f"  what the options give away: {asked.from_options:+.3f}, corrected for chance")
    if asked.from_question is not None:
        line(f"  what the question adds: {asked.from_question:+.3f}, corrected for chance")
    if asked.grades is not None:
        line(f"  free answers: {', '.join(f'{grade} {n:,}' for grade, n in asked.grades.items())}", "dim")
    if asked.recall is not None:
        recall = ", ".join(f"first {rank}: {share:.2f}" for rank, share in asked.recall.items())
        line(f"  key among the {recall}; median rank {asked.median_rank:.0f}", "dim")


@renders("Report")
def report(written: Report) -> None:
    """Print the results or the table, slices, and where the report is."""
    from itertools import groupby

    from horsesense.runs.result import shown_names

    if written.out is None:
        print(written.text or "", end="")
    if written.charts:
        say(f"charts: {count(len(written.charts), 'file')} in {written.charts[0].parent}")
    if not written.text:
        print_results(written.results)
    names = shown_names(each.model for each in written.slices or ())
    for (model, probe), slices in groupby(written.slices or (), key=lambda each: (each.model, each.probe)):
        _print_slices(f"{names[model]} on {probe}", list(slices))
    for label, named in written.unjudged:
        say(f"{label} on {named}: no item has a gold answer, so there is no score")
    if written.unfinished:
        say(f"incomplete, left out: {', '.join(written.unfinished)}; run the same command again to resume")
    if written.out is not None:
        say(f"report: {written.out}")


@renders("Profile")
def profile(result: Profile) -> None:
    """Print a table per model, its scores, and where the page is."""
    from horsesense.report import profile_view as view

    for warning in filter(None, (view.partial_warning(result), view.edition_warning(result), result.relatedness_note)):
        line(warning)
    columns = ["ability", "verdict", "accuracy", "95% CI", "chance", "adjusted", "n", "best cue"]
    for column, model in enumerate(result.models):
        rows = []
        for row in view.rows_of(result):
            cell = row.cells[column]
            if cell is None:
                continue
            e = cell.finding.accuracy
            rows.append(
                [
                    row.ability.title + ("" if row.ability.counts else " ¹"),
                    cell.verdict,
                    percent(e.value, 0) + (" ≠" if cell.disagreeing else ""),
                    f"{e:i.0%}",
                    "" if e.chance is None else percent(e.chance, 0),
                    view.adjusted_text(cell.adjusted).partition(" ")[0],
                    f"{cell.finding.n:,}",
                    "" if cell.cue is None else percent(cell.cue, 0),
                ]
            )
        print_fitting(columns, rows, left=2, optional=("best cue", "chance"), title=model.model)
        head = view.headline(model)
        line(f"overall score: {head.overall}")
        for each in model.verdicts.groups:
            outside = "" if each.judged else " (not in the overall score)"
            line(f"  {each.group}: {view.adjusted_text(each.adjusted)}{outside}")
        line(f"verdicts: {', '.join(f'{name} {n}' for name, _, n in head.counts)}")
        line(f"contamination: {head.contamination}")
        line(f"answers moved by cues that were planted on purpose: {head.planted}")
        line("")
    for name, text in view.notes(result).items():
        line(f"{name}: {text}")
    line("adjusted: adjusted score; 0 is chance or a shortcut (such as the best cue), 1 is the ceiling")
    if any(not ability.counts for ability in result.abilities):
        line(f"¹ not in the overall score: {view.UNJUDGED}")
    if any(cell.disagreeing for row in view.rows_of(result) for cell in row.cells if cell is not None):
        line("≠ prompt formats disagree")
    say(f"page: {result.page}")
    say(f"picture: {(result.pictures or ())[-1]}")
    say(f"Markdown for a model card: {result.markdown}")


@renders("WrittenRows")
def rows(written: WrittenRows) -> None:
    """Print how many rows were written."""
    line(f"{written.rows:,} {written.what}  {written.out}")


def print_results(results: Sequence[Result]) -> None:
    """Print one row per model, probe and prompt format, then one fact per line."""
    from horsesense.report.run_text import verdict_label
    from horsesense.runs.result import shown_names, spreads

    names = shown_names(result.model for result in results)
    several = len({result.format for result in results} | {"loglikelihood"}) > 1
    columns = [
        "model",
        "probe",
        *(["format"] if several else []),
        "accuracy",
        "95% CI",
        "chance",
        "n",
        "verdict",
        _SCALE,
    ]
    rows = []
    for result in results:
        e = result.accuracy
        score = ("–", "", "") if result.unanswered else (f"{e:v.3f}", f"{e:i.3f}", bar(e.value, e.chance, e.ci))
        rows.append(
            [
                names[result.model],
                result.probe,
                *([result.format] if several else []),
                *score[:2],
                "" if e.chance is None else f"{e.chance:.3f}",
                f"{e.n:,}",
                verdict_label(result),
                score[2],
            ]
        )
    print_fitting(columns, rows, left=len(columns) - 6, optional=(_SCALE,), drawn=2)
    for result in results:
        console().print(f"{names[result.model]} on {_asked(result)}", style="dim", markup=False, soft_wrap=True)
        for name, fact in _facts(result):
            console().print(f"  {name}: {fact}", style="dim", markup=False, soft_wrap=True)
    for probe, quality in {result.probe: result.label_quality for result in results if result.label_quality}.items():
        console().print(f"label quality of {probe}: {quality.in_words()}", soft_wrap=True, markup=False)
    for result in results:
        if warning := result.beyond():
            console().print(f"{names[result.model]} on {_asked(result)}: {warning}", soft_wrap=True, markup=False)
    for each in spreads(results):
        console().print(f"{names[each.model]} on {each.probe}, by prompt format", markup=False, soft_wrap=True)
        for name, value in each.formats.items():
            console().print(f"  {name}: {value:.3f}", markup=False)
        console().print(f"  range: {each.spread:.3f}", markup=False)


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    """State the metric, sample and prompt behind a score, one fact each."""
    from horsesense.report.run_text import bounds, normalisation, outcomes
    from horsesense.runs.replies import in_words, position_in_words

    yield "metric", result.metric
    yield "options compared by", normalisation(result.normalise)
    yield "clusters", f"{result.accuracy.clusters:,}"
    if result.plain is not None and not result.unanswered:
        yield "plain accuracy", f"{result.plain:.3f}, n = {result.plain.n:,}"
        yield "effective number of clusters", f"{result.effective_units:.0f}"
    if result.strict is not None and result.strict.chance is not None and not result.unanswered:
        s = result.strict
        yield "families with all items right", f"{s:.3f}, chance {s.chance:.3f}, n = {s.n:,}"
    if result.ties:
        yield "ties", f"{result.ties:,}"
    if result.unjudged:
        yield "items without a gold answer, left out", f"{result.unjudged:,}"
    if result.sensitivity and not result.unanswered:
        others = ", ".join(f"{name} {value:.3f}" for name, value in result.sensitivity.items())
        yield "accuracy with other normalisations", others
    if result.asked:
        yield "prompt", result.asked
    if result.outcomes is not None:
        yield "items", outcomes(result)
    if result.bounds is not None:
        yield "unanswered items", bounds(result)
    if result.replies is not None:
        yield "replies", in_words(result.replies)
        if result.replies.position is not None:
            yield "option orders", position_in_words(result.replies.position)


def _asked(result: Result) -> str:

    return result.probe if result.format == "loglikelihood" else f"{result.probe} ({result.format})"


def bar(value: float, chance: float | None, ci: tuple[float, float]) -> str:
    """Draw a scale from 0 to 1 with the interval, the value and a mark at chance.

    >>> bar(0.75, 0.5, (0.62, 0.85))
    '··········┃·├──●─┤··'
    """

    def at(share: float) -> int:
        return min(_WIDTH - 1, int(share * _WIDTH))

    cells = ["·"] * _WIDTH
    low, high = map(at, ci)
    cells[low : high + 1] = ["─"] * (high + 1 - low)
    cells[low], cells[high] = "├", "┤"
    if chance is not None:
        cells[at(chance)] = "┃"
    cells[at(value)] = "●"
    return "".join(cells)


def _print_slices(title: str, rows: Sequence[FacetRow]) -> None:
    """Print one row per value of a facet: items right, and clusters right as a whole."""
    from horsesense.report.run_text import value_text

    columns = ["slice", "accuracy", "n"]
    columns += ["whole families", "n families", "chance"] if any(row.clusters for row in rows) else []
    cells = []
    for row in rows:
        cells.append([f"{row.facet} = {value_text(row.value)}", f"{row.items}", f"{row.items.n:,}"])
        if whole := row.clusters:
            chance = "" if whole.chance is None else f"{whole.chance:.2f}"
            cells[-1] += [f"{whole}", f"{whole.n:,}", chance]
    print_fitting(columns, cells, optional=("chance",), title=title)
