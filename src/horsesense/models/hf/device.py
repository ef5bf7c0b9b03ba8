"""Devices, threads and quantised loading."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horsesense.errors import UserError, argument
from horsesense.settings import device_setting

if TYPE_CHECKING:
    import torch

DEVICE_MAP = "map"
"""The device name for all GPUs: layers are put where they fit."""
BITS = {"int8": "load_in_8bit", "int4": "load_in_4bit"}
"""Quantised dtypes; computation is in bfloat16."""


def choose_device(wanted: str = "auto") -> tuple[torch.device, str]:
    """Return the device and the reason for it; ``auto`` is the user's setting, else the best that is found."""
    import torch

    wanted, said_by = device_setting() if wanted == "auto" else (wanted, "")
    if wanted == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda"), f"found {torch.cuda.get_device_name()}"
        if torch.backends.mps.is_available():
            return torch.device("mps"), "found an Apple GPU"
        return torch.device("cpu"), "no GPU found"
    try:
        device = torch.device(wanted)
        if device.type == "meta":
            raise RuntimeError("a meta tensor holds no numbers")
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        fix = f"change {said_by}" if said_by else f"leave {argument('device')} out, or use cpu"
        raise UserError(f"the device {wanted!r} cannot be used here", fix=fix) from error
    return device, f"set by {said_by}" if said_by else "asked for"


def has_bfloat16(device: torch.device) -> bool:
    """Whether the device multiplies in bfloat16; a CPU that emulates it is slower with it."""
    import torch

    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    if device.type == "cpu":
        known = torch.cpu.get_capabilities()
        return any(known.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))
    return False


def fit_threads() -> int:
    """Use as many threads as this process has cores; torch counts those of the machine, which a container may not get.

    ``OMP_NUM_THREADS`` takes precedence.
    """
    import torch

    cores = usable_cores()
    if "OMP_NUM_THREADS" not in os.environ and torch.get_num_threads() > cores:
        torch.set_num_threads(cores)
    return torch.get_num_threads()


def threads_of(device: torch.device) -> int | None:
    """Return the threads of a model on this device; None if it is not a CPU."""
    import torch

    return torch.get_num_threads() if device.type == "cpu" else None


@contextmanager
def with_threads(count: int | None) -> Iterator[None]:
    """Compute with ``count`` threads inside the block, since last bits depend on it; None changes nothing."""
    if not count:  # a server is asked without torch
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def usable_cores(quota: Path = Path("/sys/fs/cgroup/cpu.max")) -> int:
    """Return the cores that the scheduler and a container's quota leave to this process."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # no such file, or "max": no quota
        share, period = (int(part) for part in quota.read_text(encoding="ascii").split())
        cores = min(cores, ceil(share / period))
    return max(1, cores)


def loading_options(device: str, dtype: str) -> dict[str, Any]:
    """Return the arguments of ``from_pretrained``: dtype, quantisation and device map."""
    import torch

    if dtype not in BITS:
        options = {"dtype": getattr(torch, dtype)}
        return options | ({"device_map": "auto"} if device == DEVICE_MAP else {})
    if find_spec("bitsandbytes") is None:
        raise UserError(
            f"{argument('dtype', dtype)} needs bitsandbytes, which is not installed",
            fix=f"pip install bitsandbytes, or use {argument('dtype', 'bfloat16')}",
        )
    import logging

    from transformers import BitsAndBytesConfig

    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)  # it logs its rounding at every layer of every batch
    where = "auto" if device in (DEVICE_MAP, "auto") else {"": device}
    # NF4 loses less than the library's default 4-bit floats (Dettmers and others 2023, table 2).
    bits = {BITS[dtype]: True, "bnb_4bit_quant_type": "nf4", "bnb_4bit_compute_dtype": torch.bfloat16}
    return {"dtype": torch.bfloat16, "quantization_config": BitsAndBytesConfig(**bits), "device_map": where}


def is_device_mapped(device: str, dtype: str) -> bool:
    """Whether transformers has placed the network, so that it must not be moved."""
    return device == DEVICE_MAP or dtype in BITS


def mapped_device(network: Any) -> tuple[torch.device, str]:
    """Return the input device of a network, and how it is distributed, in words."""
    devices = dict.fromkeys(str(device) for device in getattr(network, "hf_device_map", {}).values())
    if "disk" in devices or ("cpu" in devices and len(devices) > 1):
        raise UserError(
            "the model does not fit on the GPUs, and parts of it would be moved for every batch",
            fix=f"use {argument('dtype', 'int8')} or {argument('dtype', 'int4')}, or more of them",
        )
    first = network.get_input_embeddings().weight.device
    return first, f"spread over {', '.join(devices)}" if len(devices) > 1 else "placed at load"
