"""The page of a run: what probes, cards and models are called and say is text there, never markup."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pytest

from horsesense.cli import main

NASTY = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "'><x-marker onclick='alert(3)'>",
    "</script></style></title></pre></textarea><x-marker>",
    "{{ 7 * 7 }} {% raw %} {# gone #}",
    "&lt;b&gt; &amp; &#x27;",
    "<!-- comment --> <![CDATA[x]]>",
    "https://example.org/a.js",
    "javascript:alert(4)",
    "“quoted” \u2028 ‘so’ 🐎",
]
VOID = {"meta", "link", "br", "img", "input", "hr", "col", "source", "area", "base", "embed", "track", "wbr"}
FETCHING = {"src", "href", "xlink:href", "srcset", "poster", "action", "formaction", "data", "background", "ping"}


@dataclass
class Page(HTMLParser):
    """Elements, attributes, text and styles of a page; it also sees whether every element is closed."""

    elements: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        inside = self.open[-1] if self.open else ""
        {"script": self.scripts, "style": self.styles}.get(inside, self.texts).append(data)


def parsed(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.close()
    assert page.open == []
    return page


@pytest.fixture(scope="module")
def html(tiny_folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a run in which everything that can have a nasty name has one."""
    folder = tmp_path_factory.mktemp("page")
    model = folder / "<script>alert(0)<" / "model{{ 7 * 7 }}\">'"
    shutil.copytree(tiny_folders["gpt2"], model)
    probe = folder / "toy<x-marker>&amp;{{ 7 * 7 }}.jsonl"
    lines = [
        {
            "probe": "toy",
            "form": "choice",
            "premise": nasty,
            "text": f"Which one? {nasty}",
            "options": [nasty, f"not {nasty}"],
            "answer": number % 2,
            "family": nasty,
            "member": nasty,
            "groups": {"noun": nasty},
            "facets": {"task": nasty, "split": NASTY[number % 2], "facet <x-marker>": number},
            "source": {"file": nasty, "licence": nasty},
        }
        for number, nasty in enumerate(NASTY)
    ]
    probe.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    card = {"name": NASTY[0], "made": NASTY[3], "licence": f"{NASTY[1]} {NASTY[2]}", "notes": {NASTY[0]: 1}}
    probe.with_name(probe.name.replace(".jsonl", ".card.json")).write_text(json.dumps(card), encoding="utf-8")
    words = ["-p", str(probe), "--out", str(folder / "run"), "--spec", "truncation=left"]
    with pytest.raises(SystemExit) as stop:
        main(["run", "-m", str(model), *words])
    assert stop.value.code == 0
    return (folder / "run" / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return parsed(html)


def test_what_is_nasty_is_text(page: Page) -> None:
    text = " ".join("".join(page.texts).split())  # a line separator may be told as a space
    for nasty in NASTY:
        assert " ".join(nasty.split()) in text
    assert "model{{ 7 * 7 }}\">'" in text
    assert "49" not in [part for line in page.texts for part in line.split()], "no template is filled in twice"


def test_what_is_nasty_is_nothing_else(page: Page) -> None:
    assert "x-marker" not in page.elements
    assert [script for script in page.scripts if "alert(" in script and "<" not in script] == []
    assert [named for named in page.attributes if named[1].startswith("on") and "alert" in named[2]] == []
    assert [named for named in page.attributes if "x-marker" in named[1]] == []
    assert page.comments == []


def test_the_page_asks_nothing_of_a_network(page: Page) -> None:
    for element, name, value in page.attributes:
        if name in FETCHING:
            assert value.startswith(("#", "data:")), (element, name, value)
    for style in [*page.styles, *(value for _, name, value in page.attributes if name == "style")]:
        assert "@import" not in style
        assert "url(" not in style.replace("url(data:", "").replace("url(#", "")
    assert not {"iframe", "object", "embed", "base", "link"} & set(page.elements)
    for script in page.scripts:
        assert not any(word in script for word in ("fetch(", "XMLHttpRequest", "import(", "WebSocket", "sendBeacon"))


def test_the_parser_would_see_it() -> None:
    """The checks above can fail: the same strings, unescaped, are elements and attributes."""
    bad = parsed(f"<p>{NASTY[1]}</p><p><x-marker onclick='alert(3)'></x-marker></p>{NASTY[0]}")
    assert "x-marker" in bad.elements
    assert ("img", "onerror", "alert(2)") in bad.attributes
    assert bad.scripts == ["alert(1)"]
