"""Charts and tables of the page: the numbers they show are those of the answers."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from horsesense.core import Item
from horsesense.report.collection import Collection, collect
from horsesense.report.summary import errors_in_common
from horsesense.stats.mistakes import confusion
from horsesense.stats.slices import heat_table
from tests.support.made_run import made_items, make_run


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("pictures")
    return collect([make_run(folder / "run", {"good": 0.8}, made_items(60))], cues=False)


def test_every_cell_of_the_heat_map_is_a_mean_over_its_items(collected: Collection) -> None:
    (summary,) = collected.summaries
    assert summary.heat is not None
    table = heat_table(summary.heat)
    assert (table.rows, table.columns) == ((0, 1, 2), ("far", "near"))
    for row, cells in zip(table.rows, table.cells, strict=True):
        for column, cell in zip(table.columns, cells, strict=True):
            values = [
                value
                for item, value in zip(summary.answered.items, summary.earned.values, strict=True)
                if (item.facets["hops"], item.facets["distractor_kind"]) == (row, column)
            ]
            assert cell is not None
            assert cell.n == len(values)
            assert cell.value == pytest.approx(sum(values) / len(values))


def test_confusion_goes_by_label_and_not_by_position() -> None:
    rng = random.Random(1)
    items, predicted = [], []
    expected: Counter[tuple[str, str]] = Counter()
    for number in range(60):
        options = ("yes", "no", "maybe") if number == 0 else tuple(rng.sample(["yes", "no", "maybe"], 3))
        right, chosen = rng.randrange(3), rng.randrange(3)
        items.append(Item(probe="p", form="pair", text=f"{number}", options=options, answer=right))
        predicted.append((chosen,))
        expected[options[right], options[chosen]] += 1
    found = confusion(items, predicted)
    assert found is not None
    assert found.labels == ("yes", "no", "maybe")
    for row, counts in zip(found.labels, found.counts, strict=True):
        assert counts == tuple(expected[row, column] for column in found.labels)


def test_sentences_are_no_labels(collected: Collection) -> None:
    assert collected.summaries[0].confusion is None


def test_shared_errors_are_counted_item_by_item(tmp_path: Path) -> None:
    items = made_items(40)
    runs = [make_run(tmp_path / "a", {"one": 0.6}, items), make_run(tmp_path / "b", {"two": 0.7}, items[:50])]
    summaries = collect(runs, cues=False).probes["made"]
    ((names, found),) = errors_in_common(summaries).items()
    assert names == ("one", "two")
    wrong = [
        {item.id for item, told in zip(s.answered.items, s.earned.predicted, strict=True) if told != (item.answer,)}
        for s in summaries
    ]
    asked = {item.id for item in items[:50]}
    both, either = wrong[0] & wrong[1], (wrong[0] & asked) | wrong[1]
    assert 0 < len(both) < len(either)
    assert (found.both, found.either) == (len(both), len(either))
    # If they were independent: both miss with pq, either with p + q - pq.
    p, q = len(wrong[0] & asked) / 50, len(wrong[1]) / 50
    assert found.expected == pytest.approx(p * q / (1 - (1 - p) * (1 - q)))


def test_charts_are_written_as_svg_and_png(collected: Collection, tmp_path: Path) -> None:
    from horsesense.report.charts import write_charts

    written = write_charts(collected, tmp_path)
    kinds = {path.stem.rpartition("_")[2] for path in written}
    assert {"calibration", "families", "heat", "by-hops"} <= kinds
    for path in written:
        content = path.read_bytes()
        assert content.startswith(b"<svg" if path.suffix == ".svg" else b"\x89PNG"), path.name
    (hops,) = [path for path in written if path.name.endswith("by-hops.svg")]
    assert "hops" in hops.read_text()
    sheet = re.search(r"<rect [^>]*>", hops.read_text())
    assert sheet, "dark ink needs a sheet of its own: the screen may be dark"
    assert 'fill="#ffffff"' in sheet[0]


def test_colours_in_the_page_follow_its_theme(collected: Collection) -> None:
    from horsesense.drawing import BAR, INK
    from horsesense.report.charts import svg_charts

    for drawings in svg_charts(collected).values():
        for svg in drawings.values():
            assert "var(--bar)" in svg
            assert BAR not in svg
            assert INK not in svg
