"""WordNetQA and DictionaryQA: questions from a taxonomy or a dictionary, with controlled hops and distractors.

Richardson and Sabharwal, "What Does My QA Model Know? Devising Controlled Probes Using Expert Knowledge" (TACL
2020), sections 3 to 3.2.

- Build, in order: `plan` (settings and wording), `questions` (asked concepts and answers, found by `word_forms` in
  examples), `attested` (answers that glosses support), `certainty_rules` (what is certainly false), `distractors` (the
  paper's) or `balanced_distractors` (ours), `builder` (splits and items).
- `matched_hops` varies only the distance; `dictionaryqa` asks for the sense of a word in an example, with
  `near_senses` (which senses are clearly different).
- Check and analyse: `checking` (items that break a rule), `second_answers` (seeded errors for audits), `analysis`,
  `suite` (the paper's tables). `dataset` reads the published questions.

`api` has the public functions, `render` prints their results.
"""

from horsesense.registry import Command, Method, Reader

_HERE = "horsesense.methods.wordnetqa"

METHOD = Method(
    name="wordnetqa",
    citation="Kyle Richardson and Ashish Sabharwal. What Does My QA Model Know? Devising Controlled Probes Using "
    "Expert Knowledge. Transactions of the Association for Computational Linguistics 8, 2020. "
    "doi:10.1162/tacl_a_00331",
    builders={"wordnetqa": f"{_HERE}.api:build", "dictionaryqa": f"{_HERE}.api:build_dictionaryqa"},
    readers={"mcqa": Reader(f"{_HERE}.dataset:read_mcqa")},
    second_answers=dict.fromkeys(("wordnetqa", "dictionaryqa"), f"{_HERE}.second_answers:second_answers"),
    suites={"wordnetqa": f"{_HERE}.suite:WORDNETQA"},
    summary="Check WordNetQA and analyse runs on it",
    commands=(
        Command(
            "build wordnetqa",
            f"{_HERE}.api:build",
            "Build multiple-choice questions from WordNet",
            "horsesense build wordnetqa --relation hypernymy --limit 100 -o hypernymy.jsonl",
        ),
        Command(
            "build dictionaryqa",
            f"{_HERE}.api:build_dictionaryqa",
            "Build questions about word senses",
            "horsesense build dictionaryqa --limit 100 -o dictionary.jsonl",
        ),
        Command(
            "wordnetqa analyse",
            f"{_HERE}.api:analyse",
            "Analyse accuracy by hops and distractors",
            "horsesense wordnetqa analyse runs/hypernymy --chart hops.svg",
            render=f"{_HERE}.render:print_analyses",
        ),
        Command(
            "wordnetqa check",
            f"{_HERE}.api:check",
            "Find questions that break a rule",
            "horsesense wordnetqa check hypernymy.jsonl",
            render=f"{_HERE}.render:print_checked",
        ),
    ),
)
"""What this package adds to the program."""
