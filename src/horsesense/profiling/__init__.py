"""The profile: all methods' own material asked of one model, and each score held against what could explain it away.

What is asked: `abilities` (and abilities.toml), `recipes`, `material` (frozen questions and twins; profile1.toml),
`plan`, `reference_models`. From answers to sheets: `sheets`, `sheet`. What is found, pure functions over sheets:
`verdicts`, `rules`, `surplus`, `conditions`, `memory`, `number`, `finding`. What is told: `document`.
"""
