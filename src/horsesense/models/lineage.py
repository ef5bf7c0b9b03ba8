"""Lineages of models: the auditor of a probe should not be a relative of the model under test."""

from __future__ import annotations

import json
import re
from pathlib import Path

from horsesense.data import read_text
from horsesense.errors import UserError
from horsesense.models.api.address import is_served, parse_address
from horsesense.settings import labelled

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
"""Part of a name → lineage; the first match counts."""

_BASES = {
    "training.json": "base",
    "adapter_config.json": "base_model_name_or_path",
    "config.json": "_name_or_path",
}
"""Files of a model folder that name its base model, and the field with the name."""
_DEEPEST = 8
"""Maximum length of a chain of base models."""


def lineage_of(*names: str) -> str:
    """Return the lineage that any of these names reveals; an empty string where none does.

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


def lineage_named(written: str) -> str:
    """Return the lineage of the model that ``-m`` means: by its name, by the base model of a folder, and otherwise by
    its label; an empty string where it is not known.

    >>> lineage_named("openai:http://llama.local/v1#qwen3"), lineage_named("gemma=openai:http://127.0.0.1:8000/v1")
    ('qwen', 'gemini')
    """
    label, name = labelled(written)
    names = [parse_address(name).model] if is_served(name) else names_with_bases(name)
    return lineage_of(*names) or (lineage_of(label) if label != name else "")


def names_with_bases(name: str) -> list[str]:
    """Return a name and, if it is a folder, the chain of its base models."""
    names = [name]
    while len(names) < _DEEPEST and (base := _base_of(Path(names[-1]).expanduser())) not in ("", *names):
        names.append(base)
    return names


def _base_of(folder: Path) -> str:
    for file, field in _BASES.items():
        try:
            base = json.loads(read_text(folder / file)).get(field)
        except (UserError, json.JSONDecodeError, AttributeError):
            continue
        if isinstance(base, str) and base:
            return base
    return ""
