"""Ladders: one family of questions at rising levels, each key with its proof, and the level at which a model fails.

- Build: `steps` (inference steps), `polarity` (negation, exceptions, reversal), `taxa` (nearness of distractors and
  rarity of words).
- Analyse: `thresholds` (accuracy by level, psychometric function, two-stage asking).

`api` has the public functions, `render` prints their results.
"""

from horsesense.registry import Command, Method

_HERE = "horsesense.methods.ladders"

METHOD = Method(
    name="ladders",
    builders={"ladder": f"{_HERE}.api:build_ladder"},
    commands=(
        Command(
            "build ladder",
            f"{_HERE}.api:build_ladder",
            "Build questions at rising levels",
            "horsesense build ladder steps -o steps.jsonl",
        ),
        Command(
            "ladder",
            f"{_HERE}.api:ladder",
            "Find the level at which models fail",
            "horsesense ladder -m smollm2 -o runs/ladder",
            "Evaluate models",
            render=f"{_HERE}.render:print_ladders",
        ),
    ),
)
"""What this package adds to the program."""
