"""The page in a real browser: from disk, with no network, by keyboard, for screen readers."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from horsesense.report.collection import collect
from horsesense.report.page import write_report
from tests.support import ROOT
from tests.support.made_run import EVIL, made_items, make_run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
if CHROMIUM is None:
    pytest.skip("no Chromium on this machine", allow_module_level=True)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chromium")
    items = made_items(150)
    runs = [make_run(folder / "a", {"good": 0.9, "fair": 0.6}, items)]
    runs.append(make_run(folder / "b", {"good": 0.8}, made_items(20, "second"), probe="second"))
    write_report(collect(runs), folder / "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


class Opened:
    """A tab with the page, and all it said and asked for."""

    def __init__(self, browser: Any, path: Path, **settings: Any) -> None:
        self.page = browser.new_page(**settings)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self._dialog)
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-whole]", state="attached")

    def _dialog(self, dialog: Any) -> None:
        self.said.append(dialog.message)
        dialog.dismiss()

    def count(self) -> str:
        return str(self.page.locator("#count").inner_text())


@pytest.fixture(scope="module")
def opened(browser: Any, path: Path) -> Opened:
    return Opened(browser, path)


@pytest.fixture(autouse=True)
def cleared(opened: Opened) -> None:
    """Each test starts with all items of the first probe, the first of them shown."""
    opened.page.click("#filters [type=reset]")
    # A locator polls from outside; wait_for_function polls by eval, which the page's own policy refuses.
    opened.page.locator("#count", has_text=re.compile("^300 of 300")).wait_for()
    opened.page.locator("#list[aria-activedescendant=row-0]").wait_for()


def test_it_opens_from_disk_in_silence(opened: Opened, path: Path) -> None:
    assert opened.said == []
    assert [url.partition("#")[0] for url in opened.asked] == [path.as_uri()]
    assert opened.page.title().startswith("good, fair on made, second")


def test_the_first_screen_is_the_grid(opened: Opened) -> None:
    grid = opened.page.locator("#grid")
    box = grid.bounding_box()
    assert box["y"] + box["height"] < 720
    assert grid.locator("tbody").count() == 2
    assert grid.locator("button.cell").count() == 3, "fair was not asked the second probe"
    good = grid.locator("button.cell").first
    assert "above chance" in good.inner_text()
    dot, whisker = (good.locator(f".plot {mark}").bounding_box() for mark in ("i", "b"))
    middle = dot["x"] + dot["width"] / 2
    assert whisker["x"] < middle < whisker["x"] + whisker["width"]
    rail = good.locator(".plot").bounding_box()
    told = float(re.search(r"[\d.]+", good.locator(".value").inner_text())[0])  # type: ignore[index]
    assert (middle - rail["x"]) / rail["width"] * 100 == pytest.approx(told, abs=0.5)


def test_a_cell_opens_its_card_and_closes_it(opened: Opened) -> None:
    page = opened.page
    cell = page.locator("#grid button.cell").first
    card = page.locator(f"#{cell.get_attribute('aria-controls')}")
    assert not card.is_visible()
    cell.focus()
    page.keyboard.press("Enter")
    assert cell.get_attribute("aria-expanded") == "true"
    assert "above chance" in card.inner_text()
    page.locator("#grid button.cell").nth(1).click()
    assert not card.is_visible(), "one card a model"
    page.locator("#grid button.cell").nth(1).click()
    assert page.locator("tr.opened:visible").count() == 0


def test_the_grid_is_sorted_by_a_click(opened: Opened) -> None:
    page = opened.page

    def order() -> list[str]:
        names: list[str] = page.locator("#grid tbody > tr:first-child > th").all_inner_texts()
        return names

    heads = page.locator("#grid th button.sort")
    heads.nth(1).click()
    assert order() == ["good", "fair"]
    heads.nth(1).click()
    assert order() == ["fair", "good"]
    assert page.locator("#grid thead th").nth(1).get_attribute("aria-sort") == "ascending"
    heads.nth(2).click()
    heads.nth(2).click()
    assert order() == ["good", "fair"], "what was not asked comes last, either way"
    heads.nth(0).click()
    assert order() == ["fair", "good"]


def test_the_forest_has_the_better_model_first(opened: Opened) -> None:
    row = opened.page.locator("table.forest tbody tr:not(.on)")
    assert row.count() == 1
    assert row.locator("th").inner_text() == "good vs. fair"
    zero, dot = (row.locator(f".plot {mark}").bounding_box() for mark in ("u", "i"))
    assert dot["x"] > zero["x"]


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models on fourteen probes, as a log of another tool has them."""
    folder = tmp_path_factory.mktemp("wide")
    runs = []
    for number in range(14):
        probe = f"a_task_of_another_tool_with_a_long_name_{number:02}"
        good = 0.5 + 0.03 * number
        runs.append(make_run(folder / probe, {"good": good, "fair": 1.0 - good}, made_items(10, probe), probe=probe))
    write_report(collect(runs, cues=False), folder / "report.html", drawn=False)
    return folder / "report.html"


