"""How sound a probe is: draw what is to be read, show the key to those who differ, work the reading out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.annotate.audit.blind_audit import (
    FIRST,
    READER,
    SECOND,
    Reading,
    content_of,
    draw,
    known_good,
    read_reading,
    write_reading,
    write_second,
)
from horsesense.annotate.audit.figures import (
    ENOUGH,
    check_read,
    draw_second,
    is_bad,
    remarks_on,
    stage_of,
    too_few,
)
from horsesense.annotate.audit.judged import Judged, read_judged
from horsesense.api.probes import PathLike
from horsesense.core import Judgement, iter_judgements, read_probe
from horsesense.core.audit import Soundness, parse_party
from horsesense.core.card import add_soundness
from horsesense.core.document import Document
from horsesense.errors import UserError, argument, translate_errors
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.compute_settings import ComputeSettings

if TYPE_CHECKING:
    from horsesense.core import ScoringSpec
    from horsesense.models.hf.language_model import LanguageModel

__all__ = [
    "ModelJudgements",
    "NewReading",
    "SecondStage",
    "apply_reading",
    "new_reading",
    "read_by_model",
    "second_stage",
]

SECOND_STAGE = f"{READER}-second"


@dataclass(frozen=True, slots=True)
class NewReading(Document):
    """A reading that was drawn."""

    out: Path
    """Its folder; ``key.jsonl`` in it is not for the reader."""
    files: tuple[Path, ...]
    """What the reader gets."""
    sample: int
    """Items of the probe that are to be read."""
    planted: Mapping[str, int]
    """Planted faults by kind."""
    known: int
    """Items known to be good, by votes of people."""
    remarks: tuple[str, ...]
    """What to mind."""


@dataclass(frozen=True, slots=True)
class SecondStage(Document):
    """The items of a reading whose key is shown."""

    out: Path
    """Their folder."""
    files: tuple[Path, ...]
    """What the reader gets."""
    differed: int
    """Items that the reader called bad."""
    agreed: int
    """As many others, drawn by the seed; fewer where there are fewer."""


@dataclass(frozen=True, slots=True)
class ModelJudgements(Document):
    """What a model said as the reader."""

    out: Path
    """The lines that it would have written."""
    model: str
    """Who read."""
    items: int
    """Items that it judged."""
    nonsense: int
    """Those that it says make no sense."""


@translate_errors()
def new_reading(
    probe: PathLike,
    out: PathLike,
    *,
    limit: int = 300,
    planted: int = ENOUGH,
    seed: int = 0,
    known: PathLike | None = None,
    votes: PathLike | None = None,
    chunk: int = 130,
) -> NewReading:
    """Draw a sample to be read, plant faults among it, and write blind files for the reader.

    Args:
        probe: The file of the probe.
        out: The folder to make.
        limit: Items of the sample.
        planted: Faults among them, of as many kinds as can be made from the probe.
        seed: Of the sample, the faults and the order.
        known: A probe whose items people have answered; those whose key most of them chose are known to be good.
        votes: Their judgements.
        chunk: Items a file of text.

    Returns:
        What was drawn.
    """
    from horsesense.annotate.audit.seeded_errors import SECOND as SECOND_TRUE
    from horsesense.annotate.audit.seeded_errors import second_answers_of

    if (known is None) != (votes is None):
        raise UserError(
            "items and votes go together", fix=f"give both {argument('known')} and {argument('votes')}, or neither"
        )
    path = Path(probe)
    asked = read_probe(path)
    good = [] if known is None or votes is None else known_good(read_probe(known), _votes(Path(votes)))
    second = second_answers_of(asked.card.method)
    try:
        reading = draw(
            asked, path.name, limit, planted, seed, second, good, Path(known).name if known is not None else ""
        )
    except UserError as error:
        raise error.at(path) from None
    files = write_reading(Path(out), reading, chunk)
    about = reading.about
    remarks = [] if second else [f"no {SECOND_TRUE} is planted: none is known for a probe of this kind"]
    remarks += too_few(about.planted, about.known)
    return NewReading(Path(out), tuple(files), about.sample, about.planted, about.known, tuple(remarks))


def _votes(path: Path) -> Iterator[Judgement]:
    return (placed.judgement for placed in iter_judgements(path))


@translate_errors()
def second_stage(reading: PathLike, judgements: Sequence[PathLike], *, chunk: int = 130) -> SecondStage:
    """Write the second stage of a reading: the key is shown of all items that were called bad, and of as many others.

    Args:
        reading: The folder that `new_reading` made.
        judgements: What the reader wrote: lines, filled task files, exports, or a served study.
        chunk: Items a file of text.

    Returns:
        What was drawn.
    """
    folder = Path(reading)
    drawn = read_reading(folder)
    first = _judged(drawn, judgements, FIRST)
    asked = draw_second(drawn.blind, first.codes, drawn.about.seed)
    differed = sum(is_bad(first.codes, each) for each in asked)
    if not asked:
        raise UserError("the reader called no item bad, so there is nothing to show", file=folder)
    files = write_second(folder, SECOND_STAGE, drawn, asked, chunk)
    return SecondStage(folder / SECOND_STAGE, tuple(files), differed, len(asked) - differed)


@translate_errors()
def apply_reading(
    reading: PathLike,
    judgements: Sequence[PathLike],
    *,
    reader: str,
    probe: PathLike | None = None,
    second: Sequence[PathLike] = (),
    writer: str = "horsesense:program",
    judge: str = "horsesense:program",
) -> Soundness:
    """Work a reading out, and write it onto the probe's card where a probe is given.

    Args:
        reading: The folder that `new_reading` made.
        judgements: What the reader wrote before the key was shown.
        reader: Who read, as ``NAME:LINEAGE``; the lineage is ``people``, ``program`` or that of a language model.
        probe: The probe that was read; its card gets the result.
        second: What the reader wrote after the key was shown.
        writer: Who wrote the tables and templates that the items were made from.
        judge: Who decided what a judgement means for an item.

    Returns:
        The reading as the card has it.
    """
    folder = Path(reading)
    drawn = read_reading(folder)
    who = {name: parse_party(text) for name, text in (("reader", reader), ("writer", writer), ("judge", judge))}
    path = None if probe is None else Path(probe)
    if path is not None and content_of(read_probe(path).items) != drawn.about.content:
        raise UserError(
            "this is not the probe that was read: its items are others",
            file=path,
            fix="give the probe that the reading was drawn from, or draw a new reading",
        )
    first = _judged(drawn, judgements, FIRST)
    after, readers = None, first.readers
    if second:
        asked = draw_second(drawn.blind, first.codes, drawn.about.seed)
        shown = read_judged([Path(each) for each in second], drawn.blind, SECOND)
        check_read(shown.codes, asked)
        after = stage_of(drawn.blind, first.codes, shown.codes, drawn.about.seed)
    before = stage_of(drawn.blind, first.codes, None, drawn.about.seed)
    about = drawn.about
    made = Soundness(
        date=datetime.now(UTC).date().isoformat(),
        n=about.sample,
        items=about.items,
        content=about.content,
        seed=about.seed,
        planted=about.planted,
        known=about.known,
        before=before,
        after=after,
        reader=who["reader"],
        writer=who["writer"],
        judge=who["judge"],
        remarks=tuple(remarks_on(about, after or before, readers, who["reader"])),
        files={
            "probe": about.probe,
            "reading": folder.name,
            "judgements": ", ".join(Path(each).name for each in judgements),
            **({"second": ", ".join(Path(each).name for each in second)} if second else {}),
            **({"known": about.known_from} if about.known_from else {}),
        },
    )
    return made if path is None else add_soundness(path, made)


def _judged(drawn: Reading, judgements: Sequence[PathLike], instrument: str) -> Judged:
    judged = read_judged([Path(each) for each in judgements], drawn.blind, instrument)
    check_read(judged.codes, drawn.blind)
    return judged


@translate_errors()
def read_by_model(
    reading: PathLike,
    model: str | Path | LanguageModel,
    out: PathLike,
    *,
    margin: float = 0.0,
    device: str = "auto",
    spec: str | ScoringSpec = "default",
    progress: Progress = NO_PROGRESS,
) -> ModelJudgements:
    """Let a model read: each option by itself, yes or no, by the likelier answer. Its lines go to ``out``.

    Args:
        reading: The folder that `new_reading` made.
        model: A name, a folder, or what `load_model` gave.
        out: The file of lines (.txt) to write.
        margin: Where yes and no lie so near one another (in log-probability), the option is unclear.
        device: Where a model by name is put.
        spec: What a score means, and what the layers compute in (``"dtype=bfloat16"``).
        progress: Told how far it has come.

    Returns:
        Where the lines are, and how many items it judged.
    """
    from horsesense.annotate.audit.judged import LINES
    from horsesense.annotate.audit.model_auditor import codes_of_model, questions_to_model, write_lines
    from horsesense.api.asking import ask

    path = Path(out)
    if path.suffix not in LINES:
        raise UserError("lines of a reading end in .txt", file=path, fix="choose such a name")
    drawn = read_reading(Path(reading))
    run = ask(model, questions_to_model(drawn), compute=ComputeSettings(device=device), spec=spec, progress=progress)
    (answered,) = run.answered
    codes = codes_of_model(answered.items, answered.scores("sum"), margin)
    nonsense = write_lines(path, codes)
    return ModelJudgements(path, answered.part.model.name, len(codes), nonsense)
