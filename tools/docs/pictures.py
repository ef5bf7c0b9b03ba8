"""Pictures of the methods: what becomes of one item, in four steps.

Run: python -m tools.docs.pictures   writes docs/images/method-*.svg
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from textwrap import wrap

IMAGES = Path(__file__).parents[2] / "docs" / "images"
_WIDE, _GAP, _LINE, _EDGE = 226, 34, 18, 6

METHODS = {
    "rica": [
        ("axiom", ["Material(A, wax) and", "Material(B, iron), so", "More(soft(A), soft(B))"]),
        ("24 ways to say it", ["wob is of wax and zim of iron, so wob is ___ soft than zim", "… zim is not ___"]),
        ("beside it", ["premise removed", "content words nonsense", "the bare fact: is wax softer than iron?"]),
        ("all right?", ["strict accuracy by axiom, intervals over properties, leaning as d′ and c"]),
    ],
    "cats": [
        ("two sentences", ["The jar hit the cup because the jar fell.", "The jar hit the cup because the cup fell."]),
        ("each token scored", ["mean log-probability; the higher one is the answer"]),
        ("its dual", ["the same question after one edit that turns the key: converse, negation, swapped arguments"]),
        ("both halves right?", ["beside what two accuracies give by themselves; which token decided"]),
    ],
    "winoventi": [
        ("association", ["The apple is ___.", "The apple is not ___.", "both times: edible"]),
        ("exception", ["rotten, with evidence that it excludes edible and can be true of an apple"]),
        ("two premises", ["one word differs; after one edible is right, after the other it is not"]),
        ("does it read?", ["both right; how far a premise moves the log-odds"]),
    ],
    "partwhole": [
        ("triple", ["whole: jeep", "part: tyre", "adjective: old"]),
        ("three people", ["probably", "probably", "unrelated"]),
        ("label", ["the median of a scale from impossible to guaranteed; nonsense and three ways drop it"]),
        ("model", ["accuracy, steps off, kappa; off the votes, beside people off each other"]),
    ],
    "wordnetqa": [
        ("a link", ["poodle → dog, attested by its gloss, with an example"]),
        ("distractors", ["false of every sense, as general as the answer, right elsewhere"]),
        ("question", ["In 'the poodle slept', poodle is a kind of …", "five options"]),
        ("cluster", ["all questions of a concept right? from 1, 2, 3 hops?"]),
    ],
}  # fmt: skip
"""Method → its four boxes: title and paragraphs."""


def flow(boxes: list[tuple[str, list[str]]], says: str) -> str:
    """Four boxes as SVG, two by two so that a phone shows them large enough to be read, with arrows in between."""
    laid = [(title, [line for text in texts for line in [*wrap(text, 27), ""]][:-1]) for title, texts in boxes]
    high = [max(len(lines) for _, lines in laid[row : row + 2]) * _LINE + 44 for row in (0, 2)]
    wide, deep = 2 * _WIDE + _GAP + 2 * _EDGE, sum(high) + _GAP + 2 * _EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {deep}" width="{wide}" height="{deep}" '
        f'role="img" aria-label="{escape(says)}" font-family="system-ui, sans-serif" font-size="14">',
        "<style>rect{fill:#f1f6f4;stroke:#2f6f5e}.t{fill:#2f6f5e;font-weight:600}text{fill:#444}"
        "path{stroke:#c05a3a;fill:none;stroke-width:2}</style>",
    ]
    for place, (title, lines) in enumerate(laid):
        left, top = _EDGE + place % 2 * (_WIDE + _GAP), _EDGE + place // 2 * (high[0] + _GAP)
        parts.append(f'<rect x="{left}" y="{top}" width="{_WIDE}" height="{high[place // 2]}" rx="6"/>')
        parts.append(f'<text class="t" x="{left + 12}" y="{top + 24}">{place + 1} {escape(title)}</text>')
        for number, line in enumerate(lines):
            parts.append(f'<text x="{left + 12}" y="{top + 48 + number * _LINE}">{escape(line)}</text>')
        if place % 2 == 0:
            parts.append(f'<path d="M{left + _WIDE + 6} {top + high[place // 2] // 2}h{_GAP - 14}m-6 -6l6 6l-6 6"/>')
    turn = _EDGE + high[0] + 5
    start, end, half = wide - _EDGE - _WIDE // 2, _EDGE + _WIDE // 2, _GAP // 2
    parts.append(f'<path d="M{start} {turn}v{half - 5}H{end}v{half - 6}m-6 -6l6 6l6 -6"/>')
    return "\n".join([*parts, "</svg>\n"])


def main() -> None:
    for name, boxes in METHODS.items():
        path = IMAGES / f"method-{name}.svg"
        path.write_text(flow(boxes, " → ".join(title for title, _ in boxes)), encoding="utf-8")
        print(path.name)


if __name__ == "__main__":
    main()
