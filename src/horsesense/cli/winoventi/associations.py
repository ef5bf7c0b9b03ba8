"""``horsesense winoventi associations``: the words that a model ties to nouns, negated or not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.cli.settings import AllowPickle, Device, Family, OneModel, Spec, spec_of
from horsesense.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from horsesense.probes.winoventi.associations import Association
    from horsesense.probes.winoventi.nouns import NounList
    from horsesense.probes.winoventi.selection import Selection

DEFAULT_MODEL = "smollm2-masked"
"""The bundled masked model: associations are collected from masked ones."""

Nouns = Annotated[
    str, typer.Option(help="A file with one noun a line or a column Word (as THINGS' concepts), or: wordnet.")
]
AsPaper = Annotated[bool, typer.Option("--as-paper", help="The paper's literal sentence and rules.")]
Ranker = Annotated[str, typer.Option(help="The causal model that ranks by perplexity; none: no ranking.")]
NounLimit = Annotated[int | None, typer.Option("--limit", min=1, help="Most nouns, drawn by seed.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the draw.")]
_SHOWN = 10


def associations(
    nouns: Nouns,
    model: OneModel = DEFAULT_MODEL,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write all of them: .tsv, .csv or .jsonl.")] = None,
    as_paper: AsPaper = False,
    template: Annotated[
        str, typer.Option(help="A sentence of one's own, such as 'Every {noun} is {not}___ today.'")
    ] = "",
    k: Annotated[str, typer.Option(help="Depths of the rankings, by commas.")] = "1,3,5,8,10",
    ranker: Ranker = "smollm2",
    limit: NounLimit = None,
    seed: Seed = 0,
    spec: Spec = "default",
    device: Device = "auto",
    family: Family = None,
    allow_pickle: AllowPickle = False,
    json: Json = False,
) -> None:
    """Words common to the best of "The X is ___" and "The X is not ___", ranked and cut at the knee."""
    from horsesense.cli.stages import stages
    from horsesense.models.local.load import load_model
    from horsesense.probes.winoventi.associations import write_associations
    from horsesense.studies.winoventi.asking import Asking
    from horsesense.studies.winoventi.associating import associate

    listed = read_nouns_option(nouns, as_paper, limit, seed)
    asking = Asking(as_paper, template, _depths(k), spec_of(spec, None))
    loaded = load_model(model, family=family, device=device, allow_pickle=allow_pickle)
    ranking = load_model(ranker, device=device, allow_pickle=allow_pickle) if ranker != "none" else None
    with stages() as tick:
        found = associate(loaded, ranking, listed.nouns, asking, tick)
    if out is not None:
        write_associations(out, found.selection.associations)
    notes = {**listed.notes, **found.notes}
    if json:
        print_json(_document(model, ranker, listed, found.selection, notes, out))
        return
    _print(found.selection, listed, notes)
    if out is not None:
        say(f"written to {out}")


def read_nouns_option(name: str, literal: bool, limit: int | None, seed: int) -> NounList:
    """The list that ``--nouns`` names, drawn down to ``--limit``."""
    from random import Random

    from horsesense.knowledge.wordnet_source import find_wordnet
    from horsesense.probes.winoventi.nouns import NounList, read_nouns, wordnet_nouns

    if name == "wordnet" and not Path(name).exists():
        folder = find_wordnet()
        if folder is None:
            raise UserError("WordNet is not on this machine", fix="run: horsesense fetch wordnet")
        listed = wordnet_nouns(folder)
    else:
        listed = read_nouns(Path(name), literal=literal)
    for what, entries in listed.odd.items():
        say(f"{what}: {len(entries):,} ({', '.join(entries[:3])}{' …' if len(entries) > 3 else ''})")
    if limit is None or limit >= len(listed.nouns):
        return listed
    drawn = set(Random(seed).sample(range(len(listed.nouns)), limit))
    return NounList(tuple(noun for place, noun in enumerate(listed.nouns) if place in drawn), listed.odd)


def _depths(text: str) -> tuple[int, ...]:
    try:
        depths = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        raise UserError(f"--k {text} is not a list of numbers", fix="write 1,3,5,8,10") from None
    if depths[0] < 1 or depths[-1] > 100:
        raise UserError(f"--k {text} is out of range", fix="use depths from 1 to 100")
    return depths


def _by_k(associations: Sequence[Association]) -> dict[str, int]:
    return {str(k): count for k, count in sorted(Counter(each.k for each in associations).items())}


def _document(
    model: str, ranker: str, listed: NounList, selection: Selection, notes: dict[str, int], out: Path | None
) -> dict[str, Any]:
    from horsesense.probes.winoventi.associations import shares

    everything = selection.associations
    return {
        "model": model,
        "ranker": None if ranker == "none" else ranker,
        "nouns": len(listed.nouns),
        "associations": len(everything),
        "by_k": _by_k(everything),
        "kept": len(selection.kept),
        "kept_by_k": _by_k(selection.kept),
        "knees": {str(k): value for k, value in selection.knees.items()},
        "last_knee": selection.last_knee,
        "dropped": dict(Counter(each.reason for each in everything if not each.kept).most_common()),
        "frequent": [{"word": w, "count": c, "share": s} for w, c, s in shares(everything)[:_SHOWN]],
        "notes": notes,
        "out": None if out is None else str(out),
    }


def _print(selection: Selection, listed: NounList, notes: dict[str, int]) -> None:
    from horsesense.probes.winoventi.associations import shares

    console = people()
    everything = selection.associations
    console.print(f"{len(everything):,} associations of {len(listed.nouns):,} nouns, {len(selection.kept):,} kept")
    for k, count in _by_k(everything).items():
        knee = selection.knees.get(int(k))
        console.print(f"  k = {k:>2}  {count:>6,}" + (f"  knee at perplexity {knee:,.0f}" if knee else ""))
    if selection.last_knee is not None:
        console.print(f"  over all  knee at perplexity {selection.last_knee:,.0f}")
    for reason, count in Counter(each.reason for each in everything if not each.kept).most_common():
        console.print(f"  left out, {reason}: {count:,}", markup=False)
    told = ", ".join(f"{word} {share:.1%}" for word, _, share in shares(everything)[:_SHOWN])
    console.print(f"most frequent: {told}", markup=False, soft_wrap=True)
    for what, count in notes.items():
        if what not in listed.odd:
            console.print(f"  {what}: {count:,}", markup=False)
