"""What peers and this program are asked alike: sentences, questions, and networks of a given shape."""

from __future__ import annotations

import json
import os
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.methods.starter.probe import starter_probe
from horsesense.models.locate import locate

CATS = Path(__file__).resolve().parents[3] / "shared" / "data" / "cats" / "commonsense_ability_test"


def sentences(count: int, tasks: tuple[str, ...] = ("ca", "wsc", "sm", "smr", "swag", "arct_1")) -> list[str]:
    """Real sentences: of CATs where it lies beside the repository, else of the starter probe."""
    found: list[str] = []
    for task in tasks:
        path = CATS / f"{task}.txt"
        if path.is_file():
            lines = path.read_text(encoding="utf-8").splitlines()[: 1 + count // len(tasks)]
            found += [line.split("\x01")[1].strip() for line in lines]
    if len(found) < count:
        found += [option for item in starter_probe().items for option in item.options if len(option) > 20]
    return found[:count]


def bert_vocabulary() -> Path | None:
    """BERT's own vocabulary, which all-MiniLM-L6-v2 has: ``VOCABULARY``, or that of ``horsesense fetch minilm``."""
    given = os.environ.get("VOCABULARY")
    try:
        return Path(given) if given else locate("minilm").folder / "vocab.txt"
    except UserError:
        return None


def save_bert(
    folder: Path,
    texts: list[str],
    width: int = 32,
    layers: int = 2,
    spread: float = 0.35,
    vocabulary: Path | None = None,
) -> Path:
    """A BERT with random weights, and a WordPiece vocabulary: a given one, or one of the texts, of BERT's own size."""
    torch.manual_seed(0)
    pieces = models.WordPiece.read_file(str(vocabulary)) if vocabulary else None
    tokenizer = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    if vocabulary is None:
        tokenizer.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=2000, special_tokens=special))
    around = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=around)
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    config = BertConfig(
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=max(2, width // 64),
        intermediate_size=4 * width,
    )
    network = BertForMaskedLM(config)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(0.0, spread) if parameter.ndim > 1 else None
    network.save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, mask_token="[MASK]", **names).save_pretrained(folder)
    return folder


def save_llama(folder: Path) -> Path:
    """A decoder of Llama-8B's shape with random weights in bfloat16; SmolLM2's tokenizer, or that of ``TOKENIZER``."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=128_256,
        hidden_size=4096,
        intermediate_size=14_336,
        num_hidden_layers=32,
        num_attention_heads=32,
        num_key_value_heads=8,
        max_position_embeddings=8192,
        tie_word_embeddings=False,
    )
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        with torch.device("cuda"):
            network = LlamaForCausalLM(config)
    finally:
        torch.set_default_dtype(before)
    network.save_pretrained(folder)
    AutoTokenizer.from_pretrained(os.environ.get("TOKENIZER") or locate("smollm2").folder).save_pretrained(folder)
    return folder


def for_older(folder: Path, out: Path, dtype: str = "float32") -> Path:
    """The bundled model as a transformers of the peers' version reads it."""
    out.mkdir()
    for file in folder.iterdir():
        if file.name not in ("config.json", "tokenizer_config.json"):
            (out / file.name).symlink_to(file)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config |= {"rope_theta": config["rope_parameters"]["rope_theta"], "torch_dtype": dtype}
    (out / "config.json").write_text(json.dumps(config), encoding="utf-8")
    told = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    told["tokenizer_class"] = "PreTrainedTokenizerFast"
    (out / "tokenizer_config.json").write_text(json.dumps(told), encoding="utf-8")
    return out


def five_way(count: int) -> list[Item]:
    """Questions of WordNetQA about hypernyms."""
    from horsesense.lexicons.sources import open_graph
    from horsesense.methods.wordnetqa.builder import build_wordnetqa
    from horsesense.methods.wordnetqa.plan import WordNetPlan

    # Whole families are drawn, so fewer come than the limit says.
    probe = build_wordnetqa(open_graph("wordnet"), WordNetPlan("hypernymy", as_paper=True, limit=2 * count))
    return list(probe.items[:count])
