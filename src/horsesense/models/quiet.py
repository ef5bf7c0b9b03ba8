"""transformers without its bars and advice: what a user has to know, we say ourselves."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LOOKS = "warn_if_padding_and_no_attention_mask"


def trust_inputs(network: Any) -> None:
    """No looking for padding where no mask is given: there is none, and looking waits for the device at every batch."""
    for part in network.modules():
        if hasattr(part, _LOOKS):
            setattr(part, _LOOKS, lambda *_, **__: None)


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """No progress bars, no log lines below errors, no warnings, for the length of the block."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
