"""bfloat16 is taken only where it is there and the margins hold, and the manifest says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from horsesense.core import Card, Item, Probe, ScoringSpec
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.runs.ask_models import ask_models
from horsesense.runs.tasks import Settings
from horsesense.scoring import precision
from horsesense.scoring.precision import load_by_margins, margins_hold

ITEMS = [
    Item(probe="t", form="choice", text=f"Stone {n} is", options=("hard", "soft as butter in the sun"))
    for n in range(9)
]


def test_a_changed_choice_or_a_large_error_does_not_pass() -> None:
    assert margins_hold([(0.0, -4.0)] * 4, [(0.0, -3.5)] * 4)[0]
    assert not margins_hold([(0.0, -4.0)] * 4, [(0.0, -2.5)] * 4)[0]
    assert not margins_hold([(0.0, -4.0)] * 4 + [(0.0, -0.1)], [(0.0, -4.0)] * 4 + [(0.0, 0.1)])[0]
    # The same shift for all options changes no choice.
    assert margins_hold([(0.0, -4.0)], [(9.0, 5.0)])[0]
    assert not margins_hold([], [])[0]


def kept_dtype(folder: Path, model: Path, monkeypatch: pytest.MonkeyPatch, there: bool) -> tuple[str, str]:
    monkeypatch.setattr(precision, "has_bfloat16", lambda device: there)
    probe = Probe(tuple(ITEMS), Card(name="t", method="t", licence="CC0-1.0", made="by hand"))
    settings = Settings(spec=ScoringSpec(dtype="auto"), device="cpu", cache=False)
    (part,) = ask_models([str(model)], {"t": probe}, folder, settings).parts
    return part.model.dtype, part.model.dtype_reason


def test_the_outcome_is_kept_and_a_resumed_run_keeps_to_it(
    tiny_folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dtype, reason = kept_dtype(tmp_path / "a", tiny_folders["gpt2"], monkeypatch, there=False)
    assert (dtype, reason) == ("float32", "auto: cpu here has no arithmetic in bfloat16")
    dtype, reason = kept_dtype(tmp_path / "b", tiny_folders["gpt2"], monkeypatch, there=True)
    assert "of 9 items" in reason
    answers = sorted((tmp_path / "b" / "answers").iterdir())
    before = [path.read_bytes() for path in answers]
    for path in answers:
        path.unlink()
    again = kept_dtype(tmp_path / "b", tiny_folders["gpt2"], monkeypatch, there=False)
    assert again == (dtype, reason)
    assert [path.read_bytes() for path in answers] == before


def test_the_model_that_is_chosen_answers_as_asked(
    tiny_folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precision, "has_bfloat16", lambda device: True)
    for share, wanted in ((1e9, "bfloat16"), (0.0, "float32")):
        monkeypatch.setattr(precision, "SHARE", share)
        model = load_by_margins(
            lambda dtype: load_model(str(tiny_folders["llama"]), device="cpu", dtype=dtype), ITEMS, ScoringSpec()
        )
        # Where a choice changes on the sample, no share makes it pass.
        assert model.dtype == wanted or "0 choices change" not in model.dtype_reason
        assert sum(note.startswith("dtype ") for note in model.notes) == 1


def test_the_two_are_never_in_memory_side_by_side(
    tiny_folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that fills a GPU in bfloat16 has no room for its copy in float32."""
    import gc
    import weakref

    monkeypatch.setattr(precision, "has_bfloat16", lambda device: True)
    loaded: list[weakref.ref[object]] = []

    def load(dtype: str) -> LanguageModel:
        gc.collect()
        assert all(network() is None for network in loaded), "the one before is gone"
        model = load_model(str(tiny_folders["gpt2"]), device="cpu", dtype=dtype)
        loaded.append(weakref.ref(model.network))
        return model

    load_by_margins(load, ITEMS, ScoringSpec())
    assert len(loaded) > 1


def test_of_a_large_model_no_copy_in_float32_is_made(
    tiny_folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = tiny_folders["gpt2"] / "model.safetensors"
    monkeypatch.setattr(precision, "LARGE", weights.stat().st_size)
    monkeypatch.setattr(precision, "answer_items", lambda *_: pytest.fail("it was asked both ways"))
    for there in (True, False):
        dtype, reason = kept_dtype(tmp_path / str(there), tiny_folders["gpt2"], monkeypatch, there=there)
        assert dtype == "bfloat16"
        assert reason == "auto: 0 GB of weights, too large for a copy in float32"
    monkeypatch.setattr(precision, "LARGE", weights.stat().st_size + 1)
    assert kept_dtype(tmp_path / "small", tiny_folders["gpt2"], monkeypatch, there=False)[0] == "float32"
