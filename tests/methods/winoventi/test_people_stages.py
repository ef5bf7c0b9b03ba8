"""People in a WinoVenti pipeline: three stages behind one address, and nothing that is lost, refused or left stale."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from horsesense.annotate.database.participants import invite
from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.study import ITEMS
from horsesense.annotate.task import tasks_of
from horsesense.annotation_server.staged_app import StagedApp, staged_app
from horsesense.core import Card, Judgement, Probe, read_probe, write_judgements
from horsesense.methods.winoventi import exceptions, pipeline, word_relations
from horsesense.methods.winoventi.associations import Association
from horsesense.methods.winoventi.elicitation import Elicitation
from horsesense.methods.winoventi.exceptions import association_item
from horsesense.methods.winoventi.nouns import Noun, is_plural
from horsesense.methods.winoventi.people import BETWEEN, apply_validation, people_file, people_schemas, premise_item
from horsesense.methods.winoventi.pipeline import run_pipeline
from horsesense.methods.winoventi.plan import PipelineContext, PipelinePlan, read_plan
from horsesense.methods.winoventi.procedure import collect_people, refresh_stages, rounds, stages_of, status
from horsesense.methods.winoventi.schemas import Triplet, read_schemas, read_triplets
from horsesense.progress import NO_PROGRESS
from tests.support.calling import caller, hold_to
from tests.support.made_plan import make_plan
from tests.support.made_schemas import SCHEMAS
from tests.support.study_server import ADDRESS, Somebody

PEOPLE = ("ann", "ben")


@pytest.fixture(autouse=True)
def no_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_relations, "find_wordnet", lambda: None)


@pytest.fixture
def plan(tiny_folders: dict[str, Path]) -> PipelinePlan:
    """No premise by machine: what is asked of people may not hang on what a machine wrote."""
    made = replace(make_plan(tiny_folders["bert"], tiny_folders["gpt2"]), write=0, judges=2)
    return replace(made, nouns=made.nouns[:3], elicitation=Elicitation(k=(4,)))


def went_on(plan: PipelinePlan, out: Path) -> pipeline.PipelineResult:
    collect_people(out)
    result = run_pipeline(plan, out)
    refresh_stages(out, plan, result)
    return result


def walk(app: StagedApp, answers: dict[str, Any]) -> list[str]:
    """Two people answer in turns until there is nothing left; the titles that they saw, each once."""
    served = app.open()
    seen: list[str] = []
    somebodies = [Somebody(TestClient(app, base_url=ADDRESS), f"/in/{token}") for token in invite(served, list(PEOPLE))]
    for each in somebodies:
        each.enter()
    finished = 0
    for _ in range(600):
        for who in somebodies:
            text = who.open("/task").text
            if "being prepared" in text:
                time.sleep(0.05)
                continue
            title = text.partition("<h1")[2].partition(">")[2].partition("<")[0]
            finished = finished + 1 if title == "Thank you" else 0
            if title in answers:
                if title not in seen:
                    seen.append(title)
                given = answers[title](who)
                assert who.answer(**given).status_code in (200, 303), who.page.text
        if finished >= 2 * len(somebodies):
            break
    return seen


def exception_of(who: Somebody) -> dict[str, str]:
    taken = who.question.split(" is ")[1].split(".")[0]
    words = [word for word in ("heavier", "wet", "naïve") if word != taken]
    return {"word_0": words[0], "word_1": words[1]}


def pair_of(who: Somebody) -> dict[str, str]:
    noun = who.question.split("say: “The ")[1].split(" is ")[0]
    return {"first": f"Zoë waited by a {noun} then.", "second": f"Zoë walked by a {noun} then."}


TITLES = (
    "What is it when it is not what it usually is?",
    "Two texts that differ in one word",
    "Are these two texts and their endings sound?",
)


def test_two_people_walk_through_all_stages(plan: PipelinePlan, tmp_path: Path) -> None:
    out, plan = tmp_path / "out", replace(plan, nouns=plan.nouns[:1])
    alone = went_on(plan, out)
    first = stages_of(out, plan)
    assert [each.state for each in first] == ["open", "waiting", "waiting"]
    assert first[0].tasks == len(alone.kept) > 1, "tasks are there without any premise"
    criteria = {f"criterion_{place}": "no" for place in range(4)}
    seen = walk(
        staged_app(out, ADDRESS),
        dict(zip(TITLES, (exception_of, pair_of, lambda who: criteria), strict=True)),
    )
    assert tuple(seen) == TITLES
    after = stages_of(out, read_plan(out))
    assert [each.state for each in after] == ["done"] * 3
    triplets = read_triplets(out / "filtered.tsv")
    assert after[1].tasks == len(triplets), "every triplet that passed, not only those with a premise"
    assert after[2].wanted == 2 * after[2].tasks
    assert [each.people for each in after][2] == 2
    schemas = read_schemas(out / "schemas.tsv")[0]
    assert {each.schema.status for each in schemas} == {"validated by 2 people"}
    assert {each.schema.triplet.name for each in schemas} == {each.name for each in triplets}
    now = status(out)
    assert now.next == f"all stages are done: {len(schemas):,} schemas are validated"
    result = run_pipeline(plan, out)
    assert (list(result.probes), list(result.evaluations)) == (["validated"], ["validated"])
    assert len(read_probe(out / "validated.jsonl").items) == 2 * len(schemas)


def test_what_a_machine_proposes_stands_in_the_form(
    plan: PipelinePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def proposing(context: PipelineContext, kept: list[Association]) -> tuple[list[Triplet], dict[str, int]]:
        """As `exceptions_of`, with a dictionary that has a word for everything."""
        own, left_out = exceptions.exceptions_of(context, kept)
        return own + [Triplet(each.noun, each.word, "frozen", "antonym", each.k) for each in kept], left_out

    monkeypatch.setattr(pipeline, "exceptions_of", proposing)
    out = tmp_path / "out"
    first = went_on(plan, out)
    assert {each.exception for each in first.triplets} == {"frozen"}
    app = staged_app(out, ADDRESS)
    (token,) = invite(app.open(), ["ann"])
    ann = Somebody(TestClient(app, base_url=ADDRESS), f"/in/{token}")
    ann.enter()
    ann.open("/task")
    assert 'value="frozen"' in ann.page.text
    assert "proposed by a machine" in ann.page.text
    ann.answer(word_0="heavier", word_1="wet")
    ann.open("/task")
    ann.answer(word_0="frozen")
    second = went_on(plan, out)
    told = [each for each in second.triplets if each.origin == "people"]
    by_pair: dict[tuple[str, str], list[str]] = {(each.noun, each.generic): [] for each in told}
    for each in second.triplets:
        by_pair.get((each.noun, each.generic), []).append(each.exception)
    assert sorted(sorted(words) for words in by_pair.values()) == [["frozen"], ["heavier", "wet"]], (
        "no dictionary word after people gave two"
    )


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_serve_says_where_and_gives_links(
    plan: PipelinePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The command, up to the point where it would listen; the link that it gives opens the first stage."""
    out, listening = tmp_path / "out", list[StagedApp]()
    call = caller(capfd)
    refused = call("annotate", "serve-pipeline", tmp_path)
    assert (refused.code, "not the folder of a pipeline" in refused.err) == (2, True)
    went_on(plan, out)
    monkeypatch.setattr("uvicorn.run", lambda app, **_: listening.append(app))
    called = call("annotate", "serve-pipeline", out, "--invite", "ann", "--port", "8321", "--json")
    assert called.code == 0, called.err
    document = json.loads(called.out)
    hold_to("annotate serve-pipeline", document)
    assert (document["study"], document["address"]) == ("exceptions-1", "http://127.0.0.1:8321")
    ((app,), (link,)) = listening, document["links"]
    ann = Somebody(TestClient(app, base_url=document["address"]), link["link"].removeprefix(document["address"]))
    ann.enter()
    assert TITLES[0] in ann.open("/task").text


