"""Scoring specification: part of every manifest and of the cache key."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from math import inf
from typing import Any, Literal, get_args

from horsesense.errors import UserError, argument, unknown
from horsesense.registry import provided

Pll = Literal["word-l2r", "token"]
Case = Literal["keep", "lower"]
Truncation = Literal["error", "left"]
Seq2Seq = Literal["infill", "conditional"]
Dtype = Literal["float32", "auto", "bfloat16", "float16", "int8", "int4"]
Chat = Literal["auto", "on", "off"]
Normalisation = Literal["sum", "mean", "word", "character", "pmi"]
"""Normalisation of the log-probabilities of an option's tokens."""


@dataclass(frozen=True, slots=True)
class ScoringSpec:
    """Scoring settings."""

    pll: Pll = "word-l2r"
    """Masked models: ``word-l2r`` masks a token and the rest of its word to the right (Kauf and Ivanova 2023),
    ``token`` masks one token at a time (Salazar et al. 2020)."""
    bos: str = "auto"
    """Causal models: ``auto`` (see `horsesense.models.hf.encoding`), ``none`` (the first token is not scored),
    ``lm-eval`` (the tokenizer's default; BOS or EOS if there is no text before the scored part), or a token
    of the vocabulary."""
    leading_space: bool = False
    """Put a space before the first word."""
    special_tokens: bool = True
    """Masked models: add the tokenizer's special tokens around a text ([CLS] … [SEP])."""
    case: Case = "keep"
    """Whether texts are kept as they are or lowercased."""
    truncation: Truncation = "error"
    """Texts longer than the context window: ``error``, or ``left`` (keep the end, flag the option)."""
    choice_prompt: str = "{question} {option}"
    """Prompt template of a ``choice`` item; a premise is prepended."""
    pair_prompt: str = "{premise} {hypothesis} That is {option}."
    """Prompt template of a ``pair`` item."""
    read_offset: int = 0
    """Masked models: offset of the position before the mask at which its prediction is read."""
    seq2seq: Seq2Seq = "infill"
    """Sequence-to-sequence models: ``infill`` removes the scored words from the text; ``conditional`` gives the encoder
    the text before the option, and the decoder the option."""
    dtype: Dtype = "float32"
    """Precision of the layers; the head and the softmax always use float32. ``auto``: bfloat16 if the hardware supports
    it and it does not change the choices on a sample."""
    exact: bool = False
    """One input per batch, so that a score does not depend on the other inputs, to the last bit. Otherwise a batch has
    inputs of one length, and only the last bits can differ."""
    baseline: bool = False
    """Also score each option without its question, for PMI."""
    chat: Chat = "auto"
    """Use of the model's chat template; ``auto``: in letters and generate if it has one, never in loglikelihood and
    pmi."""
    system: str = ""
    """System message of a conversation."""
    shots: int = 0
    """Number of solved examples before each question."""
    shots_from: str = ""
    """Split of the probe that examples are drawn from; ``all`` for all of it."""
    shots_seed: int = 0
    """Seed of the examples; none is from the family of the question."""
    orders: int = 0
    """Letters and generate: number of option orders per question; 0: in letters every option once at every letter, in
    generate one order."""
    orders_seed: int = 0
    """Seed of the option orders."""
    samples: int = 1
    """Generate: number of replies per question and order."""
    temperature: float = 0.0
    """Generate: sampling temperature; 0 for greedy decoding."""
    reason: int = 0
    """Generate: ask the model to think step by step, with this many tokens for it; 0 for an immediate answer."""
    room: int = 0
    """Generate: maximum number of tokens of a reply, thoughts included; 0: enough for the answer, and 8,192 more for a
    model that thinks by itself."""

    @classmethod
    def from_options(cls, spec: str = "default", dtype: Dtype | None = None, pll: Pll | None = None) -> ScoringSpec:
        """Return a spec by name, with the most common fields as arguments.

        Args:
            spec: Scoring spec: a preset, fields, or a preset followed by fields, such as paper:cats,pll=token.
            dtype: Precision of the model; auto: bfloat16 if it gives the same answers as float32 on a sample. By
                default, float32.
            pll: Pseudo-log-likelihood of masked models; token: mask only the scored token; word-l2r: mask it
                and the later tokens of the same word. By default, word-l2r.
        """
        meaning, written = parse_spec(spec), fields_set(spec)
        for name, value in (("dtype", dtype), ("pll", pll)):
            if value is not None and written.get(name, value) != value:
                problem = f"{argument(name)} is {value}, and {argument('spec')} has {name}={written[name]}"
                raise UserError(problem, fix="choose one of the two")
            meaning = meaning if value is None else with_setting(meaning, name, value)
        return meaning

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


PRESETS = {
    "default": ScoringSpec(),
    # lm-evaluation-harness (api/model.py, TemplateLM.loglikelihood): how it begins a text, and cuts it from the left.
    "lm-eval": ScoringSpec(bos="lm-eval", truncation="left"),
}


_ALLOWED = {
    "pll": get_args(Pll),
    "truncation": get_args(Truncation),
    "seq2seq": get_args(Seq2Seq),
    "dtype": get_args(Dtype),
    "case": get_args(Case),
    "chat": get_args(Chat),
}
_LEAST = {"shots": 0, "orders": 0, "samples": 1, "temperature": 0.0, "reason": 0}

