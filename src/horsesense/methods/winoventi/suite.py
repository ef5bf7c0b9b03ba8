"""The tables of a WinoVenti evaluation (section 3), and table 6 of the paper with the user's models.

The suite runs the published schemas, their outcomes without a premise (the adversarial filter) and after a neutral one,
and the reversed schemas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

from horsesense.core.spec import parse_spec
from horsesense.data import shipped_toml
from horsesense.errors import UserError, argument
from horsesense.methods.ledger import printed_table
from horsesense.methods.suites.frame import (
    OpenedData,
    PaperRow,
    PaperSuite,
    PaperTable,
    by_model,
    data_folder,
    find_file,
    restrict,
    with_published,
)
from horsesense.methods.winoventi.associations import read_depths, read_registry
from horsesense.methods.winoventi.evaluation import (
    MAIN,
    Background,
    Evaluation,
    equal_tokens,
    read_background,
    score_answers,
)
from horsesense.methods.winoventi.measures import (
    CHANCE,
    EXCEPTION,
    GENERIC,
    NEUTRAL,
    PRIOR,
    ContextShift,
    SubsetResult,
    neutral_probe,
    prior_probe,
)
from horsesense.methods.winoventi.published_dataset import BENCHMARK, read_winoventi, read_winoventi_answers
from horsesense.methods.winoventi.schemas import REVERSE, reverse_probe, triplet_name
from horsesense.methods.winoventi.word_relations import load_word_relations
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.stats import Estimate
from horsesense.stats.accuracy import accuracy
from horsesense.stats.paired import compare

Cell = Estimate | float | None
Result = TypeVar("Result", SubsetResult, ContextShift)
_COLUMNS = ("generic", "exception", "both right", "drop", "macro generic", "macro exception")
TESTS = "WinoVenti: the two tests"
SUBSETS = {"all": "All", "individual": "Individual", "intersection": "Intersection"}
_SLICES = {
    "k": "depth k of the association",
    "own": "the model's own association",
    "third": "third of the premise with the special word",
    "special_pos": "part of speech of the special word",
    "unequal_tokens": "outcomes of unequal numbers of tokens",
    "origin": "who wrote the premise",
    "status": "how far the schema was validated",
    "twin": "whether its twin was trained on",
}
_NOTE = (
    "Clusters are nouns and frames. Chance is 0.25 for both right and 0.5 for each test. Drop: generic minus "
    "exception, paired by schema. Macro: every generic word counts once."
)


def parts_of(answered: Sequence[ProbeAnswers]) -> list[dict[str, ProbeAnswers]]:
    """Return for each model its answers to the schemas, the outcomes alone and, if run, the reversed schemas."""
    models = by_model(answered, (MAIN, PRIOR, NEUTRAL, REVERSE))
    return [parts for parts in models.values() if {MAIN, PRIOR} <= parts.keys()]


def evaluation_tables(answered: Sequence[ProbeAnswers], background: Background) -> tuple[PaperTable, ...]:
    """Make the tables: context shift, the two tests, by number of tokens, differences of models, slices.

    Empty if no model has all parts.
    """
    parts = parts_of(answered)
    if not parts:
        return ()
    evaluations = score_answers(parts, background)
    tables = [_shifts(evaluations)] if any(each.shifts for each in evaluations) else []
    tables += [_subsets(evaluations), _by_tokens(evaluations)]
    tables += [_differences(parts)] if len(parts) > 1 else []
    tables += [_turned(evaluations)] if any(each.reverse for each in evaluations) else []
    return (*tables, *_slices(evaluations))


def tables_of_run(folder: Path, answered: Sequence[ProbeAnswers]) -> tuple[PaperTable, ...]:
    """Make the tables of an evaluation's folder; empty for another run."""
    return evaluation_tables(answered, read_background(folder)) if parts_of(answered) else ()


def _cells(_: Evaluation, each: SubsetResult) -> tuple[Cell, ...]:
    return (each.generic, each.exception, each.both, each.drop, each.macro_generic, each.macro_exception)


def _rows(
    evaluations: Sequence[Evaluation],
    labels: Mapping[str, str],
    results: Callable[[Evaluation], Sequence[Result]],
    cells: Callable[[Evaluation, Result], tuple[Cell, ...]],
) -> tuple[PaperRow, ...]:
    """Return a row per subset and model that has schemas."""
    return tuple(
        PaperRow(f"{each.model}: {who}" if len(evaluations) > 1 else who, "ours", cells(each, one))
        for name, label in labels.items()
        for each in evaluations
        for one in results(each)
        if one.subset == name and one.schemas
        for who in (f"{label} ({one.schemas:,} schemas)",)
    )


