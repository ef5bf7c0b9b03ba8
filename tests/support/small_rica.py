"""A release of RICA of our own: 80 axioms in the order of the human-curated set, and a small test split."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

from horsesense.methods.rica.perturbations import ASYMMETRIES, PERTURBATIONS

NAMES = ["".join(pair) for pair in product("bdfghjklmnprstvz", "ae", "bdklmt")]
_OPPOSITES = {"more": "less", "less": "more", "before": "after", "after": "before"}
_SYLLABLES = ["".join(pair) for pair in product("bdfglmnprt", "ou")]
"""Twenty of them: made-up words keep the axioms apart."""


def curated_block(premise: str, phrases: dict[str, str]) -> list[str]:
    """The 24 statements of an axiom about two; each place has its names."""
    lines: list[str] = []
    for phrase, denied in PERTURBATIONS.values():
        for order in ASYMMETRIES:
            a, b = NAMES[2 * len(lines)], NAMES[2 * len(lines) + 1]
            pole = "more" if (phrase in ("phrase", "paraphrase")) == (order == "none") else "less"
            pole = _OPPOSITES[pole] if denied else pole
            subject, other = (a, b) if order == "none" else (b, a)
            told = re.sub(r"\b[AB]\b", lambda letter, a=a, b=b: {"A": a, "B": b}[letter[0]], premise)  # type: ignore[misc]
            lines.append(f"{told}, so {subject} is {'not ' if denied else ''}{pole} {phrases[phrase]} than {other}")
    return lines


def _phrases(stem: str) -> dict[str, str]:
    return {"phrase": f"{stem}ly", "antonym": f"un{stem}ly", "paraphrase": f"{stem}ish", "inversion": f"{stem}less"}


def _alone(verb: str) -> list[str]:
    said = ["was hungry before", "wasn't hungry after", "was full after", "was starving before"]
    said += ["wasn't stuffed before", "wasn't full before", "wasn't starving after", "was stuffed after"]
    return [f"{name} was {verb}, so {name} {each} {verb}" for name, each in zip(NAMES, said, strict=False)]


def curated_lines() -> list[str]:
    """Twenty physical axioms, twenty about materials, twenty about people, twenty about before and after."""
    lines: list[str] = []
    for stem in _SYLLABLES:
        lines += curated_block(f"A is {stem}ckier than B", _phrases(f"{stem}m"))
    for stem in _SYLLABLES:
        lines += curated_block(f"A is made out of {stem}x and B is made out of {stem}z", _phrases(f"{stem}v"))
    for stem in _SYLLABLES:
        lines += curated_block(f"A is B's {stem}tor", _phrases(f"{stem}kind"))
    for stem in _SYLLABLES:
        lines += _alone(f"{stem}ping")
    return lines


def verified_lines() -> list[str]:
    """Statements in the order of the raw splits: three about a pair of names, and three that deny them."""
    lines = []
    for place, stem in enumerate(_SYLLABLES[:8]):
        for denied, (a, b) in enumerate((NAMES[4 * place : 4 * place + 2], NAMES[4 * place + 2 : 4 * place + 4])):
            no, pole, other = ("not ", "less", "more") if denied else ("", "more", "less")
            for first, second, word in ((a, b, pole), (b, a, other)):
                told = f"{a} is a {stem}cat, {b} is a {stem}dog"
                lines.append(f"{told}, so {first} is {no}{word} likely to {stem}run than {second}")
    return lines


def lay_rica(folder: Path) -> Path:
    """Both sets in folders as released."""
    for below, name, lines in (
        ("human_curated_set", "eval_sentences", curated_lines()),
        ("10k", "test_sentences", verified_lines()),
    ):
        words = [re.findall(r"more|less|before|after", line.rpartition(", so ")[2])[0] for line in lines]
        place = folder / "data" / below
        place.mkdir(parents=True)
        (place / f"{name}.txt").write_text("\n".join(lines))
        (place / f"{name}_m.txt").write_text("\n".join(words))
        (place / "config.txt").write_text("\n".join(str([word, _OPPOSITES[word]]) for word in words))
    return folder
