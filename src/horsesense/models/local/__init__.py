"""Models that run in this process, with torch and transformers. One file a family.

- the families: `causal`, `masked`, `permuted`, `seq2seq`, `entailment`, `multiple_choice`; `families` says what a
  family is and lists them
- what is asked: `tokens` (a text cut into tokens, what stands around it), `rows` (inputs, and where they are read)
- how it is computed: `forward` (a batch through the network), `head` (at the places that are read), `attention`
  (short texts side by side), `branches` (texts that begin alike as one tree), `device`
- `parts` (config, tokenizer and weights from a folder), `load`, `language_model`; `trainable` for those that learn
"""
