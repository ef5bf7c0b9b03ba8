"""Which models come from one another: who judged a probe should not be kin of whom it is asked."""

from __future__ import annotations

import re

_LINEAGES = (
    ("smollm", "smollm"),
    ("claude", "claude"),
    ("gpt-oss chatgpt gpt-3 gpt-4 gpt-5 gpt2 gpt-2 davinci o1- o3- o4-", "gpt"),
    ("llama vicuna alpaca", "llama"),
    ("mistral mixtral", "mistral"),
    ("qwen qwq", "qwen"),
    ("gemini gemma palm", "gemini"),
    ("deepseek", "deepseek"),
    ("phi-", "phi"),
    ("olmo", "olmo"),
    ("pythia gpt-neox gpt-neo gpt-j", "eleuther"),
    ("bloom", "bloom"),
    ("falcon", "falcon"),
    ("flan-t5 t5", "t5"),
    ("bart", "bart"),
    ("xlnet", "xlnet"),
    ("roberta distilroberta xlm-roberta", "roberta"),
    ("deberta", "deberta"),
    ("albert", "albert"),
    ("electra", "electra"),
    ("minilm", "minilm"),
    ("bert distilbert", "bert"),
)
"""Parts of names, and the lineage of a model that is called so; the first that fits counts."""


def lineage_of(*names: str) -> str:
    """The lineage that any of these names tells; empty where none does.

    >>> lineage_of("org/Meta-Llama-3-8B"), lineage_of("smollm2-masked"), lineage_of("runs/mine")
    ('llama', 'smollm', '')
    """
    for parts, lineage in _LINEAGES:
        for name in names:
            if any(_begins_a_word(part, name.casefold()) for part in parts.split()):
                return lineage
    return ""


def _begins_a_word(part: str, name: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){re.escape(part)}", name) is not None
