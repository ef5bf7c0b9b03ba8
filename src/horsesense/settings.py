"""User settings: ``HORSESENSE_*`` variables, and an optional ``horsesense.toml``.

An argument goes before a variable, a variable before the file, the file before what holds otherwise. The file is in
the working folder, or where ``HORSESENSE_CONFIG`` says; it is read only where no variable answers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from horsesense.errors import UserError, argument, unknown

FILE = "horsesense.toml"
CONFIG_VARIABLE, CACHE_VARIABLE = "HORSESENSE_CONFIG", "HORSESENSE_CACHE"
DEVICE_VARIABLE, MODELS_VARIABLE = "HORSESENSE_DEVICE", "HORSESENSE_MODELS"

_LINE = re.compile(r" \(at line (\d+), column \d+\)$")
_LABEL = re.compile(r"\w[\w.-]*")


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """Contents of ``horsesense.toml``."""

    path: Path | None = None
    """Path of the file; None without one."""
    cache: Path | None = None
    """The cache folder; a relative path is relative to the file."""
    device: str | None = None
    """Where models run: cpu, cuda, cuda:1, mps, or auto."""
    models: tuple[str, ...] = ()
    """Who is asked where a call names no model."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """A short name for tables, and the model that it stands for."""


def cache_setting() -> Path | None:
    """Return the cache folder of the variable or of the file."""
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen).expanduser() if chosen else settings_file().cache


def device_setting() -> tuple[str, str]:
    """Return the device for ``auto`` and the origin of the setting; ``auto`` and an empty text if none is set."""
    chosen = os.environ.get(DEVICE_VARIABLE)
    if chosen:
        return chosen, DEVICE_VARIABLE
    settings = settings_file()
    return (settings.device, str(settings.path)) if settings.device else ("auto", "")


def models_setting() -> tuple[str, ...]:
    """Return the default models; the variable separates them by commas."""
    chosen = tuple(name.strip() for name in os.environ.get(MODELS_VARIABLE, "").split(",") if name.strip())
    if chosen:
        return chosen
    settings = settings_file()
    return tuple(_trusted(settings, name) for name in settings.models)


Kind = TypeVar("Kind")
"""What a call takes as a model: a name, a folder, a loaded model; in a profile also a planted one."""


def chosen_models(model: Kind | Sequence[Kind] | None) -> Sequence[Kind | str]:
    """Return the models of a call, or those of the settings."""
    if model is not None and model != ():
        return [model] if isinstance(model, str) or not isinstance(model, Sequence) else model
    if chosen := models_setting():
        return chosen
    fix = f"add {argument('model', 'NAME')}, or set {MODELS_VARIABLE}, or models in {FILE}"
    raise UserError("no model is named", fix=fix)


def labelled(written: str) -> tuple[str, str]:
    """Return label and name of a model: ``label=NAME``, or a label of the file; a plain name is both.

    A path with an equals sign that is there is a path.

    >>> labelled("big=org/big-model@main"), labelled("org/big-model"), labelled("runs/lr=0.1")
    (('big', 'org/big-model@main'), ('org/big-model', 'org/big-model'), ('runs/lr=0.1', 'runs/lr=0.1'))
    """
    label, equals, name = written.partition("=")
    if equals and name and _LABEL.fullmatch(label) and not Path(written).exists():
        return label, name
    settings = settings_file()
    return written, _trusted(settings, settings.labels[written]) if written in settings.labels else written


def _trusted(file: SettingsFile, name: str) -> str:
    """Return a model's name in the file; a file found in the working folder may not name a server or Python code.

    A server receives prompts and the API key, and code runs, so the author of the file would choose who gets them and
    what runs.
    """
    kind, why = ("server", "which would receive your API key") if "://" in name else ("code", "which would be run")
    if ("://" in name or ".py:" in name) and not os.environ.get(CONFIG_VARIABLE):
        raise UserError(
            f"the file names the {kind} {name.partition('=')[2] or name}, {why}",
            file=file.path,
            fix=f"if you trust it, set {CONFIG_VARIABLE}={file.path}; or name the {kind} with {argument('model')}",
        )
    return name


def settings_file() -> SettingsFile:
    """Read and check the settings file; return empty settings without one."""
    named = os.environ.get(CONFIG_VARIABLE)
    path = Path(named).expanduser() if named else Path(FILE)
    if not named and not path.is_file():
        return SettingsFile()
    import tomllib

    if path.exists() and not path.is_file():
        raise UserError("the settings are not a file", file=path, fix=f"check {CONFIG_VARIABLE}")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        fix = f"check {CONFIG_VARIABLE}" if named else "check the file"
        raise UserError(f"the settings cannot be read ({error.strerror})", file=path, fix=fix) from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UserError("this is not UTF-8", file=path, line=line, fix="save the file as UTF-8") from error
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        detail = str(error)
        where = _LINE.search(detail)
        line = int(where[1]) if where else text.count("\n", 0, len(text.rstrip())) + 1
        reason = _LINE.sub("", detail).removesuffix(" (at end of document)")
        raise UserError(
            f"this is not TOML ({reason[:1].lower()}{reason[1:]})", file=path, line=line, fix="repair it"
        ) from None
    try:
        return _checked(path, values)
    except _KeyError as wrong:
        raise wrong.error.at(path, _line_of(wrong.key, text)) from None


class _KeyError(Exception):
    """A key that is wrong, and what is wrong with it."""

    def __init__(self, key: str, error: UserError) -> None:
        super().__init__(key)
        self.key, self.error = key, error


def _checked(path: Path, values: Mapping[str, Any]) -> SettingsFile:
    known = ("cache", "device", "labels", "models")
    for key in values:
        if key not in known:
            raise _KeyError(key, unknown("setting", key, known))
    cache, device, labels = values.get("cache"), values.get("device"), values.get("labels", {})
    models = [values["models"]] if isinstance(values.get("models"), str) else values.get("models", [])
    _hold("cache", cache is None or _is_name(cache), 'a path in quotes: cache = "FOLDER"')
    _hold("device", device is None or _is_name(device), 'a name in quotes: device = "cpu"')
    fine = isinstance(models, list) and all(map(_is_name, models))
    _hold("models", fine, 'a list of names: models = ["smollm2"]')
    _hold("labels", isinstance(labels, dict), 'a table of names: [labels] and then label = "NAME"')
    for label, name in labels.items():
        _hold(label, _is_name(name), f'the name of a model: {label} = "NAME"')
        if not _LABEL.fullmatch(label):
            fix = "use letters, digits, dots, dashes and underscores"
            raise _KeyError(label, UserError(f"{label!r} cannot be a label", fix=fix))
    folder = None if cache is None else path.parent / Path(cache).expanduser()
    return SettingsFile(path, folder, device, tuple(models), labels)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _hold(key: str, fine: bool, rule: str) -> None:
    if not fine:
        raise _KeyError(key, UserError(f"the setting {key!r} has a value that it cannot have", fix=f"give {rule}"))


def _line_of(key: str, text: str) -> int | None:
    """Return the first line that sets the key, or None."""
    start = re.compile(rf"""\s*(\[\s*)?["']?{re.escape(key)}["']?\s*[\].=]""")
    return next((number for number, line in enumerate(text.split("\n"), 1) if start.match(line)), None)
