"""WinoVenti's schemas, on rows of our own."""

from __future__ import annotations

from pathlib import Path

from horsesense.methods.releases import read_release
from horsesense.methods.winoventi.released import COLUMNS

GENERIC = (
    "pan",
    "hot",
    "cold",
    "stove",
    "fridge ",
    "Ann took the pan from the stove. The pan is [MASK].",
    "hot",
    "cold",
    "1",
)
EXCEPTION = (
    "pan",
    "hot",
    "cold",
    "stove",
    "fridge ",
    "Ann took the pan from the fridge. The pan is [MASK].",
    "cold",
    "hot",
    "2",
)


def write(path: Path, *rows: tuple[str, ...]) -> Path:
    path.write_text("\n".join("\t".join(row) for row in rows) + "\n", encoding="utf-8")
    return path


def test_a_schema_is_a_family_of_generic_and_exception(tmp_path: Path) -> None:
    probe = read_release("winoventi", [write(tmp_path / "w.tsv", COLUMNS, GENERIC, EXCEPTION)])
    generic, exception = probe.items
    assert generic.family == exception.family == "pan | hot | cold | stove | fridge"
    assert (generic.member, exception.member) == ("generic", "exception")
    assert generic.text == "Ann took the pan from the stove. The pan is ___."
    assert generic.options == exception.options == ("cold", "hot")
    assert (generic.answer, exception.answer) == (1, 0)
    assert generic.groups == {"noun": "pan", "generic_word": "hot"}
    assert (generic.facets["test"], generic.facets["context"], exception.facets["context"]) == (
        "generic",
        "stove",
        "fridge",
    )
    assert probe.card.notes == {"texts with outer spaces": 2}
    assert (probe.card.group, probe.card.licence) == ("noun", "MIT")


def test_columns_in_another_order_and_half_a_schema(tmp_path: Path) -> None:
    turned = [tuple(reversed(row)) for row in (COLUMNS, EXCEPTION)]
    probe = read_release("winoventi", [write(tmp_path / "w.tsv", *turned)])
    assert probe.items[0].member == "exception"
    assert probe.card.notes["schemas without one generic and one exception"] == 1
