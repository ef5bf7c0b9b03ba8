"""The released judgements, given again through the server's own rules: the released labels and decisions come out."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from horsesense.annotate.database.connections import reading, writing
from horsesense.annotate.database.judgement_log import standing_judgements
from horsesense.annotate.database.participants import find_person, invite, locked
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotate.task import Task
from horsesense.annotation_server.annotator_pages import answer_from, answers_of_task
from horsesense.annotation_server.answering import submit
from horsesense.annotation_server.queue import hold
from horsesense.core import Judgement, Probe
from horsesense.methods.published import read_files
from horsesense.methods.published.reading import ReleasedVotes, read_votes
from horsesense.stats.raters.adjudication import adjudicate
from horsesense.stats.raters.agreement import pair_kappa
from horsesense.stats.raters.votes import votes_on_scale
from tests.support.study_server import study_of


def sample(votes: ReleasedVotes, keep: Sequence[str], family: bool = False) -> tuple[Probe, list[Judgement]]:
    """The part of a release that these items make."""
    names = set(keep)
    items = [item for item in votes.probe.items if (item.family if family else item.id) in names]
    return Probe.of(items, votes.probe.card), [each for each in votes.judgements if each.item in names]


def give_again(served: ServedStudy, people: Mapping[str, Mapping[str, Judgement]]) -> None:
    """Each person works off their queue, with the released vote for whatever the server shows them."""
    names = sorted(people)
    invite(served, names)
    for name in names:
        with reading(served.engine) as connection:
            who = find_person(connection, name).id
        while True:
            with writing(served.engine) as connection:
                lease = hold(connection, served, locked(connection, who))
            if lease is None:
                break
            vote = people[name][lease.name]
            submit(served, who, lease.key, partial(_filled_in, served, vote))


def _filled_in(served: ServedStudy, vote: Judgement, task: Task) -> tuple[str, str]:
    """The vote as the fields of the form, checked by the server as any other."""
    instrument = served.instrument
    if instrument.kind == "criteria":
        failed = vote.value.split("+")
        names = enumerate(instrument.criteria)
        return answer_from({f"criterion-{k}": "yes" if n in failed else "no" for k, n in names}, task, instrument)
    fields = {"value": str(answers_of_task(task, instrument).index(vote.value))}
    if vote.reason:
        fields["reason"] = str(instrument.reasons.index(vote.reason))
    return answer_from(fields, task, instrument)


def test_partwhole(shared: Path, tmp_path: Path) -> None:
    """Triples with three votes; whose vote is whose is not released, so that the places in a row are the people."""
    votes = read_votes("partwhole", [shared / "data/partwhole/mturk/final_batches/all_just_results.csv"])
    folder = shared / "data/partwhole/data/annotated"
    probe = read_files("partwhole", [folder / f"{split}.csv" for split in ("train", "dev", "test")])
    released = {replace(item, answer=None).id: item.options[item.answer or 0] for item in probe.items}
    by_item = defaultdict(list)
    for each in votes.judgements:
        by_item[each.item].append(each)
    whole = [i for i, own in by_item.items() if len(own) == 3 and all(e.value != "nonsense" or e.reason for e in own)]
    chosen = random.Random(1).sample(whole, 120)
    asked, given = sample(votes, chosen)
    served = study_of(tmp_path / "s", asked, "partwhole", per_item=3)
    people: dict[str, dict[str, Judgement]] = {f"place{k}": {} for k in (1, 2, 3)}
    for item in chosen:
        for place, each in enumerate(by_item[item], start=1):
            people[f"place{place}"][item] = each
    give_again(served, people)
    back = standing_judgements(served)
    assert Counter((e.item, e.value, e.reason) for e in back) == Counter((e.item, e.value, e.reason) for e in given)
    scale = served.instrument.scale()
    labels = {label.item: label.value for label in adjudicate(back, "partwhole", lambda item: scale)}
    assert {item: value for item, value in labels.items() if value is not None} == {
        item: released[item] for item in chosen if item in released
    }
    ours, theirs = (pair_kappa(votes_on_scale(v, lambda item: scale), "quadratic", resamples=20) for v in (back, given))
    assert abs(ours.value - theirs.value) < 1e-12


def test_winoventi(shared: Path, tmp_path: Path) -> None:
    """Two votes a schema by the people who gave them; dropped when both object on one criterion."""
    folder = shared / "data/winoventi/data/assets/crowdsourcing/evaluation_collection"
    votes = read_votes("winoventi-schemas", sorted(folder.glob("*_evaluation_collection_raw.csv")))
    by_item = defaultdict(list)
    for each in votes.judgements:
        by_item[each.item].append(each)
    chosen = random.Random(2).sample(sorted(by_item), 150)
    asked, given = sample(votes, chosen, family=True)
    served = study_of(tmp_path / "s", asked, "schema", per_item=2)
    people: dict[str, dict[str, Judgement]] = {"first": {}, "second": {}}
    for item in chosen:
        for name, each in zip(people, by_item[item], strict=True):
            people[name][item] = each
    give_again(served, people)
    back = standing_judgements(served)
    assert Counter((e.item, e.value) for e in back) == Counter((e.item, e.value) for e in given)
    labels = adjudicate(back, "winoventi", lambda item: served.instrument.scale())
    dropped = {label.item for label in labels if label.value is None}
    lines = (folder / "failed_evaluation.csv").read_text().splitlines()
    header = lines[0].split("\t")
    columns = ("Word", "Associative Bias", "Alternative", "biased_context_word", "adversarial_context_word")
    rows = [dict(zip(header, line.split("\t"), strict=True)) for line in lines[1:]]
    failed = {" | ".join(row[name].strip() for name in columns) for row in rows}
    assert dropped == failed & set(chosen)
    assert len(dropped) > 15
