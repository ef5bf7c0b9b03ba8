"""Blind audits: how many items of a probe are bad, estimated by an auditor who does not see the key and is measured.

- `steps`: the public functions: new, ask, second, apply.
- `seeded_errors`: errors added to the sample, to measure how many of them the auditor finds.
- `blind_audit`: the sample, the seeded errors and known good items, shuffled and without keys; the folder of an audit.
- `auditor_files`: the auditor's judgements, from lines, filled task files, platforms or a served study.
- `estimates`: shares of bad items before and after the key was shown, the auditor's errors, the corrected share.
- `model_auditor`: a language model as the auditor.
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
