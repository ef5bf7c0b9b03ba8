"""People from a crowd: links for many, Prolific's signed token, completion codes, and MTurk's tables."""

from __future__ import annotations

import base64
import csv
import hashlib
import hmac
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from horsesense.annotate.database.judgement_log import standing_judgements
from horsesense.annotate.database.participants import all_people
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotate.study import CrowdPlatform
from horsesense.annotation_server.links_and_sessions import (
    CROWDS,
    TokenError,
    checked_claims,
    end_joins,
    new_join,
    read_keys,
)
from horsesense.core import write_probe
from horsesense.errors import UserError
from tests.support.judged_probes import choices, schemas, triples
from tests.support.study_commands import document, run
from tests.support.study_server import ADDRESS, browser, study_of

# A key of the tests' own. The token was signed with it by OpenSSL, which is an independent hand.
MODULUS = int(
    "cd9dbf38300e93acc70113ef356cf287c96953869360719b8d9be0152697a52659e80cf135074292311c96a582d9e00f82bf"
    "5e18474c059ab07fd5275667ef388e727e8a55f5edd9a253d37ff61c50c895625a15b53c0f23f6bfb1b2a4490d56346c2bb9"
    "4be7731d111630fa876241957ba84da108f9455358303b0e28186849f754d59c45acc4bf0a5c0b95a58130d2eecca477b74a"
    "dbbca2d13acb4c553c1040ea01060d14cc9dfd20a67a0ba37b08196af8504a0dc13a88df33fe63c8fa147295ff22c0b78ef3"
    "82f11cc27b73a7cd822c07c5be82c6915a7970caea1652589b562af539bc4d23fd62f2cc7d08cc7002eedbbe01101c668ee0"
    "0fcde692b0d1",
    16,
)
SECRET = int(
    "4db5104f6bda167575c0328874e877c0599e34b2e77fcb6fbe54ea9b13babbef828af059387145f77a1813d6f95cde10fe98"
    "d436d8bb226313d13bfd61ea65be3a178b3b3cc174e28b36a2f7f94b3a3c943857535ceb15cdc1b330b512e188e8cb67161f"
    "31508770b4c46e3e406c21dd1c9ebeb7dd6c5786e80d52444762f206548ab0c145b0a8a04d3f2f97478efac9b5f34a4d9ab8"
    "b3f979e2736cede044d300730b8e40f65b73efdd15360273f18cb96ead22eb71150f4448731f6aabe4140c4a663657423019"
    "e544341a4b4a51792316d1503658980075764bc412598e684947588f42abc4d1f71d7e2ebae47c181e2d27edc1a59b1250ab"
    "040dec3ea701",
    16,
)
TOKEN = (
    "eyJhbGciOiAiUlMyNTYiLCAia2lkIjogIm9uZSIsICJ0eXAiOiAiSldUIn0.eyJhdWQiOiAiaHR0cDovLzEyNy4wLjAuMTo4MDAw"
    "IiwgImV4cCI6IDQwMDAwMDAwMDAsICJwcm9saWZpYyI6IHsiUFJPTElGSUNfUElEIjogImFiYyIsICJTVFVEWV9JRCI6ICJzMSIs"
    "ICJTRVNTSU9OX0lEIjogIngxIn19.Ao5IA7mXUYL2xPOUfPIRQUWEtHs9-"
    "auXYUVPb4GyRcJ8IC7i_YHK37tL0MqgFE0kMlShMl3PafPKxm50XUxZUvO0bDRfL7hWQ0iEfhcEZdeHJm6DRCebwh3GX62khiufV"
    "sd73jefe--"
    "xeIPMuFPA7xnik7h9PBRcZl-4Z501DswSHYwS0uO61c5imiYWSBIvHtFFF03XDvQAV4j38823948KfcqArqgzILaF3-sjMucN-NV"
    "3B_3qZPp3fyC9QpxE6nYXtIrqIz32YlNRATEEvxmuguFKrLKwpRb8a5Eh1qqPx_mrV3je0oWgQ05eqN99j0OIdMWiyGuzNMkiyNn"
    "B8Q"
)
NOW = 1_800_000_000.0


