"""Where axioms and entities come from: knowledge bases in all their formats, tables, names; and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from horsesense.data import read_table
from horsesense.errors import UserError
from horsesense.lexicons.novel_names import is_novel, novel_names
from horsesense.lexicons.triples import Fact, Facts, read_atomic, read_conceptnet, read_generics
from horsesense.lexicons.wordnet import find_wordnet
from horsesense.lexicons.words import zipf
from horsesense.methods.rica import type_constraints as types
from horsesense.methods.rica.builder import RicaPlan, build_rica, kinds_of
from horsesense.methods.rica.english_statements import entities_of, say
from horsesense.methods.rica.knowledge_tables import DATA, TEMPLATES, fill, read_axioms
from horsesense.methods.rica.lexicon import compare_with_wordnet, read_lexicon, shipped_lexicon
from horsesense.methods.rica.perturbations import KINDS
from horsesense.methods.rica.strategies import AxiomSources, axioms_from_facts, sourced_axioms, strategies_of, traits
from tests.support.made_sources import (
    LISTS,
    json_conceptnet,
    official_atomic,
    official_conceptnet,
    plain_conceptnet,
    preprocessed_atomic,
)

LETTERS = entities_of("letters", None, 0)


@pytest.mark.parametrize("conceptnet", [plain_conceptnet, official_conceptnet, json_conceptnet])
@pytest.mark.parametrize("atomic", [official_atomic, preprocessed_atomic])
def test_knowledge_bases_in_all_their_formats(conceptnet: object, atomic: object, tmp_path: Path) -> None:
    assert callable(conceptnet)
    assert callable(atomic)
    facts = {
        "conceptnet": read_conceptnet([conceptnet(tmp_path / "cn")]),
        "atomic": read_atomic([atomic(tmp_path / "at.csv")]),
    }
    rejected: Counter[str] = Counter()
    names = ["animal", "role", "occupation", "action-between", "action-alone"]
    known = list(sourced_axioms(names, AxiomSources(facts=facts, lists=LISTS, shipped=False), rejected))
    statuses = {(axiom.template, str(axiom.axiom)): axiom.status for axiom in known}
    talk = "so More(is * likely to talk to sailors(A), is * likely to talk to sailors(B))"
    assert statuses["animal", f"animal(A, parrot) and animal(B, mole), {talk}"] == "machine", "it is denied of moles"
    assert ("animal", f"animal(A, parrot) and animal(B, cod), {talk}") not in statuses, "nothing is said of cods"
    knead = "so More(is * likely to knead dough(A), is * likely to knead dough(B))"
    assert ("role", f"baker(A, B), {knead}") in statuses
    hill = "person_a helps person_b up the hill(A, B), so More(considerate(A), considerate(B))"
    assert statuses["action-between", hill] == "proposed"
    alone = (
        "helps another person up the hill(A) and not helps another person up the hill(B), "
        "so More(considerate(A), considerate(B))"
    )
    assert ("action-alone", alone) in statuses
    assert not any("meets person_b" in text for _, text in statuses)
    assert rejected["role: holds both ways, or said badly"] == 1
    left_out = facts["atomic"].left_out
    assert left_out["event: no person at its head"] == 1
    assert left_out["event: a word is missing"] == 1
    assert left_out["event: a third person"] == 1
    assert left_out["inference: none"] == 1


def test_the_files_at_hand(shared: Path) -> None:
    facts = read_conceptnet([shared / "data" / "kb" / "conceptnet" / "dev1.txt"])
    assert len(facts.facts) + facts.left_out["marked as false"] == 1_200
    assert len(facts.facts) == 600


def test_what_would_not_be_english_is_left_out() -> None:
    assert types.lone_event("person_a does n't mind the rain") is None
    assert types.lone_event("person_a minds the rain") == "minds the rain"
    assert types.event_between("person_a never calls person_b") is None
    assert types.event_between("person_a writes person_b essay") is None, "an essay"
    assert types.lone_event("person_a wishes could get") is None
    assert (types.place("in ocean"), types.place("ocean")) == (None, "be found in the ocean")
    # "Live" is an adjective too, but what one is capable of is a verb.
    axiom = fill("animal", "seal", "mole", f"more: is * likely to {types.plain_ability('live in water')}")
    assert say(axiom).text == "A is a seal and B is a mole, so A is more likely to live in water than B"


def crawl(name: str, facts: Sequence[Fact]) -> tuple[dict[str, str], Counter[str]]:
    """Statement → status of the axioms that some facts give, and what was left out."""
    rejected: Counter[str] = Counter()
    known = axioms_from_facts(name, {"conceptnet": Facts("conceptnet", "CC0", tuple(facts))}, {}, rejected)
    return {say(each.axiom).text: each.status for each in known}, rejected


def used(thing: str, *purposes: str) -> list[Fact]:
    return [Fact("UsedFor", thing, purpose, 2.0) for purpose in purposes]


def test_a_thing_is_compared_with_one_that_is_for_other_uses() -> None:
    if find_wordnet() is None:
        pytest.skip("WordNet is not here")
    knife = used("knife", "cut bread", "fun", "poking")
    guitar = used("guitar", "play song", "make music", "strum chords", "entertain people")
    axe = used("axe", "cutting wood", "chop trees", "split logs")
    statements, rejected = crawl("use", [*knife, *guitar, *axe, *used("water", "wash hair"), *used("jeans", "sit")])
    bread = "A is a knife and B is a guitar, so A is more useful for cutting bread than B"
    assert statements[bread] == "machine"
    assert not any("B is an axe" in each and "cutting bread" in each for each in statements), "an axe cuts too"
    assert not any("knife" in each.partition(" and ")[2] for each in statements), "too few of its uses are known"
    assert rejected["use: not a common thing that people make, by WordNet"] == 2
    assert rejected["use: no clear purpose in few words"] == 3


def test_silence_of_a_knowledge_base_is_only_a_proposal() -> None:
    if find_wordnet() is None:
        pytest.skip("WordNet is not here")
    facts = [
        Fact("CapableOf", "barber", "cut hair"),
        Fact("CapableOf", "barber", "tell jokes"),
        Fact("CapableOf", "barber", "drink coffee"),
        Fact("CapableOf", "person", "drink coffee"),
        Fact("CapableOf", "plumber", "fix pipes"),
        Fact("CapableOf", "priest", "bless people"),
    ]
    statements, rejected = crawl("occupation", facts)
    start = "A works as a barber and B works as a plumber, so A is more likely to"
    assert statements[f"{start} cut hair than B"] == "machine", "its definition says so"
    assert statements[f"{start} tell jokes than B"] == "proposed"
    assert not any("coffee" in each for each in statements)
    assert rejected["occupation: anybody can do it"] == 1
    assert rejected["occupation: a person who is not in the list of occupations"] == 2

    places = [
        ("whale", "ocean"),
        ("whale", "sea"),
        ("cow", "farm"),
        ("cow", "barn"),
        ("duck", "farm"),
        ("duck", "barn"),
    ]
    statements, _ = crawl("animal", [Fact("AtLocation", head, tail) for head, tail in places])
    assert statements["A is a whale and B is a cow, so A is more likely to be found in the ocean than B"] == "machine"
    assert statements["A is a whale and B is a duck, so A is more likely to be found in the ocean than B"] == "proposed"


def test_without_shipped_tables_strategies_without_a_source_are_left_out(tmp_path: Path) -> None:
    facts = {"conceptnet": read_conceptnet([plain_conceptnet(tmp_path / "cn")])}
    strategies = strategies_of(AxiomSources(facts=facts, lists=LISTS, shipped=False))
    assert set(strategies) == {"material", "animal", "occupation", "role", "use"}
    assert set(strategies_of(AxiomSources())) == set(TEMPLATES) - {"use"}
    with pytest.raises(UserError, match="the strategy grade has no source"):
        list(sourced_axioms(["grade"], AxiomSources(facts=facts, shipped=False), Counter()))


ADJECTIVES = """\
00000001 00 a 01 parched 0 001 ! 00000004 a 0101 | without water
00000002 00 s 01 bone-dry 0 001 & 00000001 a 0000 | of a throat
00000003 00 s 01 damp 0 001 & 00000004 a 0000 | with some water
00000004 00 a 01 soaked 0 001 ! 00000001 a 0101 | full of water
00000005 00 a 01 plucky 0 000 | brave
00000006 00 a 01 meek 0 000 | not brave
"""
PAIRS = """\
phrase\tantonym\tparaphrase\tinversion\tstatus
parched\tsoaked\tbone-dry\tdamp\tpeople
plucky\tmeek\tfull of pluck\t\tmodel
"""


def test_pairs_are_held_against_wordnet(tmp_path: Path) -> None:
    (tmp_path / "data.adj").write_text(ADJECTIVES)
    (tmp_path / "own.tsv").write_text(PAIRS)
    checked = compare_with_wordnet(read_lexicon(tmp_path / "own.tsv"), tmp_path)
    said = {(pair.phrase, pair.other): (pair.operator, pair.status, pair.wordnet) for pair in checked.pairs}
    assert said == {
        ("parched", "soaked"): ("antonym", "people", "confirmed"),
        ("parched", "bone-dry"): ("paraphrase", "people", "confirmed"),
        ("parched", "damp"): ("inversion", "people", "confirmed"),
        ("plucky", "meek"): ("antonym", "model", "not confirmed"),
        ("plucky", "full of pluck"): ("paraphrase", "model", ""),
    }
    assert checked.statuses == {"people": 3, "model": 2}


def test_most_shipped_pairs_that_wordnet_knows_are_confirmed() -> None:
    folder = find_wordnet()
    if folder is None:
        pytest.skip("WordNet is not here")
    checked = compare_with_wordnet(shipped_lexicon(), folder)
    assert set(checked.statuses) == {"model"}, "nobody has verified them yet"
    assert checked.wordnet["confirmed"] > 40
    assert checked.wordnet["not confirmed"] < 8


def test_every_trait_is_told_on_one_scale() -> None:
    """A word that stood under two properties, or on both sides of one, would say two things at once."""
    rows = list(read_table(DATA / "traits.tsv", ("property", "more", "less", "status")))
    for about in ("people", "material"):
        words = [
            word.strip()
            for _, row in rows
            if row["property"].startswith("material: ") == (about == "material")
            for side in ("more", "less")
            for word in row[side].split(",")
            if word.strip()
        ]
        twice = {word for word in words if words.count(word) > 1}
        assert twice == set()
        assert set(words) == set(traits(about))


def test_generics_tell_what_kinds_do(tmp_path: Path) -> None:
    path = tmp_path / "generics.txt"
    path.write_text(
        "beaver\tBeavers build dams.\t0.9\nbeaver\tA beaver is a rodent\t1.0\nowl\tOwls have (part) faces.\t1.0\n"
    )
    facts = read_generics([path])
    rejected: Counter[str] = Counter()
    known = list(sourced_axioms(["animal"], AxiomSources(facts={"genericskb": facts}, shipped=False), rejected))
    assert rejected["animal: a sentence that does not say what it does"] == 2
    assert {str(axiom.axiom).split(", so ")[1] for axiom in known} == {
        "More(is * likely to build dams(A), is * likely to build dams(B))"
    }
    assert len(known) == 3
    path.write_text("beaver\n")
    with pytest.raises(UserError, match="not a line of GenericsKB"):
        read_generics([path])


def test_a_trait_needs_two_voices_and_no_objection(tmp_path: Path) -> None:
    path = tmp_path / "atomic.csv"
    rows = [
        ("PersonX mocks PersonY", ["mean", "cruel"]),
        ("PersonX scolds PersonY", ["mean", "caring"]),
        ("PersonX praises PersonY", ["kind"]),
    ]
    lines = [f'{event},"{json.dumps(traits).replace(chr(34), chr(34) * 2)}",trn' for event, traits in rows]
    path.write_text("event,xAttr,split\n" + "\n".join(lines) + "\n")
    sources = AxiomSources(facts={"atomic": read_atomic([path])}, shipped=False)
    known = list(sourced_axioms(["action-between"], sources, Counter()))
    assert [str(axiom.axiom) for axiom in known] == [
        "person_a mocks person_b(A, B), so Less(considerate(A), considerate(B))"
    ]


def test_entities_are_no_words_and_no_tokens() -> None:
    names = novel_names(300)
    assert all(3 <= len(name) <= 12 and zipf(name) == 0 for name in names)
    assert {len(name) for name in names} >= set(range(4, 13))
    assert not is_novel("ing")
    assert not is_novel("table")
    assert names == novel_names.__wrapped__(300)
    assert not set(names) & set(novel_names(300, seed=1)) or len(set(names) & set(novel_names(300, seed=1))) < 5


@pytest.mark.parametrize("name", ["smollm2", "minilm"])
def test_no_entity_is_a_single_token(name: str) -> None:
    """Vocabularies at hand: byte-pair pieces and word pieces."""
    from tokenizers import Tokenizer

    from horsesense.models.locate import ready_folder

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
    assert [str(known.axiom) for known in read_axioms(table)] == [
        f"Material(A, {a}) and Material(B, basalt), so More(squishy(A), squishy(B))" for a in ("mud", "silt")
    ]
    probe = build_rica(
        RicaPlan(["material"], AxiomSources([table], shipped=False), shipped_lexicon(), LETTERS, balance=False)
    )
    assert {item.facets["status"] for item in probe.items} == {"verified"}
    assert probe.card.notes["antonym: not in the lexicon"] == 2


@pytest.mark.parametrize(
    ("table", "complaint"),
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
def test_a_bad_table_is_told_with_its_line(table: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text(table)
    with pytest.raises(UserError) as error:
        list(read_axioms(path))
    assert complaint in str(error.value)
    assert str(error.value).startswith(f"{path}:")


def test_bad_sources_are_told(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("xqorv\ntable\n")
    with pytest.raises(UserError, match="the entity 'table' is a word"):
        entities_of(str(path), None, 0)
    path.write_text("xqorv\nxqorv\n")
    with pytest.raises(UserError, match="fewer than two"):
        entities_of(str(path), None, 0)
    with pytest.raises(UserError, match="kind of entities"):
        entities_of("novels", None, 0)
    path.write_text("a\tb\n")
    with pytest.raises(UserError, match="not a line of ConceptNet"):
        read_conceptnet([path])
    with pytest.raises(UserError, match="not a line of ATOMIC"):
        read_atomic([path])
    with pytest.raises(UserError, match="no source"):
        build_rica(RicaPlan(["animal"], AxiomSources(shipped=False), shipped_lexicon(), LETTERS))
    with pytest.raises(UserError, match="no strategy 'materials'"):
        build_rica(RicaPlan(["materials"], AxiomSources(), shipped_lexicon(), LETTERS))
    with pytest.raises(UserError, match="no perturbation 'antonyms'"):
        kinds_of(["antonyms"])
    assert kinds_of(["all"]) == KINDS
