"""Every released file that has a reader, against the counts of the data's own description."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from horsesense.core import Item, Probe, fill_blank, read_probe, write_probe
from horsesense.methods.published import read_files
from horsesense.methods.rica.published_statements import denies, entities, inferred_facets

CATS = [
    f"commonsense_ability_test/{task}.txt"
    for task in ("ca", "wsc", "sm", "smr", "swag", "arct_1", "arct_2", "hella_swag")
]
ROBUST = [f"Robust_commonsense_test/{edit}.txt" for edit in ("add", "swap", "del", "sub")]
MCQA = [
    f"{task}.jsonl.gz"
    for task in (
        "definitions/train",
        "hypernymy/train",
        "hypernymy/test",
        "hyponymy/test",
        "dictionary_qa/test",
        "synonymy/train",
    )
]


@pytest.fixture(scope="module")
def data(shared: Path) -> Path:
    return shared / "data"


def described(data: Path, section: str, file: str) -> int:
    """The number of rows that the description gives for a file: the first number after its name in its table."""
    text = (data / "README.md").read_text(encoding="utf-8")
    part = text[text.index(f"`{section}`") :]
    line = next(line for line in part.splitlines() if line.startswith("|") and f"`{file}`" in line)
    match = re.search(r"\| ([0-9,]+)(?: each)? \|", line)
    assert match, line
    return int(match[1].replace(",", ""))


def read(data: Path, release: str, *files: str) -> Probe:
    return read_files(release, [data / file for file in files])


@pytest.mark.parametrize("file", CATS)
def test_cats(data: Path, file: str) -> None:
    probe = read(data, "cats", f"cats/{file}")
    assert len(probe.items) == described(data, "cats/", file)
    raw = (data / "cats" / file).read_text(encoding="utf-8").rstrip("\n").split("\n")
    for item, line in zip(probe.items, raw, strict=True):
        gold, *candidates = line.split("\x01")
        assert item.answer == int(gold)
        # The one repair that changes letters is that of two garbled quotation marks.
        expected = [candidate.replace("\u00a0", " ").replace(" [SEP] ", " ").strip() for candidate in candidates]
        assert sum(a != b for a, b in zip(item.options, expected, strict=True)) <= ("\u00a1" in line)


def test_oddities_of_cats_are_counted(data: Path) -> None:
    notes = read(data, "cats", *[f"cats/{file}" for file in CATS]).card.notes
    assert notes["CRLF line ends"] == 1877 + 444 + 888 + 1000
    assert notes["non-breaking spaces"] == 4
    assert notes["garbled quotation marks"] == 2
    assert notes["texts with outer spaces"] >= 3 * 2021


def test_units_of_cats(data: Path) -> None:
    items = read(data, "cats", *[f"cats/{file}" for file in CATS]).items
    source = {
        task: Counter(i.groups["source"] for i in items if i.facets["task"] == task)
        for task in ("ca", "wsc", "sm", "smr")
    }
    assert min(source["wsc"].values()) == 2, "no Winograd schema without its twin"
    assert max(source["wsc"].values()) <= 4
    assert set(source["ca"]) <= set(source["wsc"]), "every conjunction was made from a schema"
    assert sum(n for name, n in source["smr"].items() if name in source["sm"]) >= 1876
    assert max(source["sm"].values()) <= 2


@pytest.mark.parametrize("file", ROBUST)
def test_robust(data: Path, file: str) -> None:
    probe = read(data, "cats-robust", f"cats/{file}")
    rows = described(data, "cats/", file)
    assert (len(probe.items), probe.card.families) == (2 * rows, rows)
    assert probe.card.notes.get("lines whose answer does not flip", 0) == {"swap": 6, "sub": 1}.get(Path(file).stem, 0)
    assert probe.card.notes.get("full-width commas", 0) == (2 if "add" in file else 0)
    general = read(data, "cats", *[f"cats/{name}" for name in CATS])
    known = {item.groups["candidates"] for item in general.items}
    originals = sum(item.groups["candidates"] in known for item in probe.items if item.member == "a")
    made = 0.1 if "del" in file else 0.8
    assert originals > made * rows, "most robust lines were made from a line of the general tests, but for del"


@pytest.mark.parametrize("split", ["train", "eval", "test"])
def test_rica(data: Path, split: str) -> None:
    folder = data / "rica/data/10k"
    files = [folder / f"{split}_sentences.txt", folder / f"{split}_sentences_m.txt"]
    files += [folder / "config.txt"] if split == "test" else []
    probe = read_files("rica", files)
    assert len(probe.items) == described(data, "rica/", f"data/10k/{split}_sentences.txt")
    statements, masks = (file.read_text(encoding="utf-8").split("\n") for file in files[:2])
    for item, statement, mask in zip(probe.items, statements, masks, strict=True):
        assert item.answer is not None
        assert fill_blank(item.text, item.options[item.answer]) == statement
        assert item.options[item.answer] == mask
        assert item.text.index("___") > item.text.rindex(", so ")
    assert probe.card.notes.get("mask word in the premise too", 0) == {"train": 1309, "eval": 0, "test": 1}[split]
    assert probe.card.notes["no final newline"] == len(files)
    assert {tuple(sorted(item.options)) for item in probe.items} == {item.options for item in probe.items}


def test_rica_axioms(data: Path) -> None:
    file = "data/RICA_10k_axiom2set.jsonl.gz"
    probe = read(data, "rica-axioms", f"rica/{file}")
    rows = described(data, "rica/", file)
    assert (len(probe.items), probe.card.families) == (6 * rows, rows) == (9054, 1509)
    templates = Counter(item.facets["template"] for item in probe.items)
    assert {name: count // 6 for name, count in templates.items()} == {
        "event-two-persons": 338,
        "event-one-person": 350,
        "comparison": 382,
        "animal": 356,
        "location": 38,
        "occupation": 35,
        "material": 4,
        "grade": 3,
        "other": 3,
    }
    with gzip.open(data / "rica" / file, "rt", encoding="utf-8") as lines:
        statements = Counter(value[1][0] for line in lines for value in json.loads(line).values())
    assert Counter(fill_blank(i.text, i.options[i.answer or 0]) for i in probe.items) == statements


def test_what_a_statement_of_rica_tells_of_its_perturbation(data: Path) -> None:
    """The axioms say how each statement was perturbed; the statements of the splits do not, and are read."""
    items = read(data, "rica-axioms", "rica/data/RICA_10k_axiom2set.jsonl.gz").items
    facets = [
        inferred_facets(fill_blank(i.text, i.options[i.answer or 0]), str(i.facets["comparative"])) for i in items
    ]
    assert all(
        recognised["perturbation"] == item.facets["perturbation"]
        for recognised, item in zip(facets, items, strict=True)
    )
    kept = [
        (recognised["asymmetry"] == "none") == (i.facets["asymmetry"] == "none")
        for recognised, i in zip(facets, items, strict=True)
    ]
    assert (sum(kept), len(kept)) == (9043, 9054)


def test_the_curated_set_of_rica_has_80_axioms(data: Path) -> None:
    folder = "rica/data/human_curated_set"
    files = [data / folder / name for name in ("eval_sentences.txt", "eval_sentences_m.txt", "config.txt")]
    items = read_files("rica", files).items
    sizes = Counter(Counter(item.family for item in items).values())
    assert sizes == {24: 60, 8: 20}
    assert len({item.groups["axiom"] for item in items}) == 80
    kinds = Counter(item.facets["perturbation"] for item in items)
    assert set(kinds.values()) == {200}
    assert len(kinds) == 8
    # Twelve paraphrases deny, or affirm, in a word of their own ("couldn't be opened"); all others show their kind.
    shown = [item for item in items if denies(item.text) == str(item.facets["perturbation"]).startswith("negation")]
    assert len(items) - len(shown) == 12


@pytest.mark.parametrize(("split", "families"), [("test", 171), ("eval", 170)])
def test_the_splits_of_rica_go_by_axiom(data: Path, split: str, families: int) -> None:
    """Held against the release's axiom file wherever a statement stands there word for word."""
    files = [data / f"rica/data/10k/{split}_sentences{end}.txt" for end in ("", "_m")]
    items = read_files("rica", files).items
    assert len({item.family for item in items}) == families
    known: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for item in read(data, "rica-axioms", "rica/data/RICA_10k_axiom2set.jsonl.gz").items:
        known[said(item).rstrip(". ")].append((item.family, item.member))
    axioms: dict[str, set[str]] = defaultdict(set)
    for item in items:
        statement = said(item).rstrip(". ")
        pair = entities(statement)
        found = [match for names in (pair, pair[::-1]) for match in known[about(statement, names)]]
        if len({axiom for axiom, _ in found}) == 1:
            axioms[item.family].add(found[0][0])
            assert item.member in {member for _, member in found}
    assert len(axioms) > 0.85 * families
    assert all(len(of_family) == 1 for of_family in axioms.values())