PROMPT_FIELDS = (
    *("chat", "system", "shots", "shots_from", "shots_seed"),
    *("orders", "orders_seed", "samples", "temperature", "reason"),
)
"""Fields of the prompt: answers that differ in one of them are not compared."""


def parse_spec(text: str | ScoringSpec) -> ScoringSpec:
    """Parse a spec from a preset name, ``field=value`` pairs, or both, joined by commas; a spec is returned as it is.

    >>> parse_spec("paper:cats,case=lower").case
    'lower'
    >>> parse_spec("choice_prompt={question} Well, {option}").choice_prompt
    '{question} Well, {option}'
    """
    if isinstance(text, ScoringSpec):
        return text
    spec = ScoringSpec()
    for number, part in enumerate(_parts(text)):
        name, equals, value = part.partition("=")
        if not equals:
            if number:
                raise UserError(f"the preset {name!r} comes after other settings", fix="name it first")
            spec = _preset(name)
        else:
            spec = with_setting(spec, name.strip(), value.strip())
    return spec


def _preset(name: str) -> ScoringSpec:
    if name in PRESETS:
        return PRESETS[name]
    of_methods = provided("presets")
    if name not in of_methods:
        raise unknown("spec", name, [*PRESETS, *of_methods])
    return parse_spec(of_methods[name])


def fields_set(text: str) -> dict[str, str]:
    """Return the fields that a spec sets explicitly, as written; those of a preset are not included.

    >>> fields_set("paper:cats,case=lower")
    {'case': 'lower'}
    """
    pairs = (part.partition("=") for part in _parts(text))
    return {name.strip(): value.strip() for name, equals, value in pairs if equals}


_PLACEHOLDERS = {"choice_prompt": ("premise", "question", "option"), "pair_prompt": ("premise", "hypothesis", "option")}
_FREE = {*_PLACEHOLDERS, "system"}
"""Fields whose value may contain commas."""
_IN_BRACES = re.compile(r"\{([^{}]*)\}")


@cache  # called for every question of a run
def check_prompt(name: str, template: str) -> None:
    """Check that a prompt has its option once and no unknown placeholder, which the model would read literally."""
    used, known = _IN_BRACES.findall(template), _PLACEHOLDERS[name]
    listed = ", ".join(f"{{{placeholder}}}" for placeholder in known)
    strange = next((placeholder for placeholder in used if placeholder not in known), None)
    if strange is not None:
        raise UserError(f"the {name} {template!r} has the unknown placeholder {{{strange}}}", fix=f"known: {listed}")
    if used.count("option") != 1:
        raise UserError(f"the {name} {template!r} must have {{option}} once", fix=f"known: {listed}")


def fill_prompt(template: str, **values: str) -> str:
    """Fill all placeholders at once, so that placeholder-like text inside a question is kept.

    >>> fill_prompt("{premise} {question}", premise="It says {question}.", question="Why?")
    'It says {question}. Why?'
    """
    return _IN_BRACES.sub(lambda match: values[match[1]], template)


def _parts(text: str) -> list[str]:
    """Split a text at its commas, except those inside a prompt, where no field follows.

    >>> _parts("choice_prompt={question} Well, {option},case=lower")
    ['choice_prompt={question} Well, {option}', 'case=lower']
    """
    parts: list[str] = []
    for piece in text.split(","):
        name, equals, _ = piece.partition("=")
        in_prompt = bool(parts) and parts[-1].partition("=")[0].strip() in _FREE
        if in_prompt and not (equals and name.strip().isidentifier()):
            parts[-1] += f",{piece}"
        elif piece.strip():
            parts.append(piece.strip())
    return [part.strip() for part in parts]


def with_setting(spec: ScoringSpec, name: str, value: str) -> ScoringSpec:
    """Return the spec with one field parsed from text."""
    known = {f.name: f for f in fields(ScoringSpec)}
    if name not in known:
        raise unknown("spec field", name, known)
    current = getattr(spec, name)
    typed: dict[str, Any] = {}
    if isinstance(current, bool):
        if value not in ("true", "false"):
            raise UserError(f"{name}={value} is neither true nor false")
        typed[name] = value == "true"
    elif isinstance(current, int):
        try:
            typed[name] = int(value)
        except ValueError:
            raise UserError(f"{name}={value} is not a whole number") from None
    elif isinstance(current, float):
        try:
            typed[name] = float(value)
        except ValueError:
            raise UserError(f"{name}={value} is not a number") from None
    else:
        if name in _ALLOWED and value not in _ALLOWED[name]:
            raise UserError(f"{name}={value} is unknown", fix=f"use one of {', '.join(_ALLOWED[name])}")
        if name in _PLACEHOLDERS:
            check_prompt(name, value)
        typed[name] = value
    if name in _LEAST and not _LEAST[name] <= typed[name] < inf:
        raise UserError(f"{name}={value} is too small or no number", fix=f"use {_LEAST[name]} or more")
    return replace(spec, **typed)


def spec_from_dict(values: dict[str, Any]) -> ScoringSpec:
    """Return a checked spec from the values in a manifest."""
    usual = ScoringSpec().to_dict()
    for name, value in values.items():
        if name not in usual:
            raise UserError(f"the spec has the unknown field {name!r}", fix="was it written by a newer horsesense?")
        if type(value) is not type(usual[name]) or value not in _ALLOWED.get(name, (value,)):
            raise UserError(f"the spec has {name}={value!r}, which means nothing", fix="was it edited by hand?")
    return ScoringSpec(**values)
