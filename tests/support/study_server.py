"""A served study and people who use it, without a network: the app is called in this process."""

from __future__ import annotations

import html
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.testclient import TestClient

from horsesense.annotate.database.connections import open_database
from horsesense.annotate.database.participants import invite
from horsesense.annotate.database.served_study import ServedStudy, open_study
from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.study import DATABASE, DATABASE_VARIABLE, Study, make_study
from horsesense.annotation_server.app import create_app
from horsesense.core import Probe

ADDRESS = "http://127.0.0.1:8000"


_APPS: dict[int, tuple[ServedStudy, FastAPI]] = {}
"""The app of the study that a test is about."""


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


_SCRATCH = tempfile.TemporaryDirectory()


@cache
def _empty() -> Path:
    """A database with its tables and nothing in them: making them anew for each test takes longer than most tests."""
    file = Path(_SCRATCH.name) / DATABASE
    open_database(f"sqlite:///{file}").dispose()
    return file


def study_of(
    folder: Path,
    probe: Probe,
    instrument: str,
    gold: tuple[Probe, int] | None = None,
    attention: Probe | None = None,
    clock: Callable[[], float] | None = None,
    **settings: Any,
) -> ServedStudy:
    """A study in a folder, opened."""
    asked = find_instrument(instrument)
    study = Study(folder, asked, **{"per_item": asked.judgements} | settings)
    make_study(folder, probe, instrument, study, gold=gold, attention=attention)
    if DATABASE_VARIABLE not in os.environ:
        shutil.copy(_empty(), folder / DATABASE)
    return open_study(folder, clock or Clock())


@dataclass
class Somebody:
    """A browser: it keeps its cookie and follows links."""

    client: TestClient | httpx.Client
    link: str = ""
    page: Any = None
    trail: list[str] = field(default_factory=list)

    def open(self, path: str) -> Any:
        self.page = self.client.get(path)
        return self.page

    def hidden(self, name: str) -> str:
        found = re.search(rf'name="{name}" value="([^"]*)"', self.page.text)
        return html.unescape(found[1]) if found else ""

    def enter(self) -> Any:
        self.open(self.link)
        self.page = self.client.post(self.link, data={"form": self.hidden("form")})
        return self.page

    @property
    def question(self) -> str:
        found = re.search(r'<legend>(.*?)</legend>|id="question">(.*?)<', self.page.text, re.DOTALL)
        return html.unescape(found[1] or found[2]) if found else ""

    def numbers(self) -> dict[str, str]:
        """What can be chosen: the text of each answer, and what the form sends for it."""
        found = re.findall(r'name="value" value="(\d+)".*?<span>(.*?)</span>', self.page.text, re.DOTALL)
        return {html.unescape(text): number for number, text in found}

    def answer(self, **fields: str) -> Any:
        given = {"form": self.hidden("form"), "lease": self.hidden("lease")} | fields
        self.page = self.client.post("/task", data={name.replace("_", "-"): value for name, value in given.items()})
        return self.page

    def undo(self) -> Any:
        self.page = self.client.post("/undo", data={"form": self.hidden("form")})
        return self.page


def browser(served: ServedStudy) -> Somebody:
    """Somebody whom the study does not know."""
    if id(served) not in _APPS:
        _APPS.clear()
        _APPS[id(served)] = served, create_app(served)
    return Somebody(TestClient(_APPS[id(served)][1], base_url=ADDRESS, raise_server_exceptions=True))


def annotator(served: ServedStudy, name: str, **settings: Any) -> Somebody:
    """Somebody with a personal link who is in."""
    (token,) = invite(served, [name], **settings)
    found = browser(served)
    found.link = f"/in/{token}"
    found.enter()
    return found
