"""``horsesense cues`` and ``horsesense harden``: their documents, and how they can go wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from horsesense.cli import main
from horsesense.core import Card, Item, Probe, read_probe, write_probe
from tests.support.made_up_probes import longest, noise, planted
from tools.docs.schemas import schema_of


@pytest.fixture(autouse=True)
def no_wordnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading the real WordNet costs seconds and adds nothing here."""
    monkeypatch.setattr("horsesense.lexicons.sources.find_wordnet", lambda: None)


def written(path: Path, items: list[Item], group: str = "family") -> Path:
    write_probe(path, Probe.of(items, Card(name="noise", made="By lot.", group=group)))
    return path


def done(*arguments: object) -> None:
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    assert not left.value.code


def document(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    done(*arguments, "--json")
    out = capsys.readouterr()
    found: dict[str, Any] = json.loads(out.out)
    name = str(arguments[0])
    jsonschema.validate(found, schema_of(name))
    return found


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    assert left.value.code == 2
    return capsys.readouterr().err


QUICK = ("--splits", 2, "--rounds", 59)


def test_the_document_of_cues(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "p.jsonl", planted(noise(150, 4, 1), 0.7, longest))
    found = document(capsys, "cues", path, *QUICK)
    assert found["n"] == 150
    assert found["chance"] == 0.25
    assert found["best"]["name"] == "characters"
    assert found["cues"][0]["name"] == "characters"
    accuracy = found["cues"][0]["accuracy"]
    low, high = accuracy["ci"]
    assert low <= accuracy["value"] <= high
    assert "the option with the most characters" in found["verdict"]


def test_people_get_a_table_and_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "p.jsonl", planted(noise(150, 4, 1), 0.7, longest))
    done("cues", path, *QUICK)
    out, err = capsys.readouterr()
    assert "with the most characters" in out
    assert out.rstrip().endswith("Chance is 25%.")
    assert "horsesense fetch wordnet" in err


def test_the_group_of_the_card_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = [replace(item, groups={"noun": f"n{n // 10}"}) for n, item in enumerate(noise(60, 3, 2))]
    assert document(capsys, "cues", written(tmp_path / "p.jsonl", items, "noun"), *QUICK)["units"] == 6
    assert document(capsys, "cues", tmp_path / "p.jsonl", "--group", "item", *QUICK)["units"] == 60


