"""WinoVenti as a suite: table 6 of the paper with one's own models in it.

Asked are the released schemas, their outcomes without a premise (the adversarial filter) and after a neutral one, and
the schemas turned round.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from horsesense.core.spec import parse_spec
from horsesense.data import cache_folder
from horsesense.errors import UserError, argument
from horsesense.methods.ledger import printed_table
from horsesense.methods.suites.frame import OpenedData, PaperRow, PaperSuite, PaperTable, with_published
from horsesense.methods.winoventi.adversarial_filter import PRIOR, prior_probe
from horsesense.methods.winoventi.associations import read_depths, read_registry
from horsesense.methods.winoventi.background import Background
from horsesense.methods.winoventi.context_shift import NEUTRAL, neutral_probe
from horsesense.methods.winoventi.evaluation import MAIN, Evaluation, evaluate
from horsesense.methods.winoventi.evaluation_tables import SUBSETS, TESTS, by_model, evaluation_tables
from horsesense.methods.winoventi.lexicon import lexicon_at_hand
from horsesense.methods.winoventi.measures import CHANCE, EXCEPTION, GENERIC
from horsesense.methods.winoventi.released import BENCHMARK, read_winoventi, read_winoventi_answers
from horsesense.methods.winoventi.special_word import REVERSE, reversed_probe, triplet_name
from horsesense.runs.results import Answered
from horsesense.stats import Estimate
from horsesense.stats.accuracy import accuracy

_OTHERS = {
    "registry": "associativebias_registry.tsv",
    "depths": "outcome_collection_cleaned.csv",
    "people": "human_evaluation_cleaned.csv",
}
_HUMAN = "Human performance"


def _published() -> dict[str, Any]:
    text = files("horsesense.methods.winoventi").joinpath("published.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _open(folder: Path | None, skip_bad: bool) -> OpenedData:
    folder = cache_folder("releases", "winoventi") if folder is None else folder
    path = _find(folder, BENCHMARK) if folder.is_dir() else None
    if path is None:
        fix = f"give the folder of the release with {argument('data')}, or: horsesense fetch winoventi"
        raise UserError(f"the suite winoventi needs its {BENCHMARK}", file=folder, fix=fix)
    probe = read_winoventi([path], skip_bad=skip_bad)
    probes = {MAIN: probe, PRIOR: prior_probe(probe), NEUTRAL: neutral_probe(probe), REVERSE: reversed_probe(probe)}
    others = {name: found for name, file in _OTHERS.items() if (found := _find(folder, file)) is not None}
    return OpenedData(probes, {MAIN: path}, others=others)


def _find(folder: Path, name: str) -> Path | None:
    """A file of the release, in the folder or below it."""
    paths = sorted(folder.rglob(name), key=lambda path: (len(path.parts), str(path)))
    return paths[0] if paths else None


def _tables(
    answered: Sequence[Answered], controls: Sequence[Answered], others: Mapping[str, Path]
) -> tuple[PaperTable, ...]:
    parts = by_model(answered)
    if not parts:
        return ()
    background = Background(
        depths=read_depths(others["depths"]) if "depths" in others else {},
        others=read_registry(others["registry"]) if "registry" in others else {},
        lexicon=lexicon_at_hand(),
    )
    asked = {item.id for each in parts for item in each[MAIN].items}
    whole = [_only_asked(each) for each in parts]
    others_of_it = evaluation_tables([run for each in whole for run in each.values()], background)
    return (
        *_table6(evaluate(whole, background), whole, asked, others),
        *(table for table in others_of_it if table.title != TESTS),
    )


def _only_asked(parts: Mapping[str, Answered]) -> dict[str, Answered]:
    """Where only a part was asked, schemas whose outcomes were asked alone too, and of these what was turned round."""
    triplets = {item.family for item in parts[PRIOR].items}
    if NEUTRAL in parts:
        triplets &= {item.family for item in parts[NEUTRAL].items}
    main = _among(parts[MAIN], {item.family for item in parts[MAIN].items if triplet_name(item) in triplets})
    families = {item.family for item in main.items}
    turned = {REVERSE: _among(parts[REVERSE], families)} if REVERSE in parts else {}
    return {**parts, MAIN: main} | turned


def _among(run: Answered, families: set[str]) -> Answered:
    pairs = [pair for pair in zip(run.items, run.answers, strict=True) if pair[0].family in families]
    return replace(
        run, probe=replace(run.probe, items=[item for item, _ in pairs]), answers=[answer for _, answer in pairs]
    )


def _table6(
    found: Sequence[Evaluation], parts: Sequence[Mapping[str, Answered]], asked: set[str], others: Mapping[str, Path]
) -> tuple[PaperTable, ...]:
    columns = tuple(f"{told} {test}" for told in SUBSETS.values() for test in (GENERIC, EXCEPTION))
    ours = []
    for each in found:
        by_name = {one.subset: one for one in each.subsets}
        cells: list[Estimate | float | None] = []
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
    made = with_published("WinoVenti, table 6", columns, ours, published, same, known["source"])
    sizes = ", ".join(f"{each.model} {one.schemas:,}" for each in found for one in each.subsets[1:2])
    note = (
        f"Schemas under Individual: {sizes}. Intersection: those that the models here and the release's 15 columns "
        "all prefer the generic word of; the paper's is another (94 by its text, fractions of 229 in its table)."
    )
    return (replace(made[0], notes=(note, *made[0].notes)), *made[1:])


def _people(path: Path, asked: set[str], columns: int) -> PaperRow:
    """One person an item, on the items that models were asked."""
    votes = read_winoventi_answers([path])
    items = {item.id: item for item in votes.probe.items}
    cells: list[Estimate | float | None] = []
    for test in (GENERIC, EXCEPTION):
        judged = [each for each in votes.judgements if items[each.item].member == test and each.item in asked]
        right = [float(items[e.item].options[items[e.item].answer or 0] == e.value) for e in judged]
        cells.append(accuracy(right, [items[each.item].groups["noun"] for each in judged], CHANCE) if right else None)
    return PaperRow("people, one an item", "people", (*cells, *[None] * (columns - 2)), "people")


def _share(value: float | None) -> float | None:
    return None if value is None else round(value / 100, 4)


WINOVENTI = PaperSuite("winoventi", "Do and Pavlick (Findings of ACL 2021)", "paper:winoventi", _open, _tables)
