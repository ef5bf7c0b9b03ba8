"""Write the near questions that ship with the package, or check that they can be written again.

OMP_NUM_THREADS=1 python -m tools.store_near [hypernymy hyponymy-more ... ladders]            write them
OMP_NUM_THREADS=1 python -m tools.store_near --check [hypernymy hyponymy-more ... ladders]    compare, byte for byte

The profile asks hypernymy, hyponymy, definitions and dictionary. NAME-more has questions beyond those. Needs
`horsesense fetch wordnet gcide glove minilm` and the libraries of constraints.txt; takes some minutes per set. The
texts of the items follow from the stored ids, so that a set is written again only when its rules change. Definitions
and dictionary were drawn before sets were trimmed here, and then trimmed: a new draw gives other questions.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from horsesense.cues.relatedness import Encoder, encoders
from horsesense.lexicons.sources import open_graph
from horsesense.methods.ladders import taxa
from horsesense.methods.wordnetqa.attested import AttestedConcepts
from horsesense.methods.wordnetqa.balanced_distractors import Options
from horsesense.methods.wordnetqa.builder import items_of
from horsesense.methods.wordnetqa.certainty_rules import CertaintyRules
from horsesense.methods.wordnetqa.dictionaryqa import DictionaryPlan, draw_near, item_of
from horsesense.methods.wordnetqa.near_distractors import NearBuilder
from horsesense.methods.wordnetqa.near_senses import Senses
from horsesense.methods.wordnetqa.plan import Relation, WordNetPlan
from horsesense.methods.wordnetqa.stored_near import MORE, stored_questions, write_stored
from horsesense.methods.wordnetqa.trimming import trim

SEARCHED = ("hyponymy-more",)
METHODS = Path(__file__).parents[1] / "src" / "horsesense" / "methods"
STORED: dict[str, Path] = {
    **{name: METHODS / "wordnetqa" / "near" / f"{name}.tsv.gz" for name in ("hypernymy", "hyponymy", "definitions")},
    **{name: METHODS / "wordnetqa" / "near" / f"{name}.tsv.gz" for name in SEARCHED},
    "dictionary": METHODS / "wordnetqa" / "near" / "dictionary.tsv.gz",
    "ladders": METHODS / "ladders" / taxa.FILE,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="sets; by default, all")
    parser.add_argument("--check", action="store_true", help="compare with the stored files instead of writing them")
    arguments = parser.parse_args()
    known = encoders()
    if len(known) < 2:
        sys.exit("both encoders are needed: horsesense fetch glove minilm")
    different = []
    for name in arguments.names or STORED:
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
        items = [item_of(dictionary, slot, "test", plan) for slot in slots]
        left = trim(items, known, graph, "word")
        write_stored(file, dictionary, [slots[index] for index in left])
        print(f"{name}: {len(left):,} of {len(slots):,} questions")
    else:
        relation = cast(Relation, name.removesuffix(MORE))
        asked = WordNetPlan(relation, distractors="near", wording="en", common=True, one_split=True)
        attested = AttestedConcepts(graph, CertaintyRules(graph))
        options = Options(graph, asked, attested, template_words=False)
        builder = NearBuilder(options, attested, known, Counter())
        if name in SEARCHED:
            first = stored_questions(graph, relation, asked.options, 0, None) if name.endswith(MORE) else []
            questions = {(graph.number[each.asked], graph.number[each.answer]) for each in first}
            choices = builder.more_choices(questions, lambda some: list(items_of(graph, some, asked)))
        else:
            choices = builder.choices(None)
        left = trim(list(items_of(graph, choices, asked)), known, graph, "asked")
        write_stored(file, graph, [choices[index] for index in left])
        print(f"{name}: {len(left):,} of {len(choices):,} questions")


if __name__ == "__main__":
    main()
