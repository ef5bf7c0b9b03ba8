"""WinoVenti: a model's own generic associations turned against it.

Do and Pavlick, "Are Rotten Apples Edible? Challenging Commonsense Inference Ability with Exceptions" (Findings
of ACL 2021). In the order of section 2:

- `nouns`, and the sentences that ask about them.
- Step 1: `asking` a model for its `associations`, and their `selection`; `lexicon` is what WordNet knows of words.
- Step 2: `exceptions`, what a thing can be instead.
- Step 3: `adversarial_filter`: only what the model itself prefers goes on.
- Step 4: `premises`, of which two that differ in one word make one of the `schemas`; `special_word` is that word.
- Step 5: `checks`, and `model_checks` for those that need a model.

`building` makes a probe of schemas, and its splits. `pipeline` runs it all for one model by a `plan`, each step kept by
`kept_steps` in the tables of `triplet_files`. `evaluation` asks models (section 3.1), `measures` sums up,
`summaries` are what commands print of it, `released` reads the published files.
"""
