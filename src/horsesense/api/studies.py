"""A study that is served: its folder made, its pages served, people invited, stopped and taken out.

What ``horsesense annotate`` does on the command line. What people said is read by `horsesense.people`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.api.judgements import apart
from horsesense.api.probes import PathLike, load_probe
from horsesense.api.serving import opened_study, serve
from horsesense.errors import UserError, argument, translate_errors

if TYPE_CHECKING:
    from horsesense.annotate.server.links import Completions, Links, Standing
    from horsesense.annotate.study import NewTasks

__all__ = ["codes", "invite", "new", "pause", "resume", "revoke", "serve", "withdraw"]


@translate_errors()
def new(
    probe: PathLike,
    instrument: str,
    out: PathLike,
    *,
    each: int | None = None,
    more: int = 0,
    most: int = 0,
    limit: int | None = None,
    seed: int = 0,
    gold: PathLike | None = None,
    gold_each: int = 2,
    kappa: float | None = None,
    accuracy: float = 0.0,
    attention: PathLike | None = None,
    queue: str = "",
    address: str = "http://127.0.0.1:8000",
) -> NewTasks:
    """Make the folder of a study, to be served.

    Args:
        probe: The file of the probe to be judged.
        instrument: What is asked: choice, partwhole, statements …, or a .toml file.
        out: The folder to make.
        each: People an item; by default as the instrument says.
        more: So many more people where the first do not all agree.
        most: Most items a person judges; 0: no limit.
        limit: Only so many items, drawn by ``seed``.
        seed: For drawing, for who gets what, and for the order.
        gold: A probe with answers, for the qualification.
        gold_each: Gold items of each label; 0: all there are.
        kappa: Least kappa with the gold; 0.7 on a scale.
        accuracy: Least share answered as the gold.
        attention: A probe with answers, to be mixed in.
        queue: The facet by which people can be given items.
        address: Where people reach it.

    Returns:
        The files of the folder, and how many judgements are asked for.
    """
    from horsesense.annotate.instrument import find_instrument
    from horsesense.annotate.study import NewTasks, Study, make_study
    from horsesense.stats.raters.qualification import Threshold

    folder = Path(out)
    apart(folder, [probe], "the tasks would overwrite the probe")
    asked = find_instrument(instrument)
    if gold is None and (kappa is not None or accuracy):
        raise UserError("a qualification needs gold items", fix=f"give them with {argument('gold')}")
    least = kappa if kappa is not None or not asked.ordered else 0.7
    study = Study(
        folder=folder,
        instrument=asked,
        judgements=asked.judgements if each is None else each,
        more=more,
        limit=most,
        queue=queue,
        seed=seed,
        address=address,
        qualification=None if gold is None else Threshold(kappa=least, accuracy=accuracy),
    )
    known = None if gold is None else (load_probe(gold), gold_each)
    mixed_in = None if attention is None else load_probe(attention)
    number = make_study(folder, load_probe(probe), instrument, study, limit, known, mixed_in)
    files = tuple(sorted(folder.iterdir()))
    return NewTasks(folder, files, asked.name, number, number * study.judgements, 0)


@translate_errors()
def invite(
    study: PathLike,
    names: Sequence[str] = (),
    *,
    researcher: bool = False,
    queue: str = "",
    renew: bool = False,
    crowd: str = "",
    most: int = 20,
    out: PathLike | None = None,
) -> Links:
    """Make personal links. Each is told once: only a hash of it is kept.

    Args:
        study: The folder that `new` made.
        names: People, by name.
        researcher: They see the progress of the study, and judge nothing.
        queue: Only items of this queue (a value of the study's queue).
        renew: A new link for people who have one; the old one ends.
        crowd: One link for many: prolific, mturk or open (whoever has the link).
        most: So many people may come in by the link of a crowd.
        out: Write name, code and link as .csv, .tsv or .jsonl.

    Returns:
        One link a person, or one for a crowd.
    """
    if bool(names) == bool(crowd):
        raise UserError("people are invited by name, or as a crowd", fix=f"give names, or {argument('crowd')}")
    with opened_study(study) as served:
        from horsesense.annotate.server.links import Links, crowd_link, personal_links
        from horsesense.data.tables import write_rows

        links = (
            (crowd_link(served, crowd, most),)
            if crowd
            else personal_links(served, list(names), researcher, queue, renew)
        )
    path = None if out is None else Path(out)
    if path is not None:
        # Whoever reads the file can answer as these people.
        path.touch(mode=0o600)
        write_rows(path, map(asdict, links), ("name", "code", "link"))
        path.chmod(0o600)
    return Links(Path(study), links, path)


@translate_errors()
def codes(study: PathLike, *, out: PathLike | None = None) -> Completions:
    """Names, answers and completion codes, to hold against what people gave to a platform.

    Args:
        study: The folder that `new` made.
        out: Write them as .csv, .tsv or .jsonl.

    Returns:
        Who finished, and with which code.
    """
    with opened_study(study) as served:
        from horsesense.annotate.server.links import Completions, completions
        from horsesense.data.tables import write_rows

        persons = completions(served)
    path = None if out is None else Path(out)
    if path is not None:
        write_rows(path, map(asdict, persons), ("name", "code", "state", "answered", "completion"))
    return Completions(Path(study), persons, path)


@translate_errors()
def pause(study: PathLike, names: Sequence[str] = ()) -> Standing:
    """Give nothing more to judge to these people, or to nobody; what is in hand may still be answered.

    Args:
        study: The folder that `new` made.
        names: People, by name or code; nobody named: the whole study.

    Returns:
        Whom it is about, and that they are paused.
    """
    return _paused(study, names, True)


@translate_errors()
def resume(study: PathLike, names: Sequence[str] = ()) -> Standing:
    """Go on after a pause; also for people whom attention items stopped or the qualification kept out.

    Args:
        study: The folder that `new` made.
        names: People, by name or code; nobody named: the whole study.

    Returns:
        Whom it is about, and that they are resumed.
    """
    return _paused(study, names, False)


@translate_errors()
def _paused(study: PathLike, names: Sequence[str], paused: bool) -> Standing:
    with opened_study(study) as served:
        from horsesense.annotate.server.links import Standing
        from horsesense.annotate.server.participants import pause as pause_people

        pause_people(served, list(names), paused=paused)
    return Standing(Path(study), tuple(names), "paused" if paused else "resumed")


@translate_errors()
def revoke(study: PathLike, names: Sequence[str] = (), *, crowd: bool = False) -> Standing:
    """End the personal links of people; what they said stays. `invite` with ``renew`` gives a new one.

    Args:
        study: The folder that `new` made.
        names: People, by name or code.
        crowd: End the links of crowds; who is in stays in.

    Returns:
        Whom it is about, and that their links are revoked.
    """
    if bool(names) == crowd:
        fix = f"name people, or end the links of crowds with {argument('crowd')}"
        raise UserError("nobody is named", fix=fix)
    with opened_study(study) as served:
        from horsesense.annotate.server.links import Standing
        from horsesense.annotate.server.links_and_sessions import end_joins
        from horsesense.annotate.server.withdrawal import revoke as end_links

        if crowd:
            end_joins(served)
        else:
            end_links(served, list(names))
    return Standing(Path(study), tuple(names), "revoked")


@translate_errors()
def withdraw(study: PathLike, name: str, *, reason: str = "") -> Standing:
    """Take a person's judgements out: nothing counts them any more, and their items are asked again.

    Args:
        study: The folder that `new` made.
        name: One person, by name or code.
        reason: Why; it is written down.

    Returns:
        Whom it is about, and how many judgements were taken out.
    """
    with opened_study(study) as served:
        from horsesense.annotate.server.links import Standing
        from horsesense.annotate.server.withdrawal import withdraw as withdraw_work

        number = withdraw_work(served, name, reason)
    return Standing(Path(study), (name,), "withdrawn", number)
