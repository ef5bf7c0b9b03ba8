"""The database of a served study; it needs the extra ``annotate``.

- `connections`, `tables`: SQLite or PostgreSQL, and the tables.
- `served_study`: the study in memory; `stages`: studies that follow each other.
- `participants`: people and their state; `judgement_log`: judgements from the database.
"""
