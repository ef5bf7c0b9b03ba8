"""Answers that are letters, and options that are called like one: a letter of a platform is the place of an option."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from horsesense.annotate.instrument import instrument_of
from horsesense.annotate.judgements import read_files
from horsesense.annotate.task import assign, tasks_of
from horsesense.annotate.task_files import write_tasks
from horsesense.core import Card, Item, Probe, write_probe
from horsesense.errors import UserError
from tests.support.judged_probes import choices
from tests.support.study_commands import document, run

BLOOD = ("B", "AB", "A", "<O>")
"""Blood groups: the first option is called like the letter of the second, the third like that of the first."""


def probe_of(*options: str) -> Probe:
    item = Item(probe="blood", form="choice", text="Which blood group is the rarest?", options=options)
    return Probe.of([item], Card(name="blood"))


def results(folder: Path, probe: Path, *answers: str) -> Path:
    """A table of MTurk's results: each worker gives one answer to the one item."""
    document("new", probe, "--instrument", "choice", "-o", folder / "batch.csv", "--format", "mturk")
    with (folder / "batch.csv").open(newline="") as handle:
        (row,) = csv.DictReader(handle)
    told = {f"Input.{name}": text for name, text in row.items()}
    path = folder / "results.csv"
    with path.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, ["AssignmentStatus", "WorkerId", *told, "Answer.value"])
        writer.writeheader()
        for place, answer in enumerate(answers):
            about = {"AssignmentStatus": "Approved", "WorkerId": f"W{place}", "Answer.value": answer}
            writer.writerow(told | about)
    return path


@pytest.mark.parametrize("with_probe", [True, False])
def test_a_letter_of_mturk_is_a_place(tmp_path: Path, with_probe: bool) -> None:
    probe = tmp_path / "p.jsonl"
    write_probe(probe, probe_of(*BLOOD))
    path = results(tmp_path, probe, "A", "B", "C", "D", "unknown")
    given = ["-p", probe] if with_probe else []
    document("collect", path, *given, "-o", tmp_path / "j.csv")
    back = read_files([tmp_path / "j.csv"], probe=probe_of(*BLOOD))
    assert [each.value for each in back.judgements] == [*BLOOD, "unknown"], "also when it is read again, as texts"


def test_a_letter_without_an_option(tmp_path: Path) -> None:
    probe = tmp_path / "p.jsonl"
    write_probe(probe, probe_of("E", "F"))
    code, _, err = run("collect", results(tmp_path, probe, "E"), "-p", probe, "-o", tmp_path / "j.csv")
    assert code == 2
    assert "results.csv:2: there is no answer 'E'" in err


def potato(folder: Path, item: str, *answers: str) -> Path:
    rows = [
        {"instance_id": item, "user_id": f"u{place}", "labels": {"choice": {answer: True}}}
        for place, answer in enumerate(answers)
    ]
    path = folder / "annotations.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_letter_of_potato_is_a_place(tmp_path: Path) -> None:
    probe = probe_of(*BLOOD)
    path = potato(tmp_path, probe.items[0].id, "A", "B", "C", "D", "unknown")
    assert [each.value for each in read_files([path], probe=probe).judgements] == [*BLOOD, "unknown"]
    with pytest.raises(UserError, match=r"annotations\.jsonl:1: the answer 'A' .* with -p"):
        read_files([path])


@pytest.mark.parametrize(("form", "name"), [("mturk", "t.csv"), ("potato", "t.jsonl")])
def test_an_answer_beside_the_options_that_is_a_letter(form: str, name: str, tmp_path: Path) -> None:
    values = {"name": "mine", "title": "?", "kind": "options", "question": "{text}", "abstentions": ["B"]}
    instrument = instrument_of(values)
    tasks = assign(tasks_of(choices(), instrument), [], 1)
    with pytest.raises(UserError, match=r"the answer 'B'.*letter of an option"):
        write_tasks(tmp_path / name, instrument, tasks, form=form)
    assert list(tmp_path.iterdir()) == []
    assert write_tasks(tmp_path / "table.csv", instrument, tasks), "in a table texts go before letters"


@pytest.mark.parametrize("option", ["unknown", "Unknown", " UNKNOWN ", "I cannot tell"])
@pytest.mark.parametrize("name", ["t.csv", "study"])
def test_an_option_that_is_called_like_an_abstention(option: str, name: str, tmp_path: Path) -> None:
    """Who chose it and who could not tell would be one; an instrument that names it otherwise keeps them apart."""
    probe, out = tmp_path / "p.jsonl", tmp_path / name
    write_probe(probe, probe_of("famous", option))
    command = "new" if out.suffix else "study"
    code, _, err = run(command, probe, "--instrument", "choice", "-o", out)
    assert code == 2
    assert f"has the option {option!r}, which is also an answer of the instrument choice" in err
    assert err.count("\n") == 1
    assert not out.exists()
    mine = tmp_path / "mine.toml"
    mine.write_text(
        'name = "mine"\ntitle = "?"\nkind = "options"\nquestion = "{text}"\nabstentions = ["cannot tell"]\n'
    )
    document(command, probe, "--instrument", mine, "-o", out)
    assert out.exists()


def test_tasks_that_were_handed_out_with_such_an_option(tmp_path: Path) -> None:
    """A table shows its options, with the probe or without."""
    path = tmp_path / "t.csv"
    path.write_text("item,annotator,instrument,question,A,B,value\ni,ann,choice,?,famous,Unknown,B\n")
    with pytest.raises(UserError, match=r"t\.csv:2: i has the option 'Unknown'"):
        read_files([path])
