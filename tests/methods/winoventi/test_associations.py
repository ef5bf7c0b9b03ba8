"""Similarity of associations: the released tables, cell by cell, and a small table of our own."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from horsesense.errors import UserError
from horsesense.methods.winoventi.associations import (
    Association,
    compare_associations,
    informative_table,
    jaccard_table,
    read_k_file,
    table_of,
)


@pytest.mark.parametrize("k", [1, 3, 5, 8, 10])
def test_released_tables_in_every_cell(shared: Path, k: int) -> None:
    folder = shared / "data" / "winoventi"
    table = read_k_file(folder / f"data/assets/k_analysis/things_k{k}.tsv")
    with (folder / f"analysis/jaccard/assets/jaccard_k{k}.tsv").open(newline="") as handle:
        header, *rows = csv.reader(handle, delimiter="\t")
    assert list(table.models) == header[1:]
    assert jaccard_table(table.columns) == [[float(cell) for cell in row[1:]] for row in rows]


def test_empty_cells_agree_with_one_another_only(tmp_path: Path) -> None:
    path = tmp_path / "k.tsv"
    path.write_text("Word\ta_common\tb_common\tc_common\ncup\thot,full\tfull\t\njar\t\t\tempty\nlid\t\t\t\n")
    similarity = jaccard_table(read_k_file(path).columns)
    assert similarity[0][1] == pytest.approx((1 / 2 + 1 + 1) / 3)
    assert similarity[0][2] == similarity[2][0] == pytest.approx((0 + 0 + 1) / 3)
    assert [similarity[n][n] for n in range(3)] == [1, 1, 1]


def test_nouns_without_any_association_are_left_out_of_the_second_table(tmp_path: Path) -> None:
    path = tmp_path / "k.tsv"
    path.write_text("Word\ta_common\tb_common\ncup\thot,full\tfull\njar\t\tempty\nlid\t\t\nrim\t\t\n")
    found = compare_associations(path)
    assert found.matrix[0][1] == pytest.approx((1 / 2 + 0 + 1 + 1) / 4)
    assert found.both_empty[0][1] == 1 / 2
    estimate = found.informative[0][1]
    assert estimate is not None
    assert estimate.value == pytest.approx((1 / 2 + 0) / 2)
    assert estimate.n == 2
    assert estimate.low <= estimate.value <= estimate.high
    assert found.informative[0][0] is None
    assert informative_table([[set()], [set()]], ["cup"])[0][1] is None


def test_bert_base_and_large_grow_more_similar_without_empty_cells(shared: Path) -> None:
    values = []
    for k in (1, 3, 5):
        table = read_k_file(shared / "data" / "winoventi" / f"data/assets/k_analysis/things_k{k}.tsv")
        estimate = informative_table(table.columns[:2], table.nouns)[0][1]
        assert estimate is not None
        values.append(round(estimate.value, 3))
    assert values == [0.065, 0.131, 0.142]


def test_tables_of_our_own_are_cut_at_k() -> None:
    associations = [Association("cup", "hot", 1), Association("cup", "full", 5), Association("jar", "hot", 3)]
    table = table_of([("one", associations), ("other", associations[:1])], k=3, nouns=["cup", "jar"])
    assert jaccard_table(table.columns)[0][1] == pytest.approx((1 + 0) / 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not a table of associations"),
        ("Word\ta_common\ncup\thot\n", "two or more columns"),
        ("Word\ta_common\ta_common\ncup\thot\thot\n", "is twice"),
        ("Word\ta_common\tb_common\ncup\thot\n", ":2: the line has 2 fields"),
        ("Word\ta_common\tb_common\n", "no noun"),
    ],
)
def test_bad_tables(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "k.tsv"
    path.write_text(content)
    with pytest.raises(UserError) as caught:
        read_k_file(path)
    assert message in str(caught.value)
