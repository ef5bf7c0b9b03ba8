"""Models that run in this process, with torch and transformers. One file a family.

- the families: `causal`, `masked`, `permuted`, `seq2seq`, `entailment`, `multiple_choice`; `families` says what a
  family is and lists them
- what is asked: `tokens` (a text cut into tokens, what stands around it), `questions` (which of them count), `rows`
  (inputs, and where they are read), `blanks` (the best words of a blank), `going_on` (how a text goes on)
- how it is computed: `plan` (in which batches; pure), `batches` (in halves where it must), `forward` (a batch through
  the network), `head` (at the places that are read), `attention` (short texts side by side), `branches` (texts that
  begin alike as one tree), `device`
- `parts` (config, tokenizer and weights from a folder), `load`, `language_model`; `trainable` for those that learn
"""
