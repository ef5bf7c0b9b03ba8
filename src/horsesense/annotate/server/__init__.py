"""The server: one study, a queue of leases, an append-only log of judgements, and the pages that people see.

From the outside inwards:

- `app`: the web app; `request_checks`: what every request passes before anything is done.
- `entrance_pages`, `annotator_pages`, `researcher_pages`: the routes; `task_form`: a task as a page shows it, and back.
- `links_and_sessions`: how people come in, with `platform_token` where a platform signs for them.
- `answering`: what becomes of an answer; `queue`: who judges what next; `withdrawal`: people who go.
- `participants`: who takes part; `judgement_log`: what people said.
- `study_progress`: how far the study has come; `overview`: how its people work and what is in dispute.
- `served_study`: the study in memory; `database` and `database_tables`: where all of it is kept.
"""
