"""The network that is trained: an adapter around it, a language head beside it, what the Trainer is told."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.learning.recipe import Recipe
from horsesense.models.local.families import family_named
from horsesense.models.local.load import architecture_of
from horsesense.models.local.parts import quiet_transformers
from horsesense.models.local.trainable import Opened, open_for_training

_RANK = 16


def with_adapter(network: Any, seed: int) -> Any:
    """LoRA on all linear layers; a new head is trained whole."""
    import torch
    from peft import LoraConfig, get_peft_model

    torch.manual_seed(seed)
    heads = [name for name, _ in network.named_children() if name in ("classifier", "score")]
    settings = LoraConfig(
        r=_RANK, lora_alpha=2 * _RANK, lora_dropout=0.05, target_modules="all-linear", modules_to_save=heads or None
    )
    return get_peft_model(network, settings)


def language_head(opened: Opened) -> Any:
    """The output layer of the causal model on whose body a classifier stands; it stays as it is.

    An encoder sees the word that it would have to predict, so that such a loss would teach it nothing.
    """
    if not architecture_of(opened.name).endswith(family_named("causal").architectures):
        raise UserError(
            f"{opened.name} has no causal head, so there is no language-model loss beside the label's",
            fix="use --objective classification",
        )
    causal = open_for_training(opened.name, "causal").network
    return copy.deepcopy(causal.get_output_embeddings()).requires_grad_(False)


def arguments(recipe: Recipe, place: Path, examples: int, saves: bool) -> Any:
    """What the Trainer is told."""
    import torch
    from transformers import TrainingArguments

    from horsesense.models.local.device import has_bfloat16

    gpu = torch.cuda.is_available() and recipe.device != "cpu"
    steps_an_epoch = max(1, examples // (recipe.batch * recipe.gather))
    total = recipe.steps or round(steps_an_epoch * recipe.epochs)
    every = "no" if recipe.marks else "steps" if recipe.every else "epoch"
    options: dict[str, Any] = {}
    if saves and every != "no":
        options = {"load_best_model_at_end": True, "metric_for_best_model": "aim", "greater_is_better": True}
    with quiet_transformers():
        return TrainingArguments(
            output_dir=str(place),
            per_device_train_batch_size=recipe.batch,
            gradient_accumulation_steps=recipe.gather,
            num_train_epochs=recipe.epochs,
            max_steps=recipe.steps or -1,
            learning_rate=recipe.rate,
            lr_scheduler_type=recipe.schedule if recipe.schedule != "constant" else "constant_with_warmup",
            warmup_steps=round(recipe.warmup * total),
            weight_decay=recipe.decay,
            seed=recipe.seed,
            # On a processor it is faster too, but small trainings do not repeat with it.
            bf16=gpu and has_bfloat16(torch.device("cuda")),
            use_cpu=not gpu,
            eval_strategy=every,
            eval_steps=recipe.every or None,
            save_strategy=every if saves else "no",
            save_steps=recipe.every or 500,
            save_total_limit=2,
            logging_steps=max(1, min(10, total // 20)),
            logging_nan_inf_filter=False,
            disable_tqdm=True,
            report_to=[],
            remove_unused_columns=False,
            log_level="error",
            dataloader_pin_memory=gpu,
            **options,
        )
