"""``horsesense score``: every token of a text with its log-probability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.cli.settings import AllowPickle, Device, Family, OneModel, Pll, Spec, spec_of
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.scoring.texts import ScoredText


def score(
    texts: Annotated[list[str], typer.Argument(metavar="TEXT...", help="Texts to score.")],
    model: OneModel,
    against: Annotated[str | None, typer.Option(help="Show what speaks for each TEXT against this one.")] = None,
    spec: Spec = "default",
    pll: Pll = None,
    device: Device = "auto",
    family: Family = None,
    allow_pickle: AllowPickle = False,
    json: Json = False,
) -> None:
    """Every token of a text with its place and log-probability (natural logarithm), always exact."""
    from horsesense.models.local.load import load_model
    from horsesense.scoring.questions import framer_of
    from horsesense.scoring.texts import score_texts

    meaning = spec_of(spec, None, exact=True, pll=pll)
    wanted = [*texts, *([against] if against is not None else [])]
    _check(wanted)
    loaded = load_model(model, family=family, device=device, allow_pickle=allow_pickle)
    frame = framer_of(loaded, meaning).frame.in_words
    say(f"{model}: {loaded.family}, {', '.join(loaded.notes)}, begins with {frame}")
    found = score_texts(loaded, wanted, meaning)
    other = found.pop() if against is not None else None
    if json:
        document = {
            "model": model,
            "spec": {**meaning.to_dict(), "frame": frame},
            "texts": [text_document(t) for t in found],
        }
        if other is not None:
            document |= {
                "against": text_document(other),
                "evidence": [evidence_document(text, other) for text in found],
            }
        print_json(document)
    elif other is not None:
        print_evidence(found, other)
    else:
        _print(found)


def _check(texts: list[str]) -> None:
    """Told before a model is loaded, which takes seconds."""
    for text in texts:
        if not text.strip():
            raise UserError("a text is empty", fix="give one with words")
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise UserError(f"the text {text!r} is not UTF-8", fix="check the encoding of the terminal or script")


def text_document(text: ScoredText) -> dict[str, object]:
    """A text and its tokens, for ``--json``."""
    tokens = [{"token": t.token, "start": t.start, "end": t.end, "logprob": t.logprob} for t in text.tokens]
    return {"text": text.text, "tokens": tokens, "sum": text.sum, "mean": text.mean}


def evidence_document(text: ScoredText, other: ScoredText) -> dict[str, object]:
    """What each place says for the first text, for ``--json``."""
    from horsesense.scoring.evidence import evidence, share_of_edit

    places = evidence(text, other)
    listed = [
        {
            "token": place.token.token if place.token else None,
            "against": place.against.token if place.against else None,
            "q": place.q,
            "edited": place.edited,
        }
        for place in places
    ]
    return {"q": listed, "sum": sum(place.q for place in places), "share_of_edit": share_of_edit(places)}


def print_evidence(found: list[ScoredText], other: ScoredText) -> None:
    """A table of what each place says for a text against the other."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from horsesense.scoring.evidence import evidence, share_of_edit

    for text in found:
        places = evidence(text, other)
        title = f"{escape(text.text)}\n[dim]against[/dim] {escape(other.text)}"
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
        for name in ("token", "against"):
            table.add_column(name)
        table.add_column("q", justify="right")
        for place in places:
            row = [repr(token.token) if token else "" for token in (place.token, place.against)]
            style = "bold" if place.edited else ""
            table.add_row(*map(escape, row), f"{place.q:+.4f}", style=style)
        table.add_section()
        table.add_row("sum", "", f"{sum(place.q for place in places):+.4f}")
        people().print(table)
        people().print(f"{share_of_edit(places):.0%} of the evidence lies where the texts differ (bold)")


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
