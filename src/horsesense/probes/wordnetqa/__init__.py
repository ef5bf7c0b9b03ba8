"""WordNetQA: questions grown from a taxonomy, with controlled hops and distractors.

Richardson and Sabharwal, "What Does My QA Model Know? Devising Controlled Probes Using Expert
Knowledge" (TACL 2020), sections 3 to 3.1. One file a step: `context` finds the asked word in its
example, `asked` and `answers` give the questions and what is right, `falsehood` says what is wrong
for sure, `kinds` what lies near, `splits` which part an item belongs to, `paper` and `control` choose
distractors, `recipe` puts it all together.
"""

from horsesense.probes.wordnetqa.plan import KINDS, RELATIONS, Plan
from horsesense.probes.wordnetqa.recipe import build_wordnetqa

__all__ = ["KINDS", "RELATIONS", "Plan", "build_wordnetqa"]
