"""A served study from the command line: made, invited to, judged, paused, withdrawn, exported, and bad input."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from horsesense.annotate.database.served_study import open_study
from horsesense.core import Card, Item, Probe, read_probe, write_probe
from tests.support.judged_probes import LABELS, triples
from tests.support.study_commands import document, run
from tests.support.study_server import browser


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    """Six triples that nobody has judged."""
    path = tmp_path / "probe.jsonl"
    write_probe(path, triples(6))
    return path


@pytest.fixture
def study(probe: Path, tmp_path: Path) -> Path:
    made = document(
        "study", probe, "--instrument", "partwhole", "-o", tmp_path / "study", "--per-item", "2", "--extra", "3"
    )
    assert (made["items"], made["tasks"], made["people"]) == (6, 12, 0)
    return tmp_path / "study"


def judge(study: Path, link: str, value: str, times: int) -> None:
    served = open_study(study)
    somebody = browser(served)
    somebody.link = link.removeprefix("http://127.0.0.1:8000")
    somebody.enter()
    for _ in range(times):
        assert somebody.answer(value=value).status_code == 200
    somebody.client.post("/leave", data={"form": somebody.hidden("form")})
    served.engine.dispose()


def test_a_crowd_is_invited_and_revoked_without_names(study: Path) -> None:
    (link,) = document("invite", study, "--crowd", "open", "--most", "5")["people"]
    assert (link["name"], "/join/" in link["link"]) == ("open", True)
    assert document("revoke", study, "--crowd")["people"] == []


def test_a_study_from_end_to_end(study: Path, tmp_path: Path) -> None:
    people = {each["name"]: each for each in document("invite", study, "ann", "ben", "cid")["people"]}
    judge(study, people["ann"]["link"], "3", 6)
    judge(study, people["ben"]["link"], "3", 5)
    judge(study, people["cid"]["link"], "0", 1)
    state = document("status", study)
    assert (state["judgements"], state["target"]) == (12, 2)
    assert (state["missing"], state["disputed"], state["by_votes"]) == (3, 1, {"2": 6})
    assert state["done"] == 5, "the one in dispute wants five"
    assert {each["annotator"] for each in state["people"]} == {each["code"] for each in people.values()}
    assert document("pause", study, "ann")["state"] == "paused"
    assert document("resume", study)["people"] == []
    assert document("revoke", study, people["ben"]["code"])["state"] == "revoked", "also by code"
    gone = document("withdraw", study, "cid", "--reason", "clicked through")
    assert gone["judgements"] == 1
    judgements = document("collect", study, "-o", tmp_path / "j.csv")
    assert (judgements["judgements"], judgements["people"]) == (11, 2)
    assert judgements["notes"] == {"withdrawn judgements": 1}
    assert not {"ann", "ben", "cid"} & set((tmp_path / "j.csv").read_text().replace(",", "\n").split("\n"))
    assert document("agreement", study)["people"] == 2
    labels = document("export", study, "-o", tmp_path / "l.jsonl", "--rule", "median")
    assert labels["counts"] == {"probably": 5}
    applied = document("apply", study / "items.jsonl", tmp_path / "l.jsonl", "-o", tmp_path / "judged.jsonl")
    assert applied["items"] == 5
    assert {item.answer for item in read_probe(tmp_path / "judged.jsonl").items} == {LABELS.index("probably")}


def test_as_many_votes_as_the_study_asks_for_are_enough(study: Path, tmp_path: Path) -> None:
    """Two who agree end an item; where they differ the rule's own three are needed."""
    people = {each["name"]: each for each in document("invite", study, "ann", "ben", "cid", "dan")["people"]}
    judge(study, people["ann"]["link"], "3", 6)
    judge(study, people["ben"]["link"], "3", 4)
    judge(study, people["cid"]["link"], "0", 2)
    told = document("export", study, "-o", tmp_path / "open.jsonl")
    assert (told["rule"], told["counts"]) == ("partwhole", {"probably": 4})
    assert told["dropped"] == {"fewer than 3 votes": 2}, "of these three more are asked"
    judge(study, people["ben"]["link"], "3", 2)
    judge(study, people["dan"]["link"], "0", 1)
    told = document("export", study, "-o", tmp_path / "l.jsonl")
    assert (told["counts"], told["unanimous"], told["dropped"]) == ({"probably": 6}, 4, {})
    asked = document("export", study, "-o", tmp_path / "more.jsonl", "--min-votes", "3")
    assert asked["dropped"] == {"fewer than 3 votes": 4}, "whoever asks for more gets more"


