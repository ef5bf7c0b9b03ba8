"""Compare prompt formats on one model, local and served: accuracy of each, their spread, share of replies parsed.

    python bench/prompt_formats.py --out FOLDER [--limit N] PROBE... -m smollm2 -m own -m NAME=openai:http://HOST/v1

``own`` is smollm2 behind the server that the tests have, in float32. Each model is asked in the prompt formats that it
supports; the others are listed. The folder stores everything: a stopped run resumes, and the table shows what is there.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import horsesense as hs
from horsesense.models.api.settings import ServedSettings
from horsesense.models.hf.load import load_model as load_weights
from horsesense.models.load import load_model
from horsesense.progress import Progress
from horsesense.runs.result import Result
from horsesense.scoring.prompt_formats import PROMPT_FORMATS, get_prompt_format
from horsesense.settings import labelled

if TYPE_CHECKING:
    from collections.abc import Sequence

PATIENT = ServedSettings(concurrency=2, timeout=600.0)
"""A model of 135 million parameters answers soon, unless the machine is busy."""

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


class Told(Progress):
    """What is said goes to standard error, so that the table stands alone."""

    def log(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


def own_server(stack: ExitStack) -> str:
    """The name of smollm2 behind the tests' server, which runs as long as the stack is open."""
    from tests.support.model_server import ModelServer

    return stack.enter_context(ModelServer(load_weights("smollm2", device="cpu")).running()).name


def asked(label: str, found_by: str, probes: Sequence[str], folder: Path, limit: int | None, formats: set[str]) -> None:
    """Run what the folder does not have yet, one probe and one prompt format after the other."""
    model = load_model(found_by, served=PATIENT)
    for name in PROMPT_FORMATS:
        if name not in formats:
            continue
        needs = get_prompt_format(name).needs
        if not model.can(needs):
            print(f"{label}: not by {name}: {model.why_not(needs)}", file=sys.stderr, flush=True)
            continue
        for probe in probes:
            place = folder / label / Path(probe).stem / name
            hs.ask(f"{label}={found_by}", probe, formats=name, out=place, limit=limit, served=PATIENT, progress=Told())


def table(folder: Path, labels: Sequence[str], probes: Sequence[str]) -> list[str]:
    """Print a row per probe and model: accuracy by prompt format with its interval, spread, share of replies parsed."""
    names = list(PROMPT_FORMATS)
    rows = [f"| probe | asked | n | {' | '.join(names)} | apart | replies made out |", "|---" * (len(names) + 5) + "|"]
    for probe in (Path(each).stem for each in probes):
        for label in labels:
            found = {name: _result(folder / label / probe / name) for name in names}
            known = {name: result for name, result in found.items() if result is not None}
            if not known:
                continue
            values = [result.accuracy.value for result in known.values()]
            apart = f"{max(values) - min(values):.3f}" if len(values) > 1 else ""
            first = next(iter(known.values()))
            about = f"{probe} (chance {first.accuracy.chance:.3f})" if first.accuracy.chance is not None else probe
            shown = [
                about,
                label,
                str(first.accuracy.n),
                *(_cell(found[name]) for name in names),
                apart,
                _made_out(known),
            ]
            rows.append(f"| {' | '.join(shown)} |")
    return rows


def _result(folder: Path) -> Result | None:
    if not (folder / "manifest.json").is_file():
        return None
    found = hs.open_run(folder, unfinished=True).results().documents
    return found[0] if found else None


def _cell(result: Result | None) -> str:
    return "–" if result is None else f"{result.accuracy:.3f}"


def _made_out(known: dict[str, Result]) -> str:
    said = known["generate"].replies if "generate" in known else None
    return f"{said.parsed} of {said.n}" if said else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("probes", nargs="+")
    parser.add_argument("-m", "--model", action="append", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--formats", default=",".join(PROMPT_FORMATS))
    parser.add_argument("--table-only", action="store_true")
    given = parser.parse_args()
    labels = [labelled(name)[0] for name in given.model]
    if not given.table_only:
        with ExitStack() as stack:
            for name in given.model:
                label, found_by = labelled(name)
                found_by = own_server(stack) if found_by == "own" else found_by
                asked(label, found_by, given.probes, given.out, given.limit, set(given.formats.split(",")))
    print("\n".join(table(given.out, labels, given.probes)))


if __name__ == "__main__":
    main()
