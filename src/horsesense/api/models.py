"""Who answers, and where: a model by name, by folder or in memory; this process, or workers of Ray."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from horsesense.errors import UserError, translate_errors
from horsesense.runs.engine import Engine, engine_named

if TYPE_CHECKING:
    from horsesense.models.api.settings import ServedSettings
    from horsesense.models.protocol import Model


@translate_errors()
def load_model(
    model: str | Path | Any,
    tokenizer: Any = None,
    *,
    name: str | None = None,
    family: str | None = None,
    device: str = "auto",
    dtype: str = "float32",
    allow_pickle: bool = False,
    served: ServedSettings | None = None,
) -> Model:
    """A model that can be asked.

    Args:
        model: A bundled name (``"smollm2"``), a name on the hub (``"org/name@revision"``), a folder, a GGUF file, a
            server (``"openai:http://127.0.0.1:8000/v1#name"``), or ``"NAME:rest"`` of a plug-in, which decides by
            itself where and in what it computes; any of them as ``"label=NAME"``. Or a network of transformers that is
            in memory, with its ``tokenizer``. Such a network is asked as it is and left as it was, also in the middle
            of a training.
        tokenizer: Of a network in memory; a fast one.
        name: What a network in memory is called in results.
        family: How it is asked (``"causal"``, ``"masked"`` …), where its config or class does not tell.
        device: Where a model by name is put: ``"auto"``, ``"cpu"``, ``"cuda"`` …
        dtype: What the layers of a model by name compute in.
        allow_pickle: Take pickled weights too, which may run code.
        served: How a server is asked.

    Returns:
        The model, for `ask` and `score`.

    >>> load_model("smollm2", tokenizer=object())
    Traceback (most recent call last):
    horsesense.errors.UserError: a tokenizer is for a network in memory; leave it out, since 'smollm2' brings its own
    """
    if isinstance(model, str | Path):
        from horsesense.models.load import open_model

        if tokenizer is not None:
            raise UserError(
                "a tokenizer is for a network in memory", fix=f"leave it out, since {str(model)!r} brings its own"
            )
        if name is not None:
            raise UserError("a name is for a network in memory", fix="leave it out")
        where: dict[str, Any] = {"device": device, "dtype": dtype, "allow_pickle": allow_pickle}
        return open_model(str(model), family=family, served=served, **where)
    from horsesense.models.hf.in_memory import MEMORY, borrow

    if tokenizer is None:
        raise UserError("a network in memory needs its tokenizer", fix="give it as the second argument")
    return borrow(model, tokenizer, name=name or MEMORY, family=family)


@translate_errors()
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
