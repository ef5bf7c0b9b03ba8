"""CATs: eight benchmarks reframed as sentences to be scored, their duals, inference steps and evidence.

Zhou, Zhang, Cui, Huang, "Evaluating Commonsense in Pre-trained Language Models" (AAAI 2020). `sources` and
`winograd` (with `winograd_rows`) read the original sets, `joining` makes sentences of their parts, `reframing`
makes items of them; `conjunctions` builds conjunction acceptability, `steps` counts inference steps. `duals`
proposes the same question after one edit: `sentence_pairs` is what is edited, `dual_edits` are the edits.
`released` reads the paper's own files. `suite` asks all sets together, `table` gives the rows of tables 3 and 6
and `suite_table` what is printed of them; `step_accuracy`, `evidence` and `who_gets_what` are the paper's other
analyses.
"""

from horsesense.registry import Method, Reader

_HERE = "horsesense.methods.cats"

METHOD = Method(
    name="cats",
    citation="Zhou, Zhang, Cui, Huang, Evaluating Commonsense in Pre-trained Language Models, AAAI 2020",
    readers={
        "cats": Reader(f"{_HERE}.released:read_cats"),
        "cats-robust": Reader(f"{_HERE}.released:read_cats_robust"),
        # The datasets that CATs was made from, in their own formats.
        "winograd": Reader(f"{_HERE}.winograd:read_winograd"),
        "sense-making": Reader(f"{_HERE}.sources:read_sense_making", "STATEMENTS ANSWERS", 2, 2),
        "sense-reasons": Reader(f"{_HERE}.sources:read_sense_reasons", "REASONS ANSWERS", 2, 2),
        "swag": Reader(f"{_HERE}.sources:read_swag"),
        "hellaswag": Reader(f"{_HERE}.sources:read_hellaswag"),
        "arct": Reader(f"{_HERE}.sources:read_arct"),
        "arct-neutral": Reader(f"{_HERE}.sources:read_arct_neutral"),
    },
    suites={"cats": f"{_HERE}.paper_tables:CATS", "cats-robust": f"{_HERE}.paper_tables:CATS_ROBUST"},
    # Section "Sentence scoring": one masked copy per token; causal models from the second token on.
    presets={"paper:cats": "pll=token,bos=none"},
)
"""What this package adds to the program."""
