"""Build a command from a public function: its signature and docstring declare every parameter once.

Rules, in the order in which they apply to a parameter:

- ``progress``, any parameter of the type `Progress`: the progress bars;
- a function of one argument (``Callable[[Result], None]``): prints that result as soon as there is one;
- a class with ``from_options``: the options of that function; a settings dataclass: one option per field;
- positional-only, ``*names``, or without a default before the ``*``: an argument, except ``model`` and ``out``;
- everything else: an option named after the parameter, repeatable where the type is a sequence.

A function that returns something with ``save(path)`` gets ``-o/--out``, and the command saves the result.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import inspect
import re
import sys
import textwrap
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Sequence as AnySequence
from contextlib import nullcontext
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import click

from horsesense.errors import UserError
from horsesense.progress import Progress
from horsesense.registry import ONE_OPTION, Command, NamesOf, provided
from horsesense.terminal import say

SHORT = {"model": "-m", "probe": "-p", "out": "-o"}
"""Short flags, the same in every command."""
_ALWAYS_OPTIONS = ("model", "out")
_MOST_LINES = 10
"""Skipped lines that are printed."""
_current: ContextVar[FunctionCommand | None] = ContextVar("current", default=None)
"""The command that runs, so that messages can write a parameter as its option."""


class Unresolved:
    """Stands for a type that is imported for type checkers only, and so has no form on the command line."""

    def __class_getitem__(cls, _: object) -> type[Unresolved]:
        return cls


class _Names(dict[str, Any]):
    """The names an annotation may use; unknown ones are `Unresolved`, so that no library is loaded for ``--help``."""

    def __init__(self, module: Mapping[str, Any]) -> None:
        self.module = module

    def __missing__(self, name: str) -> Any:
        return self.module.get(name, getattr(builtins, name, Unresolved))


def resolve(annotation: Any, module: Mapping[str, Any]) -> Any:
    """Evaluate an annotation; types that cannot be resolved without an import are left out of unions."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, {}, _Names(module))
    except AttributeError:  # np.float32, where numpy is for type checkers only
        return eval(re.sub(r"\b\w+(\.\w+)+\b", "Unresolved", annotation), {}, _Names(module))


@dataclasses.dataclass(frozen=True)
class ValueType:
    """How a value is written on the command line."""

    type: click.ParamType[Any]
    many: bool = False
    flag: bool = False


class _Separated(click.ParamType[Any]):
    """A tuple of fixed length, written with commas: ``0.15,0.60``."""

    name = "values"

    def __init__(self, parts: AnySequence[click.ParamType[Any]]) -> None:
        self.parts = parts

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return ",".join(part.name.upper() for part in self.parts)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        words = value.split(",") if isinstance(value, str) else value
        if len(words) != len(self.parts):
            self.fail(f"{value!r} is not {len(self.parts)} values separated by commas", param, ctx)
        return tuple(part.convert(word, param, ctx) for part, word in zip(self.parts, words, strict=True))


def value_type(annotation: Any) -> ValueType | None:
    """The command-line form of a type; None where it has none.

    >>> value_type(str | Path | None).many, value_type(AnySequence[int]).many, value_type(dict[str, int])
    (False, True, None)
    """
    low, above, high = (_bound(annotation, name) for name in ("ge", "gt", "le"))
    members = union_members(annotation)
    scalars = [each for each in members if _scalar(each)]
    sequences = [each for each in members if _is_sequence(each)]
    if sequences:
        inner = value_type(typing.Union[(*scalars, *(get_args(each)[0] for each in sequences))])
        return None if inner is None else dataclasses.replace(inner, many=True)
    if not scalars:
        fixed = [each for each in members if get_origin(each) is tuple]
        parts = [value_type(each) for each in get_args(fixed[0])] if fixed else []
        return ValueType(_Separated([part.type for part in parts if part])) if parts and all(parts) else None
    if (low, above, high) != (None, None, None):
        number = click.FloatRange if float in scalars else click.IntRange
        return ValueType(number(above if low is None else low, high, min_open=low is None and above is not None))
    if str in scalars:
        return ValueType(click.Path(path_type=str) if Path in scalars else click.STRING)
    if Path in scalars:
        return ValueType(click.Path(path_type=Path))
    if choices := [value for each in scalars if get_origin(each) is Literal for value in get_args(each)]:
        return ValueType(click.Choice([each for each in dict.fromkeys(choices) if each != ""]))
    if scalars == [bool]:
        return ValueType(click.BOOL, flag=True)
    return ValueType(click.FLOAT if float in scalars else click.INT)


