"""Models that run in this process, with torch and transformers. One file per family.

- families: `causal`, `masked`, `permuted`, `seq2seq`, `entailment`, `multiple_choice`; `families` lists them
- requests: `tokens` (tokenisation, special tokens), `encoding` (which tokens are scored), `rows` (inputs, and where
  they are read), `blanks` (the best words of a blank), `generation`
- computation: `plan` (batches; pure), `batches`, `forward`, `device`
- fast paths: `selective_head`, `prefix_tree`; `fast_paths` (attention, half precision) tests and installs them
- `components` (config, tokenizer, weights), `load`, `language_model`, `in_memory`; `trainable` for training
"""