def test_tasks_follow_what_changed(plan: PipelinePlan, tmp_path: Path) -> None:
    out = tmp_path / "out"
    plan = replace(plan, ranker="none", elicitation=Elicitation(k=(10,)))  # a knee moves with every noun
    few = replace(plan, nouns=plan.nouns[:2])
    went_on(few, out)
    (before,) = rounds(out, "exceptions")
    asked = {item.id for item in read_probe(before / ITEMS).items}
    went_on(plan, out)
    (made_again,) = rounds(out, "exceptions")
    more = {item.id for item in read_probe(made_again / ITEMS).items}
    assert asked < more, "a study that nobody has opened is made again"
    app = staged_app(out, ADDRESS)
    (token,) = invite(app.open(), ["ann"])
    ann = Somebody(TestClient(app, base_url=ADDRESS), f"/in/{token}")
    ann.enter()
    for _ in range(2):
        ann.open("/task")
        ann.answer(word_0="heavier")
    went_on(few, out)
    stage = stages_of(out, few)[0]
    answered = {each.item for each in _said(out)}
    gone = more - asked - answered
    in_hand = 1  # what a person has before them may still be answered
    assert len(asked | answered) <= stage.wanted <= len(asked | answered) + in_hand < len(more), gone
    went_on(plan, out)
    assert stages_of(out, plan)[0].wanted == len(more), "and asked again where it is back"
    assert len(rounds(out, "exceptions")) == 1
    shown = {each.word for each in make_plan(Path("a"), Path("b")).nouns[:4]}
    wider = replace(plan, nouns=tuple(each for each in make_plan(Path("a"), Path("b")).nouns if each.word in shown))
    went_on(wider, out)
    first, second = rounds(out, "exceptions")
    assert not {i.id for i in read_probe(second / ITEMS).items} & {i.id for i in read_probe(first / ITEMS).items}


