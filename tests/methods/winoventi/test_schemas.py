"""Schemas, exceptions, checks, the test turned round, and splits: against the release and against what is written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from horsesense.core import Judgement, Probe
from horsesense.errors import UserError
from horsesense.lexicons.triples import read_conceptnet
from horsesense.methods.winoventi import checks
from horsesense.methods.winoventi.associations import Association, read_depths, read_registry
from horsesense.methods.winoventi.builder import build_winoventi
from horsesense.methods.winoventi.checks import check_schema
from horsesense.methods.winoventi.exceptions import from_people, merge_triplets
from horsesense.methods.winoventi.measures import prior_probe
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.plausibility import denied_in, distinct_in, from_distinct, from_lexicon
from horsesense.methods.winoventi.published_dataset import read_winoventi
from horsesense.methods.winoventi.schemas import (
    CheckedSchema,
    Schema,
    Triplet,
    pairs_of,
    parse_premise,
    read_schemas,
    read_triplets,
    reverse_probe,
    special_facets,
    word_differences,
)
from horsesense.methods.winoventi.training_settings import make_splits
from horsesense.methods.winoventi.word_relations import read_word_relations
from tests.support.made_schemas import made_probe
from tests.support.small_wordnet import write_small_wordnet

RELEASE = Path("data/winoventi/data")


@pytest.fixture(scope="module")
def released(shared: Path) -> Probe:
    return read_winoventi([shared / RELEASE / "winoventi_bert_large_final.tsv"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Jo saw the pan.", "has 0 pairs"),
        ("Jo [saw / met] the [pan / pot].", "has 2 pairs"),
        ("Jo [ran away / sat] by the pan.", "more than one word: 'ran away'"),
        ("Jo [ / sat] by the pan.", "more than one word"),
        ("Jo [Sat / sat] by the pan.", "are the same"),
    ],
)
def test_bad_premises(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_premise(text)
    assert message in str(caught.value)


def test_a_pair_that_differs_in_two_words_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    good = "pan,hot,cold,Jo screamed at it.,Jo shivered at it.\n"
    bad = "pan,hot,cold,Jo screamed at it.,Jo shivered by it.\n"
    path.write_text(f"noun,generic,exception,generic_premise,exception_premise\n{good}{bad}")
    with pytest.raises(UserError) as caught:
        read_schemas(path)
    assert "s.csv:3: the premises differ in 2 words" in str(caught.value)
    schemas, skipped = read_schemas(path, skip_bad=True)
    assert [str(checked.schema.premise) for checked in schemas] == ["Jo [screamed / shivered] at it."]
    assert [(each.line, each.problem) for each in skipped] == [(3, caught.value.problem)]


@pytest.mark.parametrize(
    ("line", "message"),
    [("cup,hot,,x", "'exception' is missing"), ("cup,hot,hot,x", "itself"), ("cup,hot,cold,", "no premise")],
)
def test_bad_tables_of_schemas(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f"noun,generic,exception,premise\n{line}\n")
    with pytest.raises(UserError) as caught:
        read_schemas(path)
    assert message in str(caught.value)
    assert ":2: " in str(caught.value)


def test_objections() -> None:
    def objections(premise: str) -> tuple[str, ...]:
        return check_schema(
            Schema(Triplet("pan", "hot", "cold"), parse_premise(premise), "machine"), Noun("pan")
        ).objections

    assert objections("Jo [screamed / shivered] near the pan.") == ()
    assert objections("Jo [screamed / shivered] near them both.") == ()
    assert objections("Jo [screamed / shivered] near my brother.") == (checks.NO_NOUN,)
    assert objections("Jo has a [hotter / new] pan.") == (checks.OUTCOME_THERE,)
    assert objections("[Hot / Cold] pan.") == (checks.TOO_SHORT, checks.OUTCOME_THERE)


def test_opposites_similar_words_and_synonyms(tmp_path: Path) -> None:
    lexicon = read_word_relations(write_small_wordnet(tmp_path))
    assert lexicon.opposites("fast")["slow"] == 0
    assert lexicon.opposites("fleet") == {"slow": 1}
    assert lexicon.are_synonyms("fleet", "fast")
    assert not lexicon.are_synonyms("fast", "slow")
    assert not lexicon.is_property("dog")
    opposites = from_lexicon(Association("car", "fast", 3), lexicon)
    assert (opposites[0].exception, opposites[0].origin, opposites[0].k) == ("slow", "antonym", 3)
    assert lexicon.are_antonyms("fast", "slow")
    assert not lexicon.are_antonyms("fast", "swift")
    synonym = Schema(Triplet("car", "fast", "slow"), parse_premise("The car was [swift / old]."), "people")
    assert check_schema(synonym, Noun("car"), lexicon).objections == (checks.SYNONYM,)


def test_exceptions_of_people_and_facts(tmp_path: Path) -> None:
    cup, jar = Association("cup", "hot", 1), Association("jar", "blue", 1)
    judgements = [
        Judgement("1", "ann", "exceptions", "cold, Iced"),
        Judgement("2", "ann", "exceptions", "Nonsense"),
        Judgement("2", "ben", "exceptions", "red"),
        Judgement("9", "ben", "exceptions", "odd"),
    ]
    triplets, nonsense, notes = from_people(judgements, {"1": cup, "2": jar})
    assert [(each.noun, each.exception) for each in triplets] == [("cup", "cold"), ("cup", "iced")]
    assert (nonsense, notes) == (["2"], {"judgements of other associations": 1})
    distinct, odd = merge_triplets(
        [*triplets, Triplet("cup", "hot", "cold", "antonym"), Triplet("cup", "hot", "hot", "people")]
    )
    assert len(distinct) == 2
    assert odd == {"found twice": 1, "exceptions that are the association itself": 1}
    path = tmp_path / "facts.txt"
    path.write_text(
        "NotHasProperty\tcup\tcold\t1\nHasProperty\tcup\tred\t1\nNotIsA\tcup\ta dog\t1\nDistinctFrom\tlit\tdark\t1\n"
    )
    facts = read_conceptnet([path]).facts
    assert denied_in(facts) == {"cup": ["cold"]}
    assert distinct_in(facts) == {"lit": {"dark"}, "dark": {"lit"}}
    (found,) = from_distinct(Association("lamp", "dark", 3), distinct_in(facts))
    assert (found.noun, found.generic, found.exception, found.k) == ("lamp", "dark", "lit", 3)


def test_machine_and_people_are_never_mixed() -> None:
    people = CheckedSchema(
        Schema(Triplet("pan", "hot", "cold"), parse_premise("Jo [hid / sat] by the pan."), "people"), ()
    )
    machine = CheckedSchema(
        Schema(Triplet("cup", "hot", "cold"), parse_premise("Jo [hid / sat] by the cup."), "machine"), ()
    )
    for wanted, other, flag in ((people, machine, False), (machine, people, True)):
        probe = build_winoventi([wanted, other], machine=flag)
        assert {item.facets["origin"] for item in probe.items} == {wanted.schema.origin}
        assert probe.card.notes == {"schemas of the other origin left out": 1}
    with pytest.raises(UserError, match=r"none of 1 schemas"):
        build_winoventi([people], machine=True)


def test_turned_round_and_without_premise() -> None:
    probe = made_probe()
    turned = reverse_probe(probe)
    generic, exception = turned.items[:2]
    assert (generic.text, generic.options[generic.answer or 0]) == (
        "Kim ___ at the stove. The stove is hot.",
        "screamed",
    )
    assert exception.text == "Kim ___ at the stove. The stove is cold."
    assert exception.options[exception.answer or 0] == "yawned"
    priors = prior_probe(probe)
    assert len(priors.items) == 6
    assert (priors.items[0].text, priors.items[0].options[priors.items[0].answer or 0]) == ("The stove is ___.", "hot")


def test_the_released_schemas_differ_in_one_word(released: Probe) -> None:
    pairs = pairs_of(released.items)
    assert len(pairs) == 1288
    differences = [word_differences(m["generic"].text, m["exception"].text) for m in pairs.values()]
    assert {len(places) for places in differences} == {1}
    stated = [(m["generic"].facets["context"], m["exception"].facets["context"]) for m in pairs.values()]
    assert sum(places[0].words == pair for places, pair in zip(differences, stated, strict=True)) > 1280
    assert len(reverse_probe(released).items) == 2576
    # Section 2.7 has 16.9, 28.4 and 54.5 per cent for the whole set.
    thirds = Counter(facets["third"] for facets in special_facets(released.items).values())
    assert [thirds[name] / 2576 for name in ("first", "middle", "last")] == pytest.approx([0.17, 0.29, 0.54], abs=0.02)


def test_our_builder_makes_the_released_items(shared: Path, released: Probe) -> None:
    path = shared / RELEASE / "assets/crowdsourcing/context_collection/context_collection_cleaned.csv"
    built = build_winoventi(read_schemas(path)[0], as_paper=True)
    ids = {item.id for item in built.items}
    # The rest was reworded by hand on the way from the collection to the benchmark.
    assert sum(item.id in ids for item in released.items) >= 2100


def test_sizes_of_the_splits_are_the_papers() -> None:
    probe = made_probe(copies=363)
    assert len(probe.items) == 4356
    whole = Probe.of(probe.items[:4352], probe.card)
    half = make_splits(whole, "half-exception")
    assert Counter(item.member for item in half["train"].items) == {"generic": 1088, "exception": 1088}
    assert {item.family for item in half["train"].items}.isdisjoint(item.family for item in half["held-out"].items)
    full = make_splits(whole, "full-exception")
    assert Counter(item.member for item in full["train"].items) == {"exception": 1741}
    sizes = {name: len(test.items) for name, test in full.items() if name not in ("train", "dev")}
    assert sizes == {"unseen-exceptions": 435, "all-generics": 2176, "mixed": 870}
    twins = Counter(item.facets["twin"] for item in full["all-generics"].items)
    assert twins == {"seen": 1741, "unseen": 435}
    assert {item.facets["twin"] for item in full["unseen-exceptions"].items} == {"unseen"}
    held = make_splits(whole, "half-exception", dev=0.1)
    assert (len(held["train"].items), len(held["dev"].items)) == (2 * 979, 2 * 109)


def test_bad_splits() -> None:
    with pytest.raises(UserError, match="did you mean 'half-exception'"):
        make_splits(made_probe(), "half-exeption")
    with pytest.raises(UserError, match="too few to split"):
        make_splits(Probe.of(made_probe().items[:4], made_probe().card), "half-exception")


def test_registry_and_depths(shared: Path, tmp_path: Path) -> None:
    registry = read_registry(shared / RELEASE / "assets/associativebias_registry.tsv")
    assert len(registry) == 15
    # Section 2.4: 2,745 triplets pass for BERT large.
    assert len(registry["bert-large-cased-whole-word-masking"]) == 2745
    depths = read_depths(shared / RELEASE / "assets/crowdsourcing/outcome_collection/outcome_collection_cleaned.csv")
    assert set(depths.values()) == {1, 3, 5, 8}
    bad = tmp_path / "r.tsv"
    bad.write_text("Word\tAssociative Bias\tAlternative\tm\ncup\thot\tcold\tmaybe\n")
    with pytest.raises(UserError, match=":2: "):
        read_registry(bad)


def test_bad_triplets(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("noun\tgeneric\texception\tk\ncup\thot\tcold\tdeep\n")
    with pytest.raises(UserError, match="not a whole number"):
        read_triplets(path)
