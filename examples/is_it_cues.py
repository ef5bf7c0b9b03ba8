# %% [markdown]
# # Is this benchmark answered by cues?
#
# A benchmark can give itself away: the right option is the longer one, or the one without "never". A model that follows
# such cues scores well and understands nothing. Here are thirty-six questions in a table, written in a hurry: most
# right answers give a reason, and are long. We look for cues, evaluate a model, and see what is left where cues fail.

# %%
import csv
import os
from pathlib import Path
from tempfile import mkdtemp

import altair as alt

import horsesense as hs

MODEL = os.environ.get("HORSESENSE_EXAMPLES_MODEL", "smollm2")  # a bundled name, a Hugging Face name or a folder
OUT = os.environ.get("HORSESENSE_EXAMPLES_OUT")  # a folder for charts and the page; without one nothing is left behind
folder = Path(OUT or mkdtemp())
folder.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## Your own table
#
# Any CSV, TSV or JSONL will do. Ours has a question, a right and a wrong answer; the right answer is alternately first
# and second.

# %%
QUESTIONS = [
    ("Why do people carry umbrellas?", "to keep dry when it rains hard", "to sing"),
    ("Why is bread put into an oven?", "to bake until it is firm and brown", "to hide"),
    ("Why do birds build nests?", "to have a safe place for their eggs", "to read"),
    ("Why do cars have brakes?", "to slow down and stop when they need to", "to fly"),
    ("Why is soup heated?", "to make it warm enough to enjoy", "to dry it"),
    ("Why do houses have roofs?", "to keep the rain and the snow outside", "to roll"),
    ("Why do people wear gloves in winter?", "to keep their hands from getting cold", "to hear"),
    ("Why does a clock have hands?", "to show people what time it is", "to clap"),
    ("Why do farmers water their fields?", "to let the plants grow when it is dry", "to swim"),
    ("Why do we lock doors at night?", "to keep strangers out of the house", "to cook"),
    ("Why do bikes have lamps?", "to be seen by others in the dark", "to dance"),
    ("Why is milk kept in the fridge?", "to stop it from going sour too soon", "to boil"),
    ("Why do cooks sharpen knives?", "to cut meat and bread more easily", "to eat them"),
    ("Why do shops have windows?", "to let people see what is on sale", "to sleep"),
    ("Why do ships carry anchors?", "to stay in one place when they stop", "to climb"),
    ("Why do children go to school?", "to learn to read and to count well", "to melt"),
    ("Why do people light candles?", "to have light when the power is off", "to smell"),
    ("Why do trees have roots?", "to take up water and stand firmly", "to walk"),
    ("Why are letters put into envelopes?", "to keep them clean and private on the way", "to sink"),
    ("Why do dogs wear collars?", "to show to whom they belong", "to knit"),
    ("Why do we wash apples?", "to get the dirt off before we eat them", "to paint"),
    ("Why do people use ladders?", "to reach things that are too high", "to write"),
    ("Why do lorries have mirrors?", "to let the driver see what is behind", "to shave"),
    ("Why is a baby put in a cot?", "to sleep safely without falling out", "to drive"),
    ("Why do bakers get up early?", "to have fresh bread before the shop opens", "to ski"),
    ("Why do gardens have fences?", "to keep animals away from the flowers", "to grow"),
    ("Why is a wound covered?", "to keep it clean while it heals", "to ring"),
    ("Why do people wear watches?", "to know the time when they are out", "to eat"),
    ("What does a thirsty man want?", "water", "a very long walk in the hot desert sun"),
    ("What is used to cut paper?", "scissors", "a big wooden spoon from the kitchen drawer"),
    ("What falls from clouds?", "rain", "all the books that stand on the library shelves"),
    ("What do cows eat?", "grass", "the metal gate at the end of the long meadow"),
    ("What melts in the sun?", "ice", "a heavy grey stone that lies beside the road"),
    ("What do you sleep in?", "a bed", "the cold river that runs behind the old mill"),
    ("What do fish live in?", "water", "the tall dry grass on the top of the hill"),
    ("What is worn on feet?", "shoes", "a warm hat made of thick white sheep wool"),
]
with (folder / "hurried.csv").open("w", encoding="utf-8", newline="") as file:
    table = csv.writer(file)
    table.writerow(["question", "first", "second", "key"])
    for place, (question, right, wrong) in enumerate(QUESTIONS):
        table.writerow([question, right, wrong, "A"] if place % 2 == 0 else [question, wrong, right, "B"])