@pytest.mark.parametrize("width", [1300, 390])
def test_many_probes_go_down_the_page(browser: Any, wide: Path, width: int) -> None:
    page = Opened(browser, wide, viewport={"width": width, "height": 900}).page
    grid = page.locator("#grid")
    assert grid.locator("tbody").count() == 14
    inner, outer = (grid.locator("xpath=..").evaluate(f"e => e.{name}") for name in ("scrollWidth", "clientWidth"))
    assert inner <= outer, "it is not to be scrolled sideways"
    for cell in grid.locator("button.cell").all()[:4]:
        button, value, chip = (part.bounding_box() for part in (cell, cell.locator(".value"), cell.locator(".chip")))
        assert max(box["x"] + box["width"] for box in (value, chip)) <= button["x"] + button["width"] + 1
    grid.locator("th button.sort").nth(1).click()
    names: list[str] = page.locator("#grid tbody").evaluate_all("all => all.map(e => e.dataset.name)")
    shares: list[str] = page.locator("#grid tbody > tr:first-child > td:nth-of-type(1)").evaluate_all(
        "all => all.map(e => e.dataset.value)"
    )
    assert shares == sorted(shares, reverse=True)
    assert sorted(names) != names


def test_a_card_leads_to_details_that_are_folded_away(browser: Any, wide: Path) -> None:
    page = Opened(browser, wide).page
    part = page.locator("details.part").nth(5)
    assert not part.is_visible()
    page.locator(f"#grid button.cell[aria-controls={part.get_attribute('id').replace('details', 'card')}]").click()
    page.locator("tr.opened:visible a").click()
    page.locator("details.part[open]").wait_for()
    assert part.locator("h4").first.is_visible()
    sync_api.expect(part).to_be_in_viewport()


def test_an_item_has_a_link_that_opens_it(opened: Opened, browser: Any, path: Path) -> None:
    item = next(item for item in made_items(20, "second") if item.family == "f7")
    other = Opened(browser, Path(f"{path}"))
    other.page.goto(f"{path.as_uri()}#item={item.id}")
    other.page.locator("#count", has_text=re.compile("^40 of 40")).wait_for()
    assert item.id in other.page.locator("#detail h3").first.inner_text()
    assert other.page.locator("#detail h3 a").get_attribute("href") == f"#item={item.id}"
    other.page.focus("#list")
    other.page.keyboard.press("j")
    other.page.wait_for_url(re.compile(f"#item=(?!{item.id})"))
    assert other.page.url.endswith(other.page.locator("#detail h3").first.inner_text())
    other.page.close()


def test_letters_walk_search_and_are_in_nobodys_way(opened: Opened) -> None:
    page = opened.page
    page.focus("#list")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert page.locator("#list").get_attribute("aria-activedescendant") == "row-1"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("jk")
    assert page.input_value("#search") == "jk"


def test_what_is_filtered_can_be_taken_away(opened: Opened) -> None:
    page = opened.page
    page.select_option("#verdict", "wrong")
    wrong = int(opened.count().split()[0])
    with page.expect_download() as taken:
        page.click("#csv")
    rows = list(csv.DictReader(Path(taken.value.path()).read_text(encoding="utf-8").splitlines()))
    assert len(rows) == wrong
    assert {row["good verdict"] for row in rows} == {"wrong"}
    items = {item.id: item for item in made_items(150)}
    for row in rows:
        assert row["options"] == " | ".join(items[row["id"]].options)
        assert int(row["answer"]) == items[row["id"]].answer


