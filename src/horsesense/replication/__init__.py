"""Replicate: recompute every figure that the five papers print.

- `horsesense.methods.ledger` has the figures as printed.
- `computing`: functions by paper and name, published files, stored results; one file of functions per paper:
  `cats_figures`, `rica_figures`, `winoventi_figures`, `partwhole_figures`, `wordnetqa_figures`.
- `paper_models`: models of the papers, their scores, and what is missing. `verdicts`: the rules of verdicts.
- `consistency`: figures of a paper that contradict each other.
- `replication`: the public function; `page`: Markdown and HTML.
"""
