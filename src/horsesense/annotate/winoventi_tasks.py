"""Task files of a WinoVenti pipeline: exceptions to find, premises to write, schemas to validate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.task import assign, tasks_of
from horsesense.annotate.task_files import write_tasks
from horsesense.files.tables import write_rows
from horsesense.methods.winoventi.associations import Association
from horsesense.methods.winoventi.building import build_winoventi
from horsesense.methods.winoventi.checks import CheckedSchema
from horsesense.methods.winoventi.exceptions import association_item
from horsesense.methods.winoventi.nouns import Noun, is_plural
from horsesense.methods.winoventi.triplet_files import TRIPLET_COLUMNS
from horsesense.records import Card, Probe, write_probe
from horsesense.runs.folder import locked


def write_people_tasks(pipeline: Path, associations: Sequence[Association], schemas: Sequence[CheckedSchema]) -> None:
    """Write ``tasks`` into the folder of a pipeline; a file that is there may be being filled in, and stays."""
    with locked(pipeline):
        folder = pipeline / "tasks"
        for instrument, probe in _parts(associations, schemas):
            _write_part(folder, instrument, probe)
        if not (folder / "premises.csv").exists():
            triplets = {checked.schema.triplet.name: checked.schema.triplet for checked in schemas}
            rows = (
                {"noun": each.noun, "generic": each.generic, "exception": each.exception, "k": each.k}
                for each in triplets.values()
            )
            write_rows(folder / "premises.csv", rows, (*TRIPLET_COLUMNS, "premise", "annotator"))


def _parts(associations: Sequence[Association], schemas: Sequence[CheckedSchema]) -> list[tuple[str, Probe]]:
    """Instruments, and what they are asked about; schemas of machines and people are never mixed."""
    items = [association_item(each, Noun(each.noun, is_plural(each.noun))) for each in associations]
    card = Card(
        name="winoventi-associations", method="winoventi", made="Associations of a model, to find exceptions to."
    )
    parts = [("exceptions", Probe.of(items, card))]
    for machine in (True, False):
        if any(each.passes and (each.schema.origin == "machine") == machine for each in schemas):
            parts.append(("schema", build_winoventi(schemas, machine=machine)))
    return parts


def _write_part(folder: Path, name: str, probe: Probe) -> None:
    instrument = find_instrument(name)
    path = folder / f"{probe.card.name}.csv"
    if path.exists():
        return
    write_probe(path.with_suffix(".jsonl"), probe)
    write_tasks(path, instrument, assign(tasks_of(probe, instrument), (), instrument.judgements))
