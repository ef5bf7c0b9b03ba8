"""Dual instances: the same question after one edit (section "Robustness Test", table 5).

Each rule is one function from a pair of sentences to a `Dual` or None where it does not apply. What the rules make
are proposals: people accept or reject them (``annotate new --instrument dual``).
"""

from horsesense.probes.cats.duals.making import RULES, make_duals

__all__ = ["RULES", "make_duals"]
