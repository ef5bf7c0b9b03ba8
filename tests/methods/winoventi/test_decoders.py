"""Decoders, here and behind a server: associations, filter and evaluation by whole sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from horsesense.core import ScoringSpec
from horsesense.methods.winoventi import elicitation, word_relations
from horsesense.methods.winoventi.elicitation import Elicitation, as_sentences, ask_associations, word_of
from horsesense.methods.winoventi.evaluation import Background, run_all, score_answers
from horsesense.methods.winoventi.measures import PRIOR
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.pipeline import PipelineResult, run_pipeline
from horsesense.models.api.served_model import open_served
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.runs.tasks import Settings
from horsesense.scoring.texts import score_texts
from tests.support.made_plan import make_plan, people_have_answered
from tests.support.made_schemas import SCHEMAS, made_probe
from tests.support.model_server import ModelServer

# The server is on loopback, in this process.
pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

SPEC = ScoringSpec()


def test_the_ranking_is_that_of_the_sentences(tiny_folders: dict[str, Path]) -> None:
    """Against whole sentences scored one by one: what stands before the blank is the same for all words."""
    model = load_model(str(tiny_folders["gpt2"]), device="cpu")
    words = ["stone", "water", "sun", "coat", "summer", "wet"]
    texts = ["The kettle is ___.", "The kettle is not ___,"]
    ranked = as_sentences(model, texts, [words, words[:3]], ScoringSpec())
    for text, given, found in zip(texts, [words, words[:3]], ranked, strict=True):
        scored = score_texts(model, [text.replace("___", word) for word in given], ScoringSpec())
        sums = dict(zip(given, (each.sum for each in scored), strict=True))
        assert found == sorted(given, key=lambda word: -sums[word])
    assert ranked[0] != words, "or nothing was ranked anew"


def test_a_decoder_is_asked_for_associations(tiny_folders: dict[str, Path]) -> None:
    model = load_model(str(tiny_folders["gpt2"]), device="cpu")
    (associations,) = ask_associations(model, [Noun("kettle")], Elicitation(k=(3,)))
    assert all(each.noun == "kettle" for each in associations)


@pytest.fixture(scope="module")
def decoder(tiny_folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model that sees more than the other tiny ones: a server is tried out with longer texts."""
    folder = tmp_path_factory.mktemp("decoder")
    tokenizer = load_model(str(tiny_folders["gpt2"]), device="cpu").tokenizer
    torch.manual_seed(0)
    sizes = {"vocab_size": len(tokenizer), "n_positions": 512, "n_embd": 32, "n_layer": 2, "n_head": 2}
    network = GPT2LMHeadModel(GPT2Config(**sizes))
    words = [place for token, place in tokenizer.get_vocab().items() if word_of(token, "Ġ")]
    favourites = network.transformer.wte.weight.data[words].sum(0)
    network.transformer.ln_f.bias.data.copy_(22 * favourites)  # words rather than pieces, whatever the sentence
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def server(decoder: Path) -> Iterator[ModelServer]:
    with ModelServer(load_model(str(decoder), device="cpu")).running() as running:
        yield running


def by_hand(model: LanguageModel, noun: str, told: int, depths: tuple[int, ...]) -> dict[str, int]:
    """Word → least depth, from whole sentences scored one by one: *The kettle is hot.*"""
    found: dict[str, int] = {}
    for end in ".,":
        rankings = []
        for no in ("", "not "):
            before = f"The {noun} is {no}"
            fills = model.best_words([f"{before}___{end}"], told, SPEC)[0]
            words = [word_of(token, "Ġ") for token in model.vocabulary_forms(fills)]
            words = [word for word in dict.fromkeys(words) if word.isascii() and word not in ("", noun)]
            scored = score_texts(model, [f"{before}{word}{end}" for word in words], SPEC)
            rankings.append(
                sorted(words, key=lambda word: -dict(zip(words, (s.sum for s in scored), strict=True))[word])
            )
        for k in depths:
            for word in set(rankings[0][:k]) & set(rankings[1][:k]):
                found[word] = min(k, found.get(word, k))
    return found


def test_a_server_has_the_associations_of_its_model(server: ModelServer) -> None:
    """A server tells its best few next tokens; what it thinks of whole sentences is asked for each of them."""
    served = open_served(server.name)
    nouns = [Noun(word) for word in ("stone", "coat", "feather", "butter")]
    depths = (1, 3)
    by_noun = ask_associations(served, nouns, Elicitation(k=depths))
    for noun, associations in zip(nouns, by_noun, strict=True):
        wanted = by_hand(server.model, noun.word, served.max_candidates, depths)
        assert {each.word: each.k for each in associations} == wanted
    assert any(by_noun), "or nothing was compared"


def test_filter_and_evaluation_of_a_decoder_and_of_its_server(
    server: ModelServer, decoder: Path, tmp_path: Path
) -> None:
    """Which triplets pass, and what is right: as sentences say that are scored one by one, here and by HTTP."""
    local, probe = str(decoder), made_probe()
    answered = run_all([local, server.name], probe, tmp_path / "run", Settings(cache=False, device="cpu"))
    here, there = score_answers(answered, Background())
    model = server.model
    for schema in SCHEMAS:
        triplet = schema.triplet
        scored = score_texts(
            model, [f"The {triplet.noun} is {word}." for word in (triplet.generic, triplet.exception)], SPEC
        )
        for parts in answered:
            families = [item.family for item in parts[PRIOR].items]
            credit = parts[PRIOR].credits("sum").values[families.index(triplet.name)]
            assert credit == float(scored[0].sum > scored[1].sum)
    for one, other in zip(here.subsets, there.subsets, strict=True):
        assert (one.subset, one.schemas) == (other.subset, other.schemas)
        assert [getattr(e, "value", None) for e in (one.generic, one.exception, one.both)] == [
            getattr(e, "value", None) for e in (other.generic, other.exception, other.both)
        ]
    shifts = [[each.shift.value for each in found.shifts if each.shift is not None] for found in (here, there)]
    assert shifts[0] == pytest.approx(shifts[1], abs=1e-3)


def test_a_pipeline_of_a_decoder_and_of_its_server(
    server: ModelServer, decoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Associations, filter and evaluation by machine, with exceptions and premises by people."""
    monkeypatch.setattr(word_relations, "find_wordnet", lambda: None)
    monkeypatch.setattr(elicitation, "_RESCORED", 20)  # as many as the server tells
    plan = replace(make_plan(decoder, decoder), ranker="none")
    plan = replace(plan, nouns=plan.nouns[:4], elicitation=Elicitation(k=(3,)))
    results: list[PipelineResult] = []
    for name in (plan.model, server.name):
        folder = tmp_path / str(len(results))
        folder.mkdir()
        own = replace(plan, model=name)
        run_pipeline(own, folder / "out")
        results.append(run_pipeline(people_have_answered(own, folder, folder / "out"), folder / "out"))
    local, served = results
    assert [(each.noun, each.word) for each in local.kept] == [(each.noun, each.word) for each in served.kept]
    assert [each.name for each in local.filtered] == [each.name for each in served.filtered]
    assert local.filtered
    both = [each.evaluations["proposed"].subsets[0] for each in results]
    assert both[0].schemas == both[1].schemas > 0
