"""A full profile by the clock: a decoder of Llama-8B's shape with random weights on a GPU, or any other model.

    python bench/profile_full.py [--model NAME] [--edition full] [--dtype bfloat16] [--out FOLDER]

Without a model a network of that shape is made (16 GB in bfloat16). The questions are built first, outside the clock,
as they are kept in the cache from the first profile on. Printed: what was foretold, seconds, tokens a second and the
most memory, on the device and here.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import torch

import horsesense as hs
from horsesense.profiling.abilities import chosen
from horsesense.profiling.material import material
from horsesense.progress import Progress


class Told(Progress):
    """Prints remarks with the seconds since the start."""

    def __init__(self) -> None:
        self.began = time.perf_counter()

    def log(self, text: str) -> None:
        print(f"{time.perf_counter() - self.began:7.1f} s  {text}", flush=True)


def measure(model: str, edition: str, dtype: str, out: Path) -> None:
    for ability in chosen(()):
        material(ability, "full" if edition == "full" else "quick")
    progress = Told()
    found = hs.profile(model, full=edition == "full", out=out, spec=f"dtype={dtype}", progress=progress)
    seconds = time.perf_counter() - progress.began
    ahead = found.models[0].forecast
    assert ahead is not None, "the folder holds this profile already"
    here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    device = torch.cuda.max_memory_allocated() / 2**30 if torch.cuda.is_available() else 0.0
    told = "" if ahead.seconds is None else f", foretold {ahead.seconds:.0f} s"
    print(f"{edition}: {ahead.items:,} questions, {ahead.tokens:,} tokens in {seconds:.0f} s{told}")
    print(f"{ahead.tokens / seconds:,.0f} tokens/s over all; at most {device:.1f} GiB there and {here:.1f} GiB here")
    print(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="")
    parser.add_argument("--edition", default="full", choices=("quick", "full"))
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = given.model
        if not model:
            if not torch.cuda.is_available():
                print("a profile of Llama-8B's shape: needs a GPU")
                return
            from peers.material import save_llama

            model = str(save_llama(Path(folder)))
        measure(model, given.edition, given.dtype, given.out or Path(folder) / "profile")


if __name__ == "__main__":
    main()
