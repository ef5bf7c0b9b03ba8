"""The annotation server: one study, a queue of leases, an append-only log of judgements, and the pages.

- `administration`: the public functions (serve, invite, pause …).
- `app`: the web app; `request_checks`: what every request passes, and limits of connections.
- `entrance_pages`, `annotator_pages`, `researcher_pages`: the routes, with their forms and tables.
- `links_and_sessions`: links and cookies; `platform_token`: signed tokens of a platform.
- `answering`: store an answer; `queue`: who judges what next, and people who leave.
- `participants`: people and their state; `judgement_log`: judgements from the database.
- `study_progress`: progress, for researchers.
- `served_study`: the study in memory; `database` and `database_tables`: storage; `staged_app`: studies in stages.
"""