def _bound(annotation: Any, name: str) -> Any:
    """The lower (``ge``, ``gt``) or upper (``le``) bound in the metadata of a type, or of a member of a union."""
    if get_origin(annotation) is Annotated:
        bounds = (getattr(each, name, None) for each in annotation.__metadata__)
    elif isinstance(annotation, types.UnionType) or get_origin(annotation) is typing.Union:
        bounds = (_bound(each, name) for each in get_args(annotation))
    else:
        return None
    return next((bound for bound in bounds if bound is not None), None)


def union_members(annotation: Any) -> list[Any]:
    """The members of a union, aliases and annotations unwrapped, without None."""
    if get_origin(annotation) is Annotated:
        return union_members(get_args(annotation)[0])
    if isinstance(annotation, types.UnionType) or get_origin(annotation) is typing.Union:
        return [part for each in get_args(annotation) for part in union_members(each)]
    return [] if annotation in (None, types.NoneType) else [annotation]


def _scalar(kind: Any) -> bool:
    return kind in (str, int, float, bool, Path) or get_origin(kind) is Literal


def _is_sequence(kind: Any) -> bool:
    origin, arguments = get_origin(kind), get_args(kind)
    return origin in (AnySequence, Iterable, list) or (origin is tuple and arguments[-1:] == (...,))


def _settings_class(annotation: Any) -> type | None:
    """The class that a parameter's options are flattened from."""
    if get_origin(annotation) is Annotated and ONE_OPTION in annotation.__metadata__:
        return None
    members = [each for each in union_members(annotation) if isinstance(each, type)]
    factory_class = next((each for each in members if hasattr(each, "from_options")), None)
    if factory_class is not None or any(value_type(each) for each in union_members(annotation)):
        return factory_class
    return next((each for each in members if dataclasses.is_dataclass(each)), None)


def singular(name: str) -> str:
    """The name of a repeatable option.

    >>> [singular(name) for name in ("tests", "strategies", "statuses", "classes", "also", "text", "premises")]
    ['test', 'strategy', 'status', 'class', 'also', 'text', 'premise']
    """
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    if name.endswith(("sses", "uses", "xes", "ches", "shes")):
        return name[:-2]
    return name[:-1] if name.endswith("s") and not name.endswith(("ss", "us")) else name


def docstring_parts(text: str) -> tuple[str, dict[str, str]]:
    """The first paragraph of a docstring, and the help of each argument (Google style).

    >>> docstring_parts("Find cues.\\n\\nArgs:\\n    seed: Random\\n        seed. In Python, also a generator.\\n")
    ('Find cues.', {'seed': 'Random seed.'})
    """
    text = inspect.cleandoc(text)
    first = text.partition("\n\n")[0]
    _, _, section = text.partition("\nArgs:\n")
    helps: dict[str, str] = {}
    name = ""
    for line in section.split("\n"):
        if line and not line.startswith(" "):
            break
        if match := re.match(r"    \*{0,2}(\w+): (.*)", line):
            name = match[1]
            helps[name] = match[2]
        elif name:
            helps[name] += f" {line.strip()}"
    return plain_help(first), {name: plain_help(text) for name, text in helps.items()}


def plain_help(text: str) -> str:
    """A docstring's sentence for the terminal: no backquotes, no sentence that begins with "In Python"."""
    joined = " ".join(re.sub(r"`+([^`]*)`+", r"\1", text).split())
    return re.sub(r"(?:^|(?<=[.;]) )In Python\b.*$", "", joined).strip()


