"""Where work is computed: this process, or workers of Ray on this machine and others."""

from __future__ import annotations

from horsesense.errors import naming_extras
from horsesense.runs.engine import HERE, Engine, engine_named


@naming_extras()
def engine(
    name: str = "ray", *, workers: int | None = None, gpus: float | None = None, threads: int | None = None
) -> Engine:
    """An engine for `ask`, `train`, `inoculate` and others.

    Args:
        name: ``"here"``; ``"ray"``: started on this machine; ``"ray:ADDRESS"``: a cluster that runs.
        workers: How many processes; by default one a GPU, or one a machine where there is none.
        gpus: GPUs of each worker; by default one where there are any. With several, ``device="map"`` spreads a model.
        threads: Threads of each worker; by default the cores of the machine, shared among its workers.

    Returns:
        What ``engine=`` takes. The same answers come of each; last bits depend on the kind of device and on threads.
    """
    return engine_named(name, workers=workers, gpus=gpus, threads=threads)


def named(given: str | Engine) -> Engine:
    """An engine by name or in hand."""
    if isinstance(given, str):
        return HERE if given == "here" else engine(given)
    return given
