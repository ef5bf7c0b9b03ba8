"""How long a report over 5 models × 50,000 items takes, how large the page is, and how soon a browser can use it.

python bench/report.py [ITEMS [MODELS]]
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "report"))

from horsesense.report.collection import collect
from horsesense.report.page import write_report
from tests.support.made_run import made_items, make_run


def main() -> None:
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    models = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_run(folder / "run", {f"model-{n}": 0.5 + n / 12 for n in range(models)}, made_items(items // 2))
        start, worked = time.perf_counter(), time.process_time()
        collected = collect([folder / "run"])
        read = time.perf_counter()
        write_report(collected, folder / "page.html")
        end, worked = time.perf_counter(), time.process_time() - worked
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        size = (folder / "page.html").stat().st_size / 1e6
        print(f"{models} models, {items:,} items: {end - start:.1f} s, {end - read:.1f} of them writing")
        print(f"{worked:.1f} s of work")
        print(f"peak memory {peak:.0f} MB, the making of the run included; the page is {size:.1f} MB")
        try:
            _in_browser(folder / "page.html")
        except ImportError:
            print("no playwright here, so no browser was tried")


OPENED = 7


def _in_browser(page: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        took = []
        for _ in range(OPENED):
            for earlier in browser.contexts:
                earlier.close()
            tab = browser.new_page()
            start = time.perf_counter()
            tab.goto(page.as_uri())
            tab.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
            took.append(time.perf_counter() - start)
        told = f"{median(took):.2f} s (median of {OPENED}, {min(took):.2f} to {max(took):.2f})"
        print(f"interactive after {told}, at a load of {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores")
        for word in ("first", "second"):
            searched = tab.evaluate(
                """() => { const box = document.getElementById("search"), start = performance.now();
                   box.value = "kettle 12"; box.dispatchEvent(new Event("input", { bubbles: true }));
                   return performance.now() - start; }"""
            )
            print(f"{word} search {searched:.0f} ms: {tab.locator('#count').inner_text()}")
        browser.close()


if __name__ == "__main__":
    main()
