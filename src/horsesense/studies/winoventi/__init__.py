"""WinoVenti for one's own model: find its associations, find exceptions, filter, write premises, check, evaluate.

Do and Pavlick, "Are Rotten Apples Edible? Challenging Commonsense Inference Ability with Exceptions"
(Findings of ACL 2021). Parts that need no model are in `horsesense.probes.winoventi`.
"""
