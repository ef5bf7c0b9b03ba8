"""A few inputs of ``make fuzz`` for every target inside a test; commands and readers are two files, side by side."""

from __future__ import annotations

import errno
import logging
import os
import resource
import socket
import warnings
from pathlib import Path
from typing import Any

import pytest
from pytest_socket import SocketBlockedError

from tests.fuzz.harness import Fuzz, group_of
from tests.fuzz.providers import VARIABLES

INPUTS = int(os.environ.get("FUZZ", "4"))
"""Per target; a number and not a time, so that a busy machine tries the same."""


def try_some(place: Path, monkeypatch: pytest.MonkeyPatch, *groups: str) -> None:
    """No target of some groups ends otherwise than in a result or one sentence."""
    apart(monkeypatch)
    logging.disable(logging.CRITICAL)
    usual = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, usual[1]))  # what eats memory must not eat the machine's
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fuzz = Fuzz(seed=20, place=place)
            fuzz.targets = {name: throw for name, throw in fuzz.targets.items() if group_of(name) in groups}
            for name in [name for name in fuzz.targets for _ in range(INPUTS)]:
                fuzz.throw(name)
    finally:
        logging.disable(logging.NOTSET)
        resource.setrlimit(resource.RLIMIT_DATA, usual)
    told = [f"{each.kind}: {each.target} {each.call}" for each in fuzz.defects.values()]
    assert not told, "\n".join(told)
    assert sum(tally.ends["0"] for tally in fuzz.tallies.values()) > 0, "some of it is good"
    assert sum(tally.ends["2"] for tally in fuzz.tallies.values()) > 0, "and some of it is bad"


def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the fuzzer sets is put back afterwards."""
    import uvicorn

    from horsesense.models.api import batches
    from horsesense.runs.ray import RayEngine

    for name in ("HORSESENSE_CACHE", "WNHOME", "HF_HUB_OFFLINE", "HORSESENSE_DEVICE", *VARIABLES):
        monkeypatch.setenv(name, "")

    class Closed(socket.socket):  # which is the guard of the tests by now
        """A network that is not there, as the program would meet it, and not that guard."""

        def __new__(cls, *given: Any, **named: Any) -> Any:
            try:
                return super().__new__(cls, *given, **named)
            except SocketBlockedError:
                raise OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH)) from None

    def nowhere(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_AGAIN, "no name is known here")

    monkeypatch.setattr(socket, "socket", Closed)
    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    for name in ("GATHER", "POLLS"):
        monkeypatch.setattr(batches, name, getattr(batches, name))
    monkeypatch.setattr(uvicorn, "run", uvicorn.run)
    monkeypatch.setattr(RayEngine, "_connect", RayEngine._connect)
