"""Ladders: one family of questions at rising levels, each key with its proof, and the level at which a model fails.

- Build: `steps` (inference steps), `polarity` (negation, exceptions, reversal), `taxa` (nearness of distractors and
  rarity of words).
- Analyse: `thresholds` (the public functions; accuracy by level, psychometric function, two-stage asking).

`render` prints their results.
"""

from horsesense.registry import Method, read_commands

_HERE = "horsesense.methods.ladders"

METHOD = Method(
    name="ladders",
    commands=read_commands(__file__, __name__),
)
"""What this package adds to the program."""
