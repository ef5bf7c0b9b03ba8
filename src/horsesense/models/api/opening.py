"""Open a served model: what the server reports is the model's identity."""

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
"""Reported fields that change when a server restarts."""


def open_served(name: str, settings: ServedSettings | None = None, progress: Progress = NO_PROGRESS) -> ServedModel:
    """Open the model that ``openai:URL#name`` means; the progress callback reports waits."""
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
