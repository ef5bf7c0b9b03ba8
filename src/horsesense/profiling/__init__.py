"""The profile: one model evaluated on the items of all methods, and each score compared with possible explanations.

Items: `abilities` (and abilities.toml), `material` (frozen questions and twins; profile3.toml),
`conditions`, `controls` (built-in and planted models). From answers to scores: `from_answers`, `item_scores`. Analysis,
pure functions over item scores: `verdicts`, `rules`, `adjusted`, `retention`, `power`, `contamination`, `overall`,
`finding`. Output: `document`.
"""
