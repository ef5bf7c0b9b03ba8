"""The key comes from the environment, is sent to the server, and is found nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.core import write_probe
from horsesense.errors import UserError
from horsesense.models.api.address import parse_address
from horsesense.models.api.request_errors import RefusedError, Request
from horsesense.models.api.request_log import RequestLog
from horsesense.models.api.served_model import open_served
from horsesense.models.api.settings import ServedSettings
from tests.support import ROOT
from tests.support.made_tasks import short_questions
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

SECRET = "sk-of-the-tests-0123456789"


def with_the_secret(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="the list of processes is read from /proc")
def test_the_key_is_in_no_file_log_or_list_of_processes(server: ModelServer, tmp_path: Path) -> None:
    """A whole command: what it writes, says, keeps in its cache and shows to others while it runs."""
    write_probe(tmp_path / "probe.jsonl", short_questions(8, 1))
    server.behaviour.key, server.behaviour.stays, server.behaviour.fault = SECRET, 0.02, "500"
    places = {"HORSESENSE_CACHE": "cache", "HOME": "home", "XDG_CACHE_HOME": "home/cache", "TMPDIR": "temporary"}
    for place in places.values():
        (tmp_path / place).mkdir(parents=True)
    environment = os.environ | {name: str(tmp_path / place) for name, place in places.items()}
    environment |= {"PYTHONPATH": str(ROOT / "src"), "MY_KEY": SECRET}
    command = [sys.executable, "-m", "horsesense", "run", "-m", f"tiny={server.name}", "--key-from", "MY_KEY"]
    command += [
        "-p",
        str(tmp_path / "probe.jsonl"),
        "--format",
        "letters",
        "--format",
        "generate",
        "--out",
        str(tmp_path / "run"),
    ]
    seen: set[bytes] = set()
    with (tmp_path / "said").open("wb") as said:
        child = subprocess.Popen(command, env=environment, stdout=said, stderr=said, cwd=tmp_path)
        while child.poll() is None:
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    seen.add(path.read_bytes())
                except OSError:  # it has ended meanwhile
                    continue
            time.sleep(0.2)
    assert child.returncode == 0, (tmp_path / "said").read_text()
    assert f"Bearer {SECRET}" in server.seen.headers
    assert [line for line in seen if b"--key-from\0MY_KEY" in line], "its own line was looked at"
    assert not [line for line in seen if SECRET.encode() in line]
    written = {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*") if path.is_file()}
    assert {"run", "said"} <= written
    assert not with_the_secret(tmp_path)
    with RequestLog(tmp_path / "run") as log:  # what is packed is looked at unpacked
        assert len(log) > 5
        rows = log._base.execute("SELECT reply FROM answered")  # type: ignore[union-attr]  # open here
        assert not [row for row in rows if SECRET.encode() in zlib.decompress(row[0])]


def test_errors_do_not_tell_the_key(server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.behaviour.key = SECRET
    monkeypatch.setenv("MY_KEY", f"{SECRET}-and-more")
    mine = ServedSettings(key_from="MY_KEY")
    with pytest.raises(UserError, match="refuses the key") as refused:
        hs.ask(server.name, short_questions(2, 1), out=tmp_path / "run", served=mine)
    assert SECRET not in str(refused.value)
    monkeypatch.setenv("MY_KEY", SECRET)
    hs.ask(server.name, short_questions(2, 1), out=tmp_path / "run", served=mine).report(tmp_path / "page.html")
    assert not with_the_secret(tmp_path)
    server.behaviour.echo = False
    request = Request("/completions", {"prompt": "Ice", "echo": True, "max_tokens": 1})
    with pytest.raises(RefusedError, match=r"this is not done here: .* Bearer \*\*\*"):
        open_served(server.name, mine).client.ask(request, dict)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("openai:http://me:secret@host/v1#m", "has credentials in it"),
        ("openai:https://host/v1?api_key=1#m", "has a query in it"),
        ("openai:host/v1#m", "is not the address of a served model"),
        ("openai:http://host:port/v1#m", "is not the address of a served model"),
        ("openai:http:/\n/host/v1#m", "is not the address of a served model"),
    ],
)
def test_addresses_that_are_refused(name: str, why: str) -> None:
    with pytest.raises(UserError, match=why) as error:
        parse_address(name)
    assert "secret" not in str(error.value)
