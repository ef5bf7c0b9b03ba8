"""Opening a served model: the server is asked what it has, and what it says is the model's identity."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from horsesense.errors import UserError, unknown
from horsesense.models.api.address import parse_address
from horsesense.models.api.client import Client
from horsesense.models.api.served_model import ServedModel
from horsesense.models.api.settings import ServedSettings
from horsesense.models.protocol import Identity
from horsesense.progress import NO_PROGRESS, Progress

_VOLATILE = {"created", "permission", "object"}
"""What a server says of itself that is another after it was started again."""


def open_served(name: str, settings: ServedSettings | None = None, progress: Progress = NO_PROGRESS) -> ServedModel:
    """The model that ``openai:URL#name`` means; the server is asked what it has, and the progress told of waits."""
    address, how = parse_address(name), settings or ServedSettings()
    how.check()
    client: Client[Any] = Client(address, how, progress=progress)
    listed = (client.get("/models") or {}).get("data")
    entries = {str(each.get("id")): each for each in listed or [] if isinstance(each, dict)}
    model = address.model
    if not model:
        if len(entries) != 1:
            known = f"it has {', '.join(sorted(entries))}" if entries else "it does not list any"
            raise UserError(f"{address.url} has more than one model or none", fix=f"add #name to the address; {known}")
        model = next(iter(entries))
    if entries and model not in entries:
        raise unknown(f"model at {address.url}", model, entries)
    said = {key: value for key, value in entries.get(model, {}).items() if key not in _VOLATILE}
    reported = {"url": address.url, "model": model, **said}
    content = hashlib.sha256(json.dumps(reported, sort_keys=True, default=str).encode()).hexdigest()
    client.identity = content
    return ServedModel(name, model, client, Identity("server", content, reported))
