"""Which links a gloss attests: its genus is the upper concept, one thing, in an early sense, and not all it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from horsesense.lexicons.graph import load_graph
from horsesense.lexicons.sources import add_file
from horsesense.methods.wordnetqa.attested import AttestedConcepts, odd_links
from horsesense.methods.wordnetqa.certainty_rules import CertaintyRules

LINKS = {
    # lower concept, its gloss, upper concept, the upper's words: whether it is attested
    ("crash.n.01", "a serious accident on a road", "accident.n.01", "accident"): True,
    ("liner.n.01", "a large ship designed to carry passengers", "ship.n.01", "ship"): True,  # up to a participle
    ("radical.n.01", "an atom or group of atoms", "atom.n.01", "atom"): False,  # one thing or another
    ("lard.v.01", "prepare or cook with fat", "cook.v.01", "cook"): False,
    ("puree.v.01", "rub through a sieve or liquefy in a machine", "rub.v.01", "rub"): False,
    ("salt.v.01", "sprinkle as if with salt", "sprinkle.v.01", "sprinkle"): False,  # only likened
    ("perfumery.n.01", "perfumes in general", "perfume.n.01", "perfume"): False,  # all of it
    ("annum.n.01", "(Latin) year", "year.n.01", "year"): False,  # says no more than that
    (
        "oddity.n.01",
        "strange and unusual conduct",
        "strangeness.n.01",
        "strangeness",
    ): False,  # an adjective is no genus
    ("keynote.v.01", "set the theme of a speech", "set.v.05", "set"): False,  # a late sense of the genus
    ("resolve.v.01", "make clearly visible", "make_out.v.01", "make out"): False,  # half of a verb
    ("brolly.n.01", "a small umbrella for ladies", "parasol.n.01", "parasol,umbrella"): True,  # its only sense
}


@pytest.fixture(scope="module")
def attested(tmp_path_factory: pytest.TempPathFactory) -> AttestedConcepts:
    folder = tmp_path_factory.mktemp("attested")
    facts: dict[str, None] = {"pos\tliquefy.v.01\tv": None, "lemma\tliquefy.v.01\tliquefy": None}
    for lower, gloss, upper, names in LINKS:
        pos = lower.split(".")[1]
        for concept, said, called in (
            (lower, gloss, lower.split(".")[0]),
            (upper, f"what is called so {upper[:3]}", names),
        ):
            facts |= {f"lemma\t{concept}\t{lemma}": None for lemma in called.split(",")}
            facts |= {f"pos\t{concept}\t{pos}": None, f"definition\t{concept}\t{said}": None}
        facts[f"isa\t{lower}\t{upper}"] = None
    (folder / "links.tsv").write_text("\n".join(facts) + "\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HORSESENSE_CACHE", str(folder / "cache"))
        add_file("links", folder / "links.tsv")
        graph = load_graph("links")
    return AttestedConcepts(graph, CertaintyRules(graph))


@pytest.mark.parametrize("link", LINKS, ids=lambda link: str(link[0]))
def test_what_a_gloss_attests(attested: AttestedConcepts, link: tuple[str, str, str, str]) -> None:
    number = attested.graph.number
    assert attested.step(number[link[0]], number[link[2]]) is LINKS[link]


def test_odd_links_are_pairs_of_concepts_once() -> None:
    assert ("unbutton.v.01", "undo.v.01") in odd_links()
    file = Path(__file__).parents[3] / "src/horsesense/methods/wordnetqa/odd_links.tsv"
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert lines == sorted(set(lines))
    assert len(lines) == len(odd_links())