def about(statement: str, names: tuple[str, ...]) -> str:
    """The statement about A and B instead of these names."""
    letters = dict(zip(names, "AB", strict=True))
    return "".join(letters.get(part, part) for part in re.split(r"(\w+)", statement))


def said(item: Item) -> str:
    return fill_blank(item.text, item.options[item.answer or 0])


@pytest.mark.parametrize(("split", "right"), [("train", 0.95), ("test", 0.87)])
def test_structure_answers_the_splits_of_rica(data: Path, split: str, right: float) -> None:
    files = [data / f"rica/data/10k/{split}_sentences{end}.txt" for end in ("", "_m")]
    rules = Counter(item.facets["rule"] for item in read_files("rica", files).items)
    assert round(rules["right"] / rules.total(), 2) == right


def test_winoventi(data: Path) -> None:
    file = "data/winoventi_bert_large_final.tsv"
    probe = read(data, "winoventi", f"winoventi/{file}")
    assert (len(probe.items), probe.card.families) == (2576, 1288)
    members: dict[str, list[str]] = {}
    for item in probe.items:
        members.setdefault(item.family, []).append(item.member)
    assert all(sorted(tests) == ["exception", "generic"] for tests in members.values())
    with (data / "winoventi" / file).open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    for item, row in zip(probe.items, rows, strict=True):
        filled = fill_blank(item.text, item.options[item.answer or 0])
        assert filled == row["masked_prompt"].replace("[MASK]", row["target"])
    assert len({item.groups["noun"] for item in probe.items}) == 578


