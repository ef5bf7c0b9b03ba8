"""Public functions: build, check, recast and split part-whole triples, and the paper's table for runs on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from annotated_types import Ge

from horsesense.core import Probe
from horsesense.errors import UserError, argument, translate_errors
from horsesense.methods.partwhole.settings import AdjectiveSources, CandidateRules, PairSources
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.methods.partwhole.checking import OddTriples
    from horsesense.methods.partwhole.pairs import Modifiers, Pairs
    from horsesense.methods.partwhole.pictures import PairPictures
    from horsesense.methods.partwhole.splits import TriplesSplit
    from horsesense.methods.partwhole.table import PartWholeTable
    from horsesense.runs.run import Run

__all__ = [
    "AdjectiveSources",
    "CandidateRules",
    "PairSources",
    "build",
    "check",
    "gold",
    "pictures",
    "premises",
    "recast",
    "split",
    "table",
]

PathLike = str | Path
_Source = TypeVar("_Source")


@translate_errors()
def build(
    *,
    pairs: PairSources | None = None,
    adjectives: AdjectiveSources | None = None,
    rules: CandidateRules | None = None,
    published: PathLike | None = None,
    limit: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
    progress: Progress = NO_PROGRESS,
) -> Probe:
    """Build candidate triples: a whole, its part, and an adjective that is used with both. They have no labels.

    Args:
        pairs: Sources of pairs.
        adjectives: Sources of adjectives.
        rules: Rules.
        published: Published candidates (whole,part,adjective) to count shared ones.
        limit: Maximum number of items.
        seed: Random seed.
        progress: Progress callback.

    Returns:
        The probe; the notes on its card count what each rule rejected.
    """
    from horsesense.methods.partwhole.builder import CandidatePlan, build_partwhole, read_candidates
    from horsesense.methods.partwhole.pairs import read_aliases

    sources = pairs or PairSources()
    aliases = read_aliases(Path(sources.aliases)) if sources.aliases else {}
    known = _read_all(_pair_readers(sources, aliases), "pairs", progress)
    nouns = {noun for each in known for pair in each.counts for noun in pair}
    modifiers = _read_all(_modifier_readers(adjectives or AdjectiveSources(), nouns, aliases), "adjectives", progress)
    plan = CandidatePlan(
        pairs=known,
        modifiers=modifiers,
        rules=rules or CandidateRules(),
        published=read_candidates(Path(published)) if published else (),
        limit=limit,
        seed=seed,
    )
    return build_partwhole(plan)


def _read_all(readers: Sequence[Callable[[], _Source]], stage: str, progress: Progress) -> list[_Source]:
    sources = []
    for i, read in enumerate(readers):
        progress.update(stage, i, len(readers))
        sources.append(read())
    return sources


def _pair_readers(sources: PairSources, aliases: dict[str, str]) -> list[Callable[[], Pairs]]:
    from functools import partial

    from horsesense.methods.partwhole import pairs

    readers: list[Callable[[], Pairs]] = []
    if sources.relationships:
        readers.append(partial(pairs.read_relationships, Path(sources.relationships), sources.predicates, aliases))
    if sources.relation_counts:
        readers.append(partial(pairs.read_relation_counts, Path(sources.relation_counts), sources.predicates, aliases))
    if sources.wordnet:
        readers.append(pairs.wordnet_pairs)
    if sources.conceptnet:
        readers.append(partial(pairs.conceptnet_pairs, [Path(file) for file in sources.conceptnet]))
    if sources.genericskb:
        readers.append(partial(pairs.genericskb_pairs, [Path(file) for file in sources.genericskb]))
    if not readers:
        raise UserError(
            "no source of pairs is given",
            fix=f"give {argument('relation_counts', 'FILE')}, {argument('wordnet')}, "
            f"{argument('conceptnet', 'FILE')} …",
        )
    return readers


def _modifier_readers(
    sources: AdjectiveSources, nouns: set[str], aliases: dict[str, str]
) -> list[Callable[[], Modifiers]]:
    from functools import partial

    from horsesense.methods.partwhole.adjectives import read_syntactic_ngrams, read_text_modifiers
    from horsesense.methods.partwhole.pairs import read_attributes

    readers: list[Callable[[], Modifiers]] = []
    if sources.attributes:
        readers.append(partial(read_attributes, Path(sources.attributes), aliases))
    if sources.ngrams:
        readers.append(partial(read_syntactic_ngrams, [Path(file) for file in sources.ngrams], nouns))
    if sources.text:
        readers.append(partial(read_text_modifiers, [Path(file) for file in sources.text], nouns))
    if not readers:
        raise UserError(
            "no source of adjectives is given",
            fix=f"give {argument('attributes', 'FILE')}, {argument('ngrams', 'FILE')} or {argument('text', 'FILE')}",
        )
    return readers


@translate_errors()
def check(*files: PathLike) -> OddTriples:
    """List rows with missing words, phrases, upper case, unknown adjectives, or labels that contradict each other.

    Args:
        files: Labelled triples: whole,part,jj,label,bin_label.

    Returns:
        The number of rows, and the odd ones.
    """
    from horsesense.methods.partwhole.checking import check_triples

    if not files:
        raise UserError("no file was given", fix="name a file of labelled triples")
    return check_triples([Path(file) for file in files])


@translate_errors()
def recast(probe: Probe | PathLike, *, labels: Literal["five", "three", "binary", "entailment"]) -> Probe:
    """Map the five labels to three (probably, unrelated, unlikely), to yes and no, or to entailment labels.

    Args:
        probe: Name or file of a probe with the five labels. In Python, also a `Probe`.
        labels: Labels of the new probe; entailment is three under the names of inference models.

    Returns:
        The same triples with these labels.

    >>> recast("triples.jsonl", labels="four")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    horsesense.errors.UserError: there is no form of labels 'four'
    """
    from horsesense.core.catalogue import as_probe
    from horsesense.methods.partwhole.recasting import find_form, probe_in_labels

    find_form(labels)
    return probe_in_labels(as_probe(probe), labels)


@translate_errors()
def split(
    probe: Probe | PathLike,
    out: PathLike,
    *,
    by: Literal["random", "whole", "part", "adjective", "nouns"] = "random",
    seed: Annotated[int, Ge(0)] = 0,
) -> TriplesSplit:
    """Split triples into 70% training, 10% development and 20% test, and write a file for each.

    Args:
        probe: Name or file of a probe of labelled triples. In Python, also a `Probe`.
        out: Folder for train.jsonl, dev.jsonl and test.jsonl.
        by: What no two splits share; ``nouns``: neither wholes nor parts.
        seed: Random seed.

    Returns:
        The files, the size of each, and the number of triples that were dropped.
    """
    from horsesense.core.catalogue import as_probe
    from horsesense.methods.partwhole.splits import write_split

    return write_split(as_probe(probe), by, seed, Path(out))


@translate_errors()
def premises(probe: Probe | PathLike, *, corpus: Sequence[PathLike] = (), progress: Progress = NO_PROGRESS) -> Probe:
    """Turn each triple into premise and hypothesis; without a corpus sentence, the premise is a marked template.

    Args:
        probe: Name or file of a probe with the five labels. In Python, also a `Probe`.
        corpus: Text file to find sentences in. By default, every premise is a template.
        progress: Progress callback.

    Returns:
        The triples as pairs of sentences.
    """
    from contextlib import closing, nullcontext

    from horsesense.core.catalogue import as_probe
    from horsesense.lexicons.corpus import Corpus
    from horsesense.methods.partwhole.recasting import as_inference, coverage

    files = [Path(file) for file in corpus]
    folder = next((path for path in files if path.is_dir()), None)
    if folder is not None:
        fix = f"name its files, each with a {argument('corpus')}"
        raise UserError("this is a folder, not a file", file=folder, fix=fix)
    triples = as_probe(probe)
    names = ", ".join(path.name for path in files)
    with closing(Corpus(files, progress)) if files else nullcontext() as searched:
        inference = as_inference(triples, searched, names, progress)
    covered, n = coverage(inference)
    progress.log(f"{covered:,} of {n:,} pairs of whole and adjective have a sentence; the others have a template")
    return inference


@translate_errors()
def table(
    *runs: Run | str | Path,
    train: Probe | PathLike | None = None,
    vote_files: Sequence[PathLike] = (),
    dev: Sequence[Run | str | Path] = (),
) -> PartWholeTable:
    """Compute the paper's table: accuracy, mean absolute error, weighted kappa, with two-way clustered intervals.

    Args:
        runs: Run folders on the same triples; the seeds of a control are averaged. In Python, also a `Run`.
        train: Training set, to report triples by what it contains.
        vote_files: Published votes: adds people as rows, and compares every row with the votes as a distribution.
        dev: Run of the same models on other triples, on which label preferences are fitted and then removed.

    Returns:
        One row per model or control, rows for people, and the paper's rows.
    """
    from horsesense.core.catalogue import as_probe
    from horsesense.methods.partwhole.dataset import read_partwhole_votes
    from horsesense.methods.partwhole.table import partwhole_table
    from horsesense.runs.run import answered_of

    if not runs:
        raise UserError("no run was given", fix="name a run folder")
    answered, others = (answered_of([each for run in group for each in _with_seeds(run)]) for group in (runs, dev))
    votes = read_partwhole_votes([Path(file) for file in vote_files]) if vote_files else None
    return partwhole_table(answered, () if train is None else as_probe(train).items, votes, others)


def _with_seeds(run: Run | str | Path) -> Sequence[Run | str | Path]:
    """Return the run itself, or the runs of all seeds of a control in its folder."""
    return (sorted(Path(run).glob("seed-*")) or [run]) if isinstance(run, str | Path) else [run]


@translate_errors()
def gold(files: Sequence[PathLike], *, per_label: Annotated[int, Ge(1)] = 2, seed: Annotated[int, Ge(0)] = 0) -> Probe:
    """Draw gold items for a qualification test: triples whose annotators all agree (section 4.2).

    Args:
        files: Files of published votes: the authors' own, the qualification items, or the crowd's.
        per_label: Number of triples per label.
        seed: Random seed.

    Returns:
        Triples with their label, for use as gold items of a study.
    """
    from horsesense.methods.partwhole.dataset import read_partwhole_votes
    from horsesense.methods.partwhole.recasting import gold_triples

    return gold_triples(read_partwhole_votes([Path(file) for file in files]), per_label, seed)


@translate_errors()
def pictures(
    probe: Probe | PathLike,
    *,
    relationships: PathLike,
    images: PathLike,
    out: PathLike,
    per_pair: Annotated[int, Ge(1)] = 3,
    seed: Annotated[int, Ge(0)] = 0,
) -> PairPictures:
    """Pick pictures for annotators, with boxes around whole and part (section 4.1).

    Args:
        probe: Name or file of a probe of triples. In Python, also a `Probe`.
        relationships: File relationships.json of Visual Genome.
        images: File image_data.json of Visual Genome.
        out: File pictures.jsonl, for the folder of a study, together with the pictures.
        per_pair: Number of pictures per pair.
        seed: Random seed.

    Returns:
        The number of pairs with pictures, and the image files that are needed.
    """
    from horsesense.core.catalogue import as_probe
    from horsesense.methods.partwhole.pictures import pick_pictures

    return pick_pictures(as_probe(probe).items, Path(relationships), Path(images), Path(out), per_pair, seed)
