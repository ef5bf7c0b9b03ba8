"""How an item becomes questions to a model, and what comes back.

- `prompts`: an item put into words; `ways`: the ways of asking
- `options`: items asked, an answer each; `normalise`: one number an option; `precision`: whether bfloat16 will do
- `texts`: texts as they stand; `evidence`: which tokens decide between two; `fill`: words for a blank
- `saliency`: which words a prediction rests on; `clue_words`: which of them under any names
"""
