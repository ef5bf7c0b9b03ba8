"""Where axioms and entities come from: knowledge bases in all their formats, tables, names; and what is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from horsesense.errors import UserError
from horsesense.knowledge.atomic import read_atomic
from horsesense.knowledge.conceptnet import read_conceptnet
from horsesense.language.frequency import zipf
from horsesense.language.novel import is_novel, novel_names
from horsesense.probes.rica.entities import entities_of
from horsesense.probes.rica.operators import KINDS
from horsesense.probes.rica.recipe import Plan, build_rica, kinds_of
from horsesense.probes.rica.shipped import shipped_lexicon
from horsesense.probes.rica.strategies import Sources, known_axioms
from horsesense.probes.rica.tables import TEMPLATES, read_known
from made_sources import LISTS, official_atomic, official_conceptnet, plain_conceptnet, preprocessed_atomic

LETTERS = entities_of("letters", None, 0)


@pytest.mark.parametrize("conceptnet", [plain_conceptnet, official_conceptnet])
@pytest.mark.parametrize("atomic", [official_atomic, preprocessed_atomic])
def test_knowledge_bases_in_all_their_formats(conceptnet: object, atomic: object, tmp_path: Path) -> None:
    assert callable(conceptnet)
    assert callable(atomic)
    facts = {
        "conceptnet": read_conceptnet([conceptnet(tmp_path / "cn")]),
        "atomic": read_atomic([atomic(tmp_path / "at.csv")]),
    }
    rejected: Counter[str] = Counter()
    names = [name for name in TEMPLATES if name not in ("grade", "location", "temporal")]
    known = list(known_axioms(names, Sources(facts=facts, lists=LISTS, shipped=False), rejected))
    told = {(each.template, str(each.axiom)): each.status for each in known}
    talk = "so More(talk to sailors(A), talk to sailors(B))"
    assert told["animal", f"animal(A, parrot) and animal(B, mole), {talk}"] == "machine"
    assert told["animal", f"animal(A, parrot) and animal(B, cod), {talk}"] == "raw"
    assert ("role", "baker(A, B), so More(knead dough(A), knead dough(B))") in told
    assert ("physical-degree", "More(flat(A), flat(B)), so Better(stack plates(A), stack plates(B))") in told
    hill = "person_a helps person_b up the hill(A, B), so More(kind(A), kind(B))"
    assert told["action-between", hill] == "raw"
    alone = "helps another person up the hill(A) and not helps another person up the hill(B), so More(kind(A), kind(B))"
    assert ("action-alone", alone) in told
    assert "waters their roses(A)" in " ".join(text for _, text in told)
    assert not any("meets person_b" in text for _, text in told)
    assert rejected["action-between: the relation holds both ways"] == 1
    assert rejected["role: not of the type that the template asks for"] == 1
    left_out = facts["atomic"].left_out
    assert left_out["event: no person at its head"] == 1
    assert left_out["event: a word is missing"] == 1
    assert left_out["event: a third person"] == 1
    assert left_out["inference: none"] == 1


def test_the_files_at_hand(shared: Path) -> None:
    facts = read_conceptnet([shared / "data" / "kb" / "conceptnet" / "dev1.txt"])
    assert len(facts.facts) + facts.left_out["marked as false"] == 1_200
    assert len(facts.facts) == 600


def test_entities_are_no_words_and_no_tokens() -> None:
    names = novel_names(300)
    assert all(3 <= len(name) <= 12 and zipf(name) == 0 for name in names)
    assert {len(name) for name in names} >= set(range(4, 13))
    assert not is_novel("ing")
    assert not is_novel("table")
    assert names == novel_names(300)
    assert not set(names) & set(novel_names(300, seed=1)) or len(set(names) & set(novel_names(300, seed=1))) < 5


@pytest.mark.parametrize("name", ["smollm2", "minilm"])
def test_no_entity_is_a_single_token(name: str) -> None:
    """Vocabularies at hand: byte-pair pieces and word pieces."""
    from tokenizers import Tokenizer

    from horsesense.models.bundled import ready_folder

    try:
        folder = ready_folder(name)
    except UserError:
        pytest.skip(f"{name} is not in the cache")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    for entity in novel_names(1_000):
        for text in (entity, f" {entity}", entity.capitalize()):
            assert len(tokenizer.encode(text, add_special_tokens=False).ids) > 1, entity


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    table = tmp_path / "own.tsv"
    table.write_text("template\ta\tb\tconclusion\tstatus\nmaterial\tmud, silt\tbasalt\tmore: squishy\tverified\n")
    known = list(read_known(table))
    assert [str(each.axiom) for each in known] == [
        f"Material(A, {a}) and Material(B, basalt), so More(squishy(A), squishy(B))" for a in ("mud", "silt")
    ]
    probe = build_rica(Plan(["material"], Sources([table], shipped=False), shipped_lexicon(), LETTERS, balance=False))
    assert {item.facets["status"] for item in probe.items} == {"verified"}
    assert probe.card.notes["antonym: not in the lexicon"] == 2


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("template\ta\tb\nmaterial\tmud\tclay\n", "no column 'conclusion'"),
        ("template\ta\tb\tconclusion\nmetal\tmud\tclay\tmore: soft\n", "there is no template 'metal'"),
        ("template\ta\tb\tconclusion\nmaterial\tmud\t\tmore: soft\n", "a cell of the premise is empty"),
        ("template\ta\tb\tconclusion\nmaterial\tmud\tclay\tsoft\n", "lacks a comparative"),
        ("template\ta\tb\tconclusion\nmaterial\tmud\tclay\tfunnier: soft\n", "has no opposite"),
        ("template\ta\tb\tconclusion\naction-between\tperson_a sings\t\tmore: loud\n", "lacks person_a or person_b"),
        ("template\ta\tb\tconclusion\tstatus\nrole\tboss\t\tmore: loud\tsure\n", "there is no status 'sure'"),
    ],
)
def test_a_bad_table_is_told_with_its_line(table: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text(table)
    with pytest.raises(UserError) as error:
        list(read_known(path))
    assert told in str(error.value)
    assert str(error.value).startswith(f"{path}:")


def test_bad_sources_are_told(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("xqorv\ntable\n")
    with pytest.raises(UserError, match="the entity 'table' is a word"):
        entities_of(str(path), None, 0)
    path.write_text("xqorv\nxqorv\n")
    with pytest.raises(UserError, match="fewer than two, or one stands twice"):
        entities_of(str(path), None, 0)
    with pytest.raises(UserError, match="kind of entities"):
        entities_of("novels", None, 0)
    path.write_text("a\tb\n")
    with pytest.raises(UserError, match="not a line of ConceptNet"):
        read_conceptnet([path])
    with pytest.raises(UserError, match="not a line of ATOMIC"):
        read_atomic([path])
    with pytest.raises(UserError, match="nothing to draw on"):
        build_rica(Plan(["animal"], Sources(), shipped_lexicon(), LETTERS))
    with pytest.raises(UserError, match="no strategy 'materials'"):
        build_rica(Plan(["materials"], Sources(), shipped_lexicon(), LETTERS))
    with pytest.raises(UserError, match="no perturbation 'antonyms'"):
        kinds_of(["antonyms"])
    assert kinds_of(["all"]) == KINDS
