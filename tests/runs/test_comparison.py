"""Models side by side: the same items, in whatever order, and what was left out is said."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.cli import main
from horsesense.core import Card, Item, Probe, ScoringSpec
from horsesense.errors import UserError
from horsesense.runs.ask_models import ask_models
from horsesense.runs.probe_answers import read_run, result_of
from horsesense.stats.paired import holm
from tests.runs.test_ask import SETTINGS, make_probe
from tests.support.made_run import made_items, make_run


def test_only_common_items_count_and_order_does_not_matter(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    probe = make_probe(30)
    gpt2, bert = str(tiny_folders["gpt2"]), str(tiny_folders["bert"])
    ask_models([gpt2], {"probe": probe}, tmp_path / "a", SETTINGS)
    shorter = Probe.of([item for item in reversed(probe.items) if item.family != "f3"], Card(name="probe"))
    ask_models([bert], {"probe": shorter}, tmp_path / "b", SETTINGS)
    (side,) = hs.compare(tmp_path / "a", tmp_path / "b").probes
    assert side.n == 58
    assert side.excluded == {gpt2: 2, bert: 0}
    # Counted by hand, item by item.
    right: dict[str, dict[str, bool]] = {}
    for folder, name in (("a", gpt2), ("b", bert)):
        _, (answered,) = read_run(tmp_path / folder)
        right[name] = {}
        for item, answer in zip(answered.items, answered.answers, strict=True):
            means = [sum(tokens) / len(tokens) for tokens in answer.logprobs]
            right[name][item.id] = means.index(max(means)) == item.answer
    common = right[bert].keys()
    (pairing,) = side.differences
    assert set(pairing.ids[0]) == {i for i in common if right[gpt2][i] and not right[bert][i]}
    assert set(pairing.ids[1]) == {i for i in common if right[bert][i] and not right[gpt2][i]}
    wanted = sum(right[gpt2][i] - right[bert][i] for i in common) / 58
    assert pairing.difference.value == pytest.approx(wanted)


def test_the_same_model_asked_in_two_ways_is_told_apart(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    probe, model = make_probe(10), str(tiny_folders["bert"])
    ask_models([model], {"probe": probe}, tmp_path / "a", SETTINGS)
    ask_models([model], {"probe": probe}, tmp_path / "b", replace(SETTINGS, spec=ScoringSpec(pll="token")))
    (side,) = hs.compare(tmp_path / "a", tmp_path / "b").probes
    assert list(side.accuracies) == [f"{model} ({tmp_path / 'a'})", f"{model} ({tmp_path / 'b'})"]
    assert any("pll" in note for note in side.notes)
    assert any("same weights" in note for note in side.notes)


def test_the_normalisation_of_a_run_is_stored_with_it(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    """The wrong sentences are longer, so their sums are lower."""
    gpt2 = str(tiny_folders["gpt2"])
    pairs = [("Ice is cold.", f"Ice number {n} is warm today, they said to us.") for n in range(12)]
    items = [Item(probe="made", form="sentences", options=pair, answer=0) for pair in pairs]
    probe = Probe.of(items, Card(name="made"))
    by_sum = hs.ask(gpt2, probe, out=tmp_path / "sum", normalise="sum")
    by_mean = hs.ask(gpt2, probe, out=tmp_path / "mean")
    asked = [run.results()["accuracy"][0] for run in (by_sum, by_mean)]
    assert asked[0] != asked[1], "else it could be either"
    for left, right in ((by_sum, by_mean), (tmp_path / "sum", tmp_path / "mean")):
        (side,) = hs.compare(left, right).probes
        assert [(each.accuracy.value, each.normalise) for each in side.models] == [
            (asked[0], "sum"),
            (asked[1], "mean"),
        ]
        assert any("different normalisations" in note for note in side.notes)
    (side,) = by_sum.compare(by_mean).probes
    assert [each.normalise for each in side.models] == ["sum", "mean"]
    (side,) = hs.compare(tmp_path / "sum", tmp_path / "mean", normalise="mean").probes
    assert {(each.accuracy.value, each.normalise) for each in side.models} == {(asked[1], "mean")}
    assert not any("normalisation" in note for note in side.notes)
    (check,) = hs.check_regression(tmp_path / "sum", against=tmp_path / "mean").checks
    assert (check.accuracy.value, check.before.value) == tuple(asked)
    assert hs.ask(gpt2, probe, out=tmp_path / "sum").results()["normalise"] == ["sum"], (
        "another call does not forget it"
    )
    assert hs.open_run(tmp_path / "sum", normalise="mean").results()["normalise"] == ["mean"]
    hs.ask(gpt2, probe, out=tmp_path / "sum", normalise="mean")
    assert hs.open_run(tmp_path / "sum").results()["normalise"] == ["mean"]


def test_what_cannot_be_compared_is_told(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    gpt2, bert = str(tiny_folders["gpt2"]), str(tiny_folders["bert"])
    ask_models([gpt2], {"probe": make_probe(3)}, tmp_path / "a", SETTINGS)
    with pytest.raises(UserError, match="only one model"):
        hs.compare(tmp_path / "a")
    other = Probe.of([replace(item, premise="It rained.") for item in make_probe(3).items], Card(name="probe"))
    ask_models([bert], {"probe": other}, tmp_path / "b", SETTINGS)
    with pytest.raises(UserError, match="no item in common"):
        hs.compare(tmp_path / "a", tmp_path / "b")


def test_what_nothing_is_set_against_is_told(tmp_path: Path) -> None:
    items = made_items(12)
    both = make_run(tmp_path / "both", {"a": 0.9, "b": 0.4}, items)
    other = make_run(tmp_path / "other", {"a": 0.9}, made_items(12, "other"), probe="other")
    with pytest.raises(UserError, match=r"no other model .*\(other\)") as refused:
        hs.compare(both, other)
    assert refused.value.file == str(other), "it is not left out in silence"
    answered = [each for folder in (both, other) for each in hs.open_run(folder).answered]
    mixed = hs.compare(hs.Run(answered))
    assert (len(mixed.probes), mixed.alone) == (1, ("a on other",))
    assert mixed.to_json()["alone"] == ["a on other"]


def test_everything_that_is_shown_together_is_corrected_together(tmp_path: Path) -> None:
    """Three probes of two models: Holm used to run probe by probe, where it changed nothing."""
    folders = []
    for number, rates in enumerate(((0.8, 0.6), (0.75, 0.6), (0.6, 0.6))):
        name = f"probe-{number}"
        models = {"a": rates[0], "b": rates[1]}
        folders.append(make_run(tmp_path / str(number), models, made_items(60, name), probe=name))
    sides = hs.compare(*folders).probes
    every = [pairing for side in sides for pairing in side.differences]
    assert [pairing.p_holm for pairing in every] == holm([pairing.p for pairing in every])
    smallest = min(every, key=lambda pairing: pairing.p)
    assert smallest.p_holm == pytest.approx(min(1.0, 3 * smallest.p))
    left = sum(pairing.p_holm >= 0.05 for pairing in every)
    assert {pairing.power.level for pairing in every if pairing.power} == {1 - 0.05 / max(1, left)}


def test_a_normalisation_beyond_the_interval_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The wrong option is longer, so its sum is lower even where its mean is higher."""
    item = Item(
        probe="p", form="sentences", options=("The ice is cold.", "The ice is warm today, they said."), answer=0
    )
    run = make_run(tmp_path / "run", {"a": 0.0}, [replace(item, family=f"f{n}", member=str(n)) for n in range(40)])
    (result,) = [result_of(each) for each in hs.open_run(run).answered]
    assert (result.accuracy.value, result.sensitivity["sum"]) == (0.0, 1.0), "made so"
    assert "0.000 by mean, 1.000 by sum" in result.beyond()
    assert replace(result, sensitivity={"word": 0.01}).beyond() == "", "within the interval nothing is said"
    with pytest.raises(SystemExit):
        main(["report", str(run)])
    assert "outside its interval" in capfd.readouterr().out
    assert "outside its interval" in (run / "report.html").read_text()


