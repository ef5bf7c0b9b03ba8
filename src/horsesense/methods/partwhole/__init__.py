"""Part-whole adjectives: does an adjective of the whole hold for the part?

Mullenbach, Gordon, Peng, May, "Do Nuclear Submarines Have Nuclear Captains?" (EMNLP 2019).

- Read: `dataset` (published triples, inference rows and votes), `checking` (odd rows of a file).
- Build: `pairs` and their adjectives (sections 3.1 and 3.2), `rules` that select them, `builder` of candidates;
  `own_probe` ships with the package.
- Forms: `recasting` (fewer labels; premise and hypothesis, section 5.2; splits), `pictures`.
- Analyse: `table` and `suite` (the paper's table with a user's models), `distributions` (comparison with votes).

The commands of `METHOD` name the public functions, which are also attributes of this package (``hs.partwhole.split``);
`settings` their settings classes, `render` prints their results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.registry import Method, Reader, lazy_attributes, read_commands, typed_names

if TYPE_CHECKING:
    from horsesense.methods.partwhole.builder import AdjectiveSources as AdjectiveSources
    from horsesense.methods.partwhole.builder import PairSources as PairSources
    from horsesense.methods.partwhole.builder import build as build
    from horsesense.methods.partwhole.checking import check as check
    from horsesense.methods.partwhole.pictures import pick_pictures as pick_pictures
    from horsesense.methods.partwhole.recasting import gold as gold
    from horsesense.methods.partwhole.recasting import premises as premises
    from horsesense.methods.partwhole.recasting import recast as recast
    from horsesense.methods.partwhole.recasting import split as split
    from horsesense.methods.partwhole.rules import CandidateRules as CandidateRules
    from horsesense.methods.partwhole.table import paper_table as paper_table

_HERE = "horsesense.methods.partwhole"

METHOD = Method(
    name="partwhole",
    citation="James Mullenbach, Jonathan Gordon, Nanyun Peng and Jonathan May. Do Nuclear Submarines Have Nuclear "
    "Captains? A Challenge Dataset for Commonsense Reasoning over Adjectives and Objects. EMNLP-IJCNLP 2019. "
    "doi:10.18653/v1/D19-1625",
    probes={"partwhole-own": f"{_HERE}.own_probe:own_probe"},
    files={"partwhole": _HERE},
    readers={
        "partwhole": Reader(f"{_HERE}.dataset:read_partwhole"),
        "partwhole-nli": Reader(f"{_HERE}.dataset:read_partwhole_nli"),
    },
    votes={"partwhole": f"{_HERE}.dataset:read_partwhole_votes"},
    suites={"partwhole": f"{_HERE}.suite:PARTWHOLE"},
    rules={"partwhole": "horsesense.stats.raters.adjudication:MEDIAN_WITHOUT_OBJECTIONS"},
    instruments=_HERE,
    summary="Prepare and check part-whole triples",
    commands=read_commands(__file__, __name__),
)
"""What this package adds to the program."""

_PUBLIC = typed_names(__file__)
__all__ = [*_PUBLIC]
__getattr__, __dir__ = lazy_attributes(__name__, _PUBLIC)
