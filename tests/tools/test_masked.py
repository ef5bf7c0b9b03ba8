"""How the masked model was made: prompts, sampling, decontamination, masking; each against a plain reference."""

from __future__ import annotations

import importlib
import lzma
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from horsesense.core import Card, Item, Probe, write_probe
from tests.support import ROOT
from tests.support.tiny import _byte_level

TOOLS = ROOT / "tools" / "masked"


@pytest.fixture(scope="module")
def tools() -> Any:
    """The modules of the tools folder, by name."""

    class Tools:
        def __getattr__(self, name: str) -> Any:
            return importlib.import_module(name)

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        yield Tools()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(3)
    folder = tmp_path_factory.mktemp("llama")
    config = LlamaConfig(
        vocab_size=400, hidden_size=48, intermediate_size=64, num_hidden_layers=3, num_attention_heads=6,
        num_key_value_heads=2, head_dim=8, tie_word_embeddings=True, max_position_embeddings=256,
    )  # fmt: skip
    network = LlamaForCausalLM(config)
    for parameter in network.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    network.save_pretrained(folder)
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *(f"<unused{n}>" for n in range(14))]
    PreTrainedTokenizerFast(tokenizer_object=_byte_level(prefix_space=False, special=special)).save_pretrained(folder)
    return folder


def test_the_plain_functions_give_what_transformers_gives(tools: Any, folder: Path) -> None:
    network, plain = LlamaForCausalLM.from_pretrained(folder), tools.llama.read_llama(folder)
    ids = torch.randint(0, 400, (3, 21), generator=torch.Generator().manual_seed(0))
    causal = torch.ones(21, 21, dtype=torch.bool).tril().expand(3, 1, 21, 21)
    with torch.no_grad():
        assert torch.allclose(
            tools.llama.states(plain, ids, causal) @ plain.embedding.T, network(ids).logits, atol=1e-3
        )


def test_the_best_token_again_and_again_is_greedy_generation(tools: Any, folder: Path) -> None:
    """Prompts of several lengths at once, some of which end early, against one at a time."""
    network, plain = LlamaForCausalLM.from_pretrained(folder), tools.llama.read_llama(folder)
    rng = torch.Generator().manual_seed(1)
    asked = [torch.randint(20, 400, (size,), generator=rng).tolist() for size in (3, 9, 1, 5, 5, 2, 7, 4)]
    greedy = [_greedy(network, ids, 60) for ids in asked]
    stops = {row[len(ids) + 12] for row, ids in zip(greedy[:3], asked[:3], strict=True)}
    with torch.no_grad():
        found = tools.generate.write(plain, asked, 60, sorted(stops), temperature=1.0, min_p=1.0)
    for ids, whole, answer in zip(asked, greedy, found, strict=True):
        written = whole[len(ids) :]
        end = next((n for n, token in enumerate(written) if token in stops), len(written))
        assert answer == written[:end]
    assert len({len(answer) for answer in found}) > 2


def _greedy(network: Any, ids: list[int], length: int) -> list[int]:
    row = list(ids)
    while len(row) < length:
        with torch.no_grad():
            row.append(int(network(torch.tensor([row])).logits[0, -1].argmax()))
    return row


def test_draws_follow_the_softmax_of_the_likely_tokens(tools: Any) -> None:
    torch.manual_seed(0)
    weights = torch.tensor([0.5, 0.3, 0.15, 0.05])
    drawn = tools.generate.draw(weights.log().expand(20_000, 4), temperature=1.0, min_p=0.2)
    shares = torch.bincount(drawn, minlength=4) / 20_000
    assert shares.tolist() == pytest.approx([0.5 / 0.95, 0.3 / 0.95, 0.15 / 0.95, 0.0], abs=0.02)


