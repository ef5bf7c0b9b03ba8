"""What answers a probe without understanding it, and a subset on which nothing does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge, Interval

from horsesense.api.frames import Frame, columns_of
from horsesense.api.probes import PathLike, called, opened
from horsesense.core import Item, Probe, check_group
from horsesense.core.spec import Dtype
from horsesense.cues import Findings, chosen_cue
from horsesense.cues import find_cues as search_cues
from horsesense.cues.harden import Hardened, HardenedDocument, hardened_document, hardened_probe
from horsesense.cues.harden import harden as search_subset
from horsesense.cues.plugin_cues import foreign
from horsesense.errors import UserError, argument, now_reading, translate_errors
from horsesense.progress import NO_PROGRESS, Progress, capture_warnings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from horsesense.cues.battery import Cue
    from horsesense.cues.relatedness import Cosines, Encoder
    from horsesense.lexicons.taxonomy import Taxonomy
    from horsesense.models.protocol import Model


@dataclass(frozen=True)
class CueFindings(Findings):
    """What all cues are worth on a probe, as a table and as a chart."""

    @classmethod
    def of(cls, findings: Findings) -> CueFindings:
        """The same, to be shown."""
        return cls(**{each.name: getattr(findings, each.name) for each in fields(findings)})

    def to_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return self.document().to_json()

    def frame(self) -> Frame:
        """One row a cue that has something to say, the most accurate first."""
        rows = [
            {
                "cue": cue.name,
                "pick": cue.pick,
                "accuracy": cue.accuracy.value,
                "low": cue.accuracy.low,
                "high": cue.accuracy.high,
                "chance": self.chance,
                "coverage": cue.coverage,
                "p": cue.p,
                "n": self.n,
            }
            for cue in self.cues
        ]
        return Frame(columns_of(rows), self.verdict)

    def plot(self, most: int = 10) -> Any:
        """A chart (Altair): the ``most`` accurate cues with their intervals, beside chance."""
        from horsesense.report.drawing import accuracies

        rows = [row | {"label": row["pick"], "model": "cue"} for row in self.frame()]
        return accuracies(rows[:most], "accuracy of picking by the cue")

    def __repr__(self) -> str:
        return self.verdict

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()


@translate_errors()
def find_cues(
    probe: Probe | PathLike,
    *,
    group: str | None = None,
    model: str | Model | None = None,
    dtype: Dtype = "float32",
    device: str = "auto",
    also: Sequence[str] = (),
    splits: Annotated[int, Interval(ge=1, le=1000)] = 10,
    rounds: Annotated[int, Interval(ge=19, le=100_000)] = 199,
    seed: Annotated[int, Ge(0)] = 0,
    out: PathLike | None = None,
    progress: Progress = NO_PROGRESS,
) -> CueFindings:
    """Measure the accuracy of surface cues that need no understanding of the items.

    Args:
        probe: Name or file of a probe. In Python, also a `Probe`.
        group: Cluster for intervals: a group of the items, ``family`` or ``item``. By default, the card's group.
        model: Model whose score of each option without its question is tried as a cue too.
        dtype: Precision of the model.
        device: Device of the model: auto, cpu, cuda, cuda:1, mps.
        also: Cue of a plug-in that is tried too.
        splits: Number of random halves: the cue is chosen on one half and measured on the other.
        rounds: Number of permutations of the answer key.
        seed: Random seed.
        out: Run folder to write, with the answers of the best cue, to compare models with.
        progress: Progress callback.

    Returns:
        Each cue with accuracy, interval, coverage and p; the best of them; the verdict; ``frame()`` and ``plot()``.
    """
    known, unit = _grouped(probe, group)
    plugged = _plugged(also)
    taxonomy, extra = _wordnet(progress), _blindfold(model, dtype, device, known.items, progress)
    findings = search_cues(
        known.items,
        unit,
        taxonomy,
        extra,
        plugged,
        splits=splits,
        rounds=rounds,
        seed=seed,
        progress=progress,
        encoded=_encoded(known.items, progress),
    )
    if out is not None:
        from horsesense.runs.controls import keep_control

        answers = chosen_cue(known.items, unit, taxonomy, extra, seed, plugged).answers
        keep_control(
            Path(out), "best cue", "the best cue of the half without the item", called(probe), known, answers, seed
        )
        progress.log(f"answers of the best cue in {out}; compare a run on the same probe with it")
    return CueFindings.of(findings)


@dataclass(frozen=True)
class HardenedProbe:
    """A subset of a probe on which every cue is at chance."""

    probe: Probe
    """What is left; its card says what went."""
    hardened: Hardened
    """What went for which cue, and what cues earn before and after."""
    by_vectors: int
    """Items that went before, by their embeddings."""

    @property
    def before(self) -> CueFindings:
        """What cues earn on the whole probe."""
        return CueFindings.of(self.hardened.before)

    @property
    def after(self) -> CueFindings:
        """What cues earn on what is left, looked for again from nothing."""
        return CueFindings.of(self.hardened.after)

    def save(self, path: PathLike) -> HardenedDocument:
        """Write the probe, with its card, and say what was dropped."""
        self.probe.save(path)
        return hardened_document(Path(path), self.probe, self.hardened, self.by_vectors)


@translate_errors()
def harden(
    probe: Probe | PathLike,
    *,
    group: str | None = None,
    vectors: NDArray[np.float32] | PathLike | None = None,
    also: Sequence[str] = (),
    seed: Annotated[int, Ge(0)] = 0,
    progress: Progress = NO_PROGRESS,
) -> HardenedProbe:
    """Find the largest subset of a probe on which every cue is at chance.

    Args:
        probe: Name or file of a probe. In Python, also a `Probe`.
        group: Cluster for intervals: a group of the items, ``family`` or ``item``. By default, the card's group.
        vectors: Embeddings to filter by first (AFLite): an .npy file with one row per option. In Python, also an array.
        also: Cue of a plug-in to bring to chance too.
        seed: Random seed.
        progress: Progress callback.

    Returns:
        The subset as a probe, and what was dropped for which cue.
    """
    known, unit = _grouped(probe, group)
    plugged = _plugged(also)
    items = list(known.items) if vectors is None else _by_vectors(list(known.items), vectors, seed, progress)
    hardened = search_subset(items, unit, _wordnet(progress), also=plugged, seed=seed, progress=progress)
    gone = len(known.items) - len(items)
    return HardenedProbe(hardened_probe(known, hardened, gone), hardened, gone)


def _grouped(probe: Probe | PathLike, group: str | None) -> tuple[Probe, str]:
    """The probe, and its unit of dependence; a name that no item has is refused."""
    if group is None:
        known = opened(probe)
        return known, known.card.group
    with capture_warnings(lambda _: None):  # a card that is missing matters no more
        known = opened(probe)
    try:
        check_group(known.items, group, also=("item",))
    except UserError as error:
        raise (error if isinstance(probe, Probe) else error.at(probe)) from None
    return known, group


def _plugged(also: Sequence[str]) -> list[Cue]:
    """The cues of plug-ins that were asked for by name."""
    if isinstance(also, str):
        raise UserError(f"{argument('also')} is a list of names", fix=f"write [{also!r}]")
    return [foreign(name) for name in dict.fromkeys(also)]


def _blindfold(
    model: str | Model | None, dtype: str, device: str, items: Sequence[Item], progress: Progress
) -> dict[str, list[list[float]]] | None:
    """What a language model would pick without the question, as a cue of its own."""
    if model is None:
        return None
    from horsesense.core import ScoringSpec
    from horsesense.models.load import open_model
    from horsesense.scoring.texts import blind_scores

    loaded = open_model(model, dtype=dtype, device=device) if isinstance(model, str) else model
    scores = blind_scores(loaded, items, ScoringSpec())
    if all(isnan(score) for row in scores for score in row):
        progress.log(f"no item has a question to leave out, so the cue of {loaded.name} abstains")
    return {f"score of {loaded.name} without the question": scores}


def _encoded(items: Sequence[Item], progress: Progress) -> list[tuple[Encoder, Cosines]]:
    """Relatedness by the encoders at hand; sentence vectors of a very large probe would take too long."""
    from horsesense.scoring.relatedness import MOST_ENCODED, SENTENCES, encoders, related

    known = encoders(progress)
    if len(items) > MOST_ENCODED and any(encoder.name == SENTENCES for encoder in known):
        progress.log(
            f"sentence vectors are computed for {MOST_ENCODED:,} items at most, so relatedness is by words only"
        )
        known = [encoder for encoder in known if encoder.name != SENTENCES]
    return list(related(items, progress, known).values())


def _wordnet(progress: Progress) -> Taxonomy | None:
    """WordNet's table, where WordNet is on this machine."""
    from horsesense.lexicons.taxonomy import load_taxonomy
    from horsesense.lexicons.wordnet import find_wordnet

    folder = find_wordnet()
    if folder is None:
        progress.log("WordNet is not installed, so cues of generality were left out; run: horsesense fetch wordnet")
        return None
    progress.update("WordNet", 0, 1)
    return load_taxonomy(folder)


def _by_vectors(
    items: list[Item], vectors: NDArray[np.float32] | PathLike, seed: int, progress: Progress
) -> list[Item]:
    import numpy as np

    from horsesense.cues.aflite import aflite, check_vectors
    from horsesense.data import disk_errors

    if not isinstance(vectors, str | Path):
        check_vectors(items, vectors)
        return aflite(items, vectors, seed, progress)
    path = Path(vectors)
    try:
        with now_reading(path), disk_errors(path):
            table = np.load(path, allow_pickle=False)
            if not isinstance(table, np.ndarray):
                raise ValueError("an archive of arrays, whatever its name")
    except (ValueError, EOFError) as error:
        raise UserError("this is not a NumPy array", file=path, fix="write it with numpy.save") from error
    try:
        check_vectors(items, table)
    except UserError as error:
        raise error.at(path) from None
    return aflite(items, table, seed, progress)
