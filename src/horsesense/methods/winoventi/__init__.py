"""WinoVenti: a model's own generic associations turned against it.

Do and Pavlick, "Are Rotten Apples Edible? Challenging Commonsense Inference Ability with Exceptions" (Findings
of ACL 2021). In the order of section 2:

- `nouns`, and the sentences that ask about them.
- Step 1: `asking` a model for its `associations`, and their `selection`; `lexicon` is what WordNet knows of words.
- Step 2: `exceptions`, what a thing can be instead: `given_exceptions` are people's, `candidates` of a machine are
  many, `plausibility` says which have evidence, and `calibration` how good that is; `other_models` write and judge.
- Step 3: `adversarial_filter`: only what the model itself prefers goes on.
- Step 4: `premises`, of which two that differ in one word make one of the `schemas`; `special_word` is that word.
  `circumstances` is our table of frames, `instantiation` puts nouns into them.
- Step 5: `checks`, and `model_checks` for those that need a model.

`building` makes a probe of schemas, its splits, and the probe that ships. `pipeline` runs it all for one model by a
`plan`, each step kept by `kept_steps` in the tables of `triplet_files`, with what `people` say; `pipeline_page` is
what a page shows of it. `evaluation` asks models (section 3.1), leaning on its `background`, and `measures` sums up;
`context_shift` says what premises change. `summaries` are what commands print of it, `evaluation_tables` what pages
have, `paper_tables` the paper's; `released` reads the published files.
"""

from horsesense.registry import Method, Reader

_HERE = "horsesense.methods.winoventi"

METHOD = Method(
    name="winoventi",
    citation="Do and Pavlick, Are Rotten Apples Edible? Challenging Commonsense Inference Ability with Exceptions, "
    "Findings of ACL 2021",
    probes={"winoventi-own": f"{_HERE}.building:own_probe"},
    readers={"winoventi": Reader(f"{_HERE}.released:read_winoventi")},
    suites={"winoventi": f"{_HERE}.paper_tables:WINOVENTI"},
    # Section 3.1: the two outcomes compared at the mask.
    presets={"paper:winoventi": "pll=token"},
)
"""What this package adds to the program."""
