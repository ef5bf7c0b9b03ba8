"""Blind audits: how many items of a probe are bad, estimated by an auditor who does not see the key and is measured.

- `steps`: the public functions new, ask, second and apply; the files of an auditor, or a language model as one.
- `blind_audit`: the sample, seeded errors and known good items, shuffled and without keys; the folder of an audit.
- `estimates`: shares of bad items before and after the key was shown, the auditor's errors, the corrected share.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from horsesense.annotate.audit.steps import apply as apply
    from horsesense.annotate.audit.steps import ask as ask
    from horsesense.annotate.audit.steps import new as new
    from horsesense.annotate.audit.steps import second as second

__all__ = ["apply", "ask", "new", "second"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("horsesense.annotate.audit.steps"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
