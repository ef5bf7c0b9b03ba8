"""What ``--json`` prints: one document on standard output, in the shape of its schema, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from horsesense.cli.app import root
from horsesense.core.document import Document
from horsesense.report.run_text import normalisation
from tests.support.calling import Call, Called, caller, hold_to, item, lay, toy_lines
from tools.docs.schemas import document_type, documents, schema_of


def document(called: Called, name: str) -> Any:
    """The one document, checked; ``json`` refuses anything after it."""
    assert called.code == 0, called.err
    found = json.loads(called.out, parse_constant=lambda constant: pytest.fail(f"{constant} is not JSON"))
    assert called.out.endswith("}\n")
    hold_to(name, found)
    return found


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return lay(tmp_path / "toy.jsonl", *toy_lines())


def commands() -> list[str]:
    """Every command, with that of its group before it."""
    return list(_below("", root().load_all()))


def _below(name: str, command: Any) -> Iterator[str]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name
        return
    for each, below in inner.items():
        yield from _below(f"{name} {each}".strip(), below)


def test_every_command_has_a_document() -> None:
    assert sorted(commands()) == sorted(documents())


@pytest.mark.parametrize("name", documents())
def test_a_schema_is_made_of_the_document(name: str) -> None:
    """Every object has all its fields and no others, each with a sentence, and a title that names the command."""
    assert name in commands()
    made = schema_of(name)
    Draft202012Validator.check_schema(made)
    assert made["title"] == f"horsesense {name} --json"
    parts: list[dict[str, Any]] = [made, *made.get("$defs", {}).values()]
    objects = [each for each in parts if each.get("type") == "object"]
    assert objects
    for each in objects:
        assert each["additionalProperties"] is False
        assert set(each["required"]) <= set(each["properties"])
        assert each["description"]


def kinds(kind: type[Document] = Document) -> set[str]:
    """The names of all types of documents that are loaded."""
    below: list[type] = kind.__subclasses__()
    return {name for each in below for name in {each.__name__, *kinds(each)}}


@pytest.mark.parametrize("name", documents())
def test_each_field_of_a_document_has_its_sentence(name: str) -> None:
    made = schema_of(name)
    parts = made.get("$defs", {}) | ({document_type(name).__name__: made} if "properties" in made else {})
    for part in set(parts) & kinds():
        for field, values in parts[part].get("properties", {}).items():
            # What says the same as the type that it refers to is said there.
            assert values.get("description") or "$ref" in values, f"{part}.{field}"


def test_show(toy: Path, call: Call) -> None:
    called = call("show", toy, "--json", "--samples", 9)
    found = document(called, "show")
    assert called.err == ""
    assert (found["items"], found["families"]) == (5, 4)
    assert found["forms"] == {"cloze": 2, "choice": 1, "sentences": 1, "pair": 1}
    assert (found["options"], found["answers"]) == ({"2": 4, "3": 1}, {"0": 3, "1": 1, "none": 1})
    assert found["facets"]["hops"] == {"values": 2, "counts": {"1": 1, "2": 1}}
    assert found["groups"] == {"noun": 1}
    assert [{name: sample[name] for name in ("form", "options")} for sample in found["samples"]] == [
        {name: line[name] for name in ("form", "options")} for line in toy_lines()
    ]
    assert document(call("show", toy, "--json", "--samples", 0), "show")["samples"] == []


def test_show_one_item(toy: Path, call: Call) -> None:
    summary = document(call("show", toy, "--json", "--samples", 9), "show")
    for sample in summary["samples"]:
        found = document(call("show", toy, sample["id"], "--json"), "show")
        assert found["item"] == sample
        assert sample["form"] not in found["views"]
    cloze = document(call("show", toy, summary["samples"][0]["id"], "--json"), "show")
    assert cloze["views"] == {
        "sentences": {"premise": "", "text": "", "options": ["The ice is cold.", "The ice is hot."]},
        "choice": {"premise": "", "text": "The ice is", "options": ["cold", "hot"]},
    }


def test_run_and_report(toy: Path, tiny_folders: dict[str, Path], call: Call) -> None:
    out, models = toy.parent / "out", [str(tiny_folders[name]) for name in ("gpt2", "bert")]
    words = ["run", *(word for model in models for word in ("-m", model)), "-p", toy, "--out", out, "--json"]
    called = call(*words)
    found = document(called, "run")
    assert "tokens to compute" in called.err
    assert found["out"] == str(out)
    assert Path(found["report"]).is_file()
    assert [(r["model"], r["probe"]) for r in found["results"]] == [(model, "toy") for model in models]
    for result in found["results"]:
        accuracy = result["accuracy"]
        assert (accuracy["n"], result["unjudged"]) == (4, 1)
        assert accuracy["ci"][0] <= accuracy["value"] <= accuracy["ci"][1]
        assert accuracy["chance"] == pytest.approx((1 / 2 + 1 / 2 + 1 / 3 + 1 / 2) / 4)
        assert set(result["sensitivity"]) == {"sum", "mean", "word", "character"}
    again = call(*words)
    assert document(again, "run") == found, "what is kept gives the same document"
    assert "all answers are stored already" in again.err
    reported = call("report", out, "--json", "-o", toy.parent / "page.html")
    assert document(reported, "report") == {"out": str(toy.parent / "page.html"), "results": found["results"]}
    assert reported.err == ""


def test_run_under_a_normalisation(tmp_path: Path, tiny_folders: dict[str, Path], call: Call) -> None:
    probe = lay(tmp_path / "toy.jsonl", *toy_lines()[:3])
    words = ["-p", probe, "--out", tmp_path / "out", "--normalise", "pmi", "--limit", 2, "--json"]
    (result,) = document(call("run", "-m", tiny_folders["gpt2"], *words), "run")["results"]
    assert (result["normalise"], result["spec"]["baseline"], result["accuracy"]["n"]) == ("pmi", True, 2)
    assert set(result["sensitivity"]) == {"sum", "mean", "word", "character"}


@pytest.mark.parametrize("chosen", ["pmi", "sum"])
def test_the_page_shows_the_normalisation_of_the_run(
    chosen: str, tmp_path: Path, tiny_folders: dict[str, Path], call: Call
) -> None:
    probe, out = lay(tmp_path / "toy.jsonl", *_unequal()), tmp_path / "out"
    words = ["-p", probe, "--out", out, "--spec", "baseline=true", "--json"]
    (plain,) = document(call("run", "-m", tiny_folders["gpt2"], *words), "run")["results"]
    (asked,) = document(call("run", "-m", tiny_folders["gpt2"], *words, "--normalise", chosen), "run")["results"]
    assert (plain["normalise"], asked["normalise"]) == ("mean", chosen)
    assert plain["accuracy"] != asked["accuracy"], "else the page could show either"
    for page in (out / "report.html", tmp_path / "page.html"):
        html = page.read_text("utf-8") if page.exists() else ""
        if not html:  # the same again by report
            reported = call("report", out, "--no-cues", "--json", "-o", page)
            assert document(reported, "report")["results"] == [asked]
            html = page.read_text("utf-8")
        assert f'<span class="value">{asked["accuracy"]["value"]:.1%}</span>' in html
        assert f"All scores use the normalisation {chosen}" in html
        assert f"compared by {normalisation(chosen)}." in html
        assert f"--normalise {chosen}</pre>" in html
    assert call("report", out, "--normalise", "loudness").code == 2


def _unequal() -> list[dict[str, Any]]:
    """Choices of unequal length and frequency, on which normalisations differ."""
    words = ["the", "water", "was", "boiling", "so", "she", "turned", "off", "the", "stove", "in", "the", "sun"]
    return [
        item(form="choice", text=f"Case {n}?", options=[words[n], " ".join(words[:n])], answer=int(n > 3))
        for n in range(1, 13)
    ]


def test_run_of_what_nobody_has_judged(tmp_path: Path, tiny_folders: dict[str, Path], call: Call) -> None:
    probe = lay(tmp_path / "toy.jsonl", item(answer=None), item(answer=..., text="The fire is ___."))
    found = document(call("run", "-m", tiny_folders["gpt2"], "-p", probe, "--out", tmp_path / "out", "--json"), "run")
    assert found["results"] == []


@pytest.mark.parametrize("name", ["gpt2", "bert", "llama"])
def test_score(name: str, tiny_folders: dict[str, Path], call: Call) -> None:
    texts = ["The café’s butter melts.", "東京 “is” far — away"]
    called = call("score", "-m", tiny_folders[name], *texts, "--json")
    found = document(called, "score")
    assert "special tokens" in called.err
    assert (found["model"], [text["text"] for text in found["texts"]]) == (str(tiny_folders[name]), texts)
    for text in found["texts"]:
        logprobs = [token["logprob"] for token in text["tokens"]]
        assert text["sum"] == pytest.approx(sum(logprobs))
        assert text["mean"] == pytest.approx(sum(logprobs) / len(logprobs))
        assert all(0 <= token["start"] <= token["end"] <= len(text["text"]) for token in text["tokens"])
        assert [token["start"] for token in text["tokens"]] == sorted(token["start"] for token in text["tokens"])


def test_score_by_pll(tiny_folders: dict[str, Path], call: Call) -> None:
    """The option means what the field of the spec means; a preset is overridden by both."""

    def scored(*words: str) -> Any:
        return document(
            call("score", "-m", tiny_folders["bert"], "Unshivering feathery kettles.", *words, "--json"), "score"
        )

    for preset in ("default", "paper:cats"):
        found = {how: scored("--spec", preset, "--pll", how) for how in ("token", "word-l2r")}
        for how, one in found.items():
            assert one["spec"]["pll"] == how
            assert one == scored("--spec", f"{preset},pll={how}")
            assert one == scored("--spec", f"{preset},pll={how}", "--pll", how)
        assert found["token"]["texts"] != found["word-l2r"]["texts"]
    assert scored() == scored("--pll", "word-l2r")


def test_score_against(tiny_folders: dict[str, Path], call: Call) -> None:
    words = ["It rained.", "It rained again.", "--against", "It snowed.", "--json"]
    found = document(call("score", "-m", tiny_folders["gpt2"], *words), "score")
    for text, evidence in zip(found["texts"], found["evidence"], strict=True):
        assert evidence["sum"] == pytest.approx(text["sum"] - found["against"]["sum"], abs=1e-4)


def test_compare(toy: Path, tiny_folders: dict[str, Path], call: Call) -> None:
    models = [str(tiny_folders[name]) for name in ("gpt2", "bert")]
    assert call("run", "-m", models[0], "-m", models[1], "-p", toy, "--out", toy.parent / "out").code == 0
    (side,) = document(call("compare", toy.parent / "out", "--json"), "compare")["probes"]
    assert [one["model"] for one in side["models"]] == models
    assert (side["n"], side["unjudged"]) == (4, 1)


def test_fill(tiny_folders: dict[str, Path], call: Call) -> None:
    called = call("fill", "-m", tiny_folders["bert"], "Ice is ___.", "___ melts.", "--top", 3, "--json")
    fills = document(called, "fill")["fills"]
    assert [(one["prompt"], one["rank"]) for one in fills] == [
        (prompt, rank) for prompt in ("Ice is ___.", "___ melts.") for rank in (1, 2, 3)
    ]


def test_a_schema_can_fail(toy: Path, call: Call) -> None:
    found = document(call("show", toy, "--json"), "show")
    for name in found:
        with pytest.raises(ValidationError):
            hold_to("show", {key: value for key, value in found.items() if key != name})
    with pytest.raises(ValidationError):
        hold_to("show", found | {"more": 1})


def test_what_may_be_left_out_is_never_null(tiny_folders: dict[str, Path], call: Call) -> None:
    found = document(call("score", "-m", tiny_folders["gpt2"], "It rained.", "--json"), "score")
    assert set(found) == {"model", "spec", "texts"}
    with pytest.raises(ValidationError):
        hold_to("score", found | {"against": None})
    with pytest.raises(ValidationError):
        hold_to("score", found | {"texts": [found["texts"][0] | {"mean": "-1"}]})
