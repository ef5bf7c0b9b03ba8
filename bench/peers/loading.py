"""Run in a peer's environment: a model folder written by a newer transformers, loaded by its older one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM, PreTrainedTokenizerFast

SPECIAL = ("bos_token", "eos_token", "unk_token", "pad_token", "cls_token", "sep_token", "mask_token")


def load(folder: str, kind: str, dtype: str = "float32") -> tuple[Any, Any]:
    """Network and tokenizer."""
    written = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
    config = AutoConfig.from_pretrained(folder)
    if "rope_parameters" in written:
        # The newer name is not known to the older library, which would take its default instead.
        config.rope_theta = written["rope_parameters"]["rope_theta"]
    loader = AutoModelForCausalLM if kind == "causal" else AutoModelForMaskedLM
    network = loader.from_pretrained(folder, config=config, dtype=dtype).eval()
    told = json.loads((Path(folder) / "tokenizer_config.json").read_text(encoding="utf-8"))
    names = {name: told[name] for name in SPECIAL if told.get(name)}
    return network, PreTrainedTokenizerFast(tokenizer_file=str(Path(folder) / "tokenizer.json"), **names)
