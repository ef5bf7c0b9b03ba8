"""Tiny models that the tests make: real architectures and real tokenizers, random weights, milliseconds to run."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BertConfig,
    BertForMaskedLM,
    BertForMultipleChoice,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
    T5Config,
    T5ForConditionalGeneration,
    XLNetConfig,
    XLNetLMHeadModel,
)

CORPUS = [
    "The kettle whistled because the water was boiling, so she turned off the stove.",
    "A feather falls more slowly than a stone; the stone is heavier.",
    "He forgot his umbrella and it rained, therefore his coat got wet.",
    "Café owners don't open before dawn. Naïve guests wait outside, shivering!",
    "In 1984 the 22 children walked two-week trails, singing songs of summer.",
    "Ice melts in the sun, and butter melts faster than chocolate does.",
    "東京 is far away; Zoë's “quoted” words — dashes and all — are kept.",
] * 4

WINDOW = 64
SIZES: dict[str, Any] = {"vocab_size": 400}


def _bare_wordpiece(pieces: dict[str, int] | None = None) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


@cache
def _pieces() -> dict[str, int]:
    """A vocabulary, the same in every process.

    Letters get their numbers in any order, and merges that are equally frequent go by number; so the letters are
    numbered beforehand, in a tokenizer that is used for nothing else.
    """
    letters = sorted({letter for text in CORPUS for letter in text.lower() if not letter.isspace()})
    first = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    scratch = _bare_wordpiece()
    scratch.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=300, special_tokens=first))
    return scratch.get_vocab()


def _wordpiece(**more: Any) -> PreTrainedTokenizerFast:
    tokenizer = _bare_wordpiece(_pieces())
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, mask_token="[MASK]", **names, **more)


def _byte_level(prefix_space: bool, special: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=380, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def _unigram(template: str, more: tuple[str, ...] = ()) -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=200, special_tokens=["<unk>", "<s>", "</s>", *more], unk_token="<unk>")
    tokenizer.train_from_iterator(CORPUS, trainer)
    if template != "$A":
        tokenizer.post_processor = processors.TemplateProcessing(
            single=template, special_tokens=[("<s>", 1), ("</s>", 2)]
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        pad_token="</s>",
        additional_special_tokens=list(more),
    )


def bert() -> tuple[Any, Any]:
    """WordPiece, lower-cased, [CLS] … [SEP]; masked."""
    config = BertConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=48,
        max_position_embeddings=WINDOW, **SIZES,
    )  # fmt: skip
    return BertForMaskedLM(config), _wordpiece()


def roberta() -> tuple[Any, Any]:
    """Byte-level BPE with a prefix space, <s> … </s>; masked."""
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = _byte_level(prefix_space=True, special=special)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=True)
    config = RobertaConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=48, pad_token_id=1,
        max_position_embeddings=WINDOW + 2, **SIZES,
    )  # fmt: skip
    names = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, mask_token="<mask>", cls_token="<s>", **names)
    return RobertaForMaskedLM(config), wrapped


def gpt2() -> tuple[Any, Any]:
    """Byte-level BPE without a prefix space; <|endoftext|> is declared, nothing is added; causal."""
    tokenizer = _byte_level(prefix_space=False, special=["<|endoftext|>"])
    config = GPT2Config(n_embd=32, n_layer=2, n_head=2, n_positions=WINDOW, **SIZES)
    name = "<|endoftext|>"
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=name, eos_token=name, unk_token=name)
    return GPT2LMHeadModel(config), wrapped


def _llama() -> Any:
    return LlamaForCausalLM(
        LlamaConfig(
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            intermediate_size=48,
            max_position_embeddings=WINDOW,
            **SIZES,
        )
    )


def llama() -> tuple[Any, Any]:
    """SentencePiece-like unigram; the post-processor adds <s>; causal."""
    return _llama(), _unigram("<s> $A")


def llama_bare() -> tuple[Any, Any]:
    """The same, with nothing added: BOS is only declared; causal."""
    return _llama(), _unigram("$A")


def xlnet() -> tuple[Any, Any]:
    """Unigram, </s> and <s> at the end as XLNet has its <sep> and <cls>; permuted."""
    config = XLNetConfig(d_model=32, n_layer=2, n_head=2, d_inner=48, **SIZES)
    return XLNetLMHeadModel(config), _unigram("$A </s> <s>")


def bart() -> tuple[Any, Any]:
    """Byte-level BPE with a mask token; sequence to sequence, asked as an infiller."""
    config = BartConfig(
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=48,
        decoder_ffn_dim=48,
        max_position_embeddings=WINDOW,
        **SIZES,
    )
    return BartForConditionalGeneration(config), roberta()[1]


def t5() -> tuple[Any, Any]:
    """Unigram with sentinels and </s> at the end; sequence to sequence."""
    config = T5Config(
        d_model=32, d_kv=16, d_ff=48, num_layers=2, num_heads=2, pad_token_id=2, decoder_start_token_id=2, **SIZES
    )
    return T5ForConditionalGeneration(config), _unigram("$A </s>", ("<extra_id_0>", "<extra_id_1>"))


def _bert_pairs() -> PreTrainedTokenizerFast:
    tokenizer = _wordpiece(model_input_names=["input_ids", "token_type_ids", "attention_mask"])
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def nli() -> tuple[Any, Any]:
    """A classifier of pairs with the labels of natural language inference, in an order of its own."""
    labels = {0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}
    config = bert()[0].config.to_dict() | {"id2label": labels, "label2id": {v: k for k, v in labels.items()}}
    return BertForSequenceClassification(BertConfig(**config)), _bert_pairs()


def choice() -> tuple[Any, Any]:
    """A multiple-choice head."""
    return BertForMultipleChoice(BertConfig(**bert()[0].config.to_dict())), _bert_pairs()


TINY: dict[str, Callable[[], tuple[Any, Any]]] = {
    "bert": bert,
    "roberta": roberta,
    "gpt2": gpt2,
    "llama": llama,
    "llama_bare": llama_bare,
    "xlnet": xlnet,
    "bart": bart,
    "t5": t5,
    "nli": nli,
    "choice": choice,
}


def save_tiny(name: str, folder: Path, seed: int = 0) -> Path:
    """Make a tiny model with its own seed and save it as a folder that ``-m`` takes; another seed, other weights."""
    torch.manual_seed(sum(map(ord, name)) + seed)
    network, tokenizer = TINY[name]()
    with torch.no_grad():
        for parameter in network.parameters():
            # Wider than the usual 0.02, so that log-probabilities differ enough to tell right from wrong.
            parameter.normal_(0.0, 0.35) if parameter.ndim > 1 else None
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
