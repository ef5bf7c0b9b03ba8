"""Which candidates are exceptions, how that is calibrated, and what a premise changes, against brute force."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from horsesense.core import ScoringSpec
from horsesense.core.catalogue import load_probe
from horsesense.errors import UserError
from horsesense.lexicons.triples import read_conceptnet
from horsesense.methods.winoventi import circumstances, word_relations
from horsesense.methods.winoventi.builder import build_winoventi
from horsesense.methods.winoventi.calibration import calibrate, reassign
from horsesense.methods.winoventi.circumstances import CIRCUMSTANCES, TYPES, read_circumstances
from horsesense.methods.winoventi.evaluation import MAIN, Background, run_all, score_answers
from horsesense.methods.winoventi.measures import NEUTRAL, PRIOR, neutral_probe
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.plausibility import (
    NOT_EXCLUDED,
    NOT_PLAUSIBLE,
    ExceptionEvidence,
    attested_in,
    people_exceptions,
)
from horsesense.methods.winoventi.schemas import (
    PASSED,
    CheckedSchema,
    Schema,
    Triplet,
    pairs_of,
    parse_premise,
    triplet_name,
)
from horsesense.methods.winoventi.word_relations import WordRelations
from horsesense.models.hf.load import load_model
from horsesense.runs.tasks import Settings
from horsesense.scoring.option_scores import answer_items
from tests.support.made_schemas import SCHEMAS, made_probe

TABLE = read_circumstances(CIRCUMSTANCES, TYPES)


@pytest.fixture(autouse=True)
def no_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_relations, "find_wordnet", lambda: None)
    monkeypatch.setattr(circumstances, "find_wordnet", lambda: None)


def test_words_are_attested_beside_their_nouns(tmp_path: Path) -> None:
    texts, facts = tmp_path / "texts.txt", tmp_path / "facts.txt"
    texts.write_text("She saw wet towels there.\nThe test tube was very full.\nA wet, old dog barked loudly.\n")
    facts.write_text("HasProperty\tsponge\twet\t1\nIsA\tsea\twet\t1\n")
    found = attested_in([texts], read_conceptnet([facts]).facts, frozenset({"wet", "full"}))
    assert found["wet"]["towel"] == 1
    assert found["wet"]["sponge"] == 1
    assert "sea" not in found["wet"]
    assert found["full"]["tube"] == 1


def test_an_exception_needs_two_kinds_of_evidence() -> None:
    def judged(triplet: Triplet, evidence: ExceptionEvidence) -> tuple[str, str]:
        return evidence.judged(triplet, Noun(triplet.noun))

    bare = ExceptionEvidence(TABLE)
    assert judged(Triplet("bucket", "empty", "full"), bare) == ("table", "")
    assert judged(Triplet("cloud", "empty", "full"), bare) == ("", NOT_PLAUSIBLE)
    assert judged(Triplet("bucket", "empty", "heavy"), bare) == ("", NOT_EXCLUDED)
    assert judged(Triplet("bucket", "empty", "heavy", "people"), bare) == ("people", "")
    texts = ExceptionEvidence(TABLE, attested={"full": {"moon": 3}, "green": {"bucket": 9}})
    assert judged(Triplet("moon", "empty", "full"), texts) == ("attested", "")
    assert judged(Triplet("bucket", "empty", "green"), texts) == ("", NOT_EXCLUDED)
    given = ExceptionEvidence(
        TABLE, given=people_exceptions([Triplet("jug", "empty", "brimming"), Triplet("sofa", "wide", "slim")])
    )
    assert judged(Triplet("mug", "empty", "brimming"), given) == ("kin", "")
    assert judged(Triplet("jug", "empty", "brimming"), given) == ("", NOT_EXCLUDED), "not by its own word"
    assert judged(Triplet("mug", "wide", "slim"), given) == ("", NOT_PLAUSIBLE), "a sofa is no kin of a mug"


def test_the_other_end_of_a_scale_is_plausible_unless_the_noun_is_defined_by_this_one() -> None:
    lexicon = WordRelations(
        {"frozen": frozenset({"icy"})},
        {},
        {"icy": frozenset({"hot"}), "hot": frozenset({"icy"})},
        {"icy": frozenset({"hot"}), "hot": frozenset({"icy"})},
        {"icy": frozenset({"hot"}), "hot": frozenset({"icy"}), "easy": frozenset({"difficult"})},
        {"icy": {"adjective": 1}, "hot": {"adjective": 1}},
    )
    evidence = ExceptionEvidence(TABLE, lexicon)
    assert evidence.judged(Triplet("moon", "icy", "hot"), Noun("moon")) == ("scale", "")
    assert evidence.judged(Triplet("moon", "edible", "inedible"), Noun("moon")) == ("scale", ""), "by morphology"
    assert evidence.judged(Triplet("moon", "elastic", "inelastic"), Noun("moon")) == ("", NOT_PLAUSIBLE), "a rare word"
    assert evidence.judged(Triplet("moon", "easy", "uneasy"), Noun("moon")) == ("", NOT_EXCLUDED), "another opposite"
    assert evidence.judged(Triplet("moon", "icy", "lukewarm"), Noun("moon")) == ("", NOT_EXCLUDED)
    distinct = ExceptionEvidence(TABLE, lexicon, distinct={"icy": {"tepid"}})
    assert distinct.judged(Triplet("moon", "icy", "tepid"), Noun("moon")) == ("", NOT_PLAUSIBLE), "distinct, no more"


def test_a_noun_defined_by_its_generic_word_has_no_other_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    table, lexicon = circumstances.load_circumstances(), word_relations.load_word_relations()
    if lexicon is None:
        pytest.skip("WordNet is not here")
    evidence = ExceptionEvidence(table, lexicon)
    assert evidence.judged(Triplet("corpse", "dead", "alive"), Noun("corpse"))[0] == "", "the dead body of a human"
    assert evidence.judged(Triplet("orchard", "empty", "full"), Noun("orchard"))[0] == "scale"


def test_calibration_of_a_small_registry(tmp_path: Path) -> None:
    registry = tmp_path / "registry.tsv"
    rows = ["bucket\tempty\tfull", "jug\tempty\tfull", "cloud\tempty\tcrimson", "door\topen\tclosed", "pan\thot\tcold"]
    registry.write_text("Word\tAssociative Bias\tAlternative\tBERT\n" + "".join(f"{row}\tTrue\n" for row in rows))
    found = calibrate(registry)
    assert [row.evidence for row in found.filters] == ["tables and WordNet", "and people's words for other nouns"]
    assert found.filters[0].recall.value == pytest.approx(4 / 5)
    assert found.filters[0].grounds == {"table": 4, NOT_EXCLUDED: 1}
    assert found.checks is None
    triplets = [Triplet(row.split("\t")[0], row.split("\t")[1], row.split("\t")[2]) for row in rows]
    for mine, other in zip(triplets, reassign(triplets, seed=3), strict=True):
        assert (other.noun, other.generic) == (mine.noun, mine.generic)
        assert other.exception not in (mine.exception, mine.generic)


def test_a_registry_with_nothing_to_deal_is_told(tmp_path: Path) -> None:
    """It once drew for ever."""
    registry = tmp_path / "registry.tsv"
    registry.write_text("Word\tAssociative Bias\tAlternative\tBERT\npan\thot\tcold\tTrue\njug\thot\ticy\tTrue\n")
    with pytest.raises(UserError, match=r"no other association .* pan \(hot\)"):
        calibrate(registry)


def test_shifts_are_those_of_scores_asked_one_by_one(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    name, probe = str(tiny_folders["bert"]), made_probe()
    answered = run_all([name], probe, tmp_path / "run", Settings(cache=False, device="cpu"), reverse=False)
    (evaluation,) = score_answers(answered, Background())
    model = load_model(name, device="cpu")

    def odds(part: str) -> dict[str, float]:
        items = answered[0][part].items
        answers = answer_items(model, list(items), ScoringSpec(exact=True))
        places = [item.options.index(str(item.facets["bias"])) for item in items]
        values = [float(a.scores[p] - a.scores[1 - p]) for a, p in zip(answers, places, strict=True)]
        return {item.id if part == MAIN else item.family: value for item, value in zip(items, values, strict=True)}

    main, neutral, alone = odds(MAIN), odds(NEUTRAL), odds(PRIOR)
    pairs = [(m["generic"], m["exception"]) for m in pairs_of(probe.items).values()]
    apart = [(main[g.id] - main[e.id]) / 2 for g, e in pairs]
    shift = evaluation.shifts[0]
    assert (shift.subset, shift.schemas) == ("all", len(pairs))
    assert shift.shift is not None
    assert shift.shift.value == pytest.approx(sum(apart) / len(apart), abs=1e-4)
    against = [neutral[triplet_name(e)] - main[e.id] for _, e in pairs]
    assert shift.exception is not None
    assert shift.exception.value == pytest.approx(sum(against) / len(against), abs=1e-4)
    without = [main[g.id] - alone[triplet_name(g)] for g, _ in pairs]
    assert shift.generic_alone is not None
    assert shift.generic_alone.value == pytest.approx(sum(without) / len(without), abs=1e-4)
    assert shift.moved is not None
    assert shift.moved.value == pytest.approx(sum(value > 0 for value in apart) / len(apart))
    assert 0 <= shift.moved.low <= shift.moved.high <= 1, "it is a share"


def test_the_neutral_premise_says_nothing_of_either_word() -> None:
    first = neutral_probe(made_probe()).items[0]
    assert first.text == "Somebody was talking about the stove. The stove is ___."
    assert (first.facets["premise"], first.options[first.answer or 0]) == ("neutral", "hot")


def test_no_headline_for_what_nobody_passed(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    for status, headline in ((PASSED, False), ("validated by two people", True)):
        schemas = [CheckedSchema(_with(schema, status), ()) for schema in SCHEMAS]
        probe = build_winoventi(schemas)
        folder = tmp_path / status.replace(" ", "-")
        answered = run_all(
            [str(tiny_folders["bert"])], probe, folder, Settings(cache=False, device="cpu"), reverse=False
        )
        (model,) = score_answers(answered, Background())
        assert (model.headline is not None, model.shift is not None) == (headline, headline)
        assert model.proposed == (0 if headline else len(pairs_of(probe.items)))


def _with(schema: Schema, status: str) -> Schema:
    return replace(schema, status=status, premise=parse_premise(str(schema.premise)))


def test_the_shipped_probe_is_of_our_own_and_was_read() -> None:
    probe = load_probe("winoventi-own")
    pairs = pairs_of(probe.items)
    assert len(pairs) >= 200
    assert {item.facets["status"] for item in probe.items} == {"validated by a language model, no person"}
    quality = probe.card.label_quality
    assert quality is not None
    assert quality.n >= 100
    assert quality.before.bad.value <= 0.02
    frames = [members["generic"].groups["frame"] for members in pairs.values()]
    assert max(frames.count(frame) for frame in frames) <= 0.02 * len(frames)
    for members in pairs.values():
        assert members["generic"].options == members["exception"].options
        assert members["generic"].answer != members["exception"].answer