@pytest.mark.parametrize("wrong", ["nuon", "", "Noun", "items"])
def test_a_group_that_no_item_has_is_refused(wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = [replace(item, groups={"noun": f"n{n // 10}"}) for n, item in enumerate(noise(60, 3, 2))]
    path, out = written(tmp_path / "p.jsonl", items, "noun"), tmp_path / "h.jsonl"
    told = f"{path}: there is no group '{wrong}'"
    assert told in refused(capsys, "cues", path, "--group", wrong, *QUICK)
    said = refused(capsys, "harden", path, "-o", out, "--group", wrong)
    assert told in said
    assert "(known: family, item, noun)" in said or "; known: family, item, noun" in said
    assert "did you mean 'noun'?" in refused(capsys, "cues", path, "--group", "nuon")
    assert not out.exists()


def test_a_model_abstains_where_there_is_no_question(
    tiny_folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = [
        Item(probe="s", form="sentences", options=(f"Ice {n} melts.", f"Stone {n * 7} melts."), answer=n % 2)
        for n in range(40)
    ]
    path, model = written(tmp_path / "p.jsonl", items), tiny_folders["gpt2"]
    found = document(capsys, "cues", path, "-m", model, *QUICK)
    assert found["cues"]
    assert not [cue for cue in found["cues"] if "without the question" in cue["name"]]
    done("cues", path, "-m", model, *QUICK)
    assert "no item has a question to leave out, so the cue of" in capsys.readouterr().err


def test_harden_writes_what_it_promises(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = written(tmp_path / "p.jsonl", planted(noise(250, 4, 3), 0.5, longest)), tmp_path / "hard.jsonl"
    found = document(capsys, "harden", path, "-o", out)
    kept = read_probe(out)
    assert found["items"] == len(kept.items) == kept.card.items
    assert found["items"] + found["dropped"] == 250
    assert "Hardened" in kept.card.made
    assert sum(kept.card.notes.values()) == found["dropped"]
    assert {item.id for item in kept.items} <= {item.id for item in read_probe(path).items}
    again = document(capsys, "cues", out)
    # Relatedness is among the cues that are looked for, and not among those that are balanced.
    assert again["verdict"].startswith("No cue ")
    assert found["after"]["verdict"].startswith("No cue ")
    assert all(
        one["ci"][0] <= again["chance"] <= one["ci"][1]
        for one in (each["accuracy"] for each in (*again["cues"], *found["rules"]))
    )


def test_harden_with_vectors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = noise(90, 3, 4)
    path, vectors = written(tmp_path / "p.jsonl", items), tmp_path / "v.npy"
    rows = [[float(place == item.answer)] * 3 for item in items for place in range(3)]
    np.save(vectors, np.array(rows, dtype=np.float32))
    found = document(capsys, "harden", path, "-o", tmp_path / "h.jsonl", "--vectors", vectors)
    assert found["aflite"] > 0
    assert found["items"] + found["dropped"] == 90


def test_one_family_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "p.jsonl", [replace(item, family="one") for item in noise(9, 3, 5)])
    assert "all 9 items belong to one family or group" in refused(capsys, "cues", path)
    assert "all 9 items belong to one family or group" in refused(capsys, "harden", path, "-o", tmp_path / "h.jsonl")
    assert not (tmp_path / "h.jsonl").exists()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"answer": None}, "no item has a gold answer"), ({"options": ("a",), "answer": 0}, "one option only")],
)
def test_nothing_to_try_is_a_sentence(
    change: dict[str, Any], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "p.jsonl", [replace(item, **change) for item in noise(9, 3, 6)])
    assert sentence in refused(capsys, "cues", path)
    assert sentence in refused(capsys, "harden", path, "-o", tmp_path / "h.jsonl")


def test_an_empty_file_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.jsonl").write_text("", encoding="utf-8")
    assert "empty" in refused(capsys, "cues", tmp_path / "p.jsonl")


def test_harden_does_not_overwrite_its_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "p.jsonl", noise(30, 3, 7))
    assert "would overwrite its input" in refused(capsys, "harden", path, "-o", path)


def test_vectors_that_are_none_are_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, vectors = written(tmp_path / "p.jsonl", noise(30, 3, 8)), tmp_path / "v.npy"
    vectors.write_text("not an array", encoding="utf-8")
    told = refused(capsys, "harden", path, "-o", tmp_path / "h.jsonl", "--vectors", vectors)
    assert "this is not a NumPy array" in told
    assert "check the path" in refused(capsys, "harden", path, "-o", tmp_path / "h.jsonl", "--vectors", tmp_path / "no")


def test_vectors_that_are_not_finite_are_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = noise(60, 3, 8)
    path, vectors, out = written(tmp_path / "p.jsonl", items), tmp_path / "v.npy", tmp_path / "h.jsonl"
    for bad in (np.nan, np.inf, -np.inf):
        rows = np.random.default_rng(0).normal(size=(180, 4)).astype(np.float32)
        rows[7, 2] = bad
        np.save(vectors, rows)
        told = refused(capsys, "harden", path, "-o", out, "--vectors", vectors)
        assert told.endswith(
            f"{vectors}: 1 of 180 vectors contain NaN or infinity, first row 7 (item {items[2].id}, option 1); "
            "embed those options again\n"
        )
    for odd, sentence in ((np.zeros((180, 0)), "the shape 180×0"), (np.full((180, 2), "a"), "of the type <U1")):
        np.save(vectors, odd)
        assert sentence in refused(capsys, "harden", path, "-o", out, "--vectors", vectors)
    assert not out.exists()


def test_a_small_probe_is_not_hardened_into_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = written(tmp_path / "p.jsonl", noise(2, 3, 8)), tmp_path / "h.jsonl"
    assert "the probe has 2 items, and with fewer than 20" in refused(capsys, "harden", path, "-o", out)
    assert sorted(tmp_path.iterdir()) == [tmp_path / "p.card.json", path]