def test_one_vote_is_enough_where_one_is_asked_for(probe: Path, tmp_path: Path) -> None:
    document("study", probe, "--instrument", "partwhole", "-o", tmp_path / "one", "--per-item", "1")
    (ann,) = document("invite", tmp_path / "one", "ann")["people"]
    judge(tmp_path / "one", ann["link"], "1", 6)
    assert document("export", tmp_path / "one", "-o", tmp_path / "l.jsonl")["counts"] == {"unlikely": 6}


def test_the_lines_of_a_status_agree_with_one_another(study: Path) -> None:
    """All six have two judgements and not all are done: that is said together, with whom nobody has heard of yet."""
    document("invite", study, "ann", "ben")
    document("invite", study, "rita", "--researcher")
    state = document("status", study)
    assert (state["judgements"], state["missing"], state["unanswered"]) == (0, 12, 0)
    assert [(each["judgements"], each["unanswered"]) for each in state["people"]] == [(0, 0)] * 2, (
        "researchers judge nothing"
    )
    links = {each["name"]: each["link"] for each in document("invite", study, "ann", "ben", "--renew")["people"]}
    judge(study, links["ann"], "3", 6)
    judge(study, links["ben"], "0", 6)
    _, shown, _ = run("status", study)
    assert "0 of 6 items have all their judgements" in shown
    assert "target: 5 judgements per item" in shown
    assert "12 judgements, 18 missing" in shown
    assert "items by number of judgements: 6 with 2" in shown


def test_who_was_told_that_this_is_all_is_done(probe: Path, tmp_path: Path) -> None:
    study = tmp_path / "study"
    _, shown, _ = run("study", probe, "--instrument", "partwhole", "-o", study, "--per-item", "1")
    assert shown.startswith("6 tasks on 6 items")
    people = document("invite", study, "Zoë Ü", "ben", "cid")["people"]
    judge(study, people[0]["link"], "3", 4)
    assert {each["name"]: each["state"] for each in document("codes", study)["people"]} == {
        "Zoë Ü": "working",
        "ben": "working",
        "cid": "working",
    }
    judge(study, people[1]["link"], "3", 2)
    assert {each["name"]: each["state"] for each in document("codes", study)["people"]} == {
        "Zoë Ü": "done",
        "ben": "done",
        "cid": "nothing left",
    }


def test_links_go_into_a_file_that_only_the_owner_reads(study: Path, tmp_path: Path) -> None:
    out = tmp_path / "links.csv"
    told = document("invite", study, "ann", "-o", out)
    assert out.stat().st_mode & 0o077 == 0
    assert told["people"][0]["link"] in out.read_text()
    code, shown, _ = run("invite", study, "ben")
    assert code == 0
    assert "/in/" in shown


def test_gold_and_attention(probe: Path, tmp_path: Path) -> None:
    items = [
        Item(
            probe="gold",
            form="choice",
            text=f"If the jar{k} is blue, how likely is it that its neck is blue?",
            options=LABELS,
            ordered=True,
            answer=k % 5,
            facets={"whole": f"jar{k}", "part": "neck", "adjective": "blue"},
        )
        for k in range(20)
    ]
    write_probe(tmp_path / "gold.jsonl", Probe.of(items[:15], Card(name="gold")))
    write_probe(tmp_path / "attention.jsonl", Probe.of(items[15:], Card(name="gold")))
    options: list[Any] = ["--gold", tmp_path / "gold.jsonl", "--attention", tmp_path / "attention.jsonl"]
    document("study", probe, "--instrument", "partwhole", "-o", tmp_path / "study", *options, "--accuracy", "0.5")
    served = open_study(tmp_path / "study")
    assert (len(served.tasks["gold"]), len(served.tasks["attention"])) == (10, 5)
    assert served.study.qualification is not None
    assert (served.study.qualification.kappa, served.study.qualification.accuracy) == (0.7, 0.5)