def _subsets(evaluations: Sequence[Evaluation]) -> PaperTable:
    rows = _rows(evaluations, SUBSETS, lambda each: each.subsets, _cells)
    return PaperTable(TESTS, _COLUMNS, rows, (_NOTE, *_validation_note(evaluations)))


def _validation_note(evaluations: Sequence[Evaluation]) -> tuple[str, ...]:
    """Say how many schemas are not validated, so that there is no headline."""
    most = max(each.proposed for each in evaluations)
    return (f"{most:,} of these schemas are not validated, so there is no headline.",) if most else ()


def _shifts(evaluations: Sequence[Evaluation]) -> PaperTable:
    """Make the table of context shifts, which selection cannot cause, with the tests beside them."""

    def cells(each: Evaluation, one: ContextShift) -> tuple[Cell, ...]:
        test = next(result for result in each.subsets if result.subset == one.subset)
        return one.shift, test.both, test.generic, test.exception, one.moved, one.generic, one.exception

    rows = _rows(evaluations, SUBSETS, lambda each: each.shifts, cells)
    note = (
        "Shift: in nats of log-odds towards the right word; 0 if the model ignores the premise. Chance is 0.25 for "
        "both right and 0.5 for each test. Moved: share of schemas whose premises move the model the right way "
        "(chance 0.5). The last two columns compare each premise with a neutral one. Clusters are nouns and frames."
    )
    columns = ("shift", "both right", "generic", "exception", "moved", "generic premise", "exception premise")
    return PaperTable("WinoVenti: context shift", columns, rows, (note, *_validation_note(evaluations)))


def _by_tokens(evaluations: Sequence[Evaluation]) -> PaperTable:
    kinds = {
        f"{name}, {kind} tokens": f"{SUBSETS[name]}, {kind} tokens"
        for name in ("all", "individual")
        for kind in ("equal", "unequal")
    }
    rows = _rows(evaluations, kinds, lambda each: each.tokens, _cells)
    note = (
        "Equal: both outcomes have equally many tokens for every model here. A sum favours the word with fewer tokens."
    )
    return PaperTable("WinoVenti by number of tokens", _COLUMNS, rows, (note,))


def _turned(evaluations: Sequence[Evaluation]) -> PaperTable:
    note = "The outcome is given and the context word is asked (types 3 and 4 of the published files)."
    rows = _rows(evaluations, SUBSETS, lambda each: each.reverse, _cells)
    return PaperTable("WinoVenti: reversed test", _COLUMNS, rows, (note,))


def _differences(parts: Sequence[Mapping[str, ProbeAnswers]]) -> PaperTable:
    """Compare each pair of models on the schemas with equally many tokens for all, paired by schema."""
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
    note = f"On the {len(equal):,} schemas whose outcomes have equally many tokens for all models, paired."
    return PaperTable("WinoVenti: differences between models", ("generic", "exception"), tuple(rows), (note,))


def _credits(answered: ProbeAnswers, equal: set[str]) -> dict[str, dict[str, tuple[float, str]]]:
    """Return test → schema → credit and noun."""
    by_test: dict[str, dict[str, tuple[float, str]]] = {GENERIC: {}, EXCEPTION: {}}
    for item, credit in zip(answered.items, answered.credits("sum").values, strict=True):
        if item.family in equal:
            by_test[item.member][item.family] = float(credit), item.groups.get("noun", "")
    return by_test


def _slices(evaluations: Sequence[Evaluation]) -> list[PaperTable]:
    tables = []
    for facet, title in _SLICES.items():
        rows = []
        for each in evaluations:
            cells: dict[str, dict[str, Estimate]] = {}
            for one in each.slices.get(facet, ()):
                cells.setdefault(str(one.value), {})[one.test] = one.accuracy
            for value, tests in cells.items():
                name = {"True": "yes", "False": "no"}.get(value, value)
                who = f"{each.model}: {name}" if len(evaluations) > 1 else name
                rows.append(PaperRow(who, "ours", (tests.get(GENERIC), tests.get(EXCEPTION))))
        if len(rows) > len(evaluations):
            tables.append(PaperTable(f"WinoVenti by {title}", ("generic", "exception"), tuple(rows)))
    return tables


_OTHERS = {
    "registry": "associativebias_registry.tsv",
    "depths": "outcome_collection_cleaned.csv",
    "people": "human_evaluation_cleaned.csv",
}
_HUMAN = "Human performance"


def _published() -> dict[str, Any]:
    return shipped_toml(Path(__file__).with_name("published.toml"))


