"""``horsesense score``: every token of a text with its log-probability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.cli.settings import AllowPickle, Device, Family, OneModel, Spec, spec_of

if TYPE_CHECKING:
    from horsesense.scoring.texts import ScoredText


def score(
    texts: Annotated[list[str], typer.Argument(metavar="TEXT...", help="Texts to score.")],
    model: OneModel,
    spec: Spec = "default",
    device: Device = "auto",
    family: Family = None,
    allow_pickle: AllowPickle = False,
    json: Json = False,
) -> None:
    """Every token of a text with its place and log-probability (natural logarithm), always exact."""
    from horsesense.models.load import load_model
    from horsesense.scoring.options import framer_of
    from horsesense.scoring.texts import score_texts

    meaning = spec_of(spec, None, exact=True)
    loaded = load_model(model, family=family, device=device, allow_pickle=allow_pickle)
    frame = framer_of(loaded, meaning).frame.told
    say(f"{model}: {loaded.family}, {', '.join(loaded.notes)}, begins with {frame}")
    found = score_texts(loaded, texts, meaning)
    if json:
        print_json({"model": model, "spec": {**meaning.to_dict(), "frame": frame}, "texts": [_told(t) for t in found]})
    else:
        _print(found)


def _told(text: ScoredText) -> dict[str, object]:
    tokens = [{"token": t.token, "start": t.start, "end": t.end, "logprob": t.logprob} for t in text.tokens]
    return {"text": text.text, "tokens": tokens, "sum": text.sum, "mean": text.mean}


def _print(found: list[ScoredText]) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    for text in found:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=escape(text.text), title_justify="left")
        table.add_column("token")
        for name in ("start", "end", "log-probability"):
            table.add_column(name, justify="right")
        for token in text.tokens:
            table.add_row(escape(repr(token.token)), str(token.start), str(token.end), f"{token.logprob:.4f}")
        table.add_section()
        table.add_row("sum", "", "", f"{text.sum:.4f}")
        table.add_row("mean", "", "", f"{text.mean:.4f}")
        people().print(table)
