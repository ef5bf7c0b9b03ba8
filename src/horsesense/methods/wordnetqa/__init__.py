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

The commands of `METHOD` name the public functions, which are also attributes of this package (``hs.wordnetqa.check``);
`render` prints their results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.registry import Method, Reader, lazy_attributes, read_commands, typed_names

if TYPE_CHECKING:
    from horsesense.methods.wordnetqa.analysis import analyse as analyse
    from horsesense.methods.wordnetqa.analysis import plot_hops as plot_hops
    from horsesense.methods.wordnetqa.builder import build as build
    from horsesense.methods.wordnetqa.checking import check as check
    from horsesense.methods.wordnetqa.dictionaryqa import build_dictionaryqa as build_dictionaryqa

_HERE = "horsesense.methods.wordnetqa"

METHOD = Method(
    name="wordnetqa",
    citation="Kyle Richardson and Ashish Sabharwal. What Does My QA Model Know? Devising Controlled Probes Using "
    "Expert Knowledge. Transactions of the Association for Computational Linguistics 8, 2020. "
    "doi:10.1162/tacl_a_00331",
    files={"mcqa": _HERE},
    readers={"mcqa": Reader(f"{_HERE}.dataset:read_mcqa")},
    second_answers=dict.fromkeys(("wordnetqa", "dictionaryqa"), f"{_HERE}.second_answers:second_answers"),
    suites={"wordnetqa": f"{_HERE}.suite:WORDNETQA"},
    summary="Check WordNetQA and analyse runs on it",
    commands=read_commands(__file__, __name__),
)
"""What this package adds to the program."""

_PUBLIC = typed_names(__file__)
__all__ = [*_PUBLIC]
__getattr__, __dir__ = lazy_attributes(__name__, _PUBLIC)
