"""``horsesense rica``: what its commands print, and what they say of bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.calling import Call, caller, hold_to
from tests.support.tiny import save_tiny

SPEC = ("--spec", "truncation=left")
"""The tiny models read 64 tokens."""
WAX = "Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))"


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


def test_derive(call: Call, tmp_path: Path) -> None:
    lexicon = tmp_path / "own.tsv"
    lexicon.write_text(
        "phrase\tantonym\tparaphrase\tinversion\nsoft\teasier: cut glass\tis a * cushion\tbetter: hammer\n"
    )
    called = call("rica", "derive", WAX, "--lexicon", lexicon, "--json")
    assert (called.code, called.err) == (0, "")
    derived = json.loads(called.out)
    hold_to("rica derive", derived)
    assert len(derived["forms"]) == len(set(derived["statements"].values())) == 24
    assert derived["forms"]["negated_asymmetric_premise"] == (
        "Material(B, wax) and Material(A, iron), so not More(soft(A), soft(B))"
    )
    premise = "A is made out of wax and B is made out of iron, so A "
    assert derived["statements"]["antonym"] == f"{premise}finds it harder to cut glass than B"
    assert derived["statements"]["negation_antonym"] == f"{premise}does not find it easier to cut glass than B"
    assert derived["statements"]["paraphrase"] == f"{premise}is a more cushion than B"
    assert derived["statements"]["negation_paraphrase_inversion"] == f"{premise}is not better at hammering than B"


def test_derive_for_people(call: Call) -> None:
    called = call("rica", "derive", "A is taller than B, so A has an easier time reaching a shelf than B")
    assert "A does not have a harder time reaching a shelf than B" in called.out
    assert "18 of the 24 kinds" in called.out


def test_equivalent(call: Call) -> None:
    other = "Material(B, wax) and Material(A, iron), so not More(soft(A), soft(B))"
    proof = json.loads(call("rica", "equivalent", WAX, other, "--json").out)
    hold_to("rica equivalent", proof)
    assert proof["equivalent"] is True
    assert (proof["steps"][0]["form"], proof["steps"][-1]["form"]) == (WAX, other)
    proof = json.loads(call("rica", "equivalent", WAX, other.replace("not ", ""), "--json").out)
    hold_to("rica equivalent", proof)
    assert proof["equivalent"] is False


def test_published(call: Call, tmp_path: Path) -> None:
    derived = json.loads(call("rica", "derive", WAX, "--json").out)["forms"]
    six = [name for name in derived if name.startswith(("original", "negated", "asym"))]
    row = {name: [derived[name], [""]] for name in six}
    row["negated"][0] = WAX
    path = tmp_path / "axioms.jsonl"
    path.write_text(json.dumps(row) + "\n")
    check = json.loads(call("rica", "published", path, "--json").out)
    hold_to("rica published", check)
    assert (check["derived"], check["exact"]) == (5, 4)
    assert check["differences"][0]["reason"] == "equivalent, but written differently"
    path.write_text("[]\n")
    assert "axioms.jsonl:1: this is not a published axiom" in call("rica", "published", path).err
    path.write_text("")
    assert "axioms.jsonl: there is no axiom in it" in call("rica", "published", path).err


def test_bad_input(call: Call, tmp_path: Path) -> None:
    called = call("rica", "derive", "Material(A, wax, so More(soft(A), soft(B))")
    assert (called.code, called.out) == (2, "")
    assert "at character 9" in called.err
    called = call("rica", "equivalent", WAX, "A is tall, so B sings")
    assert (called.code, "compares nothing" in called.err) == (2, True)
    called = call("rica", "derive", "boss(A, B), so More(loud(A), quick(B))")
    assert (called.code, "the other side has 'loud'" in called.err) == (2, True)
    assert call("rica", "derive", WAX, "--lexicon", tmp_path / "none.tsv").code == 2


def test_build_controls_run_and_analyse(call: Call, tmp_path: Path, tiny_folders: dict[str, Path]) -> None:
    probe, tokenizer = tmp_path / "ours.jsonl", tiny_folders["gpt2"] / "tokenizer.json"
    words = ["--strategy", "material", "--strategy", "role", "--perturbation", "published", "--background"]
    called = call("build", "rica", *words, "--tokenizer", tokenizer, "--limit", 100, "-o", probe, "--json")
    assert called.code == 0, called.err
    built = json.loads(called.out)
    hold_to("build rica", built)
    assert 50 <= built["items"] <= 100
    first = json.loads(probe.read_text().splitlines()[0])
    assert first["facets"]["entity_tokens"] >= 4
    called = call("rica", "controls", probe, "--json")
    hold_to("rica controls", json.loads(called.out))
    called = call("run", "-m", tiny_folders["gpt2"], "-p", probe, "--out", tmp_path / "run", *SPEC, "--json")
    (answered,) = json.loads(called.out)["results"]
    assert "report it with its controls" in called.err
    beside = [word for path in tmp_path.glob("ours-*.jsonl") for word in ("-p", path)]
    assert len(beside) == 4
    called = call("run", "-m", tiny_folders["gpt2"], "-p", probe, *beside, "--out", tmp_path / "three", *SPEC)
    assert (called.code, "with its controls" in called.err) == (0, False)
    analysed = call("rica", "analyse", tmp_path / "three")
    assert "scores on the controls" in analysed.out
    (beside,) = json.loads(call("rica", "analyse", tmp_path / "three", "--json").out)["controls"]
    assert beside["probe"] == "ours"
    for kind, score in beside["controls"].items():
        assert score["n"] == beside["whole"]["n"], kind
    near = [
        score["ci"][0] <= 0.5 <= score["ci"][1] and abs(score["value"] - 0.5) <= 0.03
        for score in beside["controls"].values()
    ]
    assert beside["at_chance"] == all(near)
    # Eight items a family, two of them another two with the names exchanged: six things to know.
    assert answered["strict"]["chance"] == pytest.approx(0.5**6)
    called = call("rica", "analyse", tmp_path / "run", "--json")
    analysis = json.loads(called.out)
    hold_to("rica analyse", analysis)
    (result,) = analysis["results"]
    plain = [item for item in map(json.loads, probe.read_text().splitlines()) if item["facets"]["background"] == "none"]
    assert len(plain) < built["items"]
    assert result["accuracy"]["n"] == len(plain)
    assert len(result["kinds"]) == 6
    assert set(result["operators"]) == {"logical"}, "the released kinds are proved, all of them"
    assert result["operators"]["logical"]["accuracy"]["n"] == len(plain)
    assert result["effective_units"] > 2
    assert len({kind["accuracy"]["n"] for kind in result["kinds"]}) == 1
    assert set(result["background"]) == {"parrot", "negation switch"}
    assert result["words"]["more"] > result["words"]["less"]
    named = tmp_path / "named.jsonl"
    call("build", "rica", *words[2:], "--entities", "names", "--strategy", "role", "-o", named)
    call("run", "-m", tiny_folders["gpt2"], "-p", named, "--out", tmp_path / "named", *SPEC)
    called = call("rica", "analyse", tmp_path / "run", "--against", tmp_path / "named", "--json")
    hold_to("rica analyse", json.loads(called.out))
    assert json.loads(called.out)["ablation"]["difference"]["n"] > 20
    assert "sensitivity" in call("rica", "analyse", tmp_path / "run").out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--strategy", "metal"], "metal"),
        (["--strategy", "animal", "--no-shipped"], "give --conceptnet FILE"),
        (["--task", "choice"], "choice"),
        (["--list", "animals"], "is not NAME=FILE"),
        (["--list", "birds=x.txt"], "there is no list 'birds'"),
        (["--entities", "nicknames"], "kind of entities"),
        (["--tokenizer", "nowhere.json"], "no such file"),
    ],
)
def test_bad_options_of_the_builder(call: Call, tmp_path: Path, words: list[str], complaint: str) -> None:
    called = call("build", "rica", *words, "-o", tmp_path / "x.jsonl")
    assert (called.code, called.out) == (2, "")
    assert complaint in called.err
    assert not (tmp_path / "x.jsonl").exists()


def test_a_realiser_that_knows_nothing_is_not_believed(
    call: Call, tmp_path: Path, tiny_folders: dict[str, Path], wide_gpt2: str
) -> None:
    """A model with random weights writes nonsense; every statement is the grammar's, and that is counted."""
    words = ["build", "rica", "--strategy", "role", "--perturbation", "original", "--limit", 8]
    plain, written = tmp_path / "plain.jsonl", tmp_path / "written.jsonl"
    assert call(*words, "-o", plain).code == 0
    called = call(*words, "--realiser", tiny_folders["bart"], "-o", written, "--json")
    assert called.code == 0, called.err
    notes = json.loads(called.out)["notes"]
    assert [count for note, count in notes.items() if note.startswith("realiser")] == [json.loads(called.out)["items"]]
    assert written.read_text() == plain.read_text()
    called = call(*words, "--realiser", wide_gpt2, "-o", written)
    assert called.code == 0, called.err
    assert written.read_text() == plain.read_text()
    called = call(*words, "--realiser", tiny_folders["bert"], "-o", written)
    assert (called.code, "cannot write" in called.err) == (2, True)


