"""The words that models tie to nouns, and how alike they are: what WinoVenti begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from horsesense.api.frames import Frame, columns_of
from horsesense.api.probes import PathLike
from horsesense.core import ScoringSpec, probe_name
from horsesense.core.spec import parse_spec
from horsesense.errors import UserError, argument, translate_errors
from horsesense.lexicons.wordnet import find_wordnet
from horsesense.methods.winoventi.asking import Asking, associate
from horsesense.methods.winoventi.associations import (
    KS,
    Association,
    KTable,
    read_associations,
    read_k_file,
    table_of,
    write_associations,
)
from horsesense.methods.winoventi.measures import Similarity, jaccard_table
from horsesense.methods.winoventi.nouns import NounList, read_nouns, wordnet_nouns
from horsesense.methods.winoventi.summaries import AssociationSummary, association_summary
from horsesense.progress import NO_PROGRESS, Progress

MODEL = "smollm2-masked"
"""Who is asked where nobody is named: the bundled masked model."""
_DEEPEST = 100
"""Of the rankings."""


def nouns_of(
    nouns: PathLike,
    *,
    as_paper: bool = False,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> NounList:
    """Nouns to ask about.

    Args:
        nouns: ``"wordnet"``, or a file: a noun a line, or the table of THINGS concepts.
        as_paper: Take them literally, as the paper does.
        limit: At most so many, drawn by ``seed``.
        seed: Which ones.
        progress: Told what was odd in the list.

    Returns:
        The nouns, and what was cleaned.
    """
    if str(nouns) == "wordnet" and not Path(nouns).exists():
        folder = find_wordnet()
        if folder is None:
            raise UserError("WordNet is not on this machine", fix="run: horsesense fetch wordnet")
        listed = wordnet_nouns(folder)
    else:
        listed = read_nouns(Path(nouns), literal=as_paper)
    for what, entries in listed.odd.items():
        progress.log(f"{what}: {len(entries):,} ({', '.join(entries[:3])}{' …' if len(entries) > 3 else ''})")
    if limit is None or limit >= len(listed.nouns):
        return listed
    drawn = set(Random(seed).sample(range(len(listed.nouns)), limit))
    return NounList(tuple(noun for place, noun in enumerate(listed.nouns) if place in drawn), listed.odd)


@dataclass(frozen=True)
class Associations:
    """The words that a model ties to nouns."""

    summary: AssociationSummary
    """Counts by depth, knees, what went and why, the most frequent words."""
    all: tuple[Association, ...]
    """Every one, in the order in which people would be shown them; those that are not kept say why."""
    nouns: NounList
    """What was asked about, and what was odd in the list."""

    def to_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return self.summary.to_json()

    def frame(self) -> Frame:
        """One row an association: noun, word, depth, perplexity, whether it is kept, and why not."""
        names = ("noun", "word", "k", "perplexity", "kept", "reason")
        rows = [{name: getattr(each, name) for name in names} for each in self.all]
        return Frame(columns_of(rows), f"associations of {self.summary.model}")

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()


@translate_errors()
def associations(
    nouns: PathLike,
    *,
    model: str = MODEL,
    out: PathLike | None = None,
    as_paper: bool = False,
    template: str = "",
    k: Sequence[int] = KS,
    ranker: str = "smollm2",
    limit: int | None = None,
    seed: int = 0,
    spec: str | ScoringSpec = "default",
    device: str = "auto",
    family: str | None = None,
    allow_pickle: bool = False,
    progress: Progress = NO_PROGRESS,
) -> Associations:
    """Words common to the best of "The X is ___" and "The X is not ___", ranked and cut at the knee.

    Args:
        nouns: ``"wordnet"``, or a file: a noun a line, or the table of THINGS concepts.
        model: Who is asked.
        out: Write all of them: .tsv, .csv or .jsonl.
        as_paper: The paper's literal sentence and rules.
        template: A sentence of one's own, such as ``"Every {noun} is {not}___ today."``
        k: Depths of the rankings.
        ranker: The causal model that ranks by perplexity; ``"none"``: no ranking.
        limit: At most so many nouns, drawn by ``seed``.
        seed: Which ones.
        spec: What a score means.
        device: Where models are put.
        family: How the model is asked, where its config does not tell.
        allow_pickle: Take pickled weights too.
        progress: Told how far it has come.

    Returns:
        All associations, and their summary.
    """
    from horsesense.models.load import open_model

    if not k or min(k) < 1 or max(k) > _DEEPEST:
        told = ",".join(map(str, k))
        raise UserError(f"{argument('k')} {told} is out of range", fix=f"use depths from 1 to {_DEEPEST}")
    listed = nouns_of(nouns, as_paper=as_paper, limit=limit, seed=seed, progress=progress)
    meaning = parse_spec(spec) if isinstance(spec, str) else spec
    asking = Asking(as_paper, template, tuple(sorted(set(k))), meaning)
    where: dict[str, Any] = {"device": device, "dtype": meaning.dtype, "allow_pickle": allow_pickle}
    loaded = open_model(model, family=family, **where)
    ranking = None if ranker == "none" else open_model(ranker, **where)
    found = associate(loaded, ranking, listed.nouns, asking, progress)
    written = None if out is None else Path(out)
    if written is not None:
        write_associations(written, found.selection.associations)
    summary = association_summary(model, None if ranker == "none" else ranker, listed, found, written)
    return Associations(summary, found.selection.associations, listed)


def jaccard(*files: PathLike, k: int = 10, progress: Progress = NO_PROGRESS) -> Similarity:
    """Mean Jaccard similarity of models' associations; two models without any for a noun agree on it.

    Args:
        files: A table with a column a model, or one file a model that `associations` wrote.
        k: Cut of the rankings; for files of one model each.
        progress: Told how many nouns are compared, and how many left out.

    Returns:
        The models, and the similarity of each two.
    """
    paths = [Path(file) for file in files]
    table = read_k_file(paths[0]) if len(paths) == 1 else _of_models(paths, k, progress)
    similarity = Similarity(table.models, tuple(map(tuple, jaccard_table(table.columns))))
    progress.log(f"{len(table.nouns):,} nouns")
    return similarity


def _of_models(files: Sequence[Path], k: int, progress: Progress) -> KTable:
    """One table of files that have one model each, on the nouns that all were asked about."""
    models = [(probe_name(path).removesuffix(".tsv"), read_associations(path)) for path in files]
    names = [name for name, _ in models]
    if len(set(names)) < len(names):
        raise UserError("two files have the same name", fix="name each after its model")
    asked = [{each.noun for each in found} for _, found in models]
    nouns = sorted(set.intersection(*asked))
    left_out = len(set.union(*asked)) - len(nouns)
    if not nouns:
        raise UserError("no noun has associations in all files", fix="ask the models about the same nouns")
    if left_out:
        progress.log(f"{left_out:,} nouns are not in all files and are left out")
    return table_of(models, k, nouns)
