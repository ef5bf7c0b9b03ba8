"""Part-whole adjectives: does what is said of the whole hold for the part?

Mullenbach, Gordon, Peng, May, "Do Nuclear Submarines Have Nuclear Captains?" (EMNLP 2019). `pairs` and
`adjectives` are mined (sections 3.1 and 3.2), `rules` sift them, `building` makes candidates; `checking` looks
for what is odd in a file of triples. `labels` are the task in fewer labels, `splits` its parts, `inference` the
task as premise and hypothesis (section 5.2). `table` is the paper's table with one's own models in it;
`released` reads the published files and votes.
"""

from horsesense.methods.partwhole.building import CandidatePlan, build_partwhole

__all__ = ["CandidatePlan", "build_partwhole"]
