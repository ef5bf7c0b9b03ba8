"""Associations and tests of WinoVenti, against the paper's way of one prompt and one candidate at a time.

The reference does what the paper's repository does: each prompt alone, a softmax over the vocabulary, all of it
sorted and turned into tokens; each candidate a forward of its own. Both are timed in this run, on the same prompts.
COUNT is the number of nouns.
"""

from __future__ import annotations

import os
import sys
import time

import torch

from horsesense.core import BLANK, ScoringSpec
from horsesense.lexicons.words import listed
from horsesense.methods.winoventi.associations import common_words
from horsesense.methods.winoventi.elicitation import Elicitation, ask_associations, literal_word_of
from horsesense.methods.winoventi.measures import prior_item
from horsesense.methods.winoventi.nouns import LITERAL, clean_nouns, prompts_for
from horsesense.methods.winoventi.schemas import Triplet
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.scoring.option_scores import answer_items

NOUNS = listed(
    "apple bed boat book bottle box bread brick bridge broom brush bucket button cake camera candle car carpet cat "
    "chair cheese clock coat coin corn cow cup desk dog door drum egg eye fan fence fire fish flag flower fork"
)
COUNT = int(os.environ.get("COUNT", len(NOUNS)))


def main(name: str = "smollm2-masked") -> None:
    model = load_model(name)
    nouns = clean_nouns(enumerate(NOUNS[:COUNT], start=1)).nouns
    start = time.perf_counter()
    ours = ask_associations(model, nouns, Elicitation(as_paper=True))
    batched = time.perf_counter() - start
    start = time.perf_counter()
    theirs = [
        common_words([(_sorted(model, yes), _sorted(model, no)) for yes, no in prompts_for(noun, LITERAL)])
        for noun in nouns
    ]
    alone = time.perf_counter() - start
    same = sum({each.word for each in own} == set(other) for own, other in zip(ours, theirs, strict=True))
    print(f"associations of {len(nouns)} nouns, {4 * len(nouns)} prompts, by {name}")
    print(f"  batched {batched:6.1f} s   one at a time {alone:6.1f} s   {alone / batched:.1f} times faster")
    print(f"  the same words for {same} of {len(nouns)} nouns")

    triplets = [Triplet(noun.word, "old", "new") for noun in nouns]
    items = [prior_item(each, noun, as_paper=True) for each, noun in zip(triplets, nouns, strict=True)]
    start = time.perf_counter()
    answer_items(model, items, ScoringSpec())
    together = time.perf_counter() - start
    start = time.perf_counter()
    for item in items:
        for _ in item.options:
            _probabilities(model, item.text)
    apart = time.perf_counter() - start
    print(f"filter of {len(items)} triplets: both candidates from one forward {together:.1f} s, apart {apart:.1f} s,")
    print(f"  {apart / together:.1f} times faster")


def _probabilities(model: LanguageModel, prompt: str) -> torch.Tensor:
    text = prompt.replace(BLANK, model.tokenizer.mask_token)
    ids = torch.tensor([_framed(model, text)])
    with torch.inference_mode():
        logits = model.network(input_ids=ids.to(model.device)).logits[0]
    found: torch.Tensor = logits[ids[0].tolist().index(model.tokenizer.mask_token_id)].softmax(dim=0)
    return found


def _framed(model: LanguageModel, text: str) -> list[int]:
    frame = model.family.frame(model.tokenizer, ScoringSpec())
    (tokens,) = model.tokenise([text])
    return [*frame.before, *tokens.ids, *frame.after]


def _sorted(model: LanguageModel, prompt: str) -> list[str]:
    order = _probabilities(model, prompt)[: len(model.tokenizer)].argsort(descending=True)
    tokens = model.tokenizer.convert_ids_to_tokens(order.tolist())
    return list(dict.fromkeys(word for token in tokens if (word := literal_word_of(token))))[:10]


if __name__ == "__main__":
    main(*sys.argv[1:2])
