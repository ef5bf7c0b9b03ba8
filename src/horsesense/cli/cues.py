"""``horsesense cues``: what answers a probe without understanding it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.analysis.cues import Findings
    from horsesense.knowledge.taxonomy import Taxonomy
    from horsesense.records import Answer, Probe

MOST_SHOWN = 12

Group = Annotated[
    str | None, typer.Option(help="Unit of dependence: a group of the items, family, or item [the card's].")
]


def cues(
    file: Annotated[Path, typer.Argument(help="A probe: .jsonl, .jsonl.gz or .parquet.")],
    group: Group = None,
    splits: Annotated[
        int, typer.Option(min=1, max=1000, help="How often to choose on one half and measure on the other.")
    ] = 10,
    rounds: Annotated[int, typer.Option(min=19, max=100_000, help="How often to shuffle the answer key.")] = 199,
    seed: Annotated[int, typer.Option(min=0, help="Which halves, which shuffles.")] = 0,
    model: Annotated[
        str | None,
        typer.Option("-m", "--model", help="Try this model's score of each option without its question too."),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(help="Write the best cue's answers as a run into this folder.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show every cue, not only the best.")] = False,
    json: Json = False,
) -> None:
    """What answers a probe without understanding it."""
    from horsesense.analysis.cues import cue_answers, find_cues
    from horsesense.cli.stages import stages
    from horsesense.records import read_probe

    probe = read_probe(file)
    unit = unit_of(probe, group, file)
    with stages() as tick:
        taxonomy = wordnet(tick)
        extra = _blindfold(model, probe)
        found = find_cues(probe.items, unit, taxonomy, extra=extra, splits=splits, rounds=rounds, seed=seed, tick=tick)
        if baseline is not None:
            _keep(baseline, file, probe, cue_answers(probe.items, unit, taxonomy, extra, seed), seed)
    if taxonomy is None:
        say("WordNet is not here, so cues of generality were left out; run: horsesense fetch wordnet")
    if json:
        print_json(findings_document(found))
    else:
        print_findings(found, None if everything else MOST_SHOWN)


def unit_of(probe: Probe, group: str | None, file: Path) -> str:
    """The unit of dependence that ``--group`` names, else the card; a name that no item has is refused."""
    from horsesense.records import check_group

    if group is None:
        return probe.card.group
    try:
        check_group(probe.items, group, also=("item",))
    except UserError as error:
        raise error.at(file) from None
    return group


def _blindfold(model: str | None, probe: Probe) -> dict[str, list[list[float]]] | None:
    """What a language model would pick without the question, as a cue of its own."""
    if model is None:
        return None
    from math import isnan

    from horsesense.models.local.load import load_model
    from horsesense.records import ScoringSpec
    from horsesense.scoring.texts import blind_scores

    scores = blind_scores(load_model(model), probe.items, ScoringSpec())
    if all(isnan(score) for row in scores for score in row):
        say(f"no item has a question to leave out, so the cue of {model} abstains")
    return {f"score of {model} without the question": scores}


def _keep(folder: Path, file: Path, probe: Probe, answers: list[Answer], seed: int) -> None:
    from horsesense.records import probe_name
    from horsesense.runs.controls import keep_control

    told = "the best cue of the half without the item"
    keep_control(folder, "best cue", told, probe_name(file), probe, answers, seed)
    say(f"the answers of the best cue are kept in {folder}; compare it with a run on the same probe")


def wordnet(tick: Any) -> Taxonomy | None:
    """WordNet's table, where WordNet is on this machine."""
    from horsesense.knowledge.taxonomy import load_taxonomy
    from horsesense.knowledge.wordnet_source import find_wordnet

    folder = find_wordnet()
    if folder is None:
        return None
    tick("WordNet", 0, 1)
    return load_taxonomy(folder)


def findings_document(found: Findings) -> dict[str, Any]:
    """The document of ``--json``."""
    return {
        "n": found.n,
        "left_out": found.left_out,
        "units": found.units,
        "chance": found.chance,
        "cues": [
            {
                "name": cue.name,
                "about": cue.about,
                "pick": cue.pick,
                "accuracy": cue.accuracy.value,
                "ci": [cue.accuracy.low, cue.accuracy.high],
                "coverage": cue.coverage,
                "in_sample": cue.in_sample,
                "p": cue.p,
            }
            for cue in found.cues
        ],
        "tried": found.asked,
        "best": found.best.name if found.best else None,
        "searched": {"accuracy": found.searched.value, "ci": [found.searched.low, found.searched.high]},
        "tree": {"accuracy": found.tree.value, "ci": [found.tree.low, found.tree.high], "n": found.tested},
        "position_mark": {"name": found.mark.name, "share": found.mark.share} if found.mark else None,
        "verdict": found.verdict,
    }


def print_findings(found: Findings, most: int | None = None) -> None:
    """A table of the best cues, and the verdict."""
    from rich import box
    from rich.table import Table

    console = people()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("picking the option …", overflow="fold")
    for name in ("accuracy", "95 % interval", "coverage", "p"):
        table.add_column(name, justify="right", no_wrap=True)
    for cue in found.cues[:most]:
        e = cue.accuracy
        values = f"{e.value:.3f}", f"{e.low:.3f} to {e.high:.3f}", f"{cue.coverage:.2f}", f"{cue.p:.3f}"
        table.add_row(cue.pick.removeprefix("the option "), *values)
    console.print(table)
    rest = len(found.cues) - (most or len(found.cues))
    remarks = [f"{rest} more cues with --all"] if rest > 0 else []
    remarks.append(f"the best cue of the other half {found.searched.value:.3f}")
    remarks.append(f"a shallow tree {found.tree.value:.3f} ({found.tree.low:.3f} to {found.tree.high:.3f})")
    remarks.append(f"{found.n:,} items, {found.units:,} units")
    if found.left_out:
        remarks.append(f"{found.left_out:,} without a gold or a choice left out")
    if found.tested < found.n:
        remarks.append(f"p and tree on {found.tested:,} of them")
    if found.mark:
        remarks.append(f"an option's {found.mark.name} gives away its position in {found.mark.share:.0%} of items")
    console.print(f"[dim]{'; '.join(remarks)}[/dim]", soft_wrap=True)
    console.print(found.verdict, style="bold", markup=False, soft_wrap=True)
