"""Large models: spread over several devices, or with weights of 8 or 4 bits."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from horsesense.errors import UserError, argument

if TYPE_CHECKING:
    import torch

SPREAD = "map"
"""The device that stands for all there are: layers are put where there is room."""
BITS = {"int8": "load_in_8bit", "int4": "load_in_4bit"}
"""Dtypes that are weights of few bits; what is computed is in bfloat16."""


def loading_options(device: str, dtype: str) -> dict[str, Any]:
    """What transformers is told for these: the kind of numbers, and who puts the network where."""
    import torch

    if dtype not in BITS:
        options = {"dtype": getattr(torch, dtype)}
        return options | ({"device_map": "auto"} if device == SPREAD else {})
    if find_spec("bitsandbytes") is None:
        raise UserError(
            f"{argument('dtype', dtype)} needs bitsandbytes, which is not installed",
            fix=f"pip install bitsandbytes, or use {argument('dtype', 'bfloat16')}",
        )
    import logging

    from transformers import BitsAndBytesConfig

    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)  # it tells of its rounding at every layer of every batch
    where = "auto" if device in (SPREAD, "auto") else {"": device}
    # Normal floats lose less than the library's usual 4-bit floats (Dettmers and others 2023, table 2).
    bits = {BITS[dtype]: True, "bnb_4bit_quant_type": "nf4", "bnb_4bit_compute_dtype": torch.bfloat16}
    return {"dtype": torch.bfloat16, "quantization_config": BitsAndBytesConfig(**bits), "device_map": where}


def is_placed(device: str, dtype: str) -> bool:
    """Whether transformers has put the network where it is, so that nobody may move it."""
    return device == SPREAD or dtype in BITS


def placed(network: Any) -> tuple[torch.device, str]:
    """Where a network takes its inputs, and how it is spread, in words."""
    places = dict.fromkeys(str(place) for place in getattr(network, "hf_device_map", {}).values())
    if "disk" in places or ("cpu" in places and len(places) > 1):
        raise UserError(
            "the model does not fit on the GPUs, and parts of it would be fetched for every batch",
            fix=f"use {argument('dtype', 'int8')} or {argument('dtype', 'int4')}, or more of them",
        )
    first = network.get_input_embeddings().weight.device
    return first, f"spread over {', '.join(places)}" if len(places) > 1 else "put there as it was loaded"