def test_text_that_shares_words_with_a_probe_is_dropped_and_counted(tools: Any, tmp_path: Path) -> None:
    items = [
        Item(probe="p", form="cloze", text="Nell left the plum in the sun. The plum is ___.", options=("dry", "juicy")),
        Item(
            probe="p", form="sentences", options=("Geese read books.", "One two three four five six seven eight nine.")
        ),
    ]
    write_probe(tmp_path / "probe.jsonl", Probe.of(items, Card(name="p")))
    index = tools.decontaminate.index(list(tools.decontaminate.probe_texts(tmp_path / "probe.jsonl")))
    texts = {
        "eight words": "He counted. Two, THREE four five six\nseven eight nine! And more.",
        "whole sentence": "They said it.\nGeese read books.\nIt was late.",
        "noun is adjective": "She saw that the plums were quite dry and sweet.",
        "": "Geese read many books.\nThe plum was ripe.\nIt is dry. Two three four five six seven eight, ten.",
    }
    for kind, text in texts.items():
        assert tools.decontaminate.shared_kinds(text, index) == ([kind] if kind else [])
    (tmp_path / "text-0.xz").write_bytes(lzma.compress("\n\n".join(texts.values()).encode()))
    counts = tools.decontaminate.drop(index, [tmp_path / "text-0.xz"], tmp_path / "clean")
    assert (counts["texts"], counts["dropped"]) == (4, 3)
    assert tools.corpus.read_texts(tmp_path / "clean" / "text-0.xz") == [texts[""]]


def test_no_prompt_has_a_noun_that_is_left_out(tools: Any, tmp_path: Path) -> None:
    nouns = ["abacus", "anvil", "banjo", "cello", "donkey", "easel", "flute", "gourd", "harp", "igloo", "kayak", "cat"]
    (tmp_path / "things.tsv").write_text("Word\tuniqueID\n" + "".join(f"{noun}\t{noun}\n" for noun in nouns))
    (tmp_path / "list.json").write_text('{"description": "x", "things": ["anvil", "banjos", "red harp", "zeppelin"]}')
    used = tools.prompts.prompt_nouns(tmp_path / "things.tsv", [tmp_path / "list.json"])
    out = {noun for noun in nouns if tools.prompts.left_out(noun)}
    assert 2 <= len(out) <= 10
    source = tools.prompts.prompts(used, seed=0)
    said = " ".join(next(source).text.lower() for _ in range(3000))
    words = set(tools.decontaminate.words(said))
    assert not words & (out | {f"{noun}s" for noun in out})
    assert {noun for noun in nouns if noun not in out} <= words
    assert "cat" not in out  # our own templates name it


def test_rows_give_back_their_pieces(tools: Any) -> None:
    pieces = [[20 + n] * size for n, size in enumerate((3, 5, 1, 9, 2, 2))]
    rows = torch.from_numpy(tools.corpus.pack(pieces, 12).astype("int64"))
    numbers = tools.masking.piece_of(rows)
    found = [
        row[(number == one) & (row > 0)].tolist()
        for row, number in zip(rows, numbers, strict=True)
        for one in number.unique()
    ]
    assert [piece for piece in found if piece] == pieces
    seen = tools.masking.within_pieces(rows)[0, 0]
    assert seen[1, 3]
    assert not seen[1, 6]


@pytest.mark.parametrize("words", [0.0, 1.0])
def test_hidden_are_text_tokens_at_the_rate_asked_for_and_words_as_a_whole(tools: Any, words: float) -> None:
    rng = torch.Generator().manual_seed(0)
    starts = torch.rand(400, generator=rng) < 0.5
    ids = torch.randint(17, 400, (400, 60), generator=rng)
    ids[:, 0] = ids[:, -1] = 0
    ids[:, 30] = ids[:, 31] = 0
    hidden = tools.masking.hide(ids, starts, (0.1, 0.3), words, rng)
    assert not hidden[ids < 17].any()
    assert hidden[ids >= 17].float().mean().item() == pytest.approx(0.2, abs=0.01)
    goes_on = ~starts[ids[:, 1:]] & (ids[:, 1:] > 0) & (ids[:, :-1] > 0)
    alike = (hidden[:, 1:] == hidden[:, :-1])[goes_on].float().mean().item()
    assert alike == 1.0 if words else alike < 0.9