@cache
def field_helps(settings: type) -> dict[str, str]:
    """The sentence below each field of a dataclass."""
    helps = {
        name: text for base in settings.__bases__ if base is not object for name, text in field_helps(base).items()
    }
    body = ast.parse(textwrap.dedent(inspect.getsource(settings))).body[0]
    assert isinstance(body, ast.ClassDef)
    for field, after in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            helps[ast.unparse(field.target)] = plain_help(str(after.value.value))
    return helps


def load(target: str) -> Callable[..., Any]:
    """What ``module:name`` names."""
    module, _, name = target.partition(":")
    return typing.cast("Callable[..., Any]", getattr(import_module(module), name))


def globals_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The names of the module in which a function, or the innermost of its wrappers, was written."""
    if (both := getattr(inspect.unwrap(function), "__extends__", None)) is not None:
        return globals_of(both[1]) | globals_of(both[0])
    return typing.cast("dict[str, Any]", getattr(inspect.unwrap(function), "__globals__", {}))


@dataclasses.dataclass
class _Callee:
    """One function or class, and which of the command's parameters are for it."""

    function: Callable[..., Any]
    signature: inspect.Signature
    names: list[str] = dataclasses.field(default_factory=list)
    settings: dict[str, _Callee] = dataclasses.field(default_factory=dict)
    progress: str = ""
    started: str = ""

    def call(self, options: Mapping[str, Any], injected: Mapping[str, Any]) -> Any:
        """Call it with the values that the user has given; for all others its own defaults hold."""
        bound = self.signature.bind_partial()
        values = {name: options[name] for name in self.names if name in options}
        for name, callee in self.settings.items():
            if any(each in options for each in callee.names):
                values[name] = callee.call(options, {})
        values |= {name: value for name, value in injected.items() if name in (self.progress, self.started)}
        bound.arguments.update({name: values[name] for name in self.signature.parameters if name in values})
        return self.function(*bound.args, **bound.kwargs)


class _Option(click.Option):
    """An option whose default is the function's own, and only shown here."""

    shown_default: Any = None

    def get_help_extra(self, ctx: click.Context) -> Any:
        extra, default = super().get_help_extra(ctx), self.shown_default
        if default not in (None, "", (), inspect.Parameter.empty):
            several = default if isinstance(default, tuple | list) else [default]
            extra["default"] = ", ".join(f"{each:g}" if isinstance(each, float) else str(each) for each in several)
        return extra


class _Argument(click.Argument):
    """A positional argument; its usage shows whether it may be repeated, and left out (its help names a default)."""

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        several = self.nargs != 1
        optional = "By default" in (self.help or "") if several else not self.required
        return [(f"[{self.metavar}]" if optional else f"{self.metavar}") + "..." * several]


