"""Other tools' files in and out: probes as tasks and data sets of others, their logs as runs.

`formats` knows them by name. `lm_eval_task`, `inspect_task` and `hub_dataset` write a probe for others to ask or to
open; `lm_eval_log`, `inspect_log` (files opened by `inspect_file`) and `answer_table` read what others' models answered
into a `log_reading`, and `logged_run` makes a run folder of it. The whole item travels as JSON in what is written, so
that a log made from it has the same ids.
"""
