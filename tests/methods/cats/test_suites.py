"""Suites: what is found, the row of a table, the paper's own figures."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from horsesense.core import Card, Item, Probe
from horsesense.cues.battery import Number, battery
from horsesense.cues.findings import measure_cues
from horsesense.cues.table import table_of
from horsesense.errors import UserError
from horsesense.methods.cats.suite import (
    HUMAN,
    SEEING_CUES,
    SETS,
    average_of,
    blind_cues,
    find_sets,
    published_rows,
    read_sets,
)
from tests.support.small_cats import CA, WSC, lay, lay_all


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return lay_all(tmp_path / "data")


def test_sets_are_found_by_name_wherever_they_lie(data: Path) -> None:
    paths, missing = find_sets(data, SETS["cats"])
    assert list(paths) == ["ca", "wsc"], "in the order of the table"
    assert missing == ("sm", "smr", "swag", "hella_swag", "arct_1", "arct_2")
    lay(data, "elsewhere/HellaSwag.txt", WSC)
    assert "hella_swag" in find_sets(data, SETS["cats"])[0]
    lay(data, "again/ca.txt", CA)
    with pytest.raises(UserError, match="are both the set 'ca'"):
        find_sets(data, SETS["cats"])
    with pytest.raises(UserError, match="none of the sets"):
        find_sets(data / "robust", SETS["cats"])


def test_a_pair_and_its_schema_share_a_unit_over_sets(data: Path) -> None:
    probes = read_sets("cats", find_sets(data, SETS["cats"])[0])
    assert probes["ca"].items[0].groups["source"] == probes["wsc"].items[0].groups["source"]
    assert probes["wsc"].items[0].groups["source"] != probes["wsc"].items[2].groups["source"]


def test_a_blind_cue_does_not_see_the_question() -> None:
    assert {cue.name for cue in battery()} >= SEEING_CUES
    lot, items = random.Random(0), []
    for _ in range(60):
        a, b, c, d, e = ("".join(lot.choices("bdfgklmnprst", k=5)) for _ in range(5))
        # All words of the right option stand in another one: the cue that compares options knows it, no other does.
        options = [f"{a} {b} {c}", f"{a} {b} {d}", f"{a} {e} {c}"]
        right = options[0]
        lot.shuffle(options)
        items.append(Item("demo", "sentences", options=tuple(options), answer=options.index(right)))
    probe = Probe.of(items, Card("demo"))
    assert measure_cues(probe.items, probe.card.group, rounds=99).cues[0].name in SEEING_CUES
    best = blind_cues({"demo": probe})["demo"]
    assert best.rule is None or best.rule.p > 0.9, "nothing else tells the options apart"
    assert best.learnt is None or best.learnt.name not in SEEING_CUES


def test_every_cue_that_changes_with_the_question_is_listed() -> None:
    options = ("a teacher who teaches", "the smallest boats", "run quickly", "unhappy reader")
    texts = ("Who taught the readers to read?", "Which boat is small and boats fast?", "Nothing in common.")
    items = [
        Item("demo", "choice", text=text, options=options[place:] + options[:place], answer=0)
        for place in range(4)
        for text in texts
    ]
    elsewhere = [replace(item, text=texts[(texts.index(item.text) + 1) % 3]) for item in items]
    found = set()
    for cue in battery():
        if isinstance(cue, Number):
            a, b = cue.compute(table_of(items, "item")), cue.compute(table_of(elsewhere, "item"))
            if not np.array_equal(a, b, equal_nan=True):
                found.add(cue.name)
    assert found
    assert found <= SEEING_CUES


def test_three_printed_averages_do_not_follow_from_their_rows() -> None:
    rows = {row.model: row for row in published_rows("accuracy")}
    assert [name for name, row in rows.items() if not row.follows] == ["XLNet-base", "RoBERTa-base", HUMAN]
    assert rows["RoBERTa-base"].average == pytest.approx(0.607625)
    assert rows["XLNet-base"].average == pytest.approx(0.53825)
    assert rows[HUMAN].average == pytest.approx(0.94025)


def numbers(text: str) -> list[float]:
    figures = []
    for word in text.split():
        try:
            figures.append(float(word))
        except ValueError:
            continue
    return figures


def test_published_figures_are_those_of_the_paper(shared: Path) -> None:
    paper = (shared / "papers" / "cats.txt").read_text(encoding="utf-8")
    for table, columns in (("accuracy", 9), ("consistency", 4)):
        for row in published_rows(table):
            printed = [*row.values.values(), *([row.printed] if row.printed is not None else [])]
            lines = [numbers(line) for line in paper.splitlines() if line.startswith(f"{row.model} ")]
            assert printed in [line for line in lines if len(line) == columns], row.model


def test_the_interval_of_an_average_knows_what_sets_share() -> None:
    rng = np.random.default_rng(5)
    credit = (rng.random(300) < 0.6).astype(float)
    names = [str(place) for place in range(300)]
    others = [f"other {place}" for place in range(300)]
    shared_units = average_of({"a": credit, "b": credit}, {"a": names, "b": names})
    apart = average_of({"a": credit, "b": credit}, {"a": names, "b": others})
    assert shared_units.value == apart.value == pytest.approx(credit.mean())
    # The same answers twice are no more than once: the width is that of one set; of two it would be √2 smaller.
    assert (shared_units.high - shared_units.low) / (apart.high - apart.low) == pytest.approx(2**0.5, rel=0.1)