class FunctionCommand(click.Command):
    """A command that calls a public function and prints its result."""

    def __init__(self, entry: Command) -> None:
        function = load(entry.target)
        self.entry = entry
        self.spelling: dict[str, str] = {}
        """How each parameter is written: ``--limit``, ``--no-cache``, ``PROBE``."""
        self.groups: dict[str, str] = {}
        """Option → its heading."""
        helps = docstring_parts(inspect.getdoc(function) or "")
        super().__init__(entry.path.rpartition(" ")[2], help=helps[0], short_help=entry.summary, callback=self._run)
        self.callee = self._callee(function, helps[1], "")
        self.renderer = self._add_renderer(function)
        self.saves = self._saves(function)
        if self.saves and "out" not in self.spelling:
            self._add_option("out", ValueType(click.Path(path_type=Path)), "File to write: .jsonl, .jsonl.gz or "
                             ".parquet.", inspect.Parameter.empty, "")  # fmt: skip
        self.params.append(click.Option(["--json"], is_flag=True, help="Print the result as JSON."))
        self.params.append(click.Option(["--debug"], is_flag=True, expose_value=False, help="Show tracebacks."))

    def _callee(self, function: Callable[..., Any], helps: Mapping[str, str], heading: str) -> _Callee:
        callee = _Callee(function, inspect.signature(function))
        module = globals_of(function.__func__ if inspect.ismethod(function) else function)
        if inspect.isclass(function):
            module = {
                k: v for each in reversed(function.__mro__) for k, v in vars(import_module(each.__module__)).items()
            }
        for name, parameter in callee.signature.parameters.items():
            kind = resolve(parameter.annotation, module)
            if any(isinstance(each, type) and issubclass(each, Progress) for each in union_members(kind)):
                callee.progress = name
            elif any(get_origin(each) is Callable for each in union_members(kind)):
                callee.started = name
            elif (settings := _settings_class(kind)) is not None:
                callee.settings[name] = self._flatten(settings)
            else:
                self._add(callee, parameter, kind, helps.get(name, ""), heading)
        return callee

    def _flatten(self, settings: type) -> _Callee:
        heading = re.split("[:.]", docstring_parts(settings.__doc__ or "")[0])[0]
        factory = getattr(settings, "from_options", None)
        if factory is not None:
            return self._callee(factory, docstring_parts(inspect.getdoc(factory) or "")[1], heading)
        return self._callee(settings, field_helps(settings), heading)

    def _add(self, callee: _Callee, parameter: inspect.Parameter, kind: Any, text: str, heading: str) -> None:
        name, value = parameter.name, value_type(kind)
        if value is None:
            raise TypeError(f"{self.entry.path}: {name} has a type without a form on the command line: {kind}")
        if name in self.spelling:
            raise TypeError(f"{self.entry.path}: two parameters are called {name}")
        if not text:
            raise TypeError(f"{self.entry.path}: {name} has no sentence in the docstring")
        for each in getattr(kind, "__metadata__", ()):
            if isinstance(each, NamesOf):
                text = f"{text} From papers: {', '.join(provided(each.kind))}."
        callee.names.append(name)
        required = parameter.default is parameter.empty
        variadic = parameter.kind is parameter.VAR_POSITIONAL
        plain = parameter.kind is parameter.POSITIONAL_OR_KEYWORD and required
        first = plain or parameter.kind is parameter.POSITIONAL_ONLY
        if not heading and (variadic or (first and name not in _ALWAYS_OPTIONS)):
            many = variadic or value.many
            metavar = (singular(name) if many else name).upper().replace("_", "-")
            self.spelling[name] = metavar
            self.params.append(_Argument([name], type=value.type, nargs=-1 if many else 1, metavar=metavar,
                                         required=required and not variadic, help=text))  # fmt: skip
        else:
            self._add_option(name, value, text, parameter.default, heading)

    def _add_option(self, name: str, value: ValueType, text: str, default: Any, heading: str) -> None:
        called = (singular(name) if value.many else name).replace("_", "-").strip("-")
        flags = [f"--no-{called}" if value.flag and default is True else f"--{called}"]
        self.spelling[name] = flags[0]
        if heading:
            self.groups[name] = heading
        if name in SHORT or singular(name) in SHORT:
            flags.insert(0, SHORT.get(name) or SHORT[singular(name)])
        required = default is inspect.Parameter.empty
        if value.flag:
            if default is True:
                text = f"Do not {text[:1].lower()}{text[1:]}"
            self.params.append(click.Option([*flags, name], is_flag=True, help=text))
            return
        if value.many:
            text = f"{text.rstrip('.')}; repeatable."
        metavar = {click.IntRange: "INTEGER", click.FloatRange: "FLOAT"}.get(type(value.type))
        option = _Option([*flags, name], type=value.type, multiple=value.many, required=required, help=text,
                         metavar=metavar)  # fmt: skip
        option.shown_default = default
        self.params.append(option)

    def _add_renderer(self, function: Callable[..., Any]) -> Callable[..., None] | None:
        """The renderer of what the function returns; its keyword-only parameters are options of the command too."""
        from horsesense.cli.render import renderer_named

        returned = str(inspect.signature(function).return_annotation)
        named = self.entry.render
        renderer = load(named) if named else renderer_named(returned.rpartition(".")[2])
        if renderer is not None:
            signature, helps = inspect.signature(renderer), docstring_parts(inspect.getdoc(renderer) or "")[1]
            for name, parameter in signature.parameters.items():
                if parameter.kind is parameter.KEYWORD_ONLY:
                    kind = resolve(parameter.annotation, globals_of(renderer))
                    self._add(_Callee(renderer, signature), parameter, kind, helps.get(name, ""), "")
        return renderer

    def _saves(self, function: Callable[..., Any]) -> bool:
        returned = resolve(inspect.signature(function).return_annotation, globals_of(function))
        return hasattr(returned, "save")

    def _run(self, **values: Any) -> None:
        context = click.get_current_context()
        arguments = {
            name: (not self._is_negative(name)) if value is True else value
            for name, value in values.items()
            if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        }
        as_json = bool(arguments.pop("json", False))
        display = {}
        if self.renderer is not None:
            display = {
                name: arguments[name] for name in inspect.signature(self.renderer).parameters if name in arguments
            }

        def show(result: Any) -> None:
            if as_json:
                print_json(result.to_json())
            else:
                from horsesense.cli.render import render

                (self.renderer if self.entry.render and self.renderer else render)(result, **display)

        out: Any = arguments.get("out")
        if self.saves:
            self._refuse_overwriting(Path(out), arguments)
        with self._progress() as progress:
            injected = {self.callee.progress: progress, self.callee.started: show}
            result = self.callee.call(arguments, {name: value for name, value in injected.items() if name})
        if self.saves:
            skipped = getattr(result, "skipped", ())
            result = result.save(out)
            show(result)
            say_skipped(skipped)
        elif not self.callee.started and result is not None:
            show(result)
        if code := getattr(result, "exit_code", 0):
            if isinstance(problem := getattr(result, "problem", None), UserError):
                raise problem
            raise click.exceptions.Exit(code)

    def _progress(self) -> Any:
        if not self.callee.progress:
            return nullcontext()
        from horsesense.cli.progress import Bars

        return Bars()

    def _is_negative(self, name: str) -> bool:
        return self.spelling.get(name, "").startswith("--no-")

    def _refuse_overwriting(self, out: Path, values: Mapping[str, Any]) -> None:
        """An input that the result would overwrite."""
        for parameter in self.params:
            value = values.get(parameter.name or "")
            if parameter.name == "out" or not isinstance(parameter.type, click.Path) or not value:
                continue
            for each in value if isinstance(value, tuple) else (value,):
                if Path(each).resolve() == out.resolve():
                    raise UserError("the result would overwrite its input", file=out, fix="choose another name")

    def invoke(self, ctx: click.Context) -> Any:
        _current.set(self)
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in self.get_params(ctx):
            record = None if isinstance(parameter, click.Argument) else parameter.get_help_record(ctx)
            if record is not None:
                sections.setdefault(self.groups.get(parameter.name or "", "Options"), []).append(record)
        for heading, rows in sections.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.entry.example:
            formatter.write("\nExample:\n")
            formatter.write(f"  {self.entry.example}\n")


def as_option(name: str, value: str) -> str:
    """A parameter as the running command writes it."""
    command = _current.get()
    known = command.spelling.get(name) if command is not None else None
    option = known or f"--{name.replace('_', '-')}"
    return f"{option} {value}" if value and option.startswith("--") else option


def forget_command() -> None:
    """No command is running: parameters are written as options of their own name."""
    _current.set(None)


def print_json(document: Any) -> None:
    """Print the document of ``--json``."""
    import orjson

    from horsesense.core.document import plain

    sys.stdout.buffer.write(orjson.dumps(plain(document), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    sys.stdout.flush()


def say_skipped(lines: AnySequence[UserError]) -> None:
    """Print the first skipped lines with their reasons, and how many more there are."""
    for line in lines[:_MOST_LINES]:
        say(f"skipped {line.sentence(as_option)}")
    if len(lines) > _MOST_LINES:
        say(f"and {len(lines) - _MOST_LINES:,} more lines skipped")