def test_a_rounded_adapter_is_what_is_read_back(tools: Any, folder: Path, tmp_path: Path) -> None:
    from horsesense.models.adapters import write_adapted

    base = tools.llama.read_llama(folder)
    torch.manual_seed(2)
    adapter = tools.adapter.new_adapter(base, rank=4)
    with torch.no_grad():
        for part in adapter.up:
            for tensor in part:
                tensor.normal_(0, 0.2)
    about = {"mask_token": "<unused3>", "read_offset": "0"}
    tools.adapter.save_adapter(adapter, tmp_path / "adapter", about)
    write_adapted(folder, tmp_path / "adapter", tmp_path / "model")
    wanted = tools.adapter.merged(base, tools.adapter.rounded(adapter), 6, torch.float32)
    found = tools.llama.read_llama(tmp_path / "model")
    assert torch.equal(found.embedding, wanted.embedding)
    exact = tools.adapter.merged(base, adapter, 6, torch.float32)
    for one, other, whole in zip(found.linear, wanted.linear, exact.linear, strict=True):
        for a, b, c in zip(one, other, whole, strict=True):
            assert torch.allclose(a, b, atol=1e-6)
            assert (a - c).norm() / c.norm() < 0.01


def test_layers_that_are_not_named_stay_as_they_are(tools: Any, folder: Path, tmp_path: Path) -> None:
    from horsesense.models.adapters import write_adapted

    base = tools.llama.read_llama(folder)
    starts = torch.ones(len(base.embedding), dtype=torch.bool)
    trainer = tools.train.Trainer(exact=base, quick=base, mask=6, starts=starts, compiled=False)
    ids = torch.randint(17, 100, (4, 32), generator=torch.Generator().manual_seed(0))
    design = tools.train.Design(rank=2, where=r"layers\.1\.mlp", speed=0.01)
    adapter = tools.train.train(trainer, ids, design, steps=3, batch=4)
    tools.adapter.save_adapter(adapter, tmp_path / "adapter", {"mask_token": "<unused3>", "read_offset": "1"})
    write_adapted(folder, tmp_path / "adapter", tmp_path / "model")
    found = tools.llama.read_llama(tmp_path / "model")
    changed = {
        (number, name)
        for number, parts in enumerate(zip(base.linear, found.linear, strict=True))
        for name, was, now in zip(tools.llama.LINEAR, *parts, strict=True)
        if not torch.equal(was, now)
    }
    assert changed == {(1, "mlp.gate_proj"), (1, "mlp.up_proj"), (1, "mlp.down_proj")}


def test_training_learns_and_judging_agrees_with_the_engine(tools: Any, folder: Path, tmp_path: Path) -> None:
    """A few steps lower the loss; a pair's margin is the difference of what `horsesense` scores."""
    from horsesense.core import ScoringSpec
    from horsesense.models.adapters import write_adapted
    from horsesense.models.hf.load import load_model
    from horsesense.scoring.texts import score_texts

    train = tools.train
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    texts = [f"The kettle whistled because the water was boiling, so {name} sang." for name in ("he", "she", "it")]
    rows = torch.from_numpy(tools.corpus.pack((tokenizer.encode(t).ids for t in texts * 8), 64).astype("int64"))
    base, starts = tools.llama.read_llama(folder), tools.masking.word_starts(tokenizer)
    trainer = train.Trainer(exact=base, quick=base, mask=6, starts=starts, compiled=False)
    judge = tools.judge.Judge(6, 1, starts)
    adapters = {
        steps: train.train(trainer, rows, train.Design(rank=4, words=0.5, speed=0.01), steps, 8) for steps in (1, 30)
    }
    models = {steps: tools.adapter.merged(base, one, 6, torch.float32) for steps, one in adapters.items()}
    assert judge.held_out_loss(models[30], rows) < judge.held_out_loss(models[1], rows) - 1
    about = {"mask_token": "<unused3>", "read_offset": "1"}
    tools.adapter.save_adapter(adapters[30], tmp_path / "adapter", about)
    write_adapted(folder, tmp_path / "adapter", tmp_path / "model")
    kept = tools.adapter.merged(base, tools.adapter.rounded(adapters[30]), 6, torch.float32)
    pairs = tools.dev.read_dev()[:3]
    model = load_model(str(tmp_path / "model"), device="cpu")
    means = [[one.mean for one in score_texts(model, pair, ScoringSpec())] for pair in pairs]
    margins = judge.dev_margins(kept, tokenizer)[:3]
    assert margins.tolist() == pytest.approx([right - wrong for right, wrong in means], abs=1e-3)