def coded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(claims: dict[str, Any], **head: str) -> str:
    """A token signed by the tests' key (RFC 8017, 8.2.1)."""
    parts = ({"alg": "RS256", "kid": "one"} | head, claims)
    message = ".".join(coded(json.dumps(part).encode()) for part in parts)
    digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(message.encode()).digest()
    block = b"\x00\x01" + b"\xff" * (256 - 3 - len(digest)) + b"\x00" + digest
    return f"{message}.{coded(pow(int.from_bytes(block, 'big'), SECRET, MODULUS).to_bytes(256, 'big'))}"


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    path = tmp_path / "jwks.json"
    key = {"kty": "RSA", "kid": "one", "n": coded(MODULUS.to_bytes(256, "big")), "e": "AQAB", "alg": "RS256"}
    path.write_text(json.dumps({"keys": [key, {"kty": "EC", "kid": "other"}]}))
    return path


def test_a_token_signed_by_another_program_is_read(keys: Path) -> None:
    claims = checked_claims(TOKEN, read_keys(keys), ADDRESS, NOW)
    assert claims["prolific"]["PROLIFIC_PID"] == "abc"


CLAIMS = {"aud": ADDRESS, "exp": NOW + 60, "prolific": {"PROLIFIC_PID": "abc", "STUDY_ID": "s1", "SESSION_ID": "x1"}}


@pytest.mark.parametrize(
    ("token", "why"),
    [
        ("", "three parts"),
        ("a.b.c", "not"),
        (signed(CLAIMS, alg="none"), "not signed by RS256"),
        (signed(CLAIMS, alg="HS256"), "not signed by RS256"),
        (signed(CLAIMS, kid="other"), "key is not known"),
        (signed(CLAIMS | {"exp": NOW - 1}), "too old"),
        (signed({"aud": ADDRESS}), "too old"),
        (signed(CLAIMS | {"aud": "https://elsewhere.example"}), "meant for another"),
        (signed(CLAIMS)[:-8] + "AAAAAAAA", "signature is wrong"),
        (signed(CLAIMS)[:-4], "signature has the wrong length"),
        (signed(CLAIMS).replace(".", ".A", 1), "not"),
        (TOKEN.rpartition(".")[0] + "." + signed(CLAIMS).rpartition(".")[2], "signature is wrong"),
    ],
)
def test_bad_tokens(token: str, why: str, keys: Path) -> None:
    with pytest.raises(TokenError, match=why):
        checked_claims(token, read_keys(keys), ADDRESS, NOW)


def test_a_token_signed_with_the_public_key_as_a_password_is_refused(keys: Path) -> None:
    """The known confusion: what everybody may read is taken for a shared secret."""
    public = read_keys(keys)["one"].public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    message = ".".join(coded(json.dumps(part).encode()) for part in ({"alg": "HS256", "kid": "one"}, CLAIMS))
    token = f"{message}.{coded(hmac.digest(public, message.encode(), 'sha256'))}"
    with pytest.raises(TokenError, match="not signed by RS256"):
        checked_claims(token, read_keys(keys), ADDRESS, NOW)


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"exp": NOW + 60}, "meant for another"),
        (CLAIMS | {"aud": []}, "meant for another"),
        (CLAIMS | {"exp": str(NOW + 60)}, "from when to when"),
        (CLAIMS | {"nbf": NOW + 61}, "not good yet"),
    ],
)
def test_claims_that_are_signed_and_still_refused(claims: dict[str, Any], why: str, keys: Path) -> None:
    with pytest.raises(TokenError, match=why):
        checked_claims(signed(claims), read_keys(keys), ADDRESS, NOW)


def test_the_clock_of_the_study_counts_and_a_list_of_addresses_may_name_it(keys: Path) -> None:
    for claims in (
        CLAIMS | {"aud": ["https://elsewhere.example", ADDRESS]},
        CLAIMS | {"nbf": NOW + 59, "iat": NOW + 59},
    ):
        assert checked_claims(signed(claims), read_keys(keys), ADDRESS, NOW) == claims
    long_ago = CLAIMS | {"exp": 1000}
    assert checked_claims(signed(long_ago), read_keys(keys), ADDRESS, 999) == long_ago


def test_one_weak_key_spoils_the_file(keys: Path) -> None:
    listed = json.loads(keys.read_text())["keys"]
    weak = {"kty": "RSA", "kid": "weak", "n": coded(((1 << 1023) + 1).to_bytes(128, "big")), "e": "AQAB"}
    keys.write_text(json.dumps({"keys": [*listed, weak]}))
    with pytest.raises(UserError, match="no RSA key of 2048 bits"):
        read_keys(keys)


