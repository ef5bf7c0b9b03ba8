"""The RICA suite: figures 4 to 6 and table 5 with the user's models.

It asks the human-curated set and the human-verified test split as masked words, each also without its premise and with
nonsense for its content words; the curated statements about people with first names (figure 5b); and the unperturbed
ones and their negations with the fact stated (figure 6). For a causal model, sentence probability and masked word
agree, because the text before the word is the same in both statements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from horsesense.core import Item, Probe
from horsesense.core.spec import parse_spec
from horsesense.core.views import fill_blank
from horsesense.data import cache_folder, shipped_toml
from horsesense.errors import UserError, argument
from horsesense.lexicons.novel_names import rename_entities
from horsesense.methods.ledger import printed, printed_table
from horsesense.methods.rica.analysis import question_of, rica_tables
from horsesense.methods.rica.controls import CONTROLS, control
from horsesense.methods.rica.english_statements import entities_of
from horsesense.methods.rica.items import SETTINGS, fact_of
from horsesense.methods.rica.knowledge_tables import DATA
from horsesense.methods.rica.notation import read_statement
from horsesense.methods.rica.perturbations import PERTURBATIONS
from horsesense.methods.rica.published_statements import CATEGORIES, CONNECTIVE, entities, read_rica
from horsesense.methods.suites.frame import OpenedData, PaperRow, PaperSuite, PaperTable, by_model, with_published
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.stats import Estimate, accuracy
from horsesense.stats.combined import valence_bias, valence_of
from horsesense.stats.paired import ablation

SETS = ("human-verified", "human-curated", "both")
GROUPS = {"masked": "masked word", "sentence": "sentence probability"}
"""How the paper scores a model."""
_LEFT_TO_RIGHT = ("GPT2",)
_ZERO_SHOT = "zero-shot"
_PARTS = ("easy", "hard", "joint")


def published() -> dict[str, Any]:
    """Return the facts about the paper that are not figures."""
    return shipped_toml(DATA / "published.toml")


@cache
def _results() -> dict[str, dict[str, tuple[float | None, ...]]]:
    """Return model → setting → accuracy on each set and on both, from the ledger."""
    results: dict[str, dict[str, tuple[float | None, ...]]] = {}
    for model, cells in printed_table("rica", "appendix, last tables").items():
        settings = dict.fromkeys(column.partition(" / ")[0] for column in cells)
        results[model] = {
            setting: tuple(_share(cells.get(f"{setting} / {part}")) for part in _PARTS) for setting in settings
        }
    return results


def _share(value: float | None) -> float | None:
    return None if value is None else value / 100


def _group(model: str) -> str:
    return GROUPS["sentence" if model in _LEFT_TO_RIGHT else "masked"]


def human_accuracy() -> float:
    """Return the accuracy of the human majority vote."""
    return printed("rica", "section 4.1", "human performance", "accuracy, majority vote per probe") / 100


def zero_shot_rows() -> list[PaperRow]:
    """Return the published accuracies without training."""
    return [PaperRow(name, "published", settings[_ZERO_SHOT], _group(name)) for name, settings in _results().items()]


def trained_table() -> PaperTable:
    """Make the table of the training settings (section 3.3, appendix), as published."""
    rows = tuple(
        PaperRow(f"{name}, {setting}", "published", values, f"{_group(name)}: {name}")
        for name, settings in _results().items()
        for setting, values in settings.items()
        if setting != _ZERO_SHOT
    )
    notes = (
        f"From {published()['source']}: a share of the verified training set (low resource), all of it with so many "
        "novel entities per statement (high resource), 100,000 raw statements (noisy).",
    )
    return PaperTable("RICA, figure 4 and appendix: after training, as published", SETS, rows, notes)


def not_between() -> str:
    """Say which published joint figures are not between their two parts, which is impossible."""
    wrong = [
        f"{name} ({setting})"
        for name, settings in _results().items()
        for setting, (easy, hard, joint) in settings.items()
        if easy and hard and joint and not min(easy, hard) <= joint <= max(easy, hard)
    ]
    return f"Published figures for both sets that are not between those of their parts: {', '.join(wrong)}."


SOCIAL = "social"


def with_names(probe: Probe) -> Probe:
    """Return the statements about people with three pairs of first names each (section 4.3).

    The statement about novel entities is in the same family, so that no limit separates them.
    """
    drawn = entities_of("names", None, 0)
    items = []
    for item in probe.items:
        if item.facets.get("category") == SOCIAL:
            items.append(replace(item, facets={**item.facets, "entities": "novel"}))
            names = entities(fill_blank(item.text, item.options[item.answer or 0]))
            for number, pair in enumerate(drawn.draw(f"{item.family} {item.member}")):
                text = rename_entities(item.text, dict(zip(names, (pair["A"], pair["B"]), strict=True)))
                groups = {**item.groups, "entities": " ".join(sorted(pair.values()))}
                about = {**item.facets, "entities": "names"}
                member = f"{item.member}_{number + 1}"
                items.append(replace(item, text=text, member=member, groups=groups, facets=about))
    return _derived(probe, items, "named", f"Social statements, as they are and about {drawn.pairs} pairs of names.")


def with_facts(probe: Probe) -> Probe:
    """Return the unperturbed statement of each axiom and its negation, without and with the fact (appendix C)."""
    plain = {
        item.family: item
        for item in probe.items
        if (item.facets.get("perturbation"), item.facets.get("asymmetry")) == ("original", "none")
    }
    left: Counter[str] = Counter()
    items = list(_with_fact(probe, plain, left))
    return _derived(
        probe, items, "told", "Unperturbed statements and their negations, without and with the fact stated.", left
    )


def _with_fact(probe: Probe, plain: Mapping[str, Item], left: Counter[str]) -> Iterator[Item]:
    facts = {family: _fact(item) for family, item in plain.items()}
    for item in probe.items:
        setting = SETTINGS.get(str(item.facets.get("perturbation")))
        if setting is None or item.facets.get("asymmetry") != "none" or item.family not in facts:
            continue
        fact = facts[item.family]
        if not fact:
            left["statements without a fact"] += 1
            continue
        premise, so, conclusion = item.text.rpartition(CONNECTIVE)
        about = {**item.facets, "background": setting}
        yield replace(item, facets={**item.facets, "background": "none"})
        text = f"{premise}, and {fact}{so}{conclusion}"
        yield replace(item, text=text, member=f"{item.member}_background", facets=about)


def _fact(item: Item) -> str:
    """Return the fact behind a statement about two entities; empty if it cannot be parsed."""
    statement = fill_blank(item.text, item.options[item.answer or 0])
    names = entities(statement)
    if item.facets.get("category") == "temporal" or names[0] == names[1]:
        return ""
    try:
        axiom = read_statement(rename_entities(statement, dict(zip(names, "AB", strict=True))))
    except UserError:
        return ""
    return fact_of(axiom, item.facets.get("category") == SOCIAL)


def _derived(
    probe: Probe, items: list[Item], name: str, description: str, notes: Mapping[str, int] | None = None
) -> Probe:
    full_name = f"{probe.card.name}-{name}"
    card = replace(probe.card, name=full_name, made=f"{probe.card.made} {description}", seed=0)
    return Probe.of([replace(item, probe=full_name) for item in items], card, dict(notes or {}))


CURATED, VERIFIED = "curated", "verified"
FILES = {
    CURATED: ("human_curated_set", ("eval_sentences.txt", "eval_sentences_m.txt", "config.txt")),
    VERIFIED: ("10k", ("test_sentences.txt", "test_sentences_m.txt", "config.txt")),
}
"""Folder and files of each published set."""
_DRAWN = "The paper prints this figure without numbers, so there is no published row."
_Cells = tuple[Estimate | float | None, ...]


def _open(folder: Path | None, skip_bad: bool) -> OpenedData:
    folder = cache_folder("releases", "rica") if folder is None else folder
    files = {name: _files(folder, *where) for name, where in FILES.items()}
    found = {name: paths for name, paths in files.items() if paths is not None}
    if not found:
        fix = f"give the folder of the published dataset with {argument('data')}"
        raise UserError("the suite rica needs its statements, human_curated_set or 10k", file=folder, fix=fix)
    sets = {name: read_rica(paths, skip_bad=skip_bad) for name, paths in found.items()}
    probes = dict(sets)
    if CURATED in sets:
        derived = {f"{CURATED}-named": with_names(sets[CURATED]), f"{CURATED}-fact": with_facts(sets[CURATED])}
        probes |= {name: probe for name, probe in derived.items() if probe.items}
    probes |= {f"{name}-{kind}": control(probe, kind) for name, probe in sets.items() for kind in CONTROLS}
    missing = tuple(name for name in FILES if name not in found)
    return OpenedData(probes, {name: paths[0] for name, paths in found.items()}, missing)


def _files(folder: Path, below: str, names: Sequence[str]) -> list[Path] | None:
    """Return the files of a set, from a folder of its name anywhere below; None if they are not there."""
    folders = [folder] if folder.name == below else []
    folders += sorted(folder.rglob(below), key=lambda path: (len(path.parts), str(path)))
    return next(([each / name for name in names] for each in folders if (each / names[0]).is_file()), None)


# The tables.


@dataclass(frozen=True, slots=True)
class _Set:
    """Credits of a model on a set."""

    items: Sequence[Item]
    values: np.ndarray[tuple[int], np.dtype[np.float64]]
    units: Sequence[str]

    def share(self, kept: Callable[[Item], bool] = lambda item: True) -> Estimate | None:
        """Return the accuracy on the items that are ``kept``; None without such items."""
        chosen = np.array([kept(item) for item in self.items], dtype=bool)
        return accuracy(np.where(chosen, self.values, np.nan), self.units, chance=0.5) if chosen.any() else None


def _set(run: ProbeAnswers) -> _Set:
    units = [f"{run.part.probe.name} {item.unit(run.probe.card.group)}" for item in run.items]
    return _Set(run.items, run.credits(run.primary()).values, units)


def _both(sets: Sequence[_Set | None]) -> _Set | None:
    """Join sets; None if one is missing."""
    there = [each for each in sets if each is not None]
    if len(there) < len(sets):
        return None
    items, units = [item for each in there for item in each.items], [unit for each in there for unit in each.units]
    return _Set(items, np.concatenate([each.values for each in there]), units)


_Models = Mapping[str, Mapping[str, ProbeAnswers]]
"""Answers by model and probe."""


def _tables(
    answered: Sequence[ProbeAnswers], controls: Sequence[ProbeAnswers], others: Mapping[str, Path]
) -> tuple[PaperTable, ...]:
    models = by_model(answered)
    tables = [*_zero_shot(models), _strict(models)]
    tables += [
        PaperTable(title, tuple(names), _rows(models, CURATED, cells), notes) for title, names, cells, notes in _BY_ITEM
    ]
    tables += [_names(models), _background_table(models), *rica_tables(answered, controls=False), trained_table()]
    return tuple(table for table in tables if any(set(row.cells) - {None} for row in table.rows))


def _zero_shot(models: _Models) -> tuple[PaperTable, ...]:
    """Make figures 4a and 4b: accuracy without training, the joint set, people, and controls."""
    rows = [
        PaperRow(model, "ours", _three(runs, ""), GROUPS["sentence" if _is_causal(runs) else "masked"])
        for model, runs in models.items()
    ]
    for model, runs in models.items():
        for kind in CONTROLS:
            rows.append(PaperRow(f"{model}, {kind.replace('-', ' ')}", "control", _three(runs, f"-{kind}"), "controls"))
    rows.append(
        PaperRow("rule: the entity named first is more, and not reverses it", "control", _rule(models), "controls")
    )
    people = published()["people"]
    rows.append(PaperRow(f"people ({people['kind']})", "people", (None, None, human_accuracy()), "people"))
    title = "RICA, figure 4: accuracy without training"
    notes = (
        "The row of people is the paper's. The published scripts mask every occurrence of the word, also in the "
        "premise (42 statements of the curated set, 1 of the other); here only that of the conclusion is masked.",
        not_between(),
    )
    same, source = _is_papers(models), published()["source"]
    return with_published(title, SETS, rows, zero_shot_rows(), same, source, notes=notes)


def _three(runs: Mapping[str, ProbeAnswers], ending: str) -> _Cells:
    return _shares([_set(runs[name + ending]) if name + ending in runs else None for name in (VERIFIED, CURATED)])


def _shares(sets: Sequence[_Set | None]) -> _Cells:
    """Return the accuracy on each set and on both."""
    return tuple(None if each is None else each.share() for each in (*sets, _both(sets)))


def _rule(models: _Models) -> _Cells:
    """Return the accuracy of the order rule, on the items where it is defined."""
    right, sets = {"right": 1.0, "wrong": 0.0}, list[_Set | None]()
    for name in (VERIFIED, CURATED):
        run = next((runs[name] for runs in models.values() if name in runs), None)
        values = [right.get(str(item.facets.get("rule")), np.nan) for item in run.items] if run else []
        sets.append(replace(_set(run), values=np.array(values, dtype=np.float64)) if run else None)
    return _shares(sets)


def _is_causal(runs: Mapping[str, ProbeAnswers]) -> bool:
    return next(iter(runs.values())).part.model.direction == "left to right"


def _is_papers(models: _Models) -> bool:
    """Return whether both sets were run completely, with the paper's scoring."""
    counts, spec = published()["released"], parse_spec("paper:rica")
    for runs in models.values():
        for name, count in counts.items():
            run = runs.get(name)
            if run is None or len(run.items) != count or (run.spec.pll, run.spec.bos) != (spec.pll, spec.bos):
                return False
    return bool(models)


