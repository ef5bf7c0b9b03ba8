"""``horsesense show RUN ITEM``: one item, and what every model of a run answered to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from horsesense.cli.output import print_json, say
from horsesense.cli.score import evidence_document, print_evidence, text_document
from horsesense.cli.show import find_item, print_question
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.records import Item
    from horsesense.report.item_answers import ItemAnswer


def show_run(folder: Path, wanted: str | None, json: bool) -> None:
    """Print the item that ``wanted`` names with all answers to it; parts of a run that are not finished wait."""
    from horsesense.records import item_to_dict
    from horsesense.report.item_answers import item_answers
    from horsesense.runs.results import read_run

    manifest, runs = read_run(folder, unfinished=True)
    items = list({item.id: item for answered in runs for item in answered.items}.values())
    if not items:
        raise UserError("no part of the run is finished", file=folder, fix="run the same command again to finish it")
    if wanted is None:
        raise UserError(
            "of a run folder one item is shown",
            file=folder,
            fix=f"give its id, such as {items[0].id}, or make a report",
        )
    item = find_item(items, wanted, folder)
    if len(runs) < len(manifest.parts):
        say(f"{len(manifest.parts) - len(runs)} of {len(manifest.parts)} parts of the run are not finished")
    answers = item_answers(runs, item)
    if json:
        print_json({"item": item_to_dict(item), "answers": [_document(item, answer) for answer in answers]})
        return
    print_question(item_to_dict(item))
    for answer in answers:
        print()
        _print(item, answer)


def _document(item: Item, answer: ItemAnswer) -> dict[str, Any]:
    nothing = {"text": "", "tokens": []}
    compared = answer.compared
    return {
        "model": answer.model,
        "probe": answer.probe,
        "normalise": answer.normalise,
        "chosen": list(answer.chosen),
        "credit": answer.credit,
        "options": [
            {
                "option": option,
                "score": answer.scores[number],
                "sum": answer.sums[number],
                **{name: (text_document(text) if text else nothing)[name] for name in nothing},
            }
            for number, (option, text) in enumerate(zip(item.options, answer.texts, strict=True))
        ],
        "evidence": {"other": compared[2], **evidence_document(compared[0], compared[1])} if compared else None,
    }


def _print(item: Item, answer: ItemAnswer) -> None:
    print(f"{answer.model} on {answer.probe}: {_verdict(answer)}, by {answer.normalise}")
    for number, (option, text) in enumerate(zip(item.options, answer.texts, strict=True)):
        marks = f"{'→' if number in answer.chosen else ' '}{'✓' if number == item.answer else ' '}"
        print(f" {marks} {number}  {answer.scores[number]:9.4f}  {option}")
        if text:
            print(f"        {'  '.join(f'{token.token!r} {token.logprob:.2f}' for token in text.tokens)}")
    if answer.compared:
        print()
        print_evidence([answer.compared[0]], answer.compared[1])


def _verdict(answer: ItemAnswer) -> str:
    if answer.credit is None:
        return "not judged"
    return {1.0: "right", 0.0: "wrong"}.get(answer.credit, "a tie")
