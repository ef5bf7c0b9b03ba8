"""Figures computed again from released data, results that are kept, and models that are asked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense.core import Answer, Card, Probe
from horsesense.core.item import NO_SOURCE
from horsesense.data.store import SUMS, Store
from horsesense.errors import UserError
from horsesense.methods.ledger import read_ledger
from horsesense.methods.partwhole.dataset import unjudged
from horsesense.methods.winoventi.published_dataset import BENCHMARK, COLUMNS
from horsesense.models.folders import weight_files
from horsesense.replication.page import COUNTED
from horsesense.replication.paper_models import ASKED, ModelScore, all_ones, computed_of, why_no_verdict
from horsesense.replication.replication import DOCUMENT, MARKDOWN, PAGE, FigureOutcome, Replication, replicate_paper
from horsesense.runs.ask_models import store_control
from horsesense.runs.manifest import ModelRecord
from tests.support import ROOT
from tests.support.calling import caller, hold_to
from tests.support.made_schemas import made_probe
from tests.support.small_cats import lay
from tests.support.small_rica import lay_rica
from tests.support.tiny import TINY

CATS = ("ca", "wsc", "sm", "smr", "swag", "hella_swag", "arct_1", "arct_2")


def _outcomes(done: Replication, paper: str) -> dict[str, FigureOutcome]:
    (found,) = [each for each in done.papers if each.paper == paper]
    return {f"{each.place} | {each.row} | {each.column}": each for each in found.outcomes}


# On the releases.


@pytest.fixture(scope="module")
def released(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Replication, Path]:
    out = tmp_path_factory.mktemp("replicate")
    return hs.replicate("partwhole", data=shared / "data", out=out), out


def test_part_whole_is_accounted_for(released: tuple[Replication, Path]) -> None:
    """Counted by hand in the files: shares of labels, nouns that are exchanged, the majority of the test split."""
    found = _outcomes(released[0], "partwhole")
    wholes = found["section 4.3 | final triples | unique whole nouns"]
    assert (wholes.verdict, wholes.computed) == ("differs", 728)
    assert "exchanged" in wholes.reason
    assert found["section 4.3 | final triples | unique adjectives"].verdict == "same"
    assert found["section 4.3 | triples | annotated in total"].verdict == "same"
    majority = found["table 3 | Majority baseline | Accuracy"]
    assert majority.verdict == "differs"
    assert majority.computed == pytest.approx(1192 / 2733)
    people = found["table 3 | Human performance | Accuracy"]
    assert (people.verdict, people.n) == ("within error", 8329)
    counts = released[0].papers[0].counts
    assert counts["figures"] == sum(
        counts[name] for name in ("same", "within error", "differs", "cannot here", "no result")
    )
    assert counts["on a part"] == 0
    page = (ROOT / "docs/results/replication.md").read_text(encoding="utf-8")
    cells = " | ".join(str(counts[name]) for name in COUNTED)
    assert f"| partwhole | {cells} |" in page, "the page is what the command makes"


def test_what_was_computed_is_kept_and_believed_until_something_changes(
    released: tuple[Replication, Path], shared: Path
) -> None:
    done, out = released
    document = json.loads((out / DOCUMENT).read_text())
    assert document["papers"][0]["counts"] == dict(done.papers[0].counts)
    assert "Majority baseline" in (out / MARKDOWN).read_text()
    assert "<details" in (out / PAGE).read_text()
    kept = out / "computed" / "partwhole-labels.json"
    values = json.loads(kept.read_text())
    values["results"]["guaranteed"]["value"] = 12.5

    def guaranteed(written: Any, checksum: bool = True) -> Any:
        kept.write_text(json.dumps(written))
        if checksum:
            Store(kept.parent).record(kept)
        again = replicate_paper("partwhole", shared / "data" / "partwhole", out)
        return next(each for each in again.outcomes if (each.place, each.row) == ("table 2", "Guaranteed"))

    assert guaranteed(values).computed == 12.5, "what is kept is taken"
    assert guaranteed(values | {"code": "of another version"}).verdict == "same", "computed again by other code"
    assert guaranteed(values, checksum=False).verdict == "same", "computed again where it is damaged"
    assert guaranteed(values | {"files": None}).verdict == "same", "computed again where it says nothing"


def test_results_without_a_checksum_are_computed_again(small: Path, tmp_path: Path) -> None:
    """Found by ``make fuzz``: without its checksum, a stored reason that is a number ended in an error."""
    done = replicate_paper("cats", small, tmp_path)
    stored = tmp_path / "computed" / "cats-averages.json"
    values = json.loads(stored.read_text())
    for each in values["results"].values():
        each |= {"value": 99.0, "reason": 0}
    stored.write_text(json.dumps(values))
    (stored.parent / SUMS).unlink()
    assert replicate_paper("cats", small, tmp_path).outcomes == done.outcomes


def test_winoventi_is_on_a_part(shared: Path) -> None:
    done = hs.replicate("winoventi", data=shared / "data" / "winoventi")
    found = _outcomes(done, "winoventi")
    people = found["table 6 | Human performance | all exception"]
    assert (people.verdict, people.fits, people.n) == ("on a part", True, 1288)
    assert people.computed == pytest.approx(1153 / 1288 * 100)
    assert found["section 2.3 | noun-property associations | filtered out as nonsensical"].verdict == "same"
    assert found["section 2.6 | validation | workers per pair (majority of)"].computed == 2
    jaccard = [each for name, each in found.items() if name.startswith("table 4")]
    assert [each.verdict for each in jaccard].count("differs") == 5
    assert {each.basis for each in jaccard} == {"data"}


def test_every_key_of_the_ledger_is_computed(shared: Path) -> None:
    """What the ledger says can be computed is: no key is misspelt, and nothing is left out."""
    for paper in ("cats", "rica"):
        found = _outcomes(hs.replicate(paper, data=shared / "data"), paper)
        for figure in read_ledger(paper):
            if any(way.name != ASKED for way in figure.ways):
                assert found[figure.name].computed is not None, figure.name


# Without data, and with a part.


def test_without_data_only_what_papers_tell_of_themselves_is_computed() -> None:
    done = replicate_paper("cats", None)
    assert {each.basis for each in done.outcomes if each.computed is not None} == {"the paper's own rows"}
    averages = {each.row: each.reason for each in done.outcomes if each.column == "Average"}
    assert averages["HUMAN"].endswith("without ARCT1 or ARCT2 it would be 0.9447"), "seven tasks, one of them once"
    assert "without" not in averages["XLNet-base"] + averages["GPT"]
    missing = next(each for each in done.outcomes if each.row == "WSC" and each.column == "instances")
    assert (missing.verdict, missing.command) == ("cannot here", "horsesense fetch cats")
    assert missing.reason.startswith("the published file commonsense_ability_test/")


def test_unknown_papers_and_folders_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean 'cats'"):
        hs.replicate("cat")
    with pytest.raises(UserError, match="there is no such folder"):
        hs.replicate("cats", data=tmp_path / "nowhere")


def test_the_command_prints_what_its_schema_says(
    small: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    call = caller(capfd)
    called = call("replicate", "cats", "--data", small, "--out", tmp_path / "kept", "--json")
    assert called.code == 0, called.err
    hold_to("replicate", json.loads(called.out))
    told = call("replicate", "cats", "--data", small, "--out", tmp_path / "kept")
    assert "cannot here" in told.out
    assert "RoBERTa-base, Average" in " ".join(told.out.split())
    assert str(tmp_path / "kept" / PAGE) in told.err.replace("\n", "")
    assert "write FIGURE=FOLDER" in call("replicate", "cats", "--trained", "table 3").err
    assert call("replicate", "cat").code == 2


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of CATs of our own making: every set, a few short lines each."""
    folder = tmp_path_factory.mktemp("cats")
    for name in CATS:
        options = {"smr": 3, "swag": 4, "hella_swag": 4}.get(name, 2)
        words = ("wet", "dry", "hot", "old")[:options]
        lay(folder, f"commonsense_ability_test/{name}.txt", [("0", *(f"Ice is {word} {thing}." for word in words))
            for thing in ("now", "here")])  # fmt: skip
    for name in ("add", "del", "swap", "sub"):
        rows = [("0", "ice is wet", "ice is dry", "1", "ice is not wet", "ice is not dry")] * 2
        lay(folder, f"Robust_commonsense_test/{name}.txt", rows)
    return folder


