"""The tables that a report has of any WinoVenti evaluation (winoventi.txt, 3): tests, shifts, tokens, slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

from horsesense.methods.suites.frame import PaperRow, PaperTable
from horsesense.methods.winoventi.adversarial_filter import PRIOR
from horsesense.methods.winoventi.background import Background, read_background
from horsesense.methods.winoventi.context_shift import NEUTRAL
from horsesense.methods.winoventi.evaluation import MAIN, Evaluation, equal_tokens, evaluate
from horsesense.methods.winoventi.measures import EXCEPTION, GENERIC, Subset
from horsesense.methods.winoventi.special_word import REVERSE
from horsesense.runs.results import Answered
from horsesense.stats import Estimate
from horsesense.stats.paired import compare

_COLUMNS = ("generic", "exception", "both right", "drop", "macro generic", "macro exception")
TESTS = "WinoVenti: the two tests"
SUBSETS = {"all": "All", "individual": "Individual", "intersection": "Intersection"}
_SLICES = {
    "k": "depth k of the association",
    "own": "the model's own association",
    "third": "third of the premise in which the special word stands",
    "special_pos": "part of speech of the special word",
    "unequal_tokens": "outcomes of unequal numbers of tokens",
    "origin": "who wrote the premise",
    "status": "how far the schema was validated",
    "twin": "whether its twin was trained on",
}
_NOTE = (
    "Intervals are over nouns and frames. Both right: chance 0.25, where each test has 0.5. Drop: generic minus "
    "exception, schema by schema. Macro: every generic word counts once."
)


def by_model(answered: Sequence[Answered]) -> list[dict[str, Answered]]:
    """For each model its answers to the schemas, the outcomes alone and, where asked, the schemas turned round."""
    models: dict[str, dict[str, Answered]] = {}
    for run in answered:
        if run.part.probe.name in (MAIN, PRIOR, NEUTRAL, REVERSE):
            models.setdefault(run.part.model.name, {})[run.part.probe.name] = run
    return [parts for parts in models.values() if {MAIN, PRIOR} <= parts.keys()]


def evaluation_tables(answered: Sequence[Answered], background: Background) -> tuple[PaperTable, ...]:
    """What premises change, the two tests, these by numbers of tokens, differences of models, slices.

    None where no model was asked it all.
    """
    parts = by_model(answered)
    if not parts:
        return ()
    found = evaluate(parts, background)
    made = [_shifts(found)] if any(each.shifts for each in found) else []
    made += [_subsets(found), _by_tokens(found)]
    made += [_differences(parts)] if len(parts) > 1 else []
    made += [_turned(found)] if any(each.reverse for each in found) else []
    return (*made, *_slices(found))


def tables_of_run(folder: Path, answered: Sequence[Answered]) -> tuple[PaperTable, ...]:
    """The tables of an evaluation that a folder keeps; none where it is another run."""
    return evaluation_tables(answered, read_background(folder)) if by_model(answered) else ()


def _cells(each: Subset) -> tuple[Estimate | float | None, ...]:
    return (each.generic, each.exception, each.both, each.drop, each.macro_generic, each.macro_exception)


def _rows(found: Sequence[Evaluation], subsets: Sequence[tuple[str, str]], turned: bool = False) -> list[PaperRow]:
    rows = []
    for name, told in subsets:
        for each in found:
            for one in each.reverse if turned else (*each.subsets, *each.tokens):
                if one.subset == name and one.schemas:
                    who = f"{told} ({one.schemas:,} schemas)"
                    rows.append(PaperRow(f"{each.model}: {who}" if len(found) > 1 else who, "ours", _cells(one)))
    return rows


def _subsets(found: Sequence[Evaluation]) -> PaperTable:
    return PaperTable(TESTS, _COLUMNS, tuple(_rows(found, list(SUBSETS.items()))), (_NOTE, *_nobodys(found)))


def _nobodys(found: Sequence[Evaluation]) -> tuple[str, ...]:
    """What is no headline says so."""
    most = max(each.proposed for each in found)
    return (f"{most:,} of these schemas were passed by nobody, so that this is no result.",) if most else ()


def _shifts(found: Sequence[Evaluation]) -> PaperTable:
    """What premises change, the one thing that selection cannot bring about, with the tests beside it."""
    rows = []
    for name, told in SUBSETS.items():
        for each in found:
            tests = {one.subset: one for one in each.subsets}
            for one in each.shifts:
                if one.subset == name and one.schemas:
                    who, test = f"{told} ({one.schemas:,} schemas)", tests[name]
                    cells = (one.shift, test.both, test.generic, test.exception, one.moved, one.generic, one.exception)
                    rows.append(PaperRow(f"{each.model}: {who}" if len(found) > 1 else who, "ours", cells))
    note = (
        "Shift: in nats of log-odds towards the right word; 0 where the premise is not read. Both right: chance 0.25, "
        "where each test has 0.5. Moved: share of schemas whose premises move the model apart the right way (chance "
        "0.5). The last two columns: each premise against a neutral one. Intervals over nouns and frames."
    )
    columns = ("shift", "both right", "generic", "exception", "moved", "by the generic premise", "by the exception's")
    return PaperTable("WinoVenti: what premises change", columns, tuple(rows), (note, *_nobodys(found)))


def _by_tokens(found: Sequence[Evaluation]) -> PaperTable:
    kinds = [
        (f"{name}, {kind} tokens", f"{told}, {kind} tokens")
        for name, told in list(SUBSETS.items())[:2]
        for kind in ("equal", "unequal")
    ]
    note = "Equal: as many tokens in both outcomes for every model here. A sum favours the word of fewer tokens."
    return PaperTable("WinoVenti by numbers of tokens", _COLUMNS, tuple(_rows(found, kinds)), (note,))


def _turned(found: Sequence[Evaluation]) -> PaperTable:
    note = "The outcome is given and the context word asked for (types 3 and 4 of the release)."
    rows = _rows(found, list(SUBSETS.items()), turned=True)
    return PaperTable("WinoVenti turned round", _COLUMNS, tuple(rows), (note,))


def _differences(parts: Sequence[Mapping[str, Answered]]) -> PaperTable:
    """Each two models on the schemas that are equal for all, paired schema by schema."""
    equal = set.intersection(*(equal_tokens(each[MAIN]) for each in parts))
    credits = {each[MAIN].part.model.name: _credits(each[MAIN], equal) for each in parts}
    rows = []
    for one, other in combinations(credits, 2):
        cells: list[Estimate | None] = []
        for test in (GENERIC, EXCEPTION):
            families = sorted(credits[one][test].keys() & credits[other][test].keys())
            values = [[credits[name][test][family][0] for family in families] for name in (one, other)]
            nouns = [credits[one][test][family][1] for family in families]
            cells.append(compare(values[0], values[1], nouns).difference if families else None)
        rows.append(PaperRow(f"{one} − {other}", "ours", tuple(cells)))
    note = f"On the {len(equal):,} schemas whose outcomes have equal numbers of tokens for all models, paired."
    return PaperTable("WinoVenti: which model is better", ("generic", "exception"), tuple(rows), (note,))


def _credits(answered: Answered, equal: set[str]) -> dict[str, dict[str, tuple[float, str]]]:
    """Test → schema → credit and noun."""
    by_test: dict[str, dict[str, tuple[float, str]]] = {GENERIC: {}, EXCEPTION: {}}
    for item, credit in zip(answered.items, answered.credits("sum").values, strict=True):
        if item.family in equal:
            by_test[item.member][item.family] = float(credit), item.groups.get("noun", "")
    return by_test


def _slices(found: Sequence[Evaluation]) -> list[PaperTable]:
    tables = []
    for facet, told in _SLICES.items():
        rows = []
        for each in found:
            cells: dict[str, dict[str, Estimate]] = {}
            for one in each.slices[facet].slices if facet in each.slices else ():
                cells.setdefault(str(one.where[0]), {})[str(one.where[1])] = one.accuracy
            for value, tests in cells.items():
                name = {"True": "yes", "False": "no"}.get(value, value)
                who = f"{each.model}: {name}" if len(found) > 1 else name
                rows.append(PaperRow(who, "ours", (tests.get(GENERIC), tests.get(EXCEPTION))))
        if len(rows) > len(found):
            tables.append(PaperTable(f"WinoVenti by {told}", ("generic", "exception"), tuple(rows)))
    return tables