def _open(folder: Path | None, skip_bad: bool) -> OpenedData:
    folder = data_folder(folder, "winoventi", "winoventi")
    path = find_file(folder, BENCHMARK)
    if path is None:
        fix = f"give the folder of the published dataset with {argument('data')}"
        raise UserError(f"the suite winoventi needs its {BENCHMARK}", file=folder, fix=fix)
    probe = read_winoventi([path], skip_bad=skip_bad)
    probes = {MAIN: probe, PRIOR: prior_probe(probe), NEUTRAL: neutral_probe(probe), REVERSE: reverse_probe(probe)}
    others = {name: found for name, file in _OTHERS.items() if (found := find_file(folder, file)) is not None}
    return OpenedData(probes, {MAIN: path}, others=others)


def _tables(
    answered: Sequence[ProbeAnswers], controls: Sequence[ProbeAnswers], others: Mapping[str, Path]
) -> tuple[PaperTable, ...]:
    parts = parts_of(answered)
    if not parts:
        return ()
    background = Background(
        depths=read_depths(others["depths"]) if "depths" in others else {},
        others=read_registry(others["registry"]) if "registry" in others else {},
        lexicon=load_word_relations(),
    )
    asked = {item.id for each in parts for item in each[MAIN].items}
    whole = [_only_asked(each) for each in parts]
    others_of_it = evaluation_tables([run for each in whole for run in each.values()], background)
    return (
        *_table6(score_answers(whole, background), whole, asked, others),
        *(table for table in others_of_it if table.title != TESTS),
    )


def _only_asked(parts: Mapping[str, ProbeAnswers]) -> dict[str, ProbeAnswers]:
    """Reduce a partial run to schemas whose outcomes were also run alone, and their reversed forms."""
    triplets = {item.family for item in parts[PRIOR].items}
    if NEUTRAL in parts:
        triplets &= {item.family for item in parts[NEUTRAL].items}
    families = {item.family for item in parts[MAIN].items if triplet_name(item) in triplets}
    ids = {
        item.id for name in (MAIN, REVERSE) if name in parts for item in parts[name].items if item.family in families
    }
    asked = {name: restrict(parts[name], ids) for name in (MAIN, REVERSE) if name in parts}
    return {**parts, **asked}


def _table6(
    evaluations: Sequence[Evaluation],
    parts: Sequence[Mapping[str, ProbeAnswers]],
    asked: set[str],
    others: Mapping[str, Path],
) -> tuple[PaperTable, ...]:
    columns = tuple(f"{label} {test}" for label in SUBSETS.values() for test in (GENERIC, EXCEPTION))
    ours = []
    for each in evaluations:
        by_name = {one.subset: one for one in each.subsets}
        cells: list[Cell] = []
        for name in SUBSETS:
            one = by_name.get(name)
            cells += [one.generic, one.exception] if one is not None else [None, None]
        ours.append(PaperRow(each.model, "ours", tuple(cells), "models"))
    if "people" in others:
        ours.append(_people(others["people"], asked, len(columns)))
    known = _published()
    published = [
        PaperRow(
            f"people, {known['people']}" if name == _HUMAN else name,
            "published",
            tuple(_share(row.get(column.lower())) for column in columns),
            "published",
        )
        for name, row in printed_table("winoventi", "table 6").items()
    ]
    spec = parse_spec("paper:winoventi")
    same = len(asked) == 2 * known["schemas"] and all(run[MAIN].spec.pll == spec.pll for run in parts)
    sizes = ", ".join(f"{each.model} {one.schemas:,}" for each in evaluations for one in each.subsets[1:2])
    note = (
        f"Schemas under Individual: {sizes}. Intersection: schemas whose generic word the models here and the 15 "
        "models of the registry all prefer; the paper's intersection differs (94 in its text, 229 in its table)."
    )
    return with_published("WinoVenti, table 6", columns, ours, published, same, known["source"], about=(note,))


def _people(path: Path, asked: set[str], columns: int) -> PaperRow:
    """Return the accuracy of people, one per item, on the items that models were run on."""
    votes = read_winoventi_answers([path])
    items = {item.id: item for item in votes.probe.items}
    cells: list[Cell] = []
    for test in (GENERIC, EXCEPTION):
        judged = [each for each in votes.judgements if items[each.item].member == test and each.item in asked]
        right = [float(items[e.item].options[items[e.item].answer or 0] == e.value) for e in judged]
        cells.append(accuracy(right, [items[each.item].groups["noun"] for each in judged], CHANCE) if right else None)
    return PaperRow("people, one per item", "people", (*cells, *[None] * (columns - 2)), "people")


def _share(value: float | None) -> float | None:
    return None if value is None else round(value / 100, 4)


WINOVENTI = PaperSuite("winoventi", "Do and Pavlick (Findings of ACL 2021)", "paper:winoventi", _open, _tables)
