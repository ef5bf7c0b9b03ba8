"""Two people walk through all stages of a WinoVenti pipeline in a real browser, with pictures of each page.

    python tools/winoventi_walk.py --out walk [--nouns 4] [--model smollm2-masked]

Makes a small pipeline, serves it, opens it in two Chromium windows (one of a phone's width), accepts or changes what
the machine proposes, validates, and leaves screenshots and the report in the folder. Needs Playwright and Chromium.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import threading
import time
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import Error, sync_playwright

import horsesense as hs
from horsesense.annotate.database.participants import invite
from horsesense.annotation_server.staged_app import staged_app
from horsesense.progress import Progress

NOUNS = ("bucket", "gate", "kettle", "towel", "apple", "candle", "coat", "bridge")
_MOST = 400
"""Pages that are looked at before the walk is given up."""


class Spoken(Progress):
    """Says what it is told."""

    def log(self, text: str) -> None:
        print(f"  {text}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Walk through the stages of a WinoVenti pipeline in a browser.")
    parser.add_argument("--out", type=Path, required=True, help="Folder for the pipeline and the pictures.")
    parser.add_argument("--nouns", type=int, default=3, help="How many nouns.")
    parser.add_argument("--model", default="smollm2-masked", help="Whose associations.")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "nouns.txt").write_text("\n".join(NOUNS[: given.nouns]), encoding="utf-8")
    pipeline = given.out / "pipeline"
    hs.winoventi.make(
        given.out / "nouns.txt",
        out=pipeline,
        model=given.model,
        machine=hs.winoventi.PipelineMachine(most=1, write=20),
        people=hs.winoventi.PipelinePeople(judges=2),
        progress=Spoken(),
    )
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{door.getsockname()[1]}"
        app = staged_app(pipeline, address, Spoken())
        tokens = invite(app.open(), ["ann", "ben"], renew=True)
        server = uvicorn.Server(uvicorn.Config(app, access_log=False, log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.05)
        walk(address, tokens, given.out)
        server.should_exit = True
        thread.join(10)
    status = hs.winoventi.status(pipeline)
    for stage in status.stages:
        print(f"{stage.stage}: {stage.state}, {stage.answered} of {stage.wanted} answers by {stage.people} people")
    print(status.next)


def walk(address: str, tokens: list[str], out: Path) -> None:
    """Ann at a desk and Ben on a phone, in turns, until both are thanked."""
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        pages = []
        for name, token, width in zip(("ann", "ben"), tokens, (1300, 390), strict=True):
            page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
            page.goto(f"{address}/in/{token}")
            page.screenshot(path=out / f"{name}-door.png")
            page.get_by_role("button", name="Begin").click()
            pages.append((name, page))
        shot: set[tuple[str, str]] = set()
        thanked: set[str] = set()
        for turn in range(_MOST):
            name, page = pages[turn % 2]
            if not preparing(page):  # that page goes on by itself
                page.goto(f"{address}/task")
            title = page.locator("h1").inner_text()
            if (name, title) not in shot:
                shot.add((name, title))
                page.screenshot(path=out / f"{name}-{len(shot):02d}.png", full_page=True)
                print(f"{name} sees: {title}")
            if title == "Thank you":
                thanked.add(name)
                if len(thanked) == 2:
                    break
            elif page.locator("#task").count():
                thanked.clear()
                answer(page, turn)
            else:
                time.sleep(2)
        browser.close()


def preparing(page: Any) -> bool:
    """Whether the machine is at work between two stages."""
    try:
        return "being prepared" in page.locator("h1").inner_text()
    except Error:  # it was just going on
        return True


def answer(page: Any, turn: int) -> None:
    """Accept what is proposed; write something of one's own where nothing is; find schemas sound."""
    kind = page.locator("#task").get_attribute("data-kind")
    question = page.locator("#question, legend").first.inner_text()
    if kind == "words" and (not page.locator("[name=word-0]").input_value() or turn % 5 == 0):
        page.locator("[name=word-0]").fill("broken" if "broken" not in question else "whole")
    if kind == "pair" and not page.locator("#first").input_value():
        noun = question.split("say: “The ")[1].split(" is ")[0]
        page.locator("#first").fill(f"Mira smiled when she saw the {noun}.")
        page.locator("#second").fill(f"Mira frowned when she saw the {noun}.")
    if kind == "criteria":
        for each in page.locator("fieldset.criterion").all():
            each.get_by_label("No").check()
    page.get_by_role("button", name="Answer", exact=True).click()


if __name__ == "__main__":
    main()
