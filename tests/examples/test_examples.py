"""The notebooks run as they stand, as a reader would run them, with a tiny model in place of the bundled one."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from tests.support import ROOT
from tools.docs.notebooks import PICTURES, cells, page

EXAMPLES = ROOT / "examples"


def _run(name: str, out: Path, model: str | None, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("HORSESENSE_EXAMPLES_OUT", str(out))
    monkeypatch.delenv("HORSESENSE_EXAMPLES_MODEL", raising=False)
    if model is not None:
        monkeypatch.setenv("HORSESENSE_EXAMPLES_MODEL", model)
    return runpy.run_path(str(EXAMPLES / name))


@pytest.mark.slow
def test_a_checkpoint_is_profiled_while_it_is_trained(
    wide_gpt2: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from horsesense.lexicons.wordnet import find_wordnet

    if find_wordnet() is None:
        pytest.skip("WordNet is not on this machine: horsesense fetch wordnet")
    names = _run("profile_while_training.py", tmp_path, wide_gpt2, monkeypatch)
    assert list(names["profiles"]) == list(range(0, names["EPOCHS"] + 1, names["EVERY"]))
    assert not {item.id for item in names["public"]} & {item.id for item in names["twins"]}
    first, last = (names["profiles"][epoch].models[0] for epoch in (0, names["EPOCHS"]))
    assert first.verdicts.findings[0].accuracy.n == last.verdicts.findings[0].accuracy.n
    assert first.weights != last.weights
    assert (tmp_path / "profile_while_training.png").stat().st_size > 0


@pytest.mark.slow
def test_a_probe_is_built_cleaned_and_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from horsesense.lexicons.wordnet import find_wordnet

    if find_wordnet() is None:
        pytest.skip("WordNet is not on this machine: horsesense fetch wordnet")
    names = _run("build_clean_publish.py", tmp_path, None, monkeypatch)
    assert hs.load_probe(tmp_path / "kinds.jsonl") == names["probe"]
    assert names["before"].searched.low > names["before"].chance, "as the paper did it, a cue answers"
    assert names["after"].searched.value < names["before"].searched.low


def test_a_table_is_looked_through_for_cues(
    tiny_folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = _run("is_it_cues.py", tmp_path, str(tiny_folders["gpt2"]), monkeypatch)
    assert names["cues"].best.accuracy.low > 0.5, "the table was written with a cue in it"
    sides = {row["items"]: row for row in names["rows"]}
    parts = [sides["where the cue is right"], sides["where the cue fails"]]
    whole = sum(row["accuracy"] * row["n"] for row in parts)
    assert whole == pytest.approx(sides["all items"]["accuracy"] * len(names["QUESTIONS"]))
    assert "hurried" in names["page"].read_text("utf-8")


def test_the_page_shows_every_notebook_and_its_pictures() -> None:
    """Each cell of code has what it said when it was last run; a script that has changed since has other cells."""
    index = (ROOT / "docs" / "tutorials" / "index.md").read_text("utf-8")
    for script in EXAMPLES.glob("*.py"):
        assert script.read_text("utf-8").startswith("# %% [markdown]\n# # "), "an editor shows it as a notebook"
        assert f"examples/{script.name}" in index
        said = json.loads((ROOT / "docs" / "tutorials" / f"{script.stem}.json").read_text("utf-8"))
        assert len(said) == sum(cell.code for cell in cells(script)), "python -m tools.docs.notebooks"
        shown = [PICTURES[script.stem, each["chart"]][0] for each in said if "chart" in each]
        assert shown, "a picture at least"
        for name in shown:
            assert f"](../images/{name}.png)" in page(script)
            assert (ROOT / "docs" / "images" / f"{name}.png").stat().st_size < 60_000
