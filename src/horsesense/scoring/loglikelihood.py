"""Prompt formats ``loglikelihood``, the likelihood of each option in its context, and ``pmi``, relative to its
likelihood alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from horsesense.core import Item, ScoringSpec, view
from horsesense.models.protocol import Likelihood, Model
from horsesense.scoring.chat import chat_prompts
from horsesense.scoring.few_shot import examples_from
from horsesense.scoring.option_prompts import WORDING, is_chat
from horsesense.scoring.option_scores import TokenizedItem, answer_of, prepare, prepare_prompts
from horsesense.scoring.prompt_formats import Answers, Call, PromptFormat, same_spec
from horsesense.scoring.prompts import item_prompts


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
    made = [chat_prompts(model, item, spec, examples(item)) for item in items]
    return prepare_prompts(model, items, [prompts for prompts, _ in made], [shift for _, shift in made], spec)


def _solved(item: Item, spec: ScoringSpec) -> str:
    assert item.answer is not None
    return item_prompts(item, replace(spec, baseline=False), True).prompts[item.answer].text


def _prepare_pmi(model: Model, items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item]) -> list[TokenizedItem]:
    """Sentences become the blank in which they differ: a whole sentence has no context to leave out."""
    seen = [(view(item, "cloze") or item) if item.form == "sentences" and not item.premise else item for item in items]
    made = _prepare(model, seen, spec, pool)
    return [replace(each, item=item) for each, item in zip(made, items, strict=True)]


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