def _strict(models: _Models) -> PaperTable:
    """Make the table of whole axioms (section 2.1): understanding an axiom means all of its statements right."""
    names = (VERIFIED, CURATED)
    rows = [
        PaperRow(
            model,
            "ours",
            tuple(run.strict(run.credits(run.primary())) if (run := runs.get(name)) else None for name in names),
            "models",
        )
        for model, runs in models.items()
    ]
    note = "Share of axioms with every statement right; a renaming counts once. The paper prints none."
    return PaperTable("RICA: whole axioms right", SETS[:2], tuple(rows), (note,))


def _by_valence(of: _Set) -> _Cells:
    try:
        bias = valence_bias(of.values, [valence_of(item) for item in of.items], of.units)
    except UserError:
        return (None,) * 4
    return bias.positive, bias.negative, bias.sensitivity, bias.criterion


def _has(facet: str, value: str) -> Callable[[Item], bool]:
    return lambda item: item.facets.get(facet) == value


def _by_facet(facet: str, values: Sequence[str]) -> Callable[[_Set], _Cells]:
    def cells(of: _Set) -> _Cells:
        return tuple(of.share(_has(facet, value)) for value in values)

    return cells


_BY_ITEM: tuple[tuple[str, Sequence[str], Callable[[_Set], _Cells], tuple[str, ...]], ...] = (
    (
        "RICA, figure 5a: by the valence of the right word (human-curated)",
        ("positive", "negative", "d′", "criterion"),
        _by_valence,
        ("A criterion below 0 is a bias towards the positive word; chance is 0.5, and 0 for d′.", _DRAWN),
    ),
    (
        "RICA, figure 5c: by perturbation (human-curated)",
        tuple(name.replace("_", " ") for name in PERTURBATIONS),
        _by_facet("perturbation", tuple(PERTURBATIONS)),
        ("Chance is 0.5.", "The paper prints this figure for fine-tuned models, without numbers."),
    ),
    (
        "RICA, table 5: by category (human-curated)",
        CATEGORIES,
        _by_facet("category", CATEGORIES),
        ("Chance is 0.5.", "The paper prints the number of items, but no accuracy."),
    ),
)
"""Figures by slices of the curated set: title, columns, cells, notes."""


