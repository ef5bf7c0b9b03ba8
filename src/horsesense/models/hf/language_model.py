"""A loaded language model: the local implementation of the model protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horsesense.core import Fill, ScoringSpec
from horsesense.errors import UserError, argument
from horsesense.models.hf.families import Family
from horsesense.models.hf.forward import Pending, SelectiveLMHead, batch_logits, preserve_state, to_device
from horsesense.models.hf.rows import LogitRows, Row, SpecialIds, logit_rows_of
from horsesense.models.hf.tokens import TokenizedText, tokenise
from horsesense.models.protocol import (
    DEFAULT_BUDGET,
    Ability,
    Choices,
    Continuation,
    Identity,
    Likelihood,
    Prompt,
    Sampling,
    Turn,
    Values,
)
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from pathlib import Path

    import torch

    from horsesense.models.hf.encoding import FramedPrompt

Ranked = tuple[npt.NDArray[np.int64], Values]
"""Token ids and their log-probabilities, best first."""

LINES_AT_ONCE = 512
"""Rows of logits that are read at a time where all of them are in memory."""
_LOGITS = 64 * 2**20
"""Bytes of logits computed at a time: the head's weights are read once per part, which matters for small models."""
_LOGITS_ON_GPU = 2**30


@dataclass(frozen=True)
class LanguageModel:
    """Weights and tokenizer of a model, and how it runs."""

    name: str
    family: Family
    network: Any
    tokenizer: Any
    device: torch.device
    dtype: str
    window: int
    """Context window in tokens, special tokens included."""
    weights: str
    """SHA-256 of the weight files."""
    revision: str
    architecture: str
    parameters: int
    notes: tuple[str, ...] = ()
    """Decisions at load, in words: device, dtype and their reasons."""
    dtype_reason: str = ""
    """Why the weights have this dtype."""
    head: SelectiveLMHead | None = None
    """Runs the head at the read positions only; None where the architecture does not allow it."""
    longest_in_trees: int = 0
    """Texts with a common prefix are fed as one tree up to this length; 0 where the model takes no trees."""
    identity: str = ""
    """SHA-256 over weights, config and tokenizer; empty where only the weights are known."""
    borrowed: bool = False
    """Whether the network belongs to a caller who may be training it, and is left as it was."""

    @property
    def marks(self) -> SpecialIds:
        """The token ids that inputs are built with."""
        return self.family.marks(self.tokenizer, self.network.config)

    # The model protocol.

    @property
    def who(self) -> Identity:
        return Identity("memory" if self.borrowed else "weights", self.weights)

    @property
    def direction(self) -> str:
        return self.family.direction

    @property
    def scores_to_end(self) -> bool:
        return self.family.scores_to_end

    def can(self, ability: Ability) -> bool:
        if ability == "likelihood" or self.family.head != "tokens":
            return ability == "likelihood"
        if ability == "structured":
            return False
        if ability == "next":
            return self.family.left_to_right or self.tokenizer.mask_token is not None
        templated = ability == "text" or bool(getattr(self.tokenizer, "chat_template", None))
        return self.family.left_to_right and templated

    def why_not(self, ability: Ability) -> str:
        if ability == "structured":
            return "only a server is made to keep to a schema; the letters format has the probability of each letter"
        return f"it is of the family {self.family.name!r}"

    def asking(self, folder: Path | None = None) -> AbstractContextManager[None]:
        """Nothing has to be held: computed scores cost time only, and runs store them."""
        return nullcontext()

    def describe_frame(self, spec: ScoringSpec) -> str:
        return self.family.frame(self.tokenizer, spec).in_words

    def encode(self, prompts: Sequence[Prompt], spec: ScoringSpec) -> list[FramedPrompt]:
        from horsesense.models.hf.encoding import encode_prompts

        return encode_prompts(self, prompts, spec)

    def likelihoods(
        self,
        encoded: Sequence[FramedPrompt],
        spec: ScoringSpec,
        budget: int = DEFAULT_BUDGET,
        progress: Progress = NO_PROGRESS,
    ) -> list[Likelihood]:
        from horsesense.models.hf.batches import score_questions

        scored = score_questions(self, encoded, spec, budget, progress)
        return [encoded_prompt.likelihood(values) for encoded_prompt, values in zip(encoded, scored, strict=True)]

    def token_texts(self, encoded_prompt: FramedPrompt, likelihood: Likelihood) -> list[str]:
        return [
            self.tokenizer.decode([encoded_prompt.question.ids[position]]) for position in encoded_prompt.question.asked
        ]

    @property
    def max_candidates(self) -> int:
        return len(self.tokenizer)

    def vocabulary_forms(self, fills: Sequence[Fill]) -> list[str]:
        tokens: list[str] = self.tokenizer.convert_ids_to_tokens([each.ids[0] for each in fills])
        return tokens

    def knows(self, words: Sequence[str], spec: ScoringSpec) -> list[bool]:
        from horsesense.models.hf.encoding import prompt_encoder_of

        unknown = prompt_encoder_of(self, spec).unknown_token
        return [unknown is None or unknown not in tokens.ids for tokens in self.tokenise([f" {w}" for w in words])]

    def best_words(self, prompts: Sequence[str], k: int, spec: ScoringSpec) -> list[list[Fill]]:
        from horsesense.models.hf.generation import best_words

        return best_words(self, prompts, k, spec)

    def choices(
        self, turns: Sequence[Turn], words: Sequence[Sequence[str]], spec: ScoringSpec, progress: Progress = NO_PROGRESS
    ) -> list[Choices]:
        from horsesense.models.hf.generation import choices

        return choices(self, turns, words, spec, progress)

    def continuations(
        self, turns: Sequence[Turn], sampling: Sampling, progress: Progress = NO_PROGRESS
    ) -> list[list[Continuation]]:
        from horsesense.models.hf.generation import continuations

        return continuations(self, turns, sampling, progress)

    def apply_chat_template(self, turn: Turn) -> str:
        """Render a conversation with the chat template, up to where the reply begins."""
        messages = [{"role": role, "content": content} for role, content in turn.messages]
        text: str = self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return text + turn.text

    # Used inside this package.

    def tokenise(self, texts: Sequence[str]) -> list[TokenizedText]:
        return tokenise(self.tokenizer, texts)

    def logprobs(self, rows: Sequence[Row], exact: bool = False) -> list[Values]:
        """Return the log-probabilities of each row's targets.

        The softmax is in float32 whatever the dtype of the weights. Where it is over the options of an item, which are
        in several rows, the raw score is returned.
        """
        values = self.finish(self.begin(rows, exact))
        return np.split(values, np.cumsum([len(row.reads) for row in rows])[:-1])

    def begin(self, rows: Sequence[Row], exact: bool = False) -> Pending:
        """Start a batch; on a GPU this returns before it is done. Rows have one shape, or are trees.

        ``exact``: the head runs at every position, so that its last bits do not depend on which are read.
        """
        import torch

        with self.preserve_state():
            lines = logit_rows_of(rows, apart=exact or self.head is None)
            read = torch.empty(len(lines.targets), dtype=torch.float32, device=self.device)
            for part, logits in self._logits(rows, lines, exact):
                reads = lines.reads_of(part)
                of, targets, into = (
                    self._move(values) for values in (lines.of[reads] - part.start, lines.targets[reads], reads)
                )
                scores = logits.float()
                values = scores[of, targets]
                if self.family.head != "options":
                    values -= scores.logsumexp(dim=1)[of]
                read[into] = values
            if self.device.type != "cuda":
                return Pending(read)
            host = torch.empty(read.shape, dtype=read.dtype, pin_memory=True)
            host.copy_(read, non_blocking=True)
            there = torch.Event(self.device)
            there.record()
        return Pending(host, there)

    def finish(self, pending: Pending) -> Values:
        """Return the values of a batch when they have arrived."""
        if pending.there is not None:
            pending.there.synchronize()
        values: Values = pending.values.cpu().numpy()
        self._check(values)
        return values

    def top(self, rows: Sequence[Row], k: int) -> list[Ranked]:
        """Return, for each row, which reads one position, the ids and log-probabilities of its k best tokens.

        Some models pad their vocabulary; entries that the tokenizer does not have are left out.
        """
        import torch

        with self.preserve_state():
            logits = torch.cat([part for _, part in self._logits(rows, logit_rows_of(rows, apart=True), exact=True)])
            known = logits.float().log_softmax(dim=1)[:, : len(self.tokenizer)]
            best = known.topk(k, dim=1)
            ids, values = best.indices.cpu().numpy(), best.values.cpu().numpy()
        self._check(values)
        return list(zip(ids, values, strict=True))

    def preserve_state(self) -> AbstractContextManager[None]:
        """Call the network without gradients and, if it is borrowed, restore its state."""
        import torch

        return preserve_state(self.network) if self.borrowed else torch.inference_mode()

    def _logits(self, rows: Sequence[Row], lines: LogitRows, exact: bool) -> Iterator[tuple[slice, torch.Tensor]]:
        """Yield the logits of a batch, as many rows at a time as memory and caches allow."""
        which = self._move(lines.which)
        if self.head is not None and not exact:
            positions = self._move(lines.positions)
            forward = partial(batch_logits, self.network, self.family, rows, self.device)
            yield from self.head.logits(forward, (which, positions), self._lines_at_once)
            return
        outputs = self.family.outputs(self.network, [row.given for row in rows], list(rows), self.device)
        positions = self._move(
            np.array([position for positions in outputs.positions for position in positions], dtype=np.int64)
        )
        for start in range(0, len(positions), LINES_AT_ONCE):
            part = slice(start, start + LINES_AT_ONCE)
            yield part, outputs.logits[which[part], positions[part]]

    @property
    def _lines_at_once(self) -> int:
        size = _LOGITS_ON_GPU if self.device.type == "cuda" else _LOGITS
        return max(1, size // (4 * int(getattr(self.network.config, "vocab_size", 1))))

    def _move(self, values: npt.NDArray[np.int64]) -> torch.Tensor:
        return to_device(values, self.device)

    def _check(self, values: Values) -> None:
        if not np.isfinite(values).all():
            raise UserError(
                f"{self.name} gives log-probabilities that are NaN or infinite",
                fix=f"its weights are damaged, or {argument('dtype', 'float32')} is needed",
            )

    def describe(self) -> dict[str, Any]:
        """Return what a manifest records about the model."""
        return {
            "name": self.name,
            "family": self.family.name,
            "architecture": self.architecture,
            "direction": self.family.direction,
            "parameters": self.parameters,
            "window": self.window,
            "weights": self.weights,
            "identity": self.identity,
            "revision": self.revision,
            "dtype": self.dtype,
            "dtype_reason": self.dtype_reason,
        }
