"""Part-whole adjectives: does an adjective of the whole hold for the part?

Mullenbach, Gordon, Peng, May, "Do Nuclear Submarines Have Nuclear Captains?" (EMNLP 2019).

- Read: `dataset` (published triples, inference rows and votes), `checking` (odd rows of a file).
- Build: `pairs` and `adjectives` (sections 3.1 and 3.2), `rules` that select them, `builder` of candidates;
  `own_probe` ships with the package.
- Forms: `recasting` (fewer labels; premise and hypothesis, section 5.2), `splits`, `pictures`.
- Analyse: `table` and `suite` (the paper's table with a user's models), `distributions` (comparison with votes).

The commands of `METHOD` name the public functions, which are also attributes of this package (``hs.partwhole.split``);
`settings` their settings classes, `render` prints their results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.registry import Command, Method, Reader, lazy_attributes, public_names

if TYPE_CHECKING:
    from horsesense.methods.partwhole.builder import AdjectiveSources as AdjectiveSources
    from horsesense.methods.partwhole.builder import PairSources as PairSources
    from horsesense.methods.partwhole.builder import build as build
    from horsesense.methods.partwhole.checking import check as check
    from horsesense.methods.partwhole.pictures import pick_pictures as pick_pictures
    from horsesense.methods.partwhole.recasting import gold as gold
    from horsesense.methods.partwhole.recasting import premises as premises
    from horsesense.methods.partwhole.recasting import recast as recast
    from horsesense.methods.partwhole.rules import CandidateRules as CandidateRules
    from horsesense.methods.partwhole.splits import split as split
    from horsesense.methods.partwhole.table import paper_table as paper_table

_HERE = "horsesense.methods.partwhole"

METHOD = Method(
    name="partwhole",
    citation="James Mullenbach, Jonathan Gordon, Nanyun Peng and Jonathan May. Do Nuclear Submarines Have Nuclear "
    "Captains? A Challenge Dataset for Commonsense Reasoning over Adjectives and Objects. EMNLP-IJCNLP 2019. "
    "doi:10.18653/v1/D19-1625",
    builders={"partwhole": f"{_HERE}.builder:build"},
    probes={"partwhole-own": f"{_HERE}.own_probe:own_probe"},
    readers={
        "partwhole": Reader(f"{_HERE}.dataset:read_partwhole"),
        "partwhole-nli": Reader(f"{_HERE}.dataset:read_partwhole_nli"),
    },
    suites={"partwhole": f"{_HERE}.suite:PARTWHOLE"},
    rules={"partwhole": "horsesense.stats.raters.adjudication:MEDIAN_WITHOUT_OBJECTIONS"},
    instruments=_HERE,
    summary="Split, recast and check part-whole triples",
    commands=(
        Command(
            "build partwhole",
            f"{_HERE}.builder:build",
            "Build unlabelled part-whole triples",
            "horsesense build partwhole --wordnet --text corpus.txt -o candidates.jsonl",
        ),
        Command(
            "partwhole check",
            f"{_HERE}.checking:check",
            "Find odd rows in a file of triples",
            "horsesense partwhole check train.csv",
            render=f"{_HERE}.render:print_odd",
        ),
        Command(
            "partwhole gold",
            f"{_HERE}.recasting:gold",
            "Draw gold items for a qualification test",
            "horsesense partwhole gold gold_annotations.csv --per-label 1 -o gold.jsonl",
        ),
        Command(
            "partwhole pictures",
            f"{_HERE}.pictures:pick_pictures",
            "Pick pictures of pairs for annotators",
            "horsesense partwhole pictures candidates.jsonl --relationships relationships.json "
            "--images image_data.json -o pictures.jsonl",
            render=f"{_HERE}.render:print_pictures",
        ),
        Command(
            "partwhole premises",
            f"{_HERE}.recasting:premises",
            "Turn triples into premise and hypothesis",
            "horsesense partwhole premises dev.jsonl --corpus corpus.txt -o premises.jsonl",
        ),
        Command(
            "partwhole recast",
            f"{_HERE}.recasting:recast",
            "Map the five labels to fewer",
            "horsesense partwhole recast dev.jsonl --labels three -o three.jsonl",
        ),
        Command(
            "partwhole split",
            f"{_HERE}.splits:split",
            "Split triples for training and test",
            "horsesense partwhole split all.jsonl --by nouns -o parts",
            render=f"{_HERE}.render:print_split",
        ),
        Command(
            "partwhole table",
            f"{_HERE}.table:paper_table",
            "Compute the paper's table for runs",
            "horsesense partwhole table runs/smollm2 --train train.jsonl",
            render=f"{_HERE}.render:print_table",
        ),
    ),
)
"""What this package adds to the program."""

_PUBLIC = public_names(
    METHOD,
    f"{_HERE}.builder:AdjectiveSources",
    f"{_HERE}.rules:CandidateRules",
    f"{_HERE}.builder:PairSources",
)
__all__ = [*_PUBLIC]
__getattr__, __dir__ = lazy_attributes(__name__, _PUBLIC)
