"""``python -m tests.faults.workers``: Ray's workers, its machines and whoever asks are killed; the counts for docs/guides/more-machines.md.

A cluster of two nodes on this machine asks two tiny models two probes, again and again, while somebody kills a worker
at random times (``KILLS`` of them, most of them at a task), takes a node out and puts another in, and kills the process that asks. The answers
must be those of one process, byte for byte.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from tests.support import ROOT

KILLS = int(os.environ.get("KILLS", "30"))
NODES = int(os.environ.get("NODES", "3"))
DRIVERS = int(os.environ.get("DRIVERS", "3"))


def workers(at_work: bool) -> list[int]:
    """The worker processes beneath this one; only those that are at a task, or also those that start or wait."""
    parents, titles = dict[int, int](), dict[int, str]()
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
                titles[int(place.name)] = (place / "cmdline").read_text().split("\0")[0]
            except OSError:
                continue

    def ours(process: int) -> bool:
        while process > 1:
            process = parents.get(process, 0)
            if process == os.getpid():
                return True
        return False

    wanted = "ray::Worker.do" if at_work else "ray::Worker"
    return [process for process, title in titles.items() if title.startswith(wanted) and ours(process)]


def main() -> None:
    import ray
    import torch
    from ray.cluster_utils import Cluster

    from horsesense.core import write_probe
    from horsesense.errors import UserError
    from horsesense.runs.ask_models import ask_models
    from horsesense.runs.ray import RayEngine
    from tests.runs.test_ask import Listener, make_probe, tables
    from tests.support.ray_run import SETTINGS
    from tests.support.tiny import save_tiny

    torch.set_num_threads(1)
    os.environ |= {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]), "RAY_USAGE_STATS_ENABLED": "0"}
    os.environ |= {"RAY_health_check_period_ms": "500", "RAY_health_check_failure_threshold": "2"}
    scratch, lot = Path(tempfile.mkdtemp(prefix="workers-")), random.Random(1)
    models = [str(save_tiny(name, scratch / name)) for name in ("gpt2", "bert")]
    probes = {"one": make_probe(150), "two": make_probe(40)}
    for name, probe in probes.items():
        write_probe(scratch / f"{name}.jsonl", probe)
    ask_models(models, probes, scratch / "here", SETTINGS)
    wanted = tables(scratch / "here")

    node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    second = cluster.add_node(**node)
    ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
    engine = RayEngine(workers=2, threads=1)
    counts = dict.fromkeys(("workers killed", "done again", "given up", "nodes gone", "drivers killed", "runs"), 0)
    over = threading.Event()

    def kill() -> None:
        while not over.is_set() and counts["workers killed"] < KILLS:
            over.wait(lot.uniform(0.5, 4))
            at_work = lot.random() < 0.7
            while not (found := workers(at_work)) and not over.is_set():
                time.sleep(0.01)
            if found:
                os.kill(lot.choice(found), signal.SIGKILL)
                counts["workers killed"] += 1

    def ask(folder: Path) -> None:
        listener = Listener()
        while True:
            try:
                ask_models(models, probes, folder, SETTINGS, listener, engine)
                break
            except UserError as error:  # by chance one shard was hit three times
                counts["given up"] += str(error).count("answer file")
        counts["done again"] += sum("its worker ended" in line for line in listener.heard)
        counts["runs"] += 1
        assert tables(folder) == wanted, "other bytes"

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    while killer.is_alive():
        ask(scratch / f"workers-{counts['runs']}")
    over.set()
    for number in range(NODES):
        leave = threading.Timer(lot.uniform(4, 12), lambda gone=second: cluster.remove_node(gone, allow_graceful=False))
        leave.start()
        ask(scratch / f"node-{number}")
        leave.join()
        counts["nodes gone"] += 1
        second = cluster.add_node(**node)
    for number in range(DRIVERS):
        folder = scratch / f"driver-{number}"
        words = [sys.executable, "-m", "tests.support.ray_run", f"ray:{cluster.address}", "2"]
        engine.close()  # its workers keep the cores
        driver = subprocess.Popen([*words, str(scratch), str(folder), *models], cwd=ROOT)
        more = lot.randint(1, len(wanted) // 2)
        while len(list(folder.glob("answers/*.parquet"))) < more and driver.poll() is None:
            time.sleep(0.01)
        driver.kill()
        driver.wait()
        counts["drivers killed"] += 1
        ask(folder)
    print(
        "  ".join(f"{name}: {count}" for name, count in counts.items()),
        f" files compared a run: {len(wanted)}, all the same",
    )
    ray.shutdown()
    cluster.shutdown()
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
