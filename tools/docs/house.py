"""The house in one picture: rooms from top to bottom, as the import contract of pyproject.toml has them."""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
_ABOUT = {
    "cli": "one file a command group: parses, calls, shows",
    "api": "what import horsesense offers",
    "report": "the page, tables, charts",
    "annotate": "asking people",
    "exchange": "other tools' files",
    "methods": "one house a paper",
    "learning": "training, controls, inoculation",
    "runs": "manifest, answers, cache, resume",
    "scoring": "how an item becomes questions",
    "models": "who answers",
    "analysis": "what it means",
    "knowledge": "facts",
    "language": "words",
    "records": "item, answer, spec, judgement",
    "files": "reading and writing, whole or not at all",
    "settings": "what is said once",
    "watching": "how far long work has come",
    "plugins": "what other packages add",
    "errors": "one sentence: what, where, what to do",
}
_WIDTH, _HIGH, _GAP, _EDGE = 720, 46, 14, 10


def layers() -> list[list[str]]:
    """The rooms, the uppermost layer first, and side by side what knows nothing of each other."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (contract,) = (each for each in contracts if each["type"] == "layers")
    return [[room.strip().removeprefix("horsesense.") for room in layer.split("|")] for layer in contract["layers"]]


def picture() -> str:
    """The SVG: a box a room; each imports only from the layers below it."""
    rows = layers()
    high = len(rows) * (_HIGH + _GAP) + 2 * _EDGE - _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {high}" font-family="system-ui, sans-serif" '
        'role="img" aria-label="The rooms of horsesense, each above those that it imports from">',
        "<style>rect{fill:#f1f6f4;stroke:#2f6f5e}text{fill:#2f6f5e;font-size:15px}.about{fill:#444;font-size:12px}"
        "path{stroke:#999;fill:none}</style>",
    ]
    for number, rooms in enumerate(rows):
        top = _EDGE + number * (_HIGH + _GAP)
        wide = (_WIDTH - 2 * _EDGE - (len(rooms) - 1) * _GAP) / len(rooms)
        for place, room in enumerate(rooms):
            left = _EDGE + place * (wide + _GAP)
            parts.append(f'<rect x="{left:.0f}" y="{top}" width="{wide:.0f}" height="{_HIGH}" rx="6"/>')
            parts.append(f'<text x="{left + 12:.0f}" y="{top + 19}">{escape(room)}</text>')
            about = escape(_ABOUT.get(room, ""))
            parts.append(f'<text class="about" x="{left + 12:.0f}" y="{top + 36}">{about}</text>')
        if number + 1 < len(rows):
            parts.append(f'<path d="M{_WIDTH // 2} {top + _HIGH}v{_GAP}"/>')
    return "\n".join([*parts, "</svg>\n"])


if __name__ == "__main__":
    path = ROOT / "docs" / "images" / "house.svg"
    path.write_text(picture(), encoding="utf-8")
    print(path.relative_to(ROOT))
