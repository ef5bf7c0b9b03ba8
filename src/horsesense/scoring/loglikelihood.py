"""Prompt formats ``loglikelihood``, the likelihood of each option in its context or as the reply in a conversation, and
``pmi``, relative to its likelihood alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from horsesense.core import Item, ScoringSpec, view
from horsesense.models.protocol import Likelihood, Model, Prompt, Turn
from horsesense.scoring.option_scores import TokenizedItem, answer_of, prepare, prepare_prompts
from horsesense.scoring.prompt_formats import Answers, Call, PromptFormat, same_spec
from horsesense.scoring.prompts import WORDING, ItemPrompts, apply_casing, examples_from, is_chat, item_prompts

_FILL = "Fill in the blank. Reply with the missing words only."
_GO_ON = "Which sentence follows? Reply with that sentence only."
_SENSE = "Say a sentence that makes sense, and nothing else."
_PAIR = "How does the second sentence follow from the first? Reply with one of these words: "


def chat_prompts(model: Model, item: Item, spec: ScoringSpec, examples: Sequence[Item]) -> tuple[ItemPrompts, int]:
    """Build the prompts of an item in the model's chat template, and return how far its options are shifted to the
    right.

    Few-shot examples are earlier turns; an option without its question, for PMI, is a reply to an empty message.
    """
    prefix = model.apply_chat_template(Turn(messages=_messages(item, spec, examples)))
    prompts = tuple(_reply(prefix, option, spec) for option in item.options)
    baseline: tuple[Prompt, ...] = ()
    if spec.baseline:
        system = (("system", spec.system),) if spec.system else ()
        alone = model.apply_chat_template(Turn(messages=(*system, ("user", ""))))
        baseline = tuple(_reply(alone, option, spec) for option in item.options)
    # Offsets are given as without a template, so that words and characters are counted in the same way.
    plain = item_prompts(item, replace(spec, baseline=False), scores_to_end=True).prompts
    return ItemPrompts(item.form, prompts, baseline), len(prefix) - plain[0].start


def _reply(prefix: str, option: str, spec: ScoringSpec) -> Prompt:
    reply = apply_casing(Prompt(option, 0, len(option)), replace(spec, leading_space=False)).text
    return Prompt(prefix + reply, len(prefix), len(prefix) + len(reply), whole=True, bare=True)


def _messages(item: Item, spec: ScoringSpec, examples: Sequence[Item]) -> tuple[tuple[str, str], ...]:
    messages = [("system", spec.system)] if spec.system else []
    for each in examples:
        assert each.answer is not None
        messages += [("user", _question(each)), ("assistant", each.options[each.answer])]
    return (*messages, ("user", _question(item)))


def _question(item: Item) -> str:
    """Return the user's message.

    >>> print(_question(Item(probe="demo", form="cloze", text="Ice is ___.", options=("cold", "hot"))))
    Fill in the blank. Reply with the missing words only.
    Ice is ___.
    """
    premise = [item.premise] if item.premise else []
    if item.form == "cloze":
        return "\n".join([_FILL, *premise, item.text])
    if item.form == "sentences":
        return "\n".join([_GO_ON, *premise]) if premise else _SENSE
    if item.form == "pair":
        return "\n".join([f"{_PAIR}{', '.join(item.options)}.", *premise, item.text])
    return "\n".join([*premise, item.text])


# The formats.


def _prepare(model: Model, items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item]) -> list[TokenizedItem]:
    if spec.chat == "on":
        return _in_chat(model, items, spec, pool)
    if not spec.shots:
        return prepare(model, items, spec)
    examples = examples_from(pool, spec)
    before = {item.id: "".join(f"{_solved(each, spec)}\n\n" for each in examples(item)) for item in items}
    return prepare(model, items, spec, before)


def _in_chat(model: Model, items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item]) -> list[TokenizedItem]:
    """Only on request: the likelihood in a chat template differs from that of the plain text."""
    is_chat(spec, model.can("chat"), model.name)
    examples = examples_from(pool, spec)
    built = [chat_prompts(model, item, spec, examples(item)) for item in items]
    return prepare_prompts(model, items, [prompts for prompts, _ in built], [shift for _, shift in built], spec)


def _solved(item: Item, spec: ScoringSpec) -> str:
    assert item.answer is not None
    return item_prompts(item, replace(spec, baseline=False), True).prompts[item.answer].text


def _prepare_pmi(model: Model, items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item]) -> list[TokenizedItem]:
    """Sentences become the blank in which they differ: a whole sentence has no context to leave out."""
    seen = [(view(item, "cloze") or item) if item.form == "sentences" and not item.premise else item for item in items]
    prepared = _prepare(model, seen, spec, pool)
    return [replace(each, item=item) for each, item in zip(prepared, items, strict=True)]


def _answer(asked: Sequence[TokenizedItem], call: Call) -> Answers:
    encoded = [question for prepared in asked for question in prepared.questions]
    scored: list[Likelihood] | None = call.memory.likelihoods(encoded) if call.memory else None
    if scored is None:
        scored = call.model.likelihoods(encoded, call.spec, call.budget, call.progress)
        if call.memory:
            call.memory.remember(encoded, scored)
    values = iter(scored)
    return [answer_of(call.model, each, [next(values) for _ in each.questions]) for each in asked], []


def _in_words(model: Model, spec: ScoringSpec) -> str:
    parts = [f"chat template, wording {WORDING}"] if spec.chat == "on" else []
    parts += [f"{spec.shots} examples from {spec.shots_from}, seed {spec.shots_seed}"] if spec.shots else []
    return ", ".join(parts)


LOGLIKELIHOOD = PromptFormat("loglikelihood", "likelihood", same_spec, _prepare, _answer, _in_words)
PMI = PromptFormat("pmi", "likelihood", lambda spec: replace(spec, baseline=True), _prepare_pmi, _answer, _in_words)
