"""The researcher's page: progress, agreement and its target, people, disputes, and what its buttons do."""

from __future__ import annotations

import html
import re
from collections import Counter
from pathlib import Path

import pytest

from horsesense.annotate.database.participants import all_people, invite, pause
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotate.study import read_study
from horsesense.annotation_server.queue import withdraw
from horsesense.annotation_server.researcher_pages import annotator_statuses, overview
from horsesense.annotation_server.study_progress import HEIGHT, WIDTH, finished, over_time, study_progress
from horsesense.errors import UserError
from tests.support.judged_probes import LABELS, choices, triples
from tests.support.study_server import Clock, Somebody, annotator, browser, study_of
from tests.support.study_workers import next_lease, person, say


def researcher(served: ServedStudy) -> Somebody:
    (token,) = invite(served, ["boss"], role="researcher")
    boss = browser(served)
    boss.link = f"/in/{token}"
    boss.enter()
    return boss


def judge_all(served: ServedStudy, name: str, place: int, clock: Clock, seconds: float) -> None:
    """Somebody answers all there is, always the option of that place, so many seconds each."""
    who = person(served, name)
    while (lease := next_lease(served, who)) is not None:
        clock.now += seconds
        task = served.tasks["item"][lease.name]
        say(served, who, (task.choices or task.scale.labels)[place])


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def judged(tmp_path: Path, clock: Clock) -> ServedStudy:
    """Twelve questions, two people each: ann takes the first option, ben the second and in no time."""
    served = study_of(tmp_path / "s", choices(12), "choice", per_item=2, clock=clock)
    invite(served, ["ann", "ben", "cid"])
    judge_all(served, "ann", 0, clock, 20.0)
    judge_all(served, "ben", 1, clock, 0.2)
    return served


def test_disputes_show_what_people_read(judged: ServedStudy) -> None:
    found = overview(judged)
    assert found.in_dispute == 12
    for each in found.disputes:
        task = judged.tasks["item"][each.item]
        assert [(bar.text, bar.votes, bar.share) for bar in each.bars] == [(text, 1, 0.5) for text in task.choices]
        assert each.question == task.question
    shown = html.unescape(researcher(judged).page.text)
    first = judged.tasks["item"][found.disputes[0].item]
    assert all(text in shown for text in first.choices)
    assert shown.count('<rect width="50.0%"') == 24


