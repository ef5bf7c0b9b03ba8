# %% [markdown]
# # Two checkpoints, compared while one is being trained
#
# A falling loss shows that a model learns *something*. Does it learn what the sentences mean together, or only the
# sentences? We train a tiny model on a world of twelve things and evaluate it during training: on pairs that are in its
# training data, and on pairs that follow from those but are held out. The model is in memory; it is evaluated in a
# callback and not changed.
#
# By default the model is made here and everything takes seconds. `MODEL` takes any causal model instead.

# %%
import os
from itertools import combinations
from pathlib import Path
from tempfile import mkdtemp

import altair as alt
import tokenizers
import torch
import transformers

import horsesense as hs

MODEL = os.environ.get(
    "HORSESENSE_EXAMPLES_MODEL", "tiny"
)  # "tiny": made here; or a bundled name, a hub name, a folder
OUT = os.environ.get("HORSESENSE_EXAMPLES_OUT")  # a folder for charts; without one nothing is written
STEPS, EVERY = 40, 5  # training steps, and how often to ask

# %% [markdown]
# ## The questions
#
# Twelve things in order of size give 66 pairs. Neighbours are always in the training data, so the whole order follows
# from it; every second one of the other pairs is held out. An item has the two sentences about a pair. Their order
# changes from item to item, so the position of an option carries no information.

# %%
THINGS = ["pea", "coin", "spoon", "shoe", "cat", "chair", "pony", "car", "boat", "house", "tower", "hill"]


def sentence(bigger: str, smaller: str) -> str:
    """The sentence about a pair."""
    return f"The {bigger} is bigger than the {smaller} ."


def item(name: str, small: int, big: int, turned: bool) -> hs.Item:
    """The right sentence and the wrong one. Items with the same bigger thing depend on one another."""
    right, wrong = sentence(THINGS[big], THINGS[small]), sentence(THINGS[small], THINGS[big])
    options = (wrong, right) if turned else (right, wrong)
    return hs.Item(probe=name, form="sentences", options=options, answer=int(turned), groups={"bigger": THINGS[big]})


pairs = list(combinations(range(len(THINGS)), 2))
far = [pair for pair in pairs if pair[1] - pair[0] > 1]
held_out = far[::2]
chosen = {"trained": [pair for pair in pairs if pair not in held_out], "held out": held_out}
probes = {
    name: hs.Probe.of(
        [item(name, *pair, turned=place % 2 == 1) for place, pair in enumerate(some)], hs.Card(name, group="bigger")
    )
    for name, some in chosen.items()
}
print(probes["trained"], probes["held out"], sep="\n")

# %% [markdown]
# ## The model
#
# Two untrained layers, and a tokenizer with a token for each word.

# %%
torch.manual_seed(0)
if MODEL == "tiny":
    torch.set_num_threads(1)  # so small that sharing the work costs more than it saves
    words = ["<|endoftext|>", *dict.fromkeys(word for a, b in pairs for word in sentence(THINGS[a], THINGS[b]).split())]
    split = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: n for n, word in enumerate(words)}, unk_token=words[0])
    )
    split.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    start = dict.fromkeys(("bos_token", "eos_token", "unk_token", "pad_token"), words[0])
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=split, **start)
    network = transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            vocab_size=len(words), n_embd=64, n_layer=2, n_head=2, n_positions=32, bos_token_id=0, eos_token_id=0
        )
    )
else:
    loaded = hs.load_model(MODEL)
    network, tokenizer = loaded.network, loaded.tokenizer
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token

# %% [markdown]
# ## Evaluate during training
#
# `hs.load_model(network, tokenizer, name=…)` takes the model as it is. Parameters, mode, hooks and random state are
# restored afterwards, so the training gives the same result as without the evaluation.

# %%
runs: dict[int, hs.Run] = {}


class Evaluate(transformers.TrainerCallback):
    """Evaluate before the first step and after every few."""

    def on_train_begin(self, args, state, control, model=None, **kwargs):
        self.on_step_end(args, state, control, model)

    def on_step_end(self, args, state, control, model=None, **kwargs):
        if state.global_step % EVERY == 0:
            now = hs.load_model(model, tokenizer, name=f"step {state.global_step}")
            runs[state.global_step] = hs.ask(now, probes)


settings = transformers.TrainingArguments(
    output_dir=mkdtemp(),
    max_steps=STEPS,
    per_device_train_batch_size=8,
    learning_rate=5e-4 if MODEL == "tiny" else 5e-5,
    lr_scheduler_type="constant",
    save_strategy="no",
    report_to=[],
    disable_tqdm=True,
    use_cpu=not torch.cuda.is_available(),
    seed=0,
)
texts = [tokenizer.eos_token + " " + sentence(THINGS[big], THINGS[small]) for small, big in chosen["trained"]]
trainer = transformers.Trainer(
    model=network,
    args=settings,
    train_dataset=[{"input_ids": tokenizer(text)["input_ids"]} for text in texts],
    data_collator=transformers.DataCollatorForLanguageModeling(tokenizer, mlm=False),
    callbacks=[Evaluate()],
)
trainer.train()

# %% [markdown]
# ## What it learnt
#
# One row per step and probe, with the interval and chance.

# %%
rows = [row | {"step": step} for step, run in runs.items() for row in run.results()]
for row in rows:
    print(f"step {row['step']:3} {row['probe']:9} {row['accuracy']:.2f} [{row['low']:.2f}, {row['high']:.2f}]")

# %%
base = alt.Chart({"values": rows}).encode(
    x=alt.X("step:Q", title="training step"), color=alt.Color("probe:N", title=None, legend=alt.Legend(orient="top"))
)
scale = alt.Scale(domain=[0, 1])
band = base.mark_area(opacity=0.2).encode(y=alt.Y("low:Q", title="accuracy", scale=scale), y2="high:Q")
line = base.mark_line(point=True).encode(y=alt.Y("accuracy:Q", scale=scale))
guess = alt.Chart({"values": [{"chance": 0.5}]}).mark_rule(strokeDash=[4, 4]).encode(y="chance:Q")
chart = (band + line + guess).properties(width=460, height=240)
chart

# %% [markdown]
# ## Is the difference real?
#
# The last checkpoint compared with the first, on the same items: paired, clustered by the bigger thing, corrected for
# the number of comparisons. `one` is the last, `other` the first.

# %%
first, last = runs[0], runs[STEPS]
compared = last.compare(first)
for row in compared.frame():
    print(
        f"{row['probe']}: {row['one']} gets {row['difference']:+.2f} [{row['low']:+.2f}, {row['high']:+.2f}] "
        f"more than {row['other']}, p = {row['p_holm']:.3f}, n = {row['n']}"
    )
compared

# %% [markdown]
# If the accuracy on trained pairs rises and that on held-out pairs stays at one half, the model has learnt sentences.
# If both rise, it has learnt an order. For that, a single number per thing is enough: how often it is the bigger one.
# The other notebook looks for cues of that kind (`is_it_cues.py`).

# %%
if OUT:
    Path(OUT).mkdir(parents=True, exist_ok=True)
    chart.save(Path(OUT) / "compare_while_training.png", scale_factor=1)
