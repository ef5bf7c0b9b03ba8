"""Every instrument in a real browser: by keyboard, without scripts, on a phone, for screen readers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from horsesense.annotate.database.judgement_log import read_study_judgements, standing_judgements
from horsesense.annotate.database.participants import all_people, invite
from horsesense.annotate.database.served_study import open_study
from horsesense.stats.raters.adjudication import adjudicate
from tests.support import ROOT
from tests.support.judged_probes import LABELS, triples
from tests.support.study_server import study_of
from tests.support.study_walks import PROBES, Tab, gold_triples, listening, write_picture
from tests.support.study_workers import next_lease, person, say

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
if CHROMIUM is None:
    pytest.skip("no Chromium on this machine", allow_module_level=True)

# The server is on loopback, in this process.
pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

CHOSEN = ("choice", "statements", "naturalness", "steps", "partwhole", "dual")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


def fill_in(page: Any, instrument: str) -> None:
    """Answer the task that is shown, as a person at a keyboard would."""
    if instrument in CHOSEN:
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        return
    if instrument == "schema":
        for key in "1nn2":
            page.keyboard.press(key)
    elif instrument == "exceptions":
        page.get_by_label("Word 1").fill("cold")
        page.get_by_label("Word 2 (if you have one)").fill("broken")
        page.keyboard.press("Enter")
        return
    else:
        page.get_by_label("First text").fill("Ann screamed near a stove.")
        page.get_by_label("The same text with one word changed").fill("Ann screamed near the oven.")
        page.locator("#fit", has_text="2 words differ (a/the, stove/oven)").wait_for()
        page.get_by_label("The same text with one word changed").fill("Ann screamed near an oven.")
        page.locator("#fit", has_text="One word differs: good.").wait_for()
    page.get_by_role("button", name="Answer", exact=True).click()


VALUES = {
    "schema": "synonym-generic",
    "exceptions": "cold, broken",
    "premises": "Ann screamed near a stove. || Ann screamed near an oven.",
    "naturalness": "awkward",
    "steps": "2",
    "partwhole": "unlikely",
}


@pytest.mark.parametrize("instrument", PROBES)
def test_an_instrument_from_the_link_to_the_end(browser: Any, tmp_path: Path, instrument: str) -> None:
    served = study_of(tmp_path / "s", PROBES[instrument](2), instrument)
    (token,) = invite(served, ["ann"])
    with listening(served) as address:
        tab = Tab(browser, address, token)
        tab.begin()
        for number in range(2):
            tab.page.locator(".progress", has_text=f"{number} answered").wait_for()
            tab.page.locator("html[data-ready]").wait_for(state="attached")
            if instrument in ("choice", "statements", "dual"):
                expected = tab.page.locator("label.answer").nth(1).inner_text().splitlines()[0].strip()
                VALUES[f"{instrument}{number}"] = expected
            for answer in tab.page.locator("label.answer:visible").all():
                mark, text = (answer.locator(part).first.bounding_box() for part in ("input", "span"))
                assert mark["x"] + mark["width"] <= text["x"], "what is chosen by a mark stands beside it"
            fill_in(tab.page, instrument)
        tab.page.get_by_role("heading", name="Thank you").wait_for()
        assert tab.page.locator(".code").count() == 0, "a completion code is for a crowd"
        assert tab.said == []
        assert all(url.startswith(address) for url in tab.asked)
        tab.close()
    values = [each.value for each in standing_judgements(served)]
    assert values == [VALUES.get(instrument) or VALUES[f"{instrument}{number}"] for number in range(2)]


def test_qualify_answer_escalate_export(browser: Any, tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", triples(1), "partwhole", gold=(gold_triples(), 1), per_item=2, extra=3)
    names = ["ann", "ben", "cid", "dan", "eve", "lazy"]
    votes = dict(zip(names, ["4", "2", "4", "5", "4"], strict=False))
    with listening(served) as address:
        for name, token in zip(names, invite(served, names), strict=True):
            tab = Tab(browser, address, token)
            tab.begin()
            for number in range(5):
                tab.page.get_by_text(f"Trial question {number + 1} of 5").wait_for()
                tab.page.locator("html[data-ready]").wait_for(state="attached")
                asked = tab.page.locator("legend").first.inner_text()
                right = next(k for k, t in served.tasks["gold"].items() if t.question == asked)
                place = LABELS.index(served.answers["gold"][right])
                tab.page.keyboard.press("3" if name == "lazy" else str(place + 1))
                tab.page.keyboard.press("Enter")
            if name == "lazy":
                tab.page.get_by_text("this study ends here for you").wait_for()
            else:
                tab.page.locator(".progress", has_text="5 answered").wait_for()
                tab.page.locator("html[data-ready]").wait_for(state="attached")
                tab.page.keyboard.press(votes[name])
                tab.page.keyboard.press("Enter")
                tab.page.get_by_role("heading", name="Thank you").wait_for()
            tab.close()
    assert {person.name: person.state for person in all_people(served)} == dict.fromkeys(names, "working") | {
        "lazy": "failed"
    }
    collected = read_study_judgements(tmp_path / "s")
    assert [each.value for each in collected.judgements] == [LABELS[int(votes[name]) - 1] for name in names[:5]]
    (label,) = adjudicate(collected.judgements, "partwhole", collected.scale_of())
    assert label.value == "probably"


@pytest.mark.parametrize("instrument", ["choice", "partwhole", "schema"])
def test_without_scripts(browser: Any, tmp_path: Path, instrument: str) -> None:
    served = study_of(tmp_path / "s", PROBES[instrument](2), instrument)
    (token,) = invite(served, ["ann"])
    with listening(served) as address:
        tab = Tab(browser, address, token, java_script_enabled=False)
        tab.begin()
        tab.page.get_by_role("button", name="Answer", exact=True).wait_for()  # all() below waits for nothing
        if instrument == "schema":
            for each in tab.page.locator("fieldset.criterion").all():
                each.get_by_label("No").check()
        elif instrument == "partwhole":
            tab.page.get_by_label("Nonsense").check()
            tab.page.get_by_role("button", name="Answer", exact=True).click()
            tab.page.get_by_role("alert").wait_for()
            assert tab.page.get_by_label("Nonsense").is_checked(), "what was filled in stays"
            tab.page.get_by_label("I don't know what one of the words means").check()
        else:
            tab.page.locator("label.answer").first.click()
        tab.page.get_by_role("button", name="Answer", exact=True).click()
        tab.page.locator(".progress", has_text="1 answered").wait_for()
        assert tab.page.locator(".progress strong").inner_text() == "2 of 2"
        tab.page.get_by_role("button", name="Take back my last answer").click()
        tab.page.locator(".progress", has_text="0 answered").wait_for()
        tab.close()
    assert standing_judgements(served) == []


def pages(browser: Any, tmp_path: Path, **settings: Any) -> Iterator[tuple[str, Any]]:
    """Every kind of page, opened one after the other."""
    for instrument in ("partwhole", "schema", "exceptions", "premises"):
        folder = tmp_path / instrument
        served = study_of(folder, PROBES[instrument](2), instrument)
        if instrument == "partwhole":
            write_picture(folder / "pictures" / "box.png")
            box = {"name": "box0", "x": 4, "y": 4, "width": 50, "height": 40}
            row = {"file": "box.png", "width": 64, "height": 48, "where": {"part": "lid"}}
            (folder / "pictures.jsonl").write_text(
                json.dumps(row | {"boxes": [box, box | {"name": "lid", "height": 9}]}) + "\n"
            )
            served = open_study(folder)
        tokens = invite(served, ["ann", "ben"]) + invite(served, ["boss"], role="researcher")
        with listening(served) as address:
            tab = Tab(browser, address, tokens[0], **settings)
            yield f"{instrument} door", tab.page
            tab.begin()
            tab.page.locator("#task").wait_for()
            for details in tab.page.locator("details").all():
                details.evaluate("each => { each.open = true; }")
            yield f"{instrument} task", tab.page
            tab.page.locator("form").first.evaluate("each => { each.noValidate = true; }")
            tab.page.locator("html[data-ready]").wait_for(state="attached")
            tab.page.get_by_role("button", name="Answer", exact=True).click()
            tab.page.get_by_role("alert").wait_for()
            yield f"{instrument} problem", tab.page
            if instrument == "partwhole":
                for place in range(2):
                    tab.page.locator("html[data-ready]").wait_for(state="attached")
                    tab.page.keyboard.press(str(place + 1))
                    tab.page.keyboard.press("Enter")
                    tab.page.locator(".progress", has_text=f"{place + 1} answered").or_(
                        tab.page.get_by_role("heading", name="Thank you")
                    ).wait_for()
                yield "end", tab.page
                boss = Tab(browser, address, tokens[2], **settings)
                boss.begin()
                boss.page.get_by_role("heading", name="Agreement so far").wait_for()
                yield "study", boss.page
                boss.page.get_by_label("Name of somebody new").fill("dan")
                boss.page.get_by_role("button", name="Invite").click()
                boss.page.get_by_role("heading", name="dan is invited").wait_for()
                yield "invited", boss.page
                boss.page.goto(f"{address}/nowhere")
                yield "nowhere", boss.page
                boss.close()
            tab.close()


def test_a_researcher_looks_invites_and_pauses(browser: Any, tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", PROBES["choice"](12), "choice", per_item=2)
    tokens = invite(served, ["ann", "ben"]) + invite(served, ["boss"], role="researcher")
    for place, name in enumerate(("ann", "ben")):
        who = person(served, name)
        while (lease := next_lease(served, who)) is not None:
            say(served, who, served.tasks["item"][lease.name].choices[place])
    with listening(served) as address:
        boss = Tab(browser, address, tokens[2])
        boss.begin()
        first = boss.page.locator(".disputes li").first
        texts = first.locator("th[scope=row]").all_inner_texts()
        assert texts == list(served.tasks["item"][first.locator(".soft").inner_text().split(";")[0]].choices)
        widths = [each.bounding_box()["width"] for each in first.locator("rect").all()]
        whole = first.locator("svg").first.bounding_box()["width"]
        assert all(abs(width - whole / 2) < 3 for width in widths), "one vote of two is half the bar"
        assert boss.page.locator("tr", has_text="ann").locator("td").first.inner_text() == "done"
        boss.page.get_by_label("Name of somebody new").fill("eve")
        boss.page.get_by_role("button", name="Invite").click()
        boss.page.get_by_role("heading", name="eve is invited").wait_for()
        link = boss.page.get_by_label("Personal link").input_value()
        eve = Tab(browser, address, link.rpartition("/")[2])
        eve.begin()
        eve.page.get_by_role("heading", name="Thank you").wait_for()
        assert "nothing is left for you" in eve.page.locator("main").inner_text()
        boss.page.get_by_role("link", name="Back to the study").click()
        assert boss.page.locator("tr", has_text="eve").locator("td").first.inner_text() == "nothing left"
        boss.page.get_by_role("button", name="Pause eve").click()
        boss.page.get_by_role("button", name="Resume eve").wait_for()
        boss.page.get_by_role("button", name="Pause the study").click()
        boss.page.get_by_text("The study is paused").wait_for()
        eve.page.reload()
        eve.page.get_by_role("heading", name="A pause").wait_for()
        assert boss.said == eve.said == []
        assert all(url.startswith(address) for url in boss.asked)
        boss.close()
        eve.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, tmp_path: Path, scheme: str) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not here: npm install --no-save axe-core")
    for name, page in pages(browser, tmp_path, color_scheme=scheme, bypass_csp=True):
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run().then((all) => all.violations.map((v) => [v.id, v.nodes[0].html]))")
        assert found == [], name


def test_nothing_runs_over_the_edge_of_a_phone(browser: Any, tmp_path: Path) -> None:
    for name, page in pages(browser, tmp_path, viewport={"width": 360, "height": 740}):
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
