"""Run by a test as a process of its own, to be killed: asks models two probes on a cluster. And a cluster apart."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from horsesense.core import read_probe
from horsesense.runs.ask_models import ask_models
from horsesense.runs.engine import engine_named
from horsesense.runs.tasks import Settings
from tests.support import ROOT

SETTINGS = Settings(shard=400, budget=200, cache=False, device="cpu")


def main(engine: str, workers: str, probes: str, out: str, *models: str) -> None:
    asked = {name: read_probe(Path(probes) / f"{name}.jsonl") for name in ("one", "two")}
    ask_models(models, asked, Path(out), SETTINGS, engine=engine_named(engine, workers=int(workers), threads=1))


_CLUSTER = """
import sys
from ray.cluster_utils import Cluster
node = {"num_cpus": 2, "object_store_memory": 80 * 2**20, "include_dashboard": False}
cluster = Cluster(initialize_head=True, head_node_args=node)
print("address", cluster.address, flush=True)
sys.stdin.read()
cluster.shutdown()
"""


@contextmanager
def ray_cluster() -> Iterator[str]:
    """The address of a cluster on this machine, in a process of its own that ends with the block."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    env = os.environ | {"PYTHONPATH": path, "RAY_USAGE_STATS_ENABLED": "0"}
    words = [sys.executable, "-c", _CLUSTER]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            told = (line.split() for line in process.stdout)
            yield next(words[1] for words in told if words[:1] == ["address"])
        finally:
            process.stdin.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
