"""CATs: eight benchmarks reframed as sentences to be scored, their duals, inference steps and evidence.

Zhou, Zhang, Cui, Huang, "Evaluating Commonsense in Pre-trained Language Models" (AAAI 2020).

- Read: `dataset` (the paper's own files), `sources` (the original benchmarks), with `joining`
  (sentences from their parts) and `reframing` (items from sentences).
- Build: `conjunctions` (conjunction acceptability), `duals` and `dual_edits` (questions after one edit), `orders`
  (comparisons of our own), with `generics` (generic statements).
- Analyse: `suite` (all sets together, tables 3 and 6), `step_accuracy`, `evidence`, `who_gets_what`.

The commands of `METHOD` name the public functions, which are also attributes of this package (``hs.cats.build_duals``);
`render` prints their results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.registry import Method, Reader, lazy_attributes, read_commands, typed_names

if TYPE_CHECKING:
    from horsesense.methods.cats.conjunctions import build_conjunctions as build_conjunctions
    from horsesense.methods.cats.duals import build_duals as build_duals
    from horsesense.methods.cats.evidence import token_evidence as token_evidence
    from horsesense.methods.cats.step_accuracy import accuracy_by_steps as accuracy_by_steps
    from horsesense.methods.cats.who_gets_what import who as who

_HERE = "horsesense.methods.cats"

METHOD = Method(
    name="cats",
    citation="Xuhui Zhou, Yue Zhang, Leyang Cui and Dandan Huang. Evaluating Commonsense in Pre-trained Language "
    "Models. AAAI 2020. doi:10.1609/aaai.v34i05.6523",
    files={"cats": _HERE},
    readers={
        "cats": Reader(f"{_HERE}.dataset:read_cats"),
        "cats-robust": Reader(f"{_HERE}.dataset:read_cats_robust"),
        # As the published script scores them.
        "cats-raw": Reader(f"{_HERE}.dataset:read_cats_raw"),
        "cats-robust-raw": Reader(f"{_HERE}.dataset:read_cats_robust_raw"),
        # The datasets that CATs was made from, in their own formats.
        "winograd": Reader(f"{_HERE}.sources:read_winograd"),
        "sense-making": Reader(f"{_HERE}.sources:read_sense_making", "STATEMENTS ANSWERS", 2, 2),
        "sense-reasons": Reader(f"{_HERE}.sources:read_sense_reasons", "REASONS ANSWERS", 2, 2),
        "swag": Reader(f"{_HERE}.sources:read_swag"),
        "hellaswag": Reader(f"{_HERE}.sources:read_hellaswag"),
        "arct": Reader(f"{_HERE}.sources:read_arct"),
        "arct-neutral": Reader(f"{_HERE}.sources:read_arct_neutral"),
    },
    suites={
        "cats": f"{_HERE}.suite:CATS",
        "cats-robust": f"{_HERE}.suite:CATS_ROBUST",
        "cats-raw": f"{_HERE}.suite:CATS_RAW",
        "cats-robust-raw": f"{_HERE}.suite:CATS_ROBUST_RAW",
    },
    instruments=_HERE,
    summary="Analyse runs on CATs",
    # Section "Sentence scoring": one masked copy per token; causal models from the second token on.
    presets={"paper:cats": "pll=token,bos=none"},
    commands=read_commands(__file__, __name__),
)
"""What this package adds to the program."""

_PUBLIC = typed_names(__file__)
__all__ = [*_PUBLIC]
__getattr__, __dir__ = lazy_attributes(__name__, _PUBLIC)
