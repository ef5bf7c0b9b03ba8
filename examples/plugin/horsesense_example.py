"""One plug-in of each kind: a builder, a reader of a release, a model, a cue, a control and an exchange format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from horsesense.core import Card, Item, Probe, Source
from horsesense.cues.battery import Number
from horsesense.cues.table import Table
from horsesense.data import numbered_lines
from horsesense.errors import UserError
from horsesense.exchange.formats import Export, Format, WrittenExport
from horsesense.training.controls import Control, ControlTask, Fitted

if TYPE_CHECKING:
    from horsesense.models.protocol import Model

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def weekdays(limit: int = 7, name: str = "weekdays") -> Probe:
    """A builder: keyword arguments in, a probe out."""
    items = []
    for place, day in enumerate(DAYS[:limit]):
        options = (DAYS[(place + 1) % 7], DAYS[place - 1])
        items.append(Item(probe=name, form="cloze", text=f"The day after {day} is ___.", options=options, answer=0))
    return Probe.of(items, Card(name, licence="CC0-1.0", made="the day after each day of the week"))


def read_sentence_pairs(paths: Sequence[Path], skip_bad: bool) -> Probe:
    """A reader: files in, a probe out. Here a line is ``right sentence | wrong sentence``."""
    items, skipped = [], []
    for path in paths:
        for number, line in numbered_lines(path):
            options = tuple(part.strip() for part in line.split("|"))
            if len(options) != 2:
                error = UserError("a line needs two sentences", file=path, line=number, fix="put | between them")
                if not skip_bad:
                    raise error
                skipped.append(error)
                continue
            source = Source(file=path.name, line=number)
            items.append(Item(probe="pairs", form="sentences", text="", options=options, answer=0, source=source))
    notes = {"bad lines skipped": len(skipped)} if skipped else {}
    return replace(Probe.of(items, Card("pairs", made="read from lines of two sentences"), notes), skipped=skipped)


def untaught(rest: str) -> Model:
    """A model: ``untaught:7`` calls this with ``"7"``. Here it is a tiny network that nobody has taught anything."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    import horsesense as hs

    if not rest.isdecimal():
        raise UserError(f"the model 'untaught:{rest}' has no seed", fix="write untaught:7")
    end = "<|endoftext|>"
    letters = {letter: place for place, letter in enumerate([end, *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    tokenizer = Tokenizer(models.BPE(letters, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(rest))
        sizes = {"vocab_size": len(letters), "n_positions": 128, "n_embd": 16, "n_layer": 1, "n_head": 2}
        config = GPT2Config(**sizes, bos_token_id=0, eos_token_id=0)
        network = GPT2LMHeadModel(config).eval()
    return hs.load_model(network, PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=end, eos_token=end))


def _vowels(table: Table) -> np.ndarray:
    counts = np.array([sum(letter in "aeiou" for letter in text.lower()) for text in table.texts], dtype=np.float64)
    return counts[table.text_of]


VOWELS = Number("vowels", "how many vowels an option has", "with the most vowels", "with the fewest vowels", _vowels)
"""A cue: a `Number`, or a `Learnt` for categories."""


def fit_shortest(task: ControlTask) -> Fitted:
    """What a control does: a task in, a score for each option of each test item out."""
    scores = [tuple(-float(len(option)) for option in item.options) for item in task.test]
    return Fitted(scores, "picks the option with the fewest letters")


SHORTEST = Control("horsesense_example:fit_shortest", "how long the options are", trains=False)
"""A control: where its function is, and what it looks at."""


def write_flash_cards(export: Export) -> WrittenExport:
    """What writes a format: an empty folder and a probe in, files and a word on how to use them out."""
    for number, item in enumerate(export.probe.items, start=1):
        back = "" if item.answer is None else item.options[item.answer]
        front = "\n".join(filter(None, [item.premise, item.text, *item.options]))
        (export.folder / f"{number:04d}.txt").write_text(f"{front}\n---\n{back}\n", encoding="utf-8")
    return WrittenExport(len(export.probe.items), "print DIR")


FLASH_CARDS = Format("flash-cards", write=write_flash_cards)
"""An exchange format: it may write probes, read logs, or both."""