def _names(models: _Models) -> PaperTable:
    """Make figure 5b: novel entities compared with names, on the same statements about people."""

    def cells(of: _Set) -> _Cells:
        sides = [_only(of, _has("entities", kind)) for kind in ("novel", "names")]
        return _compared(sides, lambda item: (*question_of(item), item.facets.get("asymmetry")))

    rows = _rows(models, f"{CURATED}-named", cells)
    notes = ("Social statements; each about three pairs of names, which count once. Chance is 0.5.", _DRAWN)
    title = "RICA, figure 5b: novel entities and names (human-curated)"
    return PaperTable(title, ("novel", "names", "novel minus names"), rows, notes)


def _background_table(models: _Models) -> PaperTable:
    """Make figure 6: with and without the stated fact, which has to be repeated or negated."""

    def cells(of: _Set) -> _Cells:
        found: _Cells = ()
        for asked in SETTINGS:
            kept = _only(of, _has("perturbation", asked))
            sides = _only(kept, _has_fact), _only(kept, lambda item: not _has_fact(item))
            found += _compared(sides, lambda item: item.family)
        return found

    columns = tuple(f"{setting}, {side}" for setting in SETTINGS.values() for side in ("with", "without", "difference"))
    notes = ("The unperturbed statements about two, and their negations. Chance is 0.5.", _DRAWN)
    rows = _rows(models, f"{CURATED}-fact", cells)
    return PaperTable("RICA, figure 6: with the fact stated (human-curated)", columns, rows, notes)


def _has_fact(item: Item) -> bool:
    return item.facets["background"] != "none"


def _rows(models: _Models, name: str, cells: Callable[[_Set], _Cells]) -> tuple[PaperRow, ...]:
    return tuple(
        PaperRow(model, "ours", cells(_set(runs[name])), "models") for model, runs in models.items() if name in runs
    )


def _only(of: _Set, kept: Callable[[Item], bool]) -> _Set:
    indices = [i for i, item in enumerate(of.items) if kept(item)]
    return _Set([of.items[i] for i in indices], of.values[indices], [of.units[i] for i in indices])


def _compared(sides: Sequence[_Set], question: Callable[[Item], Any]) -> _Cells:
    """Compare two settings on their common items."""
    keys = [[question(item) for item in side.items] for side in sides]
    units = dict(zip(keys[0], sides[0].units, strict=True))
    if not set(keys[0]) & set(keys[1]):
        return None, None, None
    both = ablation(keys[0], sides[0].values, keys[1], sides[1].values, units)
    return both.a, both.b, both.difference


RICA = PaperSuite("rica", published()["source"], "paper:rica", _open, _tables)
