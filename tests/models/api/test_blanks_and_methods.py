"""What else asks a model: words for a blank, WinoVenti, cues; through a server as here, or one sentence why not."""

from __future__ import annotations

from pathlib import Path

import pytest

import horsesense as hs
from horsesense.core import ScoringSpec, write_probe
from horsesense.cues.findings import find_cues
from horsesense.errors import UserError
from horsesense.methods.winoventi.elicitation import Elicitation, ask_associations, perplexities
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.plan import PipelineContext, PipelinePlan
from horsesense.models.api.served_model import open_served
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.locate import identity_named
from horsesense.scoring.fill import fill_blanks
from horsesense.scoring.texts import score_texts
from tests.support.made_tasks import short_questions
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]


def test_words_that_follow_a_blank_count_through_a_server_too(server: ModelServer, local: LanguageModel) -> None:
    prompt = "The stone is ___ than the kettle."
    (filled,) = fill_blanks(open_served(server.name), [prompt], 6, ScoringSpec())
    texts = [f"The stone is{each.word} than the kettle." for each in filled]
    wanted = [sum(token.logprob for token in text.tokens) for text in score_texts(local, texts, ScoringSpec())]
    found = [each.logprob - filled[0].logprob for each in filled]
    assert found == pytest.approx([value - wanted[0] for value in wanted], abs=1e-3)
    with pytest.raises(UserError, match="at most 20 next tokens, and 21"):
        fill_blanks(open_served(server.name), [prompt], 21, ScoringSpec())


def test_winoventi_asks_a_served_model(server: ModelServer, local: LanguageModel, tmp_path: Path) -> None:
    asking, nouns = Elicitation(k=(1, 3)), (Noun("stone"), Noun("kettle"))
    pairs = [(noun, "cold") for noun in nouns]
    for _ in range(2):
        with PipelineContext(PipelinePlan(model=server.name, nouns=nouns), tmp_path).asked(server.name) as served:
            by_noun = ask_associations(served, nouns, asking)
            found = perplexities(served, pairs, asking.spec)
            assert identity_named(server.name) == served.who.content
    assert len(by_noun) == 2
    assert found == pytest.approx(perplexities(local, pairs, asking.spec), rel=1e-3)
    assert len(server.seen.bodies) == len(set(server.seen.bodies)), "the second time the folder knew it"


def test_cues_take_a_served_model(server: ModelServer, local: LanguageModel) -> None:
    few = short_questions(12, 1)
    found = [find_cues(few, model=model, splits=2, rounds=19) for model in (server.name, local)]
    rows = [next(row for row in each.frame() if str(row["cue"]).endswith("without the question")) for each in found]
    assert rows[0]["accuracy"] == rows[1]["accuracy"]


def test_what_needs_the_weights_says_so(server: ModelServer, tmp_path: Path) -> None:
    write_probe(tmp_path / "p.jsonl", short_questions(12, 1))
    with pytest.raises(UserError, match=r"gradients need the weights"):
        hs.saliency(server.name, "Ice is [cold].")
    with pytest.raises(UserError, match=r"server gives no weights; .*name a folder"):
        hs.train(server.name, train=tmp_path / "p.jsonl", tests=[tmp_path / "p.jsonl"], out=tmp_path / "out")
