"""Exchange with other tools: export a probe, import a log.

- `formats`: formats by name, and `export`; `lm_eval_task`, `inspect_task`, `hub_dataset` write a probe.
- `lm_eval_log` and `inspect_log` read logs into a `log_reader`; `logged_run` reads tables of answers, has `import_log`
  and writes the run folder.

An export includes the whole items as JSON, so that a log of it has the same ids.
"""
