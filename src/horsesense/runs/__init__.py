"""Runs: models scored on probes, stored in a folder, read back as results.

- `ask`: the entry; `models`: settings, and which model a name means; `shards`: how a probe is cut
- `job`: the tasks of one model; `tasks`: what a worker does; `engine`: tasks in this process; `ray`: tasks in workers
- `store`, `folder`, `manifest`, `shard_files`: the run folder; `cache`: scores that runs share
- `results`: results from answers; `comparison`, `regression`: runs compared; `controls`: answers that no model gave
"""