def test_an_objection_stands_beside_the_answers(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", triples(1), "partwhole", per_item=4)
    invite(served, list("abcd"))
    for name, value in zip("abcd", ("probably", "unlikely", "probably", "nonsense"), strict=True):
        say(served, person(served, name), value)
    ((each,),) = (overview(served).disputes,)
    assert [(bar.votes, bar.beside) for bar in each.bars] == [*((votes, False) for votes in (0, 1, 0, 2, 0)), (1, True)]
    assert [bar.text for bar in each.bars[:5]] == [served.instrument.wording.get(label, label) for label in LABELS]


def test_people_who_finished_are_done_and_the_hasty_are_told(judged: ServedStudy) -> None:
    people = {each.person.name: each for each in annotator_statuses(judged, overview(judged))}
    assert {name: each.state for name, each in people.items()} == {"ann": "done", "ben": "done", "cid": "nothing left"}
    assert (people["ben"].hasty, people["ann"].hasty) == (12, 0)
    assert "too quick" in people["ben"].flags
    assert "too quick" not in people["ann"].flags


def test_done_follows_limit_queue_and_withdrawal(tmp_path: Path, clock: Clock) -> None:
    served = study_of(tmp_path / "s", choices(6), "choice", per_item=1, queue="kind", max_items=2, clock=clock)
    invite(served, ["ann"], queue="even")
    invite(served, ["ben"])
    say(served, person(served, "ann"), next_text(served, "ann"))
    assert finished(served, all_people(served)) == set(), "one of three"
    say(served, person(served, "ann"), next_text(served, "ann"))
    assert finished(served, all_people(served)) == {person(served, "ann")}, "as many as one person may"
    invite(served, ["cid"], queue="even")
    say(served, person(served, "cid"), next_text(served, "cid"))
    assert person(served, "cid") in finished(served, all_people(served)), "nothing is left of the queue"
    withdraw(served, "ann")
    assert person(served, "cid") not in finished(served, all_people(served)), "ann's items are asked again"


def next_text(served: ServedStudy, name: str) -> str:
    lease = next_lease(served, person(served, name))
    assert lease is not None
    return served.tasks["item"][lease.name].choices[0]


def test_agreement_is_held_against_its_target(tmp_path: Path, clock: Clock, judged: ServedStudy) -> None:
    (aimed,) = (row for row in overview(judged).figures if row.target is not None)
    assert (aimed.figure.name, aimed.result) == ("alpha, nominal", "missed"), "they never agree"
    served = study_of(tmp_path / "t", triples(40), "partwhole", per_item=2, agreement=0.8, clock=clock)
    invite(served, ["ann", "ben"])
    for name in ("ann", "ben"):
        who = person(served, name)
        while (lease := next_lease(served, who)) is not None:
            say(served, who, LABELS[sum(map(ord, lease.name)) % 5])
    (aimed,) = (row for row in overview(served).figures if row.target is not None)
    assert (aimed.figure.name, aimed.target, aimed.result) == ("alpha, ordinal", 0.8, "reached")
    text = (tmp_path / "t" / "study.toml").read_text()
    (tmp_path / "t" / "study.toml").write_text(text.replace("agreement = 0.8", "agreement = 1.5"))
    with pytest.raises(UserError, match="perfect agreement is 1"):
        read_study(tmp_path / "t")


def test_progress_by_item_and_over_time(judged: ServedStudy, clock: Clock) -> None:
    assert study_progress(judged).by_answers == {0: 0, 1: 0, 2: 12}
    clock.now += 10 * 3600
    found = over_time(judged)
    assert found is not None
    assert (found.total, found.last_hour, found.last_day) == (24, 0, 24)
    points = [tuple(map(float, point.split(","))) for point in found.points.split()]
    assert points[0] == (0, HEIGHT)
    assert points[-1] == (WIDTH, 0)
    assert points == sorted(points, key=lambda point: (point[0], -point[1])), "it only rises"
    withdraw(judged, "ben")
    after = over_time(judged)
    assert after is not None
    assert after.total == 12
    assert study_progress(judged).by_answers == {0: 0, 1: 12, 2: 0}


def pressed(boss: Somebody, path: str, **fields: str) -> int:
    boss.page = boss.client.post(path, data={"form": boss.hidden("form")} | fields)
    return int(boss.page.status_code)


def test_pause_by_button(judged: ServedStudy) -> None:
    boss = researcher(judged)
    assert pressed(boss, "/study/pause", name="cid", what="pause") == 200
    assert "Resume cid" in boss.page.text
    assert "paused" in boss.page.text
    assert Counter(each.paused for each in all_people(judged)) == {False: 3, True: 1}
    assert next_lease(judged, person(judged, "cid")) is None
    assert pressed(boss, "/study/pause", name="cid", what="resume") == 200
    assert pressed(boss, "/study/pause", what="pause") == 200
    assert "The study is paused" in boss.page.text
    assert "A pause" in annotator(judged, "dan").page.text
    assert pressed(boss, "/study/pause", what="resume") == 200
    assert "The study is paused" not in boss.page.text
    assert pressed(boss, "/study/pause", name="nobody", what="pause") == 422
    boss.open("/study")
    assert pressed(boss, "/study/pause", what="burn") == 422


def test_invite_by_button_gives_a_link_that_works_once_shown(judged: ServedStudy) -> None:
    boss = researcher(judged)
    assert pressed(boss, "/study/invite", name="eve") == 200
    link = re.search(r'value="[^"]*(/in/[\w-]+)"', boss.page.text)
    assert link is not None
    eve = browser(judged)
    eve.link = link[1]
    assert eve.enter().status_code == 200
    assert link[1] not in boss.open("/study").text, "the link is shown once"
    assert "eve" in boss.page.text
    assert pressed(boss, "/study/invite", name="eve") == 422
    assert "invited already" in html.unescape(boss.page.text)
    assert "Agreement so far" in boss.page.text
    assert pressed(boss, "/study/invite", name="a<b") == 422


@pytest.mark.parametrize("path", ["/study/pause", "/study/invite"])
def test_buttons_are_the_researchers_and_carry_their_mark(judged: ServedStudy, path: str) -> None:
    dan = annotator(judged, "dan")
    fields = {"name": "cid", "what": "pause"}
    assert dan.client.post(path, data={"form": dan.hidden("form")} | fields).status_code == 403
    boss = researcher(judged)
    assert boss.client.post(path, data=fields).status_code == 403, "a form without its mark"
    elsewhere = {"origin": "http://evil.example"}
    assert boss.client.post(path, data={"form": boss.hidden("form")} | fields, headers=elsewhere).status_code == 403
    assert browser(judged).client.post(path, data=fields).status_code == 401
    assert not any(each.paused for each in all_people(judged))


def test_the_page_says_when_its_figures_were_made(judged: ServedStudy, clock: Clock) -> None:
    boss = researcher(judged)
    times = re.findall(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", boss.page.text)
    clock.now += 5
    pause(judged, ["cid"])
    later = re.findall(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", boss.open("/study").text)
    assert later[0] > times[0], "progress is of now"
    assert later[-1] == times[-1], "what takes long is kept, and says so"
    assert "Resume cid" in boss.page.text, "who takes part is of now"
