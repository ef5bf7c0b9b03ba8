"""Environments of their own for the libraries that results and times are held against, made on first use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from horsesense.data import cache_folder

PEERS = {
    "minicons": ("minicons==0.3.39", "transformers==4.57.6"),
    "lm_eval": ("lm_eval[hf]==0.4.13", "transformers==4.57.6"),
    "inspect": ("inspect-ai==0.3.285", "transformers==4.57.6", "accelerate"),
    "lighteval": ("lighteval==0.13.0", "transformers==4.57.6", "accelerate"),
}
"""Peer → what is installed for it, after the torch that this project is tested with."""


def python_of(peer: str) -> Path:
    """The interpreter of a peer's environment in the user's cache folder."""
    folder = cache_folder("peers", peer)
    ready = folder / "ready"
    python = folder / "bin" / "python"
    if not ready.is_file():
        print(f"making an environment for {peer} in {folder} …", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "-q", "install"]
        constraints = Path(__file__).parents[2] / "constraints.txt"
        torch = next(
            line for line in constraints.read_text(encoding="utf-8").splitlines() if line.startswith("torch==")
        )
        subprocess.run([*pip, torch], check=True)
        subprocess.run([*pip, *PEERS[peer]], check=True)
        ready.touch()
    return python


def outside() -> dict[str, str]:
    """The variables that a peer is run under: a path to this project's packages must not lead into its environment."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return kept | {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


def ask_peer(peer: str, job: dict[str, Any]) -> dict[str, Any]:
    """Hand a job to a peer as JSON; what it answers on its last line."""
    script = Path(__file__).parent / f"ask_{peer}.py"
    done = subprocess.run(
        [str(python_of(peer)), str(script)],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        check=False,
        env=outside(),
    )
    if done.returncode:
        raise SystemExit(f"{peer} failed:\n{done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer
