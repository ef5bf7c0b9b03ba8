"""WinoVenti: a model's own generic associations turned against it.

Do and Pavlick, "Are Rotten Apples Edible? Challenging Commonsense Inference Ability with Exceptions" (Findings
of ACL 2021). In the order of section 2: `nouns` and the sentences that ask about them; `asking` a model for its
`associations` (step 1) and their `selection`, with what WordNet knows of words (`lexicon`); `exceptions` (step
2); the adversarial filter in `plan` (step 3); `premises` (step 4), `checks` and `model_checks` (step 5), which
make `schemas`; `special_word` is the one word in which the two premises differ. `building` makes a probe and
its splits. `pipeline` runs it all for one model, each step kept by `kept_steps` in the tables of
`triplet_files`. `evaluation` asks models (section 3.1), `measures` sums up, `summaries` are what commands print
of it, `released` reads the published files.
"""
