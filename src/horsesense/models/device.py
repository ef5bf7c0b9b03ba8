"""Where a model runs, and why there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.errors import UserError

if TYPE_CHECKING:
    import torch


def choose_device(wanted: str = "auto") -> tuple[torch.device, str]:
    """The device and the reason for it, in a few words."""
    import torch

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
        raise UserError(f"the device {wanted!r} cannot be used here", fix="leave --device out, or use cpu") from error
    return device, "asked for"
