"""Results are computed from answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import horsesense as hs
from horsesense.core import Card, Item, Probe
from horsesense.runs.ask_models import ask_models
from horsesense.runs.probe_answers import read_run, results_of
from tests.runs.test_ask import SETTINGS, make_probe
from tests.support import ROOT

_PROGRAM = """
import json, sys
from pathlib import Path
from horsesense.runs.probe_answers import read_run, results_of
results = results_of(read_run(Path(sys.argv[1]))[1])
heavy = [name for name in sys.modules if name.startswith(("horsesense.report", "horsesense.methods", "torch."))]
print(json.dumps([[result.to_json() for result in results], heavy]))
"""


def test_they_need_neither_the_report_nor_a_method_nor_torch(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    ask_models([str(tiny_folders["gpt2"])], {"probe": make_probe(6)}, tmp_path, SETTINGS)
    words = [sys.executable, "-c", _PROGRAM, str(tmp_path)]
    called = subprocess.run(
        words, capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": str(ROOT / "src")}
    )
    results, heavy = json.loads(called.stdout)
    assert heavy == []
    assert results == hs.open_run(tmp_path).results().to_json()


def test_an_accuracy_is_the_share_of_items_whose_best_option_is_right(
    tiny_folders: dict[str, Path], tmp_path: Path
) -> None:
    unjudged = Probe.of([Item(probe="none", form="choice", text="?", options=("a", "b"))], Card(name="none"))
    probes = {"probe": make_probe(6), "none": unjudged}
    ask_models([str(tiny_folders["gpt2"])], probes, tmp_path, SETTINGS)
    answered = read_run(tmp_path)[1]
    (result,) = results_of(answered, "sum")
    (run,) = [each for each in answered if each.part.probe.name == "probe"]
    right = [np.argmax(answer.scores) == item.answer for item, answer in zip(run.items, run.answers, strict=True)]
    assert result.accuracy.value == pytest.approx(np.mean(right))
    assert result.accuracy.n == len(right)
