"""A Llama that sees both sides: an architecture of our own for transformers, loaded and saved like any other.

Importing this module makes its name known to transformers' automatic classes.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import AutoConfig, AutoModelForMaskedLM, LlamaConfig, LlamaForCausalLM, LlamaModel


class BidirectionalLlamaConfig(LlamaConfig):  # type: ignore[misc]  # transformers has no types
    """A Llama's config, and where predictions are read."""

    model_type = "bidirectional_llama"

    read_offset: int = 0
    """How many places before a masked token its prediction is made. One that was trained to predict the next
    token does best when it goes on to do so one place before the mask."""


class BidirectionalLlamaModel(LlamaModel):  # type: ignore[misc]  # transformers has no types
    """The layers: every place sees every other, and what is known of a token stands at its place."""

    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        inputs_embeds: torch.Tensor | None = None,
        **options: Any,
    ) -> Any:
        shape = (input_ids if inputs_embeds is None else inputs_embeds).shape[:2]  # type: ignore[union-attr]  # one is given
        if attention_mask is None:
            attention_mask = torch.ones(shape, dtype=torch.long, device=self.device)
        options |= {"attention_mask": self._seen(attention_mask), "use_cache": False}
        output = super().forward(input_ids=input_ids, inputs_embeds=inputs_embeds, **options)
        offset = self.config.read_offset
        if offset:
            hidden = output.last_hidden_state
            # What stands before the first places is not there, so these are read where they stand.
            output.last_hidden_state = torch.cat([hidden[:, :offset], hidden[:, :-offset]], dim=1)
        return output

    def _seen(self, attention_mask: torch.Tensor) -> torch.Tensor:
        """The mask as it is added to attention scores; transformers takes one of four dimensions as it stands."""
        hidden = attention_mask[:, None, None, :] == 0
        mask = torch.zeros(hidden.shape, dtype=self.dtype, device=attention_mask.device)
        mask = mask.masked_fill(hidden, torch.finfo(self.dtype).min)
        return mask.expand(-1, 1, attention_mask.shape[1], -1)


class BidirectionalLlamaForMaskedLM(LlamaForCausalLM):  # type: ignore[misc]  # transformers has no types
    """The logits at a place are those of the token at that place."""

    config_class = BidirectionalLlamaConfig
    # Flash attention takes no mask of four dimensions, and it is through that one that both sides are seen.
    _supports_flash_attn = False
    _supports_flex_attn = False

    def __init__(self, config: BidirectionalLlamaConfig) -> None:
        # As its parent, with layers of its own; the parent would make, and fill, others first.
        super(LlamaForCausalLM, self).__init__(config)
        self.model = BidirectionalLlamaModel(config)
        self.vocab_size = config.vocab_size
        self.lm_head = torch.nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.post_init()


AutoConfig.register(BidirectionalLlamaConfig.model_type, BidirectionalLlamaConfig, exist_ok=True)
AutoModelForMaskedLM.register(BidirectionalLlamaConfig, BidirectionalLlamaForMaskedLM, exist_ok=True)