def test_fluency_is_a_facet(call: Call, tmp_path: Path, tiny_folders: dict[str, Path]) -> None:
    words = ["--strategy", "temporal", "--perturbation", "original", "--entities", "letters", "--limit", 12]
    called = call("build", "rica", *words, "--fluency", tiny_folders["gpt2"], "-o", tmp_path / "x.jsonl", "--json")
    assert called.code == 0, called.err
    items = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    assert {type(item["facets"]["odd"]) for item in items} == {bool}


def test_a_study_is_one_folder_that_goes_on(call: Call, tmp_path: Path) -> None:
    model, out = save_tiny("bert", tmp_path / "bert"), tmp_path / "study"
    given = ("rica", "study", "-m", model, "--limit", 40, *SPEC)
    called = call(*given, "--out", out, "--entities", "fresh", "--json")
    assert called.code == 0, called.err
    study = json.loads(called.out)
    hold_to("rica study", study)
    assert sorted(result["probe"] for result in study["analysis"]["results"]) == [
        "ladder",
        "statements",
        "statements-premise-removed",
        "statements-structure-only",
    ]
    ladder = next(result["ladder"] for result in study["analysis"]["results"] if result["probe"] == "ladder")
    assert ladder["facts"] >= 1
    assert "knows" in ladder["verdict"]
    assert Path(study["page"]).is_file()
    assert "<svg" in Path(study["picture"]).read_text()
    mode, number = study["entities"].split(":")
    assert (mode, number.isdecimal()) == ("fresh", True)
    again = json.loads(call(*given, "--out", out, "--entities", "fresh", "--json").out)
    assert again == study, "the names are drawn once, and everything is kept"
    other = json.loads(call(*given, "--out", tmp_path / "other", "--entities", "fresh", "--json").out)
    assert other["entities"] != study["entities"]
    refused = call(*given, "--out", out)
    assert (refused.code, refused.out) == (2, "")
    assert "a study with entities 'fresh'" in refused.err


