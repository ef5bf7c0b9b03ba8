"""A Llama with bidirectional attention, as an architecture for transformers.

Importing this module registers it with transformers' auto classes.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import AutoConfig, AutoModelForMaskedLM, LlamaConfig, LlamaForCausalLM, LlamaModel


class BidirectionalLlamaConfig(LlamaConfig):  # type: ignore[misc]  # transformers has no types
    """Config of a Llama, with the position where predictions are read."""

    model_type = "bidirectional_llama"

    read_offset: int = 0
    """How many positions before a masked token its prediction is read. A model that was trained to predict the next
    token does best if it continues to do so, one position before the mask."""


class BidirectionalLlamaModel(LlamaModel):  # type: ignore[misc]  # transformers has no types
    """The layers: every position attends to every other, and the output for a token is at its own position."""

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
            # Nothing precedes the first positions, so these are read where they are.
            output.last_hidden_state = torch.cat([hidden[:, :offset], hidden[:, :-offset]], dim=1)
        return output

    def _seen(self, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return the mask that is added to attention scores; transformers uses a mask of four dimensions unchanged."""
        hidden = attention_mask[:, None, None, :] == 0
        mask = torch.zeros(hidden.shape, dtype=self.dtype, device=attention_mask.device)
        mask = mask.masked_fill(hidden, torch.finfo(self.dtype).min)
        return mask.expand(-1, 1, attention_mask.shape[1], -1)


class BidirectionalLlamaForMaskedLM(LlamaForCausalLM):  # type: ignore[misc]  # transformers has no types
    """The logits at a position are those of the token at that position."""

    config_class = BidirectionalLlamaConfig
    # Flash attention takes no mask of four dimensions, which bidirectional attention needs.
    _supports_flash_attn = False
    _supports_flex_attn = False

    def __init__(self, config: BidirectionalLlamaConfig) -> None:
        # As the parent class, with other layers; the parent would create and initialise its own first.
        super(LlamaForCausalLM, self).__init__(config)
        self.model = BidirectionalLlamaModel(config)
        self.vocab_size = config.vocab_size
        self.lm_head = torch.nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.post_init()


AutoConfig.register(BidirectionalLlamaConfig.model_type, BidirectionalLlamaConfig, exist_ok=True)
AutoModelForMaskedLM.register(BidirectionalLlamaConfig, BidirectionalLlamaForMaskedLM, exist_ok=True)
