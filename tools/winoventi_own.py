"""Build `winoventi-own`: candidates from the table of circumstances, a blind audit, and the items that passed.

python tools/winoventi_own.py candidates own
horsesense audit new own/questions.jsonl -o own/audit --limit 316 --seeded 60 --seed 1
python tools/winoventi_own.py keep own own/read-1.txt own/read-2.txt own/read-3.txt
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

from horsesense.annotate.audit.blind_audit import read_audit
from horsesense.annotate.audit.estimates import verdict
from horsesense.annotate.audit.steps import read_auditor_files
from horsesense.core import Card, Item, Probe, write_probe
from horsesense.lexicons.words import zipf
from horsesense.methods.winoventi.builder import OWN
from horsesense.methods.winoventi.circumstances import (
    Circumstance,
    Circumstances,
    instantiate,
    load_circumstances,
    objections_to,
)
from horsesense.methods.winoventi.nouns import Noun, clean_nouns, is_plural
from horsesense.methods.winoventi.pipeline import adversarial_triplets
from horsesense.methods.winoventi.plan import PipelineContext, PipelinePlan
from horsesense.methods.winoventi.schemas import (
    PASSED,
    VALIDATED,
    CheckedSchema,
    Schema,
    Triplet,
    read_schemas,
    write_schemas,
)
from horsesense.methods.winoventi.word_relations import load_word_relations

MODEL = "smollm2-masked"
JUDGE = "a language model, no person"
HYPHENED = {"t-shirt", "yo-yo", "walkie-talkie"}
FREQUENT = 3.2
"""Zipf frequency that each word of a noun needs."""
MOST = 3
"""Schemas a noun."""


def candidates(folder: Path, seed: int = 0) -> None:
    """One noun a frame, nouns and adjectives as different as they can be; the model says which word is generic."""
    table, lexicon, drawn = load_circumstances(), load_word_relations(), Random(seed)
    used, said = Counter[str](), Counter[str]()
    frames = list(table.frames)
    drawn.shuffle(frames)
    chosen: list[tuple[Circumstance, Noun, Triplet]] = []
    for frame in frames:
        nouns = _nouns(frame, table)
        drawn.shuffle(nouns)
        pairs = [(one, other) for one in frame.states[0] for other in frame.states[1]]
        pairs.sort(key=lambda pair: said[pair[0]] + said[pair[1]])
        for noun in sorted(nouns, key=lambda noun: used[noun.word]):
            fitting = (Triplet(noun.word, *pair, "table") for pair in pairs if used[noun.word] < MOST)
            sound = (t for t in fitting if not objections_to(instantiate(frame, t, noun), noun, frame, table, lexicon))
            triplet = next(sound, None)
            if triplet is not None:
                chosen.append((frame, noun, triplet))
                used[noun.word] += 1
                said.update((triplet.generic, triplet.exception))
                break
    by_word = {noun.word: noun for _, noun, _ in chosen}
    triplets = list({triplet.name: triplet for *_, triplet in chosen}.values())
    context = PipelineContext(PipelinePlan(model=MODEL, nouns=tuple(by_word.values())), folder)
    passed = {each.name for each in adversarial_triplets(context, triplets, folder / "asked")}
    schemas = []
    for frame, noun, triplet in chosen:
        turned = replace(triplet, generic=triplet.exception, exception=triplet.generic)
        schema = instantiate(frame, triplet if triplet.name in passed else turned, noun)
        schemas.append(replace(schema, status=PASSED))
    write_schemas(folder / "candidates.tsv", [CheckedSchema(schema, ()) for schema in schemas])
    card = Card(name="winoventi-own", method="winoventi", made="Candidates, as questions for a reader.", group="noun")
    write_probe(folder / "questions.jsonl", Probe.of([question(schema) for schema in schemas], card))


def _nouns(frame: Circumstance, table: Circumstances) -> list[Noun]:
    words = [word if word in HYPHENED else word.replace("-", " ") for word in sorted(table.types[frame.type].words)]
    return [noun for noun in clean_nouns(enumerate(words)).nouns if min(map(zipf, noun.word.split())) >= FREQUENT]


def question(schema: Schema) -> Item:
    """A schema as one question: which state goes with which premise; a reader judges either answer by itself."""
    noun, verb = schema.triplet.noun, "are" if is_plural(schema.triplet.noun) else "is"
    first, second = schema.premise.sentences

    def say(here: str, there: str) -> str:
        return f"In situation 1 the {noun} {verb} {here}; in situation 2 the {noun} {verb} {there}."

    generic, exception = schema.triplet.generic, schema.triplet.exception
    options = tuple(sorted((say(generic, exception), say(exception, generic))))
    return Item(
        probe="winoventi-own",
        form="choice",
        text=f"Situation 1: {first} Situation 2: {second} What {verb} the {noun} like?",
        options=options,
        answer=options.index(say(generic, exception)),
        family=schema.name,
        groups={"noun": noun},
    )


def keep(folder: Path, files: list[Path]) -> None:
    """Write the schemas of the sample that the auditor found good to where the package has them."""
    audit = read_audit(folder / "audit")
    judged = read_auditor_files(files, audit.items, "audit")
    sound = {
        each.source
        for each in audit.items
        if each.kind == "sample" and verdict(judged.codes[each.number], each.key) == "good"
    }
    schemas = [each.schema for each in read_schemas(folder / "candidates.tsv")[0]]
    kept = [replace(each, status=f"{VALIDATED}{JUDGE}") for each in schemas if question(each).id in sound]
    write_schemas(OWN, [CheckedSchema(schema, ()) for schema in sorted(kept, key=lambda schema: schema.name)])
    print(f"{len(kept):,} of {audit.record.sample:,} schemas that were audited are good")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("candidates", "keep"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("files", type=Path, nargs="*")
    given = parser.parse_args()
    if given.step == "candidates":
        candidates(given.folder)
    else:
        keep(given.folder, given.files)


if __name__ == "__main__":
    main()