@pytest.mark.parametrize(
    "text", ["", "{}", '{"keys": []}', '{"keys": [{"kty": "RSA", "kid": "a", "n": "AQAB", "e": "AQAB"}]}']
)
def test_bad_keys(text: str, tmp_path: Path) -> None:
    (tmp_path / "k.json").write_text(text)
    with pytest.raises(UserError):
        read_keys(tmp_path / "k.json")


@pytest.fixture
def prolific(tmp_path: Path, keys: Path) -> ServedStudy:
    served = study_of(tmp_path / "s", choices(2), "choice", per_item=1, max_items=1)
    (tmp_path / "s" / "jwks.json").write_text(keys.read_text())
    crowd = CrowdPlatform(code="C0DE", link="https://app.prolific.com/submissions/complete?cc=C0DE", keys="jwks.json")
    return replace(served, study=replace(served.study, crowd=crowd))


def come(served: ServedStudy, link: str, **given: str) -> Any:
    somebody = browser(served)
    somebody.open(link + "?" + "&".join(f"{name}={value}" for name, value in given.items()))
    fields = {"form": somebody.hidden("form")} | {name: somebody.hidden(name) for name in given}
    somebody.page = somebody.client.post(link, data=fields)
    return somebody


IDS = {"PROLIFIC_PID": "abc", "STUDY_ID": "s1", "SESSION_ID": "x1"}


def test_prolific(prolific: ServedStudy) -> None:
    link = f"/join/{new_join(prolific, 'prolific', 2)}"
    for _ in range(2):
        worker = come(prolific, link, **IDS, prolific_token=TOKEN)
        assert worker.page.status_code == 200, "also a second time: the platform proves who it is"
        assert "Thing" in worker.page.text
    assert [person.name for person in all_people(prolific)] == ["prolific:abc"]
    done = worker.answer(value="0")
    assert "C0DE" in done.text
    assert 'href="https://app.prolific.com/submissions/complete?cc=C0DE"' in done.text
    assert standing_judgements(prolific)[0].annotator == prolific.code("prolific:abc")


@pytest.mark.parametrize(
    "change", [{"PROLIFIC_PID": "eve"}, {"STUDY_ID": "s2"}, {"SESSION_ID": "y"}, {"prolific_token": "x"}]
)
def test_prolific_refuses_what_is_not_signed(prolific: ServedStudy, change: dict[str, str]) -> None:
    link = f"/join/{new_join(prolific, 'prolific', 2)}"
    given = {**IDS, "prolific_token": TOKEN} | change
    assert come(prolific, link, **given).page.status_code == 403
    assert come(prolific, link, **IDS).page.status_code == 403, "nor what has no token"
    assert all_people(prolific) == []


@pytest.mark.parametrize("crowd", ["mturk", "open"])
def test_a_token_of_prolific_proves_no_name_elsewhere(prolific: ServedStudy, crowd: str) -> None:
    """Somebody with a good token of their own must not get into another's account."""
    link = f"/join/{new_join(prolific, crowd, 2)}"
    victim = browser(prolific)
    victim.open(link)
    assert victim.client.post(link, data={"form": victim.hidden("form"), CROWDS[crowd]: "ann"}).status_code == 200
    thief = browser(prolific)
    thief.open(link)
    given = {"PROLIFIC_PID": "abc", "STUDY_ID": "s1", "SESSION_ID": "x1", "prolific_token": signed(CLAIMS)}
    fields = {"form": thief.hidden("form"), CROWDS[crowd]: "ann", **given}
    assert thief.client.post(link, data=fields).status_code == 409
    assert thief.open("/task").status_code == 401


