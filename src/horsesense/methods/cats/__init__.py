"""CATs: eight benchmarks reframed as sentences to be scored, their duals, inference steps and evidence.

Zhou, Zhang, Cui, Huang, "Evaluating Commonsense in Pre-trained Language Models" (AAAI 2020). `sources` and
`winograd` (with `winograd_rows`) read the original sets, `joining` makes sentences of their parts, `reframing`
makes items of them; `conjunctions` builds conjunction acceptability, `steps` counts inference steps. `duals`
proposes the same question after one edit: `sentence_pairs` is what is edited, `dual_edits` are the edits.
`released` reads the paper's own files. `suite` asks all sets together, `table` gives the rows of tables 3 and 6
and `suite_table` what is printed of them; `step_accuracy`, `evidence` and `who_gets_what` are the paper's other
analyses.
"""
