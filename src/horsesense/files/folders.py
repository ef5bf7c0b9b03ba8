"""The folder of things that can be made again: fetched sources, converted models, cached scores."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(*parts: str) -> Path:
    """The user's cache folder for horsesense; ``HORSESENSE_CACHE`` puts it elsewhere."""
    chosen = os.environ.get("HORSESENSE_CACHE")
    if chosen:
        root = Path(chosen).expanduser()
    else:
        from platformdirs import user_cache_path

        root = user_cache_path("horsesense")
    return root.joinpath(*parts)
