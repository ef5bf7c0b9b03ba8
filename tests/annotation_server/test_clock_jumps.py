"""The clock of the machine jumps by hours and years, in both directions, while people answer."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from horsesense.annotate.database.judgement_log import check_rows, standing_judgements
from tests.support.judged_probes import choices
from tests.support.study_server import Clock, annotator, study_of

JUMPS = (-400 * 86_400, -86_400, -3_600, 0, 60, 3_600, 86_400, 400 * 86_400)


@pytest.mark.parametrize("seed", range(4))
def test_no_answer_is_lost_or_doubled(seed: int, tmp_path: Path) -> None:
    """Sessions and leases may end early; what was acknowledged stays, and everything can still be answered."""
    clock, rng = Clock(), random.Random(seed)
    served = study_of(tmp_path / "s", choices(5), "choice", per_item=2, clock=clock)
    people = [annotator(served, name) for name in ("ann", "ben")]
    acknowledged = 0
    for _ in range(200):
        somebody = rng.choice(people)
        clock.now += rng.choice(JUMPS)
        if not somebody.hidden("lease"):
            somebody.open("/task")
            if not somebody.hidden("lease"):
                somebody.enter()
            continue
        before = len(standing_judgements(served))
        assert somebody.answer(value="0").status_code < 500
        assert 0 <= len(standing_judgements(served)) - before <= 1
        acknowledged = len(standing_judgements(served))
        if acknowledged == 10:
            break
    assert acknowledged == 10
    given = Counter((each.item, each.annotator) for each in standing_judgements(served))
    assert set(given.values()) == {1}
    served.engine.dispose()
    assert check_rows(tmp_path / "s")[1] == []
