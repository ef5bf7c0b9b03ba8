"""Saliency against what must hold: completeness, finite differences, and nothing from the future."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import torch

from horsesense.core import ScoringSpec
from horsesense.models.hf.load import load_model
from horsesense.scoring.saliency import METHODS, saliency
from horsesense.scoring.texts import score_texts
from tools.docs.schemas import schema_of

pytest.importorskip("captum", reason="the extra 'saliency' is not installed")
TEXT = "The stone is heavier than a feather and ice."
START = TEXT.index("feather")
END = START + len("feather")


@pytest.fixture(scope="module", params=["gpt2", "llama", "bert", "roberta"])
def model(request: pytest.FixtureRequest, tiny_folders: dict[str, Path]) -> Any:
    return load_model(str(tiny_folders[request.param]), device="cpu")


def test_integrated_gradients_add_up_to_the_difference(model: Any) -> None:
    found = saliency(model, TEXT, START, END, ScoringSpec(), "integrated", steps=400, seed=0)
    difference = found.logprob - found.baseline
    assert abs(difference) > 0.01, "a blank text must change something, or the test shows nothing"
    assert sum(word.value for word in found.words) == pytest.approx(difference, abs=0.05 * max(1, abs(difference)))
    assert found.residual == pytest.approx(difference - sum(word.value for word in found.words))


def test_the_target_has_the_score_of_the_engine(model: Any) -> None:
    if model.family.name == "masked":
        pytest.skip("a whole text masks word by word, an option in a blank as one")
    (scored,) = score_texts(model, [TEXT], ScoringSpec())
    expected = sum(token.logprob for token in scored.tokens if START <= token.start < END)
    found = saliency(model, TEXT, START, END, ScoringSpec(), "gradient", steps=1, seed=0)
    assert found.logprob == pytest.approx(expected, abs=1e-3)


def test_a_gradient_is_what_a_small_step_gives(tiny_folders: dict[str, Path]) -> None:
    model = load_model(str(tiny_folders["gpt2"]), device="cpu")
    network = model.network.double()
    found = saliency(model, TEXT, START, END, ScoringSpec(), "gradient", steps=1, seed=0)
    (tokens,) = model.tokenise([TEXT])
    ids = torch.tensor([[model.tokenizer.bos_token_id, *tokens.ids]])
    embedded = network.get_input_embeddings()(ids).detach()
    asked = [place for place, at in enumerate(tokens.starts, 1) if START <= at < END]

    def logprob(shifted: torch.Tensor) -> float:
        with torch.no_grad():
            told = network(inputs_embeds=shifted).logits[0].log_softmax(dim=-1)
        return sum(float(told[place - 1, ids[0, place]]) for place in asked)

    for word in found.words:
        places = [place for place, at in enumerate(tokens.starts, 1) if word.start <= at < word.end]
        step = torch.zeros_like(embedded)
        step[:, places] = (embedded[:, places] - network.get_input_embeddings().weight.detach().mean(dim=0)) * 1e-4
        slope = (logprob(embedded + step) - logprob(embedded - step)) / 2e-4
        assert word.value == pytest.approx(slope, abs=2e-3 * max(1, abs(slope))), word


@pytest.mark.parametrize("method", METHODS)
def test_what_follows_says_nothing_to_a_causal_model(tiny_folders: dict[str, Path], method: Any) -> None:
    model = load_model(str(tiny_folders["gpt2"]), device="cpu")
    found = saliency(model, TEXT, START, END, ScoringSpec(), method, steps=5, seed=0)
    assert "feather" not in [word.word for word in found.words]
    assert all(word.value == 0 for word in found.words if word.start > END)
    assert any(word.value != 0 for word in found.words)


def test_smoothgrad_is_the_same_for_the_same_seed(model: Any) -> None:
    one, same, other = (
        saliency(model, TEXT, START, END, ScoringSpec(), "smoothgrad", steps=4, seed=seed) for seed in (0, 0, 1)
    )
    assert one == same
    assert one != other


def test_the_command(tiny_folders: dict[str, Path], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    from horsesense.cli import main

    with pytest.raises(SystemExit) as stopped:
        main(["saliency", "-m", str(tiny_folders["bert"]), "The stone is [heavier].", "--steps", "3", "--json"])
    assert stopped.value.code == 0
    told = json.loads(capfdbinary.readouterr().out)
    jsonschema.validate(told, schema_of("saliency"))
    assert told["target"] == "heavier"
    assert [word["word"] for word in told["words"]] == ["The", "stone", "is", "."]
    with pytest.raises(SystemExit) as stopped:
        main(["saliency", "-m", str(tiny_folders["bert"]), "No brackets."])
    assert stopped.value.code == 2


def test_the_command_votes_over_draws_of_names(
    tiny_folders: dict[str, Path], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    from horsesense.cli import main

    text = "{A} is a stone and {B} is a feather, so {A} is [heavier] than {B}."
    asked = ["saliency", "-m", str(tiny_folders["bert"]), text, "--steps", "2", "--draws", "3", "--arguments", "Stone"]
    with pytest.raises(SystemExit) as stopped:
        main([*asked, "--json"])
    assert stopped.value.code == 0
    told = json.loads(capfdbinary.readouterr().out)
    jsonschema.validate(told, schema_of("saliency"))
    named = [draw["words"][0]["word"] for draw in told["drawn"]]
    assert len(set(named)) == 3, "each draw has names of its own"
    for draw in told["drawn"]:
        spoken = [word["word"] for word in draw["words"]]
        assert spoken[0] == spoken[11], "one slot is one name"
    ranked = [
        {place for place, _ in sorted(enumerate(draw["words"]), key=lambda word: -abs(word[1]["value"]))[:5]}
        for draw in told["drawn"]
    ]
    votes = {place: sum(place in best for best in ranked) for place in range(len(told["drawn"][0]["words"]))}
    assert {clue["index"]: clue["votes"] for clue in told["clues"]} == {p: n for p, n in votes.items() if n >= 2}
    assert {clue["word"] for clue in told["clues"] if clue["argument"]} <= {"stone"}
    slots = {0: "{A}", 5: "{B}", 11: "{A}"}
    assert all(clue["word"] == slots.get(clue["index"], clue["word"]) for clue in told["clues"])
