"""The same numbers as minicons and lm-evaluation-harness, on 50 real sentences, where the definitions coincide.

Run: python bench/parity.py
Makes an environment for each of the two on first use (a few minutes). docs/results/asking.md has what it prints.
"""

from __future__ import annotations

import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from peers.environments import ask_peer
from peers.material import save_bert, sentences

from horsesense.core import Item
from horsesense.core.spec import parse_spec
from horsesense.errors import UserError
from horsesense.models.hf.load import load_model
from horsesense.models.locate import locate
from horsesense.scoring.option_scores import answer_items
from horsesense.scoring.texts import score_texts

COUNT = 50
SEPARATOR = 0
"""SmolLM2's <|endoftext|>, which begins a text by default here."""


def tokens_of(model: str, texts: list[str], spec: str) -> list[list[float]]:
    """Ours: the log-probability of every token, in batches as a run has them."""
    loaded = load_model(model, device="cpu")
    return [[token.logprob for token in text.tokens] for text in score_texts(loaded, texts, parse_spec(spec))]


def told(what: str, ours: list[list[float]], theirs: list[list[float]]) -> None:
    """How far two lists of token scores are apart; texts with another number of tokens are counted."""
    same = [(a, b) for a, b in zip(ours, theirs, strict=True) if len(a) == len(b)]
    apart = [abs(x - y) for a, b in same for x, y in zip(a, b, strict=True)]
    off = [sum(abs(x - y) > 1e-3 for x, y in zip(a, b, strict=True)) for a, b in same]
    print(
        f"{what:<58} {len(same)} of {len(ours)} texts alike in length, largest difference {max(apart):.1e}, "
        f"{sum(off)} of {len(apart)} tokens more than 1e-3 apart in {sum(map(bool, off))} texts",
        flush=True,
    )


def minicons(model: str, kind: str, texts: list[str], options: dict[str, object]) -> list[list[float]]:
    job = {"model": model, "kind": kind, "texts": texts, "options": options, "batch": 16, "times": 1, "threads": 2}
    found: list[list[float]] = ask_peer("minicons", job)["scores"]
    return found


def masked(texts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        bert = str(save_bert(Path(folder) / "bert", texts))
        for metric, pll in (("original", "token"), ("within_word_l2r", "word-l2r")):
            theirs = minicons(bert, "masked", texts, {"PLL_metric": metric})
            told(f"minicons, masked, {metric} / pll={pll}", tokens_of(bert, texts, f"pll={pll}"), theirs)


def causal(texts: list[str]) -> None:
    try:
        smollm2 = str(locate("smollm2").folder)
    except UserError as error:
        print(f"the causal part needs the bundled model: {error}")
        return
    settings: tuple[tuple[dict[str, object], str], ...] = (({}, "bos=none"), ({"bos_token": True}, "bos=<|im_start|>"))
    for options, spec in settings:
        # It gives the first token the score 0.
        theirs = [tokens[1:] for tokens in minicons(smollm2, "causal", texts, options)]
        told(f"minicons, causal, {options} / {spec}", tokens_of("smollm2", texts, spec), theirs)
    job = {"model": smollm2, "batch": 16, "times": 1, "threads": 2, "prefix": SEPARATOR}
    sums = ask_peer("lm_eval", job | {"pairs": [["", text] for text in texts]})["scores"]
    ours = [[sum(tokens)] for tokens in tokens_of("smollm2", texts, "default")]
    told("lm-evaluation-harness, texts (sums) / default", ours, [[score] for score in sums])
    # Outer spaces are one space in a prompt here; the harness takes them as they are.
    asked = [(a.rstrip(" ."), (b, b[:20].rstrip())) for a, b in pairwise(texts)]
    items = [Item(probe="t", form="choice", text=text, options=options) for text, options in asked]
    pairs = [[item.text, f" {option}"] for item in items for option in item.options]
    sums = ask_peer("lm_eval", job | {"pairs": pairs})["scores"]
    answers = answer_items(load_model("smollm2", device="cpu"), items, parse_spec("bos=none"))
    ours = [[score] for answer in answers for score in answer.scores]
    told("lm-evaluation-harness, continuations (sums) / bos=none", ours, [[score] for score in sums])


def main() -> None:
    texts = sentences(COUNT)
    for part in sys.argv[1:] or ("masked", "causal"):
        {"masked": masked, "causal": causal}[part](texts)


if __name__ == "__main__":
    main()
