"""RICA: axioms in first-order logic, said in many ways about things nobody has heard of.

Zhou et al., "RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms" (EMNLP 2021), section 2.
One file a step: `axioms` is the algebra, `notation` reads axioms in the release's notation and in plain words.
`knowledge_tables` holds what fills a template, `scales` measured quantities, `constraints` which phrases may,
`crawling` what knowledge bases give, `strategies` all of it by template. `lexicon` has antonyms and paraphrases
and who vouches for them, `perturbations` the 24 kinds, `equivalence` proves that two forms say the
same, `balance` keeps structure from telling the answer. `clauses` says the halves of a form in words, `statements`
the whole and about whom, `proposals` lets a model word it. `items` makes the three tasks of it, and `building` puts
it all together. `controls` are what stands beside every score, `views` the three tasks of one statement, `analysis`
is what answers say, `run_tables` the same for the page, `clue_sets` which words they rest on. `ladder` asks for a fact
rung by rung, and `ladder_analysis` says where it gets lost. `released`, `released_units` and `released_axioms` read the
published files, and check them; `recall` says what the filters keep of them. `suite` has the paper's figures,
`curated` the set asked otherwise for them, and `published` what the paper printed.
"""

from horsesense.registry import Method, Reader

_HERE = "horsesense.methods.rica"

METHOD = Method(
    name="rica",
    citation="Zhou et al., RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms, EMNLP 2021",
    readers={
        "rica": Reader(f"{_HERE}.released:read_rica", "SENTENCES MASK_WORDS [CONFIG]", 2, 3),
        "rica-axioms": Reader(f"{_HERE}.released_axioms:read_rica_axioms"),
    },
    suites={"rica": f"{_HERE}.suite:RICA"},
    # Section 3.1: candidates at the mask; GPT-2 by the product over the statement, from its second token on.
    presets={"paper:rica": "pll=token,bos=none"},
)
"""What this package adds to the program."""
