"""Blind audits: what the auditor does not see, seeded errors, and the estimates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from horsesense.annotate.audit import steps
from horsesense.annotate.audit.blind_audit import (
    ERRORS,
    EXCHANGED_KEY,
    KNOWN,
    NONSENSE,
    SAMPLE,
    TWO_TRUE,
    AuditItem,
    BlindAudit,
    draw,
    known_good,
    read_audit,
    seed_errors,
)
from horsesense.annotate.audit.estimates import count_bad, draw_second, is_bad, stage_of
from horsesense.annotate.audit.steps import read_auditor_files
from horsesense.annotate.database.judgement_log import standing_judgements
from horsesense.annotate.platforms import iter_label_studio
from horsesense.core import Card, Item, Judgement, Probe, read_probe, write_judgements, write_probe
from horsesense.errors import UserError
from tests.support.judged_probes import choices
from tests.support.study_commands import document, run
from tests.support.study_server import annotator, study_of


def questions(number: int, probe: str = "demo", bad: int = 0, start: int = 0) -> Probe:
    """Questions whose only true option begins with *true*; the key of the first ``bad`` is another option."""
    items = []
    for k in range(start, start + number):
        options = [f"true {k}", *(f"false {k} {n}" for n in range(3))]
        Random(k).shuffle(options)
        key = options.index(f"true {k}")
        items.append(
            Item(
                probe=probe,
                form="choice",
                text=f"Which of the four is the right one of number {k}?",
                options=tuple(options),
                answer=(key + 1) % 4 if k < bad else key,
                family=f"secret-family-{k}",
                facets={"hops": 2},
                groups={"noun": f"secret-noun-{k}"},
            )
        )
    return Probe.of(items, Card(name=probe, made="Made for a test."))


def second(item: Item, chance: Random) -> tuple[str, ...] | None:
    """A second true option, for every other item."""
    assert item.answer is not None
    number = int(item.text.split()[-1].rstrip("?"))
    place = (item.answer + 1) % 4
    return None if number % 2 else tuple(f"true also {number}" if k == place else o for k, o in enumerate(item.options))


def told(item: Item) -> str:
    """What somebody who knows everything says."""
    words = item.text.split()
    if words[:2] != ["Which", "of"]:
        return "nonsense"
    number = words[-1].rstrip("?")
    return "".join(
        "T" if option.startswith("true") and option.split()[-1] == number else "F" for option in item.options
    )


def knowing(audit: BlindAudit, share: float = 1.0, alarms: float = 0.0, seed: int = 0) -> dict[str, str]:
    """Codes of a reader who finds a ``share`` of what is bad and raises ``alarms`` at what is good."""
    rng, codes = Random(seed), {}
    for blind, item in zip(audit.items, audit.shown, strict=True):
        good = "".join("T" if place == blind.key else "F" for place in range(blind.options))
        truth = told(item)
        bad = truth != good
        calls = rng.random() < (share if bad else alarms)
        codes[blind.number] = good if not calls else truth if bad else "F" * blind.options
    return codes


def lines(path: Path, codes: Mapping[str, str]) -> Path:
    path.write_text("".join(f"{number}\t{'N' if c == 'nonsense' else c}\n" for number, c in codes.items()))
    return path


@pytest.fixture
def audit() -> BlindAudit:
    return draw(questions(200), "demo.jsonl", 60, 45, 1, second)


def test_each_kind_of_fault_is_what_it_says() -> None:
    probe = questions(120)
    sources = {item.id: item for item in probe.items}
    faults = seed_errors(probe.items, 60, 4, second)
    assert {kind: sum(fault.kind == kind for fault in faults) for kind in ERRORS} == dict.fromkeys(ERRORS, 20)
    assert len({fault.source for fault in faults}) == 60
    for fault in faults:
        source, item = sources[fault.source], fault.item
        if fault.kind == EXCHANGED_KEY:
            assert (item.options, item.text) == (source.options, source.text)
            assert item.answer != source.answer
        elif fault.kind == TWO_TRUE:
            assert told(item).count("T") == 2
            assert item.options[item.answer or 0] == source.options[source.answer or 0]
        else:
            assert "T" not in told(item)
            assert sorted(item.text.split()) == sorted(source.text.split())


def test_what_is_not_known_is_not_planted() -> None:
    kinds = [fault.kind for fault in seed_errors(questions(80).items, 31, 0)]
    assert (kinds.count(EXCHANGED_KEY), kinds.count(NONSENSE), kinds.count(TWO_TRUE)) == (16, 15, 0)


def test_the_reader_is_told_nothing(tmp_path: Path) -> None:
    probe = tmp_path / "demo.jsonl"
    write_probe(probe, questions(200))
    steps.new(probe, out=tmp_path / "r", limit=60, seeded=40, seed=2)
    kept = read_audit(tmp_path / "r")
    for file in (tmp_path / "r" / "for-auditor").iterdir():
        text = file.read_text(encoding="utf-8")
        for secret in ("secret", "hops", "demo-", "exchanged", "seeded", "sample", "audit-key"):
            assert secret not in text, (file.name, secret)
    items = read_probe(tmp_path / "r" / "for-auditor" / "items.jsonl").items
    assert [item.answer for item in items] == [None] * 100
    # Where the key stands, and where seeded items stand, must not be told by their place.
    places = [each.key for each in kept.items]
    assert {places.count(place) > 12 for place in range(4)} == {True}
    order = [each.kind == SAMPLE for each in kept.items]
    assert 20 < sum(order[:50]) < 40
    assert {each.source for each in kept.items if each.kind == SAMPLE}.isdisjoint(
        each.source for each in kept.items if each.kind != SAMPLE
    )


def test_a_seed_repeats_itself(tmp_path: Path) -> None:
    write_probe(tmp_path / "demo.jsonl", questions(150))
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        steps.new(tmp_path / "demo.jsonl", out=tmp_path / name, limit=50, seeded=30, seed=seed)
    texts = [(tmp_path / name / "for-auditor" / "part-01.txt").read_bytes() for name in "abc"]
    assert texts[0] == texts[1] != texts[2]


def test_a_reader_who_knows_finds_every_fault_and_the_true_share() -> None:
    probe = questions(400, bad=80)
    drawn = draw(probe, "demo.jsonl", 150, 60, 3, second, questions(120, "good", start=500).items, "good.jsonl")
    stage = stage_of(drawn.items, knowing(drawn))
    bad_ids = {item.id for item in probe.items[:80]}
    truly = sum(each.source in bad_ids for each in drawn.items if each.kind == SAMPLE) / 150
    assert stage.bad.value == truly
    assert (stage.false_alarms and stage.false_alarms.value) == 0
    # An exchanged key of an item that was wrong already may be the right one: that is no miss of the reader's.
    assert stage.sensitivity.value > 0.9
    assert stage.ceiling.value == pytest.approx(1 - truly)
    assert set(stage.by_error) == set(ERRORS)


@pytest.mark.parametrize("seed", range(4))
def test_a_poor_reader_is_corrected(seed: int) -> None:
    drawn = draw(
        questions(900, bad=180), "demo.jsonl", 400, 150, seed, second, questions(300, "good", start=2000).items
    )
    stage = stage_of(drawn.items, knowing(drawn, 0.75, 0.08, seed))
    assert stage.corrected is not None
    assert stage.corrected.ci[0] < 0.2 < stage.corrected.ci[1]


def test_known_items_that_are_worse_than_the_sample_correct_nothing() -> None:
    """Their faults would pass for false alarms, and make the probe look sounder than it was read."""
    worse = questions(120, "good", bad=40).items
    drawn = draw(questions(400, bad=16), "demo.jsonl", 150, 60, 3, second, worse, "good.jsonl")
    stage = stage_of(drawn.items, knowing(drawn))
    assert stage.false_alarms is not None
    assert stage.false_alarms.value > stage.bad.value > 0
    assert not stage.comparable
    assert stage.corrected is not None
    assert stage.corrected.value >= stage.bad.value


def test_false_alarms_that_do_not_fit_make_no_item_better() -> None:
    """4 of 102 known-good items against 1 of 300 made "0.0% (0.0 to 0.3%) bad" out of 0.4% (0 to 2.2%)."""
    items = [AuditItem(f"s{k}", f"i{k}", SAMPLE, "", 0, 2) for k in range(300)]
    items += [AuditItem(f"g{k}", f"h{k}", KNOWN, "", 0, 2) for k in range(102)]
    items += [AuditItem(f"{kind} {k}", f"p{k}", kind, "", 0, 2) for kind in ERRORS for k in range(40)]
    codes = {each.number: "TF" for each in items} | {"s0": "TT"} | {f"g{k}": "TT" for k in range(4)}
    codes |= {f"{kind} {k}": "TT" if kind == TWO_TRUE else "FT" for kind in ERRORS for k in range(40)}
    stage = stage_of(items, codes)
    assert not stage.comparable
    assert stage.corrected is not None
    assert stage.corrected.value == pytest.approx(1 / 300)
    assert stage.corrected.ci[1] > 0.015


def test_a_second_true_option_is_reported_separately() -> None:
    """The auditor misses half of these and nothing else: all errors together would make them look rare."""
    items = [AuditItem(f"s{k}", f"i{k}", SAMPLE, "", 0, 2) for k in range(200)]
    items += [AuditItem(f"{kind} {k}", f"p{k}", kind, "", 0, 2) for kind in ERRORS for k in range(40)]
    codes = {each.number: "TF" for each in items}
    codes |= {f"s{k}": "TT" for k in range(10)} | {f"{TWO_TRUE} {k}": "TT" for k in range(20)}
    codes |= {f"{kind} {k}": "FT" for kind in ERRORS if kind != TWO_TRUE for k in range(40)}
    stage = stage_of(items, codes)
    assert stage.by_error[TWO_TRUE].value == pytest.approx(0.5)
    assert stage.second_option is not None
    assert stage.second_option.value == pytest.approx(0.1)
    assert stage.corrected is not None
    assert stage.corrected.value == pytest.approx(0.05 / (100 / 120))


def test_the_second_stage_has_all_that_differ_and_as_many_others(audit: BlindAudit) -> None:
    first = knowing(audit, 0.9, 0.05, 1)
    asked = draw_second(audit.items, first, 1)
    differ = [each for each in audit.items if is_bad(first, each)]
    assert {each.number for each in differ} <= {each.number for each in asked}
    assert len(asked) == 2 * len(differ)
    assert asked == draw_second(audit.items, first, 1) != draw_second(audit.items, first, 2)
    assert [each.number for each in asked] == sorted(each.number for each in asked)


def test_who_agreed_and_was_asked_again_stands_for_the_others() -> None:
    """Ten called bad, of which four are taken back; of 30 others ten are asked again, and one turns: 3 in all."""
    blind = [AuditItem(f"q{k}", f"i{k}", SAMPLE, "", 0, 2) for k in range(40)]
    first = {each.number: "FT" if k < 10 else "TF" for k, each in enumerate(blind)}
    after = {f"q{k}": "TF" if k < 4 or 10 < k < 20 else "FT" for k in range(20)}
    count = count_bad(blind, first, after)
    assert count.rate == pytest.approx((6 + 1 * 30 / 10) / 40)
    assert 5 < count.n < 40  # it knows less than 40 items read in full
    whole = {each.number: after.get(each.number, "TF") for each in blind}
    assert count_bad(blind, first, whole).n == pytest.approx(40, rel=0.1)
    stage = stage_of(
        [*blind, AuditItem("p1", "p", EXCHANGED_KEY, "", 0, 2)], first | {"p1": "FT"}, after | {"p1": "FT"}
    )
    assert stage.ceiling.value == pytest.approx(1 - stage.bad.value)
    assert sum(stage.reasons.values()) == pytest.approx(stage.bad.value)


def test_items_that_most_people_get_are_known_to_be_good() -> None:
    probe = choices(4)
    votes = [("0", 5, 0), ("1", 4, 1), ("2", 2, 2), ("3", 1, 0)]  # item, for the key, against it
    judgements = []
    for place, (item, (_, right, wrong)) in enumerate(zip(probe.items, votes, strict=True)):
        answer = item.answer or 0
        given = [item.options[answer]] * right + [item.options[1 - answer]] * wrong
        judgements += [Judgement(item.id, f"a{place}{k}", "choice", value) for k, value in enumerate(given)]
    assert known_good(probe, judgements) == list(probe.items[:2])


def made(tmp_path: Path) -> tuple[Path, Path, BlindAudit]:
    probe = tmp_path / "demo.jsonl"
    write_probe(probe, questions(200, bad=20))
    write_probe(tmp_path / "good.jsonl", choices(60))
    votes = [
        Judgement(item.id, f"a{k}", "choice", item.options[item.answer or 0])
        for item in choices(60).items
        for k in range(4)
    ]
    write_judgements(tmp_path / "votes.jsonl", votes)
    found = document(
        "audit new", probe, "-o", tmp_path / "r", "--limit", 50, "--seeded", 30,
        "--known", tmp_path / "good.jsonl", "--votes", tmp_path / "votes.jsonl",
    )  # fmt: skip
    assert (found["sample"], sum(found["seeded"].values()), found["known"]) == (50, 30, 60)
    return probe, tmp_path / "r", read_audit(tmp_path / "r")


def everything(audit: BlindAudit) -> dict[str, str]:
    """A reader who knows the questions, and takes the known items as they are meant."""
    codes = knowing(audit)
    for each in audit.items:
        if each.kind == KNOWN:
            codes[each.number] = "".join("T" if place == each.key else "F" for place in range(each.options))
    return codes


def test_from_a_probe_to_its_card(tmp_path: Path) -> None:
    probe, folder, audit = made(tmp_path)
    codes = everything(audit)
    file = lines(tmp_path / "read.txt", codes)
    shown = document("audit second", folder, file)
    assert shown["bad"] == shown["others"] == sum(is_bad(codes, each) for each in audit.items)
    key = "Meant to be right: "
    part = (folder / "for-auditor-second" / "part-01.txt").read_text()
    assert part.count(key) == shown["bad"] * 2
    again = lines(
        tmp_path / "again.txt", {each.number: codes[each.number] for each in draw_second(audit.items, codes, 0)}
    )
    who = ("--auditor", "one:people", "--writer", "two:smollm")
    found = document("audit apply", folder, file, "--second", again, "-p", probe, *who)
    assert found["before"]["bad"]["value"] == pytest.approx(found["after"]["bad"]["value"])
    assert found["earlier"] == []
    card = read_probe(probe).card.label_quality
    assert card is not None
    assert (card.n, card.known, card.auditor.is_model, card.writer.is_model) == (50, 60, False, True)
    assert "language model" in card.writer.in_words()
    assert str(tmp_path) not in (tmp_path / "demo.card.json").read_text()
    # The same audit again takes its own place; another reader's is added.
    steps.apply(folder, file, probe=probe, auditor="one:people")
    steps.apply(folder, file, probe=probe, auditor="another:claude")
    listed = read_probe(probe).card.label_quality
    assert listed is not None
    assert [each.auditor.name for each in listed.earlier] == ["one"]
    assert any("not a person" in note for note in listed.notes)
    code, out, _ = run("audit", "apply", folder, file, "--auditor", "one:people")
    assert code == 0
    assert "ceiling" in out


def test_what_is_wrong_with_a_reading_is_told(tmp_path: Path) -> None:
    probe, folder, audit = made(tmp_path)
    codes = everything(audit)
    first = next(iter(codes))
    bad = {
        "q999\tTFFF": r"x.txt:1: 'q999' is not an item of this audit",
        f"{first}\tTXFF": r"x.txt:1: 'X' in 'TXFF' is not a judgement",
        f"{first}\tT": r"x.txt:1: 'T' judges 1 options",
        f"{first}": r"x.txt:1: q001 is not judged",
        f"{first}\tN\n{first}\tTFFF" if audit.items[0].options == 4 else f"{first}\tN\n{first}\tTF": "already judged",
        f"{first}\tN": "139 of 140 items are not judged",
    }
    for text, why in bad.items():
        (tmp_path / "x.txt").write_text(text + "\n")
        with pytest.raises(UserError, match=why):
            steps.apply(folder, tmp_path / "x.txt", auditor="one:people")
    file = lines(tmp_path / "read.txt", codes)
    with pytest.raises(UserError, match="NAME:LINEAGE"):
        steps.apply(folder, file, auditor="one")
    write_probe(tmp_path / "other.jsonl", questions(201))
    with pytest.raises(UserError, match="not the probe that was audited"):
        steps.apply(folder, file, auditor="one:people", probe=tmp_path / "other.jsonl")
    with pytest.raises(UserError, match=r"200 items .*250 are needed"):
        steps.new(probe, out=tmp_path / "s", limit=200, seeded=50)
    with pytest.raises(UserError, match="belong together"):
        steps.new(probe, out=tmp_path / "s", known=probe)
    steps.second(folder, file)
    with pytest.raises(UserError, match="already exists"):
        steps.second(folder, file)


@pytest.mark.parametrize("change", [{"key": "1"}, {"key": None}, {"key": 9}, {"key": -1}, {"number": 1}, {"more": 1}])
def test_a_damaged_key_is_told(change: dict[str, Any], tmp_path: Path) -> None:
    _, folder, _ = made(tmp_path)
    rows = [json.loads(line) for line in (folder / "key.jsonl").read_text(encoding="utf-8").splitlines()]
    rows[2] |= change
    (folder / "key.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    with pytest.raises(UserError, match=rf"key\.jsonl:3: .*\b{next(iter(change))}\b"):
        read_audit(folder)


def test_a_filled_task_file_says_the_same_as_lines(tmp_path: Path) -> None:
    _, folder, audit = made(tmp_path)
    codes = everything(audit)
    number = {each.item: each.number for each in audit.items}
    tasks = [json.loads(line) for line in (folder / "for-auditor" / "tasks.jsonl").read_text().splitlines()]
    filled = tmp_path / "filled.jsonl"
    rows = [row | {"value": codes[number[row["item"]]].lower(), "annotator": "m"} for row in tasks]
    filled.write_text("".join(json.dumps(row) + "\n" for row in rows))
    by_file = read_auditor_files([filled], audit.items, "audit")
    assert by_file.codes == read_auditor_files([lines(tmp_path / "l.txt", codes)], audit.items, "audit").codes == codes


def test_several_readers_are_settled_option_by_option(tmp_path: Path) -> None:
    _, _, audit = made(tmp_path)
    five = [each for each in audit.items if each.options == 4][:1]
    given = [("a", "TTFF"), ("b", "TFFU"), ("c", "TFTU")]
    rows = [Judgement(five[0].item, who, "audit", value) for who, value in given]
    write_judgements(tmp_path / "j.jsonl", rows)
    judged = read_auditor_files([tmp_path / "j.jsonl"], audit.items, "audit")
    assert (judged.codes, judged.auditors) == ({five[0].number: "TFFU"}, 3)


def blind_probe(number: int) -> Probe:
    return Probe.of(draw(questions(60), "d", number, 3, 0).shown[:number], Card(name="audit"))


def test_people_read_on_the_server(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", blind_probe(3), "audit")
    ann = annotator(served, "ann")
    assert ann.page.text.count('<fieldset class="criterion">') == 4
    assert "This is not English, or it makes no sense" in ann.page.text
    judged = dict(
        zip(("judged-A", "judged-B", "judged-C", "judged-D"), ("true", "false", "unclear", "false"), strict=True)
    )
    ann.answer(**judged)
    ann.answer(objection="0")
    assert [each.value for each in standing_judgements(served)] == ["TFUF", "nonsense"]
    ann.answer(**{"judged-A": "true"})
    assert "is not judged" in ann.page.text
    assert len(standing_judgements(served)) == 2


def answers(options: Sequence[str]) -> list[str]:
    return ["true" if option.startswith("true") else "false" for option in options]


@pytest.mark.parametrize(("form", "name"), [("label-studio", "t.json"), ("potato", "t.jsonl"), ("mturk", "t.csv")])
def test_platforms_ask_about_each_option(form: str, name: str, tmp_path: Path) -> None:
    """What each platform would send back for the files that were written, read again."""
    import csv

    probe = blind_probe(3)
    write_probe(tmp_path / "blind.jsonl", probe)
    file = tmp_path / name
    document("new", tmp_path / "blind.jsonl", "--instrument", "audit", "-o", file, "--format", form)
    back = tmp_path / ("back.csv" if form == "mturk" else f"back{file.suffix}")
    letters = [f"judged-{letter}" for letter in "ABCD"]
    if form == "label-studio":
        tasks = json.loads(file.read_text())
        page = (tmp_path / "t.page.xml").read_text()
        assert [letter in page for letter in letters] == [True] * 4
        for task in tasks[:2]:
            sent = zip(letters, answers(task["data"]["options"]), strict=True)
            result = [{"from_name": field, "value": {"choices": [answer]}} for field, answer in sent]
            task["annotations"] = [{"completed_by": 1, "result": result}]
        objection = [{"from_name": "value", "value": {"choices": ["nonsense"]}}]
        tasks[2]["annotations"] = [{"completed_by": 1, "result": objection}]
        back.write_text(json.dumps(tasks))
        assert len(list(iter_label_studio(back))) == 3
    elif form == "potato":
        rows = []
        for place, item in enumerate(probe.items):
            given = answers(item.options) if place < 2 else ["nonsense"] * 4
            labels = {f"audit.{field}": {answer: True} for field, answer in zip(letters, given, strict=True)}
            rows.append(json.dumps({"instance_id": item.id, "user_id": "u", "labels": labels}))
        back.write_text("\n".join(rows) + "\n")
    else:
        inputs = list(csv.DictReader(file.open()))
        page = (tmp_path / "t.hit.html").read_text()
        assert page.count('value="unclear"') == 4
        with back.open("w", newline="") as handle:
            columns = [
                "WorkerId",
                *(f"Input.{key}" for key in inputs[0]),
                *(f"Answer.{key}" for key in (*letters, "value")),
            ]
            writer = csv.DictWriter(handle, columns)
            writer.writeheader()
            for place, row in enumerate(inputs):
                options = [row[f"asked_{k}"] for k in range(4)]
                given = answers(options) if place < 2 else [""] * 4
                filled = {f"Answer.{field}": answer for field, answer in zip(letters, given, strict=True)}
                filled |= {"Answer.value": "nonsense" if place == 2 else "", "WorkerId": "w"}
                writer.writerow({f"Input.{key}": value for key, value in row.items()} | filled)
    written = document(
        "collect", back, "-p", tmp_path / "blind.jsonl", "-o", tmp_path / "j.jsonl", "--instrument", "audit"
    )
    assert written["judgements"] == 3
    values = {row["item"]: row["value"] for row in map(json.loads, (tmp_path / "j.jsonl").read_text().splitlines())}
    expected = ["".join("T" if o.startswith("true") else "F" for o in item.options) for item in probe.items[:2]]
    assert [values[item.id] for item in probe.items] == [*expected, "nonsense"]
