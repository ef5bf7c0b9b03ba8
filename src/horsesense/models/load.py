"""Open any model by name: served, or loaded in this process."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from horsesense.errors import UserError, argument
from horsesense.models.api.address import is_served
from horsesense.models.api.served_model import ServedModel, open_served
from horsesense.models.api.settings import ServedSettings
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.settings import labelled

if TYPE_CHECKING:
    from horsesense.models.hf.language_model import LanguageModel
    from horsesense.models.protocol import Model


def open_model(
    name: str,
    *,
    family: str | None = None,
    device: str = "auto",
    dtype: str = "float32",
    allow_pickle: bool = False,
    served: ServedSettings | None = None,
    progress: Progress = NO_PROGRESS,
) -> Model:
    """Open the model that ``-m`` means; ``label=NAME`` gives it a label."""
    label, found_by = labelled(name)
    if is_served(found_by):
        return replace(open_served(found_by, served, progress), name=label)
    from horsesense.models.hf.load import load_model

    if dtype == "auto":
        raise UserError(
            f"{argument('dtype', 'auto')} needs the items of a probe", fix="name float32, bfloat16 or float16"
        )
    model = load_model(found_by, family=family, device=device, dtype=dtype, allow_pickle=allow_pickle)
    return replace(model, name=label)


def open_local(name: str, why: str, *, device: str = "auto", dtype: str = "float32") -> LanguageModel:
    """Load a model in this process; ``why`` says what a served model cannot be used for."""
    from horsesense.models.hf.language_model import LanguageModel

    refuse_served(name, why)
    model = open_model(name, device=device, dtype=dtype)
    assert isinstance(model, LanguageModel)
    return model


def refuse_served(model: str | Model, why: str) -> None:
    """Refuse a served model where the weights themselves are needed: ``gradients need the weights``."""
    is_behind = is_served(labelled(model)[1]) if isinstance(model, str) else isinstance(model, ServedModel)
    if is_behind:
        name = model if isinstance(model, str) else model.name
        raise UserError(f"{name} is served, and {why}", fix="use a local model")
