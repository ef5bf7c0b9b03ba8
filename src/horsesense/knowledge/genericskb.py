"""GenericsKB (Bhakthavatsalam et al., 2020): what kinds of things do, in sentences such as "Beavers build dams."."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files import numbered_lines
from horsesense.knowledge.triples import Fact, Facts
from horsesense.language.inflection import noun_forms, verb_form

LICENCE = "CC BY 4.0"
_SENTENCE = re.compile(r"([A-Za-z -]+)\.")


def read_generics(paths: Sequence[Path]) -> Facts:
    """Sentences whose subject is the plural of their term: the rest is what that kind of thing does (``CapableOf``).

    Others (definitions, lists of parts, subjects with a relative clause) are counted and left out.
    """
    left_out: Counter[str] = Counter()
    facts: dict[tuple[str, str], float] = {}
    for path in paths:
        for number, line in numbered_lines(path):
            cells = line.rstrip("\r").split("\t")
            if len(cells) != 3:
                fix = "a line has term, sentence and score, tabs between them"
                raise UserError("this is not a line of GenericsKB", file=path, line=number, fix=fix)
            term, sentence = cells[0].lower(), cells[1].strip()
            does = _does(term, sentence)
            if does:
                facts[term, does] = float(cells[2])
            else:
                left_out["not what a kind of thing does"] += 1
    found = tuple(Fact("CapableOf", term, does, weight) for (term, does), weight in facts.items())
    return Facts("genericskb", LICENCE, found, left_out)


def _does(term: str, sentence: str) -> str:
    """What the plural of a term does, as an infinitive; empty where the sentence says something else."""
    plain = _SENTENCE.fullmatch(sentence)
    plural = noun_forms(term)[-1]
    if not plain or not plain[1].lower().startswith(f"{plural} "):
        return ""
    rest = plain[1][len(plural) + 1 :]
    return rest if verb_form(rest.split(" ")[0])[1] == "base" else ""