def test_a_study_takes_rica_only(call: Call, tmp_path: Path) -> None:
    probe = tmp_path / "toy.jsonl"
    probe.write_text(
        json.dumps({"probe": "toy", "form": "cloze", "text": "Ice is ___.", "options": ["cold", "hot"]}) + "\n"
    )
    refused = call("rica", "study", "-m", "none", "--out", tmp_path / "study", "-p", probe)
    assert refused.code == 2
    assert "not a RICA probe" in refused.err


def test_a_study_that_was_stopped_before_a_card_was_written_writes_it(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "study"
    given = ("rica", "study", "-m", tmp_path / "none", "--limit", 8, "--out", out)
    assert call(*given).code == 2, "there is no such model, and all probes are laid down"
    for name in ("statements", "ladder"):
        card = out / f"{name}.card.json"
        before, items = json.loads(card.read_text()), (out / f"{name}.jsonl").read_bytes()
        card.unlink()
        call(*given)
        assert json.loads(card.read_text()) | {"created": ""} == before | {"created": ""}
        assert (out / f"{name}.jsonl").read_bytes() == items


def test_the_lexicon_is_told_pair_by_pair(call: Call, tmp_path: Path) -> None:
    own = tmp_path / "own.tsv"
    own.write_text("phrase\tantonym\tparaphrase\tinversion\tstatus\nzesty\tbland\t\t\tpeople\n")
    called = call("rica", "lexicon", "--lexicon", own, "--json")
    document = json.loads(called.out)
    hold_to("rica lexicon", document)
    assert [pair["other"] for pair in document["pairs"] if pair["phrase"] == "zesty"] == ["bland"]
    assert document["statuses"]["people"] == 1
    assert "[antonym, model" in call("rica", "lexicon").out
    own.write_text("phrase\tantonym\tparaphrase\tinversion\tstatus\nzesty\tbland\t\t\tsure\n")
    called = call("rica", "lexicon", "--lexicon", own)
    assert called.code == 2
    assert "there is no status 'sure'" in called.err


def test_built_sets_average_over_properties_and_releases_do_not(
    call: Call, tmp_path: Path, tiny_folders: dict[str, Path]
) -> None:
    probe = tmp_path / "ours.jsonl"
    call("build", "rica", "--strategy", "animal", "--perturbation", "original", "--limit", 200, "-o", probe)
    called = call("run", "-m", tiny_folders["gpt2"], "-p", probe, "--out", tmp_path / "run", *SPEC, "--json")
    (result,) = json.loads(called.out)["results"]
    items = [json.loads(line) for line in probe.read_text().splitlines()]
    axioms: dict[str, set[str]] = {}
    for item in items:
        axioms.setdefault(item["groups"]["property"], set()).add(item["family"])
    large = {name for name, families in axioms.items() if len(families) >= 4}
    assert len(large) > 2
    assert result["metric"] == "average over clusters"
    assert (result["accuracy"]["clusters"], result["plain"]["n"]) == (len(large), len(items))
    card = tmp_path / "ours.card.json"
    card.write_text(card.read_text().replace("average over clusters", "accuracy"))
    called = call("run", "-m", tiny_folders["gpt2"], "-p", probe, "--out", tmp_path / "other", *SPEC, "--json")
    (plain,) = json.loads(called.out)["results"]
    assert (plain["metric"], plain["plain"]) == ("accuracy", None)
    assert plain["accuracy"]["value"] == result["plain"]["value"]


def test_a_run_without_rica_probes_is_refused(call: Call, tmp_path: Path, tiny_folders: dict[str, Path]) -> None:
    run = tmp_path / "run"
    words = ("run", "-m", tiny_folders["gpt2"], "-p", "starter", "--limit", 2, "--out", run, *SPEC)
    assert call(*words).code == 0
    refused = call("rica", "analyse", run)
    assert (refused.code, refused.out) == (2, "")
    assert f"{run}: the run has no RICA probe" in refused.err
    assert refused.err.count("\n") == 1
