"""The best surface cue as a control: chosen on the half of the test set without the item."""

from __future__ import annotations

from horsesense.learning.controls.task import Fitted, Task


def best_cue(task: Task) -> Fitted:
    """It needs no training set; length, overlap, position and the like are tried (docs/cues.md)."""
    from horsesense.analysis.cues import cue_answers
    from horsesense.knowledge.taxonomy import load_taxonomy
    from horsesense.knowledge.wordnet_source import find_wordnet

    folder = find_wordnet() if any(item.concepts for item in task.test) else None
    found = cue_answers(task.test, task.group, load_taxonomy(folder) if folder else None, None, task.seed)
    scores = {answer.item: answer.scores for answer in found}
    return Fitted([scores[item.id] for item in task.test], "the best cue of the half without the item")
