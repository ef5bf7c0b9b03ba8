"""A training or an inoculation that is stopped anywhere goes on, and one folder holds one study."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from horsesense.core import Probe
from horsesense.errors import UserError
from horsesense.models.hf.load import saving
from horsesense.runs.engine import EngineSettings
from horsesense.runs.store import locked
from horsesense.training.fine_tuning import train
from horsesense.training.inoculation import inoculate
from horsesense.training.inoculation_trials import InoculationGrid
from horsesense.training.training_record import TrainingSettings
from tests.support.made_tasks import clozes, questions
from tests.support.small_disk import files_of_at_most
from tests.support.tiny import save_tiny


class Stopped(BaseException):
    """As a kill is: nobody catches it."""


def stop_at(monkeypatch: pytest.MonkeyPatch, where: str, call: int) -> Callable[[], None]:
    """The n-th call of a function ends the program before it does anything; returns what mends it."""
    from importlib import import_module

    module, _, name = where.rpartition(".")
    real, count = getattr(import_module(module), name), 0

    def stopping(*given: Any, **more: Any) -> Any:
        nonlocal count
        count += 1
        if count == call:
            raise Stopped
        return real(*given, **more)

    monkeypatch.setattr(where, stopping)
    return lambda: monkeypatch.setattr(where, real)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers hold the name of the trained folder, so all of them are called out."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: save_tiny(name, tmp_path_factory.mktemp(name)) for name in ("gpt2", "bert", "choice")}


def training(model: Path, out: Path, items: Probe | None = None, **more: Any) -> Any:
    settings: dict[str, Any] = {"epochs": 2, "batch": 4, "lr": 1e-3, "device": "cpu", "patience": 0}
    settings |= {name: more.pop(name) for name in tuple(more) if name in settings}
    if "engine" in more:
        more["engine"] = EngineSettings(engine=more["engine"])
    usual: dict[str, Any] = {"dev": clozes(6, 2), "tests": [clozes(5, 3)], "seeds": 2}
    return train(
        str(model), train=items or clozes(12, 1), out=out, settings=TrainingSettings(**settings), **usual | more
    )


@pytest.mark.parametrize("short", [1, 300, 1_000, 20_000])
def test_a_state_of_torch_that_the_disk_does_not_take(short: int) -> None:
    """Torch tells it in another way where the directory at the end of the file is what finds no room."""
    import torch

    state, path = {"moments": torch.zeros(5_000)}, Path("optimizer.pt")
    torch.save(state, path)
    size = path.stat().st_size
    with pytest.raises(UserError, match="the disk is full"), files_of_at_most(size - short), saving(Path("out")):
        torch.save(state, path)


def test_a_file_of_torch_that_cannot_be_opened_is_told_as_that() -> None:
    """It is no full disk, which freeing space would help."""
    import torch

    place = Path("a folder")
    place.mkdir()
    with pytest.raises(UserError, match="a folder, not a file"), saving(Path("out")):
        torch.save({}, place)


def kept(folder: Path) -> dict[str, bytes]:
    """What a training leaves, but for times and remarks."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".safetensors", ".parquet", ".gz")
    }


