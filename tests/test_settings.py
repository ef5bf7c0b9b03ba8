"""Settings: an argument before a variable, a variable before the file, and sentences with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from horsesense.data import cache_folder
from horsesense.errors import UserError
from horsesense.models.hf.device import choose_device
from horsesense.settings import cache_setting, chosen_models, device_setting, labelled, models_setting, settings_file

WHOLE = """
cache = "kept"
device = "cpu"
models = ["smollm2", "big"]

[labels]
big = "org/big-model@main"
"""


@pytest.fixture(autouse=True)
def _nothing_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CACHE", "CONFIG", "DEVICE", "MODELS"):
        monkeypatch.delenv(f"HORSESENSE_{name}", raising=False)
    monkeypatch.chdir(tmp_path)


def lay(text: str, path: Path = Path("horsesense.toml")) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_file_and_variables_nothing_is_set() -> None:
    assert (cache_setting(), device_setting(), models_setting()) == (None, ("auto", ""), ())
    assert labelled("big") == ("big", "big")
    assert settings_file().path is None


def test_a_file_sets_and_a_variable_goes_before_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lay(WHOLE)
    assert cache_folder("models").resolve() == tmp_path / "kept" / "models"
    assert device_setting() == ("cpu", "horsesense.toml")
    assert models_setting() == ("smollm2", "big")
    assert labelled("big") == ("big", "org/big-model@main")
    assert labelled("big=other") == ("big", "other")
    monkeypatch.setenv("HORSESENSE_CACHE", "elsewhere")
    monkeypatch.setenv("HORSESENSE_DEVICE", "meta")
    monkeypatch.setenv("HORSESENSE_MODELS", "minilm, org/x ,")
    assert cache_folder() == Path("elsewhere")
    assert device_setting() == ("meta", "HORSESENSE_DEVICE")
    assert models_setting() == ("minilm", "org/x")


def test_a_file_elsewhere_is_named_and_its_paths_are_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lay('device = "cuda"')
    other = lay(WHOLE, tmp_path / "there" / "own.toml")
    monkeypatch.setenv("HORSESENSE_CONFIG", str(other))
    assert cache_folder() == tmp_path / "there" / "kept"
    assert device_setting()[0] == "cpu"
    monkeypatch.setenv("HORSESENSE_CONFIG", "none.toml")
    with pytest.raises(UserError, match=r"none\.toml: .* HORSESENSE_CONFIG"):
        cache_folder()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('\ndevise = "cpu"', "horsesense.toml:2: there is no setting 'devise'; did you mean 'device'? (known: "),
        ("[label]\nx = 'y'", "horsesense.toml:1: there is no setting 'label'; did you mean 'labels'?"),
        ("cache = 'a'\ndevice = cpu", "horsesense.toml:2: this is not TOML (invalid value); repair it"),
        ("cache = [\n\n", "horsesense.toml:1: this is not TOML (invalid value); repair it"),
        ("\ndevice = 1", "horsesense.toml:2: the setting 'device' has a value that it cannot have; give a name in"),
        ("models = ['a', 1]", "horsesense.toml:1: the setting 'models' has a value that it cannot have; give a list"),
        ("labels = 'x'", "horsesense.toml:1: the setting 'labels' has a value that it cannot have; give a table"),
        ("[labels]\nx = 1", "horsesense.toml:2: the setting 'x' has a value that it cannot have; give the name of"),
        ("[labels]\n'a/b' = 'x'", "horsesense.toml:2: 'a/b' cannot be a label; use letters"),
        ("cache = ''", "horsesense.toml:1: the setting 'cache' has a value that it cannot have"),
    ],
)
def test_a_wrong_file_is_one_sentence(text: str, sentence: str) -> None:
    lay(text)
    with pytest.raises(UserError) as told:
        settings_file()
    assert str(told.value).startswith(sentence)


def test_a_file_that_is_not_utf8_names_the_line() -> None:
    Path("horsesense.toml").write_bytes(b'cache = "a"\ndevice = "\xff"\n')
    with pytest.raises(UserError, match=r"horsesense\.toml:2: .* not UTF-8"):
        settings_file()


def test_one_name_is_a_list_of_one() -> None:
    lay('models = "smollm2"')
    assert models_setting() == ("smollm2",)


def test_a_path_with_an_equals_sign_is_a_path_where_it_is_there(tmp_path: Path) -> None:
    assert labelled("lr=0.1") == ("lr", "0.1")
    (tmp_path / "lr=0.1").mkdir()
    assert labelled("lr=0.1") == ("lr=0.1", "lr=0.1")


def test_auto_is_the_device_that_is_set_and_an_argument_goes_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    lay('device = "cpu"')
    device, reason = choose_device("auto")
    assert (device.type, reason) == ("cpu", "set by horsesense.toml")
    monkeypatch.setenv("HORSESENSE_DEVICE", "toaster")
    with pytest.raises(UserError, match=r"'toaster' .* HORSESENSE_DEVICE"):
        choose_device()
    assert choose_device("cpu") == (device, "asked for")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('models = ["big=openai:http://10.0.0.1/v1#m"]', "would receive your API key"),
        ('[labels]\ngpt2 = "vllm/m@http://x/v1"', "would receive your API key"),
        ('models = ["mine.py:Model"]', "would be run"),
        ('[labels]\ngpt2 = "mine.py:Model"', "would be run"),
    ],
)
def test_a_file_in_the_working_folder_may_not_choose_who_gets_the_key_or_what_runs(
    text: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "horsesense.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HORSESENSE_CONFIG", raising=False)
    monkeypatch.delenv("HORSESENSE_MODELS", raising=False)
    with pytest.raises(UserError, match=rf"horsesense\.toml.*{why}.*HORSESENSE_CONFIG"):
        [labelled(name) for name in chosen_models("gpt2" if "labels" in text else None)]
    monkeypatch.setenv("HORSESENSE_CONFIG", "horsesense.toml")
    ((_, name),) = [labelled(name) for name in chosen_models("gpt2" if "labels" in text else None)]
    assert name in text