def test_mturk_by_link_and_code(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", choices(3), "choice", max_items=1)
    link = f"/join/{new_join(served, 'mturk', 2)}"
    codes = set()
    for name in ("A1", "A2"):
        worker = come(served, link, workerId=name)
        assert "/in/" in worker.page.text, "a personal link to come back by"
        worker.open("/task")
        codes.add(worker.answer(value="0").text.partition('class="code">')[2].partition("<")[0])
    assert len(codes) == 2, "each has a code of their own"
    told = document("codes", tmp_path / "s")
    assert {each["completion"] for each in told["people"]} == codes
    assert come(served, link, workerId="A1").page.status_code == 409, "a name alone does not let anybody back in"
    assert come(served, link, workerId="A3").page.status_code == 409, "two is all"
    assert come(served, link, workerId="<b>").page.status_code in (409, 422)
    assert len(all_people(served)) == 2
    assert end_joins(served) == 1
    assert come(served, link, workerId="A4").page.status_code in (401, 403)


@pytest.mark.parametrize("crowd", CROWDS)
@pytest.mark.parametrize("name", ["", "   ", "\t\n", "\u3000", "\u200b"])
def test_nobody_comes_in_without_a_name(tmp_path: Path, crowd: str, name: str) -> None:
    served = study_of(tmp_path / "s", choices(1), "choice")
    token = new_join(served, crowd, 1)
    somebody = browser(served)
    somebody.open(f"/join/{token}")
    fields = {"form": somebody.hidden("form"), CROWDS[crowd]: name}
    refused = somebody.client.post(f"/join/{token}", data=fields)
    assert (refused.status_code, "set-cookie" in refused.headers) == (422, False)
    assert all_people(served) == []
    come_in = somebody.client.post(f"/join/{token}", data=fields | {CROWDS[crowd]: "ann"})
    assert come_in.status_code == 200, "the one place is still there"


def test_prolific_refuses_a_token_that_names_nobody(prolific: ServedStudy) -> None:
    link = f"/join/{new_join(prolific, 'prolific', 1)}"
    token = signed({"aud": ADDRESS, "exp": NOW + 60})
    somebody = browser(prolific)
    somebody.open(link)
    fields = {"form": somebody.hidden("form"), "prolific_token": token}
    assert somebody.client.post(link, data=fields).status_code == 422
    assert all_people(prolific) == []


def test_links_of_crowds(tmp_path: Path) -> None:
    study_of(tmp_path / "s", choices(1), "choice").engine.dispose()
    (row,) = document("invite", tmp_path / "s", "--crowd", "prolific", "--most", "5")["people"]
    assert row["link"].endswith("PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}")
    assert document("revoke", tmp_path / "s", "--crowd")["state"] == "revoked"
    for words in (
        ["invite", tmp_path / "s"],
        ["invite", tmp_path / "s", "a", "--crowd", "open"],
        ["revoke", tmp_path / "s"],
    ):
        assert run(*words)[0] == 2
    code, _, err = run("invite", tmp_path / "s", "--crowd", "mechanical")
    assert (code, "'mechanical'" in err and "prolific" in err) == (2, True)


@pytest.mark.parametrize(
    ("instrument", "answers", "values"),
    [
        ("choice", {"Answer.value": "B"}, ["cold0", "cold1"]),
        ("partwhole", {"Answer.value": "nonsense", "Answer.reason": "word"}, ["nonsense", "nonsense"]),
        (
            "schema",
            {"Answer.synonym-generic": "no", "Answer.synonym-exception": "yes"}
            | {"Answer.ambiguous-generic": "no", "Answer.ambiguous-exception": "no"},
            ["synonym-exception", "synonym-exception"],
        ),
    ],
)
def test_mturk_tables(tmp_path: Path, instrument: str, answers: dict[str, str], values: list[str]) -> None:
    """The inputs of a batch and its HTML out; a table of results in the platform's shape back."""
    probe = tmp_path / "p.jsonl"
    write_probe(probe, {"choice": choices, "partwhole": triples, "schema": schemas}[instrument](2))
    out = tmp_path / "batch.csv"
    made = document("new", probe, "--instrument", instrument, "-o", out, "--format", "mturk")
    page = Path(made["files"][1]).read_text()
    with out.open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    for name in answers:
        assert f'name="{name.removeprefix("Answer.")}"' in page
    results = tmp_path / "results.csv"
    with results.open("w", newline="") as handle:
        inputs = [f"Input.{name}" for name in rows[0]]
        writer = csv.DictWriter(handle, ["HITId", "AssignmentStatus", "WorkerId", *inputs, *answers])
        writer.writeheader()
        for row in rows:
            given = {f"Input.{name}": value for name, value in row.items()} | answers
            writer.writerow(given | {"HITId": "h", "AssignmentStatus": "Approved", "WorkerId": "A1"})
            writer.writerow(given | {"HITId": "h", "AssignmentStatus": "Rejected", "WorkerId": "A2"})
    found = document("collect", results, "-p", probe, "-o", tmp_path / "j.csv")
    assert (found["judgements"], found["people"], found["unanswered"]) == (2, 1, 2)
    with (tmp_path / "j.csv").open(newline="") as handle:
        assert [row["value"] for row in csv.DictReader(handle)] == values
