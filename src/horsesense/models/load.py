"""Load any model by name: served, or in this process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horsesense.errors import UserError, argument, translate_errors
from horsesense.models.api.address import is_served
from horsesense.models.api.served_model import ServedModel, open_served
from horsesense.models.api.settings import ServedSettings
from horsesense.models.locate import plugin_model
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.settings import labelled

if TYPE_CHECKING:
    from horsesense.models.hf.language_model import LanguageModel
    from horsesense.models.protocol import Model


@translate_errors()
def load_model(
    model: str | Path | Any,
    tokenizer: Any = None,
    *,
    name: str | None = None,
    model_type: str | None = None,
    device: str = "auto",
    dtype: str = "float32",
    allow_pickle: bool = False,
    served: ServedSettings | None = None,
    progress: Progress = NO_PROGRESS,
) -> Model:
    """Load a model, or wrap a network that is in memory.

    Args:
        model: A bundled name (``"smollm2"``), a Hugging Face name (``"org/name@revision"``), a folder, a GGUF file, a
            server (``"openai:http://127.0.0.1:8000/v1#name"``), or ``"NAME:rest"`` of a plug-in, which chooses its own
            device and precision; any of them as ``"label=NAME"``. Or a network of transformers that is in memory, with
            its ``tokenizer``: it is used as it is and left unchanged, also in the middle of a training. Or any object
            with a method ``generate`` or ``loglikelihood``.
        tokenizer: Fast tokenizer of a network in memory.
        name: Name of a network in memory in results.
        model_type: Model type (``"causal"``, ``"masked"`` …), if its config or class does not determine it.
        device: Device of a model by name: ``"auto"``, ``"cpu"``, ``"cuda"`` …
        dtype: Precision of a model by name.
        allow_pickle: Accept pickled weights too, which may run code.
        served: Server settings.
        progress: Progress callback.

    Returns:
        The model, for `ask` and `score`.

    >>> load_model("smollm2", tokenizer=object())
    Traceback (most recent call last):
    horsesense.errors.UserError: a tokenizer is for a network in memory; leave it out, since 'smollm2' brings its own
    """
    if not isinstance(model, str | Path):
        from horsesense.models.api.adapters import is_plugin, wrap_plugin

        if tokenizer is None and is_plugin(model):
            return wrap_plugin(model, name or "", served)
        from horsesense.models.hf.trainable import MEMORY, borrow

        if tokenizer is None:
            raise UserError("a network in memory needs its tokenizer", fix="give it as the second argument")
        return borrow(model, tokenizer, name=name or MEMORY, model_type=model_type)
    if tokenizer is not None:
        raise UserError(
            "a tokenizer is for a network in memory", fix=f"leave it out, since {str(model)!r} brings its own"
        )
    if name is not None:
        raise UserError("a name is for a network in memory", fix="leave it out")
    label, found_by = labelled(str(model))
    if is_served(found_by):
        return replace(open_served(found_by, served, progress), name=label)
    foreign = plugin_model(found_by)
    if foreign is not None:
        return replace(foreign, name=label)
    from horsesense.models.hf import load as local

    if dtype == "auto":
        raise UserError(
            f"{argument('dtype', 'auto')} needs the items of a probe", fix="name float32, bfloat16 or float16"
        )
    loaded = local.load_model(found_by, model_type=model_type, device=device, dtype=dtype, allow_pickle=allow_pickle)
    return replace(loaded, name=label)


def open_local(name: str, why: str, *, device: str = "auto", dtype: str = "float32") -> LanguageModel:
    """Load a model in this process; ``why`` says what a served model cannot be used for."""
    from horsesense.models.hf.language_model import LanguageModel

    refuse_served(name, why)
    model = load_model(name, device=device, dtype=dtype)
    assert isinstance(model, LanguageModel)
    return model


def refuse_served(model: str | Model, why: str) -> None:
    """Refuse a served model where the weights themselves are needed: ``gradients need the weights``."""
    is_behind = is_served(labelled(model)[1]) if isinstance(model, str) else isinstance(model, ServedModel)
    if is_behind:
        name = model if isinstance(model, str) else model.name
        raise UserError(f"{name} is served, and {why}", fix="use a local model")
