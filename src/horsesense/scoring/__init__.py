"""Scoring: how an item becomes prompts, and how scores and replies become answers.

- `prompt_formats`: `loglikelihood` and pmi, `letters`, `generate`
- `prompts`: the texts; `option_scores`: their tokens; `reply_parsing`: the option that a reply names
- `normalise`: one score per option; `precision`: whether bfloat16 is precise enough
- `texts`: score any text; `evidence`: which tokens decide between two; `fill`: words for a blank
- `saliency`: which words a prediction depends on; `clue_words`: which of them under any names
"""
