"""Ways of asking: the same item put to the same model differently.

- `way`: what a way is, which there are, and which of them a model can be asked in
- `wording`: an item with its options shown by letters; `examples`: solved items before it, drawn by seed
- `by_options`: how likely each option is, and the same against its bare likelihood (PMI)
- `in_chat`: options as replies inside a conversation
- `by_letters`: options shown, the next letter read, in several orders
- `by_words`: a reply in words; `parsing`: which option it names, by stated rules
"""
