"""Write the near questions that ship with the package: ``python tools/store_near.py [hypernymy … dictionary ladders]``.

Needs `horsesense fetch wordnet gcide glove minilm`; takes some minutes per set. The texts of the items follow from the
stored ids, so that a set is written again only when its rules change.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from horsesense.cues.relatedness import encoders
from horsesense.lexicons.sources import open_graph
from horsesense.methods.ladders import taxa
from horsesense.methods.wordnetqa.attested import AttestedConcepts
from horsesense.methods.wordnetqa.balanced_distractors import Options
from horsesense.methods.wordnetqa.certainty_rules import CertaintyRules
from horsesense.methods.wordnetqa.dictionaryqa import DictionaryPlan, near_slots
from horsesense.methods.wordnetqa.near_distractors import NearBuilder
from horsesense.methods.wordnetqa.near_senses import Senses
from horsesense.methods.wordnetqa.plan import RELATIONS, WordNetPlan
from horsesense.methods.wordnetqa.stored_near import write_stored

METHODS = Path(__file__).parents[1] / "src" / "horsesense" / "methods"
SETS = (*RELATIONS, "dictionary", "ladders")


def store(name: str) -> None:
    """Write one set."""
    graph, known = open_graph("wordnet"), encoders()
    file = METHODS / "wordnetqa" / "near" / f"{name}.tsv.gz"
    file.unlink(missing_ok=True)
    if name == "ladders":
        taxa.write_taxa(graph, known, METHODS / "ladders" / taxa.FILE)
    elif name == "dictionary":
        dictionary = open_graph("gcide")
        plan = DictionaryPlan(distractors="near")
        write_stored(file, dictionary, near_slots(Senses(dictionary, graph), graph, plan, known))
    else:
        plan_of = WordNetPlan(name, distractors="near", wording="en", common=True, one_split=True)
        attested = AttestedConcepts(graph, CertaintyRules(graph))
        options = Options(graph, plan_of, attested, template_words=False)
        write_stored(file, graph, NearBuilder(options, attested, known, Counter()).choices(None))


if __name__ == "__main__":
    for each in sys.argv[1:] or SETS:
        store(each)