def test_an_item_is_copied_as_json(browser: Any, path: Path) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-whole]", state="attached")
    page.click("#copy")
    page.locator("#copy", has_text="copied").wait_for()
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    item = next(item for item in made_items(150) if item.id == copied["id"])
    assert copied["options"] == list(item.options)
    assert copied["facets"] == {name: str(value) for name, value in item.facets.items()}
    assert [answer["model"] for answer in copied["answers"]] == ["good", "fair"]
    context.close()


def test_only_where_options_differ_is_there_colour(opened: Opened) -> None:
    detail = opened.page.locator("#detail")
    assert detail.locator(".options").first.locator("b").all_inner_texts() == ["warm", "cold today"]
    depths = detail.locator("details[open] .token").evaluate_all(
        "(all) => all.map((one) => [one.textContent, +one.style.getPropertyValue('--deep')])"
    )
    assert {text for text, deep in depths if deep == 0} >= {"The", "is"}
    assert all(deep > 0 for text, deep in depths if text in ("warm.", "cold", "today."))


def test_search_finds_words_and_ids(opened: Opened) -> None:
    other = next(item for item in made_items(150) if item.family == "f5")
    opened.page.fill("#search", other.id)
    assert opened.count().startswith("1 of 300")
    assert other.id in opened.page.locator("#detail").inner_text()
    opened.page.fill("#search", "KETTLE warm")
    kettles = [item for item in made_items(150) if "kettle" in item.options[0]]
    assert opened.count() == f"{len(kettles)} of 300 items"


def test_filters_narrow_the_list_to_what_they_say(opened: Opened) -> None:
    page = opened.page
    page.select_option("#verdict", "wrong")
    wrong = int(opened.count().split()[0])
    assert 0 < wrong < 300
    assert set(page.locator("#list .row b").all_inner_texts()) == {"wrong"}
    page.select_option("#verdict", "right")
    assert int(opened.count().split()[0]) == 300 - wrong
    page.select_option("#verdict", "")
    expected = sum(item.facets["hops"] == 2 for item in made_items(150))
    page.locator("#facets label", has_text="hops").locator("select").select_option(label="2")
    assert opened.count() == f"{expected} of 300 items"


def test_another_probe_has_items_and_facets_of_its_own(opened: Opened) -> None:
    opened.page.select_option("#probe", label="second")
    assert opened.count() == "40 of 40 items"


def test_markup_in_a_question_shows_as_text(opened: Opened) -> None:
    opened.page.fill("#search", "<script>")
    assert opened.count().startswith("2 of 300")
    assert EVIL in opened.page.locator("#detail").inner_text()
    assert EVIL in opened.page.locator("#list .row").first.inner_text()
    assert opened.said == []


def test_the_list_is_virtual_and_goes_by_keyboard(opened: Opened) -> None:
    page = opened.page
    assert page.locator("#list .row").count() < 40
    page.focus("#list")
    page.keyboard.press("ArrowDown")
    assert page.locator("#list").get_attribute("aria-activedescendant") == "row-1"
    second = page.locator("#row-1 .key").inner_text().rpartition(" ")[2]
    assert second in page.locator("#detail h3").first.inner_text()
    page.keyboard.press("End")
    assert page.locator("#list").get_attribute("aria-activedescendant") == "row-299"
    assert page.locator("#row-299").is_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "detail"


def test_an_item_shows_tokens_evidence_and_family(opened: Opened) -> None:
    page = opened.page
    detail = page.locator("#detail")
    assert detail.locator(".token").count() > 10
    assert "option 1 (gold) against option 2" in detail.inner_text()
    family = detail.locator("h4", has_text="Items of the same family (f0)")
    assert family.count() == 1
    before = detail.locator("h3").first.inner_text()
    detail.get_by_role("button", name="b", exact=True).click()
    assert detail.locator("h3").first.inner_text() != before
    assert "option 2 (gold)" in detail.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, path: Path, scheme: str) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not here: npm install --no-save axe-core")
    opened = Opened(browser, path, color_scheme=scheme, bypass_csp=True)
    opened.page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    opened.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = opened.page.evaluate("axe.run().then((all) => all.violations.map((v) => [v.id, v.nodes[0].html]))")
    opened.page.close()
    assert found == []


def test_nothing_runs_over_the_edge_of_a_phone(browser: Any, path: Path) -> None:
    opened = Opened(browser, path, viewport={"width": 360, "height": 740})
    opened.page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 360
    over = "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.getAttribute('aria-label'))"
    assert opened.page.locator(".scroll").evaluate_all(over) == [], "no table is to be scrolled sideways"
    opened.page.close()
