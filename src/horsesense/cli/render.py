"""Print results on the terminal: one renderer per result class.

A renderer is found by the name of the class, or named by the table of commands. Its keyword-only parameters are
options of the command.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from horsesense.terminal import console, line, number, p_value, say, signed, size, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from horsesense.api.cache import CacheContents, PrunedCache
    from horsesense.api.cues import CueFindings
    from horsesense.api.keeping import FetchResult, InstalledPlugins
    from horsesense.api.results import Comparison
    from horsesense.api.verify import Verified
    from horsesense.core.probe import WrittenProbe
    from horsesense.lexicons.sources import AddedSource, KeptSources
    from horsesense.runs.comparison import Pairing, SideBySide

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
        if (found := _RENDERERS.get(kind.__name__)) is not None:
            found(result, **options)
            return
    console().print(result if hasattr(result, "__rich_console__") else str(result), markup=False, soft_wrap=True)


_MOST_CUES = 12


@renders("WrittenProbe")
def probe(written: WrittenProbe) -> None:
    """Print how many items were written where, and what was left out."""
    print(f"{written.items:,} items in {written.families:,} families  {written.out}")
    if written.label_quality:
        print(f"label quality: {written.label_quality}")
    for note, count in written.notes.items():
        print(f"  {note}: {count:,}")


@renders("CueFindings", "Findings")
def cues(findings: CueFindings, *, all: bool = False) -> None:
    """Print the best cues, and the verdict.

    Args:
        all: Print every cue, not only the best.
    """
    most = None if all else _MOST_CUES
    frame = table("picking the option …", "accuracy [95% interval]", "coverage", "p")
    for cue in findings.cues[:most]:
        values = number(cue.accuracy), f"{cue.coverage:.2f}", p_value(cue.p)
        frame.add_row(cue.pick.removeprefix("the option "), *values)
    console().print(frame)
    rest = len(findings.cues) - (most or len(findings.cues))
    notes = [f"{rest} more cues: --all"] if rest > 0 else []
    notes.append(f"best cue of the other half {findings.searched.value:.3f} (the verdict uses the lower of the two)")
    notes.append(f"decision tree over all cues {number(findings.tree)}")
    notes.append(f"{findings.n:,} items in {findings.units:,} clusters")
    if findings.left_out:
        notes.append(f"{findings.left_out:,} items without a gold answer or a choice left out")
    if findings.tested < findings.n:
        notes.append(f"p and the tree on {findings.tested:,} items")
    if findings.mark:
        notes.append(f"an option's {findings.mark.name} gives away its position in {findings.mark.share:.0%} of items")
    for note in notes:
        line(note, "dim")
    line(findings.verdict, "bold")


@renders("Comparison")
def comparison(compared: Comparison, *, items: int = 0) -> None:
    """Print a table and the differences for each probe.

    Args:
        items: Number of items to list that only one of two models gets right.
    """
    from horsesense.runs.result import shown_names

    shown = shown_names(label for side in compared.sides for label in side.accuracies)
    for side in compared.sides:
        _print_side(side, items, shown)
    if compared.unfinished:
        say(f"not finished, and left out: {', '.join(compared.unfinished)}")
    if compared.alone:
        say(f"answered by one model only, and left out: {', '.join(compared.alone)}")


def _print_side(side: SideBySide, items: int, shown: Mapping[str, str]) -> None:
    from rich.markup import escape

    by_format = "" if side.format == "loglikelihood" else f" by {side.format}"
    line(f"{side.probe}{by_format}: {side.items:,} common items with a gold answer", "bold")
    for label, left_out in side.excluded.items():
        if left_out:
            line(f"{left_out:,} items of {shown[label]} left out: not all models answered them", "dim")
    for note in side.notes:
        line(note, "dim")
    if side.soundness is not None:
        line(side.soundness.in_words())
    frame = table("model", f"{side.metric} [95% interval]", "chance", *(("share of items",) if side.plain else ()))
    for label, estimate in side.accuracies.items():
        chance = "" if estimate.chance is None else f"{estimate.chance:.3f}"
        plain = (f"{side.plain[label].value:.3f}",) if side.plain else ()
        frame.add_row(escape(shown[label]), number(estimate), chance, *plain)
    console().print(frame)
    for pairing in side.pairings:
        one, other = shown[pairing.one], shown[pairing.other]
        _print_difference(pairing, one, other)
        for label, ids in ((one, pairing.only_one), (other, pairing.only_other)):
            for identity in ids[:items]:
                line(f"  only {label}: {identity}")


def _print_difference(pairing: Pairing, one: str, other: str) -> None:
    """One fact per line: the difference, the tests, the counts."""
    tests = pairing.comparison
    line(f"{one} − {other}: {signed(tests.difference)}")
    if pairing.plain is not None:
        line(f"  by the share of items: {signed(pairing.plain)}")
    line(f"  p = {p_value(tests.p)}, Holm {p_value(tests.adjusted)}, McNemar {p_value(tests.mcnemar)}")
    line(f"  only {one} right: {len(pairing.only_one):,}; only {other} right: {len(pairing.only_other):,}")
    outlook = pairing.outlook()
    verdict = "significant" if pairing.settled else "not significant" + (f"; {outlook}" if outlook else "")
    line(f"  {verdict}", "bold" if pairing.settled else "")


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
    if contents.entries:
        rows = table("name", "kind", "size", "last use", left=2)
        for entry in contents.entries:
            rows.add_row(entry.name, entry.kind, size(entry.bytes), entry.used[:10])
        console().print(rows)
    print(f"{size(contents.bytes)} in {contents.folder}")


@renders("PrunedCache")
def pruned_cache(pruned: PrunedCache) -> None:
    """Print what was removed, and how much is left."""
    from horsesense.api.cache import was_fetched

    for entry in pruned.removed:
        again = "; horsesense fetch gets it again" if was_fetched(entry) else ""
        print(f"removed {entry.name}: {entry.kind}, {size(entry.bytes)}{again}")
    what = f"{size(pruned.bytes)} removed" if pruned.removed else "there was nothing to remove"
    print(f"{what}; {size(pruned.left)} left in {pruned.folder}")


@renders("Verified")
def verified(found: Verified) -> None:
    """Print how many files are intact, and which are not."""
    print(f"{found.path}: {found.intact:,} intact, {len(found.damaged):,} damaged, {len(found.missing):,} missing")
    for name in found.damaged:
        print(f"damaged: {name}")
    for name in found.missing:
        print(f"missing: {name}")
    if found.unknown:
        say(f"{found.unknown:,} files have no checksum: an earlier version or somebody else wrote them")
    for name in found.changed:
        say(f"{name} has changed since it answered")
    if not found.well:
        say("get an intact copy of what is damaged or missing, or make it again")


@renders("AddedSource")
def added_source(added: AddedSource) -> None:
    """Print the size and the licence of a source."""
    print(f"{added.name}  {added.concepts:,} concepts  licence: {added.licence}")


@renders("KeptSources")
def sources(known: KeptSources) -> None:
    """Print the name, version and licence of each source."""
    for source in known.sources:
        print(f"{source.name:12} {source.version or '–':10} {source.licence}")
    if not known.sources:
        print("none; horsesense build imports WordNet and GCIDE when it needs them")


@renders("InstalledPlugins")
def plugins(installed: InstalledPlugins) -> None:
    """Print what each package adds."""
    from rich.markup import escape

    if not installed.plugins:
        print("no installed package adds anything")
        return
    rows = table("kind", "name", "package", "version", left=4)
    for each in installed.plugins:
        rows.add_row(*map(escape, (each.kind, each.name, each.package, each.version)))
    console().print(rows)
