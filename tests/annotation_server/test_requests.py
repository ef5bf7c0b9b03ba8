"""Headers of every page, strange and large requests, limits, and what is written into logs."""

from __future__ import annotations

import logging
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from horsesense.annotate.database.judgement_log import standing_judgements
from horsesense.annotate.database.participants import invite
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotation_server import request_checks
from horsesense.annotation_server.request_checks import MOST_BYTES, RateLimit
from tests.support.judged_probes import choices, triples
from tests.support.study_server import ADDRESS, Somebody, annotator, browser, study_of


@pytest.fixture
def served(tmp_path: Path) -> ServedStudy:
    return study_of(tmp_path / "s", triples(6), "partwhole")


def every_page(served: ServedStudy) -> list[Any]:
    ann = annotator(served, "ann")
    found = [
        ann.page,
        ann.open(ann.link),
        ann.open("/nowhere"),
        ann.open("/static/style.css"),
        ann.open("/static/task.js"),
    ]
    found += [ann.open("/static/../app.py"), ann.open("/health"), ann.client.put("/task")]
    return [*found, browser(served).open("/task")]


def test_headers_of_every_page(served: ServedStudy) -> None:
    for page in every_page(served):
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["referrer-policy"] == "same-origin"
        assert "server" not in page.headers
        if page.headers["content-type"].startswith("text/html"):
            assert page.headers["cache-control"] == "no-store"


def test_no_page_asks_anything_of_another_site(served: ServedStudy) -> None:
    for page in every_page(served):
        for address in re.findall(r"(?:src|href|action|url)\s*[=(]\s*[\"']?([^\"')\s>]+)", page.text):
            assert address.startswith("/"), address
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert browser(served).open(path).status_code == 404


def test_another_name_is_not_answered(served: ServedStudy) -> None:
    ann = annotator(served, "ann")
    assert ann.client.get("/task", headers={"Host": "evil.example"}).status_code == 400
    assert ann.client.get("/task", headers={"Host": "localhost:9"}).status_code == 200


def test_large_and_strange_bodies(served: ServedStudy) -> None:
    ann = annotator(served, "ann")
    assert ann.client.post("/task", content=b"a" * (MOST_BYTES + 1)).status_code == 413
    parts = (b"a" * 1000 for _ in range(MOST_BYTES // 1000 + 2))
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert ann.client.post("/task", content=parts, headers=form).status_code == 413, "also when its length is not told"
    assert ann.client.post("/task", json={"value": "0"}).status_code == 415
    assert ann.client.post("/task", files={"value": b"0"}).status_code == 415
    assert ann.client.post("/task", content=b"a=%ff&\xff", headers=form).status_code == 422
    assert ann.client.post("/task", content="&".join(f"f{k}=1" for k in range(99)), headers=form).status_code == 422


@pytest.fixture
def no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits do not fill again, however slow the machine is."""
    monkeypatch.setattr(request_checks, "RateLimit", partial(RateLimit, clock=lambda: 0.0))


@pytest.mark.usefixtures("no_time_passes")
def test_guessing_is_slowed_down_and_good_links_still_work(served: ServedStudy) -> None:
    (token,) = invite(served, ["ann"])
    guesser = browser(served)
    statuses = [guesser.open(f"/in/guess{k}").status_code for k in range(40)]
    assert statuses[0] == 401
    assert statuses[-1] == 429
    assert guesser.page.headers["retry-after"]
    guesser.link = f"/in/{token}"
    assert guesser.enter().status_code == 200


@pytest.mark.usefixtures("no_time_passes")
def test_a_person_who_hammers_is_slowed_down(served: ServedStudy) -> None:
    ann, ben = annotator(served, "ann"), annotator(served, "ben")
    assert [ann.open("/study").status_code for _ in range(110)][-1] == 429
    assert ben.open("/task").status_code == 200


def test_codes_are_salted(tmp_path: Path) -> None:
    one, other = (study_of(tmp_path / name, choices(1), "choice") for name in "ab")
    assert one.code("ann") != other.code("ann")
    assert "ann" not in one.code("ann")
    ann = annotator(one, "ann")
    ann.answer(value="0")
    assert [each.annotator for each in standing_judgements(one)] == [one.code("ann")]


def test_a_failure_writes_no_secret_into_the_log(
    served: ServedStudy, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fastapi.testclient import TestClient

    from horsesense.annotation_server import entrance_pages as door
    from horsesense.annotation_server.app import create_app

    def broken(*_: object) -> None:
        with served.engine.connect() as connection:
            connection.exec_driver_sql("SELECT nothing FROM nowhere")

    monkeypatch.setattr(door, "who_holds", broken)
    # Another test of this process may have logged the same message within the last minute.
    monkeypatch.setattr(logging.getLogger("horsesense.annotate"), "filters", [])
    (token,) = invite(served, ["ann"])
    somebody = Somebody(TestClient(create_app(served), base_url=ADDRESS, raise_server_exceptions=False))
    with caplog.at_level(logging.DEBUG):
        page = somebody.open(f"/in/{token}")
    assert page.status_code == 500
    assert "nowhere" not in page.text
    ours = [record for record in caplog.records if record.name.startswith("horsesense")]
    assert len(ours) == 1
    assert token not in "\n".join(record.getMessage() + str(record.exc_text) for record in ours)