def test_partwhole(data: Path) -> None:
    files = ["data/annotated/train.csv", "data/annotated/dev.csv"]
    probe = read(data, "partwhole", *[f"partwhole/{file}" for file in files])
    rows = [described(data, "partwhole/", file) for file in files]
    assert len(probe.items) == sum(rows)
    assert probe.card.notes["label and bin_label disagree"] == 12
    assert Counter(item.facets["split"] for item in probe.items) == {"train": rows[0], "dev": rows[1]}


def test_partwhole_nli_has_the_triples_of_dev(data: Path) -> None:
    file = "data/annotated/nli_style_dev.jsonl.gz"
    pairs = read(data, "partwhole-nli", f"partwhole/{file}")
    assert len(pairs.items) == described(data, "partwhole/", file)

    def triples(probe: Probe) -> set[tuple[object, ...]]:
        return {(*(item.facets[name] for name in ("whole", "part", "adjective")), item.answer) for item in probe.items}

    assert triples(pairs) == triples(read(data, "partwhole", "partwhole/data/annotated/dev.csv"))


@pytest.mark.parametrize("file", MCQA)
def test_mcqa(data: Path, file: str) -> None:
    probe = read(data, "mcqa", f"mcqa/data_mcqa/{file}")
    assert len(probe.items) == described(data, "mcqa/data_mcqa/", file)
    assert {item.facets["task"] for item in probe.items} == {file.partition("/")[0].removesuffix("_qa")}, (
        "told without the folder"
    )
    assert {item.facets["split"] for item in probe.items} == {"test" if "test" in file else "train"}
    aligned = sum(bool(item.concepts) for item in probe.items) / len(probe.items)
    assert aligned == 0 if "definitions" in file else aligned > 0.85
    for item in probe.items:
        assert item.answer is not None
        assert not item.concepts or item.concepts[item.answer] == item.groups["answer"]
    if file == "hypernymy/train.jsonl.gz":
        assert len({item.source.id for item in probe.items}) == 2495


@pytest.mark.parametrize("ending", [".jsonl.gz", ".parquet"])
def test_a_probe_of_several_files_comes_back_from_disk(data: Path, tmp_path: Path, ending: str) -> None:
    probe = read(data, "mcqa", *[f"mcqa/data_mcqa/{file}" for file in MCQA[1:3]])
    write_probe(tmp_path / f"mcqa{ending}", probe)
    again = read_probe(tmp_path / f"mcqa{ending}")
    assert list(again.items) == list(probe.items)
    assert again.card == probe.card