probe = hs.read_release("table", folder / "hurried.csv", columns="question=question,options=first+second,answer=key")
probe

# %% [markdown]
# ## Look for cues
#
# No model is needed. Each cue is fitted on one half of the items and evaluated on the other. Its p-value is how often
# the best of all cues does as well on a permuted key. `out=` stores the answers of the best surface cue as a run.

# %%
cue_folder = Path(mkdtemp()) / "cue"
cues = probe.cues(out=cue_folder)
print(cues.verdict)
cues

# %%
best_cues = cues.plot(5)
best_cues

# %% [markdown]
# ## Evaluate a model
#
# The accuracy alone says little, so we compare it with that of the best surface cue, which does not read the question.

# %%
model = hs.load_model(MODEL)
run = hs.ask(model, probe)
cue = hs.open_run(cue_folder)
for row in [*run.results(), *cue.results()]:
    print(f"{row['model']}: {row['accuracy']:.2f} [{row['low']:.2f}, {row['high']:.2f}], chance {row['chance']:.2f}")

# %% [markdown]
# ## What is left where cues fail
#
# The items that the cue gets right, and those that it misses or abstains on (a tie earns it one half). A model that
# understands does equally well on both; a model that reads cues drops on the second. Few items are left there, and the
# interval shows it.

# %%
caught = {row["item"] for row in cue.items() if row["credit"] > 0.5}
missed = {row["item"] for row in cue.items()} - caught
sides = {"all items": run, "where the cue is right": run.only(caught), "where the cue fails": run.only(missed)}
rows = [row | {"items": side} for side, asked in sides.items() for row in asked.results()]
for row in rows:
    print(f"{row['items']}: {row['accuracy']:.2f} [{row['low']:.2f}, {row['high']:.2f}], n = {row['n']}")

# %%
base = alt.Chart({"values": rows}).encode(y=alt.Y("items:N", title=None, sort=list(sides)))
scale = alt.Scale(domain=[0, 1])
bars = base.mark_bar(opacity=0.75, color="#2f6f5e").encode(x=alt.X("accuracy:Q", scale=scale))
lines = base.mark_rule().encode(x=alt.X("low:Q", title="accuracy of the model", scale=scale), x2="high:Q")
guess = base.mark_tick(color="#a8442a", thickness=2).encode(x="chance:Q")
where_cues_fail = (bars + lines + guess).properties(width=420)
where_cues_fail

# %% [markdown]
# ## Is it the model, or the normalisation?
#
# A length cue can also enter through the score: a mean over tokens favours long options, a sum short ones, and PMI
# subtracts the score of an option without its question. By default a choice is scored by the mean. Before you blame the
# model, try the other normalisations.

# %%
for how in ("sum", "pmi"):
    asked = hs.ask(model, probe, normalise=how)
    right, wrong = (asked.only(part).results()["accuracy"][0] for part in (caught, missed))
    print(f"{how}: {right:.2f} where the cue is right, {wrong:.2f} where it fails")

# %% [markdown]
# ## Is the model better than the cue?
#
# Both answered the same items, so they are compared item by item.

# %%
compared = run.compare(cue)
for row in compared.frame():
    print(f"{row['one']} minus {row['other']}: {row['difference']:+.2f} [{row['low']:+.2f}, {row['high']:+.2f}]")
compared

# %% [markdown]
# ## The page
#
# One HTML file with all of it, cues included. It needs no network and can be sent to a colleague.

# %%
page = run.report(folder / "is_it_cues.html")
if OUT:
    best_cues.save(folder / "is_it_cues_best.png", scale_factor=1)
    where_cues_fail.save(folder / "is_it_cues_left.png", scale_factor=1)
