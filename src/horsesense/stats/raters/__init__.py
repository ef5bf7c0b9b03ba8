"""What people's judgements are worth: from single votes to labels, and how far to trust both.

In the order in which they are used:

- `votes`: who chose which label for which item, as a table of numbers; the scale of answers there were.
- `agreement`: how far people agree over chance, each figure with its interval.
- `annotators`: person by person beside the others, and the items that are in dispute.
- `qualification`: who may judge, by answers to gold items.
- `adjudication_rules`: how the judgements of one item are settled: majority, median, as the studies did.
- `dawid_skene`: all items settled together, with each person's errors.
- `adjudication`: one label an item by one of these rules, or the reason why it has none.
- `human_performance`: how often people are right, with the kind of the figure written down.
"""