def test_the_command(tiny_folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = [str(tiny_folders[name]) for name in ("gpt2", "bert", "llama")]
    ask_models(models, {"probe": make_probe(12)}, tmp_path, SETTINGS)
    with pytest.raises(SystemExit) as left:
        main(["compare", str(tmp_path), "--json"])
    assert not left.value.code
    document = json.loads(capsys.readouterr().out)
    (probe,) = document["probes"]
    assert [one["model"] for one in probe["models"]] == models
    assert len(probe["differences"]) == 3
    for one in probe["differences"]:
        low, high = one["difference"]["ci"]
        assert low <= one["difference"]["value"] <= high
        assert one["p_holm"] >= one["p"]
    with pytest.raises(SystemExit):
        main(["compare", str(tmp_path), "--items", "1"])
    assert "Holm" in capsys.readouterr().out


def test_a_card_that_asks_for_the_average_over_units_is_compared_by_it(tmp_path: Path) -> None:
    """One unit of 60 items on which the models are level, five of 8 on which one is far better."""
    sizes = {"big": 60, **{f"small {number}": 8 for number in range(5)}, "single": 2}
    items = []
    for unit, size in sizes.items():
        for number in range(size):
            options = (f"{unit} {number} is warm.", f"{unit} {number} is cold.")
            family = f"{unit} {number // 2}"
            items.append(Item("made", "sentences", options=options, answer=0, family=family, groups={"noun": unit}))
    average = partial(make_run, items=items, metric="average over clusters", group="noun")
    good = average(tmp_path / "good", {"good": lambda item: 1.0})
    poor = average(tmp_path / "poor", {"poor": lambda item: float(item.groups["noun"] == "big")})
    (side,) = hs.compare(good, poor).probes
    (pairing,) = side.differences
    # Five of six units that are large enough are lost; a unit of one family is left out.
    assert side.metric == "average over clusters"
    assert pairing.difference.value == pytest.approx(5 / 6)
    assert pairing.difference.clusters == 6
    assert pairing.difference.n == 100
    assert pairing.plain is not None
    assert pairing.plain.value == pytest.approx(42 / 102)
    assert side.models[1].plain is not None
    assert side.models[1].plain.value == pytest.approx(60 / 102)
    assert side.accuracies["poor"].value == pytest.approx(1 / 6)
    assert pairing.only_one == 42, "counted in items whatever the metric"
