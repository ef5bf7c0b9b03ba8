"""Part and whole from Python: triples checked, recast, split, made into inference, and the table of runs on them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path

from horsesense.api.probes import PathLike, opened
from horsesense.api.run import AnyRun, Run, answered_of
from horsesense.core import Probe
from horsesense.errors import UserError, argument, translate_errors
from horsesense.methods.partwhole.checking import OddTriples, check_triples
from horsesense.methods.partwhole.labels import find_form, probe_in_labels
from horsesense.methods.partwhole.pictures import PairPictures, pick_pictures
from horsesense.methods.partwhole.splits import TriplesSplit, write_split
from horsesense.methods.partwhole.table import PartWholeTable, partwhole_table
from horsesense.progress import NO_PROGRESS, Progress

__all__ = ["check", "gold", "pictures", "premises", "recast", "split", "table"]


@translate_errors()
def check(*files: PathLike) -> OddTriples:
    """Missing words, phrases, upper case, unknown adjectives, contradictions, labels that disagree: row by row.

    Args:
        files: Judged triples: whole, part, jj, label, bin_label.

    Returns:
        How many rows there are, and those that are odd.
    """
    return check_triples([Path(file) for file in files])


@translate_errors()
def recast(probe: Probe | PathLike, labels: str) -> Probe:
    """The task in fewer labels: {guaranteed, probably}, unrelated, {unlikely, impossible}; or yes and no.

    Args:
        probe: Triples on the scale of five.
        labels: five, three, binary, or entailment (three under inference names).

    Returns:
        The same triples under these labels.

    >>> recast("triples.jsonl", "four")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    horsesense.errors.UserError: there is no form of labels 'four'
    """
    find_form(labels)
    return probe_in_labels(opened(probe), labels)


@translate_errors()
def split(probe: Probe | PathLike, out: PathLike, *, by: str = "random", seed: int = 0) -> TriplesSplit:
    """70, 10 and 20 per cent of the triples, written as train.jsonl, dev.jsonl and test.jsonl.

    Args:
        probe: Judged triples.
        out: Folder for the three files.
        by: random, whole, part, adjective, or nouns (no noun in two parts).
        seed: Which ones.

    Returns:
        The files, with what is in each, and how many triples were dropped.
    """
    return write_split(opened(probe), by, seed, Path(out))


@translate_errors()
def premises(probe: Probe | PathLike, corpus: Sequence[PathLike] = (), *, progress: Progress = NO_PROGRESS) -> Probe:
    """Premise and hypothesis for each triple; where the corpus has no sentence, a template, marked as such.

    Args:
        probe: Triples on the scale of five.
        corpus: Files of text to find sentences in; without one, every premise is a template.
        progress: Told how far it has come, and how many triples have a sentence.

    Returns:
        The triples as inference.
    """
    from horsesense.lexicons.corpus import Corpus
    from horsesense.methods.partwhole.inference import as_inference, coverage

    files = [Path(file) for file in corpus]
    folder = next((path for path in files if path.is_dir()), None)
    if folder is not None:
        fix = f"name its files, each with a {argument('corpus')}"
        raise UserError("this is a folder, not a file", file=folder, fix=fix)
    triples = opened(probe)
    names = ", ".join(path.name for path in files)
    with closing(Corpus(files, progress)) if files else nullcontext() as searched:
        made = as_inference(triples, searched, names, progress)
    covered, number = coverage(made)
    progress.log(f"{covered:,} of {number:,} pairs of whole and adjective have a sentence; the others have a template")
    return made


@translate_errors()
def table(
    *runs: AnyRun,
    train: Probe | PathLike | None = None,
    votes: Sequence[PathLike] = (),
    dev: Sequence[AnyRun] = (),
) -> PartWholeTable:
    """Accuracy, mean absolute error and quadratic-weighted kappa, with two-way intervals over wholes and parts.

    Args:
        runs: Runs on the same triples, or their folders; also those of controls, whose seeds are averaged.
        train: The training set: slice by what it has seen.
        votes: Files of released votes: people as rows, and every row held against the votes as a distribution.
        dev: Runs of the same models on other triples: their preference for labels is fitted there and removed.

    Returns:
        A row a model or control, those of people, and the paper's own.
    """
    from horsesense.methods.partwhole.released import read_partwhole_votes

    answered, others = (answered_of([each for run in group for each in _with_seeds(run)]) for group in (runs, dev))
    released = read_partwhole_votes([Path(file) for file in votes]) if votes else None
    return partwhole_table(answered, () if train is None else opened(train).items, released, others)


@translate_errors()
def gold(votes: Sequence[PathLike], *, each: int = 2, seed: int = 0) -> Probe:
    """Items for a qualification (section 4.2): triples on which all who judged agree, so many of each label.

    Args:
        votes: Files of judgements: the authors' own, the qualification items, or the crowd's.
        each: How many of each label.
        seed: Of the draw.

    Returns:
        Triples with their label, to be given as gold items of a study.
    """
    from horsesense.methods.partwhole.labels import gold_triples
    from horsesense.methods.partwhole.released import read_partwhole_votes

    return gold_triples(read_partwhole_votes([Path(file) for file in votes]), each, seed)


@translate_errors()
def pictures(
    probe: Probe | PathLike,
    relationships: PathLike,
    images: PathLike,
    out: PathLike,
    *,
    each: int = 3,
    seed: int = 0,
) -> PairPictures:
    """Pictures with boxes around whole and part, for people who judge the triples (section 4.1).

    Args:
        probe: Triples.
        relationships: ``relationships.json`` of Visual Genome.
        images: ``image_data.json`` of Visual Genome.
        out: ``pictures.jsonl``, to be put into the folder of a study with the pictures themselves.
        each: How many pictures a pair.
        seed: Which ones.

    Returns:
        How many pairs have pictures, and which files are needed.
    """
    return pick_pictures(opened(probe).items, Path(relationships), Path(images), Path(out), each, seed)


def _with_seeds(run: AnyRun) -> Sequence[AnyRun]:
    """The run itself, or the seeds of a control that lie in its folder."""
    return [run] if isinstance(run, Run) else sorted(Path(run).glob("seed-*")) or [run]
