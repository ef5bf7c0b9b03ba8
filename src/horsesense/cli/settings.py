"""Options that several commands share: what is asked and how, of servers too, and what a builder writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from horsesense.core import ScoringSpec
    from horsesense.models.api.settings import ServedSettings

Models = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--model",
        help="A bundled name, a folder, a GGUF file, a hub name[@revision] or openai:URL#name; label=NAME shortens it;"
        " repeatable [models of horsesense.toml].",
    ),
]
OneModel = Annotated[
    str,
    typer.Option("-m", "--model", help="A bundled name, folder, GGUF file, hub name[@revision] or openai:URL#name."),
]
Spec = Annotated[str, typer.Option(help="What a score means: a preset (paper:cats) and/or field=value, by commas.")]
Dtype = Annotated[
    str | None,
    typer.Option(help="float32 (default), auto (bfloat16 where it changes no choice), bfloat16, float16, int8, int4."),
]
UnderAdapter = Annotated[
    str,
    typer.Option("--dtype", help="With --lora, the weights below it: float32, bfloat16, float16, int8 or int4."),
]
Pll = Annotated[
    str | None, typer.Option(help="Masked models: token or word-l2r (the default); the same as --spec pll=….")
]
Device = Annotated[
    str, typer.Option(help="auto (HORSESENSE_DEVICE, else what is found), cpu, cuda, cuda:1, mps; map: all GPUs.")
]
Normalise = Annotated[
    str | None, typer.Option(help="sum, mean, word, character or pmi; otherwise what the probe's card says.")
]
Family = Annotated[
    str | None,
    typer.Option(
        help="How it is asked, where the config does not say: causal, masked, seq2seq, permuted, entailment or"
        " multiple-choice."
    ),
]
On = Annotated[
    str,
    typer.Option(
        "--on", help="Where it is computed: here, ray (started on this machine) or ray:ADDRESS (a running cluster)."
    ),
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="With --on ray: how many workers [one a GPU, else one a machine].")
]
Gpus = Annotated[float | None, typer.Option(min=0, help="With --on ray: GPUs of each worker [1 where there are any].")]
Threads = Annotated[
    int | None, typer.Option(min=1, help="With --on ray: threads of each worker [the cores, shared among them].")
]
AllowPickle = Annotated[bool, typer.Option("--allow-pickle", help="Load pickled weights; they can run any code.")]
PromptFormats = Annotated[
    str,
    typer.Option(
        "--format",
        help="Prompt formats, joined by commas: loglikelihood, pmi, letters, generate; or auto.",
    ),
]
Concurrency = Annotated[int, typer.Option(min=1, help="Servers: requests in flight at most.")]
Timeout = Annotated[float, typer.Option(help="Servers: seconds that a request may take.")]
Patience = Annotated[
    float, typer.Option(min=0, metavar="SECONDS", help="Servers: how long one that does not answer is tried again.")
]
MaxRequests = Annotated[int | None, typer.Option(min=1, help="Servers: stop after so many answered requests.")]
MaxTokens = Annotated[int | None, typer.Option(min=1, help="Servers: stop after so many tokens, sent and received.")]
KeyFrom = Annotated[str, typer.Option(metavar="VARIABLE", help="Servers: who has the key [OPENAI_API_KEY].")]
Price = Annotated[
    str | None,
    typer.Option(metavar="IN,OUT", help="Servers: price of a million tokens, for the forecast."),
]
Out = Annotated[Path, typer.Option("-o", "--out", help="The probe to write: .jsonl, .jsonl.gz or .parquet.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Most items; whole families are drawn.")]
Seed = Annotated[int, typer.Option(min=0, help="Which ones: the same seed gives the same file.")]
OptionCount = Annotated[int, typer.Option("--options", min=2, max=20, help="Options of a question.")]
AsPaper = Annotated[bool, typer.Option("--as-paper", help="The paper's own rules, giveaways and all.")]


def spec_of(
    text: str, dtype: str | None, exact: bool = False, baseline: bool = False, pll: str | None = None
) -> ScoringSpec:
    """The spec of a call: ``--spec``, then the options that set one field."""
    from dataclasses import replace

    from horsesense.core.spec import fields_set, parse_spec, with_setting
    from horsesense.errors import UserError

    spec = parse_spec(text)
    if dtype is not None:
        spec = with_setting(spec, "dtype", dtype)
    if pll is not None:
        written = fields_set(text).get("pll", pll)
        if written != pll:
            raise UserError(f"--pll says {pll} and --spec says pll={written}", fix="choose one of the two")
        spec = with_setting(spec, "pll", pll)
    if exact:
        if spec.dtype not in ("float32", "auto"):
            raise UserError(f"exact scores are in float32, and the call says {spec.dtype}", fix="choose one of the two")
        spec = replace(spec, exact=True, dtype="float32")
    return replace(spec, baseline=True) if baseline else spec


def alone(spec: ScoringSpec) -> ScoringSpec:
    """The spec of a command for texts in hand: no text sees another. ``auto`` would need questions to be tried on."""
    from dataclasses import replace

    from horsesense.errors import UserError

    if spec.dtype == "auto":
        raise UserError("--dtype auto is tried on the questions of a probe", fix="name float32, bfloat16 or float16")
    return replace(spec, exact=True)


def served_of(
    models: Sequence[str],
    concurrency: int,
    timeout: float,
    patience: float,
    max_requests: int | None,
    max_tokens: int | None,
    key_from: str,
    price: str | None,
) -> ServedSettings:
    """How servers are asked, by the options of a call; a remark where they are given and no model is served."""
    from horsesense.cli.output import as_option, say
    from horsesense.models.api.address import is_served
    from horsesense.models.api.settings import ServedSettings, parse_price
    from horsesense.settings import labelled

    settings = ServedSettings(
        concurrency=concurrency,
        timeout=timeout,
        patience=patience,
        max_requests=max_requests,
        max_tokens=max_tokens,
        key_from=key_from,
        price=parse_price(price) if price else None,
    )
    given = [as_option(name, "") for name in settings.given]
    if given and not any(is_served(labelled(name)[1]) for name in models):
        say(f"{', '.join(given)}: for servers, and no model here is served; nothing comes of it")
    return settings
