"""Write the near questions that ship with the package, or check that they can be written again.

OMP_NUM_THREADS=1 python -m tools.store_near [hypernymy hyponymy-more ... ladders]            write them
OMP_NUM_THREADS=1 python -m tools.store_near --check [hypernymy hyponymy-more ... ladders]    compare, byte for byte

The profile asks hypernymy, hyponymy, definitions, synonymy and dictionary; NAME-more has questions beyond those, and of
hypernymy all of the concepts that are asked at every number of hops. Needs `horsesense fetch wordnet gcide glove
minilm` and the libraries of constraints.txt; takes some minutes per set. The texts of the items follow from the stored
ids, so that a set is written again only when its rules change. definitions, dictionary and synonymy were drawn by
earlier rules: a new draw gives other questions. So does one of hyponymy-more, and from hypernymy-more and
hyponymy-more 14 and 60 questions were taken out by a rule on people that came after the draw.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np

from horsesense.cues.relatedness import Encoder, encoders
from horsesense.cues.tokens import Floats
from horsesense.lexicons.sources import open_graph
from horsesense.methods.ladders import taxa
from horsesense.methods.wordnetqa.attested import AttestedConcepts
from horsesense.methods.wordnetqa.balanced_distractors import Options
from horsesense.methods.wordnetqa.builder import items_of
from horsesense.methods.wordnetqa.certainty_rules import CertaintyRules
from horsesense.methods.wordnetqa.dictionaryqa import DictionaryPlan, draw_near, item_of
from horsesense.methods.wordnetqa.distractors import QuestionOptions
from horsesense.methods.wordnetqa.near_distractors import NearBuilder, at_all_hops
from horsesense.methods.wordnetqa.near_senses import Senses
from horsesense.methods.wordnetqa.plan import Relation, WordNetPlan
from horsesense.methods.wordnetqa.stored_near import MORE, stored_in, write_stored
from horsesense.methods.wordnetqa.trimming import trim

SEARCHED: dict[str, int | None] = {
    "hypernymy-more": None,
    "hyponymy-more": None,
    "definitions-more": 5200,
    "synonymy": None,
    "synonymy-more": None,
}
"""Sets by `set_search`, and the number of candidates; None: all."""
METHODS = Path(__file__).parents[1] / "src" / "horsesense" / "methods"
STORED: dict[str, Path] = {
    **{name: METHODS / "wordnetqa" / "near" / f"{name}.tsv.gz" for name in ("hypernymy", "hyponymy", "definitions")},
    **{name: METHODS / "wordnetqa" / "near" / f"{name}.tsv.gz" for name in SEARCHED},
    "dictionary": METHODS / "wordnetqa" / "near" / "dictionary.tsv.gz",
    "ladders": METHODS / "ladders" / taxa.FILE,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="sets; by default, those that are stored")
    parser.add_argument("--check", action="store_true", help="compare with the stored files instead of writing them")
    arguments = parser.parse_args()
    known = [remembered(encoder) for encoder in encoders()]
    if len(known) < 2:
        sys.exit("both encoders are needed: horsesense fetch glove minilm")
    different = []
    for name in arguments.names or [name for name, file in STORED.items() if file.is_file()]:
        with TemporaryDirectory() as folder:
            made = Path(folder) / STORED[name].name
            write(name, made, known)
            if not arguments.check:
                STORED[name].write_bytes(made.read_bytes())
            elif made.read_bytes() != STORED[name].read_bytes():
                different.append(name)
    if different:
        sys.exit(f"not as stored: {', '.join(different)}")


def write(name: str, file: Path, known: Sequence[Encoder]) -> None:
    """Write one set."""
    graph = open_graph("wordnet")
    if name == "ladders":
        taxa.write_taxa(graph, known, file)
    elif name == "dictionary":
        dictionary, plan = open_graph("gcide"), DictionaryPlan(distractors="near")
        slots = draw_near(Senses(dictionary, graph), graph, plan, known)
        items = [item_of(dictionary, slot, plan) for slot in slots]
        left = trim(items, known, graph, "word")
        write_stored(file, dictionary, [slots[index] for index in left])
        print(f"{name}: {len(left):,} of {len(slots):,} questions")
    else:
        relation = cast(Relation, name.partition("-")[0])
        asked = WordNetPlan(relation, distractors="near", wording="en", common=True, one_split=True)
        attested = AttestedConcepts(graph, CertaintyRules(graph))
        options = Options(graph, asked, attested, template_words=False)
        builder = NearBuilder(options, attested, known, Counter())
        before: list[QuestionOptions] = []
        fixed = 0
        if name in SEARCHED:
            stored = [each for file in _files_before(name) for each in stored_in(file)]
            before = [builder.choice(*each.question(graph, relation)) for each in stored]
            choices = builder.more_choices(before, lambda some: list(items_of(graph, some, asked)), SEARCHED[name])
            whole = at_all_hops([each.question.pair for each in choices], graph)
            choices[len(before) :] = sorted(choices[len(before) :], key=lambda each: each.question.asked not in whole)
            fixed = len(before) + sum(each.question.asked in whole for each in choices[len(before) :])
        else:
            choices = builder.choices(None)
        left = trim(list(items_of(graph, choices, asked)), known, graph, "asked", fixed=fixed)
        left = left[len(before) :]
        write_stored(file, graph, [choices[index] for index in left])
        print(f"{name}: {len(left):,} of {len(choices) - len(before):,} questions")


def remembered(encoder: Encoder) -> Encoder:
    """Return the encoder with a memory, since a search needs the same texts several times."""
    vectors: dict[str, Floats] = {}

    def encode(texts: Sequence[str]) -> Floats:
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        vectors.update(zip(new, encoder.encode(new), strict=True) if new else ())
        return np.stack([vectors[text] for text in texts])

    return replace(encoder, encode=encode)


def _files_before(name: str) -> list[str]:
    """Return the files whose questions come before those of a set."""
    return [name.removesuffix(MORE)] if name.endswith(MORE) else []


if __name__ == "__main__":
    main()
