"""Texts with a common prefix, fed to a causal model as one tree: the prefix is computed once.

Each token attends to its ancestors and to no other branch, and its position is its depth. So one forward pass gives the
same logits as one pass per text, for every model that takes positions and a mask unchanged; a self-test at load shows
whether it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horsesense.models.hf.forward import logits_agree, to_device
from horsesense.models.hf.rows import ModelInput

if TYPE_CHECKING:
    import torch


def tree_attention_mask(parents: Sequence[int], size: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Return the attention mask of a tree and the depth of each token; padded to ``size`` with tokens that attend to
    themselves.

    >>> seen, depth = tree_attention_mask((-1, 0, 1, 0), 5)
    >>> seen.astype(int).tolist()
    [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 0, 0, 1, 0], [0, 0, 0, 0, 1]]
    >>> depth.tolist()
    [0, 1, 2, 1, 0]
    """
    seen = np.eye(size, dtype=np.bool_)
    depth = np.zeros(size, dtype=np.int64)
    for position, parent in enumerate(parents):
        if parent >= 0:
            seen[position] |= seen[parent]
            depth[position] = depth[parent] + 1
    return seen, depth


def tree_logits(network: Any, given: Sequence[ModelInput], device: Any) -> torch.Tensor:
    """Return the logits of trees of unequal size in one batch."""
    import torch

    size = max(len(tree.ids) for tree in given)
    ids = np.zeros((len(given), size), dtype=np.int64)
    seen = np.empty((len(given), 1, size, size), dtype=np.bool_)
    depth = np.empty((len(given), size), dtype=np.int64)
    for number, tree in enumerate(given):
        ids[number, : len(tree.ids)] = tree.ids
        seen[number, 0], depth[number] = tree_attention_mask(tree.parents or range(-1, len(tree.ids) - 1), size)
    # An additive mask: every kind of attention takes one, not every kind takes a boolean mask.
    mask = torch.zeros(seen.shape, dtype=network.dtype, device=device)
    mask.masked_fill_(to_device(~seen, device), torch.finfo(network.dtype).min)
    logits: torch.Tensor = network(
        input_ids=to_device(ids, device), attention_mask=mask, position_ids=to_device(depth, device)
    ).logits
    return logits


_LOCAL = ("sliding_window", "window_size", "attention_chunk_size", "local_attention_window")
"""Fields of a config that give the size of a sliding window."""


def longest_in_trees(config: Any, window: int) -> int:
    """Return up to how many tokens a text may have to be put into a tree; 0 where that is too few to pay.

    A layer with a sliding window builds its own mask, which a tree's would replace; up to its length both are the same.
    """
    sizes = [getattr(config, name, None) for name in _LOCAL]
    limit = min([window, *(size for size in sizes if isinstance(size, int) and size > 0)])
    return limit if limit >= 8 else 0


def takes_trees(network: Any, device: Any) -> bool:
    """Whether a tree gives the same logits as its texts one by one."""
    import torch

    texts = ((5, 6, 7, 8), (5, 6, 9, 7, 8))
    tree = ModelInput((5, 6, 7, 8, 9, 7, 8), parents=(-1, 0, 1, 2, 1, 4, 5))
    paths = ((0, 1, 2, 3), (0, 1, 4, 5, 6))
    with torch.inference_mode():
        try:
            # The second, longer one tests the padding of the first.
            logits = tree_logits(network, [tree, ModelInput((*tree.ids, 5), parents=(*tree.parents, 6))], device)[0]
        except (RuntimeError, IndexError, KeyError, TypeError, ValueError, AttributeError):
            return False  # an architecture without such inputs
        for text, path in zip(texts, paths, strict=True):
            alone = network(input_ids=torch.tensor([text], device=device)).logits[0]
            if not logits_agree(logits[list(path)], alone, network.dtype):
                return False
    return True
