"""``cues --out``: the best cue's answers as a run that compares like any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from horsesense.cli import main
from horsesense.core import Card, Item, Probe, write_probe
from horsesense.runs.probe_answers import read_run, result_of


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return int(left.value.code or 0)


def planted(path: Path) -> Path:
    """The right option is the longer one, nearly always; which comes first is balanced."""
    items = []
    for n in range(60):
        right, wrong = f"a very long thing {n}", f"thing {n}"
        if n % 12 == 5:
            right, wrong = wrong, right
        options = (right, wrong) if n % 2 else (wrong, right)
        items.append(
            Item(
                probe="p",
                form="choice",
                text=f"Which {n}?",
                options=options,
                answer=options.index(right),
                family=str(n),
            )
        )
    write_probe(path, Probe.of(items, Card(name="p")))
    return path


def test_the_best_cue_is_kept_and_a_model_can_be_blindfolded(
    tiny_folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    probe, gpt2 = planted(tmp_path / "p.jsonl"), str(tiny_folders["gpt2"])
    arguments = ["cues", str(probe), "--splits", "2", "--rounds", "19", "--all", "-m", gpt2]
    assert call(*arguments, "--out", str(tmp_path / "cue")) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "without the question" in told
    _, (answered,) = read_run(tmp_path / "cue")
    assert result_of(answered).accuracy.value == pytest.approx(55 / 60)
    assert call("run", "-m", gpt2, "-p", str(probe), "--out", str(tmp_path / "run")) == 0
    capsys.readouterr()
    assert call("compare", str(tmp_path / "run"), str(tmp_path / "cue")) == 0
    assert "best cue" in capsys.readouterr().out
    assert call(*arguments, "--out", str(tmp_path / "cue")) == 2
    assert "holds a run" in capsys.readouterr().err
