"""WinoVenti's schemas, on rows of our own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from horsesense.errors import UserError
from horsesense.methods.published import read_files
from horsesense.methods.winoventi.associations import read_registry
from horsesense.methods.winoventi.published_dataset import BENCHMARK, COLUMNS

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
    probe = read_files("winoventi", [write(tmp_path / "w.tsv", COLUMNS, GENERIC, EXCEPTION)])
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
    probe = read_files("winoventi", [write(tmp_path / "w.tsv", *turned)])
    assert probe.items[0].member == "exception"
    assert probe.card.notes["schemas without one generic and one exception"] == 1


FILLED = ("Ann took the pan from the stove. The pan is hot.", "Ann took the pan from the fridge. The pan is cold.")


def test_fine_tuning_files_are_read_as_they_are(tmp_path: Path) -> None:
    """A line has no wrong outcome: that is found in the benchmark, given or in a folder above."""
    folder = tmp_path / "data" / "finetune" / "only_exception"
    folder.mkdir(parents=True)
    train, test = folder / "train.txt", folder / "only-generics-test.txt"
    train.write_text(f"{FILLED[1]}\n")
    test.write_text(f"{FILLED[0]}\n{FILLED[1]}\n")
    with pytest.raises(UserError, match=r"winoventi_bert_large_final\.tsv"):
        read_files("winoventi", [train])
    foreign = tmp_path / "wsc.txt"
    foreign.write_bytes(FILLED[0].encode() + b"\n1\x01he ate\x01he drank\n")
    with pytest.raises(UserError, match=r"wsc\.txt:2: the line has fields"):
        read_files("winoventi", [foreign])
    write(tmp_path / "data" / "winoventi_bert_large_final.tsv", COLUMNS, GENERIC, EXCEPTION)
    (item,) = read_files("winoventi", [train]).items
    assert (item.member, item.options, item.answer) == ("exception", ("cold", "hot"), 0)
    assert {name: item.facets[name] for name in ("split", "scenario", "setting")} == {
        "split": "train",
        "scenario": "train",
        "setting": "full-exception",
    }
    both = read_files("winoventi", [train, test])
    assert [each.facets["split"] for each in both.items] == ["train", "test"]
    assert both.card.notes["lines that are in several files"] == 1
    test.write_text("Ann took the pan from the stove.  The pan is hot .\n")  # an outcome with a trailing space
    (spaced,) = read_files("winoventi", [test]).items
    assert spaced.member == "generic"
    test.write_text("Ann took the pan from the moon. The pan is hot.\n")
    with pytest.raises(UserError, match=r"only-generics-test\.txt:1: no row"):
        read_files("winoventi", [test])


def test_the_released_files_are_split_by_schema(shared: Path) -> None:
    """The half-exception files never cut a schema in two; the generic texts of the mixed test are drawn at random."""
    folder = shared / "data" / "winoventi" / "data" / "assets" / "finetune" / "winoventi"
    half = {
        name: {
            item.family for item in read_files("winoventi", [folder / "both_generic_exception" / f"{name}.txt"]).items
        }
        for name in ("train", "test")
    }
    assert (len(half["train"]), len(half["test"]), half["train"] & half["test"]) == (643, 645, set())
    mixed = read_files("winoventi", [folder / "only_exception" / "both-generic-exception-test.txt"])
    tests = Counter(item.member for item in mixed.items)
    twins = sum(count == 2 for count in Counter(item.family for item in mixed.items).values())
    assert (tests["exception"], tests["generic"], twins) == (259, 240, 49)


def test_which_intersection_the_paper_has(shared: Path) -> None:
    """The text says 94 schemas; table 6 has fractions of 229; the registry gives 159 triplets before validation."""
    results = shared / "data" / "winoventi" / "analysis" / "finetuning" / "results" / "pretrained_results.tsv"
    header, *rows = [line.split("\t") for line in results.read_text().splitlines()]
    table6 = [dict(zip(header[1:], row[1:], strict=True)) for row in rows if "longformer" not in row[1]]
    assert len(table6) == 12
    for row in table6:
        counts = [float(row[f"intersect_{test}"]) * 229 / 100 for test in ("generic", "exception")]
        assert counts == pytest.approx([round(count) for count in counts], abs=1e-6)
        other = [float(row[f"intersect_{test}"]) * 94 / 100 for test in ("generic", "exception")]
        assert other != pytest.approx([round(count) for count in other], abs=1e-3)
    registry = read_registry(shared / "data" / "winoventi" / "data" / "assets" / "associativebias_registry.tsv")
    common = set.intersection(*registry.values())
    benchmark = read_files("winoventi", [shared / "data" / "winoventi" / "data" / BENCHMARK])
    here = {" | ".join(item.family.split(" | ")[:3]) for item in benchmark.items}
    nouns = {item.groups["noun"] for item in benchmark.items}
    assert (len(common), sum(name.split(" | ")[0] in nouns for name in common), len(common & here)) == (159, 99, 83)


def test_a_triplet_of_the_registry_is_joined_without_its_outer_spaces(tmp_path: Path) -> None:
    header = "Word\tAssociative Bias\tAlternative\tBERT"
    (tmp_path / "r.tsv").write_text(f"{header}\npan\thot \tcold\tTrue\ncar\tmobile\tnonmobile \tFalse\n")
    assert read_registry(tmp_path / "r.tsv") == {"BERT": {"pan | hot | cold"}}
