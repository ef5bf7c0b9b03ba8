"""A replication as Markdown and as a page: counts, differences with reasons, what is missing, inconsistencies."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader

from horsesense.data import write_file
from horsesense.replication.replication import FigureOutcome, PaperReplication, Replication
from horsesense.replication.verdicts import VERDICTS
from horsesense.report.page import bundled, environment
from horsesense.report.tables import TextTable

_SHOWN = ("differs", "within error", "on a part")
COUNTED = ("figures", "computed", *VERDICTS)


def _environment() -> Environment:
    """Return the templates of this package and of all pages."""
    loader = ChoiceLoader([PackageLoader("horsesense.replication"), PackageLoader("horsesense.report")])
    return environment().overlay(loader=loader)


def shown_value(outcome: FigureOutcome) -> str:
    """Format the computed value with one digit more than the paper prints."""
    if outcome.computed is None:
        return ""
    if outcome.printed[-1:] in "kKMB" or (float(outcome.computed).is_integer() and "." not in outcome.printed):
        return f"{outcome.computed:,.0f}"
    digits = len(outcome.printed.partition(".")[2])
    return f"{outcome.computed:.{min(digits, 5) + 1}f}"


def shown_printed(outcome: FigureOutcome) -> str:
    """Format what the paper prints, with its sense."""
    return f"{outcome.sense} {outcome.printed}".strip()


def totals(papers: Sequence[PaperReplication]) -> list[tuple[str, list[int]]]:
    """Count the figures of each paper, and of all papers where there are several."""
    rows = [(each.paper, [each.counts.get(name, 0) for name in COUNTED]) for each in papers]
    if len(rows) > 1:
        rows.append(("all", [sum(row[place] for _, row in rows) for place in range(len(COUNTED))]))
    return rows


def entered() -> dict[str, dict[str, int]]:
    """Read how the two entries of each paper's figures agreed."""
    path = files("horsesense.methods").joinpath("ledger", "entered.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


# Markdown.


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> Iterator[str]:
    yield TextTable(header, list(rows), left=left).markdown()


def markdown(replication: Replication) -> str:
    """Render the whole replication as Markdown, without anything specific to this machine."""
    papers = replication.papers
    lines = [_introduction(papers), ""]
    lines += _table(("", *COUNTED), ((name, *(f"{count:,}" for count in row)) for name, row in totals(papers)))
    bases = Counter[str]()
    for paper in papers:
        bases.update({name: count for name, count in paper.counts.items() if name.startswith("from ")})
    bases_text = "; ".join(f"{count:,} {name}" for name, count in bases.most_common())
    lines += [f"Computed figures by their basis: {bases_text}.", ""]
    for paper in papers:
        lines += _paper(paper)
    return "\n".join(lines).rstrip() + "\n"


def in_short(papers: Sequence[PaperReplication]) -> str:
    """Summarise the counts in a few sentences."""
    counts = dict(zip(COUNTED, totals(papers)[-1][1], strict=True))
    same = Counter(each.basis for paper in papers for each in paper.outcomes if each.verdict == "same")
    within = same.pop("the paper's own rows", 0)
    return (
        f"The papers print {counts['figures']:,} figures. {same.total():,} are recomputed from data or models "
        f"and are as printed; {within:,} agree with other figures of the same paper; {counts['as published']:,} are "
        f"copied from results that the authors published.\n{counts['within error']:,} are within error, "
        f"and {counts['differs']:,} differ. {counts['on a part']:,} could be compared with a part of the "
        f"published dataset only.\n{counts['cannot here']:,} need models or files that are "
        f"not here, and {counts['no result']:,} are settings or figures of other authors."
    )


def _introduction(papers: Sequence[PaperReplication]) -> str:
    """Render the introduction: verdicts, and how the ledger was entered."""
    known = entered()
    twice = {name: counts for name, counts in known.items() if "both" in counts}
    columns = ("first", "second", "both", "differing", "first_only", "second_only", "kinds")
    header = ("", "first entry", "second", "same in both", "value differs", "first only", "second only", "kind differs")
    rows = [(name, *(str(counts[column]) for column in columns)) for name, counts in twice.items()]
    rows.append(("all", *(f"{sum(counts[column] for counts in twice.values()):,}" for column in columns)))
    entries = "\n".join(_table(header, rows)).rstrip()
    template = _environment().get_template("replication.md.j2")
    return str(template.render(entries=entries, found=in_short(papers), **known))


def _section(title: str, header: Sequence[str], rows: Iterable[Sequence[str]], left: int) -> Iterator[str]:
    yield f"### {title}"
    yield ""
    yield from _table(header, rows, left)


def _paper(paper: PaperReplication) -> Iterator[str]:
    yield f"## {paper.paper}: {paper.cited}"
    yield ""
    for verdict in _SHOWN:
        chosen = [each for each in paper.outcomes if each.verdict == verdict]
        if chosen:
            header = ("figure", "reason", "printed", "here", "n")
            yield from _section(f"{verdict.capitalize()} ({len(chosen)})", header, map(_row, chosen), 2)
    yield from _same(paper)
    yield from _cannot(paper)
    yield from _models(paper)
    count = f"{paper.checked} figures checked, {len(paper.inconsistencies)} inconsistent"
    problems = ((each.check, each.place, each.problem) for each in paper.inconsistencies)
    yield from _section(f"Consistency within the paper ({count})", ("rule", "place", "inconsistency"), problems, 3)
    if paper.discrepancies:
        differences = ((each.place, each.says, each.does, each.bears_on) for each in paper.discrepancies)
        columns = ("place", "paper", "code", "affects")
        yield from _section("Differences between the paper and its code", columns, differences, 4)


def _row(each: FigureOutcome) -> tuple[str, ...]:
    reason = each.reason
    if each.verdict == "on a part" and each.fits is not None:
        reason = "; ".join(filter(None, (reason, "inside the interval" if each.fits else "outside the interval")))
    n = "" if each.n is None else f"{each.n:,}"
    return f"{each.place}: {each.row}, {each.column}", reason, shown_printed(each), shown_value(each), n


def _same(paper: PaperReplication) -> Iterator[str]:
    chosen = [each for each in paper.outcomes if each.verdict in ("same", "as published")]
    if chosen:
        groups = Counter((each.place, each.basis) for each in chosen)
        rows = ((place, basis, str(count)) for (place, basis), count in groups.items())
        yield from _section(f"Same, or as published ({len(chosen)})", ("place", "computed from", "figures"), rows, 2)


def _cannot(paper: PaperReplication) -> Iterator[str]:
    chosen = [each for each in paper.outcomes if each.verdict == "cannot here"]
    if chosen:
        groups: dict[tuple[str, str], list[str]] = {}
        for each in chosen:
            groups.setdefault((each.place, each.reason), []).append(each.command)
        rows = (
            (place, reason, commands[0] + (" …" if len(set(commands)) > 1 else ""), str(len(commands)))
            for (place, reason), commands in groups.items()
        )
        header = ("place", "what is missing", "command", "figures")
        yield from _section(f"Cannot here ({len(chosen)})", header, rows, 3)


def _models(paper: PaperReplication) -> Iterator[str]:
    if paper.models:
        yield "### Models scored here"
        yield ""
        asked = " ".join(f"--model {name}" for name in dict.fromkeys(each.model for each in paper.models))
        whole = all(each.whole for each in paper.models)
        yield f"`horsesense replicate {paper.paper} {asked}`{'' if whole else ', on a part of the items'}:"
        yield ""
        rows = (
            (
                each.model,
                each.suite,
                each.column,
                each.why_no_verdict,
                f"{each.estimate:.3f}",
                "" if each.estimate.chance is None else f"{each.estimate.chance:.3f}",
                f"{each.estimate.n:,}",
            )
            for each in paper.models
        )
        header = ("model", "suite", "column", "why no verdict", "accuracy [95% CI]", "chance", "n")
        yield from _table(header, rows, left=4)


# The page.


def write_page(replication: Replication, path: Path) -> None:
    """Write one HTML file with every figure; it opens from disk and needs no network."""
    values: dict[str, Any] = {
        "replication": replication,
        "counted": COUNTED,
        "totals": totals(replication.papers),
        "style": bundled("style.css"),
        "value": shown_value,
        "printed": shown_printed,
    }
    text = _environment().get_template("replication.html.j2").render(values)
    write_file(path, text)
