"""The page of a profile in a real browser: nothing sticks out on a phone, a cell opens its card, tables sort."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import horsesense as hs

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
if CHROMIUM is None:
    pytest.skip("no Chromium on this machine", allow_module_level=True)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("page")
    page = hs.profile(["guesser", "cue-reader"], abilities=["parts", "turned"], out=out).page
    assert page is not None
    return page


def test_the_page_fits_and_opens(path: Path) -> None:
    with sync_api.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for width in (1300, 390):
            page = browser.new_page(viewport={"width": width, "height": 800})
            said: list[str] = []
            page.on("console", lambda message, said=said: said.append(message.text))
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            cell = page.locator("button.cell").first
            card = page.locator(f"#{cell.get_attribute('aria-controls')}")
            assert not card.is_visible()
            cell.click()
            assert card.is_visible()
            assert "Chance is" in card.inner_text()
            assert not said
        table = page.locator("table.sortable").first
        abilities = table.locator("tbody td.text")
        before = abilities.all_text_contents()
        assert len(set(before)) > 1
        head = table.locator("button.sort").nth(1)
        head.evaluate("button => button.click()")
        once = abilities.all_text_contents()
        head.evaluate("button => button.click()")
        assert abilities.all_text_contents() == once[::-1]
        assert sorted(once) == sorted(before)
        browser.close()
