# %% [markdown]
# # Build a probe, clean it, publish it
#
# Questions about kinds, built from WordNet: what is a *temper* a kind of? We first build them as in the paper and look
# at them. Then we look for cues that answer them without understanding, remove these cues, and write a file with a card
# that says how it was made. No model is needed.
#
# You need `horsesense fetch wordnet` once.

# %%
import os
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import altair as alt

import horsesense as hs

OUT = os.environ.get("HORSESENSE_EXAMPLES_OUT")  # a folder for the probe and charts; without one nothing is left behind
LIMIT = 200  # questions to propose; some fall out, and the card counts why
folder = Path(OUT or mkdtemp())

# %% [markdown]
# ## Build
#
# The same options and seed give the same items.

# %%
as_paper = hs.build("wordnetqa", relation="hypernymy", limit=LIMIT, as_paper=True)
as_paper

# %% [markdown]
# ## Look at it
#
# Read items before you believe any number. The overview has counts and a few items drawn by seed.

# %%
seen = as_paper.overview(samples=2)
print("answers by place:", seen.answers)
print("hops:", seen.facets["hops"].counts)
for sample in seen.samples:
    print(f"\n{sample.text} …")
    for place, option in enumerate(sample.options):
        print("  *" if place == sample.answer else "   ", option)

# %% [markdown]
# ## Find cues
#
# How many questions can be answered without reading them?

# %%
before = as_paper.cues()
print(before.verdict)
before

# %% [markdown]
# ## Clean
#
# `harden` looks for the largest subset on which every cue is at chance. If a cue answers nearly everything, too little
# would be left, and `harden` reports that instead of returning a handful of items. Then the source has to change: by
# default the builder chooses wrong options that are as general as the right one, unless it follows the paper.

# %%
try:
    probe = as_paper.harden().probe
except hs.UserError as error:
    print(error)
    probe = hs.build("wordnetqa", relation="hypernymy", limit=LIMIT)
after = probe.cues()
print(after.verdict)

# %% [markdown]
# The same cues before and after. Lines are intervals; the dashed line is chance. The surface cues are now at chance.
# Relatedness is not: the option that is most similar to the question is still right in most items, because a word and
# its kind are related in meaning. `harden` controls surface cues only; `profile` also adjusts scores for relatedness.

# %%
names = before.frame()["cue"][:6]
rows = [
    row | {"probe": label}
    for label, findings in (("before", before), ("after", after))
    for row in findings.frame()
    if row["cue"] in names
]
scale = alt.Scale(domain=[0, 1])
base = alt.Chart({"values": rows}).encode(
    y=alt.Y("cue:N", title=None, sort=names, axis=alt.Axis(labelLimit=320)),
    yOffset=alt.YOffset("probe:N", sort=["before", "after"]),
)
colours = alt.Scale(domain=["before", "after"], range=["#a8442a", "#2f6f5e"])
legend = alt.Legend(orient="top", title=None)
bars = base.mark_bar(opacity=0.75).encode(
    x=alt.X("accuracy:Q", title="accuracy of picking by the cue", scale=scale),
    color=alt.Color("probe:N", scale=colours, legend=legend),
)
lines = base.mark_rule().encode(x=alt.X("low:Q", scale=scale), x2="high:Q")
guess = alt.Chart({"values": [{"chance": after.chance}]}).mark_rule(strokeDash=[4, 4]).encode(x="chance:Q")
chart = (bars + lines + guess).properties(width=360)
chart

# %% [markdown]
# ## Publish
#
# The card is written beside the file: how it was made, licence, seed, what was left out and why, and the clusters of
# the intervals. Give it a name and say what you found.

# %%
made = f"{probe.card.made} Cues: {after.verdict}"
probe = hs.Probe.of(
    [replace(item, probe="kinds") for item in probe.items], replace(probe.card, name="kinds", made=made)
)
file = folder / "kinds.jsonl"
folder.mkdir(parents=True, exist_ok=True)
probe.save(file)
print((folder / "kinds.card.json").read_text(encoding="utf-8"))

# %% [markdown]
# ## Read it again
#
# A colleague gets exactly what you had.

# %%
again = hs.load_probe(file)
if again != probe:
    raise SystemExit("the file does not hold the probe that was written")
again

# %%
if OUT:
    chart.save(folder / "build_clean_publish.png", scale_factor=1)
