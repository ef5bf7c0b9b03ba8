"""WinoVenti's parts that need no model: nouns, sentences, associations, exceptions, schemas, checks and splits.

Do and Pavlick, "Are Rotten Apples Edible? Challenging Commonsense Inference Ability with Exceptions"
(Findings of ACL 2021). What alternates with asking a model is in `horsesense.studies.winoventi`.
"""
