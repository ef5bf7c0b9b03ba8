"""What ``horsesense run --suite`` prints: a paper's row for each model, the paper's own rows beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from horsesense.cli.output import people, say, say_skipped

if TYPE_CHECKING:
    from horsesense.analysis import Consistency, Estimate
    from horsesense.analysis.cues.findings import Finding
    from horsesense.runs.results import Answered
    from horsesense.scoring.normalise import Normalisation
    from horsesense.studies.suites.accuracy_row import AccuracyRow
    from horsesense.studies.suites.consistency_row import ConsistencyRow
    from horsesense.studies.suites.published import PublishedRow
    from horsesense.studies.suites.suite import Opened


def suite_document(opened: Opened, answered: Sequence[Answered], how: Normalisation | None) -> dict[str, Any]:
    """The part ``suite`` of what ``--json`` prints; people see the same."""
    from horsesense.cli.stages import stages
    from horsesense.studies.suites.accuracy_row import accuracy_row
    from horsesense.studies.suites.blind_cues import blind_cues
    from horsesense.studies.suites.consistency_row import consistency_row
    from horsesense.studies.suites.published import published_rows, source

    suite, found, probes = opened.suite, opened.found, opened.probes
    models = list(dict.fromkeys(one.part.model.name for one in answered))
    by_model = {
        model: {name: one for name in probes for one in answered if _is(one, model, name) and one.judged}
        for model in models
    }
    rows: list[dict[str, Any]]
    if suite.table == "accuracy":
        rows = [_accuracy(accuracy_row(sets, how)) for sets in by_model.values() if sets]
    else:
        rows = [_consistency(consistency_row(sets, how)) for sets in by_model.values() if sets]
    printed = published_rows(suite.table)
    with stages() as tick:
        cues = blind_cues(probes, tick)
    return {
        "name": suite.name,
        "found": {name: str(path) for name, path in found.paths.items()},
        "missing": list(found.missing),
        "measure": suite.table,
        "rows": rows,
        "published": {
            "source": source(),
            "rows": [_published(row, list(found.paths)) for row in printed],
            "averages_that_do_not_follow": [row.model for row in printed if not row.follows],
        },
        "cues": {
            name: {
                "rule": _cue(each.rule),
                "learnt": _cue(each.learnt),
                "chance": each.chance,
                "searched": each.searched,
            }
            for name, each in cues.items()
        },
    }


def _is(one: Answered, model: str, probe: str) -> bool:
    return one.part.model.name == model and one.part.probe.name == probe


def _estimate(e: Estimate) -> dict[str, Any]:
    return {"value": e.value, "ci": [e.low, e.high], "n": e.n, "clusters": e.clusters, "chance": e.chance}


def _accuracy(row: AccuracyRow) -> dict[str, Any]:
    sets = {name: _estimate(result.estimate) for name, result in row.results.items()}
    return {
        "model": row.model,
        "kind": "measured",
        "direction": row.direction,
        "parameters": row.parameters,
        "sets": sets,
        "average": _estimate(row.average) | {"sets": len(sets)},
    }


def _consistency(row: ConsistencyRow) -> dict[str, Any]:
    return {
        "model": row.model,
        "kind": "measured",
        "direction": row.direction,
        "parameters": row.parameters,
        "sets": {name: _pairs(found) for name, found in row.sets.items()},
    }


def _pairs(found: Consistency) -> dict[str, Any]:
    parts = {
        "consistent": found.consistent,
        "both_right": found.both,
        "expected": found.expected,
        "excess": found.excess,
        "accuracy_a": found.first[1],
        "accuracy_b": found.second[1],
    }
    return {name: _estimate(e) for name, e in parts.items()} | {"pairs": found.consistent.n, "unpaired": found.unpaired}


def _published(row: PublishedRow, sets: list[str]) -> dict[str, Any]:
    document = {
        "model": row.model,
        "kind": "published, people" if row.human else "published",
        "direction": row.direction or None,
        "parameters_in_millions": row.parameters,
        "text": row.text or None,
        "sets": dict(row.values),
    }
    if row.printed is not None:
        document["average"] = {
            "printed": row.printed,
            "recomputed": row.average(),
            "follows": row.follows,
            "same_sets": row.average(sets),
        }
    return document


def _cue(cue: Finding | None) -> dict[str, Any] | None:
    if cue is None:
        return None
    e = cue.accuracy
    return {"name": cue.name, "pick": cue.pick, "accuracy": e.value, "ci": [e.low, e.high], "p": cue.p}


def say_missing(opened: Opened) -> None:
    """Which sets there are, and which are not: told before hours of asking."""
    suite, found = opened.suite, opened.found
    for name, probe in opened.probes.items():
        if skipped := probe.card.notes.get("bad lines skipped"):
            say(f"{name}: {skipped:,} bad lines skipped")
        say_skipped(probe.skipped)
    say(f"{suite.name}: {len(found.paths)} of {len(suite.sets)} sets here: {', '.join(found.paths)}")
    if found.missing:
        say(f"{suite.name}: missing: {', '.join(found.missing)}; the row has no figure for them")


def print_suite(document: dict[str, Any]) -> None:
    """The table, one column a set."""
    from horsesense.cli.suite_tables import accuracy_tables, consistency_tables, cue_lines

    console = people()
    for table in accuracy_tables(document) if document["measure"] == "accuracy" else consistency_tables(document):
        console.print(table)
    for line in cue_lines(document):
        console.print(line, markup=False, soft_wrap=True)
