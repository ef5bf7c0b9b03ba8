"""RICA: axioms in first-order logic, said in many ways about things nobody has heard of.

Zhou et al., "RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms" (EMNLP 2021), section 2.
One file a step: `axioms` is the algebra, `notation` reads axioms in the release's notation and in plain words.
`knowledge_tables` holds what fills a template, `scales` measured quantities, `constraints` which phrases may,
`crawling` what knowledge bases give, `strategies` all of it by template. `lexicon` has antonyms and paraphrases,
`certification` who vouches for them, `perturbations` the 24 kinds, `equivalence` proves that two forms say the
same, `balance` keeps structure from telling the answer. `clauses` says the halves of a form in words, `statements`
the whole and about whom, `proposals` lets a model word it. `items` makes the three tasks of it, and `building` puts
it all together. `controls` are what stands beside every score, `analysis` is what answers say. `released` and
`released_axioms` read the published files, and check them.
"""
