"""Statistics of human judgements: from single votes to labels, agreement and human performance.

In the order of use:

- `votes`: table of votes by item, annotator and label; answer scales.
- `agreement`: chance-corrected agreement with intervals.
- `annotators`: each annotator compared with the others, and disputed items.
- `qualification`: annotator qualification by gold items.
- `dawid_skene`: joint adjudication of all items with each annotator's errors.
- `adjudication`: one label per item by one of these rules, or the reason for dropping the item.
- `human_performance`: human accuracy, with the kind of the figure recorded.
"""
