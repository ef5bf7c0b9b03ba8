"""The site as it is built: strictly, every link and anchor leads somewhere, nothing is asked of another host."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.support import ROOT
from tools.docs.layers import picture

pytest.importorskip("zensical", reason="the site's tools are not installed: pip install 'horsesense[docs]'")
pytest.importorskip("mkdocstrings", reason="the site's tools are not installed: pip install 'horsesense[docs]'")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SEEN = [
    "index.html",
    "start/index.html",
    "methods/rica.html",
    "tutorials/is_it_cues.html",
    "reference/python/asking.html",
    "reference/untried.html",
    "results/winoventi.html",
    "results/replication.html",
]
"""Pages that a browser opens; all pages have one template, and the test before looks into each."""


@pytest.fixture(scope="module")
def site() -> Path:
    """Built once; a link, an anchor or a name in a docstring that leads nowhere stops it."""
    done = subprocess.run([sys.executable, "-m", "tools.docs"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return ROOT / "build" / "site"


class Page(HTMLParser):
    """The ids of a page, where its links lead, and what it loads by itself."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.named: dict[str, str] = {}
        """Words of the links that are seen in the tabs and in the text → where they lead."""
        self._link = ""
        self.text = ""
        self._within = ""
        self.loads: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        self.ids |= {str(has[name]) for name in ("id", "name") if has.get(name)}
        if tag == "article" or "md-tabs" in str(has.get("class") or "").split():
            self._within = tag
        if tag == "a" and has.get("href"):
            self.links.append(str(has["href"]))
            self._link = str(has["href"]) if self._within else ""
        elif tag == "link" and has.get("rel") not in ("canonical", "prev", "next"):
            self.loads.append(str(has.get("href")))
        elif tag in ("script", "img", "iframe", "source", "video") and has.get("src"):
            self.loads.append(str(has["src"]))

    def handle_endtag(self, tag: str) -> None:
        if tag == self._within:
            self._within = ""
        if tag == "a":
            self._link = ""

    def handle_data(self, data: str) -> None:
        if self._within == "article":
            self.text += data
        if self._link and data.strip():
            self.named.setdefault(" ".join(data.split()), self._link)


QUESTIONS = {
    "How do I install it, and do I need torch?": (["Start"], "reads, shows, compares, reports"),
    "How do I ask my own checkpoint?": (["Guides", "Evaluate a Hugging Face model"], "./my-model"),
    "Can it ask a model behind a server?": (["Guides", "Served models"], "openai:URL#name"),
    "How do I write questions of my own?": (["Guides", "Your own questions"], "kitchen.jsonl"),
    "Is a difference between two models real?": (["Concepts", "Statistics"], "paired, over clusters"),
    "What does the interval mean?": (["Concepts", "Statistics"], "Whole clusters are resampled"),
    "Is my benchmark answered by cues?": (["Concepts", "Cues"], "tries those of 61 cues"),
    "How do I have people judge my questions?": (["Guides", "Human annotation"], "horsesense annotate new"),
    "My run was killed: is it lost?": (["Guides", "Runs"], "loses at most one shard"),
    "What does RICA ask, and how far can I trust it?": (["Methods", "RICA"], "Where we differ, and why"),
    "Which commands are there?": (["Reference", "Commands"], "Run models on probes"),
    "How fast is it?": (["Results", "Performance"], "a plain matrix product"),
}
"""What somebody new asks → what they click on, from the front page, and words of the answer."""


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_within_two_clicks(question: str, read: dict[Path, Page], site: Path) -> None:
    """By what is seen: the tabs above and the links of a page; the list at the side is not counted."""
    clicks, answer = QUESTIONS[question]
    assert len(clicks) <= 2
    at = site / "index.html"
    for words in clicks:
        there = read[at].named.get(words)
        assert there is not None, f"{at.relative_to(site)} has no link {words!r}, but {sorted(read[at].named)}"
        at = (at.parent / urlsplit(there).path).resolve()
    assert answer in " ".join(read[at].text.split()), f"{at.relative_to(site)} does not say it"


@pytest.fixture(scope="module")
def read(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}


def test_every_link_and_anchor_leads_somewhere(read: dict[Path, Page], site: Path) -> None:
    assert len(read) > 80
    for path, page in read.items():
        for link in page.links:
            to = urlsplit(link)
            if to.scheme or to.netloc:
                continue
            target = (path.parent / unquote(to.path)).resolve() if to.path else path
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), f"{path.relative_to(site)}: {link}"
            if to.fragment and target in read:
                assert unquote(to.fragment) in read[target].ids, f"{path.relative_to(site)}: {link}"


def test_no_page_loads_from_elsewhere(read: dict[Path, Page], site: Path) -> None:
    for path, page in read.items():
        for load in page.loads:
            assert not urlsplit(load).netloc, f"{path.relative_to(site)}: {load}"
            assert load.startswith("data:") or (path.parent / urlsplit(load).path).resolve().is_file(), load


def test_every_command_has_its_page(site: Path) -> None:
    from horsesense.cli.app import root

    for name in root().load_all().commands:
        assert (site / "reference" / "commands" / f"{name}.html").is_file(), name


def test_the_picture_of_the_layers_is_that_of_the_contract() -> None:
    stored = (ROOT / "docs" / "images" / "layers.svg").read_text(encoding="utf-8")
    assert stored == picture(), "python -m tools.docs.layers"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_browser_asks_nobody_else_and_search_finds(address: str) -> None:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with sync_api.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 844})
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        for name in SEEN:
            page.goto(f"{address}/{name}")
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= 390, f"{name} is wider than a phone"
        page.set_viewport_size({"width": 1300, "height": 900})
        page.goto(f"{address}/index.html")
        page.wait_for_load_state("networkidle")
        page.keyboard.press("Control+k")
        page.wait_for_timeout(500)
        page.keyboard.type("hardening")
        for _ in range(40):  # the box is closed to scripts: Enter opens the first result once there is one
            page.wait_for_timeout(250)
            page.keyboard.press("Enter")
            if "?h=" in page.url:
                break
        assert "?h=harden" in page.url, "a page that search found, with the word marked on it"
        browser.close()
    assert asked
    assert [url for url in asked if not url.startswith((address, "data:", "blob:" + address))] == []
