"""How an item becomes questions to a model, and what comes back.

- `prompts`: an item put into words; `questions`: the words as tokens, framed, and which of them count
- `plan`: what is computed in which batches (pure); `batches`: the plan through a model, in halves where it must
- `options`: items asked, an answer each; `normalise`: one number an option; `precision`: whether bfloat16 will do
- `texts`: texts as they stand; `evidence`: which tokens decide between two; `fill`: words for a blank
- `saliency`: which words a prediction rests on; `clue_words`: which of them under any names
"""
