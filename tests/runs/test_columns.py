"""What is computed on columns, against the same computed answer by answer and item by item."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.core import FORMS, Answer, Card, Form, Item, Probe, ScoringSpec
from horsesense.core.answer import NO_TOKENS
from horsesense.core.answer_columns import StoredAnswers, table_of_answers
from horsesense.core.item import OPEN, guess_of
from horsesense.core.item_file import StoredItems
from horsesense.errors import UserError
from horsesense.runs.manifest import ModelRecord, Part, ProbeRecord
from horsesense.runs.probe_answers import ProbeAnswers, read_run, result_of
from horsesense.scoring.normalise import BY_FORM, NORMALISATIONS, normalised
from horsesense.stats import credits
from horsesense.stats.accuracy import Rows
from tests.support.made_run import made_items, make_run

SPEC = ScoringSpec(baseline=True)
NUMBER = st.floats(-50, -0.0625, width=32)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Item, Answer]:
    """An item of some form, and an answer with tokens, without, from a log, or one that was not made out."""
    form: Form = draw(st.sampled_from(FORMS[:3]))
    count = draw(st.integers(2, 4))
    options = tuple(f"{draw(st.sampled_from(('ice', 'warm bread', 'a cold lake')))} {n}" for n in range(count))
    if draw(st.booleans()):
        options = (*options[:-1], OPEN)
    item = Item(
        probe="made",
        form=form,
        text={"sentences": "", "cloze": "It is ___ ."}.get(form, "What is it?"),
        premise=draw(st.sampled_from(("", "Once."))) + str(draw(st.integers(0, 10**9))),
        options=options,
        answer=draw(st.one_of(st.none(), st.integers(0, count - 1))),
        family=draw(st.sampled_from(("", "f", "g"))),
        facets=draw(st.sampled_from(({}, {"retest": True}, {"retest": 1}))),
    )
    kind = draw(st.sampled_from(("tokens", "tokens", "none", "log", "unparsed")))
    scores = tuple(draw(st.lists(NUMBER, min_size=count, max_size=count)))
    if kind != "tokens":
        flags = {"none": (), "log": (NO_TOKENS,) * count, "unparsed": ("unparsed",) * count}[kind]
        return item, Answer(item.id, form, scores, flags=flags)
    lengths = draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
    starts = tuple(tuple(3 * n for n in range(length)) for length in lengths)
    ends = tuple(tuple(3 * n + 2 for n in range(length)) for length in lengths)
    tokens = tuple(tuple(draw(NUMBER) for _ in range(length)) for length in lengths)
    baseline = tuple(draw(st.lists(NUMBER, min_size=count, max_size=count)))
    return item, Answer(item.id, form, scores, tokens, starts, ends, ("",) * count, baseline)


def answered(items: Any, answers: Any) -> ProbeAnswers:
    model = ModelRecord(name="m", family="causal", architecture="", direction="", parameters=0, window=0, weights="",
                        revision="", dtype="float32", frame="")  # fmt: skip
    part = Part(model=model, probe=ProbeRecord(name="made", items=0, of=0, content=""), shards=1)
    return ProbeAnswers(part, Probe(items, Card(name="made")), SPEC, answers)


@given(st.lists(pairs(), max_size=12, unique_by=lambda pair: pair[0].id), st.booleans())
def test_scores_and_credits_are_those_of_a_loop(drawn: list[tuple[Item, Answer]], large: bool) -> None:
    items, answers = [item for item, _ in drawn], [answer for _, answer in drawn]
    run = answered(StoredItems(items) if large else items, StoredAnswers.of(answers) if large else answers)
    for how in (None, *NORMALISATIONS):
        try:
            wanted = [normalised(a, i, SPEC, how or BY_FORM[i.form]) for i, a in drawn]
        except UserError as error:
            with pytest.raises(UserError, match=error.problem):
                run.scores(how)
            continue
        assert run.scores(how) == wanted
        plain, earned = credits(wanted, [item.answer for item in items]), run.credits(how)
        lost = [answer.flags[:1] == ("unparsed",) for answer in answers]
        values = [np.nan if gone else v for gone, v in zip(lost, plain.values, strict=True)]
        if np.isnan(values).all():  # no answer at all: there is no score, and the credits are 0
            values = [v if np.isnan(v) else 0.0 for v in plain.values]
        assert np.array_equal(earned.values, values, equal_nan=True)
        assert earned.predicted == tuple(() if gone else p for gone, p in zip(lost, plain.predicted, strict=True))
    assert run.judged == any(item.answer is not None for item in items)
    families: dict[str, int] = {}
    numbers = [families.setdefault(item.unit(), len(families)) for item in items]
    assert run.columns.families.tolist() == numbers, "by first places"
    assert run.columns.ids == [item.id for item in items]
    facets = run.facets
    for name in facets.names:
        column = facets[name]
        found = ["none" if code < 0 else repr(column.values[code]) for code in column.codes.tolist()]
        assert found == [repr(item.facets[name]) if name in item.facets else "none" for item in items]
    assert facets.names == sorted({name for item in items for name in item.facets})
    assert run.columns.guesses.tolist() == [guess_of(item) for item in items]
    assert len(set(run.units.tolist())) == len({item.unit() for item in items})


@given(st.lists(pairs(), max_size=12), st.randoms(use_true_random=False))
def test_answers_in_columns_are_the_answers(drawn: list[tuple[Item, Answer]], lot: Any) -> None:
    answers = [answer for _, answer in drawn]
    assert list(StoredAnswers.of_tables([table_of_answers("m", "p", answers)])) == answers
    order = list(range(len(answers)))
    lot.shuffle(order)
    half = len(answers) // 2
    tables = [table_of_answers("m", "p", each) for each in (answers[:half], answers[half:])]
    stored, wanted = StoredAnswers.of_tables(tables, np.array(order, np.int64)), [answers[place] for place in order]
    assert stored == wanted
    assert [stored[place] for place in range(-len(wanted), len(wanted))] == wanted + wanted
    assert [stored[1:], stored[:-1], stored[::-1], stored[5:2]] == [wanted[1:], wanted[:-1], wanted[::-1], []]
    with pytest.raises(IndexError):
        stored[len(wanted)]


def test_a_large_probe_gives_the_same_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read as objects and as columns: results, comparison and page."""
    from horsesense.runs.run import Run

    folder = make_run(tmp_path / "run", {"a": 0.6, "b": 0.8}, made_items(60))
    found = []
    for many in (10**6, 50):
        for module in ("core.probe", "runs.store", "runs.shard_files"):
            monkeypatch.setattr(f"horsesense.{module}.MANY", many)
        manifest, runs = read_run(folder)
        assert isinstance(runs[0].items, StoredItems) == (many == 50)
        assert (read_run(folder)[1][0].items is runs[0].items) == (many == 50), "read once, where there are many"
        (side,) = Run(runs, None).compare().probes
        page = Run(runs, folder, manifest=manifest).report(tmp_path / f"{many}.html", cues=False).read_text()
        answers = [list(run.answers) for run in runs], [run.answers[-3] for run in runs], runs[0].answers[2:9]
        found.append(([result_of(run) for run in runs], side, page, answers))
    assert found[0] == found[1]
    shard = next((folder / "answers").iterdir())
    assert runs[0].answers[0] == found[0][3][0][0][0]
    shutil.copy(shard, tmp_path / "copy")
    shutil.move(tmp_path / "copy", shard)
    with pytest.raises(UserError, match=r"changed since the run was opened"):
        [list(run.answers) for run in runs]
    assert result_of(runs[0]) == found[0][0][0], "which takes no tokens"


def test_rows_are_a_sequence() -> None:
    rows = Rows(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 3]))
    assert rows[0:2] == [(1.0,), (2.0, 3.0)] == list(rows)
    assert rows[-1] == (2.0, 3.0)
    assert rows != [(1.0,)]
    with pytest.raises(IndexError):
        rows[2]
