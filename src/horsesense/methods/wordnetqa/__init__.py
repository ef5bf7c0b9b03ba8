"""WordNetQA and DictionaryQA: questions grown from a taxonomy or a dictionary, with controlled hops and distractors.

Richardson and Sabharwal, "What Does My QA Model Know? Devising Controlled Probes Using Expert Knowledge" (TACL
2020), sections 3 to 3.2. One file a step: `questions` finds the asked word in its example and says what is asked and
what is right, by `attested` where a set is controlled; `soundness` has the rules of what is false for sure, which
`checking` holds against any file; `distractors` has what the paper takes; `options` and `balanced_distractors` deal out
answers so that no option gives itself away, `drawing` keeps it so in a small set and tells what is left out; `building`
splits and puts it all together by a `plan`. `matched_hops` varies the distance and nothing else;
`analysis` says what runs tell. `dictionaryqa` asks which sense a word has in an example, `near_senses` tells senses
apart. `released` reads the published questions.
"""

from horsesense.registry import Method, Reader

_HERE = "horsesense.methods.wordnetqa"

METHOD = Method(
    name="wordnetqa",
    citation="Richardson and Sabharwal, What Does My QA Model Know? Devising Controlled Probes Using Expert Knowledge, "
    "TACL 2020",
    readers={"mcqa": Reader(f"{_HERE}.released:read_mcqa")},
    suites={"wordnetqa": f"{_HERE}.suite:WORDNETQA"},
)
"""What this package adds to the program."""