def bad(study: Path, folder: Path, source: Path) -> dict[str, tuple[list[object], str]]:
    return {
        "not a study": (["invite", folder, "ann"], "this is not a study"),
        "nobody of that name": (
            ["withdraw", study, "anna"],
            "there is no person of this study 'anna'; did you mean 'ann'?",
        ),
        "invited twice": (["invite", study, "ann"], "ann is invited already"),
        "a name that is none": (
            ["invite", study, "a<b"],
            "the name 'a<b' is not usable; use letters, digits, single spaces and",
        ),
        "a study in the way": (
            ["study", source, "--instrument", "partwhole", "-o", study],
            "the folder already exists",
        ),
        "nothing judged yet": (["collect", study, "-o", folder / "j.csv"], "no task is filled in yet"),
        "nothing to settle yet": (["export", study, "-o", folder / "l.jsonl"], "no task is filled in yet"),
        "nothing of a round yet": (
            ["export", study, "-o", folder / "l.jsonl", "--round", "1"],
            "no task is filled in yet",
        ),
        "two studies": (["status", study, study], "cannot be read with other files"),
        "an instrument of another kind": (
            ["collect", study, "--instrument", "choice", "-o", folder / "j.csv"],
            "has its own items, instrument and people",
        ),
        "a folder for a task file": (
            ["new", source, "--instrument", "partwhole", "-o", folder / "x"],
            "use one of .csv, .tsv, .jsonl",
        ),
        "thresholds without gold": (
            ["study", source, "--instrument", "partwhole", "-o", folder / "x", "--kappa", "0.5"],
            "a qualification needs gold items",
        ),
        "gold that has no answers": (
            ["study", source, "--instrument", "partwhole", "-o", folder / "x", "--gold", source],
            "the gold items have no answers",
        ),
    }


@pytest.mark.parametrize("name", bad(Path(), Path(), Path()))
def test_bad_input(name: str, study: Path, probe: Path, tmp_path: Path) -> None:
    document("invite", study, "ann")
    arguments, message = bad(study, tmp_path, probe)[name]
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1, "one sentence, no traceback"
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("per_items = 3", "there is no setting of a study 'per_items'; did you mean 'per_item'?"),
        ("per_item = 0", "per_item is 0, but must be 1 or more"),
        ('per_item = "3"', "the setting 'per_item' has the wrong kind of value"),
        ("[qualification]\nkappa = 0.7", "the study has [qualification] and no items for it"),
        ('address = "nowhere"', "the address 'nowhere' is not the address of a server"),
        ("per_item = 1\nextra = 3", "which takes at least two"),
        ("[attention]\nevery = 1", "every task would be an attention check"),
        ("=", "this is not TOML"),
        ("max_items = true", "the setting 'max_items' has the wrong kind of value"),
        ("lease_minutes = 2020-01-01", "the setting 'lease_minutes' has the wrong kind of value"),
        ("attention = 3", "attention is not a table; write [attention] and its settings below"),
        ("[attention]\nevry = 3", "there is no setting of a attention 'evry'; did you mean 'every'?"),
        ('[qualification]\nkappa = "high"', "the setting 'kappa' has the wrong kind of value"),
        ('[qualification]\nweights = "quadratc"', "did you mean 'quadratic'?"),
    ],
)
def test_bad_settings(setting: str, message: str, study: Path) -> None:
    (study / "study.toml").write_text(f'instrument = "partwhole"\n{setting}\n')
    code, _, err = run("status", study)
    assert code == 2
    assert message in err
    assert "study" in err.partition(":")[2]


def test_without_the_libraries_of_the_server(study: Path) -> None:
    """The core does without; whoever serves is told what to install."""
    program = (
        "import sys; sys.modules['sqlalchemy'] = None; from horsesense.cli import main; "
        f"main(['annotate', 'invite', {str(study)!r}, 'ann'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "sqlalchemy, which is not installed; pip install 'horsesense[annotate]'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_help_loads_no_server() -> None:
    program = (
        "import sys\nfrom horsesense.cli import main\n"
        "try:\n    main(['annotate', '--help'])\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('fastapi', 'sqlalchemy', 'numpy') if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "[]"


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_serve_listens_on_loopback_and_writes_no_access_log(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for every request would hold the tokens of links."""
    settings: dict[str, Any] = {}
    monkeypatch.setattr("uvicorn.run", lambda app, **given: settings.update(given))
    told = document("serve", study, "--port", "28765")
    assert told["address"] == "http://127.0.0.1:28765"
    assert told["database"] == "SQLite"
    wanted = {"host": "127.0.0.1", "access_log": False, "server_header": False, "proxy_headers": False}
    assert wanted.items() <= settings.items()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 28766))
        taken.listen()
        code, _, err = run("serve", study, "--port", "28766")
    assert (code, "cannot listen on 127.0.0.1:28766" in err) == (2, True)
