"""Which words a prediction depends on: gradients through captum (Zhou et al. 2021, section 5.3).

The value of a token is the gradient of the target's log-probability times the difference between its embedding and a
baseline: at the text itself (``gradient``), averaged over noise (``smoothgrad``), or along the path from the baseline
(``integrated``), where the values add up to the difference in log-probability.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, get_args

from horsesense.core import ScoringSpec
from horsesense.core.document import Document
from horsesense.errors import UserError, need
from horsesense.lexicons.words import word_spans
from horsesense.models.hf.encoding import prompt_encoder_of
from horsesense.models.hf.families import FAMILIES, family_named
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.rows import Row
from horsesense.scoring.prompts import Prompt, apply_casing

if TYPE_CHECKING:
    import torch

Method = Literal["gradient", "smoothgrad", "integrated"]
METHODS: tuple[Method, ...] = get_args(Method)
NOISE = 0.15
"""Standard deviation of SmoothGrad's noise, relative to that of the embeddings (Smilkov and others, 2017)."""


@dataclass(frozen=True, slots=True)
class SalientWord:
    """One word and its attribution."""

    word: str
    start: int
    end: int
    value: float
    """Above 0 it makes the target more probable, below 0 less."""


@dataclass(frozen=True, slots=True)
class Saliency(Document):
    """Attribution of a prediction to the words of a text."""

    text: str
    """The text, without the brackets."""
    target: str
    """The explained stretch."""
    method: Method
    """Attribution method."""
    logprob: float
    """Log-probability of the target in this text."""
    baseline: float
    """Log-probability of the target with every other word blank: the mask token, or the mean of all embeddings."""
    words: tuple[SalientWord, ...]
    """Attributions in the order of the text, without the target."""
    residual: float
    """Part of the difference that the words leave unexplained; ``integrated`` leaves less with more steps."""

    def of_model(self, model: str, spec: ScoringSpec) -> ModelSaliency:
        """Add the model and the scoring spec."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return ModelSaliency(**values, model=model, spec=spec.to_dict())


@dataclass(frozen=True, slots=True)
class ModelSaliency(Saliency):
    """Attribution of a model's prediction to the words of a text."""

    model: str = field(kw_only=True)
    """Name of the model."""
    spec: Mapping[str, str | int | float | bool] = field(kw_only=True)
    """Scoring spec."""


def saliency(
    model: LanguageModel,
    text: str,
    start: int,
    end: int,
    spec: ScoringSpec,
    method: Method,
    steps: int,
    seed: int,
) -> Saliency:
    """Attribute the log-probability of the stretch from ``start`` to ``end`` to the other words.

    ``steps`` are those of the integration, or the noise samples.
    """
    if not model.family.takes_embeddings:
        able = " and ".join(name for name in FAMILIES if family_named(name).takes_embeddings)
        raise UserError(f"saliency is for {able} models, and {model.name} is {model.family}")
    prompt = apply_casing(Prompt(text, start, end, whole=True), spec)
    (tokens,) = model.tokenise([prompt.text])
    encoder = prompt_encoder_of(model, spec)
    framed = encoder(prompt, tokens)
    shift = len(encoder.frame.around(prompt.text[: prompt.start]).before)
    target = {position - shift for position in framed.question.asked}
    context_positions = [position for position in range(len(tokens.ids)) if position not in target]
    values, logprob, blank = [0.0] * len(tokens.ids), 0.0, 0.0
    for row in model.family.rows(framed.question, spec, model.marks):
        # A causal model is fed no further than its last prediction: what follows has no influence.
        fed = [position for position in context_positions if position + shift < len(row.given.ids)]
        attributed, with_text, without = _attributed(
            model, row, [position + shift for position in fed], method, steps, seed
        )
        logprob, blank = logprob + with_text, blank + without
        for position in fed:
            values[position] += attributed[position + shift]
    words = []
    for first, last in word_spans(prompt.text):
        positions = [position for position in context_positions if first <= tokens.starts[position] < last]
        if positions:
            words.append(
                SalientWord(prompt.text[first:last], first, last, sum(values[position] for position in positions))
            )
    residual = logprob - blank - sum(word.value for word in words)
    stretch = prompt.text[prompt.start : prompt.end]
    return Saliency(prompt.text, stretch, method, logprob, blank, tuple(words), residual)


def _attributed(
    model: LanguageModel, row: Row, positions: list[int], method: Method, steps: int, seed: int
) -> tuple[list[float], float, float]:
    """Return one value per position of the row, and the log-probability with the text and with it blanked."""
    import torch

    network = model.network
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    ids = torch.tensor([row.given.ids], device=model.device)
    embed = network.get_input_embeddings()
    with torch.no_grad():
        embedded = embed(ids)
        blank = embedded.clone()
        mask = model.tokenizer.mask_token_id
        # Not zeros: RMSNorm is discontinuous there, and no number of steps adds up.
        blank[:, positions] = embed.weight.mean(dim=0) if mask is None else embed.weight[mask]
    forward = _forward(network, row)
    gradients = _gradients(forward, embedded, blank, method, steps, seed)
    with torch.no_grad():
        ends = [float(forward(each)[0]) for each in (embedded, blank)]
    return gradients.detach().sum(dim=-1)[0].tolist(), ends[0], ends[1]


def _forward(network: Any, row: Row) -> Callable[[torch.Tensor], torch.Tensor]:
    def target_logprob(embedded: torch.Tensor) -> torch.Tensor:
        """Return the log-probability of the row's targets, one sum per copy of the text."""
        import torch

        attended = torch.ones(embedded.shape[:2], dtype=torch.long, device=embedded.device)
        logits = network(inputs_embeds=embedded, attention_mask=attended).logits
        read = logits[:, list(row.reads)].float().log_softmax(dim=-1)
        targets = torch.tensor(row.targets, device=embedded.device).expand(len(embedded), -1)
        logprob: torch.Tensor = read.gather(2, targets[..., None])[..., 0].sum(dim=1)
        return logprob

    return target_logprob


def _gradients(
    forward: Callable[[torch.Tensor], torch.Tensor],
    embedded: torch.Tensor,
    blank: torch.Tensor,
    method: Method,
    steps: int,
    seed: int,
) -> torch.Tensor:
    need("captum")
    import torch
    from captum import attr

    values: torch.Tensor
    if method == "integrated":
        values = attr.IntegratedGradients(forward).attribute(embedded, blank, n_steps=steps, internal_batch_size=8)
        return values
    gradient = attr.Saliency(forward)
    if method == "gradient":
        values = gradient.attribute(embedded.clone().requires_grad_(), abs=False)
    else:
        torch.manual_seed(seed)
        spread = NOISE * float(embedded.std())
        values = attr.NoiseTunnel(gradient).attribute(
            embedded.clone().requires_grad_(),
            nt_type="smoothgrad",
            nt_samples=steps,
            nt_samples_batch_size=8,
            stdevs=spread,
            abs=False,
        )
    return values * (embedded - blank)
