"""``horsesense build rica``: statements about novel entities, balanced so that their shape gives nothing away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, say, write_built
from horsesense.cli.rica import LexiconFile
from horsesense.cli.settings import Device, Dtype, Limit, Out, Seed
from horsesense.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

Strategies = Annotated[
    list[str] | None,
    typer.Option(
        "--strategy", help="material, grade, location, animal, role, … (see docs/methods/rica.md); repeatable [all]."
    ),
]
Kinds = Annotated[
    list[str] | None, typer.Option("--perturbations", help="all, released, a perturbation or one kind; repeatable.")
]


def rica(
    out: Out,
    strategy: Strategies = None,
    perturbations: Kinds = None,
    entities: Annotated[str, typer.Option(help="novel, fresh, names, letters, or a file of names.")] = "novel",
    pairs: Annotated[int | None, typer.Option(min=1, help="Pairs of entities a statement [1; 3 of names].")] = None,
    task: Annotated[str, typer.Option(help="masked, sentences, entailment or ladder.")] = "masked",
    background: Annotated[bool, typer.Option("--background", help="Ask with the fact told outright too.")] = False,
    unbalanced: Annotated[
        bool, typer.Option("--unbalanced", help="Take all axioms; shape may give answers away.")
    ] = False,
    table: Annotated[list[Path] | None, typer.Option(help="A table of one's own; repeatable.")] = None,
    lexicon: LexiconFile = None,
    conceptnet: Annotated[list[Path] | None, typer.Option(help="A file of ConceptNet; repeatable.")] = None,
    atomic: Annotated[list[Path] | None, typer.Option(help="A file of ATOMIC; repeatable.")] = None,
    genericskb: Annotated[list[Path] | None, typer.Option(help="A file of GenericsKB; repeatable.")] = None,
    names: Annotated[
        list[str] | None, typer.Option("--list", help="NAME=FILE: take animals, materials, … from this; repeatable.")
    ] = None,
    no_shipped: Annotated[bool, typer.Option("--no-shipped", help="Leave out the tables that ship.")] = False,
    cap: Annotated[int, typer.Option(min=0, help="Most axioms about one property; 0: as many as there are.")] = 16,
    tokenizer: Annotated[Path | None, typer.Option(help="A tokenizer.json: count the tokens of entities.")] = None,
    realiser: Annotated[
        str | None, typer.Option(help="A sequence-to-sequence model that writes the statements.")
    ] = None,
    fluency: Annotated[
        str | None, typer.Option(help="A language model that flags statements which read oddly.")
    ] = None,
    device: Device = "auto",
    dtype: Dtype = None,
    limit: Limit = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Axioms from tables and knowledge bases, said in up to 24 ways about entities that nobody has heard of."""
    from horsesense.api.rica_builder import rica as built
    from horsesense.cli.progress import Bars

    with Bars() as progress:
        probe = built(
            strategies=strategy or (),
            perturbations=perturbations or ("all",),
            entities=entities,
            pairs=pairs,
            task=task,
            background=background,
            balance=not unbalanced,
            tables=table or (),
            lexicon=lexicon,
            conceptnet=conceptnet or (),
            atomic=atomic or (),
            genericskb=genericskb or (),
            lists=_lists(names or []),
            shipped=not no_shipped,
            cap=cap or None,
            tokenizer=tokenizer,
            realiser=realiser,
            fluency=fluency,
            device=device,
            dtype=dtype or "float32",
            limit=limit,
            seed=seed,
            progress=progress,
        )
    if limit is not None and len(probe.items) > limit:
        say(f"{len(probe.items)} items belong together, more than --limit {limit}; --unbalanced tears them apart")
    write_built(out, probe, json)


def _lists(pairs: Sequence[str]) -> dict[str, str]:
    """Names and files that stand as NAME=FILE."""
    files = {}
    for pair in pairs:
        name, equals, file = pair.partition("=")
        if not equals:
            raise UserError(f"--list {pair!r} is not NAME=FILE", fix="write it like animals=animals.json")
        files[name] = file
    return files
