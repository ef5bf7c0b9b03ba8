"""Every provider behind a server that answers with anything else: one sentence, exit code 2, and no key in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from horsesense.core import write_probe
from tests.models.api.test_providers import NAMES, PROBE, VERSIONS, named
from tests.support.api_styles import knowing
from tests.support.calling import caller
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]
KEY = "sk-very-secret-key"
ELSEWHERE = "http://evil.example"
Answer = tuple[int, dict[str, str], bytes]
HOSTILE: dict[str, tuple[Answer | str, str]] = {
    "HTML": ((200, {"Content-Type": "text/html"}, b"<html>please log in</html>"), "HTML and not JSON"),
    "invalid UTF-8": ((200, {}, b'{"choices": ["\xff\xfe"]}'), "not UTF-8"),
    "100 MB": ((200, {}, b'{"choices": "' + bytes(100 * 2**20)), "more than 32 MB"),
    "redirect": ((307, {"Location": f"{ELSEWHERE}/steal"}, b""), f"redirects to {ELSEWHERE}"),
    "endless": ("trickles", "no answer in 0.3 s"),
    "repeats the key": ((400, {}, b'{"error": {"message": "bad: ' + KEY.encode() + b'"}}'), "bad: ***"),
    "repeats the key in escapes": (
        (400, {}, b'{"error": {"message": "bad: ' + KEY.replace("-", "\\u002d").encode() + b'"}}'),
        "bad: ***",
    ),
}
STYLES = ["openai", "gpt-5-pro", "azure", "vllm-thinking", "anthropic", "google", "openrouter"]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    for variable in ("OPENAI", "ANTHROPIC", "GOOGLE", "AZURE_OPENAI", "OPENROUTER", "VLLM"):
        monkeypatch.setenv(f"{variable}_API_KEY", KEY)
    with ModelServer(None, "fake").running() as server:
        server.says = knowing(PROBE.items, 16)
        yield server


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("style", STYLES)
def test_a_hostile_server_ends_a_command_in_one_sentence(
    fake: ModelServer, style: str, kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    name = f"openrouter/fake@{fake.address}/v1" if style == "openrouter" else named(fake, style)
    assert style in (*NAMES, "openrouter")
    answer, why = HOSTILE[kind]
    if isinstance(answer, str):
        fake.behaviour.trickles = True
    else:
        fake.behaviour.says_instead = answer
    write_probe(tmp_path / "made.jsonl", PROBE)
    options = ["--limit", 2, "--patience", 0.2, "--timeout", 0.3 if kind == "endless" else 60, "--concurrency", 1]
    options += ["--api-version", VERSIONS[style]] if style in VERSIONS else []
    called = caller(capfd)("run", "-m", name, "-p", tmp_path / "made.jsonl", "--out", tmp_path / "run", *options)
    assert called.code == 2, called.err
    assert why in called.err.replace("\n", " ")
    assert "Traceback" not in called.err
    assert KEY not in called.out + called.err
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
