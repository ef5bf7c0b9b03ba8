"""Annotation: instruments, tasks, judgements, labels and blind audits. The server is `horsesense.annotation_server`.

In the order of a study:

- `instrument`: the question and the possible answers, from small TOML files.
- `task`: one question to one person, and who gets which.
- `task_files`: tasks as a table to fill in; `platforms`: files of Label Studio, Potato and MTurk.
- `study`: the folder of a served study, with gold items and pictures; `database`: its people and judgements.
- `answer_checks`: checks of one answer; `judgements`: read and collect judgements, and their progress.
- `rater_agreement`, `human_performance`: agreement and human performance; `labels`: adjudicate, and apply labels to a
  probe.
- `audit`: blind audits of a probe's labels.

The public functions are attributes of this module, and are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.registry import lazy_attributes, typed_names

if TYPE_CHECKING:
    from horsesense.annotate.human_performance import performance as performance
    from horsesense.annotate.human_performance import qualify as qualify
    from horsesense.annotate.judgements import JudgementOptions as JudgementOptions
    from horsesense.annotate.judgements import collect as collect
    from horsesense.annotate.judgements import read_judgements as read_judgements
    from horsesense.annotate.judgements import status as status
    from horsesense.annotate.labels import apply as apply
    from horsesense.annotate.labels import export as export
    from horsesense.annotate.rater_agreement import agreement as agreement
    from horsesense.annotate.study import StudyOptions as StudyOptions
    from horsesense.annotate.study import new_study as new_study
    from horsesense.annotate.task_files import new_tasks as new_tasks

_PUBLIC = typed_names(__file__)
__all__ = [*_PUBLIC]
__getattr__, __dir__ = lazy_attributes(__name__, _PUBLIC)
