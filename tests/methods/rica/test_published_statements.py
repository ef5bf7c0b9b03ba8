"""RICA's statements and axioms, on lines of our own."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from horsesense.core import fill_blank
from horsesense.errors import UserError
from horsesense.methods.published import read_files
from horsesense.methods.rica.perturbations import ASYMMETRIES, PERTURBATIONS, Perturbation
from horsesense.methods.rica.published_axioms import MEMBERS
from horsesense.methods.rica.published_statements import blank, units


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_the_conclusion_is_blanked_not_the_premise(tmp_path: Path) -> None:
    sentences = write(
        tmp_path / "train_sentences.txt",
        "wob has more salt than zim, so wob is more likely to float than zim",
        "zim has more salt than wob, so wob is less likely to float than zim.",
        "gax is a whale and pul is a gnat, so pul is not more heavy than gax",
        "gax is a gnat and pul is a whale, so gax is not more heavy than pul",
    )
    masks = write(tmp_path / "train_sentences_m.txt", "more", "less", "more", "more")
    probe = read_files("rica", [sentences, masks])
    assert [item.text for item in probe.items] == [
        "wob has more salt than zim, so wob is ___ likely to float than zim",
        "zim has more salt than wob, so wob is ___ likely to float than zim.",
        "gax is a whale and pul is a gnat, so pul is not ___ heavy than gax",
        "gax is a gnat and pul is a whale, so gax is not ___ heavy than pul",
    ]
    assert {item.options for item in probe.items} == {("less", "more")}, "the order says nothing"
    assert [item.answer for item in probe.items] == [1, 0, 1, 1]
    assert probe.items[0].family == probe.items[1].family != probe.items[2].family
    assert probe.items[0].facets["split"] == "train"
    facets = [
        tuple(item.facets[n] for n in ("comparative", "perturbation", "asymmetry", "valence", "rule"))
        for item in probe.items
    ]
    assert facets == [
        ("more", "original", "none", 1, "right"),
        ("less", "original", "premise", -1, "right"),
        ("more", "negation", "conclusion", 1, "right"),
        ("more", "negation", "none", 1, "wrong"),
    ]
    assert probe.card.notes == {"mask word in the premise too": 1, "no final newline": 2}
    assert (probe.card.normalise, probe.card.licence) == ("sum", "none stated")


def test_a_denied_pair_goes_with_the_pair_before_it_that_says_the_same(tmp_path: Path) -> None:
    sentences = write(
        tmp_path / "test_sentences.txt",
        "wob is made out of wax, zim is made out of iron, so wob is more likely to be soft than zim",
        "fip is made of wax, tol is made of iron, so tol is not more soft than fip",
        "gax is a whale, pul is a gnat, so pul is not more heavy than gax",
        "kuf is made of wax, zor is made of iron, so kuf is more soft than zor",
    )
    items = read_files("rica", [sentences, write(tmp_path / "m.txt", *["more"] * 4)]).items
    first, denied, other, again = items
    assert first.family == denied.family, "worded otherwise by the conversion, and the same axiom"
    assert other.family != first.family, "it denies, but something else"
    assert again.family != denied.family, "told once more is another family"
    assert again.groups["axiom"] == denied.groups["axiom"], "and no independent one"


NAMES = ["".join(pair) for pair in product("bdfghjklmnprstvz", "ae", "bdklmt")]


def curated_block(premise: str, phrases: dict[str, str], orders: tuple[str, ...]) -> list[str]:
    """Statements of our own in the order of the human-curated set: each place has its names."""
    lines: list[str] = []
    for phrase, denied in PERTURBATIONS.values():
        for order in orders:
            a, b = NAMES[2 * len(lines)], NAMES[2 * len(lines) + 1]
            pole = "more" if (phrase in ("phrase", "paraphrase")) == (order == "none") else "less"
            pole = {"more": "less", "less": "more"}[pole] if denied else pole
            subject, other = (a, b) if order == "none" else (b, a)
            no = "is not" if denied else "is"
            told = premise.replace("A", a).replace("B", b)
            lines.append(f"{told}, so {subject} {no} {pole} {phrases[phrase]} than {other}")
    return lines


def test_the_curated_set_has_an_axiom_in_24_lines_whatever_names_it_uses(tmp_path: Path) -> None:
    soft = {"phrase": "soft", "antonym": "hard", "paraphrase": "yielding", "inversion": "stiff"}
    loud = {"phrase": "loud", "antonym": "quiet", "paraphrase": "noisy", "inversion": "hushed"}
    alone = [
        "was eating, so A was hungry before eating",
        "was eating, so A wasn't hungry after eating",
        "was eating, so A was full after eating",
        "was eating, so A was starving before eating",
        "was eating, so A wasn't stuffed before eating",
        "was eating, so A wasn't full before eating",
        "was eating, so A wasn't starving after eating",
        "was eating, so A was stuffed after eating",
    ]
    lines = [
        *curated_block("A is waxier than B", soft, ASYMMETRIES),
        *curated_block("A is B's drummer", loud, ASYMMETRIES),
        *curated_block("A is waxier than B", loud, ASYMMETRIES),
        *[f"{name} {line.replace('A', name)}" for name, line in zip(NAMES, alone, strict=False)],
    ]
    masks = [next(w for w in re.findall(r"more|less|before|after", line)) for line in lines]
    probe = read_files("rica", [write(tmp_path / "eval_sentences.txt", *lines), write(tmp_path / "m.txt", *masks)])
    families = Counter(item.family for item in probe.items)
    assert families == {
        "A is waxier than B": 24,
        "A is B's drummer": 24,
        "A is waxier than B (2)": 24,
        "A was eating": 8,
    }
    assert len({item.groups["axiom"] for item in probe.items}) == 4
    expected = [Perturbation(name, order) for name in PERTURBATIONS for order in ASYMMETRIES]
    assert [item.member for item in probe.items[:24]] == [kind.name for kind in expected]
    kinds = [item.facets["perturbation"] for item in probe.items[72:]]
    assert kinds[4] == "negation_paraphrase_inversion", "the place has either, and the statement denies"
    assert kinds[7] == "paraphrase_inversion"
    assert kinds[1] == "negation", "n't denies as not does"
    assert [item.facets["retest"] for item in probe.items[:3]] == [False, False, True]


def test_lines_that_are_not_in_blocks_throughout_are_read_by_names(tmp_path: Path) -> None:
    soft = {"phrase": "soft", "antonym": "hard", "paraphrase": "yielding", "inversion": "stiff"}
    lines = curated_block("A is waxier than B", soft, ASYMMETRIES)[:-1]
    masks = [next(w for w in re.findall(r"more|less", line)) for line in lines]
    probe = read_files("rica", [write(tmp_path / "eval_sentences.txt", *lines), write(tmp_path / "m.txt", *masks)])
    assert len({item.family for item in probe.items}) > 1


def test_the_curated_set_behind_the_raw_one_is_recognised(tmp_path: Path) -> None:
    """As in the joint file of the leaderboard."""
    soft = {"phrase": "soft", "antonym": "hard", "paraphrase": "yielding", "inversion": "stiff"}
    raw = [
        "wob is made out of wax, zim is made out of iron, so wob is more soft than zim",
        "fip is made of wax, tol is made of iron, so fip is not less soft than tol",
        "gax is a whale, pul is a gnat, so gax is more heavy than pul",
    ]
    lines = [*raw, *curated_block("A is waxier than B", soft, ASYMMETRIES)]
    found = units(lines)
    assert Counter(unit.axiom for unit in found) == Counter(unit.axiom for unit in units(raw)) + Counter(
        {"A is waxier than B": 24}
    )


def test_the_joint_file_of_the_release(shared: Path) -> None:
    folder = shared / "data" / "rica" / "data"
    parts = [folder / "10k" / "test_sentences.txt", folder / "human_curated_set" / "eval_sentences.txt"]
    lines = [path.read_text(encoding="utf-8").splitlines() for path in parts]
    axioms = [unit.axiom for unit in units([*lines[0], *lines[1]])]
    assert (len(set(axioms[:1005])), len(set(axioms[1005:])), len(set(axioms))) == (171, 80, 251)


def test_the_pair_comes_from_the_config(tmp_path: Path) -> None:
    sentences = write(tmp_path / "s.txt", "wob lives in Oslo, so wob is in a frostier place than zim")
    masks, config = write(tmp_path / "m.txt", "frostier"), write(tmp_path / "c.txt", "['frostier', 'balmier']")
    (item,) = read_files("rica", [sentences, masks, config]).items
    assert (item.options, item.answer) == (("balmier", "frostier"), 1)
    with pytest.raises(UserError, match=r"opposite of 'frostier'.*give a config"):
        read_files("rica", [sentences, masks])


@pytest.mark.parametrize(
    ("wrong", "mask", "pair", "complaint"),
    [
        ("c.txt", "frostier", "frostier", "not a list of two words"),
        ("c.txt", "frostier", "", "the line is empty"),
        ("c.txt", "frostier", "['more', 'less']", "does not pair 'frostier'"),
        ("m.txt", "two words", "['frostier', 'balmier']", "'two words' is not one word"),
    ],
)
def test_a_bad_line_is_told_of_the_file_that_holds_it(
    wrong: str, mask: str, pair: str, complaint: str, tmp_path: Path
) -> None:
    statements = [f"wob lives in {town}, so wob is in a frostier place than zim" for town in ("Oslo", "Rome", "Bonn")]
    good = "['frostier', 'balmier']"
    paths = [
        write(tmp_path / "s.txt", *statements),
        write(tmp_path / "m.txt", "frostier", mask, "frostier"),
        write(tmp_path / "c.txt", good, pair, good),
    ]
    with pytest.raises(UserError, match=complaint) as error:
        read_files("rica", paths)
    assert (error.value.file, error.value.line) == (str(tmp_path / wrong), 2)
    assert read_files("rica", paths, skip_bad=True).card.notes["bad lines skipped"] == 1


def test_the_last_connective_tells_the_conclusion() -> None:
    assert (
        blank("A is cold, so A is colder, so A is colder than B", "colder")
        == "A is cold, so A is colder, so A is ___ than B"
    )
    assert blank("A sleeps because A is more tired than B", "more").count("___") == 1
    with pytest.raises(UserError, match="occurs twice"):
        blank("A is more tired because B is more loud", "more")
    with pytest.raises(UserError, match="is not in the conclusion"):
        blank("A runs more than B, so A is moreover less slow", "more")


def axiom(**changes: object) -> dict[str, object]:
    members: dict[str, object] = {}
    for member in MEMBERS:
        word = "less" if "negated" in member else "more"
        members[member] = [
            f"Material(A, wax) {member}, so More(soft(A), soft(B))",
            [f"A is wax, B is iron, so A is {word} soft than B"],
        ]
    return members | changes


def test_an_axiom_is_a_family_of_six(tmp_path: Path) -> None:
    path = tmp_path / "axioms.jsonl.gz"
    path.write_bytes(gzip.compress((json.dumps(axiom()) + "\n").encode()))
    probe = read_files("rica-axioms", [path])
    assert [item.member for item in probe.items] == list(MEMBERS)
    assert len({item.family for item in probe.items}) == 1
    facets = {item.member: item.facets for item in probe.items}
    assert dict(facets["negated_asymmetric_premise"]) == {
        "template": "material",
        "perturbation": "negation",
        "asymmetry": "premise",
        "comparative": "less",
        "valence": -1,
    }
    assert (facets["original"]["perturbation"], facets["original"]["asymmetry"]) == ("original", "none")
    assert probe.items[1].source.id.startswith("Material(A, wax) negated")
    assert fill_blank(probe.items[1].text, probe.items[1].options[probe.items[1].answer or 0]).endswith(
        "less soft than B"
    )


def test_an_axiom_that_stands_twice_is_two_families(tmp_path: Path) -> None:
    path = write(tmp_path / "axioms.jsonl", json.dumps(axiom()), json.dumps(axiom()))
    probe = read_files("rica-axioms", [path])
    assert (len(probe.items), probe.card.families) == (12, 2)
