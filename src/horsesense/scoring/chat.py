"""Log-likelihoods inside a conversation: the question is the user's message, each option is a scored reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from horsesense.core import Item, ScoringSpec
from horsesense.models.protocol import Model, Prompt, Turn
from horsesense.scoring.prompts import ItemPrompts, apply_casing, item_prompts

_FILL = "Fill in the blank. Reply with the missing words only."
_GO_ON = "Which sentence follows? Reply with that sentence only."
_SENSE = "Say a sentence that makes sense, and nothing else."
_PAIR = "How does the second sentence follow from the first? Reply with one of these words: "


def chat_prompts(model: Model, item: Item, spec: ScoringSpec, examples: Sequence[Item]) -> tuple[ItemPrompts, int]:
    """Build the prompts of an item in the model's chat template, and return how far its options are shifted to the
    right.

    Few-shot examples are earlier turns; an option without its question, for PMI, is a reply to an empty message.
    """
    begun = model.apply_chat_template(Turn(messages=_messages(item, spec, examples)))
    prompts = tuple(_reply(begun, option, spec) for option in item.options)
    baseline: tuple[Prompt, ...] = ()
    if spec.baseline:
        system = (("system", spec.system),) if spec.system else ()
        alone = model.apply_chat_template(Turn(messages=(*system, ("user", ""))))
        baseline = tuple(_reply(alone, option, spec) for option in item.options)
    # Offsets are given as without a template, so that words and characters are counted in the same way.
    plain = item_prompts(item, replace(spec, baseline=False), scores_to_end=True).prompts
    return ItemPrompts(item.form, prompts, baseline), len(begun) - plain[0].start


def _reply(begun: str, option: str, spec: ScoringSpec) -> Prompt:
    said = apply_casing(Prompt(option, 0, len(option)), replace(spec, leading_space=False)).text
    return Prompt(begun + said, len(begun), len(begun) + len(said), whole=True, bare=True)


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
