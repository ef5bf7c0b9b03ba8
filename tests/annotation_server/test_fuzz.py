"""Made-up requests of every shape: the server refuses them, and never fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.generation import GenerationMode

from horsesense.annotate.database.participants import invite
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotation_server.app import create_app
from horsesense.annotation_server.links_and_sessions import new_join
from tests.support.judged_probes import choices
from tests.support.study_server import annotator, study_of

FEW = settings(
    max_examples=5, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck), database=None
)


def described(served: ServedStudy) -> dict[str, Any]:
    """The app's own description, with the fields that its forms have."""
    app = create_app(served)
    found = app.openapi()
    texts = {name: {"type": "string"} for name in ("form", "lease", "value", "reason", "first", "second", "workerId")}
    body = {"application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": texts}}}
    for operations in found["paths"].values():
        if "post" in operations:
            operations["post"]["requestBody"] = {"content": body}
    return found


@pytest.fixture
def served(tmp_path: Path) -> ServedStudy:
    return study_of(tmp_path / "s", choices(50), "choice")


@pytest.mark.parametrize("known", [False, True], ids=["a stranger", "somebody who is in"])
def test_no_request_makes_the_server_fail(served: ServedStudy, known: bool) -> None:
    schema = schemathesis.openapi.from_dict(described(served))
    schema.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
    (token,) = invite(served, ["ann"])
    join = new_join(served, "mturk", 5)
    somebody = annotator(served, "ben")
    client = somebody.client
    if not known:
        client.cookies.clear()
    seen: set[int] = set()
    results: list[Any] = list(schema.get_all_operations())
    operations = [result.ok() for result in results]
    assert len(operations) >= 12
    for operation in operations:

        @FEW
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            path = case.formatted_path
            if known and case.path.startswith(("/in/", "/join/")):
                path = f"/in/{token}" if case.path.startswith("/in/") else f"/join/{join}"
            body = case.body if isinstance(case.body, dict) else {}
            fields = {str(k): str(v).encode("utf-8", "replace").decode() for k, v in body.items()}
            if known:
                fields["form"] = somebody.hidden("form")
                fields.setdefault("lease", somebody.hidden("lease"))
            try:
                found = client.request(
                    case.method,
                    path,
                    params={str(k): str(v).encode("utf-8", "replace").decode() for k, v in (case.query or {}).items()},
                    data=fields if case.method == "POST" else None,
                    follow_redirects=False,
                )
            except (UnicodeError, ValueError):
                return  # what no client could send
            seen.add(found.status_code)
            assert found.status_code < 500

        ask()
    assert seen & {401, 403, 404, 422}
