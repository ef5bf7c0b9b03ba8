"""What people are asked, and what comes of their answers: instruments, tasks, judgements, labels.

In the order in which a study goes:

- `instrument`: what is asked and which answers there are, read from small files of data.
- `task`: one question to one person, made from an item or a family; who gets which.
- `task_files`: tasks as a table to fill in; `label_studio`, `potato`, `mturk`: the same for a platform, and back.
- `answer_checks`: one answer held against what the instrument allows, from a file or from a page.
- `judgement_files`: filled files and exports read, checked and put together.
- `study`: the folder of a study that is served, with `gold_items` whose answer is known and `pictures`;
  `server`: the pages, the queue and the log.
- `study_figures`: agreement and human performance; `apply_labels`: labels back into the probe.
"""
