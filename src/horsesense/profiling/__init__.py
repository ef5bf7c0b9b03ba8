"""The profile: the material of all methods asked of one model, and each score compared with what could explain it.

What is asked: `abilities` (and abilities.toml), `recipes`, `material` (frozen questions and twins; profile1.toml),
`conditions`, `controls` (built-in and planted models). From answers to scores: `from_answers`, `item_scores`. What is
found, pure functions over item scores: `verdicts`, `rules`, `adjusted`, `retention`, `power`, `contamination`,
`overall`, `finding`. What is shown: `document`.
"""
