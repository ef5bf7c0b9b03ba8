"""Replicate: every figure that the five papers print, computed again or accounted for.

`horsesense.methods.ledger` reads the figures as they were printed. `computing` is what computes
them: functions that are registered by paper and name, the files of a release and whether they are whole, and results
that are kept. One file a paper has its functions: `of_cats`, `of_rica`, `of_winoventi`, `of_partwhole`,
`of_wordnetqa`. `asked` reads what models got that were asked as the papers did, `missing` says what would be needed.
`verdicts` says what came of a figure, by rules of its kind. `checks` has rules about the inside of a paper, `inside`
holds them against each. `replication` puts it together.
"""
