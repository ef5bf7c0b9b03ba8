"""Statistics of human judgements: from single votes to labels, agreement and human performance.

In the order of use:

- `votes`: table of votes by item, annotator and label; answer scales.
- `agreement`: chance-corrected agreement with intervals; each annotator compared with the others, disputed items.
- `qualification`: annotator qualification by gold items.
- `adjudication`: one label per item by a rule or by the model of Dawid and Skene, or the reason for dropping it.
- `human_performance`: human accuracy, with the kind of the figure recorded.
"""
