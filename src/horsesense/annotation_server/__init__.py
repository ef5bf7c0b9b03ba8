"""The annotation server: one study, a queue of leases, an append-only log of judgements, and the pages.

Only the command line imports it. The database of a study is `horsesense.annotate.database`.

- `administration`: the public functions (serve, invite, pause …).
- `app`: the web app; `request_checks`: what every request passes, and limits of connections.
- `entrance_pages`, `annotator_pages`, `researcher_pages`: the routes, with their forms and tables.
- `links_and_sessions`: links and cookies, and signed tokens of a platform.
- `answering`: store an answer; `queue`: who judges what next, and people who leave.
- `study_progress`: progress, for researchers; `staged_app`: studies served one after the other.

The public functions are attributes of this module, and are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.registry import lazy_attributes, typed_names

if TYPE_CHECKING:
    from horsesense.annotation_server.administration import codes as codes
    from horsesense.annotation_server.administration import invite as invite
    from horsesense.annotation_server.administration import pause as pause
    from horsesense.annotation_server.administration import resume as resume
    from horsesense.annotation_server.administration import revoke as revoke
    from horsesense.annotation_server.administration import serve as serve
    from horsesense.annotation_server.administration import serve_pipeline as serve_pipeline
    from horsesense.annotation_server.administration import withdraw as withdraw

_PUBLIC = typed_names(__file__)
__all__ = [*_PUBLIC]
__getattr__, __dir__ = lazy_attributes(__name__, _PUBLIC)
