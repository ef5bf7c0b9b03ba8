"""DictionaryQA: which sense of a word an example has, grown from a dictionary.

Richardson and Sabharwal (TACL 2020), section 3.2. Distractors are the other senses of the word, filled up with
senses of other words. Only senses with an example take part: in the paper's first attempt a sense without one
gave itself away.
"""

from horsesense.probes.dictionaryqa.recipe import Plan, build_dictionaryqa

__all__ = ["Plan", "build_dictionaryqa"]