@pytest.fixture(scope="module")
def whole(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    with chdir(tmp_path_factory.mktemp("whole")):
        training(models["gpt2"], Path("out"))
        return kept(Path("out"))


@pytest.mark.parametrize("shard", [1, 2, 3])
def test_a_training_stopped_while_a_seed_is_asked(
    shard: int, models: dict[str, Path], whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mend = stop_at(monkeypatch, "horsesense.runs.store.write_table", shard)
    with pytest.raises(Stopped):
        training(models["gpt2"], Path("out"))
    mend()
    training(models["gpt2"], Path("out"))
    assert kept(Path("out")) == whole


@pytest.mark.parametrize("file", ["trainer_state.json", "optimizer.pt", "model.safetensors"])
def test_a_checkpoint_that_is_torn_is_not_taken(
    file: str, models: dict[str, Path], whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mend = stop_at(monkeypatch, "horsesense.training.trainer.save_trained", 1)
    with pytest.raises(Stopped):
        training(models["gpt2"], Path("out"))
    mend()
    checkpoints = sorted((Path("out") / "seed-0" / "checkpoints").glob("checkpoint-*"))
    last = max(checkpoints, key=lambda path: int(path.name.rpartition("-")[2]))
    content = (last / file).read_bytes()
    (last / file).write_bytes(content[: len(content) // 2] if file != "trainer_state.json" else b"")
    training(models["gpt2"], Path("out"))
    assert kept(Path("out")) == whole


def test_the_record_of_a_training_comes_last(
    models: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mend = stop_at(monkeypatch, "horsesense.training.training_record._readme", 1)
    with pytest.raises(Stopped):
        training(models["gpt2"], Path("out"))
    mend()
    training(models["gpt2"], Path("out"))
    assert (Path("out") / "seed-0" / "README.md").is_file()


def test_one_folder_holds_one_training(models: dict[str, Path], tmp_path: Path) -> None:
    out = Path("out")
    training(models["gpt2"], out, seeds=1)
    other = save_tiny("gpt2", tmp_path / "other", seed=5)
    more = clozes(12, 9)
    others: tuple[tuple[str, Callable[[], Any]], ...] = (
        ("model", lambda: training(other, out, seeds=1)),
        ("training items", lambda: training(models["gpt2"], out, more, seeds=1)),
        ("development items", lambda: training(models["gpt2"], out, seeds=1, dev=clozes(6, 8))),
        ("lr", lambda: training(models["gpt2"], out, seeds=1, lr=2e-3)),
    )
    for what, called in others:
        with pytest.raises(
            UserError, match=rf"holds a training with (another|other) {what}|holds a training with {what}"
        ):
            called()
    training(models["gpt2"], out, seeds=1)


def test_one_that_is_not_finished_is_bound_too(
    models: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mend = stop_at(monkeypatch, "horsesense.training.trainer.save_trained", 1)
    with pytest.raises(Stopped):
        training(models["gpt2"], Path("out"), seeds=1)
    mend()
    with pytest.raises(UserError, match="another model"):
        training(save_tiny("gpt2", tmp_path / "other", seed=5), Path("out"), seeds=1)


def test_two_trainings_do_not_share_a_folder(models: dict[str, Path], tmp_path: Path) -> None:
    out = Path("out")
    with locked(out), pytest.raises(UserError, match="another process"):
        training(models["gpt2"], out, seeds=1)
    with locked(out), pytest.raises(UserError, match="another process"):
        inoculation(models["choice"], out)


def inoculation(model: Path, out: Path, **more: Any) -> Any:
    sets: dict[str, Any] = {
        "train": questions(12, 1, True),
        "dev": questions(6, 2, True),
        "test": questions(6, 3, True),
        "original_dev": [questions(6, 4, False)],
        "original_test": [questions(6, 5, False)],
    }
    grid: dict[str, Any] = {"sizes": (4,), "learning_rates": (1e-3, 5e-3), "steps": (2, 4), "seeds": (0,)}
    grid |= {name: more.pop(name) for name in tuple(more) if name in ("learning_rates", "seeds")}
    if "engine" in more:
        more["engine"] = EngineSettings(engine=more["engine"])
    return inoculate(str(model), out=out, grid=InoculationGrid(**grid), **sets | more)


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def studied(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studied")
    with chdir(folder):
        inoculation(models["choice"], Path("out"))
    return folder / "out"


STOPS = {
    "between the answers and the line": ("horsesense.training.inoculation.InoculationStudy._add", 3),
    "before the first line": ("horsesense.training.inoculation.InoculationStudy._add", 1),
    "in the middle of the answers": ("horsesense.runs.ask_models.write_manifest", 2),
    "while a second learning rate is trained": ("horsesense.training.inoculation_trials.train_model", 2),
}


@pytest.mark.parametrize("stop", STOPS)
def test_an_inoculation_that_is_stopped(
    stop: str, models: dict[str, Path], studied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where, call = STOPS[stop]
    if where.endswith("_add"):
        from horsesense.training.inoculation import InoculationStudy

        real, count = InoculationStudy._add, 0

        def stopping(*given: Any) -> None:
            nonlocal count
            count += 1
            if count == call:
                raise Stopped
            real(*given)

        monkeypatch.setattr(InoculationStudy, "_add", stopping)

        def mend() -> None:
            monkeypatch.setattr(InoculationStudy, "_add", real)

    else:
        mend = stop_at(monkeypatch, where, call)
    with pytest.raises(Stopped):
        inoculation(models["choice"], Path("out"))
    mend()
    inoculation(models["choice"], Path("out"))
    for name in ("trials.jsonl", "selected.jsonl"):
        assert lines(Path("out") / name) == lines(studied / name), name
    assert kept(Path("out")) == kept(studied)


def test_one_folder_holds_one_inoculation(models: dict[str, Path], studied: Path, tmp_path: Path) -> None:
    other = save_tiny("choice", tmp_path / "other", seed=5)
    with pytest.raises(UserError, match="another model"):
        inoculation(other, studied)
    with pytest.raises(UserError, match="holds a study with"):
        inoculation(models["choice"], studied, learning_rates=(2e-3,))
    with pytest.raises(UserError, match=r"other .*test"):
        inoculation(models["choice"], studied, test=questions(6, 30, True))
