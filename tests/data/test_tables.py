"""One reader of tables with a header: every layout gives the same cells, and errors name file and line."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.data.table_formats import any_rows
from horsesense.data.tables import COMMAS, TABS, Layout, cells_of, iter_rows, open_table, read_table
from horsesense.errors import UserError
from horsesense.methods.published.reading import check_columns

PLAIN = "noun\tadjective\nice\tcold\n\nsun\thot\n"
QUOTED = 'noun,adjective\nice,"cold,\nvery"\n,\nsun,hot\n'


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_line_ends_and_packing_change_nothing(tmp_path: Path, packed: bool, mark: str, end: str) -> None:
    content = (mark + PLAIN.replace("\n", end)).encode()
    path = tmp_path / "t.tsv"
    path.write_bytes(gzip.compress(content) if packed else content)
    table = open_table(path, TABS)
    assert (table.header, table.line) == (["noun", "adjective"], 1)
    assert list(table.rows) == [(2, ["ice", "cold"]), (4, ["sun", "hot"])]
    quoted = open_table(path, Layout("\t", quoted=True))
    assert (quoted.header, list(quoted.rows)) == (["noun", "adjective"], [(2, ["ice", "cold"]), (4, ["sun", "hot"])])


def test_a_row_is_told_by_the_line_it_begins_on(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(QUOTED)
    assert list(open_table(path, COMMAS).rows) == [(2, ["ice", "cold,\nvery"]), (5, ["sun", "hot"])]


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r\ufeff"), max_size=6)


@given(rows=st.lists(st.lists(CELL, min_size=2, max_size=2), min_size=1, max_size=5))
def test_what_csv_writes_is_read_back(tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n").writerows([["a", "b"], *rows])
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_text(written.getvalue(), encoding="utf-8", newline="")
    there = [row for row in rows if any(cell.strip() for cell in row)]
    assert [cells for _, cells in open_table(path, COMMAS).rows] == there


def test_remarks_and_missing_cells(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("# who wrote it\nnoun\tadjective\n# no row\nice\n")
    assert list(read_table(path, ("noun",))) == [(4, {"noun": "ice", "adjective": ""})]


def test_semicolons_are_commas_where_the_header_says_so(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("noun;adjective\nice;cold, very\n")
    assert list(iter_rows(path)) == [(2, {"noun": "ice", "adjective": "cold, very"})]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "t.tsv: the table is empty"),
        ("# nothing\n", "t.tsv: the table is empty"),
        ("\nnoun\nice\n", "t.tsv:2: the table has no column 'adjective'"),
        ("noun\tadjective\nice\tcold\twet\n", "t.tsv:2: the row has 3 fields and the header 2; check tabs"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "t.tsv").write_text(content)
    with pytest.raises(UserError) as error:
        list(read_table(tmp_path / "t.tsv", ("noun", "adjective")))
    assert problem in str(error.value)


def test_a_quotation_mark_that_does_not_end(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('noun,adjective\nice,"cold\nsun,hot\n')
    with pytest.raises(UserError, match=r"t\.csv:2: .*cannot be split"):
        list(open_table(tmp_path / "t.csv", COMMAS).rows)
    with pytest.raises(UserError, match="the line cannot be split into fields"):
        cells_of('ice,"cold', COMMAS)


READERS: dict[str, Callable[[Path], object]] = {
    "shipped": lambda path: list(read_table(path, ("noun",))),
    "filled in": lambda path: list(iter_rows(path)),
    "any": lambda path: list(any_rows(path)),
    "of a release": lambda path: check_columns(path.read_text().splitlines()[0].split("\t"), ("noun",), path),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_name_that_stands_twice_in_the_header(tmp_path: Path, reader: str) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("noun\tkind\t\t\tkind \nice\tcold\t\t\twet\n")
    with pytest.raises(UserError) as error:
        READERS[reader](path)
    assert str(error.value) == f"{path}:1: the column 'kind' is twice in the header; rename one"
    path.write_text("noun\tkind\t\t\tKind\nice\tcold\t\t\twet\n")
    READERS[reader](path)


FORMULAS = ["=1+1", "+1", "-a", "@SUM(A1)", "'=1", "''-x", "'quoted'", "-1.5", "＝1", "ice"]


def test_no_cell_begins_a_formula_and_all_come_back(tmp_path: Path) -> None:
    from horsesense.data.tables import iter_rows, write_rows

    for name in ("a.csv", "a.tsv", "a.jsonl"):
        write_rows(tmp_path / name, [{"text": text} for text in FORMULAS], ("text",))
        assert [row["text"] for _, row in iter_rows(tmp_path / name)] == FORMULAS
    for cell in (tmp_path / "a.csv").read_text(encoding="utf-8").split()[1:]:
        assert cell[0] not in "=+-@＝" or cell in ("+1", "-1.5")
