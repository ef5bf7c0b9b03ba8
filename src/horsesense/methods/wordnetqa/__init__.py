"""WordNetQA and DictionaryQA: questions grown from a taxonomy or a dictionary, with controlled hops and distractors.

Richardson and Sabharwal, "What Does My QA Model Know? Devising Controlled Probes Using Expert Knowledge" (TACL
2020), sections 3 to 3.2. One file a step: `questions` finds the asked word in its example and says what is
asked and what is right; `distractors` says what is wrong for sure, what lies near and what the paper takes;
`balanced_distractors` deals out answers so that no option gives itself away; `building` splits and puts it all
together by a `plan`. `dictionaryqa` asks which sense a word has in an example. `released` reads the published
questions.
"""

from horsesense.methods.wordnetqa.building import build_wordnetqa
from horsesense.methods.wordnetqa.plan import KINDS, RELATIONS, WordNetPlan

__all__ = ["KINDS", "RELATIONS", "WordNetPlan", "build_wordnetqa"]
