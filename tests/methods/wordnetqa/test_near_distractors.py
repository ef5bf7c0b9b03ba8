"""Near distractors on a small taxonomy of our own: certificates against a brute-force reference, and the balance."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest

from horsesense.core import Probe
from horsesense.cues.relatedness import Encoder, cosines, picked
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph, load_graph
from horsesense.lexicons.sources import add_file
from horsesense.methods.wordnetqa.builder import build_wordnetqa
from horsesense.methods.wordnetqa.disjointness import Disjointness
from horsesense.methods.wordnetqa.plan import WordNetPlan
from tests.support.made_trees import invented, write_tree

FAMILIES, GENERA, KINDS = 6, 4, 5


def _write_life(path: Path) -> Path:
    """Families, genera and kinds of living things, and the taxa that they are members of; a kind has no taxon."""
    words, lines = invented(), ["# licence: CC0-1.0"]

    def concept(name: str, parent: str, word: str) -> None:
        lines.extend([f"lemma\t{name}\t{word}", f"pos\t{name}\tn"])
        lines.append(f"definition\t{name}\t{next(words)} {next(words)}")
        if parent:
            lines.append(f"isa\t{name}\t{parent}")

    concept("taxonomic_group.n.01", "", next(words))
    concept("being", "", next(words))
    for family in range(FAMILIES):
        concept(f"F{family}", "taxonomic_group.n.01", next(words))
        concept(f"f{family}", "being", next(words))
        lines.append(f"member\tf{family}\tF{family}")
        for genus in range(GENERA):
            name = f"{family}{genus}"
            concept(f"G{name}", "taxonomic_group.n.01", next(words))
            concept(f"g{name}", f"f{family}", next(words))
            lines.extend([f"member\tG{name}\tF{family}", f"member\tg{name}\tG{name}"])
            for kind in range(KINDS):
                concept(f"k{name}{kind}", f"g{name}", next(words))
    # One kind belongs to two genera, so these are not disjoint.
    lines.append("isa\tk000\tg01")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("life")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HORSESENSE_CACHE", str(folder / "cache"))
        add_file("life", _write_life(folder / "life.tsv"))
        return load_graph("life")


def _paths_up(life: Graph, name: str, members: bool) -> set[str]:
    """Walk every isa link, and with ``members`` every membership too."""
    found, waiting = set(), [name]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            number = life.number[here]
            waiting += [life.ids[other] for other, hops in life.up.row(number) if hops == 1]
            waiting += [life.ids[other] for other in life.members.get(number, ())] if members else []
    return found


def test_taxa_certify_as_by_brute_force(life: Graph) -> None:
    """Two beings are disjoint if neither reaches a taxon of the other, and no being reaches both."""
    disjoint = Disjointness(life, {})
    beings = [name for name in life.ids if name[0] in "fgk" and name != "being"]
    reach = {name: _paths_up(life, name, members=True) for name in beings}
    isa = {name: _paths_up(life, name, members=False) for name in beings}
    own = {}
    for name in beings:  # the taxa of the nearest concept that has one
        nearest = [each for each in isa[name] if life.members.get(life.number[each])]
        lowest = [each for each in nearest if not any(each in isa[other] - {other} for other in nearest)]
        own[name] = {life.ids[taxon] for each in lowest for taxon in life.members[life.number[each]]}
    numbers = [life.number[name] for name in beings]
    table = disjoint.table(numbers, numbers, sorts=False)
    certified = 0
    for (i, one), (j, other) in combinations(enumerate(beings), 2):
        apart = own[one].isdisjoint(reach[other]) and own[other].isdisjoint(reach[one])
        common = any({one, other} <= isa[each] for each in beings)
        expected = apart and not common
        assert bool(disjoint.certificate(numbers[i], numbers[j])) is expected, (one, other)
        assert table[i, j] == table[j, i] == expected
        certified += expected
    assert 0 < certified < len(beings) * (len(beings) - 1) / 2


def test_lists_certify_what_lies_below_different_members(life: Graph) -> None:
    disjoint = Disjointness(life, {"kinds": {"some": ["g10", "g20"]}, "exceptions": {"below": ["k100"]}})
    number = life.number
    assert disjoint.certificate(number["k101"], number["g20"]).startswith("taxa")
    assert disjoint.kinds(number["k101"]) == {"kinds, some": frozenset({number["g10"]})}
    assert disjoint.kinds(number["k100"]) == {}


def test_what_is_above_or_overlaps_has_no_certificate(life: Graph) -> None:
    disjoint, number = Disjointness(life, {}), life.number
    assert not disjoint.certificate(number["k100"], number["f1"])
    assert not disjoint.certificate(number["g00"], number["g01"]), "one kind is of both"
    assert disjoint.certificate(number["g00"], number["g02"])


def _hashed(name: str) -> Encoder:
    """An encoder whose similarities mean nothing: each text has a vector by chance."""

    def vectors(texts: list[str]) -> np.ndarray:
        rows = []
        for text in texts:
            rng = Random(f"{name} {text}")
            rows.append([rng.gauss(0, 1) for _ in range(8)])
        return np.array(rows)

    return Encoder(name, f"vectors by {name}", "", vectors)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def near(life: Graph) -> Probe:
    plan = WordNetPlan("hyponymy", distractors="near", options=3)
    return build_wordnetqa(life, plan, [_hashed("one"), _hashed("two")])


def test_items_carry_their_certificates(life: Graph, near: Probe) -> None:
    assert len(near.items) > 20
    disjoint = Disjointness(life)
    for item in near.items:
        assert item.answer is not None
        asked = life.number[item.groups["asked"]]
        wrong = [name for place, name in enumerate(item.concepts) if place != item.answer]
        reasons = {target: relation for relation, _, target in item.source.triples[1:]}
        assert set(reasons) == set(wrong)
        for name in wrong:
            assert reasons[name] == f"not, by {disjoint.certificate(asked, life.number[name])}"
        assert item.facets["distractor_kind"] == "near"
        assert item.facets["certificate"] == "taxa"
        assert "frequency" in item.facets


@pytest.mark.parametrize("name", ["one", "two"])
def test_relatedness_is_balanced(near: Probe, name: str) -> None:
    shares = picked(cosines(near.items, _hashed(name)))
    right = np.mean([share[item.answer or 0] for share, item in zip(shares, near.items, strict=True)])
    assert right < 1 / 3 + 0.1


def test_a_distractor_of_hypernymy_is_right_elsewhere(life: Graph) -> None:
    probe = build_wordnetqa(life, WordNetPlan("hypernymy", distractors="near", options=3), [_hashed("one")])
    right = Counter(item.groups["answer"] for item in probe.items)
    offered = Counter(concept for item in probe.items for concept in item.concepts)
    assert len(probe.items) > 5
    assert set(offered) == set(right)


def test_a_limit_is_exact(life: Graph) -> None:
    plan = WordNetPlan("hyponymy", limit=10, distractors="near", options=3)
    probe = build_wordnetqa(life, plan)
    assert len(probe.items) == len({item.id for item in probe.items}) == 10


def test_a_source_without_certificates_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    add_file("tree", write_tree(tmp_path / "tree.tsv"))
    tree = load_graph("tree")
    with pytest.raises(UserError, match="exclude each other"):
        build_wordnetqa(tree, WordNetPlan("hypernymy", distractors="near"))
    assert build_wordnetqa(tree, WordNetPlan("definitions", options=3, distractors="mixed")).items, (
        "mixed: random ones only"
    )
