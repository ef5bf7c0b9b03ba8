"""Fixtures that several rooms share."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.support import ROOT

if TYPE_CHECKING:
    from horsesense.models.hf.language_model import LanguageModel

# Collecting the tests imports everything and makes no garbage; searching it for some took two thirds of the time.
gc.disable()

# The same examples every time, so that a change fails for what it changed; HYPOTHESIS=explore draws new ones. A busy
# machine is no defect, so none has a deadline.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", derandomize=False, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS", "same"))


_SLOW_FIXTURES = {
    "shared",
    "tiny_folders",
    "wide_gpt2",
    "folders",
    "smollm2",
    "bundled",
    "browser",
    "served",
    "serving",
    "cluster",
    "probes",
    "reader",
}
"""A test that asks a model, a server, a browser or a whole release takes longer than a loop while working allows."""
_SLOW_FOLDERS = (
    "tests/annotate", "tests/annotation_server", "tests/cli", "tests/core/test_catalogue.py",
    "tests/core/test_frame.py", "tests/core/test_round_trip.py", "tests/cues", "tests/docs", "tests/faults",
    "tests/fuzz", "tests/item_analysis", "tests/lexicons", "tests/methods/ladders/test_polarity.py",
    "tests/methods/rica/test_builder.py", "tests/methods/rica/test_ladder.py",
    "tests/methods/test_method_commands.py", "tests/methods/winoventi/test_circumstances.py",
    "tests/methods/winoventi/test_plausibility.py", "tests/methods/wordnetqa", "tests/models/api",
    "tests/models/test_one_door.py", "tests/planting", "tests/profiling", "tests/replication/test_computed.py",
    "tests/report/test_cue_control.py", "tests/report/test_hostile_pages", "tests/report/test_in_chromium.py",
    "tests/report/test_page_data.py", "tests/report/test_profile_in_chromium.py",
    "tests/report/test_run_report.py", "tests/runs/test_columns.py", "tests/runs/test_replies.py",
    "tests/scoring/test_fast_path.py", "tests/scoring/test_prompt_formats.py", "tests/stats/test_accuracy.py",
    "tests/stats/test_family_accuracy.py", "tests/stats/test_item_response.py", "tests/stats/test_paired.py",
    "tests/stats/test_power.py", "tests/stats/test_psychometric.py", "tests/stats/test_sequential.py",
    "tests/stats/test_standouts.py", "tests/test_contributing.py", "tests/test_errors.py", "tests/test_init.py",
    "tests/test_registry.py", "tests/tools", "tests/training",
)  # fmt: skip
"""Folders and files of tests that take a second and more; ``make quick`` does not even import them."""


_FIRST = (
    "tests/faults", "tests/fuzz", "tests/tools", "tests/cli/test_every_command.py", "tests/cli/test_rica_commands.py",
    "tests/cli/test_same_bytes.py", "tests/cli/test_light_core.py", "tests/core/test_catalogue.py",
    "tests/methods/winoventi", "tests/methods/cats", "tests/models",
)  # fmt: skip
"""The longest files come first: two processes share the files, and one of these would keep one of them at the end."""


def _place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what ``make quick`` would import in vain."""
    quick = config.getoption("markexpr") == "not slow"
    return True if quick and _place(collection_path).startswith(_SLOW_FOLDERS) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What ``make quick`` leaves out is told by what a test uses, so that nobody has to keep a list."""
    items.sort(key=lambda item: not _place(item.path).startswith(_FIRST))
    for item in items:
        if _SLOW_FIXTURES & set(getattr(item, "fixturenames", ())) or _place(item.path).startswith(_SLOW_FOLDERS):
            item.add_marker("slow")


def pytest_collection_finish() -> None:
    """Leave all that is imported out of later searches for garbage: a million objects that stay."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 10, 10)


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """A test would have to cut the power to see what ``fsync`` does; with it, each file waits some milliseconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of released data beside the repository."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("the released data (../shared/data) are not on this machine")
    return folder


@pytest.fixture(scope="session")
def tiny_folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder for each of the tiny models, made once."""
    from tests.support.tiny import TINY, save_tiny

    return {name: save_tiny(name, tmp_path_factory.mktemp(name)) for name in TINY}


@pytest.fixture(scope="session")
def wide_gpt2(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder of a tiny model that sees more than the others: questions with a planted cue are long."""
    from tests.support.tiny import save_tiny

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.support.tiny.WINDOW", 512)
        return str(save_tiny("gpt2", tmp_path_factory.mktemp("wide")))


@pytest.fixture(scope="session")
def smollm2() -> str:
    """The bundled model's name, where it has been fetched."""
    from horsesense.errors import UserError
    from horsesense.models.locate import ready_folder

    try:
        ready_folder("smollm2")
    except UserError:
        pytest.skip("the bundled model is not in the cache: horsesense fetch smollm2")
    return "smollm2"


@pytest.fixture(scope="session")
def bundled(smollm2: str) -> LanguageModel:
    """The bundled model, loaded once for all tests that only read it."""
    from horsesense.models.hf.load import load_model

    return load_model(smollm2, device="cpu")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A cache of the tests' own: downloads are seen there, stored scores and self-tests of other runs are not."""
    from horsesense.data import cache_folder

    real, own = cache_folder(), tmp_path_factory.mktemp("cache")
    for entry in real.iterdir() if real.is_dir() else ():
        if entry.is_dir() and entry.name != "self-tests":
            (own / entry.name).symlink_to(entry)
    os.environ["HORSESENSE_CACHE"] = str(own)
