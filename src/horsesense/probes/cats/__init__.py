"""CATs from its original sources: each benchmark reframed as sentences to be scored, duals, inference steps.

Zhou, Zhang, Cui, Huang, "Evaluating Commonsense in Pre-trained Language Models" (AAAI 2020). The files that the
paper released are read by `horsesense.probes.released.cats`; here is how they come about, one short file a source.
"""
