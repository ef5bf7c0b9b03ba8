"""Somebody without a link, with another's link, with a forged form: refused each time. What is shown is escaped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import reading
from horsesense.annotate.database.judgement_log import standing_judgements
from horsesense.annotate.database.participants import invite
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotation_server.queue import revoke
from horsesense.core import Card, Item, Probe
from tests.support.judged_probes import triples
from tests.support.study_server import ADDRESS, annotator, browser, study_of

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ 7 * 7 }}"


@pytest.fixture
def served(tmp_path: Path) -> ServedStudy:
    return study_of(tmp_path / "s", triples(6), "partwhole")


def test_nobody_gets_in_without_a_link(served: ServedStudy) -> None:
    stranger = browser(served)
    for path in ("/", "/task", "/study", "/picture/a.png", "/in/guess"):
        assert stranger.open(path).status_code == 401, path
    for path in ("/task", "/undo", "/leave", "/check"):
        assert stranger.client.post(path, data={"form": "x", "lease": "x", "value": "0"}).status_code == 401, path
    assert standing_judgements(served) == []


def test_opening_a_link_uses_nothing_up(served: ServedStudy) -> None:
    (token,) = invite(served, ["ann"])
    assert len(token) * 6 >= 128
    for _ in range(3):
        preview = browser(served)
        assert preview.open(f"/in/{token}").status_code == 200
        assert not preview.client.cookies, "a look is not an entry"
    with reading(served.engine) as connection:
        assert connection.execute(select(tables.sessions)).all() == []
        kept = " ".join(
            str(value) for table in tables.metadata.sorted_tables for value in connection.execute(select(table))
        )
    assert token not in kept, "only a hash is kept"
    ann = browser(served)
    ann.link = f"/in/{token}"
    assert "Consider any box" in ann.enter().text


def test_a_cookie_is_hidden_from_scripts_and_bound_to_the_session(served: ServedStudy) -> None:
    (token,) = invite(served, ["ann"])
    ann = browser(served)
    ann.open(f"/in/{token}")
    entered = ann.client.post(f"/in/{token}", data={"form": ann.hidden("form")}, follow_redirects=False)
    said = entered.headers["set-cookie"].lower()
    assert "httponly" in said
    assert "samesite=lax" in said
    cookie = said.split("=", 1)[1].split(";")[0]
    assert cookie != token.lower()
    secure = browser(replace(served, study=replace(served.study, address="https://study.example")))
    secure.open(f"/in/{token}")
    entered = secure.client.post(f"/in/{token}", data={"form": secure.hidden("form")}, follow_redirects=False)
    assert "secure" in entered.headers["set-cookie"].lower()
    assert "max-age" in entered.headers["strict-transport-security"]


def test_a_revoked_link_ends_at_once(served: ServedStudy) -> None:
    ann, ben = annotator(served, "ann"), annotator(served, "ben")
    revoke(served, ["ann"])
    assert ann.open("/task").status_code == 401
    assert ann.open(ann.link).status_code == 401
    assert ben.open("/task").status_code == 200
    (token,) = invite(served, ["ann"], renew=True)
    assert ann.open(f"/in/{token}").status_code == 200
    (newer,) = invite(served, ["ann"], renew=True)
    assert ann.open(f"/in/{token}").status_code == 401
    assert ann.open(f"/in/{newer}").status_code == 200


def test_nobody_answers_for_another(served: ServedStudy) -> None:
    ann, ben = annotator(served, "ann"), annotator(served, "ben")
    hers = ann.hidden("lease")
    assert ben.answer(lease=hers, value="0").status_code == 403
    assert ben.open("/task").status_code == 200
    assert ben.answer(form=ann.hidden("form"), value="0").status_code == 403, "another's form"
    ben.open("/task")
    assert ben.answer(lease="made-up", value="0").status_code == 403
    assert standing_judgements(served) == []
    assert ann.answer(value="0").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_from_another_site_is_refused(served: ServedStudy, headers: dict[str, str]) -> None:
    ann = annotator(served, "ann")
    fields = {"form": ann.hidden("form"), "lease": ann.hidden("lease"), "value": "0"}
    assert ann.client.post("/task", data=fields, headers=headers).status_code == 403
    assert ann.client.post("/task", data=fields | {"form": ""}).status_code == 403
    assert ann.client.post("/task", data=fields | {"form": "0" * 40}).status_code == 403
    assert standing_judgements(served) == []
    own = {"Origin": ADDRESS, "Sec-Fetch-Site": "same-origin"}
    assert ann.client.post("/task", data=fields, headers=own).status_code == 200
    assert len(standing_judgements(served)) == 1


def test_a_request_with_two_lengths_is_refused(served: ServedStudy) -> None:
    ann = annotator(served, "ann")
    fields = {"form": ann.hidden("form"), "lease": ann.hidden("lease"), "value": "0"}
    refused = ann.client.post("/task", data=fields, headers={"Transfer-Encoding": "chunked", "Content-Length": "9"})
    assert refused.status_code == 400
    assert standing_judgements(served) == []


@pytest.mark.parametrize("value", ["", "7", "99", "-1", "probably", "0x1", "²", "1 ", "1\x00", "9" * 400])
def test_there_are_no_other_answers(served: ServedStudy, value: str) -> None:
    ann = annotator(served, "ann")
    refused = ann.answer(value=value)
    assert refused.status_code == 422
    assert 'role="alert"' in refused.text
    assert standing_judgements(served) == []


def test_the_same_answer_twice_is_one(served: ServedStudy) -> None:
    ann = annotator(served, "ann")
    fields = {"form": ann.hidden("form"), "lease": ann.hidden("lease"), "value": "3"}
    assert [ann.client.post("/task", data=fields).status_code for _ in range(3)] == [200] * 3
    assert len(standing_judgements(served)) == 1
    assert ann.client.post("/task", data=fields | {"value": "1"}).status_code == 409, "another answer is no repetition"
    assert [each.value for each in standing_judgements(served)] == ["probably"]


def test_a_reload_shows_the_same_task(served: ServedStudy) -> None:
    ann = annotator(served, "ann")
    first, question = ann.hidden("lease"), ann.question
    for _ in range(3):
        ann.open("/task")
        assert (ann.hidden("lease"), ann.question) == (first, question)
    other = browser(served)
    other.link = ann.link
    other.enter()
    assert other.hidden("lease") == first, "also in another browser"


def test_an_answer_taken_back_is_asked_again(served: ServedStudy) -> None:
    ann = annotator(served, "ann")
    question, old = ann.question, ann.hidden("lease")
    ann.answer(value="0")
    following = ann.question
    ann.undo()
    assert ann.question == question
    assert ann.client.post("/task", data={"form": ann.hidden("form"), "lease": old, "value": "1"}).status_code == 409
    ann.open("/task")
    ann.answer(value="4")
    assert ann.question == following
    assert [each.value for each in standing_judgements(served)] == ["guaranteed"]
    with reading(served.engine) as connection:
        assert connection.scalars(select(tables.judgements.c.value)).all() == ["impossible", "guaranteed"]


def evil_probe() -> Probe:
    items = [
        Item(probe="demo", form="choice", text=f"{EVIL} {k}?", options=(EVIL, f"b {EVIL}"), answer=0) for k in range(2)
    ]
    return Probe.of(items, Card(name="demo"))


def test_all_text_is_escaped(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", evil_probe(), "choice", per_item=2)
    pages = [annotator(served, name) for name in ("ann", "ben")]
    for place, somebody in enumerate(pages):
        for _ in range(2):
            texts = list(somebody.numbers())
            assert EVIL in texts, "shown as it is written"
            assert "<script>alert" not in somebody.page.text
            assert "<img" not in somebody.page.text
            somebody.answer(value=str(place))
    (token,) = invite(served, ["boss"], role="researcher")
    boss = browser(served)
    boss.link = f"/in/{token}"
    boss.enter()
    assert boss.page.status_code == 200
    assert "alert(1)" in boss.page.text
    assert "<script>alert" not in boss.page.text
    shown = pages[0].client.get(f"/in/{EVIL}")
    assert "<script>alert" not in shown.text


def test_roles(served: ServedStudy) -> None:
    ann = annotator(served, "ann")
    assert ann.open("/study").status_code == 403
    (token,) = invite(served, ["boss"], role="researcher")
    boss = browser(served)
    boss.link = f"/in/{token}"
    assert "Agreement so far" in boss.enter().text
    assert boss.open("/task").status_code == 403
    assert boss.client.post("/task", data={"form": "", "lease": "", "value": "0"}).status_code == 403
