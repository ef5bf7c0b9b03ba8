"""Blind audits: how many items of a probe are bad, estimated by an auditor who does not see the key and is measured.

- `steps`: the public functions new, ask, second and apply; the files of an auditor, or a language model as one.
- `blind_audit`: the sample, seeded errors and known good items, shuffled and without keys; the folder of an audit.
- `estimates`: shares of bad items before and after the key was shown, the auditor's errors, the corrected share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.registry import lazy_attributes, typed_names

if TYPE_CHECKING:
    from horsesense.annotate.audit.steps import apply as apply
    from horsesense.annotate.audit.steps import ask as ask
    from horsesense.annotate.audit.steps import new as new
    from horsesense.annotate.audit.steps import second as second

_PUBLIC = typed_names(__file__)
__all__ = [*_PUBLIC]
__getattr__, __dir__ = lazy_attributes(__name__, _PUBLIC)