def _said(out: Path) -> list[Judgement]:
    from horsesense.core import iter_judgements

    return [placed.judgement for placed in iter_judgements(people_file(out, "exceptions"))]


def test_collected_premises_are_taken_as_they_are(tmp_path: Path) -> None:
    """What annotate collect writes has no column of nouns: its items name the triplets."""
    triplets = [Triplet("pan", "hot", "cold"), Triplet("coat", "wet", "dry"), Triplet("cup", "full", "empty")]
    items = [premise_item(each, make_noun(each)).id for each in triplets]
    said = [
        Judgement(items[0], "p1", "premises", f"Jo sat by a stove.{BETWEEN}Jo sat by an oven."),
        Judgement(items[1], "p2", "premises", "nonsense"),
        Judgement("winoventi-premises-0", "p2", "premises", f"It rained.{BETWEEN}It snowed."),
    ]
    for name in ("said.jsonl", "said.csv"):
        write_judgements(tmp_path / name, said)
        schemas, nonsense = people_schemas([tmp_path / name], triplets, {}, NO_PROGRESS)
        assert [(str(s.schema.premise), s.schema.triplet.noun, s.schema.origin) for s in schemas] == [
            ("Jo sat by [a stove / an oven].", "pan", "people")
        ]
        assert nonsense == {"coat | wet | dry"}


def test_questions_agree_with_their_noun() -> None:
    exceptions_form, premises_form = find_instrument("exceptions"), find_instrument("premises")
    card = Card(name="some", method="winoventi", group="noun")
    for word, plural, said in (("apple", False, "The apple is"), ("scissors", True, "The scissors are")):
        noun = Noun(word, plural)
        asked = Probe.of([association_item(Association(word, "clean", 1), noun)], card)
        assert tasks_of(asked, exceptions_form)[0].question.startswith(f"{said} clean. ")
        asked = Probe.of([premise_item(Triplet(word, "clean", "dirty"), noun)], card)
        question = tasks_of(asked, premises_form)[0].question
        assert [f"“{said} {state}.”" in question for state in ("clean", "dirty")] == [True, True]


def make_noun(triplet: Triplet) -> Noun:
    return Noun(triplet.noun, is_plural(triplet.noun))


def test_who_validated_what() -> None:
    from horsesense.methods.winoventi.schemas import CheckedSchema

    good, bad, once, objected = (CheckedSchema(schema, ()) for schema in SCHEMAS[:4])
    objected = replace(objected, objections=("is no sentence",))
    said = [Judgement(each.schema.name, who, "schema", "pass") for each in (good, objected) for who in PEOPLE]
    said += [Judgement(bad.schema.name, who, "schema", "ambiguous-generic") for who in PEOPLE]
    said += [Judgement(once.schema.name, "ann", "schema", "pass")]
    found = apply_validation([good, bad, once, objected], said)
    assert [each.schema.status for each in found] == [
        "validated by 2 people",
        "proposed",
        "passed by machine checks",
        "proposed",
    ]
    assert found[1].objections == ("people object: fails ambiguous-generic",)
    proposed = replace(good, schema=replace(good.schema, origin="machine"))
    (accepted,) = apply_validation([proposed, good], said)
    assert (accepted.schema.origin, accepted.schema.status) == ("people", "validated by 2 people"), "counted once"
