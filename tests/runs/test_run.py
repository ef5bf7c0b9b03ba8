"""Asking from Python: in memory and kept, by name and with a network that is in memory, with the command's numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pytest
import torch
import transformers

import horsesense as hs
from horsesense.models.hf.trainable import hash_of_weights
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.engine import Job, WorkerContext
from tests.support.calling import Call, caller, lay, toy_lines


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return lay(tmp_path / "toy.jsonl", *toy_lines())


def test_in_memory_kept_and_by_command_are_the_same(
    toy: Path, tiny_folders: dict[str, Path], tmp_path: Path, call: Call
) -> None:
    name = str(tiny_folders["gpt2"])
    called = call("run", "-m", name, "-p", toy, "--out", tmp_path / "cli", "--json")
    printed = json.loads(called.out)["results"]
    in_memory = hs.ask(name, toy)
    kept = hs.ask(name, toy, out=tmp_path / "kept")
    assert in_memory.results().to_json() == kept.results().to_json() == printed
    assert hs.open_run(tmp_path / "cli").results().to_json() == printed
    assert list(in_memory.items()) == list(kept.items()), (
        "answers are in the order of the probe, however they are asked"
    )
    assert not list(tmp_path.glob("report.html"))


def test_frames_go_to_arrow_and_back(toy: Path, tiny_folders: dict[str, Path]) -> None:
    run = hs.ask(str(tiny_folders["gpt2"]), toy)
    items = run.items()
    assert len(items) == 5
    assert pyarrow.table(items).num_rows == 5, "any library takes it by the Arrow interface"
    assert items.to_arrow().column_names == list(items.columns)
    assert "facet_hops" in items.columns
    tokens = run.tokens()
    for item, option in {(row["item"], row["option"]) for row in tokens}:
        spans = [(row["start"], row["end"]) for row in tokens if (row["item"], row["option"]) == (item, option)]
        assert spans == sorted(spans)
    by_hops = run.by("hops")
    assert sorted(by_hops["hops"]) == [1, 2]
    with pytest.raises(hs.UserError, match="did you mean 'hops'"):
        run.by("hop")
    assert "<table" in run._repr_html_()
    assert run.plot().to_dict()["layer"]
    assert run.plot("hops").to_dict()["layer"]


def test_a_page_of_what_nobody_kept(toy: Path, tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    page = hs.ask(str(tiny_folders["gpt2"]), toy).report(tmp_path / "page.html", cues=False)
    assert "toy" in page.read_text("utf-8")


def test_two_models_compared(toy: Path, tiny_folders: dict[str, Path]) -> None:
    runs = [hs.ask(str(tiny_folders[name]), toy) for name in ("gpt2", "bert")]
    (compared,) = runs[0].compare(runs[1]).probes
    assert compared.n == 4
    by_hand = [run.results()["accuracy"][0] for run in runs]
    assert compared.differences[0].difference.value == pytest.approx(by_hand[0] - by_hand[1])
    with pytest.raises(hs.UserError, match="only one model"):
        runs[0].compare()


def test_scores_are_those_of_the_command(tiny_folders: dict[str, Path], call: Call) -> None:
    name, texts = str(tiny_folders["gpt2"]), ["Ice is cold.", "Ice is hot."]
    printed = json.loads(call("score", "-m", name, *texts, "--json").out)["texts"]
    scores = hs.score(name, texts)
    assert [text.sum for text in scores] == [text["sum"] for text in printed]
    assert [row["token"] for row in scores.tokens()] == [token["token"] for text in printed for token in text["tokens"]]
    with pytest.raises(hs.UserError, match="a text is empty"):
        hs.score(name, ["  "])


def _network(folder: Path) -> tuple[Any, Any]:
    network = transformers.AutoModelForCausalLM.from_pretrained(folder)
    return network, transformers.AutoTokenizer.from_pretrained(folder)


def test_a_folder_refuses_answers_of_another_family(toy: Path, tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    model, out = str(tiny_folders["gpt2"]), tmp_path / "run"
    hs.ask(model, toy, out=out)
    with pytest.raises(hs.UserError, match="as a causal model"):
        hs.ask(model, toy, out=out, compute=hs.ComputeSettings(model_type="masked"))
    hs.ask(model, toy, out=out, compute=hs.ComputeSettings(model_type="causal"))


def test_a_network_in_memory_answers_as_the_folder_does(
    toy: Path, tiny_folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = tiny_folders["gpt2"]
    network, tokenizer = _network(folder)
    model = hs.load_model(network, tokenizer, name="mine")
    ours, theirs = hs.ask(model, toy), hs.ask(str(folder), toy)
    for mine, loaded in zip(ours.items(), theirs.items(), strict=True):
        assert mine["scores"] == pytest.approx(loaded["scores"], abs=1e-4)
    assert ours.models == ("mine",)
    kept = hs.ask(model, toy, out=tmp_path / "kept")
    assert kept.answered[0].part.model.weights == hash_of_weights(network)
    with torch.no_grad():
        next(network.parameters()).add_(1.0)
    with pytest.raises(hs.UserError, match="other weights"):
        hs.ask(model, toy, out=tmp_path / "kept")
    with pytest.raises(hs.UserError, match="needs its tokenizer"):
        hs.load_model(network)


class Texts(torch.utils.data.Dataset[dict[str, Any]]):
    """Sentences to learn, as a Trainer takes them."""

    def __init__(self, tokenizer: Any) -> None:
        words = ("ice", "stone", "water", "fire", "butter", "sun")
        texts = [f"the {a} was near the {b} so she turned" for a in words for b in words]
        self._rows = [tokenizer(text)["input_ids"][:8] for text in texts]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: int) -> dict[str, Any]:
        ids = (self._rows[place] * 8)[:8]
        return {"input_ids": torch.tensor(ids), "labels": torch.tensor(ids)}


def _trained(folder: Path, steps: int, toy: Path | None) -> tuple[dict[str, Any], list[float]]:
    """A short training with dropout; where a probe is given, it is asked at every tenth step."""
    torch.manual_seed(0)
    network, tokenizer = _network(folder)
    accuracies: list[float] = []

    class Ask(transformers.TrainerCallback):  # type: ignore[misc]  # transformers has no types here
        def on_step_end(self, args: Any, state: Any, control: Any, **kept: Any) -> None:
            if toy is not None and state.global_step % 10 == 0:
                run = hs.ask(hs.load_model(kept["model"], tokenizer), toy)
                accuracies.append(run.results()["accuracy"][0])

    settings = transformers.TrainingArguments(
        output_dir=str(folder.parent / "trained"),
        max_steps=steps,
        per_device_train_batch_size=2,
        report_to=[],
        save_strategy="no",
        use_cpu=True,
        seed=3,
        disable_tqdm=True,
        logging_strategy="no",
    )
    trainer = transformers.Trainer(network, settings, train_dataset=Texts(tokenizer), callbacks=[Ask()])
    trainer.train()
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}, accuracies


def test_asked_in_a_callback_a_training_is_not_disturbed(toy: Path, tiny_folders: dict[str, Path]) -> None:
    folder = tiny_folders["gpt2"]
    alone, _ = _trained(folder, 50, None)
    watched, accuracies = _trained(folder, 50, toy)
    assert len(accuracies) == 5
    for name, tensor in alone.items():
        assert torch.equal(tensor, watched[name]), name


def test_asking_leaves_everything_as_it_was(toy: Path, tiny_folders: dict[str, Path]) -> None:
    network, tokenizer = _network(tiny_folders["gpt2"])
    network.train()
    next(iter(network.children())).eval()  # a frozen part
    modes = [module.training for module in network.modules()]
    hooks = [len(module._forward_hooks) + len(module._forward_pre_hooks) for module in network.modules()]
    before = hash_of_weights(network), network.config.to_dict(), torch.get_rng_state().tolist()
    hs.ask(hs.load_model(network, tokenizer), toy)
    assert [module.training for module in network.modules()] == modes
    assert [len(module._forward_hooks) + len(module._forward_pre_hooks) for module in network.modules()] == hooks
    assert (hash_of_weights(network), network.config.to_dict(), torch.get_rng_state().tolist()) == before
    assert all(module.__dict__.get("forward") is None for module in network.modules())


def test_a_set_is_called_alike_as_a_release_a_probe_and_a_file(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    released, file = tmp_path / "sm.txt", tmp_path / "sm.jsonl"
    released.write_bytes(b"1\x01he drank the stone\x01he drank the milk\n0\x01birds fly\x01stones fly\n")
    read = hs.read_release("cats", released)
    read.save(file)
    model = str(tiny_folders["gpt2"])
    runs = [hs.ask(model, probe) for probe in (read, file, hs.load_probe(file))]
    assert [run.probes for run in runs] == [("sm",)] * 3
    assert [side.probe for side in runs[0].compare(*runs[1:]).probes] == ["sm"]
    assert [probe.card.name for probe in (read, hs.load_probe(file))] == ["cats", "cats"]
    assert hs.read_release("cats", released, released).called == ""


class LastFirst:
    """An engine that takes the last task first, as one of a served model may end first."""

    remote, on_gpu = False, None

    def carry_out(self, jobs: Sequence[Job], progress: Progress = NO_PROGRESS) -> None:
        for job in jobs:
            with WorkerContext(job.local_models) as context:
                pending = [*job.begin()]
                while pending:
                    task = pending.pop()
                    pending += task.take(task.run(context))


def test_formats_are_in_the_order_of_the_request(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    """Whichever was planned first: in memory, in a folder, and in one that answers are added to."""
    one, other = (lay(tmp_path / f"{name}.jsonl", *toy_lines()[:3]) for name in ("one", "other"))
    compute = hs.ComputeSettings(device="cpu", engine=LastFirst())

    def asked(formats: list[str], probes: list[Path], out: Path | None) -> hs.Run:
        return hs.ask(str(tiny_folders["gpt2"]), probes, formats=formats, out=out, compute=compute)

    def parts_of(run: hs.Run) -> list[tuple[str, str]]:
        return [(part.part.probe.name, part.part.format) for part in run.answered]

    wanted = ["letters", "loglikelihood"]
    expected = [(probe, prompt_format) for probe in ("one", "other") for prompt_format in wanted]
    assert parts_of(asked(wanted, [one, other], None)) == expected
    assert parts_of(asked(wanted, [one, other], tmp_path / "run")) == expected
    again = ["pmi", "loglikelihood", "letters"]
    asked(again, [other], tmp_path / "run")
    added = [*expected[:2], *(("other", prompt_format) for prompt_format in again)]
    assert parts_of(hs.open_run(tmp_path / "run")) == added, "only the pair that is asked again"