def test_another_content_is_a_part(small: Path) -> None:
    done = replicate_paper("cats", small)
    found = {f"{each.row} | {each.column}": each for each in done.outcomes if each.place == "table 3"}
    assert found["RANDOM | SMR"].verdict == "on a part"
    assert found["XLNet-base | Average"].verdict == "differs"


# With models.

HUB = {"bert": "bert-base-uncased", "roberta": "roberta-base", "gpt2": "gpt2", "xlnet": "xlnet-base-cased"}


@pytest.fixture(scope="module")
def asked(small: Path, tiny_folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Replication:
    out = tmp_path_factory.mktemp("asked")
    return hs.replicate("cats", model=[f"{hub}={tiny_folders[name]}" for name, hub in HUB.items()], data=small, out=out)


def test_random_weights_run_every_path_and_get_no_verdict(asked: Replication) -> None:
    cells = asked.papers[0].models
    assert {cell.model for cell in cells} == set(HUB.values())
    assert {cell.suite for cell in cells} == {"cats", "cats-robust"}
    assert {cell.why_no_verdict for cell in cells} == {"its weights are random"}
    assert len(cells) == len(HUB) * (9 + 4), "eight sets, their average and four robust ones"
    assert all(
        cell.estimate.n and cell.estimate.low <= cell.estimate.value <= cell.estimate.high and cell.estimate.chance
        for cell in cells
    )
    assert not [each for each in asked.papers[0].outcomes if each.basis == "asked here"]


def _wide(name: str, folder: Path) -> Path:
    """A tiny model that reads longer texts than the others."""
    network, tokenizer = TINY[name]()
    for field in ("max_position_embeddings", "n_positions"):
        if hasattr(network.config, field):
            setattr(network.config, field, 256)
    type(network)(network.config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("paper", ["rica", "winoventi"])
def test_the_other_suites_run_with_random_weights(paper: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # WordNet takes seconds to read, and no figure of these rests on it.
    monkeypatch.setattr("horsesense.methods.winoventi.word_relations.find_wordnet", lambda: None)
    hub, name = {"rica": ("roberta-base", "roberta"), "winoventi": ("bert-base-cased", "bert")}[paper]
    data = lay_rica(tmp_path / "rica") if paper == "rica" else _lay_winoventi(tmp_path / "winoventi")
    model = f"{hub}={_wide(name, tmp_path / 'model')}"
    limit = 6 if paper == "rica" else None
    done = hs.replicate(paper, model=model, data=data, limit=limit)
    columns = {cell.column for cell in done.papers[0].models}
    assert {"rica": {"verified", "curated", "joint"}, "winoventi": {"all generic", "all exception"}}[paper] <= columns
    assert {cell.why_no_verdict for cell in done.papers[0].models} == {"its weights are random"}
    assert not [each for each in done.papers[0].outcomes if each.basis == "asked here"]


def _lay_winoventi(folder: Path) -> Path:
    rows = []
    for item in made_probe().items:
        noun, bias, other = item.family.split(" | ")[:3]
        contexts = item.family.split(" | ")[3:5]
        right = item.options[item.answer or 0]
        wrong = next(option for option in item.options if option != right)
        test = {"generic": "1", "exception": "2"}[item.member]
        rows.append((noun, bias, other, *contexts, item.text.replace("___", "[MASK]"), right, wrong, test))
    (folder / "data").mkdir(parents=True)
    (folder / "data" / BENCHMARK).write_text("\n".join("\t".join(row) for row in (COLUMNS, *rows)) + "\n")
    return folder


def test_whether_weights_are_random_is_seen_in_them(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    for name in (*HUB, "bart", "llama"):
        assert all_ones(weight_files(tiny_folders[name])), name
    tensors = load_file(weight_files(tiny_folders["bert"])[0])
    norm = next(name for name in tensors if name.endswith("LayerNorm.weight"))
    tensors[norm] = tensors[norm] + torch.linspace(0, 0.01, len(tensors[norm]))
    save_file(tensors, tmp_path / "model.safetensors")
    assert not all_ones([tmp_path / "model.safetensors"]), "one that has learnt something"


def _record(**changes: Any) -> ModelRecord:
    values: dict[str, Any] = {
        "name": "bert-large-uncased",
        "family": "masked",
        "architecture": "BertForMaskedLM",
        "window": 512,
    }
    values |= {"direction": "both sides", "parameters": 335_174_458, "weights": "0", "revision": "", "dtype": "float32"}
    return ModelRecord(**(values | {"frame": ""} | changes))


def test_who_answers_for_a_row_of_the_paper() -> None:
    assert why_no_verdict("cats", _record(), random=False) == ""
    assert why_no_verdict("cats", _record(name="google-bert/bert-large-uncased@main"), random=False) == ""
    assert "not a model" in why_no_verdict("cats", _record(name="me/bert-large-uncased"), random=False)
    assert why_no_verdict("cats", _record(), random=True) == "its weights are random"
    assert why_no_verdict("cats", _record(name="smollm2"), random=False) == "it is not a model of the paper"
    assert "million parameters" in why_no_verdict("cats", _record(parameters=1_000_000), random=False)
    assert "by its weights" in why_no_verdict("cats", _record(kind="server"), random=False)


def test_the_papers_own_model_gets_a_verdict(asked: Replication) -> None:
    """Answers of a model that is taken for the paper's: the same cells, and no reason against it."""
    from horsesense.stats import Estimate

    estimate = Estimate(n=183, clusters=100, value=171 / 183, ci=(0.9, 0.96), level=0.95, chance=0.5, method="", seed=0)
    cells = [ModelScore("bert-large-uncased", "cats", "ca", estimate)]
    found = computed_of("cats", cells)
    outcomes = replicate_paper("cats", None, asked=found).outcomes
    (cell,) = [each for each in outcomes if each.basis == "asked here"]
    assert (cell.row, cell.column, cell.verdict) == ("BERT-large", "CA", "same")
    assert computed_of("cats", [replace(each, why_no_verdict="its weights are random") for each in cells]) == {}


def test_trainings_stand_for_a_figure_with_their_spread(tmp_path: Path) -> None:
    """Of the paper's own control: so few triples are a part, and three seeds do not show the spread."""
    triples = [replace(unjudged(f"w{n}", f"p{n}", "old", NO_SOURCE), answer=n % 5) for n in range(40)]
    probe = Probe.of(triples, Card(name="partwhole", group="whole"))
    name = "table 3 | GloVe embeddings | Accuracy"
    for seeds in (5, 3):
        for seed in range(seeds):
            scores = [tuple(float((n * seed) % 5 == k) for k in range(5)) for n in range(40)]
            answers = [Answer(item.id, item.form, each) for item, each in zip(triples, scores, strict=True)]
            store_control(tmp_path / f"{seeds}" / f"seed-{seed}", "mlp", "made up", "partwhole", probe, answers, seed)
        done = hs.replicate("partwhole", trained={name: tmp_path / f"{seeds}"}, data=tmp_path)
        (found,) = [each for each in done.papers[0].outcomes if each.basis == "trained here"]
        assert (found.row, found.n) == ("GloVe embeddings", 40)
        assert found.verdict == ("on a part" if seeds == 5 else "no verdict")
        assert (found.low is None) == (seeds == 3)
    with pytest.raises(UserError, match=r"did you mean 'table 3 \| GloVe embeddings \| Accuracy'"):
        hs.replicate("partwhole", trained={"table 3 | GloVe embedding | Accuracy": tmp_path}, data=tmp_path)
    with pytest.raises(UserError, match="figures of one paper"):
        hs.replicate(trained={name: tmp_path / "3"})


def test_another_model_does_not_stand_for_the_papers(tmp_path: Path) -> None:
    """A control that guesses, given for a row of the paper's network, and a network for the row of another."""
    triples = [replace(unjudged(f"w{n}", f"p{n}", "old", NO_SOURCE), answer=n % 5) for n in range(40)]
    hs.fit_control("random", test=Probe.of(triples, Card(name="partwhole", group="whole")), seeds=5, out=tmp_path / "5")
    for row in ("GloVe embeddings", "BERT"):
        rows = [each.name for each in read_ledger("partwhole") if each.kind == "trained" and each.row.startswith(row)]
        done = hs.replicate("partwhole", trained={rows[0]: tmp_path / "5"}, data=tmp_path)
        (found,) = [each for each in done.papers[0].outcomes if each.basis == "trained here"]
        assert (found.verdict, "random" in found.reason) == ("no verdict", True)


def test_a_table_has_a_row_a_figure(asked: Replication) -> None:
    frame = asked.frame()
    assert len(frame) == 212
    assert frame["verdict"].count("differs") >= 3
    assert "212 figures" in repr(asked)
